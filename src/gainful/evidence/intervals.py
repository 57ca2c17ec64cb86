"""How sure is a mean? Intervals of runs and sessions, by Student's t or by drawing units again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack, overload

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.defaults import RESAMPLES, SEED
from gainful.errors import WrongType, check_number
from gainful.evidence.options import DrawingOptions
from gainful.evidence.pairing import NOT_A_MEAN, describe_turns
from gainful.evidence.statistics.bootstrap import INTERVALS, bootstrap_test
from gainful.evidence.statistics.outcome import DEFAULT_LEVEL, Resampling, UnitSums
from gainful.evidence.statistics.paired_tests import T_INTERVAL
from gainful.measure.entry import Aggregation, Entry
from gainful.measure.results import QueryResults
from gainful.measure.sessions.results import SessionResults
from gainful.measure.values import Results, aggregate
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, ShownByRun
from gainful.page.table import Table, to_plain_data
from gainful.read.sessions import CONVERSATION
from gainful.rounding import ROUNDING
from gainful.text import collect_by_key, mark_notes, merge_notes, pluralise, shorten
from gainful.types import Array, Flags, Ranks, finite_or_none

FEWEST_DRAWN = 25  # queries; intervals that draw from fewer hold too little (docs/error-rates.md)
MANY_INTERVAL = f"{T_INTERVAL} of many"  # where drawing takes long and tells nothing else


_Ends = tuple[float, float, str]  # and by which method they were found


@frozen
class Interval:
    """One mean (or sum, or geometric mean): its interval, and what it is with one query left out.

    `query_low` is the query without which the mean is smallest, `query_high` that without which
    it is largest. Unknown values are None, and `MeanIntervals.notes` say why.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    loo_low: float | None = None
    loo_high: float | None = None
    query_low: str | None = None
    query_high: str | None = None
    kind: Aggregation = "mean"
    method: str | None = None  # how the interval was found; None where there is none to find

    @property
    def influential_query(self) -> str | None:
        """The query that moves the mean most when it is left out; None where none moves it."""
        if self.mean is None or self.loo_low is None or self.loo_high is None:
            return None
        down, up = self.mean - self.loo_low, self.loo_high - self.mean
        if max(down, up) <= ROUNDING * abs(self.mean):
            return None
        return self.query_low if down >= up else self.query_high

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        data = to_plain_data(self)
        return {"kind": data.pop("kind"), **data, "moved_by": self.influential_query}


@frozen(eq=False)
class Averaged:
    """What a mean is of: values of queries, or of whatever the unit is, and their names."""

    values: Array
    names: Sequence[str]
    entry: Entry
    cluster: Ranks | None = None  # the number of what each belongs to and is drawn with

    @property
    def scale(self) -> float:
        """A power of two near the largest: of numbers near 1 no power is too large or too small."""
        return float(np.exp2(np.ceil(np.log2(np.abs(self.values).max()))))

    def sum_units(self) -> UnitSums | None:
        """The resampled units; None if there are too few values or all are equal."""
        is_known = len(self.values) > 1 and np.isfinite(self.values).all()
        if not is_known or np.ptp(self.values) <= ROUNDING * np.abs(self.values).max():
            return None
        return UnitSums.from_values(self.values[:, None] / self.scale, self.cluster)


def find_intervals(
    averaged: Sequence[Averaged],
    resampling: Resampling,
    *,
    unit: str = "query",
    most_drawn: int | None = None,
) -> list[tuple[Interval, str]]:
    """The interval of each mean, and why it is not all there; units are drawn once for all.

    Of more than `most_drawn` nothing is drawn: Student's t is as good.
    """
    units = {at: sums for at, item in enumerate(averaged) if (sums := item.sum_units()) is not None}
    drawn = {
        at: sums
        for at, sums in units.items()
        if FEWEST_DRAWN <= sums.number <= (most_drawn or sums.number)
    }
    ends = _bootstrap_ends(averaged, drawn, resampling)
    ends |= {at: _t_ends(averaged[at], units[at], resampling) for at in {*units} - {*drawn}}
    return [_describe_interval(item, ends.get(at), unit) for at, item in enumerate(averaged)]


def _describe_interval(averaged: Averaged, ends: _Ends | None, unit: str) -> tuple[Interval, str]:
    values, kind = averaged.values, averaged.entry.aggregation
    if not values.size:
        return Interval(None, kind=kind), f"no {unit} counts, so there is no mean"
    mean = aggregate(values, kind)
    if values.size == 1:
        return Interval(mean, kind=kind), f"no interval from a single {unit}"
    if not np.isfinite(values).all():
        reason = f"not every {unit} has a finite value: no mean, no interval"
        return Interval(None, kind=kind), reason
    low, high, method = (mean, mean, None) if ends is None else ends
    reason = f"every {unit} has the same value, so the interval is a point" if ends is None else ""
    if ends is not None and kind == "sum":
        low, high = low * len(values), high * len(values)
    elif ends is not None and kind == "geometric":
        low, high = float(np.exp(low)), float(np.exp(high))
    if kind == "sum":
        reason = reason or f"a sum always drops without a {unit}: no range"
        return Interval(mean, low, high, kind=kind, method=method), reason
    without_one = _leave_one_out(values, kind, averaged.names)
    return Interval(mean, low, high, *without_one, kind=kind, method=method), reason


def _t_ends(averaged: Averaged, units: UnitSums, resampling: Resampling) -> _Ends:
    """The t interval of the mean, but not beyond what values can be."""
    from scipy.special import stdtrit  # noqa: PLC0415  (slow to load)

    values, entry = averaged.values, averaged.entry
    mean, error = (float(part[0]) for part in (units.means(), units.standard_errors()))
    reach = -stdtrit(units.number - 1, resampling.alpha / 2) * error
    low, high = ((mean + side * reach) * averaged.scale for side in (-1, 1))
    is_log = entry.aggregation == "geometric"  # of a share
    if not (entry.signed or entry.registered or is_log) and values.min() >= 0:
        low = max(low, 0.0)
    most = 0.0 if is_log else 1.0  # the logarithm of 1 is 0
    if (entry.bounded or is_log) and values.max() <= most:
        high = min(high, most)
    return float(low), float(high), T_INTERVAL if units.number < FEWEST_DRAWN else MANY_INTERVAL


def _bootstrap_ends(
    averaged: Sequence[Averaged], drawn: Mapping[int, UnitSums], resampling: Resampling
) -> dict[int, _Ends]:
    """The ends by place; what has units of the same sizes is drawn together."""
    alike = collect_by_key((units.sizes.tobytes(), at) for at, units in drawn.items())
    ends = {}
    for chosen in alike.values():
        sums = np.hstack([drawn[at].sums for at in chosen])
        outcome = bootstrap_test(UnitSums(sums, drawn[chosen[0]].sizes), resampling)
        for at, *both in zip(chosen, outcome.low.tolist(), outcome.high.tolist(), strict=True):
            values, scale = averaged[at].values, averaged[at].scale
            # No mean of drawn queries is beyond them all, but for rounding.
            low, high = sorted(np.clip(np.array(both) * scale, values.min(), values.max()).tolist())
            ends[at] = (low, high, INTERVALS["BCa"])
    return ends


def _leave_one_out(
    values: Array, kind: Aggregation, names: Sequence[str]
) -> tuple[float, float, str, str]:
    """The smallest and largest mean without one query, and which query that is.

    The mean is smallest without the largest value, so two means are all that is to be computed.
    """
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    low, high = (aggregate(np.delete(values, at), kind) for at in (best, worst))
    return low, high, names[best], names[worst]


_PARTS = ("low", "high", "loo_low", "loo_high", "query_low", "query_high")
_LONGEST = 30  # characters of a query's name


@frozen(eq=False, repr=False)
class MeanIntervals(Shown):
    """The intervals of all means of a run, and how they were found."""

    run: str
    level: float  # per cent
    resamples: int
    seed: int
    intervals: Mapping[str, Interval]  # by measure
    notes: tuple[str, ...] = ()
    kind: str = "run"  # whose means they are
    unit: str = "query"  # what has a value
    drawn: str = "query"  # what is drawn again: units, or what these belong to, such as searchers

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "level": self.level,
            "method": self.method,
            "resamples": self.resamples,
            "seed": self.seed,
            "measures": {name: interval.to_dict() for name, interval in self.intervals.items()},
            "notes": list(self.notes),
        }

    @property
    def method(self) -> str:
        """How intervals were found: by t below 25 queries, else by drawing queries again."""
        methods = {interval.method for interval in self.intervals.values() if interval.method}
        return " and ".join(sorted(methods)) or INTERVALS["BCa"]

    def page(self, *, verbose: bool = False) -> Page:
        """A table of intervals."""
        return mean_intervals_page([self], verbose=verbose)


class RunMeanIntervals(ShownByRun[MeanIntervals]):
    """The intervals of several runs by name."""

    def page(self, *, verbose: bool = False) -> Page:
        """The intervals of all runs."""
        return mean_intervals_page(list(self.values()), verbose=verbose)


@overload
def mean_intervals(
    results: Results, level: float = ..., *, resamples: int = ..., seed: int = ...
) -> MeanIntervals: ...


@overload
def mean_intervals(
    results: Mapping[str, Results], level: float = ..., *, resamples: int = ..., seed: int = ...
) -> RunMeanIntervals: ...


def mean_intervals(
    results: Results | Mapping[str, Results],
    level: float = DEFAULT_LEVEL,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> MeanIntervals | RunMeanIntervals:
    """How much does each mean depend on the queries that happen to be asked?

    Args:
        results: what `evaluate` returned, of a run or of several.
        level: of the interval, in per cent: 1 to 99.99.
        resamples: number of resamples.
        seed: random seed; the same seed gives the same interval.

    Returns:
        `MeanIntervals`: by measure the interval of the mean and its range with one query left out.
        A geometric mean is treated as a mean of logarithms; a sum has an interval, but
        no range. Of several runs `RunMeanIntervals`, which is a dict of them by name.

    Examples:
        >>> from gainful import evaluate
        >>> judged = {"1": ["a"], "2": ["b"], "3": ["c"]}
        >>> run = {"1": ["a"], "2": ["x", "b"], "3": ["x", "y", "c"]}
        >>> interval = mean_intervals(evaluate(judged, run, "RR")).intervals["RR"]
        >>> round(interval.mean, 4), round(interval.loo_low, 4), round(interval.loo_high, 4)
        (0.6111, 0.4167, 0.75)
        >>> interval.influential_query
        '1'
    """
    resampling = resampling_for_level(level, resamples=resamples, seed=seed)
    if isinstance(results, Mapping) and results:
        all_intervals = {
            name: mean_intervals(run, level, resamples=resamples, seed=seed)
            for name, run in results.items()
        }
        return RunMeanIntervals(all_intervals)
    if not isinstance(results, QueryResults):
        raise WrongType("results", results, "what gainful.evaluate returned")
    everything, drawn = np.ones(len(results.ids), dtype=bool), DrawnUnits(results.unit)
    intervals, notes = _find_all(results, everything, resampling, drawn, results.unit)
    notes += describe_turns(results.ids, takes_clusters=False)
    fields = float(level), resamples, seed, intervals, tuple(notes)
    return MeanIntervals(results.name, *fields, unit=results.unit, drawn=results.unit)


def _find_all(  # noqa: PLR0917  (all of a mean)
    results: Results,
    flags: Flags,
    resampling: Resampling,
    drawn: DrawnUnits,
    unit: str = "query",
    most_drawn: int | None = None,
) -> tuple[dict[str, Interval], list[str]]:
    """The interval of each mean over some units, and why some are not all there."""
    averaged, outcomes = {}, {}
    for name, recipe in results.recipes.items():
        values = np.ma.asarray(results.values[name])
        rows = np.flatnonzero(flags & ~np.ma.getmaskarray(values))
        cluster = drawn.select(rows)
        problem = ""
        if recipe.entry.aggregation == "whole":
            problem = f"{NOT_A_MEAN['whole']}, so there is no interval"
        elif isinstance(results, SessionResults) and results.has_joint_mean(name):
            problem = "the mean is not an average of values, so there is no interval"
        elif cluster is not None and cluster.size > 1 and not cluster.any():
            problem = f"all belong to one {drawn.name}: no interval"
        if problem:
            mean = results.mean_of(name, None if flags.all() else flags)
            outcomes[name] = Interval(finite_or_none(mean)), problem
        else:
            names = [results.ids[row] for row in rows.tolist()]
            averaged[name] = Averaged(values.data[rows], names, recipe.entry, cluster)
    both = find_intervals([*averaged.values()], resampling, unit=unit, most_drawn=most_drawn)
    outcomes |= dict(zip(averaged, both, strict=True))
    names_by_problem = collect_by_key((outcomes[name][1], name) for name in results.recipes)
    notes = [f"{', '.join(names)}: {why}" for why, names in names_by_problem.items() if why]
    return {name: outcomes[name][0] for name in results.recipes}, notes


def group_intervals(
    results: Results, intervals: MeanIntervals, *, folded: bool = False
) -> list[MeanIntervals]:
    """The intervals of the means of each group, found as those of all queries were.

    For people groups are `folded`: the largest, and all others as one; their notes are left out.
    """
    from gainful.measure.groups import fold_groups  # noqa: PLC0415  (few ask for it)

    flags = fold_groups(results.group_flags()) if folded else results.group_flags()
    all_intervals = [
        mean_intervals(
            evolve(results.restrict(some), name=f"{results.name}: {label}"),
            intervals.level,
            resamples=intervals.resamples,
            seed=intervals.seed,
        )
        for label, some in flags.items()
    ]
    known = [note for item in all_intervals for note in item.notes] if folded else intervals.notes
    return [
        evolve(item, notes=tuple(note for note in item.notes if note not in known))
        for item in all_intervals
    ]


def resampling_for_level(level: Any, **options: Unpack[DrawingOptions]) -> Resampling:
    """How queries are drawn again; a level that is none is refused."""
    allowed = "1 to 99.99 (per cent), such as 95"
    check_number("the level of the interval", level, allowed, lambda number: 1 <= number <= 99.99)
    return Resampling.from_options({"alpha": 1 - float(level) / 100, **options})


def mean_intervals_page(all_intervals: Sequence[MeanIntervals], *, verbose: bool = False) -> Page:
    """The intervals of one run or of several."""
    return Page(
        answer=describe_interval(all_intervals),
        sections=[Section(table=build_table(all_intervals))],
        notes=list_footnotes(all_intervals, verbose=verbose),
        rows=lambda: _list_rows(all_intervals),
        data=lambda: {item.run: item.to_dict() for item in all_intervals},
    )


def _list_rows(all_intervals: Sequence[MeanIntervals]) -> Table:
    parts = ("mean", *_PARTS)
    rows = [
        (item.run, name, *(getattr(interval, part) for part in parts))
        for item in all_intervals
        for name, interval in item.intervals.items()
    ]
    return Table(("run", "measure", *parts), rows, numeric=True)


def build_table(all_intervals: Sequence[MeanIntervals]) -> Table:
    """A row for each run and measure."""
    level = f"{all_intervals[0].level:g} %"
    heads = ("mean", f"{level}\nlow", f"{level}\nhigh", "without one\nlow", "without one\nhigh")
    rows = []
    for item in all_intervals:
        for measure, interval in item.intervals.items():
            numbers = [getattr(interval, part) for part in ("mean", *_PARTS[:4])]
            if interval.kind == "sum":
                numbers = [None if number is None else f"{number:.0f}" for number in numbers]
            query = interval.influential_query
            query = query if query is None else shorten(query, _LONGEST)
            rows.append((item.run, measure, *numbers, query))
    return Table(
        *((all_intervals[0].kind, "measure", *heads, "moved most\nby"), rows),
        numeric=True,
        label_columns=2,
        text_columns=(7,),
        expendable=("moved most\nby", *heads[:2:-1]),
    )


def list_cells(run_intervals: MeanIntervals) -> dict[str, float | str | None]:
    """The intervals of a run in one row for a program, by the names of its columns."""
    return {
        f"{name} {part}": getattr(interval, part)
        for name, interval in run_intervals.intervals.items()
        for part in _PARTS
    }


def describe_interval(all_intervals: Sequence[MeanIntervals]) -> str:
    """How sure is the mean of the first measure? Of one run only: others stand in a table."""
    if len(all_intervals) > 1:
        return ""
    (run_intervals,) = all_intervals
    for measure, interval in run_intervals.intervals.items():
        if interval.low is not None and interval.high is not None and interval.kind != "sum":
            ends = f"{interval.low:.3f} and {interval.high:.3f}"
            return (
                f"With {run_intervals.level:g} % confidence, its mean {measure} is between {ends}."
            )
    return ""


def list_footnotes(
    all_intervals: Sequence[MeanIntervals], *, with_ranges: bool = True, verbose: bool = False
) -> list[str]:
    """How the intervals were found, and why some were not."""
    if not all_intervals:
        return []
    first = all_intervals[0]
    methods = describe_methods(all_intervals, verbose=verbose)
    line = f"{first.level:g} % intervals of means: {methods}"
    if with_ranges:
        most = f"the smallest and the largest mean with one {first.unit} left out"
        line += f" · without one: {most}"
    return [line, *mark_notes(merge_notes([(item.run, item.notes) for item in all_intervals]))]


def describe_methods(all_intervals: Sequence[MeanIntervals], *, verbose: bool) -> str:
    """How intervals were found; with how many resamples from which seed if `verbose`."""
    first = all_intervals[0]
    drawn = pluralise(first.drawn)
    whole = "" if first.drawn == first.unit else "whole "
    drawing = f"bootstrap over {whole}{drawn} (BCa"
    drawing += f", {first.resamples} resamples, seed {first.seed})" if verbose else ")"
    student = "Student's t, with"
    words = {
        INTERVALS["BCa"]: drawing,
        T_INTERVAL: f"{student} fewer than {FEWEST_DRAWN} {drawn}",
        MANY_INTERVAL: f"{student} this many {drawn}",
    }
    methods = {interval.method for item in all_intervals for interval in item.intervals.values()}
    used = [words[method] for method in words if method in methods] or [drawing]
    return "; ".join([used[0], *(f"{other} in some" for other in used[1:])])


@frozen(eq=False)
class DrawnUnits:
    """What is drawn again: each session by itself, or all of them that belong together."""

    name: str  # session, conversation, searcher, cluster
    number: Ranks | None = None  # of each session's; None if each is drawn by itself

    @classmethod
    def from_labels(cls, labels: pl.Series, unit: str) -> DrawnUnits:
        """By searchers, or what else sessions belong to; by sessions, where each has its own.

        Examples:
            >>> DrawnUnits.from_labels(pl.Series("searcher", ["ann", "bo", "ann"]), "session")
            DrawnUnits(name='searcher', number=array([0, 1, 0]))
        """
        if labels.null_count() or labels.n_unique() == len(labels):
            return cls(unit)
        number = labels.alias("").cast(pl.String).rank("dense").to_numpy().astype(np.intp) - 1
        return cls(labels.name, number)

    def select(self, rows: Flags | Ranks) -> Ranks | None:
        """The numbers of what some sessions belong to, counted from 0 on without gaps."""
        if self.number is None:
            return None
        return np.unique(self.number[rows], return_inverse=True)[1].astype(np.intp)

    @property
    def words(self) -> str:
        """What they are called where they are drawn: sessions, or whole searchers."""
        return pluralise(self.name) if self.number is None else f"whole {pluralise(self.name)}"


def choose_drawn(
    columns: pl.DataFrame, groups: Iterable[Flags], unit: str = "session"
) -> DrawnUnits:
    """Conversations that some group had several times, or searchers, with all their sessions.

    Where there are none, each session is drawn by itself.
    """
    if CONVERSATION in columns.columns:
        names = columns[CONVERSATION]
        if any(names.filter(own).is_duplicated().any() for own in groups):
            return DrawnUnits.from_labels(names, unit)
    if "searcher" in columns.columns:
        return DrawnUnits.from_labels(columns["searcher"], unit)
    return DrawnUnits(unit)


MOST_DRAWN = 2000  # sessions or searchers; of more, drawing takes long and tells no more than t


def session_intervals(
    results: SessionResults,
    groups: Mapping[str, Flags],
    resampling: Resampling,
    *,
    unit: str,
    drawn: DrawnUnits,
    kind: str = "system",
) -> list[MeanIntervals]:
    """The intervals of the means of each group, in every measure.

    `unit` is what a session is called (session, or conversation), `kind` what a group is.
    """
    level, chance = round(100 * (1 - resampling.alpha), 6), (resampling.resamples, resampling.seed)
    all_intervals = []
    for group, flags in groups.items():
        intervals, notes = _find_all(results, flags, resampling, drawn, unit, MOST_DRAWN)
        parts = group, level, *chance, intervals, tuple(notes)
        all_intervals.append(MeanIntervals(*parts, kind=kind, unit=unit, drawn=drawn.name))
    return all_intervals
