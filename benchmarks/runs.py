"""Speed of whole evaluations: gainful against its peers, all in this run, as ratios.

7 million run lines (6,980 queries × 1,000 documents), from files and from dicts; each tool in a
process of its own. With a number as argument, that many queries instead: `runs.py 700`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import make_data

HERE = Path(__file__).parent
ROW = "{:<34}{:>10}{:>10}{:>12}{:>9}   {}"


def measure_call(name, files):
    """The best of three, each in a new process (of ranx and Spark, which take long, one)."""
    command = [sys.executable, str(HERE / "contender.py"), name, *map(str, files)]
    calls = []
    for _ in range(1 if name.startswith(("ranx", "gainful_spark")) else 3):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name} failed: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        calls.append(json.loads(done.stdout.splitlines()[-1]))
    return min(calls, key=lambda call: call["seconds"])


def line(title, call, base, asked=""):
    if call is None:
        print(ROW.format(title, "failed", "", "", "", ""))
        return
    ratio = "" if base is None else f"{call['seconds'] / base['seconds']:.1f}×"
    values = " ".join(f"{value:.4f}" for value in list(call["values"].values())[:4])
    print(
        ROW.format(
            title, f"{call['seconds']:.2f} s", f"{call['peak']:.2f} GB", ratio, asked, values
        )
    )


def new_process(code):
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    queries = int(sys.argv[1]) if len(sys.argv) > 1 else 6_980
    with tempfile.TemporaryDirectory() as folder:
        large = make_data(Path(folder), queries, 1_000)
        lines = queries * 1_000
        size = large[1].stat().st_size / 1e6
        print(f"{lines:,} run lines, {size:.0f} MB of text; nDCG, nDCG@10, AP, RR\n")
        print(ROW.format("from files", "time", "memory", "to gainful", "asked", "result"))
        ours = measure_call("gainful_file", large)
        line("gainful", ours, None)
        line("pytrec_eval", measure_call("pytrec_eval_file", large), ours, "4×")
        line("ir_measures", measure_call("ir_measures_file", large), ours)
        line("ranx, cold", measure_call("ranx_cold", large), ours)
        line("ranx, warm", measure_call("ranx_warm", large), ours, "8×")
        print()
        print(ROW.format("from dicts", "time", "memory", "to gainful", "asked", "result"))
        by_dict = measure_call("gainful_dict", large)
        line("gainful", by_dict, None)
        line(
            "pytrec_eval, evaluate() alone", measure_call("pytrec_eval_dict", large), by_dict, "5×"
        )
        print()
        print(ROW.format("cost of more", "time", "memory", "ratio", "at most", ""))
        one_measure = measure_call("gainful_one", large)
        line("one measure", one_measure, None)
        line("twenty measures", measure_call("gainful_twenty", large), one_measure, "1.5×")
        line(
            "twice the lines",
            measure_call("gainful_one", make_data(Path(folder), 2 * queries, 1_000)),
            one_measure,
            "2.2×",
        )
        small = make_data(Path(folder), 50, 1_000)
        code = f"import gainful; gainful.evaluate({str(small[0])!r}, {str(small[1])!r}, ['nDCG@10', 'AP'])"
        base, whole = new_process("import numpy, polars"), new_process(code)
        print("\n50 topics × 1,000 documents in a new process (best of five; asked: at most 2×)")
        print(
            f"import numpy, polars {base:.2f} s; gainful, file to number {whole:.2f} s: {whole / base:.2f}×"
        )
        command = f"{sys.executable} -m gainful eval {small[0]} {small[1]}"
        start = time.perf_counter()
        subprocess.run(command.split(), check=True, capture_output=True)
        print(f"the same by the command gainful eval: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
