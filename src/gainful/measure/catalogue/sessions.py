"""Measures of whole sessions. To add one, add an entry here."""

from __future__ import annotations

from gainful.measure.entry import Entry, Example

_OF_SDCG = (
    *("gain", "rel", "discount", "b", "query_discount", "bq", "rank_discount"),
    *("duplicates", "lists", "at", "depth", "statistic", "average_over", "negative"),
)
_OF_IDEAL = ("ideal", "hold", "normalise", "average", "empty")

SDCG = (
    Entry(
        name="sDCG",
        question="How much did the whole session gain, if later queries and ranks count less?",
        value="Σ over queries q and ranks i of gain / (1 + log_b i) / (1 + log_bq q)",
        example=Example(
            "sDCG(b=2, bq=4)@3", "0 1 0 / 3 1 / 3 2 0", "1/2 + (3 + 1/2)/1.5 + 4/(1 + log2(3)/2)"
        ),
        session_function="sdcg.sdcg",
        options=_OF_SDCG,
        normalised=False,
        bounded=False,
        cut="needed",
        cite="jarvelin2008",
    ),
    Entry(
        name="nsDCG",
        question="What share of the gain of an ideal session was reached?",
        value="sDCG / the sDCG of the ideal session",
        example=Example(
            "nsDCG(b=2, bq=4)@1",
            "0 / 3",
            "(3/1.5) / (3 + 3/1.5)",
        ),
        session_function="sdcg.nsdcg",
        options=(*_OF_SDCG, *_OF_IDEAL),
        cut="needed",
        cite="jarvelin2008",
    ),
)

_OF_PATHS = ("p_ref", "p_down", "gain", "rel", "negative", "empty")
_PATHS = "over all ways down some documents of each of the first lists: how likely it is · "
_BEST = "that of the ideal one as long; can pass 1: documents earn again that the ideal has once"

MODELS = (
    Entry(
        name="esnDCG",
        question="What share of the ideal DCG does a searcher reach who may stop anywhere?",
        value=f"Σ {_PATHS}the DCG of what was looked at / {_BEST}",
        example=Example(
            "esnDCG(p_ref=0.5, p_down=0.5)",
            "0 1 / 3",
            "0.25 * (7/log2(3) + 1/log2(3) + (1/log2(3) + 7/2)) / (7 + 1/log2(3))",
        ),
        session_function="expected.expected_share",
        options=_OF_PATHS,
        usual={"gain": "exp", "discount": "log2"},
        bounded=False,
        cite="kanoulas2011",
    ),
    Entry(
        name="esnCG",
        question="What share of the ideal gain does a searcher reach who may stop anywhere?",
        value=f"Σ {_PATHS}the gain of what was looked at / {_BEST}",
        example=Example("esnCG(p_ref=0.5, p_down=0.5)", "0 1 / 3", "0.25 * (7/8 + 1/8 + 8/8)"),
        session_function="expected.expected_share",
        options=_OF_PATHS,
        usual={"gain": "exp", "discount": "none", "p_ref": 0.8},
        bounded=False,
        cite="kanoulas2011",
    ),
    Entry(
        name="sRBP",
        question="What does a searcher gain per document who stays in the list or asks anew?",
        value="(1 − p) Σ over queries m and ranks n of gain · (balance · p)^(n−1) · "
        "((p − balance · p)/(1 − balance · p))^(m−1)",
        example=Example("sRBP(p=0.8, balance=0.5)", "0 2 / 1", "0.2 * (0.4*2 + 0.4/0.6)"),
        session_function="rank_biased.session_rbp",
        options=("p", "balance", "gain", "rel", "duplicates", "depth", "negative"),
        normalised=False,
        bounded=False,
        cite="lipani2019",
    ),
)

ASPECTS = (
    Entry(
        name="IR",
        question="What share of the distinct answers has the session found so far?",
        value="subtopics (without subtopics: relevant documents) found in the first n queries, "
        "each once / all of them",
        example=Example("IR", "0 1 / 2 | 1", "2/3"),
        session_function="instances.instance_recall",
        options=("rel", "depth", "empty"),
        counts="queries",
        cite="over1999",
    ),
    Entry(
        name="CT",
        question="How much of what is wanted of every subtopic was found, per query?",
        value="Σ over subtopics of min(cap, Σ gamma^n · the grade of its n-th document) / cap / "
        "the number of subtopics / the number of queries",
        example=Example("CT", "ab / a", "(1/2 + 1/2 + 1/4) / 2 / 5 / 2"),
        session_function="cube.cube_test",
        options=("gamma", "cap"),
        normalised=False,
        subtopics=True,
        counts="queries",
        cite="luo2013",
    ),
    Entry(
        name="ACT",
        question="How much of what is wanted of every subtopic was there early?",
        value="the mean over all documents shown of what CT is after them",
        example=Example("ACT", "ab / a", "((1/2 + 1/2)/2/5 + (1/2 + 1/2 + 1/4)/2/5/2) / 2"),
        session_function="cube.average_cube_test",
        options=("gamma", "cap"),
        normalised=False,
        subtopics=True,
        counts="queries",
        cite="trec_dd",
    ),
)

_OF_QUERIES = ("gain", "negative", "empty")

BY_QUERY = (
    Entry(
        name="Session",
        question="What is a measure of single rankings, over the queries of a session?",
        value="the value of the first, last or best query, or the mean or sum of all of them",
        example=Example("Session(of='P@1', over=mean)", "0 / 3", "(0 + 1) / 2"),
        session_function="by_query.over_session",
        options=("of", "over", *_OF_QUERIES),
        usual={"of": "nDCG@10", "over": "mean"},
        normalised=False,
        bounded=False,
        cut="none",
        cite="jarvelin2008",
    ),
    Entry(
        name="RL",
        question="How good is the list of the last query, if what was shown before may not count?",
        value="any measure of the last list, in which repeated documents are not relevant; "
        "the ideal is as it is",
        example=Example("RL(of='nDCG@10')", "0 / 0 3", "1/log2(3)"),
        session_function="by_query.last_query",
        options=("of", "repeated", *_OF_QUERIES),
        usual={"of": "nDCG@10", "repeated": "counts"},
        normalised=False,
        bounded=False,
        cut="none",
        cite="session_track",
    ),
)

SESSION_MEASURES: dict[str, Entry] = {
    entry.name: entry for entry in (*SDCG, *MODELS, *ASPECTS, *BY_QUERY)
}
