"""Means, curves and sweeps of sessions that are added up in parts, where the sessions are."""

import json
import re
import tempfile
from functools import partial
from itertools import combinations_with_replacement

import numpy as np
import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import list_facts
from refusals import refuses
from test_session_engines import STUDY, log_of_clicks

import gainful
from gainful.match import packed_sessions
from gainful.match.packed_sessions import sum_rank_hashes
from gainful.measure.sessions import session_summary
from gainful.read import engine_sessions, spill
from gainful.read.engines import as_narwhals, find_engine

ENGINES = ("lazy polars", "DuckDB")
OPTIONS = [
    {"measures": ["nsDCG@10", "sDCG(lists=minimum(3))@5"]},
    {"measures": ["nsDCG(duplicates=first)@3", "sDCG(duplicates=clicked)@10"]},
    {"measures": ["nsDCG@4", "sDCG(duplicates=first)@10"]},
    {"measures": ["RL(of='nDCG@10', repeated=clicked)", "sRBP", "IR", "sTBG", "sU"]},
    {"measures": "nsDCG@10", "first_queries": 2, "where": {"system": "2"}},
    {"measures": "nsDCG@5", "min_queries": 3, "like": "kanoulas2011"},
    {"measures": "sDCG@5", "min_queries": 2, "first_queries": 2},
    {"measures": "sDCG@5", "where": {"session": "sim-01-2"}},
    {"measures": ["nsDCG@5", "nsDCG(average=vectors)@5"]},
    {"measures": ["sDCG@5", "Cost(per_query=5, per_result=2)"]},
    {"measures": ["nsDCG@5", "sDCG@5"], "at": "queries(3)"},
    {"measures": "nsDCG@5", "like": "trec_dd_2017"},
    {"measures": ["nsDCG(statistic=average)@5", "nsDCG(ideal=once, duplicates=every)@5"]},
]


@pytest.fixture
def set_rows(monkeypatch):
    """Choose how many rows make a part, as few as one session or none that counts."""

    def choose(rows):
        monkeypatch.setattr(engine_sessions, "_MAX_ROWS", rows)
        monkeypatch.setattr(packed_sessions, "_MAX_ROWS", rows)
        monkeypatch.setattr(session_summary, "_MAX_CELLS", 200)
        monkeypatch.setattr(spill, "_MAX_HELD", rows * 5 // 2)
        monkeypatch.setattr(spill, "_MAX_KEPT", 0)

    return choose


@pytest.fixture(autouse=True)
def small_parts(set_rows):
    """So few rows at a time that a small log has many parts and many files."""
    set_rows(160)


def assert_equal(summary, results, by):
    assert summary.mean == pytest.approx(results.mean, rel=1e-12)
    assert summary.counts == results.counts
    groups = results.groups(by)
    assert len(summary.groups) == len(groups)
    for ours, theirs in zip(summary.groups, groups, strict=True):
        assert [ours[name] for name in by] == [theirs[name] for name in by]
        assert (ours["sessions"], ours["queries"]) == (theirs["sessions"], theirs["queries"])
        assert ours["mean"] == pytest.approx(theirs["mean"], rel=1e-12)


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        *((engine, options) for engine in ENGINES for options in OPTIONS),
        ("Spark", {"measures": ["nsDCG@10", "sDCG(duplicates=clicked)@10", "IR"]}),
    ],
    ids=str,
)
def test_sums_of_parts_are_those_of_all(engine, options):
    log = log_of_clicks()
    results = gainful.sessions.evaluate(log, STUDY.qrels, **options)
    framed = FRAME_MAKERS[engine](log)
    with refuses(gainful.errors.BadInput, "sessions"):
        gainful.sessions.summarise(framed, {"other": {"a": 1}}, "sDCG@10")
    summary = gainful.sessions.summarise(framed, STUDY.qrels, by=["system"], curves=True, **options)
    assert_equal(summary, results, ["system"])
    ours = {note for note in summary.notes if not note.startswith("computed in")}
    assert ours == set(results.notes)
    for name, recipe in results.recipes.items():
        values = np.ma.compressed(np.ma.asarray(results.values[name]))
        if "average=vectors" not in name and len(values) > 1:
            error = summary.to_dict()["standard_error"][name]
            assert error == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)))
        if recipe.entry.has_vectors:
            ours, theirs = summary.curve(name), results.curve(name, "system")
            assert ours.columns == theirs.columns
            for column in ("query", "rank", "position", "n", "searching"):
                assert ours[column].to_list() == theirs[column].to_list()
            assert ours["mean"].to_list() == pytest.approx(theirs["mean"].to_list(), abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "options",
    [
        {"measures": ["nsDCG@10", "sDCG(lists=minimum(3))@5"], "curves": True},
        {"measures": "nsDCG(duplicates=first)@3", "where": {"system": "2"}, "min_queries": 2},
        {"measures": "nsDCG(average=vectors)@5", "first_queries": 2, "unjudged": "drop"},
        {"measures": ["sRBP", "IR", "CT", "esnDCG@5", "sINST@10"], "bad": "skip"},
        {"measures": ["Cost(per_query=5, per_result=2)", "sDCG@5"], "unjudged": "zero"},
    ],
    ids=str,
)
def test_sound_sessions_are_read_as_records(engine, options, monkeypatch):
    """All that is told of sessions is looked at only where something is wrong with them."""
    monkeypatch.setattr(engine_sessions, "compute_part", None)
    frame = FRAME_MAKERS[engine](STUDY.sessions.frame)
    summary = gainful.sessions.summarise(frame, STUDY.qrels, by="system", **options)
    options = {name: value for name, value in options.items() if name != "curves"}
    assert_equal(
        summary, gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, **options), ["system"]
    )


def test_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frame = STUDY.sessions.frame
    gainful.sessions.summarise(frame.lazy(), STUDY.qrels, "nsDCG@10")
    gainful.sessions.summarise(frame.lazy(), STUDY.qrels, "IR")
    broken = pl.concat([frame, frame.tail(1).with_columns(rank=pl.lit(99, pl.Int64))])
    with pytest.raises(gainful.errors.BadInput):
        gainful.sessions.summarise(broken.lazy(), STUDY.qrels, "nsDCG@10")
    assert not list(tmp_path.iterdir())


def test_how_deep_searchers_looked():
    whole, options = STUDY.sessions.frame, {"measures": "nsDCG@10", "depth": "scanned"}
    partly = whole.with_columns(pl.when(pl.col("query") > 1).then("scanned").alias("scanned"))
    for frame, by in ((whole, ["system"]), (partly, [])):
        results = gainful.sessions.evaluate(frame, STUDY.qrels, **options)
        summary = gainful.sessions.summarise(frame.lazy(), STUDY.qrels, by=by, **options)
        assert_equal(summary, results, by)
    with refuses(gainful.errors.BadValue, "depth"):
        gainful.sessions.summarise(whole.drop("scanned").lazy(), STUDY.qrels, **options)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("topics", [True, False])
def test_gains_from_what_searchers_did(engine, topics, set_rows):
    """Of a topic, what any searcher clicked is in the ideal; else each session has its own."""
    set_rows(40)  # in some parts nobody did anything
    log = log_of_clicks().filter(pl.col("session") < "sim-11")
    log = log.with_columns(purchased=pl.col("doc").hash(5) % 7 == 0)
    log = log.drop("grade", *(() if topics else ("topic",)), strict=False)
    both = {"clicked": 1, "purchased": 5}
    for rule, duplicates in ((None, "every"), ("purchased", "first"), (both, "every")):
        asked = {"measures": ["nsDCG@10", "sDCG@5"], "gain_from": rule, "duplicates": duplicates}
        results = gainful.sessions.evaluate(log, None, **asked)
        summary = gainful.sessions.summarise(FRAME_MAKERS[engine](log), None, by="system", **asked)
        assert summary.mean == pytest.approx(results.mean, rel=1e-12)
        assert summary.counts == results.counts
        assert any("gain: " in note for note in summary.notes)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_session_without_judgments_is_told_or_left_out(engine):
    rows = [("s", 1, 1, "a"), ("s", 1, 2, "x"), ("u", 1, 1, "a"), ("v", 1, 1, "a")]
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    framed, qrels = FRAME_MAKERS[engine](frame), {"s": {"a": 1}, "u": {"a": 1}}
    with pytest.raises(gainful.errors.BadInput) as refused:
        gainful.sessions.summarise(framed, qrels, "sDCG@5")
    assert "'v'" in str(refused.value)
    left = gainful.sessions.summarise(framed, qrels, "sDCG@5", unjudged="drop")
    assert ["1", "1"] in [list_facts(note) for note in left.notes]  # query and session
    assert left.counts["sessions"] == 2


def test_an_empty_text_is_no_document():
    rows = [("s", 1, None, ""), ("s", 2, 1, "a"), ("s", 2, 2, "b")]
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    for engine in ENGINES:
        summary = gainful.sessions.summarise(FRAME_MAKERS[engine](frame), {"s": {"a": 1}}, "sDCG@5")
        assert summary.counts == {"sessions": 1, "queries": 2, "results": 2, "judged": 1}


def test_ranks_that_add_up_are_looked_at_one_by_one():
    rows = [("s", 1, rank, doc) for rank, doc in ((1, "a"), (1, "b"), (4, "c"), (4, "d"))]
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    for door in (gainful.sessions.summarise, gainful.sessions.evaluate):
        with refuses(gainful.errors.BadInput, "sessions, row 1", "query 1", "rank 1"):
            door(frame.lazy(), {"s": {"a": 1}}, "sDCG@5")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("where", [("s", 1, "x"), ("s", 2, "y"), ("t", 1, "y"), ("t", 1, "a")])
def test_a_document_twice_in_a_list_is_a_mistake_though_nobody_judged_it(engine, where):
    """In all engines the one that memory names; with bad="skip" its session is not counted."""
    rows = [
        (session, query, rank, doc)
        for session in "stu"
        for query in (1, 2)
        for rank, doc in enumerate(("x", "a", "y"), 1)
    ]
    session, query, doc = where
    rows.append((session, query, 4, doc))
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    frame = frame.with_columns(arm=pl.col("session") == "s")
    framed, qrels = FRAME_MAKERS[engine](frame), {name: {"a": 1} for name in "stu"}
    evaluate, summarise, sweep = (
        *(gainful.sessions.evaluate, gainful.sessions.summarise),
        partial(gainful.sessions.sweep, points=2, by="arm"),
    )
    problems = []
    for door, log, measure in (
        *((evaluate, each, "sDCG@5") for each in (frame, framed)),
        *((summarise, framed, "sDCG@5"), (sweep, framed, "sDCG")),
    ):
        with pytest.raises(gainful.errors.BadInput) as refused:
            door(log, qrels, measure)
        problems.append(refused.value.problem)
    assert problems == [problems[0]] * 4
    summary = gainful.sessions.summarise(framed, qrels, "sDCG@5", bad="skip")
    left = gainful.sessions.evaluate(frame, qrels, "sDCG@5", bad="skip")
    assert_equal(summary, left, [])
    assert summary.counts["sessions"] == 2


def test_what_varies_within_a_session_is_no_group():
    rows = [("s", 1, 1, "a", "x"), ("s", 2, 1, "b", "y")]
    frame = pl.LazyFrame(rows, schema=["session", "query", "rank", "doc", "arm"], orient="row")
    with refuses(gainful.errors.BadInput, "sessions", "'s'"):
        gainful.sessions.summarise(frame, {"s": {"a": 1}}, "sDCG@5", by="arm")
    with refuses(gainful.errors.BadInput, "sessions"):
        gainful.sessions.summarise(frame, {"s": {"a": 1}}, "sDCG@5", where={"arm": "x"})


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"by": "sistem"}, ("sistem", "system")),
        ({"hold": "growing"}, "hold"),
        ({"statistic": "average", "average_over": "common"}, "average_over"),
        ({"propensity": np.array([1.0, 0.5])}, "propensity"),
        ({"where": {"sistem": "1"}}, ("sistem", "system")),
        ({"min_queries": 99}, "sessions"),
        ({"gain_from": "clicked"}, "gain_from"),
        ({"bad": "ignore"}, "bad"),
        ({"jugments": 1}, "jugments"),
    ],
    ids=str,
)
def test_what_is_refused(options, about):
    with refuses(gainful.errors.GainfulError, about):
        gainful.sessions.summarise(STUDY.sessions.frame.lazy(), STUDY.qrels, "nsDCG@5", **options)


def test_other_inputs_are_sent_to_evaluate(tmp_path):
    with refuses(gainful.errors.WrongType, "sessions"):
        gainful.sessions.summarise(STUDY.sessions, STUDY.qrels)
    path = tmp_path / "log.parquet"
    STUDY.sessions.frame.write_parquet(path)
    summary = gainful.sessions.summarise(path, STUDY.qrels, "nsDCG@10")
    with refuses(gainful.errors.BadInput, "none.parquet"):
        gainful.sessions.summarise(tmp_path / "none.parquet", STUDY.qrels)
    (tmp_path / "junk.parquet").write_bytes(b"junk")
    with refuses(gainful.errors.BadInput, "junk.parquet"):
        gainful.sessions.summarise(tmp_path / "junk.parquet", STUDY.qrels)
    assert summary["nsDCG@10"] == pytest.approx(
        gainful.sessions.evaluate(path, STUDY.qrels, "nsDCG@10")["nsDCG@10"]
    )


def test_a_summary_is_a_page_and_plain_data():
    frame = STUDY.sessions.frame.lazy()
    measures = ["nsDCG@10", "sDCG@10"]
    summary = gainful.sessions.summarise(frame, STUDY.qrels, measures, by="system")
    results = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, measures)
    text = summary.to_text()
    assert list_facts(text)[:2] == ["2", "nsDCG@10"]
    old, new = (
        np.asarray(results.values["nsDCG@10"])[flags]
        for _, flags in results.group_sessions("system")
    )
    spread = 1.959964 * np.sqrt(old.var(ddof=1) / len(old) + new.var(ddof=1) / len(new))
    difference = new.mean() - old.mean()
    words = f"by {difference:+.4f} (95 % interval {difference - spread:+.4f} to {difference + spread:+.4f}"
    assert words in text
    assert summary.to_polars().columns == [
        *("system", "measure", "mean", "standard_error", "sessions", "queries")
    ]
    assert [group["system"] for group in summary.to_dict()["groups"]] == ["1", "2"]
    with refuses(gainful.errors.BadValue, "curves"):
        summary.curve()


SWEEPS = [
    {"measure": "nsDCG", "points": 4},
    {"measure": "sDCG", "points": 3, "depth": "3,10", "weights": ["0:0,1:1,2:10,3:100", "linear"]},
    {"measure": "nsDCG(duplicates=first)", "points": 3},
    {"measure": "nsDCG", "points": 3, "by": ["system", "searcher"], "min_queries": 2},
]


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        *((engine, options) for engine in ENGINES for options in SWEEPS),
        ("Spark", SWEEPS[0]),  # each takes seconds
    ],
    ids=str,
)
def test_a_sweep_over_parts_is_that_of_all(engine, options, set_rows):
    set_rows(40)  # some parts have no session with so many queries
    theirs = gainful.sessions.sweep(STUDY.sessions, STUDY.qrels, **options)
    frame = FRAME_MAKERS[engine](STUDY.sessions.frame)
    ours = gainful.sessions.sweep(frame, STUDY.qrels, **options)
    assert ours.groups == theirs.groups
    assert ours.counts == theirs.counts
    assert ours.sentences == theirs.sentences
    for mine, plane in zip(ours.planes, theirs.planes, strict=True):
        np.testing.assert_allclose(mine.means, plane.means, rtol=1e-12)


def test_turns_with_ideals_of_their_own_are_swept_in_parts():
    rows = [
        (
            f"s{session}",
            query,
            rank,
            f"d{(session * query + rank) % 7}",
            f"t{(session + query) % 4}",
        )
        for session in range(30)
        for query in range(1, session % 4 + 2)
        for rank in range(1, 6)
    ]
    names = ["session", "query", "rank", "doc", "topic"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    frame = frame.with_columns(arm=pl.col("session").str.slice(1).cast(pl.Int64) % 2)
    qrels = {f"t{topic}": {f"d{doc}": doc % 4 for doc in range(topic, 7)} for topic in range(4)}
    theirs = gainful.sessions.sweep(frame, qrels, by="arm", points=3)
    ours = gainful.sessions.sweep(frame.lazy(), qrels, by="arm", points=3)
    np.testing.assert_allclose(ours.planes[0].means, theirs.planes[0].means, rtol=1e-12)
    with refuses(gainful.errors.OneGroup, "sessions"):
        gainful.sessions.sweep(frame.filter(arm=1).lazy(), qrels, by="arm", points=3)


class TestCommand:
    """`gainful sessions --summary`."""

    @pytest.fixture
    def files(self, tmp_path):
        STUDY.sessions.frame.write_parquet(tmp_path / "log.parquet")
        lines = (f"{query} 0 {doc} {grade:g}" for query, doc, grade in STUDY.qrels.frame.rows())
        (tmp_path / "qrels.txt").write_text("\n".join(lines), encoding="utf-8")
        return str(tmp_path / "log.parquet"), "--qrels", str(tmp_path / "qrels.txt")

    def test_means_of_groups(self, files, run_gainful):
        words = ("sessions", *files, "--by", "system", "--summary", "--format", "json")
        summary = json.loads(run_gainful(*words).out)
        results = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels)
        for ours, theirs in zip(summary["groups"], results.groups("system"), strict=True):
            assert ours["mean"] == pytest.approx(theirs["mean"])

    def test_mean_vectors(self, files, run_gainful):
        words = ("sessions", *files, "-m", "nsDCG@3", "--by", "system", "--summary", "--curve")
        lines = run_gainful(*words, "--format", "csv").out.splitlines()
        expected = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, "nsDCG@3")
        assert len(lines) == 1 + len(expected.curve(by="system"))

    def test_gain_per_cost(self, files, run_gainful):
        words = ("sessions", *files, "--summary", "--cost", "query=5,result=1", "-m", "sDCG@10")
        printed = run_gainful(*words, "--sessions-format", "table", "--format", "json").out
        data, cost = (STUDY.sessions, STUDY.qrels, "sDCG@10"), {"query": 5, "result": 1}
        expected = gainful.sessions.evaluate(*data, cost=cost).to_dict()["per_cost"]
        assert json.loads(printed)["per_cost"] == pytest.approx(expected)
        assert "sDCG@10 per cost" in run_gainful(*words, "--format", "table").out

    @pytest.mark.parametrize("width", [60, 80, 120])
    def test_width(self, files, run_gainful, width):
        outcome = run_gainful(
            "sessions", *files, "--by", "system", "--summary", tty=True, width=width
        )
        text = re.sub("\x1b\\[[0-9;]*m", "", outcome.out)
        assert list_facts(text)[:2] == ["2", "sDCG@10"]
        assert max(map(len, text.splitlines())) <= width

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            (("--lengths",), "--curve"),
            (("--propensity", "estimate"), "all sessions"),
            (("--by", "sistem"), "mean system"),
            (("--where", "sistem=1"), "mean system"),
        ],
    )
    def test_what_is_refused(self, files, run_gainful, more, words):
        outcome = run_gainful("sessions", *files, "--summary", *more, status=2)
        assert words in outcome.err


@pytest.mark.parametrize("engine", ENGINES)
def test_what_gains_in_one_query_counts_where_it_is_shown_in_others(engine):
    shown = {"session": ["s"] * 4, "query": [1, 1, 2, 2], "rank": [1, 2, 1, 2], "doc": [*"abba"]}
    graded = pl.DataFrame(shown | {"grade": [2, None, 1, None]})
    clicked = pl.DataFrame(shown | {"clicked": [True, False, True, False]})
    discount = 1 / (1 + 0.5)  # of the second query
    by_hand = {
        "sDCG(b=2, bq=4)@2": [2 + 1 / 2 + discount * (1 + 2 / 2), 1 + discount],
        "sDCG(b=2, bq=4, duplicates=first)@2": [2 + 1 / 2, 1],
    }
    for measure, values in by_hand.items():
        for log, value in zip((graded, clicked), values, strict=True):
            frame = FRAME_MAKERS[engine](log)
            for answer in (gainful.sessions.summarise, gainful.sessions.evaluate):
                assert answer(frame, measures=measure).mean[measure] == pytest.approx(value)
            assert gainful.sessions.evaluate(log, measures=measure)[measure] == pytest.approx(value)


@pytest.mark.parametrize("engine", ENGINES)
def test_sessions_that_their_searchers_did_not_judge(engine, set_rows):
    """A part of which nobody judged anything is as one of several in memory."""
    set_rows(1)
    rows = [("s", 1, 1, "a", 3.0), ("s", 1, 2, "b", None), ("t", 1, 1, "a", None)]
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc", "grade"], orient="row")
    for unjudged in ("zero", "drop"):
        results = gainful.sessions.evaluate(frame, None, "sDCG@5", unjudged=unjudged)
        framed = FRAME_MAKERS[engine](frame)
        summary = gainful.sessions.summarise(framed, None, "sDCG@5", unjudged=unjudged)
        assert summary.mean == pytest.approx(results.mean)
        assert set(results.notes) <= set(summary.notes)
    with refuses(gainful.errors.BadInput, "sessions", "'t'"):
        gainful.sessions.summarise(framed, None, "sDCG@5")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "choice", [{"first_queries": 1}, {"min_queries": 2}, {"where": {"arm": "0"}}, {}], ids=str
)
def test_what_others_clicked_is_in_the_ideal_of_a_topic(engine, choice):
    """Only of the sessions that were asked for, and wherever it is shown."""
    rng = np.random.default_rng(5)
    rows = [
        (f"s{session}", query, rank, f"d{doc}", rng.random() < 0.2)
        for session in range(20)
        for query in range(1, session % 3 + 2)
        for rank, doc in enumerate(rng.permutation(9)[:4], 1)
    ]
    names = ["session", "query", "rank", "doc", "clicked"]
    number = pl.col("session").str.slice(1).cast(pl.Int64)
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        topic=pl.format("t{}", number % 2), arm=(number % 3).cast(pl.String)
    )
    measures = ["nsDCG@4", "IR", "sDCG(duplicates=first)@4", "CT", "sRBP"]
    results = gainful.sessions.evaluate(frame, None, measures, **choice)
    framed = FRAME_MAKERS[engine](frame)
    for door in (gainful.sessions.summarise, gainful.sessions.evaluate):
        assert door(framed, None, measures, **choice).mean == pytest.approx(results.mean)
    only = gainful.sessions.summarise(framed, None, "nsDCG@4", **choice)
    assert only["nsDCG@4"] == pytest.approx(results["nsDCG@4"])


@pytest.mark.parametrize("engine", ENGINES)
def test_no_other_ranks_have_the_sums_of_ranks(engine):
    """Of three to seven results, any ranks but 1, 2, 3 … are refused."""
    native = FRAME_MAKERS[engine](pl.DataFrame({"rank": [1]}))
    sums = sum_rank_hashes(find_engine(native), as_narwhals(native))
    hashes = np.diff(sums)
    for length in range(3, 8):
        ranks = np.array([*combinations_with_replacement(range(1, length + 3), length)])
        same = hashes[ranks - 1].sum(axis=1) == sums[length]
        assert ranks[same].tolist() == [[*range(1, length + 1)]]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "odd", "sound"),
    [
        ("grade", "abc", None),
        ("grade", float("inf"), [1.0, None, 2.5]),
        ("grade", float("inf"), [1.0, float("nan"), 0.0]),
        ("seconds", "soon", None),
        ("seconds", float("-inf"), [1, 2, None]),
        ("clicked", 2, [1, 0, None]),
        ("clicked", "maybe", [True, False, None]),
        ("purchased", 0.5, [1.0, 0.0, None]),
        ("scanned", float("inf"), [2.0, 2.0, None]),
    ],
    ids=str,
)
def test_engines_agree_about_what_was_done(engine, column, odd, sound, monkeypatch):
    names = {"session": ["s", "s", "t"], "query": [1] * 3, "rank": [1, 2, 1], "doc": list("aba")}
    frame, qrels = pl.DataFrame(names), {"s": {"a": 1}, "t": {"b": 1}}
    wrong = frame.with_columns(pl.Series(column, [odd, odd, None]))
    for bad in ("error", "skip"):
        framed, mistakes = FRAME_MAKERS[engine](wrong), []
        for door in (gainful.sessions.evaluate, gainful.sessions.summarise):
            try:
                assert door(framed, qrels, "sDCG@10", bad=bad).mean == {"sDCG@10": 0}
            except gainful.errors.BadInput as mistake:
                mistakes.append(str(mistake))
        assert mistakes == ([] if bad == "skip" else mistakes[:1] * 2)
    if sound is not None:  # these are told by numbers alone
        monkeypatch.setattr(engine_sessions, "compute_part", None)
        framed = FRAME_MAKERS[engine](frame.with_columns(pl.Series(column, sound)))
        assert gainful.sessions.summarise(framed, qrels, "sDCG@10").mean == {"sDCG@10": 0.5}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("length", [67, 400, 8_000, 8_001])
def test_ranks_of_long_lists_are_told_apart(engine, length):
    """Not by their sum and that of their fifth powers: 3, 54, 62 have those of 24, 28, 67."""
    docs = [f"d{rank}" for rank in range(1, length + 1)]
    rows = {"session": "s", "query": 1, "rank": range(1, length + 1), "doc": docs}
    sound = pl.DataFrame(rows)
    wrong = sound.with_columns(pl.col("rank").replace({24: 3, 28: 54, 67: 62}))
    qrels = {"s": {"d1": 1, f"d{length}": 2}}
    measure = f"sDCG@{length}"
    summary = gainful.sessions.summarise(FRAME_MAKERS[engine](sound), qrels, measure)
    assert summary.mean == gainful.sessions.evaluate(sound, qrels, measure).mean
    place = "sessions, row 23" if engine == "lazy polars" else "sessions"
    with refuses(gainful.errors.BadInput, place, "'s'", "query 1", "rank 3"):
        gainful.sessions.summarise(FRAME_MAKERS[engine](wrong), qrels, measure)


def test_a_name_that_is_an_id_begins_a_sentence_as_it_is():
    rows = [(f"s{n}", 1, 1, "a" if n < 3 else "b", ("bm25", "dense")[n // 3]) for n in range(6)]
    names = ["session", "query", "rank", "doc", "system"]
    log = pl.DataFrame(rows, schema=names, orient="row")
    qrels = {f"s{n}": {"a": 2, "b": 1} for n in range(6)}
    summary = gainful.sessions.summarise(log.lazy(), qrels, "sDCG@5", by="system")
    assert str(summary).startswith("bm25 is highest")
