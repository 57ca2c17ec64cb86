"""Every tool and source whose nDCG (or alpha-nDCG) we can reproduce, by name.

Facts were read in the tools' sources and checked by running them; the titles name versions.
To add a tool, add a constant to one of the files this table is made of; papers stand here.
"""

from collections.abc import Mapping
from math import e

from attrs import evolve

from gainful.convention.array_tools import ARRAY_TOOLS
from gainful.convention.convention import GAINFUL, Convention, list_conventions
from gainful.convention.platform_tools import PLATFORM_TOOLS
from gainful.convention.trec_tools import TREC_TOOLS
from gainful.page.table import NameTable

# The papers and pages that defined cumulated gain, each with its own formulas.
_CUMULATED = ("CG", "DCG", "nCG", "nDCG", "IDCG")

JK2002 = evolve(
    GAINFUL,
    title="Järvelin & Kekäläinen 2002",
    discount="jk2002",
    b=2,
    measures=_CUMULATED,
    note="ranks before b are not discounted, so the base changes nDCG",
)
JK2008 = evolve(
    GAINFUL,
    title="Järvelin, Price, Delcambre & Nielsen 2008",
    discount="jk2008",
    b=2,
    measures=_CUMULATED,
    note="every rank but the first is discounted",
)
BURGES2005 = evolve(
    GAINFUL,
    title="Burges et al. 2005",
    gain="exp",
    discount="log",
    b=e,
    measures=("nDCG",),
    note="a natural logarithm, whose base cancels out of nDCG",
)
WIKIPEDIA = evolve(
    JK2002,
    title="Wikipedia's worked example of discounted cumulative gain",
    ideal="list",
    measures=("CG", "nDCG"),
    note="the article's second formula is burges2005",
)

_PAPERS = list_conventions(globals(), Convention)  # and gainful itself
CONVENTIONS: Mapping[str, Convention] = NameTable(
    "conventions", (*_PAPERS, *TREC_TOOLS, *ARRAY_TOOLS, *PLATFORM_TOOLS)
)
