"""Names that nobody knows: does an installed package know them?"""

from __future__ import annotations

from collections.abc import Mapping

from gainful.errors import BadPlugin


def find_in_plugins(name: str, table: Mapping[str, object]) -> bool:
    """Load the plug-ins of other packages, and look the name up once more."""
    # Only now, for it takes a while, and because plug-ins need all that asks here.
    from gainful.measure.plugins import load_entry_points  # noqa: PLC0415

    failures = load_entry_points()
    if name in table:
        return True
    if failures:
        raise BadPlugin(
            f"{name!r} is not known, and a package fails that may know it: {failures[0]}"
        )
    return False
