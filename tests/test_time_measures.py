"""Time-biased gain and the U-measure, of single lists and of sessions, against straight loops."""

import math

import numpy as np
import polars as pl
import pytest
from facts import find_notes
from refusals import refuses

import gainful
from gainful.errors import BadValue

# The calibrated values of Smucker & Clarke (2012), by Table 1, Eq. 6 and §5.2, as Clarke's own code
# names them (github.com/claclark/Cottontail, src/eval.cc), and others have them too.
CLICK, FALSE_CLICK, SAVE = 0.64, 0.39, 0.77
SUMMARY, PER_WORD, PER_DOCUMENT, HALF_LIFE = 4.4, 0.018, 7.8, 224


def tbg_by_hand(relevant, words):
    """TBG of one list, document by document."""
    clock = total = 0.0
    for is_relevant, length in zip(relevant, words, strict=True):
        if is_relevant:
            total += CLICK * SAVE * math.exp(-clock * math.log(2) / HALF_LIFE)
        opened = CLICK if is_relevant else FALSE_CLICK
        clock += SUMMARY + (PER_WORD * length + PER_DOCUMENT) * opened
    return total


def u_by_hand(grades, length, snippet, chars, share):
    """U of one list: a string for each snippet and for each part of a relevant document."""
    position = total = 0.0
    for grade in grades:
        position += snippet
        if grade >= 1:
            position += share * chars
        total += grade * max(0.0, 1 - position / length)
    return total


def make_runs(seed, queries=30, documents=25):
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for query in range(queries):
        docs = [f"d{number}" for number in random.permutation(documents)]
        run[f"q{query}"] = docs[: int(random.integers(1, documents))]
        judged = random.choice(docs, size=12, replace=False).tolist()
        qrels[f"q{query}"] = {
            doc: int(grade) for doc, grade in zip(judged, random.integers(0, 4, 12), strict=True)
        }
    return qrels, run


# What the README of github.com/sidenver/hTBG prints for its toy example with -t: lists of documents,
# each relevant or not and so many words long, and their TBG by half-life.
PRINTED = {
    "q_1": (
        [(True, 250), (True, 95), (False, 95)],
        {3: 0.5217239318926233, 5: 0.5827130392122296, 10: 0.7032973769997782},
    ),
    "q_2": (
        [(False, 250), (True, 95), (True, 95)],
        {3: 0.06407785194702847, 5: 0.169888953131207, 10: 0.3864369224412395},
    ),
}


@pytest.mark.parametrize("half_life", [3, 5, 10])
def test_tbg_is_what_another_tool_prints_of_documents_of_many_lengths(half_life):
    rows = [
        (name, 1, f"{name}_{place}", words)
        for name, (docs, _) in PRINTED.items()
        for place, (_, words) in enumerate(docs)
    ]
    shown = pl.DataFrame(rows, schema=["session", "query", "doc", "words"], orient="row")
    qrels = {
        name: {f"{name}_{place}": int(relevant) for place, (relevant, _) in enumerate(docs)}
        for name, (docs, _) in PRINTED.items()
    }
    results = gainful.sessions.evaluate(shown, qrels, f"sTBG(half_life={half_life})")
    for session, value in results.per_session.rows():
        assert value == pytest.approx(PRINTED[session][1][half_life], rel=1e-12)


def test_tbg_is_the_straight_loop():
    qrels, run = make_runs(1)
    results = gainful.evaluate(qrels, run, ["TBG(words=600)", "TBG", "TBG(words=600)@5"])
    values = {row["query"]: row for row in results.per_query.iter_rows(named=True)}
    for query, docs in run.items():
        relevant = [qrels[query].get(doc, 0) >= 1 for doc in docs]
        value = tbg_by_hand(relevant, [600] * len(docs))
        assert values[query]["TBG(words=600)"] == pytest.approx(value, rel=1e-12)
        assert values[query]["TBG"] == pytest.approx(tbg_by_hand(relevant, [500] * len(docs)))
        cut = tbg_by_hand(relevant[:5], [600] * len(docs[:5]))
        assert values[query]["TBG(words=600)@5"] == pytest.approx(cut, rel=1e-12)


def test_u_is_the_straight_loop():
    qrels, run = make_runs(2)
    measures = ["U", "U(L=3000, snippet=150, chars=2000, read_share=0.5)@10"]
    results = gainful.evaluate(qrels, run, measures)
    values = {row["query"]: row for row in results.per_query.iter_rows(named=True)}
    for query, docs in run.items():
        grades = [qrels[query].get(doc, 0) for doc in docs]
        assert values[query]["U"] == pytest.approx(
            u_by_hand(grades, 132_000, 200, 5000, 0.2), rel=1e-12
        )
        value = u_by_hand(grades[:10], 3000, 150, 2000, 0.5)
        assert values[query][measures[1]] == pytest.approx(value, rel=1e-12)


def make_sessions(seed, *, sessions=20):
    random = np.random.default_rng(seed)
    rows, qrels = [], {}
    for session in range(sessions):
        docs = [f"d{number}" for number in range(60)]
        qrels[f"s{session}"] = {
            doc: int(random.integers(0, 3)) for doc in docs if random.random() < 0.4
        }
        for query in range(1, int(random.integers(1, 5)) + 1):
            shown = random.permutation(docs)[: int(random.integers(0, 7))]
            if not len(shown):
                rows.append((f"s{session}", query, None, None, False, None, None, None))
            rows += [
                (f"s{session}", query, rank, doc, bool(random.random() < 0.4),
                 float(random.integers(1, 90)) if random.random() < 0.7 else None,
                 int(random.integers(50, 2000)), int(random.integers(500, 9000)))
                for rank, doc in enumerate(shown, start=1)
            ]  # fmt: skip
    names = ["session", "query", "rank", "doc", "clicked", "seconds", "words", "chars"]
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None), qrels


def session_tbg_by_hand(rows, judged, *, by_clicks, query_seconds, depth):
    """sTBG of one session, row by row, with one clock."""
    clock = total = 0.0
    query = 0
    for row in rows:
        if row["query"] != query:
            query = row["query"]
            clock += query_seconds
        if row["doc"] is None or row["rank"] > depth:
            continue
        relevant = judged.get(row["doc"], 0) >= 1
        opened = (CLICK if relevant else FALSE_CLICK) if not by_clicks else float(row["clicked"])
        if relevant:
            total += opened * SAVE * 0.5 ** (clock / HALF_LIFE)
        reading = PER_WORD * row.get("words", 500) + PER_DOCUMENT
        if by_clicks and row["clicked"] and row.get("seconds") is not None:
            reading = row["seconds"]
        clock += SUMMARY + opened * reading
    return total


@pytest.mark.parametrize("by_clicks", [True, False])
def test_session_tbg_is_the_straight_loop_with_one_clock(by_clicks):
    shown, qrels = make_sessions(3)
    opened = "clicked" if by_clicks else "likely"
    measure = f"sTBG(query_seconds=12, opened={opened})@4"
    results = gainful.sessions.evaluate(shown, qrels, measure, unjudged="zero")
    values = dict(results.per_session.rows())
    for session, judged in qrels.items():
        rows = shown.filter(session=session).to_dicts()
        value = session_tbg_by_hand(rows, judged, by_clicks=by_clicks, query_seconds=12, depth=4)
        assert values[session] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("by_clicks", [True, False])
def test_session_u_is_the_straight_loop_over_one_text(by_clicks):
    shown, qrels = make_sessions(4)
    opened = "clicked" if by_clicks else "likely"
    measure = f"sU(L=20000, opened={opened})"
    results = gainful.sessions.evaluate(shown, qrels, measure, unjudged="zero")
    values = dict(results.per_session.rows())
    for session, judged in qrels.items():
        position = total = 0.0
        for row in shown.filter(session=session).to_dicts():
            if row["doc"] is None:
                continue
            grade = judged.get(row["doc"], 0)
            read = row["clicked"] if by_clicks else grade >= 1
            position += 200 + (0.2 * row["chars"] if read else 0)
            if read or not by_clicks:
                total += grade * max(0.0, 1 - position / 20000)
        assert values[session] == pytest.approx(total, rel=1e-12)


def test_a_session_of_one_query_has_the_value_of_its_list():
    qrels, run = make_runs(5, queries=8)
    rows = [(query, 1, doc) for query, docs in run.items() for doc in docs]
    shown = pl.DataFrame(rows, schema=["session", "query", "doc"], orient="row")
    single = gainful.evaluate(qrels, run, ["TBG@10", "U@10"])
    whole = gainful.sessions.evaluate(shown, qrels, ["sTBG@10", "sU@10"])
    lists = {row["query"]: row for row in single.per_query.iter_rows(named=True)}
    for row in whole.per_session.iter_rows(named=True):
        assert row["sTBG@10"] == pytest.approx(lists[row["session"]]["TBG@10"])
        assert row["sU@10"] == pytest.approx(lists[row["session"]]["U@10"])


def test_clicks_are_used_where_they_are_told_and_it_is_said():
    shown, qrels = make_sessions(6)
    by_default = gainful.sessions.evaluate(shown, qrels, "sTBG", unjudged="zero")
    by_clicks = gainful.sessions.evaluate(shown, qrels, "sTBG(opened=clicked)", unjudged="zero")
    assert by_default["sTBG"] == by_clicks["sTBG(opened=clicked)"]
    assert find_notes(by_default.notes, "sTBG", "clicked", "opened")
    silent = gainful.sessions.evaluate(shown.drop("clicked"), qrels, "sTBG", unjudged="zero")
    assert not any("opened" in note for note in silent.notes)
    with refuses(BadValue, "opened"):
        gainful.sessions.evaluate(
            shown.drop("clicked"), qrels, "sTBG(opened=clicked)", unjudged="zero"
        )


def test_a_document_shown_again_can_count_once():
    shown = pl.DataFrame({"session": ["s"] * 2, "query": [1, 2], "doc": ["a", "a"]})
    every, first = gainful.sessions.evaluate(
        shown, {"s": {"a": 1}}, ["sTBG", "sTBG(duplicates=first)"]
    ).mean.values()
    assert first == pytest.approx(CLICK * SAVE)
    assert every > first


def test_tbg_of_sessions_is_answered_with_its_name():
    shown = pl.DataFrame({"session": ["s"], "query": [1], "doc": ["a"]})
    with refuses(BadValue, "measure"):
        gainful.sessions.evaluate(shown, {"s": {"a": 1}}, "TBG")


@pytest.mark.parametrize("measure", ["sTBG(query_seconds=0.1)@7", "ACT"])
def test_a_session_has_the_same_value_whatever_stands_before_it(measure):
    """To the last digit: what other sessions took is not added and subtracted again."""
    random = np.random.default_rng(4)
    rows = [
        (f"s{session:02}", query, rank, f"d{query}{rank}", bool(random.random() < 0.5), 0.1 * rank)
        for session in range(30)
        for query in range(1, 8)
        for rank in range(1, 1 + int(random.integers(1, 6)))
    ]
    names = ["session", "query", "rank", "doc", "clicked", "seconds"]
    sessions = pl.DataFrame(rows, schema=names, orient="row")
    judged = sessions.select(query="session", doc="doc", subtopic="rank", grade=1).unique()
    together = gainful.sessions.evaluate(sessions, judged, measure)
    for name, value in zip(together.ids, together.values[measure].tolist(), strict=True):
        alone = gainful.sessions.evaluate(sessions.filter(session=name), judged, measure)
        assert alone.values[measure].tolist() == [value]
