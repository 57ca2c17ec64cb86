"""Groups of queries: values, intervals, comparisons and gates of each."""

from __future__ import annotations

import json

import polars as pl
import pytest
from example_files import EXAMPLES
from hypothesis import given, strategies as st
from refusals import refuses

import gainful
from gainful.errors import BadInput, BadValue, NoColumn, WrongType

NEWS = EXAMPLES / "news"
QRELS, BM25, DENSE, HYBRID = (
    str(NEWS / f"{name}.txt") for name in ("qrels", "bm25", "dense", "hybrid")
)
QUERIES = str(NEWS / "queries.csv")
JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"d": 1}, "4": {"e": 1}}
RUN = {"1": ["a", "x"], "2": ["x", "c"], "3": ["d"], "4": ["x", "y"]}
LANG = {"1": "en", "2": "en", "3": "de"}


def kinds():
    return dict(pl.read_csv(QUERIES).iter_rows())


def choose(values, queries):
    return {query: row for query, row in values.items() if query in queries}


@given(labels=st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=4, max_size=4))
def test_a_group_has_the_values_of_its_queries_alone(labels):
    grouping = dict(zip(JUDGED, labels, strict=True))
    measures = ["nDCG@10", "RR", "NumRet", "GMAP", "P@2"]
    if not any(labels):
        with refuses(BadValue, "group"):
            gainful.evaluate(JUDGED, RUN, measures, group=grouping)
        return
    groups = gainful.evaluate(JUDGED, RUN, measures, group=grouping).groups()
    assert [group["group"] for group in groups] == sorted({label for label in labels if label})
    for group in groups:
        own = [query for query, label in grouping.items() if label == group["group"]]
        alone = gainful.evaluate(choose(JUDGED, own), choose(RUN, own), measures)
        assert group["queries"] == len(own)
        assert group["mean"] == pytest.approx(alone.mean, nan_ok=True)


def test_intervals_of_a_group_are_those_of_its_queries_alone():
    options = {"interval": 90, "resamples": 499, "seed": 3}
    results = gainful.evaluate(
        QRELS, {"bm25": BM25}, "AP", group="kind", queries=QUERIES, **options
    )
    (run,) = results.to_dict()["runs"]
    of_topics = next(group for group in run["groups"] if group["group"] == "topic")
    topics = [query for query, kind in kinds().items() if kind == "topic"]
    lines = [line for line in (NEWS / "qrels.txt").read_text().splitlines() if line[:3] in topics]
    judged = {query: {} for query in topics}
    for line in lines:
        query, _, doc, grade = line.split()
        judged[query][doc] = int(grade)
    alone = gainful.evaluate(judged, {"bm25": BM25}, "AP", extra="ignore", **options)
    expected = alone.intervals[0].to_dict()["measures"]["AP"]
    assert of_topics["intervals"]["measures"]["AP"] == expected


@pytest.mark.parametrize(
    "options",
    [
        {"group": LANG},
        {"group": LANG.get},
        {"group": "lang", "queries": {query: {"lang": lang} for query, lang in LANG.items()}},
        {"group": "lang", "queries": pl.DataFrame({"query": [*LANG], "lang": [*LANG.values()]})},
    ],
)
def test_groups_come_from_dicts_functions_and_tables(options):
    results = gainful.evaluate(JUDGED, RUN, "RR", **options)
    means = {group["group"]: group["mean"]["RR"] for group in results.groups()}
    assert means == {"de": 1.0, "en": 0.75}
    assert results.mean["RR"] == 0.625  # query 4, which is in no group, counts in all
    note = results.to_dict(), results.to_text()
    assert "1 query has no" in note[1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("queries.csv", "query,lang\n1,en\n2,en\n3,de\n4,\n"),
        ("queries.tsv", "query\tlang\n1\ten\n2\ten\n3\tde\n"),
        (
            "queries.jsonl",
            '{"query": "1", "lang": "en"}\n{"query": 2, "lang": "en"}\n{"query": 3, "lang": "de"}\n',
        ),
    ],
)
def test_a_file_of_queries_names_groups(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    groups = gainful.evaluate(JUDGED, RUN, "RR", group="lang", queries=file).groups()
    assert [(group["group"], group["queries"]) for group in groups] == [("de", 1), ("en", 2)]


def test_groups_come_from_judgments_frames_and_rag_records(tmp_path):
    rows = [
        (query, doc, grade, LANG.get(query))
        for query in JUDGED
        for doc, grade in JUDGED[query].items()
    ]
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade", "lang"], orient="row")
    by_frame = gainful.evaluate(frame, RUN, "RR", group="lang").groups()
    assert [(group["group"], group["queries"]) for group in by_frame] == [("de", 1), ("en", 2)]
    records = [
        {
            "query": query,
            "retrieved": RUN[query],
            "relevant": [*JUDGED[query]],
            "category": LANG.get(query),
        }
        for query in JUDGED
    ]
    assert gainful.evaluate(records, measures="RR", group="category").groups() == by_frame
    file = tmp_path / "rag.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert gainful.evaluate(file, measures="RR", group="category").groups() == by_frame


def test_two_groupings_have_a_name():
    by_docs = gainful.evaluate(JUDGED, RUN, "RR", group="relevant_docs").groups()
    assert [(group["group"], group["queries"]) for group in by_docs] == [
        ("1 relevant", 3),
        ("2-9 relevant", 1),
    ]
    texts = {
        "1": "bread",
        "2": "rye bread",
        "3": "how long does rye bread rest in a bowl",
        "4": "soup",
    }
    by_text = gainful.evaluate(JUDGED, RUN, "RR", group="text_length", queries=texts).groups()
    assert [(group["group"], group["queries"]) for group in by_text] == [
        ("0-1 words", 2),
        ("2-3 words", 1),
        ("7+ words", 1),
    ]


def test_tables_fold_many_groups_and_data_do_not():
    judged = {str(query): ["a"] for query in range(30)}
    results = gainful.evaluate(judged, judged, "RR", group=lambda query: str(int(query) % 20))
    assert len(results.groups()) == 20 == len(results.to_csv(per_query=False).splitlines()) - 2
    labels = [
        line.split()[1] for line in results.to_text().splitlines() if line.startswith("run  ")
    ]
    assert len(labels) == 1 + 8 + 1 + 1  # the heads, the largest, the others, all
    assert sum(line.startswith("Note: 20 groups") for line in results.to_text().splitlines()) == 1


def test_what_names_no_groups_is_refused(tmp_path):
    with refuses(BadValue, "group"):
        gainful.evaluate(JUDGED, RUN, "RR", group={"9": "en"})
    with refuses(WrongType, "group"):
        gainful.evaluate(JUDGED, RUN, "RR", group=3)
    with refuses(BadValue, "queries"):
        gainful.evaluate(JUDGED, RUN, "RR", queries=QUERIES)
    with refuses(BadValue, "group"):
        gainful.evaluate(JUDGED, RUN, "RR", group="text_length")
    with pytest.raises(NoColumn):
        gainful.evaluate(JUDGED, RUN, "RR", group="nope")
    with pytest.raises(NoColumn):
        gainful.evaluate(JUDGED, RUN, "RR", group="nope", queries=QUERIES)
    file = tmp_path / "twice.csv"
    file.write_text("query,lang\n1,en\n1,de\n", encoding="utf-8")
    with pytest.raises(BadInput):
        gainful.evaluate(JUDGED, RUN, "RR", group="lang", queries=file)
