"""`python -m tools.error_rates`: measure all cells and write docs/error-rates.json.

The page is made of it by `python -m tools.docs`. The same seed and trials give the same numbers,
however many processes work.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from typing import Any

from threadpoolctl import threadpool_limits
from tools.error_rates.page import DATA
from tools.error_rates.populations import RUNS, has_runs
from tools.error_rates.tables import list_cells

TRIALS, SEED = 5000, 2008


def main(words: list[str] | None = None) -> int:
    """All cells side by side; 1 if a rate passes its limit."""
    parser = argparse.ArgumentParser(prog="python -m tools.error_rates", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each cell [5000]")
    parser.add_argument("--seed", type=int, default=SEED, help="[2008]")
    parser.add_argument("--table", action="append", help="only this one; may be repeated")
    parser.add_argument("--new", action="store_true", help="only cells that were never measured")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    arguments = parser.parse_args(words)
    cells = [cell for cell in list_cells() if not arguments.table or cell.table in arguments.table]
    if arguments.new:
        saved = {_key(record["table"], record["labels"]) for record in _load_saved()}
        cells = [cell for cell in cells if _key(cell.table, dict(cell.labels)) not in saved]
    possible = [at for at, cell in enumerate(cells) if has_runs() or not cell.needs_runs]
    if len(possible) < len(cells):
        print(f"not run, for want of {RUNS}: {len(cells) - len(possible)} cells", file=sys.stderr)
    start, rates = time.perf_counter(), {}
    with ProcessPoolExecutor(arguments.processes, initializer=_use_one_thread) as pool:
        # the longest first, so that none is waited for at the end
        jobs = {
            pool.submit(cells[at].run, arguments.trials, arguments.seed): at
            for at in sorted(possible, key=lambda at: -float(cells[at].labels.get("runs", 0)))
        }
        for done, job in enumerate(as_completed(jobs), start=1):
            rates[jobs[job]] = job.result()
            spent = time.perf_counter() - start
            print(f"\r{done} of {len(jobs)} cells, {spent:.0f} s ", end="", file=sys.stderr)
    print(file=sys.stderr)
    records = [
        {
            "table": cell.table,
            "labels": dict(cell.labels),
            "trials": arguments.trials,
            "rates": rates.get(at),  # None where it was not run
            "limits": dict(cell.limits),
        }
        for at, cell in enumerate(cells)
    ]
    _save(records, arguments.seed)
    return _report_excess(records)


def _load_saved() -> list[dict[str, Any]]:
    return list(json.loads(DATA.read_text("utf-8"))["cells"]) if DATA.exists() else []


def _use_one_thread() -> None:
    """Processes share the cores already."""
    threadpool_limits(1)


def _save(records: list[dict[str, Any]], seed: int) -> None:
    """Cells that were not measured now stay as they were, in the order of the tables."""
    date = datetime.now(tz=UTC).date().isoformat()
    saved = {_key(record["table"], record["labels"]): record for record in _load_saved()}
    for record in records:
        key = _key(record["table"], record["labels"])
        if record["rates"] is not None or key not in saved:
            saved[key] = record | {"date": date, "seed": seed}
    keys = [_key(cell.table, dict(cell.labels)) for cell in list_cells()]
    lines = ",\n".join(json.dumps(saved[key]) for key in keys if key in saved)
    DATA.write_text(f'{{"cells": [\n{lines}\n]}}\n', "utf-8")
    print(f"wrote {DATA}; python -m tools.docs makes the page of it")


def _key(table: str, labels: dict[str, Any]) -> str:
    return json.dumps([table, labels])


def _report_excess(records: list[dict[str, Any]]) -> int:
    """Which rates pass their limits?"""
    excess = [
        f"{record['labels']}: {name} {record['rates'][name]:.4f} > {limit}"
        for record in records
        for name, limit in record["limits"].items()
        if record["rates"] is not None and record["rates"][name] > limit
    ]
    print("\n".join(excess) or "no rate passes its limit")
    return 1 if excess else 0


if __name__ == "__main__":
    sys.exit(main())
