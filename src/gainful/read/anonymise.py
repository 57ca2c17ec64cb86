"""Users and sessions by salted hashes, in whatever is written: tables, JSON, pages and notes.

The same user has the same hash as long as the salt is the same; without the salt nobody can tell
by trying out names. Query texts, documents and columns of other names stay as they are.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

import polars as pl
from attrs import evolve

from gainful.errors import BadInput, BadValue, WrongType
from gainful.read.column_names import LOG_COLUMNS, strip_name
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions
from gainful.text import join_words

_HASH_BYTES = 8
_NAME_IN_NOTE = re.compile(  # as `quote` writes names: with either sign, and long ones cut off
    r"""\b(session|user|searcher) (?:['"](\S*)\.\.\.(?=\W|$)|'([^']*)'|"([^"]*)")"""
)
_PERSONAL = {strip_name(name) for role in ("session", "user") for name in LOG_COLUMNS[role].names}
_PERSONAL |= {"name", "ip", "mobile"}
_PERSONAL_ENDS = (
    *("mail", "mailaddress", "login", "username", "firstname", "lastname", "fullname", "surname"),
    *("phone", "phonenumber", "clientip", "userip", "remoteip", "ipaddress"),
)


def choose_salt(anonymise: object) -> bytes | None:
    """What hashes are salted with: a text of the user's, or chance; None to hash nothing."""
    if anonymise is False or anonymise is None:
        return None
    if anonymise is True:
        return secrets.token_bytes(16)
    if not isinstance(anonymise, str):
        raise WrongType("anonymise", anonymise, "True, False, or a salt as text")
    if not anonymise:
        raise BadValue("anonymise", anonymise, "a salt of at least one character")
    return blake2b(anonymise.encode(), digest_size=32).digest()


def anonymise_sessions(
    qrels: Qrels | None, sessions: Sessions, salt: bytes
) -> tuple[Qrels | None, Sessions]:
    """Sessions with hashes in place of their ids and of people, and judgments that fit them."""
    frame = sessions.frame
    by_session = sessions.judged_by != "text"
    if "topic" in frame.columns:
        own = pl.col("session").str.strip_suffix(pl.col("topic"))  # as system/topic has it
        by_session = bool(frame.select(own.str.contains(r"^$|[/:|\x1f]$").any()).item())
    plain_names = {name: strip_name(name) for name in frame.columns}
    hashed = [
        name
        for name, plain in plain_names.items()
        if plain in _PERSONAL or plain.endswith(_PERSONAL_ENDS)
    ]
    hashed += ["topic"] if by_session and "topic" in frame.columns else []
    frame = frame.with_columns(_hash_column(frame[column], salt) for column in hashed)
    if qrels is not None and by_session:
        queries = _hash_column(qrels.frame["query"], salt)
        empty_queries = tuple(_hash_text(query, salt) for query in qrels.empty_queries)
        qrels = evolve(qrels, frame=qrels.frame.with_columns(queries), empty_queries=empty_queries)
    plain = ["query texts", "documents", *(name for name in sessions.columns if name not in hashed)]
    note = f"salted hashes replace {join_words(hashed)}; {join_words(plain)} are unchanged"
    return qrels, evolve(
        sessions,
        frame=frame,
        notes=(*(_scrub(note, salt) for note in sessions.notes), note),
        problems=[(place, _scrub(words, salt)) for place, words in sessions.problems],
        known_layout=None,
    )


@contextmanager
def anonymise_errors(salt: bytes | None) -> Iterator[None]:
    """Hash users in what is said of sessions that cannot be read; nothing without a salt."""
    try:
        yield
    except BadInput as error:
        if salt is None:
            raise
        texts = (_scrub(text, salt) for text in (error.where, error.problem, error.expected))
        raise type(error)(*texts) from None


def _scrub(text: str, salt: bytes) -> str:
    def hash_name(match: re.Match[str]) -> str:
        return f"{match[1]} '{_hash_text(match[2] or match[3] or match[4] or '', salt)}'"

    return _NAME_IN_NOTE.sub(hash_name, text)


def _hash_column(values: pl.Series, salt: bytes) -> pl.Series:
    ids = values.cast(pl.String).unique().drop_nulls()
    hashes = [_hash_text(text, salt) for text in ids.to_list()]
    mapped = values.cast(pl.String).replace_strict(ids, hashes, default=None)
    return mapped.cast(pl.String).alias(values.name)


def _hash_text(text: str, salt: bytes) -> str:
    return blake2b(text.encode(), key=salt, digest_size=_HASH_BYTES).hexdigest()
