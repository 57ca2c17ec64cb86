"""`Calibration`: the searchers of a log, told in words, tables and a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.errors import BadInput, WrongType
from gainful.evidence.searchers.fit import (
    AT_LEAST,
    FOLDS,
    STOPPING_MODELS,
    Estimate,
    Fit,
    HeldOut,
    Stops,
    estimate_srbp,
    fit_model,
    hold_out,
)
from gainful.evidence.searchers.observe import Observed
from gainful.measure.discount import DISCOUNTS, bq
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.read.json_records import load_whole
from gainful.read.source import open_source
from gainful.text import count_noun
from gainful.types import finite_or_none, is_number

_USUAL_CUTOFF = 10
_LEAST_BASE = 1.001  # where nobody goes on: a base must be above 1
_LARGEST_BASE = 1e6  # beyond it, nothing is discounted that one could see
_DIGITS = 3
_FEW = 10  # searchers, of fewer than which the spread is not known
_MEASURED = ("jk2008", "geometric")  # the discounts whose parameters measures take: b and p


@frozen(eq=False, kw_only=True)
class Behaviour:
    """One thing that searchers do: read on down a list, or ask again."""

    stops: Stops = field(repr=False)
    fits: Mapping[str, Fit]  # by discount
    held_out: Mapping[str, HeldOut]  # likewise; empty where there are too few searchers
    best: str  # the discount that fits best

    @property
    def cut(self) -> int:
        """How many went as far as there was anything."""
        return int((self.stops.kinds[self.stops.kind, 0] == AT_LEAST).sum())


def _spell_measures(
    reading: Behaviour | None,
    asking: Behaviour,
    srbp: tuple[Estimate, Estimate] | None,
    list_length: int,
) -> tuple[str, dict[str, str]]:
    """The measure that fits these searchers best, and what nsDCG, sRBP and RBP are to them."""
    cutoff = min(_USUAL_CUTOFF, list_length or _USUAL_CUTOFF)
    best = _spell_nsdcg(reading, asking, cutoff)
    measures = {"nsDCG": _spell_nsdcg(reading, asking, cutoff, "jk2008")}
    if srbp is not None:
        p, balance = srbp
        measures["sRBP"] = f"sRBP(p={_round(p.value)}, balance={_round(balance.value)})"
        if not any(item.best in DISCOUNTS for item in (reading, asking) if item is not None):
            best = measures["sRBP"]
    persistence = None if reading is None else reading.fits["geometric"].value
    if persistence is not None and 0 < persistence < 1:
        measures["RBP"] = f"RBP(p={_round(persistence)})"
    return best, ({} if best in measures.values() else {"best": best}) | measures


def _spell_nsdcg(
    reading: Behaviour | None, asking: Behaviour, cutoff: int, discount: str | None = None
) -> str:
    """One nsDCG: by one discount for ranks and queries, or else by those that fit best."""
    parts = []
    for option, base, fitted in (("discount", "b", reading), ("query_discount", "bq", asking)):
        if fitted is not None:
            best, fits = fitted.best, fitted.fits
            if best not in DISCOUNTS:  # of those that nsDCG takes, the most likely one
                ours = [name for name in fits if name in DISCOUNTS]
                best = max(ours, key=lambda name: fits[name].log_likelihood)
            name = discount or best
            value = fits[name].value
            if value is not None and value >= (bq.domain.below if base == "bq" else _LARGEST_BASE):
                name, value = "none", None
            if name != "jk2008":
                parts.append(f"{option}={name}")
            if value is not None:
                parts.append(f"{base}={_round(max(value, _LEAST_BASE))}")
    return f"nsDCG({', '.join(parts)})@{cutoff}"


def _round(value: float) -> str:
    digits = _DIGITS
    while float(f"{value:.{digits}g}") == 1.0:
        digits += 1
    return f"{value:.{digits}g}"


@frozen(eq=False, kw_only=True)
class Searchers:
    """The searchers of a log, or of a group of its sessions."""

    keys: Mapping[str, Any]  # of the group, by column
    sessions: int
    query_count: int
    reading: Behaviour | None  # None where a log does not tell how far
    asking: Behaviour
    success_bq: Estimate | None  # bq, if sessions whose last query was clicked ended by success
    srbp: tuple[Estimate, Estimate] | None
    measure: str  # that fits best
    measures: Mapping[str, str]  # nsDCG, sRBP and RBP, as far as the log tells

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All that was estimated: b, bq, RBP's p, sRBP's p and balance."""
        parameters = (
            (self.reading, "jk2008", "b"),
            (self.asking, "jk2008", "bq"),
            (self.reading, "geometric", "p"),
        )
        estimates = (
            behaviour.fits[discount].estimate(symbol)
            for behaviour, discount, symbol in parameters
            if behaviour is not None
        )
        return tuple(entry for entry in estimates if entry is not None)

    def find(self, symbol: str) -> Estimate | None:
        """The estimate of b, of bq or of p."""
        return next((entry for entry in self.estimates if entry.symbol == symbol), None)


def fit_searchers(
    observed: Observed, keys: Mapping[str, Any], *, level: float, seed: int, compare: bool
) -> Searchers:
    """The searchers of these sessions; with `compare`, also the discount that fits them best."""
    reading = None
    if observed.depths is not None and observed.depths.size:
        reading = _fit_behaviour(observed.depths, level, seed, compare=compare)
    asking = _fit_behaviour(observed.queries, level, seed, compare=compare)
    successes = observed.successes_cut()
    success_bq = None
    if successes is not None:
        success_bq = fit_model(STOPPING_MODELS["jk2008"], successes, level).estimate("bq")
    srbp = None
    if reading is not None and observed.size > 1:  # of one session it is not known how they vary
        srbp = estimate_srbp(reading.fits["geometric"], asking.fits["geometric"], level)
    measure, measures = _spell_measures(reading, asking, srbp, observed.list_length)
    return Searchers(
        keys=keys,
        sessions=observed.size,
        query_count=int(observed.query_counts.sum()),
        reading=reading,
        asking=asking,
        success_bq=success_bq,
        srbp=srbp,
        measure=measure,
        measures=measures,
    )


def _fit_behaviour(stops: Stops, level: float, seed: int, *, compare: bool) -> Behaviour:
    held_out = hold_out(stops, seed) if compare and len(np.unique(stops.cluster)) > 1 else {}
    names = STOPPING_MODELS if compare else _MEASURED
    fits = {name: fit_model(STOPPING_MODELS[name], stops, level) for name in names}
    most_likely = max(fits, key=lambda name: fits[name].log_likelihood)
    # Where several cannot be told apart, it is the first of the table.
    best = next((name for name, result in held_out.items() if result.is_close), most_likely)
    return Behaviour(stops=stops, fits=fits, held_out=held_out, best=best)


def describe_few(observed: Observed) -> list[str]:
    """That intervals of a handful of sessions or searchers say little."""
    number = len(np.unique(observed.queries.cluster))
    few = "too few to estimate how searchers differ; intervals are too narrow, if any"
    return [] if number >= _FEW else [f"{count_noun(number, observed.cluster_name)}: {few}"]


_SUCCESS = (
    "Searchers also stop when they have found enough; a log does not show which, and bq is then "
    "too low. "
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
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The measure of sessions that fits these searchers best."""
        return self.searchers.measure

    @property
    def measures(self) -> dict[str, str]:
        """Measures as these searchers have them: nsDCG, sRBP, and RBP of single lists."""
        return dict(self.searchers.measures)

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
        """How searchers behave, which discount fits best, and the measures for them."""
        searchers, measures = self.searchers, self.measures
        marks = {measures.get("RBP"): "of single lists", self.measure: "fits best"}
        listing = [(measure, marks.get(measure, "")) for measure in measures.values()]
        sections = [
            Section(table=_build_estimates(self)),
            *([Section(table=_build_groups(self))] if self.groups else []),
            *(
                Section(heading=heading, table=_build_fits(behaviour, base))
                for heading, behaviour, base in (
                    ("Which discount fits reading on best?", searchers.reading, "b"),
                    ("Which discount fits querying again best?", searchers.asking, "bq"),
                )
                if behaviour is not None and behaviour.held_out
            ),
            Section(
                heading="Measures for these searchers, to paste", table=Table(("", ""), listing)
            ),
        ]
        return Page(
            answer=_format_answer(self),
            sections=sections,
            notes=[*_list_notes(self, verbose=verbose), *self.notes],
            rows=lambda: _list_rows(self),
            data=self.to_dict,
            warnings=self.notes,
        )


def _searchers_data(searchers: Searchers) -> dict[str, Any]:
    success = searchers.success_bq
    return {
        "sessions": searchers.sessions,
        "queries": searchers.query_count,
        "estimates": {entry.symbol: _estimate_data(entry) for entry in searchers.estimates},
        "sRBP": {entry.symbol: _estimate_data(entry) for entry in searchers.srbp or ()},
        "bq_if_clicks_are_success": None if success is None else _estimate_data(success),
        "reading": None if searchers.reading is None else _behaviour_data(searchers.reading),
        "asking": _behaviour_data(searchers.asking),
        "measure": searchers.measure,
    }


def _estimate_data(estimate: Estimate | Fit) -> dict[str, float | None]:
    return {name: finite_or_none(getattr(estimate, name)) for name in ("value", "low", "high")}


def _behaviour_data(behaviour: Behaviour) -> dict[str, Any]:
    return {
        "observations": behaviour.stops.size,
        "cut_off": behaviour.cut,
        "best": behaviour.best,
        "click": behaviour.fits["jk2008"].click,
        "discounts": {
            name: {
                "parameter": fit.model.symbol,
                **_estimate_data(fit),
                "held_out": finite_or_none(getattr(behaviour.held_out.get(name), "mean", None)),
                "behind": finite_or_none(getattr(behaviour.held_out.get(name), "behind", None)),
            }
            for name, fit in behaviour.fits.items()
        },
    }


def _format_answer(calibration: Calibration) -> str:
    searchers = calibration.searchers
    parts = []
    for verb, estimate in (("read on", searchers.find("b")), ("ask again", searchers.find("bq"))):
        if estimate is not None:
            value = f"{estimate.symbol} = {format_estimate(estimate, calibration.level)}"
            parts.append(f"{verb} as {value.replace('= >', '> ', 1)}")
    return f"Searchers {' and '.join(parts)}. Their measure: {calibration.measure}."


def format_estimate(estimate: Estimate, level: float | None = None) -> str:
    """An estimate with its interval: 2.01 (95 % 1.98 to 2.05)."""
    per_cent = "" if level is None else f"{100 * level:g} % "
    return f"{_format_value(estimate.value)} ({per_cent}{format_interval(estimate)})"


def _format_value(value: float) -> str:
    return f"{value:.3g}" if value <= _LARGEST else f">{_LARGEST}"


def _build_groups(calibration: Calibration) -> Table:
    symbols = list(calibration.estimates)
    rows = []
    for group in calibration.groups:
        estimates = [group.find(symbol) for symbol in symbols]
        cells = ["–" if entry is None else format_estimate(entry) for entry in estimates]
        rows.append((*(str(group.keys[name]) for name in calibration.by), group.sessions, *cells))
    columns = (*calibration.by, "sessions", *symbols)
    labels = len(calibration.by)
    return Table(columns, rows, numeric=True, label_columns=labels, expendable=("sessions", "p"))


def _build_estimates(calibration: Calibration) -> Table:
    searchers = calibration.searchers
    sessions = count_noun(searchers.sessions, "session")
    lists = "" if searchers.reading is None else count_noun(searchers.reading.stops.size, "list")
    estimates: list[tuple[str, str, Estimate | None, str]] = [
        (_READING, "b", searchers.find("b"), lists),
        (_READING, "p of RBP", searchers.find("p"), lists),
        (_ASKING, "bq", searchers.find("bq"), sessions),
        (_ASKING, "bq, clicks as success", searchers.success_bq, sessions),
        *(("both", f"{entry.symbol} of sRBP", entry, sessions) for entry in searchers.srbp or ()),
    ]
    rows = [
        (behaviour, parameter, _format_value(entry.value), format_interval(entry), source)
        for behaviour, parameter, entry, source in estimates
        if entry is not None
    ]
    interval = f"{100 * calibration.level:g} % interval"
    columns = ("behaviour", "parameter", "estimate", interval, "from")
    return Table(columns, rows, numeric=True, label_columns=2, expendable=("from", "behaviour"))


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
        columns, rows, label_columns=2, numeric=True, text_columns=(3,), expendable=("parameter",)
    )


def _list_notes(calibration: Calibration, *, verbose: bool) -> list[str]:
    source = {
        "scanned": "how deep searchers looked (scanned)",
        "clicked": "clicks, the last being a lower bound of how deep searchers looked",
        None: "nothing: there are no clicks and no column scanned, so b and p are not estimated",
    }[calibration.depth_from]
    success = calibration.searchers.success_bq
    bound = "With clicks, the output would show by how much."
    if success is not None:
        ended = "If every session whose last query was clicked ended with success"
        bound = f"{ended}, bq would be {format_estimate(success)}."
    notes = [_SUCCESS + bound]
    notes.append(
        f"reading on by {source} · lists and sessions that ended at the last item count as "
        f"censored · intervals by likelihood ratio, clustered by {calibration.cluster}"
    )
    notes.append(
        f"held-out: log-likelihood per list or session of {FOLDS} parts, each predicted by a fit "
        f"to the others (split by {calibration.cluster}, seed {calibration.seed})"
    )
    if calibration.depth_from == "clicked" and calibration.searchers.reading is not None:
        click = calibration.searchers.reading.fits["jk2008"].click
        if click is not None:
            notes.append(
                f"results that are looked at are clicked with probability {click:.2g} at every "
                "rank: if good results rank first, searchers seem less patient than they are"
            )
    behaviours = {"lists": calibration.searchers.reading, "sessions": calibration.searchers.asking}
    for what, behaviour in behaviours.items() if verbose else ():
        if behaviour is not None:
            notes.append(f"{what}: {behaviour.stops.size}; {behaviour.cut} of them censored")
    return notes


def _list_rows(calibration: Calibration) -> Table:
    columns = (*calibration.by, "parameter", "estimate", "low", "high", "sessions", "measure")
    rows: list[tuple[Any, ...]] = []
    for searchers in (calibration.searchers, *calibration.groups):
        keys = [searchers.keys.get(name) for name in calibration.by]
        session, walk = searchers.measures["nsDCG"], searchers.measures.get("sRBP")
        entries: list[tuple[str, Estimate, str | None]] = [
            *((entry.symbol, entry, session) for entry in searchers.estimates),
            *((f"sRBP {entry.symbol}", entry, walk) for entry in searchers.srbp or ()),
        ]
        for name, entry, measure in entries:
            numbers = [*_estimate_data(entry).values()]
            rows.append((*keys, name, *numbers, searchers.sessions, measure))
    return Table(columns, rows, numeric=True, label_columns=len(calibration.by) + 1)


AnyCalibration = Calibration | Mapping[str, Any] | str | PathLike[str]
_SHAPE = "what gainful calibrate -o FILE.json wrote"
_MOST_BASE = 999.0  # that a page and every measure take


@frozen
class MeasuredSearcher:
    """What b and bq are, with their intervals; None where the log did not tell."""

    log: str
    level: float
    b: Estimate | None
    bq: Estimate | None

    def settings(self) -> dict[str, float]:
        """The bases to begin with, each as near as a measure can have it."""
        return {
            name: float(f"{clamp_base(entry.value):.4g}")
            for name, entry in (("b", self.b), ("bq", self.bq))
            if entry is not None
        }


def clamp_base(value: float) -> float:
    """A base that measures can have: one above 1, and no endless one."""
    return min(max(value, _LEAST_BASE), _MOST_BASE)


def read_calibration(value: AnyCalibration) -> MeasuredSearcher:
    """The searcher of a calibration, or of a file of one."""
    if isinstance(value, Calibration):
        b, bq = value.searchers.find("b"), value.searchers.find("bq")
        return MeasuredSearcher(value.log, value.level, b, bq)
    if isinstance(value, (str, PathLike)):
        name = fspath(value)
        data = load_whole(open_source(name))
    elif isinstance(value, Mapping):
        name, data = "calibrated", value
    else:
        raise WrongType("calibrated", value, f"a Calibration, or {_SHAPE}")
    try:
        estimates, level = data["all"]["estimates"], float(data["level"])
        b, bq = (_read_estimate(symbol, estimates.get(symbol)) for symbol in ("b", "bq"))
        return MeasuredSearcher(str(data["log"]), level, b, bq)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(name, "there are no searchers in it", _SHAPE) from None


def _read_estimate(symbol: str, entry: Any) -> Estimate | None:
    """An estimate; numbers without an end are null in JSON."""
    if entry is None:
        return None
    value, low, high = (
        math.inf if entry[key] is None else entry[key] for key in ("value", "low", "high")
    )
    if not all(is_number(number) and number >= 1 for number in (value, low, high)):
        raise ValueError(symbol)
    return Estimate(symbol, float(value), float(low), float(high))
