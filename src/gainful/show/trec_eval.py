"""What trec_eval prints, line by line: version 10's words, or version 9's.

Not reproduced: what trec_eval prints while it debugs, its crashes, and its sorting of gains by
whole numbers only (`ndcg.1=2.5,2=2.2` may come out wrong there).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from attrs import evolve, field, frozen

from gainful.convention import Convention, like
from gainful.errors import UnknownName
from gainful.formula import Array
from gainful.match.match import match
from gainful.match.matched import Flags, Matched
from gainful.measure.evaluate import of_matched
from gainful.measure.measure import Measure
from gainful.measure.ranked_run import seen
from gainful.measure.recipe import Recipe, recipe
from gainful.measure.trec_eval_names import GROUPS, GROUPS_9, TREC_NAMES, Spelled, spelled
from gainful.read.qrels_and_run import Judgments, Run, duplicates

Version = Literal[9, 10]
_ALWAYS_ZERO = ("num_ret", "utility", "rbp_resid", "unj")  # of a query that version 10 fills in
_SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
_NO_SCORE = -1_000_000.0  # where a file of means and deviations lacks a measure


@frozen(kw_only=True)
class Asked:
    """What the flags say."""

    measures: Sequence[str] = ()
    version: Version = 10
    per_query: bool = False
    summary: bool = True
    complete: bool = False  # -c: queries that the run lacks count as 0
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection: int = 0
    zscores: Mapping[tuple[str, str], tuple[float, float]] | None = field(default=None, repr=False)


class Stopped(Exception):
    """trec_eval gives up at a query, having printed those before it."""


def lines_asked(asked: Asked) -> list[tuple[str, list[Spelled]]]:
    """The names that were asked for, in trec_eval's order, each with the lines it prints."""
    groups = GROUPS if asked.version == 10 else GROUPS_9
    marked: set[str] = set()
    params: dict[str, str] = {}
    for text in asked.measures or ("official",):
        name, dot, after = text.partition(".")
        if name in groups:
            marked |= {*groups[name]}
        elif name in TREC_NAMES and not (dot and not after):
            marked.add(name)
            if dot:
                params.setdefault(name, after)
        else:
            raise UnknownName("measure", text, [*TREC_NAMES, *groups])
    return [
        (name, spelled(known, params.get(name) if known.kind != "plain" else None))
        for name, known in TREC_NAMES.items()
        if name in marked
    ]


def printed(
    qrels: Judgments, run: Run, asked: Asked, lines: list[tuple[str, list[Spelled]]]
) -> Iterator[str]:
    """Every line that trec_eval would print; ends with `Stopped` where it would stop."""
    habits = _habits(asked)
    twice = _judged_twice(qrels)
    if twice:
        frame = qrels.frame.unique(["query", "doc"], keep="first", maintain_order=True)
        qrels = evolve(qrels, frame=frame)
    found = match(qrels, run, habits)
    if asked.depth is not None:
        found = found.cut(asked.depth)
    missing = found.judged & ~found.found
    if asked.version == 10:  # a query that the run lacks gets one document without a judgment
        found = evolve(found, retrieved=np.where(missing, 1, found.retrieved))
    values = of_matched(found, _recipes(lines, habits, asked))
    _mend_missing(values, lines, missing, asked.version)
    _score(values, found.queries, asked)
    counted = found.judged & (found.found | asked.complete)
    judged: list[int] = np.flatnonzero(found.judged).tolist()
    order = sorted(judged, key=lambda row: found.queries[row].encode())
    strings = _strings(found, habits, lines, missing)
    stops = _stops(run, found, missing, asked) | {
        row: twice[found.queries[row]]
        for row in order
        if found.queries[row] in twice and (asked.version == 10 or found.found[row])
    }
    for row in order:
        if row in stops:
            raise Stopped(stops[row])
        if asked.per_query and counted[row] and (asked.version == 10 or not missing[row]):
            yield from _of_query(lines, values, strings, found.queries[row], row)
    if not counted.any():
        raise Stopped("no queries with both results and judgments")
    if asked.summary:
        kept = [row for row in order if counted[row]]
        yield from _summary(lines, values, kept, run.tag)


def _habits(asked: Asked) -> Convention:
    base = like("trec_eval" if asked.version == 10 else "trec_eval_9")
    base = base.changed(rel=asked.level, duplicates="count")
    return base.changed(unjudged="remove", negative="remove") if asked.judged_only else base


def _recipes(
    lines: list[tuple[str, list[Spelled]]], convention: Convention, asked: Asked
) -> dict[str, Recipe]:
    found = {}
    for name, some in lines:
        for line in some:
            measure = line.measure
            if measure is None:
                continue
            if name == "utility":
                measure = measure(docs=asked.collection)
            found[line.name] = recipe(measure, like_whom=convention)
    return found


def _mend_missing(
    values: dict[str, Array], lines: list[tuple[str, list[Spelled]]], missing: Flags, version: int
) -> None:
    """What version 9 and 10 say of a query that the run lacks."""
    for name, some in lines:
        for line in some:
            if line.measure is None or name in ("num_q", "num_rel", "gm_map", "gm_bpref"):
                continue
            zero = version == 9 or line.name.startswith("unj") or line.name in _ALWAYS_ZERO
            if zero:
                values[line.name] = np.where(missing, 0.0, values[line.name])


def _score(values: dict[str, Array], queries: Sequence[str], asked: Asked) -> None:
    """Each value as its distance from a mean, in standard deviations (-Z)."""
    if asked.zscores is None:
        return
    for name, column in values.items():
        known = [asked.zscores.get((query, name)) for query in queries]
        values[name] = np.array(
            [
                _NO_SCORE if pair is None or pair[1] == 0 else (value - pair[0]) / pair[1]
                for value, pair in zip(column, known, strict=True)
            ]
        )


def _strings(
    matched: Matched, convention: Convention, lines: list[tuple[str, list[Spelled]]], missing: Flags
) -> dict[str, list[str]]:
    """The grades of the first documents of each query, one character each."""
    asked = [line for name, some in lines if name == "relstring" for line in some]
    strings = {}
    for line in asked:
        after = line.name.removeprefix("relstring").removeprefix("_")
        length = max(0, int(float(after))) if after else 10  # as long as it was checked to be
        view = seen(matched, convention)
        wide = np.where(missing, 0, np.minimum(view.retrieved, length))
        texts = [["-"] * int(size) for size in wide]
        for query, rank, grade in zip(view.query, view.rank, view.grade, strict=True):
            if rank <= length:
                texts[query][rank - 1] = _character(int(grade))
        strings[line.name] = ["".join(text) for text in texts]
    return strings


def _character(grade: int) -> str:
    return "." if grade < 0 else ">" if grade > 9 else str(grade)


def _stops(run: Run, matched: Matched, missing: Flags, asked: Asked) -> dict[int, str]:
    """The queries at which trec_eval gives up, and why."""
    stops = {}
    if asked.version == 10 and not asked.complete:
        stops = {
            row: f"query {matched.queries[row]!r} is judged, but the run lacks it "
            "(-c counts it as 0, --as 9 skips it)"
            for row in np.flatnonzero(missing).tolist()
        }
    if matched.duplicates:
        twice = _retrieved_twice(run, asked.depth)
        for row in np.flatnonzero(matched.judged).tolist():
            if (query := matched.queries[row]) in twice:
                stops[row] = f"query {query!r} has document {twice[query]!r} twice"
    return stops


def _retrieved_twice(run: Run, depth: int | None) -> dict[str, str]:
    """A document that stands twice in each query, as far down as is looked at."""
    repeated = duplicates(run.frame)
    frame = run.frame.filter(run.frame["query"].is_in(repeated["query"].implode()))
    if depth is not None:
        ordered = frame.sort("score", "doc", descending=True)
        frame = ordered.group_by("query", maintain_order=True).head(depth)
    return dict(duplicates(frame).select("query", "doc").iter_rows())


def _judged_twice(qrels: Judgments) -> dict[str, str]:
    """What is said of each query in which a document is judged twice."""
    repeated = duplicates(qrels.frame).unique(["query"], keep="first").iter_rows()
    return {
        query: f"query {query!r} has document {doc!r} judged twice" for query, doc, _ in repeated
    }


def _of_query(
    lines: list[tuple[str, list[Spelled]]],
    values: Mapping[str, Array],
    strings: Mapping[str, list[str]],
    query: str,
    row: int,
) -> Iterator[str]:
    for name, some in lines:
        for line in some:
            if name == "relstring":
                yield f"{line.name:<22}\t{query}\t'{strings[line.name][row]}'"
            elif name not in _SUMMARY_ONLY and line.measure is not None:
                yield f"{line.name:<22}\t{query}\t{_number(line.measure, values[line.name][row])}"


def _summary(
    lines: list[tuple[str, list[Spelled]]],
    values: Mapping[str, Array],
    rows: list[int],
    tag: str,
) -> Iterator[str]:
    for name, some in lines:
        for line in some:
            if name == "runid":
                yield f"{'runid':<22}\tall\t{tag}"
            elif line.measure is not None:
                entry = line.measure.entry
                total = np.cumsum(values[line.name][rows])[-1]  # one after another, as it adds
                one = total if entry.mean == "sum" else total / len(rows)
                one = np.exp(one) if entry.mean == "geometric" else one
                yield f"{line.name:<22}\tall\t{_number(line.measure, one)}"


def _number(measure: Measure, value: float) -> str:
    return f"{int(value)}" if measure.entry.mean == "sum" else f"{value:6.4f}"
