"""The measures there are. Each stands above its function; language, help and docs read this."""

from collections.abc import Mapping

from gainful.measure.entry import Entry
from gainful.measure.functions.graded import BLENDED_RATIO, CUMULATED_GAIN, GRADED_RELEVANCE
from gainful.measure.functions.precision import BINARY_RELEVANCE, CLASSIFICATION, COUNTS, SETS
from gainful.measure.functions.subtopics import SUBTOPICS
from gainful.measure.functions.user_models import RANK_BIASED, USER_MODELS
from gainful.page.table import NameTable

MEASURES: dict[str, Entry] = NameTable(
    "measures",
    (
        *CUMULATED_GAIN,
        *BINARY_RELEVANCE,
        *CLASSIFICATION,
        *SETS,
        *RANK_BIASED,
        *GRADED_RELEVANCE,
        *USER_MODELS,
        *BLENDED_RATIO,
        *SUBTOPICS,
        *COUNTS,
    ),
)


def find_entry(name: str) -> Entry | None:
    """The entry of a measure of rankings, sessions or exposure, by the catalogue's name for it."""
    return MEASURES.get(name) or session_measures().get(name) or exposure_measures().get(name)


def session_measures() -> Mapping[str, Entry]:
    """The measures of sessions, loaded when one is asked for: their functions need polars."""
    from gainful.measure.catalogue.sessions import SESSION_MEASURES  # noqa: PLC0415

    return SESSION_MEASURES


def exposure_measures() -> Mapping[str, Entry]:
    """The measures of what a run shows of a catalogue, loaded when one is asked for."""
    from gainful.measure.functions.exposure import EXPOSURE_MEASURES  # noqa: PLC0415

    return EXPOSURE_MEASURES


def measure_names() -> tuple[str, ...]:
    """The names of all measures, those of rankings first."""
    return (*MEASURES, *session_measures(), *exposure_measures())


__all__ = ["MEASURES", "exposure_measures", "find_entry", "measure_names", "session_measures"]
