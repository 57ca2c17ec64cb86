"""Measures of whole sessions. To add one, add an entry here."""

from __future__ import annotations

from gainful.measure.entry import Entry, Example

_OF_SDCG = (
    *("gain", "rel", "discount", "b", "query_discount", "bq", "rank_discount"),
    *("duplicates", "lists", "depth", "statistic", "average_over", "negative"),
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

SESSION_MEASURES: dict[str, Entry] = {entry.name: entry for entry in SDCG}
