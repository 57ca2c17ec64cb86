"""Measures over subtopics: ndeval's numbers, the papers' sums, and what is made of odd input."""

import math
from time import process_time

import numpy as np
import polars as pl
import pyndeval
import pytest
from facts import find_notes, list_facts
from hypothesis import given, strategies as st
from refusals import refuses
from strategies import subtopic_qrels_and_runs

import gainful

THEIRS = {
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
}
UNCUT = {"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"}
WITH_ALPHA = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP")
COLUMNS = ["query", "subtopic", "doc", "grade"]


def to_frame(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def spell_measure(name, alpha=0.5, beta=0.5, rel=1, k=None):
    params = [f"rel={rel}"]
    params += [f"alpha={alpha}"] if name in WITH_ALPHA else []
    params += [f"beta={beta}"] if "NRBP" in name else []
    return f"{name}({', '.join(params)})" + (f"@{k}" if k else "")


@given(
    data=subtopic_qrels_and_runs(),
    alpha=st.sampled_from([0, 0.1, 0.3, 0.5, 0.7, 1]),
    beta=st.sampled_from([0.25, 0.5, 0.8]),
    rel=st.integers(1, 3),
)
def test_ndeval_prints_the_same_at_every_cutoff_it_has(data, alpha, beta, rel):
    rows, run = data
    names = {f"{name}@{k}": (ours, k) for name, ours in THEIRS.items() for k in range(1, 21)}
    names |= {name: (ours, None) for name, ours in UNCUT.items()}
    flat = [(query, doc, score) for query, inner in run.items() for doc, score in inner.items()]
    evaluator = pyndeval.RelevanceEvaluator(
        rows, list(names), relevance_level=rel, alpha=alpha, beta=beta
    )
    expected = evaluator.evaluate(flat)
    asked = {name: spell_measure(ours, alpha, beta, rel, k) for name, (ours, k) in names.items()}
    by_query = gainful.evaluate(
        to_frame(rows), run, asked.values(), like="pyndeval"
    ).values_by_query()
    assert by_query.keys() == expected.keys()
    for query, values in expected.items():
        for name, value in values.items():
            ours = by_query[query][asked[name]]
            nothing = not any(row[0] == query and row[3] >= rel for row in rows)
            if name == "nNRBP" and nothing:  # 0 of 0, which is no number there
                assert math.isnan(value)
                assert ours == 0
            else:
                assert ours == pytest.approx(value, abs=1e-12), (query, name)


def gains(ranking, doc_subtopics, alpha):
    """What is new at each rank, by the definition: (1 − alpha) to the number of times before."""
    seen = {}
    for doc in ranking:
        yield sum((1 - alpha) ** seen.get(subtopic, 0) for subtopic in doc_subtopics.get(doc, ()))
        for subtopic in doc_subtopics.get(doc, ()):
            seen[subtopic] = seen.get(subtopic, 0) + 1


def ideal_ranking(doc_subtopics, alpha):
    """The document that adds most comes next; of equals the last by id."""
    remaining, ranking = set(doc_subtopics), []
    while remaining:
        best = max(
            remaining,
            key=lambda doc: ([*gains([*ranking, doc], doc_subtopics, alpha)][-1], doc.encode()),
        )
        ranking.append(best)
        remaining.remove(best)
    return ranking


def compute_by_hand(name, ranking, doc_subtopics, *, alpha, beta, k):
    """A measure of one query, as its paper has it."""
    aspects = {subtopic for subtopics in doc_subtopics.values() for subtopic in subtopics}
    if not aspects:
        return 0.0
    depth = k or len(ranking)
    top = ranking[:depth]
    weight = {
        "DCG": lambda i: 1 / math.log2(i + 1),
        "ERR": lambda i: 1 / i,
        "NRBP": lambda i: beta ** (i - 1),
    }
    kind = next((kind for kind in weight if kind in name), "")
    if kind:
        total = [
            sum(
                gain * weight[kind](i)
                for i, gain in enumerate(gains(docs, doc_subtopics, alpha), start=1)
            )
            for docs in (top, ideal_ranking(doc_subtopics, alpha)[:k])
        ]
        if name in ("alpha_nDCG", "nERR_IA", "nNRBP"):
            return total[0] / total[1]
        if name == "NRBP":
            return total[0] * (1 - (1 - alpha) * beta) / len(aspects)
        terms = (
            len(aspects) * (1 - alpha) ** (i - 1) * weight[kind](i) for i in range(1, depth + 1)
        )
        return total[0] / sum(terms)
    if name == "StRecall":
        return len({subtopic for doc in top for subtopic in doc_subtopics.get(doc, ())}) / len(
            aspects
        )
    values = []
    for subtopic in aspects:
        hits = [subtopic in doc_subtopics.get(doc, ()) for doc in ranking]
        relevant = sum(subtopic in subtopics for subtopics in doc_subtopics.values())
        terms = (sum(hits[: i + 1]) / (i + 1) for i in range(len(top)) if hits[i])
        values.append(sum(hits[:depth]) / depth if name == "P_IA" else sum(terms) / relevant)
    return sum(values) / len(aspects)


@given(
    data=subtopic_qrels_and_runs(tied=False),
    alpha=st.sampled_from([0, 0.25, 0.5, 0.75, 1]),  # whose powers are exact, so that ties are ties
    beta=st.sampled_from([0.5, 0.9, 1]),
    rel=st.integers(1, 2),
    k=st.sampled_from([1, 2, 7, 21, 25, 100, None]),
)
def test_the_sums_of_the_papers_at_any_cutoff(data, alpha, beta, rel, k):
    rows, run = data
    names = [*THEIRS.values(), *UNCUT.values()]
    cuts = {name: None if "NRBP" in name else k for name in names}
    cuts["P_IA"] = k or 30
    asked = {name: spell_measure(name, alpha, beta, rel, cuts[name]) for name in names}
    values = gainful.evaluate(to_frame(rows), run, asked.values()).values_by_query()
    for query in {row[0] for row in rows}:
        about = {}
        for _, subtopic, doc, grade in (row for row in rows if row[0] == query):
            if grade >= rel:
                about.setdefault(doc, set()).add(subtopic)
        ranking = sorted(run.get(query, {}), key=lambda doc: -run[query][doc])
        for name in names:
            expected = 0
            if ranking:
                expected = compute_by_hand(
                    name, ranking, about, alpha=alpha, beta=beta, k=cuts[name]
                )
            assert values[query][asked[name]] == pytest.approx(expected, abs=1e-12), name


def test_the_numbers_that_pyndeval_prints_for_its_own_example():
    rows = [("0", "a", "A", 1), ("0", "b", "B", 1), ("0", "b", "D", 1), ("0", "c", "C", 1)]
    run = {"0": {"A": 9.3, "D": 8.4, "E": 8.1, "B": 7.6}}
    printed = {
        "ERR-IA@5,10,20": (0.3933, 0.3907, 0.3907),
        "nERR-IA@5,10,20": (0.8297, 0.8297, 0.8297),
        "alpha-DCG@5,10,20": (0.4052, 0.3998, 0.3997),
        "alpha-nDCG@5,10,20": (0.7868, 0.7868, 0.7868),
        "NRBP": (0.3906,),
        "nNRBP": (0.8620,),
        "MAP-IA": (0.5,),
        "P-IA@5,10,20": (0.2, 0.1, 0.05),
        "strec@5,10,20": (0.6666, 0.6666, 0.6666),
    }
    for measure, values in printed.items():
        means = gainful.evaluate(to_frame(rows), run, measure).mean.values()
        assert tuple(means) == pytest.approx(values, abs=1e-4)


def test_a_greedy_ideal_can_be_beaten():
    """Greedy takes c, which shares a subtopic with either of the others; a and b share none."""
    about = {"a": "125", "b": "346", "c": "137"}
    rows = [("q", subtopic, doc, 1) for doc, subtopics in about.items() for subtopic in subtopics]
    results = gainful.evaluate(to_frame(rows), {"q": ["a", "b"]}, ["alpha_nDCG@2", "StRecall@2"])
    assert results.mean["alpha_nDCG@2"] == pytest.approx(
        (3 + 3 / math.log2(3)) / (3 + 2.5 / math.log2(3))
    )
    theirs = pyndeval.ndeval(rows, [("q", "a", 2.0), ("q", "b", 1.0)], ["alpha-nDCG@2"])
    assert results.mean["alpha_nDCG@2"] == pytest.approx(theirs["q"]["alpha-nDCG@2"], abs=1e-12)
    assert results.mean["StRecall@2"] == 6 / 7


@given(subtopic_qrels_and_runs())
def test_queries_may_be_taken_together_or_one_by_one(data):
    from gainful.measure.functions import subtopics

    names = ["alpha_nDCG", "alpha_nDCG@3", "nERR_IA", "nNRBP"]
    together = gainful.evaluate(to_frame(data[0]), data[1], names).values_by_query()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subtopics, "_BATCH_CELLS", 1)
        assert gainful.evaluate(to_frame(data[0]), data[1], names).values_by_query() == together


def test_a_cutoff_of_one_is_divided_here_and_not_in_ndeval():
    rows = [("q", "x", "a", 1), ("q", "y", "a", 1), ("q", "z", "b", 1)]
    names = ["alpha_DCG@1", "ERR_IA@1"]
    ours = gainful.evaluate(to_frame(rows), {"q": ["a"]}, names)
    assert ours.mean == dict.fromkeys(names, pytest.approx(2 / 3))
    theirs = gainful.evaluate(to_frame(rows), {"q": ["a"]}, names, like="ir_measures")
    assert theirs.mean == dict.fromkeys(names, 2)
    assert find_notes(theirs.notes, "above", 1, "query")
    printed = pyndeval.ndeval(rows, [("q", "a", 1.0)], ["alpha-DCG@1", "ERR-IA@1"])
    assert printed["q"] == {"alpha-DCG@1": 2, "ERR-IA@1": 2}


def test_judgments_without_subtopics_have_one_and_a_note_says_so():
    judged = {"q": {"a": 1, "b": 0, "c": 2}}
    results = gainful.evaluate(judged, {"q": ["b", "a", "c"]}, ["AP_IA", "AP", "StRecall@1"])
    assert results.mean["AP_IA"] == results.mean["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert results.mean["StRecall@1"] == 0
    assert [list_facts(note) for note in results.notes] == [["AP_IA", "StRecall@1"]]
    rows = [("q", "0", "a", 1), ("q", "0", "b", 0), ("q", "0", "c", 2)]
    run = [("q", "b", 3.0), ("q", "a", 2.0), ("q", "c", 1.0)]
    theirs = pyndeval.ndeval(rows, run, ["MAP-IA"])["q"]["MAP-IA"]
    assert results.mean["AP_IA"] == pytest.approx(theirs)
    assert gainful.compute("AP_IA", [0, 1, 2]) == pytest.approx(theirs)
    assert gainful.compute("alpha_nDCG@2", [1], judged=[0]) == 0


def test_other_measures_take_the_highest_grade_and_a_note_says_so():
    rows = [("q", "x", "a", 1), ("q", "y", "a", 3), ("q", "x", "b", 2)]
    run = {"q": ["b", "a"]}
    results = gainful.evaluate(to_frame(rows), run, ["DCG", "AP", "StRecall@1"])
    assert results.mean["DCG"] == pytest.approx(2 + 3 / math.log2(3))
    (note,) = results.notes
    assert list_facts(note) == ["DCG", "AP"]
    assert gainful.evaluate(to_frame(rows), run, "StRecall@1").notes == []
    once = [("q", "x", "a", 1), ("q", "y", "b", 3)]  # as TREC-COVID's rounds
    assert gainful.evaluate(to_frame(once), run, "AP").notes == []


def test_the_settings_count_for_subtopics_too():
    rows = [("q", "x", "a", 1.5), ("q", "y", "b", 2), ("q", "x", "c", -1)]
    run = {"q": ["z", "c", "a", "b"]}
    judged = to_frame([(q, s, d, float(g)) for q, s, d, g in rows])

    def value(measure, **settings):
        return next(iter(gainful.evaluate(judged, run, measure, **settings).mean.values()))

    assert value("P_IA(rel=1.2)@3") == 1 / 6
    assert value("P_IA(rel=1.2)@3", fractional="truncate") == 0
    with refuses(gainful.errors.BadValue, "a grade of query 'q'"):
        value("P_IA@3", fractional="error")
    assert value("P_IA@2") == 0
    assert value("P_IA(unjudged=remove)@2") == 1 / 4
    assert value("P_IA(judged_only=True)@2") == 1 / 2  # negative grades are out too
    tied = {"q": {"a": 1.0, "b": 1.0}}
    for ties, first in (("doc_ascending", "x"), ("doc_descending", "y")):
        only = to_frame([("q", first, "a" if first == "x" else "b", 1), ("q", "w", "z", 1)])
        results = gainful.evaluate(only, tied, "StRecall@1", ties=ties)
        assert results.mean["StRecall@1"] == 1 / 2
    with refuses(gainful.errors.NotExact, "alpha_nDCG"):
        value("alpha_nDCG@2", ties="average")
    assert value("alpha_nDCG(rel=3)", empty=1) == 1


def test_a_query_without_results_covers_no_subtopic():
    rows = [("1", "x", "a", 1), ("1", "y", "b", 1)]
    results = gainful.evaluate(to_frame(rows), {"1": {}}, ["StRecall", "alpha_nDCG", "alpha_DCG"])
    assert set(results.mean.values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("α-nDCG@20", "alpha_nDCG@20"),
        ("α_nDCG(alpha=0.3)@20", "alpha_nDCG(alpha=0.3)@20"),
        ("ERR-IA@10", "ERR_IA@10"),
        ("nERR-IA@10", "nERR_IA@10"),
        ("P-IA@5", "P_IA@5"),
        ("P_ia@5", "P_IA@5"),
        ("MAP-IA", "AP_IA"),
        ("map_ia", "AP_IA"),
        ("strec@10", "StRecall@10"),
        ("nrbp", "NRBP"),
        ("NRBP(rel=2, alpha=0.4, beta=0.8)", "NRBP(alpha=0.4, beta=0.8, rel=2)"),
        ("alpha_nDCG(judged_only=False, cutoff=5)", "alpha_nDCG(unjudged=zero)@5"),
    ],
)
def test_spellings(text, same):
    assert gainful.parse(text) == gainful.parse(same)
    assert gainful.parse(str(gainful.parse(text))) == gainful.parse(text)


@pytest.mark.parametrize(
    ("measure", "about"),
    [
        ("alpha_nDCG(alpha=1.5)@5", ("alpha", "1.5", "0 ≤ alpha ≤ 1")),
        ("alpha_nDCG(alpha=-0.1)@5", ("alpha", "-0.1")),
        ("alpha_nDCG(alpha=x)@5", ("alpha", "'x'")),
        ("NRBP(beta=2)", ("beta", "2", "0 < beta ≤ 1")),
        ("P_IA", ("k", "P_IA@10")),
        ("NRBP@5", ("k", "5", "NRBP")),
        ("alpha_DCG@100000000", ("k", "10000000")),
        ("AP_IA(alpha=0.5)", "alpha"),
    ],
)
def test_what_is_not_allowed_is_said(measure, about):
    with refuses(gainful.errors.GainfulError, about):
        gainful.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, measure)


def test_a_thousand_documents_on_ten_subtopics_are_no_burden():
    random = np.random.default_rng(1)
    about = random.random((50, 1000, 10)) < 0.1
    query, doc, subtopic = np.nonzero(about)
    judged = pl.DataFrame(
        {"query": query, "doc": doc, "subtopic": subtopic, "grade": np.ones(len(doc))}
    )
    query, doc = np.divmod(np.arange(50_000), 1000)
    run = pl.DataFrame({"query": query, "doc": doc, "score": random.random(50_000)})
    begin = process_time()
    results = gainful.evaluate(judged, run, ["alpha_nDCG", "alpha_nDCG@20", "nERR_IA@20"])
    assert process_time() - begin < 5  # it takes one
    assert 0 < results.mean["alpha_nDCG"] < 1
