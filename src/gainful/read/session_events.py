"""`SessionEvents`: what happened in searches, one row for each event, however it was logged.

Click logs, traces of agents, chat transcripts and UBI become this shape, and `build_sessions` makes
sessions of it. A reader gives the columns of `EVENT_COLUMNS` that its format knows (the others
are null) and may add columns of its own, which sessions can be grouped by.

A list that was shown is one row `shown` for each of its results. Actions on a result can be in that
row (`clicked`, `seconds`, `purchased`), or come as later rows of its own, whose `event` is
`clicked`, `purchased` or any other word. A row `query` says that a query was asked: with no result
after it, it returned nothing. Where lists come whole, as traces have them, each is one row `query`,
and its results are some of the `docs` of all lists together.

The columns of any table of a search log are found by their usual names or as the user maps them,
and a note says which column was used for what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from attrs import define, evolve, field, frozen

from gainful.errors import BadInput, WrongType, check_name
from gainful.read.column_names import (
    GRADE,
    LOG_COLUMNS,
    OPTIONAL_COLUMNS,
    POSITION,
    RELEVANT,
    SESSION,
    SESSION_COLUMNS,
    TABLES,
    normalise_name,
)
from gainful.read.event_times import TIME, count_epochs, parse_times
from gainful.read.json_text import parse_json
from gainful.read.named_columns import LISTS, NEEDS, Header, InputTable, text_column
from gainful.read.session_layout import COLUMNS, Mistake, Problem, flag_problem, flag_rows
from gainful.read.sessions import (
    NO,
    YES,
    Sessions,
    choose_position,
    find_free_column,
    is_blank,
    read_optional_column,
    read_whole_numbers,
)
from gainful.text import join_words, quote

SHOWN, ASKED = "shown", "query"  # all other words of `event` are things that searchers did
DWELL = "dwell"  # says nothing but its `seconds`
FIRST, LENGTH = "\0first", "\0length"  # of a whole list: which of `docs` are its results
EVENT_COLUMNS: Mapping[str, pl.DataType] = {
    "session": pl.String(),  # null in all rows, if sessions are made of users and a gap
    "user": pl.String(),
    "time": TIME,  # null in all rows, if the order of rows is all that is known
    "query_id": pl.String(),  # rows of a session with the same one are of one query
    "position": pl.Int64(),  # of the query in its session, from 1, if it is told
    "text": pl.String(),  # of the query
    "event": pl.String(),  # shown, query, clicked, purchased, …
    "rank": pl.Int64(),  # from 1; null in all rows, if the order of rows is the ranking
    "doc": pl.String(),
    "clicked": pl.Boolean(),  # of a result that was shown; null where it is not known
    "purchased": pl.Boolean(),
    "seconds": pl.Float64(),  # how long the searcher stayed with the document
}


@frozen(eq=False)
class SessionEvents:
    """Events of searches as they stood in a file, and what a reader found to be wrong with them."""

    frame: pl.DataFrame  # the columns of EVENT_COLUMNS, and others of the user's own
    name: str  # of the file, for messages
    locate: Callable[[int], str]  # the place of a row, for messages
    notes: Sequence[str] = field(default=())  # what was taken for what
    problems: Sequence[Problem] = field(default=())  # rows that cannot be read
    docs: pl.Series | None = None  # where each row is a whole list
    grades: pl.Series | None = None  # of these documents, if the log carries any
    judged_by: str = "session"  # whose judgments count where there is no column topic
    known: Mapping[str, bool] = field(default={})  # of a part: which columns the log tells at all
    unordered: str = ""  # where rows have no order: the engine that they are in

    def tells(self, column: str) -> bool:
        """Is it told in any row of the log?"""
        return self.known.get(column, tells(self.frame, column))


def tells(frame: pl.DataFrame, column: str) -> bool:
    """Is something told in any row?"""
    return frame[column].null_count() < len(frame)


def make_events(
    columns: Mapping[str, pl.Series] | pl.DataFrame,
    name: str,
    locate: Callable[[int], str],
    **fields: Any,
) -> SessionEvents:
    """Events from the columns that a reader knows, with fields of `SessionEvents`.

    Columns that EVENT_COLUMNS does not have are the user's own. Without an event, results were
    shown.

    Examples:
        >>> events = make_events({"session": pl.Series(["s"]), "doc": pl.Series(["a"])}, "log", str)
        >>> events.frame.select("session", "event", "doc", "rank").row(0)
        ('s', 'shown', 'a', None)
    """
    frame = pl.DataFrame(columns)
    usual = [
        (pl.col(column) if column in frame.columns else pl.lit(None)).cast(kind).alias(column)
        for column, kind in EVENT_COLUMNS.items()
    ]
    others = [column for column in frame if column.name not in EVENT_COLUMNS]
    frame = frame.select(*usual, *others).with_columns(pl.col("event").fill_null(SHOWN))
    return SessionEvents(frame, name, locate, **fields)


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
        check_name("event", kind, _WORDS)
        several = given if isinstance(given, Collection) else ()
        names: list[Any] = [given] if isinstance(given, str) else list(several)
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


def find_done(sessions: Sessions, name: str, seconds: float | None = None) -> pl.Series | None:
    """To which results something was done, or for so many seconds; None if no column says it."""
    frame = sessions.frame
    column = find_behaviour(name, frame.columns) if seconds is None else "seconds"
    if column is None or column not in frame.columns:
        return None
    values = frame[column].alias("")
    if values.dtype == pl.Boolean or values.dtype.is_numeric():
        done = values.cast(pl.Float64) > 0 if seconds is None else values >= seconds
        return done.fill_null(value=False)
    plain = values.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    odd = plain.filter(~plain.is_in([*YES, *NO, ""]))
    if len(odd):
        raise BadInput(sessions.name, f"{column} {quote(odd[0])} is neither yes nor no", "1 or 0")
    return plain.is_in(YES)


def find_event_problems(events: SessionEvents, owner: str) -> list[Problem]:
    """Events that cannot be placed: of nobody, of no time, of no query, of no document.

    Those that the reader has found already are not told again. Kinds of which there are none are
    listed, too: parts of a log are counted together.
    """
    frame = events.frame
    opens = frame["event"].is_in([SHOWN, ASKED])
    has_text, no_doc = frame["text"].is_not_null(), frame["doc"].is_null()
    no_query_id = frame["query_id"].is_null() & opens
    unasked = no_query_id & frame["position"].is_null() & ~has_text
    unshown = (frame["event"] == SHOWN) & no_doc & frame["rank"].is_not_null()
    other = Header(frame.columns, "").find_column(LOG_COLUMNS["user"].names[1:])
    is_other = owner == "user" and other is not None
    expected = f"a {owner} in every row" + f", or --columns user={other} (columns=)" * is_other
    mistakes: list[Mistake] = [
        (frame[owner].is_null(), lambda _: f"the {owner} is null", expected),
        (unasked, lambda _: "an event without a query", COLUMNS),
        (
            ~opens & no_doc,
            lambda row: f"the event {quote(frame['event'][row])} has no document",
            "the document of the event",
        ),
        (
            unshown,
            lambda _: "there is a rank, but no document",
            "neither, where a query returned nothing",
        ),
    ]
    if events.tells("query_id") and not events.tells("position"):
        expected = "an id of the query in every row, or no such column"
        words = "there is no query id, though others have one"
        mistakes.append((no_query_id & has_text, lambda _: words, expected))
    if events.tells("time"):
        untimed = "there is no time, though others have one"
        mistakes.append((frame["time"].is_null(), lambda _: untimed, "a time in every row"))
    placed = pl.Series(~flag_rows(events.problems, len(frame)))
    problems = [
        flag_problem(frame, placed & flags, words, right) for flags, words, right in mistakes
    ]
    return [*problems, _find_shared_sessions(frame)] if owner == "session" else problems


def _find_shared_sessions(frame: pl.DataFrame) -> Problem:
    """Events of sessions that two users have: one of their ids is not what it says."""
    users = frame.lazy().group_by("session").agg(pl.col("user").drop_nulls().unique().sort())
    shared = users.filter(pl.col("user").list.len() > 1).collect()
    names = dict(shared.iter_rows())

    def describe(row: int) -> str:
        users = names[frame["session"][row]]
        number = "two users," if len(users) == 2 else f"{len(users)} users, such as"
        # Each is called a user, so that `anonymise` finds it.
        return f"it has {number} {join_words([f'user {quote(name)}' for name in users[:2]])}"

    flags = frame["session"].is_in(shared["session"].implode())
    return flag_problem(frame, flags, describe, "one user for a session")


def find_spans(frame: pl.DataFrame, row: str) -> pl.DataFrame:
    """From when to when each session of a user lasted, and where it first appears."""
    lasts = (pl.col("time").min().alias("start"), pl.col("time").max().alias("end"))
    timed = frame.lazy().filter(pl.col("user").is_not_null() & pl.col("time").is_not_null())
    return timed.group_by("user", "session").agg(*lasts, pl.col(row).min().alias("row")).collect()


def describe_overlaps(spans: pl.DataFrame, locate: Callable[[int], str]) -> list[str]:
    """Sessions of one user at the same time: perhaps they are one, perhaps there were two tabs."""
    overlapping = (
        spans.sort("user", "start", "end", "session")
        .with_columns(last=pl.col("end").cum_max().shift(1).over("user"))
        .filter(pl.col("start") < pl.col("last"))
        .sort("start", "session")
    )
    if not len(overlapping):
        return []
    session, user, first_row = (overlapping[name][0] for name in ("session", "user", "row"))
    count = len(overlapping)
    number = "1 session overlaps" if count == 1 else f"{count:,} sessions overlap"
    first = "" if count == 1 else "first "
    words = f"{first}{locate(first_row)}: session {quote(session)} of user {quote(user)}"
    return [f"{number} another of the same user in time, and counts separately: {words}"]


_WHOLE = r"^\s*[0-9]+(?:\.[0-9]*)?\s*$"
_MAX_SPELLINGS = 10 * MAX_KINDS  # more words are no events, and are not all remembered


@define(eq=False)
class LogFacts:
    """Counts and words of the columns of a log."""

    rows: int = 0
    given: Counter[str] = field(factory=Counter)  # by column: values that are there
    whole: Counter[str] = field(factory=Counter)  # by column of texts: whole numbers
    epochs: Counter[int] = field(factory=Counter)  # of times: numbers of each size
    words: dict[str, dict[str, None]] = field(factory=dict)  # by column that may say what happened
    ranked_words: dict[str, dict[str, None]] = field(factory=dict)  # those of rows with a rank
    lowest_rank: float = 1.0

    def add(self, other: LogFacts) -> None:
        """Take the facts of another part."""
        self.rows += other.rows
        self.given.update(other.given)
        self.whole.update(other.whole)
        self.epochs.update(other.epochs)
        for mine, theirs in ((self.words, other.words), (self.ranked_words, other.ranked_words)):
            for column, words in theirs.items():
                mine.setdefault(column, {}).update(words)
        self.lowest_rank = min(self.lowest_rank, other.lowest_rank)

    def holds_texts(self, column: str) -> bool:
        """Are most values of a column texts that are no whole numbers?"""
        return column in self.whole and self.whole[column] * 2 < self.given[column]


def add_facts(parts: Iterable[LogFacts]) -> LogFacts:
    """The facts of all parts."""
    facts = LogFacts()
    for part in parts:
        facts.add(part)
    return facts


def find_facts(frame: pl.DataFrame, header: Header) -> LogFacts:
    """The facts of a log, or of a part of one."""
    facts = LogFacts(len(frame))
    texts = {name for name, kind in frame.schema.items() if kind == pl.String}
    for values in frame:
        empty = int((values == "").sum()) if values.name in texts else 0
        facts.given[values.name] = values.count() - empty
    for column in _list_columns(header, POSITION):
        if column in texts:
            facts.whole[column] = int(frame[column].str.contains(_WHOLE).sum())
    time = header.find_column(LOG_COLUMNS["time"].names)
    if time is not None:
        facts.epochs.update(count_epochs(frame[time]))
    rank = header.find_column(LOG_COLUMNS["rank"].names)
    is_ranked = None if rank is None else ~is_blank(frame[rank])
    if rank is not None:
        numbers = frame[rank].cast(pl.Float64, strict=False).drop_nulls().to_numpy()
        facts.lowest_rank = float(numbers.min(initial=1.0))
    for column in _list_columns(header, LOG_COLUMNS["event"].names):
        if column in texts:
            facts.words[column] = _list_words(frame[column])
            if is_ranked is not None:
                facts.ranked_words[column] = _list_words(frame[column].filter(is_ranked))
    return facts


def plain_words(values: pl.Series) -> pl.Series:
    """Words of a column as they are looked for; null where there is none."""
    plain = values.cast(pl.String).str.strip_chars().str.to_lowercase().str.replace_all("[- ]", "_")
    return plain.set(plain == "", None)


def _list_words(values: pl.Series) -> dict[str, None]:
    written = values.unique(maintain_order=True).head(_MAX_SPELLINGS)
    return dict.fromkeys(plain_words(written).drop_nulls())


def _list_columns(header: Header, aliases: Sequence[str]) -> list[str]:
    columns = (header.find_column((alias,)) for alias in aliases)
    return [*dict.fromkeys(column for column in columns if column is not None)]


def find_known(
    facts: LogFacts, taken: Mapping[str, str], words: Mapping[str, str]
) -> dict[str, bool]:
    """Which roles tell anything; a rank does in rows that show results."""
    known = {role: facts.given[column] > 0 for role, column in taken.items()}
    event = taken.get("event")
    if event is not None and event in facts.ranked_words:
        kinds = {words.get(word) for word in facts.ranked_words[event]}
        known["rank"] = not kinds.isdisjoint((SHOWN, ASKED))
    return known


NAMES = {"user": "searcher", "position": "query"}  # what a column is called in sessions
_LIST_ADVICE = (
    "a row for each result (explode the frame); for turns without clicks: conversation, turn, "
    "query and retrieved"
)


def is_event_log(header: Header, facts: LogFacts) -> bool:
    """Has a table to be read event by event, as its queries are not numbered within sessions?"""
    if header.find_column(SESSION) is None or choose_position(header, facts.holds_texts) is None:
        return True
    return find_event_column(header, facts, {}) is not None


def are_session_columns(names: Sequence[str]) -> bool:
    """Are these the columns of numbered sessions, or of a log with times or actions?

    Examples:
        >>> are_session_columns(["user", "query", "url", "clicked"])
        True
        >>> are_session_columns(["user", "item", "timestamp"])  # a user is a recommender's query
        False
        >>> are_session_columns(["query", "doc", "grade", "user", "time"])  # who judged, and when
        False
        >>> are_session_columns(["user", "event", "items"])  # lists, which are refused
        True
        >>> are_session_columns(["session", "query", "results", "clicks"])
        True
    """
    header = Header(names, "")
    if header.find_column(LISTS) is not None and header.find_column(RELEVANT) is None:
        lacks_docs = header.list_missing("log") == ["document"]
        clicks = (*LOG_COLUMNS["clicked"].names, "clicks") if lacks_docs else ()
        if header.find_column((*LOG_COLUMNS["event"].names[:-1], *clicks)) is not None:
            return True
    if not header.list_missing("sessions"):
        return True
    taken = assign_columns(header, None, header.find_column(LOG_COLUMNS["event"].names))
    done = {"rank", "event", "clicked", "purchased", "seconds"} & taken.keys()
    return bool(
        not header.list_missing("log")
        and (done or "time" in taken)
        and (done or header.find_column(GRADE[:-1]) is None)
        and (done != {"rank"} or "session" in taken or "time" in taken)
    )


def extract_events(table: InputTable, events: EventWords | None, facts: LogFacts) -> SessionEvents:
    """The events of a table."""
    words = read_event_words(events)
    header = table.header
    refuse_lists(table)
    mistakes: list[Mistake] = []
    columns: dict[str, pl.Series] = {}
    taken = assign_log_columns(header, facts, words)
    forms: dict[str, str] = {}
    for role, column in taken.items():
        kind = LOG_COLUMNS[role].kind if role in LOG_COLUMNS else "whole"
        if kind in ("id", "text"):
            texts = text_column(table, column)
            columns[role] = texts.set(texts == "", None)
        elif kind == "time":
            place = f"{table.name}, column {quote(column)}"
            values = table.frame[column]
            parsed = parse_times(values, place, facts.epochs, facts.given[column])
            columns[role], forms[role] = parsed.times, parsed.form
            words_at = partial(_describe_time, header.own_name(column), values)
            mistakes.append((parsed.wrong, words_at, parsed.expected))
        elif kind == "word":
            columns[role] = _read_kinds(table, column, words, facts, mistakes)
        elif kind == "whole":
            columns[role] = read_whole_numbers(table, column, NAMES.get(role, role), mistakes)
        else:
            columns[role] = read_optional_column(table, column, kind, mistakes)
    if "milliseconds" in columns:
        columns["seconds"] = columns.pop("milliseconds") / 1000
        taken["seconds"], forms["seconds"] = taken.pop("milliseconds"), "in milliseconds"
    require_columns(header, columns)
    for name, (column, contents) in assign_others(header, taken).items():
        columns[name] = (
            table.frame[column]
            if contents is None
            else read_optional_column(table, column, contents, mistakes)
        )
    if "event" in columns and "clicked" not in columns:  # a log of events would tell a click
        columns["clicked"] = (columns["event"] == SHOWN).replace_strict({True: False, False: None})
    if "rank" in columns and facts.lowest_rank == 0:
        columns["rank"] += 1
        forms["rank"] = "counted from 0 there, from 1 here"
    made = make_events(columns, table.name, table.locate)
    note = describe_names(header, taken, forms)
    return evolve(
        made,
        notes=[note] if note else [],
        problems=[flag_problem(made.frame, *entry) for entry in mistakes],
        known=find_known(facts, taken, words),
    )


def refuse_lists(table: InputTable) -> None:
    """Refuse a column of lists of documents, which in CSV are texts of JSON."""
    roles = [name for role in ("doc", "clicked") for name in LOG_COLUMNS[role].names]
    for name, kind in table.frame.schema.items():
        if normalise_name(name) not in (*roles, *TABLES["refused"]["results"].names):
            continue
        first = table.frame[name].drop_nulls().head(1) if kind == pl.String else ()
        if isinstance(kind, pl.List) or any(isinstance(parse_json(text), list) for text in first):
            problem = f"column {quote(table.header.own_name(name))} holds a list in each row"
            raise BadInput(table.name, problem, _LIST_ADVICE)


def assign_columns(header: Header, position: str | None, event: str | None) -> dict[str, str]:
    """What the columns of a log are taken for: by that, the column; each once."""
    taken = {} if position is None else {"position": position}
    for role, log_column in LOG_COLUMNS.items():
        column = event
        if role != "event":
            column = find_free_column(header, log_column.names, taken)
        if column is not None and not (role == "milliseconds" and "seconds" in taken):
            taken[role] = column
    return taken


def assign_others(header: Header, taken: dict[str, str]) -> dict[str, tuple[str, str | None]]:
    """What else a log tells: by its name in sessions, the column and what it should hold.

    Those of the usual names are added to what is taken; what the user's own hold is not known.
    """
    others: dict[str, tuple[str, str | None]] = {}
    for name, optional in OPTIONAL_COLUMNS.items():
        if name in taken or name in ("searcher", "text"):
            continue
        column = find_free_column(header, optional.names, taken)
        if column is not None:
            taken[name] = column
            others[name] = (column, optional.kind)
    reserved = {*EVENT_COLUMNS, "query", "searcher", *others}
    for name in header.columns:
        if name not in taken.values():
            is_taken = normalise_name(name) in reserved  # in some engines Text is text
            others[f"{name}_column" if is_taken else name] = (name, None)
    return others


def describe_names(
    header: Header, taken: Mapping[str, str], forms: Mapping[str, str] | None = None
) -> str:
    """What columns were taken for, where that is not what they are called or was not said."""
    parts = []
    for role, column in taken.items():
        name, form = NAMES.get(role, role), (forms or {}).get(role, "")
        if column in header.own_names and not form:  # the user said so
            continue
        if normalise_name(column) != name or form:
            own = header.own_name(column)
            words = own if normalise_name(own) == name else f"{own} as {name}"
            parts.append(words + (f" ({form})" if form else ""))
    return f"columns: {join_words(parts)}" if parts else ""


def assign_log_columns(header: Header, facts: LogFacts, words: Mapping[str, str]) -> dict[str, str]:
    """What the columns of a log are taken for, by what is known of the whole of it."""
    position = choose_position(header, facts.holds_texts)
    return assign_columns(header, position, find_event_column(header, facts, words))


def find_event_column(header: Header, facts: LogFacts, words: Mapping[str, str]) -> str | None:
    """The column that says what happened, by its name; of a vaguer name, if it has such words.

    Without any words of the user's, a table may be one of numbered queries: then its words decide.
    """
    for alias in LOG_COLUMNS["event"].names:
        column = header.find_column((alias,))
        if column is None or column not in facts.words:
            continue
        certain = column in header.own_names or (words and alias.startswith("event"))
        if certain or not {*(words or EVENT_OF_WORD)}.isdisjoint(facts.words[column]):
            return column
    return None


def _read_kinds(
    table: InputTable,
    column: str,
    words: Mapping[str, str],
    facts: LogFacts,
    mistakes: list[Mistake],
) -> pl.Series:
    """What happened; refused where words are no events, or none of them shows a result."""
    header, kinds = table.header, sorted(facts.words[column])
    if len(kinds) > MAX_KINDS:
        problem = f"column {quote(header.own_name(column))} has over {MAX_KINDS} different values"
        raise BadInput(header.name, f"{problem}, too many for events", "words such as click")
    if SHOWN not in {words.get(kind) for kind in kinds}:
        problem = f"no event shows a result; its events are {join_words(kinds)}"
        expected = f"rows of {', '.join(_WORDS[SHOWN][:4])}, or --events shown=WORD (events=)"
        raise BadInput(header.name, problem, expected)
    plain = plain_words(table.frame[column])
    mistakes.append((plain.is_null(), lambda _: "there is no event", f"one of {', '.join(kinds)}"))
    return plain.replace_strict({kind: name_event(kind, words) for kind in kinds}, default=SHOWN)


def _describe_time(name: str, values: pl.Series, row: int) -> str:
    return f"{name} {quote(values[row])} is not a time"


def require_columns(header: Header, roles: Collection[str]) -> None:
    """Refuse a log that does not say whose events they are, of which query and which document."""
    for name, names in NEEDS["log"].items():
        is_numbered = name == "query" and "position" in roles
        if not is_numbered and not any(role in roles for role in names):
            aliases = tuple(alias for role in names for alias in LOG_COLUMNS[role].names[:4])
            header.require_column(aliases, name, "log")
