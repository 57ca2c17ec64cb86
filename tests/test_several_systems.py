"""Several systems at once: their files side by side, paired and compared by conversation."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from by_hand import flip_signs
from facts import find_notes
from refusals import refuses
from scipy import stats
from written_files import write_file, write_qrels, write_run

from gainful import explore
from gainful.api.figures import build_data
from gainful.errors import BadInput, BadValue
from gainful.read.session_inputs import as_sessions, name_systems
from gainful.sessions import compare, evaluate, simulate_study, sweep

MEASURE = "nsDCG@5"
SYSTEMS = ("bm25", "dense", "hybrid")
READING = {"sessions_format": "conversation"}
FILES = [f"{name}.run" for name in SYSTEMS]
WORDS = ("--qrels", "qrels.txt", "--sessions-format", "conversation")


def write_conversations(folder, conversations=8):
    """Runs of three systems over the same conversations, and judgments of each turn."""
    random = np.random.default_rng(5)
    qrels, runs = {}, {name: {} for name in SYSTEMS}
    for conversation in range(conversations):
        for turn in (1, 2, 3):
            topic = f"{conversation}_{turn}"
            qrels[topic] = {f"r{number}": 1 + number % 3 for number in range(4)}
            for share, run in zip((0.2, 0.5, 0.45), runs.values(), strict=True):
                relevant = iter(random.permutation([*qrels[topic]]).tolist())
                run[topic] = [
                    next(relevant, f"x{rank}") if random.random() < share else f"x{rank}"
                    for rank in range(5)
                ]
    files = [write_run(folder / f"{name}.run", run) for name, run in runs.items()]
    return files, write_qrels(folder / "qrels.txt", qrels)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems")
    write_conversations(folder)
    return folder


@pytest.fixture(scope="module")
def paths(folder):
    return [folder / file for file in FILES]


@pytest.fixture(scope="module")
def read_values(folder):
    """The value of each conversation, by a system alone."""

    def read(name):
        results = evaluate(folder / f"{name}.run", folder / "qrels.txt", MEASURE, **READING)
        return dict(results.per_session.select("session", MEASURE).iter_rows())

    return read


def test_systems_have_the_values_that_each_has_alone(folder, paths, read_values):
    results = evaluate(paths, folder / "qrels.txt", MEASURE, **READING)
    joined = results.per_session.join(
        results.columns.select("session", "system", "conversation"), on="session"
    )
    for name in SYSTEMS:
        rows = joined.filter(pl.col("system") == name)
        assert dict(rows.select("conversation", MEASURE).iter_rows()) == read_values(name)
    assert joined["session"][0] == "bm25/0"


def test_systems_by_name_in_a_dict(folder):
    named = {"old": folder / "bm25.run", "new": folder / "dense.run"}
    sessions = as_sessions(named, "conversation")
    assert sessions.frame["system"].unique(maintain_order=True).to_list() == ["old", "new"]
    assert sessions.per_turn


def test_frames_of_several_systems(folder):
    first = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["x", "a"]})
    second = pl.DataFrame({"session": ["s", "s"], "query": [1, 2], "doc": ["a", "x"]})
    results = evaluate({"one": first, "two": second}, {"s": {"a": 3}}, "sDCG(b=2, bq=4)@10")
    means = [row["mean"]["sDCG(b=2, bq=4)@10"] for row in results.groups("system")]
    assert means == pytest.approx([2.0, 3.0])  # the topic is still that of the session


def test_a_conversation_that_one_system_lacks_is_left_out_and_said(folder, tmp_path):
    lines = (folder / "dense.run").read_text().splitlines()
    path = write_file(
        tmp_path / "short.run",
        "\n".join(line for line in lines if not line.startswith("3_")) + "\n",
    )
    files = [folder / "bm25.run", path]
    notes = as_sessions(files, "conversation").notes
    assert find_notes(notes, 1, "conversation", 2, "systems")
    comparison = compare(files, folder / "qrels.txt", MEASURE, **READING)
    assert comparison.units == {MEASURE: 7}
    assert find_notes(comparison.notes, MEASURE, 1, "conversation", "bm25", "left", "out")


def test_sessions_that_share_no_name_are_not_paired():
    first = pl.DataFrame({"session": ["s"], "query": [1], "doc": ["x"]})
    second = pl.DataFrame({"session": ["t"], "query": [1], "doc": ["x"]})
    assert "conversation" not in as_sessions({"a": first, "b": second}).frame.columns


def test_names_of_systems_with_slashes_stay_apart():
    frame = pl.DataFrame({"session": ["b/c", "c"], "query": [1, 1], "doc": ["x", "x"]})
    sessions = as_sessions({"a": frame, "a/b": frame})
    assert sessions.frame["session"].to_list() == ["a:b/c", "a:c", "a/b:b/c", "a/b:c"]


def test_files_of_different_kinds_are_refused(folder, tmp_path):
    path = write_file(tmp_path / "s.csv", "session,query,rank,doc\ns,1,1,a\n")
    conversations = as_sessions(folder / "bm25.run", "conversation")
    with refuses(BadInput, "s"):
        as_sessions({"s": path, "c": conversations})


def test_a_file_named_twice_and_a_list_of_one():
    with refuses(BadValue, "sessions"):
        name_systems(["a.run", "a.run"])
    assert name_systems([{"session": "s"}]) is None
    assert name_systems({"session": ["s"], "doc": ["a"]}) is None  # columns, not systems


def test_systems_are_compared_by_conversation(folder, paths, read_values):
    comparison = compare(paths[:2], folder / "qrels.txt", MEASURE, **READING)
    first, second = map(read_values, SYSTEMS[:2])
    differences = [second[name] - first[name] for name in first]
    (pair,) = comparison.pairs
    assert (pair.system, pair.other) == ("dense", "bm25")
    assert pair.difference == pytest.approx(np.mean(differences))
    assert pair.p == pytest.approx(flip_signs(differences))


def test_the_command_takes_several_files(run_gainful, folder, read_values):
    words = ("-m", MEASURE, "--format", "csv", "-q")
    done = run_gainful("sessions", *FILES, *WORDS, *words, folder=folder)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["system"] for row in rows] == list(SYSTEMS)
    expected = [np.mean(list(read_values(name).values())) for name in SYSTEMS]
    assert [float(row[MEASURE]) for row in rows] == pytest.approx(expected)


def test_several_systems_are_swept_drawn_and_explored(run_gainful, folder, paths):
    assert "dense" in str(sweep(paths[:2], folder / "qrels.txt", points=2, **READING))
    drawn = run_gainful("figure", "sessions", *FILES[:2], *WORDS, "--data", folder=folder)
    assert {row["group"] for row in csv.DictReader(io.StringIO(drawn.out))} == {"bm25", "dense"}
    run_gainful("explore", *FILES[:2], *WORDS, "-o", "page.html", folder=folder)
    page = (folder / "page.html").read_text()
    assert '"command":["bm25.run","dense.run","--qrels","qrels.txt"' in page


@pytest.mark.parametrize(
    ("figure", "options"),
    [
        *(("sessions", ()), ("last", ()), ("individual", ())),
        *(("scenario", ("--at-least", "3")), ("frontier", ("--cost", "query=2,result=1"))),
    ],
)
def test_every_figure_of_sessions_draws_each_system(run_gainful, folder, figure, options):
    words = ("figure", figure, *FILES, *WORDS, *options, "--data")
    rows = list(csv.DictReader(io.StringIO(run_gainful(*words, folder=folder).out)))
    assert [*dict.fromkeys(row.get("group", row.get("system")) for row in rows)] == list(SYSTEMS)


def test_the_map_of_several_systems_names_who_wins(run_gainful, folder, paths):
    words = ("figure", "map", *FILES, *WORDS, "--points", "3", "--depth", "5", "--data")
    rows = csv.DictReader(io.StringIO(run_gainful(*words, folder=folder).out))
    for row in [row for row in rows if row["kind"] == "setting"][:2]:
        measure = f"nsDCG(b={row['b']}, bq={row['bq']})@5"
        results = evaluate(paths, folder / "qrels.txt", measure, **READING)
        means = {group["system"]: group["mean"][measure] for group in results.groups("system")}
        assert row["winner"] == max(means, key=means.__getitem__)


def test_turns_of_conversations_are_no_scenarios(folder, paths):
    results, alone = (
        evaluate(files, folder / "qrels.txt", "sDCG@5", **READING) for files in (paths, paths[0])
    )
    caption = build_data("scenario", results, at_least=3).caption
    names = "0, 1, 2, 3, 4, 5, 6 and 7"
    assert caption[-1] == f"Note: 8 conversations together ({names}), not normalised"
    assert build_data("scenario", alone, at_least=3).caption[-1] == caption[-1]


def test_each_system_can_be_explored(shown, folder, paths, read_values):
    opened = shown(explore(paths, folder / "qrels.txt", "nsDCG(b=2, bq=4)@5", **READING))

    def list_rows():
        rows = opened.page.query_selector_all("#groups tbody tr")
        return [row.inner_text().split() for row in rows]

    expected = [np.mean(list(read_values(name).values())) for name in SYSTEMS]
    assert [row[0] for row in list_rows()] == list(SYSTEMS)
    assert [float(row[-1]) for row in list_rows()] == pytest.approx(expected, abs=5.1e-5)
    opened.page.fill("#b-number", "10")
    opened.page.dispatch_event("#b-number", "input")
    opened.page.wait_for_function("document.getElementById('measure').textContent.includes('b=10')")
    patient = evaluate(paths, folder / "qrels.txt", "nsDCG(b=10, bq=4)@5", **READING)
    means = [group["mean"]["nsDCG(b=10, bq=4)@5"] for group in patient.groups("system")]
    assert [float(row[-1]) for row in list_rows()] == pytest.approx(means, abs=5.1e-5)


def test_what_searchers_said_of_one_system_is_no_judgment_of_another():
    first = pl.DataFrame({"session": ["s"], "query": [1], "doc": ["a"], "grade": [2]})
    second = pl.DataFrame({"session": ["s"], "query": [1], "doc": ["a"], "grade": [0]})
    results = evaluate({"one": first, "two": second}, measures="sDCG@10")
    assert [row["mean"]["sDCG@10"] for row in results.groups("system")] == [2.0, 0.0]


def test_topics_in_one_file_only_are_refused():
    plain = pl.DataFrame({"session": ["s"], "query": [1], "doc": ["a"]})
    with refuses(BadInput, "one"):
        as_sessions({"one": plain, "two": plain.with_columns(topic=pl.lit("t"))})


def test_three_systems_are_told_apart_by_conversation(run_gainful, folder, read_values):
    words = ("compare", "--sessions", *FILES, *WORDS, "-m", MEASURE)
    done = run_gainful(*words, "--format", "table", folder=folder)
    assert "nsDCG@5, 8 conversations" in done.out
    assert "24 sessions" in done.out
    done = run_gainful(*words, "--test", "t", "--format", "json", folder=folder)
    first, second = map(read_values, SYSTEMS[:2])
    differences = [second[name] - first[name] for name in first]
    pairs = json.loads(done.out)["pairs"]
    p = next(pair["p"] for pair in pairs if {pair["system"], pair["other"]} == {"bm25", "dense"})
    assert p == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)


def test_conversations_may_belong_to_clusters(folder, paths, read_values):
    cluster = {str(number): str(number // 2) for number in range(8)}
    qrels = folder / "qrels.txt"
    comparison = compare(paths[:2], qrels, MEASURE, cluster=cluster, **READING)
    assert comparison.clusters == {MEASURE: 4}
    first, second = map(read_values, SYSTEMS[:2])
    by_cluster = [
        sum(second[str(number)] - first[str(number)] for number in (2 * at, 2 * at + 1))
        for at in range(4)
    ]
    assert comparison.pairs[0].p == pytest.approx(flip_signs(by_cluster))


def test_clusters_of_a_study_are_refused():
    study = simulate_study(1)
    with refuses(BadValue, "cluster"):
        compare(study.sessions, study.qrels, "sDCG@10", cluster=r"^(\d+)")


def test_a_conversation_that_a_system_had_several_times_counts_once_by_its_mean():
    """Trials of an agent: of each task the mean of them, not the last one, is compared."""
    rows = [
        {
            "session": f"{system}{task}{trial}",
            "query": 1,
            "rank": 1,
            "doc": f"d{(task + trial) % 3}",
        }
        | {"topic": "t", "system": system, "conversation": f"task{task}"}
        for system, trials in (("once", 1), ("twice", 2))
        for task in range(8)
        for trial in range(trials)
    ]
    comparison = compare(pl.DataFrame(rows), {"t": {"d0": 1, "d1": 4, "d2": 0}}, "sDCG@1")
    gains = np.array([1, 4, 0])[np.arange(9) % 3]
    means = gains[:8].mean(), np.mean([gains[:8], gains[1:]])
    assert comparison.means["sDCG@1"].tolist() == pytest.approx(means)
    assert comparison.units == {"sDCG@1": 8}
    (note,) = find_notes(comparison.notes, "twice", 8)
    assert "once" not in note.split()
