"""The quick form of `make error-rates`: a few cells, few trials, and what the long form found."""

import json

import numpy as np
import pytest
from tools.error_rates import clusters, families, margins, pairs, plans, populations, studies
from tools.error_rates.__main__ import SEED, TRIALS
from tools.error_rates.page import DATA, error_rates_page
from tools.error_rates.tables import list_cells

from gainful.evidence.statistics.max_t import flip_families
from gainful.evidence.statistics.outcome import Resampling, UnitSums

needs_runs = pytest.mark.skipif(
    not populations.has_runs(), reason="error rates on real runs (needs ../shared/data)"
)


def bound(rate, trials, deviations=4):
    """So far above its rate a share of trials is hardly ever."""
    return rate + deviations * (rate * (1 - rate) / trials) ** 0.5


def run_cell(module, trials, **labels):
    (cell,) = [
        cell
        for cell in module.list_cells()
        if all(cell.labels.get(name) == value for name, value in labels.items())
    ]
    return cell.run(trials, seed=1)


# ── the long form ────────────────────────────────────────────────────────────────────────────


def test_the_table_of_the_docs_has_every_cell_with_as_many_trials_as_it_says():
    records = json.loads(DATA.read_text("utf-8"))["cells"]
    assert [(record["table"], record["labels"]) for record in records] == [
        (cell.table, dict(cell.labels)) for cell in list_cells()
    ]
    assert all(record["rates"] is not None for record in records)
    assert {record["trials"] for record in records} == {TRIALS}
    assert f"{TRIALS:,} trials per cell" in error_rates_page()
    assert f"seed {SEED}" in error_rates_page()


def test_no_rate_of_the_table_passes_its_limit():
    records = json.loads(DATA.read_text("utf-8"))["cells"]
    limits = [
        (record["labels"], record["rates"][name], limit)
        for record in records
        for name, limit in record["limits"].items()
    ]
    # max-t: 24 cells of exchangeable runs, 12 of skewed ones from 50 on; groups: 2 of 2 cells
    assert len(limits) == 40
    assert [item for item in limits if item[1] > item[2]] == []


def test_a_cell_gives_the_same_rates_again_and_others_by_another_seed():
    cell = next(cell for cell in clusters.list_cells() if cell.labels["conversations"] == 10)
    assert cell.run(100, seed=1) == cell.run(100, seed=1) != cell.run(100, seed=2)


# ── the quick form ───────────────────────────────────────────────────────────────────────────


@needs_runs
def test_tilted_differences_have_a_mean_of_zero_and_keep_their_values():
    population = populations.tilted("AP")
    assert population.weights @ population.values == pytest.approx(0, abs=1e-12)
    assert population.weights.sum() == pytest.approx(1)
    drawn = population.draw(np.random.default_rng(1), (100, 2000))
    assert drawn.mean() == pytest.approx(0, abs=4 * population.spread() / np.sqrt(drawn.size))
    assert set(drawn[0]) <= set(population.values)


@needs_runs
@pytest.mark.parametrize("test", ["randomisation", "t"])
@pytest.mark.parametrize("null", ["exchangeable", "mean zero"])
@pytest.mark.parametrize("queries", [10, 50])
def test_tests_hold_their_level_on_differences_of_real_runs(test, null, queries):
    rates = run_cell(pairs, 500, test=test, null=null, differences="nDCG@10", queries=queries)
    assert rates["rejected"] <= bound(0.055, 500)
    assert 1 - rates["held"] <= bound(0.06, 500)


@needs_runs
@pytest.mark.parametrize("test", ["bootstrap", "bca"])
def test_drawing_few_queries_again_promises_too_much(test):
    """So intervals of few queries are not drawn, and the docs warn of both tests."""
    rates = run_cell(pairs, 300, test=test, null="mean zero", differences="AP", queries=10)
    assert rates["rejected"] > 0.06


@needs_runs
@pytest.mark.parametrize("spreads", families.SPREADS)
@pytest.mark.parametrize(("runs", "trials"), [(5, 300), (30, 100)])
def test_max_t_holds_the_family_of_runs_that_are_alike(spreads, runs, trials):
    labels = {"test": "max-t", "spreads": spreads, "runs": runs, "queries": 50}
    assert run_cell(families, trials, null="exchangeable", **labels)["rejected"] <= bound(
        0.05, trials
    )
    assert run_cell(families, trials, null="skewed", **labels)["rejected"] <= bound(0.06, trials)


@pytest.mark.parametrize(("runs", "queries"), [(4, 8), (6, 30)])
def test_trials_judged_together_have_the_p_that_each_has_alone(runs, queries):
    values = np.random.default_rng(1).exponential(size=(9, queries, runs)).round(1)
    values[0, :, 0] = values[0, :, 1]  # a pair without any difference
    numbers = np.array([(a, b) for a in range(runs) for b in range(a + 1, runs)])
    resampling = Resampling(resamples=199, seed=3)
    together = families.max_t_p(values, numbers, resampling)
    alone = [
        flip_families([UnitSums.from_values(trial)], numbers, resampling).p_corrected.min()
        for trial in values
    ]
    assert together.tolist() == pytest.approx(alone)


@needs_runs
def test_tukey_errs_where_runs_differ_in_spread():
    """So the docs do not promise that it holds its level there."""
    labels = {"test": "tukey", "null": "exchangeable", "runs": 10, "queries": 50}
    assert run_cell(families, 300, spreads="unequal", **labels)["rejected"] > bound(0.05, 300)


@pytest.mark.parametrize("kind", margins.CHANGES)
def test_margins_are_kept_where_changes_are_not_skewed_and_skewed_ones_are_told(kind):
    """So the gate and TOST say where they are lenient, and the docs with which numbers."""
    drawn = margins.draw_changes(kind, (150, 20_000), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(-margins.MARGIN, abs=0.001)
    rates = run_cell(margins, 500, changes=kind, queries=150)
    assert rates["no-worse-than"] == pytest.approx(rates["by t"], abs=0.02)
    if kind == "exponential":
        assert min(rates["no-worse-than"], rates["TOST"]) > 0.065
        assert rates["noted"] > 0.9
    else:
        assert max(rates["no-worse-than"], rates["TOST"]) <= bound(0.065, 500)
        assert rates["noted"] < 0.05


def test_bca_errs_most_where_most_queries_do_not_differ():
    rates = run_cell(pairs, 300, test="bca", differences="60 % zeros", queries=25)
    assert rates["rejected"] > bound(0.05, 300)


def test_t_by_few_conversations_of_unequal_length_errs():
    labels = {"test": clusters.UNEQUAL, "correlation": "0.3", "conversations": 8}
    assert run_cell(clusters, 1000, **labels)["by conversation"] > 0.065


@pytest.mark.parametrize("correlation", ["0", "0.3"])
def test_whole_conversations_hold_their_level_and_turns_do_not(correlation):
    rates = run_cell(clusters, 500, test="t", correlation=correlation, conversations=25)
    assert rates["by conversation"] <= bound(0.055, 500)
    if correlation == "0.3":
        assert rates["by turn"] > 0.15


@pytest.mark.parametrize("design", studies.DESIGNS)
def test_designs_hold_their_level(design):
    rates = run_cell(studies, 500, design=design, errors=studies.ERRORS[1])
    assert rates["rejected"] <= bound(0.055, 500)
    assert 1 - rates["held"] <= bound(0.06, 500)


@pytest.mark.parametrize("systems", [3, 4])
def test_squares_hold_the_family_of_systems_that_are_alike(systems):
    labels = {"systems": systems, "searchers": 8 * systems, "errors": "symmetric"}
    assert run_cell(studies, 300, **labels)["rejected"] <= bound(0.055, 300)


@needs_runs
def test_a_cautious_plan_is_enough_more_often_than_the_spread_of_the_pilot():
    rates = run_cell(plans, 2000, measure="nDCG@10", **{"queries of the pilot": 25})
    assert rates["needed"] < 0.6
    assert rates["cautious"] > 0.75
