"""Measures of what a run shows of a catalogue of items."""

from typing import Any

from gainful.measure.entry import LOWER, Entry
from gainful.measure.functions import exposure

_OF_ITEMS: dict[str, Any] = {"settings": (), "normalised": False, "cutoff_kind": "needed"}
EXPOSURE_MEASURES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="Coverage",
            question="What share of the catalogue is among the first k of any query?",
            definition="items among the first k of any query / items of the catalogue",
            function=exposure.coverage,
            of_items="items",
            aggregation="whole",
            cite="ge2010",
            **_OF_ITEMS,
        ),
        Entry(
            name="Gini",
            question="How unequally does a run show the items of the catalogue?",
            definition="Gini coefficient of how many queries have an item among the first k: 0 if "
            "all have the same number",
            function=exposure.gini,
            of_items="items",
            aggregation="whole",
            direction=LOWER,
            cite="shani2011",
            **_OF_ITEMS,
        ),
        Entry(
            name="Novelty",
            question="How surprising are the first k items to those who know what is popular?",
            definition="mean over the first k of -log2 of the share of users who know the item; "
            "one that nobody knows counts as known to one",
            function=exposure.novelty,
            of_items="interactions",
            bounded=False,
            cite="zhou2010",
            **_OF_ITEMS,
        ),
    )
}
