"""The measures there are. To add one, add an entry: language, help and docs read this table."""

from gainful.measure.catalogue.binary_relevance import BINARY_RELEVANCE
from gainful.measure.catalogue.graded_relevance import CUMULATED_GAIN, GRADED_RELEVANCE
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.catalogue.sets import COUNTS, SETS
from gainful.measure.catalogue.subtopics import SUBTOPICS
from gainful.measure.catalogue.user_models import USER_MODELS
from gainful.measure.entry import Entry

MEASURES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *CUMULATED_GAIN,
        *BINARY_RELEVANCE,
        *SETS,
        *GRADED_RELEVANCE,
        *USER_MODELS,
        *SUBTOPICS,
        *COUNTS,
    )
}

__all__ = ["MEASURES", "SESSION_MEASURES"]
