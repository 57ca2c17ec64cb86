"""What can be computed? Measures, gains and discounts, and what their options mean."""

from __future__ import annotations

from gainful.measure.catalogue_page import catalogue_page
from gainful.page.shown import Description


def measures(name: str | None = None) -> Description:
    """What can be computed: all measures, gains and discounts, or all about one name.

    Args:
        name: of a measure, a gain, a discount or a setting, such as "nDCG", "exp" or "ties".

    Examples:
        >>> print(measures("exp").to_text().splitlines()[0])
        exp (gain): each grade about twice the one below
    """
    return Description(catalogue_page(name))
