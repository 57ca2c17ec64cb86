"""Claims about speed on one page: gainful against its peers, all in this run, as ratios.

    make bench                    # about six minutes; TREC_EVAL=path for a real trec_eval
    python benchmarks/page.py 700 # with 700 queries instead of 7,000: a look, which is not kept

A row is the best of several new processes that take turns. What was measured is added to `history.json`, which docs/speed.md is made from. The other scripts look closer at one thing each.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).parent
HISTORY = HERE / "history.json"
DICTS = ("gainful_dict", "pytrec_eval_dict")
PURE = {"GAINFUL_ENGINE": "pure"}
GAINFUL = (sys.executable, "-m", "gainful")
ROW = "{:<58}{:>9}{:>9}{:>8}{:>8}  {}"
ROWS, SIZE, RELEVANT = 3_000, 1_000, 20  # of dense arrays
FLIPS = 100_000


def measure_command(words, **environment):
    """Seconds, processor seconds and peak megabytes of a command in a new process."""
    start = time.perf_counter()
    sink = subprocess.DEVNULL
    process = subprocess.Popen(words, stdout=sink, stderr=sink, env=os.environ | environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {process.returncode}")
    seconds = time.perf_counter() - start
    peak = usage.ru_maxrss / (1e3 if sys.platform == "linux" else 1e6)
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": peak}


def measure_call(name, files, times=3, script=HERE / "contender.py"):
    """What a call of a script takes in a process of its own, the best of some times; None where it fails."""
    command = [sys.executable, str(script), name, *map(str, files)]
    calls = []
    for _ in range(times):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name} failed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        calls.append(json.loads(done.stdout.splitlines()[-1]))
    return min(calls, key=lambda call: call["seconds"])


def has_package(name):
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def make_files(folder, queries):
    """Judgments and a run of 1,000 lines a query, made in a process of its own.

    A child's peak is never below what its parent has, so this process stays small.
    """
    code = f"from data import make_data; make_data(__import__('pathlib').Path({str(folder)!r}), {queries}, 1_000)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE)
    return folder / f"{queries}x1000.qrels", folder / f"{queries}x1000.run"


def take_turns(commands, times=3):
    """The best of some times, each command once in every turn."""
    turns = [{name: call() for name, call in commands.items()} for _ in range(times)]
    return {
        name: {
            key: min(turn[name][key] for turn in turns) for key in turns[0][name] if key != "values"
        }
        for name in commands
    }


class Sheet:
    """The rows of the page, printed as they come."""

    def __init__(self):
        self.rows = []
        print(ROW.format("", "gainful", "peer", "ratio", "asked", ""))

    def add(self, work, ours, theirs, asked, *, at_most=False, unit="s"):
        """A row: how many times as much the peer takes, or at most we do."""
        ratio = ours / theirs if at_most else theirs / ours
        is_enough = ratio <= asked if at_most else ratio >= asked
        limit = f"{'≤' if at_most else '≥'} {asked:g}×"
        row = {"work": work, "ratio": round(ratio, 2), "asked": asked, "at_most": at_most}
        self.rows.append(row | {"ours": round(ours, 3), "theirs": round(theirs, 3), "unit": unit})
        cells = (f"{ours:.2f} {unit}", f"{theirs:.2f} {unit}", f"{ratio:.2f}×", limit)
        print(ROW.format(work, *cells, "" if is_enough else "missed"), flush=True)


def measure_large_files(sheet, folder, queries):
    """Whole commands on millions of lines, tidy and not."""
    qrels, run = make_files(folder, queries)
    untidy = folder / "untidy.run"
    with run.open() as tidy_lines, untidy.open("w", newline="") as untidy_lines:
        for line in tidy_lines:
            untidy_lines.write(line.replace(" Q0 ", "\tQ0  ").replace("\n", " \r\n"))
    lines = f"{queries * 1_000:,} lines"
    evaluate = (*GAINFUL, "eval", qrels)
    commands = {
        "pure": partial(measure_command, (*evaluate, run), **PURE),
        "untidy": partial(measure_command, (*evaluate, untidy), **PURE),
        "check": partial(measure_command, (*GAINFUL, "check", qrels, run), **PURE),
    }
    if find_spec("gainful_native"):
        commands["native"] = partial(measure_command, (*evaluate, run))
        commands["native, untidy"] = partial(measure_command, (*evaluate, untidy))
    if trec_eval := os.environ.get("TREC_EVAL"):
        commands["trec_eval"] = partial(measure_command, (trec_eval, qrels, run))
    for peer in filter(find_spec, ("pytrec_eval", "ir_measures", "ranx")):
        commands[peer] = partial(measure_call, f"{peer}_file", (qrels, run), times=1)
    costs = take_turns(commands, 2)
    seconds = {name: cost["seconds"] for name, cost in costs.items()}
    peers = {"trec_eval": (5, 10), "pytrec_eval": (4, 8), "ir_measures": (8, 16), "ranx": (6, 12)}
    for peer, asked in peers.items():
        for engine, least in zip(("pure", "native"), asked, strict=True):
            if peer in seconds and engine in seconds:
                sheet.add(
                    f"eval of {lines}, {engine}, {peer}", seconds[engine], seconds[peer], least
                )
    at_most = partial(sheet.add, at_most=True)
    at_most(f"peak of {lines}, pure, of 460 MB", costs["pure"]["peak"], 460, 1, unit="MB")
    at_most("untidy over tidy, pure", costs["untidy"]["cpu"], costs["pure"]["cpu"], 2.3)
    if "native" in costs:
        at_most("peak, native, of 150 MB", costs["native"]["peak"], 150, 1, unit="MB")
        ours, theirs = costs["native, untidy"]["cpu"], costs["native"]["cpu"]
        at_most("untidy over tidy, native", ours, theirs, 1.3)
    at_most("check over eval, pure", costs["check"]["cpu"], costs["pure"]["cpu"], 2)


def measure_small_files(sheet, folder):
    """A new process on small files, over that which only imports NumPy."""
    examples = HERE.parent / "examples"
    small = make_files(folder, 50)
    commands = {
        "numpy": (sys.executable, "-c", "import numpy"),
        "4 queries": (*GAINFUL, "eval", examples / "qrels.txt", examples / "bm25.txt"),
        "50 × 1,000 lines": (*GAINFUL, "eval", *small),
    }
    calls = {name: partial(measure_command, words) for name, words in commands.items()}
    costs = take_turns(calls, 9)
    for work, asked in (("4 queries", 2.5), ("50 × 1,000 lines", 3)):
        title = f"eval of {work}, new process, import numpy"
        sheet.add(title, costs[work]["cpu"], costs["numpy"]["cpu"], asked, at_most=True)
    files = make_files(folder, 700)
    calls = {name: partial(measure_call, name, files, times=1) for name in DICTS}
    ours, theirs = (cost["seconds"] for cost in take_turns(calls, 2).values())
    sheet.add("dicts of 700 × 1,000, pytrec_eval", ours, theirs, 5.6)


def measure_many_runs(sheet, folder):
    """Commands on several runs, over the processor seconds that they may take."""
    import polars as pl
    from data import make_data

    def make_runs(queries, docs, count):
        qrels, run = make_data(folder, queries, docs)
        rows = pl.read_csv(run, separator=" ", has_header=False)
        names = [folder / f"{docs}-{number}.run" for number in range(count)]
        for seed, name in enumerate(names):
            scores = rows["column_5"].shuffle(seed)
            rows.with_columns(column_5=scores).write_csv(name, separator=" ", include_header=False)
        return qrels, *names

    report = ("report", "-o", folder / "page.html", *make_runs(50, 1_000, 3))
    qrels, *runs = make_runs(100, 100, 300)
    for work, words, seconds in (
        ("compare of 30 runs × 100 queries", ("compare", qrels, *runs[:30]), 2.5),
        ("compare of 300 runs × 100 queries", ("compare", qrels, *runs), 30),
        ("report of 3 runs × 50 × 1,000", report, 1.9),
    ):
        cost = measure_command((*GAINFUL, *words))["cpu"]
        sheet.add(f"{work}, processor, of {seconds} s", cost, seconds, 1, at_most=True)


def measure_arrays(sheet):
    """nDCG of dense arrays, against scikit-learn."""
    import numpy as np
    from sklearn.metrics import ndcg_score

    import gainful

    rng = np.random.default_rng(2008)
    sparse, scores = np.zeros((ROWS, SIZE)), rng.random((ROWS, SIZE))
    chosen = rng.integers(0, SIZE, (ROWS, RELEVANT))
    np.put_along_axis(sparse, chosen, rng.integers(1, 4, (ROWS, RELEVANT)).astype(float), axis=1)
    dense = rng.integers(0, 5, (ROWS, SIZE)).astype(float)
    for work, grades, k, asked in (
        ("dense grades, k = 10", dense, 10, 4),
        ("dense grades, all ranks", dense, None, 2),
        ("20 relevant, k = 10", sparse, 10, 5),
        ("20 relevant, all ranks", sparse, None, 5),
    ):
        ours = partial(gainful.ndcg, grades, scores, ties="input", k=k)
        theirs = partial(ndcg_score, grades, scores, k=k, ignore_ties=True)
        costs = take_turns({"ours": partial(time_call, ours), "theirs": partial(time_call, theirs)})
        seconds = [costs[side]["seconds"] for side in ("ours", "theirs")]
        sheet.add(f"nDCG of {work}, scikit-learn", *seconds, asked)


def time_call(call):
    start = time.perf_counter()
    call()
    return {"seconds": time.perf_counter() - start}


def measure_comparisons(sheet):
    """Sign flips of all pairs at once, with their intervals, against scipy's of each pair."""
    import numpy as np
    from scipy.stats import permutation_test

    from gainful.evidence.statistics.outcome import Resampling
    from gainful.evidence.statistics.paired_tests import randomisation_test

    values = np.random.default_rng(1).beta(2, 3, (50, 10))
    pairs = np.array(list(combinations(range(10), 2)))
    differences, resampling = (
        values[:, pairs[:, 0]] - values[:, pairs[:, 1]],
        Resampling(resamples=FLIPS),
    )
    settings = {"permutation_type": "samples", "vectorized": True, "n_resamples": FLIPS, "rng": 1}
    # The fastest of 1,000, 10,000 and scipy's default, which takes four times as long
    peer = partial(permutation_test, statistic=np.mean, batch=1_000, **settings)
    ours = [time_call(partial(randomisation_test, differences, resampling)) for _ in range(3)]
    theirs = time_call(lambda: [peer((column,)) for column in differences.T])
    seconds = min(call["seconds"] for call in ours), theirs["seconds"]
    sheet.add(f"{FLIPS:,} sign flips, {len(pairs)} pairs, scipy", *seconds, 10)


def main() -> None:
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 7_000
    packages = ("numpy", "polars", "scipy", "pytrec_eval-terrier", "ir_measures", "ranx")
    machine = {
        "machine": f"{len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.machine()}, load {os.getloadavg()[0]:.0f}",
        "python": platform.python_version(),
        **{name: version(name) for name in packages if has_package(name)},
    }
    print(", ".join(f"{name} {value}" for name, value in machine.items()), "\n")
    sheet = Sheet()
    with tempfile.TemporaryDirectory() as folder:
        measure_small_files(sheet, Path(folder))
        measure_large_files(sheet, Path(folder), queries)
        measure_many_runs(sheet, Path(folder))
    measure_arrays(sheet)
    measure_comparisons(sheet)
    if len(sys.argv) == 1:
        history = json.loads(HISTORY.read_text()) if HISTORY.exists() else []
        today = datetime.now(UTC).date().isoformat()
        history.append({"date": today, "packages": machine, "rows": sheet.rows})
        HISTORY.write_text(json.dumps(history, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
