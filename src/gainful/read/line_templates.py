r"""Lines of JSON of one writer, which differ in their texts and numbers only.

A log of a million lines has a few shapes. A line of a known shape is matched by one regular
expression, which says as much as reading it as JSON: the same keys in the same order, a text where
there was one, escapes as they should be. It gives the few texts that are wanted, in a third of the
time. All other lines are read as JSON, and some of them teach new shapes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen

from gainful.read.jsonl import HALF, parse_object

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+|-')
_INNER = r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_MARK = "\ue000"  # begins a text that stands for any text of a line
_NAMING_KEYS = {'"key"'}  # whose texts are names, as of attributes in OTLP, and not values
_SEEN_BEFORE_LEARNING = 16  # lines of a shape
_MAX_SHAPES = 256
_MAX_LENGTH = 1 << 14  # of a line whose shape is learnt

Record = dict[str, Any]
# What is wanted of a record: texts by name, and those that must stay as they are.
Wanted = tuple[Mapping[str, Any], frozenset[str]]
Choose = Callable[[Record, Record], Wanted | None]


@frozen(eq=False)
class LineTemplate:
    """A shape of lines: what matches it, and which of its groups are which of the wanted texts."""

    pattern: re.Pattern[str]
    names: tuple[str, ...]  # of the groups, in order

    def match(self, line: str) -> tuple[str, ...] | None:
        """The wanted texts of a line; None if it is of another shape."""
        match = self.pattern.fullmatch(line)
        if match is None:
            return None
        texts: tuple[str, ...] = match.groups()
        if "\\" in line and "\\" in "".join(texts):
            return tuple(json.loads(f'"{text}"') if "\\" in text else text for text in texts)
        return texts


class LineTemplates:
    """The shapes of a file that are known so far."""

    def __init__(self, choose: Choose) -> None:
        """Nothing is known yet.

        Args:
            choose: what is wanted of a record in which every text is a mark, and of the record
                itself; None if not all that matters is texts of its own.
        """
        self._choose = choose
        self._known: dict[int, LineTemplate | None] = {}
        self._counts: Counter[int] = Counter()

    def match(self, line: bytes) -> tuple[LineTemplate, tuple[str, ...]] | None:
        """The shape of a line, and its wanted texts; None if it has to be read as JSON."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return None
        shape = text.count('"')
        template = self._known.get(shape)
        if template is None:
            if shape not in self._known:
                self._learn(shape, text)
            return None
        texts = template.match(text)
        if texts is None or ("\\u" in text and HALF.search(line) is not None):
            return None
        return template, texts

    def _learn(self, shape: int, text: str) -> None:
        self._counts[shape] += 1
        if self._counts[shape] < _SEEN_BEFORE_LEARNING or len(self._known) >= _MAX_SHAPES:
            return
        self._known[shape] = None if len(text) > _MAX_LENGTH else make_template(text, self._choose)


def make_template(text: str, choose: Choose) -> LineTemplate | None:
    """The shape of a line, if what is wanted of it is texts of its own.

    Examples:
        >>> template = make_template(
        ...     '{"id": "a", "n": 1}', lambda marks, record: ({"id": marks["id"]}, frozenset())
        ... )
        >>> template.match('{"id": "b", "n": -2.5}'), template.match('{"id": "b"}')
        (('b',), None)
    """
    try:
        record = parse_object(text.encode())
    except ValueError:
        return None
    tokens = _TOKEN.findall(text)
    values = [index for index in range(len(tokens)) if _is_value(tokens, index)]
    if "".join(tokens) != text or _MARK in text:
        return None
    marked = list(tokens)
    for index in values:
        marked[index] = f'"{_MARK}{index}"'
    wanted = choose(json.loads("".join(marked)), record)
    if wanted is None:
        return None
    texts, literal = wanted
    marks = {f"{_MARK}{index}": index for index in values}
    used = {name: mark for name, mark in texts.items() if mark is not None}
    if not all(isinstance(mark, str) and mark in marks for mark in used.values()):
        return None
    names = {marks[mark]: name for name, mark in used.items()}
    if len(names) < len(used):  # one text for two things
        return None
    kept = {marks[mark] for mark in literal if mark in marks}
    parts = [
        _write_part(tokens, index, is_value=index in marks.values(), kept=index in kept)
        if index not in names or index in kept
        else f'"({_INNER})"'
        for index in range(len(tokens))
    ]
    groups = tuple(names[index] for index in sorted(names) if index not in kept)
    return LineTemplate(re.compile("".join(parts)), groups)


def _write_part(tokens: Sequence[str], index: int, *, is_value: bool, kept: bool) -> str:
    """A token as it is matched: a text or number of any content, all else as it is."""
    token = tokens[index]
    if is_value and not kept:
        return f'"{_INNER}"'
    return _NUMBER if token[0] in "-0123456789" else re.escape(token)


def _is_value(tokens: Sequence[str], index: int) -> bool:
    """Is a token a text that may be another in another line?"""
    if not tokens[index].startswith('"') or tokens[index + 1].lstrip().startswith(":"):
        return False
    return not (
        index >= 2 and tokens[index - 1].strip() == ":" and tokens[index - 2] in _NAMING_KEYS
    )
