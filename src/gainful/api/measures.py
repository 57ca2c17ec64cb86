"""What can be computed, how do tools do it, and how is a measure of one's own made known?"""

from __future__ import annotations

from attrs import evolve

from gainful.convention import CONVENTIONS, like
from gainful.convention.session import SESSION_CONVENTIONS
from gainful.errors import GainfulError, UnknownName
from gainful.measure.language import parse
from gainful.measure.names import split_trec_name
from gainful.measure.register import load_entry_points, load_plugin, register
from gainful.page.shown import Description

__all__ = [
    "conventions",
    "is_measure",
    "is_trec_name",
    "load_entry_points",
    "load_plugin",
    "measures",
    "register",
]


def measures(name: str | None = None) -> Description:
    """What can be computed: all measures, gains and discounts, or all about one name.

    Plug-ins are loaded first; the page's warnings name those that fail.

    Args:
        name: of a measure, a gain, a discount or a setting, such as "nDCG", "exp" or "ties".

    Examples:
        >>> print(measures("exp").to_text().splitlines()[0])
        exp (gain): each grade is worth about twice the one below
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


def is_trec_name(name: str) -> bool:
    """Is that how trec_eval calls a measure, such as map or ndcg_cut.10?"""
    return split_trec_name(name) is not None


def conventions(name: str | None = None, other: str | None = None) -> Description:
    """What does a tool do in every situation? All of them, one, or the difference of two.

    Args:
        name: of a convention, of rankings or of sessions; all of them if none is named.
        other: of another one: only what `name` does differently from it.

    Examples:
        >>> print(conventions("sklearn", "sklearn"))
        sklearn and sklearn differ in nothing.
    """
    from gainful.measure.catalogue_page import convention_page  # noqa: PLC0415  (slow to load)

    names = [None if text is None else _resolve_name(text) for text in (name, other)]
    return Description(convention_page(*names))


def _resolve_name(name: str) -> str:
    """A name of either table; of neither, the error names the nearest of both."""
    lower = name.lower()
    if lower in SESSION_CONVENTIONS and lower not in CONVENTIONS:
        return lower
    try:
        return like(name).name
    except UnknownName:
        names = (*CONVENTIONS, *SESSION_CONVENTIONS)
        raise UnknownName("convention", name, names, "gainful conventions lists them all") from None
