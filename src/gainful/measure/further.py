"""Names that nobody knows: does an installed package know them?"""

from __future__ import annotations

from collections.abc import Mapping


def look_further(name: str, table: Mapping[str, object]) -> bool:
    """Load the plug-ins of other packages, and look the name up once more."""
    # Only now, for it takes a while, and because plug-ins need all that asks here.
    from gainful.measure.plugins import load_installed  # noqa: PLC0415

    load_installed()
    return name in table
