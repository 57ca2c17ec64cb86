"""Measures of a searcher who goes on or stops, and of likeness to an ideal ranking."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from gainful.measure.entry import Entry, Example
from gainful.measure.functions import user_models, user_models as time_measures

FORAGING = ("T", "b1", "R1", "A", "b2", "R2", "foraging")  # what IFT's rule takes
FORAGER: Mapping[str, float | str] = {
    "foraging": "goal_and_rate",
    "T": 2,
}  # as in the examples of cwl_eval


def _nerr_entry(
    name: str, searcher: str, continuation: str, example: Example, *arguments: str, **facts: Any
) -> Entry:
    """One of the measures that are nearly ERR, by how likely the searcher goes on."""
    return Entry(
        **{"cutoff_kind": "none"} | facts,
        name=name,
        question=f"How much is gained per document by a searcher {searcher}?",
        definition=f"gain per document; goes on with {continuation}; gain being grade/max_grade",
        example=example,
        arguments=(*arguments, "max_grade"),
        normalised=False,
        cite="azzopardi2021",
    )


USER_MODELS = (
    Entry(
        name="ERR",
        question="At which rank is a searcher satisfied, on expectation?",
        definition="Σ 1/i · P(i) · Π (1 − P(j)) over j < i, P being (2^grade − 1) / 2^max_grade",
        example=Example("ERR(max_grade=2)@3", "2 0 1", "3/4 + 1/3 * 1/4 * 1/4"),
        function=user_models.err,
        arguments=("max_grade",),
        normalised=False,
        cite="chapelle2009",
        extremes="uniform",
    ),
    Entry(
        name="nERR",
        question="What share of the best possible ERR was reached?",
        definition="ERR / the ERR of the ideal ranking",
        example=Example("nERR(max_grade=1)@2", "0 1", "(1/2 * 1/2) / (1/2)"),
        function=user_models.nerr,
        arguments=("max_grade",),
        cite="chapelle2009",
    ),
    Entry(
        name="PFound",
        question="How likely is a searcher who may give up after each document to find something?",
        definition="Σ P(i) · p^(i−1) · Π (1 − P(j)) over j < i, P being grade / max_grade",
        example=Example("PFound(max_grade=4)", "1 0 2", "1/4 + 2/4 * 0.85**2 * 3/4"),
        function=user_models.pfound,
        arguments=("p", "max_grade"),
        defaults={"p": 0.85},
        normalised=False,
        cite="gulin2009",
        extremes="uniform",
    ),
    Entry(
        name="INST",
        question="How much is gained per document by a searcher who wants T and adapts?",
        definition="gain per document; goes on with ((x − 1) / x)², x being i + 2T − gain so far",
        example=Example(
            "INST(T=1, max_grade=1)", "1", "1 / sum([1] + [(1/(i + 1))**2 for i in range(1, 1000)])"
        ),
        function=partial(user_models.rate_of_gain, "INST"),
        arguments=("T", "max_grade"),
        normalised=False,
        cutoff_kind="none",
        cite="bailey2015",
    ),
    Entry(
        name="INSQ",
        question="How much is gained per document by a searcher who wants T, whatever comes?",
        definition="gain per document; goes on with ((i + 2T − 1) / (i + 2T))²",
        example=Example(
            "INSQ(T=1, max_grade=1)", "1", "1 / sum([(2/(i + 2))**2 for i in range(1000)])"
        ),
        function=partial(user_models.rate_of_gain, "INSQ"),
        arguments=("T", "max_grade"),
        normalised=False,
        cutoff_kind="none",
        cite="moffat2012",
        extremes="uniform",
        additive=True,
    ),
    Entry(
        name="IFT",
        question="How much is gained per document by a forager, by goal and rate of gain?",
        definition="gain per document; goes on with C1·C2, C1 = 1 − 1/(1 + b1·e^(R1·(T − gain so "
        "far))), C2 = 1/(1 + b2·e^(R2·(A − gain per document so far)))",
        example=Example(
            "IFT(b1=1, R1=0, b2=1, R2=0, max_grade=1)", "0 1", "(1/2 * 1/2) * (1 - 1/4)"
        ),
        function=partial(user_models.rate_of_gain, "IFT"),
        arguments=(*FORAGING, "max_grade"),
        defaults=FORAGER,
        normalised=False,
        cutoff_kind="none",
        cite="azzopardi2018",
    ),
    Entry(
        name="BPM",
        question="How much is gained per document by a searcher who stops at T, or at k?",
        definition="gain / documents looked at, until the gain reaches T or the rank reaches k",
        example=Example("BPM(T=1, max_grade=2)@4", "1 0 1 2", "(1/2 + 1/2) / 3"),
        function=partial(user_models.rate_of_gain, "BPM"),
        arguments=("T", "max_grade"),
        normalised=False,
        cutoff_kind="needed",
        cite="zhang2017",
    ),
    _nerr_entry(
        "NERR8",
        "who stops as ERR's does, or at k",
        "1 − gain, and not past k",
        Example("NERR8(max_grade=1)@3", "0 1 1", "1 / 2"),
        function=partial(user_models.rate_of_gain, "NERR8"),
        cutoff_kind="needed",
    ),
    _nerr_entry(
        "NERR9",
        "who stops as ERR's does and tires, until k",
        "(1 − gain)·i/(i + 1), and not past k",
        Example("NERR9(max_grade=1)@3", "0 1 1", "(1/2) / (1 + 1/2)"),
        function=partial(user_models.rate_of_gain, "NERR9"),
        cutoff_kind="needed",
    ),
    _nerr_entry(
        "NERR10",
        "who stops as ERR's does, patient as RBP's",
        "p·(1 − gain)",
        Example("NERR10(p=0.5, max_grade=1)", "0 1 1", "(1/2) / (1 + 1/2)"),
        "p",
        function=partial(user_models.rate_of_gain, "NERR10"),
        defaults={"p": 0.9},
    ),
    _nerr_entry(
        "NERR11",
        "who stops as ERR's does, and wants T",
        "((i + 2T − 1) / (i + 2T))²·(1 − gain)",
        Example("NERR11(T=1, max_grade=1)", "0 1 1", "(4/9) / (1 + 4/9)"),
        "T",
        function=partial(user_models.rate_of_gain, "NERR11"),
    ),
    Entry(
        name="scaledDCG",
        question="What share of the DCG of k perfect documents was reached?",
        definition="Σ grade/max_grade/log2(i+1) over i ≤ k / Σ 1/log2(i+1); "
        "ir_measures calls it SDCG",
        example=Example("scaledDCG(max_grade=2)@2", "1 2", "(1/2 + 1/log2(3)) / (1 + 1/log2(3))"),
        function=user_models.scale_dcg,
        arguments=("max_grade",),
        normalised=False,
        cutoff_kind="needed",
        cite="moffat2008",
        extremes="uniform",
        additive=True,
    ),
    Entry(
        name="Judged",
        question="What share of the first k documents has a judgment?",
        definition="documents with a judgment among the first k / min(k, retrieved)",
        example=Example("Judged@4", "1 - 0", "2 / 3"),
        function=user_models.share_with_judgment,
        normalised=False,
        extremes="ends",
        sees_nonrelevant=True,
    ),
    Entry(
        name="Compat",
        question="How similar are the ranking and the closest ideal ranking?",
        definition="rank-biased overlap with the ideal ranking / that of the ideal with itself",
        example=Example("Compat(p=0.5)", "0 1", "(1/2 * 1/2) / (1 + 1/2 * 1/2)"),
        function=user_models.compatibility,
        arguments=("p",),
        defaults={"p": 0.95},
        cutoff_kind="none",
        cite="clarke2021",
    ),
    Entry(
        name="TBG",
        question="How many relevant documents does a searcher save, whose interest halves in time?",
        definition="Σ over relevant documents of click · save · 2^(−T/half_life), T being the "
        "seconds to get there: per_summary each, and for what is opened per_word · words + "
        "per_document",
        example=Example(
            "TBG(words=400)",
            "1 0 1",
            "0.64*0.77*(1 + 0.5**((2*4.4 + (0.018*400 + 7.8)*(0.64 + 0.39))/224))",
        ),
        function=time_measures.time_biased_gain,
        arguments=(
            *("half_life", "per_summary", "words", "per_word", "per_document"),
            *("click", "false_click", "save", "rel"),
        ),
        normalised=False,
        bounded=False,
        cite="smucker2012",
    ),
    Entry(
        name="U",
        question="How much is gained along the text that a searcher reads, up to L characters?",
        definition="Σ gain · max(0, 1 − position/L), a position being the end of what was read: "
        "snippet each, and read_share · chars of relevant documents",
        example=Example("U(L=2000, chars=1000)", "2 0 1", "2*(1 - 400/2000) + 1*(1 - 1000/2000)"),
        function=time_measures.u_measure,
        arguments=("gain", "L", "snippet", "chars", "read_share", "rel"),
        normalised=False,
        bounded=False,
        cite="sakai2013",
    ),
)
