"""`Calibration`: the searchers of a log, told in words, tables and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from gainful.evidence.searchers.held_out import FOLDS
from gainful.evidence.searchers.searchers import Behaviour, Searchers
from gainful.evidence.searchers.srbp import Estimate
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.text import count_noun
from gainful.types import finite_or_none

_SUCCESS = (
    "Searchers also stop because they have what they came for, and a log does not say which: then "
    "bq is too low. "
)
_LARGEST = 1000  # bases beyond it are all alike: hardly anything is discounted
_READING, _ASKING = "reading on", "asking again"


@frozen(eq=False, repr=False, kw_only=True)
class Calibration(Shown):
    """The searchers of a log: b, bq, p and balance with intervals, and the measure to use.

    `calibration["b"]` is an estimate with value, low and high; `measure` is ready to be pasted.
    """

    log: str  # what was read
    searchers: Searchers  # all of them
    groups: tuple[Searchers, ...] = ()
    by: tuple[str, ...] = ()
    depth_from: str | None
    cluster: str  # whose behaviour is one piece of evidence
    level: float
    seed: int
    query_limit: int | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def measure(self) -> str:
        """The measure of sessions that fits these searchers best."""
        return self.searchers.measures.best

    @property
    def measures(self) -> dict[str, str]:
        """Measures as these searchers have them: nsDCG, sRBP, and RBP of single lists."""
        return self.searchers.measures.listing()

    def __getitem__(self, symbol: str) -> Estimate:
        estimate = self.searchers.find(symbol)
        if estimate is None:
            raise KeyError(f"{symbol}: there are {', '.join(self.estimates)}")
        return estimate

    @property
    def estimates(self) -> dict[str, Estimate]:
        """What was estimated, by its name: b, bq and p."""
        return {estimate.symbol: estimate for estimate in self.searchers.estimates}

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "log": self.log,
            "measure": self.measure,
            "measures": self.measures,
            "level": self.level,
            "depth_from": self.depth_from,
            "cluster": self.cluster,
            "query_limit": self.query_limit,
            "held_out": {"folds": FOLDS, "seed": self.seed},
            "all": _searchers_data(self.searchers),
            "by": list(self.by),
            "groups": [{**dict(group.keys), **_searchers_data(group)} for group in self.groups],
            "notes": list(self.notes),
        }

    def page(self, *, verbose: bool = False) -> Page:
        """What searchers do, by which discount it is told best, and the measures to paste."""
        return calibration_page(self, verbose=verbose)


def _searchers_data(searchers: Searchers) -> dict[str, Any]:
    walk = {} if searchers.srbp is None else {entry.symbol: entry for entry in searchers.srbp}
    success = searchers.success_bq
    return {
        "sessions": searchers.sessions,
        "queries": searchers.query_count,
        "estimates": {entry.symbol: _estimate_data(entry) for entry in searchers.estimates},
        "sRBP": {symbol: _estimate_data(entry) for symbol, entry in walk.items()},
        "bq_if_clicks_are_success": None if success is None else _estimate_data(success),
        "reading": None if searchers.reading is None else _behaviour_data(searchers.reading),
        "asking": _behaviour_data(searchers.asking),
        "measure": searchers.measures.best,
    }


def _estimate_data(estimate: Estimate) -> dict[str, float | None]:
    return {
        "value": finite_or_none(estimate.value),
        "low": finite_or_none(estimate.low),
        "high": finite_or_none(estimate.high),
    }


def _behaviour_data(behaviour: Behaviour) -> dict[str, Any]:
    click = behaviour.fits["jk2008"].click
    return {
        "observations": behaviour.stops.size,
        "cut_off": behaviour.cut,
        "best": behaviour.best,
        "click": click,
        "discounts": {
            name: {
                "parameter": fit.model.symbol,
                **{
                    key: None if number is None else finite_or_none(number)
                    for key, number in (("value", fit.value), ("low", fit.low), ("high", fit.high))
                },
                "held_out": finite_or_none(behaviour.held_out[name].mean)
                if name in behaviour.held_out
                else None,
                "behind": finite_or_none(behaviour.held_out[name].behind)
                if name in behaviour.held_out
                else None,
            }
            for name, fit in behaviour.fits.items()
        },
    }


def calibration_page(calibration: Calibration, *, verbose: bool = False) -> Page:
    """The estimates first, then which discount fits, then what to paste."""
    searchers = calibration.searchers
    best = searchers.measures.best
    marks = {best: "fits best", searchers.measures.ranking: "of single lists"}
    listing = [(measure, marks.get(measure, "")) for measure in calibration.measures.values()]
    sections = [
        Section(table=_build_estimates(calibration)),
        *([Section(table=_build_groups(calibration))] if calibration.groups else []),
        *(
            Section(heading=heading, table=_build_fits(behaviour, base))
            for heading, behaviour, base in (
                ("Which discount tells how they read on?", searchers.reading, "b"),
                ("Which discount tells how they ask again?", searchers.asking, "bq"),
            )
            if behaviour is not None and behaviour.held_out
        ),
        Section(heading="Measures of these searchers, to paste", table=Table(("", ""), listing)),
    ]
    return Page(
        answer=_format_answer(calibration),
        sections=sections,
        notes=[*_list_notes(calibration, verbose=verbose), *calibration.notes],
        rows=lambda: _list_rows(calibration),
        data=calibration.to_dict,
        warnings=calibration.notes,
    )


def _format_answer(calibration: Calibration) -> str:
    """What b and bq are, in a sentence, and the measure."""
    searchers = calibration.searchers
    reads, asks = searchers.find("b"), searchers.find("bq")
    parts = []
    if reads is not None:
        parts.append(f"read on as {_relate_estimate(reads, calibration.level)}")
    if asks is not None:
        parts.append(f"ask again as {_relate_estimate(asks, calibration.level)}")
    return f"Searchers {' and '.join(parts)}. Their measure: {calibration.measure}."


def _relate_estimate(estimate: Estimate, level: float) -> str:
    """A parameter and what it is: b = 2.01 (95 % 1.98 to 2.05), or b > 1000 (…)."""
    return f"{estimate.symbol} = {format_estimate(estimate, level)}".replace("= >", "> ", 1)


def format_estimate(estimate: Estimate, level: float | None = None) -> str:
    """An estimate with its interval: 2.01 (95 % 1.98 to 2.05)."""
    per_cent = "" if level is None else f"{100 * level:g} % "
    return f"{_format_value(estimate.value)} ({per_cent}{format_interval(estimate)})"


def _format_value(value: float) -> str:
    return f"{value:.3g}" if value <= _LARGEST else f">{_LARGEST}"


def _build_estimates(calibration: Calibration) -> Table:
    """A row for each estimate of all sessions."""
    interval = f"{100 * calibration.level:g} % interval"
    columns = ("behaviour", "parameter", "estimate", interval, "from")
    rows = _estimate_rows(calibration.searchers)
    return Table(columns, rows, numeric=True, label_columns=2, expendable=("from", "behaviour"))


def _build_groups(calibration: Calibration) -> Table:
    """A row for each group: its estimates with their intervals, side by side."""
    symbols = list(calibration.estimates)
    rows = []
    for group in calibration.groups:
        estimates = [group.find(symbol) for symbol in symbols]
        cells = ["–" if entry is None else format_estimate(entry) for entry in estimates]
        rows.append((*(str(group.keys[name]) for name in calibration.by), group.sessions, *cells))
    columns = (*calibration.by, "sessions", *symbols)
    labels = len(calibration.by)
    return Table(columns, rows, numeric=True, label_columns=labels, expendable=("sessions", "p"))


def _estimate_rows(searchers: Searchers) -> list[tuple[str, ...]]:
    sessions = count_noun(searchers.sessions, "session")
    lists = "" if searchers.reading is None else count_noun(searchers.reading.stops.size, "list")
    rows: list[tuple[str, str, Estimate | None, str]] = [
        (_READING, "b", searchers.find("b"), lists),
        (_READING, "p of RBP", searchers.find("p"), lists),
        (_ASKING, "bq", searchers.find("bq"), sessions),
        (_ASKING, "bq, clicks as success", searchers.success_bq, sessions),
        *(("both", f"{entry.symbol} of sRBP", entry, sessions) for entry in searchers.srbp or ()),
    ]
    return [
        (behaviour, parameter, _format_value(entry.value), format_interval(entry), source)
        for behaviour, parameter, entry, source in rows
        if entry is not None
    ]


def format_interval(estimate: Estimate) -> str:
    """From where to where it may be: 1.98 to 2.05."""
    return f"{_format_value(estimate.low)} to {_format_value(estimate.high)}"


def _build_fits(behaviour: Behaviour, base: str) -> Table:
    """Every discount, the best first: its parameter, and how it tells what it has not seen."""
    ordered = sorted(behaviour.held_out, key=lambda name: behaviour.held_out[name].behind)
    rows = []
    for name in ordered:
        fit, result = behaviour.fits[name], behaviour.held_out[name]
        symbol = base if fit.model.symbol == "b" else fit.model.symbol
        value = "" if fit.value is None else f"{symbol} = {_format_value(fit.value)}"
        impossible = result.mean == float("-inf")
        behind = "impossible" if impossible else f"{result.behind:.4f} ± {result.error:.4f}"
        if name == ordered[0]:
            behind = "best"
        elif result.is_close:
            behind += ", as good"
        rows.append((name, value, "–" if impossible else f"{result.mean:.4f}", behind))
    columns = ("discount", "parameter", "held-out", "behind the best")
    return Table(
        columns,
        rows,
        label_columns=2,
        numeric=True,
        text_columns=(3,),
        expendable=("parameter",),
    )


def _list_notes(calibration: Calibration, *, verbose: bool) -> list[str]:
    """How it was computed, and what one must know before believing bq."""
    source = {
        "scanned": "how deep searchers looked (scanned)",
        "clicked": "clicks, the last being a lower bound of how deep searchers looked",
        None: "nothing: there are no clicks and no column scanned, so b and p are not estimated",
    }[calibration.depth_from]
    notes = [_SUCCESS + _describe_success(calibration.searchers)]
    notes.append(
        f"reading on by {source} · lists and sessions that ended where there was no more count as "
        f"cut off · intervals by likelihood ratio, clustered by {calibration.cluster}"
    )
    notes.append(
        f"held-out: log-likelihood per list or session of {FOLDS} parts, each told by a fit to the "
        f"others (split by {calibration.cluster}, seed {calibration.seed})"
    )
    if calibration.depth_from == "clicked" and calibration.searchers.reading is not None:
        click = calibration.searchers.reading.fits["jk2008"].click
        if click is not None:
            notes.append(
                f"a result that is looked at is clicked with {click:.2g}, at every rank alike: if "
                "good results stand on top, searchers seem less patient than they are"
            )
    if verbose:
        notes += _describe_edges(calibration.searchers)
    return notes


def _describe_success(searchers: Searchers) -> str:
    estimate = searchers.success_bq
    if estimate is None:
        return "Clicks would bound how much."
    return (
        f"If every session whose last query was clicked had ended so, bq were "
        f"{format_estimate(estimate)}."
    )


def _describe_edges(searchers: Searchers) -> list[str]:
    notes = []
    behaviours: Sequence[tuple[str, Behaviour | None]] = (
        ("lists", searchers.reading),
        ("sessions", searchers.asking),
    )
    for what, behaviour in behaviours:
        if behaviour is not None:
            notes.append(f"{what}: {behaviour.stops.size}, of which {behaviour.cut} were cut off")
    return notes


def _list_rows(calibration: Calibration) -> Table:
    """A row for each group and estimate, at full precision."""
    columns = (*calibration.by, "parameter", "estimate", "low", "high", "sessions", "measure")
    rows: list[tuple[Any, ...]] = []
    for searchers in (calibration.searchers, *calibration.groups):
        keys = [searchers.keys.get(name) for name in calibration.by]
        for entry in searchers.estimates:
            ends = (entry.value, entry.low, entry.high)
            finite = [finite_or_none(number) for number in ends]
            tail = (searchers.sessions, searchers.measures.session)
            rows.append((*keys, entry.symbol, *finite, *tail))
        for entry in searchers.srbp or ():
            numbers = (entry.value, entry.low, entry.high)
            walk = searchers.measures.walk
            rows.append((*keys, f"sRBP {entry.symbol}", *numbers, searchers.sessions, walk))
    return Table(columns, rows, numeric=True, label_columns=len(calibration.by) + 1)
