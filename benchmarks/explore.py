"""The live page in a browser: how long after a slider moves is everything drawn anew?

120 sessions of the demo study and 2,000 sessions of 1 to 12 queries with ten results each; every
chart, table and the selected session included, from the input event until the picture is painted.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import gainful
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions

ROW = "{:<60}{:>10}{:>10}   {}"
MOVE = """async (wanted) => {
  const slider = document.getElementById("b"), times = [];
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (let n = 0; n < 12; n++) {
    await painted();
    const start = performance.now();
    slider.value = 1.5 + 0.5 * (n % 12);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await explored.ready();
    await painted();
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other);
}"""


def make_data(sessions):
    random = np.random.default_rng(7)
    queries = random.integers(1, 13, sessions)
    session = np.repeat(np.arange(sessions), queries * 10)
    position = np.concatenate([np.arange(1, n + 1) for n in queries]).repeat(10)
    rank = np.tile(np.arange(1, 11), queries.sum())
    first, step = random.integers(0, 40, queries.sum()), random.choice([1, 3, 7, 9], queries.sum())
    number = (first.repeat(10) + rank * step.repeat(10)) % 40
    topic = session % 50
    shown = pl.DataFrame(
        {"session": session, "query": position, "rank": rank, "topic": topic, "number": number}
    ).select(
        pl.col("session", "topic").cast(pl.String),
        pl.col("query", "rank").cast(pl.Int64),
        doc=pl.format("document-{}-{}", "topic", "number"),
        system=pl.when(pl.col("session") % 2 == 0).then(pl.lit("x")).otherwise(pl.lit("y")),
        text=pl.format("query {} of {}", "query", "session"),
    )
    pool = pl.DataFrame(
        {
            "topic": np.repeat(np.arange(50), 20),
            "number": np.tile(np.arange(20), 50),
            "grade": random.integers(0, 4, 1000).astype(float),
        }
    )
    judged = pool.select(
        query=pl.col("topic").cast(pl.String),
        doc=pl.format("document-{}-{}", "topic", "number"),
        grade="grade",
    )
    order = ["session", "query", "rank", "doc", "topic", "system", "text"]
    return Sessions(shown.select(order)), Qrels(judged)


def main() -> None:
    path = shutil.which("chromium")
    if path is None:
        print("the live page was not measured: there is no chromium")
        sys.exit(0)
    from playwright.sync_api import sync_playwright

    study = gainful.sessions.simulate_study(2008)
    cases = (
        ("120 sessions (the demo study)", (study.sessions, study.qrels), 200, 3.0),
        ("2,000 sessions of 1 to 12 queries", make_data(2000), 400, None),
    )
    print(ROW.format("the live page, a slider moved 12 times", "median", "slowest", "asked"))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for title, data, most, size in cases:
            for measure in ("nsDCG@10", "nsDCG(duplicates=first)@10"):
                file = Path(folder) / "page.html"
                file.write_text(gainful.explore(*data, measure), encoding="utf-8")
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(file.as_uri())
                page.wait_for_function("window.explored !== undefined")
                page.evaluate("explored.ready()")
                times = page.evaluate(MOVE)
                page.close()
                median, slowest = times[len(times) // 2], times[-1]
                large = f"{file.stat().st_size / 1e6:.1f} MB" + (f" of {size:g}" if size else "")
                asked = f"at most {most} ms; the page has {large}"
                name = f"{title}, {measure.replace('@10', '')}"
                print(ROW.format(name, f"{median:.0f} ms", f"{slowest:.0f} ms", asked))
        browser.close()


if __name__ == "__main__":
    main()
