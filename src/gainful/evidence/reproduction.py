"""Is a reproduction like the original? Order of documents, errors of scores, and the effect.

The measures of Breuer et al. (SIGIR 2020), as repro_eval computes them. A reproduction has the
original's queries and documents: rankings and scores can be compared query by query. A replication
has others: only the effect, an advanced run's improvement over a baseline, can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.errors import BadInput, BadValue, CannotCompare
from gainful.evidence.pairing import NOT_A_MEAN, pair_results
from gainful.evidence.statistics.correlation import kendall_tau
from gainful.measure.results import list_footnotes
from gainful.measure.values import Results
from gainful.page.page import Page, Section
from gainful.page.shown import Shown, refuse_truth
from gainful.page.table import Column, Table, build_table, format_number, to_plain_data
from gainful.text import count_noun, mark_notes

DEPTH, PERSISTENCE = 1000, 0.95  # those of repro_eval
MAX_DEPTH = 1_000_000
DocLists = Mapping[str, Sequence[str]]


@frozen
class DocOrder:
    """How alike two runs order documents, on average over the queries that both have."""

    run: str  # run or baseline
    queries: int
    tau_union: float | None  # none where no query has two documents
    rbo: float
    largest_rbo: float  # of the original with itself: below 1 where lists are shorter than depth


@frozen
class ScoreError:
    """How far the scores of a reproduced run are from the original's, query by query."""

    run: str
    measure: str
    original: float  # its mean
    reproduced: float
    rmse: float
    nrmse: float | None  # of the largest there could be; none where the measure is not bounded


@frozen
class Effect:
    """What is left of the improvement of a run over a baseline.

    `effect_ratio` is None where the original has no improvement, the relative improvements and
    their difference where a baseline scores 0.
    """

    measure: str
    original: float  # mean improvement
    reproduced: float
    effect_ratio: float | None
    original_relative: float | None
    reproduced_relative: float | None
    delta_relative: float | None  # the original's less the reproduced


_ORDER_COLUMNS = (
    Column("ranking", "run"),
    Column("queries"),
    Column("tau union", "tau_union", format_number),
    Column("RBO", "rbo", format_number),
    Column("most RBO", "largest_rbo", format_number),
)
_ERROR_COLUMNS = (
    Column("scores", "run"),
    Column("measure"),
    Column("original", show=format_number),
    Column("reproduced", show=format_number),
    Column("RMSE", "rmse", format_number),
    Column("nRMSE", "nrmse", format_number, drop=1),
)
_EFFECT_COLUMNS = (
    Column("effect", "measure"),
    Column("original", show=format_number),
    Column("reproduced", show=format_number),
    Column("effect\nratio", "effect_ratio", format_number),
    Column("relative,\noriginal", "original_relative", format_number, drop=1),
    Column("relative,\nreproduced", "reproduced_relative", format_number, drop=2),
    Column("ΔRI", "delta_relative", format_number),
)


@frozen(eq=False, repr=False, kw_only=True)
class Reproduction(Shown):
    """How well a run, and its improvement over a baseline, were reproduced."""

    orders: tuple[DocOrder, ...] = ()
    errors: tuple[ScoreError, ...] = ()
    effects: tuple[Effect, ...] = ()
    depth: int = DEPTH
    p: float = PERSISTENCE
    results: tuple[Results, ...] = ()
    notes: tuple[str, ...] = ()

    __bool__ = refuse_truth("how close it is: reproduction.orders, .errors and .effects")

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain = to_plain_data(evolve(self, results=()))
        del plain["results"]
        return plain | {"convention": self.results[0].convention_data()}

    def page(self, *, verbose: bool = False) -> Page:
        """How close it is, in a sentence and in a table for each question."""
        return Page(
            answer=_describe(self),
            sections=[
                Section(table=build_table(items, columns, labels))
                for items, columns, labels in (
                    (self.orders, _ORDER_COLUMNS, 1),
                    (self.errors, _ERROR_COLUMNS, 2),
                    (self.effects, _EFFECT_COLUMNS, 1),
                )
                if items
            ],
            notes=_list_notes(self, verbose=verbose),
            rows=lambda: _list_rows(self),
            data=self.to_dict,
            indent="  ",
        )


def compare_orders(
    original: DocLists, reproduced: DocLists, run: str, depth: int, p: float
) -> tuple[DocOrder, list[str]]:
    """Kendall's tau union and RBO of the queries that both have, and what one should know."""
    common = [query for query in original if query in reproduced]
    if not common:
        raise CannotCompare(f"the original {run} and the reproduced one have no query in common")
    pairs = [(original[query], reproduced[query]) for query in common]
    taus = [kendall_tau_union(*pair) for pair in pairs]
    known = [tau for tau in taus if tau is not None]
    overlap, largest = (
        float(np.mean([rbo_to_depth(first, second, p=p, depth=depth) for first, second in lists]))
        for lists in (pairs, [(first, first) for first, _ in pairs])
    )
    lost = len(original) + len(reproduced) - 2 * len(common)
    unequal = sum(len(first) != len(second) for first, second in pairs)
    notes = [
        f"{run}: {text.format(count_noun(number, 'query'))}"
        for number, text in (
            (lost, "{} of only one side left out"),
            (unequal, "tau of {} covers the shorter of two lists"),
            (len(taus) - len(known), "no tau of {} with fewer than two documents"),
        )
        if number
    ]
    tau = float(np.mean(known)) if known else None
    return DocOrder(run, len(common), tau, overlap, largest), notes


def kendall_tau_union(original: Sequence[str], reproduced: Sequence[str]) -> float | None:
    """Kendall's tau of two rankings that need not have the same documents.

    Documents are numbered by their place in the sorted union of both; the two lists of numbers are
    correlated, rank by rank. None where there are fewer than two ranks.
    """
    size = min(len(original), len(reproduced))
    if size < 2:
        return None
    place = {doc: at for at, doc in enumerate(sorted({*original[:size], *reproduced[:size]}))}
    sides = ({rank: place[docs[rank]] for rank in range(size)} for docs in (original, reproduced))
    return kendall_tau(*sides)


def rbo_to_depth(
    original: Sequence[str], reproduced: Sequence[str], *, p: float, depth: int
) -> float:
    """Rank-biased overlap down to a depth, its weights divided by their sum."""
    place = {doc: at for at, doc in enumerate(reproduced[:depth], 1)}
    # The depth from which on both have a document.
    meet = [max(at, place[doc]) for at, doc in enumerate(original[:depth], 1) if doc in place]
    overlap = np.cumsum(np.bincount(np.array(meet, dtype=np.intp), minlength=depth + 1)[1:])
    weights = p ** np.arange(depth)
    return float((weights * overlap / np.arange(1, depth + 1)).sum() / weights.sum())


def measure_errors(
    original: Results, reproduced: Results, run: str
) -> tuple[list[ScoreError], list[str]]:
    """RMSE of each measure that is a mean over queries, over the queries that both have."""
    errors, notes = [], []
    for name in _mean_measures(original):
        pair = pair_results([original, reproduced], name)
        if not pair.queries:
            problem = f"no {pair.noun} counts in both the original and the reproduction"
            raise CannotCompare(f"{name}: {problem}")
        if any(pair.left_out):
            number = count_noun(sum(map(len, pair.left_out)), pair.noun)
            notes.append(f"{name} ({run}): {number} of only one side left out")
        first, second = pair.values[:, 0], pair.values[:, 1]
        farthest = np.maximum(first, 1 - first)
        rmse, largest = (float(np.sqrt((e**2).mean())) for e in (first - second, farthest))
        largest = largest if original.recipes[name].entry.bounded else 0.0
        means = float(first.mean()), float(second.mean())
        errors.append(ScoreError(run, name, *means, rmse, rmse / largest if largest else None))
    return errors, notes


def _mean_measures(results: Results) -> list[str]:
    recipes = results.recipes
    names = [name for name in recipes if recipes[name].entry.aggregation not in NOT_A_MEAN]
    if not names:
        raise BadValue("measures", ", ".join(recipes), "measures that are means over queries")
    return names


def measure_effects(
    original: tuple[Results, Results], reproduced: tuple[Results, Results]
) -> list[Effect]:
    """Effect ratio and delta relative improvement; of each pair the run, then its baseline."""
    effects = []
    for name in _mean_measures(original[0]):
        gain, relative = _improve(original, name)
        new_gain, new_relative = _improve(reproduced, name)
        ratio = new_gain / gain if gain else None
        known = relative is not None and new_relative is not None
        delta = (relative or 0.0) - (new_relative or 0.0) if known else None
        effects.append(Effect(name, gain, new_gain, ratio, relative, new_relative, delta))
    return effects


def _improve(pair: tuple[Results, Results], name: str) -> tuple[float, float | None]:
    paired = pair_results(pair, name)
    if not paired.queries:
        problem = f"{name}: no {paired.noun} counts in {pair[0].name} and its baseline"
        raise BadInput(pair[1].name, problem, "runs of the same queries")
    run, baseline = (float(mean) for mean in paired.values.mean(axis=0))
    return run - baseline, (run - baseline) / baseline if baseline else None


def _describe(reproduction: Reproduction) -> str:
    sentences = []
    if reproduction.orders:
        order = reproduction.orders[0]
        tau = "" if order.tau_union is None else f"tau union {order.tau_union:.2f} (at most 1) and "
        sentences.append(
            f"Agreement with the original rankings: {tau}"
            f"RBO {order.rbo:.2f} (at most {order.largest_rbo:.3g})."
        )
    if reproduction.errors:
        error = reproduction.errors[0]
        sentences.append(
            f"{error.measure} is {error.reproduced:.4f} instead of {error.original:.4f}; values "
            f"differ by {error.rmse:.4f} (RMSE)."
        )
    for effect in reproduction.effects[:1]:
        sentence = f"The original does not improve {effect.measure}, so there is no effect ratio."
        if effect.effect_ratio is not None:
            ratio = round(effect.effect_ratio, 2) + 0.0  # no minus before a zero
            delta = "" if effect.delta_relative is None else f"; ΔRI {effect.delta_relative:+.4f}"
            improvement = f"Its improvement in {effect.measure} is {ratio:.2f} times the original's"
            sentence = f"{improvement} (effect ratio{delta})."
        sentences.append(sentence)
    return " ".join(sentences)


def _list_notes(reproduction: Reproduction, *, verbose: bool) -> list[str]:
    lines = []
    if reproduction.orders:
        lines.append(
            f"tau union and RBO (p = {reproduction.p:g}) of the first {reproduction.depth} "
            "documents · most RBO: the RBO of identical lists, below 1 for shorter lists"
        )
    if reproduction.effects:
        lines.append("effect ratio: 1 is the same effect · ΔRI: 0 is the same relative improvement")
    if verbose:
        lines.append("definitions: Breuer et al., SIGIR 2020, as in repro_eval")
    lines += list_footnotes(reproduction.results, verbose=verbose)
    return [*lines, *mark_notes(reproduction.notes)]


def _list_rows(reproduction: Reproduction) -> Table:
    relative = ("original_relative", "reproduced_relative", "delta_relative")
    kinds = (
        (reproduction.orders, ("tau_union", "rbo", "largest_rbo")),
        (reproduction.errors, ("original", "reproduced", "rmse", "nrmse")),
        (reproduction.effects, ("effect_ratio", *relative)),
    )
    rows = [
        (name, getattr(item, "run", "effect"), getattr(item, "measure", ""), getattr(item, name))
        for items, names in kinds
        for item in items
        for name in names
    ]
    return Table(("what", "run", "measure", "value"), rows, numeric=True, label_columns=3)
