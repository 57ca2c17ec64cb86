"""The measures of sessions, each by hand or by a slower way."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from attrs import evolve
from hypothesis import given, strategies as st
from refusals import refuses
from session_tables import (
    make_sessions,
    parse_example,
    session_frame,
    session_value,
    session_values,
)
from strategies import EVERY, sessions_and_qrels

import gainful
from gainful import parse
from gainful.errors import BadInput, BadValue, NoIdeal
from gainful.measure.catalogue.sessions import SESSION_MEASURES

ENTRIES = list(SESSION_MEASURES.values())
NAMES = {"log2": math.log2}
SESSIONS = make_sessions(s=[["a", "b", "c"], ["d", "b"], ["d", "e", "f"]])
GRADES = {"s": {"d": 3, "e": 2, "b": 1, "g": 1}}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_worked_example_comes_out(entry):
    data, judgments = parse_example(entry.example.ranking, subtopics=entry.needs_subtopics)
    by_hand = eval(entry.example.working, {"__builtins__": {}}, NAMES)  # noqa: S307
    assert session_value(data, judgments, entry.example.measure) == pytest.approx(
        by_hand, abs=1e-12
    )


CHOSEN = {
    "gain": st.sampled_from(["linear", "exp", {0: 0, 1: 1, 2: 10}]),
    "duplicates": st.sampled_from(["every", "first", "clicked", "judged"]),
    "ideal": st.sampled_from(["repeated", "once", "best_slots"]),
    "lists": st.sampled_from(["padded", "as_is", "minimum(3)"]),
    "at": st.sampled_from(["results", "queries(5)"]),
    "statistic": st.sampled_from(["final", "best", "average"]),
    "bq": st.floats(1.001, 999),
    "p": st.floats(0.001, 0.999),
    "balance": st.floats(0, 1),
    "p_ref": st.floats(0, 1),
    "T": st.floats(0.5, 100),
    "R1": st.floats(0, 100),
    "goal": st.sampled_from(["session", "query"]),
    "max_grade": st.floats(0.5, 10),
    "cap": st.floats(0.5, 100),
    "over": st.sampled_from(["first", "last", "best", "mean", "sum"]),
    "repeated": st.sampled_from(["counts", "returned", "scanned", "clicked"]),
    "of": st.sampled_from(
        ["nDCG@10", "P(rel=2)@5", "ndcg_cut_5", "IAP(points='0,0.5')", "AP", gainful.nDCG @ 3,
         "nDCG(gain={0:0,1:1}, discount=jk2008, b=2)@10"]
    ),
}  # fmt: skip


@given(st.data())
def test_a_measure_is_read_back_as_it_was_written(data):
    entry = data.draw(st.sampled_from(ENTRIES))
    known = [name for name in entry.params if name in CHOSEN]
    some = data.draw(st.lists(st.sampled_from(known), unique=True) if known else st.just([]))
    measure = gainful.Measure(entry.name)(**{name: data.draw(CHOSEN[name]) for name in some})
    measure = measure if entry.cutoff_kind == "none" else measure @ data.draw(st.integers(1, 100))
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)


@pytest.mark.parametrize(
    ("text", "about"),
    [("RL(of='nDGC@10')", ("nDGC@10", "nDCG@10")), ("RL(of='sDCG@10')", "of"),
     ("RL(of='nDCG@5,10')", "measure"), ("RL(repeated=twice)", "repeated"),
     ("Session(over=worst)", "over"), ("RL@10", "k"),
     ("sRBP(balance=2)", "balance"), ("nsDCG(at=queries)@3", "at"),
     ("nsDCG(at=queries(0))@3", "at"), ("esnDCG(p_down=-1)", "p_down")],
)  # fmt: skip
def test_what_is_no_measure_is_answered_with_what_is_allowed(text, about):
    with refuses(gainful.errors.GainfulError, about):
        parse(text)


# --- expected over all paths ---


def brute_force(queries, grades, p_ref, p_down, *, discounted, remainder="last"):
    """Every way through a session, one by one."""

    def chance_to_end(p, step, steps):
        if remainder == "shared":
            return p ** (step - 1) / sum(p**other for other in range(steps))
        return p ** (step - 1) * (1 if step == steps else 1 - p)

    def discount(rank):
        return 1 / math.log2(rank + 1) if discounted else 1

    def total(gains):
        return sum(gain * discount(rank) for rank, gain in enumerate(gains, 1))

    best = sorted((2**g - 1 for g in grades.values()), reverse=True)
    expected = 0.0
    for query_count in range(1, len(queries) + 1):
        probability = chance_to_end(p_ref, query_count, len(queries))
        ways = [range(1, len(docs) + 1) if docs else (0,) for docs in queries[:query_count]]
        for stops in itertools.product(*ways):
            path, chance = [], probability
            for docs, stop in zip(queries, stops, strict=False):
                path += [2 ** grades.get(doc, 0) - 1 for doc in docs[:stop]]
                chance *= chance_to_end(p_down, stop, len(docs)) if docs else 1
            ideal = total(best[: len(path)])
            expected += chance * total(path) / ideal if ideal else 0
    return expected


def session_lists(rows, name):
    session_rows = [row for row in rows if row[0] == name]
    return [
        [row[3] for row in session_rows if row[1] == query and row[3]]
        for query in range(1, max(row[1] for row in session_rows) + 1)
    ]


@pytest.mark.parametrize("remainder", ["last", "shared"])
@given(sessions_and_qrels(), st.floats(0, 1), st.floats(0, 1))
def test_the_expected_value_is_that_of_all_paths_one_by_one(remainder, data, p_ref, p_down):
    rows, judgments = data
    for name, discounted in (("esnDCG", True), ("esnCG", False)):
        measure = gainful.Measure(name)(p_ref=p_ref, p_down=p_down, remainder=remainder)
        values = session_values(session_frame(rows), judgments, measure)
        for session, value in values.items():
            shown, grades = session_lists(rows, session), judgments[session]
            slowly = brute_force(
                shown, grades, p_ref, p_down, discounted=discounted, remainder=remainder
            )
            assert value == pytest.approx(slowly, abs=1e-9)


def test_a_cutoff_ends_the_lists_on_the_way():
    cut = make_sessions(s=[["a", "b"], ["d", "b"], ["d", "e"]])
    assert session_value(SESSIONS, GRADES, "esnDCG@2") == pytest.approx(
        session_value(cut, GRADES, "esnDCG")
    )


def test_an_expected_value_may_pass_one_and_says_so():
    results = gainful.sessions.evaluate(SESSIONS, GRADES, ["esnCG", "sDCG@3", "IR", "CT"])
    assert results.mean["esnCG"] > 1
    assert [note.split(" can exceed 1")[0] for note in results.notes] == ["esnCG"]


@pytest.mark.parametrize("like", ["trec_dd_2017", "kanoulas2011"])
def test_settings_that_a_measure_leaves_no_choice_in_do_not_touch_it(like):
    plain = session_value(SESSIONS, GRADES, "esnDCG")
    assert session_value(SESSIONS, GRADES, "esnDCG", like=like) == plain


# --- rank-biased precision ---


@given(sessions_and_qrels(), st.floats(0.01, 0.99))
def test_srbp_of_a_searcher_who_never_asks_anew_is_rbp_of_the_first_query(data, p):
    rows, judgments = data
    own = gainful.Measure("sRBP")(p=p, balance=1, gain="binary")
    first = gainful.Measure("Session")(of=gainful.Measure("RBP")(p=p), over="first")
    values = session_values(session_frame(rows), judgments, own)
    assert values == pytest.approx(session_values(session_frame(rows), judgments, first), abs=1e-12)


# --- instance recall ---


@pytest.mark.parametrize(("empty", "mean"), [("0", 1 / 4), ("1", 3 / 4), ("skip", 1 / 2)])
def test_a_function_may_say_what_was_reached_and_what_was_possible(monkeypatch, empty, mean):
    """As functions of runs do: the convention says what 0 of 0 is."""

    def halve(*_):
        return np.array([1.0, 0.0]), np.array([2.0, 0.0])  # 1 of 2, 0 of 0

    entry = evolve(SESSION_MEASURES["IR"], name="Half", function=halve)
    monkeypatch.setitem(SESSION_MEASURES, "Half", entry)
    shown = pl.DataFrame({"session": ["s", "t"], "query": [1, 1], "doc": ["a", "a"]})
    judgments = {"s": {"a": 1}, "t": {"a": 1}}
    results = gainful.sessions.evaluate(shown, judgments, f"Half(empty={empty})")
    assert [*results.mean.values()] == [mean]
    with refuses(NoIdeal, "the ideal of session 't'"):
        session_value(shown, judgments, "Half(empty=error)")


def subtopic_qrels(*rows):
    columns = ["query", "doc", "subtopic", "grade"]
    return pl.DataFrame([("s", *row) for row in rows], schema=columns, orient="row")


def test_instances_are_subtopics_where_there_are_any():
    judgments = subtopic_qrels(
        ("a", "x", 1), ("b", "x", 2), ("b", "y", 1), ("e", "z", 1), ("g", "w", 1), ("f", "v", 0)
    )
    results = gainful.sessions.evaluate(SESSIONS, judgments, ["IR", "IR@1..3"])
    assert list(results.mean.values()) == [0.75, 0.5, 0.5, 0.75]


# --- the cube test ---

RATED = subtopic_qrels(
    ("a", "x", 4), ("b", "x", 2), ("b", "y", 3), ("d", "y", 4), ("e", "y", 4), ("g", "z", 1)
)
RETURNED = "repeated=returned"
SEEN = SESSIONS.with_columns(scanned=pl.lit(1))
# Lists a b / c, only b relevant, p_ref 0.5, p_down 0.25; the paths are a, ab, ac, abc: b is looked
# at with 0.25, whether the session goes on or not, and second of the path.
TWO_LISTS, LAST = make_sessions(s=[["a", "b"], ["c"]]), "p_ref=0.5, p_down=0.25, remainder"
NO_CLICK = make_sessions(s=[["a", "b"], ["b", "a"]])


@pytest.mark.parametrize(
    ("shown", "judged", "measure", "value"),
    [
        # of a searcher who always asks anew, first documents
        (SESSIONS, GRADES, "sRBP(p=0.5, balance=0)", 0.5 * (0 + 3 * 0.5 + 3 * 0.25)),
        (
            *(SESSIONS, GRADES, "sRBP(p=0.8, balance=0.5, duplicates=first)@2"),
            0.2 * (0.4 * 1 + (0.4 / 0.6) * 3 + (0.4 / 0.6) ** 2 * 0.4 * 2),
        ),
        # instances have the grade that was asked for and the depth that was seen
        (SESSIONS, GRADES, "IR(rel=2)", 1),
        (SESSIONS, GRADES, "IR(rel=2)@2", 0.5),
        (SEEN, GRADES, "IR(depth=scanned)", 0.25),
        (SESSIONS, GRADES, "IR@9", 0.75),  # the session is over by then
        (SESSIONS, {"s": {"a": 0}}, "IR(empty=1)", 1),
        # cap 2: a fills x; b adds nothing to x, 3/2 to y; d fills y by 1/2; e adds nothing
        (SESSIONS, RATED, "CT(cap=2)", (2 + 1.5 + 0.5) / 3 / 2 / 3),
        (SESSIONS, RATED, "CT(cap=2, gamma=1)", 4 / 3 / 2 / 3),
        # without subtopics the topic is the only one: b 1/2, d 3/4, e 2/8
        (SESSIONS, GRADES, "CT", (0.5 + 0.75 + 0.25) / 5 / 3),
        # subtopics go with their queries
        (SESSIONS, RATED, "Session(of='StRecall@2', over=first)", 2 / 3),
        (SESSIONS, RATED, "RL(of='StRecall@3')", 1 / 3),
        (SESSIONS, RATED, f"RL(of='StRecall(negative=remove)@2', {RETURNED})", 1 / 3),
        (SESSIONS, RATED, f"RL(of='StRecall@1', {RETURNED})", 0),
        # without a click the first result was looked at
        (NO_CLICK, {"s": {"a": 1, "b": 1}}, "RL(of='RR', repeated=scanned)", 1),
        (NO_CLICK, {"s": {"a": 1}}, "RL(of='RR', repeated=scanned)", 0),
        # the chance beyond the end goes to the last or is shared
        (TWO_LISTS, {"s": {"b": 1}}, f"esnDCG({LAST}=last)", 0.25 / math.log2(3)),
        (TWO_LISTS, {"s": {"b": 1}}, f"esnDCG({LAST}=shared)", 0.25 / 1.25 / math.log2(3)),
    ],
)
def test_values_by_hand(shown, judged, measure, value):
    assert session_value(shown, judged, measure) == pytest.approx(value, abs=1e-12)


def test_the_cube_test_by_hand():
    # a: x + 4/2; b: x + 2/4 and y + 3/2; d: y + 4/4; b again: nothing; e: y + 4/8
    added = [2 / 3, 2 / 3, 0, 1 / 3, 0, 0, 0.5 / 3, 0]
    total = sum(added)
    assert session_value(SESSIONS, RATED, "CT") == pytest.approx(total / 5 / 3, abs=1e-12)
    at_two = sum(added[:5]) / 5 / 2
    assert session_value(SESSIONS, RATED, "CT@2") == pytest.approx(at_two, abs=1e-12)
    query = [1, 1, 1, 2, 2, 3, 3, 3]
    so_far = list(itertools.accumulate(added))
    after = [gain / 5 / at for gain, at in zip(so_far, query, strict=True)]
    assert session_value(SESSIONS, RATED, "ACT") == pytest.approx(sum(after) / 8, abs=1e-12)
    assert session_value(SESSIONS, RATED, "ACT@2") == pytest.approx(sum(after[:5]) / 5, abs=1e-12)


# --- query measures over sessions ---


@pytest.mark.parametrize(
    ("over", "wanted"),
    [("first", 1 / 3), ("last", 2 / 3), ("best", 1), ("sum", 2), ("mean", 2 / 3)],
)
def test_a_query_measure_over_a_session(over, wanted):
    judgments = {"s": {"a": 1, "b": 1, "d": 1, "e": 1}}
    shown = make_sessions(s=[["a", "x", "y"], ["a", "b", "d"], ["d", "e"]])
    value = session_value(shown, judgments, f"Session(of='P@3', over={over})")
    assert value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("of", [*EVERY, "nDCG(ideal=list)", "P(rel=2)@2", "RBP(p=0.5)"])
def test_queries_are_judged_as_runs_are(of):
    run = {"1": ["a", "b", "c"], "2": ["d", "b"], "3": ["d", "e", "f"]}
    ranked = {q: {doc: 9 - place for place, doc in enumerate(docs)} for q, docs in run.items()}
    alone = gainful.evaluate(dict.fromkeys(run, GRADES["s"]), ranked, of).values_by_query()
    for over, query in (("first", "1"), ("last", "3")):
        value = session_value(SESSIONS, GRADES, f"Session(of='{of}', over={over})")
        assert value == pytest.approx(alone[query][of], abs=1e-12)


def make_conversation():
    """A conversation: each query has judgments of its own, the third has none."""
    sessions_frame = make_sessions(s=[["a", "b"], ["b", "a"], ["a"]])
    topics = pl.Series(["t1", "t1", "t2", "t2", "t3"])
    return sessions_frame.with_columns(topic=topics), {"t1": {"a": 1, "c": 1}, "t2": {"a": 2}}


def test_every_query_is_judged_by_its_own_topic():
    shown, judgments = make_conversation()
    for over, wanted in (("first", 1), ("last", 0), ("best", 1), ("mean", 0.5), ("sum", 1.5)):
        value = session_value(shown, judgments, f"Session(of='RR', over={over})", unjudged="zero")
        assert value == pytest.approx(wanted)
    assert session_value(shown, judgments, "RL(of='RR')", unjudged="drop") == 0.5
    assert session_value(shown, judgments, "RL(of='RR', repeated=returned)", unjudged="drop") == 0
    value = gainful.sessions.evaluate(shown, judgments, "IR@1..3", unjudged="zero")
    assert [*value.mean.values()] == pytest.approx([1 / 2, 2 / 3, 2 / 3])
    with refuses(BadValue, "measure"):
        session_value(shown, judgments, "esnDCG", unjudged="zero")


def test_queries_with_nothing_to_find_may_be_skipped():
    shown, judgments = make_sessions(s=[["a"], ["b"]], t=[["a"]]), {"s": {"a": 1}, "t": {"a": 0}}
    for over in ("mean", "best", "sum", "last"):
        of = gainful.Measure("Session")(of="nDCG@1", over=over, empty="skip")
        results = gainful.sessions.evaluate(shown, judgments, of).per_session.rows()
        assert results == [("s", {"mean": 0.5, "last": 0.0}.get(over, 1.0)), ("t", None)]


# --- the last query of the session track ---

TRACK = make_sessions(s=[["a*", "b", "c"], ["d", "e", "f*", "g"], ["a", "b", "d", "e", "g", "h"]])
ALL_RELEVANT = {"s": dict.fromkeys("abcdefgh", 1)}


@pytest.mark.parametrize(
    ("repeated", "left"),
    [("counts", "abdegh"), ("returned", "h"), ("scanned", "bgh"), ("clicked", "bdegh")],
)
def test_the_three_policies_for_repeated_documents(repeated, left):
    precision = session_value(TRACK, ALL_RELEVANT, f"RL(of='P@6', repeated={repeated})")
    assert precision == pytest.approx(len(left) / 6)
    ranks = [rank for rank, doc in enumerate("abdegh", 1) if doc in left]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 9))
    by_hand = sum(1 / math.log2(rank + 1) for rank in ranks) / ideal  # the ideal has all of them
    value = session_value(TRACK, ALL_RELEVANT, f"RL(of='nDCG', repeated={repeated})")
    assert value == pytest.approx(by_hand, abs=1e-12)


def test_policies_that_need_clicks_say_so():
    with refuses(BadValue, "repeated"):
        session_value(SESSIONS.drop("clicked"), GRADES, "RL(repeated=scanned)")


def test_the_session_track_scores_the_last_list_with_its_own_grades():
    judgments = {"s": {"d": 4, "e": 2, "b": 3, "a": -2, "x": 0}}
    table_ = {-2: 0, 0: 0, 1: 1, 4: 3, 2: 7, 3: 15}
    value = session_value(
        SESSIONS, judgments, "RL(of='nDCG@10')", like="session_track_2012", gain=table_
    )
    ideal = 15 + 7 / math.log2(3) + 3 / 2
    assert value == pytest.approx((3 + 7 / math.log2(3)) / ideal, abs=1e-12)
    plain = {"s": {"d": 3, "e": 2, "b": 1, "a": -2}}
    value = session_value(SESSIONS, plain, "RL(of='nDCG@10')", like="session_track_2012")
    ideal = 7 + 3 / math.log2(3) + 1 / 2
    assert value == pytest.approx((7 + 3 / math.log2(3)) / ideal, abs=1e-12)
    assert value == session_value(SESSIONS, plain, "nsDCG@10", like="session_track_2012")


# --- what stands behind @ ---


def test_the_dynamic_domain_track_counts_iterations():
    best = [3, 2, 1, 1]
    slots = sorted(
        (1 / (1 + math.log2(i)) / (1 + math.log(q, 4)) for q in (1, 2) for i in range(1, 6)),
        reverse=True,
    )
    ideal = sum(gain * slot for gain, slot in zip(best, slots, strict=False))
    by_hand = (0.5 + 3 / 1.5) / ideal  # the second b was there before
    assert session_value(SESSIONS, GRADES, "nsDCG@2", like="trec_dd_2017") == pytest.approx(by_hand)
    assert session_value(
        SESSIONS, GRADES, "nsDCG(at=queries(5), duplicates=first)@2"
    ) == pytest.approx(by_hand)
    short = session_value(SESSIONS, GRADES, "sDCG(at=queries(1))@3")
    assert short == pytest.approx(session_value(SESSIONS, GRADES, "sDCG@1"))
    # iterations that did not take place are in the ideal
    shown, judgments = make_sessions(s=[["a", "b"]]), {"s": {"a": 2, "c": 1}}
    value = session_value(shown, judgments, "nsDCG@2", like="trec_dd_2017")
    assert value == pytest.approx(2 / (2 + 1 / 1.5), abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [{"duplicates": "first"}, {"ideal": "once"}, {"hold": "growing"}, {"at": "queries(3)"}],
)
def test_what_turns_with_judgments_of_their_own_cannot_have_is_named_as_it_was_asked(options):
    """Of a conversation: what was typed, not what follows from it."""
    shown = make_sessions(c=[["a"], ["a", "b"]]).with_columns(topic=pl.Series(["1", "2", "2"]))
    longer = make_sessions(d=[["a"], ["b"], ["a"]]).with_columns(topic=pl.Series(["1", "2", "1"]))
    judged = {"1": {"a": 1}, "2": {"a": 1, "b": 2}}
    rows = pl.concat([shown, longer])
    with refuses(BadValue, next(iter(options)), "'c'"):
        gainful.sessions.evaluate(rows, judged, "nsDCG@3", **options).mean_of("nsDCG@3")


@pytest.mark.parametrize("unjudged", ["auto", "drop"])
def test_sessions_without_any_judged_topic_are_told_one_that_is(unjudged):
    shown = make_sessions(s=[["a"]], t=[["b"]]).with_columns(topic=pl.Series(["7", "8"]))
    with refuses(BadInput, "sessions", "session 's'", "'7'", "judged topics, such as 'nine'"):
        gainful.sessions.evaluate(shown, {"nine": {"a": 1}}, "sDCG@3", unjudged=unjudged)
    asked = shown.with_columns(text=pl.lit("nine"))
    with refuses(BadInput, "sessions", "'7'", "'nine'", "--columns topic=text"):
        gainful.sessions.evaluate(asked, {"nine": {"a": 1}}, "sDCG@3", unjudged=unjudged)
