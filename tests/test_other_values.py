"""Values of other tools: every form gives the same results, and comparisons equal those of runs."""

import json
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
from example_files import EXAMPLES, NEWS
from facts import find_notes, list_facts
from refusals import refuses

import gainful
from gainful.errors import BadInput, BadValue, NoColumn, UnknownName, WrongType

NAMES = ("bm25", "dense")


def test_queries_that_a_run_lacks_are_named_and_counted():
    values = {"a": {"F1": {"1": 0.5, "2": 0.2, "x": 1.0}}, "b": {"F1": {"1": 0.7, "2": 0.1}}}
    compared = gainful.compare(gainful.read_values(values))
    assert find_notes(compared.notes, "F1", 1, "a", "'x'")
    for footnotes in (compared.footnotes, compared.all_footnotes):
        (line,) = footnotes
        assert list_facts(line) == ["2", "3"]


@pytest.fixture(scope="module")
def evaluated():
    """Two runs by two measures, as gainful measures them."""
    qrels, *runs = (EXAMPLES / path for path in NEWS[:3])
    return gainful.evaluate(qrels, runs=dict(zip(NAMES, runs, strict=True)), measures=["AP", "RR"])


def to_long(evaluated):
    return evaluated.per_query.unpivot(index=["run", "query"], variable_name="metric")


def write_printed(evaluated, folder):
    """What trec_eval -q would print of each run, with all digits."""
    for name, results in evaluated.items():
        lines = [
            f"{measure:<22}\t{query}\t{value!r}"
            for query, values in results.values_by_query().items()
            for measure, value in values.items()
        ]
        means = [f"runid                 \tall\t{name}", *(f"{m:<22}\tall\t0.5" for m in results)]
        (folder / f"{name}.out").write_text("\n".join([*lines, *means]) + "\n")
    return [folder / f"{name}.out" for name in evaluated]


def test_of_named_measures_what_else_trec_eval_prints_is_not_read(tmp_path):
    path = tmp_path / "x.out"
    values = [("relstring", "1", "'10-0'"), ("map", "1", "0.5"), ("map", "2", "0.25")]
    path.write_text("".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in values))
    assert gainful.read_values(path, measures=["map"])["x"].mean == {"map": 0.375}
    with refuses(BadInput, "x.out:1", "10-0"):
        gainful.read_values(path)


@pytest.mark.parametrize(
    "form", ["long", "wide", "dict", "csv", "json", "jsonl", "parquet", "printed"]
)
def test_every_form_gives_the_same_values(evaluated, form, tmp_path):
    if form == "dict":
        values = [
            {
                name: {m: {q: v[m] for q, v in results.values_by_query().items()} for m in results}
                for name, results in evaluated.items()
            }
        ]
    elif form == "printed":
        values = write_printed(evaluated, tmp_path)
    elif form in ("long", "wide"):
        values = [to_long(evaluated) if form == "long" else evaluated.per_query]
    else:
        write = {"csv": "write_csv", "parquet": "write_parquet"}.get(form, "write_ndjson")
        values = [tmp_path / f"values.{form}"]
        getattr(to_long(evaluated), write)(values[0])
    results = gainful.read_values(*values)
    assert {name: run.values_by_query() for name, run in results.items()} == {
        name: run.values_by_query() for name, run in evaluated.items()
    }
    assert results.mean == evaluated.mean


@pytest.mark.parametrize("first", [1, np.int64(1), np.float16(1), np.longdouble(1), Fraction(1)])
def test_values_in_a_dict_are_numbers_of_any_make(first):
    """Polars made 0.0 of 0.5 behind a whole number of NumPy's, and nothing of 10^400."""
    values = gainful.read_values({"a": {"F1": {"1": first, "2": 0.5, "3": None}}})["a"]
    assert values.mean == {"F1": 0.75}
    with refuses(BadInput, "value 2"):
        gainful.read_values({"a": {"F1": {"1": first, "2": 10**400}}})


def test_values_of_ir_measures_are_taken_as_they_come():
    qrels, run, _ = (EXAMPLES / path for path in NEWS[:3])
    calculated = ir_measures.iter_calc(
        [ir_measures.AP, ir_measures.nDCG @ 10],
        ir_measures.read_trec_qrels(str(qrels)),
        ir_measures.read_trec_run(str(run)),
    )
    frame = pl.DataFrame(
        [(m.query_id, str(m.measure), m.value) for m in calculated],
        orient="row",
        schema=["query_id", "measure", "value"],
    )
    results = gainful.read_values(frame)["values"]
    objects = pd.DataFrame({"query_id": ["1"], "measure": [ir_measures.AP], "value": [0.5]})
    assert gainful.read_values(objects)["values"].mean == {"AP": 0.5}
    own = gainful.evaluate(qrels, run, ["AP", "nDCG@10"], like="ir_measures")
    assert results["nDCG@10"] == pytest.approx(own["nDCG@10"], abs=1e-9)


def test_a_comparison_of_values_is_that_of_the_runs(evaluated, tmp_path, run_gainful):
    compared = gainful.compare(evaluated, resamples=999)
    again = gainful.compare(gainful.read_values(to_long(evaluated)), resamples=999)
    assert again.frame.equals(compared.frame)
    to_long(evaluated).write_csv(tmp_path / "values.csv")
    words = ("--resamples", "999", "--format", "json", "-m", "AP")
    text = run_gainful("compare", "--values", tmp_path / "values.csv", *words).out
    (ap, _) = (row for row in compared.frame.to_dicts() if row["other"])
    assert json.loads(text)["pairs"][0]["p"] == ap["p"]


def test_a_measure_that_only_its_tool_knows_and_gaps_are_no_obstacle():
    values = {"a": {"Faith": {"1": 0.5, "2": 0.25}}, "b": {"Faith": {"1": 1.0, "3": 0.5}}}
    results = gainful.read_values(values)
    assert results["b"]["Faith"] == 0.75
    assert gainful.read_values({"a": {"Cost": {"1": 2.0}}})["a"]["Cost"] == 2.0
    frame = pl.DataFrame({"query": ["1", "2"], "x": [0.5, None], "y": [1.0, 0.0]})
    assert gainful.read_values(frame)["values"].mean == {"x": 0.5, "y": 0.5}


ONE = pl.DataFrame({"run": ["a"], "query": ["1"], "AP": [0.5]})


@pytest.mark.parametrize(
    ("values", "options", "error", "about"),
    [
        ([3], {}, WrongType, "values"),
        ([{"a": {"AP": 0.5}}], {}, WrongType, "values['a']"),
        ([pl.DataFrame({"run": ["a"], "AP": [0.5]})], {}, NoColumn, "values"),
        ([pl.DataFrame({"query": ["1"], "run": ["a"]})], {}, BadInput, "values"),
        ([pl.DataFrame({"query": [None], "AP": [0.5]})], {}, BadInput, "values, row 0"),
        ([{"a": {"M": {"q": [1]}}}], {}, WrongType, "values['a']['M']['q']"),
        ([{"a": {"M": {"q": "high"}}}], {}, WrongType, "values['a']['M']['q']"),
        ([pl.DataFrame({"query": ["1", "1"], "AP": [0.5, 0.5]})], {}, BadInput, "values, row 1"),
        ([pl.DataFrame({"query": ["all"], "AP": [0.5]})], {}, BadInput, "values"),
        ([pl.DataFrame({"query": ["1"], "AP": ["high"]})], {}, BadInput, "values, row 0"),
        ([pl.DataFrame({"query": ["1"], "AP": [float("inf")]})], {}, BadInput, "values, row 0"),
        ([ONE, ONE], {}, BadValue, "values 2"),  # a run twice
        ([ONE], {"measures": ["RR"]}, UnknownName, "RR"),
    ],
)
def test_what_has_no_values_of_queries_is_refused(values, options, error, about):
    with refuses(error, about):
        gainful.read_values(*values, **options)


def test_one_of_the_measures_of_another_tool_is_compared_by_its_name():
    values = {run: {"faith": {"1": 0.5, "2": 0.25 * at}} for at, run in enumerate("ab")}
    values["a"]["AP"] = values["b"]["AP"] = {"1": 0.5, "2": 0.5}
    results = gainful.read_values(values)
    for names in (("faith",), ("AP", "faith")):
        assert gainful.compare(results, measures=[*names], resamples=99).measures == names


def test_of_a_table_with_texts_the_measures_that_are_named_are_read():
    table = pl.DataFrame(
        {"query": ["1", "2"], "answer": ["Oslo", "Rome"], "faith": [0.5, 1.0], "found": [["a"], []]}
    )
    for frame in (table, table.to_pandas()):
        results = gainful.read_values(frame, measures="faith")["values"]
        assert (list(results.values), results["faith"]) == (["faith"], 0.75)
    with refuses(BadInput, "values, row 0"):
        gainful.read_values(table.drop("found"))
    with refuses(BadInput, "values, row 0"):
        gainful.read_values(table.drop("answer"))
    for name in ("fath", "AP"):
        with refuses(UnknownName, name, "faith"):
            gainful.read_values(table, measures=name)


def test_rows_of_means_are_left_out_and_noted(evaluated):
    table = to_long(evaluated)
    means = table.filter(query="n01").with_columns(pl.lit("all").alias("query"))
    results = gainful.read_values(pl.concat([table, means]))
    assert results.mean == evaluated.mean
    assert [len(run.notes) for run in results.values()] == [1, 1]
    assert not any(run.notes for run in gainful.read_values(table).values())


@pytest.mark.parametrize("indent", [None, 1])
def test_a_dict_is_read_from_a_file_of_json(tmp_path, indent):
    values = {"a": {"F1": {"1": 0.5, "2": 0.25}}, "b": {"F1": {"1": 0.75, "2": 0.5}}}
    path = tmp_path / "values.json"
    path.write_text(json.dumps(values, indent=indent))
    assert gainful.read_values(path).mean == gainful.read_values(values).mean
    path.with_suffix(".jsonl").write_text(json.dumps(values) + "\n" + json.dumps(values))
    with refuses(NoColumn, "values.jsonl"):
        gainful.read_values(path.with_suffix(".jsonl"))


def test_a_value_that_is_there_twice_is_named_by_its_line(tmp_path):
    for text, line in (
        ("query,run,AP\nall,a,0.5\n1,a,0.5\n1,b,1\n1,a,0.25\n", 5),
        ("query,run,measure,value\n1,a,AP,0.5\n\n1,a,RR,0.5\n1,a,RR,0\n", 5),
    ):
        (tmp_path / "v.csv").write_text(text)
        with refuses(BadInput, f"v.csv:{line}"):
            gainful.read_values(tmp_path / "v.csv")


def test_columns_of_runs_are_named_as_the_measures_that_they_were_read_as():
    results = gainful.read_values(pl.DataFrame({"query": ["1", "2"], "A": [0.5, 1], "B": [1, 0]}))
    with refuses(BadValue, "runs", "A and B"):
        gainful.compare(results)
