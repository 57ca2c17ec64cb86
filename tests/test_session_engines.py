"""The same sessions, in frames of every make and in files, give the same values."""

from functools import cache, partial

import polars as pl
import pytest
from engines import FRAME_MAKERS, IDS
from facts import find_notes
from refusals import refuses
from session_tables import assert_same_sessions

import gainful
import gainful.spark
from gainful.read import engine_sessions

STUDY = gainful.sessions.simulate_study(3)
MEASURES = [
    *("nsDCG@10", "sDCG(duplicates=first)@5", "sRBP", "sINST@10", "IR"),
    "Session(of='nDCG@10', over=best)",
]


@pytest.mark.parametrize("make", FRAME_MAKERS)
def test_frames_of_every_make(make):
    expected = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, MEASURES)
    framed, judged = FRAME_MAKERS[make](STUDY.sessions.frame), FRAME_MAKERS[make](STUDY.qrels.frame)
    results = gainful.sessions.evaluate(framed, judged, MEASURES)
    assert_same_sessions(results, expected)


ENGINES = ("lazy polars", "DuckDB", "Spark")
OPTIONS = [
    {"measures": ["nsDCG@10", "sDCG(lists=minimum(3))@5", "sRBP", "IR"]},
    {"measures": ["nsDCG(duplicates=first)@3", "sDCG(duplicates=clicked)@10"]},
    {"measures": ["RL(of='nDCG@10', repeated=clicked)", "nsDCG@2"]},
    {"measures": "nsDCG@10", "first_queries": 2, "where": {"system": "2"}},
    {"measures": "nsDCG@5", "min_queries": 3, "like": "kanoulas2011"},
    {"measures": ["sINST(max_grade=3)@10", "sIFT(duplicates=first, lists=as_is)@5"]},
    {"measures": ["sTBG(query_seconds=9)@7", "sTBG(opened=likely)", "sU"]},
    {"measures": "Cost(per_query=5, per_result=2)"},
]


def log_of_clicks():
    """Sessions with clicks, an empty list, and results that nobody judged."""
    clicked = pl.col("doc").hash(3) % 3 == 0
    frame = STUDY.sessions.frame.with_columns(clicked=clicked)
    empty = pl.DataFrame({"session": ["none"] * 2, "query": [1, 2], "doc": [None, "x"]})
    last = frame.row(0, named=True)
    extras = {name: last[name] for name in ("topic", "system", "searcher", "scenario", "order")}
    extras = {name: value for name, value in extras.items() if name in frame.columns}
    empty = empty.with_columns(
        rank=pl.when(pl.col("doc").is_not_null()).then(1),
        clicked=pl.lit(value=False),
        **{name: pl.lit(value) for name, value in extras.items()},
    )
    return pl.concat([frame, empty.cast({"query": frame.schema["query"]})], how="diagonal_relaxed")


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        *(("lazy polars", options) for options in OPTIONS),
        *(("DuckDB", options) for options in OPTIONS),
        ("Spark", OPTIONS[1]),  # each takes seconds
    ],
    ids=str,
)
def test_engines_fetch_only_what_was_judged_or_clicked(engine, options):
    log = log_of_clicks()
    expected = gainful.sessions.evaluate(log, STUDY.qrels, **options)
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](log), STUDY.qrels, **options)
    whole, fetched = expected.matched_sessions.rows, results.matched_sessions.rows
    unasked = fetched.drop_nulls("doc").filter(~pl.col("clicked"), pl.col("grade").is_null())
    assert unasked["doc"].is_in([*STUDY.qrels.frame["doc"]]).all()
    assert fetched["doc"].count() < whole["doc"].count()
    assert results.counts == expected.counts
    assert_same_sessions(results, expected)
    assert results.mean == pytest.approx(expected.mean, abs=1e-12)
    for name in results.recipes:
        if results.recipes[name].entry.has_vectors:
            ours, curve = (each.curve(name, "system") for each in (results, expected))
            assert ours["mean"].to_list() == pytest.approx(curve["mean"].to_list(), abs=1e-12)


@pytest.mark.parametrize("make", ["pandas", "polars", *ENGINES[:2]])
@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type_have_the_values_of_plain_ones(kind, make):
    """Of sessions and of documents; judgments name them as texts."""
    rows = {"session": [0, 0, 0, 1, 1], "query": [1, 1, 2, 1, 1], "rank": [1, 2, 1, 1, 2]}
    plain = pl.DataFrame({**rows, "doc": [0, 1, 0, 1, 0]})
    own = plain.with_columns(session=IDS[kind][plain["session"]], doc=IDS[kind][plain["doc"]])
    first, second = IDS[kind].cast(pl.String)
    expected = gainful.sessions.evaluate(plain, {"0": {"1": 1}, "1": {"0": 3, "1": 2}}, "sDCG@5")
    qrels, framed = {first: {second: 1}, second: {first: 3, second: 2}}, FRAME_MAKERS[make](own)
    results = gainful.sessions.evaluate(framed, qrels, "sDCG@5")
    values = dict(zip(results.ids, results.values["sDCG@5"], strict=True))
    assert [values[first], values[second]] == [*expected.values["sDCG@5"]]
    if make in ENGINES:
        summary = gainful.sessions.summarise(framed, qrels, "sDCG@5")
        assert summary.mean == pytest.approx(expected.mean, rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_turns_have_judgments_of_their_own(engine):
    """A document that one turn judges may be shown before it, in a turn that does not."""
    rows = [
        *(("c", 1, 1, "x", "c_1"), ("c", 1, 2, "a", "c_1"), ("c", 2, 1, "a", "c_2")),
        *(("c", 2, 2, "y", "c_2"), ("d", 1, 1, "y", "d_1"), ("d", 2, 1, "b", "c_2")),
    ]
    names = ["session", "query", "rank", "doc", "topic"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    qrels = {"c_1": {"x": 1}, "c_2": {"a": 2, "b": 1}, "d_1": {"y": 3}}
    measures = ["sDCG(duplicates=first)@2", "nsDCG@2", "sDCG(duplicates=every)@2"]
    expected = gainful.sessions.evaluate(frame, qrels, measures)
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](frame), qrels, measures)
    assert_same_sessions(results, expected)
    assert expected.values[measures[0]][0] < expected.values[measures[2]][0]


@pytest.mark.parametrize("rows", [1, 500_000])  # of a part
@pytest.mark.parametrize("seed", range(5))
def test_without_an_order_of_rows_the_first_session_by_name_is_told(rows, seed, monkeypatch):
    """Wherever its rows stand, and whatever part it is in; 10 is before 2, as ids are texts."""
    monkeypatch.setattr(engine_sessions, "_MAX_ROWS", rows)
    whole = [
        (session, query, rank, f"d{rank}")
        for session in range(1, 31)
        for query in (1, 2)
        for rank in (1, 2, 3)
    ]
    lost = {(2, 1, 2), (10, 2, 2), (10, 1, 1), (20, 1, 1), (3, 1, 1)}
    kept = [row for row in whole if row[:3] not in lost]
    frame = pl.DataFrame(kept, schema=["session", "query", "rank", "doc"], orient="row")
    framed = FRAME_MAKERS["DuckDB"](frame.sample(fraction=1, shuffle=True, seed=seed))
    qrels = {str(session): {"d1": 1} for session in range(1, 31)}
    for door in (gainful.sessions.evaluate, gainful.sessions.summarise):
        with refuses(gainful.errors.BadInput, "sessions", "'10'", "query 1", "rank 1"):
            door(framed, qrels, "sDCG@5")
    unjudged = {name: qrels[name] for name in qrels if name not in ("30", "4", "7")}
    sound = FRAME_MAKERS["DuckDB"](frame.filter(~pl.col("session").is_in([2, 3, 10, 20])))
    with refuses(gainful.errors.BadInput, "sessions", "'30'"):
        gainful.sessions.summarise(sound, unjudged, "sDCG@5")


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize(
    ("ranks", "queries", "name"),
    [([1, 2, 99, 4], [1, 1, 1, 1], "rank"), ([1, 1, 1, 1], [1, 2, 99, 4], "query")],
)
def test_of_several_gaps_the_first_is_told(make, ranks, queries, name):
    columns = {"session": ["s"] * 4, "query": queries, "rank": ranks, "doc": [*"abcd"]}
    with pytest.raises(gainful.errors.BadInput) as refused:
        gainful.sessions.evaluate(FRAME_MAKERS[make](pl.DataFrame(columns)), {"s": {"a": 1}})
    assert find_notes([str(refused.value)], name, 3, "missing", 2, 4)


def test_sessions_that_are_all_null_are_the_same_mistake_everywhere(tmp_path):
    rows = {"session": [None, None], "query": [1, 1], "rank": [1, 2], "doc": ["a", "b"]}
    frame, problems = pl.DataFrame(rows), []
    frame.write_parquet(tmp_path / "log.parquet")
    for make in ("polars", "lazy polars", "DuckDB"):
        with pytest.raises(gainful.errors.BadInput) as error:
            gainful.sessions.evaluate(FRAME_MAKERS[make](frame), {"s": {"a": 1}})
        problems.append(error.value.problem)
    for judge in (gainful.sessions.evaluate, gainful.sessions.summarise):
        with pytest.raises(gainful.errors.BadInput) as error:
            judge(tmp_path / "log.parquet", {"s": {"a": 1}})
        assert error.value.where.endswith("row 1")
        problems.append(error.value.problem)
    assert len({*problems}) == 1


@pytest.mark.parametrize("other", ["B", None])
def test_a_column_that_varies_within_a_list_chooses_no_sessions_anywhere(other):
    rows = {"session": ["s", "s"], "query": [1, 1], "rank": [1, 2], "doc": ["a", "b"]}
    frame = pl.DataFrame({**rows, "system": ["A", other]})
    for make in ("polars", "lazy polars", "DuckDB"):
        with refuses(gainful.errors.BadInput, "sessions", "system"):
            gainful.sessions.evaluate(
                FRAME_MAKERS[make](frame), {"s": {"a": 1}}, where={"system": "A"}
            )
        results = gainful.sessions.evaluate(FRAME_MAKERS[make](frame), {"s": {"a": 1}})
        for grouped in (results.groups, partial(gainful.sessions.compare, results)):
            with refuses(gainful.errors.BadInput, "sessions", "session 's'", "one system"):
                grouped(by="system")


@pytest.mark.parametrize("role", ["topic", "rank", "grade", "clicked", "system", "scanned"])
def test_columns_that_are_all_null_are_there_in_engines_too(role):
    """As in memory: without a topic in any row judgments fit none; a column without one is not it."""
    rows = {"session": ["s", "s"], "query": [1, 1], "rank": [1, 2], "doc": ["a", "b"]}
    frame, qrels = pl.DataFrame({**rows, role: [None, None]}), {"s": {"a": 1}}
    answers = []
    for make in ("polars", "lazy polars", "DuckDB"):
        framed = FRAME_MAKERS[make](frame)
        try:
            answers.append(gainful.sessions.evaluate(framed, qrels, "sDCG@5").mean)
        except gainful.errors.BadInput as mistake:
            answers.append(mistake.problem)
    assert answers == [answers[0]] * 3
    assert (answers[0] == {"sDCG@5": 1.0}) is (role not in ("topic", "rank"))


@pytest.mark.parametrize("role", ["doc", "text"])
def test_documents_and_texts_that_are_all_null_are_the_same_mistake_everywhere(role):
    rows = {"user": ["u"], "time": ["2024-05-01T10:00:00Z"], "text": ["x"], "rank": [1]}
    frame = pl.DataFrame({**rows, "doc": ["a"], "clicked": [True], role: [None]})
    problems = []
    for make in ("polars", "lazy polars", "DuckDB"):
        with pytest.raises(gainful.errors.BadInput) as error:
            gainful.sessions.evaluate(FRAME_MAKERS[make](frame))
        problems.append(error.value.problem)
    assert len({*problems}) == 1


def test_without_rows_a_mistake_in_a_log_of_users_names_the_user():
    rows = [("u", "2024-01-01T00:00:00", "x", 1, "a"), ("u", "2024-01-01T00:00:00", "x", 2, None)]
    frame = pl.DataFrame(rows, schema=["user", "time", "query", "rank", "doc"], orient="row")
    frame = frame.with_columns(event=pl.lit("impression"))
    with refuses(gainful.errors.BadInput, "sessions, user 'u'"):
        gainful.sessions.evaluate(FRAME_MAKERS["DuckDB"](frame))


def test_rows_without_ranks_need_an_order():
    rows = [("s", 1, "x"), ("s", 1, "a"), ("s", 2, "b")]
    frame = pl.DataFrame(rows, schema=["session", "query", "doc"], orient="row")
    expected = gainful.sessions.evaluate(frame, {"s": {"a": 1, "b": 2}}, "sDCG@5").mean
    assert (
        gainful.sessions.evaluate(frame.lazy(), {"s": {"a": 1, "b": 2}}, "sDCG@5").mean == expected
    )
    for engine in ("DuckDB", "Spark"):
        with refuses(gainful.errors.BadInput, "sessions"):
            gainful.sessions.evaluate(FRAME_MAKERS[engine](frame), {"s": {"a": 1}}, "sDCG@5")


@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
def test_values_are_chosen_where_they_vary_within_other_sessions(make, few_rows):
    rows = {"session": [*"ssttuu"], "query": 1, "rank": [1, 2] * 3, "doc": [*"ababab"]}
    frame = pl.DataFrame({**rows, "system": [*"ABCCAB"]})
    qrels = {session: {"b": 3} for session in "stu"}
    results = gainful.sessions.evaluate(
        FRAME_MAKERS[make](frame), qrels, "sDCG(b=2)@5", where={"system": "C"}, min_queries=1
    )
    assert results.values_by_id() == {"t": {"sDCG(b=2)@5": 1.5}}  # 3 / (1 + log2 2)
    assert [group["system"] for group in results.groups("system")] == ["C"]
    with refuses(gainful.errors.BadInput, "sessions", "no session matches"):
        gainful.sessions.evaluate(FRAME_MAKERS[make](frame), qrels, where={"system": "D"})


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
def test_how_queries_are_chosen_does_not_depend_on_where_rows_are(make, few_rows):
    """Sessions that are long enough, and of each the first query: chosen once, not twice."""
    rows = {"session": [*"sst"], "query": [1, 2, 1], "rank": 1, "doc": [*"aaa"]}
    qrels, options = {"s": {"a": 2}, "t": {"a": 2}}, {"first_queries": 1, "min_queries": 2}
    results = gainful.sessions.evaluate(
        FRAME_MAKERS[make](pl.DataFrame(rows)), qrels, "sDCG@5", **options
    )
    assert results.values_by_id() == {"s": {"sDCG@5": 2.0}}


@pytest.fixture
def few_rows(monkeypatch):
    """Nearly every session in a part of its own."""
    monkeypatch.setattr(engine_sessions, "_MAX_ROWS", 1)


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize(("judged", "words"), [("s", "drop"), ("other", "such as 'other'")])
def test_what_nobody_judged_is_told_before_what_a_measure_lacks(make, judged, words, few_rows):
    """Wherever the parts end, and what the parts say that are judged."""
    rows = {"session": [*"rst"], "query": 1, "rank": 1, "doc": [*"aaa"]}
    framed = FRAME_MAKERS[make](pl.DataFrame(rows))
    doors = [gainful.sessions.evaluate] + [gainful.sessions.summarise] * (make != "polars")
    for door in doors:
        for measure in ("nsDCG@5", "sDCG(duplicates=clicked)@5"):
            with refuses(gainful.errors.BadInput, "sessions", "session 'r'", words):
                door(framed, {judged: {"a": 1}}, measure)


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize("options", [{}, {"unjudged": "zero"}, {"unjudged": "drop"}], ids=str)
def test_searchers_who_graded_nothing_gave_no_judgments(make, options, few_rows):
    rows = {"session": [*"st"], "query": 1, "rank": 1, "doc": [*"aa"], "system": [*"AB"]}
    framed = FRAME_MAKERS[make](pl.DataFrame({**rows, "grade": [None, 1.0]}))
    doors = [gainful.sessions.evaluate] + [gainful.sessions.summarise] * (make != "polars")
    for door in doors:
        with refuses(gainful.errors.BadInput, "sessions", "it has no judgments"):
            door(framed, None, "sDCG@5", where={"system": "A"}, **options)


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
def test_actions_that_count_are_named_where_nothing_gained(make, few_rows):
    rows = {"session": [*"ssstt"], "query": [1, 1, 2, 1, 1], "rank": [1, 2, 1, 1, 2]}
    frame = pl.DataFrame({**rows, "doc": [*"abacd"], "clicked": False})
    frame = frame.with_columns(purchased=pl.Series([False, True, True, True, False]))
    options = {"first_queries": 1, "cost": {"query": 5}}
    doors = [gainful.sessions.evaluate] + [gainful.sessions.summarise] * (make != "polars")
    for door in doors:
        notes = door(FRAME_MAKERS[make](frame), None, "sDCG@5", **options).notes
        assert find_notes(notes, "nothing", "gained", "actions", "purchased"), notes
        assert find_notes(notes, "gain", "per", "cost"), notes


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
@pytest.mark.parametrize("clicked", [[0, 0], [1, 0], [1, 1]])
def test_queries_of_several_topics_are_so_whatever_gained(make, clicked, few_rows):
    """What is refused does not depend on which of their results anybody clicked."""
    rows = {"session": [*"ss"], "query": [1, 2], "rank": 1, "doc": [*"ab"], "topic": [*"xy"]}
    framed = FRAME_MAKERS[make](pl.DataFrame({**rows, "clicked": clicked}))
    doors = [gainful.sessions.evaluate] + [gainful.sessions.summarise] * (make != "polars")
    for door in doors:
        with refuses(gainful.errors.BadValue, "duplicates", "'s'", "of their own"):
            door(framed, None, "nsDCG(duplicates=first)@5")


@pytest.mark.parametrize("make", ["polars", "lazy polars", "DuckDB"])
def test_judgments_and_gains_from_actions_are_refused_before_anything_is_read(make):
    framed = FRAME_MAKERS[make](pl.DataFrame({"session": ["s"], "query": [0], "doc": ["a"]}))
    with refuses(gainful.errors.BadValue, "gain_from", "judgments"):
        gainful.sessions.evaluate(framed, {"s": {"a": 1}}, gain_from="clicked")


@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
def test_a_cost_per_query_is_that_of_its_first_result_or_refused(make):
    """Which an engine does not keep unless it was judged or clicked."""
    rows = {"session": ["s"] * 3, "query": 1, "rank": [1, 2, 3], "doc": [*"abc"]}
    frame = pl.DataFrame({**rows, "seconds": [5, 7, 9], "price": [5, 7, 9], "fee": 5})
    framed, judged = FRAME_MAKERS[make](frame), {"s": {"b": 1}}
    for price in ("seconds", "price", "fee"):
        measure = f"Cost(per_query={price})"
        for door, own in (("evaluate", frame), ("summarise", framed)):
            assert getattr(gainful.sessions, door)(own, judged, measure).mean == {measure: 5.0}
        if price == "fee":
            assert gainful.sessions.evaluate(framed, judged, measure).mean == {measure: 5.0}
        else:
            with refuses(gainful.errors.BadValue, "per_query", price, "engine"):
                gainful.sessions.evaluate(framed, judged, measure)


@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
@pytest.mark.parametrize("seed", range(4))
def test_of_a_repeated_document_the_first_counts_in_engines_too(make, seed, few_rows):
    """In a table that tells clicks, with ranks in any order, by each way to sum up sessions."""
    rows = [
        *((session, 1, rank, doc) for session in "stuv" for rank, doc in enumerate("abacb", 1)),
        ("w", 1, 2, "a"),  # is left out
    ]
    frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
    frame = frame.with_columns(clicked=pl.col("rank") == 3, system=pl.col("session"))
    framed = FRAME_MAKERS[make](frame.sample(fraction=1, shuffle=True, seed=seed))
    judged, options = {session: {"a": 1, "b": 2} for session in "stuvw"}, {"bad": "skip"}
    gain = 1 + 2 / 2  # a and b at ranks 1 and 2; discount 1 + log2 2 = 2
    results = gainful.sessions.evaluate(framed, judged, "sDCG(b=2)@5", **options)
    assert results.values["sDCG(b=2)@5"].tolist() == [gain] * 4
    summary = gainful.sessions.summarise(framed, judged, "sDCG(b=2)@5", **options)
    assert summary.mean == results.mean
    sweep = gainful.sessions.sweep(
        framed, judged, "sDCG@5", b="2,4", bq=[4], by="system", **options
    )
    assert [*next(iter(sweep.rows()))["means"].values()] == [gain] * 4
    for answer in (results, summary, sweep):
        assert find_notes(answer.notes, 8, "results", "repeat"), answer.notes


def test_what_only_a_column_of_every_result_tells_is_refused():
    frame = STUDY.sessions.frame.with_columns(words=pl.lit(300))
    for measure, option in (("sTBG", "column"), ("Cost(per_result=words)", "per_result")):
        with refuses(gainful.errors.BadValue, option):
            gainful.sessions.evaluate(FRAME_MAKERS["DuckDB"](frame), STUDY.qrels, measure)


class TestSpark:
    """Values per session that stay in Spark."""

    @pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
    def test_values_per_session(self, options):
        log = log_of_clicks()
        expected = gainful.sessions.evaluate(log, STUDY.qrels, **options)
        frame = gainful.spark.per_session(FRAME_MAKERS["Spark"](log), STUDY.qrels, **options)
        assert type(frame).__module__.startswith("pyspark")
        rows = {row["session"]: row.asDict() for row in frame.collect()}
        assert sorted(rows) == sorted(expected.ids)
        heads = expected.columns
        for at, session in enumerate(expected.ids):
            assert rows[session]["queries"] == heads["queries"][at]
            assert str(rows[session]["system"]) == str(heads["system"][at])
            for name, values in expected.values.items():
                assert rows[session][name] == values[at]

    def test_means_of_groups_are_sparks(self):
        frame = FRAME_MAKERS["Spark"](STUDY.sessions.frame)
        values = gainful.spark.per_session(frame, STUDY.qrels, "sDCG@10", flat=True)
        means = {row[0]: row[1] for row in values.groupBy("system").mean("sdcg_at_10").collect()}
        groups = gainful.sessions.evaluate(STUDY.sessions, STUDY.qrels, "sDCG@10").groups("system")
        expected = {group["system"]: group["mean"]["sDCG@10"] for group in groups}
        assert means == pytest.approx(expected, abs=1e-12)

    def test_what_is_refused_is_refused_at_once(self):
        rows = [("s", 1, 1, "a"), ("s", 3, 1, "x")]
        frame = pl.DataFrame(rows, schema=["session", "query", "rank", "doc"], orient="row")
        with refuses(gainful.errors.BadInput, "sessions", "query 2"):
            gainful.spark.per_session(FRAME_MAKERS["Spark"](frame), {"s": {"a": 1}})
        with refuses(gainful.errors.WrongType, "sessions"):
            gainful.spark.per_session(frame, {"s": {"a": 1}})
        without = FRAME_MAKERS["Spark"](frame.drop("doc"))
        with refuses(gainful.errors.BadInput, "sessions"):
            gainful.spark.per_session(without, {"s": {"a": 1}})
        sound = FRAME_MAKERS["Spark"](STUDY.sessions.frame)
        for error, place, options in (
            (gainful.errors.BadInput, "sessions", {"where": {"system": "none"}}),  # none is left
            (gainful.errors.BadInput, "sessions", {"qrels": {"s": {"a": 1}}}),  # of no topic
            (gainful.errors.BadValue, "ties", {"ties": "input"}),  # which needs a file
            (gainful.errors.UnknownName, "cost", {"cost": "query=1"}),
        ):
            with refuses(error, place):
                gainful.spark.per_session(sound, **{"qrels": STUDY.qrels} | options)

    def test_sessions_are_read_and_chosen_as_everywhere(self):
        options = {"where": {"system": "1"}, "first_queries": 2, "bad": "skip"}
        bad = STUDY.sessions.frame.head(1).with_columns(session=pl.lit("odd"), query=pl.lit(7))
        frame = pl.concat([STUDY.sessions.frame, bad.cast(STUDY.sessions.frame.schema)])
        expected = gainful.sessions.evaluate(frame, STUDY.qrels, "sDCG@10", **options)
        values = gainful.spark.per_session(
            FRAME_MAKERS["Spark"](frame), STUDY.qrels, "sDCG@10", **options
        )
        by_session = {row["session"]: row["sDCG@10"] for row in values.collect()}
        assert by_session == dict(expected.per_session.select("session", "sDCG@10").rows())
        assert len(by_session) < STUDY.sessions.frame["session"].n_unique()


# Names that polars takes for patterns, Spark for paths, and that are or were ours somewhere.
NAMES = (
    *("*", "^.*$", "^s.*$", "^clicked$", "a.b", "q\"uo`te'", "own_2a", "own_", "Gainful_Row"),
    *("gainful_place", "gainful_key", "gainful_row", "gainful_largest_topic", "gainful_sound"),
    *("total", "rows", "lowest", "list_length", "number", "code", "fits", "all"),
    *("base", "value", "has_query", "count_topic", "times"),
)


def answer_by_column(frame, name, qrels):
    """All that can be asked of a column, by this name; nothing names it in the answers."""
    results = gainful.sessions.evaluate(frame, qrels, "sDCG@5", where={"session": "s1"})
    assert name in results.columns.columns
    chosen = gainful.sessions.evaluate(frame, qrels, "sDCG@5", where={name: "x"})
    every = gainful.sessions.evaluate(frame, qrels, "sDCG@5")
    gained = gainful.sessions.evaluate(frame, None, "sDCG@5", gain_from={_done(name): 1})
    reformulations = every.reformulations()
    answers = [
        results.mean,
        chosen.mean,
        gained.mean,
        [(group[name], group["mean"]) for group in every.groups(name)],
        every.curve(by=[name, "system"])["mean"].to_list(),
        sorted(reformulations.most(2, by=[name])["change"].to_list()),
        gainful.sessions.sweep(frame, qrels, "sDCG", by=name, points=3).to_dict()["settings"],
    ]
    if not isinstance(frame, pl.DataFrame):
        summary = gainful.sessions.summarise(frame, qrels, "sDCG@5", by=name)
        of_some = gainful.sessions.summarise(frame, qrels, "sDCG@5", where={name: "x"})
        by_clicks = gainful.sessions.summarise(frame, measures="sDCG@5", gain_from=_done(name))
        answers += [
            [(group[name], group["mean"]) for group in summary.groups],
            *(of_some.mean, by_clicks.mean),
        ]
    return answers


def _done(name):
    return f"{name[:1]}done{name[1:]}"  # ^done.*$ is a pattern, too


def log_with_names(name):
    rows = [
        (session, query, rank, f"d{(number + 3 * query + rank) % 7}", system, label)
        for number, (session, system, label) in enumerate(
            [("s1", "a", "x"), ("s2", "b", "x"), ("s3", "a", "y"), ("s4", "b", "y")]
        )
        for query in (1, 2)
        for rank in (1, 2, 3)
    ]
    columns = ["session", "query", "rank", "doc", "system", name]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    done = frame["doc"].is_in(["d1", "d4"])
    return frame.with_columns(
        done.alias(_done(name)), clicked=pl.lit(value=False), judged=pl.lit("x")
    )


@cache
def answer_with_name(make, name):
    return answer_by_column(FRAME_MAKERS[make](log_with_names(name)), name, JUDGED)


JUDGED = {f"s{number}": {"d1": 1, "d2": 3, "d5": 2} for number in range(1, 5)}


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *((make, name) for make in ("polars", "lazy polars", "DuckDB") for name in NAMES),
        ("Spark", "^s.*$"),
    ],
)
def test_names_of_columns_are_literal_and_none_of_ours(make, name):
    assert answer_with_name(make, name) == answer_with_name(make, "plain")


@pytest.mark.parametrize("make", ["lazy polars", "DuckDB"])
@pytest.mark.parametrize("column", ["words", "chars"])
def test_lengths_of_documents_are_asked_of_every_result(make, column):
    """Those that were fetched do not tell how long the others are."""
    rows = {"session": ["s"] * 3, "query": [1, 1, 1], "rank": [1, 2, 3], "doc": [*"abc"]}
    frame = pl.DataFrame({**rows, column: [800, 100, 700]})
    measure, judged = {"words": "sTBG@3", "chars": "sU@3"}[column], {"s": {"c": 1}}
    expected = gainful.sessions.evaluate(frame, judged, measure)
    usual = gainful.sessions.evaluate(frame.drop(column), judged, measure)
    assert expected.mean != usual.mean
    with refuses(gainful.errors.BadValue, "column", "memory"):
        _ = gainful.sessions.evaluate(FRAME_MAKERS[make](frame), judged, measure).mean
    summary = gainful.sessions.summarise(FRAME_MAKERS[make](frame), judged, measure)
    assert summary.mean == pytest.approx(expected.mean, rel=1e-12)
