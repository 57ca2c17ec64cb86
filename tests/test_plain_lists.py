"""Tables with lists of documents in their cells: exploded at once, as if read row by row."""

import math
from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import given, strategies as st

import gainful
from gainful.errors import GainfulError
from gainful.read import rag
from gainful.read.inputs import as_rows
from gainful.read.qrels_and_run import QRELS, RUN

NUMBERS = st.floats(-2, 2) | st.sampled_from((0.0, 1.0, math.nan, math.inf)) | st.none()
DOCS = {
    pl.String: st.sampled_from(("a", "b", "c", "", "d é")) | st.none(),
    pl.Int64: st.integers(-1, 3) | st.none(),
}
SHORT = {"max_size": 4}


@dataclass
class Shape:
    """What columns a table has, and what is in them."""

    query: str
    docs: str
    numbers: str | None
    dtype: type[pl.DataType]


SHAPES = st.builds(
    Shape,
    st.sampled_from(("query", "question", "id", "User ID")),
    st.sampled_from(("docs", "retrieved", "relevant", "doc", "Items")),
    st.sampled_from((None, "scores", "grades", "score", "Ratings", "sims", "rank", "ranks")),
    st.sampled_from((pl.String, pl.Int64)),
)


@st.composite
def tables(draw):
    shape, odd = draw(SHAPES), draw(st.booleans())  # whether something may be wrong
    rows = []
    for number in range(draw(st.integers(1, 5))):
        query = draw(st.sampled_from((number, 1, None))) if odd else number
        present = DOCS[shape.dtype].filter(lambda doc: odd or doc not in (None, ""))
        docs = draw(st.lists(present, unique=not odd, **SHORT))
        length = draw(st.integers(0, 4)) if odd and draw(st.booleans()) else len(docs)
        sound = NUMBERS if odd else st.integers(0, 3).map(float)
        numbers = draw(st.lists(sound, min_size=length, max_size=length))
        rows.append((query, docs, numbers))
    queries, docs, numbers = zip(*rows, strict=True)
    own = pl.Series(queries, dtype=pl.Int64).cast(draw(st.sampled_from((pl.Int64, pl.String))))
    columns = {shape.query: own, shape.docs: pl.Series(docs, dtype=pl.List(shape.dtype))}
    if shape.numbers is not None:
        columns[shape.numbers] = pl.Series(numbers, dtype=pl.List(pl.Float64))
    return pl.DataFrame(columns)


def describe(table, kind):
    """All that is read of a table, or what is wrong."""
    try:
        rows = as_rows(table, kind, "table")
        mistakes = [str(problem) for problem in rows.list_problems(99)]
        places = [] if mistakes else [*map(rows.locate, range(len(rows.frame)))]
        return rows.frame.to_dicts(), places, mistakes, [*rows.notes], {**rows.fields}
    except GainfulError as mistake:
        return str(mistake)


@pytest.mark.parametrize("kind", [RUN, QRELS], ids=["run", "qrels"])
@given(tables())
def test_lists_are_exploded_as_they_are_read_row_by_row(kind, table):
    exploded = describe(table, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rag, "explode_lists", lambda *_: None)
        assert describe(table, kind) == exploded


def test_a_million_plain_lists_take_no_loop_over_documents(monkeypatch):
    monkeypatch.setattr("gainful.read.rag.read_records", None)
    run = pl.DataFrame({"user": ["1", "2"], "items": [["a", "b"], ["c", "d"]]})
    judged = pl.DataFrame({"user": ["1", "2"], "items": [["b"], ["c"]]})
    assert gainful.evaluate(judged, run, "RR").mean == {"RR": 0.75}
