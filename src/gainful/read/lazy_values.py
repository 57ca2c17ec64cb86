"""Values of a column in an engine, by what they should be: ids, numbers, flags; and which are not.

Like the readers of tables in memory, but as expressions, which every engine computes for itself. No
cast meets a value that it could not cast: engines would stop at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
from attrs import frozen

from gainful.errors import BadInput
from gainful.read.sessions import NO, YES
from gainful.text import quote

_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_EXACT = 2.0**53  # whole numbers up to here are what they seem


@frozen(eq=False)
class LazyValues:
    """The values of a column, and in which rows what is given is something else."""

    values: nw.Expr
    wrong: nw.Expr | None = None
    words: str = ""  # of what is wrong, with a place for the value
    expected: str = ""


Reader = Callable[[str, Any, str], LazyValues]  # of a column, what it holds, and the table's name


def blank_to_null(text: nw.Expr) -> nw.Expr:
    """Texts; null where there is none."""
    return nw.when(text != "").then(text)


def parse_number(text: nw.Expr) -> nw.Expr:
    """Numbers that are written as text; null of others."""
    return nw.when(text.str.contains(_NUMBER)).then(text).cast(nw.Float64)


def read_ids(column: str, kind: Any, name: str) -> LazyValues:
    """Ids as text: texts and whole numbers are."""
    if not (kind.is_integer() or kind in (nw.String, nw.Categorical, nw.Enum)):
        raise BadInput(
            name, f"column {quote(column)} holds {kind}", "texts or whole numbers; cast it"
        )
    return LazyValues(blank_to_null(nw.col(column).cast(nw.String)))


def read_text(column: str, _kind: Any, _name: str) -> LazyValues:
    """Whatever can be a text."""
    return LazyValues(nw.col(column).cast(nw.String))


def read_numbers(column: str, kind: Any, name: str) -> LazyValues:
    """Finite numbers."""
    number, given = _read_floats(column, kind, name)
    finite = number.is_finite().fill_null(value=False)
    words = f"{column} {{}} is not a finite number"
    return LazyValues(nw.when(finite).then(number), given & ~finite, words, "a number, or nothing")


def read_whole_numbers(role: str) -> Reader:
    """How whole numbers of a role are read."""
    hint = " (the text of a query is the column text)" if role == "query" else ""

    def read(column: str, kind: Any, name: str) -> LazyValues:
        if kind.is_integer():
            return LazyValues(nw.col(column).cast(nw.Int64))
        number, given = _read_floats(column, kind, name)
        whole = number.is_finite() & (number == number.floor()) & (number.abs() < _EXACT)
        whole = whole.fill_null(value=False)
        values = nw.when(whole).then(number).cast(nw.Int64)
        words = f"{role} {{}} is not a whole number"
        return LazyValues(values, given & ~whole, words, f"1, 2, 3 …{hint}")

    return read


def read_flags(column: str, kind: Any, name: str) -> LazyValues:
    """Yes or no."""
    allowed = "1 or 0, true or false"
    if kind == nw.Boolean:
        return LazyValues(nw.col(column).fill_null(value=False))
    if kind == nw.String:
        plain = blank_to_null(nw.col(column).str.strip_chars().str.to_lowercase())
        known = plain.is_in([*YES, *NO])
        values = plain.is_in([*YES]).fill_null(value=False)
        return LazyValues(values, ~known, f"{column} {{}} is neither yes nor no", allowed)
    number, given = _read_floats(column, kind, name)
    odd = given & ~number.is_in([0.0, 1.0])
    values = (number != 0).fill_null(value=False)
    return LazyValues(values, odd, f"{column} {{}} is neither 1 nor 0", allowed)


def _read_floats(column: str, kind: Any, name: str) -> tuple[nw.Expr, nw.Expr]:
    """Numbers, and which values are given; NaN is none, as in frames of pandas."""
    if kind == nw.String:
        text = blank_to_null(nw.col(column).str.strip_chars())
        return parse_number(text), ~text.is_null()
    if not kind.is_numeric():
        raise BadInput(name, f"column {quote(column)} holds {kind}", "numbers; cast it")
    number = nw.col(column).cast(nw.Float64)
    if kind.is_float():
        number = nw.when(~number.is_nan()).then(number)
    return number, ~number.is_null()
