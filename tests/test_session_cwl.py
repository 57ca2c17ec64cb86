"""INST's and IFT's searchers, in single lists and in sessions, against cwl_eval and by hand."""

import math
import random

import polars as pl
import pytest
from engines import FRAME_MAKERS
from hypothesis import given, strategies as st
from refusals import refuses
from session_tables import make_sessions, session_frame, session_value, session_values
from strategies import sessions_and_qrels

import gainful
from gainful.errors import BadValue
from gainful.measure.build_session_recipes import build_session_recipes
from gainful.measure.functions.sessions import user_models
from gainful.measure.sessions.in_parts import PartMatcher

IFT_RULE = {"T": 1.5, "b1": 0.7, "R1": 3.0, "A": 0.3, "b2": 0.4, "R2": 5.0}
RULE_TEXT = ", ".join(f"{name}={value}" for name, value in IFT_RULE.items())


def random_lists(seed, *, queries=1):
    """Gains of lists, in a session or one for each, of all lengths up to 15."""
    draw = random.Random(seed)  # noqa: S311
    return [
        [draw.choice((0, 0, 0, 1, 2, 3)) / 3 for _ in range(draw.randint(0, 15))]
        for _ in range(queries)
    ]


def name_documents(lists):
    """Documents and grades (0 to 3) of lists of gains; no document stands in two."""
    docs = [[f"d{q}_{i}" for i in range(len(gains))] for q, gains in enumerate(lists)]
    grades = {
        doc: round(3 * gain)
        for names, gains in zip(docs, lists, strict=True)
        for doc, gain in zip(names, gains, strict=True)
    }
    return docs, grades | {"elsewhere": 3}


# --- as cwl_eval has them ---


def cwl_metrics():
    """The metrics of cwl_eval, and the same of ours."""
    pytest.importorskip("cwl")
    from cwl.ruler.measures import cwl_ift, cwl_inst

    goal = {name: IFT_RULE[name] for name in ("T", "b1", "R1")}
    rate = {name: IFT_RULE[name] for name in ("A", "b2", "R2")}
    return [
        (cwl_inst.INSTCWLMetric(T=1.5), "INST", "T=1.5"),
        (cwl_ift.IFTGoalRateCWLMetric(**goal, **rate), "IFT", RULE_TEXT),
        (cwl_ift.IFTGoalCWLMetric(**goal), "IFT", f"{RULE_TEXT}, foraging=goal"),
        (cwl_ift.IFTRateCWLMetric(**rate), "IFT", f"{RULE_TEXT}, foraging=rate"),
    ]


def test_single_lists_and_sessions_of_one_query_are_those_of_cwl_eval():
    peers = cwl_metrics()
    from cwl.ruler.ranking import Ranking

    for seed in range(6):
        (gains,) = random_lists(seed)
        gains = gains or [0.0]
        (docs,), grades = name_documents([gains])
        run = {"q": {doc: -float(rank) for rank, doc in enumerate(docs)}}
        ranking = Ranking("q", gains, [1.0] * len(gains))
        for metric, name, rule in peers:
            expected = pytest.approx(metric.measure(ranking), rel=1e-9, abs=1e-12)
            single = f"{name}({rule}, max_grade=3)"
            assert gainful.evaluate({"q": grades}, run, single)[single] == expected
            for goal in ("session", "query"):
                whole = f"s{name}({rule}, goal={goal}, max_grade=3)@1000"
                sessions = make_sessions(s=[docs])
                assert session_value(sessions, {"s": grades}, whole) == expected


# --- in sessions ---


def inst_rule(T):  # noqa: N803  (as in the paper)
    """INST's rule, of documents looked at and gain: in the session, in the list."""

    def go_on(session, in_list, *, carries):
        looked, gained = session if carries else in_list
        return ((looked + T + (T - gained) - 1) / (looked + T + (T - gained))) ** 2

    return go_on


def ift_rule(*, T, b1, R1, A, b2, R2):  # noqa: N803
    """IFT's rule, as the paper writes it."""

    def go_on(session, in_list, *, carries):
        gained = session[1] if carries else in_list[1]
        c1 = 1 - (1 + b1 * math.exp((T - gained) * R1)) ** -1
        return c1 * (1 + b2 * math.exp((A - in_list[1] / in_list[0]) * R2)) ** -1

    return go_on


def walk_every_way(lists, p_ref, go_on, *, carries):
    """The rate of gain, way by way: documents looked at and gain, as much as each is likely."""
    looked = gained = 0.0
    ways = [(1.0, 0, 0.0)]  # how likely, documents looked at so far, gain so far
    for gains in lists:
        after = []
        for likely, before, gain_before in ways:
            still, total = likely, 0.0
            for rank, gain in enumerate(gains, 1):
                looked, gained, total = looked + still, gained + still * gain, total + gain
                session = (before + rank, gain_before + total)
                chance = go_on(session, (rank, total), carries=carries)
                chance = chance if rank < len(gains) else 0.0
                after.append((still * (1 - chance) * p_ref, *session))
                still *= chance
            if not gains:
                after.append((likely * p_ref, before, gain_before))
        ways = after
    return gained / looked if looked else 0.0


@pytest.mark.parametrize("goal", ["session", "query"])
@pytest.mark.parametrize(
    ("measure", "go_on"), [("sINST(T=2", inst_rule(2)), (f"sIFT({RULE_TEXT}", ift_rule(**IFT_RULE))]
)
def test_sessions_are_walked_as_way_by_way(measure, go_on, goal):
    named_sessions, qrels, expected = {}, {}, {"padded": {}, "as_is": {}}
    for seed in range(25):
        lists = random_lists(seed, queries=seed % 4 + 1)
        docs, grades = name_documents(lists)
        named_sessions[f"s{seed}"], qrels[f"s{seed}"] = docs, grades
        cut = {
            "as_is": [gains[:5] for gains in lists],
            "padded": [(gains + [0.0] * 5)[:5] for gains in lists],
        }
        for policy, gains in cut.items():
            carries = goal == "session"
            expected[policy][f"s{seed}"] = walk_every_way(gains, 0.6, go_on, carries=carries)
    for policy, values in expected.items():
        text = f"{measure}, p_ref=0.6, goal={goal}, lists={policy})@5"
        computed = session_values(make_sessions(**named_sessions), qrels, text)
        assert computed == pytest.approx(values, rel=1e-9, abs=1e-12)


def test_a_goal_that_earlier_queries_met_is_met():
    """The forager leaves as soon as the goal is met, and it stays met in the next list."""
    sessions = make_sessions(s=[["a", "b", "c"], ["x", "y", "d"]])
    grades = {"s": {"a": 1, "b": 1, "c": 1, "d": 1}}
    forager = "sIFT(T=1, R1=100, foraging=goal, p_ref=1, goal={})@3"
    met, anew = (
        session_value(sessions, grades, forager.format(goal)) for goal in ("session", "query")
    )
    stays = 0.9 / 1.9  # after a, where the goal is just met; nobody does so after b
    behind = stays**2  # those who were at a alone, and go on at x, then at y
    assert met == pytest.approx(
        (1 + stays + (1 - stays) * behind) / (1 + stays + 1 + (1 - stays) * (stays + behind)),
        abs=1e-9,
    )
    assert anew == pytest.approx((1 + stays + 1) / (1 + stays + 3), abs=1e-9)


def test_useless_lists_make_the_searcher_of_inst_patient():
    """Of what is behind, only documents count that gained nothing: x = 2T + those."""
    grades = {"s": {"a": 1, "b": 1, "d": 1}}
    text = "sINST(T=1, p_ref=1, goal={})@2"

    def value(first, goal):
        return session_value(make_sessions(s=[first, ["x", "d"]]), grades, text.format(goal))

    assert value(["a", "b"], "session") == value(["a", "b"], "query")
    # At u: x = 3; at v: 4. Then at x of the next list, by who comes: 4 (left at u), or 5.
    stays = (2 / 3) ** 2
    deep = (1 - stays) * (3 / 4) ** 2 + stays * (4 / 5) ** 2
    assert value(["u", "v"], "session") == pytest.approx(deep / (1 + stays + 1 + deep))
    assert value(["u", "v"], "query") == pytest.approx(stays / (1 + stays + 1 + stays))


@given(sessions_and_qrels(grades=st.integers(0, 1)), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_forager_whom_nothing_sways_is_the_searcher_of_srbp(data, p, balance):
    """But that a session ends, where sRBP's searcher asks on without results."""
    rows, judgments = data
    stays, depth = balance * p, 4
    p_ref = (p - stays) / (1 - stays)
    forager = gainful.Measure("sIFT")(
        R1=0, b1=stays / (1 - stays), foraging="goal", p_ref=p_ref, goal="query", max_grade=1
    )
    values = session_values(session_frame(rows), judgments, forager @ depth)
    srbp = gainful.Measure("sRBP")(p=p, balance=balance)
    whole = session_values(session_frame(rows), judgments, srbp)
    for session, value in values.items():
        queries = max(row[1] for row in rows if row[0] == session)
        looked = sum(p_ref**m * stays**n for m in range(queries) for n in range(depth))
        assert value * looked == pytest.approx(whole[session] / (1 - p), abs=1e-9)


@given(sessions_and_qrels(), st.sampled_from(["sINST", "sIFT"]), st.sampled_from([1, 7, 10**6]))
def test_neither_the_parts_nor_the_order_of_sessions_matter(data, name, cells):
    rows, judgments = data
    at_once = session_values(session_frame(rows), judgments, f"{name}@3")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_models, "_BLOCK_CELLS", cells)
        in_parts = session_values(session_frame(rows), judgments, f"{name}@3")
    assert in_parts == pytest.approx(at_once, abs=1e-12)


def test_documents_count_once_if_asked():
    sessions, grades = make_sessions(s=[["a", "b"], ["a", "c"]]), {"s": {"a": 2}}
    once = session_value(sessions, grades, "sINST(duplicates=first)@2")
    other = make_sessions(s=[["a", "b"], ["z", "c"]])
    assert once == session_value(other, grades, "sINST@2")


def test_sessions_without_results_gain_nothing():
    sessions = make_sessions(s=[[], []], t=[[], ["a"]])
    grades = {"s": {"a": 1}, "t": {"a": 1}}
    for measure in ("sINST(lists=as_is)@3", "sIFT(lists=as_is)@3"):
        assert session_values(sessions, grades, measure) == {"s": 0.0, "t": 1.0}


def test_grades_are_scaled_by_the_highest_judged_or_by_what_is_said():
    sessions, grades = make_sessions(s=[["a"]]), {"s": {"a": 1, "elsewhere": 4}}
    assert session_value(sessions, grades, "sINST@1") == 0.25
    assert session_value(sessions, grades, "sINST(max_grade=2)@1") == 0.5
    assert session_value(sessions, {"s": {"a": -1}}, "sINST@1") == 0


@pytest.mark.parametrize(
    ("measure", "about"),
    [
        ("sINST(T=0.2)@3", "T"),
        ("sINST@1001", "k"),
        ("sINST", "k"),
        ("sIFT(goal=day)@3", "goal"),
        ("sIFT(b1=0)@3", "b1"),
        ("sIFT(foraging=both)@3", "foraging"),
        ("sINST(max_grade=0)@3", "max_grade"),
        ("INST", "measure"),
        ("IFT", "measure"),
    ],
)
def test_what_cannot_be_is_answered_with_what_is_allowed(measure, about):
    with refuses(gainful.errors.GainfulError, about):
        session_value(make_sessions(s=[["a"]]), {"s": {"a": 1}}, measure)


def test_parts_that_cannot_know_the_best_grade_ask_for_it(study):
    frame = make_sessions(s=[["a", "b"], ["c"]]).with_columns(grade=pl.Series([3.0, 0.0, 1.0]))
    whole = session_value(frame, None, "sINST@2")
    engine = FRAME_MAKERS["lazy polars"](frame)
    assert session_value(engine, None, "sINST(max_grade=3)@2") == pytest.approx(whole)
    for measure in ("sINST@2", "Session(of='ERR@3')"):
        _, recipes = build_session_recipes(measure, None, {})
        PartMatcher(qrels=study.qrels, recipes=[*recipes.values()])
        with refuses(BadValue, "max_grade"):
            PartMatcher(qrels=None, recipes=[*recipes.values()])
    _, recipes = build_session_recipes("sINST(max_grade=3)@2", None, {})
    PartMatcher(qrels=None, recipes=[*recipes.values()])
