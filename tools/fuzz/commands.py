"""Command lines of real commands with real options and values that may fit or not."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
from tools.commands import call_gainful
from tools.fuzz.files import check_outcome
from tools.fuzz.finding import Payload, require

from gainful.cli.main import gainful as group

_EXAMPLES = Path(__file__).parent.parent.parent / "examples"
_FILES = ["qrels.txt", "bm25.txt", "dense.txt", "sessions.csv", "sessions-qrels.txt", "nowhere.txt"]
_VALUES = [
    *("nDCG@10", "AP", "RR", "nsDCG@3", "sDCG@5", "foo", "0.5", "-1", "3", "1e9", "nan", "", "a=b"),
    *("system", "sklearn", "trec_eval", "jk2008", "average", "csv", "json", "bm25"),
    *("qrels.txt", "ä"),
]
# What is typed for each command before options; those that draw or write pages take too long.
_USUAL = {
    "eval": ["qrels.txt", "bm25.txt"],
    "check": ["qrels.txt", "bm25.txt"],
    "gate": ["qrels.txt", "bm25.txt", "--floor", "RR=0.1"],
    "why": ["qrels.txt", "bm25.txt", "--unlike", "sklearn"],
    "explain": ["3", "2", "0"],
    "which": ["0.93", "3", "2", "0"],
    "sessions": ["sessions.csv", "--qrels", "sessions-qrels.txt"],
    "measures": ["nDCG"],
    "conventions": ["sklearn"],
    "unjudged": ["qrels.txt", "bm25.txt"],
    "trec_eval": ["qrels.txt", "bm25.txt"],
}
_SLOW_OPTIONS = ("--plugin", "--resamples", "--output", "--save-baseline", "--help", "--version")


def make(rng: Random) -> Payload:
    """A command, mostly with what it needs, and some options."""
    name = rng.choice(list(_USUAL))
    words = list(_USUAL[name])
    if rng.random() < 0.3 and words:
        words[rng.randrange(len(words))] = rng.choice([*_FILES, *_VALUES])
    command = group.get_command(click.Context(group), name)
    options = (
        [param for param in command.params if isinstance(param, click.Option)] if command else []
    )
    for option in rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3)))):
        if any(spelling in _SLOW_OPTIONS for spelling in option.opts):
            continue
        words.append(rng.choice(option.opts))
        if not option.is_flag:
            choices = getattr(option.type, "choices", None)
            words.append(
                str(rng.choice(list(choices) if choices and rng.random() < 0.8 else _VALUES))
            )
    return {"words": [name, *words]}


def check(payload: Payload) -> None:
    """An answer, or one line; no file appears."""
    with TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        for name in _FILES[:-1]:
            (folder / name).symlink_to(_EXAMPLES / name)
        outcome = call_gainful(*payload["words"], folder=folder, stdin="")
        check_outcome(outcome, payload["words"][0])
        require(len(list(folder.iterdir())) == len(_FILES) - 1, "a file appeared")
