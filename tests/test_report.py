"""`gainful report`: what the page shows in a real browser, and what it never does."""

import csv
import json
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest
from browser_pages import HOSTILE, read_data
from example_files import EXAMPLES
from facts import list_facts
from refusals import refuses
from scipy.stats import ttest_rel
from written_files import write_file

import gainful
from gainful.errors import BadInput, BadValue, NotInstalled, UnknownName, WrongType
from gainful.match import dicts, frames, rankings
from gainful.read.query_columns import read_document_texts, read_texts
from gainful.show.pages import report as report_module, report_data
from gainful.show.pages.report_data import sample_queries

NEWS = EXAMPLES / "news"
RUNS = {name: NEWS / f"{name}.txt" for name in ("bm25", "dense", "hybrid")}
FILES = [str(NEWS / "qrels.txt"), *map(str, RUNS.values())]

# One query whose numbers can be done by hand: discounts are 1, 0.6309, 0.5, 0.4307.
JUDGED = {"q": {"a": 3, "b": 2, "c": 1}, "r": {"d": 1, "e": 0}}
OLD = {"q": ["b", "x", "a"], "r": ["e", "d"]}
NEW = {"q": ["a", "b", "y"], "r": ["d", "e"]}


@pytest.fixture(scope="module")
def news():
    return gainful.report(NEWS / "qrels.txt", RUNS, ["nDCG@10", "AP", "RR"], resamples=999)


@pytest.fixture
def run(run_gainful):
    def command(*words, status=0):
        outcome = run_gainful("report", *words, status=status)
        return outcome.err if status == 2 else outcome

    return command


# ── what it shows ────────────────────────────────────────────────────────────────────────────


def test_every_query_has_the_values_of_the_evaluation(shown, news):
    page = shown(news)
    page.page.select_option("#order", "given")
    results = gainful.evaluate(NEWS / "qrels.txt", measures="AP", runs=RUNS)
    page.page.select_option("#measure", label="AP")
    rows = {row[0]: row for row in page.rows()}
    page.page.click("#next")
    rows |= {row[0]: row for row in page.rows()}
    assert len(rows) == 40
    values = {name: result.values_by_query() for name, result in results.items()}
    for query, row in rows.items():
        bm25, dense = (values[name][query]["AP"] for name in ("bm25", "dense"))
        assert float(row[1]) == pytest.approx(bm25, abs=5.1e-5)
        assert float(row[2]) == pytest.approx(dense, abs=5.1e-5)
        assert float(row[3]) == pytest.approx(dense - bm25, abs=5.1e-5)


def test_the_summary_has_the_comparison_that_compare_prints(shown, news):
    page = shown(news)
    comparison = gainful.compare(NEWS / "qrels.txt", RUNS, ["nDCG@10", "AP", "RR"], resamples=999)
    text = page.page.text_content("#summary")
    for pair in comparison.pairs_against():
        assert f"{pair.difference:+.4f}" in text
    leaders = ["hybrid", "dense", "nDCG@10", "bm25"]
    assert list_facts(page.text("h1"), *RUNS)[:4] == leaders
    assert "Detectable difference" in text
    assert "999 resamples, seed 2008" in text


def test_runs_that_share_the_lead_are_said_to(shown):
    judged = {str(query): {"a": 1} for query in range(8)}
    good, poor = (dict.fromkeys(judged, docs) for docs in (["a"], ["b", "a"]))
    runs = {"colbert": good, "splade": good, "bm25": poor}
    page = shown(gainful.report(judged, runs, "RR", resamples=99))
    answer = list_facts(page.text("h1"), *runs)
    assert answer[:5] == ["colbert", "splade", "RR", "1.000", "bm25"]


@pytest.fixture(scope="module")
def many_runs():
    """Twelve runs of growing quality, three of which are alike."""
    chance = np.random.default_rng(3)
    judged = {
        f"q{query}": {f"d{doc}": int(chance.integers(4)) for doc in range(30)}
        for query in range(40)
    }
    runs = {
        f"run-{number}": {
            query: {doc: grade * number / 4 + 3 * chance.random() for doc, grade in docs.items()}
            for query, docs in judged.items()
        }
        for number in (4, 11, 2, 3, 7, 10, 5, 6, 9, 8, 0, 1)
    }
    return judged, runs


def test_the_finding_and_all_means_come_first_sorted(shown, many_runs):
    page = shown(gainful.report(*many_runs, ["nDCG@10", "AP"], resamples=99))
    assert page.page.locator("h1").bounding_box()["y"] < 100
    plot = page.page.locator("#summary .dots").bounding_box()
    assert plot["y"] + plot["height"] < 600
    rows = page.page.locator("#summary .dots .dot-row:not(.dot-axis)")
    means = [float(row.split()[1]) for row in rows.all_inner_texts()]
    assert means == sorted(means, reverse=True)
    assert len(means) == 12
    assert rows.first.evaluate("one => one.classList.contains('best')")
    assert page.page.locator("#summary details[open] table").count() == 0  # of many, folded


def test_tables_are_sorted_and_marks_are_those_of_compare(run_gainful, shown, news):
    words = ["compare", *FILES, "-m", "nDCG@10,AP,RR", "--resamples", "999", "--format", "json"]
    data = json.loads(run_gainful(*words).out)
    page = shown(news)
    tables = page.page.locator("#summary table").all()
    for compared, table in zip(data["measures"], tables, strict=True):
        rows = table.locator("tbody tr").all()
        names = [row.locator("td").nth(1).inner_text() for row in rows]
        means = compared["means"]
        assert names == sorted(means, key=means.get, reverse=True)
        assert table.locator("td.best").all_inner_texts()[0] == names[0]
        pairs = [pair for pair in data["pairs"] if pair["measure"] == compared["measure"]]
        against = {pair["system"]: pair for pair in pairs if pair["other"] == "bm25"}
        grey = {name for name, row in zip(names, rows, strict=True) if row.get_attribute("class")}
        assert grey == {name for name, pair in against.items() if not pair["significant"]}
        odd = {name for name, row in zip(names, rows, strict=True) if "†" in row.inner_text()}
        assert odd == {
            name
            for name, pair in against.items()
            if (pair["low"] <= 0 <= pair["high"]) == pair["significant"]
        }


def test_the_reader_chooses_two_runs_and_sees_wins_beside_losses(shown, many_runs):
    judged, runs = many_runs
    page = shown(gainful.report(judged, runs, "nDCG@10", resamples=99))
    assert page.page.locator("#values thead th").all_inner_texts()[1:] == ["run-4", "run-11"]
    page.page.select_option("#one", label="run-1")
    page.page.select_option("#other", label="run-0")
    values = {
        name: gainful.evaluate(judged, runs[name], "nDCG@10").values_by_query()
        for name in ("run-0", "run-1")
    }
    changes = {
        query: values["run-0"][query]["nDCG@10"] - values["run-1"][query]["nDCG@10"]
        for query in judged
    }
    losses, wins = (places.all_inner_texts() for places in (
        page.page.locator(".extremes").first.locator("li"),
        page.page.locator(".extremes").last.locator("li"),
    ))  # fmt: skip
    by_change = sorted(changes, key=changes.get)
    assert losses == [f"{query} {changes[query]:+.4f}" for query in by_change[:5]]
    assert wins == [
        f"{query} {changes[query]:+.4f}" for query in by_change[:-6:-1] if changes[query] > 0
    ]
    page.page.locator(".extremes").last.locator("button").first.click()
    assert page.text("#query h3") == f"Query {by_change[-1]}"
    assert page.page.locator(".side thead th").all_inner_texts()[1:3] == ["run-1", "run-0"]
    page.page.select_option("#one", label="run-0")  # the two change places
    assert page.page.input_value("#other") == str(list(runs).index("run-1"))
    page.page.check("#all-runs")
    assert page.page.locator("#values thead th").count() == 13


def test_keys_go_from_bar_to_bar_and_open_a_query(shown, news):
    page = shown(news)
    page.page.locator("#differences svg").focus()
    for key in ("Home", "ArrowRight", "ArrowLeft", "Enter"):
        page.page.keyboard.press(key)
    best = page.page.locator(".extremes").last.locator("button").first.inner_text()
    assert page.text("#query h3") == f"Query {best}"


def test_what_documents_say_is_folded_behind_their_ids(run, shown, tmp_path):
    for name, value in {"judged": JUDGED, "old": OLD, "new": NEW}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    lines = [{"_id": "a", "title": "A", "text": HOSTILE[0]}, {"_id": "unknown", "text": "far away"}]
    documents = write_file(tmp_path / "corpus.jsonl", "\n".join(map(json.dumps, lines)))
    files = [tmp_path / f"{name}.json" for name in ("judged", "old", "new")]
    run(*files, "-m", "nDCG@10", "--documents", documents, "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "far away" not in text
    page = shown(text)
    page.page.click("#values .open >> text=q")
    place = page.page.locator(".side .doc-text").first
    assert not place.locator("p").is_visible()
    place.locator("summary").click()
    assert place.locator("p").inner_text() == HOSTILE[0]
    assert page.page.evaluate("window.ran") is None


def test_one_query_or_runs_that_do_not_differ_have_a_sentence_instead_of_tables(shown):
    page = shown(gainful.report({"q": JUDGED["q"]}, {"old": OLD, "new": NEW}, ["nDCG@10", "AP"]))
    assert list_facts(page.text("h1"), "new") == ["new", "nDCG@10", "0.8950"]
    assert page.text("#summary").count("No interval from a single") == 1
    assert page.page.locator("#summary table").count() == 0
    page = shown(gainful.report(JUDGED, {"old": OLD, "twin": OLD}, "nDCG@10", resamples=99))
    assert list_facts(page.text("h1"), "old", "twin")[:3] == ["old", "twin", "nDCG@10"]
    assert page.page.locator("#summary table").count() == 0
    assert page.page.locator("#differences svg").count() == 0


def test_one_query_is_worked_out_rank_by_rank_as_by_hand_and_what_moved_is_explained(shown):
    page = shown(gainful.report(JUDGED, {"old": OLD, "new": NEW}, "nDCG@10", resamples=99))
    page.page.click("#values .open >> text=q")
    table = [
        [cell.inner_text().split() for cell in row.query_selector_all("td")]
        for row in page.page.query_selector_all(".side tbody tr")
    ]
    # What a screen reader says of a grade is in the text too, hidden from the eye.
    assert table[0][0] == ["grade", "2", "2", "b", "2.000"]
    assert table[0][1] == ["grade", "3", "3", "a", "↑2", "3.000"]
    assert table[0][2] == ["grade", "3", "3", "a", "3.000"]
    assert table[1][0] == ["unjudged", "–", "x"]
    assert table[1][1] == ["grade", "2", "2", "b", "↓1", "1.262"]  # 2 × 0.6309
    assert table[2][0] == ["grade", "3", "3", "a", "1.500"]  # 3 × 0.5
    assert table[2][2] == ["grade", "1", "1", "c", "0.500"]
    sums = page.text(".side tfoot").split()
    assert sums[:6] == ["Σ", "3.5000", "÷", "4.7619", "=", "0.7350"]
    assert sums[6:] == ["4.2619", "÷", "4.7619", "=", "0.8950", "4.7619"]
    assert "nDCG@10: 0.7350 → 0.8950 (+0.1600)" in page.text("#query")
    moved = page.page.query_selector_all("#query .plots tbody tr")
    rows = [row.inner_text().split() for row in moved]
    # a: 3 × (1 − 0.5) / 4.7619; b: 2 × (0.6309 − 1) / 4.7619
    assert rows[0] == ["grade", "3", "3", "a", "3", "→", "1", "up", "+0.3150"]
    assert rows[1] == ["grade", "2", "2", "b", "1", "→", "2", "down", "-0.1550"]


def test_terms_of_the_sum_explain_what_the_shares_of_the_comparison_explain(shown, monkeypatch):
    """The queries that changed most have shares from Python, the others terms of the sum."""
    terms = []
    for explained in (25, 0):
        monkeypatch.setattr(report_data, "MAX_EXPLAINED", explained)
        page = shown(gainful.report(JUDGED, {"old": OLD, "new": NEW}, "nDCG@10", resamples=99))
        terms.append(page.text("#query .plots"))
    assert "explains" in terms[0]
    assert terms[0] == terms[1]


def test_search_sort_and_pages_find_a_query(shown, news):
    page = shown(news)
    assert "1–25 of 40 queries" in page.text("#place")
    changes = [abs(float(row[-1])) for row in page.rows()]
    assert changes == sorted(changes, reverse=True)
    page.page.fill("#search", "n1")
    assert {row[0] for row in page.rows()} == {f"n1{digit}" for digit in range(10)}
    page.page.fill("#search", "nothing like it")
    assert page.text("#place").startswith("No query")
    page.page.fill("#search", "")
    page.page.select_option("#order", "worst")
    means = [(float(row[1]) + float(row[2]) + float(row[4])) / 3 for row in page.rows()]
    assert means == sorted(means)
    page.page.click("#next")
    assert "26–40 of 40 queries" in page.text("#place")


def test_keys_alone_sort_the_table_and_open_a_query(shown, news):
    page = shown(news)
    page.page.focus("#search")
    for _ in range(20):
        page.page.keyboard.press("Tab")
        if page.page.evaluate("document.activeElement.textContent").startswith("dense"):
            break
    page.page.keyboard.press("Enter")
    values = [float(row[2]) for row in page.rows()]
    assert values == sorted(values, reverse=True)
    assert page.page.get_attribute("[data-order=run1]", "aria-sort") == "descending"
    page.page.keyboard.press("Enter")
    assert page.page.get_attribute("[data-order=run1]", "aria-sort") == "ascending"
    first = page.rows()[0][0]
    for _ in range(5):
        page.page.keyboard.press("Tab")
        if page.page.evaluate("document.activeElement.textContent") == first:
            break
    page.page.keyboard.press("Enter")
    assert page.text("#query h3") == f"Query {first}"
    assert page.page.evaluate("location.hash") == f"#query={first}"


@pytest.mark.parametrize("query", ["n07", "<b>lost</b>"])
def test_an_address_with_a_query_opens_it_or_the_first_and_says_so(shown, news, query):
    page = shown(news)
    first = page.text("#query h3")
    page.page.goto(f"{page.file.as_uri()}#query={query}")
    page.page.reload()
    assert page.text("#query h3") == ("Query n07" if query == "n07" else first)
    assert query == "n07" or query in page.text(".sampled")
    page.requests[:] = page.requests[:1]


def read_process_time(devtools):
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")


def test_8_runs_of_500_queries_and_100_ranks_fit_into_a_page_that_is_drawn_at_once(shown):
    chance = np.random.default_rng(1)
    queries = [f"q{number}" for number in range(500)]
    qrels = {
        query: {f"d{doc}": 1 + int(doc) % 3 for doc in chance.choice(300, 30, replace=False)}
        for query in queries
    }
    runs = {
        f"run {number}": {
            query: {f"d{doc}": 100.0 - at for at, doc in enumerate(chance.permutation(300)[:100])}
            for query in queries
        }
        for number in range(8)
    }
    made = gainful.report(qrels, runs, "nDCG@10", resamples=99)
    assert len(made.encode()) < 15_000_000
    page = shown(made)
    assert len(page.rows()) == 25
    devtools = page.page.context.new_cdp_session(page.page)
    devtools.send("Performance.enable")
    begin, _, end = read_process_time(devtools), page.page.reload(), read_process_time(devtools)
    assert end - begin < 1  # second of the processor, however busy the machine is
    page.requests[:] = page.requests[:1]


def test_values_can_be_taken_away_as_csv_that_no_spreadsheet_runs(shown):
    judged = {"=1+1": {"a": 1}, "2": {"b": 1}}
    runs = {"-run": {"=1+1": ["x", "a"], "2": ["b"]}, "other, run": {"=1+1": ["a"], "2": ["x"]}}
    page = shown(gainful.report(judged, runs, ["RR", "AP"], resamples=99))
    with page.page.expect_download() as waiting:
        page.page.click("#download")
    rows = list(csv.reader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    assert rows == [
        ["run", "query", "RR", "AP"],
        ["'-run", "'=1+1", "0.5", "0.5"],
        ["'-run", "2", "1", "1"],
        ["other, run", "'=1+1", "1", "1"],
        ["other, run", "2", "0", "0"],
    ]


def test_texts_of_queries_are_shown_and_searched(shown):
    texts = {"q": "where to sleep", "r": "<b>what</b> to eat"}
    page = shown(
        gainful.report(JUDGED, {"old": OLD, "new": NEW}, "AP", queries=texts, resamples=99)
    )
    page.page.fill("#search", "<B>WHAT")
    assert page.text("#values .text") == "<b>what</b> to eat"
    assert len(page.rows()) == 1


# ── what it never does ───────────────────────────────────────────────────────────────────────


def test_hostile_ids_names_and_texts_run_nothing_and_are_read_as_text(shown):
    judged = {name: {f"{name}{at}": at for at in range(4)} for name in HOSTILE}
    scores = {name: {f"{name}{at}": float(at) for at in range(6)} for name in HOSTILE}
    other = {name: {f"{name}{at}": -float(at % 4) for at in range(6)} for name in HOSTILE}
    runs = {HOSTILE[1]: scores, HOSTILE[-1]: other, HOSTILE[-1] + "y": scores}
    named = {"title": HOSTILE[1], "queries": {name: name for name in HOSTILE}}
    made = gainful.report(judged, runs, ["nDCG@10", "AP"], resamples=99, **named)
    page = shown(made, viewport={"width": 390, "height": 900})
    assert sorted(page.list_texts("#values .open")) == sorted(HOSTILE)
    assert page.text(".eyebrow") == HOSTILE[1]
    for name in HOSTILE:
        page.open_query(name)
        assert f"{name}3" in page.list_texts(".side .doc")
        assert unquote(page.page.evaluate("location.hash")) == f"#query={name}"
    assert page.page.evaluate("window.ran") is None
    assert page.page.evaluate("document.querySelectorAll('img').length") == 0
    page.check_widths()


PAPER = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 23, 30)"


@pytest.mark.parametrize(("scheme", "changed"), [("light", DARK), ("dark", LIGHT)])
def test_the_theme_is_that_of_the_system_until_it_is_changed_and_paper_is_light(
    shown, news, scheme, changed
):
    page = shown(news, color_scheme=scheme)
    page.page.emulate_media(media="print")
    assert not page.page.is_visible("#controls")
    assert page.page.is_visible("#values")
    assert page.page.evaluate(PAPER) == LIGHT
    assert page.page.pdf().startswith(b"%PDF")
    page.page.emulate_media(media="screen")
    page.page.click("#theme")
    assert page.page.evaluate(PAPER) == changed


def test_the_same_input_gives_the_same_page():
    pages = {gainful.report(JUDGED, {"a": OLD, "b": NEW}, "AP", resamples=99) for _ in range(2)}
    assert len(pages) == 1


# ── little, nothing, too much ────────────────────────────────────────────────────────────────


def test_one_run_has_means_with_intervals_and_no_comparison(shown):
    page = shown(gainful.report(NEWS / "qrels.txt", RUNS["bm25"], ["nDCG@10", "NumRet"]))
    assert "bm25, 40 queries" in page.text(".eyebrow")
    assert "95 % interval" in page.text("h1")
    assert "400 in all" in page.text("#summary")
    assert page.page.query_selector("#values [data-order=changed]") is None


def test_what_cannot_be_compared_is_said(shown):
    judged, nothing = {"1": {"a": 1}, "2": {"b": 1}}, {"1": ["x"], "2": ["y"]}
    page = shown(gainful.report(judged, {"one": nothing, "two": nothing}, ["nDCG", "NumRet"]))
    text = page.text("#summary")
    assert "be compared: nDCG" in text
    assert "a sum over queries" in text
    assert "No query differs." in page.text("#differences")
    # a test that these values do not allow leaves the means
    runs = {"one": {"1": ["a"], "2": ["b"]}, "two": {"1": ["x", "a"], "2": ["x", "b"]}}
    text = shown(gainful.report(judged, runs, "RR", test="t")).text("#summary")
    assert all(part in text for part in ("be compared: RR", "by -0.5 ", "0.5000"))


def test_a_measure_that_a_test_refuses_is_named_and_the_others_are_compared(run, shown, tmp_path):
    """P@1 is 1 against 0 in every query; RR is 1 against 1/2, 1/3 and 1/4, which a t test takes."""
    ranks = {"1": 2, "2": 3, "3": 4}
    judged = {query: {"a": 1} for query in ranks}
    runs = {
        "first": {query: ["a"] for query in ranks},
        "later": {query: [*"xyz"[: rank - 1], "a"] for query, rank in ranks.items()},
    }
    for name, value in {"judged": judged, **runs}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    files = [tmp_path / f"{name}.json" for name in ("judged", *runs)]
    run(*files, "-m", "P@1", "-m", "RR", "--test", "t", "-o", tmp_path / "page.html")
    p = ttest_rel([1 / 2, 1 / 3, 1 / 4], [1, 1, 1]).pvalue
    for page in (
        gainful.report(judged, runs, ["P@1", "RR"], test="t"),
        (tmp_path / "page.html").read_text(encoding="utf-8"),
    ):
        text = shown(page).text("#summary")
        assert "be compared: P@1" in text
        assert "paired t test" in text
        assert "RR, 3 queries" in text
        assert f"{p:.4f}" in text


def test_a_run_of_which_no_query_counts_has_a_page_that_says_so(shown):
    page = shown(gainful.report({"1": {"a": 0}}, {"run": {"1": ["a"]}}, "nDCG", empty="skip"))
    assert "not known" in page.text("h1")
    assert "nothing to draw" in page.text("#summary")
    assert page.rows() == [["1", "–"]]


def test_a_query_that_a_run_lacks_is_not_laid_out_for_it(shown):
    judged = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    runs = {"all": {"1": ["a"], "2": ["b"], "3": ["x", "c"]}, "some": {"1": ["a"], "2": ["x"]}}
    page = shown(gainful.report(judged, runs, "nDCG@10", resamples=99, missing="skip"))
    page.page.click("#values .open >> text=3")
    assert "some (missing)" in page.text(".side thead")
    assert page.rows()[-1][:3] == ["3", "0.6309", "–"]


def test_ideals_that_differ_between_runs_stand_side_by_side(shown):
    judged = {"q": {"a": 3, "b": 2, "c": 1}, "r": {"d": 1}}
    runs = {
        "old": {"q": {"a": 1.0, "b": 1.0}, "r": {"d": 1.0}},
        "new": {"q": {"a": 2.0, "c": 1.0}, "r": {"x": 2.0, "d": 1.0}},
    }
    page = shown(gainful.report(judged, runs, "nDCG@10", like="sklearn", resamples=99))
    page.page.click("#values .open >> text=q")
    assert "ideal of old" in page.text(".side thead")
    first = page.page.query_selector(".side tbody td")
    assert "tied to 2" in first.inner_text()
    # Averaged over both orders, each rank has (1 + 0.6309) / 2 left: 3 × 0.8155.
    assert first.get_attribute("title") == "gain 3 × discount 0.8155 = 2.4464"


def test_a_part_is_shown_of_too_much_and_all_values_are_beside(run, shown, tmp_path, monkeypatch):
    monkeypatch.setattr(report_data, "MAX_DETAILED", 6)
    monkeypatch.setattr(report_data, "MAX_LISTED", 20)
    monkeypatch.setattr(report_data, "MAX_RANKS", 5)
    made = tmp_path / "made"
    made.mkdir()
    printed = run(*FILES, "-m", "nDCG@10", "-o", made / "a b.html")
    assert "all values to" in printed.err
    page = shown((made / "a b.html").read_text(encoding="utf-8"))
    assert list_facts(page.text(".sampled"))[:5] == ["20", "40", "6", "40", "5"]
    assert page.page.get_attribute(".sampled a", "href") == "a%20b-values.csv"
    rows = list(csv.DictReader((made / "a b-values.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 3 * 40
    page.page.select_option("#order", "given")
    known = set(json.loads(page.page.text_content("#data"))["details"])
    at = next(str(at) for at in range(20) if str(at) not in known)
    page.page.click(f"#values tbody tr:nth-child({int(at) + 1}) .open")
    assert "not in" in page.text("#query")
    assert sorted(path.name for path in made.iterdir()) == ["a b-values.csv", "a b.html"]


def test_rankings_stop_where_the_page_is_full(monkeypatch):
    monkeypatch.setattr(report_data, "_MAX_BYTES", 1)
    page = gainful.report(JUDGED, {"old": OLD, "new": NEW}, "AP", resamples=99)
    assert "of 1 of 2 queries" in page


@pytest.mark.parametrize(("measure", "most"), [("nDCG@10", 100), ("AP", 100), ("nDCG@150", 150)])
def test_documents_that_are_not_shown_are_only_counted(monkeypatch, measure, most):
    made, make = [], rankings.RankedDoc
    monkeypatch.setattr(rankings, "RankedDoc", lambda *values: made.append(1) or make(*values))
    docs = [f"d{number}" for number in range(300)]
    runs = {"old": {"q": docs, "r": docs}, "new": {"q": docs[::-1], "r": docs}}
    judged = {"q": {"d1": 2, "d250": 1}, "r": {"d3": 1}}
    data = read_data(gainful.report(judged, runs, measure, resamples=99))
    assert len(made) == 2 * 2 * most
    sides = [side for detail in data["details"].values() for side in detail["runs"]]
    assert [(len(side["docs"]), side["more"]) for side in sides] == [(100, 200)] * 4


def test_half_of_what_is_chosen_changed_most_and_chance_takes_the_rest():
    change = np.array([0.0, -5.0, 1.0, np.nan, 4.0, 0.5, 0.2, 0.1])
    first = sample_queries(change, 4, seed=1)
    assert first[:2] == [1, 4]
    assert len(set(first)) == 4
    assert first == sample_queries(change, 4, seed=1)
    assert {tuple(sample_queries(change, 4, seed=seed)) for seed in range(20)} > {tuple(first)}
    assert sample_queries(change, 8, seed=1)[-1] == 3  # what is not known is least telling


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────


def test_without_the_extra_it_is_said_how_to_install_it(run, tmp_path, monkeypatch):
    monkeypatch.setattr(report_module, "find_spec", lambda _: None)
    message = run(*FILES, "-o", tmp_path / "report.html", status=2)
    assert "pip install altair" in message
    assert message.count("\n") == 1
    with pytest.raises(NotInstalled):
        gainful.report(JUDGED, {"old": OLD}, "AP")


def test_a_page_can_go_through_a_pipe_with_a_title_and_texts(run, tmp_path):
    topics = write_file(tmp_path / "topics.tsv", "n01\twhere to <sleep>\n")
    words = ("--queries", topics, "--title", "Release <7>", "-m", "AP", "-o", "-")
    page = run(*FILES[:2], *words).out
    assert page.startswith("<!doctype html>")
    assert ">Release &lt;7&gt;</p>" in page
    assert "where to \\u003csleep\\u003e" in page
    assert page.rstrip("\n") == gainful.report(
        FILES[0], {"bm25": FILES[1]}, "AP", title="Release <7>", queries=topics
    )


@pytest.mark.parametrize(
    ("runs", "options", "error", "about"),
    [
        ({}, {}, BadValue, "runs"),
        ({"old": OLD}, {"baseline": "new"}, UnknownName, "new"),
        # options that only compare has
        ({"old": OLD}, {"pairs": "all"}, UnknownName, "pairs"),
        ({"old": OLD}, {"power": 0.9}, UnknownName, "power"),
        ({"old": OLD}, {"equivalent": 0.1}, UnknownName, "equivalent"),
    ],
)
def test_what_cannot_be_reported_is_refused(runs, options, error, about):
    with refuses(error, about):
        gainful.report(JUDGED, runs, "AP", **options)


# ── texts of queries ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "1\twhere to sleep\n\n2\twhat, to eat\n"),
        ("a.txt", "1\twhere to sleep\r\n2\twhat, to eat"),
        ("a.csv", 'qid,text\n1,where to sleep\n2,"what, to eat"\n'),
        ("a.csv", "Query-ID;title\n1;where to sleep\n2;what, to eat\n"),
        ("a.jsonl", '{"_id": "1", "text": "where to sleep"}\n{"query": 2, "text": "what, to eat"}'),
    ],
)
def test_texts_are_read_in_the_forms_people_have(tmp_path, name, text):
    file = write_file(tmp_path / name, text)
    assert read_texts(file) == {"1": "where to sleep", "2": "what, to eat"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "a\twhere to sleep\nb\twhat, to eat\n"),
        ("a.csv", "docid,text\na,where to sleep\nz,far away\n"),
        ("a.jsonl", '{"id": "a", "contents": "where to sleep"}'),
    ],
)
def test_documents_are_read_in_the_forms_people_have(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_document_texts(tmp_path / name, ["a", "c"]) == {"a": "where to sleep"}


def test_documents_that_are_none_are_called_so():
    with refuses(WrongType, "documents"):
        read_document_texts(5, ["a"])


@pytest.mark.parametrize(
    ("name", "text", "about"),
    [
        ("a.tsv", b"1 where to sleep\n", ("a.tsv:1", "text")),
        ("a.tsv", b"1\tx\n1\ty\n", ("a.tsv:2", "'1'")),
        ("a.tsv", b"1\t\xff\n", "a.tsv:1"),
        ("a.csv", b"query,text\n", "a.csv"),
        ("a.csv", b"query,words\n1,x\n", ("a.csv", "text")),
        ("a.jsonl", b"{\n", ("a.jsonl", "JSON")),
        ("a.jsonl", b"[1]\n", ("a.jsonl[0]", "1")),
        ("a.jsonl", b'{"query": 1, "text": "x"}\n{"query": 2}\n', ("a.jsonl:2", "text")),
    ],
)
def test_texts_that_are_none_are_refused_by_line(tmp_path, name, text, about):
    (tmp_path / name).write_bytes(text)
    with refuses(BadInput, about):
        read_texts(tmp_path / name)


# ── under every convention ───────────────────────────────────────────────────────────────────


def test_what_documents_bring_adds_up_to_the_value_under_every_convention():
    """Rank by rank and all at once are computed in two ways; ties, gaps and short lists included."""
    judged = {
        "q1": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 2},
        "q2": {"a": 1, "f": 1},
        "q3": {"g": 0, "a": 2},
    }
    runs = {
        "tied": {
            "q1": {"b": 0.5, "x": 0.5, "a": 0.5, "d": 0.4, "y": 0.3, "c": 0.3},
            "q2": {"x": 0.9, "f": 0.9, "y": 0.1},
            "q3": {"a": 0.2, "g": 0.1},
        },
        "other": {
            "q1": {"e": 0.9, "c": 0.8, "a": 0.8, "z": 0.1},
            "q2": {"a": 0.3},
            "q3": {"x": 1.0, "y": 0.5, "a": 0.5, "g": 0.5},
        },
    }
    seen = 0
    for name in gainful.CONVENTIONS:
        page = gainful.report(judged, runs, "nDCG@4", like=name, resamples=99)
        data = read_data(page)
        for at, detail in data["details"].items():
            for run, ranked in enumerate(detail["runs"]):
                value = data["values"][run][0][int(at)]
                assert sum(ranked["brings"]) == pytest.approx(ranked["dcg"], rel=1e-5), name
                if value is None or not ranked["idcg"]:
                    continue
                seen += 1
                decimals = gainful.like(name).decimals
                slack = 1e-9 if decimals is None else 0.5 * 10.0**-decimals + 1e-9
                assert ranked["dcg"] / ranked["idcg"] == pytest.approx(value, abs=slack), name
    assert seen > 5 * len(gainful.CONVENTIONS)


@pytest.fixture
def matches(monkeypatch):
    """How often each run is matched, by whichever engine."""
    counts = Counter()

    def count_calls(engine):
        def count(qrels, run, *rest, **options):
            counts[run.name] += 1
            return engine(qrels, run, *rest, **options)

        return count

    monkeypatch.setattr(frames, "match_frames", count_calls(frames.match_frames))
    monkeypatch.setattr(dicts, "match_dicts", count_calls(dicts.match_dicts))
    return counts


def test_a_report_matches_each_run_once(run, matches, tmp_path):
    lazy_run = pl.LazyFrame([(q, d, -float(at)) for q in NEW for at, d in enumerate(NEW[q])],
                            schema=["query", "doc", "score"], orient="row")  # fmt: skip
    runs = {"old": OLD, "new": NEW, "lazy": lazy_run}
    gainful.report(JUDGED, runs, ["nDCG@10", "AP"], resamples=99)
    assert matches == {"old": 1, "new": 1, "lazy": 1}
    matches.clear()
    run(*FILES, "-o", tmp_path / "report.html", "--resamples", 99)
    assert sorted(matches.values()) == [1, 1, 1]


def test_runs_may_stay_where_they_are():
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")

    rows = [(query, doc, -at) for query, docs in NEW.items() for at, doc in enumerate(docs)]
    frame = pandas.DataFrame(rows, columns=["query", "doc", "score"])
    with duckdb.connect() as connection:
        runs = {"old": OLD, "new": connection.from_df(frame)}
        page = gainful.report(JUDGED, runs, "nDCG@10", resamples=99)
        alone = gainful.report(JUDGED, connection.from_df(frame), "nDCG@10", resamples=99)
    assert "run, 2 queries" in alone
    data = read_data(page)
    docs = data["details"]["0"]["docs"]
    assert [docs[at] for at in data["details"]["0"]["runs"][1]["docs"]] == NEW["q"]
