"""What can be computed? Measures, gains and discounts, and what their options mean."""

from __future__ import annotations

from attrs import evolve

from gainful.errors import GainfulError
from gainful.measure.language import parse
from gainful.measure.plugins import load_entry_points
from gainful.page.shown import Description


def measures(name: str | None = None) -> Description:
    """What can be computed: all measures, gains and discounts, or all about one name.

    What other packages offer is loaded first; one that fails is told in the page's warnings.

    Args:
        name: of a measure, a gain, a discount or a setting, such as "nDCG", "exp" or "ties".

    Examples:
        >>> print(measures("exp").to_text().splitlines()[0])
        exp (gain): each grade about twice the one below
    """
    from gainful.measure.catalogue_page import catalogue_page  # noqa: PLC0415  (slow to load)

    failures = load_entry_points()  # said beside the page, whatever its format
    return Description(evolve(catalogue_page(name), warnings=failures))


def is_measure(name: str) -> bool:
    """Is that how a measure is spelled, such as AP, nDCG@10 or ndcg_cut_10?

    Examples:
        >>> is_measure("ndcg@10"), is_measure("run.txt")
        (True, False)
    """
    try:
        parse(name)
    except GainfulError:
        return False
    return True
