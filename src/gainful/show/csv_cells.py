"""Moved to `gainful.page.to_csv`."""

from gainful.page.to_csv import format_csv_cell as format_cell, write_csv as to_csv_text

__all__ = ["format_cell", "to_csv_text"]
