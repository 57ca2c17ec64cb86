"""Which measure agrees with what users said? Against scipy, Williams' test and straight loops."""

import numpy as np
import polars as pl
import pytest
from attrs import evolve
from facts import find_notes, list_facts
from refusals import refuses
from scipy import stats as scipys
from statsmodels.stats.multitest import multipletests
from written_files import write_file, write_qrels, write_run

import gainful
from gainful.errors import BadInput, BadValue, NoColumn, UnknownName, WrongType
from gainful.evidence.orders.correlations import LabelledUnits, correlate_units
from gainful.evidence.statistics.bootstrap import bootstrap_interval, run_bootstrap
from gainful.evidence.statistics.correlation import COEFFICIENTS, spearman
from gainful.evidence.statistics.outcome import Resampling
from gainful.sessions import evaluate, simulate_study

PEERS = {"pearson": scipys.pearsonr, "spearman": scipys.spearmanr, "kendall": scipys.kendalltau}
FEW = Resampling(resamples=499)


def make_units(rho_a=0.6, rho_b=0.3, n=200, seed=1):
    """A label, and two measures that go along with it and with each other."""
    covariance = [[1, rho_a, rho_b], [rho_a, 1, 0.5], [rho_b, 0.5, 1]]
    rows = np.random.default_rng(seed).multivariate_normal(np.zeros(3), covariance, n)
    return LabelledUnits(
        values={"A": rows[:, 1], "B": rows[:, 2]},
        label=rows[:, 0],
        cluster=np.arange(n),
        unit="query",
    )


# ── coefficients ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", PEERS)
def test_a_weighted_coefficient_is_that_of_the_units_drawn_so_often(name):
    generator = np.random.default_rng(0)
    x = generator.integers(0, 6, 30).astype(float)
    y = (x + generator.normal(0, 3, 30)).round()
    weights = generator.multinomial(30, np.full(30, 1 / 30), 6).astype(float)
    expected = [
        PEERS[name](np.repeat(x, drawn), np.repeat(y, drawn)).statistic
        for drawn in weights.astype(int)
    ]
    assert COEFFICIENTS[name](y, weights)(x) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PEERS)
def test_what_does_not_vary_has_no_coefficient(name):
    weights, values = np.array([[1.0, 2.0, 0.0]]), np.array([1.0, 1.0, 2.0])
    label = np.array([1.0, 2.0, 3.0])
    assert np.isnan(COEFFICIENTS[name](label, weights)(values)[0])
    assert np.isnan(COEFFICIENTS[name](values, weights)(label)[0])


def test_the_interval_is_scipys_bca():
    generator = np.random.default_rng(2)
    x = generator.normal(size=40)
    y = 0.6 * x + generator.normal(size=40)
    bootstrap = run_bootstrap(
        lambda weights: spearman(y, weights)(x)[:, None], np.arange(40), Resampling()
    )
    ours = bootstrap_interval(
        float(bootstrap.estimate[0]), bootstrap.resampled[:, 0], bootstrap.left_out[:, 0], 0.05
    )
    theirs = scipys.bootstrap(
        (x, y),
        lambda a, b: scipys.spearmanr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=999,
        rng=1,
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.04)


def test_clusters_are_drawn_whole():
    weights = run_bootstrap(lambda drawn: drawn, np.array([0, 0, 1, 2, 2, 2]), FEW).resampled
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()


# ── differences ──────────────────────────────────────────────────────────────────────────────


def williams_p(r12, r13, r23, n):
    """Williams' t for two dependent correlations that share a variable (Steiger 1980)."""
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    t = (r12 - r13) * np.sqrt(
        (n - 1) * (1 + r23) / (2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3)
    )
    return 2 * scipys.t.sf(abs(t), n - 3)


@pytest.mark.parametrize("seed", [1, 5, 6])
def test_a_difference_is_as_sure_as_williams_test_finds_it(seed):
    units = make_units(0.5, 0.38, seed=seed)
    result = correlate_units(units, "said", "pearson", Resampling())
    (difference,) = result.differences
    r = np.corrcoef([units.label, units.values["A"], units.values["B"]])
    by_name = {"A": r[0, 1], "B": r[0, 2]}
    left, right = (by_name[name] for name in difference.measures)
    assert difference.difference == pytest.approx(left - right)
    expected = williams_p(left, right, r[1, 2], 200)
    assert difference.p == pytest.approx(expected, abs=0.35 * expected + 0.02)
    assert (difference.low > 0) == (difference.p < 0.05)


def test_the_best_comes_first_and_is_told():
    result = correlate_units(make_units(0.2, 0.7), "satisfaction", "spearman", FEW)
    assert [item.measure for item in result.correlations] == ["B", "A"]
    facts = list_facts(result.page().answer, "A", "B", "satisfaction")
    assert facts[:2] == ["B", "satisfaction"]
    assert facts[-1] == "A"  # than which it agrees significantly better
    assert find_notes(result.to_text().splitlines(), "200", "BCa")
    alike = correlate_units(make_units(0.5, 0.5, n=30), "satisfaction", "spearman", FEW)
    assert "No significant difference" in alike.page().answer


def test_p_is_as_it_is_and_p_corrected_by_holm_as_in_every_other_result():
    units = make_units(0.5, 0.38)
    values = {**units.values, "C": units.values["A"] + 2 * units.values["B"]}
    result = correlate_units(evolve(units, values=values), "said", "pearson", FEW)
    expected = multipletests([item.p for item in result.differences], method="holm")[1]
    assert [item.p_corrected for item in result.differences] == pytest.approx(expected)
    rows = result.to_polars().drop_nulls("p")
    assert rows["p_corrected"].to_list() == pytest.approx(expected)
    assert (rows["p"] < rows["p_corrected"]).any()


def test_two_names_of_one_measure_do_not_differ():
    units = make_units()
    twice = evolve(units, values={"A": units.values["A"], "again": units.values["A"]})
    (difference,) = correlate_units(twice, "said", "spearman", FEW).differences
    assert (difference.difference, difference.p) == (0.0, 1.0)


def test_intervals_hold_what_is_true_about_as_often_as_they_say():
    """40 samples of 60 units: 95 % intervals of r = 0.6 miss it about twice, not ten times."""
    covered = 0
    for seed in range(40):
        result = correlate_units(make_units(n=60, seed=seed), "said", "pearson", FEW)
        correlation = next(item for item in result.correlations if item.measure == "A")
        covered += correlation.low <= 0.6 <= correlation.high
    assert covered >= 34


# ── results and labels ───────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def judged():
    """Ten queries whose relevant document stands at rank 1 to 10."""
    qrels = {f"q{rank}": {"good": 1} for rank in range(1, 11)}
    run = {f"q{rank}": [f"x{i}" for i in range(1, rank)] + ["good"] for rank in range(1, 11)}
    return qrels, run


def test_labels_of_queries_come_from_dicts_files_and_frames(judged, tmp_path):
    results = gainful.evaluate(*judged, ["RR", "P@5"])
    stars_by_id = {f"q{rank}": 11 - rank for rank in range(1, 11)}
    frame = pl.DataFrame({"query": list(stars_by_id), "stars": list(stars_by_id.values())})
    frame.write_csv(tmp_path / "said.csv")
    dicts = [
        gainful.stats.correlate(results, "stars", labels, resamples=199).to_dict()
        for labels in (stars_by_id, frame, frame.to_pandas(), tmp_path / "said.csv")
    ]
    assert all(data == dicts[0] for data in dicts)
    rho = {item["measure"]: item["estimate"] for item in dicts[0]["correlations"]}
    assert rho["RR"] == pytest.approx(1.0)
    expected = scipys.spearmanr([1] * 5 + [0] * 5, range(10, 0, -1)).statistic
    assert rho["P@5"] == pytest.approx(expected)


def test_queries_without_a_label_and_labels_without_a_query_are_left_out_and_counted(judged):
    results = gainful.evaluate(*judged, "RR")
    stars_by_id = {f"q{rank}": 11 - rank for rank in range(1, 8)} | {"other": 1, "another": 2}
    result = gainful.stats.correlate(results, "stars", stars_by_id, resamples=199)
    assert result.units == 7
    assert [list_facts(note) for note in result.notes] == [["3"], ["2"]]


def test_a_measure_can_be_what_others_are_held_against(judged):
    result = gainful.stats.correlate(
        gainful.evaluate(*judged, ["RR", "P@5", "nDCG@10"]), "nDCG@10", resamples=199
    )
    assert [item.measure for item in result.correlations] == ["RR", "P@5"]
    assert result.best.estimate == pytest.approx(1.0)


def test_several_runs_need_labels_by_run_and_draw_queries(judged):
    qrels, run = judged
    worse = {query: ["x0", *docs] for query, docs in run.items()}
    results = gainful.evaluate(qrels, {"good": run, "bad": worse}, "RR")
    frame = pl.DataFrame(
        [
            (name, f"q{rank}", 20 - rank - (name == "bad"))
            for name in ("good", "bad")
            for rank in range(1, 11)
        ],
        schema=["run", "query", "stars"],
        orient="row",
    )
    result = gainful.stats.correlate(results, "stars", frame, resamples=199)
    assert (result.units, result.clusters, result.cluster_noun) == (20, 10, "query")
    assert result.best.estimate == pytest.approx(1.0)
    assert "20 rankings of 10 queries" in result.to_text()
    with refuses(BadInput, "labels"):
        gainful.stats.correlate(results, "stars", {"q1": 1, "q2": 2})


@pytest.mark.parametrize(
    ("change", "error", "about"),
    [
        ({"labels": {"q1": "good"}}, WrongType, "labels['q1']"),
        ({"labels": {f"q{at}": 3 for at in range(1, 11)}}, BadInput, "stars"),
        ({"labels": {"q1": 1, "q2": 2, "q3": 3}}, BadInput, "stars"),
        ({"labels": {"z1": 1}}, BadInput, "run"),
        ({"labels": None}, BadValue, "against"),
        ({"coefficient": "cosine"}, UnknownName, "cosine"),
        ({"resamples": 5}, BadValue, "resamples"),
        ({"alpha": 2}, BadValue, "alpha"),
    ],
)  # fmt: skip
def test_what_cannot_be_correlated_is_refused(judged, change, error, about):
    results = gainful.evaluate(*judged, ["RR", "P@5"])
    stars_by_id = {f"q{rank}": rank for rank in range(1, 11)}
    options = {"labels": stars_by_id, **change}
    with refuses(error, about):
        gainful.stats.correlate(results, "stars", **options)


def test_a_column_that_is_not_numeric_is_told_with_its_line(judged, tmp_path):
    results = gainful.evaluate(*judged, "RR")
    path = write_file(tmp_path / "said.csv", "query,stars,happy\nq1,3,true\nq2,high,false\n")
    with refuses(BadInput, "said.csv:3", "'high'"):
        gainful.stats.correlate(results, "stars", path)
    with refuses(BadInput, "said.csv", "'star'"):
        gainful.stats.correlate(results, "star", path)
    path.write_text("query,stars\nq1,3\nq1,4\n")
    with refuses(BadValue, "said.csv"):
        gainful.stats.correlate(results, "stars", path)


# ── sessions and the command ─────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def study():
    """A simulated study whose searchers are satisfied by sDCG with b = 10 and bq = 10."""
    simulated = simulate_study(7)
    name = "sDCG(b=10, bq=10)@10"
    results = evaluate(simulated.sessions, simulated.qrels, name)
    noise = np.random.default_rng(3).normal(0, 1, len(results.ids))
    true = np.asarray(results.values[name])
    stars_by_id = (3 + (true - true.mean()) / true.std() + 0.3 * noise).round(1)
    return simulated, dict(zip(results.ids, stars_by_id.tolist(), strict=True))


def test_sessions_of_a_searcher_are_drawn_together(study):
    simulated, stars_by_id = study
    results = evaluate(simulated.sessions, simulated.qrels, ["sDCG@10", "nsDCG@10"])
    result = gainful.stats.correlate(results, "said", stars_by_id, resamples=199)
    assert (result.units, result.clusters) == (120, 30)
    assert "120 sessions of 30 searchers" in result.to_text()
    values = np.asarray(results.values["sDCG@10"])
    expected = scipys.spearmanr(values, list(stars_by_id.values())).statistic
    correlation = next(item for item in result.correlations if item.measure == "sDCG@10")
    assert correlation.estimate == pytest.approx(expected)


def test_the_command_takes_columns_of_sessions_and_labels(study, tmp_path, run_gainful):
    simulated, stars_by_id = study
    labels = pl.DataFrame({"session": list(stars_by_id), "said": list(stars_by_id.values())})
    words = labels.with_columns(mood=pl.lit("fine"))
    simulated.sessions.frame.join(words, on="session", how="left").write_csv(tmp_path / "study.csv")
    labels.write_csv(tmp_path / "said.csv")
    simulated.qrels.frame.write_csv(tmp_path / "qrels.csv")
    base = ("--qrels", tmp_path / "qrels.csv", "--resamples", "199")
    simulated.sessions.frame.write_csv(tmp_path / "bare.csv")

    def correlate(log, *more, column="said", **options):
        words = ("--sessions", tmp_path / log, *base, "--column", column, *more)
        return run_gainful("correlate", *words, **options)

    own = correlate("study.csv", "--format", "csv").out
    beside = correlate("bare.csv", "--labels", tmp_path / "said.csv", "--format", "csv").out
    assert own == beside
    heads, first = own.splitlines()[:2]
    assert heads == "what,measure,other,value,low,high,p,p_corrected"
    assert first.startswith("correlation,sDCG@10,,0.")
    for column, message in (
        ("mood", "mood 'fine'"),
        ("sad", "'sad'"),
        ("success", "column or measure 'success'"),  # and not of Success@1, which is of runs
        ("rank", "rank"),
    ):
        printed = correlate("study.csv", column=column, status=2)
        assert message in printed.err
        assert printed.err.count("\n") == 1


def test_the_only_other_column_of_labels_is_the_label(judged):
    qrels, run = judged
    stars = pl.DataFrame({"query": list(qrels), "stars": range(len(qrels))})
    results = gainful.evaluate(qrels, run, "RR")
    result = gainful.stats.correlate(results, labels=stars, resamples=99)
    assert result.against == "stars"
    with refuses(NoColumn, "labels"):
        gainful.stats.correlate(results, labels=stars.with_columns(mood=pl.lit(1)))
    with refuses(BadValue, "against"):
        gainful.stats.correlate(results)


def test_a_measure_that_hardly_varies_is_left_out_and_named():
    """Of twenty queries Success@5 differs in one, which a third of resamples do not draw."""
    qrels = {f"q{at}": {"a": 1} for at in range(20)}
    run = {f"q{at}": [*(f"x{i}" for i in range(at % 5)), "a"] for at in range(19)}
    run["q19"] = ["x", "y", "z", "u", "v", "a"]
    stars = {f"q{at}": 5 - at % 5 + 0.01 * at for at in range(20)}
    results = gainful.evaluate(qrels, run, ["RR", "R@10", "Success@5"])
    result = gainful.stats.correlate(results, "stars", stars, resamples=999)
    assert [item.measure for item in result.correlations] == ["RR"]
    constant, rare = result.notes
    assert list_facts(constant) == ["R@10", "1"]
    assert list_facts(rare)[0] == "Success@5"
    alone = gainful.evaluate(qrels, run, "Success@5")
    with refuses(BadInput, "stars"):
        gainful.stats.correlate(alone, "stars", stars, resamples=999)
    constant = gainful.evaluate(qrels, run, "R@10")
    with refuses(BadInput, "R@10"):
        gainful.stats.correlate(constant, "stars", stars)


def test_what_is_no_measure_is_told_where_columns_come_from(run_gainful, judged, tmp_path):
    qrels, run = judged
    files = write_qrels(tmp_path / "qrels", qrels), write_run(tmp_path / "run", run)
    answer = run_gainful("correlate", *files, "--column", "satisfaction", status=2).err
    assert "'satisfaction'" in answer
    assert answer.count("--labels") == 1
    near = run_gainful("correlate", *files, "--column", "nDGC@5", status=2).err
    assert "nDCG@5?" in near
