"""Random judgments and runs: with ties, negative grades, gaps and unjudged documents."""

from __future__ import annotations

from hypothesis import strategies as st

DOCS = [f"d{number}" for number in range(12)] + ["ä", "Z", "d10", "~", "q", "1"]
SCORES = st.one_of(
    st.integers(-3, 3).map(float),  # many ties
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6)),
    st.sampled_from([0.1, 0.1 + 1e-9, 0.1 + 2e-9]),  # tied in 32 bit, not in 64
)


def _rankings(values, least=0):
    return st.dictionaries(st.sampled_from(DOCS), values, min_size=least, max_size=12)


GRADES = st.integers(-2, 4)


@st.composite
def collections(draw, *, grades=GRADES, extra=True, tied=True):
    """Judgments and a run as dicts, with at least one query in common."""
    queries = draw(st.lists(st.sampled_from(["1", "2", "10", "q"]), min_size=1, unique=True))
    judgments = {query: draw(_rankings(grades, 1)) for query in queries}
    for judged in judgments.values():  # trec_eval crashes on a pool of negative grades alone
        judged.setdefault("pooled", 0)
    scores = SCORES if tied else st.none()
    run = {}
    for query in draw(st.permutations(queries)):
        if query == queries[0] or draw(st.booleans()):
            run[query] = draw(_rankings(scores, 1))
    if extra and draw(st.booleans()):
        run["only in the run"] = draw(_rankings(scores, 1))
    if not tied:
        run = {query: _untied(draw, ranking) for query, ranking in run.items()}
    return judgments, run


def _untied(draw, ranking):
    docs = draw(st.permutations(list(ranking)))
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}
