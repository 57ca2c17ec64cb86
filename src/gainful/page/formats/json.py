"""Pages as JSON and JSON lines."""

from __future__ import annotations

import json

from gainful.page.page import Page


def to_json(page: Page) -> str:
    """All of it as data."""
    if page.data is None:
        raise TypeError("a page without data has no JSON")
    return json.dumps(page.data(), indent=2, ensure_ascii=False, allow_nan=False)


def to_json_lines(page: Page) -> str:
    """An object for each row."""
    if page.records is not None:
        records = page.records()
    elif page.rows is not None:
        records = page.rows().to_dicts()
    else:
        raise TypeError("a page without rows has no JSON lines")
    return "\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in records)
