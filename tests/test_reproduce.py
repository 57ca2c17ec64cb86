"""`gainful reproduce`: what repro_eval 0.5.0 printed for the same data, and straight loops."""

import json
from math import sqrt
from random import Random

import pytest
from facts import find_notes
from refusals import refuses
from scipy.stats import kendalltau

from gainful import evaluate, reproduce
from gainful.errors import BadValue, CannotCompare, WrongType
from gainful.evidence.reproduction import kendall_tau_union, rbo_to_depth

DOCS = [f"d{number}" for number in range(60)]
MEASURES = ["nDCG@10", "AP", "RR", "P@10"]
# RMSE, nRMSE, ER and DRI, as repro_eval 0.5.0 computes them.
PRINTED = {
    "nDCG@10": (0.18968393170726616, 0.21156901815559903, 0.03148918148393089, -0.5596011696269433),
    "AP": (0.09859189298663579, 0.1115749706207113, 0.049625005354018224, -0.4024006146262391),
    "RR": (0.33634508233943355, 0.39113047048782207, -0.059038015592373774, -0.5993731160010844),
    "P@10": (0.19364916731037088, 0.22955001291856497, 0.43749999999999994, -0.22569444444444453),
}


def make_run(seed, depth=30):
    """Thirty documents a query, with many tied scores."""
    chance, run = Random(seed), {}  # noqa: S311
    for query in range(12):
        docs = chance.sample(DOCS, depth)
        scores = sorted((round(chance.random(), 1) for _ in docs), reverse=True)
        run[f"q{query:02d}"] = dict(zip(docs, scores, strict=True))
    return run


def make_qrels():
    chance = Random(4)  # noqa: S311
    return {
        f"q{query:02d}": {doc: chance.choice([0, 0, 1, 2]) for doc in chance.sample(DOCS, 25)}
        for query in range(12)
    }


ORIGINAL, REPRODUCED, ORIGINAL_BASE, REPRODUCED_BASE = (make_run(seed) for seed in (1, 2, 3, 5))


@pytest.fixture(scope="module")
def reproduction():
    return reproduce(
        make_qrels(), ORIGINAL, REPRODUCED, MEASURES, baselines=(ORIGINAL_BASE, REPRODUCED_BASE)
    )


def test_the_numbers_are_those_of_repro_eval(reproduction):
    order = reproduction.orders[0]
    assert order.tau_union == pytest.approx(0.04712643678160999, abs=1e-12)
    assert order.rbo == pytest.approx(0.23493195017831284, abs=1e-12)
    shallow = reproduce(make_qrels(), ORIGINAL, REPRODUCED, "RR", depth=10, p=0.8).orders[0]
    assert shallow.rbo == pytest.approx(0.08039852537082047, abs=1e-12)
    errors = {error.measure: error for error in reproduction.errors if error.run == "run"}
    for effect in reproduction.effects:
        error = errors[effect.measure]
        values = (error.rmse, error.nrmse, effect.effect_ratio, effect.delta_relative)
        assert values == pytest.approx(PRINTED[effect.measure], abs=1e-12)


def test_errors_and_effects_are_those_of_straight_loops(reproduction):
    runs = (ORIGINAL, REPRODUCED, ORIGINAL_BASE, REPRODUCED_BASE)
    scores = [evaluate(make_qrels(), run, "AP").values_by_query() for run in runs]
    queries = list(scores[0])
    original, again, base, base_again = ([row[q]["AP"] for q in queries] for row in scores)
    squares = [(a - b) ** 2 for a, b in zip(base, base_again, strict=True)]
    error = next(e for e in reproduction.errors if (e.run, e.measure) == ("baseline", "AP"))
    assert error.rmse == pytest.approx(sqrt(sum(squares) / 12))
    gains = [sum(a) / 12 - sum(b) / 12 for a, b in ((original, base), (again, base_again))]
    effect = next(item for item in reproduction.effects if item.measure == "AP")
    assert (effect.original, effect.reproduced) == pytest.approx(tuple(gains))
    assert effect.effect_ratio == pytest.approx(gains[1] / gains[0])
    relative = (gains[0] / (sum(base) / 12), gains[1] / (sum(base_again) / 12))
    assert effect.delta_relative == pytest.approx(relative[0] - relative[1])


def overlap_by_hand(first, second, p, depth):
    total = weights = 0.0
    for at in range(1, depth + 1):
        total += p ** (at - 1) * len({*first[:at]} & {*second[:at]}) / at
        weights += p ** (at - 1)
    return total / weights


@pytest.mark.parametrize("depth", [1, 3, 5, 12])
def test_rbo_is_the_overlap_at_each_depth(depth):
    first, second = list("abcdefgh"), list("bxacyhg")
    assert rbo_to_depth(first, second, p=0.9, depth=depth) == pytest.approx(
        overlap_by_hand(first, second, 0.9, depth)
    )


def test_tau_union_numbers_documents_by_their_place_in_the_union():
    assert kendall_tau_union(["d1", "d2", "d3"], ["d1", "d2", "d4"]) == 1.0  # of the paper
    assert kendall_tau_union(["d1", "d2", "d3"], ["d3", "d2", "d1"]) == -1.0
    first, second = ["b", "e", "a"], ["c", "a", "d"]
    place = {doc: at for at, doc in enumerate("abcde")}
    expected = kendalltau([place[d] for d in first], [place[d] for d in second]).statistic
    assert kendall_tau_union(first, second) == pytest.approx(expected)
    assert kendall_tau_union(["a"], ["a"]) is None


def test_the_run_itself_is_reproduced_perfectly():
    again = reproduce(
        make_qrels(), ORIGINAL, ORIGINAL, "AP", baselines=(ORIGINAL_BASE, ORIGINAL_BASE), depth=30
    )
    assert [(order.tau_union, order.rbo) for order in again.orders] == [(1.0, pytest.approx(1))] * 2
    assert [(error.rmse, error.nrmse) for error in again.errors] == [(0.0, 0.0)] * 2
    assert (again.effects[0].effect_ratio, again.effects[0].delta_relative) == (1.0, 0.0)


def test_lists_shorter_than_the_depth_cannot_reach_an_rbo_of_1():
    order = reproduce(make_qrels(), ORIGINAL, ORIGINAL, "AP").orders[0]
    assert order.rbo == order.largest_rbo
    assert order.largest_rbo == pytest.approx(
        overlap_by_hand(DOCS[:30], DOCS[:30], 0.95, 1000), abs=1e-12
    )


def test_ties_are_ranked_by_descending_id_as_trec_eval_does():
    tied = {"1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    ranked = {"1": ["b", "a", "c"]}
    assert reproduce({"1": {"a": 1}}, tied, ranked, "RR", depth=3).orders[0].tau_union == 1.0


def test_a_replication_compares_effects_alone():
    other = {f"t{query}": grades for query, grades in make_qrels().items()}
    moved = [{f"t{q}": docs for q, docs in run.items()} for run in (REPRODUCED, REPRODUCED_BASE)]
    replication = reproduce(
        make_qrels(),
        ORIGINAL,
        moved[0],
        MEASURES,
        baselines=(ORIGINAL_BASE, moved[1]),
        reproduced_qrels=other,
    )
    assert (replication.orders, replication.errors) == ((), ())
    for effect in replication.effects:
        assert effect.effect_ratio == pytest.approx(PRINTED[effect.measure][2], abs=1e-12)
        assert effect.delta_relative == pytest.approx(PRINTED[effect.measure][3], abs=1e-12)
    assert "effect ratio" in replication.to_text()


def test_what_cannot_be_told_is_none_and_said():
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    run, nothing = {"1": ["a"], "2": ["b"]}, {"1": ["x"], "2": ["x"]}
    same = reproduce(qrels, run, run, "RR", baselines=(run, run)).effects[0]
    assert same.effect_ratio is None
    assert same.delta_relative == 0
    empty = reproduce(qrels, run, run, "RR", baselines=(nothing, nothing)).effects[0]
    assert empty.effect_ratio == 1
    assert empty.delta_relative is None
    single = reproduce(qrels, run, {"1": ["a"]}, "RR")
    assert single.orders[0].tau_union is None
    assert find_notes(single.notes, "no", "tau", 1, "query")
    assert find_notes(single.notes, 1, "query", "one", "side")
    assert reproduce(qrels, run, run, "DCG@5").errors[0].nrmse is None
    unequal = reproduce(qrels, {"1": ["a", "x", "y"]}, {"1": ["a", "x"]}, "RR")
    assert find_notes(unequal.notes, "tau", 1, "query", "shorter")


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"depth": 0}, BadValue, "depth"),
        ({"depth": "ten"}, WrongType, "depth"),
        ({"p": 1.5}, BadValue, "p"),
        ({"baselines": "x"}, WrongType, "baselines"),
        ({"reproduced_qrels": {"1": {"a": 1}}}, BadValue, "reproduced_qrels"),
        ({"measures": "NumRet"}, BadValue, "measures"),
    ],
)
def test_what_cannot_be_is_refused(options, error, about):
    with refuses(error, about):
        reproduce({"1": {"a": 1}}, {"1": ["a", "b"]}, {"1": ["b", "a"]}, **options)


def test_runs_without_a_query_in_common_are_refused():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.raises(CannotCompare):
        reproduce(qrels, {"1": ["a"]}, {"2": ["a"]}, "RR")


def test_the_command_tells_the_same(tmp_path, run_gainful, reproduction):
    (tmp_path / "qrels.json").write_text(json.dumps(make_qrels()))
    names = []
    for name, run in (
        *(("original", ORIGINAL), ("again", REPRODUCED)),
        *(("base", ORIGINAL_BASE), ("base-again", REPRODUCED_BASE)),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
        names.append(tmp_path / f"{name}.json")
    measures = [word for name in MEASURES for word in ("-m", name)]
    words = ("reproduce", tmp_path / "qrels.json", *names[:2], "--baselines", *names[2:], *measures)
    data = json.loads(run_gainful(*words, "--format", "json").out)
    assert data["effects"] == reproduction.to_dict()["effects"]
    assert data["orders"] == reproduction.to_dict()["orders"]
    rows = run_gainful(*words, "--format", "csv").out.splitlines()
    assert rows[0] == "what,run,measure,value"
    assert any(row.startswith("effect_ratio,effect,AP,0.0496") for row in rows)
    assert "tau union 0.05 (at most 1)" in " ".join(
        run_gainful(*words, "--format", "table").out.split()
    )
