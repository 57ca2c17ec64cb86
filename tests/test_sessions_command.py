"""`gainful sessions`: the golden numbers by the command, its views, its mistakes."""

import csv
import io
import json
import re

import attrs
import polars as pl
import pytest
from facts import find_notes, list_facts
from refusals import refuses
from written_files import write_qrels

import gainful
from gainful.convention.session import SESSION_CONVENTIONS, SESSION_SETTINGS
from gainful.evidence.reasons.causes import SESSION_CAUSES

SESSION = [["a", "b", "c"], ["d", "b"], ["d", "e", "f"]]
GRADES = {"d": 3, "e": 2, "b": 1, "g": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sessions")
    lines = ["session,query,rank,doc,system,text,clicked"]
    for q, docs in enumerate(SESSION, 1):
        for i, doc in enumerate(docs, 1):
            lines.append(f"s,{q},{i},{doc},one,query {q},{int(doc == 'b')}")
    lines.append("t,1,1,x,two,alone,0")
    (folder / "toy.csv").write_text("\n".join(lines) + "\n")
    write_qrels(folder / "qrels", {"s": GRADES, "t": {"x": 1}})
    return folder


@pytest.fixture
def command(run_gainful):
    """A command, called in a folder; it may end as it likes."""
    return lambda folder, *words: run_gainful(*words, folder=folder, status=None)


@pytest.fixture
def judge(run_gainful, folder):
    """The sessions of the folder, judged with these options."""
    files = ("sessions", "toy.csv", "--qrels", "qrels")
    return lambda *words: run_gainful(*files, *words, folder=folder)


# golden/sessions.json, by the command
def test_the_vectors_as_tidy_data(judge):
    done = judge("--where", "system=one", "--curve", "--format", "csv", "-q", "-m", "nsDCG@3")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["query"], row["rank"], row["position"]) for row in rows[3:5]] == [
        ("2", "1", "4"), ("2", "2", "5"),
    ]  # fmt: skip
    expected = [0.0, 0.125, 0.11397692650535919, 0.39142909277135524, 0.40169072245663684]
    expected += [0.38752155011822126, 0.5016083884805279, 0.5307445794877137, 0.5190069346358139]
    assert [float(row["mean"]) for row in rows] == pytest.approx(expected, abs=1e-9)


def test_groups_and_json(judge):
    data = json.loads(judge("--by", "system", "-m", "nsDCG@3", "--format", "json").out)
    assert data["per_session"]["s"]["nsDCG@3"] == pytest.approx(0.5190069346358139)
    assert [group["system"] for group in data["groups"]] == ["one", "two"]
    assert data["groups"][1]["mean"] == {"nsDCG@3": 1.0}
    assert data["convention"]["bq"] == 4
    assert data["counts"] == {"sessions": 2, "queries": 4, "results": 9, "judged": 6}


def test_the_table_says_how_it_knows(judge, folder):
    words = ("-m", "nsDCG@3", "--format", "table")
    answer, table, notes = judge(*words).out.split("\n\n")
    mean = gainful.sessions.evaluate(folder / "toy.csv", folder / "qrels", "nsDCG@3").mean
    assert list_facts(answer) == ["nsDCG@3", "2", f"{mean['nsDCG@3']:.3f}"]
    assert table.splitlines()[0].split() == ["sessions", "of", "sessions", "queries", "nsDCG@3"]
    assert list_facts(notes) == ["2", "4", "6", "9", "jk2008"]
    verbose = judge(*words, "-v").out
    assert "query discount 1/(1+log4(q))" in verbose
    assert find_notes(verbose.split("·"), "documents", "again")


def test_every_view_answers_its_question(judge):
    """By hand: ranks are discounted by 1, 1/2; queries by 1, 2/3, 1/(1 + log4 3).

    The queries of s gain 1/2, (3 + 1/2) 2/3 and (3 + 2/2) / 1.7925; the one of t gains 1.
    """

    def answer(*view):
        printed = judge("-m", "sDCG@3", "--format", "table", *view).out
        return list_facts(printed.split("\n\n")[0], "one", "two")

    assert answer("--lengths") == ["2.0", "1", "3"]
    assert answer("--last") == ["1.616", "1.417"]  # of the last, of those before
    assert answer("--best-query") == ["50"]
    assert answer("--reformulations") == ["1", "2", "2", "'s'", "+1.833"]
    leader = ["one", "sDCG@3", "5.065", "two", "1.000"]
    assert answer("--by", "system")[:5] == leader


def test_every_option_is_printed_with_the_result(judge):
    words = ("-m", "nsDCG@3", "--average", "vectors", "--empty", "skip", "-v", "--format", "table")
    assert "average=vectors, empty=skip" in judge(*words).out


def test_a_pairing_that_can_pass_one_is_flagged(judge):
    done = judge("-m", "nsDCG(ideal=once)@3", "--format", "table")
    assert find_notes(done.out.splitlines(), "Note", "nsDCG(ideal=once)@3", "exceed", 1)


def test_unusual_searchers_are_pointed_out(judge):
    lines = judge("-m", "sDCG@3", "--b", "20").err.splitlines()
    assert ["20", "1.5", "10"] in [list_facts(line) for line in lines]
    assert "reasonable" not in judge("-m", "sDCG@3", "--b", "10").err


@pytest.mark.parametrize("form", ["table", "tsv", "csv", "markdown", "latex", "json", "jsonl"])
@pytest.mark.parametrize(
    "view", ["--per-session", "--lengths", "--curve", "--last", "--best-query", "--reformulations"]
)
def test_every_view_in_every_format(judge, view, form):
    done = judge("-m", "sDCG@3", view, "--format", form)
    assert done.out
    if form == "json":
        json.loads(done.out)


def test_session_measures_are_not_for_runs():
    with refuses(gainful.errors.BadValue, "measure"):
        gainful.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "sDCG@10")


def test_why_two_conventions_disagree(command, folder):
    reasons = gainful.why(
        folder / "qrels", folder / "toy.csv", "nsDCG@3", like="jk2008", unlike="trec_dd_2015"
    )
    a, b = (0.5190069346358139 + 1) / 2, (0.26573547365886246 + 1) / 2
    assert reasons.means == pytest.approx((a, b), abs=1e-12)
    assert sum(cause.effect for cause in reasons.causes) == pytest.approx(b - a, abs=1e-12)
    done = command(folder, "why", "qrels", "toy.csv", "-m", "nsDCG@3", "--unlike", "kanoulas2011")
    means = ["nsDCG@3", "0.7595", "jk2008", "0.7845", "kanoulas2011", "+0.0250"]
    assert list_facts(done.out)[:6] == means


BASE = "session,query,rank,doc,topic,system\n"


def test_sums_beyond_all_bounds_are_refused(command, tmp_path):
    (tmp_path / "s.csv").write_text(BASE + "a,1,1,x,t,one\na,1,2,y,t,one\na,2,1,y,t,one\n")
    (tmp_path / "q").write_text("t 0 x 1\nt 0 y 2\n")
    shares = ("-m", "nsDCG@3", "--gain", "0:0,1:1e308,2:1e308")
    done = command(tmp_path, "sessions", "s.csv", "--qrels", "q", *shares)
    assert [word for word in ("Traceback", "Warning") if word in done.err] == []
    words = ("-m", "sDCG@3", "--gain", "0:0,1:1e308,2:1.7e308")
    done = command(tmp_path, "sessions", "s.csv", "--qrels", "q", *words)
    assert done.status == 2
    assert "finite" in done.err
    assert done.err.count("\n") == 1


def test_topics_may_be_words(command, tmp_path):
    (tmp_path / "s.csv").write_text("session,query,rank,doc\na,1,1,x\n")
    (tmp_path / "q").write_text("soup 0 x 1\n")
    (tmp_path / "t").write_text("a soup\n")
    words = ("sessions", "s.csv", "--qrels", "q", "--topics", "t", "-m", "sDCG@3")
    assert "1.0" in command(tmp_path, *words, "--format", "csv").out


def test_what_is_left_out_is_said_even_to_the_quiet(command, tmp_path):
    (tmp_path / "s.csv").write_text("session,query,rank,doc\na,1,1,x\nb,2,1,x\n")
    (tmp_path / "q").write_text("a 0 x 1\nb 0 x 1\n")
    words = ("sessions", "s.csv", "--qrels", "q", "--bad", "skip", "-q", "--format", "csv")
    assert "1 session left out" in command(tmp_path, *words).err


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "table"])
@pytest.mark.parametrize("view", [(), ("--curve",), ("--per-session",)])
def test_nothing_to_average_is_null(command, tmp_path, form, view):
    (tmp_path / "s.csv").write_text("session,query,rank,doc,system\na,1,1,x,\nb,1,1,x,two\n")
    (tmp_path / "q").write_text("a 0 x 0\nb 0 x 0\n")
    words = ("-m", "nsDCG(empty=skip)@2", "--by", "system", "--format", form, *view)
    done = command(tmp_path, "sessions", "s.csv", "--qrels", "q", *words)
    assert done.status == 0, done.err
    assert "nan" not in done.out.lower()
    assert "None" not in done.out


@pytest.mark.parametrize("like", SESSION_CONVENTIONS)
@pytest.mark.parametrize("unlike", SESSION_CONVENTIONS)
def test_why_starts_and_ends_at_what_is_computed(like, unlike):
    study = gainful.sessions.simulate_study(4)
    reasons = gainful.why(study.qrels, study.sessions, "nsDCG@3", like=like, unlike=unlike)
    means = [
        gainful.sessions.evaluate(study.sessions, study.qrels, "nsDCG@3", like=name).mean["nsDCG@3"]
        for name in (like, unlike)
    ]
    assert reasons.means == pytest.approx(means, abs=1e-12)
    assert sum(cause.effect for cause in reasons.causes) == pytest.approx(
        means[1] - means[0], abs=1e-9
    )


@pytest.mark.parametrize(
    ("option", "right", "wrong"),
    [("--qrels-format", "trec", "parquet"), ("--run-format", "table", "csv")],
)
def test_why_reads_files_in_the_format_that_is_named(command, folder, option, right, wrong):
    words = ("why", "qrels", "toy.csv", "-m", "nsDCG@3", "--unlike", "kanoulas2011")
    assert command(folder, *words, option, right).out == command(folder, *words).out != ""
    done = command(folder, *words, option, wrong)
    assert (done.status, done.out) == (2, "")
    assert {"parquet": "Parquet", "csv": "session format"}[wrong] in done.err


def test_why_lists_interactions_of_sessions_as_those_of_runs():
    """Those that four decimals show, the first three by name."""
    study = gainful.sessions.simulate_study(4)
    reasons = gainful.why(
        study.qrels, study.sessions, "nsDCG@3", like="trec_dd_2015", unlike="trec_dd_2017"
    )
    (line,) = [
        line
        for line in reasons.to_text().splitlines()
        if line.startswith("  alone") and line.endswith("others")
    ][:1]
    assert line.count(",") == 2
    assert line.endswith(" and 3 others")
    effect = reasons.causes[0]
    faint = dict.fromkeys(effect.interacts, 4e-05)
    changed = attrs.evolve(reasons, causes=(attrs.evolve(effect, interacts=faint),))
    assert "interacts with" not in changed.to_text()


def test_every_session_setting_belongs_to_one_cause():
    settings = [setting for cause in SESSION_CAUSES.values() for setting in cause.settings]
    assert sorted(settings) == sorted(SESSION_SETTINGS)


def test_iterations_can_stand_behind_the_at_in_curves_too(folder):
    results = gainful.sessions.evaluate(
        folder / "toy.csv", folder / "qrels", "nsDCG@2", like="trec_dd_2017"
    )
    assert results.curve()["query"].max() == 2


@pytest.mark.parametrize(
    ("measure", "about"),
    [
        ("nsDCG(average=vectors, statistic=best)@3", "average"),
        ("nsDCG(normalise=query, rank_discount=concatenated)@3", "normalise"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(folder, measure, about):
    with refuses(gainful.errors.BadValue, about):
        gainful.sessions.evaluate(folder / "toy.csv", folder / "qrels", measure)


def test_conditions_are_on_whole_sessions(tmp_path):
    (tmp_path / "s.csv").write_text("session,query,rank,doc,device\na,1,1,x,p\na,2,1,x,q\n")
    (tmp_path / "q").write_text("a 0 x 1\n")
    with refuses(gainful.errors.BadInput, "s.csv"):
        gainful.sessions.evaluate(
            tmp_path / "s.csv", tmp_path / "q", "sDCG@3", where={"device": "p"}
        )


def test_the_json_tells_each_measure_as_it_was_computed(judge):
    done = judge("--duplicates", "first", "--b", "10", "-m", "nsDCG@3", "--format", "json")
    convention = json.loads(done.out)["convention"]["measures"]["nsDCG@3"]
    assert (convention["duplicates"], convention["b"], convention["ideal"], convention["can_pass_one"]) == (
        "first", 10, "best_slots", False,
    )  # fmt: skip


@pytest.mark.parametrize("log", ["log.csv", "log.parquet"])
def test_judgments_of_sessions_take_the_name_of_their_grade(command, tmp_path, log):
    """Document a has grade 0, b has 4, at ranks 1 and 2: sDCG is 4/2; both count 1: 1 + 1/2."""
    rows = pl.DataFrame({"session": "s", "query": 1, "rank": [1, 2], "doc": ["a", "b"]})
    rows.write_csv(tmp_path / "log.csv")
    rows.write_parquet(tmp_path / "log.parquet")
    (tmp_path / "judged.csv").write_text("query,doc,y_true\ns,a,0\ns,b,4\n", encoding="utf-8")
    words = ("sessions", log, "--qrels", "judged.csv", "-m", "sDCG@2", "--format", "csv")
    words += ("--summary",) if log == "log.parquet" else ()
    assert "--columns grade=y_true" in command(tmp_path, *words).err
    for columns, value in {"grade=y_true": 2.0, "grade=": 1.5}.items():
        done = command(tmp_path, *words, "--columns", columns)
        (row,) = csv.DictReader(io.StringIO(done.out))
        assert float(row.get("sDCG@2") or row["mean"]) == pytest.approx(value)


ODD_NAMES = ("*", "^.*$", "^s.*$", "gainful_place")
READS = ("sessions", "{log}", "--qrels", "qrels")
NAMED_DOORS = [
    (*READS, "--by", "{name}"),
    (*READS, "--by", "{name}", "--reformulations"),
    (*READS, "--by", "{name}", "--per-session"),
    (*READS, "--where", "{name}=x", "--per-session"),
    ("sessions", "{log}", "--gain-from", "{done}"),
    ("sessions", "{log}", "--columns", "clicked={done}"),
    ("compare", "--sessions", *READS[1:], "--by", "{name}", "--resamples", "99"),
    ("sweep", "{log}", "--qrels", "qrels", "--by", "{name}"),
    ("calibrate", "{log}", "--by", "{name}"),
    ("explore", "{log}", "--qrels", "qrels", "--by", "{name}", "-o", "page.html"),
    ("report", "--sessions", "{log}", "--qrels", "qrels", "--by", "{name}", "-o", "report.html"),
    ("check", "{log}"),
    ("sessions", "{log}", "--qrels", "qrels", "--summary", "--by", "{name}"),
    ("sessions", "{log}", "--summary", "--gain-from", "{done}"),
    ("sessions", "{log}", "--summary", "--columns", "clicked={done}"),
]


@pytest.fixture(scope="module")
def named_logs(tmp_path_factory):
    """One log, two columns of which are called otherwise in every file."""
    folder = tmp_path_factory.mktemp("names")
    docs = [f"d{number % 7}" for number in range(1, 73)]
    log = pl.DataFrame(
        {
            "session": [f"s{number // 6:02}" for number in range(72)],
            "query": [1, 1, 1, 2, 2, 2] * 12,
            "rank": [1, 2, 3] * 24,
            "doc": docs,
            "searcher": [f"u{number // 12}" for number in range(72)],
            "scanned": [2] * 72,
            "clicked": [0] * 71 + [1],
        }
    )
    group = pl.Series("plain", [["x", "y"][number // 6 % 2] for number in range(72)])
    done = pl.Series("done", [int(doc in ("d1", "d4")) for doc in docs])
    for number, name in enumerate(("plain", *ODD_NAMES)):
        clicks = "^clicked$" if number else "done"
        frame = log.with_columns(group.alias(name), done.alias(clicks))
        frame.write_csv(folder / f"{number}.csv")
        frame.write_parquet(folder / f"{number}.parquet")
    judged = {"d1": 1, "d2": 1, "d5": 1}
    write_qrels(folder / "qrels", {f"s{number:02}": judged for number in range(12)})
    return folder


@pytest.mark.parametrize("words", NAMED_DOORS, ids=" ".join)
def test_names_of_columns_are_literal_in_every_command(command, named_logs, words):
    def answer(number, name, suffix):
        names = {
            "log": f"{number}.{suffix}",
            "name": name,
            "done": "^clicked$" if number else "done",
        }
        done = command(named_logs, *(word.format(**names) for word in words))
        assert (done.status, "Warning" in done.err) == (0, False), done.err
        return re.findall(r"[0-9]+\.[0-9]+", done.out)

    suffixes = ("parquet",) if "--summary" in words else ("csv", "parquet")
    expected = [answer(0, "plain", suffix) for suffix in suffixes]
    for number, name in enumerate(ODD_NAMES, start=1):
        at = number % len(suffixes)  # a pattern and another name in each
        assert answer(number, name, suffixes[at]) == expected[at]
