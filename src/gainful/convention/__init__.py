"""Room `convention`: a tool's name goes in, its settings come out.

The table of tools is loaded when one of them is asked for.
"""

from typing import TYPE_CHECKING

from gainful.convention.convention import GAINFUL, SETTINGS, Convention, Setting
from gainful.errors import UnknownName, WrongType
from gainful.text import show_public_names

if TYPE_CHECKING:
    from gainful.convention.tools import CONVENTIONS

__all__ = ["CONVENTIONS", "GAINFUL", "SETTINGS", "Convention", "Setting", "like"]

_ALIASES = {"scikit-learn": "sklearn", "scikit_learn": "sklearn", "pyspark": "spark"}


def like(name: str | Convention | None = None) -> Convention:
    """The settings of a tool or source by its name; without a name, gainful's own.

    Examples:
        >>> like("quepid").ideal_depth
        'all'
    """
    if name is None:
        return GAINFUL
    if isinstance(name, Convention):
        return name
    if not isinstance(name, str):
        raise WrongType("like", name, "the name of a convention, or a Convention")
    from gainful.convention.tools import CONVENTIONS  # noqa: PLC0415

    key = _ALIASES.get(name.lower(), name.lower())
    if key not in CONVENTIONS:
        raise UnknownName("convention", name, CONVENTIONS, "gainful conventions lists them all")
    return CONVENTIONS[key]


show_public_names(__name__, CONVENTIONS="gainful.convention.tools:CONVENTIONS")
