"""Sweeps: every setting equals its own evaluation, and the words say what the numbers do."""

import csv
import json
from io import StringIO

import polars as pl
import pytest
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses

import gainful
from gainful.errors import BadInput, BadValue, UnknownName

STUDY = gainful.sessions.simulate_study(2008)
WEIGHTS = "0:0,1:1,2:10,3:100"
MEASURES = (
    "sDCG",
    "nsDCG",
    "nsDCG(duplicates=first)",
    "nsDCG(ideal=once)",
    "sDCG(rank_discount=concatenated, lists=as_is)",
    "nsDCG(rank_discount=concatenated)",
    "nsDCG(duplicates=first, rank_discount=concatenated)",
    "nsDCG(duplicates=judged)",
    "nsDCG(duplicates=clicked, depth=scanned)",
    "sDCG(query_discount=shifted, discount=log)",
)


def sweep_study(measure="nsDCG", **options):
    return gainful.sessions.sweep(STUDY.sessions, STUDY.qrels, measure, **options)


@given(
    measure=st.sampled_from(MEASURES),
    b=st.floats(1.01, 100),
    bq=st.floats(1.01, 900),
    depth=st.integers(1, 12),
    weights=st.sampled_from(["linear", "exp", WEIGHTS]),
    by=st.sampled_from(["system", "scenario", "searcher"]),
)
@examples(30)
def test_each_value_is_what_evaluate_sessions_gives(*, measure, b, bq, depth, weights, by):
    (row,) = sweep_study(measure, b=b, bq=bq, depth=depth, weights=weights, by=by).rows()
    name = f"{measure}@{depth}"
    direct = gainful.sessions.evaluate(
        STUDY.sessions, STUDY.qrels, name, b=b, bq=bq, gain=weights
    ).groups(by)
    assert list(row["means"]) == [group[by] for group in direct]
    expected = [group["mean"][name] for group in direct]
    assert list(row["means"].values()) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_all_settings_of_a_grid_are_there_once_and_right():
    sweep = sweep_study(b="1.5:10", bq=[2, 4], points=3, depth="5,10", weights=["linear", WEIGHTS])
    rows = list(sweep.rows())
    assert len({(r["weights"], r["depth"], r["b"], r["bq"]) for r in rows}) == len(rows) == 24
    for row in rows:
        name = f"nsDCG@{row['depth']}"
        first, two = gainful.sessions.evaluate(
            STUDY.sessions, STUDY.qrels, name, b=row["b"], bq=row["bq"], gain=row["weights"]
        ).groups("system")
        means = {"1": first["mean"][name], "2": two["mean"][name]}
        assert row["means"] == pytest.approx(means, rel=1e-12)
        assert row["difference"] == pytest.approx(means["1"] - means["2"], abs=1e-12)
        assert row["winner"] == max(means, key=means.get)


@pytest.mark.parametrize("empty", [0, 1, "skip"])
def test_sessions_without_an_ideal_count_as_the_convention_says(empty):
    frame = pl.DataFrame({"session": list("rstu"), "query": 1, "doc": list("aaaa")})
    frame = frame.with_columns(system=pl.Series(["x", "x", "y", "y"]))
    judged = {"r": {"a": 1, "b": 2}, "s": {"a": 0}, "t": {"a": 2}, "u": {"b": 1}}
    sweep = gainful.sessions.sweep(frame, judged, b=2, bq=4, empty=empty)
    direct = gainful.sessions.evaluate(frame, judged, "nsDCG@10", empty=empty).groups("system")
    (row,) = sweep.rows()
    expected = [group["mean"]["nsDCG@10"] for group in direct]
    assert list(row["means"].values()) == pytest.approx(expected)


def test_conversations_have_an_ideal_for_each_turn():
    frame = STUDY.sessions.frame.with_columns(
        topic=pl.when(pl.col("query") % 2 == 0).then(pl.lit("A")).otherwise(pl.col("topic"))
    )
    (row,) = gainful.sessions.sweep(frame, STUDY.qrels, b=3, bq=2).rows()
    direct = gainful.sessions.evaluate(frame, STUDY.qrels, "nsDCG(b=3, bq=2)@10")
    expected = [group["mean"]["nsDCG(b=3, bq=2)@10"] for group in direct.groups("system")]
    assert list(row["means"].values()) == pytest.approx(expected, rel=1e-12)
    with refuses(BadValue, "duplicates"):
        gainful.sessions.sweep(frame, STUDY.qrels, "nsDCG(duplicates=first)", b=3, bq=2)


def make_late_and_early():
    """early finds a 2 at once; late finds nothing, and then a 3: 3·w(2) against 2."""
    rows = [("e", 1, "b", "early"), ("l", 1, "x", "late"), ("l", 2, "a", "late")]
    frame = pl.DataFrame(rows, schema=["session", "query", "doc", "system"], orient="row")
    return frame, {"e": {"a": 3, "b": 2}, "l": {"a": 3, "b": 2}}


def test_the_boundary_is_where_it_is_by_hand():
    """3/(1 + log_bq 2) = 2 where log_bq 2 = 1/2, that is at bq = 4, whatever b is."""
    sweep = gainful.sessions.sweep(*make_late_and_early(), "sDCG", reference={"bq": 3})
    (plane,) = sweep.planes
    assert [point.bq for point in plane.boundary] == pytest.approx([4] * 20)
    assert {(sweep.groups[o.below], sweep.groups[o.above]) for o in plane.boundary} == {
        ("early", "late")
    }
    (sentence,) = sweep.sentences
    facts = list_facts(sentence, "early", "late", "bq", "b", "below", "above")
    assert facts == ["early", "bq", "below", "4", "b", "2", "late"]
    patient = gainful.sessions.sweep(*make_late_and_early(), "sDCG", reference={"b": 2, "bq": 5})
    facts = list_facts(patient.sentences[0], "late", "bq", "b", "below", "above")
    assert facts[:6] == ["late", "bq", "above", "4", "b", "2"]


def test_a_boundary_in_b_is_found_too():
    """deep has a 3 at rank 2, top a 2 at rank 1: the same where log_b 2 = 1/2, at b = 4."""
    rows = [("d", 1, "x", "deep"), ("d", 1, "a", "deep"), ("t", 1, "b", "top")]
    frame = pl.DataFrame(rows, schema=["session", "query", "doc", "system"], orient="row")
    sweep = gainful.sessions.sweep(frame, {"d": {"a": 3, "b": 2}, "t": {"a": 3, "b": 2}}, "sDCG")
    assert sweep.planes[0].boundary
    assert all(point.along == "b" for point in sweep.planes[0].boundary)
    assert [point.b for point in sweep.planes[0].boundary] == pytest.approx([4] * 20)
    facts = list_facts(sweep.sentences[0], "top", "bq", "b", "below")
    assert facts[:6] == ["top", "b", "below", "4", "bq", "4"]


def test_at_every_point_of_the_boundary_the_groups_are_even():
    sweep = sweep_study()
    assert sweep.planes[0].boundary
    for point in sweep.planes[0].boundary:
        (row,) = sweep_study(b=point.b, bq=point.bq).rows()
        assert row["difference"] == pytest.approx(0, abs=1e-9)


def test_who_wins_for_every_searcher_is_said():
    sweep = sweep_study(weights=WEIGHTS)
    assert [list_facts(sentence) for sentence in sweep.sentences] == [["2", "1.5", "10"]]
    assert {row["winner"] for row in sweep.rows()} == {"2"}
    narrow = sweep_study(weights=WEIGHTS, b=2, bq="2:5")
    assert [list_facts(sentence) for sentence in narrow.sentences] == [["2", "2", "2", "5"]]


def test_equal_groups_have_no_winner():
    frame = pl.DataFrame({"session": ["s", "t"], "query": 1, "doc": "a", "system": ["x", "y"]})
    sweep = gainful.sessions.sweep(frame, {"s": {"a": 1}, "t": {"a": 1}})
    assert sweep.sentences[0].startswith("No group")
    assert all(row["winner"] is None and row["tau"] is None for row in sweep.rows())


def test_a_group_that_alone_has_a_mean_is_ahead_of_nobody():
    frame = pl.DataFrame({"session": list("stu"), "query": 1, "doc": "a", "system": list("xyz")})
    judged = {"s": {"a": 1}, "t": {"b": 0}, "u": {"b": 0}}
    sweep = gainful.sessions.sweep(frame, judged, empty="skip", points=2)
    for row in sweep.rows():
        assert list(row["means"].values()) == [1.0, None, None]
        assert row["difference"] is row["winner"] is row["tau"] is None


def test_tau_is_that_of_the_order_against_the_reference():
    sweep = sweep_study(by="scenario", points=4)
    own = sweep_study(by="scenario", b=2, bq=4)
    reference = own.planes[0].means[0, 0]
    from scipy.stats import kendalltau

    for row in sweep.rows():
        expected = kendalltau(list(row["means"].values()), reference).statistic
        assert row["tau"] == pytest.approx(expected)
        best, second = sorted(row["means"].values())[:-3:-1]
        assert row["difference"] == pytest.approx(best - second)


def test_as_plain_data_and_as_text():
    sweep = sweep_study(points=3, weights=[WEIGHTS, "linear"])
    data = json.loads(json.dumps(sweep.to_dict(), allow_nan=False))
    assert len(data["settings"]) == 18
    assert data["reference"] == {"b": 2, "bq": 4, "weights": "{0:0,1:1,2:10,3:100}", "depth": 10}
    assert data["counts"]["sessions"] == 120
    assert data["convention"]["b"] == "swept"
    assert list_facts(repr(sweep))[:4] == ["nsDCG", "18", "120", "2"]


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"bq": 1}, ("bq", "1 < bq < 1000")),
        ({"bq": "1:4"}, ("bq", "is 1;")),
        ({"b": "10:1.5"}, ("b", "'10:1.5'")),
        ({"b": "x"}, ("b", "'x'")),
        ({"b": None}, "b"),
        ({"b": []}, "b"),
        ({"depth": 0}, "depth"),
        ({"depth": "5,x"}, ("depth", "'x'")),
        ({"points": 1}, "points"),
        ({"points": 2000}, ("points", "4000000", "1000000")),
        ({"measure": "nDCG"}, ("measure", "sDCG or nsDCG")),
        ({"measure": "nsDCG(b=2)"}, ("measure", "'nsDCG(b=2)@10'", "no b")),
        ({"measure": "nsDCG@5", "depth": 3}, ("depth", "nsDCG@5")),
        ({"measure": "nsDCG(gain=exp)", "weights": "linear"}, ("weights", "nsDCG(gain=exp)@10")),
        ({"like": "trec_dd_2015"}, ("statistic", "'per_query'", "final")),
        ({"discount": "log2"}, ("b", "log2")),
        ({"reference": {"bq": 1}}, "bq"),
    ],
)
def test_what_cannot_be_swept_is_refused(options, about):
    with refuses(BadValue, about):
        sweep_study(**options)


def test_one_group_has_no_winner_and_an_unknown_column_no_groups():
    with refuses(BadInput, "simulated study (seed 2008)"):
        sweep_study(where={"system": "1"})
    with refuses(UnknownName, "sytem", "system"):
        sweep_study(by="sytem")
    with refuses(UnknownName, "c"):
        sweep_study(reference={"c": 2})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return [str(path) for path in STUDY.write(tmp_path_factory.mktemp("study"))]


@pytest.fixture
def run_sweep(run_gainful, files):
    sweep = ("sweep", files[0], "--qrels", files[1])
    return lambda *words, **options: run_gainful(*sweep, *words, **options).answer


def test_the_command_answers_first(run_sweep):
    printed = run_sweep("--points", "5", "--by", "system", "-v")
    facts = list_facts(printed, "system", "b", "bq", "below")
    assert facts[:7] == ["system", "2", "bq", "4", "b", "below", "8.2"]
    # so it is, by evaluating the sessions with a searcher on either side of that
    for b, better in ((8.1, "2"), (8.3, "1")):
        measure = f"nsDCG(b={b},bq=4)@10"
        results = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, measure)
        means = {group["system"]: group["mean"][measure] for group in results.groups("system")}
        assert max(means, key=means.get) == better
    assert find_notes(printed.split("."), "Of", 25, "settings")
    assert find_notes(printed.splitlines(), 120, 343, 25)
    assert "winner changes" in printed


def test_the_command_gives_every_setting_as_csv_and_json(run_sweep, tmp_path):
    rows = list(csv.DictReader(StringIO(run_sweep("--format", "csv", "-m", "sDCG"))))
    assert len(rows) == 400
    direct = sweep_study("sDCG")
    assert [float(row["2"]) for row in rows] == [row["means"]["2"] for row in direct.rows()]
    run_sweep("-o", str(tmp_path / "sweep.json"), "--b", "2", "--reference", "b=3,bq=2")
    data = json.loads((tmp_path / "sweep.json").read_text("utf-8"))
    assert (len(data["settings"]), data["reference"]["b"]) == (20, 3)
