"""What holds of sDCG and nsDCG whatever the sessions and the options are."""

import itertools

import numpy as np
import polars as pl
import pytest
from facts import list_facts
from hypothesis import assume, given, strategies as st
from refusals import refuses
from session_tables import make_sessions, session_frame, session_value, session_values
from strategies import sessions_and_qrels

import gainful
from gainful.convention.session import SESSION_CONVENTIONS, SessionConvention
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.functions.sessions import sdcg
from gainful.measure.sessions.session_values import compute_session_values


def _is_compatible(options):
    """Queries by themselves, and ranks that go on over all of them, do not go together."""
    choice = options.get("normalise"), options.get("rank_discount")
    return choice != ("query", "concatenated")


DISCOUNTS = st.sampled_from(["jk2008", "jk2002", "shifted", "log"])
BASES = st.floats(1.01, 900)
OPTIONS = {
    "gain": st.sampled_from(["linear", "exp", "{0:0,1:1,2:10,3:100}"]),
    "discount": st.sampled_from(["jk2008", "jk2002", "log2", "zipf", "none", "shifted"]),
    "query_discount": st.sampled_from(["jk2008", "shifted", "none", "log2"]),
    "duplicates": st.sampled_from(["every", "first", "clicked", "judged"]),
    "lists": st.sampled_from(["padded", "as_is", "minimum(2)", "minimum(6)"]),
    "depth": st.sampled_from(["assumed", "scanned"]),
    "rank_discount": st.sampled_from(["restart", "concatenated"]),
    "normalise": st.sampled_from(["session", "query"]),
    "hold": st.sampled_from(["held", "growing"]),
    "average_over": st.sampled_from(["own", "common"]),
    "statistic": st.sampled_from(["final", "best", "last", "average", "per_query"]),
    "empty": st.sampled_from([0, 1, "skip"]),
}


@st.composite
def choices(draw, *fixed):
    """Some options of nsDCG, those that were not drawn being as they are."""
    some = [name for name in OPTIONS if name not in fixed and draw(st.booleans())]
    return {name: draw(OPTIONS[name]) for name in some}


def evaluate_with_recipe(rows, qrels, measure, **options):
    results = gainful.sessions.evaluate(session_frame(rows), qrels, measure, **options)
    (recipe,) = results.recipes.values()
    return results, recipe


def place_document(query, rank, queries=4, depth=4):
    """A session of unknown documents, but for one in its place."""
    return [
        ["a" if (q, r) == (query, rank) else f"x{q}_{r}" for r in range(1, depth + 1)]
        for q in range(1, queries + 1)
    ]


PLACES = list(itertools.product((1, 2, 4), (1, 2, 4)))
ONE_DOCUMENT = make_sessions(
    **{f"{query}_{rank}": place_document(query, rank) for query, rank in PLACES}
)


@given(DISCOUNTS, DISCOUNTS, BASES, BASES, st.sampled_from(["restart", "concatenated"]))
def test_a_document_earns_no_more_in_a_later_query_or_deeper_down(discount, query, b, bq, settings):
    measure = gainful.Measure("sDCG")(
        discount=discount, query_discount=query, b=b, bq=bq, rank_discount=settings
    )
    grades = {f"{query}_{rank}": {"a": 3} for query, rank in PLACES}
    earned = np.array(list(session_values(ONE_DOCUMENT, grades, measure @ 4).values())).reshape(
        3, 3
    )
    assert (np.diff(earned, axis=0) <= 1e-12).all()
    assert (np.diff(earned, axis=1) <= 1e-12).all()


@given(sessions_and_qrels(queries=1), OPTIONS["gain"], BASES, BASES, st.integers(1, 6))
def test_a_session_of_one_query_has_the_ndcg_of_that_query(data, gain, b, bq, x):
    rows, judgments = data
    measure = gainful.Measure("nsDCG")(gain=gain, b=b, bq=bq) @ x
    alone = gainful.nDCG(gain=gain, discount="jk2008", b=b) @ x
    for name, value in session_values(session_frame(rows), judgments, measure).items():
        grades, docs = judgments[name], [row[3] for row in rows if row[0] == name and row[3]]
        shown = [grades.get(doc, 0) for doc in docs]
        wanted = gainful.compute(alone, shown, judged=list(grades.values())) if docs else 0
        assert value == pytest.approx(wanted, abs=1e-12)


@given(sessions_and_qrels(), choices(), st.integers(1, 5))
def test_normalised_values_lie_between_0_and_1_at_every_position(data, options, x):
    assume(_is_compatible(options))
    values, recipe = evaluate_with_recipe(*data, f"nsDCG@{x}", **options)
    (values_,) = values.values.values()
    everywhere = sdcg.session_vectors(values.matched_sessions, recipe).normalise(recipe)
    for numbers, can_pass_one in (
        (np.ma.compressed(values_), recipe.can_pass_one),
        (everywhere[~np.isnan(everywhere)], recipe.vector_can_pass_one),
    ):
        assert (numbers >= 0).all()
        assert can_pass_one or (numbers <= 1 + 1e-12).all()


@pytest.mark.parametrize("statistic", ["last", "best"])
def test_a_vector_that_can_pass_1_is_flagged_though_its_value_cannot(statistic):
    rows = [("s", at, 1, "a", False, 1, 1.0) for at in (1, 2)]
    options = {"rank_discount": "concatenated", "lists": "as_is", "statistic": statistic}
    values, recipe = evaluate_with_recipe(rows, {"s": {"a": 1}}, "nsDCG@3", **options)
    vectors = sdcg.session_vectors(values.matched_sessions, recipe).normalise(recipe)
    assert np.nanmax(vectors) > 1
    assert not recipe.can_pass_one
    assert [list_facts(note, "vector") for note in values.notes] == [["vector", "nsDCG@3", "1"]]


def test_every_default_pairing_is_bound_by_its_ideal():
    for duplicates, lists, depth, normalise in itertools.product(
        ["every", "first", "clicked", "judged"],
        ["padded", "as_is", "minimum(3)"],
        ["assumed", "scanned"],
        ["session", "query", "concatenated"],
    ):
        settings = {"duplicates": duplicates, "depth": depth, "normalise": normalise}
        assert not SessionConvention(**settings, lists=lists).can_pass_one
        assert not SessionConvention(**settings, rank_discount="concatenated").can_pass_one
    passing = {name for name, known in SESSION_CONVENTIONS.items() if known.can_pass_one}
    assert passing == {"trec_dd_2015"}


@pytest.mark.parametrize(
    ("options", "lists", "grades"),
    [
        ({"ideal": "once"}, ["a", "a"], {"a": 1}),
        ({"ideal": "best_slots"}, ["a", "a"], {"a": 1}),
        ({"ideal": "once", "duplicates": "clicked"}, ["a", "a"], {"a": 1}),
        ({"ideal": "best_slots", "duplicates": "judged"}, ["a", "a"], {"a": 1}),
        ({"ideal": "once", "duplicates": "first"}, ["a", "b"], {"a": 1, "b": 1}),
        ({"rank_discount": "concatenated", "lists": "as_is"}, ["a", "a"], {"a": 1}),
        ({"rank_discount": "concatenated", "lists": "minimum(2)"}, ["a", "a"], {"a": 1}),
    ],
)
def test_a_pairing_that_can_pass_1_is_flagged_and_does(options, lists, grades):
    rows = [("s", at, 1, doc, False, 1, 1.0) for at, doc in enumerate(lists, 1)]
    values, recipe = evaluate_with_recipe(rows, {"s": grades}, "nsDCG@3", **options)
    assert recipe.convention.can_pass_one
    assert values.mean["nsDCG@3"] > 1
    assert [list_facts(note, "vector") for note in values.notes] == [["nsDCG@3", "1"]]


@given(sessions_and_qrels(), choices("rank_discount", "lists", "statistic"), st.integers(1, 5))
def test_padding_never_changes_the_final_gain(data, options, x):
    own = {
        name: value for name, value in options.items() if name in SESSION_MEASURES["sDCG"].params
    }
    rows, judgments = data
    gains = [
        session_values(session_frame(rows), judgments, f"sDCG@{x}", lists=lists, **own)
        for lists in ("padded", "as_is", "minimum(3)")
    ]
    assert gains[0] == gains[1] == gains[2]


@given(sessions_and_qrels(), st.integers(1, 5), OPTIONS["gain"])
def test_without_discounts_it_is_cumulated_gain(data, x, gain):
    rows, judgments = data
    measure = gainful.Measure("sDCG")(gain=gain, discount="none", query_discount="none") @ x
    plain = gainful.Measure("Session")(of=f"CG(gain={gain})@{x}", over="sum")
    values = session_values(session_frame(rows), judgments, measure)
    assert values == pytest.approx(session_values(session_frame(rows), judgments, plain), abs=1e-9)


@given(sessions_and_qrels(), BASES, BASES, BASES, st.sampled_from(["jk2008", "jk2002", "shifted"]))
def test_gain_never_falls_as_b_or_bq_grows(data, b, bq, other, discount):
    rows, judgments = data
    measure = gainful.Measure("sDCG")(discount=discount, query_discount=discount) @ 3
    low, high = sorted((b, other))
    for fewer, more in (({"b": low, "bq": bq}, {"b": high, "bq": bq}),
                        ({"b": bq, "bq": low}, {"b": bq, "bq": high})):  # fmt: skip
        less = session_values(session_frame(rows), judgments, measure(**fewer))
        greater = session_values(session_frame(rows), judgments, measure(**more))
        assert all(greater[name] >= less[name] - 1e-9 for name in less)


EVERY = [
    *("sDCG@3", "nsDCG@3", "nsDCG(duplicates=first)@2", "nsDCG(statistic=average)@3", "esnDCG"),
    *("esnCG@2", "sRBP", "IR", "IR@1", "CT", "ACT@2", "Session(over=best)"),
    *("RL(of='AP', repeated=scanned)", "nsDCG(duplicates=judged)@3", "sINST@3", "sIFT@2"),
]


@given(sessions_and_qrels(), st.randoms())
def test_the_order_of_sessions_changes_nothing(data, random):
    rows, judgments = data
    names = list(judgments)
    random.shuffle(names)
    turned = [row for name in names for row in rows if row[0] == name]
    values = gainful.sessions.evaluate(session_frame(rows), judgments, EVERY).to_dict()[
        "per_session"
    ]
    other = gainful.sessions.evaluate(session_frame(turned), judgments, EVERY).to_dict()[
        "per_session"
    ]
    assert {name: pytest.approx(value, abs=1e-12) for name, value in values.items()} == other


@given(sessions_and_qrels(), choices("statistic", "hold"), st.integers(1, 4))
def test_a_vector_ends_at_the_final_value(data, options, x):
    assume(_is_compatible(options))
    for name in ("sDCG", "nsDCG"):
        own = {n: v for n, v in options.items() if n in SESSION_MEASURES[name].params}
        values, recipe = evaluate_with_recipe(*data, f"{name}@{x}", **own)
        laid_out = sdcg.session_vectors(values.matched_sessions, recipe)
        ends = laid_out.normalise(recipe) if name == "nsDCG" else laid_out.gain
        (values_,) = values.values.values()
        filled = np.ma.filled(np.ma.asarray(values_), np.nan)
        assert ends[:, -1, -1] == pytest.approx(filled, abs=1e-9, nan_ok=True)


@given(sessions_and_qrels(most=1), st.integers(1, 2), st.sampled_from(["restart", "concatenated"]))
def test_the_best_slots_are_the_best_of_all_assignments(data, x, settings):
    judgments = data[1]
    options = {"duplicates": "first", "rank_discount": settings}
    values, recipe = evaluate_with_recipe(*data, f"nsDCG@{x}", **options)
    ideal = sdcg.session_vectors(values.matched_sessions, recipe).ideal[0].ravel()
    slots = [
        gainful.vectors.query_discount((q - 1) * x + i if settings == "concatenated" else i, bq=2)
        * gainful.vectors.query_discount(q, bq=4)
        for q in range(1, int(values.matched_sessions.query_counts[0]) + 1)
        for i in range(1, x + 1)
    ][:5]
    grades = sorted(judgments["s0"].values(), reverse=True)[: len(slots)]
    for p in range(1, len(slots) + 1):
        number = min(p, len(grades))
        best = max(
            sum(gain * slots[at] for gain, at in zip(grades, places, strict=False))
            for places in itertools.permutations(range(p), number)
        )
        assert ideal[p - 1] == pytest.approx(best, abs=1e-9)


@given(sessions_and_qrels())
def test_only_the_searchers_own_grades_count_if_judged(data):
    rows, judgments = data
    measure = "sDCG(duplicates=judged)@3"
    own_grades = dict.fromkeys(judgments, 0.0)
    for session, query, rank, _, _, _, grade in rows:
        if rank is not None and rank <= 3 and grade is not None:
            left = gainful.vectors.query_discount(rank, bq=2) * gainful.vectors.query_discount(
                query, bq=4
            )
            own_grades[session] += grade * left
    assert session_values(session_frame(rows), judgments, measure) == pytest.approx(
        own_grades, abs=1e-9
    )


@given(sessions_and_qrels())
def test_a_document_counts_until_it_was_clicked_or_the_first_time(data):
    rows, judgments = data
    until_clicked, once = dict.fromkeys(judgments, 0.0), dict.fromkeys(judgments, 0.0)
    for session, query, rank, doc, *_ in rows:
        if rank is None or rank > 3:
            continue
        before = [r for r in rows if r[0] == session and r[3] == doc and r[1] < query]
        left = gainful.vectors.query_discount(rank, bq=2) * gainful.vectors.query_discount(
            query, bq=4
        )
        gain = left * judgments[session].get(doc, 0)
        until_clicked[session] += 0 if any(r[4] for r in before) else gain
        once[session] += 0 if any(r[2] <= 3 for r in before) else gain
    for duplicates, wanted in (("clicked", until_clicked), ("first", once)):
        values = session_values(session_frame(rows), judgments, "sDCG@3", duplicates=duplicates)
        assert values == pytest.approx(wanted, abs=1e-9)


@given(sessions_and_qrels(), st.integers(1, 5))
def test_looking_as_deep_as_was_seen_is_cutting_lists_there(data, x):
    rows, judgments = data
    cut = [row if row[2] is None or row[2] <= row[5] else None for row in rows]
    left = [row for row in cut if row]
    for session, query in {row[:2] for row in rows} - {row[:2] for row in left}:
        left.append((session, query, None, None, False, 0, None))
    for measure in (f"sDCG@{x}", f"nsDCG@{x}", f"nsDCG(duplicates=first)@{x}"):
        seen = session_values(session_frame(rows), judgments, measure, depth="scanned")
        assert seen == pytest.approx(
            session_values(session_frame(left), judgments, measure), abs=1e-12
        )


def test_a_growing_ideal_grows_under_concatenated_ranks_too():
    shown = make_sessions(one=[["a"]], two=[["a"], ["a"]])
    judgments = {"one": {"a": 1}, "two": {"a": 1}}
    options = {"rank_discount": "concatenated", "discount": "zipf", "query_discount": "none"}
    results = gainful.sessions.evaluate(shown, judgments, "nsDCG@1", hold="growing", **options)
    assert results.mean["nsDCG@1"] == pytest.approx((1 / 1.5 + 1) / 2)


def test_queries_without_judgments_are_left_out_or_worth_nothing_if_asked():
    shown = make_sessions(s=[["a"], ["a"]]).with_columns(topic=pl.Series(["t", "unknown"]))
    judgments = {"t": {"a": 1}}
    assert session_value(shown, judgments, "nsDCG@1", unjudged="drop") == 1
    assert session_value(shown, judgments, "nsDCG(normalise=query)@1", unjudged="zero") < 1
    with refuses(gainful.errors.BadInput, "sessions", "'unknown'"):
        session_value(shown, judgments, "nsDCG@1")


def test_an_empty_ideal_counts_in_its_query_only():
    shown = make_sessions(s=[["a"], ["b"]]).with_columns(topic=pl.Series(["t", "none"]))
    judgments = {"t": {"a": 1}, "none": {"b": 0}}
    results = gainful.sessions.evaluate(shown, judgments, "nsDCG(normalise=query, empty=1)@1")
    (recipe,) = results.recipes.values()
    assert compute_session_values(results.matched_sessions, recipe).tolist() == [1.0]
