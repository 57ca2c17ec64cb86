"""The command: what it prints, how it ends, and what it says to a mistake."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from example_files import EXAMPLES
from facts import list_facts

from gainful.convention import CONVENTIONS
from gainful.page.render import HTML_HEAD, SUFFIXES

WIKI = ["3", "2", "3", "0", "1", "2"]
GAINFUL = [sys.executable, "-c", "from gainful.cli.start import main; main()"]


# ── explain ──────────────────────────────────────────────────────────────────────────────────


def test_explain_json_has_full_precision_and_every_column(run, seeds):
    data = json.loads(run("explain", *WIKI, "--like", "wikipedia", "--format", "json"))
    assert list(data) == ["rows", "value", "convention"]
    assert list(data["rows"][0]) == [
        *("rank", "grade", "gain", "discount", "contribution", "cg", "dcg"),
        *("ideal_grade", "idcg", "ndcg"),
    ]
    assert data["value"] == pytest.approx(seeds["wikipedia"]["jk2002_b2"]["ndcg"], abs=1e-15)
    assert data["convention"]["discount"] == "jk2002"
    assert data["convention"]["b"] == 2
    assert data["convention"]["ideal"] == "list"


def test_explain_takes_negative_grades_commas_and_options_anywhere(run):
    data = json.loads(run("explain", "1", "0", "-1", "--gain", "penalised", "--format", "json"))
    assert [row["gain"] for row in data["rows"]] == [1, 0, -1]
    spread = json.loads(run("explain", "-k", "2", "-1.5", "3,2", "--format=json", "-.5"))
    assert [row["grade"] for row in spread["rows"]] == [-1.5, 3]
    judged = json.loads(run("explain", *WIKI, "--judged", "3,3,3,2,2", "--format", "json"))
    assert [row["ideal_grade"] for row in judged["rows"]] == [3, 3, 3, 2, 2, None]
    assert judged["convention"]["ideal"] == "judged"


def test_explain_takes_every_option_of_the_recipe(run):
    words = ("--gain", "{0:0,1:1,2:10,3:100}", "--discount", "jk2008", "--b", "4", "-k", "3")
    data = json.loads(run("explain", "3", "2", "3", *words, "--format", "json"))
    assert data["rows"][-1]["dcg"] == pytest.approx(162.45525579689263)
    assert data["convention"]["cutoff"] == 3
    words = ("--gain", "binary", "--rel", "2", "--format", "json")
    binary = json.loads(run("explain", "3", "1", *words))
    assert [row["gain"] for row in binary["rows"]] == [1, 0]
    words = ("--discount", "log", "--b", "e", "--gain", "0:0,1:1,2:10,3:100", "--format", "json")
    data = json.loads(run("explain", "3", *words))  # the base may be e, and weights need no braces
    assert data["rows"][0]["dcg"] == pytest.approx(100 / 0.6931471805599453)
    empty = json.loads(run("explain", "0", "--empty", "1", "--format", "json"))
    assert empty["value"] == 1


def test_explain_reads_grades_from_a_pipe(run):
    assert "0.9608" in run("explain", "-", stdin="3\n2\n3 0,1 2\n")
    for given, message in ((b"3\xff2", "no text"), (b"", "grades is")):
        assert message in run("explain", "-", stdin=given, status=2)


def test_explain_for_a_page_and_for_a_paper(run):
    markdown = run("explain", "3", "1", "--format", "markdown")
    assert list_facts(markdown.splitlines()[0]) == ["nDCG", "1"]
    assert markdown.splitlines()[2].startswith("| rank | grade | gain |")
    latex = run("explain", "3", "1", "--format", "latex")
    assert r"\toprule" in latex
    assert "% DCG = 3/log2(1+1) + 1/log2(2+1) = 3.6309" in latex


# ── which, measures, conventions ─────────────────────────────────────────────────────────────


def test_which_exits_0_if_something_fits_and_1_if_not(run):
    out = run("which", "0.932", *WIKI)
    named = ["nDCG(discount=jk2002, b=2)", "jk2002, wikipedia and ntcireval"]
    first = out.splitlines()[0]
    assert first.startswith("0.932 (± 0.0005)")
    assert [words for words in named if words not in first] == []
    assert "nDCG(discount=jk2002, b=2)" in out.splitlines()[3]
    assert "jk2002, wikipedia, ntcireval" in out
    nothing = run("which", "0.123", *WIKI, status=1).splitlines()[0]
    assert list_facts(nothing)[:2] == ["0.123", "0.0005"]
    data = json.loads(run("which", "8.10", *WIKI, "--format", "json"))
    assert data["matches"][0]["measure"] == "DCG(discount=jk2002, b=2)"
    assert "| measure |" in run("which", "0.3575", "-1", "2", "1", "--format", "markdown")
    only = run("which", "8.0972", *WIKI).splitlines()[0]
    assert only.startswith("8.0972 (± 0.00005)")
    assert "DCG(discount=jk2002, b=2)" in only
    assert list_facts(only)[-1] == "jk2002"  # no number of others
    assert "trec_eval" in run("which", "0.7562", *WIKI, "--judged", "3,3,3,2,2,2,1,0")


def test_which_lists_the_ten_best_of_a_vague_value_and_says_how_many_more(run):
    lines = run("which", "0.9", *WIKI).splitlines()
    total = len(json.loads(run("which", "0.9", *WIKI, "--format", "json"))["matches"])
    assert list_facts(lines[-1]) == [f"{total - 10}", "-v", "--format"]
    assert len(lines[lines.index("") + 1 : -2]) == 1 + 10
    assert list_facts(lines[0])[-1] == f"{total - 1}"
    everything = run("which", "0.9", *WIKI, "-v").splitlines()
    assert len(everything[everything.index("") + 1 :]) == 1 + total


def test_measures_lists_everything_and_tells_one(run):
    out = run("measures")
    for name in ("nDCG", "IDCG", "penalised", "jk2008", "1/max(1, log_b(i))"):
        assert name in out
    assert "did you mean" not in run("measures", "ndcg")
    assert "doi:10.1145/582415.582418" in run("measures", "nDCG")
    assert "1.5 to 10" in run("measures", "jk2008")
    everything, jk2002, cg = (
        json.loads(run("measures", *name, "--format", "json")) for name in ([], ["jk2002"], ["CG"])
    )
    assert everything["discounts"]["zipf"]["formula"] == "1/i"
    assert jk2002["parameters"]["b"]["default"] == 2
    gain = cg["parameters"]["gain"]
    assert gain["default"] == "linear"
    assert "exp" in gain["allowed"]
    assert "| parameter |" in run("measures", "binary", "--format", "markdown")
    assert "| gain |" in run("measures", "--format", "markdown")
    assert "parameter" not in run("measures", "linear")


def test_conventions_lists_all_tells_one_and_the_difference_of_two(run):
    out = run("conventions")
    assert all(name in out for name in CONVENTIONS)
    assert "orders" in run("conventions", "sklearn")
    difference = run("conventions", "sklearn", "--diff", "sklearn_ignore_ties")
    assert "1 setting" in difference
    assert "reverse" in difference
    assert "nothing" in run("conventions", "ranx", "--diff", "ranx")
    assert json.loads(run("conventions", "--format", "json"))["quepid"]["ideal_depth"] == "all"
    data = json.loads(run("conventions", "quepid", "--diff", "quepid_cut", "--format", "json"))
    assert data == {"ideal_depth": {"quepid": "all", "quepid_cut": "k"}}
    assert "| question | answer |" in run("conventions", "rax", "--format", "markdown")
    assert json.loads(run("conventions", "rax", "--format", "json"))["gain"] == "exp"


# ── help, mistakes, ends ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [[], ["explain"], ["which"], ["measures"], ["conventions"]])
def test_help_has_examples(run, words):
    out = run(*words, "--help")
    assert out.startswith("Usage: gainful")
    examples = out.partition("\nExamples:\n")[2].splitlines()
    assert all("gainful " + " ".join(words) in example for example in examples)
    assert examples
    assert run(*words, "-h") == out


def test_version_and_no_arguments(run):
    assert run("--version").startswith("gainful 0.")
    assert "Usage: gainful" in run(status=2)


def test_a_full_disk_is_said_in_one_line():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        words = [*GAINFUL, "explain", "3"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert list_facts(done.stderr, "stdout") == ["stdout"]
    assert os.strerror(errno.ENOSPC) in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_with_130(monkeypatch, run_gainful):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gainful.cli.explain.api.explain", interrupt)
    assert run_gainful("explain", "3", status=130).err == "gainful: stopped\n"


def test_a_terminal_gets_a_bold_head_unless_colour_is_unwanted(run, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in run("explain", "3", tty=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("explain", "3", tty=True)


def test_unicode_survives_a_plain_locale():
    done = subprocess.run(
        [*GAINFUL, "explain", "3", "1"],
        env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    assert "gain ×" in done.stdout.decode("utf-8")


def test_measures_explains_what_the_values_of_an_option_mean(run):
    out = run("measures", "negative")
    assert any(line.split()[:1] == ["in_ideal"] for line in out.splitlines())
    assert "Default: zero" in out
    assert "Allowed: linear, exp" in run("measures", "gain")
    assert "Default: none" in run("measures", "cutoff")
    data = json.loads(run("measures", "empty", "--format", "json"))
    assert data["default"] == 0
    assert "skip" in data["answers"]


def test_measures_explains_a_parameter_and_names_the_measures_that_take_it(run):
    lines = [line.split() for line in run("measures", "T").splitlines()]
    assert ["INST", "1", "INST(T=1)"] in lines  # Bailey et al. 2015
    assert ["sIFT", "2", "sIFT(T=2)@10"] in lines
    data = json.loads(run("measures", "half_life", "--format", "json"))
    assert data["defaults"] == {"TBG": 224, "sTBG": 224}  # Smucker & Clarke 2012
    rbp = json.loads(run("measures", "RBP", "--format", "json"))
    assert rbp["parameters"]["p"]["default"] == 0.8


def test_words_are_folded_to_the_width_of_a_terminal_and_an_old_code_page_is_fine(run, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    out = run("conventions", "sklearn", "--diff", "quepid", tty=True, width=80)
    assert max(map(len, out.splitlines())) <= 80
    assert "nDCG" in run("measures", encoding="cp1252")


# ── completion ───────────────────────────────────────────────────────────────────────────────


def complete(run, monkeypatch, *words):
    """What a shell is told to offer: kinds and values."""
    monkeypatch.setenv("_GAINFUL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(("gainful", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    return [tuple(line.split(",", 1)) for line in run().splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (("ev",), [("plain", "eval")]),
        (("con",), [("plain", "conventions")]),
        (("eval", "qr"), [("file", "qr")]),
        (("eval", "qrels", "run", "--lik"), [("plain", "--like")]),
        (
            ("eval", "qrels", "run", "--like", "quep"),
            [("plain", "quepid"), ("plain", "quepid_cut")],
        ),
        (("eval", "qrels", "run", "-m", "bpr"), [("plain", "Bpref")]),
        (("eval", "qrels", "run", "--empty", "s"), [("plain", "skip")]),
        (("eval", "qrels", "run", "-o", "out"), [("file", "out")]),
        (("compare", "qrels", "a", "b", "--test", "tu"), [("plain", "tukey")]),
        (("figure", "do"), [("plain", "dots")]),
        (("figure", "nothing", "x"), []),
        (("nothing", "x"), []),
    ],
)
def test_a_shell_completes_commands_options_values_and_files(run, monkeypatch, words, offers):
    assert complete(run, monkeypatch, *words) == offers


@pytest.mark.parametrize(
    ("shell", "mark"),
    [("bash", "-o nosort -F"), ("zsh", "#compdef gainful"), ("fish", "complete --no-files")],
)
def test_the_script_of_each_shell_asks_the_command(run, shell, mark):
    script = run("completion", shell)
    assert mark in script
    assert f"_GAINFUL_COMPLETE={shell}_complete" in script


# ── every format ─────────────────────────────────────────────────────────────────────────────


FORMS = ("table", "tsv", "csv", "markdown", "latex", "html", "json", "jsonl")
ASKED = {
    "explain": ("explain", *WIKI),
    "which": ("which", "0.932", *WIKI),
    "measures": ("measures",),
    "measures, one": ("measures", "nDCG"),
    "conventions": ("conventions",),
    "conventions, one": ("conventions", "sklearn"),
    "conventions, two": ("conventions", "sklearn", "--diff", "ranx"),
    "check": ("check", "qrels.txt", "bm25.txt"),
    "why": ("why", "qrels.txt", "bm25.txt", "--unlike", "sklearn"),
    "gate": ("gate", "qrels.txt", "bm25.txt", "--floor", "AP=0"),
    "eval": ("eval", "qrels.txt", "bm25.txt"),
    "sweep": ("sweep", "sessions.csv", "--qrels", "sessions-qrels.txt", "--points", "2"),
}


@pytest.mark.parametrize("name", ASKED)
def test_every_command_has_every_format_printed_or_in_a_file(run_gainful, tmp_path, name):
    for form, suffix in SUFFIXES.items():
        printed = run_gainful(*ASKED[name], "--format", form, folder=EXAMPLES).out
        file = tmp_path / f"answer{suffix}"
        assert run_gainful(*ASKED[name], "-o", file, folder=EXAMPLES).out == ""
        head = HTML_HEAD if form == "html" else ""
        assert file.read_text(encoding="utf-8") == head + printed
        assert printed.strip()
    assert set(SUFFIXES) == set(FORMS)
