"""Words for people: counts, quotes, lists, numbers, folded lines."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from importlib import import_module
from math import floor, log10
from numbers import Integral, Real
from pathlib import PurePath
from typing import TypeVar

# What counts as a number in a text; Python itself would also take 1_000 and infinity.
NUMBER_PATTERN = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
MAX_LENGTH = 60  # characters of a value in a message
# A word with the blanks before it, which stay where nothing is folded; 95 % and p = 0.5 are one.
_WORD = re.compile(r"\s*\S+(?: %\S*| [=≤≥] [\d.+-]+\b\S*)*")
_BREAKS = re.compile(r"[,;:/|=&_.)}\]-]")  # behind these a word breaks best that is too long
_WIDE = "WF"  # characters as wide as two others
_NO_WIDTH = ("Mn", "Me", "Cf")  # accents and marks that stand on another character
_C_HEX = r"0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?"
_C_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"
_C_NUMBER = rf"\s*[+-]?(?:{_C_HEX}|{_C_DECIMAL}|inf(?:inity)?|nan)"
_LONG = 2**63
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def count_noun(number: int, noun: str, plural_noun: str = "") -> str:
    """A number of things in words: 1 query, 2 queries."""
    return f"{number} {noun if number == 1 else plural_noun or pluralise(noun)}"


def pluralise(noun: str) -> str:
    """More than one of a thing: queries, runs."""
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


LIKE_QUERIES = ("user", "turn")  # units that data call queries, and sentences by their name


def name_count(unit: str) -> str:
    """The key of the number of units in data, where users and turns are queries."""
    return "queries" if unit in LIKE_QUERIES else pluralise(unit)


def name_id_kind(kind: type) -> str:
    """What ids of a type are called."""
    if issubclass(kind, Real):
        return "numbers" if issubclass(kind, Integral) else "floats"
    return "texts"


def quote(value: object) -> str:
    """A value on one line of a message, and not a long one."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out a number of thousands of digits
        return "a huge number"
    if len(text) <= MAX_LENGTH:
        return shorten(text)
    if isinstance(value, str):
        return f"{value[: MAX_LENGTH - 5] + '...'!r} ({len(value)} characters)"
    return f"{shorten(text)} ({len(text)} characters)"


def shorten(text: str, limit: int = MAX_LENGTH) -> str:
    """Text on one line, and not a long one."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


_MAX_MESSAGE = 580  # characters of a whole message: 600 with the name of the command before it
_END_OF_MESSAGE = 200  # characters of one that is cut: what is allowed, or what to type
_LONG_WORD = re.compile(r"\S{300,}[^\s:;,.'\")]")  # longer than a path that a person reads


def escape_controls(text: str) -> str:
    r"""Text in which what cannot be printed is spelt out: controls, marks, halves of characters.

    Examples:
        >>> escape_controls("a\x1b[1m")
        'a\\x1b[1m'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def shorten_message(message: str) -> str:
    """A message that is not endless, whatever it quotes: cut words tell how long they are."""
    message = _LONG_WORD.sub(
        lambda word: f"{word[0][:150]}... ({len(word[0])} characters)", message
    )
    if len(message) <= _MAX_MESSAGE:
        return message
    cut = f" … ({len(message)} characters) … "
    head = message[: _MAX_MESSAGE - _END_OF_MESSAGE - len(cut)]
    return f"{head}{cut}{message[-_END_OF_MESSAGE:]}"


def split_numbers(text: str) -> list[str]:
    """The words of a list of numbers, however it is written.

    Examples:
        >>> split_numbers("3 2 3"), split_numbers("[3, 2,3]")
        (['3', '2', '3'], ['3', '2', '3'])
    """
    parts = text.strip().strip("[]()").split(",")
    return [word for part in parts for word in part.split() or [""]]


def leading_integer(text: str) -> int | None:
    """The whole number that a text begins with, as C's atol reads it; None where there is none.

    Examples:
        >>> leading_integer("1e2"), leading_integer("-3.9"), leading_integer("x")
        (1, -3, None)
    """
    number = re.match(r"\s*([+-]?)([0-9]+)", text, re.ASCII)
    if number is None:
        return None
    size = _LONG if len(digits := number[2].lstrip("0")) > 19 else int(digits or "0")
    return max(-_LONG, -size) if number[1] == "-" else min(size, _LONG - 1)


def leading_number(text: str) -> float | None:
    """The number that a text begins with, as C's atof reads it; None where there is none.

    Examples:
        >>> leading_number("2.5x"), leading_number("0x10"), leading_number("-INF")
        (2.5, 16.0, -inf)
    """
    number = re.match(_C_NUMBER, text, re.IGNORECASE | re.ASCII)
    if number is None:
        return None
    try:
        return float.fromhex(number[0]) if "x" in number[0].lower() else float(number[0])
    except OverflowError:
        return float("-inf" if number[0].strip().startswith("-") else "inf")


def join_words(words: Sequence[str], last: str = "and") -> str:
    """A list in a sentence.

    Examples:
        >>> join_words(["a"]), join_words(["a", "b"]), join_words(["a", "b", "c"])
        ('a', 'a and b', 'a, b and c')
    """
    return (
        f" {last} ".join((", ".join(words[:-1]), *words[-1:])) if len(words) > 1 else "".join(words)
    )


def collect_by_key(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """What goes with each key, in the order in which it comes."""
    values: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return values


def merge_notes(named: Sequence[tuple[str, Iterable[str]]]) -> list[str]:
    """Notes after the names of those that have them; what all share is said once, without names.

    Examples:
        >>> merge_notes([("a", ["x", "y"]), ("b", ["x"]), ("c", ["x", "y"])])
        ['x', 'a, c: y']
    """
    names_by_note = collect_by_key((note, name) for name, notes in named for note in notes)
    return [
        note if len(names) == len(named) else f"{', '.join(names)}: {note}"
        for note, names in names_by_note.items()
    ]


def mark_notes(notes: Iterable[str]) -> list[str]:
    """What one should know, set apart from what says how it was computed."""
    return [f"Note: {note}" for note in notes]


def number_doubles(names: Sequence[str]) -> list[str]:
    """Distinct names: those that occur more than once are numbered.

    Examples:
        >>> number_doubles(["run", "bm25", "run"])
        ['run 1', 'bm25', 'run 2']
    """
    counts, taken = Counter(names), {*names}
    numbers: Counter[str] = Counter()
    distinct: list[str] = []
    for name in names:
        new_name = name
        while counts[name] > 1 and new_name in taken:
            numbers[name] += 1
            new_name = f"{name} {numbers[name]}"
        taken.add(new_name)
        distinct.append(new_name)
    return distinct


def format_exact(value: float) -> str:
    """A number in as few characters as tell it exactly.

    Examples:
        >>> format_exact(2.0), format_exact(0.1), format_exact(1e300)
        ('2', '0.1', '1e+300')
    """
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else repr(value)


VISIBLE_CHANGE = 5e-5  # what four decimals can show
_MAX_DECIMALS = 12


def choose_decimals(change: float, least: int = 4) -> int:
    """So many decimals at least, or as many as a smaller change needs to be seen."""
    if abs(change) >= 0.5 * 10**-least or not change:
        return least
    return min(_MAX_DECIMALS, 1 - floor(log10(abs(change))))


def format_change(change: float) -> str:
    """A change with its sign, in as many decimals as it takes to see it.

    Examples:
        >>> format_change(0.25), format_change(-0.000012), format_change(0)
        ('+0.2500', '-0.000012', '0')
    """
    if change == 0:
        return "0"
    return f"{change:+.{choose_decimals(change)}f}" if abs(change) >= 1e-9 else f"{change:+.0e}"


def format_distinct(value: float, other: float, least: int = 4) -> str:
    """A number in so many decimals at least, or in as many more as tell it from another.

    Examples:
        >>> format_distinct(0.44996, 0.45), format_distinct(0.3, 0.45)
        ('0.44996', '0.3000')
    """
    for decimals in range(least, _MAX_DECIMALS + 1):
        text = f"{value:.{decimals}f}"
        if value == other or float(text) != float(f"{other:.{decimals}f}"):
            return text
    return repr(value)


def relate_p(p: float) -> str:
    """A p for a sentence, behind its name.

    Examples:
        >>> relate_p(0.0314), relate_p(0.0004)
        ('= 0.031', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def format_p(p: float) -> str:
    """A p for a table."""
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def format_short(value: float, digits: int = 6) -> str:
    """A number as a person would write it.

    Examples:
        >>> format_short(3.0), format_short(0.5), format_short(2.718281828)
        ('3', '0.5', '2.71828')
    """
    return f"{value:.{digits}g}"


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes.

    Examples:
        >>> display_width("café"), display_width("検索"), display_width("cafe\u0301")
        (4, 4, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # noqa: PLC0415  (rarely needed)

    return sum(
        0 if category(character) in _NO_WIDTH else 1 + (east_asian_width(character) in _WIDE)
        for character in text
    )


def fold_line(line: str, width: int, indent: str = "") -> list[str]:
    """A line in parts no wider than that, broken between words; what goes over is indented.

    Only a word that is longer than a line is broken itself.

    Examples:
        >>> fold_line("it ends in mid-stream", 12)
        ['it ends in', 'mid-stream']
        >>> fold_line("a very-long-name", 9, "  ")
        ['a', '  very-', '  long-', '  name']
    """
    if display_width(line) <= width:
        return [line]
    if len(indent) > min(width // 2, width - 2):  # a wide character needs two cells
        indent = ""
    lines, part = [], ""
    for word in _WORD.findall(line):
        if display_width(part + word) <= width:
            part += word
            continue
        lines += [part] if part.strip() else []
        first, *rest = _split_word(word.strip(), width - len(indent))
        lines += [(indent if lines else "") + piece for piece in (first, *rest)]
        part = lines.pop()
    return [*lines, part] if part or not lines else lines


def _split_word(word: str, width: int) -> Iterator[str]:
    while display_width(word) > width:
        end = len(word)
        while end > 1 and display_width(word[:end]) > width:
            end -= 1
        ends = [match.end() for match in _BREAKS.finditer(word, 0, end)]
        if ends and ends[-1] > end // 2:
            end = ends[-1]
        yield word[:end]
        word = word[end:]
    yield word


def format_range(numbers: Sequence[float]) -> str:
    """From the smallest to the largest of some numbers, rounded as a person would.

    Examples:
        >>> format_range([23.4, 15.1]), format_range([4, 4]), format_range([0.04, 99.8])
        ('15–23', '4', '<0.1–99.8')
    """
    low, high = (_format_rounded(end) for end in (min(numbers), max(numbers)))
    return low if low == high else f"{low}–{high}"


def _format_rounded(number: float) -> str:
    if 0 < number < 0.1:
        return "<0.1"
    is_extreme = 0 < number < 1 or 99 < number < 100
    return f"{number:.1f}" if is_extreme else f"{number:.0f}"


def capitalise_first(words: str) -> str:
    """What stands at the beginning of a sentence; names such as bm25 stay as they are.

    Examples:
        >>> capitalise_first("system 2"), capitalise_first("bm25")
        ('System 2', 'bm25')
    """
    head, _, rest = words.partition(" ")
    return f"{head.capitalize()} {rest}" if rest and head.islower() else words


IN_SHELL: ContextVar[bool] = ContextVar("in_shell", default=False)  # is a command asked?


def name_way(shell: str, python: str) -> str:
    """How to ask for something: as a command in a shell, as an expression in Python."""
    return shell if IN_SHELL.get() else python


def show_public_names(module: str, **lazy: str) -> None:
    """Let a module list its `__all__` alone, and answer a name that it lacks with the nearest one.

    Names of `lazy` are loaded when they are first asked for: "module:name".
    """
    own = vars(sys.modules[module])
    names: list[str] = own["__all__"]

    def answer(name: str) -> object:
        if name in lazy:
            place, _, known = lazy[name].partition(":")
            return getattr(import_module(place), known)
        message = f"module {module!r} has no attribute {name!r}"
        if not name.startswith("_"):
            places = {known.lower(): f"{module}.{known}" for known in names}
            synonyms = import_module("gainful.synonyms")
            message += f"; {synonyms.suggest_name(name, places, synonyms.NAMES, names)}"
        raise AttributeError(message)

    own |= {"__dir__": lambda: names, "__getattr__": answer}


def decode_path(path: str) -> str:
    """A path that can be printed: halves of characters, as of names not in UTF-8, are spelt out."""
    return path.encode(errors="backslashreplace").decode()


def name_files(paths: Sequence[str]) -> list[str]:
    """The shortest distinct names of files."""
    paths = [*map(decode_path, paths)]
    short = ["stdin" if path == "-" else PurePath(path).name for path in paths]
    plain = [name.split(".")[0] or name for name in short]
    distinct = (names for names in (plain, short) if len(set(names)) == len(names))
    return list(next(distinct, paths))
