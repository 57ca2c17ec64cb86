"""How does a ranking come by its nDCG, and whose nDCG is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from gainful.api.keywords import answer_keywords
from gainful.convention import Convention
from gainful.measure.build_recipes import Options, build_recipe
from gainful.measure.measure import nDCG
from gainful.measure.which import Formulations, find_formulations
from gainful.read.ranking_matrix import Numbers, read_ranking

if TYPE_CHECKING:
    from gainful.measure.explanation import Explanation


@answer_keywords
def explain(
    grades: Numbers,
    *,
    judged: Numbers | None = None,
    k: int | None = None,
    like: str | Convention | None = None,
    **options: Unpack[Options],
) -> Explanation:
    """How does this ranking come by its nDCG?

    Args:
        grades: of the documents, in rank order.
        judged: every judged grade of the query, those of the ranking too: the ideal.
        k: look at the first k documents only.
        like: the tool whose settings to follow.
        **options: single settings, such as `gain="exp"`.

    Examples:
        >>> table = explain([3, 2, 3, 0, 1, 2], like="wikipedia")
        >>> [round(line.dcg, 2) for line in table.lines]
        [3.0, 5.0, 6.89, 6.89, 7.32, 8.1]
        >>> round(table.value, 3)
        0.932
    """
    from gainful.measure.explanation import explain_ranking  # noqa: PLC0415  (it loads polars)

    recipe = build_recipe(nDCG @ k, options=options, like=like, judged=judged is not None)
    ranking = read_ranking(grades, "grades")
    pool = None if judged is None else read_ranking(judged, "judged")
    return explain_ranking(recipe, ranking, pool)


@answer_keywords
def which(value: str | float, grades: Numbers, *, judged: Numbers | None = None) -> Formulations:
    """Which formulations give this value, to the precision it is printed with?

    Args:
        value: as a tool printed it; as a text it keeps its last zeros.
        grades: of the documents, in rank order.
        judged: every judged grade of the query, those of the ranking too: the ideal.

    Examples:
        >>> answer = which("0.932", [3, 2, 3, 0, 1, 2])
        >>> print(answer.matches[0].measure, *answer.matches[0].tools)
        nDCG(discount=jk2002, b=2) jk2002 wikipedia ntcireval
    """
    ranking = read_ranking(grades, "grades")
    pool = None if judged is None else read_ranking(judged, "judged")
    return find_formulations(value, ranking, pool)
