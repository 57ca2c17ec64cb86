"""Gains from searchers' actions: clicks, time spent, purchases, by a given rule.

Where nobody judged documents, the gain of a result is the weight of the action on it at its place,
the highest of several. What stands higher is clicked more, whatever it is worth: weights by inverse
propensity correct for that. Propensities, how likely a searcher looks at a rank, may be estimated
from the clicks of a log.

The position-based model: a result is clicked if it is looked at, with the probability of its rank
(its propensity), and if it is attractive, with a probability of the query and the document. Pairs
of query and document that were seen at several ranks separate the two. Their attractiveness is
drawn from a distribution that is estimated along with the propensities, one for each stratum of
pairs of similar mean rank over all lists of their query: so pairs that were seen only a few times
do not pull propensities towards 1, and better documents may well stand higher.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
from attrs import evolve, frozen
from numpy.typing import NDArray

from gainful.errors import BadInput, BadValue, UnknownName, WrongType
from gainful.read.event_times import parse_duration
from gainful.read.propensities import AnyPropensities, read_propensities
from gainful.read.session_events import find_done
from gainful.read.sessions import Sessions, count_actions
from gainful.text import count_noun, format_range, format_short, join_words
from gainful.types import Array, is_number, slices

GainRule = str | Mapping[str, float]
MAX_WEIGHT = 10.0  # of a click: a propensity below a tenth counts as a tenth
USUAL_RULE = "clicked"
ESTIMATE = "estimate"
_ALLOWED = "clicked, purchased, dwell>=30s, or weights such as clicked=1,purchased=5"
_DWELL = re.compile(r"(dwell|seconds)\s*>=\s*(.+)")


@frozen
class GainEvent:
    """What a searcher can do to a result, and what it is worth."""

    name: str  # of the column, or dwell
    weight: float
    seconds: float | None = None  # of dwell: from so many on

    def __str__(self) -> str:
        stay = "" if self.seconds is None else f">={self.seconds:g}s"
        return f"{self.name}{stay} = {format_short(self.weight)}"


def parse_gain_rule(rule: GainRule) -> list[GainEvent]:
    """An action and its weight.

    Examples:
        >>> [str(event) for event in parse_gain_rule("clicked=1, dwell>=30s=2, purchased=5")]
        ['clicked = 1', 'dwell>=30s = 2', 'purchased = 5']
    """
    if isinstance(rule, str):
        pairs = [_split_weight(part.strip(), rule) for part in rule.split(",")]
    elif isinstance(rule, Mapping):
        pairs = [(str(name), weight) for name, weight in rule.items()]
    else:
        raise WrongType("gain_from", rule, _ALLOWED)
    if not pairs:
        raise BadValue("gain_from", rule, _ALLOWED)
    events = []
    for name, weight in pairs:
        if not is_number(weight) or not 0 < weight < float("inf"):
            raise BadValue("gain_from", weight, "a weight above 0")
        events.append(_parse_event(name, float(weight)))
    names = [(event.name, event.seconds) for event in events]
    if len({*names}) < len(names):
        raise BadValue("gain_from", rule, "each event once")
    return events


def list_behaviour(rule: GainRule) -> dict[str, float | None]:
    """What a rule asks for: of dwell, for how many seconds at least.

    Examples:
        >>> list_behaviour("clicked=1, dwell>=30s=2")
        {'dwell': 30.0, 'clicked': None}
    """
    events = sorted(parse_gain_rule(rule), key=lambda event: -(event.seconds or 0))
    return {event.name: event.seconds for event in events}


def _split_weight(part: str, rule: str) -> tuple[str, float]:
    name, *weights = re.split(r"(?<![<>=])=", part)
    try:
        return name.strip(), float("=".join(weights)) if weights else 1.0
    except ValueError:
        raise BadValue("gain_from", rule, _ALLOWED) from None


def _parse_event(name: str, weight: float) -> GainEvent:
    stay = _DWELL.fullmatch(name)
    if stay is not None:
        seconds = stay[2].strip()
        unit = "s" if re.fullmatch(r"[0-9.]+", seconds) else ""
        duration = parse_duration(seconds + unit, "gain_from")
        return GainEvent("dwell", weight, duration.total_seconds())
    if name in ("dwell", "seconds") or re.search(r"[<>=]", name) or not name:
        raise BadValue("gain_from", name, _ALLOWED)
    return GainEvent(name, weight)


def gain_from_behaviour(
    sessions: Sessions,
    rule: GainRule | None = None,
    propensity: AnyPropensities | None = None,
) -> Sessions:
    """Sessions whose grades are what the searchers did, and notes that say how.

    Args:
        sessions: with columns clicked, seconds, purchased or other actions.
        rule: what counts, and how much; clicks, if it is not said.
        propensity: `estimate`, or the propensities of ranks, from a file or as numbers.
    """
    events = parse_gain_rule(USUAL_RULE if rule is None else rule)
    gain = find_gains(sessions, events)
    notes = [describe_gain_rule(events, asked=rule is not None)]
    if not float(gain.sum() or 0):
        counts = sessions.action_counts
        notes.append(describe_no_gain(count_actions(sessions.frame) if counts is None else counts))
    if propensity is not None:
        gain, note = _weigh_gains(sessions, gain, propensity)
        notes.append(note)
    frame = sessions.frame.with_columns(
        grade=pl.when(pl.col("doc").is_not_null()).then(pl.Series(gain))
    )
    done_words = name_events(events)
    return evolve(sessions, frame=frame, gain_event=done_words, notes=(*sessions.notes, *notes))


def find_gains(sessions: Sessions, events: Sequence[GainEvent]) -> pl.Series:
    """The gain of each result: the highest weight of its actions, or 0."""
    done = {}
    for event in events:
        flags = find_done(sessions, event.name, event.seconds)
        if flags is None:
            name = event.name if event.seconds is None else "seconds"
            known = [*count_actions(sessions.frame)]
            if not known:
                problem = "there are no clicks or other actions of searchers"
                raise BadInput(sessions.name, problem, f"events or a column {name}")
            raise UnknownName("event or column", name, known)
        done[event] = flags
    return pl.select(
        pl.max_horizontal(
            pl.when(flags).then(event.weight).otherwise(0.0) for event, flags in done.items()
        )
    ).to_series()


def name_events(events: Sequence[GainEvent]) -> str:
    """The number of results that gain, and their actions."""
    words = [
        event.name if event.seconds is None else f"with dwell>={event.seconds:g}s"
        for event in events
    ]
    return " or ".join(words)


def describe_gain_rule(events: Sequence[GainEvent], *, asked: bool) -> str:
    """How actions turn into gain, in words."""
    reason = "" if asked else "there are no judgments; "
    rule = f"the highest of {join_words(list(map(str, events)))}"
    if len(events) == 1:
        (event,) = events
        weight, stay = format_short(event.weight), event.seconds is not None
        rule = f"{weight} per {f'result {name_events(events)}' if stay else f'{event.name} result'}"
    return f"{reason}gain: {rule}"


def describe_no_gain(counts: Mapping[str, int]) -> str:
    """That nothing gained, and what else was done to how many results."""
    done = [f"{name} ({count_noun(count, 'result')})" for name, count in counts.items() if count]
    if not done:
        return "nothing gained; no result has an action"
    return f"nothing gained; actions: {join_words(done)} (--gain-from chooses which count)"


def _weigh_gains(
    sessions: Sessions, gain: pl.Series, propensity: AnyPropensities
) -> tuple[pl.Series, str]:
    """Gains by inverse propensity, and what that leaves of them."""
    if isinstance(propensity, str) and propensity == ESTIMATE:
        propensities = estimate_propensities(sessions)
    else:
        values = read_propensities(propensity)
        propensities = Propensities(values, f"as given for ranks 1–{len(values)}")
    rank = sessions.frame["rank"].fill_null(1).to_numpy()
    gains = gain.to_numpy()
    gained = gains > 0
    deepest = int(rank[gained].max()) if gained.any() else 1
    if deepest > len(propensities.values):
        problem = f"there is a gain at rank {deepest}, without a propensity"
        raise BadInput(sessions.name, problem, "a propensity for every rank with a gain")
    index = np.clip(rank, 1, len(propensities.values)) - 1
    weights = np.minimum(1 / propensities.values[index], MAX_WEIGHT)
    some = weights[gained]
    effective = some.sum() ** 2 / np.square(some).sum() if some.size else 0.0
    clipped = int((some >= MAX_WEIGHT).sum())
    number = count_noun(some.size, "gain")
    note = (
        f"gains weighted by inverse propensity, {propensities.source}; weights clipped at "
        f"{MAX_WEIGHT:g} ({clipped} of {number}); effective sample size {effective:,.1f}"
    )
    return pl.Series(gains * weights), note


MIN_SHARE = 0.05  # of pairs that were seen at several ranks; with fewer nothing can be told apart
_MAX_RANK = 100  # deeper ranks are taken like this
_MAX_CELLS = 5_000_000  # pairs times ranks that are looked at; of more pairs, the most frequent
_STRATA, _PAIRS_IN_STRATUM = 200, 50
_LEVELS = np.concatenate(  # of attractiveness
    [[1e-9], np.geomspace(0.003, 0.1, 10), np.linspace(0.13, 1 - 1e-9, 30)]
)
_FEW_PRODUCTS = 1 << 18  # of a matrix product that stays in the cache, and on one thread
_TOLERANCE, _MAX_STEPS = 1e-5, 300  # of propensities, in one step; of three each


@frozen(eq=False)
class Propensities:
    """How likely each rank is looked at, from rank 1 on, and where that comes from."""

    values: Array
    source: str
    errors: Array | None = None  # standard errors, if estimated; NaN where they are not known


def estimate_propensities(sessions: Sessions) -> Propensities:
    """The propensity of each rank, as observed, or by EM of a position-based model of the clicks.

    Where most queries tell how deep their searchers looked (scanned), that is what counts.
    """
    if "scanned" in sessions.frame.columns:
        depths = sessions.frame["scanned"].gather(sessions.layout.query_starts)
        if 2 * depths.count() > len(depths):
            return _observe_propensities(sessions, depths)
    counts = _count_pairs(sessions)
    pairs = counts.group_by("pair").agg(pl.len().alias("ranks"), pl.col("shown").sum())
    several = pairs.filter(pl.col("ranks") > 1)
    share = len(several) / max(len(pairs), 1)
    if share < MIN_SHARE:
        raise BadInput(
            sessions.name,
            f"{100 * share:.1f} % of {len(pairs):,} query–document pairs were seen at several "
            "ranks, too few to estimate propensities",
            f"at least {100 * MIN_SHARE:.0f} %; or propensities from elsewhere (--propensity FILE)",
        )
    shown, clicked, lists = _tabulate_pairs(counts, several)
    if not clicked.any():
        problem = "no query–document pair that was seen at several ranks was ever clicked"
        raise BadInput(sessions.name, problem, "clicks; or propensities from elsewhere")
    model = _PairModel(shown, clicked, lists)
    estimates, shares = _run_em(model)
    errors = model.standard_errors(estimates, shares)
    nearest = np.maximum.accumulate(np.where(model.known, np.arange(len(estimates)), 0))
    values = np.maximum(estimates[nearest], 1e-6)
    return Propensities(
        values,
        "estimated from the log by EM of a position-based model: "
        f"{_list_values(values, errors)}; "
        f"{100 * share:.0f} % of {len(pairs):,} query–document pairs were seen at several ranks",
        errors,
    )


def _observe_propensities(sessions: Sessions, depths: pl.Series) -> Propensities:
    """How many lists were looked at down to each rank (Kaplan and Meier 1958).

    A list that was read to its end says nothing of the ranks behind it.
    """
    is_told = depths.is_not_null().to_numpy() & (sessions.layout.query_lengths > 0)
    lengths = np.minimum(sessions.layout.query_lengths[is_told], _MAX_RANK)
    scanned = np.minimum(depths.cast(pl.Float64).to_numpy()[is_told], lengths)
    ranks = np.arange(1, int(lengths.max(initial=1)) + 1)
    possible = np.array([((scanned >= rank - 1) & (lengths >= rank)).sum() for rank in ranks])
    reached = np.array([(scanned >= rank).sum() for rank in ranks])
    values = np.cumprod(reached / np.maximum(possible, 1))
    values = np.maximum(values, 1e-6)
    number = f"{int(is_told.sum()):,} of {len(depths):,} queries"
    return Propensities(
        values,
        "observed, as the share of lists read to that depth (scanned): "
        f"{_list_values(values, np.zeros(len(values)))}, from {number}",
    )


def _list_values(values: Array, errors: Array) -> str:
    pairs = zip(values[:5].tolist(), errors[:5].tolist(), strict=True)
    first = [
        f"{value:.3f} ± {error:.3f}" if error > 0 else f"{value:.3f}" for value, error in pairs
    ]
    more = ["…"] if len(values) > 5 else []
    meaning = " (± 1 standard error)" if "±" in "".join(first) else ""
    return f"{', '.join([*first, *more])} at ranks {format_range([1, len(values)])}{meaning}"


def find_query_column(sessions: Sessions) -> str:
    """The column by which the same query of several searchers is known."""
    for name in ("text", "topic"):
        if name in sessions.frame.columns:
            return name
    allowed = "a column text or topic, to identify repeated queries"
    raise BadInput(sessions.name, "there are no texts of queries", allowed)


def _count_pairs(sessions: Sessions) -> pl.DataFrame:
    """How often each pair of query and document was shown at each rank, and clicked there.

    Beside it stands how many lists of the query there are, by the rank that most of them have.
    """
    frame = sessions.frame
    if "clicked" not in frame.columns:
        raise BadInput(sessions.name, "there are no clicks to estimate propensities from")
    query = find_query_column(sessions)
    return (
        frame.lazy()
        .filter(pl.col("doc").is_not_null() & pl.col(query).is_not_null())
        .group_by(
            pl.col(query).str.strip_chars().str.to_lowercase(),
            "doc",
            pl.col("rank").clip(upper_bound=_MAX_RANK),
        )
        .agg(pl.len().alias("shown"), pl.col("clicked").sum())
        .with_columns(
            pair=pl.struct(query, "doc").hash(1), lists=pl.col("shown").sum().over(query, "rank")
        )
        .with_columns(lists=pl.col("lists").max().over(query))
        .select("pair", "rank", "shown", "clicked", "lists")
        .collect()
    )


def _tabulate_pairs(counts: pl.DataFrame, several: pl.DataFrame) -> tuple[Array, Array, Array]:
    """A row for each pair that was seen at several ranks, a column for each rank; and its lists."""
    ranks = int(counts["rank"].max() or 1)  # type: ignore[arg-type]
    chosen = several.sort("shown", "pair", descending=True).head(max(1, _MAX_CELLS // ranks))
    cells = counts.join(chosen.select("pair").with_row_index("number"), on="pair", how="inner")
    place = (cells["number"].to_numpy(), cells["rank"].to_numpy() - 1)
    shown = np.zeros((len(chosen), ranks))
    clicked = np.zeros((len(chosen), ranks))
    shown[place], clicked[place] = cells["shown"].to_numpy(), cells["clicked"].to_numpy()
    lists = np.zeros(len(chosen))
    lists[place[0]] = cells["lists"].to_numpy()
    return shown, clicked, lists


def _run_em(model: _PairModel) -> tuple[Array, Array]:
    """The propensities at which the clicks are most likely, and the distributions of pairs.

    Three steps of EM show where they lead, and the next begins there (SQUAREM, Varadhan and Roland
    2008).
    """
    step, known, share = model.step, model.known, model.even_shares
    start = 1 / np.sqrt(np.arange(1, len(known) + 1))
    for _ in range(_MAX_STEPS):
        first, share = step(start, share)
        if float(np.abs(first - start)[known].max()) < _TOLERANCE:
            return first, share
        second, share = step(first, share)
        change, bend = first - start, second - 2 * first + start
        length = min(-1.0, -np.sqrt(np.square(change).sum() / max(np.square(bend).sum(), 1e-30)))
        leap = start - 2 * length * change + length**2 * bend
        start, share = step(np.clip(leap, second / 2, 1.0), share)
    return start, share


class _PairModel:
    """Pairs by stratum, how often each was shown and clicked at each rank.

    The first known rank has propensity 1: only ratios of propensities can be estimated.
    """

    def __init__(self, shown: Array, clicked: Array, lists: Array) -> None:
        """A row for each pair, a column for each rank; how many lists its query has."""
        stratum = _find_strata(shown, lists)
        order = np.argsort(stratum, kind="stable")
        shown, self._clicked = shown[order], clicked[order]
        self._skipped = shown - self._clicked
        self._total, self._clicks = shown.sum(axis=0), clicked.sum(axis=0)
        self.known: NDArray[np.bool_] = self._clicks > 0  # ranks at which anything was clicked
        bounds = [*np.flatnonzero(np.diff(stratum[order], prepend=-1)).tolist(), len(shown)]
        self._strata = len(bounds) - 1
        self.even_shares = np.full((self._strata, len(_LEVELS)), 1 / len(_LEVELS))
        rows = _FEW_PRODUCTS // (shown.shape[1] * len(_LEVELS))
        self._parts = [
            (number, slice(begin + part.start, begin + part.stop))
            for number, (begin, end) in enumerate(pairwise(bounds))
            for part in slices(end - begin, rows)
        ]

    def step(self, theta: Array, share: Array) -> tuple[Array, Array]:
        """One step of EM: better propensities, and better distributions of attractiveness."""
        seen = _click_chances(theta)
        missed = np.zeros((len(_LEVELS), len(theta)))  # shown and not clicked, by level and rank
        sums = np.zeros_like(share)
        for number, part, posterior in self._posteriors(seen, share):
            missed += posterior.T @ self._skipped[part]
            sums[number] += posterior.sum(axis=0)
        looked = theta * (1 - _LEVELS[:, None]) / (1 - seen.T)
        update = (self._clicks + (missed * looked).sum(axis=0)) / np.maximum(self._total, 1)
        update = np.where(self.known, update, theta)
        update[int(self.known.argmax())] = 1.0
        return update, np.maximum(sums / sums.sum(axis=1, keepdims=True), 1e-12)

    def standard_errors(self, theta: Array, share: Array) -> Array:
        """The standard error of each propensity, by the information of the clicks.

        Each pair's score of the propensities, less what the mean and the spread of attractiveness
        in its stratum would do as well: these are estimated along with them. The first known rank
        has none, and neither has one at which nothing was clicked.
        """
        seen = _click_chances(theta)
        powers = np.stack([_LEVELS, _LEVELS**2], axis=1)
        lost = _LEVELS[:, None] / (1 - seen.T)  # of the likelihood, by a look that is no click
        free = self.known.copy()
        free[int(free.argmax())] = False
        size = int(free.sum())
        crossed = np.zeros((self._strata, size + 2, size + 2))
        for number, part, posterior in self._posteriors(seen, share):
            score = self._clicked[part] / theta - self._skipped[part] * (posterior @ lost)
            nuisance = posterior @ powers - share[number] @ powers
            both = np.hstack([score[:, free], nuisance])
            crossed[number] += both.T @ both
        errors = np.full(len(theta), np.nan)
        with_nuisance, nuisance_only = crossed[:, :size, size:], crossed[:, size:, size:]
        explained = with_nuisance @ np.linalg.pinv(nuisance_only) @ with_nuisance.swapaxes(1, 2)
        information = (crossed[:, :size, :size] - explained).sum(axis=0)
        if size and np.linalg.matrix_rank(information) == size:
            errors[free] = np.sqrt(np.diag(np.linalg.inv(information)))
        return errors

    def _posteriors(self, seen: Array, share: Array) -> Iterator[tuple[int, slice, Array]]:
        by_click, by_skip, prior = np.log(seen), np.log1p(-seen), np.log(share)
        for number, part in self._parts:
            posterior = self._clicked[part] @ by_click + self._skipped[part] @ by_skip
            posterior += prior[number]
            posterior = np.exp(posterior - posterior.max(axis=1, keepdims=True))
            yield number, part, posterior / posterior.sum(axis=1, keepdims=True)


def _click_chances(theta: Array) -> Array:
    chances: Array = np.minimum(theta[:, None] * _LEVELS, 1 - 1e-12)
    return chances


def _find_strata(shown: Array, lists: Array) -> NDArray[np.intp]:
    """The stratum of each pair, by its mean rank in the lists of its query.

    One that does not show it counts as the rank behind the last: what is seldom shown is less
    attractive than what always stands there.
    """
    count = max(1, min(_STRATA, len(shown) // _PAIRS_IN_STRATUM))
    ranks, times = np.arange(shown.shape[1]), shown.sum(axis=1)
    unseen = np.maximum(lists - times, 0)
    mean_rank = (shown @ ranks + unseen * len(ranks)) / (times + unseen)
    bounds = np.quantile(mean_rank, np.arange(1, count) / count)
    return np.asarray(np.digitize(mean_rank, bounds), dtype=np.intp)
