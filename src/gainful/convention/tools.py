"""Every tool and source whose nDCG (or alpha-nDCG) we can reproduce, by name.

Facts were read in the tools' sources and checked by running them; the titles name versions.
To add a tool, add a constant to one of the four files this table is made of.
"""

from collections.abc import Mapping

from gainful.convention.array_tools import ARRAY_TOOLS
from gainful.convention.convention import GAINFUL, Convention
from gainful.convention.papers import PAPERS
from gainful.convention.platform_tools import PLATFORM_TOOLS
from gainful.convention.trec_tools import TREC_TOOLS
from gainful.page.table import NameTable

CONVENTIONS: Mapping[str, Convention] = NameTable(
    "conventions", (GAINFUL, *PAPERS, *TREC_TOOLS, *ARRAY_TOOLS, *PLATFORM_TOOLS)
)
