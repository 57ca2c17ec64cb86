"""What does a tool do, in plain words?"""

from __future__ import annotations

from gainful.convention import CONVENTIONS, like
from gainful.convention.session import SESSION_CONVENTIONS
from gainful.errors import UnknownName
from gainful.measure.convention_page import convention_page
from gainful.page.shown import Description


def conventions(name: str | None = None, other: str | None = None) -> Description:
    """What does a tool do in every situation? All of them, one, or the difference of two.

    Args:
        name: of a convention, of rankings or of sessions; all of them if none is named.
        other: of another one: only what `name` does differently from it.

    Examples:
        >>> print(conventions("sklearn", "sklearn"))
        sklearn and sklearn differ in nothing.
    """
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
