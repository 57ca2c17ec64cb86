"""Which queries changed most between two runs, what moved in them, and what each explains."""

import json
from itertools import permutations
from math import factorial, log2

import numpy as np
import polars as pl
import pytest
from engines import FRAME_MAKERS
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from strategies import to_frame
from written_files import write_qrels, write_run

import gainful
from gainful.api.evaluate import match_run
from gainful.convention import CONVENTIONS
from gainful.evidence.reasons.largest_changes import find_largest_changes
from gainful.measure.build_recipes import build_recipes
from gainful.measure.catalogue import MEASURES
from gainful.measure.evaluate import measure_run
from gainful.page.render import render
from gainful.page.terminal import Terminal
from gainful.read.inputs import as_qrels, as_run

# Every measure of single rankings as its own example writes it.
WRITTEN = sorted(
    entry.example.measure
    for entry in MEASURES.values()
    if entry.example is not None and not (entry.needs_subtopics or entry.needs_scores)
)
DOCS = [*"abcdef", "u", "v", "w"]


def find_changes(qrels, before, after, measure="nDCG@10", *, most=5, like=None, **options):
    """What `gainful compare --per-query` does with two runs."""
    convention, recipes = build_recipes(measure, like, options)
    loaded_qrels = as_qrels(qrels)
    runs = tuple(
        match_run(loaded_qrels, run, recipes, convention)
        for run in (as_run(before, name="bm25"), as_run(after, name="dense"))
    )
    values = tuple(measure_run(run, recipes, convention) for run in runs)
    changes, _ = find_largest_changes(runs, values, next(iter(recipes)), most=most)
    return changes[1]


def single_query(changes):
    (query,) = changes.queries
    return query


def document_shares(query):
    return {doc.doc: doc.share for doc in query.documents}


def document_moves(query):
    return {doc.doc: (doc.before, doc.after, doc.what) for doc in query.documents}


def score_by_order(docs):
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


# What each document explains


def brute_force_shares(judged, before, after, measure):
    """The Shapley values by `evaluate` alone: documents not in a set get names nobody judged.

    Also what changes if no document is judged that was retrieved, and all of the change.
    """
    docs = sorted(judged.keys() & {*before, *after})
    sets = [
        frozenset(doc for at, doc in enumerate(docs) if number >> at & 1)
        for number in range(1 << len(docs))
    ]
    names = {chosen: f"q{at}" for at, chosen in enumerate(sets)}
    qrels = dict.fromkeys(names.values(), judged)

    def values(ranking):
        run = {
            name: score_by_order(
                [doc if doc in chosen or doc not in judged else f"?{doc}" for doc in ranking]
            )
            for chosen, name in names.items()
        }
        by_query = gainful.evaluate(qrels, run, measure).values_by_query()
        return {chosen: by_query[name][measure] for chosen, name in names.items()}

    first, last = values(before), values(after)
    change = {chosen: last[chosen] - first[chosen] for chosen in sets}
    shapley_values = {}
    for doc in docs:
        shapley_values[doc] = sum(
            factorial(len(chosen))
            * factorial(len(docs) - len(chosen) - 1)
            / factorial(len(docs))
            * (change[chosen | {doc}] - change[chosen])
            for chosen in sets
            if doc not in chosen
        )
    return shapley_values, change[frozenset()], change[frozenset(docs)]


RANKINGS = st.lists(st.sampled_from(DOCS), min_size=1, unique=True)


@given(
    judged=st.dictionaries(st.sampled_from(DOCS[:6]), st.integers(-1, 3), min_size=1),
    before=RANKINGS,
    after=RANKINGS,
    measure=st.sampled_from(WRITTEN),
)
@examples(250)
def test_every_measure_shares_its_change_as_shapley_does(judged, before, after, measure):
    changes = find_changes(
        {"1": judged}, {"1": score_by_order(before)}, {"1": score_by_order(after)}, measure
    )
    expected, rest, change = brute_force_shares(judged, before, after, measure)
    if not changes.queries:
        assert change == pytest.approx(0, abs=1e-11)
        return
    query = single_query(changes)
    assert query.change == pytest.approx(change, abs=1e-9)
    assert query.rest == pytest.approx(rest, abs=1e-9)
    assert sum(document_shares(query).values()) + query.rest == pytest.approx(
        query.change, abs=1e-9
    )
    shares = dict.fromkeys(expected, 0.0) | document_shares(query)
    assert shares == pytest.approx(expected, abs=1e-9)
    assert query.notes == ()


@pytest.mark.parametrize("measure", WRITTEN)
def test_every_measure_adds_up_on_a_larger_query(measure):
    random = np.random.default_rng(7)
    docs = [f"d{number}" for number in range(60)]
    judged = {doc: int(grade) for doc, grade in zip(docs, random.integers(-1, 4, 40), strict=False)}
    before, after = (
        {"1": score_by_order([docs[at] for at in random.permutation(60)[:30]])} for _ in range(2)
    )
    changes = find_changes({"1": judged}, before, after, measure)
    for query in changes.queries:
        nothing = {f"?{doc}": grade for doc, grade in judged.items()}  # nothing retrieved is judged
        rest = [
            gainful.evaluate({"1": nothing}, run, measure).values_by_query()["1"][measure]
            for run in (before, after)
        ]
        assert query.rest == pytest.approx(rest[1] - rest[0], abs=1e-9)
        assert sum(document_shares(query).values()) + query.rest == pytest.approx(
            query.change, abs=1e-9
        )


JUDGED = {"1": {"a": 3, "b": 2, "c": 1, "d": 0}}
BEFORE = {"1": ["u", "b", "a", "d", "c"]}
AFTER = {"1": ["a", "v", "b", "w"]}


IDEAL, LIST_IDEAL = 3 + 2 / log2(3) + 1 / log2(4), 3 + 2 / log2(3)
OWN_TERMS = {  # measure and settings, judgments and both runs, the share of each document
    "nDCG": (
        {"measure": "nDCG@10"},
        (JUDGED, BEFORE, AFTER),
        {"a": (3 - 3 / 2) / IDEAL, "b": (2 / 2 - 2 / log2(3)) / IDEAL, "c": -1 / log2(6) / IDEAL},
    ),
    "precision": (
        {"measure": "P@3"},
        (JUDGED, {"1": ["u", "c", "v"]}, {"1": ["a", "b", "u", "c"]}),
        {"a": 1 / 3, "b": 1 / 3, "c": -1 / 3},
    ),
    "RBP": (
        {"measure": "RBP(p=0.5)"},
        (JUDGED, BEFORE, AFTER),
        {"a": 0.5 * (1 - 0.25), "b": 0.5 * (0.25 - 0.5), "c": -0.5 * 0.5**4},
    ),
    "an ideal of the list": (
        {"ideal": "list"},
        (JUDGED, {"1": ["u", "b", "a"]}, {"1": ["b", "u", "v"]}),
        {"a": -3 / log2(4) / LIST_IDEAL, "b": 1 - 2 / log2(3) / LIST_IDEAL},
    ),
    "unjudged documents hold no rank": (
        {"unjudged": "remove"},
        (JUDGED, BEFORE, AFTER),
        {"a": (3 - 3 / log2(3)) / IDEAL, "b": (2 / log2(3) - 2) / IDEAL, "c": -1 / log2(5) / IDEAL},
    ),
    "negative documents hold no rank": (
        {"negative": "remove"},
        ({"1": {"bad": -1, "a": 1}}, {"1": ["bad", "u", "a"]}, {"1": ["a", "bad"]}),
        {"a": 1 - 1 / log2(3)},
    ),
}


@pytest.mark.parametrize("case", OWN_TERMS)
def test_a_document_explains_its_own_term(case):
    options, data, shares = OWN_TERMS[case]
    query = single_query(find_changes(*data, **options))
    assert document_shares(query) == pytest.approx(shares)
    if "remove" in options.values():  # one of two above it is taken out
        assert document_moves(query)["a"] == (2, 1, "up")


def test_a_list_with_negative_gains_in_its_ideal_adds_up_too():
    judged = {"1": {"a": 2, "b": 1, "bad": -1}}
    before, after = {"1": ["bad", "u", "a"]}, {"1": ["b", "v", "a", "bad"]}
    query = single_query(
        find_changes(judged, before, after, "nDCG@3", ideal="list", negative="in_ideal")
    )
    ideal = 2 + 1 / log2(3)  # of the second; that of the first is 2 - 1 / log2(4)
    assert query.after == pytest.approx((1 + 2 / log2(4)) / ideal)
    assert query.rest == 0
    assert sum(document_shares(query).values()) == pytest.approx(query.change)


def average_precision(ranking, seen, relevant):
    hits, total = 0, 0.0
    for rank, doc in enumerate(ranking, 1):
        if doc in seen:
            hits += 1
            total += hits / rank
    return total / relevant


def test_shares_of_average_precision_are_those_of_all_orders():
    before, after = ["u", "b", "a", "v", "c"], ["a", "v", "b", "w"]
    orders = list(permutations("abc"))
    expected = dict.fromkeys("abc", 0.0)
    for order in orders:
        value, seen = 0.0, set()
        for doc in order:
            seen.add(doc)
            new = average_precision(after, seen, 3) - average_precision(before, seen, 3)
            expected[doc] += (new - value) / len(orders)
            value = new
    query = single_query(find_changes(JUDGED, {"1": before}, {"1": after}, "AP"))
    assert document_shares(query) == pytest.approx(expected)


def test_a_document_that_did_not_move_can_explain_a_change_of_average_precision():
    # b stays where it is; that there is a relevant one above it now, makes half of its new worth.
    query = single_query(
        find_changes({"1": {"a": 1, "b": 1}}, {"1": ["u", "b"]}, {"1": ["a", "b"]}, "AP")
    )
    assert document_moves(query)["b"] == (2, 2, "same")
    assert document_shares(query) == pytest.approx({"a": (1 + 0.25) / 2, "b": 0.25 / 2})


def test_many_documents_are_sampled_and_still_right_where_documents_act_in_pairs():
    random = np.random.default_rng(3)
    docs = [f"d{number}" for number in range(40)]
    judged = dict.fromkeys(docs[:25], 1)
    before, after = ([docs[at] for at in random.permutation(40)] for _ in range(2))

    def own(ranking, doc):  # AP is a sum over pairs, of which either gets half
        rank = {doc: place for place, doc in enumerate(ranking, 1)}
        pairs = (0.5 / max(rank[doc], rank[other]) for other in judged if other != doc)
        return (1 / rank[doc] + sum(pairs)) / 25

    query = single_query(find_changes({"1": judged}, {"1": before}, {"1": after}, "AP"))
    expected = {doc: own(after, doc) - own(before, doc) for doc in judged}
    assert document_shares(query) == pytest.approx(expected, abs=1e-9)
    assert "25 documents" in query.notes[0]
    assert "sample" in query.notes[0]


def test_what_changes_without_judged_documents_is_told_apart():
    changes = find_changes(JUDGED, {"1": ["a"]}, {"1": ["a", "u", "v"]}, "NumRet")
    query = single_query(changes)
    assert (query.change, query.rest, query.documents) == (2, 2, ())
    assert "judged document: +2.0000" in changes.to_text()
    assert changes.to_csv().splitlines()[1:] == [
        "NumRet,bm25,dense,1,,nothing judged,,,,2.0,1.0,3.0,2.0"
    ]


def test_rounded_values_leave_a_rest_of_what_was_rounded():
    query = single_query(find_changes(JUDGED, BEFORE, AFTER, "nDCG@10", decimals=1))
    assert document_shares(query)["c"] == pytest.approx(-(1 / log2(6)) / IDEAL)
    assert sum(document_shares(query).values()) + query.rest == pytest.approx(query.change)
    assert 0 < abs(query.rest) < 0.1
    (note,) = query.notes
    assert list_facts(note) == ["1"]  # decimal


def test_subtopics_are_shared_out_too():
    judged = pl.DataFrame(
        {"query": ["1"] * 4, "subtopic": [*"xxyx"], "doc": [*"abbc"], "grade": [1, 1, 1, 1]}
    )
    before, after = {"1": ["u", "a", "b"]}, {"1": ["b", "c"]}
    query = single_query(find_changes(judged, before, after, "S_recall@2"))
    assert query.change == 0.5  # x by a before; x and y by b after, c adding nothing new
    # b covers y for +1/2; x is covered before by a alone, after by b or c: half of 1/2 each.
    assert document_shares(query) == pytest.approx({"a": -0.5, "b": 0.75, "c": 0.25})


def mean_over_queries(matched):
    return matched.total(1 / matched.rank) / matched.size


def fails_for_most_sizes(matched):
    if matched.size not in (2, 3):
        raise ValueError("two queries, please, or three")
    return matched.total(1 / matched.rank)


def masks_single_hits(matched):
    few = matched.count(matched.rank > 0) < 2
    return np.ma.masked_array(matched.total(1 / matched.rank), mask=few & (matched.query.size > 0))


@pytest.mark.parametrize("queries", [2, 3])
@pytest.mark.parametrize("own", [mean_over_queries, fails_for_most_sizes, masks_single_hits])
def test_own_measures_that_cannot_be_taken_apart_still_tell_the_moves(own, queries):
    others = {str(number): ["a", "b"] for number in range(2, queries + 1)}
    gainful.register("OwnOfAll", own)
    try:
        changes = find_changes(JUDGED | others, BEFORE | others, AFTER | others, "OwnOfAll")
    finally:
        del MEASURES["OwnOfAll"]
    query = single_query(changes)
    assert query.rest is None
    assert document_moves(query)["c"] == (5, None, "lost")
    assert document_moves(query)["a"] == (3, 1, "up")
    assert set(document_shares(query).values()) == {None}
    assert find_notes(changes.to_text().splitlines(), "note", "OwnOfAll")
    assert changes.to_csv().splitlines()[1].split(",")[9] == ""


# What moved


def test_documents_go_up_and_down_are_lost_and_new_within_the_cutoff():
    before = {"1": ["a", "b", "u", "c", "d"]}
    after = {"1": ["b", "a", "v", "u", "c"]}
    judged = {"1": {"a": 3, "b": 1, "c": 2, "d": 2, "v": 1}}
    query = single_query(find_changes(judged, before, after, "nDCG@3"))
    assert document_moves(query) == {"a": (1, 2, "down"), "b": (2, 1, "up"), "v": (None, 3, "new")}
    # u is lost: no longer third
    assert (query.up, query.down, query.lost, query.new) == (1, 1, 1, 1)
    assert query.unjudged == (1, 0)
    query = single_query(find_changes(judged, before, after, "AP"))
    assert (query.up, query.down, query.lost, query.new) == (1, 3, 1, 1)  # of all documents
    assert document_moves(query)["d"] == (5, None, "lost")
    assert query.unjudged == (1, 1)


def test_a_document_that_leaves_the_first_k_is_lost_and_keeps_its_rank():
    judged, third, first = {"1": {"a": 1}}, {"1": [*"uva"]}, {"1": [*"auv"]}
    for runs, move in (((third, first), (3, 1, "new")), ((first, third), (1, 3, "lost"))):
        assert document_moves(single_query(find_changes(judged, *runs, "P@1"))) == {"a": move}


def test_ties_are_broken_as_the_convention_has_it():
    judged, before = {"1": {"a": 1, "z": 0}}, {"1": {"a": 1.0, "m": 1.0, "z": 1.0}}
    after = {"1": {"a": 2.0, "m": 1.0}}
    by_ties = {"doc_descending": 3, "doc_ascending": 1, "input": 1, "reversed": 3, "average": 2}
    for ties, rank in by_ties.items():
        changes = find_changes(judged, before, after, "nDCG@10", ties=ties)
        if rank == 1:
            assert (changes.queries, changes.same) == ((), 1)
        else:
            assert document_moves(single_query(changes)) == {"a": (rank, 1, "up")}
    query = single_query(
        find_changes(judged, {"1": {"a": 1.0, "m": 1.0}}, after, "nDCG@10", ties="average")
    )
    assert document_moves(query) == {"a": (1.5, 1, "up")}
    assert document_shares(query) == pytest.approx({"a": 1 - (1 + 1 / log2(3)) / 2})


@pytest.mark.parametrize(
    "options",
    [
        *({"ties": ties, "measure": "nDCG@4"} for ties in ("best", "worst", "mean_rank")),
        *({"ties": ties, "measure": "DCG"} for ties in ("best", "worst", "mean_rank")),
        *(
            {"like": name, "ties": ties, "measure": "nDCG@3", "decimals": 15}
            for name, convention in CONVENTIONS.items()
            if convention.has_own("nDCG", has_cutoff=True)
            for ties in (None, "input")
        ),
    ],
    ids=str,
)
def test_documents_explain_all_of_a_change_under_every_policy_and_like_any_tool(options):
    judged = {"1": {"a": 2, "b": 1, "c": 0, "d": 3, "e": 2, "f": 1}}
    before = {"1": {"a": 1.0, "b": 1.0, "u": 1.0, "c": 0.5, "v": 0.5, "f": 0.25}}
    after = {"1": {"v": 3.0, "a": 1.0, "d": 1.0, "u": 1.0, "c": 0.5, "b": 0.5, "e": 0.5}}
    query = single_query(find_changes(judged, before, after, **options))
    assert query.rest == pytest.approx(0, abs=1e-12)
    assert sum(document_shares(query).values()) == pytest.approx(query.change)


# Which queries


def test_the_largest_changes_come_first_and_queries_of_one_run_are_counted():
    judged = {query: {"a": 1} for query in ("1", "2", "10", "3", "4", "5", "6", "7")}
    third, second, first = [*"uva"], [*"ua"], ["a"]
    before = {"1": second, "2": third, "10": second, "3": first, "4": first, "5": first, "6": first}
    after = {"1": first, "2": first, "10": first, "3": third, "4": second, "5": first, "7": first}
    changes = find_changes(judged, before, after, "RR", missing="skip")
    assert [query.query for query in changes.queries] == ["2", "1", "10", "3", "4"]
    assert (changes.rose, changes.fell, changes.same, changes.unpaired) == (3, 2, 1, (1, 1))
    few = find_changes(judged, before, after, "RR", missing="skip", most=1)
    assert [query.query for query in few.queries] == ["2", "3"]
    lines = few.to_text().splitlines()
    assert find_notes(lines, 3, "not", "shown")
    facts = [list_facts(line) for line in lines]
    assert ["1", "bm25", "1"] in [line[-3:] for line in facts]  # only in one of them
    assert find_changes(judged, before, after, "RR", most=0).queries == ()


def test_a_query_that_one_run_lacks_falls_to_nothing_if_it_counts():
    judged = {"1": {"a": 1}, "2": {"b": 1}}
    changes = find_changes(judged, {"1": ["a"], "2": ["b"]}, {"2": ["b"]}, "RR")
    assert document_moves(single_query(changes)) == {"a": (1, None, "lost")}
    assert single_query(changes).change == -1
    there = pl.LazyFrame({"query": ["2"], "doc": ["b"], "score": [1.0]})
    for before in ({"2": ["b"]}, there):
        changes = find_changes(judged, before, {"1": ["a"], "2": ["b"]}, "RR")
        assert document_moves(single_query(changes)) == {"a": (None, 1, "new")}


def test_queries_that_are_left_out_of_the_mean_are_not_listed():
    judged = {"1": {"a": 1}, "2": {"b": 0}}
    changes = find_changes(
        judged, {"1": ["a"], "2": ["b"]}, {"1": ["u", "a"], "2": ["u"]}, empty="skip"
    )
    assert [query.query for query in changes.queries] == ["1"]
    assert changes.same == 0


def test_queries_without_judgments_can_change_too():
    judged = {"1": {"a": 1}}
    before, after = {"1": ["a"], "2": ["u"]}, {"1": ["a"], "2": ["u", "v"]}
    query = single_query(find_changes(judged, before, after, "NumRet", extra="empty"))
    assert (query.query, query.rest, query.new) == ("2", 1, 1)


def test_identical_runs_changed_nothing():
    changes = find_changes(JUDGED, BEFORE, BEFORE)
    assert (changes.queries, changes.same) == ((), 1)
    assert "no query changed" in changes.to_text()
    assert changes.to_csv().count("\n") == 0


def test_a_document_twice_in_a_ranking_counts_as_the_convention_has_it():
    twice = pl.DataFrame({"query": ["1"] * 3, "doc": ["a", "u", "a"], "score": [3.0, 2.0, 1.0]})
    data = {"1": {"a": 1}}, {"1": ["u", "v"]}, twice, "DCG"
    query = single_query(find_changes(*data, duplicates="count"))
    assert document_shares(query) == pytest.approx({"a": 1 + 1 / log2(4)})
    assert document_moves(query) == {"a": (None, 1, "new")}
    query = single_query(find_changes(*data, duplicates="last"))
    assert document_moves(query) == {"a": (None, 2, "new")}


# Whatever the data come as


def query_changes(qrels, before, after, measure="nDCG@10"):
    return find_changes(qrels, before, after, measure).to_dict()["queries"]


@pytest.fixture
def three():
    random = np.random.default_rng(11)
    docs = [str(number) for number in range(12)]
    judged = {q: {doc: int(random.integers(0, 3)) for doc in docs[:8]} for q in "123"}
    runs = [
        {
            q: {docs[at]: float(random.integers(0, 6)) for at in random.permutation(12)}
            for q in "123"
        }
        for _ in range(2)
    ]
    return judged, *runs


@pytest.mark.parametrize("make", [make for make in FRAME_MAKERS if make != "Spark"])
def test_frames_of_every_make_tell_the_same_as_dicts(make, three):
    judged, before, after = three

    def to_make(run, number="score"):  # some can be read only once
        return FRAME_MAKERS[make](to_frame(run, number))

    for measure in ("nDCG@3", "AP"):
        expected = query_changes(judged, before, after, measure)
        assert expected
        changes = query_changes(to_make(judged, "grade"), to_make(before), to_make(after), measure)
        assert changes == _approximate(expected)
        mixed = query_changes(judged, before, to_make(after), measure)
        assert mixed == _approximate(expected)


def _approximate(value):
    """The same data, numbers up to the order of a sum."""
    if isinstance(value, dict):
        return {key: _approximate(item) for key, item in value.items()}
    if isinstance(value, list):
        return [*map(_approximate, value)]
    return pytest.approx(value, abs=1e-12) if isinstance(value, float) else value


def test_numbers_as_ids_and_files_tell_the_same_as_dicts(three, tmp_path):
    judged, before, after = three
    whole = [
        {int(q): {int(doc): n for doc, n in inner.items()} for q, inner in side.items()}
        for side in three
    ]
    paths = (
        write_qrels(tmp_path / "qrels.txt", judged),
        write_run(tmp_path / "bm25.txt", before),
        write_run(tmp_path / "dense.txt", after),
    )
    for data in (whole, map(str, paths)):
        assert query_changes(*data) == _approximate(query_changes(judged, before, after))


# How it is shown


def test_text_answers_first_and_then_says_what_moved():
    judged = {"3": {"d12": 2, "d7": 1, "d8": 1}}
    before, after = {"3": [*"uvwx", "d12"]}, {"3": ["d12", "u", "d7", "v"]}
    head, query, counts = find_changes(judged, before, after).to_text().split("\n\n")
    assert list_facts(head, "dense") == ["dense", "bm25", "nDCG@10"]
    rows = [line.split() for line in query.splitlines()]
    assert rows[:3] == [
        ["query", "3", "0.2471", "→", "0.7985", "+0.5514"],
        ["d12", "grade", "2", "rank", "5", "→", "1", "up", "+0.3917"],
        ["d7", "grade", "1", "rank", "–", "→", "3", "new", "+0.1597"],
    ]
    assert list_facts(" ".join(rows[3])) == ["10", "1", "2", "2", "1", "4", "2"]  # up, down, …
    assert list_facts(counts) == ["1", "0", "0"]  # rose, fell, the same
    ideal = 2 + 1 / log2(3) + 1 / 2
    assert f"{(2 / log2(6)) / ideal:.4f}" == "0.2471"
    assert f"{(2 + 1 / 2) / ideal:.4f}" == "0.7985"


def test_odd_ids_steer_neither_a_terminal_nor_a_page():
    odd = "x\x1b[31m|\n<b>" + "y" * 100
    changes = find_changes({odd: {odd: 1}}, {odd: ["u", odd]}, {odd: [odd]}, "RR")
    for text in (changes.to_text(), changes.to_markdown()):
        assert "\x1b" not in text
        assert "\\x1b" in text
        assert "y" * 50 not in text
    page = changes.to_markdown()
    assert "<b>" not in page
    (row,) = [line for line in page.splitlines() if line.startswith("| x")]
    assert row.replace(r"\|", "").count("|") == 7
    assert json.loads(json.dumps([changes.to_dict()]))[0]["queries"][0]["query"] == odd


def test_a_terminal_gets_bold_heads_and_a_pipe_none():
    changes = find_changes(JUDGED, BEFORE, AFTER)
    assert "\x1b[1mquery 1" in render(changes.page(), "table", Terminal(80, colour=True))
    assert "\x1b" not in changes.to_text()


def test_many_documents_are_cut_short_in_text_and_whole_in_rows():
    docs = [f"d{number}" for number in range(15)]
    judged = {"1": dict.fromkeys(docs, 1)}
    changes = find_changes(judged, {"1": docs}, {"1": ["u", *docs]}, "DCG")
    text = changes.to_text()
    assert "… and 5 more documents, -0.0" in text
    lines = changes.to_csv().splitlines()
    assert lines[0].startswith("measure,baseline,run,query,document,what,grade,rank_before")
    assert len(lines) == 16
    total = sum(float(line.split(",")[9]) for line in lines[1:])
    assert total == pytest.approx(single_query(changes).change)


def test_unjudged_documents_with_a_grade_explain_their_own_gain():
    """DCG of grades 1 and 2 in two orders: u, unjudged, counts as a document of grade 1."""
    query = single_query(
        find_changes(
            {"1": {"a": 2}},
            {"1": score_by_order(["u", "a"])},
            {"1": score_by_order(["a", "u"])},
            "DCG@2",
            unjudged_grade=1,
        )
    )
    assert document_shares(query) == pytest.approx({"a": 2 - 2 / log2(3), "u": 1 / log2(3) - 1})
    assert {doc.doc: doc.grade for doc in query.documents} == {"a": 2, "u": None}
    assert query.rest == 0
