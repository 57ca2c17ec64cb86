"""Measures of whole sessions. Each stands above its function, as those of rankings do."""

from functools import partial

from gainful.measure.entry import collect_entries

collect = partial(collect_entries, session=True, takes_recipe=True, cutoff_kind="optional")
