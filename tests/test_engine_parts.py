"""Sessions in engines, in as many parts as can be: what they give in memory, to the last digit."""

import pickle
import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import find_notes
from hypothesis import example, given, strategies as st
from profiles import examples
from refusals import refuses
from session_tables import values_by_session
from test_lazy_events import FORMS, QRELS as LOG_QRELS, make_log

import gainful
from gainful.errors import BadInput
from gainful.read import engine_sessions, engines, spill

ENGINES = ("lazy polars", "DuckDB")
MEASURES = ["sDCG@3", "nsDCG@3", "sRBP", "sDCG(duplicates=first)@5"]
TEXTS, NUMBERS = ("session", "doc", "topic"), ("query", "rank", "arm")
KINDS = dict.fromkeys(TEXTS, pl.String) | dict.fromkeys(NUMBERS, pl.Int64)
KINDS |= {"clicked": pl.Boolean, "scanned": pl.Float64}


@pytest.fixture(autouse=True)
def tiny_parts(monkeypatch):
    monkeypatch.setattr(engine_sessions, "_MAX_ROWS", 5)
    monkeypatch.setattr(spill, "_MAX_HELD", 20)
    monkeypatch.setattr(spill, "_MAX_KEPT", 0)


@pytest.fixture
def parts_of_logs(monkeypatch):
    """Parts of 20 rows: of some users, who have about nine each, or of one who has more."""
    monkeypatch.setattr(engine_sessions, "_MAX_ROWS", 20)


@st.composite
def session_rows(draw):
    """Sessions with clicks, empty lists and documents that come again; of one topic each, or turns
    with topics of their own."""
    rows, own_topics = [], draw(st.booleans())
    for session in range(draw(st.integers(1, 8))):
        for query in range(1, draw(st.integers(1, 3)) + 1):
            docs = draw(st.lists(st.sampled_from("abcdefgh"), max_size=5, unique=True))
            topic = (session + query if own_topics else session) % 3
            head = {"session": f"s{session}", "query": query, "topic": f"t{topic}"}
            head |= {"arm": session % 2, "scanned": float(len(docs))}
            if not docs:
                rows.append(head | {"clicked": False})
            for rank, doc in enumerate(docs, start=1):
                clicked = draw(st.booleans())
                rows.append(head | {"rank": rank, "doc": doc, "clicked": clicked})
    return rows


MISTAKES = st.sampled_from(
    [
        *({"session": None}, {"session": ""}, {"query": None}, {"query": 0}, {"query": 9}),
        *({"rank": None}, {"rank": 0}, {"rank": 2}, {"rank": 7}, {"doc": None}, {"doc": ""}),
        *({"doc": "a"}, {"topic": None}, {"topic": "t1"}, {"scanned": -1.0}, {"scanned": 0.5}),
    ]
)
QRELS = {f"t{topic}": {doc: (ord(doc) + topic) % 4 for doc in "abcde"} for topic in range(3)}


def build_frame(rows):
    """Rows in the order in which rows without one are looked at."""
    frame = pl.DataFrame(rows, schema=KINDS, orient="row")
    return frame.sort("session", "query", "rank", "doc")


def values_of(results):
    """To the last digit; what is no number is equal to itself."""
    return {session: str(row) for session, row in values_by_session(results).items()}


def strip_rows(mistake):
    """What is wrong, but for the place and for which of several comes first: rows have no order."""
    problem = re.sub(r"the event '\w+'", "the event", mistake.problem)
    return re.sub(
        r", row \d+|, user '\d+'(?=: session)|; also in .*", "", problem
    ), mistake.expected


def ask(frame, qrels, **options):
    """The values of each session, means, and counts; or what is wrong."""
    try:
        results = gainful.sessions.evaluate(frame, qrels, MEASURES, **options)
    except BadInput as mistake:
        return mistake
    left_out = [note.partition(":")[0] for note in results.notes if "left out" in note]
    return values_of(results), results.counts, left_out, results.mean


@pytest.mark.parametrize("engine", [*ENGINES, "Spark"])
def test_any_sessions_and_any_mistakes(engine):
    """An engine gives the values that rows have in memory, and calls the same mistakes so."""

    @examples(3 if engine == "Spark" else 15)
    @given(
        session_rows(),
        st.lists(st.tuples(st.integers(0, 99), MISTAKES), max_size=2),
        st.sampled_from([QRELS, None]),
    )
    @example([{"session": "s0", "query": 1, "topic": "t0"}], [(0, {"rank": 0})], QRELS)
    def check(rows, mistakes, qrels):
        for number, mistake in mistakes:
            rows[number % len(rows)] |= mistake
        frame = build_frame(rows)
        moved = move_rows(engine, frame)
        for bad in ("error", "skip"):
            asked = {"qrels": qrels, "measures": MEASURES, "bad": bad}
            expected = ask(frame, qrels, bad=bad)
            answer = ask(FRAME_MAKERS[engine](moved), qrels, bad=bad)
            if isinstance(expected, BadInput):
                assert isinstance(answer, BadInput), expected
                assert strip_rows(answer) == strip_rows(expected)
                if engine == "lazy polars":
                    assert answer.where == expected.where
                with pytest.raises(BadInput) as refused:
                    gainful.sessions.summarise(FRAME_MAKERS[engine](moved), **asked)
                assert strip_rows(refused.value) == strip_rows(expected)
                continue
            assert answer[:3] == expected[:3]
            assert answer[3] == pytest.approx(expected[3], rel=1e-12, nan_ok=True)
            summary = gainful.sessions.summarise(FRAME_MAKERS[engine](moved), **asked)
            assert summary.counts == expected[1]
            assert summary.mean == pytest.approx(expected[3], rel=1e-12, nan_ok=True)

    check()


def move_rows(engine, frame):
    """Rows in another order, where the engine knows none."""
    if engine == "lazy polars":
        return frame
    return frame.sample(fraction=1.0, shuffle=True, seed=3)


@pytest.mark.parametrize("engine", ENGINES)
@examples(10)
@given(session_rows(), st.booleans())
def test_sums_of_parts(engine, rows, judged):
    frame, qrels = build_frame(rows), QRELS if judged else None
    results = gainful.sessions.evaluate(frame, qrels, MEASURES)
    there = FRAME_MAKERS[engine](frame)
    for measures in (MEASURES, MEASURES[:1]):
        summary = gainful.sessions.summarise(there, qrels, measures, by="arm")
        means = {name: results.mean[name] for name in measures}
        assert summary.mean == pytest.approx(means, rel=1e-12, nan_ok=True)
        assert summary.counts == results.counts
        assert_same_groups(summary.groups, results.groups("arm"))


def assert_same_groups(ours, theirs):
    """Sessions and means of each group; measures that were not asked for are passed over."""
    for mine, other in zip(ours, theirs, strict=True):
        assert mine["sessions"] == other["sessions"]
        means = {name: other["mean"][name] for name in mine["mean"]}
        assert mine["mean"] == pytest.approx(means, rel=1e-12, nan_ok=True)


@pytest.mark.usefixtures("parts_of_logs")
@pytest.mark.parametrize("engine", [*ENGINES, "Spark"])
def test_any_log(engine):
    """Values to the last digit, and means as close as sums of parts are."""

    @examples(1 if engine == "Spark" else 8)
    @given(
        st.integers(0, 1 << 32),
        st.sampled_from([*FORMS]),
        st.sampled_from([{"session"}, {"user"}, {"query_id"}, {"user", "query_id"}]),
        st.sampled_from([(None, None), (None, "clicked=1, purchased=5"), (LOG_QRELS, None)]),
    )
    def check(seed, form, without, gains):
        log = make_log(seed, events=True, form=form, without=without)
        qrels, rule = gains
        asked = {"measures": MEASURES, "gain_from": rule, "bad": "skip"}
        expected = gainful.sessions.evaluate(log, qrels, **asked)
        there = FRAME_MAKERS[engine](move_rows(engine, log))
        results = gainful.sessions.evaluate(there, qrels, **asked)
        assert values_of(results) == values_of(expected)
        assert find_notes(results.notes, "without", "query", "latest", "list")
        summary = gainful.sessions.summarise(there, qrels, by="variant", **asked)
        assert summary.mean == pytest.approx(expected.mean, rel=1e-12)
        assert_same_groups(summary.groups, expected.groups("variant"))

    check()


WRITTEN = "2026-03-01T12:00:00Z"
WRITTEN_TIMES = (  # of one instant
    *("{:%Y-%m-%dT%H:%M:%SZ}", "{:%Y-%m-%dT%H:%M:%S.000Z}", "{:%Y-%m-%d %H:%M:%SZ}"),
    *("{:%Y-%m-%dT%H:%M:%S+00:00}", "epoch"),
)


@pytest.mark.parametrize(
    ("engine", "numbered"),
    [*((engine, numbered) for engine in ENGINES for numbered in (False, True)), ("Spark", False)],
)
def test_times_and_numbers_in_any_notation(engine, numbered):
    """Rows of one list may write its time in several ways; numbers may be texts."""

    @examples(1 if engine == "Spark" else 20)
    @given(
        st.lists(  # of a user: by list its text, and how long it is
            st.tuples(st.sampled_from(["lamp", "desk"]), st.integers(1, 12)), min_size=1, max_size=4
        ),
        st.randoms(use_true_random=False),
    )
    def check(lists, random):
        rows = []
        for user in ("ann", "bob"):
            for number, (text, length) in enumerate(lists, start=1):
                now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC) + timedelta(seconds=95 * number)
                for rank in range(1, length + 1):
                    written = random.choice(WRITTEN_TIMES)
                    time = f"{now.timestamp():.0f}" if written == "epoch" else written.format(now)
                    place = {"time": time, "text": text, "query": f"{number}", "rank": f"{rank}"}
                    clicked = random.choice([True, False])
                    rows.append({"session": user, **place, "doc": f"d{rank}", "clicked": clicked})
        log = pl.DataFrame(rows).drop("time" if numbered else "query")
        there = FRAME_MAKERS[engine](move_rows(engine, log))
        assert values_of(gainful.sessions.evaluate(there, None, MEASURES)) == values_of(
            gainful.sessions.evaluate(log, None, MEASURES)
        )

    check()


def put_each_first(log, owner):
    """The log as it begins with each owner: where rows have no order, any mistake may come first."""
    for rows in (log, log.reverse()):
        for name in log[owner].unique():
            yield rows.sort(pl.col(owner).ne_missing(name), maintain_order=True)


LOG_MISTAKES = st.sampled_from(
    [
        *({"time": None}, {"time": "noon"}, {"event": None}, {"event": "hovered"}, {"rank": 0}),
        *({"rank": None}, {"rank": 9}, {"doc": None}, {"doc": ""}, {"session": None}),
        *({"session": ""}, {"user": None}, {"query_id": None}, {"user": "14"}, {"doc": "nowhere"}),
    ]
)


@pytest.mark.parametrize("engine", ENGINES)
@examples(15)
@given(
    st.integers(0, 1 << 32),
    st.lists(st.tuples(st.integers(0, 999), LOG_MISTAKES), min_size=1, max_size=2),
    st.sampled_from(["session", "user"]),
    st.sampled_from(["error", "skip"]),
)
@example(seed=110, mistakes=[(0, {"rank": 0})], without="session", bad="skip")
@example(seed=126, mistakes=[(0, {"rank": 0})], without="session", bad="error")
def test_any_log_with_mistakes(engine, seed, mistakes, without, bad):
    rows = make_log(seed, events=True, form="text", without={without}).rows(named=True)
    for number, mistake in mistakes:
        known = {name: value for name, value in mistake.items() if name != without}
        rows[number % len(rows)] |= known
    log = pl.DataFrame(rows, infer_schema_length=None)
    expected = ask(log, None, bad=bad)
    answer = ask(FRAME_MAKERS[engine](move_rows(engine, log)), None, bad=bad)
    if isinstance(expected, BadInput):
        assert isinstance(answer, BadInput), expected
        first = [expected]
        if engine == "DuckDB" and strip_rows(answer) != strip_rows(expected):
            owner = {"session": "user", "user": "session"}[without]
            first += [ask(each, None, bad=bad) for each in put_each_first(log, owner)]
        assert strip_rows(answer) in [strip_rows(each) for each in first]
    else:
        assert not isinstance(answer, BadInput), answer
        assert answer[:3] == expected[:3]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_session_column_of_nothing(engine):
    log = make_log(1, events=True, form="text")
    empty = log.with_columns(session=pl.lit(None, pl.String))
    users = gainful.sessions.evaluate(log.drop("session"), None, MEASURES, bad="skip")
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](empty), None, MEASURES, bad="skip")
    assert values_of(results) == values_of(users)
    with refuses(BadInput, "sessions", "session"):
        gainful.sessions.summarise(FRAME_MAKERS[engine](empty.drop("user")), None, "sDCG@3")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_owner_of_too_many_rows(engine, monkeypatch):
    monkeypatch.setattr(spill, "MAX_OWNER_ROWS", 30)
    log = make_log(1, events=True, form="text")
    many = pl.concat([log, *[log.filter(user="3").head(1)] * 31])
    with refuses(BadInput, "sessions", "'3'"):
        gainful.sessions.evaluate(FRAME_MAKERS[engine](many), None, MEASURES, bad="skip")
    without = many.with_columns(session=pl.lit(None, pl.String))
    with refuses(BadInput, "sessions", "user '3'"):
        gainful.sessions.evaluate(FRAME_MAKERS[engine](without), None, MEASURES, bad="skip")
    small = log.with_columns(session=pl.lit(None, pl.String))  # of users, of whom none has many
    assert gainful.sessions.evaluate(FRAME_MAKERS[engine](small), None, MEASURES, bad="skip")


def test_columns_that_nobody_asks_for_stay_there(monkeypatch):
    travelled = set()
    monkeypatch.setattr(
        spill.Spill,
        "add",
        lambda self, rows: travelled.update(rows.columns) or self._held.append(rows),
    )
    log = make_log(1, events=True, form="text").with_columns(note=pl.lit("x"), arm=pl.lit(1))
    gainful.sessions.summarise(log.lazy(), None, "sDCG@3", by="arm", bad="skip")
    assert {"session", "time", "doc", "arm"} <= travelled
    assert not {"note", "variant"} & travelled


@pytest.mark.parametrize("engine", ["Spark"])
def test_what_crosses_to_the_driver_does_not_grow_with_sessions(engine, monkeypatch):
    sizes = []

    def load(data):
        sizes.append(len(data))
        return pickle.loads(data)  # noqa: S301  (our own)

    ours = SimpleNamespace(loads=load, dumps=pickle.dumps)
    monkeypatch.setattr(engines, "pickle", ours)
    for count in (50, 500):
        rows = [
            {"session": f"s{session}", "query": 1, "rank": rank, "doc": doc, "topic": "t1"}
            for session in range(count)
            for rank, doc in enumerate("abc", 1)
        ]
        there = FRAME_MAKERS[engine](pl.DataFrame(rows))
        gainful.sessions.summarise(there, QRELS, MEASURES)
        sizes.append(0)
    few, many = sizes[: sizes.index(0)], sizes[sizes.index(0) :]
    assert 0 < sum(many) < 1.1 * sum(few)


def test_a_table_without_sessions_is_refused_in_the_same_words():
    rows = pl.DataFrame({"query": [1], "doc": ["a"], "rank": [1], "clicked": [1]})
    expected = ask(rows, None)
    assert isinstance(expected, BadInput)
    for make in FRAME_MAKERS.values():
        assert str(ask(make(rows), None)) == str(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_action_that_few_sessions_have(engine):
    """Parts without it know that nothing was done, as memory does."""
    log = make_log(1, events=True, form="text").with_columns(
        event=pl.when(pl.col("event") == "add_to_cart", pl.col("user") != "7")
        .then(pl.lit("click"))
        .otherwise("event")
    )
    assert 0 < log["event"].eq("add_to_cart").sum() < 10
    asked = {"measures": "sDCG@3", "gain_from": {"clicked": 1, "add_to_cart": 3}, "bad": "skip"}
    expected = gainful.sessions.evaluate(log, None, **asked)
    summary = gainful.sessions.summarise(FRAME_MAKERS[engine](log), None, **asked)
    assert summary.mean == pytest.approx(expected.mean, rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_forms_of_times_are_told_once(engine):
    rows = [
        {"session": session, "time": time, "text": "x", "rank": rank, "doc": f"d{rank}"}
        for session, time in (("s", "1772366400"), ("t", WRITTEN))
        for rank in range(1, 9)
    ]
    log = pl.DataFrame(rows).with_columns(clicked=1)  # a part holds one of these two sessions
    expected = gainful.sessions.evaluate(log, None, "sDCG@3").notes
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](log), None, "sDCG@3")
    assert len(find_notes(expected, "columns")) == 1
    assert find_notes(results.notes, "columns") == find_notes(expected, "columns")
