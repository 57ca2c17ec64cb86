"""Whatever a command prints fits the terminal, and is folded between words: 80 columns and others."""

import re

import click
import pytest
from example_files import EXAMPLES
from hypothesis import example, given, strategies as st

from gainful.api.figures import FIGURES
from gainful.cli.main import gainful
from gainful.page.page import Page, Section
from gainful.page.render import render
from gainful.page.table import Table
from gainful.page.terminal import Terminal
from gainful.text import display_width, fold_line

ESCAPE = re.compile(r"\x1b\[[\d;]*m")
WIDTHS = (60, 80, 100, 120)
UNLIMITED = 10_000

RUNS = ("news/qrels.txt", "news/bm25.txt", "news/dense.txt", "news/hybrid.txt")
TWO_RUNS = RUNS[:3]
SESSIONS = ("sessions.csv", "--qrels", "sessions-qrels.txt")
GRADES = ("3", "2", "3", "0", "1", "2")
FEW = ("--resamples", "99")
COMMANDS = {
    "eval": ("eval", *RUNS, "-m", "nDCG@10", "-m", "AP"),
    "eval, all of it": ("eval", *RUNS, "-v"),
    "eval, many measures": ("eval", *RUNS, "-m", "nDCG@1..20"),
    "eval, queries": ("eval", "qrels.txt", "bm25.txt", "-m", "nDCG@1..12", "--per-query"),
    "eval, intervals": ("eval", *RUNS, "--interval", "95", *FEW),
    "compare": ("compare", *RUNS, "-m", "nDCG@10", "-m", "AP", *FEW),
    "compare, queries": ("compare", *TWO_RUNS, "-m", "nDCG@10", "--per-query", *FEW),
    "compare, Tukey": ("compare", *RUNS, "--test", "tukey", "--full", "-v", *FEW),
    "compare, sessions": ("compare", "--sessions", *SESSIONS, "-m", "nsDCG@3"),
    "compare, standardised": ("compare", *RUNS, "-m", "nDCG@10", "--standardise", "normal"),
    "compare, equivalence": ("compare", *RUNS, "-m", "nDCG@10", "--equivalent", "0.06", *FEW),
    "plan": ("plan", *RUNS, "-m", "nDCG@10", "-m", "AP"),
    "plan, clusters": ("plan", *RUNS, "-m", "AP", "--cluster", r"^n?(.+)\d$", "--comparisons", "3"),
    "order": ("order", *RUNS, "-m", "nDCG@10", "-m", "P@5", "-m", "RR", *FEW),
    "correlate": ("correlate", *RUNS, "-m", "AP", "-m", "RR", "--column", "nDCG@10", *FEW),
    "reproduce": ("reproduce", *RUNS[:3], "--baselines", *RUNS[1:4:2], "-m", "nDCG@10", "-m", "AP"),
    "judges": ("judges", "news/qrels.txt", "news/model-qrels.txt", "--run", RUNS[1], "--run", RUNS[2], "--run", RUNS[3], *FEW),
    "unjudged": ("unjudged", *TWO_RUNS, "-m", "nDCG@10", "-m", "P@10"),
    "unjudged, queries": ("unjudged", *RUNS[:2], "-m", "P@10", "--per-query"),
    "unjudged, first": ("unjudged", *TWO_RUNS, "-m", "P@10", "--first", "5"),
    "gate": ("gate", *RUNS[:2], "--floor", "nDCG@10=0.9", "--floor", "AP=0.1"),
    "gate, error rates": ("gate", *RUNS[:2], "--floor", "nDCG@10=0.5", "--floor", "AP=0.1", "--error-rates"),
    "why": ("why", "qrels.txt", "dense.txt", "--like", "trec_eval", "--unlike", "sklearn"),
    "why, another": ("why", *RUNS[:2], "--unlike", "lightgbm"),
    "why, sessions": ("why", "sessions-qrels.txt", "sessions.csv", "-m", "nsDCG@3", "--like", "jk2008", "--unlike", "kanoulas2011"),
    "sessions": ("sessions", *SESSIONS, "--by", "system"),
    "sessions, costs": ("sessions", *SESSIONS, "--by", "system", "--cost", "query=50,result=200"),
    "sessions, all of it": ("sessions", *SESSIONS, "-v"),
    "sessions, a log": ("sessions", "clicks.csv", "--by", "variant", "--anonymise", "--salt", "s"),
    **{
        f"sessions, {view}": ("sessions", *SESSIONS, f"--{view}")
        for view in ("per-session", "lengths", "curve", "last", "best-query", "reformulations")
    },
    "sweep": ("sweep", *SESSIONS, "--depth", "3", "--points", "3"),
    "calibrate": ("calibrate", "sessions.csv", "--by", "system", "-v"),
    "check": ("check", "qrels.txt", "dense.txt"),
    "check, sessions": ("check", "sessions.csv", "sessions-qrels.txt"),
    "explain": ("explain", *GRADES, "-v"),
    "explain, weights": ("explain", *GRADES, "--gain", "0:0,1:1,2:10,3:100", "--discount", "jk2008"),
    "which": ("which", "0.932", *GRADES),
    "which, vague": ("which", "0.96", *GRADES),
    "measures": ("measures",),
    "measures, one": ("measures", "nDCG"),
    "measures, sessions": ("measures", "sDCG"),
    "measures, an option": ("measures", "ties"),
    "conventions": ("conventions",),
    "conventions, one": ("conventions", "trec_eval"),
    "conventions, two": ("conventions", "sklearn", "--diff", "trec_eval"),
    "figure": ("figure",),
    "a file that is not there": ("eval", "qrels.txt", "nowhere.txt"),
    "a measure that is not there": ("eval", "qrels.txt", "bm25.txt", "-m", "nDGC@10"),
    "a convention that is not there": ("explain", "3", "--like", "nothing_at_all"),
    "no rule": ("gate", "qrels.txt", "bm25.txt"),
}  # fmt: skip
NAMES = gainful.list_commands(click.Context(gainful))
WITHOUT_PAGE = {"report", "explore", "trec_eval", "help", "completion"}  # files, bytes and help
HELP = [(), *((name,) for name in NAMES), *(("figure", name) for name in FIGURES)]


def print_at(run_gainful, words, width):
    """What a person reads on a terminal of that width, without colours."""
    outcome = run_gainful(*words, status=None, tty=True, width=width, folder=EXAMPLES)
    assert outcome.status in (0, 1, 2)
    return ESCAPE.sub("", outcome.out + outcome.err)


def find_wide_lines(text, width):
    return [line for line in text.splitlines() if display_width(line) > width]


def split_words(text):
    """The words; bars are none."""
    return {word for word in re.sub("[▏▎▍▌▋▊▉█]", "", text).split() if word != "\\"}


@pytest.fixture(scope="module")
def all_words(run_gainful):
    """The words of a command where nothing has to be folded, found once for all widths."""
    known: dict[str, set[str]] = {}

    def find(name):
        if name not in known:
            known[name] = split_words(print_at(run_gainful, COMMANDS[name], UNLIMITED))
        return known[name]

    return find


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints_fits_and_no_word_is_broken(run_gainful, all_words, name):
    for width in WIDTHS:
        text = print_at(run_gainful, COMMANDS[name], width)
        assert find_wide_lines(text, width) == []
        head, _, rest = text.partition("Not shown: ")
        hidden, _, rest = rest.partition("shows all.")
        words = all_words(name) | {"measure"}  # the head where measures stand below one another
        assert split_words(head + rest) - words == set(), width
        assert not hidden or " ".join(hidden.split()).count("--format csv") == 1


def test_a_formula_is_not_folded_where_it_fits_on_a_line(run_gainful):
    text = print_at(run_gainful, COMMANDS["why, another"], 80)
    sums = [line.strip() for line in text.splitlines() if "DCG" in line and "=" in line]
    assert sums
    assert all(line.startswith("DCG") and "/ ideal DCG" in line for line in sums), sums


def test_every_command_that_prints_a_page_is_looked_at():
    assert {words[0] for words in COMMANDS.values()} == set(NAMES) - WITHOUT_PAGE


@pytest.mark.parametrize("words", HELP, ids=lambda words: " ".join(words) or "gainful")
def test_help_fits_and_its_examples_can_be_copied(run_gainful, words):
    for width in WIDTHS:
        text = run_gainful(*words, "-h", width=width).out
        assert find_wide_lines(text, max(width, 80) if words == ("trec_eval",) else width) == []
        examples = text.partition("\nExamples:\n")[2]
        assert "gainful" in examples
        if width >= 80:
            assert "\\\n" not in examples
        whole = re.sub(r" \\\n +", " ", examples)
        lines = [line for line in whole.splitlines() if line]
        if words != ("trec_eval",):
            assert all(re.match(r"  (gainful|zcat|cut) ", line) for line in lines)


def test_options_stand_in_groups_and_those_that_matter_come_first(run_gainful):
    folded = run_gainful("eval", "--help").out
    assert "--ties" not in folded
    assert "--help-all" in folded
    lines = run_gainful("eval", "--help-all").out.splitlines()
    headings = [line for line in lines if re.fullmatch(r"[A-Z]\w+:", line)]
    assert headings == ["Options:", "Output:", "Statistics:", "Files:", "Convention:", "Examples:"]
    assert lines[lines.index("Options:") + 1].startswith("  -m, --measure")
    assert lines.index("Convention:") < next(i for i, line in enumerate(lines) if "--ties" in line)


def test_every_command_has_one_line_in_help(run_gainful):
    text = run_gainful("--help").out.partition("\nExamples:\n")[0]
    for name in NAMES:
        assert len(re.findall(rf"^  {name} ", text, flags=re.MULTILINE)) == 1, name
    assert run_gainful("help").out == run_gainful("--help").out
    assert run_gainful("help", "eval").out == run_gainful("eval", "--help").out
    assert run_gainful("help", "trec_eval").out == run_gainful("trec_eval", "-h").out
    assert run_gainful("help", "figure", "dots").out == run_gainful("figure", "dots", "-h").out


def test_a_pipe_has_no_width_unless_it_is_said(run_gainful):
    words = (*COMMANDS["compare"], "--format", "table")
    whole = run_gainful(*words, folder=EXAMPLES).out
    assert "win/tie/loss" in whole
    narrow = run_gainful(*words, folder=EXAMPLES, width=80).out
    assert "win/tie/loss; " in narrow.partition("Not shown: ")[2]
    assert find_wide_lines(narrow, 80) == []
    tsv = [
        run_gainful(*COMMANDS["compare"], folder=EXAMPLES, width=width).out for width in (20, None)
    ]
    assert tsv[0] == tsv[1]


WIDE = Table(
    ("run", "mean", "win/tie/loss", "effect\nsize"),
    [("one", 0.5, "1/0/1", 0.25), ("検索エンジン", 0.25, "1/0/1", -0.25)],
    numeric=True,
    label_columns=1,
    expendable=("win/tie/loss", "effect\nsize"),
)


def show(table, width):
    return render(Page(sections=[Section(table=table)]), "table", Terminal(width=width))


def test_columns_go_in_their_order_and_it_is_said_which():
    assert show(WIDE, 60).splitlines() == [
        "                                     effect",
        "run             mean  win/tie/loss     size",
        "one           0.5000         1/0/1   0.2500",
        "検索エンジン  0.2500         1/0/1  -0.2500",
    ]
    assert show(WIDE, 32).splitlines() == [
        "                       effect",
        "run             mean     size",
        "one           0.5000   0.2500",
        "検索エンジン  0.2500  -0.2500",
        "",
        "Not shown: win/tie/loss; a wider",
        "terminal or --format csv shows",
        "all.",
    ]
    assert show(WIDE, 22).splitlines()[:3] == [
        "run             mean",
        "one           0.5000",
        "検索エンジン  0.2500",
    ]


def test_what_is_not_expendable_stands_below_with_its_labels():
    table = Table(("query", *"abcd"), [("q1", 1.0, 2.0, 3.0, 4.0)], numeric=True, label_columns=1)
    assert show(table, 24).splitlines() == [
        "query       a       b",
        "q1     1.0000  2.0000",
        "",
        "query       c       d",
        "q1     3.0000  4.0000",
    ]


def test_words_are_folded_in_their_columns_and_numbers_are_not():
    words = Table(("what", "meaning"), [("gain", "what a document is worth")])
    assert show(words, 20).splitlines() == [
        "what  meaning",
        "gain  what a",
        "      document is",
        "      worth",
    ]
    order = Table(
        ("measure", "power", "order"),
        [("AP", 0.5, "alpha > beta > gamma > delta")],
        numeric=True,
        label_columns=1,
        text_columns=(2,),
    )
    assert show(order, 40).splitlines() == [
        "measure   power  order",
        "AP       0.5000  alpha > beta > gamma >",
        "                 delta",
    ]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=60)


@given(TEXTS, st.integers(2, 40), st.integers(0, 8))
@example("0 ᄀ", 2, 1)
def test_a_folded_line_fits_and_loses_nothing(line, width, indent):
    lines = fold_line(line, width, " " * indent)
    assert all(display_width(part) <= width for part in lines)
    assert "".join("".join(lines).split()) == "".join(line.split())


@given(
    st.lists(st.tuples(TEXTS, TEXTS, st.floats(0, 1), st.floats(0, 1)), max_size=3),
    st.booleans(),
    st.integers(30, 120),
)
def test_any_table_fits(rows, numeric, width):
    columns = ("query", "document", "a very\nlong head", "value")
    labels = 2 if numeric else 0
    table = Table(columns, rows, numeric, labels, expendable=("a very\nlong head",))
    assert find_wide_lines(show(table, width), width) == []
