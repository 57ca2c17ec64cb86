"""What JSON says: decoded fast, and with care where it may be damaged or hostile."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from gainful.errors import BadInput
from gainful.text import quote

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
REFUSED = b"{\x01"  # begins a line that an envelope put for a record that is missing, and says why
EXPECTED = "one JSON object a line, or a list of them"


class NoObject(ValueError):
    """What a line holds instead of an object, in words."""

    def __init__(self, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.expected = expected


def parse_object(line: bytes) -> dict[str, Any]:
    """The object of a line.

    Examples:
        >>> parse_object(b'{"a": 1}')
        {'a': 1}
    """
    try:
        value = decode_json(line)
    except NoObject:
        raise
    except (ValueError, RecursionError) as failure:
        if line.startswith(REFUSED):
            raise NoObject(line.removeprefix(REFUSED).decode()) from None
        shown = quote(line.decode("utf-8", errors="replace"))
        raise NoObject(_describe_failure(failure, shown), EXPECTED) from None
    if type(value) is not dict:
        raise NoObject(f"{quote(value)} is not an object", EXPECTED)
    return value


def _describe_failure(failure: Exception, shown: str) -> str:
    """Why a line is no JSON: it is cut off, something follows the object, or something else."""
    if not isinstance(failure, json.JSONDecodeError):
        return f"{shown} is not JSON"
    if failure.msg == "Extra data":
        return f"{quote(failure.doc[failure.pos :].strip())} follows the object"
    return (
        f"the record is truncated: {shown} is not JSON"
        if stops_early(failure)
        else f"{shown} is not JSON"
    )


def stops_early(failure: json.JSONDecodeError) -> bool:
    """Is all of a text JSON as far as it goes, up to a word or a text that is not complete?"""
    rest = failure.doc[failure.pos :].strip()
    begins_word = any(word.startswith(rest) for word in ("true", "false", "null"))
    return begins_word or failure.msg.startswith("Unterminated string")


def decode_objects(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects of some lines, decoded together; None if one of them wants a closer look."""
    text = b"[" + b",".join(lines) + b"]"
    objects = None if b"\\u003" in text else _decode_fast(text)
    sound = objects is not None and len(objects) == len(lines) and {*map(type, objects)} == {dict}
    return objects if sound else None


def _decode_fast(text: bytes) -> Any:
    try:
        value = _FAST_DECODER.decode(text)
        # Of a key that stands twice it keeps one, and a colon goes with the other.
        return value if _ENCODER.encode(value).count(b":") == text.count(b":") else None
    except (ValueError, RecursionError):
        return None


def decode_json(text: bytes) -> Any:
    """What JSON says in which no object has a key twice, and no text half a character."""
    value = None if b"\\u003" in text else _decode_fast(text)  # no colon is escaped
    if value is not None:
        return value
    value = _DECODER.decode(text.decode())
    if _HALF.search(text) is not None:
        _refuse_half_characters(value)
    return value


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as failure:
        half = f"\\u{ord(str(failure.object)[failure.start]):04x}"
        raise NoObject(f"{half} is half a character", "both halves of it") from None


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise NoObject(f"the key {quote(repeated)} is twice in one object")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_repeats)
_LENIENT_DECODER = json.JSONDecoder(strict=False)  # control characters may stand as they are
_FAST_DECODER, _ENCODER = msgspec.json.Decoder(), msgspec.json.Encoder()


def load_json(text: bytes, place: str) -> Any:
    """What JSON says; what it may not have is refused with its place."""
    try:
        return decode_json(text)
    except NoObject as failure:
        raise BadInput(place, str(failure), failure.expected) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_json(value: Any) -> Any:
    """What JSON in a text says; all else as it is, and so a text with half a character in it."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return _FAST_DECODER.decode(value)
    except (ValueError, RecursionError):
        pass  # it is no JSON, or has something that we forgive
    try:
        parsed = _LENIENT_DECODER.decode(value)
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return value
    return parsed
