"""Figures: the data behind each, computed another way; their files; hostile names; mistakes."""

import csv
import io
import itertools
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from browser_pages import overflow_width
from example_files import EXAMPLES, NEWS_QRELS as QRELS, NEWS_RUNS as RUNS, read_golden
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from refusals import refuses
from scipy.stats import bootstrap
from session_tables import make_sessions

import gainful
from gainful.api.figures import FIGURES, build_data
from gainful.errors import BadInput, BadValue, NotInstalled, UnknownName, WrongType
from gainful.evidence.statistics.bootstrap import bootstrap_band
from gainful.evidence.statistics.outcome import Resampling
from gainful.figures import figure_data
from gainful.show import picture
from gainful.show.figures.drawing import Drawing
from gainful.show.figures.figure import Look, clean_text, shorten_names, spread_labels
from gainful.show.figures.line_chart import axis_end
from gainful.show.theme import LIGHT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def golden():
    return read_golden("sessions")


@pytest.fixture(scope="module")
def toy(golden):
    """The golden session, and one that found all there was in its only query."""
    session = golden["session"]
    sessions = make_sessions(s=session["queries"], t=[["x"]]).with_columns(
        system=pl.when(pl.col("session") == "s").then(pl.lit("1")).otherwise(pl.lit("2"))
    )
    qrels = {"s": session["grades"], "t": {"x": 1}}
    return sessions, qrels


@pytest.fixture(scope="module")
def golden_results(toy):
    return gainful.sessions.evaluate(*toy, ["sDCG(b=2, bq=4)@3", "nsDCG(b=2, bq=4)@3"])


@pytest.fixture(scope="module")
def study():
    simulated = gainful.sessions.simulate_study(2008)
    return gainful.sessions.evaluate(simulated.sessions, simulated.qrels, ["sDCG@10", "nsDCG@10"])


def svg_texts(svg):
    """All text that an SVG shows."""
    return [" ".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314


def draw_spec(name, *inputs, look=None, **options):
    return Drawing(FIGURES[name], build_data(name, *inputs, **options), look or Look()).spec()


# ── the data of sessions ─────────────────────────────────────────────────────────────────────


def test_sessions_are_the_golden_normalised_vector_and_the_one_that_stopped_is_held(
    golden_results, golden
):
    frame = figure_data("sessions", golden_results, by="system")
    own = frame.filter(pl.col("group") == "system 1")
    assert own["mean"].to_list() == pytest.approx(golden["jk2008"]["normalised_vector"], abs=1e-12)
    stopped = frame.filter(pl.col("group") == "system 2")
    assert stopped["mean"].to_list() == [1.0] * 9  # golden: hold_after_stop, the ideal held
    assert stopped["searching"].to_list() == [1] * 3 + [0] * 6


def test_a_growing_ideal_lowers_a_session_that_has_stopped_as_the_golden_one(golden):
    expected = golden["hold_after_stop"]
    shown = make_sessions(a=[["x", "y", "z"]] * 3, b=[["x", "y", "z"]])
    results = gainful.sessions.evaluate(
        shown, {"a": {"x": 1}, "b": {"x": 1}}, "nsDCG(b=2, bq=4, hold=growing)@3"
    )
    frame = figure_data("individual", results).filter(pl.col("session") == "b")
    ends = frame.filter(pl.col("rank") == 3)["value"].to_list()
    assert ends == pytest.approx(expected["normalised_at_q1_q2_q3_when_ideal_grows"], abs=1e-12)


def test_a_scenario_is_the_golden_vector_and_only_long_sessions_are_apart(golden_results, golden):
    frame = figure_data("scenario", golden_results, at_least=3)
    long = frame.filter(pl.col("which") == "at least 3 queries")
    assert long["mean"].to_list() == pytest.approx(golden["jk2008"]["vector"], abs=1e-12)
    both = frame.filter(pl.col("which") == "all")["mean"].to_list()
    half = [(value + 1) / 2 for value in golden["jk2008"]["vector"]]  # the other one gained 1
    assert both == pytest.approx(half, abs=1e-12)


def test_individual_sessions_are_golden_and_marked_where_searchers_really_stopped(
    golden_results, golden
):
    frame = figure_data("individual", golden_results)
    own = frame.filter(pl.col("session") == "s")
    assert own["value"].to_list() == pytest.approx(golden["jk2008"]["vector"], abs=1e-12)
    assert frame.filter(pl.col("stopped")).select("session", "position").rows() == [
        ("s", 9),
        ("t", 3),
    ]


def test_a_session_that_is_cut_off_in_the_picture_is_not_marked_as_stopped(golden_results):
    frame = figure_data("individual", golden_results, queries=2)
    assert frame["query"].max() == 2
    assert frame.filter(pl.col("stopped"))["session"].to_list() == ["t"]


def test_the_last_query_is_the_golden_one_and_the_others_are_averaged(golden_results, golden):
    frame = figure_data("last", golden_results, by="system")
    at_end = frame.filter((pl.col("rank") == 3) & (pl.col("group") == "system 1"))
    first, second, third = golden["jk2008"]["per_query_sdcg"]
    assert dict(at_end.select("which", "mean").iter_rows()) == pytest.approx(
        {"last": third, "non_last": (first + second) / 2, "best": second}, abs=1e-12
    )


def test_sessions_end_together_however_long_those_of_a_group_are(study):
    frame = figure_data("sessions", study, by="system")
    ends = frame.group_by("group").agg(pl.col("query").max())
    assert ends["query"].to_list() == [11, 11]
    alone = study.curve("nsDCG@10", by="system").filter(pl.col("system") == "1")
    assert alone["query"].max() == 8
    tail = frame.filter((pl.col("group") == "system 1") & (pl.col("query") > 8))
    assert tail["mean"].to_list() == pytest.approx([alone["mean"][-1]] * 30, abs=1e-12)


def test_groups_that_would_be_called_the_same_are_told_apart():
    shown = make_sessions(a=[["x"]], b=[["x"]]).with_columns(system=pl.Series(["2", "system 2"]))
    results = gainful.sessions.evaluate(shown, {"a": {"x": 1}, "b": {"x": 1}}, "sDCG@1")
    frame = figure_data("sessions", results, by="system")
    assert frame["group"].n_unique() == 2


# ── bands ────────────────────────────────────────────────────────────────────────────────────


def test_a_band_lies_between_the_percentiles_of_all_ways_to_draw():
    total = np.array([[1.0, 2.0], [4.0, 0.0], [10.0, 5.0]])
    number = np.array([[1.0, 1.0], [2.0, 0.0], [1.0, 2.0]])  # a session of two queries, one of none
    ways = []
    for drawn_ in itertools.product(range(3), repeat=3):
        some = list(drawn_)
        with np.errstate(invalid="ignore"):
            ways.append(total[some].sum(axis=0) / number[some].sum(axis=0))
    exact = np.nanquantile(np.array(ways), (0.1, 0.9), axis=0, method="inverted_cdf")
    low, high = bootstrap_band(total, number, Resampling(alpha=0.2, resamples=9999))
    np.testing.assert_allclose([low, high], exact, rtol=1e-9)


def test_a_band_is_the_same_however_much_is_held_at_a_time(monkeypatch):
    total = np.random.default_rng(1).random((5, 7))
    whole = bootstrap_band(total, np.ones((5, 7)), Resampling(resamples=199))
    monkeypatch.setattr("gainful.evidence.statistics.bootstrap._BATCH_BAND_NUMBERS", 400)
    parts = bootstrap_band(total, np.ones((5, 7)), Resampling(resamples=199))
    np.testing.assert_array_equal(whole, parts)
    # where no session counts there is no band
    low, high = bootstrap_band(np.zeros((2, 1)), np.zeros((2, 1)), Resampling(resamples=99))
    assert np.isnan([low, high]).all()


def test_a_band_is_scipys_percentile_interval_but_for_chance(study):
    frame = figure_data("sessions", study, by="system", interval=90)
    last = frame.filter((pl.col("group") == "system 1") & (pl.col("position") == 30))
    own = study.vectors("nsDCG@10")
    end = own.filter(pl.col("position") <= 30).group_by("session").agg(pl.col("share").last())
    some = study.columns.filter(pl.col("system") == "1").select("session", "searcher")
    searchers = (
        some.join(end, on="session").group_by("searcher").agg(pl.col("share").sum(), pl.len())
    )
    sums, counts = searchers["share"].to_numpy(), searchers["len"].to_numpy()
    scipys = bootstrap(
        (sums, counts),
        lambda drawn, sizes, axis: drawn.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        confidence_level=0.9,
        method="percentile",
        rng=1,
    )
    ends = (last["low"][0], last["high"][0])
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=0.002)


def test_bands_are_the_same_for_a_seed_and_others_for_another(study):
    first, same, other = (
        figure_data("last", study, by="system", interval=95, resamples=199, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.equals(same)
    assert not first.equals(other)
    assert (first["low"] <= first["mean"]).all()
    assert (first["mean"] <= first["high"]).all()


def test_a_band_of_queries_within_sessions_draws_sessions():
    """Session a has two queries before its last, b one: averaged within, each session counts once."""
    shown = make_sessions(a=[["x"], [], ["x"]], b=[[], ["x"]])
    results = gainful.sessions.evaluate(shown, {"a": {"x": 1}, "b": {"x": 1}}, "sDCG@1")
    frame = figure_data("last", results, non_last="within", interval=80, resamples=999)
    row = frame.row(by_predicate=pl.col("which") == "non_last", named=True)
    assert (row["mean"], row["low"], row["high"]) == (0.25, 0.0, 0.5)  # a: (1 + 0) / 2; b: 0


def test_one_session_or_searcher_has_no_band_and_the_caption_says_so(golden_results):
    shown = make_sessions(a=[["x"]], b=[[], ["x"]]).with_columns(searcher=pl.lit("ann"))
    alone = gainful.sessions.evaluate(shown, {"a": {"x": 1}, "b": {"x": 1}}, "sDCG@1")
    for results, by, words in (
        (golden_results, "system", ("1", "no", "interval")),
        (alone, None, ("one", "searcher", "no", "interval")),
    ):
        data = build_data("sessions", results, interval=95, **({"by": by} if by else {}))
        assert data.frame["low"].null_count() == len(data.frame)
        assert find_notes(data.caption, "Note", *words)


def test_sessions_of_one_conversation_are_drawn_together():
    """The same sessions three times tell no more than once: bands were narrower."""
    once = pl.concat(
        make_sessions(**{f"{name}{at}": [["x", "y"][: at % 3], ["x"]] for at in range(7)})
        .with_columns(system=pl.lit(name), conversation=pl.col("session").str.slice(1))
        .with_columns(topic="conversation")
        for name in "ab"
    )
    thrice = pl.concat(
        once.with_columns(session=pl.format("{}{}", "session", pl.lit(time))) for time in "123"
    )
    qrels = {str(at): {"x": 1, "y": at % 4} for at in range(7)}
    first, again = (
        build_data(
            "sessions",
            gainful.sessions.evaluate(log, qrels, "sDCG@2"),
            by="system",
            interval=95,
            resamples=199,
        )
        for log in (once, thrice)
    )
    for side in ("low", "high"):
        assert again.frame[side].to_list() == pytest.approx(first.frame[side].to_list())
    assert any("whole conversations" in line for line in again.caption)


# ── the data of rankings ─────────────────────────────────────────────────────────────────────

JUDGED = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1, "e": 2}}
TOY_RUN = {"1": {"b": 3.0, "x": 2.0, "a": 1.0}, "2": {"d": 2.0, "e": 1.0}}


@pytest.mark.parametrize(
    "measure", ["CG", "DCG", "nDCG", "nCG(gain=exp)", "DCG(discount=jk2008, b=2)"]
)
def test_curves_are_the_vectors_of_the_rankings(measure):
    frame = figure_data("curves", JUDGED, {"run": TOY_RUN}, f"{measure}@3")
    grades, pool = [[2, 0, 3], [1, 2, 0]], [[3, 2, 1], [2, 1, 0]]
    values = gainful.vectors.compute_curve(measure, grades, judged=pool).mean(axis=0)
    assert frame["value"].to_list() == pytest.approx(values.tolist(), abs=1e-12)
    if measure.startswith("n"):
        assert frame["ideal"].to_list() == [1.0] * 3
    else:
        ideal = gainful.vectors.compute_curve(measure, [[3, 2, 1], [2, 1, 0]]).mean(axis=0)
        assert frame["ideal"].to_list() == pytest.approx(ideal.tolist(), abs=1e-12)


def test_curves_of_one_query_are_its_vector():
    frame = figure_data("curves", JUDGED, {"run": TOY_RUN}, "DCG@3", query="2")
    expected = gainful.dcg_curve([1, 2, 0]).tolist()
    assert frame["value"].to_list() == pytest.approx(expected, abs=1e-12)


def test_differences_are_those_of_the_values_greatest_first():
    runs = {"one": TOY_RUN, "two": {"1": ["a", "b", "c"], "2": ["d", "e"]}}
    frame = figure_data("differences", JUDGED, runs, "nDCG@3")
    first = gainful.ndcg([2, 0, 3], judged=[3, 2, 1])
    assert frame["query"].to_list() == ["1", "2"]
    assert frame["difference"].to_list() == pytest.approx([1 - first, 0], abs=1e-12)


def test_precision_and_recall_are_trec_evals():
    judged, own = {}, {}
    for line in Path(QRELS).read_text().splitlines():
        query, _, doc, grade = line.split()
        judged.setdefault(query, {})[doc] = int(grade)
    for line in Path(RUNS["bm25"]).read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        own.setdefault(query, {})[doc] = float(score)
    values = pytrec_eval.RelevanceEvaluator(judged, {"iprec_at_recall"}).evaluate(own)
    frame = figure_data("precision-recall", QRELS, RUNS, like="trec_eval_9")
    theirs = [
        np.mean([value[f"iprec_at_recall_{level / 10:.2f}"] for value in values.values()])
        for level in range(11)
    ]
    ours = frame.filter(pl.col("run") == "bm25")["precision"].to_list()
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_dots_are_means_and_scipys_bca_intervals():
    frame = figure_data("dots", QRELS, {"bm25": RUNS["bm25"]}, ["AP"], resamples=999)
    values = gainful.evaluate(QRELS, RUNS["bm25"], "AP").per_query["AP"].to_numpy()
    rng = np.random.Generator(np.random.PCG64(2008))
    scipys = bootstrap((values,), np.mean, n_resamples=999, method="BCa", rng=rng)
    row = frame.row(0, named=True)
    assert row["mean"] == pytest.approx(values.mean())
    ends = (row["low"], row["high"])
    assert ends == pytest.approx(tuple(scipys.confidence_interval), abs=1e-9)


def test_a_run_has_one_colour_in_all_figures_whatever_its_rank():
    worst_first = dict(reversed(RUNS.items()))
    names, series = list(worst_first), LIGHT.series
    for figure in ("dots", "comparison"):
        (panel,) = draw_spec(figure, QRELS, worst_first, "nDCG@10", resamples=99)["vconcat"]
        colours = panel["encoding"]["color"]["scale"]["range"]
        drawn = {row["run"]: colours[row["place"]] for row in panel["data"]["values"]}
        assert drawn == {name: series[names.index(name)] for name in drawn}


# ── the map ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def swept():
    simulated = gainful.sessions.simulate_study(2008)
    return simulated, gainful.sessions.sweep(simulated.sessions, simulated.qrels, points=12)


def test_the_map_has_the_winner_of_every_setting_and_equal_means_on_its_boundary(swept):
    made, sweep = swept
    frame = figure_data("map", sweep)
    settings = frame.filter(pl.col("kind") == "setting")
    assert len(settings) == 144
    boundary = frame.filter(pl.col("kind") == "boundary")
    assert len(boundary) >= 2
    some = [*settings.sample(3, seed=1).iter_rows(named=True), *boundary.head(2).to_dicts()]
    for row in some:
        measure = f"nsDCG(b={row['b']!r}, bq={row['bq']!r})@10"
        groups = gainful.sessions.evaluate(made.sessions, made.qrels, measure).groups("system")
        first, two = (group["mean"][measure] for group in groups)
        if row["kind"] == "boundary":
            assert first == pytest.approx(two, abs=1e-8)
        else:
            assert row["winner"] == ("system 1" if first > two else "system 2")
            assert row["ahead"] == pytest.approx(abs(first - two), abs=1e-9)


def test_the_map_says_who_wins_where_and_marks_the_reference(swept):
    _, sweep = swept
    shown = svg_texts(picture.to_svg(draw_spec("map", sweep)))
    assert {"system 1", "system 2", "b = 2, bq = 4"} <= set(shown)
    assert sweep.sentences[0].partition(":")[0] in " ".join(shown)


def test_the_map_says_what_is_dark_and_which_measure_it_shows(swept):
    _, sweep = swept
    shown = " ".join(svg_texts(picture.to_svg(draw_spec("map", sweep))))
    assert "shade:" in shown
    assert sweep.measure in shown


def test_names_of_runs_that_begin_alike_stay_apart():
    long = {f"{'bi-encoder-' * 5}{number}": RUNS["bm25"] for number in range(4)}
    shown = [
        text
        for text in svg_texts(picture.to_svg(draw_spec("dots", QRELS, long, "AP")))
        if "…" in text
    ]
    assert len(set(shown)) == len(long)


@pytest.mark.parametrize("figure", ["dots", "precision-recall", "heatmap", "groups"])
def test_names_of_runs_that_differ_in_the_middle_stay_apart_and_show_where(figure):
    """Two runs had one row of a legend, and one colour."""
    grid = [f"splade-cocondenser-lr{rate}-ensembledistil-epoch-10" for rate in (1, 2, 30)]
    long = dict(zip(grid, RUNS.values(), strict=False))
    options = {"group": lambda query: query[-1]} if figure == "groups" else {}
    measures = [] if figure == "precision-recall" else ["AP"]
    spec = draw_spec(figure, QRELS, long, *measures, **options)
    shown = {text for text in svg_texts(picture.to_svg(spec)) if text[:6] == "splad…"}
    assert len(shown) == len(long)
    assert all(any(f"lr{rate}" in text for text in shown) for rate in (1, 2, 30))


def test_short_forms_of_names_are_distinct_whatever_differs():
    grid = [f"{'a' * 20}-lr{x}-{'b' * 40}-bs{y}-{'c' * 20}" for x in range(5) for y in range(5)]
    names = [*grid, "x" * 99, "x" * 100, "bm25", "q\x00", "q\x01"]
    for limit in (12, 28, 60):
        short = shorten_names(names, limit)
        assert len({*short}) == len(names)
        assert max(map(len, short)) <= limit + 3  # " 12"
        assert short[-3] == "bm25"
    assert shorten_names(["bm25", "bm25"]) == ["bm25", "bm25"]


def test_names_of_a_grid_show_all_words_in_which_they_differ():
    grid = [f"splade-cocondenser-lr{x}-ensemble-bs{y}-epoch-10" for x in (1, 2) for y in (8, 16)]
    assert shorten_names(grid) == ["splad…lr1…bs8", "splad…lr1…bs16", "splad…lr2…bs8", "splad…lr2…bs16"]  # fmt: skip


def test_a_name_cannot_turn_round_what_follows():
    assert clean_text("\u202egnp.exe\u2066 👩\u200d💻") == "�gnp.exe� 👩\u200d💻"


def test_a_legend_of_many_runs_is_as_wide_as_its_figure_and_no_two_have_one_mark():
    """Nine runs had a legend of 1,300 pixels, in which two had the same colour and shape."""
    runs = {f"system number {at}": RUNS["bm25"] for at in range(9)}
    spec = draw_spec("groups", QRELS, runs, "AP", group=lambda query: query[-1])
    assert float(ET.fromstring(picture.to_svg(spec)).get("width")) < 600  # noqa: S314
    dot = spec["layer"][1]["encoding"]
    colours, shapes = (dot[channel]["scale"]["range"] for channel in ("color", "shape"))
    assert len({*zip(colours, shapes, strict=True)}) == 9


def test_several_planes_are_several_maps_and_one_base_is_a_strip():
    made = gainful.sessions.simulate_study(2008)
    weights = ["linear", "0:0,1:1,2:10,3:100"]
    both = gainful.sessions.sweep(made.sessions, made.qrels, points=4, weights=weights)
    shown = svg_texts(picture.to_svg(draw_spec("map", both)))
    assert {"linear, top 10", "{0:0,1:1,2:10,3:100}, top 10"} <= set(shown)
    strip = gainful.sessions.sweep(made.sessions, made.qrels, b="2", points=4)
    assert "system 2" in svg_texts(picture.to_svg(draw_spec("map", strip)))


def test_a_map_without_any_winner_says_so():
    shown = make_sessions(a=[["x"]], b=[["x"]]).with_columns(system=pl.col("session"))
    even = gainful.sessions.sweep(shown, {"a": {"x": 1}, "b": {"x": 1}}, points=3)
    shown = " ".join(svg_texts(picture.to_svg(draw_spec("map", even))))
    assert build_data("map", even).empty_reason in shown


# ── pictures ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_figure_is_an_svg_with_its_caption_and_the_same_bytes_again(name, study, swept):
    inputs = {"sessions": (study,), "sweep": (swept[1],), "runs": (QRELS, RUNS)}
    inputs["log"] = (gainful.calibrate(make_sessions(a=[["x", "y"]] * 2, b=[["z"]])),)
    judged = {"1": {"a": 2, "b": 0}, "2": {"a": 1, "c": 2}}
    inputs["judges"] = (gainful.compare_judges([judged, judged], resamples=99),)
    inputs["groups"] = (gainful.evaluate(QRELS, RUNS, "nDCG@10", group=str.isdigit),)
    given = inputs[FIGURES[name].input_kind]
    if name == "differences":
        given = (QRELS, {"bm25": RUNS["bm25"], "dense": RUNS["dense"]})
    options = {"by": "system"} if FIGURES[name].input_kind == "sessions" else {}
    options |= {"cost": "query=50,result=2"} if name == "frontier" else {}
    chart = gainful.figures.figure(name, *given, **options, caption="full")
    once = picture.to_svg(chart)
    assert once == picture.to_svg(draw_spec(name, *given, **options, look=Look(caption="full")))
    shown = " ".join(svg_texts(once))
    words = {"precision-recall": "grade 1", "searchers": "fitted models", "judges": "kappa"}
    words |= {"frontier": "Cost(per_query=50, per_result=2)"}
    assert words.get(name, "gain") in shown
    assert "#12171e" not in once


def test_groups_of_sessions_have_a_dot_for_each_system(tmp_path, run_gainful):
    """The mean of a system in a group is that of these sessions evaluated alone."""
    made = gainful.sessions.simulate_study(2008)
    sessions = gainful.sessions.evaluate(made.sessions, made.qrels, "nsDCG@10", group="scenario")
    rows = build_data("groups", sessions).frame.rows(named=True)
    scenarios = dict.fromkeys(row["group"] for row in rows)
    assert len(rows) == 2 * len(scenarios) > 4
    for row in rows:
        where = {"system": row["run"].removeprefix("system ")}
        where |= {} if row["group"] == "all" else {"scenario": row["group"]}
        alone = gainful.sessions.evaluate(made.sessions, made.qrels, "nsDCG@10", where=where)
        assert row["mean"] == pytest.approx(alone.mean["nsDCG@10"], abs=1e-12)
        assert row["sessions"] == len(alone.ids)
    table = "session,query,rank,doc,topic,system\ns,1,1,a,x,1\nt,1,1,b,y,1\n"
    (tmp_path / "study.csv").write_text(table)
    (tmp_path / "qrels.txt").write_text("x 0 a 3\ny 0 b 1\n")
    words = ("--sessions", "study.csv", "--qrels", "qrels.txt", "--group", "topic", "--data")
    text = run_gainful("figure", "groups", *words, folder=tmp_path).out
    expected = ["system 1,x,1,3.0", "system 1,y,1,1.0", "system 1,all,2,2.0"]
    assert text.splitlines() == ["run,group,sessions,mean", *expected]


def test_a_dark_figure_is_the_same_in_other_colours(golden_results):
    light, dark = (
        picture.to_svg(gainful.figures.figure("last", golden_results, dark=dark))
        for dark in (False, True)
    )
    assert svg_texts(light) == svg_texts(dark)
    assert "#12171e" in dark  # the paper of the dark tones
    assert not set(re.findall(r'stroke="(#\w+)"', light)) & set(
        re.findall(r'stroke="(#\w+)"', dark)
    )


def test_queries_are_named_under_their_lots_and_lines_at_their_ends(study):
    shown = svg_texts(picture.to_svg(draw_spec("sessions", study, by="system")))
    assert [text for text in shown if re.fullmatch(r"Q\d+", text)] == [
        f"Q{q}" for q in range(1, 12)
    ]
    assert {"system 1", "system 2"} <= set(shown)
    assert any("nsDCG@10 · 120 sessions · 343 queries" in text for text in shown)


def test_files_are_what_their_suffix_says(tmp_path):
    chart = gainful.figures.figure(
        "differences", QRELS, {"a": RUNS["bm25"], "b": RUNS["dense"]}, "AP"
    )
    for suffix, begin in ((".png", b"\x89PNG\r\n\x1a\n"), (".pdf", b"%PDF-"), (".svg", b"<svg")):
        picture.save(chart, tmp_path / f"f{suffix}")
        assert (tmp_path / f"f{suffix}").read_bytes().startswith(begin)
    picture.save(chart, tmp_path / "f.json")
    data = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert list_facts(data["title"]["text"], "a", "b") == ["b", "AP", "26", "40"]


def test_a_specification_is_plain_data_and_the_same_twice(study):
    first, same = (picture.to_json(draw_spec("individual", study)) for _ in range(2))
    assert first == same


def test_bands_are_drawn_around_the_lines_but_for_the_best_query_and_explained(study):
    full = Look(caption="full")
    drawn_ = draw_spec("last", study, by="system", interval=95, resamples=99, look=full)
    (area,) = [layer for layer in drawn_["layer"] if layer["mark"]["type"] == "area"]
    assert {row["series"] for row in area["data"]["values"]} == {0, 1, 3, 4}
    shown = " ".join(svg_texts(picture.to_svg(drawn_)))
    facts = list_facts(shown)
    assert facts[facts.index("95") :][:3] == ["95", "99", "2008"]


def test_an_svg_says_what_it_shows_to_those_who_do_not_see_it(study):
    root = ET.fromstring(picture.to_svg(draw_spec("sessions", study, by="system")))  # noqa: S314
    assert root.get("role") == "graphics-document"
    assert root.get("aria-label").startswith("Session performance, nsDCG@10")
    assert "system 1" in [element.get("aria-label") for element in root.iter()]


def test_titles_and_sizes_are_as_asked_for(study):
    asked = {"title": "Mine", "width": 300, "height": 200}
    chart = gainful.figures.figure("sessions", study, **asked).to_dict()
    assert (chart["title"]["text"], chart["width"], chart["height"]) == ("Mine", 300, 200)


def test_what_measures_and_runs_share_is_noted_once_and_every_interval_names_its_method(study):
    runs = {"a": {"1": ["x", "d"]}, "b": {"1": ["d"]}}
    caption = build_data("dots", {"1": ["d"]}, runs, ["AP", "RR"]).caption
    (note,) = find_notes(caption, "Note", "AP", "RR")
    assert note.startswith("Note: AP, RR: ")  # of both runs, which are not named
    compared = gainful.compare(QRELS, RUNS, measures="AP").plot().to_dict()
    assert "max-T" in compared["usermeta"]["caption"][0]
    assert any(
        "bootstrap" in line for line in study.plot(interval=95).to_dict()["usermeta"]["caption"]
    )


@pytest.mark.parametrize(("size", "millimetres"), [("column", 85), ("page", 180)])
def test_a_picture_of_a_paper_is_as_wide_as_its_column_or_page(study, size, millimetres):
    look = Look(size=size)
    root = ET.fromstring(picture.to_svg(draw_spec("sessions", study, by="system", look=look)))  # noqa: S314
    assert root.get("width") == f"{millimetres}mm"
    width, height = (float(part) for part in root.get("viewBox").split()[2:])
    assert float(root.get("height")[:-2]) == pytest.approx(millimetres * height / width, abs=0.01)
    png = picture.WRITERS[".png"](draw_spec("sessions", study, by="system", look=look))
    pixels = int.from_bytes(png[16:20], "big")
    assert pixels == pytest.approx(2 * millimetres / 25.4 * 96, abs=2)  # two pixels for one


@pytest.mark.parametrize(("caption", "lines"), [("none", 0), ("short", 1), ("full", 2)])
def test_a_caption_stands_below_and_is_as_long_as_asked_for(caption, lines):
    spec = draw_spec("dots", QRELS, RUNS, look=Look(caption=caption))
    assert min(len(spec["usermeta"]["caption"]), 2) == lines
    assert "gain" in spec["description"]  # whole, whatever is shown


def test_a_heat_map_has_the_best_run_and_the_easiest_query_first():
    frame = figure_data(
        "heatmap",
        {"1": {"a": 1}, "2": {"b": 1}},
        {"worse": {"1": ["x", "a"], "2": ["x", "x2", "b"]}, "better": {"1": ["a"]}},
        "RR",
    )
    assert frame.rows() == [
        *(("better", "1", 1.0), ("better", "2", 0.0)),
        *(("worse", "1", 0.5), ("worse", "2", 1 / 3)),
    ]


def test_many_queries_stand_in_a_row_without_names():
    judged = {f"q{at}": {"x": 1} for at in range(70)}
    last = {query: ["y"] * (at % 5) + ["x"] for at, query in enumerate(judged)}
    last = {
        query: [f"{doc}{at}" if doc == "y" else doc for at, doc in enumerate(docs)]
        for query, docs in last.items()
    }
    two = {query: ["y", "x"] for query in judged}
    shown = svg_texts(
        picture.to_svg(draw_spec("differences", judged, {"one": last, "two": two}, "RR"))
    )
    assert {"queries, sorted", "one better", "two better"} <= set(shown)
    assert not any(re.fullmatch(r"q\d+", each) for each in shown)


def test_lines_that_have_no_room_for_their_names_are_counted():
    runs = {f"run {at}": TOY_RUN for at in range(40)}
    drawn_ = draw_spec("curves", JUDGED, runs, look=Look(height=140))
    assert any("30 lines without a label" in line for line in drawn_["usermeta"]["caption"])


def test_ideals_that_differ_are_drawn_for_each_run():
    runs = {"one": TOY_RUN, "two": {"1": ["a"], "2": ["e"]}}
    shown = svg_texts(picture.to_svg(draw_spec("curves", JUDGED, runs, "DCG@3", ideal="list")))
    assert {"ideal of one", "ideal of two"} <= set(shown)


def test_beyond_sixty_sessions_some_are_drawn_and_that_is_said(study):
    drawn_ = draw_spec("individual", study, look=Look(caption="full"))
    assert any("60 of 120 sessions drawn" in line for line in drawn_["usermeta"]["caption"])
    some = drawn_["layer"][1]["data"]["values"]
    assert len({row["series"] for row in some}) <= 60


def test_altair_is_not_loaded_before_a_chart_is_asked_for(run_python):
    code = (
        "import sys, gainful; gainful.figures.figure_data('differences', {'1': {'a': 1}}, "
        "{'x': {'1': ['a']}, 'y': {'1': ['a']}}, 'RR'); "
        "print(sorted({'altair', 'vl_convert', 'jinja2'} & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


@given(st.lists(st.floats(0, 300), max_size=20))
def test_labels_stand_apart_in_order_and_within_the_plot(wanted):
    places = spread_labels(wanted, 14, 0, 300)
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    ascending = [places[at] for at in order]
    assert all(b - a >= 14 - 1e-6 for a, b in itertools.pairwise(ascending))
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in places)


def test_a_label_that_has_room_stays_where_its_line_ends():
    assert spread_labels([10.0, 100.0, 290.0], 14, 0, 300) == [10.0, 100.0, 290.0]


@given(st.floats(1e-12, 1e12))
def test_an_axis_ends_above_every_value_but_not_far(value):
    assert value * (1 - 1e-9) <= axis_end([value]) <= 1.51 * value


# ── what cannot be shown, and what is refused ────────────────────────────────────────────────


def evaluate_nothing():
    shown, judged = make_sessions(a=[["x"]], b=[["x", "y"]]), {"a": {"x": 0}, "b": {"x": 0}}
    return gainful.sessions.evaluate(shown, judged, ["sDCG@2", "nsDCG@2"])


def evaluate_skipped():
    shown, judged = make_sessions(s=[["a"]]), {"s": {"a": 0}}
    return gainful.sessions.evaluate(shown, judged, "nsDCG(empty=skip)@1")


NO_QUERY = {"1": {"a": 0}}, {"one": {"1": ["a"]}, "two": {"1": ["a"]}}
NO_HIT = {"1": {"a": 0, "b": 1}}, {"one": {"1": ["a"]}}


@pytest.mark.parametrize(
    ("name", "inputs", "options"),
    [
        ("curves", ({"1": {"a": 0, "b": 1}}, {"run": {"1": ["a"]}}), {}),
        ("differences", (QRELS, {"bm25": RUNS["bm25"]}), {}),  # nothing to compare it with
        ("differences", (QRELS, {"a": RUNS["bm25"], "b": RUNS["bm25"]}), {}),
        *((name, (evaluate_nothing,), {}) for name in ("last", "sessions", "individual")),
        ("sessions", (evaluate_skipped,), {}),
        *((name, (*NO_QUERY, "nDCG@1"), {"empty": "skip"}) for name in ("curves", "dots")),
        ("differences", (*NO_QUERY, "nDCG@1"), {"empty": "skip"}),
        ("precision-recall", NO_QUERY, {"empty": "skip"}),
        ("dots", (*NO_HIT, "AP"), {}),
        ("precision-recall", NO_HIT, {}),
    ],
)
def test_where_nothing_can_be_seen_the_picture_says_why(name, inputs, options):
    given = [made() if callable(made) else made for made in inputs]
    reason = build_data(name, *given, **options).empty_reason
    assert reason
    assert reason in svg_texts(picture.to_svg(draw_spec(name, *given, **options)))


def test_a_measure_without_any_mean_leaves_the_dots_of_others():
    judged = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"x": {"1": ["a"], "2": ["c", "b"]}, "y": {"1": ["c", "a"], "2": ["b"]}}
    chart = gainful.figures.figure(
        "dots", judged, runs, ["P@1", "AP(rel=9, empty=skip)"], resamples=99
    )
    panels = chart.to_dict()["datasets"].values()
    assert [[row["mean"] for row in rows] for rows in panels] == [[0.5, 0.5], []]


def test_one_session_of_one_query_has_a_last_query_and_none_before():
    results = gainful.sessions.evaluate(make_sessions(s=[["x"]]), {"s": {"x": 1}}, "sDCG@1")
    data = build_data("last", results)
    assert find_notes(data.caption, "no", "session", "one", "query")
    assert "last query" in svg_texts(picture.to_svg(Drawing(FIGURES["last"], data, Look()).spec()))


def test_one_run_may_be_given_without_a_name():
    frame = figure_data("dots", QRELS, RUNS["bm25"], "AP", resamples=99)
    assert frame["run"].to_list() == ["bm25"]


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"name": "sessions", "measure": "AP"}, UnknownName, "AP"),
        ({"name": "sessions", "colour": "red"}, UnknownName, "colour"),
        ({"name": "sessions", "by": "sytem"}, UnknownName, ("sytem", "system")),
        ({"name": "sessions", "interval": 120}, BadValue, "the level of the interval"),
        ({"name": "sessions", "queries": 0}, BadValue, "queries"),
        ({"name": "scenario", "at_least": 50}, BadInput, "simulated study (seed 2008)"),
        ({"name": "last", "non_last": "some"}, BadValue, "non_last"),
        ({"name": "last", "interval": True}, WrongType, "the level of the interval"),
    ],
)  # fmt: skip
def test_options_of_sessions_that_cannot_be_are_refused(study, options, error, about):
    name = options["name"]
    with refuses(error, about):
        figure_data(name, study, **{key: options[key] for key in options if key != "name"})


def evaluate_unjudged():
    """Of two results one is judged: nobody knows what the other is worth."""
    shown = make_sessions(s=[["x", "y"]])
    return gainful.sessions.evaluate(shown, {"s": {"y": 1}}, "sDCG@1")


def evaluate_others():
    return gainful.sessions.evaluate(make_sessions(s=[["x"]]), {"s": {"x": 1}}, ["sRBP", "IR"])


@pytest.mark.parametrize(
    ("ask", "error", "about"),
    [
        (lambda: figure_data("last", "study.csv"), WrongType, "results"),
        (lambda: figure_data("map", "study.csv"), WrongType, "sweep"),
        (lambda: figure_data("searchers", "log.csv"), WrongType, "calibration"),
        (lambda: figure_data("judges", "qrels.txt"), WrongType, "agreement"),
        (lambda: figure_data("heatmap", QRELS, RUNS, ["AP", "RR"]), BadValue, "measure"),
        (lambda: picture.save({}, 5), WrongType, "path"),
        (lambda: figure_data("differences", QRELS, RUNS), BadValue, "runs"),
        (lambda: figure_data("curves", QRELS, RUNS, "AP"), BadValue, "measure"),
        (lambda: figure_data("curves", QRELS, RUNS, "nDCG"), BadValue, "measure"),
        (lambda: figure_data("curves", JUDGED, {"run": TOY_RUN}, query="9"), UnknownName, "9"),
        (lambda: figure_data("sessions", evaluate_unjudged()), BadInput, ("sessions", "1")),
        (
            lambda: figure_data("curves", {"1": {"b": 1}}, {"r": {"1": ["a", "b"]}}, "DCG@1"),
            *(BadInput, "r"),
        ),
        (lambda: figure_data("sessions", evaluate_others()), BadValue, "measure"),
        (lambda: figure_data("sessions", evaluate_others(), "sRBP"), BadValue, "measure"),
        (lambda: Look(width="9"), WrongType, "width"),
        (lambda: Look(title=5), WrongType, "title"),
        (lambda: Look(caption="long"), BadValue, "caption"),
        (lambda: Look(height=5), BadValue, "height"),
        (lambda: picture.save({}, "f.gif"), BadValue, "path"),
    ],
)
def test_what_a_figure_cannot_show_is_refused(ask, error, about):
    with refuses(error, about):
        ask()


def test_queries_that_do_not_count_are_none_on_which_every_run_has_0():
    judged = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}}
    runs = {name: {"1": ["a"], "2": ["z"], "3": ["c"]} for name in "xy"}
    data = build_data("heatmap", judged, runs, "nDCG@3", empty="skip")
    assert find_notes(data.caption[:1], "1", "query", "every", "0")


def test_a_depth_that_no_list_reaches_is_said(golden_results, toy):
    results = gainful.sessions.evaluate(*toy, "sDCG@50")
    assert find_notes(build_data("last", results).caption, "Note", "no", "3", "results")
    assert not find_notes(build_data("last", golden_results).caption, "Note", "results")


def test_the_axes_of_a_narrow_map_have_titles_that_fit(toy):
    swept = gainful.sessions.sweep(*toy, points=2, depth=3)
    wide, narrow = (
        gainful.figures.figure("map", swept, width=width, height=width).to_dict()["layer"][0]
        for width in (400, 200)
    )
    for axis in ("x", "y"):
        title = wide["encoding"][axis]["axis"]["title"]
        lines = narrow["encoding"][axis]["axis"]["title"]
        assert " ".join(lines) == title
        assert len(lines) == 2


def test_scenarios_together_are_said_where_they_are_not_normalised(study):
    data = build_data("scenario", study)
    assert find_notes(data.caption, "Note", "4", "scenarios", "A", "B", "C", "D")
    assert not any("together" in line for line in build_data("scenario", study, "nsDCG@10").caption)


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch, study):
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with refuses(NotInstalled, "gainful.figures.figure"):
        gainful.figures.figure("sessions", study)
    with refuses(NotInstalled, "gainful figure"):
        picture.to_svg({})


# ── hostile names ────────────────────────────────────────────────────────────────────────────

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'></script><b>",
    "{{7*7}}",
    "datum.x']; alert(1)//",
    "שלום עולם",
    "long" * 2500,
    "null\x00byte\nline",
]


def test_hostile_names_are_text_in_an_svg():
    runs = dict.fromkeys(HOSTILE, RUNS["bm25"])
    for name in ("curves", "dots", "precision-recall"):
        svg = picture.to_svg(draw_spec(name, QRELS, runs))
        assert "<script" not in svg
        assert "<b>" not in svg
        shown = svg_texts(svg)
        assert {"{{7*7}}", "שלום עולם", "<script>alert(1)</script>", "null�byte line"} <= set(shown)
        assert max(len(text) for text in shown) < 400


def test_hostile_sessions_and_queries_are_text_in_an_svg():
    shown = pl.concat(
        make_sessions(**{name: [["x"], ["x"]]}).with_columns(system=pl.lit(name))
        for name in HOSTILE[:6]
    )
    judged = {name: {"x": 1} for name in HOSTILE[:6]}
    results = gainful.sessions.evaluate(shown, judged, "sDCG@1")
    for name in ("individual", "sessions", "last"):
        svg = picture.to_svg(draw_spec(name, results, by="system"))
        assert "<script" not in svg
        assert any("<script>alert(1)</script>" in text for text in svg_texts(svg))
    svg = picture.to_svg(
        draw_spec(
            "differences",
            judged,
            {"a": {q: ["y", "x"] for q in judged}, "b": {q: ["x"] for q in judged}},
            "RR",
        )
    )
    assert "<script>alert(1)</script>" in svg_texts(svg)


def test_a_page_opens_offline_fits_a_phone_and_shows_hostile_names_as_text(shown):
    runs = dict.fromkeys(HOSTILE, RUNS["bm25"])
    light, dark = (draw_spec("curves", QRELS, runs, look=Look(dark=dark)) for dark in (False, True))
    text = picture.to_html(light, dark)
    assert not re.search(r"""(?:src|href)=["']?https?:""", text)
    page = shown(text, viewport={"width": 390, "height": 800}, color_scheme="light").page
    page.wait_for_selector("#figure[data-ready='1'] svg")
    names = page.locator("#figure svg text").all_text_contents()
    assert {"<script>alert(1)</script>", "{{7*7}}", "ideal"} <= set(names)
    assert overflow_width(page) <= 0
    assert "40 queries" in page.inner_text("main")
    before = page.locator("#figure svg").get_attribute("style")
    page.click("#theme")
    page.wait_for_selector("#figure[data-ready='2'] svg")
    assert page.locator("#figure svg").get_attribute("style") != before


def test_panels_stand_below_one_another_on_a_phone(shown, study):
    text = picture.to_html(draw_spec("individual", study, by="system"))
    page = shown(text, viewport={"width": 390, "height": 800}).page
    page.wait_for_selector("#figure[data-ready='1'] svg")
    box = page.locator("#figure svg").bounding_box()
    assert box["height"] > 600
    assert box["width"] <= 390


# ── the command ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    gainful.sessions.simulate_study(2008).write(folder)
    return folder


def test_without_a_name_it_lists_all_figures_with_their_questions(run):
    out = run("figure")
    for figure in FIGURES.values():
        assert f"{figure.name} " in out
        assert figure.question in out


def test_the_command_draws_what_python_draws(run, folder, tmp_path, study):
    files = (folder / "sessions.csv", "--qrels", folder / "qrels.txt")
    out = tmp_path / "f.svg"
    assert run("figure", "sessions", *files, "--by", "system", "-o", out) == ""
    shown = svg_texts(out.read_text(encoding="utf-8"))
    assert {"Q1", "Q11", "system 1", "system 2"} <= set(shown)
    data = run("figure", "sessions", *files, "--by", "system", "--data")
    rows = list(csv.DictReader(io.StringIO(data)))
    frame = figure_data("sessions", study, by="system")
    assert [float(row["mean"]) for row in rows] == frame["mean"].to_list()
    assert [row["group"] for row in rows] == frame["group"].to_list()


def test_options_of_sessions_and_settings_reach_the_figure(run, folder):
    files = (folder / "sessions.csv", "--qrels", folder / "qrels.txt")
    data = run(
        *("figure", "scenario", *files, "--where", "scenario=D", "--at-least", 5, "--queries", 2),
        *("-m", "sDCG@5", "--gain", "exp", "--interval", 90, "--resamples", 99, "--data"),
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(data)))
    made = gainful.sessions.simulate_study(2008)
    results = gainful.sessions.evaluate(
        made.sessions, made.qrels, "sDCG(gain=exp)@5", where={"scenario": "D"}
    )
    own = results.curve().filter(pl.col("query") <= 2)["mean"].to_list()
    assert [float(row["mean"]) for row in rows if row["which"] == "all"] == pytest.approx(own)
    assert {row["which"] for row in rows} == {"all", "at least 5 queries"}
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)


def test_runs_are_drawn_and_their_data_written(run, tmp_path):
    paths = [RUNS["bm25"], RUNS["dense"]]
    for suffix, begin in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".html", b"<!doctype html>")):
        out = tmp_path / f"f{suffix}"
        run("figure", "differences", QRELS, *paths, "-m", "AP", "--like", "trec_eval", "-o", out)
        assert out.read_bytes().startswith(begin)
    run("figure", "dots", QRELS, *paths, "-m", "AP", "-m", "P@5", "--resamples", 99, "-o", tmp_path / "d.csv")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO((tmp_path / "d.csv").read_text(encoding="utf-8"))))
    expected = [(run, measure) for run in ("dense", "bm25") for measure in ("AP", "P@5")]
    assert [(row["run"], row["measure"]) for row in rows] == expected


def test_one_group_has_no_winner_and_the_picture_says_so(run, folder, tmp_path):
    run(
        *("figure", "map", folder / "sessions.csv", "--qrels", folder / "qrels.txt"),
        *("--where", "system=1", "-o", tmp_path / "map.svg"),
    )
    shown = svg_texts((tmp_path / "map.svg").read_text(encoding="utf-8"))
    assert any("one group" in text for text in shown)


def test_the_map_of_clicks_is_of_the_measure_that_a_sweep_of_clicks_takes(run, tmp_path):
    rows = [
        f"{system}{number},1,{rank},d{rank},{system},{int(rank == place)}"
        for system, place in (("a", 1), ("b", 2))
        for number in range(3)
        for rank in (1, 2, 3)
    ]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(("session,query,rank,doc,system,clicked", *rows)), encoding="utf-8")
    run("figure", "map", log, "--points", 3, "-o", tmp_path / "map.csv")
    swept = gainful.sessions.sweep(log, points=3)
    assert str(swept.measure) == "sDCG"
    ahead = pl.read_csv(tmp_path / "map.csv")["ahead"].drop_nulls().to_list()
    assert ahead == build_data("map", swept).frame["ahead"].drop_nulls().to_list()


@pytest.mark.parametrize("name", ["sessions", "last", "frontier"])
def test_help_names_the_measure_that_is_drawn_of_judged_sessions_and_of_clicks(run, name):
    usual = re.search(r"\[(\w+@10)(?:; by clicks (\w+@10))?\]", run("figure", name, "--help"))
    log, judged = EXAMPLES / "clicks.csv", ("sessions.csv", "sessions-qrels.txt")
    for files, by, measure in (
        ([EXAMPLES / file for file in judged], "system", usual[1]),
        ([log], "variant", usual[2] or usual[1]),
    ):
        results = gainful.sessions.evaluate(*files, cost="query=1")
        options = {"cost": "query=1"} if name == "frontier" else {}
        data = build_data(name, results, by=by, **options)
        assert re.search(rf"mean {measure}\b", " ".join((data.axis_title, *data.caption)))


def test_there_is_a_function_for_each_figure():
    from gainful import figures

    functions = {name.replace("_", "-") for name in figures.__all__}
    assert functions == {*FIGURES, "figure", "figure-data", "save"}
    runs = {"a": {"1": ["x", "d"], "2": ["e"]}, "b": {"1": ["d"], "2": ["e"]}}
    judged = {"1": {"d": 1}, "2": {"e": 1}}
    chart = figures.differences(judged, runs, "RR")
    assert chart.to_dict() == gainful.figures.figure("differences", judged, runs, "RR").to_dict()
