"""The measures there are. To add one, add an entry: language, help and docs read this table."""

from gainful.measure.catalogue.binary_relevance import RELEVANCE
from gainful.measure.catalogue.graded_relevance import CUMULATED, GAINED
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.catalogue.sets import COUNTS, SETS
from gainful.measure.catalogue.subtopics import SUBTOPICS
from gainful.measure.catalogue.user_models import BROWSING
from gainful.measure.entry import Entry

MEASURES: dict[str, Entry] = {
    entry.name: entry
    for entry in (*CUMULATED, *RELEVANCE, *SETS, *GAINED, *BROWSING, *SUBTOPICS, *COUNTS)
}

__all__ = ["MEASURES", "SESSION_MEASURES"]
