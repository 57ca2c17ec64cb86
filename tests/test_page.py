"""Pages: one value, from which every format of every result is written."""

import csv
import json
import pickle
import re
from html.parser import HTMLParser
from operator import attrgetter
from pathlib import Path

import pytest
from refusals import refuses

import gainful
from gainful.api.evaluate import RunResults
from gainful.api.measures import conventions, measures
from gainful.convention.convention import Settings
from gainful.convention.session import SESSION_CONVENTIONS
from gainful.page.formats.html import to_mathjax
from gainful.page.formats.markdown import escape_markdown
from gainful.page.page import Page, Section
from gainful.page.render import RENDERERS, SUFFIXES, render
from gainful.page.shown import Description, Shown
from gainful.page.table import Table, column_bars
from gainful.page.terminal import Terminal

HOSTILE = "<script>alert(1)</script>|=x"
JUDGED = {str(query): {"a": 2, "b": 1, "c": 0} for query in range(6)}
GOOD = {str(query): ["a", "b", "x"] for query in range(6)}
BAD = {str(query): ["x", "b", "a"] if query else ["a", "b"] for query in range(6)}
RUNS = {"good": GOOD, HOSTILE: BAD}
TABLE = Table(("run", "AP"), [("one", 0.123456), (HOSTILE, None)], numeric=True, label_columns=1)
PAGE = Page(
    answer="Nobody leads.",
    sections=[Section("heading", TABLE, ["a line"], style="1", strong=True)],
    notes=["first note", "second note"],
    rows=lambda: TABLE,
    data=lambda: {"leads": None},
)


SMALL = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "br", "p", "b", "sup"}


def make_pilot() -> tuple[dict[str, list[str]], dict[str, dict[str, list[str]]]]:
    """Six queries, in every second of which one run is better."""
    good, bad = ["a", "b"], ["b", "a"]
    mixed = {str(query): bad if query % 2 else good for query in range(6)}
    return {query: ["a"] for query in mixed}, {"good": dict.fromkeys(mixed, good), "mixed": mixed}


@pytest.fixture(scope="module")
def results() -> dict[str, Shown]:
    study = gainful.sessions.simulate_study(7)
    sessions = gainful.sessions.evaluate(study.sessions, study.qrels, "nsDCG@10")
    changed = gainful.compare(JUDGED, RUNS, "nDCG@10", per_query=True)
    results = gainful.evaluate(JUDGED, BAD, "nDCG@10")
    return {
        "Results": results,
        "RunResults": gainful.evaluate(JUDGED, runs=RUNS, interval=95, resamples=99),
        "MeanIntervals": gainful.stats.mean_intervals(results, resamples=99),
        "RunMeanIntervals": gainful.stats.mean_intervals(
            gainful.evaluate(JUDGED, RUNS), resamples=99
        ),
        "SessionResults": sessions,
        "LastQueries": sessions.last_queries(),
        "Reformulations": sessions.reformulations(),
        "SimulatedStudy": study,
        "Sweep": gainful.sessions.sweep(study.sessions, study.qrels, points=3),
        "Comparison": changed,
        "LargestChanges": changed.largest_changes[0],
        "Order": gainful.order(JUDGED, {**RUNS, "third": GOOD}, ["AP", "RR"], resamples=99),
        "Plan": gainful.plan(*make_pilot(), "RR"),
        "Verdict": gainful.gate(JUDGED, BAD, floors={"AP": 0.9}),
        "Bounds": gainful.unjudged(JUDGED, BAD, "AP"),
        "Why": gainful.why(JUDGED, BAD, "nDCG@10", unlike="lightgbm"),
        "Explanation": gainful.explain([3, 2, 0, 1]),
        "Contributions": gainful.explain([3, 2, 0, 1], measure="AP"),
        "Formulations": gainful.which("0.932", [3, 2, 3, 0, 1, 2]),
        "measures": measures("nDCG"),
        "conventions": conventions("sklearn", "trec_eval"),
        "Convention": gainful.CONVENTIONS["sklearn"],
        "SessionConvention": SESSION_CONVENTIONS["jk2008"],
        "RunBounds": gainful.unjudged(JUDGED, RUNS, "AP"),
        "CheckReport": gainful.check(Path(__file__)),
    }


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.add(tag)


def test_every_result_is_there_in_every_format(results):
    for name, result in results.items():
        assert isinstance(result, Shown), name
        assert repr(result), name
        if not isinstance(result, Settings):  # whose repr is how it would be written
            assert str(result.summary()) == str(result), name
        assert result.to_text(), name
        assert result.to_markdown(), name
        assert result.to_latex(), name
        assert json.loads(result.to_json()) is not None, name
        html = result._repr_html_()
        assert _Tags(html).tags <= SMALL, name
        assert "<script" not in html, name


def test_latex_of_every_result_is_well_formed(results):
    """No TeX is asked: what opens closes, and every row has as many cells as its tabular says."""
    comparison = results["Comparison"]
    texts = [result.to_latex() for result in results.values()]
    texts += [result.to_latex(verbose=True) for result in (comparison, results["RunResults"])]
    for text in (*texts, comparison.to_latex(full=True)):
        lines = [line for line in text.splitlines() if not line.startswith("%")]
        bare = re.sub(r"\\[{}%&$#_]", "", "\n".join(lines))
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert not re.search(r"(?<!\\)[%#]", "\n".join(lines))
        stack: list[str] = []
        width = 0
        for line in lines:
            for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", line):
                if kind == "begin":
                    stack.append(name)
                else:
                    assert stack.pop() == name
            columns = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", line)
            width = len(columns[1]) if columns else width if "tabular" in stack else 0
            if width and line.endswith(r"\\") and "multicolumn" not in line:
                assert line.replace(r"\&", "").count("&") == width - 1
        assert not stack


def test_every_result_has_rows_for_programs(results):
    for name, result in results.items():
        lines = list(csv.reader(result.to_csv().splitlines()))
        assert len({len(line) for line in lines}) == 1, name
        objects = [json.loads(line) for line in render(result.page(), "jsonl").splitlines()]
        assert objects, name


def test_every_result_is_a_frame_of_either_make_and_plain_data(results):
    for name, result in results.items():
        rows = result.to_csv().count("\n")
        frame, pandas = result.to_polars(), result.to_pandas()
        assert frame.shape == pandas.shape, name
        assert frame.columns == list(pandas.columns), name
        if name not in ("Results", "SessionResults"):  # by query and by session
            assert len(frame) <= rows, name
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) is not None, name


def test_every_result_is_saved_by_the_suffix_of_its_file(results, tmp_path):
    for name, result in results.items():
        for form, suffix in SUFFIXES.items():
            path = tmp_path / f"{name}{suffix}"
            result.save(path)
            text = path.read_text()
            if form == "html":
                assert text.startswith("<!doctype html>"), name
                assert render(result.page(), form) in text, name
            else:
                assert text == render(result.page(), form) + "\n", name
    with refuses(gainful.errors.BadValue, "path"):
        result.save(tmp_path / "result.xlsx")
    assert not (tmp_path / "result.xlsx").exists()


def test_every_result_can_go_to_another_process(results):
    for name, result in results.items():
        if not isinstance(result, Description):  # what commands print of tables
            again = pickle.loads(pickle.dumps(result))  # noqa: S301  (it is our own)
            assert again.to_json() == result.to_json(), name
            assert again == result, name


def test_two_results_of_the_same_are_equal_and_of_another_are_not():
    first = gainful.compare(JUDGED, RUNS, "nDCG@10")
    assert first == gainful.compare(JUDGED, RUNS, "nDCG@10")
    assert hash(first) == hash(gainful.compare(JUDGED, RUNS, "nDCG@10"))
    assert first != gainful.compare(JUDGED, RUNS, "AP")
    assert first != first.to_dict()
    assert gainful.unjudged(JUDGED, RUNS, "AP") == gainful.unjudged(JUDGED, RUNS, "AP")
    assert gainful.unjudged(JUDGED, RUNS, "AP") != gainful.unjudged(JUDGED, RUNS, "RR")
    assert gainful.explain([3, 2, 0]) == gainful.explain([3, 2, 0])
    assert gainful.explain([3, 2, 0]) != gainful.explain([3, 2, 1])


def test_nobody_is_told_of_names_that_are_no_part_of_the_reference(results):
    for name, result in results.items():
        listed = set(dir(result))
        assert {"to_latex", "save"} <= listed, name
        assert not listed & {"page", "brief", "find_name", "tabulate", "popitem", "clear"}, name
    assert "items" in dir(results["RunResults"])


def test_a_result_without_a_plot_says_where_figures_are(results):
    for name in ("Order", "Verdict", "Plan", "Bounds"):
        with refuses(AttributeError, "gainful.figures"):
            attrgetter("plot")(results[name])
    with refuses(AttributeError, "gainful.figures.map(sweep"):
        attrgetter("plot")(results["Sweep"])
    assert gainful.figures.map(results["Sweep"]).to_dict()


def test_an_attribute_that_is_not_there_says_what_there_is(results):
    for result in results.values():
        with pytest.raises(AttributeError):
            attrgetter("xyzzy")(result)
        with refuses(AttributeError, "to_latex"):
            attrgetter("to_latx")(result)
        with refuses(AttributeError, "to_polars()?"):
            attrgetter("df")(result)
        assert not hasattr(result, "__wrapped__")


def test_the_answer_comes_first_and_the_notes_come_last():
    assert render(PAGE, "table").splitlines() == [
        "Nobody leads.",
        "",
        "heading",
        "run                               AP",
        "one                           0.1235",
        f"{HOSTILE}       –",
        "",
        "a line",
        "",
        "first note",
        "second note",
    ]


def test_markdown_lets_nothing_break_out_of_a_cell_or_a_note():
    text = render(Page(sections=[Section(table=TABLE)], notes=[HOSTILE]), "markdown")
    assert "<script" not in text
    assert "\\|=x" in text
    assert all(line.count("|") - line.count("\\|") in (0, 3) for line in text.splitlines())


def test_names_are_no_markup_in_markdown():
    """GitHub set `$x$` as a formula; a backslash before a bar let the cell end there."""
    names = ("$x$", "a\\|b", "`c`", "_d_", "&lt;e", "k1_b~~f~~", "bm25_k1 & b")
    expected = (r"\$x\$", r"a\\\|b", r"\`c\`", r"\_d\_", r"\&lt;e", r"k1_b\~\~f\~\~", "bm25_k1 & b")
    assert tuple(map(escape_markdown, names)) == expected


def test_latex_has_tables_and_all_else_as_comments():
    text = render(PAGE, "latex")
    outside = [line for line in text.splitlines() if not line.startswith(("%", "\\"))]
    assert outside == ["run & AP \\\\", "one & 0.1235 \\\\", outside[2]]
    assert text.startswith("% Nobody leads.\n% first note\n% second note\n% heading\n% a line\n")


def test_programs_get_values_at_full_precision_and_what_is_missing_empty():
    assert render(PAGE, "csv").splitlines() == ["run,AP", "one,0.123456", f"{HOSTILE},"]
    assert render(PAGE, "tsv").splitlines()[1] == "one\t0.123456"
    assert json.loads(render(PAGE, "jsonl").splitlines()[1]) == {"run": HOSTILE, "AP": None}
    assert json.loads(render(PAGE, "json")) == {"leads": None}


def test_a_long_heading_stands_above_its_table_and_is_not_squeezed_into_it():
    html = render(Page(sections=[Section("long " * 20, TABLE)]), "html")
    assert html.startswith(f"<p>{'long ' * 20}</p><div")
    assert "<caption" not in html


def test_a_notebook_gets_a_caption_for_each_table_and_notes_below_the_last():
    """Lines and notes are paragraphs: in a caption they would be squeezed to a narrow table."""
    page = Page(
        sections=[Section("one", TABLE, ["a line"]), Section("two", TABLE)], notes=["the note"]
    )
    first, second = render(page, "html").split("<caption")[1:]
    assert ";white-space:nowrap'>one</caption>" in first  # as wide as the table, or widens it
    assert first.endswith("</table></div><p>a line</p><div style='overflow-x:auto'><table>")
    assert ">two</caption>" in second
    assert second.endswith("</table></div><p>the note</p>")
    long_heading = render(Page(sections=[Section("long " * 40, TABLE)]), "html")
    assert "nowrap" not in long_heading
    assert render(Page(answer="<b>", notes=["x"]), "html") == "<p>&lt;b&gt;</p><p>x</p>"
    assert to_mathjax(page).count(r"\begin{array}{lr}") == 2


def test_sections_of_one_format_and_sections_that_look_at_the_width():
    page = Page(
        sections=[
            Section(lines=["for a terminal"], forms=("table",)),
            Section(lines=["for a page"], forms=("markdown",)),
            lambda width: [Section(lines=[f"{width} wide"])],
        ]
    )
    assert render(page, "table", Terminal(width=40)) == "for a terminal\n\n40 wide"
    assert render(page, "markdown") == "for a page\n\nNone wide"


def test_lines_are_folded_to_a_terminal_and_headings_are_set_in_its_colours():
    page = Page(sections=[Section("title", lines=["a b c d e f"], style="1", indent="  ")])
    text = render(page, "table", Terminal(width=7, colour=True))
    assert text == "\x1b[1mtitle\x1b[0m\na b c d\n  e f"
    assert render(page, "table") == "title\na b c d e f"


def test_a_page_may_write_a_format_itself_but_not_lack_what_a_format_is_made_of():
    assert render(Page(renderers={"latex": lambda: "own"}), "latex") == "own"
    for form in ("csv", "tsv", "jsonl", "json"):
        with pytest.raises(TypeError):
            render(Page(), form)
    for method in ("to_dict", "to_polars", "to_pandas"):
        with pytest.raises(TypeError):
            getattr(Description(Page()), method)()


def test_json_lines_may_be_other_objects_than_the_rows():
    page = Page(rows=lambda: TABLE, records=lambda: [{"a": {"b": 1}}])
    assert render(page, "jsonl") == '{"a": {"b": 1}}'


def test_bars_are_of_the_columns_that_are_named():
    bars = column_bars([("a", 1.0, 2.0), ("b", 0.5, 4.0)], {1: True, 2: False})
    assert bars == {1: [1.0, 0.5], 2: [0.5, 1.0]}


def test_several_runs_are_a_dict_with_pages():
    by_run = gainful.evaluate(JUDGED, runs=RUNS, measures="RR")
    assert isinstance(by_run, RunResults)
    assert list(by_run) == ["good", HOSTILE]
    assert by_run.to_csv().startswith("run,RR\ngood,1.0\n")
    assert "all" in by_run.to_markdown(per_query=True)
    assert set(RENDERERS) == {
        *("table", "tsv", "csv", "markdown", "latex", "html", "json", "jsonl")
    }


def test_an_interval_is_of_several_runs():
    with refuses(gainful.errors.BadValue, "interval"):
        gainful.evaluate(JUDGED, GOOD, interval=95)
    with refuses(gainful.errors.BadValue, "the level of the interval"):
        gainful.evaluate("no such file", runs={"a": "none"}, interval=0)


def test_latex_has_a_minus_before_negative_numbers_and_commands_for_greek_letters():
    table = Table(("ΔRI",), [("-0.5 … +0.1",), ("bm25-2",), ("a → b",)])
    rows = render(Page(sections=[Section(table=table)]), "latex").splitlines()
    assert r"$\Delta$RI \\" in rows
    assert r"$-$0.5 \dots{} +0.1 \\" in rows
    assert {r"bm25-2 \\", r"a $\to$ b \\"} <= {*rows}
