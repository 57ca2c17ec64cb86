"""Every value of golden/sessions.json, by the Python call and by the command."""

import math
from itertools import chain

import numpy as np
import polars as pl
import pytest
from example_files import read_golden
from session_tables import make_sessions, session_value
from written_files import write_qrels, write_table

import gainful

GOLDEN = read_golden("sessions")
CASE = GOLDEN.pop("session")
JUDGMENTS = {"s": CASE["grades"]}
SESSION = make_sessions(s=CASE["queries"])
AT = f"@{CASE['top']}"
B = f"b={CASE['b']}, bq={CASE['bq']}"


CALLS = []


def golden_value(measure, **options):
    value = session_value(SESSION, JUDGMENTS, measure, **options)
    CALLS.append((measure, options, value))
    return value


def jk2008():
    sdcg_, nsdcg = f"sDCG({B}){AT}", f"nsDCG({B}){AT}"
    weights = "0:0,1:1,2:10,3:100"
    vectors = gainful.sessions.evaluate(SESSION, JUDGMENTS, nsdcg).vectors()
    by_query = [
        session_value(SESSION, JUDGMENTS, f"Session(of='DCG(discount=jk2008, b={CASE['b']}){AT}', over=sum)",
              first_queries=n) for n in (1, 2, 3)
    ]  # fmt: skip
    by_session = [session_value(SESSION, JUDGMENTS, sdcg_, first_queries=n) for n in (1, 2, 3)]
    return {
        "vector": vectors["gain"].to_list(),
        "ideal_vector": vectors["ideal"].to_list(),
        "normalised_vector": vectors["share"].to_list(),
        "final": golden_value(sdcg_),
        "normalised_final": golden_value(nsdcg),
        "average_position_value": golden_value(sdcg_, statistic="average"),
        "per_query_dcg": np.diff(by_query, prepend=0),
        "per_query_sdcg": np.diff(by_session, prepend=0),
        "weights_0_1_10_100": {
            "final": golden_value(sdcg_, gain=weights),
            "normalised": golden_value(nsdcg, gain=weights),
        },
        "duplicates_first": {
            "final": golden_value(sdcg_, duplicates="first"),
            "by_repeated_ideal": golden_value(nsdcg, duplicates="first", ideal="repeated"),
            "by_each_document_once_ideal": golden_value(nsdcg, duplicates="first", ideal="once"),
        },
    }


def hold_after_stop():
    sessions = make_sessions(one=[["x", "y", "z"]], long=[["x"], ["y"], ["z"]])
    qrels = {"one": {"x": 1}, "long": {"none": 1}}
    measure = f"nsDCG({B}){AT}"

    def share_vector(hold):
        """Of the session that has stopped: twice the mean with one that gains nothing."""
        results = gainful.sessions.evaluate(sessions, qrels, measure, hold=hold)
        return 2 * results.curve()["mean"].to_numpy()

    assert share_vector("held") == pytest.approx([1] * 9, abs=1e-12)
    return {
        "one_query_session_gains": [1, 0, 0],
        "normalised_when_ideal_is_held": share_vector("held")[-1],
        "normalised_at_q1_q2_q3_when_ideal_grows": share_vector("growing")[2::3],
    }


def compute_all():
    like, together = {"like": "kanoulas2011"}, {"rank_discount": "concatenated"}
    positions = np.arange(1, 12)
    return {
        "jk2008": jk2008(),
        "kanoulas2011_rank_restarts": {
            "sdcg": golden_value(f"sDCG{AT}", **like),
            "nsdcg": golden_value(f"nsDCG{AT}", **like),
            "sdcg_per_query": golden_value(f"sDCG(statistic=per_query){AT}", **like),
        },
        "kanoulas2011_concatenated_rank": {
            "sdcg": golden_value(f"sDCG{AT}", **like, **together),
            "by_repeated_ideal": golden_value(f"nsDCG{AT}", **like, **together),
        },
        "trec_dd_2017": {"nsdcg": golden_value("nsDCG@3", like="trec_dd_2017")},
        "trec_dd_2015": {
            "before_division": golden_value(f"nsDCG(statistic=final){AT}", like="trec_dd_2015"),
            "after_division_by_queries": golden_value(f"nsDCG{AT}", like="trec_dd_2015"),
        },
        "esndcg": {
            "p_ref=0.9,p_down=0.7": golden_value("esnDCG(p_ref=0.9, p_down=0.7)"),
            "p_ref=0.5,p_down=0.8": golden_value("esnDCG(p_ref=0.5, p_down=0.8)"),
            "esncg p_ref=0.8,p_down=0.7": golden_value("esnCG(p_ref=0.8, p_down=0.7)"),
        },
        "srbp": {"p=0.8,balance=0.7": golden_value("sRBP(p=0.8, balance=0.7)")},
        "instance_recall_after_each_query": [golden_value(f"IR@{n}") for n in (1, 2, 3)],
        "hold_after_stop": hold_after_stop(),
        "discounts_jk2008": {
            base: gainful.vectors.query_discount(positions, bq=float(base))
            for base in ("2", "4", "10")
        },
    }


def leaves(tree, path=""):
    """Every number, by the way to it."""
    if isinstance(tree, dict):
        for key, below in tree.items():
            yield from leaves(below, f"{path}/{key}")
    elif isinstance(tree, (list, np.ndarray)):
        for key, below in enumerate(tree):
            yield from leaves(below, f"{path}/{key}")
    elif not isinstance(tree, str):
        yield path, float(tree)


COMPUTED, WANTED = dict(leaves(compute_all())), dict(leaves(GOLDEN))


def test_every_golden_value_is_computed():
    assert COMPUTED.keys() == WANTED.keys()


@pytest.mark.parametrize("path", WANTED)
def test_a_golden_value_comes_out(path):
    assert COMPUTED[path] == pytest.approx(WANTED[path], abs=1e-9)


@pytest.mark.parametrize(("measure", "options", "value"), tuple(CALLS), ids=str)
def test_the_command_gives_the_value_too(run_gainful, tmp_path, measure, options, value):
    files = write_table(tmp_path / "s.csv", SESSION), write_qrels(tmp_path / "qrels", JUDGMENTS)
    words = [("--" + name.replace("_", "-"), value) for name, value in options.items()]
    asked = ("sessions", files[0], "--qrels", files[1], "-m", measure, *chain(*words))
    _, row = run_gainful(*asked, "--per-session", "--format", "csv", "-q").out.splitlines()
    assert float(row.split(",")[-1]) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("average", "hold", "wanted"),
    [
        ("ratios", "held", 0.7595),
        ("ratios", "growing", 0.4843),
        ("vectors", "held", 0.5637),
        ("vectors", "growing", 0.5061),
    ],
)
def test_the_four_means_of_a_long_and_a_short_session(average, hold, wanted):
    """research/sessions.md, A2 and A3; there to four digits."""
    data = make_sessions(s=CASE["queries"], one=[["x", "y", "z"]])
    judgments = JUDGMENTS | {"one": {"x": 1}}
    options = {"average": average, "hold": hold}
    results = gainful.sessions.evaluate(data, judgments, f"nsDCG({B}){AT}", **options)
    assert results.mean[f"nsDCG({B}){AT}"] == pytest.approx(wanted, abs=5e-5)


def test_the_statistics_of_a_session_keep_its_query_discounts():
    ideal = GOLDEN["jk2008"]["ideal_vector"][2]  # of one query, undiscounted
    gains = GOLDEN["jk2008"]["per_query_sdcg"]
    average = np.mean(GOLDEN["jk2008"]["normalised_vector"])
    for statistic, gain in (("best", max(gains)), ("last", gains[-1])):
        assert golden_value(f"sDCG({B}){AT}", statistic=statistic) == pytest.approx(gain)
        assert golden_value(f"nsDCG({B}){AT}", statistic=statistic) == pytest.approx(gain / ideal)
    assert golden_value(f"nsDCG({B}){AT}", statistic="average") == pytest.approx(average)
    assert golden_value(f"sDCG({B}){AT}", statistic="per_query") == pytest.approx(sum(gains) / 3)


def test_lists_as_they_are_have_fewer_positions_to_average():
    vector = GOLDEN["jk2008"]["vector"]
    taken = [gain for at, gain in enumerate(vector) if at != 5]  # the second list has two
    value = golden_value(f"sDCG({B}, statistic=average, lists=as_is){AT}")
    assert value == pytest.approx(np.mean(taken))
    assert golden_value(f"sDCG({B}, statistic=average, lists=minimum(3)){AT}") == pytest.approx(
        GOLDEN["jk2008"]["average_position_value"]
    )


def test_the_literal_reading_of_2_2_concatenates_normalised_query_vectors():
    """Each query's discounted vector over the ordinary ideal; nothing is summed."""
    ideal = np.cumsum(np.array([3, 2, 1]) / [1, 2, 1 + math.log2(3)])  # of grades 3, 2, 1, 1
    weights = [1 / (1 + math.log(q) / math.log(4)) for q in (1, 2, 3)]
    lists = [[0, 1, 0], [3, 1, 0], [3, 2, 0]]
    expected = [
        share
        for weight, grades in zip(weights, lists, strict=True)
        for share in weight * np.cumsum(np.array(grades) / [1, 2, 1 + math.log2(3)]) / ideal
    ]
    results = gainful.sessions.evaluate(
        SESSION, JUDGMENTS, f"nsDCG({B}, normalise=concatenated){AT}"
    )
    assert results.vectors()["share"].to_list() == pytest.approx(expected)
    assert sum(expected[2::3]) == pytest.approx(1.1546, abs=5e-5)  # as research has it
    name = next(iter(results.values))
    assert results[name] == pytest.approx(expected[-1])
    average = golden_value(f"nsDCG({B}, normalise=concatenated, statistic=average){AT}")
    assert average == pytest.approx(np.mean(expected))


def test_a_minimum_is_a_penalty_where_it_is_asked_for():
    """An empty list takes a place, and the ranks of the next list are counted on behind it."""
    shown = pl.DataFrame(
        {"session": ["s"] * 2, "query": [1, 2], "rank": [None, 1], "doc": [None, "a"]}
    )
    qrels = {"s": {"a": 1}}
    weight = 1 / (1 + math.log(2) / math.log(4))
    as_is, penalised, restarted = (
        gainful.sessions.evaluate(shown, qrels, f"sDCG(b=2, bq=4, {option})@3").mean.popitem()[1]
        for option in ("lists=as_is", "lists=minimum", "lists=minimum, rank_discount=restart")
    )
    assert as_is == restarted == pytest.approx(weight)
    assert penalised == pytest.approx(weight / (1 + math.log2(2)))
