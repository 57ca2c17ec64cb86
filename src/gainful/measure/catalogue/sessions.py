"""Measures of whole sessions. To add one, add an entry here."""

from __future__ import annotations

from typing import Any

from gainful.measure.entry import CHEAPER, Entry, Example
from gainful.measure.functions.sessions import (
    aspects as cube,
    aspects as instance_recall,
    cwl,
    esndcg,
    esndcg as srbp,
    query_measures,
    sdcg,
    time_measures,
    time_measures as cost,
)
from gainful.measure.functions.user_models import FORAGER, FORAGING


def _session_entry(**fields: Any) -> Entry:
    return Entry(session=True, takes_recipe=True, **fields)


_SDCG_OPTIONS = (
    *("gain", "rel", "discount", "b", "query_discount", "bq", "rank_discount"),
    *("duplicates", "lists", "at", "depth", "statistic", "average_over", "negative"),
)
_IDEAL_OPTIONS = ("ideal", "hold", "normalise", "average", "empty")

SDCG = (
    _session_entry(
        name="sDCG",
        question="How much did the session gain, if later queries and ranks count less?",
        definition="Σ over queries q and ranks i of gain / (1 + log_b i) / (1 + log_bq q)",
        example=Example(
            "sDCG(b=2, bq=4)@3", "0 1 0 / 3 1 / 3 2 0", "1/2 + (3 + 1/2)/1.5 + 4/(1 + log2(3)/2)"
        ),
        function=sdcg.sdcg,
        curve=sdcg.sdcg_curve,
        options=_SDCG_OPTIONS,
        normalised=False,
        bounded=False,
        cutoff_kind="needed",
        cite="jarvelin2008",
    ),
    _session_entry(
        name="nsDCG",
        question="What share of the gain of an ideal session was reached?",
        definition="sDCG / the sDCG of the ideal session",
        example=Example(
            "nsDCG(b=2, bq=4)@1",
            "0 / 3",
            "(3/1.5) / (3 + 3/1.5)",
        ),
        function=sdcg.nsdcg,
        curve=sdcg.nsdcg_curve,
        options=(*_SDCG_OPTIONS, *_IDEAL_OPTIONS),
        cutoff_kind="needed",
        cite="jarvelin2008",
    ),
)

_PATH_OPTIONS = ("p_ref", "p_down", "remainder", "gain", "rel", "negative", "empty")
_PATHS = "over all paths down the first lists: the probability of the path · "
_IDEAL_SESSION = "that of an ideal path as long; can exceed 1: repeated documents count again"

_CWL_OPTIONS = ("p_ref", "goal", "max_grade", "duplicates", "lists")

SESSION_USER_MODELS = (
    _session_entry(
        name="esnDCG",
        question="What share of the ideal DCG does a searcher who may stop anywhere reach?",
        definition=f"Σ {_PATHS}the DCG of what was looked at / {_IDEAL_SESSION}",
        example=Example(
            "esnDCG(p_ref=0.5, p_down=0.5)",
            "0 1 / 3",
            "0.25 * (7/log2(3) + 1/log2(3) + (1/log2(3) + 7/2)) / (7 + 1/log2(3))",
        ),
        function=esndcg.esndcg,
        options=_PATH_OPTIONS,
        defaults={"gain": "exp", "discount": "log2", "remainder": "last"},
        bounded=False,
        cite="kanoulas2011",
    ),
    _session_entry(
        name="esnCG",
        question="What share of the ideal gain does a searcher who may stop anywhere reach?",
        definition=f"Σ {_PATHS}the gain of what was looked at / {_IDEAL_SESSION}",
        example=Example("esnCG(p_ref=0.5, p_down=0.5)", "0 1 / 3", "0.25 * (7/8 + 1/8 + 8/8)"),
        function=esndcg.esndcg,
        options=_PATH_OPTIONS,
        defaults={"gain": "exp", "discount": "none", "p_ref": 0.8, "remainder": "last"},
        bounded=False,
        cite="kanoulas2011",
    ),
    _session_entry(
        name="sRBP",
        question="How much does a searcher who reads on or reformulates gain per document?",
        definition="(1 − p) Σ over queries m and ranks n of gain · (balance · p)^(n−1) · "
        "((p − balance · p)/(1 − balance · p))^(m−1)",
        example=Example("sRBP(p=0.8, balance=0.5)", "0 2 / 1", "0.2 * (0.4*2 + 0.4/0.6)"),
        function=srbp.srbp,
        options=("p", "balance", "gain", "rel", "duplicates", "depth", "negative"),
        normalised=False,
        bounded=False,
        cite="lipani2019",
    ),
    _session_entry(
        name="sINST",
        question="How much does a searcher who wants T and adapts gain per document of a session?",
        definition="gain per document; in a list goes on with ((x − 1) / x)², x being 2T + "
        "documents looked at in the session − gain so far; after a list asks the next query with "
        "p_ref",
        example=Example(
            "sINST(T=1, p_ref=0.5, max_grade=1)@2",
            "1 0 / 1",
            "(1 + 1/2) / (5/4 + 1/2 + (3/4 * 1/4 + 1/4 * 4/9)/2)",
        ),
        function=cwl.session_inst,
        options=("T", *_CWL_OPTIONS),
        defaults={"goal": "session"},
        normalised=False,
        cutoff_kind="needed",
        cite="wicaksono2021",
    ),
    _session_entry(
        name="sIFT",
        question="How much does a forager gain per document of a session?",
        definition="gain per document; in a list goes on as IFT's forager, by the gain of the "
        "session and the gain per document of the list; after a list asks the next query with "
        "p_ref",
        example=Example(
            "sIFT(b1=1, R1=0, b2=1, R2=0, p_ref=0.5, max_grade=1)@2",
            "0 1 / 1",
            "(1/4 + 1/2) / (5/4 + 5/8)",
        ),
        function=cwl.session_ift,
        options=(*FORAGING, *_CWL_OPTIONS),
        defaults={**FORAGER, "goal": "session"},
        normalised=False,
        cutoff_kind="needed",
        cite="wicaksono2021",
    ),
)

_WALK_OPTIONS = ("opened", "rel", "duplicates", "depth")

TIME_MEASURES = (
    _session_entry(
        name="sTBG",
        question="How many relevant documents does a session save, if interest halves over time?",
        definition="TBG with one clock for the session: query_seconds for each query, per_summary "
        "for each result, and for what is opened its seconds, or per_word · words + per_document",
        example=Example(
            "sTBG(words=400, query_seconds=10, opened=likely)",
            "1 / 0 1",
            "0.64*0.77*(0.5**(10/224) + 0.5**((2*10 + 2*4.4 + (0.018*400 + 7.8)*1.03)/224))",
        ),
        function=time_measures.session_time_biased_gain,
        options=(
            *(
                "half_life",
                "per_summary",
                "words",
                "per_word",
                "per_document",
                "click",
                "false_click",
            ),
            *("save", "query_seconds", *_WALK_OPTIONS),
        ),
        defaults={"opened": "auto"},
        normalised=False,
        bounded=False,
        cite="smucker2012",
    ),
    _session_entry(
        name="sU",
        question="How much does a session gain along the text that is read, up to L characters?",
        definition="U with one text for the session: the snippets of all queries, and of what is "
        "opened read_share · chars",
        example=Example(
            "sU(L=2000, chars=1000, opened=likely)",
            "2 / 0 1",
            "2*(1 - 400/2000) + 1*(1 - 1000/2000)",
        ),
        function=time_measures.session_u_measure,
        options=("L", "snippet", "chars", "read_share", "gain", "negative", *_WALK_OPTIONS),
        defaults={"opened": "auto"},
        normalised=False,
        bounded=False,
        cite="sakai2013",
    ),
)

COSTS = (
    _session_entry(
        name="Cost",
        question="What does a session cost, in seconds, tokens or cents?",
        definition="Σ over queries of per_query + Σ over results of per_result; a price is a "
        "number or a column",
        example=Example("Cost(per_query=50, per_result=200)", "1 / 0 1", "2*50 + 3*200"),
        function=cost.session_cost,
        options=("per_query", "per_result"),
        defaults={"per_query": 1, "per_result": 0},
        normalised=False,
        bounded=False,
        is_cost=True,
        direction=CHEAPER,
        cutoff_kind="none",
        cite="azzopardi2011",
    ),
)

ASPECT_MEASURES = (
    _session_entry(
        name="IR",
        question="What share of the distinct answers has the session found so far?",
        definition="subtopics (without subtopics: relevant documents) found in the first n "
        "queries, each once / all of them",
        example=Example("IR", "0 1 / 2 | 1", "2/3"),
        function=instance_recall.instance_recall,
        options=("rel", "depth", "empty"),
        cutoff_unit="queries",
        cite="over1999",
    ),
    _session_entry(
        name="CT",
        question="How much of each subtopic was found, per query?",
        definition="Σ over subtopics of min(cap, Σ gamma^n · the grade of its n-th document) / "
        "cap / the number of subtopics / the number of queries",
        example=Example("CT", "ab / a", "(1/2 + 1/2 + 1/4) / 2 / 5 / 2"),
        function=cube.cube_test,
        options=("gamma", "cap"),
        normalised=False,
        needs_subtopics=True,
        cutoff_unit="queries",
        cite="luo2013",
    ),
    _session_entry(
        name="ACT",
        question="How early was each subtopic found?",
        definition="the mean of CT after each document shown",
        example=Example("ACT", "ab / a", "((1/2 + 1/2)/2/5 + (1/2 + 1/2 + 1/4)/2/5/2) / 2"),
        function=cube.average_cube_test,
        options=("gamma", "cap"),
        normalised=False,
        needs_subtopics=True,
        cutoff_unit="queries",
        cite="trec_dd",
    ),
)

_QUERY_OPTIONS = ("gain", "negative", "empty")

BY_QUERY_MEASURES = (
    _session_entry(
        name="Session",
        question="What is the value of a ranking measure over the queries of a session?",
        definition="the value of the first, last or best query, or the mean or sum of all of them",
        example=Example("Session(of='P@1', over=mean)", "0 / 3", "(0 + 1) / 2"),
        function=query_measures.aggregate_queries,
        options=("of", "over", *_QUERY_OPTIONS),
        defaults={"of": "nDCG@10", "over": "mean"},
        normalised=False,
        bounded=False,
        cutoff_kind="none",
        cite="jarvelin2008",
    ),
    _session_entry(
        name="RL",
        question="How good is the last query's list, if documents shown before do not count?",
        definition="any measure of the last list, in which repeated documents are not relevant; "
        "the ideal is unchanged",
        example=Example("RL(of='nDCG@10')", "0 / 0 3", "1/log2(3)"),
        function=query_measures.last_query,
        options=("of", "repeated", *_QUERY_OPTIONS),
        defaults={"of": "nDCG@10", "repeated": "counts"},
        normalised=False,
        bounded=False,
        cutoff_kind="none",
        cite="session_track",
    ),
)

SESSION_MEASURES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *SDCG,
        *SESSION_USER_MODELS,
        *TIME_MEASURES,
        *COSTS,
        *ASPECT_MEASURES,
        *BY_QUERY_MEASURES,
    )
}

WITH_VECTORS = tuple(name for name, entry in SESSION_MEASURES.items() if entry.has_vectors)
