"""`like=` gives the numbers that the tools themselves printed on seventeen small cases."""

import numpy as np
import pytest
from tool_rows import CASES, OBSERVED, ROWS, GoldenRow

import gainful

UNRETRIEVED = -1e30
PAIRS = [
    pytest.param(row, case, id=f"{row.tool} {case}")
    for row in ROWS
    for case in CASES
    if case not in row.beyond
]


def _query_inputs(case: str, mode: str):
    """Grades, scores and judged grades of every query, as a caller would pass them."""
    qrels, run = CASES[case]["judgments"], CASES[case]["run"]
    for query, ranking in run.items():
        grades = qrels.get(query, {})
        documents = [doc for doc, _ in ranking]
        scores = [score for _, score in ranking]
        if mode == "pool":
            unretrieved = [doc for doc in grades if doc not in documents]
            documents += unretrieved
            scores += [UNRETRIEVED] * len(unretrieved)
        yield [grades.get(doc, 0) for doc in documents], scores, list(grades.values())


def _compute(row: GoldenRow, case: str) -> float:
    function = getattr(gainful, row.function)
    grades, scores, judged = map(list, zip(*_query_inputs(case, row.mode), strict=True))
    options = {"k": CASES[case]["k"] if row.function == "ndcg" or row.mode == "list" else None}
    options |= {"like": row.like} | row.options
    if row.mode == "judged" and row.function != "dcg":
        options["judged"] = judged
    if row.function != "idcg":
        options["scores"] = scores
    if len(grades) == 1:
        options |= {n: options[n][0] for n in ("scores", "judged") if n in options}
        return function(grades[0], **options)
    return float(np.mean(function(grades, **options)))


@pytest.mark.parametrize(("row", "case"), PAIRS)
def test_like_a_tool_gives_the_value_the_tool_printed(row, case):
    printed = OBSERVED[row.tool][case].removeprefix("1:")
    try:
        value = float(printed)
    except ValueError:  # an exception, an exit status, or no row at all
        value = float("nan")
    if np.isnan(value):
        with pytest.raises(gainful.errors.GainfulError):
            _compute(row, case)
    else:
        assert _compute(row, case) == pytest.approx(value, abs=0.5001 * 10.0**-row.digits)


def _mean_with_perfect_query(setting: object, empty: object) -> float | None:
    """The mean of a perfect query and one that `setting` decides on; None for an error."""
    if setting == "empty":
        setting = empty
    return {"zero": 0.5, 0: 0.5, 1: 1.0, "skip": 1.0, "ignore": 1.0, "error": None}[setting]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.function == "ndcg"], ids=lambda r: r.tool
)
@pytest.mark.parametrize(("case", "setting"), [("C12", "missing"), ("C13", "extra")])
def test_missing_and_unjudged_queries_count_as_the_tool_counts_them(row, case, setting):
    convention = gainful.like(row.like)
    empty = row.options.get("empty", convention.empty)
    wanted = _mean_with_perfect_query(getattr(convention, setting), empty)
    printed = OBSERVED[row.tool][case].removeprefix("1:")
    if printed == "nan" and empty == "skip":  # what cannot be computed is left out by its caller
        return
    assert (None if printed[0] not in "01" else float(printed)) == wanted


@pytest.mark.parametrize("row", [row for row in ROWS if row.mode == "judged"], ids=lambda r: r.tool)
def test_duplicates_are_refused_or_counted_as_the_tool_does(row):
    printed = OBSERVED[row.tool]["C14"].removeprefix("1:")
    expected = {"e": "error"}.get(printed[0].lower(), "error" if printed.startswith("rc") else "")
    if not expected:
        expected = "count" if float(printed) > 1 else "last"
    assert expected == gainful.like(row.like).duplicates


def test_one_tie_gives_five_different_numbers():
    tied = {
        "catboost": 0.537800,
        "evidently": 0.740205,
        "sklearn": 0.751317,
        "sklearn_ignore_ties": 0.772440,
        "torchmetrics": 0.751317,
        "xgboost_linear": 0.906025,
    }
    for tool, value in tied.items():
        ours = gainful.ndcg([3, 0, 0, 2], scores=[1, 1, 1, 1], like=tool)
        assert ours == pytest.approx(value, abs=5e-7), tool
