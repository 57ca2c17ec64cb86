"""The formats of pages: a renderer in each file."""
