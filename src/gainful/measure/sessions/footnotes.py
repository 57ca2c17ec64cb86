"""What stands below a table of sessions: the convention, what was counted, and notes."""

from __future__ import annotations

from gainful.match.session_groups import describe_judged
from gainful.measure.convention_line import describe_convention
from gainful.measure.convention_words import name_convention
from gainful.measure.sessions.session_values import SessionValues
from gainful.text import count_noun


def list_footnotes(results: SessionValues, *, verbose: bool = False) -> list[str]:
    """One line of what was counted and whose convention (or all of it), and then the notes."""
    counts = results.counts
    parts = [count_noun(counts["sessions"], "session"), count_noun(counts["queries"], "query")]
    sessions = results.matched_sessions
    if verbose or sessions.observed or counts["judged"] < counts["results"]:
        parts.append(describe_judged(sessions))
    parts.append(describe_convention(results) if verbose else name_convention(results.convention))
    return [" · ".join(parts), *(f"Note: {note}" for note in results.notes)]
