"""Measures of ranking as classification: pairs in order, false alarms, correlation."""

from __future__ import annotations

from gainful.measure.entry import LOWER, Entry, Example
from gainful.measure.functions import graded as pairs, precision

CLASSIFICATION = (
    Entry(
        name="PairAccuracy",
        question="How often does a relevant document stand above one that is not?",
        definition="pairs of a relevant and another document among the first k that are in order "
        "/ all such pairs; ir_measures calls it Accuracy",
        example=Example("PairAccuracy", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
        function=pairs.pair_accuracy,
        arguments=("rel",),
        cite="ir_measures",
    ),
    Entry(
        name="AUC",
        question="How often has a relevant document a higher score than one that is not?",
        definition="pairs of a relevant and another document among the first k of which the "
        "relevant one has the higher score, and half of those with equal scores / all such pairs",
        example=Example("AUC", "0 1 - 1 0 | 1", "1 - (1 + 2) / (2 * 3)"),
        function=pairs.auc,
        arguments=("rel",),
        cite="fawcett2006",
    ),
    Entry(
        name="OPA",
        question="How often has the better of two documents the higher score?",
        definition="pairs of documents of different grades of which the better one has the higher "
        "score / all such pairs that were retrieved; a document without a grade has grade 0",
        example=Example("OPA", "0 2 - 1", "(1 + 1) / (2 + 2 + 1)"),
        function=pairs.opa,
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
        question="How well do being among the first k and being relevant go together?",
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
