"""How commands read sessions: what their options mean."""

from __future__ import annotations

from typing import Any

from gainful.errors import BadValue

READING_PARAMETERS = (
    *("where", "min_queries", "first_queries", "sessions_format", "topics", "ties", "pages"),
    "skip_bad",
)


def parse_reading(options: dict[str, Any]) -> dict[str, Any]:
    """What the options of reading mean to `evaluate_sessions`; they are taken out of `options`."""
    reading = {name: options.pop(name) for name in READING_PARAMETERS}
    reading["bad"] = "skip" if reading.pop("skip_bad") else "error"
    reading["where"] = _parse_conditions(reading["where"])
    return reading


def _parse_conditions(where: tuple[str, ...]) -> dict[str, str]:
    conditions = {}
    for condition in where:
        column, equals, value = condition.partition("=")
        if not equals:
            raise BadValue("where", condition, "COLUMN=VALUE, such as scenario=D")
        if column.strip() in conditions:
            raise BadValue("where", condition, f"one condition on {column.strip()}")
        conditions[column.strip()] = value.strip()
    return conditions
