"""Measures of graded relevance: cumulated gain, the blended ratio of NTCIREVAL, and others."""

from __future__ import annotations

from typing import Any

from gainful.measure.entry import LOWER, Entry, Example
from gainful.measure.functions import cumulated_gain, graded, user_models

_GAIN, _DISCOUNT = ("gain", "rel"), ("discount", "b")
_IDEAL, _RANKING = ("ideal", "ideal_depth"), ("ties", "short", "unjudged")
_GRADES, _EMPTY = ("negative", "fractional"), ("empty", "negative_ideal")


def _gain_entry(name: str, question: str, definition: str, example: Example, **facts: Any) -> Entry:
    return Entry(
        name=name,
        question=question,
        definition=definition,
        example=example,
        linear=True,
        takes_recipe=True,
        extremes="gains",
        cite="jarvelin2002",
        **facts,
    )


CUMULATED_GAIN = (
    _gain_entry(
        "nDCG",
        "How close is the ranking to the best possible one?",
        "(Σ gain(i)·discount(i)) over ranks i ≤ k / the same of the ideal ranking",
        Example("nDCG@3", "3 0 2 | 1", "(3 + 2/log2(4)) / (3 + 2/log2(3) + 1/log2(4))"),
        function=cumulated_gain.ndcg,
        curve=cumulated_gain.ndcg_curve,
        discounted=True,
        options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_RANKING, *_GRADES, *_EMPTY),
    ),
    _gain_entry(
        "DCG",
        "How much does a searcher gain whose attention falls with the rank?",
        "Σ gain(i)·discount(i) over ranks i ≤ k",
        Example("DCG@3", "3 0 2 | 1", "3 + 2/log2(4)"),
        function=cumulated_gain.dcg,
        curve=cumulated_gain.dcg_curve,
        discounted=True,
        normalised=False,
        bounded=False,
        options=(*_GAIN, *_DISCOUNT, *_RANKING, *_GRADES),
        additive=True,
    ),
    _gain_entry(
        "IDCG",
        "How much would a searcher gain from the best possible ranking?",
        "Σ gain(i)·discount(i) over ranks i ≤ k of the ideal ranking",
        Example("IDCG@3", "3 0 2 | 1", "3 + 2/log2(3) + 1/log2(4)"),
        function=cumulated_gain.idcg,
        curve=cumulated_gain.idcg_curve,
        gain_of="ideal",
        discounted=True,
        normalised=False,
        bounded=False,
        options=(*_GAIN, *_DISCOUNT, *_IDEAL, *_GRADES),
    ),
    _gain_entry(
        "nCG",
        "What share of the possible gain do the first k documents have?",
        "(Σ gain(i)) over ranks i ≤ k / the same of the ideal ranking",
        Example("nCG@2", "3 0 2 | 1", "3 / (3 + 2)"),
        defaults={"discount": "none"},
        function=cumulated_gain.ndcg,
        curve=cumulated_gain.ndcg_curve,
        options=(*_GAIN, *_IDEAL, *_RANKING, *_GRADES, *_EMPTY),
    ),
    _gain_entry(
        "CG",
        "What is the total gain of the first k documents, in any order?",
        "Σ gain(i) over ranks i ≤ k",
        Example("CG@2", "3 0 2 | 1", "3 + 0"),
        defaults={"discount": "none"},
        function=cumulated_gain.dcg,
        curve=cumulated_gain.dcg_curve,
        normalised=False,
        bounded=False,
        options=(*_GAIN, *_RANKING, *_GRADES),
        additive=True,
    ),
)

GRADED_RELEVANCE = (
    Entry(
        name="RBP",
        question="What does a searcher gain who goes on with probability p?",
        definition="(1 − p)·Σ p^(i−1) over the ranks i of relevant documents",
        example=Example("RBP(p=0.5)", "1 0 1 0", "0.5 * (1 + 0.5**2)"),
        function=user_models.rbp,
        arguments=("p", "rel", "rbp_grades"),
        normalised=False,
        cite="moffat2008",
        extremes="ends",
        additive=True,
    ),
    Entry(
        name="gRBP",
        question="What does such a searcher gain, if grades count and the highest is 1?",
        definition="(1 − p)·Σ gain(i)·p^(i−1), gains scaled to 0 … 1 in each query if any is "
        "above 1",
        example=Example("gRBP(p=0.5)", "2 0 4 | 3", "0.5 * (2/4 + 4/4 * 0.5**2)"),
        function=user_models.grbp,
        arguments=("p", "gain"),
        normalised=False,
        cutoff_kind="none",
        extremes="best_grade",
    ),
    Entry(
        name="RBPResid",
        question="How much higher could RBP be, if all unjudged documents were relevant?",
        definition="p^n + (1 − p)·Σ p^(i−1) over unjudged ranks i of n; 0 if there is none",
        example=Example("RBPResid(p=0.5)", "1 - 1", "0.5**3 + 0.5 * 0.5"),
        function=user_models.rbp_residual,
        arguments=("p",),
        normalised=False,
        cutoff_kind="none",
        cite="moffat2008",
        extremes="ends",
        sees_nonrelevant=True,
        direction=LOWER,
    ),
    Entry(
        name="G",
        question="How much is gained, with a discount for falling behind the ideal ranking?",
        definition="Σ gain(i) / log2(2 + ideal gain so far − gain so far) / Σ ideal gain",
        example=Example("G", "1 0 2", "(1/log2(2+2-1) + 2/log2(2+4-3)) / 3"),
        function=graded.g_measure,
        arguments=("gain",),
        cutoff_kind="none",
    ),
    Entry(
        name="FilteredDCG",
        question="How much do documents gain that the system itself scores 0 or more?",
        definition="Σ gain(i)·discount(i) over the ranks i among documents with scores from 0 on",
        example=Example("FilteredDCG", "3 0 2 | 1", "3 + 2/3"),
        function=graded.dcg_above_zero,
        arguments=("gain", "discount", "filtered_order"),
        defaults={"discount": "zipf"},
        normalised=False,
        bounded=False,
        cutoff_kind="none",
        needs_scores=True,
        cite="catboost_filtered",
    ),
    Entry(
        name="binG",
        question="How few useless documents rank above the relevant ones?",
        definition="1 / log2(2 + useless documents above), averaged over all relevant",
        example=Example("binG", "1 0 1 0 | 1", "(1/log2(2) + 1/log2(3)) / 3"),
        function=graded.binary_g,
        arguments=("rel",),
        cutoff_kind="none",
        extremes="share",
    ),
    Entry(
        name="nDCG_rel",
        question="What is nDCG, averaged over the ranks of the relevant documents?",
        definition="nDCG@i at each relevant document, at the end for those missed, averaged",
        example=Example("nDCG_rel", "0 1 | 1", "2 * (1/log2(3)) / (1 + 1/log2(3)) / 2"),
        function=graded.ndcg_at_relevant,
        arguments=("gain", "discount"),
        cutoff_kind="none",
    ),
    Entry(
        name="Rndcg",
        question="What is nDCG, averaged over the ranks where the ideal gain goes down?",
        definition="the mean of nDCG@i at each i where the ideal gain goes down, and at the end",
        example=Example(
            "Rndcg",
            "1 2 0 0",
            "(1/2 + (1 + 2/log2(3))/(2 + 1/log2(3)) + (1 + 2/log2(3))/(2 + 1/log2(3))) / 3",
        ),
        function=graded.ndcg_at_levels,
        arguments=("gain", "discount", "rel"),
        cutoff_kind="none",
    ),
)


_RATIO = "(hits so far + beta·gain so far) / (i + beta·ideal gain so far)"


def _ratio_entry(
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
    _ratio_entry(
        "Qmeasure",
        "What is AP, if gains count as well as relevance?",
        f"{_RATIO}, over all relevant",
        Example("Qmeasure", "0 2 | 1", "((1 + 2) / (2 + 3)) / 2"),
        function=graded.q_measure,
        cite="sakai2007",
    ),
    _ratio_entry(
        "Omeasure",
        "How far down is the first relevant document, and how good is it?",
        f"{_RATIO} at the first relevant document",
        Example("Omeasure", "0 1 3", "(1 + 1) / (2 + 4)"),
        function=graded.o_measure,
    ),
    _ratio_entry(
        "Pmeasure",
        "How far down is the first of the best documents retrieved?",
        f"{_RATIO} at the first of the best documents retrieved",
        Example("Pmeasure", "0 1 3", "(2 + 4) / (3 + 4)"),
        function=graded.p_measure,
    ),
    _ratio_entry(
        "Pplus",
        "How good is the ranking down to the first of the best documents retrieved?",
        f"{_RATIO}, averaged over the relevant documents down to the first of the best",
        Example("Pplus", "0 1 3", "((1 + 1) / (2 + 4) + (2 + 4) / (3 + 4)) / 2"),
        function=graded.p_plus,
    ),
    _ratio_entry(
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
        question="At which rank is the gain, on average?",
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
