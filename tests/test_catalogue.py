"""Every measure of the catalogue: its worked example, its spellings, its bounds."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from refusals import refuses
from session_tables import parse_example
from strategies import EVERY, qrels_and_runs

import gainful
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.language import expand
from gainful.measure.names import GROUPS, GROUPS_9, TREC_NAMES
from gainful.measure.references import REFERENCES

ENTRIES = list(MEASURES.values())
NAMES = {"log": math.log, "log2": math.log2, "sum": sum, "range": range}


def entry_name(entry):
    return entry.name


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_the_worked_example_comes_out(entry):
    shown, judgments = parse_example(entry.example.ranking, subtopics=entry.needs_subtopics)
    run = {"s": {doc: 9.0 - place for place, doc in enumerate(shown["doc"])}}
    by_hand = eval(entry.example.working, {"__builtins__": {}}, NAMES)  # noqa: S307
    results = gainful.evaluate(judgments, run, entry.example.measure)
    assert next(iter(results.values.values()))[0] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("entry", [*ENTRIES, *SESSION_MEASURES.values()], ids=entry_name)
def test_it_has_a_question_a_reference_and_an_example_of_itself(entry):
    assert entry.question.endswith("?")
    assert entry.definition
    assert entry.cite in REFERENCES
    assert next(iter(expand(entry.example.measure).values())).name == entry.name


@pytest.mark.parametrize("version", [GROUPS, GROUPS_9], ids=["10", "9"])
def test_every_measure_of_all_trec_is_there(version):
    for name in version["all_trec"]:
        known = TREC_NAMES[name]
        assert known.measure in MEASURES or name in ("runid", "relstring")


def test_a_residual_of_unjudged_documents_alone_is_one():
    """p^n + (1 - p) (1 + p + ... + p^(n-1)) = 1, whatever rounding makes of it."""
    run = {"1": {f"d{rank}": 0.0 for rank in range(8)}}
    assert gainful.evaluate({"1": {"d0": -1, "pooled": 0}}, run, "RBPResid")["RBPResid"] == 1.0


@given(qrels_and_runs())
def test_no_bounded_measure_passes_one_under_the_default_convention(data):
    results = gainful.evaluate(*data, EVERY)
    assert not any("above 1" in note for note in results.notes)
    for name, values in results.values.items():
        if results.recipes[name].entry.bounded:
            assert np.ma.max(values) <= 1, name
            assert np.ma.min(values) >= 0, name
        assert np.isfinite(np.ma.compressed(values)).all(), name


@given(qrels_and_runs())
def test_a_run_shuffled_is_the_same_run_and_scores_count_by_their_order_alone(data):
    judgments, run = data
    turned = {query: dict(reversed(ranking.items())) for query, ranking in reversed(run.items())}
    scaled = {q: {doc: 2 * score for doc, score in r.items()} for q, r in run.items()}
    means = [gainful.evaluate(judgments, each, EVERY).mean for each in (run, turned, scaled)]
    assert means[1:] == means[:1] * 2


@given(qrels_and_runs(tied=False))
def test_a_retrieved_document_that_becomes_relevant_never_lowers_a_measure(data):
    judgments, run = data
    names = ["P@3", "RR", "Success@3", "DCG", "CG@2", "RBP"]
    query = next(iter(judgments.keys() & run.keys()))
    doc = next(iter(run[query]))
    better = judgments | {query: judgments[query] | {doc: 4}}
    before = gainful.evaluate(judgments, run, names).values_by_query()[query]
    after = gainful.evaluate(better, run, names).values_by_query()[query]
    assert all(after[name] >= before[name] - 1e-12 for name in names)


@pytest.mark.parametrize("name", EVERY)
def test_arrays_of_grades_give_what_a_run_of_them_gives(name):
    grades, judged = [2, 0, 1, 3], [2, 0, 1, 3, 1, 0]
    judgments = {"q": {f"d{at}": grade for at, grade in enumerate(judged)}}
    run = {"q": {f"d{at}": 9 - at for at in range(len(grades))}}
    by_run = gainful.evaluate(judgments, run, name).values[name][0]
    assert gainful.compute(name, grades, judged=judged) == pytest.approx(by_run, abs=1e-12)
    scores = [0.4, 0.3, 0.2, 0.1]
    again = gainful.compute(name, [grades, grades], judged=judged, scores=[scores, scores])
    assert again == pytest.approx([by_run, by_run], abs=1e-12)


def test_arrays_without_ids_need_a_word_on_ties():
    with pytest.raises(gainful.errors.Tied):
        gainful.compute("AP", [1, 0], scores=[1, 1])
    assert gainful.compute("AP", [1, 0], scores=[1, 1], ties="worst") == 0.5
    assert gainful.compute("AP", [0, 1], scores=[1, 1], ties="reversed") == 1
    assert gainful.compute("RR", [1, 1], scores=[1, 1]) == 1  # any order will do
    with pytest.raises(gainful.errors.NotExact):
        gainful.compute("AP", [1, 0], scores=[1, 1], ties="average")
    with refuses(gainful.errors.BadValue, "measure"):
        gainful.vectors.compute_curve("AP", [1, 0])
    assert gainful.compute("AP", [-1, 1], negative="remove") == 1
    assert gainful.compute("AP", [[1], [0, 1]]).tolist() == [1, 0.5]


def test_the_page_of_a_measure_has_the_numbers_of_its_paper(run_gainful):
    for name in ("TBG", "sTBG"):
        lines = run_gainful("measures", name, "--format", "tsv").out.splitlines()
        defaults = {cells[0]: cells[2] for line in lines if len(cells := line.split("\t")) > 2}
        of_paper = {"half_life": "224", "click": "0.64", "save": "0.77"}
        assert {name: defaults[name] for name in of_paper} == of_paper


# Other tools' names, what their conventions say of single measures, and the heads of a table.
MAY_NAME_MEASURES = (
    "tools.py",  # of which a tool has its own number
    *("names.py", "explanation.py", "__init__.py", "evaluator.py"),
    "tensors.py",  # which has some measures
)


def test_a_name_of_a_measure_and_of_a_parameter_is_explained_as_both(run_gainful):
    text = run_gainful("measures", "p").out
    assert [words in text for words in ("P: ", "p (parameter)", "RBP(p=0.5)")] == [True] * 3
    assert "(parameter)" not in run_gainful("measures", "P").out


def test_no_list_of_measures_stands_outside_the_catalogue():
    names = {*MEASURES, *SESSION_MEASURES}
    source = Path(gainful.__file__).parent
    for path in source.rglob("*.py"):
        if path.parent.name == "catalogue" or path.name in MAY_NAME_MEASURES:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                texts = [part.value for part in node.elts if isinstance(part, ast.Constant)]
                listed = names & {text for text in texts if isinstance(text, str)}
                usual = {"AP", "RR"}  # measures that are computed if none is named
                assert len(listed - usual) < 2, f"{path}:{node.lineno} lists {sorted(listed)}"
