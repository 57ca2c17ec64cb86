"""Documents that nobody judged: how far they could move a value, and a comparison."""

import csv
import json
from itertools import product
from time import process_time
from typing import get_overloads

import numpy as np
import polars as pl
import pytest
from attrs import evolve
from example_files import EXAMPLES
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from profiles import examples
from refusals import refuses

import gainful
from gainful.convention import CONVENTIONS
from gainful.errors import BadValue
from gainful.evidence.unjudged import limits
from gainful.measure.catalogue import MEASURES

DOCS = [f"d{number}" for number in range(9)]
MORE = {
    "SetF": ("SetF", "SetF@2"),
    "R": ("R", "R@2"),
    "AP": ("AP", "AP@3", "AP(rel=2)"),
    "nDCG": ("nDCG", "nDCG@2", "nDCG@4", "nDCG(gain=exp)@3", "nDCG(ideal=list)@3"),
    "nCG": ("nCG", "nCG@3"),
    "IPrec": ("IPrec@0.5", "IPrec@0.2"),
    "Success": ("Success@2",),
    "MCC": ("MCC@2",),
    "Judged": ("Judged", "Judged@2"),
}
SPELLINGS = [
    spelling
    for name, entry in MEASURES.items()
    for spelling in MORE.get(name, (f"{name}@3" if entry.cutoff_kind == "needed" else name,))
    if not entry.needs_scores  # which a document without a judgment has, but not the grading
]


@st.composite
def queries(draw, *, lowest=0):
    """A query: grades of some documents, scores of some, not too many of them unjudged."""
    judged = draw(
        st.dictionaries(st.sampled_from(DOCS[:6]), st.integers(lowest, 3), min_size=1, max_size=5)
    )
    scores = st.integers(0, 4).map(float)  # with ties
    ranked = draw(st.dictionaries(st.sampled_from(DOCS), scores, min_size=1, max_size=7))
    unjudged_docs = [doc for doc in ranked if doc not in judged]
    for doc in unjudged_docs[3:]:
        del ranked[doc]
    return judged, ranked


def brute_force(judged, ranked, measures, grades=None, **options):
    """The values under every grading there is: each is a query of its own."""
    grades = sorted({0, *judged.values()}) if grades is None else grades
    unjudged_docs = [doc for doc in ranked if doc not in judged]
    gradings = list(product(grades, repeat=len(unjudged_docs)))
    qrels = {
        str(at): judged | dict(zip(unjudged_docs, grading, strict=True))
        for at, grading in enumerate(gradings)
    }
    runs = {str(at): ranked for at in range(len(gradings))}
    results = gainful.evaluate(qrels, runs, measures, **options)
    return {
        name: [value for value in np.ma.asarray(values).tolist() if value is not None]
        for name, values in results.values.items()
    }


def assert_bounds(bounds, values_by_measure):
    """Exact bounds are those of brute force, outer ones contain them."""
    rows = {row["measure"]: row for row in bounds.per_query.to_dicts()}
    for name, values in values_by_measure.items():
        low, high = rows[name]["low"], rows[name]["high"]
        if not values:
            assert (low, high) == (None, None) or not bounds.exact[name], name
        elif bounds.exact[name]:
            assert low == pytest.approx(min(values), abs=1e-12), name
            assert high == pytest.approx(max(values), abs=1e-12), name
        else:
            assert low is None or low <= min(values) + 1e-12, name
            assert high is None or high >= max(values) - 1e-12, name


ARGUED = [  # what is exact however many gradings there are
    *("nDCG", "nDCG@2", "nDCG(gain=exp)@3", "nDCG(ideal=list)@3", "nCG@3", "DCG", "IDCG", "CG"),
    *("AP", "AP@3", "R@2", "RR", "Rprec", "Bpref", "infAP", "RBP", "gRBP", "ERR", "SetF", "binG"),
]


def find_bounds(judged, ranked, measures, *, all_tried=True, **options):
    """The bounds of a query: of so few gradings all can be tried, or none is."""
    with pytest.MonkeyPatch.context() as patch:
        if not all_tried:
            patch.setattr(limits, "_MAX_GRADINGS", 0)
        return gainful.unjudged({"q": judged}, {"q": ranked}, measures, **options)


@examples(20)
@given(queries())
def test_every_measure_has_the_bounds_of_brute_force(query):
    """Where gradings are tried; and where they are not, bounds are exact or contain all values."""
    expected = brute_force(*query, SPELLINGS)
    tried, argued = (find_bounds(*query, SPELLINGS, all_tried=tried) for tried in (True, False))
    for bounds in (tried, argued):
        assert_bounds(bounds, expected)
    assert all(tried.exact.values())
    assert all(argued.exact[name] for name in ARGUED)


SETTINGS_TRIED = {
    "empty": [0, 1, "skip"],
    "ideal_depth": ["k", "all", "retrieved"],
    "short": ["as_is", "minimum"],
    "negative": ["zero", "keep", "remove", "in_ideal"],
    "unjudged": ["zero", "remove"],
    "ties": ["doc_descending", "doc_ascending", "input", "best", "worst"],
    "fractional": ["keep", "truncate"],
    "decimals": [None, 3],
}
SOME = [*ARGUED, "P@3", "IPrec@0.5", "SetP", "Utility", "nERR@3", "Compat"]


@examples(60)
@given(
    queries(lowest=-1),
    st.fixed_dictionaries(
        {name: st.sampled_from(answers) for name, answers in SETTINGS_TRIED.items()}
    ),
    st.sampled_from([None, (0, 1), (0.5, 2), (1, 3), (0,), (-1, 0, 2)]),
    st.booleans(),
)
def test_bounds_hold_under_every_setting_and_with_any_grades(query, settings, grades, all_tried):
    judged, ranked = query
    filled = settings["short"] == "minimum"  # which needs a cutoff
    measures = [name for name in SOME if not filled or "CG" not in name or "@" in name]
    options = {"grades": grades, "max_grade": 3, **settings}
    bounds = find_bounds(judged, ranked, measures, all_tried=all_tried, **options)
    assert_bounds(bounds, brute_force(judged, ranked, measures, **options))


@examples(40)
@given(queries(), st.sampled_from(["average", "mean_rank", "best", "worst"]))
def test_cumulated_gain_has_exact_bounds_where_ties_share_their_ranks(query, ties):
    judged, ranked = query
    measures = ["nDCG", "nDCG@2", "DCG@3", "nCG@3", "CG@2"]
    bounds = find_bounds(judged, ranked, measures, all_tried=False, ties=ties)
    assert_bounds(bounds, brute_force(judged, ranked, measures, ties=ties))
    open_ = any(doc not in judged for doc in ranked)
    assert all(bounds.exact.values()) == (ties not in ("best", "worst") or not open_)


@examples(60)
@given(queries(), st.sampled_from(sorted(CONVENTIONS)), st.booleans())
def test_bounds_hold_like_every_tool(query, name, all_tried):
    judged, ranked = query
    tool = CONVENTIONS[name]
    tool = tool.with_settings(empty=0) if tool.empty == "error" else tool
    measures = ["nDCG@3", "nDCG@1", "DCG@2"]
    bounds = find_bounds(judged, ranked, measures, all_tried=all_tried, like=tool)
    assert_bounds(bounds, brute_force(judged, ranked, measures, like=tool))


# ── longer lists, of which not all gradings can be tried ─────────────────────────────────────


def make_long_list(seed, size, grades):
    """A list in which two of three documents are unjudged."""
    rng = np.random.default_rng(seed)
    docs = [f"d{number:03}" for number in range(size)]
    judged = {doc: int(rng.choice(grades)) for doc in docs if rng.random() < 1 / 3}
    judged |= {f"missed{number}": int(rng.choice(grades)) for number in range(4)}
    return judged, rng.permutation(docs).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_counts_that_are_left_out_could_not_have_been_better(seed):
    shares = {name: entry for name, entry in MEASURES.items() if entry.extremes == "share"}
    measures = [f"{name}@20" if name == "relP" else name for name in shares] + ["AP@20", "R@30"]
    judged, ranked = make_long_list(seed, 120, [0, 0, 0, 1, 2])
    pruned = gainful.unjudged({"q": judged}, {"q": ranked}, measures)
    with pytest.MonkeyPatch.context() as patch:
        for name, entry in shares.items():
            patch.setitem(MEASURES, name, evolve(entry, extremes="every"))
        whole = gainful.unjudged({"q": judged}, {"q": ranked}, measures)
    for name in measures:
        assert pruned.mean[name] == pytest.approx(whole.mean[name], abs=1e-12), name


@pytest.mark.parametrize("seed", range(5))
def test_cumulated_gain_has_the_bounds_of_all_multisets_of_grades(seed):
    measures = ["nDCG", "nDCG@5", "nDCG(gain=exp)@10", "nCG@5", "nDCG(ideal_depth=all)@5"]
    judged, ranked = make_long_list(seed, 21, [0, 1, 2])
    open_ = [doc for doc in ranked if doc not in judged]
    every = []
    for twos in range(len(open_) + 1):
        for ones in range(len(open_) + 1 - twos):
            grades = [2] * twos + [1] * ones + [0] * (len(open_) - ones - twos)
            every += [grades, grades[::-1]]
    judgments = {
        str(at): judged | dict(zip(open_, grading, strict=True)) for at, grading in enumerate(every)
    }
    values = gainful.evaluate(judgments, dict.fromkeys(judgments, ranked), measures).values
    bounds = gainful.unjudged({"q": judged}, {"q": ranked}, measures, grades=[0, 1, 2])
    for name, (low, _, high) in bounds.mean.items():
        assert bounds.exact[name]
        assert low == pytest.approx(values[name].min(), abs=1e-12), name
        assert high == pytest.approx(values[name].max(), abs=1e-12), name


def test_lazy_frames_are_brought_into_memory_and_that_is_said():
    run = pl.LazyFrame({"query": ["1", "1"], "doc": ["x", "a"], "score": [2.0, 1.0]})
    bounds = gainful.unjudged({"1": {"a": 1}}, run, "RR")
    assert bounds.mean["RR"] == (0.5, 0.5, 1)
    assert "brought into memory" in bounds.notes[0]


# ── means, and what is left out of them ──────────────────────────────────────────────────────


@examples(20)
@given(
    st.lists(queries(), min_size=2, max_size=2),
    st.sampled_from([0, 1, "skip"]),
    st.sampled_from(["zero", "skip"]),
)
def test_bounds_of_the_mean_equal_brute_force_over_all_queries_at_once(pair, empty, missing):
    judgments = {str(at): judged for at, (judged, _) in enumerate(pair)} | {"gone": {"d0": 1}}
    run = {"new": {"d0": 1.0, "d1": 0.5}}
    for at, (judged, ranked) in enumerate(pair):
        dropped = [doc for doc in ranked if doc not in judged][2:]
        run[str(at)] = {doc: score for doc, score in ranked.items() if doc not in dropped}
    measures = ["nDCG@2", "AP", "P@2"]
    settings = {"empty": empty, "missing": missing}
    bounds = gainful.unjudged(judgments, run, measures, grades=[0, 1, 3], **settings)
    open_ = [(q, doc) for q in ("0", "1") for doc in run[q] if doc not in judgments[q]]
    every = {name: [] for name in measures}
    for grades in product(bounds.grades, repeat=len(open_)):
        judged = {query: dict(inner) for query, inner in judgments.items()}
        for (query, doc), grade in zip(open_, grades, strict=True):
            judged[query][doc] = grade
        for name, mean in gainful.evaluate(judged, run, measures, **settings).mean.items():
            every[name] += [] if np.isnan(mean) else [mean]
    for name, (low, _, high) in bounds.mean.items():
        if not every[name]:
            assert (low, high) == (None, None)
            continue
        assert low == pytest.approx(min(every[name]), abs=1e-12)
        assert high == pytest.approx(max(every[name]), abs=1e-12)


def test_queries_without_judgments_and_missing_ones_stay_as_they_are():
    judgments = {"1": {"a": 1}, "gone": {"a": 1}}
    run = {"1": ["a"], "new": ["x", "y"]}
    bounds = gainful.unjudged(judgments, run, "RR", extra="zero")
    rows = bounds.per_query.select("query", "low", "value", "high", "unjudged").rows()
    assert rows == [("1", 1, 1, 1, 0), ("gone", 0, 0, 0, 0), ("new", 0, 0, 0, 0)]
    assert bounds.exact == {"RR": True}


def test_ndcg_of_one_unjudged_document_by_hand():
    # a (2) stands below the new document: 2/log2(3) / 2 = 0.6309 as it is. Of grade 1 it gains
    # 1 + 2/log2(3), the ideal being 2 + 1/log2(3); of grade 2 the ranking is ideal.
    bounds = gainful.unjudged({"1": {"a": 2, "b": 1}}, {"1": ["new", "a"]}, "nDCG@2")
    ideal = 2 + 1 / np.log2(3)
    low, value, high = bounds.mean["nDCG@2"]
    assert low == value == pytest.approx(2 / np.log2(3) / ideal)
    assert high == pytest.approx(1)
    only = gainful.unjudged({"1": {"a": 2, "b": 1}}, {"1": ["new", "a"]}, "nDCG@2", grades=[0, 1])
    assert only.mean["nDCG@2"][2] == pytest.approx((1 + 2 / np.log2(3)) / ideal)
    assert only.grades == (0, 1)


@pytest.mark.parametrize(
    ("run", "measure", "grades", "bounds"),
    [
        # Below the cutoff it raises the ideal alone: recall is 1 of 1; if x is relevant, 1 of 2.
        ("ax", "R@1", None, (0.5, 1, 1)),
        ("ax", "nDCG@1", None, (1, 1, 1)),
        # grades that are all relevant, or none
        ("xa", "AP", [0], (0.5, 0.5, 0.5)),
        ("xa", "AP", [1, 2], (1, 0.5, 1)),
        ("ax", "Judged@2", None, (1, 0.5, 1)),  # a value that no grading gives
    ],
)
def test_bounds_of_two_documents_by_hand(run, measure, grades, bounds):
    limits = gainful.unjudged({"1": {"a": 1}}, {"1": [*run]}, measure, grades=grades)
    assert limits.mean == {measure: bounds}
    assert limits.unjudged[measure].tolist() == [0 if "@1" in measure else 1]
    outside = find_notes(limits.notes, measure, "outside")
    assert bool(outside) == (not bounds[0] <= bounds[1] <= bounds[2])


def test_a_document_that_stands_twice_counts_twice_in_every_grading():
    judgments = pl.DataFrame({"query": ["1"], "doc": ["a"], "grade": [1]})
    run = pl.DataFrame({"query": ["1"] * 3, "doc": ["x", "a", "x"], "score": [3.0, 2.0, 1.0]})
    bounds = gainful.unjudged(judgments, run, "DCG", duplicates="count")
    once = 1 / np.log2(3)
    assert bounds.mean["DCG"][0] == pytest.approx(once)
    assert bounds.mean["DCG"][2] == pytest.approx(1 + once + 0.5)


def test_grades_for_unknown_subtopics_are_bounded_from_outside():
    judgments = pl.DataFrame(
        {"query": ["1", "1"], "subtopic": ["s", "t"], "doc": ["a", "b"], "grade": [1, 1]}
    )
    measures = ["StRecall@2", "alpha_nDCG@2", "P@2"]
    bounds = gainful.unjudged(judgments, {"1": ["x", "a"]}, measures)
    assert bounds.mean["StRecall@2"] == (0, 0.5, 1)
    assert bounds.mean["alpha_nDCG@2"][::2] == (None, None)  # its greedy ideal can be passed
    assert bounds.exact == {"StRecall@2": False, "alpha_nDCG@2": False, "P@2": True}
    assert find_notes(bounds.notes, "StRecall@2", "not", "exact")


def test_an_own_measure_is_tried_out_where_there_are_few_gradings_and_else_not_known():
    def Sumgrade(matched):
        return matched.total(matched.grade)

    gainful.register(Sumgrade)
    try:
        few = gainful.unjudged({"1": {"a": 2}}, {"1": ["a", "x"]}, "Sumgrade")
        assert few.mean == {"Sumgrade": (2, 2, 4)}
        assert few.exact["Sumgrade"]
        many = gainful.unjudged(
            {"1": {"a": 2}}, {"1": ["a", *(f"x{n}" for n in range(20))]}, "Sumgrade"
        )
        assert many.mean == {"Sumgrade": (None, 2, None)}
        assert many.exact == {"Sumgrade": False}
        assert "–" in repr(many)
    finally:
        del MEASURES["Sumgrade"]


def test_condensed_lists_are_those_of_judged_only():
    judgments, run = {"1": {"a": 1, "b": 0}}, {"1": ["x", "a", "y", "b"]}
    bounds = gainful.unjudged(judgments, run, ["RR", "nDCG@1", "NumQ"])
    assert bounds.condensed == {"RR": 1, "nDCG@1": 1, "NumQ": None}
    spelled = gainful.evaluate(judgments, run, ["RR(judged_only=True)", "nDCG(judged_only=True)@1"])
    assert list(spelled.mean.values()) == [1, 1]


def test_nothing_unjudged_leaves_every_value_as_it_is():
    bounds = gainful.unjudged({"1": {"a": 2, "b": 0}}, {"1": ["b", "a"]}, SPELLINGS)
    for low, value, high in bounds.mean.values():
        assert low == high == value
    assert all(bounds.exact.values())


def test_fifty_queries_a_thousand_deep_take_seconds():
    rng = np.random.default_rng(1)
    docs = np.array([f"d{number}" for number in range(5000)])
    judged, run = {}, {}
    for query in map(str, range(50)):
        ranked = rng.permutation(docs)[:1000]
        run[query] = ranked.tolist()
        grades = rng.choice([0, 1, 2, 3], 100, p=[0.6, 0.2, 0.1, 0.1])
        judged[query] = dict(zip(rng.permutation(ranked)[:100], grades.tolist(), strict=True))
    begin = process_time()
    bounds = gainful.unjudged(judged, run, ["nDCG@10", "nDCG", "AP"])
    assert process_time() - begin < 10  # it takes two
    assert all(bounds.exact.values())
    assert all(0 <= low <= value <= high <= 1 for low, value, high in bounds.mean.values())


# ── settling ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("measure", "grades"),
    [
        *(("RR", grades) for grades in ("01", 3, [True], ["1"], [float("nan")], [])),
        ("ERR", [0, 2]),  # where all are scaled by the best
        ("nDCG(gain={0:0,1:1})", [0, 5]),  # which the table lacks
    ],
)
def test_grades_that_cannot_be_are_refused(measure, grades):
    with refuses(BadValue, "grades"):
        gainful.unjudged({"1": {"a": 1}}, {"1": ["a", "x"]}, measure, grades=grades)
    gainful.unjudged({"1": {"a": 1}}, {"1": ["a", "x"]}, "ERR(max_grade=2)", grades=[0, 2])


# ── the command ──────────────────────────────────────────────────────────────────────────────

QRELS, BM25, DENSE = (str(EXAMPLES / f"{name}.txt") for name in ("qrels", "bm25", "dense"))


@pytest.fixture
def run(run_gainful):
    return lambda *words, **options: run_gainful("unjudged", *words, **options).answer


def test_the_command_prints_bounds_for_each_run_and_measure(run):
    out = run(QRELS, BM25, DENSE, "-m", "R@10", "--grades", "0,1", "--format", "table")
    answer, table = out.split("\n\n")[:2]
    # dense: 3 of 3, 2 of 3 (chowder: 3 of 4), 2 of 2, and of the query that it lacks nothing.
    assert list_facts(answer, "bm25", "but")[:3] == ["bm25", "R@10", "0.708"]
    assert "but" not in answer  # it stays highest
    lines = [line.split() for line in table.splitlines()]
    # bm25: of bread 2 of 3 (crumbs: 3 of 4), of soup 2 of 3 (bowls: 3 of 4), 1 of 2, 2 of 2.
    assert lines[0] == ["run", "measure", "bounds", "low", "value", "high", "condensed", "unjudged"]
    assert lines[1] == ["bm25", "R@10", "exact", "0.7083", "0.7083", "0.7500", "0.7083", "2"]
    assert "grades 0, 1" in out


def test_the_command_prints_a_row_for_each_query(run):
    out = run(QRELS, BM25, "-m", "R@10", "--per-query", "--format", "csv", "-q")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["query"] for row in rows] == ["bread", "soup", "pickles", "cake"]
    assert [float(row["high"]) for row in rows] == [0.75, 0.75, 0.5, 1]


def test_the_command_gives_all_of_it_as_json(run):
    data = json.loads(run(QRELS, BM25, "-m", "P@3", "--format", "json"))["runs"][0]
    assert data["run"] == "bm25"
    assert data["grades"] == [0, 1, 2, 3]
    assert data["measures"]["P@3"]["exact"] is True
    assert data["measures"]["P@3"]["per_query"][0]["query"] == "bread"


@examples(25)
@given(queries(), st.sampled_from(["nDCG@2", "DCG@3", "AP", "P@2", "RR", "ERR", "Bpref"]))
def test_the_effect_of_a_document_is_what_judging_it_alone_changes(query, measure):
    judged, run = query
    bounds = gainful.unjudged({"1": judged}, {"1": run}, measure)
    before = gainful.evaluate({"1": judged}, {"1": run}, measure).mean[measure]
    best = bounds.grades[-1]
    listed = {doc: effect for _, doc, _, effect in bounds.documents.iter_rows()}
    for doc in {*run} - {*judged}:
        after = gainful.evaluate({"1": {**judged, doc: best}}, {"1": run}, measure).mean[measure]
        assert listed.get(doc, 0.0) == pytest.approx(after - before, abs=1e-12)
    sizes = [abs(effect) for effect in listed.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_effects_are_of_the_mean_of_all_queries_and_of_the_first_measure():
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    bounds = gainful.unjudged(judged, {"1": ["x", "a"], "2": ["a"]}, ["P@2", "RR"])
    assert bounds.documents.rows() == [("1", "x", 1, 0.25)]  # half of the queries, one of two


def test_effects_are_refused_where_they_are_unknown():
    with refuses(BadValue, "measure"):
        gainful.unjudged({"1": {"a": 1}}, {"1": ["x", "a"]}, "GMAP").documents  # noqa: B018
    columns = {"query": ["1", "1"], "subtopic": ["s", "t"], "doc": ["a", "b"], "grade": [1, 1]}
    judged = pl.DataFrame(columns)
    bounds = gainful.unjudged(judged, {"1": ["x", "a"]}, "StRecall@2")
    with refuses(BadValue, "measure"):
        bounds.documents  # noqa: B018


@pytest.mark.parametrize("form", ["tsv", "json", "table"])
def test_the_command_lists_what_to_judge_first(run, form):
    out = run(QRELS, BM25, DENSE, "-m", "DCG@3", "--first", "2", "--format", form)
    if form == "json":
        rows = [[*row.values()] for row in json.loads(out)["first"]]
    else:
        rows = [line.split() for line in out.splitlines() if "bread" in line]
    assert [row[:3] for row in rows] == [["bm25", "bread", "crumbs"], ["dense", "bread", "yeast"]]


def test_a_type_checker_knows_that_several_runs_have_bounds_each():
    overloads = get_overloads(gainful.unjudged)
    returned = [overload.__annotations__["return"] for overload in overloads]
    assert returned == ["RunBounds", "Bounds", "RunBounds"]
