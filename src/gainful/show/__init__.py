"""Room `show`: any result goes in; text, Markdown, LaTeX or data comes out."""
