"""What logs call their columns and their events; to know another word, add it here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gainful.errors import UnknownName, WrongType
from gainful.read.column_names import LOG_COLUMNS, SESSION_COLUMNS, normalise_name
from gainful.read.session_events import ASKED, DWELL, SHOWN
from gainful.text import quote

EventWords = Mapping[str, str | Sequence[str]]  # what an event is → the word of the log

MAX_KINDS = 50  # words of events; more are ids

_WORDS: Mapping[str, tuple[str, ...]] = {
    SHOWN: (
        *("shown", "show", "impression", "impressions", "imp", "exposure", "display"),
        *("displayed", "result", "results", "serp", "serp_view", "result_impression"),
    ),
    ASKED: ("query", "search", "searched", "query_submitted", "submit_query", "search_query"),
    "clicked": (
        *("clicked", "click", "click_through", "clickthrough", "item_click", "result_click"),
        *("product_click", "select", "select_item", "open", "opened"),
    ),
    "purchased": (
        *("purchased", "purchase", "buy", "bought", "order", "ordered", "transaction"),
        *("conversion", "converted"),
    ),
    DWELL: ("dwell", "dwelt", "dwell_time"),
}
EVENT_OF_WORD: Mapping[str, str] = {word: kind for kind, words in _WORDS.items() for word in words}
# Columns of sessions that no event may be called.
_TAKEN = {
    name
    for name, column in {**SESSION_COLUMNS, **LOG_COLUMNS}.items()
    if column.kind != "flag" and name not in EVENT_OF_WORD.values()
} - {"scanned"} | {"position", "query_position", "query_text"}


def read_event_words(events: EventWords | None) -> dict[str, str]:
    """What each word of a log means: the usual words, and those that the user names.

    Examples:
        >>> read_event_words({"shown": "view"})["view"]
        'shown'
    """
    if events is None:
        return dict(EVENT_OF_WORD)
    if not isinstance(events, Mapping):
        raise WrongType("events", events, '{"shown": "view", "clicked": "open"}')
    words: dict[str, str] = {}
    for kind, given in events.items():
        if kind not in _WORDS:
            raise UnknownName("event", str(kind), list(_WORDS))
        names: tuple[Any, ...] = (given,) if isinstance(given, str) else tuple(given)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise WrongType(f"events[{quote(kind)}]", given, "a word of the log, or several")
        words |= {normalise_name(name): kind for name in names}
    return {**EVENT_OF_WORD, **words}


def name_event(word: str, words: Mapping[str, str]) -> str:
    """What an event is, in the words of sessions; never the name of another column of theirs.

    Examples:
        >>> name_event("buy", EVENT_OF_WORD), name_event("rank", EVENT_OF_WORD)
        ('purchased', 'rank_event')
    """
    kind = words.get(word, word)
    return f"{kind}_event" if kind in _TAKEN else kind


def find_behaviour(name: str, columns: Sequence[str]) -> str | None:
    """The column that says whether something was done, by that name or the usual one; or None.

    Examples:
        >>> find_behaviour("buy", ["doc", "purchased"])
        'purchased'
    """
    usual = name_event(normalise_name(name), EVENT_OF_WORD)
    either = (usual, name) if name in _TAKEN else (name, usual)
    column = next((each for each in either if each in columns), None)
    return None if column in ("session", "query", "rank", "doc") else column


def list_shown_words() -> str:
    """The usual words for a result that was shown."""
    return ", ".join(_WORDS[SHOWN][:4])
