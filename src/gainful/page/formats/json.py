"""Pages as JSON and JSON lines."""

from __future__ import annotations

import json

from gainful.page.page import Page


def to_json(page: Page) -> str:
    """All of it as data."""
    return json.dumps(page.data(), indent=2, ensure_ascii=False, allow_nan=False)


def to_json_lines(page: Page) -> str:
    """An object for each row."""
    records = page.rows().to_dicts() if page.records is None else page.records()
    return "\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in records)
