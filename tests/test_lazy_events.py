"""Logs of events in lazy polars, DuckDB and Spark give the sessions that they give in memory."""

from datetime import UTC, datetime
from random import Random

import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import find_notes
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses
from session_tables import assert_same_sessions

import gainful
import gainful.spark
from gainful.errors import BadInput, BadValue
from gainful.read import engine_sessions

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEASURES = ["sDCG(b=2, bq=4)@3", "nsDCG@10", "sRBP"]
ENGINES = ("lazy polars", "DuckDB")
QRELS = {
    f"{user}{number}": {"a": 2, "c": 1}
    for user in range(100)
    for number in ("", "#1", "#2", "#3", "#4")
}
KINDS = {
    **dict.fromkeys(("user", "session", "query_id", "text", "event", "doc"), pl.String),
    "minute": pl.Int64,
    "rank": pl.Int64,
    "clicked": pl.Boolean,
    "seconds": pl.Float64,
}
FORMS = {
    "point": pl.col("time"),
    "text": pl.col("time").dt.to_string("iso:strict"),
    "seconds": pl.col("time").dt.epoch("s"),
    "ms": pl.col("time").dt.epoch("ms"),
}


def show_lists(draw, user, *, events):
    """The rows of one user's queries, in the order of time."""
    minute = draw.randint(0, 5)
    for query in range(draw.randint(1, 4)):
        base = {"user": f"{user}", "session": f"{user}", "query_id": f"{user}-{query}"}
        base |= {"text": draw.choice(["soup", "bread"]), "event": "impression"}
        shown = draw.sample("abcd", draw.randint(0 if events else 1, 4))
        if events and (not shown or draw.random() < 0.5):
            yield base | {"minute": minute, "event": "search"}
        for rank, doc in enumerate(shown, start=1):
            clicked, seconds = draw.random() < 0.3, draw.choice([None, 5.0])
            place = {"minute": minute, "rank": rank, "doc": doc}
            yield base | place | {"clicked": clicked, "seconds": seconds}
        for doc in draw.choices(shown, k=draw.randint(0, 3)) if shown and events else ():
            minute += draw.randint(0, 2)
            kind = draw.choice(["click", "buy", "dwell", "add_to_cart"])
            seconds = 30.0 if kind == "dwell" else None
            did = base | {"minute": minute, "event": kind, "doc": doc, "seconds": seconds}
            yield did if draw.random() < 0.7 else did | {"query_id": None, "text": None}
        minute += draw.choice([1, 2, 29, 31, 90])


def make_log(seed, *, events, form, without=()):
    """A log of some users, without some columns."""
    draw = Random(seed)  # noqa: S311
    rows = [row for user in range(30) for row in show_lists(draw, user, events=events)]
    frame = pl.DataFrame(rows, schema=KINDS, orient="row")
    time = pl.lit(START) + pl.duration(minutes=pl.col("minute"))
    frame = frame.with_columns(time=time, variant="v" + pl.col("user").str.tail(1)).drop("minute")
    return frame.with_columns(FORMS[form].alias("time")).drop(*without)


def assert_same(engine, frame, qrels=None, *, moved=True, **options):
    """A frame of an engine gives what it gives in memory, though its rows stand elsewhere."""
    expected = gainful.sessions.evaluate(frame, qrels, MEASURES, **options)
    there = frame.sample(fraction=1.0, shuffle=True, seed=3) if moved else frame
    results = gainful.sessions.evaluate(FRAME_MAKERS[engine](there), qrels, MEASURES, **options)
    assert_same_sessions(results, expected)
    return results, expected


CHOICES = {
    "seed": st.integers(0, 1 << 32),
    "form": st.sampled_from([*FORMS]),
    "owner": st.sampled_from(["session", "user", "variant"]),
    "qrels": st.sampled_from([None, QRELS]),
}


@pytest.mark.parametrize("engine", ENGINES)
@examples(3)
@given(
    st.fixed_dictionaries(CHOICES),
    st.sampled_from(["query_id", "text", "variant"]),
    st.sampled_from([None, "30m", "1h"]),
)
def test_rows_of_results(engine, choices, key, gap):
    without = {choices["owner"], key, "event"}
    frame = make_log(choices["seed"], events=False, form=choices["form"], without=without)
    assert_same(engine, frame, choices["qrels"], moved=engine == "DuckDB", gap=gap)


@examples(6)
@given(
    st.integers(0, 1 << 32),
    st.booleans(),
    st.sets(st.sampled_from(["rank", "time", "query_id"]), min_size=1),
)
def test_rows_of_lazy_polars_have_an_order(seed, events, without):
    dropped = without | {"user"} | (set() if events else {"event"})
    frame = make_log(seed, events=events, form="point", without=dropped)
    assert_same("lazy polars", frame, QRELS, moved=False, bad="skip")


SOUND = [
    ("ann", "s", "2026-03-01T12:00:00Z", "shown", "soup", "1", "a"),
    ("ann", "s", "2026-03-01T12:00:00Z", "shown", "soup", "2", "b"),
    ("ann", "s", "2026-03-01T12:01:00Z", "click", "soup", None, "b"),
    ("bob", "t", "2026-03-01T12:00:00Z", "shown", "bread", "1", "a"),
    ("bob", "t", "2026-03-01T12:02:00Z", "click", None, None, "a"),
]
NAMES = ["user", "session", "time", "event", "query", "rank", "doc"]
WRONG = {  # by what is named where they are left out
    ("time", "'soon'"): ("ann", "s", "soon", "click", "soup", None, "a"),
    ("no", "time"): ("ann", "s", None, "click", "soup", None, "a"),
    ("no", "event"): ("ann", "s", "2026-03-01T12:03:00Z", None, "soup", None, "a"),
    ("rank", "'top'"): ("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", "top", "a"),
    ("session", "null"): ("ann", None, "2026-03-01T12:03:00Z", "click", "soup", None, "a"),
    ("without", "query"): ("ann", "s", "2026-03-01T12:03:00Z", "search", None, None, None),
    ("'clicked'", "no", "document"): (
        *("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", None, None),
    ),
    ("'clicked'", "'z'"): (*("ann", "s", "2026-03-01T12:03:00Z", "click", "soup", None, "z"),),
    ("rank", "no", "document"): (
        *("ann", "s", "2026-03-01T12:03:00Z", "shown", "soup", "3", None),
    ),
}


def log_of(*rows, names=NAMES):
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_events_that_cannot_be_placed_are_counted_there(engine):
    later = [
        (*row[:2], row[2] and row[2].replace("03:00", "04:00"), *row[3:]) for row in WRONG.values()
    ]
    frame = log_of(*SOUND, *WRONG.values(), *later)
    results, expected = assert_same(engine, frame, bad="skip", moved=False)
    assert results.mean["sDCG(b=2, bq=4)@3"] == pytest.approx((1 / 2 + 1) / 2)  # b at 2, a at 1
    notes = [note for note in results.notes if "left out" in note]
    assert len(notes) == len(WRONG)
    assert [named for named in WRONG if not find_notes(notes, 2, *named)] == []
    if engine == "lazy polars":  # whose rows have numbers
        assert notes == [note for note in expected.notes if "left out" in note]
    where = "sessions, row 5" if engine == "lazy polars" else "sessions"
    with refuses(BadInput, where, "'s'", "'soon'", "--bad skip"):
        gainful.sessions.evaluate(FRAME_MAKERS[engine](frame), measures="sDCG@3")


@pytest.mark.parametrize("engine", ENGINES)
def test_other_forms_of_times_are_read_there_too(engine):
    rows = [("s", "01/Mar/2026:12:00:00", "soup", 1, "a"), ("s", "02/Mar/2026:12:00", "x", 1, "b")]
    frame = log_of(*rows[:1], ("s", "01/Mar/2026:12:00:01", "x", 1, "b"), names=SHOWN)
    assert_same(engine, frame, {"s": {"a": 1, "b": 2}})
    where = "sessions, row 1" if engine == "lazy polars" else "sessions"
    with refuses(BadInput, where, "'02/Mar/2026:12:00'", "ISO 8601"):
        gainful.sessions.evaluate(FRAME_MAKERS[engine](log_of(*rows, names=SHOWN)), None, "sDCG@3")


SHOWN = ["session", "time", "text", "rank", "doc"]


class TestWithoutOrder:
    """What only the order of rows tells, which DuckDB and Spark have not."""

    @pytest.mark.parametrize(("dropped", "about"), [("rank", "sessions"), ("time", "sessions")])
    def test_ranks_and_times_are_columns(self, dropped, about):
        frame = log_of(("s", 1, "soup", 1, "a"), ("s", 2, "soup", 1, "b"), names=SHOWN)
        with refuses(BadInput, about):
            gainful.sessions.evaluate(FRAME_MAKERS["DuckDB"](frame.drop(dropped)), QRELS, "sDCG@3")
        gainful.sessions.evaluate(frame.drop(dropped).lazy(), {"s": {"a": 1}}, "sDCG@3")

    def test_positions_need_no_times(self):
        rows = [("s", 1, "soup", 1, "a"), ("s", 1, "soup", 2, "b"), ("s", 2, "soup", 1, "b")]
        frame = log_of(*rows, names=["session", "query_position", "query", "rank", "doc"])
        assert_same("DuckDB", frame, {"s": {"b": 1}})

    @pytest.mark.parametrize("key", ["text", "query_id"])
    def test_lists_at_one_time_are_refused_or_left_out(self, key):
        rows = [
            *(("s", 1, "x", 1, "a"), ("s", 1, "y", 1, "b"), ("t", 1, "x", 1, "a")),
            *(("t", 2, "x", 1, "b"), ("u", 3, "x", 1, "a")),
        ]
        frame = log_of(*rows, names=["session", "time", key, "rank", "doc"])
        qrels = {session: {"b": 1} for session in "stu"}
        native = FRAME_MAKERS["DuckDB"](frame)
        with refuses(BadInput, "sessions", "'s'", "DuckDB"):
            gainful.sessions.evaluate(native, qrels, "sDCG@3")
        results = gainful.sessions.evaluate(native, qrels, "sDCG@3", bad="skip")
        # of one text, t has two lists; of one id, a list with a rank that stands twice
        assert results.ids == (["t", "u"] if key == "text" else ["u"])
        assert any(note.startswith("2 events left out: ") for note in results.notes)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_taken_for_what_is_told(engine):
    """Ranks from 0, thousandths of seconds, and sessions of one user that overlap."""
    names = ["uid", "sid", "ts", "query", "position", "sku", "clicked", "dwell_ms", "variant"]
    rows = [
        *(
            ("ann", "s", 1, "soup", 0, "a", "yes", 40_000, "x"),
            ("ann", "s", 1, "soup", 1, "b", "no", 5, "x"),
        ),
        *(
            ("ann", "t", 2, "soup", 0, "a", "1", None, "y"),
            ("ann", "s", 9, "bread", 0, "c", None, 31_000, "x"),
        ),
    ]
    frame = log_of(*rows, names=names)
    results, expected = assert_same(
        engine, frame, gain_from="dwell>=30s", columns={"session": "sid"}
    )
    notes = [note for note in results.notes if "rows stay in" not in note]
    theirs = [*expected.notes]
    (overlap,) = find_notes(notes, 1, "session", "overlaps")
    if engine == "DuckDB":  # whose rows have no numbers
        notes.remove(overlap)
        theirs.remove(*find_notes(theirs, 1, "session", "overlaps"))
    assert notes == theirs
    assert len(notes) >= 2
    assert results.counts == expected.counts
    assert results.groups("variant") == expected.groups("variant")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_session_of_two_users_is_left_out(engine):
    rows = [
        ("ann", "s", 1, "x", 1, "a"),
        ("bob", "s", 2, "x", 1, "b"),
        ("bob", "t", 3, "x", 1, "a"),
    ]
    frame = log_of(*rows, names=["user", *SHOWN])
    qrels = {"s": {"a": 1}, "t": {"a": 1}}
    results, _ = assert_same(engine, frame, qrels, bad="skip", moved=False)
    assert results.ids == ["t"]
    assert find_notes(results.notes, 2, "left", "out", "'s'", "'ann'", "'bob'")
    for log in (frame, FRAME_MAKERS[engine](frame)):
        hashed = gainful.sessions.evaluate(log, qrels, "sDCG@3", bad="skip", anonymise="salt")
        assert not any(user in " ".join(hashed.notes) for user in ("ann", "bob"))


@pytest.mark.parametrize(
    "options",
    [
        {"gain_from": "clicked=1, dwell>=30s=2, purchased=5"},
        {"gain_from": {"add_to_cart": 2}, "propensity": [1, 0.5, 0.4, 0.3]},
        {"gain_from": "purchased", "gap": "30m"},
    ],
    ids=str,
)
def test_what_was_done_gains_there(options):
    """Only results that it was done to come back."""
    frame = make_log(7, events=True, form="point", without={"clicked"})
    results, expected = assert_same("DuckDB", frame, bad="skip", **options)
    assert results.counts == expected.counts
    shown, fetched = (each.matched_sessions.rows["doc"].count() for each in (expected, results))
    assert results.counts["gained"] <= fetched < shown


def test_a_rule_for_columns_of_the_users_own():
    names = ["session", "query", "rank", "doc", "cart", "saved"]
    rows = [("s", 1, 1, "a", 0, "no"), ("s", 1, 2, "b", 3, "no"), ("s", 2, 1, "c", 0, "yes")]
    frame = log_of(*rows, names=names)
    assert_same("DuckDB", frame, gain_from="cart=2, saved=1")
    odd = frame.with_columns(saved=pl.col("saved").replace("yes", "perhaps"))
    with refuses(BadInput, "sessions", "'perhaps'"):
        gainful.sessions.evaluate(FRAME_MAKERS["DuckDB"](odd), gain_from="cart=2, saved=1")


def find_values(value, names):
    """The numbers under some names, wherever in dicts and lists."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name in names and isinstance(part, float):
                yield part
            yield from find_values(part, names)
    elif isinstance(value, list):
        for part in value:
            yield from find_values(part, names)


def test_other_questions_are_answered_there_too():
    """Sweeps, comparisons of systems that have a log each, and calibration."""
    shapes = {"events": False, "form": "text", "without": {"user", "event", "variant"}}
    here = {"old": make_log(5, **shapes), "new": make_log(6, **shapes)}
    there = {name: FRAME_MAKERS["DuckDB"](frame) for name, frame in here.items()}
    asked = [
        (
            lambda log: gainful.sessions.sweep(log, measure="sDCG@3", b=[2, 4], bq=2),
            ("difference",),
        ),
        (
            lambda log: gainful.sessions.compare(log, measures="sDCG@3", resamples=99),
            ("difference",),
        ),
        (lambda log: gainful.calibrate(log["old"]), ("estimate", "value")),
    ]
    for ask, names in asked:
        ours, theirs = ([*find_values(ask(log).to_dict(), names)] for log in (there, here))
        assert ours == pytest.approx(theirs, rel=1e-9)
        assert ours
    with refuses(BadValue, "propensity"):
        gainful.sessions.evaluate(there, propensity="estimate")


def test_logs_in_spark():
    wrong = [WRONG["time", "'soon'"], WRONG["'clicked'", "'z'"]]
    frame = log_of(*SOUND, *wrong).with_columns(
        time=pl.col("time").str.replace_many(["2026-03-01T12:0", ":00Z"], ["177235560", ""])
    )
    results, _ = assert_same("Spark", frame, bad="skip")
    assert len(find_notes(results.notes, 1, "left", "out", "'soon'")) == 1
    assert len(find_notes(results.notes, 1, "left", "out", "'z'")) == 1


def test_values_of_logs_stay_in_spark():
    rows = [("ann", 1, "x", 1, "a", 0), ("ann", 1, "x", 2, "b", 1), ("eve", 9, "x", 1, "a", 0)]
    frame = log_of(*rows, names=["user", *SHOWN[1:], "clicked"])
    values = gainful.spark.per_session(
        FRAME_MAKERS["Spark"](frame), measures="sDCG(b=2, bq=4)@3", gain_from={"clicked": 2}
    )
    by_session = {row["session"]: row["sDCG(b=2, bq=4)@3"] for row in values.collect()}
    assert by_session == pytest.approx({"ann#1": 2 / 2, "eve#1": 0.0})


@pytest.mark.parametrize("engine", ENGINES)
def test_many_parts_give_what_one_gives(engine, monkeypatch):
    """Values, and all notes: counts and first places are those of the whole log."""
    log = make_log(11, events=True, form="text", without={"session", "query_id"})
    wrong = log.sample(40, seed=1).with_columns(doc=pl.lit("zz"), event=pl.lit("click"))
    frame = pl.concat([log, wrong, log.head(3)])
    notes = []
    for most in (1_000_000, 20):
        monkeypatch.setattr(engine_sessions, "_MAX_ROWS", most)
        results, _ = assert_same(engine, frame, bad="skip", moved=engine == "DuckDB")
        notes.append([*results.notes])
    if engine == "lazy polars":
        assert notes[0] == notes[1]
    assert any("events left out" in note for note in notes[1])
    counts = [[note.partition(":")[0] for note in each] for each in notes]  # rows have no order
    assert counts[0] == counts[1]
