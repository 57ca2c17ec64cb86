"""`gainful report --sessions`: what the page about whole sessions shows, and what it never does."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from browser_pages import HOSTILE, read_data
from example_files import EXAMPLES
from facts import find_notes, list_facts
from refusals import refuses
from scipy import stats
from session_tables import make_sessions

from gainful.api import report as report_api
from gainful.errors import BadInput, BadValue, UnknownName
from gainful.evidence.intervals import (
    MOST_DRAWN,
    Averaged,
    DrawnUnits,
    find_intervals,
    session_intervals,
)
from gainful.evidence.statistics.outcome import Resampling
from gainful.evidence.system_groups import group_systems
from gainful.sessions import compare, evaluate, report, sweep
from gainful.show.pages import report_data

CONVERSATIONS = EXAMPLES / "conversations"
RUNS = [str(CONVERSATIONS / f"{name}.run") for name in ("bm25", "dense", "hybrid")]
TALKS, CONVERSATION = (RUNS, CONVERSATIONS / "qrels.txt"), {"sessions_format": "conversation"}
READING = ("--sessions-format", "conversation", "--qrels", str(CONVERSATIONS / "qrels.txt"))

# Three conversations whose numbers can be done by hand; b = 2, bq = 4, so that rank 2 counts 1/2
# and a second query 1/1.5.
MEASURE = "sDCG(b=2, bq=4)@10"
JUDGED = {"c1": {"a": 3}, "c2": {"a": 1, "b": 2}, "c3": {"c": 2}}


def list_results(*lists):
    """Sessions of one system: (session, query, documents)."""
    rows = [
        (session, query, rank, doc, f"{session}?{query}")
        for session, query, docs in lists
        for rank, doc in enumerate(docs, 1)
    ]
    names = ["session", "query", "rank", "doc", "text"]
    return pl.DataFrame(rows, schema=names, orient="row")


ONE = list_results(("c1", 1, "x"), ("c1", 2, "a"), ("c2", 1, "ab"), ("c3", 1, "x"))  # 2, 2, 0
TWO = list_results(("c1", 1, "a"), ("c1", 2, "x"), ("c2", 1, "ba"), ("c3", 1, "c"))  # 3, 2.5, 2


@pytest.fixture(scope="module")
def conversations():
    return report(*TALKS, ["nsDCG@5", "sDCG@5"], **CONVERSATION)


# ── what it shows ────────────────────────────────────────────────────────────────────────────


def test_systems_are_told_by_conversation_with_numbers_done_by_hand(shown):
    page = shown(report({"one": ONE, "two": TWO}, JUDGED, MEASURE))
    assert page.text(".eyebrow") == "2 systems, 3 conversations"
    # Differences 1, 0.5 and 2; of 8 ways to exchange them, 2 give as much.
    summary = " ".join(page.page.text_content("#summary").split())
    answer = list_facts(page.text("h1"), "one", "two")
    assert [sorted(answer[:2]), answer[2]] == [["one", "two"], MEASURE]
    assert "p = 0.250" in page.text("h1")
    assert "+1.1667" in summary
    # Means 4/3 and 7.5/3; t with 2 degrees is 4.3027, standard errors 2/3 and 0.5/√3.
    means = " ".join(page.text(".dots").split())
    assert "two 2.5000 1.2579 … 3.7421 one 1.3333 0.0000 … 4.2018" in means  # the best first
    assert "fewer than 25" in summary
    counts = list_facts(page.text("#differences"), "two", "one")[:6]
    assert counts == ["two", "one", MEASURE, "3", "0", "0"]  # rose, fell, the same
    rows = {row[0]: row[1:4] for row in page.rows()}
    assert rows["c1"] == ["2.0000", "3.0000", "+1.0000"]
    assert rows["c3"] == ["0.0000", "2.0000", "+2.0000"]
    table = [row.inner_text().split() for row in page.page.query_selector_all("#quality tbody tr")]
    assert table == [
        ["one", "3", "4", "1.33", "5", "3", "40.0", "%"],
        ["two", "3", "4", "1.33", "5", "4", "20.0", "%"],
    ]


def test_what_each_query_brought_adds_up_to_the_value(shown):
    page = shown(report({"one": ONE, "two": TWO}, JUDGED, [MEASURE, "nsDCG(b=2, bq=4)@10"]))
    page.page.click("#values .open >> text=c1")
    assert page.text("#query h3") == "Conversation c1"
    cells = [
        [cell.inner_text().split() for cell in row.query_selector_all("td")]
        for row in page.page.query_selector_all(".side tbody tr")
    ]
    assert cells == [[["c1?1", "0.000"], ["c1?1", "3.000"]], [["c1?2", "2.000"], ["c1?2", "0.000"]]]
    assert page.text(".side tfoot").split() == ["Σ", "2.0000", "3.0000"]


def test_a_share_of_the_ideal_is_told_with_its_ideal(shown):
    page = shown(report(TWO, JUDGED, "nsDCG(b=2, bq=4)@10"))
    page.page.click("#values .open >> text=c1")
    value = evaluate(TWO, JUDGED, "nsDCG(b=2, bq=4)@10").per_session["nsDCG(b=2, bq=4)@10"][0]
    sums = page.text(".side tfoot").split()
    assert sums[:3] == ["Σ", "3.0000", "÷"]
    assert 3 / float(sums[3]) == pytest.approx(value, abs=1e-4)
    assert sums[4:] == ["=", f"{value:.4f}"]


def test_the_summary_has_the_comparison_that_compare_prints(shown, conversations):
    page = shown(conversations)
    comparison = compare(*TALKS, ["nsDCG@5", "sDCG@5"], **CONVERSATION)
    text = page.page.text_content("#summary")
    for pair in comparison.pairs_against():
        assert f"{pair.difference:+.4f}" in text
    leaders = ["hybrid", "nsDCG@5", "0.656", "dense"]
    assert list_facts(page.text("h1"), "hybrid", "dense")[:4] == leaders
    assert "nsDCG@5, 12 conversations" in text


def test_every_conversation_has_the_values_of_the_evaluation(conversations):
    data = read_data(conversations)
    for at, (name, path) in enumerate(zip(data["runs"], RUNS, strict=True)):
        results = evaluate(path, TALKS[1], data["measures"], **CONVERSATION)
        assert name == Path(path).stem
        for place, measure in enumerate(data["measures"]):
            expected = dict(results.per_session.select("session", measure).iter_rows())
            assert dict(zip(data["queries"], data["values"][at][place], strict=True)) == (
                pytest.approx(expected)
            )


def test_the_course_and_the_searchers_are_drawn_in_the_colours_of_the_systems(shown, conversations):
    curve = evaluate(*TALKS, "nsDCG@5", **CONVERSATION).curve(by="system")
    data = read_data(conversations)
    assert data["course"]["lot"] == 5
    for line in data["course"]["series"]:
        own = curve.filter(pl.col("system") == line["name"])
        assert [mean for _, mean in line["points"]] == pytest.approx(
            own["mean"].to_list(), abs=1e-6
        )
        assert all(low <= mean <= high for (_, mean), (_, low, high) in zip(line["points"], line["band"], strict=True))  # fmt: skip
    swept = sweep(*TALKS, "nsDCG", depth=5, **CONVERSATION)
    page = shown(conversations)
    assert swept.sentences[0] in " ".join(page.text("#searchers").split())
    assert page.page.locator("#course-chart").bounding_box()["width"] > 1000
    lines = page.page.locator("#course-chart .line")
    colours = lines.evaluate_all("all => all.map((one) => one.style.stroke)")
    dots = page.page.locator("#summary .dot-row:not(.dot-axis)").evaluate_all(
        "all => all.map((one) => [one.querySelector('bdi').textContent, one.style.getPropertyValue('--dot')])"
    )
    names = [line["name"] for line in data["course"]["series"]]
    assert dict(dots) == dict(zip(names, colours, strict=True))
    page.page.locator("#course-chart svg").focus()
    page.page.keyboard.press("End")
    readout = page.text("#course-chart .readout")
    assert all(f"{line['points'][-1][1]:.3f}" in readout for line in data["course"]["series"])


def test_the_sessions_of_a_study_are_compared_by_searcher_and_told_by_system(shown, study):
    page = shown(report(study.sessions, study.qrels, "nsDCG@10", resamples=999))
    comparison = compare(study.sessions, study.qrels, "nsDCG@10", resamples=999)
    assert page.text(".eyebrow") == "2 systems, 120 sessions"
    summary = " ".join(page.page.text_content("#summary").split())
    assert "nsDCG@10, 30 searchers" in summary
    assert f"{comparison.pairs[0].difference:+.4f}" in summary
    assert "whole searchers" in summary
    assert "system 1: 60 sessions" in page.text("#differences")
    assert "system 2: 60 sessions" in page.text("#differences")
    values = evaluate(study.sessions, study.qrels, "nsDCG@10")
    table = pl.concat([values.columns, values.per_session.select("nsDCG@10")], how="horizontal")
    distance = (pl.col("nsDCG@10") - pl.col("nsDCG@10").mean().over("system")).abs()
    farthest = table.sort(distance, descending=True, maintain_order=True)["session"]
    assert [row[0] for row in page.rows()] == farthest[:25].to_list()  # from the mean of its system
    page.page.fill("#search", "system 2 · searcher p01")
    columns = values.columns
    own = columns.filter(pl.col("searcher") == "p01", pl.col("system").cast(pl.String) == "2")
    assert {row[0] for row in page.rows()} == {*own["session"]} != set()
    with page.page.expect_download() as waiting:
        page.page.click("#download")
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text())))
    systems = dict(columns.select("session", "system").iter_rows())
    assert {row["session"]: row["system"].removeprefix("system ") for row in rows} == {
        name: str(system) for name, system in systems.items()
    }


def test_the_map_of_searchers_is_that_of_sweep(shown, study):
    text = report(study.sessions, study.qrels, "nsDCG@10", resamples=999)
    winners = sweep(study.sessions, study.qrels, "nsDCG@10").planes[0].winners
    leads = np.array(read_data(text)["searchers"]["leads"])
    assert leads.argmax(axis=0).tolist() == winners.ravel().tolist()
    chart = shown(text).page.locator("#searchers-chart svg")
    assert chart.bounding_box()["width"] > 1000


def test_a_map_of_one_colour_is_a_sentence(shown):
    rows = {f"a{n}": [["good", "bad"]] for n in range(3)} | {
        f"b{n}": [["bad", "good"]] for n in range(3)
    }
    sessions = make_sessions(**rows).with_columns(variant=pl.col("session").str.head(1))
    page = shown(report(sessions, {name: {"good": 1} for name in rows}, "nsDCG@2", by="variant"))
    assert not page.page.locator("#searchers-chart").is_visible()
    assert "every searcher" in page.text("#searchers")
    assert "variant" in page.text("#searchers h2")


def test_one_system_has_means_with_intervals_and_no_comparison(shown):
    page = shown(report(EXAMPLES / "log.csv"))
    assert page.text(".eyebrow") == "log.csv, 200 sessions"
    assert "95 % interval" in page.text("h1")
    assert "bootstrap over sessions" in page.page.text_content("#summary")
    assert "one system" in page.text("#searchers")
    assert "clicked" in page.text("#quality thead")
    assert "judged" not in page.text("#quality thead")
    assert "no judgments" in page.text("#quality")
    assert "1 per clicked result" in page.text("#quality")


def test_systems_of_a_log_are_named_by_a_column():
    page = report(EXAMPLES / "clicks.csv", by="variant")
    data = read_data(page)
    assert data["groups"] == ["new", "old"]
    assert data["words"]["system"] == "variant"


def test_of_a_cost_less_is_better(shown):
    """A second query costs 1 more; one system asks it in one conversation of three."""
    long = list_results(("c1", 1, "a"), ("c1", 2, "x"), ("c2", 1, "b"), ("c3", 1, "c"))
    brief = list_results(("c1", 1, "a"), ("c2", 1, "b"), ("c3", 1, "c"))
    page = shown(report({"long": long, "brief": brief}, JUDGED, "Cost(per_query=1, per_result=0)"))
    assert page.page.get_attribute("#values tr:first-child small.better", "class")
    counts = list_facts(page.text("#differences"), "brief", "long")[3:6]
    assert counts == ["0", "1", "2"]  # rose, fell, the same
    assert page.page.get_attribute(".bar-better", "d").count("M") == 1
    assert not page.page.get_attribute(".bar-worse", "d")


# ── intervals ────────────────────────────────────────────────────────────────────────────────


def test_sessions_of_a_searcher_are_drawn_together():
    """Of searchers with as many sessions each, it is the t interval of their means."""
    grades = [1, 2, 3, 3, 2, 0, 1, 1]
    searchers = ["ann", "ann", "bo", "bo", "cy", "cy", "di", "di"]
    columns = {"session": [f"s{at}" for at in range(8)], "grade": grades, "searcher": searchers}
    frame = pl.DataFrame(columns).with_columns(query=pl.lit(1), doc=pl.lit("a"))
    results = evaluate(frame, measures="sDCG@10")
    groups = group_systems(results)
    drawn = DrawnUnits.from_labels(results.columns["searcher"], "session")
    assert drawn.name == "searcher"
    (intervals,) = session_intervals(
        results, groups.flags, Resampling(), unit="session", drawn=drawn
    )
    interval = intervals.intervals["sDCG@10"]
    by_searcher = [1.5, 3.0, 1.0, 1.0]
    low, high = stats.t.interval(0.95, 3, np.mean(by_searcher), stats.sem(by_searcher))
    assert (interval.mean, interval.low, interval.high) == pytest.approx(
        (np.mean(grades), max(low, 0), high)
    )


def test_conversations_had_several_times_are_no_more_conversations(monkeypatch):
    """Had twice with the same results, they leave the intervals as wide as had once."""
    kept = []

    def keep(*inputs, **options):
        kept.append(session_intervals(*inputs, **options))
        return kept[-1]

    monkeypatch.setattr(report_api, "session_intervals", keep)
    for trials in (1, 2):
        rows = [
            {"session": f"{system}{task}{trial}", "system": system, "conversation": f"c{task}"}
            | {"query": 1, "rank": 1, "doc": "a", "grade": (task * step) % 5}
            for system, step in (("a", 2), ("b", 3))
            for task in range(8)
            for trial in range(trials)
        ]
        report(pl.DataFrame(rows), measures="sDCG@1", resamples=99)
    once, twice = ([item.intervals["sDCG@1"] for item in intervals] for intervals in kept)
    for first, second in zip(once, twice, strict=True):
        assert (second.low, second.high) == pytest.approx((first.low, first.high))


def test_of_very_many_sessions_nothing_is_drawn():
    results = evaluate(ONE, JUDGED, MEASURE)
    entry = results.recipes[MEASURE].entry
    values = np.random.default_rng(1).exponential(size=MOST_DRAWN + 1)
    averaged = Averaged(values, list(map(str, range(len(values)))), entry)
    ((interval, reason),) = find_intervals([averaged], Resampling(), most_drawn=MOST_DRAWN)
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert (interval.method, reason) == ("t of many", "")


def test_one_system_is_told_with_the_session_that_moves_its_mean_most():
    """Without c3 the mean of 2, 2 and 0 is 2; without another it is 1."""
    page = report(ONE, JUDGED, MEASURE)
    cells = re.findall(
        r"<td[^>]*>(.*?)</td>", page.split("Means and intervals")[-1].split("</table>")[0]
    )
    assert cells[1:] == [MEASURE, "1.3333", "0.0000", "4.2018", "1.0000", "2.0000", "c3"]
    assert "session left out" in page


def test_a_mean_that_is_none_of_values_or_of_one_searcher_has_no_interval():
    ann = ONE.with_columns(searcher=pl.lit("ann"))
    for page in (
        report({"one": ONE, "two": TWO}, JUDGED, "nsDCG(average=vectors)@10"),
        report(ann, JUDGED, MEASURE),
    ):
        assert "no interval" in page


# ── what it never does ───────────────────────────────────────────────────────────────────────


def test_hostile_names_ids_and_texts_run_nothing_and_are_read_as_text(shown):
    names = HOSTILE[:9]  # of sessions
    judged = {name: {"a": 2, "b": 1} for name in names}
    lists = {
        HOSTILE[1]: [(name, 1, "xa") for name in names],
        HOSTILE[-1]: [(name, 1, "ab") for name in names],
        HOSTILE[-1] + "y": [(name, 1, "b") for name in names],
    }
    systems = {
        system: list_results(*rows).with_columns(text=pl.col("session"))
        for system, rows in lists.items()
    }
    made = report(systems, judged, [MEASURE, "nsDCG@10"], title=HOSTILE[1], resamples=99)
    page = shown(made, viewport={"width": 390, "height": 900})
    assert sorted(page.list_texts("#values .open")) == sorted(names)
    assert page.text(".eyebrow") == HOSTILE[1]
    for name in names:
        page.open_query(name)
        assert page.list_texts(".side .doc") == [name[:120] + "…" if len(name) > 120 else name] * 3
    assert page.page.evaluate("window.ran") is None
    assert page.page.evaluate("document.querySelectorAll('main :is(img, script)').length") == 0
    page.check_widths()


def test_on_paper_charts_are_light(shown, conversations):
    page = shown(conversations, color_scheme="dark")
    page.page.emulate_media(media="print")
    label = page.page.locator("#course-chart text.tick").first
    assert label.evaluate("one => getComputedStyle(one).fill") == "rgb(90, 102, 117)"


def test_the_same_input_gives_the_same_page():
    pages = {report({"one": ONE, "two": TWO}, JUDGED, MEASURE, resamples=99) for _ in range(2)}
    assert len(pages) == 1


# ── little, nothing, too much ────────────────────────────────────────────────────────────────


def test_a_conversation_that_a_system_lacks_is_told_and_stays_in_the_table(shown):
    short = TWO.filter(pl.col("session") != "c3")
    page = shown(report({"one": ONE, "two": short}, JUDGED, MEASURE))
    summary = " ".join(page.page.text_content("#summary").split())
    (note,) = find_notes(summary.split(". "), "1", "one", "left", "out")
    assert MEASURE in note
    assert find_notes(page.text("#quality").splitlines(), "1", "conversation", "2", "systems")
    page.page.click("#values .open >> text=c3")
    assert "two (missing)" in page.text(".side thead")
    assert next(row for row in page.rows() if row[0] == "c3")[:3] == ["c3", "0.0000", "–"]


def test_what_cannot_be_compared_is_said_of_the_measure_alone():
    nothing = list_results(("c1", 1, "a"), ("c2", 1, "a"), ("c3", 1, "c"))
    page = report({"one": nothing, "two": nothing}, JUDGED, [MEASURE, "sDCG(rel=9, gain=binary)@5"])
    assert "be compared: sDCG(rel=9, gain=binary)@5" in page
    assert "have the same" in page
    assert read_data(page)["course"] is not None


def test_where_nothing_can_be_said_that_is_the_answer(shown):
    nothing = list_results(("c1", 1, "x"), ("c2", 1, "x"))
    page = shown(report({"one": nothing, "two": nothing}, JUDGED, "sDCG@10"))
    assert list_facts(page.text("h1")) == ["2", "sDCG@10", "0.0000"]
    assert "be compared: sDCG@10 is 0" in page.text("#summary")


def test_of_many_sessions_those_far_from_the_median_are_shown(monkeypatch, study):
    monkeypatch.setattr(report_data, "MAX_DETAILED", 4)
    monkeypatch.setattr(report_data, "MAX_LISTED", 6)
    page = report(study.sessions, study.qrels, "sDCG@10", resamples=99)
    assert "has 6 of 120" in page
    values = evaluate(study.sessions, study.qrels, "sDCG@10").per_session["sDCG@10"].to_numpy()
    far = np.sort(np.abs(values - np.median(values)))[-3:]
    shown_values = np.array(read_data(page)["values"][0][0])
    assert np.sort(np.abs(shown_values - np.median(values)))[-3:] == pytest.approx(far)
    assert len(page.values_csv.splitlines()) == 1 + 120


def test_names_in_full_are_in_the_values_beside(monkeypatch):
    monkeypatch.setattr(report_data, "MAX_DETAILED", 1)
    monkeypatch.setattr(report_data, "MAX_LISTED", 1)
    long = "system " * 20 + "two"
    page = report({"one": ONE, long: TWO}, JUDGED, MEASURE, baseline=long, resamples=99)
    rows = list(csv.DictReader(io.StringIO(page.values_csv)))
    assert [row["system"] for row in rows] == ["one"] * 3 + [long] * 3
    label = read_data(page)["runs"][1]
    assert len(label) <= 60
    assert f'title="{long}">{label}' in page


def test_measures_that_have_no_vectors_have_no_curve():
    page = report({"one": ONE, "two": TWO}, JUDGED, "sRBP")
    assert ("no curve: it needs" in page, "no map: it needs" in page) == (True, True)
    assert (read_data(page)["course"], read_data(page)["searchers"]) == (None, None)
    assert read_data(page)["details"] == {}


def test_of_many_systems_there_are_no_bands_and_of_more_no_curve():
    four, five, thirteen = (
        report({f"s{at}": ONE for at in range(number)}, JUDGED, MEASURE, resamples=99)
        for number in (4, 5, 13)
    )
    bands = [
        [len(line["band"]) > 0 for line in read_data(page)["course"]["series"]]
        for page in (four, five)
    ]
    assert bands == [[True] * 4, [False] * 5]
    assert "no curve: 13 systems" in thirteen


def test_of_very_many_sessions_there_is_no_map_and_no_band(monkeypatch):
    monkeypatch.setattr(report_api, "_MOST_SESSIONS", 5)
    page = report({"one": ONE, "two": TWO}, JUDGED, MEASURE)
    assert "more than 5 sessions" in page
    assert "gainful figure map" in page
    assert read_data(page)["searchers"] is None
    assert [line["band"] for line in read_data(page)["course"]["series"]] == [[], []]


def test_a_depth_at_which_nothing_is_judged_has_no_curve():
    page = report(list_results(("c1", 1, "xa"), ("c2", 1, "xa")), JUDGED, ["sDCG@1", "sDCG@5"])
    assert "top 1 results" in page


def test_sessions_in_an_engine_have_the_same_page():
    frame = pl.concat(
        [ONE.with_columns(system=pl.lit("one"), session="1" + pl.col("session")),
         TWO.with_columns(system=pl.lit("two"), session="2" + pl.col("session"))]
    ).with_columns(topic=pl.col("session").str.slice(1))  # fmt: skip
    whole, lazy = (read_data(report(part, JUDGED, MEASURE)) for part in (frame, frame.lazy()))
    assert lazy == whole


def test_a_part_is_shown_of_too_much_and_all_values_are_beside(
    run_gainful, shown, tmp_path, monkeypatch
):
    monkeypatch.setattr(report_data, "MAX_DETAILED", 4)
    monkeypatch.setattr(report_data, "MAX_LISTED", 6)
    words = ("report", "--sessions", *RUNS, *READING, "-m", "nsDCG@5", "--resamples", "99")
    printed = run_gainful(*words, "-o", tmp_path / "made.html")
    assert "all values to" in printed.err
    page = shown((tmp_path / "made.html").read_text(encoding="utf-8"))
    assert list_facts(page.text(".sampled"))[:4] == ["6", "12", "4", "12"]
    assert page.page.get_attribute(".sampled a", "href") == "made-values.csv"
    values = (tmp_path / "made-values.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(values)))
    results = evaluate(*TALKS, "nsDCG@5", **CONVERSATION)
    expected = dict(results.per_session.iter_rows())
    assert {row["session"]: float(row["nsDCG@5"]) for row in rows} == pytest.approx(expected)
    details = read_data((tmp_path / "made.html").read_text(encoding="utf-8"))["details"]
    at = next(at for at in range(6) if str(at) not in details)
    page.page.select_option("#order", "given")
    page.page.click(f"#values tbody tr:nth-child({at + 1}) .open")
    assert "not in" in page.text("#query")


# ── the command ──────────────────────────────────────────────────────────────────────────────


def test_the_command_makes_the_page_of_python(run_gainful, tmp_path, conversations):
    words = ("report", "--sessions", *RUNS, *READING, "-m", "nsDCG@5", "-m", "sDCG@5")
    run_gainful(*words, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == f"{conversations}\n"


def test_clusters_of_conversations_are_drawn_whole(run_gainful, tmp_path):
    words = ("report", "--sessions", *RUNS[:2], *READING, "-m", "nsDCG@5", "--cluster", "^(.)")
    run_gainful(*words, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "12 conversations in 9 clusters" in page
    assert "fewer than 25 clusters" in page


def test_the_bands_of_the_curve_draw_whole_clusters_too():
    """The same conversations three times, as clusters, tell no more than once."""
    both = pl.concat(
        lists.with_columns(
            system=pl.lit(name), conversation="session", topic="session"
        ).with_columns(session=pl.lit(name) + pl.col("session"))
        for name, lists in (("one", ONE), ("two", TWO))
    )
    thrice = pl.concat(
        both.with_columns(pl.col("session", "conversation") + f"_{time}") for time in (1, 2, 3)
    )
    first = read_data(report(both, JUDGED, MEASURE, resamples=199))["course"]["series"]
    again = read_data(report(thrice, JUDGED, MEASURE, cluster="(.*)_", resamples=199))
    assert again["course"]["series"] == first
    assert first[0]["band"][-1][1] < first[0]["band"][-1][2]


NAMED_IN_PART = pl.when(pl.col("session") != "c2").then(pl.lit("one"))


@pytest.mark.parametrize(
    ("sessions", "options", "error", "about"),
    [
        (ONE, {"baseline": "two"}, UnknownName, "two"),
        (ONE, {"by": "arm"}, UnknownName, "arm"),
        (ONE.with_columns(system=NAMED_IN_PART), {}, BadInput, ("sessions", "'c2'")),
    ],
)
def test_systems_that_are_none_are_refused(sessions, options, error, about):
    with refuses(error, about):
        report(sessions, JUDGED, MEASURE, **options)


def test_clusters_of_a_study_are_refused(study):
    with refuses(BadValue, "cluster"):
        report(study.sessions, study.qrels, cluster="(.)")
