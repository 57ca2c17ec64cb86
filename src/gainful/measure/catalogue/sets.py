"""Measures of what was retrieved as a set, or as classified; and what is merely counted."""

from __future__ import annotations

from typing import Any

from gainful.measure.entry import LOWER, Entry, Example, MeasureFunction
from gainful.measure.functions import graded, precision

SETS = (
    Entry(
        name="SetP",
        question="What share of all retrieved documents is relevant?",
        definition="relevant retrieved / retrieved; with k, of the first k",
        example=Example("SetP", "1 0 1 0 | 1", "2 / 4"),
        function=precision.set_precision,
        arguments=("rel",),
        normalised=False,
        cite="rijsbergen1979",
        extremes="ends",
        additive=True,
    ),
    Entry(
        name="SetR",
        question="What share of the relevant documents was retrieved at all?",
        definition="relevant retrieved / all relevant; with k, of the first k",
        example=Example("SetR", "1 0 1 0 | 1", "2 / 3"),
        function=precision.recall,
        arguments=("rel",),
        cite="rijsbergen1979",
        extremes="share",
    ),
    Entry(
        name="SetRelP",
        question="What share of the best possible precision did the whole set reach?",
        definition="relevant retrieved / min(retrieved, all relevant)",
        example=Example("SetRelP", "1 0 1 0 | 1", "2 / 3"),
        function=precision.set_relative_precision,
        arguments=("rel",),
        cutoff_kind="none",
        extremes="share",
    ),
    Entry(
        name="SetAP",
        question="How good are precision and recall of the whole set together?",
        definition="precision × recall of all that was retrieved",
        example=Example("SetAP", "1 0 1 0 | 1", "2/4 * 2/3"),
        function=precision.set_average_precision,
        arguments=("rel",),
        cutoff_kind="none",
        extremes="share",
    ),
    Entry(
        name="SetF",
        question="What is the harmonic mean of precision and recall, of the whole set or at k?",
        definition="(beta + 1)·P·R / (beta·P + R); at k of P@k and R@k, also called F1@k",
        example=Example("SetF", "1 0 1 0 | 1", "2 * 2/4 * 2/3 / (2/4 + 2/3)"),
        function=precision.set_f,
        arguments=("rel", "beta"),
        cite="rijsbergen1979",
        extremes="every",
    ),
    Entry(
        name="Utility",
        question="What is the retrieved set worth, if every document has a price?",
        definition="hit·relevant found + noise·others found + miss·relevant missed + rest·the rest",
        example=Example("Utility(hit=2, miss=-3)", "1 0 1 0 | 1", "2*2 - 2 - 3*1"),
        function=precision.utility,
        arguments=("rel", "hit", "noise", "miss", "rest", "docs"),
        normalised=False,
        bounded=False,
        cutoff_kind="none",
        extremes="ends",
        additive=True,
    ),
)


def _count_entry(
    name: str,
    question: str,
    example: Example,
    function: MeasureFunction,
    *arguments: str,
    **facts: Any,
) -> Entry:
    return Entry(
        name=name,
        question=question,
        definition="their number; the sum over queries",
        example=example,
        function=function,
        arguments=arguments,
        normalised=False,
        bounded=False,
        cutoff_kind="none",
        aggregation="sum",
        extremes="ends",
        **facts,
    )


COUNTS = (
    _count_entry(
        "NumQ",
        "How many queries are there?",
        Example("NumQ", "1 0 | 1", "1"),
        precision.num_q,
        settings=(),
    ),
    _count_entry(
        "NumRet",
        "How many documents were retrieved?",
        Example("NumRet", "1 0 1 0 | 1", "4"),
        precision.num_ret,
    ),
    _count_entry(
        "NumRel",
        "How many relevant documents are there?",
        Example("NumRel", "1 0 1 0 | 1", "3"),
        precision.num_rel,
        "rel",
    ),
    _count_entry(
        "NumRelRet",
        "How many of the retrieved documents are relevant?",
        Example("NumRelRet", "1 0 1 0 | 1", "2"),
        precision.num_rel_ret,
        "rel",
        additive=True,
    ),
    _count_entry(
        "NumNonRelRet",
        "How many retrieved documents are judged, and not relevant?",
        Example("NumNonRelRet", "1 0 - 0 | 1", "2"),
        precision.num_nonrel_ret,
        "rel",
        sees_nonrelevant=True,
        direction=LOWER,
    ),
    Entry(
        name="Unjudged",
        question="What share of the first k documents has no judgment?",
        definition="documents without a grade, or with one below 0, among the first k / k",
        example=Example("Unjudged@4", "1 - 1 0", "1 / 4"),
        function=precision.share_without_judgment,
        normalised=False,
        cutoff_kind="needed",
        extremes="ends",
        sees_nonrelevant=True,
        direction=LOWER,
    ),
)

CLASSIFICATION = (
    Entry(
        name="PairAccuracy",
        question="How often does a relevant document rank above one that is not?",
        definition="pairs of a relevant and another document among the first k that are in order "
        "/ all such pairs; ir_measures calls it Accuracy",
        example=Example("PairAccuracy", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
        function=graded.pair_accuracy,
        arguments=("rel",),
        cite="ir_measures",
    ),
    Entry(
        name="AUC",
        question="How often does a relevant document have a higher score than one that is not?",
        definition="pairs of a relevant and another document among the first k where the relevant "
        "one has the higher score, plus half of those with equal scores / all such pairs",
        example=Example("AUC", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
        function=graded.auc,
        arguments=("rel",),
        cite="fawcett2006",
    ),
    Entry(
        name="OPA",
        question="How often does the better of two documents have the higher score?",
        definition="pairs of documents with different grades where the better one has the higher "
        "score / all such retrieved pairs; a document without a grade has grade 0",
        example=Example("OPA", "0 2 - 1", "(1 + 1) / (2 + 2 + 1)"),
        function=graded.opa,
        cutoff_kind="none",
        cite="tensorflow_ranking",
    ),
    Entry(
        name="Fallout",
        question="What share of the documents judged useless is among the first k?",
        definition="judged useless among the first k / all judged useless",
        example=Example("Fallout@3", "1 0 - 0 | 0", "1 / 3"),
        function=precision.fall_out,
        arguments=("rel",),
        cite="rijsbergen1979",
        sees_nonrelevant=True,
        direction=LOWER,
    ),
    Entry(
        name="MCC",
        question="How strongly do being among the first k and being relevant correlate?",
        definition="Matthews' correlation of both over docs documents, at least all that are "
        "known: from −1 over 0 for chance to 1",
        example=Example("MCC(docs=100)@2", "1 0 1 - | 1", "(1*100 - 2*3) / (2*98 * 3*97)**0.5"),
        function=precision.matthews_correlation,
        arguments=("rel", "docs"),
        normalised=False,
        bounded=False,
        signed=True,
        cutoff_kind="needed",
        cite="matthews1975",
        sees_nonrelevant=True,
    ),
)
