"""Groups of queries: values, intervals, comparisons and gates of each."""

from io import StringIO
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from example_files import EXAMPLES
from facts import find_notes
from hypothesis import given, strategies as st
from refusals import refuses
from scipy import stats
from written_files import write_file, write_lines

import gainful
from gainful.errors import BadInput, BadValue, NoColumn, UnknownName, WrongType
from gainful.evidence.comparisons.compare import test_interaction as weigh_interaction
from gainful.evidence.statistics.outcome import Resampling

NEWS = EXAMPLES / "news"
QRELS, BM25, DENSE, HYBRID = (
    str(NEWS / f"{name}.txt") for name in ("qrels", "bm25", "dense", "hybrid")
)
QUERIES = str(NEWS / "queries.csv")
JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"d": 1}, "4": {"e": 1}}
RUN = {"1": ["a", "x"], "2": ["x", "c"], "3": ["d"], "4": ["x", "y"]}
LANG = {"1": "en", "2": "en", "3": "de"}


BY_KIND = {"group": "kind", "queries": QUERIES}


def kinds():
    return dict(pl.read_csv(QUERIES).iter_rows())


def judge(kind):
    """The judgments of the queries of one kind."""
    judged = {query: {} for query, label in kinds().items() if label == kind}
    for line in (NEWS / "qrels.txt").read_text(encoding="utf-8").splitlines():
        query, _, doc, grade = line.split()
        if query in judged:
            judged[query][doc] = int(grade)
    return judged


def list_sizes(results):
    return [(group["group"], group["queries"]) for group in results.groups()]


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
    results = gainful.evaluate(QRELS, {"bm25": BM25}, "AP", **BY_KIND, **options)
    (run,) = results.to_dict()["runs"]
    of_topics = next(group for group in run["groups"] if group["group"] == "topic")
    alone = gainful.evaluate(judge("topic"), {"bm25": BM25}, "AP", extra="ignore", **options)
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
        ("queries.csv", "query,lang\n1,en\n2, en\n3,de \n4,\n"),  # blanks do not count
        ("queries.tsv", "query\tlang\n1\ten\n2\ten\n3\tde\n"),
        ("queries.jsonl", "".join(f'{{"query": {q}, "lang": "{LANG[q]}"}}\n' for q in LANG)),
        ("beir.jsonl", "".join(f'{{"_id": "{q}", "lang": "{LANG[q]}"}}\n' for q in LANG)),
        ("ids.tsv", "id\tlang\n1\ten\n2\ten\n3\tde\n"),
    ],
)
def test_a_file_of_queries_names_groups(tmp_path, name, text):
    file = write_file(tmp_path / name, text)
    results = gainful.evaluate(JUDGED, RUN, "RR", group="lang", queries=file)
    assert list_sizes(results) == [("de", 1), ("en", 2)]


def test_groups_come_from_judgments_frames_and_rag_records(tmp_path):
    rows = [
        (query, doc, grade, LANG.get(query))
        for query in JUDGED
        for doc, grade in JUDGED[query].items()
    ]
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade", "lang"], orient="row")
    by_frame = gainful.evaluate(frame, RUN, "RR", group="lang")
    assert list_sizes(by_frame) == [("de", 1), ("en", 2)]
    records = [
        {"query": query, "retrieved": RUN[query], "relevant": [*JUDGED[query]]}
        | {"category": LANG.get(query)}
        for query in JUDGED
    ]
    for both in (records, write_lines(tmp_path / "rag.jsonl", *records)):
        results = gainful.evaluate(both, measures="RR", group="category")
        assert results.groups() == by_frame.groups()


def test_groups_come_from_objects_of_rag():
    records = [
        SimpleNamespace(
            id=str(at),
            retrieved_context_ids=["a", "b"],
            reference_context_ids=["ab"[at % 2]],
            category="even" if at % 2 == 0 else "odd",
        )
        for at in range(4)
    ]
    groups = gainful.evaluate(records, measures="RR", group="category").groups()
    assert [(group["group"], group["mean"]["RR"]) for group in groups] == [
        ("even", 1.0),
        ("odd", 0.5),
    ]


def test_two_groupings_have_a_name():
    by_docs = gainful.evaluate(JUDGED, RUN, "RR", group="relevant_docs")
    assert list_sizes(by_docs) == [("1 relevant", 3), ("2-9 relevant", 1)]
    long = "how long does rye bread rest in a bowl"
    texts = {"1": "bread", "2": "rye bread", "3": long, "4": "soup"}
    by_text = gainful.evaluate(JUDGED, RUN, "RR", group="text_length", queries=texts)
    assert list_sizes(by_text) == [("0-1 words", 2), ("2-3 words", 1), ("7+ words", 1)]


def test_tables_fold_many_groups_and_data_do_not():
    judged = {str(query): ["a"] for query in range(30)}
    results = gainful.evaluate(judged, judged, "RR", group=lambda query: str(int(query) % 20))
    assert len(results.groups()) == 20 == len(results.to_csv(per_query=False).splitlines()) - 2
    lines = results.to_text().splitlines()
    labels = [line for line in lines if line.startswith("run  ")]
    assert len(labels) == 1 + 8 + 1 + 1  # the heads, the largest, the others, all
    assert sum(line.startswith("Note: 20 groups") for line in lines) == 1
    assert not any("20 groups" in note for note in results.page().notes)  # no table, no fold


def list_rows(page, first):
    """The cells of the lines of a table that begin with this."""
    return [line.split() for line in page.splitlines() if line.startswith(f"{first} ")]


def test_a_group_called_all_is_not_that_of_all_queries():
    results = gainful.evaluate(JUDGED, RUN, "RR", group=LANG | {"1": "all"})
    rows = {label: values for _, label, *values in list_rows(results.to_text(), "run")}
    assert (rows["all"], rows["(all)"]) == (["1", "1.0000"], ["4", "0.6250"])
    drawn = gainful.figures.figure_data("groups", results)
    assert dict(drawn.select("group", "queries").iter_rows())["(all)"] == 4
    assert dict(drawn.select("group", "queries").iter_rows())["all"] == 1
    page = gainful.report(JUDGED, {"a": RUN}, "RR", group=LANG | {"1": "all"}, resamples=99)
    assert "(all)" in page.split('id="groups"')[1].split("</section>")[0]


@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan"), np.float32("nan"), pd.NA])
def test_what_is_no_label_is_no_group_and_blanks_around_one_do_not_count(nothing):
    labels = {"1": "en", "2": " en", "3": nothing}
    assert list_sizes(gainful.evaluate(JUDGED, RUN, "RR", group=labels)) == [("en", 2)]
    frame = pl.DataFrame({"query": [1, 2, 3], "year": [1.5, 1.5, float("nan")]})
    results = gainful.evaluate(JUDGED, RUN, "RR", group="year", queries=frame)
    assert list_sizes(results) == [("1.5", 2)]


def test_what_a_prompt_and_a_notebook_show_of_one_run_has_its_groups():
    results = gainful.evaluate(JUDGED, RUN, "RR", group=LANG)  # RR 1 and 1/2 in en, 1 in de
    for shown in (repr(results), results._repr_html_(), results._repr_latex_()):
        assert [number in shown for number in ("en", "de", "0.7500", "0.6250")] == [True] * 4


def test_values_by_query_name_the_group_of_each():
    results = gainful.evaluate(JUDGED, {"a": RUN, "b": RUN}, "RR", group=LANG)
    rows = results.to_csv(per_query=True).splitlines()
    assert rows[0] == "run,query,group,RR"
    assert [row.split(",")[2] for row in rows[1:5]] == ["en", "en", "de", ""]
    assert results.to_text(per_query=True).count(" en ") == 4
    frame = pl.read_csv(StringIO("\n".join(rows)))
    assert list(gainful.read_values(frame)["a"]) == ["RR"]  # a group is no measure


def test_how_intervals_of_small_groups_are_found_is_said():
    options = {"interval": 95, "resamples": 99, **BY_KIND}
    text = gainful.evaluate(QRELS, {"bm25": BM25}, "AP", **options).to_text()
    assert "bootstrap" in text
    assert "Student's t" in text


LISTS = pl.DataFrame({"query": ["1"], "lang": [["x"]]})
TWICE = pl.DataFrame({"query": ["1", "1"], "lang": ["en", "de"]})


@pytest.mark.parametrize(
    ("options", "error", "about"),
    [
        ({"group": {"9": "en"}}, BadValue, "group"),
        ({"group": 3}, WrongType, "group"),
        ({"queries": QUERIES}, BadValue, "queries"),
        ({"group": "text_length"}, BadValue, "group"),
        ({"group": "nope"}, NoColumn, "group"),
        ({"group": "nope", "queries": QUERIES}, NoColumn, "queries.csv"),
        (
            {"group": "lang", "queries": {"1": {"lang": ["x"]}, "2": {"lang": 3}}},
            *(WrongType, "queries['1']['lang']"),
        ),
        (
            {"group": "lang", "queries": {"1": {"lang": {"a": 1}}}},
            *(WrongType, "queries['1']['lang']"),
        ),
        ({"group": "lang", "queries": LISTS}, BadInput, "queries"),
        ({"group": "lang", "queries": TWICE}, BadInput, "queries"),
    ],
)
def test_what_names_no_groups_is_refused(options, error, about):
    with refuses(error, about):
        gainful.evaluate(JUDGED, RUN, "RR", **options)


# ── comparisons ──────────────────────────────────────────────────────────────────────────────


def test_a_comparison_within_a_group_is_that_of_its_queries_alone():
    options = {"measures": ["nDCG@10", "AP"], "correct": "none", "resamples": 999}
    runs = {"bm25": BM25, "dense": DENSE, "hybrid": HYBRID}
    groups = gainful.compare(QRELS, runs, **BY_KIND, **options).groups
    assert (groups.by, len(groups.pairs)) == ("kind", 3 * 3 * 2)
    for kind in ("name", "question", "topic"):
        alone = gainful.compare(judge(kind), runs, extra="ignore", **options)
        for item in (item for item in groups.pairs if item.group == kind):
            pair = alone.pair(item.pair.measure, item.pair.system, item.pair.other)
            assert item.units == alone.units[item.pair.measure]
            assert item.pair.difference == pytest.approx(pair.difference)
            assert item.pair.p == pytest.approx(pair.p)
            assert item.mean - item.other_mean == pytest.approx(pair.difference)


def test_a_group_of_too_few_queries_has_no_interval_and_a_note():
    few, many = [f"f{at}" for at in range(4)], [f"m{at}" for at in range(8)]
    judged = {query: {"a": 1} for query in (*few, *many)}
    runs = {
        "worse": {query: [*"xyz"[: 1 + at % 3], "a"] for at, query in enumerate(judged)},
        "better": {query: ["a"] for query in judged},
        "middle": {query: [*"xy"[: at % 3], "a"] for at, query in enumerate(judged)},
    }
    compared = gainful.compare(judged, runs, "RR", group=lambda query: query[0])
    against = [item for item in compared.groups.pairs if item.pair.system == "better"]
    known = {item.group: item.pair.low is not None for item in against}
    assert known == {"f": False, "m": True}
    notes = find_notes(compared.notes, "'f'")
    assert len(notes) == 2
    assert find_notes(notes, "RR", 4, 0.125, 0.05)
    assert not find_notes(compared.notes, "'m'")


@pytest.mark.parametrize(("family", "number"), [("measure", 3), ("all", 6)])
def test_all_groups_are_one_family(family, number):
    options = {"measures": ["nDCG@10", "AP"], "correct": "bonferroni", "family": family}
    groups = gainful.compare(QRELS, BM25, HYBRID, test="t", **BY_KIND, **options).groups
    assert groups.family == number
    for item in groups.pairs:
        assert item.pair.p_corrected == pytest.approx(min(1, number * item.pair.p))


@pytest.mark.parametrize(("correct", "number"), [("bonferroni", 3), ("none", 1)])
def test_tukey_corrects_the_pairs_of_a_group_itself_and_what_else_is_corrected_is_said(
    correct, number
):
    judged = {f"{kind}{at}": {"a": 1} for kind in "xyz" for at in range(6)}
    runs = {
        f"run{run}": {query: [*"bcdef"[: at * run % 4], "a"] for at, query in enumerate(judged)}
        for run in range(3)
    }
    options = {"test": "tukey", "correct": correct, "resamples": 999}
    comparison = gainful.compare(judged, runs, "RR", group=lambda query: query[0], **options)
    assert comparison.groups.family == 3
    for item in comparison.groups.pairs:
        assert item.pair.p_corrected == pytest.approx(min(1, number * item.pair.p))
    (line,) = (line for line in comparison.to_text().splitlines() if line.startswith("Within"))
    assert ("not corrected ·" in line) == (correct == "none")
    assert bool(find_notes([line], 3)) == (correct != "none")


def test_the_largest_difference_is_corrected_by_resamples_of_all_groups():
    groups = gainful.compare(QRELS, BM25, HYBRID, measures="nDCG@10", **BY_KIND).groups
    assert (groups.correction, groups.family) == ("max-t", 3)
    for item in groups.pairs:  # independent groups: about 1 - (1 - p)^3 for the smallest
        assert item.pair.p <= item.pair.p_corrected <= min(1, 3 * item.pair.p) + 0.02


def test_the_interaction_is_a_one_way_f_whose_groups_are_permuted():
    results = gainful.evaluate(QRELS, {"a": BM25, "b": HYBRID}, "AP", **BY_KIND)
    (interaction,) = results.compare(resamples=20_000).groups.interactions
    first, second = (run.per_query["AP"].to_numpy() for run in results.values())
    labels = [kinds()[query] for query in results["a"].queries]
    differences = [
        (second - first)[[label == kind for label in labels]] for kind in dict.fromkeys(labels)
    ]
    assert interaction.f == pytest.approx(stats.f_oneway(*differences).statistic)
    independent = stats.permutation_test(
        differences,
        lambda *groups: stats.f_oneway(*groups).statistic,
        permutation_type="independent",
        n_resamples=4000,
        alternative="greater",
        rng=np.random.default_rng(1),
    )
    assert interaction.p == pytest.approx(independent.pvalue, abs=0.03)


def test_the_interaction_of_few_queries_is_that_of_all_arrangements():
    rng = np.random.default_rng(4)
    differences = [rng.normal(size=(4, 1)), rng.normal(0.8, size=(4, 1))]
    f, p = weigh_interaction(differences, Resampling(resamples=50_000), None)
    values = np.concatenate(differences)[:, 0]
    statistics = [
        stats.f_oneway(values[list(first)], np.delete(values, first)).statistic
        for first in combinations(range(8), 4)
    ]
    assert f[0] == pytest.approx(statistics[0])
    assert p[0] == pytest.approx(np.mean(np.array(statistics) >= f[0] * (1 - 1e-9)), abs=0.01)


def test_clusters_of_one_group_each_are_permuted_whole():
    rng = np.random.default_rng(5)
    sizes = [1, 3, 2, 2, 1, 3]  # of clusters, the first three of one group
    clusters = [rng.normal(shift, size=size) for size, shift in zip(sizes, range(6), strict=True)]
    differences = [np.concatenate(part)[:, None] for part in (clusters[:3], clusters[3:])]
    numbers = np.repeat(np.arange(6), sizes)
    f, p = weigh_interaction(differences, Resampling(resamples=50_000), numbers)
    statistics = []
    for first in combinations(range(6), 3):
        parts = [[], []]
        for at, cluster in enumerate(clusters):
            parts[at not in first].extend(cluster)
        statistics.append(stats.f_oneway(*parts).statistic)
    assert f[0] == pytest.approx(statistics[0])
    assert p[0] == pytest.approx(np.mean(np.array(statistics) >= f[0] * (1 - 1e-9)), abs=0.01)


def test_groups_that_share_clusters_are_permuted_within_them():
    rng = np.random.default_rng(6)
    differences = [rng.normal(size=(6, 1)), rng.normal(0.9, size=(6, 1))]  # a query each of six
    f, p = weigh_interaction(differences, Resampling(resamples=50_000), np.tile(np.arange(6), 2))
    both = np.hstack(differences)
    statistics = [
        stats.f_oneway(*np.where(flipped, both.T[::-1], both.T)).statistic
        for flipped in product([False, True], repeat=6)
    ]
    assert f[0] == pytest.approx(statistics[0])
    assert p[0] == pytest.approx(np.mean(np.array(statistics) >= f[0] * (1 - 1e-9)), abs=0.01)


def test_whether_differences_of_clustered_queries_depend_on_the_group_is_tested():
    pairs = {query: str(at // 2) for at, query in enumerate(kinds())}
    comparison = gainful.compare(QRELS, BM25, HYBRID, "AP", cluster=pairs, resamples=999, **BY_KIND)
    plain = gainful.compare(QRELS, BM25, HYBRID, "AP", resamples=999, **BY_KIND)
    (interaction,), (alone,) = comparison.groups.interactions, plain.groups.interactions
    assert interaction.f == pytest.approx(alone.f)
    assert interaction.p != alone.p
    assert comparison.groups.clustered


def test_groups_of_one_query_are_said_in_a_line_and_not_compared():
    grouping = dict.fromkeys(kinds(), "rest") | {"n01": "alone"}
    comparison = gainful.compare(QRELS, BM25, HYBRID, measures="AP", group=grouping)
    assert {item.group for item in comparison.groups.pairs} == {"rest"}
    assert any("'alone' is not compared" in note for note in comparison.notes)
    comparison = gainful.compare(QRELS, BM25, HYBRID, "AP", "RR", group=str, resamples=99)
    assert (comparison.groups.pairs, comparison.groups.family) == ([], 0)
    assert sum("not compared" in note for note in comparison.notes) == 1
    assert "0 comparisons" not in comparison.to_text()


def test_where_the_interaction_is_not_tested_that_is_said():
    study = gainful.sessions.simulate_study(7)
    unpaired = gainful.sessions.compare(
        study.sessions, study.qrels, "sDCG@10", group="scenario", resamples=199
    )
    assert unpaired.groups.interactions == []
    assert any("depend on" in note for note in unpaired.notes)
    paired = gainful.compare(QRELS, BM25, HYBRID, "AP", resamples=99, **BY_KIND)
    assert not any("depend on" in note for note in paired.notes)


def test_a_group_whose_study_has_no_test_is_named_and_the_others_are_compared():
    sessions = [  # searcher, system, group; in group b nobody has as many sessions as another
        *((f"p{at}", "xy"[at % 2], "a") for at in range(8)),
        *(("q", "x", "b"), ("r", "y", "b"), ("r", "y", "b")),
    ]
    rows = [
        {"session": str(at), "query": 1, "rank": 1, "doc": "d", "grade": at % 3}
        | {"searcher": searcher, "system": system, "lang": group}
        for at, (searcher, system, group) in enumerate(sessions)
    ]
    groups = gainful.sessions.compare(
        pl.DataFrame(rows), measures="sDCG@10", group="lang", resamples=99
    ).groups
    assert [item.group for item in groups.pairs] == ["a"]
    assert any("'b'" in note for note in groups.notes)


def test_a_group_that_lacks_a_system_is_named_and_the_others_are_compared():
    rows = [  # group b has no session of z
        {"session": f"{group}{at}", "query": 1, "rank": 1, "doc": "d", "grade": at % 4}
        | {"system": systems[at % len(systems)], "lang": group}
        for group, systems in (("a", "xyz"), ("b", "xy"))
        for at in range(12)
    ]
    groups = gainful.sessions.compare(
        pl.DataFrame(rows), measures="sDCG@10", group="lang", resamples=999
    ).groups
    assert [item.group for item in groups.pairs] == ["a"] * 3
    assert find_notes(groups.notes, "'b'")


def test_sessions_are_compared_within_groups():
    study = gainful.sessions.simulate_study(7)
    options = {"measures": "sDCG@10", "resamples": 999, "correct": "none"}
    groups = gainful.sessions.compare(
        study.sessions, study.qrels, group="scenario", **options
    ).groups
    assert [item.group for item in groups.pairs] == ["A", "B", "C", "D"]
    for item in groups.pairs:
        where = {"scenario": item.group}
        alone = gainful.sessions.compare(study.sessions, study.qrels, where=where, **options)
        (pair,) = alone.pairs
        assert item.pair.difference == pytest.approx(pair.difference)
        assert item.pair.p == pytest.approx(pair.p)
    corrected = gainful.sessions.compare(
        study.sessions, study.qrels, "sDCG@10", resamples=999, group="scenario"
    ).groups
    assert (corrected.correction, corrected.family) == ("holm", 4)


def test_conversations_of_several_systems_are_compared_within_groups():
    talks = EXAMPLES / "conversations"
    runs = [str(talks / f"{name}.run") for name in ("bm25", "dense")]
    options = {"sessions_format": "conversation", "measures": "nsDCG@5"}
    whole = gainful.sessions.compare(runs, str(talks / "qrels.txt"), **options)
    labels = {}

    def halve(conversation):
        return labels.setdefault(conversation, str(len(labels) % 2))

    groups = gainful.sessions.compare(runs, str(talks / "qrels.txt"), group=halve, **options).groups
    sizes = {item.group: item.units for item in groups.pairs}
    assert sum(sizes.values()) == whole.units["nsDCG@5"]
    weighted = sum(item.units * item.pair.difference for item in groups.pairs) / sum(sizes.values())
    assert weighted == pytest.approx(whole.pairs[0].difference)


def test_of_many_groups_a_comparison_shows_the_largest_and_data_have_all():
    by_two = {query: f"g{at // 2}" for at, query in enumerate(kinds())}
    comparison = gainful.compare(QRELS, BM25, HYBRID, measures="AP", group=by_two, resamples=99)
    assert len(comparison.groups.pairs) == 20 == len(comparison.to_csv().splitlines()) - 2
    table = comparison.to_text().split("AP by group")[1].split("\n\n")[0]
    assert sum(line.startswith("g") for line in table.splitlines()) == 1 + 8  # the heads, groups
    (others,) = list_rows(table, "others")
    first, second = (gainful.evaluate(QRELS, run, "AP").per_query for run in (HYBRID, BM25))
    shown = {line.split()[0] for line in table.splitlines() if line.startswith("g")}
    rest = [query for query, group in by_two.items() if group not in shown]
    means = [run.filter(pl.col("query").is_in(rest))["AP"].mean() for run in (first, second)]
    expected = [str(len(rest)), *(f"{mean:.4f}" for mean in means)]
    assert others[4:7] == expected


def test_values_of_other_tools_are_compared_by_group():
    results = gainful.evaluate(QRELS, {"a": BM25, "b": HYBRID}, "AP", **BY_KIND)
    values = gainful.read_values(results.per_query, **BY_KIND)
    pairs = gainful.compare(values, resamples=999).groups.pairs
    direct = results.compare(resamples=999).groups.pairs
    assert [item.to_dict("query") for item in pairs] == [item.to_dict("query") for item in direct]
    with refuses(BadValue, "queries"):
        gainful.read_values(results.per_query, group="kind")


def test_results_that_know_their_groups_are_compared_by_them():
    results = gainful.evaluate(QRELS, {"a": BM25, "b": HYBRID}, "AP", **BY_KIND)
    direct = gainful.compare(QRELS, {"a": BM25, "b": HYBRID}, "AP", resamples=99, **BY_KIND)
    assert results.compare(resamples=99).to_dict() == direct.to_dict()
    with refuses(BadValue, "group"):
        gainful.compare(results, group="kind")


# ── gates ────────────────────────────────────────────────────────────────────────────────────


def test_a_floor_may_be_of_a_group_or_of_every_group():
    verdict = gainful.gate(JUDGED, RUN, {"en:RR": 0.8, "RR": 0.6, "de:RR": 1}, group=LANG)
    checked = [(check.group, check.value, check.ok) for check in verdict.checks]
    assert checked == [("en", 0.75, False), (None, 0.625, True), ("de", 1.0, True)]
    assert not verdict.passed
    assert [look.query for look in verdict.look_at] == ["2", "1"]  # of the group that is broken
    every = gainful.gate(JUDGED, RUN, {"*:RR": 0.7}, group=LANG)
    assert [(check.group, check.ok) for check in every.checks] == [("de", True), ("en", True)]
    assert every.to_dict()["checks"][0]["group"] == "de"
    assert "group" not in gainful.gate(JUDGED, RUN, {"RR": 0.6}).to_dict()["checks"][0]


def test_a_drop_may_be_of_a_group(tmp_path):
    baseline = tmp_path / "base.json"
    gainful.testing.save_baseline(JUDGED, RUN, baseline, "RR")
    worse = RUN | {"2": ["x", "y", "c"]}  # 1/2 to 1/3: by 1/12 in en, by 1/24 in all
    options = {"baseline": baseline, "group": LANG}
    verdict = gainful.gate(JUDGED, worse, max_drop={"*:RR": 0.05, "RR": 0.05}, **options)
    changes = {
        check.group: (check.ok, round(check.baseline - check.value, 6)) for check in verdict.checks
    }
    assert changes == {"de": (True, 0.0), "en": (False, 0.083333), None: (True, 0.041667)}


@pytest.mark.parametrize(
    ("rules", "error", "about"),
    [
        ({"floors": {"en:RR": 0.8}, "group": None}, BadValue, "group"),
        ({"floors": {"RR": 0.8}}, BadValue, "group"),
        ({"floors": {"*:RR": 0.8}, "group": {"1": "a:b", "2": "c"}}, BadValue, "group"),
        ({"floors": {"fr:RR": 0.8}}, UnknownName, "fr"),
        ({"no_worse_than": {"en:RR": 0.1}}, BadValue, "measure"),  # of tests there are none
    ],
)
def test_rules_of_groups_that_cannot_be_are_refused(rules, error, about):
    with refuses(error, about):
        gainful.gate(JUDGED, RUN, **{"group": LANG} | rules)


def test_a_gate_says_who_is_under_no_rule_of_a_group():
    verdict = gainful.gate(JUDGED, RUN, {"*:RR": 0.7}, group=LANG)
    assert sum("no group" in note for note in verdict.notes) == 1  # query 4
    assert sum("'de'" in note for note in verdict.notes) == 1  # a group of one
    assert verdict.to_dict()["notes"][:2] == list(verdict.notes)
    assert gainful.gate(JUDGED, RUN, {"RR": 0.6}).notes == []  # without groups
    many = gainful.gate(QRELS, BM25, {"*:AP": 0}, group=lambda query: query[-2:])
    assert not any("shown" in note for note in many.notes)  # a gate folds none


def test_a_measure_with_a_colon_in_brackets_names_no_group():
    verdict = gainful.gate(JUDGED, RUN, {"nDCG(gain={0:0,1:1,2:5})@10": 0.1})
    (check,) = verdict.checks
    assert (check.group, check.measure) == (None, "nDCG(gain={0:0,1:1,2:5})@10")


# ── reports and figures ──────────────────────────────────────────────────────────────────────


def test_a_report_has_a_table_and_a_dumbbell_for_each_group():
    runs = {"bm25": BM25, "hybrid": HYBRID}
    page = gainful.report(QRELS, runs, ["nDCG@10", "AP"], resamples=99, **BY_KIND)
    part = page.split('id="groups"')[1].split("</section>")[0]
    assert part.count('class="dot-row"') == 4  # three kinds, and all
    for group in gainful.evaluate(QRELS, BM25, ["nDCG@10", "AP"], **BY_KIND).groups():
        for mean in group["mean"].values():
            assert f"{mean:.4f}" in part
    assert "nDCG@10 by kind" in page
    assert 'id="groups"' not in gainful.report(QRELS, runs, "AP", resamples=99)


def test_a_report_of_sessions_has_groups_too():
    study = gainful.sessions.simulate_study(7)
    options = {"measures": "sDCG@10", "resamples": 199, "group": "scenario"}
    page = gainful.sessions.report(study.sessions, study.qrels, **options)
    part = page.split('id="groups"')[1].split("</section>")[0]
    results = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")
    for row in results.groups(["system", "scenario"]):
        assert f"{row['mean']['sDCG@10']:.4f}" in part


def test_a_figure_of_groups_has_a_row_for_each_run_and_group():
    runs = {"bm25": BM25, "hybrid": HYBRID}
    data = gainful.figures.figure_data("groups", QRELS, runs, "AP", **BY_KIND)
    results = gainful.evaluate(QRELS, runs, "AP", **BY_KIND)
    expected = {
        (name, group["group"]): group["mean"]["AP"]
        for name, run in results.items()
        for group in run.groups()
    } | {(name, "all"): run["AP"] for name, run in results.items()}
    drawn = {(run, group): mean for run, group, _, mean in data.iter_rows()}
    assert drawn == pytest.approx(expected)
    assert gainful.figures.figure_data("groups", results).equals(data)
    with refuses(BadValue, "group"):
        gainful.figures.figure_data("groups", QRELS, runs, "AP")
