"""Users by salted hashes, in whatever is written: tables, JSON, pages and notes.

The same user has the same hash as long as the salt is the same; without the salt nobody can tell
by trying out names. Query texts and documents stay as they are.
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
from gainful.read.column_names import strip_name
from gainful.read.event_words import LOG_COLUMNS
from gainful.read.sessions import Sessions
from gainful.text import join_words

_HASH_BYTES = 8
_USER_IN_NOTE = re.compile(  # as `quote` writes names: with either sign, and long ones cut off
    r"""\b(session|user|searcher) (?:['"](\S*)\.\.\.(?=\W|$)|'([^']*)'|"([^"]*)")"""
)
_MADE_OF_USER = re.compile(r"#\d+$")  # as ann#1 is, the first session of ann


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


def anonymise_sessions(sessions: Sessions, salt: bytes) -> Sessions:
    """Sessions in which users are hashes, and so are session ids that are made of them."""
    frame = sessions.frame
    names = {strip_name(name) for name in ("searcher", *LOG_COLUMNS["user"])}
    columns = [column for column in frame.columns if strip_name(column) in names]
    made_of_users = "searcher" in columns and _contain_users(frame)
    hashed = [*columns, *(["session"] if made_of_users else [])]
    if "topic" in frame.columns and made_of_users and frame["topic"].equals(frame["session"]):
        hashed.append("topic")
    frame = frame.with_columns(_hash_column(frame[column], salt) for column in hashed)
    words = join_words(hashed) if hashed else "no column, for there is none of users"
    note = f"salted hashes in place of {words}; query texts are as they were"

    def scrub(text: str) -> str:
        return _scrub(text, salt, sessions=made_of_users)

    return evolve(
        sessions,
        frame=frame,
        notes=(*map(scrub, sessions.notes), note),
        problems=[(place, scrub(words)) for place, words in sessions.problems],
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


def _scrub(text: str, salt: bytes, *, sessions: bool = False) -> str:
    """The text with hashes of its users, and of sessions if all, or this one, are made of users."""

    def hash_user(match: re.Match[str]) -> str:
        name = match[2] or match[3] or match[4] or ""
        of_user = match[1] != "session" or sessions or match[2] or _MADE_OF_USER.search(name)
        return f"{match[1]} '{_hash_text(name, salt)}'" if of_user else match[0]

    return _USER_IN_NOTE.sub(hash_user, text)


def _contain_users(frame: pl.DataFrame) -> bool:
    """Has every session id its user's in it, as ann#1 has?"""
    within = frame.select(pl.col("session").str.contains(pl.col("searcher"), literal=True))
    return bool(within.to_series().fill_null(value=True).all())


def _hash_column(values: pl.Series, salt: bytes) -> pl.Series:
    ids = values.cast(pl.String).unique().drop_nulls()
    hashes = [_hash_text(text, salt) for text in ids.to_list()]
    mapped = values.cast(pl.String).replace_strict(ids, hashes, default=None)
    return mapped.cast(pl.String).alias(values.name)


def _hash_text(text: str, salt: bytes) -> str:
    return blake2b(text.encode(), key=salt, digest_size=_HASH_BYTES).hexdigest()
