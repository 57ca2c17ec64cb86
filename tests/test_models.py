"""Linear models of scores: against published tables, analysis of variance by hand, and likelihood."""

from __future__ import annotations

import builtins
import json

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats
from statsmodels.distributions.empirical_distribution import ECDF

import gainful
from gainful.errors import BadValue, CannotCompare, NotInstalled, UnknownName
from gainful.evidence.models.fit_model import fit_random_intercept, fit_runs, variance_ratio
from gainful.evidence.pairing import PairedValues
from gainful.evidence.standardise import STANDARDISATIONS, standardise_values
from gainful.sessions import fit_model, simulate_study

# The effort to arise from four types of stools, nine subjects: Pinheiro & Bates 2000, table 1.2.
STOOLS = np.array(
    [
        [12, 15, 12, 10],
        [10, 14, 13, 12],
        [7, 14, 13, 9],
        [7, 11, 10, 9],
        [8, 11, 8, 7],
        [9, 11, 11, 10],
        [8, 12, 12, 11],
        [7, 11, 8, 7],
        [9, 13, 10, 8],
    ],
    dtype=float,
)


def pair_table(values, measure="score"):
    queries = [str(at) for at in range(len(values))]
    return PairedValues(measure, queries, values, [0] * values.shape[1])


def test_the_published_table_of_the_stools():
    """Pinheiro & Bates 2000, §1.2: REML, with its standard errors, degrees, t and p."""
    model = fit_runs(pair_table(STOOLS), ["T1", "T2", "T3", "T4"], 0, 0.05)
    assert [item.estimate for item in model.estimates] == pytest.approx(
        [8.555556, 3.888889, 2.222222, 0.666667], abs=1e-6
    )
    assert [item.error for item in model.estimates] == pytest.approx(
        [0.5760123, *[0.5186838] * 3], abs=1e-7
    )
    assert [item.degrees for item in model.differences] == [24] * 3
    assert [item.p for item in model.differences] == pytest.approx([0, 0.0003, 0.2110], abs=5e-5)
    query, error = model.components
    assert (query.sd, error.sd) == pytest.approx((1.332465, 1.100295), abs=1e-6)
    assert model.tests[0].f == pytest.approx(22.35556, abs=1e-4)


def analyse_by_hand(table):
    """The two-way analysis of variance without repetition: mean squares, by plain sums."""
    queries, runs = table.shape
    mean, rows, columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
    of_query = runs * sum((row - mean) ** 2 for row in rows) / (queries - 1)
    of_run = queries * sum((column - mean) ** 2 for column in columns) / (runs - 1)
    squares = sum(
        (table[q, r] - rows[q] - columns[r] + mean) ** 2
        for q in range(queries)
        for r in range(runs)
    )
    return of_query, of_run, squares / ((queries - 1) * (runs - 1))


@pytest.mark.parametrize("seed", range(4))
def test_a_balanced_model_is_the_analysis_of_variance_by_hand(seed):
    random = np.random.default_rng(seed)
    table = random.normal(size=(14, 3)) + 0.8 * random.normal(size=(14, 1)) + np.arange(3)
    of_query, of_run, of_error = analyse_by_hand(table)
    model = fit_runs(pair_table(table), list("abc"), 1, 0.05)
    query, error = model.components
    assert error.variance == pytest.approx(of_error, rel=1e-9)
    assert query.variance == pytest.approx((of_query - of_error) / 3, rel=1e-9)
    assert model.tests[0].f == pytest.approx(of_run / of_error, rel=1e-9)
    reach = stats.t.isf(0.025, 26) * np.sqrt(2 * of_error / 14)
    difference = table[:, 0].mean() - table[:, 1].mean()
    first = model.differences[0]
    assert (first.low, first.high) == pytest.approx((difference - reach, difference + reach))


def test_of_two_runs_p_is_that_of_the_paired_t_test():
    random = np.random.default_rng(9)
    table = random.normal(size=(20, 2)) + random.normal(size=(20, 1))
    model = fit_runs(pair_table(table), ["a", "b"], 0, 0.05)
    theirs = stats.ttest_rel(table[:, 1], table[:, 0])
    assert model.differences[0].p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert model.differences[0].degrees == theirs.df


def reml_profile(values, fixed, group, ratio):
    """The profile of the restricted log-likelihood, by whole matrices."""
    same = np.equal.outer(group, group) * 1.0
    covariance = np.eye(len(values)) + ratio * same
    inverse = np.linalg.inv(covariance)
    information = fixed.T @ inverse @ fixed
    beta = np.linalg.solve(information, fixed.T @ inverse @ values)
    left = values - fixed @ beta
    degrees = len(values) - fixed.shape[1]
    variance = left @ inverse @ left / degrees
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (covariance, information)]
    return (
        -(sum(logs) + degrees * np.log(variance)) / 2,
        beta,
        variance,
        variance * np.linalg.inv(information),
    )


@pytest.mark.parametrize("queries", [2, 4, 30])
def test_residuals_that_are_all_as_far_off_are_not_tested_to_no_number(queries):
    table = np.tile([[0.0, 1.0], [1.0, 0.0]], (queries // 2, 1))
    model = fit_runs(pair_table(table), ["a", "b"], 0, 0.05)
    assert model.residuals.spread_p is None
    assert "nan" not in repr(model)
    assert model.differences[0].p == pytest.approx(1)


def lose_rows(seed, spread=1.0):
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(12), 4)
    system = np.concatenate([random.permutation([0, 0, 1, 1]) for _ in range(12)])
    values = random.normal(size=48) + spread * random.normal(size=12)[group] + system
    kept = random.random(48) < 0.85
    group = np.unique(group[kept], return_inverse=True)[1]
    return values[kept], np.eye(2)[system[kept]], group


@pytest.mark.parametrize("seed", range(5))
def test_an_unbalanced_model_has_the_largest_reml_profile(seed):
    values, fixed, group = lose_rows(seed)
    model = fit_random_intercept(values, fixed, group, "score", "a test")
    best = optimize.minimize_scalar(
        lambda log: -reml_profile(values, fixed, group, np.exp(log))[0],
        bounds=(-12, 6),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ratio = np.exp(best.x)
    _, beta, variance, covariance = reml_profile(values, fixed, group, ratio)
    assert model.group_variance / model.error_variance == pytest.approx(ratio, rel=1e-4)
    assert model.error_variance == pytest.approx(variance, rel=1e-5)
    assert model.coefficients == pytest.approx(beta, rel=1e-5)
    assert model.covariance == pytest.approx(covariance, rel=1e-4)


def test_two_queries_leave_one_degree_of_freedom_and_that_is_said():
    qrels = {"1": {"a": 2, "b": 1}, "2": {"a": 1, "b": 2}}
    runs = {"x": {"1": ["a", "b"], "2": ["a", "b"]}, "y": {"1": ["b", "a"], "2": ["c", "b"]}}
    model = gainful.fit_model(qrels, runs, "nDCG@2")
    assert model.models[0].tests[0].error_degrees == 1
    note = "nDCG@2: 2 queries leave errors 1 degree of freedom"
    assert any(line.startswith(note) for line in model.notes)


def test_groups_that_do_not_differ_have_no_variance():
    """The likelihood falls from 0 on, so 0 it is, and the model that of least squares."""
    values, fixed, group = lose_rows(3, spread=0.0)
    values = values - np.bincount(group, values)[group] / np.bincount(group)[group]
    model = fit_random_intercept(values, fixed, group, "score", "a test")
    at_zero, beta, variance, _ = reml_profile(values, fixed, group, 0.0)
    assert at_zero > reml_profile(values, fixed, group, 0.01)[0]
    assert model.group_variance == 0
    assert model.coefficients == pytest.approx(beta)
    assert model.error_variance == pytest.approx(variance)


def test_a_model_that_leaves_no_error_does_not_converge():
    table = np.arange(5.0)[:, None] + np.array([0.0, 1.0, 3.0])
    with pytest.raises(CannotCompare, match="score: the model does not converge: it leaves no err"):
        fit_runs(pair_table(table), list("abc"), 0, 0.05)


def test_what_statsmodels_is_not_sure_of_is_refused(monkeypatch):
    """Its optimiser stopped after one step says so by a warning."""
    from statsmodels.regression import mixed_linear_model

    whole = mixed_linear_model.MixedLM.fit

    def stop_early(self, **options):
        return whole(self, **options, maxiter=1)

    monkeypatch.setattr(mixed_linear_model.MixedLM, "fit", stop_early)
    with pytest.raises(CannotCompare, match="score: the model does not converge"):
        variance_ratio(*lose_rows(1), "score", "a test")


def test_without_statsmodels_the_line_that_installs_it_is_said(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("statsmodels"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(NotInstalled, match="a model of sessions needs .*: pip install statsmodels"):
        variance_ratio(*lose_rows(1), "score", "a model of sessions")


# ── of studies ───────────────────────────────────────────────────────────────────────────────


def sessions_of(rows):
    """Sessions of one query and one result: searcher, scenario, system, order, grade."""
    names = ("searcher", "scenario", "system", "order", "grade")
    return pl.DataFrame(
        [
            {"session": f"s{at:03}", "query": 1, "rank": 1, "doc": f"d{at}", "topic": "t"}
            | dict(zip(names, row, strict=True))
            for at, row in enumerate(rows)
        ]
    )


def cross_study(seed):
    """Everyone tries both systems on both scenarios, in random order: a balanced study."""
    random = np.random.default_rng(seed)
    rows = []
    for at in range(10):
        luck = random.normal()
        orders = random.permutation(4) + 1
        for order, (what, which) in zip(orders, ("x1", "x2", "y1", "y2"), strict=True):
            grade = 10 + luck + random.normal() + (which == "2") * (1 + (what == "y"))
            rows.append((f"p{at:02}", what, which, int(order), float(grade)))
    return rows


def test_a_cross_study_is_its_analysis_of_variance_by_hand():
    rows = cross_study(1)
    frame = sessions_of(rows)
    block = ["searcher", "scenario"]
    model = fit_model(frame, measures="sDCG@10", block=block).models[0]
    cube = np.array([row[4] for row in rows]).reshape(10, 2, 2)  # searcher, scenario, system
    cells, people, mean = cube.mean(axis=0), cube.mean(axis=(1, 2)), cube.mean()
    errors = cube - cells - people[:, None, None] + mean
    of_error = (errors**2).sum() / 27
    of_searcher = 4 * ((people - mean) ** 2).sum() / 9
    searcher, error = model.components
    assert error.variance == pytest.approx(of_error, rel=1e-6)
    assert searcher.variance == pytest.approx((of_searcher - of_error) / 4, rel=1e-5)
    differences = {item.term: item for item in model.estimates}
    assert differences["2 − 1"].estimate == pytest.approx(cells[:, 1].mean() - cells[:, 0].mean())
    in_y = differences["2 − 1 in scenario y"]
    assert in_y.estimate == pytest.approx(cells[1, 1] - cells[1, 0])
    assert in_y.error == pytest.approx(np.sqrt(2 * of_error / 10), rel=1e-6)
    tests = {item.term: item for item in model.tests}
    twisted = cells[1, 1] - cells[1, 0] - cells[0, 1] + cells[0, 0]
    of_interaction = 10 * twisted**2 / 4
    assert tests["system × scenario"].f == pytest.approx(of_interaction / of_error, rel=1e-6)
    assert (tests["system × scenario"].degrees, tests["system"].error_degrees) == (1, 27)


def test_a_study_has_effects_of_order_and_the_searcher_at_random():
    study = simulate_study(2008)
    models = fit_model(study.sessions, study.qrels, "sDCG@10")
    model = models.models[0]
    assert model.formula == "sDCG@10 ~ system × scenario + order + (searcher)"
    assert [item.term for item in model.tests] == [
        "system",
        "scenario",
        "system × scenario",
        "order",
    ]
    assert [item.error_degrees for item in model.tests] == [80] * 4
    assert sum(item.share for item in model.components) == pytest.approx(1)
    assert "system 2 is 1.084 above system 1" in repr(models)
    assert json.loads(models.to_json())["models"][0]["residuals"]["largest_label"]


def test_a_cyclic_square_has_its_interaction_in_the_model():
    random = np.random.default_rng(2)
    rows = [
        (f"p{at:02}", "wxyz"[s], "ABCD"[(s + at) % 4], s + 1, float(9 + random.normal()))
        for at in range(16)
        for s in range(4)
    ]
    models = fit_model(sessions_of(rows), measures="sDCG@10", baseline="B")
    model = models.models[0]
    assert [item.term for item in model.differences] == ["A − B", "C − B", "D − B"]
    assert model.tests[2].degrees == 9
    assert "order is not in the model: it cannot be told from system and scenario" in models.notes


def test_a_study_between_searchers_is_held_against_searchers():
    random = np.random.default_rng(4)
    rows = [
        (f"p{at:02}", what, "AB"[at % 2], 1, float(9 + luck + random.normal()))
        for at in range(12)
        for luck in [2 * random.normal()]
        for what in "xy"
    ]
    model = fit_model(sessions_of(rows), measures="sDCG@10").models[0]
    (difference,) = model.differences
    assert difference.degrees == 10
    means = (
        pl.DataFrame(rows, orient="row").group_by("column_0", "column_2").agg(pl.mean("column_4"))
    )
    first, other = (means.filter(pl.col("column_2") == name)["column_4"] for name in "BA")
    assert difference.p == pytest.approx(stats.ttest_ind(first, other).pvalue, rel=1e-4)


def test_a_system_that_nobody_tried_on_a_scenario_is_named():
    rows = [row for row in cross_study(2) if row[1:3] != ("y", "2")]
    with pytest.raises(CannotCompare, match="nobody tried system 2 on scenario y: the model needs"):
        fit_model(sessions_of(rows), measures="sDCG@10")


def test_a_model_needs_searchers():
    study = simulate_study(1)
    with pytest.raises(CannotCompare, match="a model of sessions needs a column of searchers"):
        fit_model(study.sessions, study.qrels, "sDCG@10", block=())


# ── standardised scores ──────────────────────────────────────────────────────────────────────


def test_standardised_scores_are_as_published():
    random = np.random.default_rng(3)
    values = np.round(random.random((12, 7)), 2)
    values[0, 3] = values[0, 5]
    for name, by_hand in {
        "normal": lambda row: stats.norm.cdf(row, row.mean(), row.std(ddof=1)),
        "uniform": lambda row: stats.uniform.cdf(
            row, row.mean() - row.std(ddof=1) * 0.5 / 0.15, row.std(ddof=1) / 0.15
        ),
        "empirical": lambda row: ECDF(row)(row),
    }.items():
        ours = standardise_values(pair_table(values), name).values
        expected = np.array([by_hand(row) for row in values])
        assert ours == pytest.approx(expected, abs=1e-12), name


def test_a_query_on_which_all_runs_are_alike_says_nothing():
    alike = np.full((2, 4), 0.3)
    assert (STANDARDISATIONS["normal"].function(alike) == 0.5).all()
    assert (STANDARDISATIONS["uniform"].function(alike) == 0.5).all()
    assert (STANDARDISATIONS["empirical"].function(alike) == 1.0).all()


NEWS = "examples/news/"
RUNS = {name: f"{NEWS}{name}.txt" for name in ("bm25", "dense", "hybrid")}


def test_runs_can_be_modelled_with_standardised_scores():
    models = gainful.fit_model(f"{NEWS}qrels.txt", RUNS, "nDCG@10", standardise="normal")
    per_query = {
        name: gainful.evaluate(f"{NEWS}qrels.txt", run, "nDCG@10").per_query["nDCG@10"].to_numpy()
        for name, run in RUNS.items()
    }
    table = np.stack(list(per_query.values()), axis=1)
    spread = table.std(axis=1, ddof=1, keepdims=True)
    scores = stats.norm.cdf((table - table.mean(axis=1, keepdims=True)) / spread)
    expected = scores[:, 1].mean() - scores[:, 0].mean()
    assert models.models[0].differences[0].estimate == pytest.approx(expected, abs=1e-9)
    assert "normal scores (Webber et al. 2008) over 3 runs" in repr(models)


@pytest.mark.parametrize(
    ("runs", "more", "error", "message"),
    [
        (RUNS, {"standardise": "z"}, UnknownName, "no standardisation 'z'"),
        (dict(list(RUNS.items())[:2]), {"standardise": "normal"}, BadValue, "at least 3 to stand"),
        (RUNS, {"baseline": "nobody"}, UnknownName, "no run 'nobody'"),
        (RUNS, {"alpha": 2}, BadValue, "alpha is 2"),
    ],
)
def test_what_cannot_be_modelled_is_refused(runs, more, error, message):
    with pytest.raises(error, match=message):
        gainful.fit_model(f"{NEWS}qrels.txt", runs, "nDCG@10", **more)


# ── the command ──────────────────────────────────────────────────────────────────────────────

WORDS = ("compare", f"{NEWS}qrels.txt", *RUNS.values())


def test_the_command_fits_a_model_of_runs(run_gainful):
    out = run_gainful(*WORDS, "-m", "nDCG@10", "--model", "--format", "table").answer
    assert out.startswith("In nDCG@10, dense is 0.073 above bm25 (95 % interval 0.030 to 0.117, ")
    assert "nDCG@10 ~ run + (query), 40 queries" in out
    rows = run_gainful(*WORDS, "-m", "nDCG@10", "-m", "AP", "--model", "--format", "csv").answer
    assert rows.count("\n") == 2 * (3 + 1 + 2) + 1


def test_the_command_fits_a_model_of_a_study(run_gainful, tmp_path):
    sessions, qrels = simulate_study(2008).write(tmp_path)
    words = ("compare", "--sessions", sessions, "--qrels", qrels, "-m", "sDCG@10", "--model")
    data = json.loads(run_gainful(*map(str, words), "--format", "json").answer)
    (model,) = data["models"]
    assert model["formula"] == "sDCG@10 ~ system × scenario + order + (searcher)"
    assert {item["source"] for item in model["components"]} == {"searcher", "error"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "--test", "t"), "--test does nothing with --model"),
        (("--model", "--seed", "1"), "--seed does nothing with --model"),
        (("--model", "--full", "--format", "latex"), "--full does nothing with --model"),
        (("--standardise", "z"), "'z' is not one of 'normal', 'uniform', 'empirical'"),
        (("--model", "-m", "NumRet"), "NumRet"),
    ],
)
def test_what_the_command_refuses(run_gainful, words, message):
    assert message in run_gainful(*WORDS, *words, status=2).err


def test_compare_takes_standardised_scores(run_gainful):
    words = ("-m", "nDCG@10", "--standardise", "empirical", "--format", "json")
    data = json.loads(run_gainful(*WORDS, *words).answer)
    assert data["standardised"] == "empirical scores (Urbano et al. 2019) over 3 runs"
    assert sum(data["measures"][0]["means"].values()) == pytest.approx(2.0, abs=0.02)  # 1/3 to 1
