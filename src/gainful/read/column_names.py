"""What columns are called: one table of all; `columns={"query": "user", "doc": "item"}`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from attrs import define, field, frozen

from gainful.errors import BadValue, NoColumn, UnknownName, WrongType
from gainful.text import join_words, quote


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


@frozen
class Column:
    """What a column of a table can be: what it holds, where it is looked for, what it is called.

    The first of its names is found first, and what a column that the user names is renamed to.
    """

    role: str
    kind: Literal[
        "id", "text", "number", "whole", "flag", "time", "word", "list", "numbers", "messages"
    ]
    tables: tuple[str, ...] = field(converter=_split)  # judgments, run, sessions, log, lists, …
    names: tuple[str, ...] = field(converter=_split)
    noun: str = ""  # in messages; without one, the role


_QUERIES = "query_id qid q_id queryid query topic_id topic user user_id userid"  # ids before texts
_DOCS = (
    "doc doc_id docno docid did document document_id corpus_id item item_id itemid passage_id pid "
    "product_id movie_id"
)
_RESULTS = "product sku asin object_id result result_id url click_url clickurl"
_LISTS = "docs doc_ids documents document_ids items item_ids"  # of judgments or of a run
_SESSIONS, _CONVERSATIONS = "session session_id sessionid sid", "conversation conversation_id"
_USERS = (
    "user user_id userid uid searcher searcher_id client_id clientid visitor_id visitorid "
    "customer_id anon_id anonid anonymous_id"
)
_TIMES = (
    "time timestamp ts datetime date_time event_time event_timestamp created_at occurred_at "
    "query_time querytime event_date date"
)
_SEARCHES = "query_id queryid qid search_id searchid request_id serp_id impression_id"
_TEXTS = (  # what has none of these names is mapped, and then called query_text
    "query_text querytext query_position user_query query search_query search_term search_phrase "
    "keywords keyword q text"
)
_EVENTS = "event event_type event_name eventtype action action_name action_type event_action type"
# Where there is a position by its own name, too, a column query is the text.
_POSITIONS = "query_position query_number query_no qno query turn iteration interaction"
_RANKS = "rank position pos item_rank itemrank result_rank item_position result_position ordinal"
_GRADES = "grade relevance rel label judgment judgement rating"
_SCORES = "score sim similarity prediction predicted_score"
_RELEVANT = (
    "relevant relevant_ids relevant_docs reference_context_ids expected_ids expected "
    "ground_truth_ids"
)
_RETRIEVED = "retrieved retrieved_ids retrieved_docs retrieved_context_ids results recommendations"
_SCORE_LISTS = "scores sims similarities predictions predicted_scores"
_GRADE_LISTS = "grades relevances labels judgments judgements ratings"
_RANK_LISTS = "ranks positions item_ranks item_positions result_ranks"
_ANSWERS = (  # paths to the list in what a search returned
    "hits.hits hits matches chunks passages nodes points data search_results web_results output "
    "result response root.children value ResultItems retrievalResults raw_output source_nodes "
    "data.content"
)
_ANSWER_DOCS = (
    f"id {_DOCS} chunk_id node_id _id.$oid _id id_ uuid objectID uniqueId DocumentId docId file_id"
)
_ASKED = (  # what a search is called with
    "query q question search_query query_text queries text input search keywords search_term "
    "prompt kwargs.query kwargs.input args"
)
_CHATS = (
    "session_id sessionId session conversation_id conversationId thread_id trajectory_id id "
    "custom_id uuid"
)
_PURCHASES = "purchased purchase is_purchased is_purchase bought ordered converted"
_SECONDS = "seconds dwell dwell_seconds dwell_time dwelltime dwell_time_seconds dwell_sec dwell_s"
# To know another name of a column, add it here: messages and docs are made from this table.
COLUMNS = (
    Column("query", "id", "judgments run", _QUERIES),
    Column("session", "id", "sessions log", f"{_SESSIONS} {_CONVERSATIONS} dialogue_id"),
    Column("user", "id", "log", _USERS),
    Column("query", "whole", "sessions", _POSITIONS, noun="position of the query"),
    Column("time", "time", "log", _TIMES),
    Column("query_id", "id", "log", _SEARCHES),
    Column("text", "text", "log", _TEXTS),
    Column("event", "word", "log", _EVENTS),
    Column("rank", "whole", "run sessions log", _RANKS),
    Column("doc", "id", "judgments run sessions", _DOCS, noun="document"),
    Column("doc", "id", "log", f"{_DOCS} {_RESULTS}", noun="document"),
    Column("grade", "number", "judgments", f"{_GRADES} score"),
    Column("score", "number", "run", _SCORES),
    Column("subtopic", "id", "judgments", "subtopic subtopic_id intent aspect iteration"),
    Column("relevant", "list", "judgments", _RELEVANT),
    Column("retrieved", "list", "run", _RETRIEVED),
    Column("topic", "text", "sessions", "topic topic_id recall_base"),
    Column("system", "text", "sessions", "system system_id engine"),
    Column("searcher", "text", "sessions", "searcher searcher_id user user_id userid"),
    Column("scenario", "text", "sessions", "scenario task task_id scenario_id"),
    Column("text", "text", "sessions", "query_text text querytext query"),
    Column("clicked", "flag", "sessions log", "clicked click is_clicked was_clicked is_click"),
    Column("purchased", "flag", "sessions log", _PURCHASES),
    Column("scanned", "number", "sessions", "scanned depth_scanned"),
    Column("grade", "number", "sessions", "grade relevance rel usefulness"),
    Column("seconds", "number", "sessions log", _SECONDS),
    Column("milliseconds", "number", "log", "dwell_ms dwell_time_ms dwell_milliseconds"),
    Column("query", "id", "lists", f"id {_QUERIES} question user_input"),
    Column("doc", "list", "lists", f"{_LISTS} {_DOCS}"),
    Column("score", "numbers", "lists", f"{_SCORES} {_SCORE_LISTS}"),
    Column("grade", "numbers", "lists", f"{_GRADES} {_GRADE_LISTS}"),
    Column("rank", "numbers", "lists", f"{_RANKS} {_RANK_LISTS}"),
    Column("session", "id", "turns", f"{_CONVERSATIONS} {_SESSIONS} dialogue_id"),
    Column("query", "whole", "turns", "turn turn_id turn_number turn_index turn_no"),
    Column("retrieved", "list", "turns", f"{_RETRIEVED} {_LISTS}"),
    Column("topic", "id", "turns", "id query_id qid topic topic_id"),
    Column("system", "text", "turns", "system"),
    Column("text", "text", "turns", "query question user_input text utterance"),
    Column("retrieved", "list", "answers", f"{_RETRIEVED} ids {_LISTS} {_ANSWERS}"),
    Column("doc", "id", "answers", _ANSWER_DOCS),
    Column("score", "number", "answers", f"{_SCORES} _score"),
    Column("grade", "number", "answers", f"{_GRADES} gain"),
    Column("text", "text", "answers", _ASKED),
    Column("doc", "id", "objects", "node_id id doc_id docid id_ uuid"),
    Column("retrieved", "list", "objects", "objects points matches"),
    Column("messages", "messages", "chats", "messages conversation transcript trajectory input"),
    Column("session", "id", "chats", _CHATS),
    Column("time", "time", "chats", "timestamp created_at time"),
    Column("results", "list", "refused", "results docs documents items hits retrieved clicks"),
    Column("query", "id", "texts", "query query_id qid _id id"),
    Column("text", "text", "texts", "text query_text title"),
    Column("doc", "id", "documents", f"{_DOCS} _id id", noun="document"),
    Column("text", "text", "documents", "text contents content body passage title"),
    Column("run", "id", "labels values", "run system run_id name model"),
    Column("measure", "id", "values", "measure metric measure_name metric_name"),
    Column("value", "number", "values", "value score"),
    Column("propensity", "number", "propensities", "propensity examination theta probability"),
)


TABLES = {
    table: {column.role: column for column in COLUMNS if table in column.tables}
    for table in dict.fromkeys(table for column in COLUMNS for table in column.tables)
}
QRELS_COLUMNS, RUN_COLUMNS = TABLES["judgments"], TABLES["run"]
SESSION_COLUMNS, LOG_COLUMNS = TABLES["sessions"], TABLES["log"]
# A row for each query, with lists, or for each turn; what a search returned; and transcripts.
LIST_COLUMNS, TURN_COLUMNS, ANSWER_COLUMNS, CHAT_COLUMNS = (
    TABLES[table] for table in ("lists", "turns", "answers", "chats")
)
QUERY, DOC, RANK = (RUN_COLUMNS[role].names for role in ("query", "doc", "rank"))
GRADE, SCORE = QRELS_COLUMNS["grade"].names, RUN_COLUMNS["score"].names
SUBTOPIC, RELEVANT = QRELS_COLUMNS["subtopic"].names, QRELS_COLUMNS["relevant"].names
TURN = TURN_COLUMNS["query"].names
RETRIEVED, DOC_LISTS = RUN_COLUMNS["retrieved"].names, _split(_LISTS)
SESSION, POSITION = SESSION_COLUMNS["session"].names, SESSION_COLUMNS["query"].names
# What a session may tell besides.
OPTIONAL_COLUMNS = {
    role: column
    for role, column in SESSION_COLUMNS.items()
    if role not in ("session", "query", "rank", "doc")
}
TURN_QUERY = r"^(.+)_([0-9]{1,15})$"  # an id of a query that is a turn, such as 106_3
# Columns that are read of judgments and of runs.
KNOWN_COLUMNS = dict.fromkeys(
    name
    for column in COLUMNS
    if not {"judgments", "run", "lists"}.isdisjoint(column.tables)
    for name in column.names
)

# What words in a name begin with that may be a column's, for messages about unknown tables.
LIKELY_WORDS = {
    "session": ("sess",),
    "user": _split("user visitor who customer client member cookie person"),
    "time": _split("time date when at ts stamp"),
    "query": _split("query search srch phrase term typed question keyword prompt"),
    "text": _split("query search srch phrase term typed question keyword prompt"),
    "event": _split("event evt action"),
    "rank": _split("rank pos slot place"),
    "doc": _split(
        "doc item product prod result page url sku hit passage chunk article movie prop asin artist"
    ),
    "clicked": ("click",),
    "grade": _split("grade rel rating rate stars label judg gain quality"),
    "score": _split("score sim bm25 prob conf rrf"),
}
# The last words of names that say of a number that it is no grade: judged_at, assessor id.
_NO_GRADE = frozenset(
    (
        *("time", "timestamp", "date", "datetime", "when", "at", "ms", "epoch"),
        *("day", "week", "month", "year", "hour", "rank", "position", "split", "fold"),
        *("id", "index", "unnamed", "session", "assessor", "annotator", "rater", "worker"),
    )
)

# Role → the column that has it, or some to try; None of grades that are not there.
ColumnNames = Mapping[str, str | Sequence[str] | None]

# The name under which a column of each role is found first, whatever others there are.
QRELS_ROLES = {role: column.names[0] for role, column in QRELS_COLUMNS.items()}
RUN_ROLES = {role: column.names[0] for role, column in RUN_COLUMNS.items()}
SESSION_ROLES = {role: column.names[0] for role, column in (LOG_COLUMNS | SESSION_COLUMNS).items()}
_KIND_ROLES = {"qrels": QRELS_ROLES, "run": RUN_ROLES}
_ID_ROLES = {"query": QUERY, "doc": DOC}  # without which no table can be read
_MOST_LISTED = 20  # columns in a message
_ALLOWED = '{"query": "user", "doc": "item"}'


@define
class _Fit:
    """Which of the columns that a user named were found in tables so far."""

    found: set[str] = field(factory=set)  # roles
    usual: set[str] = field(factory=set)  # roles that a column has by its name, such as grade
    misfits: dict[str, NoColumn] = field(factory=dict)
    asked: dict[str, set[str]] = field(factory=dict)  # roles of the tables of each kind


@frozen
class ColumnMapping:
    """Which columns of a user's tables are what; empty where the usual names will do.

    Judgments and runs may have columns of their own, and share the others: a column that only one
    of them has is looked for in both, and one that none has is refused when both were read.
    """

    names: Mapping[str, tuple[str, ...]] = {}
    own_names: Mapping[str, Mapping[str, tuple[str, ...]]] = {}  # of judgments or runs alone
    needed: Collection[str] = ()  # roles whose columns must be there
    fit: _Fit = field(factory=_Fit, eq=False)
    shared: bool = False  # may judgments have the columns that sessions lack?

    @property
    def has_positions(self) -> bool:
        """Are columns named by their numbers, as those of a table without a header are?"""
        return any(name.isdecimal() for names in self.names.values() for name in names)

    def choose_kind(self, kind: Literal["qrels", "run"]) -> ColumnMapping:
        """The columns of judgments, or of a run."""
        own = self.own_names.get(kind, {})
        return ColumnMapping({**self.names, **own}, needed=[*own], fit=self.fit)

    def choose_sessions(self) -> ColumnMapping:
        """The columns of sessions beside judgments, which may have some of them instead."""
        names = {role: names for role, names in self.names.items() if names}
        return ColumnMapping(names, fit=self.fit, shared=True)

    def merge_kinds(self) -> ColumnMapping:
        """All columns that are named, of a table that may be either."""
        names = dict(self.names)
        for own in self.own_names.values():
            names |= {role: (*names.get(role, ()), *own[role]) for role in own}
        return ColumnMapping(names)

    def refuse_misfits(self) -> None:
        """No column may be named that none of the tables has."""
        fitting = self.fit.found | (self.fit.usual if self.fit.found else set())
        for role, misfit in self.fit.misfits.items():
            if role not in fitting:
                raise misfit

    def refuse_unread(self) -> None:
        """No column may be named that no table has, or where none was read that could have it."""
        self.refuse_misfits()
        shared = set().union(*self.fit.asked.values())
        roles = [role for role in self.names if role not in shared]
        for kind, own in self.own_names.items():
            asked = self.fit.asked.get(kind, set())
            roles += [f"{kind}.{role}" for role in own if role not in asked]
        if roles:
            allowed = (
                "roles in a table; TREC's lines, ratings and dicts by query have no named columns"
            )
            known = QRELS_ROLES | RUN_ROLES
            if shared and roles[0].rpartition(".")[2] not in known:  # it is of sessions alone
                meant = [f"; did you mean {role}?" for role in _find_roles(roles[0], known)[:1]]
                allowed = f"{', '.join(known)}{''.join(meant)}"
            raise BadValue("columns", roles[0], allowed)

    def lacks_grades(self, roles: Mapping[str, str]) -> bool:
        """Did the user say that judgments have no grades, so that each document counts as 1?"""
        return "grade" in roles and self.names.get("grade") == ()

    def find_renames(
        self, columns: Sequence[str], roles: Mapping[str, str], name: str
    ) -> dict[str, str]:
        """The columns that the user named, each under the name that is looked for first."""
        renames: dict[str, str] = {}
        own_roles = [f"{kind}.{role}" for kind, names in self.own_names.items() for role in names]
        if own_roles and roles is SESSION_ROLES:
            raise BadValue(
                "columns", own_roles[0], "roles of sessions; qrels. is for --qrels (qrels=)"
            )
        self._note_asked(roles)
        for role, candidates in self.names.items():
            if not candidates and roles is SESSION_ROLES:
                raise BadValue(f"columns[{quote(role)}]", None, "a name; None is for judgments")
            if role not in roles or not candidates:
                continue
            column = _find_exactly(candidates, columns)
            if column is not None:
                self.fit.found.add(role)
            else:
                misfit = self._describe_misfit(role, columns, roles, name)
                if role in self.needed or self._must_have(role, columns, roles):
                    raise misfit
                self.fit.misfits.setdefault(role, misfit)  # the other table may have it
                if roles is SESSION_ROLES:
                    continue
                column = _find_exactly((role,), columns)
                if column is None:
                    continue
                self.fit.usual.add(role)
            if column in renames.values():
                raise BadValue("columns", dict(self.names), f"{quote(column)} in one role only")
            renames[roles[role]] = column
        return renames

    def _describe_misfit(
        self, role: str, columns: Sequence[str], roles: Mapping[str, str], name: str
    ) -> NoColumn:
        words = join_words([quote(candidate) for candidate in self.names[role]], "or")
        problem = f"there is no column {words} for the {role}; known: {list_columns(columns)}"
        allowed = "columns= (--columns) with one of these"
        if roles is not SESSION_ROLES and role in QRELS_ROLES and role in RUN_ROLES:
            allowed += f"; qrels.{role}= and run.{role}= where they differ"
        return NoColumn(name, problem, allowed)

    def note_positions(self, roles: Mapping[str, str], name: str) -> None:
        """Remember of a table without a header which columns were named, by number or in vain."""
        self._note_asked(roles)
        for role, candidates in self.names.items():
            if role not in roles or not candidates:
                continue
            if candidates[0].isdecimal():
                self.fit.found.add(role)
                continue
            problem = f"there is no column {quote(candidates[0])} for the {role}: it has no header"
            misfit = NoColumn(name, problem, f"--columns {role}=NUMBER, which counts from 1")
            if role in self.needed or roles is SESSION_ROLES:
                raise misfit
            self.fit.misfits.setdefault(role, misfit)  # the other table may have it

    def _note_asked(self, roles: Mapping[str, str]) -> None:
        kind = "qrels" if "grade" in roles else "run"
        self.fit.asked.setdefault(kind, set()).update(roles)

    def _must_have(self, role: str, columns: Sequence[str], roles: Mapping[str, str]) -> bool:
        if roles is SESSION_ROLES:
            return not self.shared
        usual = {strip_name(name) for name in _ID_ROLES.get(role, ())}
        return bool(usual) and usual.isdisjoint(map(strip_name, columns))

    def select(self, columns: Sequence[str], roles: Mapping[str, str], name: str) -> dict[str, str]:
        """All columns with their new names; a namesake of a renamed one is left out."""
        renames = {own: new for new, own in self.find_renames(columns, roles, name).items()}
        taken = {*renames.values(), *(("grade",) if self.lacks_grades(roles) else ())}
        return {
            column: renames.get(column, column)
            for column in columns
            if column in renames or normalise_name(column) not in taken
        }

    def refuse_other_roles(self, format_name: str, roles: Collection[str]) -> None:
        """No role may be named that a format of records does not have."""
        for role in self.names:
            if role not in roles:
                raise BadValue("columns", role, f"roles of {format_name}: {', '.join(roles)}")

    def refuse_absent(self, presence: Mapping[str, bool], name: str) -> None:
        """No path may be named at which no record has the role, as far as roles are looked at."""
        for role in self.names:
            if not presence.get(role, True):
                raise self._describe_absent(role, name)

    def _describe_absent(self, role: str, name: str) -> NoColumn:
        words = join_words([quote(path) for path in self.names[role]], "or")
        allowed = "columns= (--columns) with an existing path"
        return NoColumn(name, f"no record has the {role} at {words}", allowed)

    def note_path(self, role: str, roles: Mapping[str, str], name: str, *, is_found: bool) -> None:
        """Remember of a role that is a path within records whether anything stands there."""
        self.fit.asked.setdefault("qrels" if "grade" in roles else "run", set()).add(role)
        if is_found:
            self.fit.found.add(role)
        self.fit.misfits.setdefault(role, self._describe_absent(role, name))

    def rename_record(
        self, record: Mapping[Any, Any], roles: Mapping[str, str], name: str
    ) -> Mapping[Any, Any]:
        """A dict of one query or one row whose keys are called as they are looked for."""
        if not self.names:
            return record
        selected = self.select([str(key) for key in record], roles, name)
        return {new: record[own] for own, new in selected.items()}


def read_column_names(columns: ColumnNames | ColumnMapping | None) -> ColumnMapping:
    """What a user said of the columns, checked.

    Examples:
        >>> read_column_names({"query": "user"}).names
        {'query': ('user',)}
        >>> read_column_names({"run.doc": "url"}).choose_kind("run").names
        {'doc': ('url',)}
        >>> read_column_names({"grade": None}).lacks_grades(QRELS_ROLES)
        True
    """
    if isinstance(columns, ColumnMapping):
        return columns
    if columns is None:
        return USUAL_NAMES
    if not isinstance(columns, Mapping):
        raise WrongType("columns", columns, _ALLOWED)
    roles = dict.fromkeys((*QRELS_ROLES, *RUN_ROLES, *SESSION_ROLES))
    own = [f"{kind}.{role}" for kind, kind_roles in _KIND_ROLES.items() for role in kind_roles]
    names: dict[str, tuple[str, ...]] = {}
    own_names: dict[str, dict[str, tuple[str, ...]]] = {"qrels": {}, "run": {}}
    for full_role, value in columns.items():
        if full_role not in roles and full_role not in own:
            hint = f"--columns query=user,doc=item; columns={_ALLOWED}"
            kind, _, called = normalise_name(str(full_role)).rpartition(".")
            meant = _find_roles(called, roles) or _find_roles(called.removesuffix("s"), roles)
            own_kind = next((f"{each}." for each in _KIND_ROLES if kind and kind in each), "")
            words = join_words([f"{own_kind}{role}" for role in meant[:2]], "or")
            is_turned = isinstance(value, str) and value in roles
            words = f"{value}={full_role}" if is_turned else words
            answer = f"did you mean {words}?" if words else ""
            raise UnknownName("column role", str(full_role), roles, hint, answer)
        kind, _, role = full_role.rpartition(".")
        candidates: tuple[Any, ...] = (value,)
        if isinstance(value, Sequence) and not isinstance(value, str):
            candidates = tuple(value)
        if role == "grade" and candidates in ((None,), ()):
            candidates = ()
        elif not candidates or not all(isinstance(part, str) and part for part in candidates):
            allowed = "the name of a column, or several"
            raise WrongType(f"columns[{quote(full_role)}]", value, allowed)
        (own_names[kind] if kind else names)[role] = candidates
    return ColumnMapping(names, own_names)


def _find_roles(name: str, roles: Collection[str]) -> list[str]:
    """The roles whose columns are usually called so."""
    named = (each.role for each in COLUMNS if name in each.names and each.role in roles)
    return list(dict.fromkeys(named))


USUAL_NAMES = ColumnMapping()


def list_columns(columns: Sequence[str], most: int = _MOST_LISTED) -> str:
    """The columns that there are, for a message; of very many, the first."""
    more = len(columns) - most
    shown = [name or quote(name) for name in columns[:most]]  # pandas' index has none
    return (", ".join(shown) or "none") + (f" and {more} more" if more > 0 else "")


def normalise_name(name: str) -> str:
    """A name of a column as it is looked for: in small letters, with _ for - and blanks.

    Examples:
        >>> normalise_name("Doc-ID"), normalise_name("user_id:token")  # the latter of RecBole
        ('doc_id', 'user_id')
    """
    name = name.strip().lower().removesuffix(":token").removesuffix(":float")
    return name.replace("-", "_").replace(" ", "_")


def strip_name(name: str) -> str:
    """A name of a column without what tells productId from product_id.

    Examples:
        >>> strip_name("productId") == strip_name("product_id") == "productid"
        True
    """
    return normalise_name(name).replace("_", "")


def may_be_grades(name: str) -> bool:
    """Can a column of numbers be the grades, for all that its name says?

    Examples:
        >>> may_be_grades("rating_0_3"), may_be_grades("judgedAt"), may_be_grades("docid")
        (True, False, False)
    """
    known = {strip_name(column) for column in (*QUERY, *DOC, *RANK, *SUBTOPIC, *SESSION, *TURN)}
    if not name or name.startswith("__") or strip_name(name) in known:  # __index_level_0__
        return False
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return not words or words[-1].lower() not in _NO_GRADE


_PLAIN = re.compile(r"(?!gainful_|own_)[\w -]+", re.IGNORECASE)  # no pattern, and none of ours


def protect_name(name: str) -> str:
    """What a user's column is called in an engine.

    Engines take `*`, `^…$` or dots for patterns and paths, and our own columns beside the user's
    begin with gainful_: there, `system` is `system`, but `*` is `own_2a`.
    """
    digits = name.encode(errors="surrogatepass").hex()
    return name if _PLAIN.fullmatch(name) else f"own_{digits}"


def restore_name(name: str) -> str:
    """What a column of an engine is called in memory: as the user has it; ours, by a NUL."""
    if name.startswith("gainful_"):
        return f"\0{name.removeprefix('gainful_')}"
    return bytes.fromhex(name[4:]).decode() if name.startswith("own_") else name


def are_column_names(names: Iterable[str]) -> bool:
    """Are these the names of columns, and not already data?"""
    plain = {normalise_name(name) for name in names}
    return bool(plain & {*QUERY} and plain & {*DOC})


def holds_lists(kind: Any) -> bool:
    """Can the cells of a column be lists? Objects are lists of pandas' that polars has none of."""
    return bool(kind.is_nested()) or str(kind) == "Object"


def is_wide(schema: Mapping[str, Any]) -> bool:
    """Has a table lists of documents for cells, and so a row for each query?"""
    names = {normalise_name(name): holds_lists(kind) for name, kind in schema.items()}
    lists = {name for name, nested in names.items() if nested}
    long = any(names.get(name) is False for name in (*SCORE, *GRADE, *RANK))  # a number a document
    return bool(lists & {*RETRIEVED, *RELEVANT, *DOC_LISTS}) or bool(lists & {*DOC} and not long)


def find_list_kinds(names: Iterable[str], columns: ColumnMapping) -> set[str]:
    """Which of judgments and run are in a table, to judge by its columns with lists."""
    own, lists = {*map(normalise_name, names)}, name_lists(columns).items()
    return {kind for kind, known in lists if own & {*map(normalise_name, known)}}


def name_lists(columns: ColumnMapping) -> dict[str, tuple[str, ...]]:
    """The names of the list of a run, and of judgments; beside one that is named, `docs` counts."""
    relevant = columns.names.get("relevant", ())
    return {
        "run": (*columns.names.get("retrieved", ()), *RETRIEVED, *(DOC_LISTS if relevant else ())),
        "judgments": (*relevant, *RELEVANT),
    }


def _find_exactly(candidates: Iterable[str], columns: Sequence[str]) -> str | None:
    """The first of these names that a column has, as it is written or nearly so."""
    by_name = {normalise_name(column): column for column in reversed(columns)}
    for candidate in candidates:
        if candidate in columns:
            return candidate
        if normalise_name(candidate) in by_name:
            return by_name[normalise_name(candidate)]
    return None
