"""Random judgments and runs: with ties, negative grades, gaps and unjudged documents."""

import polars as pl
from hypothesis import strategies as st

import gainful
from gainful.measure.catalogue import MEASURES

EVERY = [  # each measure of single rankings, with a cutoff where it needs one
    str(gainful.Measure(name) @ {"needed": 3, "recall": 0.5}.get(entry.cutoff_kind))
    for name, entry in MEASURES.items()
]
DOCS = [f"d{number}" for number in range(12)] + ["ä", "Z", "d10", "~", "q", "1"]
MANY_DOCS = [f"d{number}" for number in range(24)] + ["ä", "Z", "~"]  # more than ndeval looks at
SCORES = st.one_of(
    st.integers(-3, 3).map(float),  # many ties
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6)),
    st.sampled_from([0.1, 0.1 + 1e-9, 0.1 + 2e-9]),  # tied in 32 bit, not in 64
)


def _rankings(values, min_size=0):
    return st.dictionaries(st.sampled_from(DOCS), values, min_size=min_size, max_size=12)


GRADES = st.integers(-2, 4)


@st.composite
def qrels_and_runs(draw, *, grades=GRADES, extra=True, tied=True):
    """Judgments and a run as dicts, with at least one query in common."""
    queries = draw(st.lists(st.sampled_from(["1", "2", "10", "q"]), min_size=1, unique=True))
    qrels = {query: draw(_rankings(grades, 1)) for query in queries}
    for judged in qrels.values():  # trec_eval crashes on a pool of negative grades alone
        judged.setdefault("pooled", 0)
    scores = SCORES if tied else st.none()
    run = {}
    for query in draw(st.permutations(queries)):
        if query == queries[0] or draw(st.booleans()):
            run[query] = draw(_rankings(scores, 1))
    if extra and draw(st.booleans()):
        run["only in the run"] = draw(_rankings(scores, 1))
    if not tied:
        run = {query: _break_ties(draw, ranking) for query, ranking in run.items()}
    return qrels, run


def _break_ties(draw, ranking):
    docs = draw(st.permutations(list(ranking)))
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


@st.composite
def subtopic_qrels_and_runs(draw, *, tied=True):
    """Judgments for subtopics as rows (query, subtopic, document, grade), and a run as a dict."""
    queries = draw(st.lists(st.sampled_from(["1", "2", "q"]), min_size=1, unique=True))
    subtopic_docs = st.tuples(st.sampled_from("vwxyz"), st.sampled_from(MANY_DOCS))
    rows, run = [], {}
    for query in queries:
        pairs = draw(st.lists(subtopic_docs, min_size=1, max_size=40, unique=True))
        rows += [(query, subtopic, doc, draw(st.integers(-1, 3))) for subtopic, doc in pairs]
        if query == queries[0] or draw(st.booleans()):
            ranking = draw(st.lists(st.sampled_from(MANY_DOCS), min_size=1, unique=True))
            scores = [draw(SCORES) if tied else -float(place) for place in range(len(ranking))]
            run[query] = dict(zip(ranking, scores, strict=True))
    return draw(st.permutations(rows)), run


def to_frame(nested, column):
    """A table of nested dicts: queries, documents and a column of numbers."""
    rows = [
        (query, doc, float(value))
        for query, inner in nested.items()
        for doc, value in inner.items()
    ]
    schema = {"query": pl.String, "doc": pl.String, column: pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


FEW_DOCS = ["a", "b", "c", "d", "e", "f"]
NON_NEGATIVE = st.integers(0, 3)


@st.composite
def sessions_and_qrels(draw, *, grades=NON_NEGATIVE, most=3, queries=4):
    """Sessions as rows of a table, and judgments as a dict: short lists, empty ones, repeats.

    A row is session, query, rank, document, clicked or not, scanned depth, the searcher's grade.
    """
    rows, qrels = [], {}
    for name in [f"s{number}" for number in range(draw(st.integers(1, most)))]:
        qrels[name] = draw(st.dictionaries(st.sampled_from(FEW_DOCS), grades, min_size=1))
        for query in range(1, draw(st.integers(1, queries)) + 1):
            docs = draw(st.lists(st.sampled_from(FEW_DOCS), unique=True, max_size=4))
            scanned = draw(st.integers(0, 5))
            for rank, doc in enumerate(docs, 1):
                own_grade = draw(st.one_of(st.none(), grades))
                rows.append((name, query, rank, doc, draw(st.booleans()), scanned, own_grade))
            if not docs:
                rows.append((name, query, None, None, False, scanned, None))
    return rows, qrels
