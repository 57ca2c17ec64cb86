"""What holds for every page, at every width, light and dark: nothing overlaps, nothing is cut, all can be read."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe

import gainful

NEWS = Path(__file__).parent.parent / "examples" / "news"
LONG = "a name that goes on and on " * 12  # more than 300 characters
HEBREW = "שלום עולם, מערכת חיפוש"
WIDTHS = [390, 820, 1280, 1600]

# Texts of charts that overlap or leave their chart, and anything that sticks out of the window.
FIND_FAULTS = """() => {
  const faults = [], seen = (one) => one.checkVisibility({ visibilityProperty: true });
  for (const chart of document.querySelectorAll(".chart svg")) {
    if (!seen(chart)) continue;
    const frame = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()]);
    texts.forEach(([words, box], at) => {
      if (box.left < frame.left - 3 || box.right > frame.right + 3 || box.top < frame.top - 4 || box.bottom > frame.bottom + 4) faults.push(`cut: ${words}`);
      for (const [other, place] of texts.slice(at + 1)) {
        const wide = Math.min(box.right, place.right) - Math.max(box.left, place.left), high = Math.min(box.bottom, place.bottom) - Math.max(box.top, place.top);
        if (wide > 1 && high > 3) faults.push(`overlap: ${words} / ${other}`);
      }
    });
  }
  for (const one of document.querySelectorAll("main p, main h2, main h3, main label, main button, main td, main th, main li, main figcaption, h1")) {
    if (!seen(one) || one.closest(".scroll, .visually-hidden, details:not([open])")) continue;
    const box = one.getBoundingClientRect();
    if (box.right > innerWidth + 1 || (one.scrollWidth > one.clientWidth + 2 && getComputedStyle(one).overflowX === "hidden" && !one.title)) faults.push(`outside: ${one.textContent.slice(0, 40)}`);
  }
  for (const chart of document.querySelectorAll(".chart svg"))
    if (chart.clientWidth > chart.closest(".chart").clientWidth) faults.push("a chart is wider than its place");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  return faults;
}"""


@pytest.fixture(scope="module")
def study():
    return gainful.sessions.simulate_study(2008)


def make_many_groups(number):
    """A session for each of so many systems, with names of every kind."""
    names = [LONG + str(at) if at % 3 == 0 else f"{HEBREW} {at}" for at in range(number)]
    rows = [
        (f"s{at}", query, rank, f"d{(at + rank) % 5}", name, "t")
        for at, name in enumerate(names * 2)
        for query in (1, 2)
        for rank in (1, 2, 3)
    ]
    columns = ["session", "query", "rank", "doc", "system", "topic"]
    return pl.DataFrame(rows, schema=columns, orient="row")


JUDGED = {"t": {"d0": 2, "d1": 1, "d2": 0, "d3": 3}}


@pytest.fixture(scope="module")
def pages(study):
    """Each page by name: usual ones, and what is hard on a layout."""
    hard_runs = {
        name: {query: {"a": 1.0 + at, "b": 2.0} for query in (LONG, HEBREW, "q")}
        for at, name in enumerate((LONG, HEBREW, "c"))
    }
    runs = {name: NEWS / f"{name}.txt" for name in ("bm25", "dense", "hybrid")}
    return {
        "report": gainful.report(NEWS / "qrels.txt", runs, ["nDCG@10", "AP", "RR"], resamples=99),
        "report, hard names": gainful.report(
            {query: {"a": 1, "b": at} for at, query in enumerate((LONG, HEBREW, "q"))},
            hard_runs,
            title=LONG,
            queries={LONG: HEBREW, "q": LONG},
            documents={"a": HEBREW, "b": LONG},
            resamples=99,
        ),
        "report of sessions": gainful.sessions.report(
            study.sessions, study.qrels, ["nsDCG@10", "sDCG@10"], resamples=99
        ),
        "report of sessions, 70 groups": gainful.sessions.report(
            make_many_groups(70), JUDGED, "nsDCG@3", correct="none", resamples=99
        ),
        "explore": gainful.explore(study.sessions, study.qrels, "nsDCG(b=2, bq=4)@10"),
        "explore, hard names": gainful.explore(make_many_groups(6), JUDGED, title=LONG),
        "explore, 70 groups": gainful.explore(make_many_groups(70), JUDGED),
    }


NAMES = (
    *("explore", "explore, hard names", "explore, 70 groups"),
    *("report", "report, hard names", "report of sessions", "report of sessions, 70 groups"),
)


@pytest.fixture
def show(browser, pages, tmp_path):
    """Open a page; in the end it must have asked for nothing and complained of nothing."""
    contexts, complaints, requests = [], [], []

    def open_page(name, **settings):
        file = tmp_path / "page.html"
        file.write_text(pages[name], encoding="utf-8")
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        if "explore" in name:
            page.wait_for_function("window.explored !== undefined")
            page.evaluate("explored.ready()")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize(
    ("width", "scheme"), [*((width, "light") for width in WIDTHS), (390, "dark")]
)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_overlaps_and_nothing_is_cut(show, name, width, scheme):
    page = show(name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate(FIND_FAULTS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_use_it(show, name, scheme):
    page = show(name, viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    more = ":is(tbody tr, li):nth-child(n+9)"  # which are made like those above them
    page.evaluate("more => document.querySelectorAll(more).forEach((row) => row.remove())", more)
    barriers = [
        (violation["id"], [node["html"][:120] for node in violation["nodes"]][:3])
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert barriers == [], json.dumps(barriers, indent=1)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdict_and_the_map_come_first(show, width):
    page = show("explore", viewport={"width": width, "height": 844})
    assert page.locator("#verdict").bounding_box()["y"] < 170
    assert page.locator("#map").bounding_box()["y"] < 500
    page.evaluate("window.scrollTo(0, 1500)")
    assert page.locator("#verdict").bounding_box()["y"] == 0  # it stays where it can be seen
