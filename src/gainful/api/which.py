"""Whose nDCG is this? Beside `explain`, which reads runs too: numbers alone load no frames."""

from __future__ import annotations

from gainful.api.keywords import answer_keywords
from gainful.measure.which import Formulations, find_formulations
from gainful.read.ranking_matrix import Numbers, read_ranking


@answer_keywords
def which(value: str | float, grades: Numbers, *, judged: Numbers | None = None) -> Formulations:
    """Which formulations give this value, to the precision it is printed with?

    Args:
        value: as a tool printed it; a text keeps trailing zeros.
        grades: of the documents, in rank order.
        judged: all judged grades of the query, including those of the ranking: the ideal.

    Examples:
        >>> answer = which("0.932", [3, 2, 3, 0, 1, 2])
        >>> print(answer.matches[0].measure, *answer.matches[0].tools)
        nDCG(discount=jk2002, b=2) jk2002 wikipedia ntcireval
    """
    ranking = read_ranking(grades, "grades")
    pool = None if judged is None else read_ranking(judged, "judged")
    return find_formulations(value, ranking, pool)
