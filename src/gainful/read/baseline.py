"""`Baseline`: the scores of a run, in a file to compare later runs with.

The file is read strictly: what was edited, cut short or written by something else is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import exp, fsum
from os import PathLike
from typing import Annotated, Any

import attrs
import msgspec
from attrs import frozen

from gainful.errors import BadInput, WrongType
from gainful.read.json_text import load_json
from gainful.read.source import open_source
from gainful.rounding import COARSE_ROUNDING
from gainful.text import quote
from gainful.types import is_whole_number

FORMAT, VERSION = "gainful baseline", 2
_FIRST_VERSION = 1  # which knew no anchor and no history
NEW_BASELINE_ADVICE = "a baseline of gainful gate; save a new one with --save-baseline FILE"
_CHECKSUM = "checksum"


_LARGEST_NUMBER = 1e300  # of numbers that a file may hold
_Number = Annotated[float, msgspec.Meta(ge=-_LARGEST_NUMBER, le=_LARGEST_NUMBER)]
_Numbers = dict[str, _Number]


class _Anchor(msgspec.Struct, forbid_unknown_fields=True):
    """What the file keeps of the first run of a chain."""

    run: str
    values: _Numbers


class _Save(msgspec.Struct, forbid_unknown_fields=True):
    """What the file keeps of each run that was saved."""

    run: str
    gainful: str
    mean: _Numbers
    spread: _Numbers


@frozen(eq=False, kw_only=True)
class Baseline:
    """The values of a run by query, with the convention and the judgments that they hold for."""

    run: str
    queries: Annotated[int, msgspec.Meta(ge=0)]
    measures: Mapping[str, str]  # the canonical spelling, by the name that was asked for
    mean: Mapping[str, _Number]
    values: Mapping[str, Mapping[str, _Number | None]]  # by query and measure; None: left out
    convention: Mapping[str, Any]  # `like`, and an answer for each setting
    judgments: str  # their fingerprint
    gainful: str  # which version of it
    # Of each measure (canonical spelling) the first run of the chain, and its values by query;
    # a measure that was saved here first has none.
    anchor: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    # Each run that was saved in the chain, this one last: means, and the spread of changes.
    history: Sequence[Mapping[str, Any]] = ()
    name: str = "baseline"  # the file, for a message

    def find_name(self, measure: str) -> str | None:
        """What a measure is called in here, by its canonical spelling; None if it is not here."""
        names = (name for name, spelling in self.measures.items() if spelling == measure)
        return next(names, None)

    def values_by_query(self, measure: str) -> dict[str, float]:
        """The values that count, by query; a measure that is not there is an error."""
        name = self.find_name(measure)
        if name is None:
            available = ", ".join(self.measures) or "none"
            problem = f"it has values of {available}, but not of {measure}"
            way = f"save a new one with -m '{measure}' --save-baseline FILE"
            raise BadInput(self.name, problem, f"a baseline with it; {way}")
        rows = ((query, row[name]) for query, row in self.values.items())
        return {query: value for query, value in rows if value is not None}

    def to_text(self) -> str:
        """The file."""
        content = {"format": FORMAT, "version": VERSION, **attrs.asdict(self, recurse=False)}
        del content["name"]
        content["history"] = list(self.history)
        content[_CHECKSUM] = _checksum(content)
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


attrs.resolve_types(Baseline, include_extras=True)
_NEW_FIELDS: Mapping[str, Any] = {"anchor": dict[str, _Anchor], "history": list[_Save]}  # since 2
# What each field of the file must be.
_FIELDS = {
    **{each.name: each.type for each in attrs.fields(Baseline) if each.name != "name"},
    "convention": dict[str, str | _Number | None],
    **_NEW_FIELDS,
}


def read_baseline(path: str | PathLike[str]) -> Baseline:
    """A baseline from its file; whatever is wrong with it is an error."""
    if not isinstance(path, (str, PathLike)):
        raise WrongType("baseline", path, "the path of a file")
    try:
        source = open_source(path)
        content = load_json(source.read_bytes(), source.name)
    except BadInput as error:
        raise BadInput(error.where, error.problem, NEW_BASELINE_ADVICE) from None
    except ValueError as failure:
        is_cut = source.head.lstrip().startswith((b"{", b"["))
        why = f"this is not JSON, or not all of it: {failure}"
        problem = why if is_cut else "this is not a baseline: it is not JSON"
        raise BadInput(source.name, problem, NEW_BASELINE_ADVICE) from None
    problem = _find_problem(content)
    if problem:
        raise BadInput(source.name, problem, NEW_BASELINE_ADVICE)
    values = {name: content[name] for name in _FIELDS if name in content}
    return Baseline(name=source.name, **values)


def _find_problem(content: Any) -> str:
    """What is wrong with the content of a file; an empty text if nothing is."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return "this is not a baseline"
    format_version: Any = content.get("version")
    if not is_whole_number(format_version) or not _FIRST_VERSION <= format_version <= VERSION:
        is_newer = is_whole_number(format_version) and format_version > VERSION
        newer = " (a newer gainful wrote it)" if is_newer else ""
        return (
            f"it has version {quote(format_version)} of the format{newer}; "
            f"this gainful reads {_FIRST_VERSION} to {VERSION}"
        )
    try:
        checksum = _checksum(content)
    except ValueError:
        return "there is a value that is not a finite number"
    if content.get(_CHECKSUM) != checksum:
        return "its checksum does not match: it was edited by hand, or is damaged"
    return _find_wrong_field(content) or _find_inconsistency(content)


def _find_wrong_field(content: Mapping[str, Any]) -> str:
    old = content["version"] == _FIRST_VERSION
    expected = {name: kind for name, kind in _FIELDS.items() if not (old and name in _NEW_FIELDS)}
    for name, kind in expected.items():
        if name not in content:
            return f"there is no {name!r} in it"
        try:
            msgspec.convert(content[name], kind)
        except msgspec.ValidationError as failure:
            return f"{name!r} is {quote(content[name])}: {failure}"
    unknown = content.keys() - expected.keys() - {"format", "version", _CHECKSUM}
    return f"there is {quote(min(unknown))} in it, which is unknown" if unknown else ""


def _find_inconsistency(content: Mapping[str, Any]) -> str:
    measures, values = content["measures"].keys(), content["values"]
    if content["queries"] != len(values):
        return f"'queries' is {content['queries']}, but there are values of {len(values)}"
    if content["mean"].keys() != measures or any(row.keys() != measures for row in values.values()):
        return "'measures', 'mean' and 'values' do not have the same measures"
    for name, mean in content["mean"].items():
        counted = [row[name] for row in values.values() if row[name] is not None]
        total = fsum(counted)
        average = total / max(len(counted), 1)
        sums_up = (average, total, exp(min(average, 700)))  # counts are added, logarithms undone
        slack = COARSE_ROUNDING * max(map(abs, (*counted, mean)))
        if all(abs(mean - number) > slack for number in sums_up):
            return f"the mean of {name} is {mean:g} in it, but its values have {average:g}"
    return "" if measures else "there is no measure in it"


def _checksum(content: Mapping[str, Any]) -> str:
    payload = {name: value for name, value in content.items() if name != _CHECKSUM}
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
