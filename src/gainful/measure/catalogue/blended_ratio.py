"""Measures of graded relevance by the blended ratio: Q and its kin, as NTCIREVAL has them."""

from __future__ import annotations

from typing import Any

from gainful.measure.entry import LOWER, Entry, Example
from gainful.measure.functions import graded

_RATIO = "(hits so far + beta·gain so far) / (i + beta·ideal gain so far)"


def _make_entry(
    name: str, question: str, definition: str, example: Example, *arguments: str, **facts: Any
) -> Entry:
    return Entry(
        **{"cite": "sakai2007b"} | facts,
        name=name,
        question=question,
        definition=definition,
        example=example,
        arguments=("gain", "beta", *arguments),
        cutoff_kind="none",
    )


BLENDED_RATIO = (
    _make_entry(
        "Qmeasure",
        "What is AP, if every relevant document also brings its gain?",
        f"{_RATIO}, over all relevant",
        Example("Qmeasure", "0 2 | 1", "((1 + 2) / (2 + 3)) / 2"),
        function=graded.q_measure,
        cite="sakai2007",
    ),
    _make_entry(
        "Omeasure",
        "How far down is the first relevant document, and how good is it?",
        f"{_RATIO} at the first relevant document",
        Example("Omeasure", "0 1 3", "(1 + 1) / (2 + 4)"),
        function=graded.o_measure,
    ),
    _make_entry(
        "Pmeasure",
        "How far down is the first of the best documents that were retrieved?",
        f"{_RATIO} at the first of the best documents retrieved",
        Example("Pmeasure", "0 1 3", "(2 + 4) / (3 + 4)"),
        function=graded.p_measure,
    ),
    _make_entry(
        "Pplus",
        "How good is the way down to the first of the best documents that were retrieved?",
        f"{_RATIO}, averaged over the relevant documents down to the first of the best",
        Example("Pplus", "0 1 3", "((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2"),
        function=graded.p_plus,
    ),
    _make_entry(
        "NCU",
        "What is the ranking worth to searchers who stop at different relevant documents?",
        f"Σ share who stop at document i · {_RATIO}, or precision; of all relevant documents",
        Example("NCU(p=0.5)", "0 2 | 1", "((1 + 2) / (2 + 3)) / (1 + 0.5)"),
        "p",
        "stop",
        "utility",
        function=graded.ncu,
        defaults={"p": 0.95, "stop": "rank_biased", "utility": "blended"},
        cite="sakai2008",
    ),
    Entry(
        name="ARP",
        question="At which rank does the gain stand, on average?",
        definition="Σ gain(i)·i / Σ gain(i) over all ranks i",
        example=Example("ARP", "0 1 3", "(1*2 + 3*3) / 4"),
        function=graded.average_relevance_position,
        arguments=("gain",),
        bounded=False,
        cutoff_kind="none",
        cite="tensorflow_ranking",
        direction=LOWER,
    ),
)
