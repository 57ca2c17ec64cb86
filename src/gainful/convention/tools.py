"""Every tool and source whose nDCG (or alpha-nDCG) we can reproduce, by name.

Facts were read in the tools' sources and checked by running them; the titles name versions.
To add a tool, add a constant to one of the four files this table is made of.
"""

from collections.abc import Mapping

from gainful.convention.array_tools import ARRAY_TOOLS
from gainful.convention.convention import Convention
from gainful.convention.papers import PAPERS
from gainful.convention.platform_tools import PLATFORM_TOOLS
from gainful.convention.trec_tools import TREC_TOOLS
from gainful.errors import UnknownName, WrongType
from gainful.page.table import NameTable

GAINFUL = Convention()

CONVENTIONS: Mapping[str, Convention] = NameTable(
    "conventions", (GAINFUL, *PAPERS, *TREC_TOOLS, *ARRAY_TOOLS, *PLATFORM_TOOLS)
)
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
    key = _ALIASES.get(name.lower(), name.lower())
    if key not in CONVENTIONS:
        raise UnknownName("convention", name, CONVENTIONS, "gainful conventions lists them all")
    return CONVENTIONS[key]
