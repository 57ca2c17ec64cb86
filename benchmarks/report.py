"""A report of 5 runs × 500 queries × 100 ranks: how large it is, and how soon it is open in chromium.

With three numbers as arguments, so many runs, queries and ranks.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import gainful

ROW = "{:<44}{:>12}   {}"
PAINTED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)))"
TYPED = """() => {
  const search = document.getElementById("search");
  search.value = "7";
  const start = performance.now();
  search.dispatchEvent(new Event("input"));
  return performance.now() - start;
}"""


def make_data(runs, queries, ranks):
    """Judgments of 40 documents a query, and runs that find them the worse the later they come."""
    random = np.random.default_rng(1)
    grades = random.choice([0, 0, 1, 1, 2, 3], (queries, 40))
    judged = {
        f"query-{q:04}": {f"doc-{q}-{d}": int(g) for d, g in enumerate(row)}
        for q, row in enumerate(grades)
    }
    pool = max(2 * ranks, 40)
    known = np.pad(grades, ((0, 0), (0, pool - 40)))
    ranked = {}
    for run in range(runs):
        score = known + random.normal(0, 1.5 + 0.3 * run, known.shape)
        order = np.argsort(-score, axis=1)[:, :ranks]
        ranked[f"run{run}"] = {
            f"query-{q:04}": {f"doc-{q}-{d}": float(score[q, d]) for d in order[q].tolist()}
            for q in range(queries)
        }
    return judged, ranked


def open_page(file, times=5):
    """Milliseconds until the page is drawn, and until a search is answered; the median of some."""
    from playwright.sync_api import sync_playwright

    drawn, typed = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for _ in range(times):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(file.as_uri())
            drawn.append(page.evaluate(PAINTED))
            typed.append(page.evaluate(TYPED))
            page.close()
        browser.close()
    return np.median(drawn), np.median(typed)


def main() -> None:
    runs, queries, ranks = map(int, sys.argv[1:4]) if len(sys.argv) > 3 else (5, 500, 100)
    data = make_data(runs, queries, ranks)
    start = time.perf_counter()
    page = gainful.report(*data, ["nDCG@10", "AP", "RR"])
    seconds = time.perf_counter() - start
    print(ROW.format(f"a report of {runs} runs × {queries} queries × {ranks} ranks", "", "asked"))
    print(ROW.format("made in", f"{seconds:.1f} s", ""))
    print(ROW.format("size", f"{len(page.encode()) / 1e6:.1f} MB", "below 15 MB"))
    if shutil.which("chromium") is None:
        print("not measured: how soon it is open (needs chromium)")
        return
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        file.write_text(page, encoding="utf-8")
        drawn, typed = open_page(file)
    print(ROW.format("open in chromium, drawn", f"{drawn / 1000:.2f} s", "within 3 s"))
    print(ROW.format("a letter typed into the search", f"{typed:.0f} ms", ""))


if __name__ == "__main__":
    main()
