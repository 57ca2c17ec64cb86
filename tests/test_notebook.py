"""What a notebook shows: small escaped tables, and formulas from the formulas themselves."""

from html.parser import HTMLParser

import polars as pl
import pytest
from facts import list_facts
from test_page import SMALL

import gainful
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.measure import Measure
from gainful.page.render import render

JUDGED = {str(query): {"a": 2, "b": 1} for query in range(6)}
RUNS = {
    "<script>alert(1)</script>": {str(query): ["x", "a"] for query in range(6)},
    "better": {str(query): ["a", "b"] for query in range(6)},
}
SESSIONS = [
    {"session": "s", "query": query, "rank": rank, "doc": f"{query}{rank}", "grade": rank % 2}
    for query in (1, 2)
    for rank in (1, 2, 3)
]


def test_a_run_is_called_what_its_file_is_called_and_not_by_its_folder(tmp_path):
    (tmp_path / "bm25.txt").write_text("1 Q0 a 1 0.9 x\n")
    path = str(tmp_path / "bm25.txt")
    results = gainful.evaluate({"1": {"a": 1}}, path, "RR")
    assert list_facts(repr(results), "bm25")[:2] == ["bm25", "1"]
    assert gainful.evaluate({"1": {"a": 1}}, tmp_path / "bm25.txt", "RR").name == "bm25"
    assert repr(gainful.unjudged({"1": {"a": 1}}, path, "RR")).startswith("Bounds of bm25, ")
    (tmp_path / "study.csv").write_text("session,query,doc\ns,1,a\n")
    sessions = gainful.sessions.evaluate(str(tmp_path / "study.csv"), {"s": {"a": 1}}, "sDCG@10")
    assert list_facts(repr(sessions), "study.csv")[:3] == ["study.csv", "1", "1"]


def test_results_comparisons_and_sessions_have_latex_that_mathjax_knows():
    results = gainful.evaluate(JUDGED, RUNS["better"], ["nDCG@10", "P_1"])
    compared = gainful.compare(JUDGED, RUNS, "RR", resamples=99)
    sessions = gainful.sessions.evaluate(pl.DataFrame(SESSIONS), measures="sDCG@10")
    for result in (results, compared, sessions):
        text = result._repr_latex_()
        assert text.startswith(r"$\begin{array}{l")
        assert text.endswith(r"\end{array}$")
        assert text.count("{") == text.count("}")
    assert r"\text{nDCG@10} & \text{1.0000} \\" in results._repr_latex_()
    assert r"\text{P\_1}" in results._repr_latex_()
    assert "<script>" not in compared._repr_latex_()


class Cells(HTMLParser):
    """The texts of a table by row, and every tag that occurs."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.caption = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):  # noqa: ARG002  (as the parser calls it)
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.tags[-1] in ("td", "th") or self.tags[-2:-1] == ["td"] or self.tags[-1] == "sup":
            self.rows[-1][-1] += data
        else:
            self.caption += data


def test_results_show_a_mean_for_each_measure_and_what_was_counted():
    results = gainful.evaluate(JUDGED, RUNS["better"], ["nDCG@10", "RR", "NumRet"])
    cells = Cells(results._repr_html_())
    means = [["nDCG@10", "1.0000"], ["RR", "1.0000"], ["NumRet", "12"]]
    assert cells.rows == [["measure", "mean"], *means]
    assert "6 queries" in cells.caption
    assert "missing" not in cells.caption  # zeros are not said


def test_a_comparison_shows_systems_by_measures_with_their_evidence():
    comparison = gainful.compare(JUDGED, RUNS, "RR")
    cells = Cells(comparison._repr_html_())
    assert cells.rows == [
        ["", "run", "RR"],
        ["a", "<script>alert(1)</script>", "0.5000"],
        ["b", "better", "1.0000a"],  # the last letter is raised
    ]
    html = comparison._repr_html_()
    assert "<td style='text-align:right'><b>1.0000</b><sup>a</sup></td>" in html
    assert ("color" in html, "background" in html) == (False, False)
    # All six differ by 0.5: of 64 arrangements two are as extreme, 2/64.
    facts = list_facts(comparison.page().answer, "better", "<script>alert(1)</script>")
    assert cells.caption.startswith(comparison.page().answer)
    assert facts[:9] == [
        *("better", "better", "<script>alert(1)</script>", "RR"),
        *("0.500", "95", "0.500", "0.500", "0.031"),
    ]
    assert "+0.5000 … +0.5000" in render(comparison.page(full=True), "html")


def test_an_order_shows_what_each_measure_tells_apart():
    runs = {**RUNS, "worst": {str(query): ["x", "y", "a"] for query in range(6)}}
    order = gainful.order(JUDGED, runs, ["RR", "P@1"], resamples=99)
    cells = Cells(order._repr_html_())
    assert cells.rows[0][0] == "measure"
    assert [row[0] for row in cells.rows[1:3]] == ["RR", "P@1"]
    assert list_facts(cells.caption)[:3] == ["3", "RR", "P@1"]
    assert order.to_csv().startswith("what,measure,other,run,value\nmean,RR,,")


def test_a_verdict_shows_its_rules_and_where_to_look():
    verdict = gainful.gate(JUDGED, RUNS["better"], floors={"RR": 0.5, "P@5": 0.5})
    cells = Cells(verdict._repr_html_())
    assert cells.rows[1] == ["RR", "1.0000", "floor 0.5", "holds"]
    failure = ["FAILED", "P@5", "0.4000", "0.5"]
    assert list_facts(cells.caption)[:4] == failure
    assert list_facts(repr(verdict).splitlines()[0]) == failure
    assert verdict.to_csv().splitlines()[1].startswith("floor,RR,1.0,0.5,true,")


def test_the_queries_that_changed_most_follow_their_comparison():
    comparison = gainful.compare(JUDGED, RUNS, "RR", per_query=True, resamples=99)
    text, changes = comparison.to_text(), comparison.largest_changes[0]
    assert text.endswith(f"\n\n{changes.to_text()}")
    assert "better against <script>" in text
    cells = Cells(changes._repr_html_())
    assert cells.rows[0][:2] == ["document", "what"]
    assert comparison.to_csv() == changes.to_csv()


def test_results_of_sessions_show_means():
    results = gainful.sessions.evaluate(pl.DataFrame(SESSIONS), measures="sDCG(b=2, bq=4)@3")
    cells = Cells(results._repr_html_())
    assert cells.rows[0] == ["measure", "mean"]
    # Grades 1 0 1 in both: 1 + 1/(1 + log2 3) = 1.386852; the second query has 1/1.5 of it.
    assert cells.rows[1] == ["sDCG(b=2, bq=4)@3", "2.3114"]
    assert "1 session, 2 queries" in cells.caption


def test_long_and_hostile_names_stay_short_text():
    run = "<img src=x onerror=alert(1)>" * 400
    results = gainful.evaluate(JUDGED, runs={run: RUNS["better"]}, measures="RR")[run]
    html = results._repr_html_()
    assert set(Cells(html).tags) <= SMALL
    assert len(html) < 1500


SUM = r"\sum_{i=1}^"
QUERIES = r"\sum_{q=1}^{m} \frac{1}{1 + \log_{4}(q)} "


@pytest.mark.parametrize(
    ("measure", "latex"),
    [
        ("CG@5", rf"$\mathrm{{CG}}@5 = {SUM}{{5}} g_{{i}}$"),
        ("DCG(gain=exp)", rf"$\mathrm{{DCG}} = {SUM}{{n}} \frac{{2^{{g_{{i}}}} - 1}}{{\log_{{2}}(i + 1)}}$"),
        ("DCG(discount=jk2008, b=4)@10", rf"$\mathrm{{DCG}}@10 = {SUM}{{10}} \frac{{g_{{i}}}}{{1 + \log_{{4}}(i)}}$"),
        ("nCG@3", r"$\mathrm{nCG}@3 = \frac{\mathrm{CG}@3}{\text{ideal }\mathrm{CG}@3}, \quad \mathrm{CG}@3 = \sum_{i=1}^{3} g_{i}$"),
        ("IDCG(discount=none)", r"$\mathrm{IDCG} = \max_{\text{rankings}} \sum_{i=1}^{n} g_{i}$"),
        ("sDCG(b=2, bq=4)@10", rf"$\mathrm{{sDCG}}@10 = {QUERIES}{SUM}{{10}} \frac{{g_{{qi}}}}{{1 + \log_{{2}}(i)}}$"),
    ],
)  # fmt: skip
def test_a_measure_of_cumulated_gain_shows_its_formula(measure, latex):
    assert gainful.parse(measure)._repr_latex_() == latex


@pytest.mark.parametrize(
    ("measure", "part"),
    [
        ("nsDCG@10", r"{\text{ideal }\mathrm{sDCG}@10}"),  # below the session
        ("RBP(p=0.9)@5", r"$\text{RBP(p=0.9)@5}$: "),  # in words, with its parameters
        # summed otherwise, which no formula of ours says
        ("sDCG(rank_discount=concatenated)@10", r"$\text{sDCG(rank\_discount=concatenated)@10}$: "),
    ],
)
def test_other_measures_show_what_is_true_of_them(measure, part):
    latex = gainful.parse(measure)._repr_latex_()
    assert part in latex
    assert ": " not in part or latex.startswith(part)


@pytest.mark.parametrize("name", [*MEASURES, *SESSION_MEASURES])
def test_every_measure_shows_itself(name):
    measure = Measure(name)
    assert measure._repr_latex_().startswith(r"$\mathrm{")
    assert measure._repr_latex_().count("$") % 2 == 0
    assert set(Cells(measure._repr_html_()).tags) <= SMALL


def test_a_page_is_shown_in_a_frame_and_saved(tmp_path):
    """In a frame, so that its script and style stay its own; nothing of it leaks into the notebook."""
    page = gainful.report({"1": {"a": 1}}, {"x<y": {"1": ["a"]}}, "RR")
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2  # the frame and its end
    assert len(repr(page)) < 100
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_a_comparison_draws_its_differences():
    queries = {str(query): {"a": 1} for query in range(8)}
    runs = {"old": {q: ["x", "a"] for q in queries}, "new": {q: ["a"] for q in queries}}
    compared = gainful.compare(queries, runs, "RR", resamples=99)
    rows = gainful.figures.figure_data("comparison", compared).rows()
    assert [row[:3] for row in rows] == [("new", "RR", 0.5)]
    assert "vconcat" in compared.plot().to_dict()
