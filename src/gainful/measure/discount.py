"""What is left of a gain at a rank. To add a discount, add a value to `_ALL`.

Queries of a session are discounted by the same functions: the position q for the rank i, and
the base `bq` for `b`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gainful.formula import Const, Domain, NamedFormula, Param, Var, log, maximum, substitute

REASONABLE_RANGE = (1.5, 10)  # of bases, says the paper of 2008 (§3.1)
USUAL_RANGE = "1.5:10"

i = Var("i", "rank")
q = Var("q", "position of the query in its session")
b = Param(
    "b",
    "base of the rank discount; small: an impatient searcher, large: a patient one",
    default=2,
    domain=Domain(above=1),
    typical=REASONABLE_RANGE,
)
bq = Param(
    "bq",
    "base of the query discount; small: reformulating is costly, large: it is cheap",
    default=4,
    domain=Domain(above=1, below=1000),
    typical=REASONABLE_RANGE,
)

_discount = partial(NamedFormula, "discount")
_ALL = (
    _discount("log2", 1 / log(2, i + 1), "what most tools mean by DCG", "burges2005"),
    _discount("log", 1 / log(b, i + 1), "to any base, which cancels out of nDCG", "burges2005"),
    _discount("jk2002", 1 / maximum(1, log(b, i)), "ranks up to b count in full", "jarvelin2002"),
    _discount("jk2008", 1 / (1 + log(b, i)), "only the first rank counts in full", "jarvelin2008"),
    _discount("shifted", 1 / log(b, i + (b - 1)), "a logarithm that starts at 1", "kanoulas2011"),
    _discount("zipf", 1 / i, "one over the rank: steep", "catboost"),
    _discount("none", Const(1), "every rank counts in full: CG", "jarvelin2002"),
)

DISCOUNTS: dict[str, NamedFormula] = {discount.name: discount for discount in _ALL}


def as_query_discount(rank_discount: NamedFormula) -> NamedFormula:
    """A rank discount for queries: position q instead of rank i, base bq instead of b."""
    expr = substitute(rank_discount.expr, {"i": q, "b": bq})
    values = tuple(
        (bq.symbol, value) for symbol, value in rank_discount.values if symbol == b.symbol
    )
    return replace(rank_discount, kind="query discount", expr=expr, values=values)
