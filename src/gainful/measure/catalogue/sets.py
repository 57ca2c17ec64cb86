"""Measures of all that was retrieved, whatever its order, and what is merely counted."""

from __future__ import annotations

from gainful.measure.entry import Entry, Example, Function
from gainful.measure.functions import precision

SETS = (
    Entry(
        name="SetP",
        question="What share of all retrieved documents is relevant?",
        value="relevant retrieved / retrieved",
        example=Example("SetP", "1 0 1 0 | 1", "2 / 4"),
        function=precision.set_precision,
        takes=("rel",),
        normalised=False,
        cut="none",
        cite="rijsbergen1979",
    ),
    Entry(
        name="SetR",
        question="What share of the relevant documents was retrieved at all?",
        value="relevant retrieved / all relevant",
        example=Example("SetR", "1 0 1 0 | 1", "2 / 3"),
        function=precision.set_recall,
        takes=("rel",),
        cut="none",
        cite="rijsbergen1979",
    ),
    Entry(
        name="SetRelP",
        question="What share of the best precision that was possible did the whole set reach?",
        value="relevant retrieved / min(retrieved, all relevant)",
        example=Example("SetRelP", "1 0 1 0 | 1", "2 / 3"),
        function=precision.set_relative_precision,
        takes=("rel",),
        cut="none",
    ),
    Entry(
        name="SetAP",
        question="How good are precision and recall of the whole set together?",
        value="precision × recall of all that was retrieved",
        example=Example("SetAP", "1 0 1 0 | 1", "2/4 * 2/3"),
        function=precision.set_average_precision,
        takes=("rel",),
        cut="none",
    ),
    Entry(
        name="SetF",
        question="What is the harmonic mean of precision and recall of the whole set?",
        value="(beta + 1)·P·R / (beta·P + R)",
        example=Example("SetF", "1 0 1 0 | 1", "2 * 2/4 * 2/3 / (2/4 + 2/3)"),
        function=precision.set_f,
        takes=("rel", "beta"),
        cut="none",
        cite="rijsbergen1979",
    ),
    Entry(
        name="Utility",
        question="What is all that was retrieved worth, if every document has its price?",
        value="hit·relevant found + noise·others found + miss·relevant missed + rest·the rest",
        example=Example("Utility(hit=2, miss=-3)", "1 0 1 0 | 1", "2*2 - 2 - 3*1"),
        function=precision.utility,
        takes=("rel", "hit", "noise", "miss", "rest", "docs"),
        normalised=False,
        bounded=False,
        cut="none",
    ),
)


def _count(name: str, question: str, example: Example, function: Function, *takes: str) -> Entry:
    return Entry(
        name=name,
        question=question,
        value="their number; the sum over queries",
        example=example,
        function=function,
        takes=takes,
        normalised=False,
        bounded=False,
        cut="none",
        mean="sum",
    )


COUNTS = (
    _count(
        "NumQ", "How many queries are there?", Example("NumQ", "1 0 | 1", "1"), precision.queries
    ),
    _count(
        "NumRet",
        "How many documents were retrieved?",
        Example("NumRet", "1 0 1 0 | 1", "4"),
        precision.retrieved,
    ),
    _count(
        "NumRel",
        "How many relevant documents are there?",
        Example("NumRel", "1 0 1 0 | 1", "3"),
        precision.relevant,
        "rel",
    ),
    _count(
        "NumRelRet",
        "How many of the retrieved documents are relevant?",
        Example("NumRelRet", "1 0 1 0 | 1", "2"),
        precision.relevant_retrieved,
        "rel",
    ),
    _count(
        "NumNonRelRet",
        "How many retrieved documents are judged, and not relevant?",
        Example("NumNonRelRet", "1 0 - 0 | 1", "2"),
        precision.useless,
        "rel",
    ),
    Entry(
        name="Unjudged",
        question="What share of the first k documents is without a judgment?",
        value="documents without a grade, or with one below 0, among the first k / k",
        example=Example("Unjudged@4", "1 - 1 0", "1 / 4"),
        function=precision.unjudged,
        normalised=False,
        cut="needed",
    ),
)
