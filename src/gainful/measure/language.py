"""Text → `Measure`: `parse("nDCG(gain={0:0,1:1,2:10}, discount=jk2008, b=2)@100")`."""

from __future__ import annotations

import re
from math import e

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.formula import NUMBER
from gainful.measure.catalogue import MEASURES
from gainful.measure.measure import Measure, Setting

_SHAPE = re.compile(r"(?P<name>\w+)\s*(?:\((?P<inner>.*)\))?\s*(?:@\s*(?P<k>-?\w+))?", re.ASCII)
_PARAM = re.compile(
    r"""\s*(?P<name>\w+)\s*=\s*
        (?P<value>\{[^{}]*\} | '[^']*' | "[^"]*" | [^\s,(){}'"=]+)
        \s*(?P<end>,|$)""",
    re.VERBOSE | re.ASCII,
)
_LONGEST = 1000  # characters; no measure is longer
_ALLOWED = "NAME(parameter=value, …)@cutoff, such as nDCG(gain=exp)@10"


def parse(text: str | Measure) -> Measure:
    """A measure from its spelling; `parse(str(m)) == m`.

    Examples:
        >>> parse("nDCG(gain=exp)@10") == Measure("nDCG")(gain="exp") @ 10
        True
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise WrongType("measure", text, _ALLOWED)
    found = _SHAPE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if not found:
        raise BadValue("measure", text, _ALLOWED)
    name = _named(found["name"], text.strip())
    params = _params(found["inner"], text) if found["inner"] else {}
    cut = None
    if found["k"] is not None:
        if not re.fullmatch(r"-?\d+", found["k"], re.ASCII):
            raise WrongType("k", found["k"], "a whole number from 1 on")
        cut = int(found["k"])
    return Measure(name, tuple(params.items()), cut)


def _named(name: str, text: str) -> str:
    """The catalogue's spelling; all lower case will do as well."""
    if name in MEASURES:
        return name
    lower = {known.lower(): known for known in MEASURES}
    if name in lower:
        return lower[name]
    rest = text[len(name) :]
    known = [entry + rest for entry in MEASURES]
    raise UnknownName("measure", text, known, "gainful measures lists them all")


def _params(inner: str, text: str) -> dict[str, Setting]:
    params: dict[str, Setting] = {}
    position = 0
    while position < len(inner):
        found = _PARAM.match(inner, position)
        if not found:
            raise BadValue("measure", text, _ALLOWED)
        if found["name"] in params:
            raise BadValue(f"parameter {found['name']}", text, "each parameter once")
        params[found["name"]] = _value(found["value"])
        position = found.end()
    return params


def _value(text: str) -> Setting:
    if text[0] in "'\"":
        return text[1:-1]
    if text == "e":
        return e
    if not re.fullmatch(NUMBER, text, re.ASCII):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
