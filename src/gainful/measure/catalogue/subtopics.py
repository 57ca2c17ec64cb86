"""Measures over judgments for subtopics: novelty and diversity.

In the examples a letter is a subtopic that the document is about, `ab` being about two.
"""

from __future__ import annotations

from gainful.measure.entry import Entry, Example
from gainful.measure.functions import subtopics

_GREEDY_IDEAL = "the ideal ranking, built greedily (a better ranking can exceed 1)"
_PERFECT_RANKING = (
    "k documents (without k: as many as were retrieved) that are each on all subtopics"
)
_NUMBER_OF_SUBTOPICS = "the number of subtopics to which anything judged is relevant"

SUBTOPICS = (
    Entry(
        name="alpha_DCG",
        question="How much of the ranking is new, relative to documents that cover everything?",
        definition="Σ gain(i)/log2(i+1), gain(i) being Σ (1 − alpha)^(earlier documents on it) "
        f"over the subtopics of document i / the same of {_PERFECT_RANKING}",
        example=Example("alpha_DCG@2", "ab a | c", "(2 + 0.5/log2(3)) / (3 + 1.5/log2(3))"),
        function=subtopics.alpha_dcg,
        arguments=("alpha", "rel", "first_rank"),
        needs_subtopics=True,
        cite="clarke2008",
        extremes="every",
    ),
    Entry(
        name="alpha_nDCG",
        question="How close is the ranking to the best one, if only new subtopics count?",
        definition=f"Σ gain(i)/log2(i+1), gain(i) as in alpha_DCG / the same of {_GREEDY_IDEAL}",
        example=Example("alpha_nDCG@2", "a ab | c", "(1 + 1.5/log2(3)) / (2 + 1/log2(3))"),
        function=subtopics.alpha_ndcg,
        arguments=("alpha", "rel"),
        bounded=False,
        needs_subtopics=True,
        cite="clarke2008",
        extremes="every",
    ),
    Entry(
        name="ERR_IA",
        question="At which rank is a searcher satisfied, whichever subtopic is meant?",
        definition=f"Σ gain(i)/i, gain(i) as in alpha_DCG / the same of {_PERFECT_RANKING}",
        example=Example("ERR_IA@2", "ab a | c", "(2 + 0.5/2) / (3 + 1.5/2)"),
        function=subtopics.err_ia,
        arguments=("alpha", "rel", "first_rank"),
        needs_subtopics=True,
        cite="chapelle2009",
        extremes="every",
    ),
    Entry(
        name="nERR_IA",
        question="What share of the best ERR was reached, whichever subtopic is meant?",
        definition=f"Σ gain(i)/i, gain(i) as in alpha_DCG / the same of {_GREEDY_IDEAL}",
        example=Example("nERR_IA@2", "a ab | c", "(1 + 1.5/2) / (2 + 1/2)"),
        function=subtopics.nerr_ia,
        arguments=("alpha", "rel"),
        bounded=False,
        needs_subtopics=True,
        cite="chapelle2009",
        extremes="every",
    ),
    Entry(
        name="NRBP",
        question="How much new does a searcher find who goes on with probability beta?",
        definition="(1 − (1 − alpha)·beta)·Σ gain(i)·beta^(i−1), gain(i) as in alpha_DCG / "
        f"{_NUMBER_OF_SUBTOPICS}",
        example=Example("NRBP", "ab - a | c", "(1 - 0.5*0.5) * (2 + 0.5*0.5**2) / 3"),
        function=subtopics.nrbp,
        arguments=("alpha", "beta", "rel"),
        defaults={"beta": 0.5},
        needs_subtopics=True,
        cutoff_kind="none",
        cite="clarke2009",
        extremes="every",
    ),
    Entry(
        name="nNRBP",
        question="What share of the best possible NRBP was reached?",
        definition=f"NRBP / that of {_GREEDY_IDEAL}",
        example=Example("nNRBP", "a ab", "(1 + 1.5*0.5) / (2 + 0.5*0.5)"),
        function=subtopics.nnrbp,
        arguments=("alpha", "beta", "rel"),
        defaults={"beta": 0.5},
        bounded=False,
        needs_subtopics=True,
        cutoff_kind="none",
        cite="clarke2009",
        extremes="every",
    ),
    Entry(
        name="AP_IA",
        question="How early do the relevant documents come, on average over the subtopics?",
        definition=f"the sum of the AP of each subtopic / {_NUMBER_OF_SUBTOPICS}",
        example=Example("AP_IA", "ab - a | c", "((1/1 + 2/3)/2 + 1/1 + 0) / 3"),
        function=subtopics.average_precision_ia,
        arguments=("rel",),
        needs_subtopics=True,
        cite="agrawal2009",
        extremes="every",
    ),
    Entry(
        name="P_IA",
        question="What share of the first k documents is relevant, averaged over subtopics?",
        definition="Σ the subtopics that document i is on, over i ≤ k / "
        f"(k · {_NUMBER_OF_SUBTOPICS})",
        example=Example("P_IA@4", "ab - a | c", "(2 + 1) / (4 * 3)"),
        function=subtopics.precision_ia,
        arguments=("rel",),
        cutoff_kind="needed",
        needs_subtopics=True,
        cite="agrawal2009",
        extremes="every",
    ),
    Entry(
        name="StRecall",
        question="What share of the subtopics do the first k documents cover?",
        definition=f"subtopics that one of the first k documents is on / {_NUMBER_OF_SUBTOPICS}",
        example=Example("StRecall@3", "ab - a | c", "2 / 3"),
        function=subtopics.subtopic_recall,
        arguments=("rel",),
        needs_subtopics=True,
        cite="zhai2003",
        extremes="every",
    ),
)
