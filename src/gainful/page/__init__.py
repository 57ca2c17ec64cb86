"""What a reader gets: a page as a value, and a renderer for each format."""
