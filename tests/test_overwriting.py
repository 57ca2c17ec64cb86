"""No command writes a file that it reads, however the file is named."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import click
import pytest
from example_files import EXAMPLES

from gainful.cli.command import OUTPUT, PATH
from gainful.cli.main import gainful as group

REFUSED = "would overwrite"
CONTENT = "what a user wrote\n"


def link(path: str, target: str) -> str:
    Path(path).symlink_to(target)
    return path


def link_hard(path: str, target: str) -> str:
    Path(path).hardlink_to(target)
    return path


# Ways to name a file that is there already.
NAMES = {
    "path": str,
    "other spelling": lambda path: f"./x/../{path}",
    "symlink": lambda path: link("link.html", path),
    "hard link": lambda path: link_hard("link.html", path),
    "folder": lambda path: f"{link('link', '.')}/{path}",
}


def list_commands(commands: click.Group = group, before: tuple = ()) -> Iterator[tuple]:
    """Every command, those of groups too, with the words that call it."""
    context = click.Context(commands)
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        if isinstance(command, click.Group):
            yield from list_commands(command, (*before, name))
        elif command.name != "trec_eval":  # which takes the flags of another tool, and no output
            yield (*before, name), command


COMMANDS = dict(list_commands())
PAIRS = [
    (words, read, written)
    for words, command in COMMANDS.items()
    for read in command.params
    for written in command.params
    if read.type is PATH and written.type is OUTPUT
    if getattr(written, "replaces", "") != read.name
]


def spell(parameter: click.Parameter, path: str) -> list[str]:
    """The words that name a file as this parameter, as many times as it wants."""
    values = [path] * max(1, parameter.nargs)
    return values if isinstance(parameter, click.Argument) else [parameter.opts[0], *values]


def call_words(words: tuple, read: click.Parameter, written: click.Parameter, path: str) -> list:
    """A command line with all that the command must have, `input.html` read and `path` written."""
    named = {read.name: "input.html", written.name: path}
    line = list(words)
    for parameter in COMMANDS[words].params:
        needed = parameter.required or isinstance(parameter, click.Argument)
        if parameter.name in named or needed:
            line += spell(parameter, named.get(parameter.name, "other.html"))
    return line


def test_every_parameter_that_names_a_file_is_known_as_one():
    files = {"FILE", "FILES", "QRELS", "RUN", "LOG", "ORIGINAL", "REPRODUCED"}
    files |= {"FILE.JSON", "PAGE.HTML"}  # as help has them
    for words, command in COMMANDS.items():
        for parameter in command.params:
            metavar = str(parameter.metavar or parameter.name).upper()
            named = {*metavar.replace("...", "").strip("[]").replace("|", " ").split()} & files
            assert bool(named) == (parameter.type in (PATH, OUTPUT)), (words, parameter.name)
    assert len(PAIRS) > 90


@pytest.mark.parametrize("way", NAMES)
@pytest.mark.parametrize("words", dict.fromkeys(words for words, _, _ in PAIRS), ids=" ".join)
def test_what_is_read_is_not_written_over(run_gainful, tmp_path, monkeypatch, words, way):
    monkeypatch.chdir(tmp_path)
    Path("input.html").write_text(CONTENT)
    Path("other.html").write_text("another file\n")
    Path("x").mkdir()
    output = NAMES[way]("input.html")
    for _, read, written in (pair for pair in PAIRS if pair[0] == words):
        line = call_words(words, read, written, output)
        outcome = run_gainful(*line, status=2)
        assert f"{written.opts[0]} {output} {REFUSED}" in outcome.err, line
        assert outcome.err.count("\n") == 1
        assert Path("input.html").read_text() == CONTENT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files that commands read."""
    for name in ("qrels.txt", "bm25.txt", "sessions.csv", "sessions-qrels.txt"):
        copyfile(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "correlate qrels.txt bm25.txt --column said -m nDCG@10 --labels mine.csv",
        "sessions sessions.csv --gain-from clicked --propensity mine.csv",
        "correlate --sessions sessions.csv --qrels sessions-qrels.txt --column said --labels mine.csv",
        "eval qrels.txt bm25.txt --plugin lost_plugin",
        "eval qrels.txt bm25.txt --plugin lost_plugin.py",
        "eval beir bm25.txt",
        "report --sessions sessions.csv --propensity page-values.csv -o page.html",
        "report --sessions page-values.csv --qrels sessions-qrels.txt -o page.html",
        "report qrels.txt page-values.csv -o page.html",
    ],
)
def test_files_that_were_lost_are_refused(run_gainful, folder, words):
    Path("lost_plugin.py").write_text(
        "import gainful\ngainful.register('Mine', lambda ranked: ranked.ideal)\n"
    )
    Path("beir", "qrels").mkdir(parents=True)
    lost = {
        "lost_plugin": "lost_plugin.py",
        "lost_plugin.py": "lost_plugin.py",
        "beir": "beir/qrels/test.tsv",
        "page.html": "page-values.csv",
    }
    file = lost.get(words.split()[-1], lost.get(words.split()[1], "mine.csv"))
    if not Path(file).exists():
        Path(file).write_text(CONTENT)
    before = Path(file).read_bytes()
    output = () if "page.html" in words else ("-o", file, "--format", "csv")
    assert REFUSED in run_gainful(*words.split(), *output, status=2).err
    assert Path(file).read_bytes() == before


def test_what_a_shell_redirects_is_not_written_over(folder):
    """`gainful eval - run -o qrels < qrels`."""
    before = Path("qrels.txt").read_bytes()
    words = ("eval", "-", "bm25.txt", "-o", "qrels.txt", "--format", "csv")
    command = [sys.executable, "-m", "gainful", *words]
    with Path("qrels.txt").open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert (done.returncode, REFUSED in done.stderr) == (2, True)
    assert Path("qrels.txt").read_bytes() == before


def test_the_summary_of_a_build_is_not_added_to_what_is_judged(run_gainful, folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "qrels.txt"))
    before = Path("qrels.txt").read_bytes()
    words = ("gate", "qrels.txt", "bm25.txt", "--floor", "RR=0.1")
    message = run_gainful(*words, status=2).err
    assert f"GITHUB_STEP_SUMMARY {folder / 'qrels.txt'} {REFUSED}" in message
    assert message.count("\n") == 1
    assert Path("qrels.txt").read_bytes() == before


@pytest.mark.parametrize("way", NAMES)
def test_a_gate_may_replace_its_own_baseline_if_it_passes(run_gainful, folder, way):
    words = ("gate", "qrels.txt", "bm25.txt")
    Path("x").mkdir()
    run_gainful(*words, "-m", "RR", "--save-baseline", "input.html")
    before = Path("input.html").read_bytes()
    again = NAMES[way]("input.html")
    both = (*words, "--baseline", "input.html", "--save-baseline", again)
    run_gainful(*both, "--floor", "RR=0.99", status=1)
    assert Path("input.html").read_bytes() == before
    run_gainful(*both, "--floor", "RR=0.1")
    assert Path(again).read_bytes() != before  # the history of the chain has grown
    assert not list(folder.glob(".gainful*"))


def test_two_outputs_are_two_files(run_gainful, folder):
    words = ("calibrate", "sessions.csv", "-o", "a.html", "--figure", "./a.html")
    message = run_gainful(*words, status=2).err
    assert [word for word in ("--figure", "-o", "a.html") if word not in message.split()] == []
    assert not Path("a.html").exists()
