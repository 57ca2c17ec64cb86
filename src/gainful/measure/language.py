"""Text → `Measure`: `parse("nDCG(gain={0:0,1:1,2:10}, discount=jk2008, b=2)@100")`.

The spellings of trec_eval (`ndcg_cut_10`, `P.5,10`), of ir_measures (`nDCG(dcg='exp-log2')@10`) and
of ranx (`rbp.95`) are understood too, and lists and ranges of cutoffs (`nDCG@1,3,5`, `nDCG@1..20`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import e
from typing import Any

from gainful.errors import BadValue, GainfulError, UnknownName, WrongType
from gainful.measure.catalogue import MEASURES, measure_names
from gainful.measure.formulas import find_in_plugins
from gainful.measure.measure import Measure, cutoff
from gainful.measure.names import (
    ANSWERS,
    GROUPS,
    SCALED_DCG,
    TREC_NAMES,
    find_measure_name,
    plain_name,
    pop_cutoff,
    split_trec_name,
    translate_measure,
)
from gainful.measure.parameter_kinds import ParameterValue
from gainful.text import NUMBER_PATTERN, join_words

_SHAPE = re.compile(
    r"(?P<name>[\wα]+(?:-[a-zA-Z]+|\+)?)\s*(?:\((?P<inner>.*)\))?\s*(?:@\s*(?P<k>[-+\w.]+(?:\s*,\s*[-+\w.]+)*))?",
    re.ASCII,
)
_NEXT_NAME = re.compile(r"\s*[A-Za-zα]")
_FLAT = re.compile(r"(?P<name>[A-Za-z]\w*)_at_(?P<k>\d+)", re.ASCII)  # as `to_flat` has them
_RANX_RBP = re.compile(r"rbp\.(\d+)", re.ASCII)  # rbp.95 of ranx is RBP(p=0.95)
_RANGE = re.compile(r"(\d+)\.\.(\d+)", re.ASCII)
_PARAM = re.compile(
    r"""\s*(?P<name>\w+)\s*=\s*
        (?P<value>\{[^{}]*\} | '[^']*' | "[^"]*" | [^\s,(){}'"=]+(?:\(\d+\))?)
        \s*(?P<end>,|$)""",
    re.VERBOSE | re.ASCII,
)
_MAX_LENGTH = 1000  # characters; no measure is longer
_SUFFIXES = (".html", ".csv", ".json", ".txt", ".md", ".tex")  # of files, which are no measures
_MAX_CUTOFFS = 1000  # cutoffs in one range
_ALLOWED = "NAME(parameter=value, …)@cutoff, such as nDCG(gain=exp)@10"

_LIKE_P = "p_ia"  # begins as trec_eval's P_5 does, and is another measure


def parse(text: str | Measure) -> Measure:
    """A measure from its spelling; `parse(str(m)) == m`.

    Examples:
        >>> parse("nDCG(gain=exp)@10") == Measure("nDCG")(gain="exp") @ 10
        True
        >>> str(parse("ndcg_cut_10"))
        'nDCG@10'
    """
    return parse_named(text)[1]


def parse_named(text: str | Measure) -> tuple[str, Measure]:
    """One measure from its spelling, behind the name that it gets."""
    measures = expand(text)
    if len(measures) > 1:
        names = join_words([*measures])
        raise BadValue("measure", text, f"one; these are {len(measures)}: {names}")
    return next(iter(measures.items()))


def parse_inner_measure(text: str | Measure) -> Measure:
    """The measure of single rankings that a session measure asks of its queries."""
    measure = parse(text)
    if measure.entry.session:
        allowed = "a measure of single rankings, such as 'nDCG@10'"
        raise BadValue("of", str(measure), allowed)
    return measure


def expand(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """Measures by the names the caller gave them; a list of cutoffs becomes one name for each.

    Those that are named already stay as they are.

    Examples:
        >>> list(expand(["ndcg_cut.5,10", "nDCG@1..3", "AP"]))
        ['ndcg_cut_5', 'ndcg_cut_10', 'nDCG@1', 'nDCG@2', 'nDCG@3', 'AP']
    """
    if isinstance(measures, Measure):
        cutoff(measures.k, measures.entry)
        return {str(measures): measures}
    if isinstance(measures, str):
        return _expand_text(measures)
    if isinstance(measures, Mapping):
        named = {name: known for name, known in measures.items() if isinstance(known, Measure)}
        if named:
            return named
    if not isinstance(measures, Iterable):
        raise WrongType("measure", measures, _ALLOWED)
    expanded: dict[str, Measure] = {}
    for measure in measures:
        if not isinstance(measure, (str, Measure)):
            raise WrongType("measure", measure, _ALLOWED)
        expanded |= expand(measure)
    if not expanded:
        raise BadValue("measures", measures, "at least one measure, such as nDCG@10")
    return expanded


def _split_measures(text: str) -> list[str]:
    """Several measures in one text: at each comma before a name that is not between brackets.

    Examples:
        >>> _split_measures("sDCG(b=2, at=queries(5))@1, AP, P@5,10")
        ['sDCG(b=2, at=queries(5))@1', 'AP', 'P@5,10']
    """
    parts, begin, depth = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        if character == "," and depth == 0 and _NEXT_NAME.match(text, at + 1):
            parts.append(text[begin:at].strip())
            begin = at + 1
    parts.append(text[begin:].strip())
    return parts if depth == 0 and all(parts) else [text]


def _suggest_commas(text: str) -> str:
    """What to write for measures with blanks between them; nothing where they are no measures."""
    parts = text.split()
    if len(parts) < 2 or not all(map(_SHAPE.fullmatch, parts)):
        return ""
    try:
        expand(parts)
    except GainfulError:
        return ""
    return f"measures with commas between them: {', '.join(parts)}"


def _expand_text(text: str) -> dict[str, Measure]:
    spelling = text.strip()
    if len(spelling) > _MAX_LENGTH:
        raise BadValue("measure", text, _ALLOWED)
    flat = _FLAT.fullmatch(spelling)
    if flat and spelling not in MEASURES and find_measure_name(flat["name"]):
        return dict.fromkeys([spelling], parse(f"{flat['name']}@{flat['k']}"))
    persistence = _RANX_RBP.fullmatch(spelling)
    if persistence:
        return {spelling: Measure("RBP")(p=float(f"0.{persistence[1]}"))}
    if "@" not in spelling and "(" not in spelling and spelling.lower() != _LIKE_P:
        trec_measures = _expand_trec_name(spelling)
        if trec_measures:
            return trec_measures
    parts = _split_measures(spelling)
    if len(parts) > 1:
        return expand(parts)
    match = _SHAPE.fullmatch(spelling)
    if not match:
        is_file = spelling.endswith(_SUFFIXES)
        allowed = f"a measure; .save({spelling!r}) writes the result" if is_file else _ALLOWED
        raise BadValue("measure", text, _suggest_commas(spelling) or allowed)
    name = canonical_name(match["name"], spelling)
    params = _parse_params(match["inner"], text) if match["inner"] else {}
    cut = pop_cutoff(params)
    name, params = translate_measure(name, params)
    if match["k"] is None:
        measure = Measure(name, params, None if cut is None else _parse_number(str(cut)))
        cutoff(measure.k, measure.entry)
        return {_label(spelling, match["name"], measure): measure}
    cuts = [k for part in match["k"].split(",") for k in _expand_range(part.strip())]
    head = spelling[: spelling.rindex("@")]
    measures = {f"{head}@{k}": Measure(name, params, _parse_number(k)) for k in cuts}
    return {_label(text, match["name"], measure): measure for text, measure in measures.items()}


def _expand_trec_name(spelling: str) -> dict[str, Measure]:
    """The measures that a name of trec_eval's stands for; none if it is no such name."""
    if spelling not in GROUPS and split_trec_name(spelling) is None:
        return {}
    from gainful.measure.trec_language import parse_trec_name  # noqa: PLC0415  (most do without)

    return {
        _label(line.name, line.trec_name.name, measure): measure
        for line in parse_trec_name(spelling) or ()
        for measure in [line.measure]
    }


def _label(spelling: str, name: str, measure: Measure) -> str:
    if name == measure.name:
        return spelling
    namesakes = {entry for entry in MEASURES if entry.lower() == name.lower()}
    namesakes |= {TREC_NAMES[name].measure} if name in TREC_NAMES else set()
    return str(measure) if namesakes - {measure.name} or name == SCALED_DCG else spelling


def _expand_range(part: str) -> list[str]:
    """One cutoff, or all of a range such as 1..20."""
    ends = _RANGE.fullmatch(part)
    if not ends:
        return [part]
    first, last = int(ends[1]), int(ends[2])
    if not 1 <= first <= last or last - first >= _MAX_CUTOFFS:
        raise BadValue("k", part, f"a range of at most {_MAX_CUTOFFS} cutoffs, such as 1..20")
    return [str(k) for k in range(first, last + 1)]


def canonical_name(name: str, text: str) -> str:
    """The catalogue's spelling; any case will do, and what people also call it."""
    spelling = find_measure_name(name)
    if spelling is None:
        find_in_plugins(name, MEASURES)  # which may have it in any case
        spelling = find_measure_name(name)
    if spelling is not None:
        return spelling
    plain, rest = plain_name(name), text[len(name) :]
    with_cutoff = re.fullmatch(r"([a-z]+)_?(\d+)", text.lower(), re.ASCII)
    meant = with_cutoff and find_measure_name(with_cutoff[1])
    if plain in ANSWERS:
        raise UnknownName("measure", text, measure_names(), answer=ANSWERS[plain])
    if with_cutoff and meant:  # nDCG10 for nDCG@10
        raise UnknownName(
            "measure", text, [f"{meant}@{with_cutoff[2]}"], "gainful measures lists them all"
        )
    trec_names = [trec_name.name for trec_name in TREC_NAMES.values() if trec_name.measure]
    spellings = [entry + rest for entry in measure_names()] + [*trec_names, *GROUPS]
    raise UnknownName("measure", text, spellings, "gainful measures lists them all")


def _parse_params(inner: str, text: str) -> dict[str, ParameterValue]:
    params: dict[str, ParameterValue] = {}
    position = 0
    while position < len(inner):
        match = _PARAM.match(inner, position)
        if not match:
            raise BadValue("measure", text, _ALLOWED)
        if match["name"] in params:
            raise BadValue(f"parameter {match['name']}", text, "each parameter once")
        params[match["name"]] = _parse_value(match["value"])
        position = match.end()
    return params


def _parse_value(text: str) -> ParameterValue:
    if text[0] in "'\"":
        return text[1:-1]
    if text == "e":
        return e
    return text == "True" if text in ("True", "False") else _parse_number(text)


def _parse_number(text: str) -> Any:
    """A number; what is none, as it is."""
    if not re.fullmatch(NUMBER_PATTERN, text, re.ASCII):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
