"""How good are runs on several collections?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Unpack

from gainful.api.evaluate import evaluate_runs
from gainful.api.run_options import RunOptions, RunReading, answer_run_options
from gainful.errors import BadInput, GainfulError, WrongType
from gainful.evidence.collections import CollectionResults, describe_missing
from gainful.measure.build_recipes import Measures
from gainful.measure.results import QueryResults
from gainful.text import count_noun

_JUDGMENTS = ("qrels", "qrel")  # what a folder or a file of judgments is called
_PREDICTIONS = "_predictions"  # what MTEB adds to the name of a run
_SUFFIXES = re.compile(r"(\.(txt|run|res|trec|csv|tsv|json|jsonl|parquet))?(\.(gz|zst|bz2|xz))?$")
_BESIDE = ("corpus", "queries", "readme", "license", "dataset_info", "metadata")


@answer_run_options()
def evaluate_collections(
    folder: str | PathLike[str],
    measures: Measures | None = None,
    *,
    keep_going: bool = False,
    **options: Unpack[RunOptions],
) -> CollectionResults:
    """How good are runs on several collections, and on average?

    Each collection is a folder, in the layout of BEIR and MTEB (qrels/test.tsv) or with one file
    whose name holds qrels; all other files, or those in its folder runs/, are runs, which are
    called the same in every collection.

    Args:
        folder: a folder with one folder per collection.
        measures: one or several; by default nDCG@10, AP and RR.
        keep_going: leave out collections and runs that cannot be read, with a note; means are then
            over the other collections. By default the first of them is an error.
        **options: how inputs are read, and the settings to follow (`RunOptions`).

    Returns:
        `CollectionResults`: the value of each run on each collection, and the mean over
        collections with its interval. A run that is missing somewhere has no mean.
    """
    reading = RunReading.from_options(options)
    reading.build_recipes(measures)  # a measure that is wrong is wrong everywhere
    results: dict[str, dict[str, QueryResults]] = {}
    problems: list[str] = []
    unread: dict[str, None] = {}
    run_names: dict[str, None] = {}

    @contextmanager
    def pass_over_problems(place: Path) -> Iterator[None]:
        try:
            yield
        except GainfulError as problem:
            if not keep_going:
                raise
            unread[place.name] = None
            problems.append(f"left out: {problem}")

    for place in _list_folders(folder):
        with pass_over_problems(place):
            qrels, runs = _find_files(place)
            results[place.name] = {}
            run_names |= dict.fromkeys(runs)
            judgments = reading.read_qrels(qrels)
            for name, run in runs.items():
                with pass_over_problems(place):
                    (evaluated,) = evaluate_runs(judgments, {name: run}, measures, reading)
                    results[place.name][name] = evaluated
    if not any(results.values()):
        raise BadInput(str(folder), "no collection can be evaluated", "; ".join(problems))
    averaged = {name: runs for name, runs in results.items() if name not in unread}
    notes = (*problems, *describe_missing(averaged, list(run_names)))
    return CollectionResults(results=results, unread=tuple(unread), notes=notes)


def _list_folders(path: str | PathLike[str]) -> list[Path]:
    allowed = "a folder with one folder per collection"
    if not isinstance(path, (str, PathLike)):
        raise WrongType("folder", path, allowed)
    folder = Path(path)
    if not folder.is_dir():
        raise BadInput(str(folder), "it is not a folder", allowed)
    folders = sorted(
        place for place in folder.iterdir() if place.is_dir() and not place.name.startswith(".")
    )
    if not folders:
        raise BadInput(str(folder), "it has no folders", allowed)
    return folders


def _find_files(place: Path) -> tuple[str, dict[str, str]]:
    """The judgments and the runs of a collection; nothing is guessed where there are several."""
    files = sorted(path for path in place.iterdir() if not path.name.startswith("."))
    folder = next((path for path in files if path.is_dir() and path.name in _JUDGMENTS), None)
    named = [path for path in files if any(word in path.name.lower() for word in _JUDGMENTS)]
    judged = [path for path in named if path.is_file()]
    if folder is None and len(judged) != 1:
        problem = f"there are {count_noun(len(judged), 'file')} of judgments"
        raise BadInput(str(place), problem, "a folder qrels, or one file with qrels in its name")
    runs_folder = place / "runs"
    candidates = sorted(runs_folder.iterdir()) if runs_folder.is_dir() else files
    kept = [] if folder is not None or runs_folder.is_dir() else judged
    paths = [
        path
        for path in candidates
        if path.is_file() and path not in kept and not path.name.startswith(".")
        if path.name.lower().split(".")[0] not in _BESIDE
    ]
    if not paths:
        raise BadInput(str(place), "it has no runs", "a file for each run, or a folder runs")
    runs: dict[str, str] = {}
    for path in paths:
        name = _SUFFIXES.sub("", path.name).removesuffix(_PREDICTIONS)
        if name in runs:
            problem = f"two files are called {name}: {Path(runs[name]).name} and {path.name}"
            raise BadInput(str(place), problem, "one file for each run")
        runs[name] = str(path)
    return str(place if folder is not None else judged[0]), runs
