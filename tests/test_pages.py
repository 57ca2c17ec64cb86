"""What holds for every page, at every width, light and dark: nothing overlaps, nothing is cut, all can be read."""

import json
import shutil
import subprocess
import sys
import threading
from base64 import b64encode
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe
from example_files import ROOT
from tools.screenshots import PICTURES, SHOTS, take_screenshot
from tools.site import write_built_pages

import gainful

NEWS = ROOT / "examples" / "news"
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
    if (!seen(one) || one.closest(".scroll, .md-typeset__scrollwrap, .visually-hidden, details:not([open])")) continue;
    const box = one.getBoundingClientRect();
    if (box.right > innerWidth + 1 || (one.scrollWidth > one.clientWidth + 2 && getComputedStyle(one).overflowX === "hidden" && !one.title)) faults.push(`outside: ${one.textContent.slice(0, 40)}`);
  }
  for (const chart of document.querySelectorAll(".chart svg"))
    if (chart.clientWidth > chart.closest(".chart").clientWidth) faults.push("a chart is wider than its place");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  return faults;
}"""


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


SITE = ("index", "compare", "sessions", "explore.html", "figures")  # its main pages
REFERENCES = ("api", "commands", "conventions", "error-rates", "measures")  # these may be long


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built in a folder of its own and served: the folder and the address."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    write_built_pages("", folder)
    zensical = Path(sys.executable).with_name("zensical")
    subprocess.run([zensical, "build"], cwd=folder, check=True, capture_output=True)
    handler = partial(QuietHandler, directory=folder / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder / "site", f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


SETTLED = """() => new Promise((drawn) => { requestAnimationFrame(() => setTimeout(drawn)); }).then(() => window.explored?.ready())
  .then(() => Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < 5000).map((one) => one.finished))).then(() => undefined)"""  # what fades in or out has done so


@pytest.fixture(scope="module")
def show(browser, pages, site, tmp_path_factory):
    """Open each page once, at any width; in the end none has asked for anything or complained."""
    folder, address = tmp_path_factory.mktemp("pages"), site[1]
    opened, complaints, requests = {}, [], []

    def open_page(name):
        page = opened[name] = browser.new_page()
        page.on("console", lambda message: complaints.append((name, message.text)))
        page.on("pageerror", lambda error: complaints.append((name, str(error))))
        page.on("request", lambda request: requests.append(request.url))
        file = folder / f"{len(opened)}.html"
        if name in pages:
            file.write_text(pages[name], encoding="utf-8")
        page.goto(
            file.as_uri() if name in pages else f"{address}/{name.removesuffix('.html')}.html"
        )
        if "explore" in name and name in pages:
            page.wait_for_function("window.explored !== undefined")
        return page

    def show_page(name, width=1280, scheme="light", height=900):
        page = opened.get(name) or open_page(name)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLED)
        return page

    yield show_page
    for page in opened.values():
        page.close()
    assert complaints == []
    own = ("file:", "data:", "blob:", address)
    assert [url for url in requests if not url.startswith(own)] == []


@pytest.mark.parametrize("name", [*NAMES, *SITE])
def test_nothing_overlaps_and_nothing_is_cut(show, name):
    faults = {
        (width, scheme): show(name, width, scheme).evaluate(FIND_FAULTS)
        for width in WIDTHS
        for scheme in ("light", "dark")
    }
    assert {setting: texts for setting, texts in faults.items() if texts} == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdict_and_the_map_come_first(show, width):
    page = show("explore", width, height=844)
    assert page.locator("#verdict").bounding_box()["y"] < 170
    assert page.locator("#map").bounding_box()["y"] < 500
    page.evaluate("window.scrollTo(0, 1500)")
    assert page.locator("#verdict").bounding_box()["y"] == 0  # it stays where it can be seen
    page.evaluate("window.scrollTo(0, 0)")


# What can be used, once each: of a group of choices the Tab key goes to the one that is chosen.
LIST_USABLE = """() => {
  window.usable = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0 && !(one.type === "radio" && !one.checked));
  window.reached = new Set();
  document.addEventListener("focusin", (event) => reached.add(event.target));
  document.activeElement.blur();
  scrollTo(0, 0);
  return usable.length;
}"""


@pytest.mark.parametrize("name", ["explore", "report", "report of sessions", "index"])
def test_the_keyboard_reaches_everything(show, name):
    page = show(name)
    for _ in range(page.evaluate(LIST_USABLE) + 5):
        page.keyboard.press("Tab")
    missed = "usable.filter((one) => !reached.has(one)).map((one) => one.outerHTML.slice(0, 120))"
    assert page.evaluate(missed) == []


RULES = {"resultTypes": ["violations"]}  # of what passes nothing is reported, which takes long
CONTRAST = RULES | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


@pytest.mark.parametrize("name", [*NAMES, *SITE])
def test_everybody_can_use_it(show, name):
    """By all rules; in the dark, which differs in colours alone, by that of contrast."""
    for scheme, rules in (("light", RULES), ("dark", CONTRAST)):
        page = show(name, scheme=scheme)
        page.evaluate("scrollTo(0, 0)")  # further down, a button to the top fades in
        page.evaluate(
            "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
        )
        more = ":is(tbody tr, li, code > span):nth-child(n+9)"  # which are made like those above
        page.evaluate(
            "more => document.querySelectorAll(more).forEach((row) => row.remove())", more
        )
        page.evaluate(SETTLED)
        barriers = [
            (violation["id"], [node["html"][:120] for node in violation["nodes"]][:3])
            for violation in Axe().run(page, options=rules).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert barriers == [], (scheme, json.dumps(barriers, indent=1))


READ_PAGE = """() => ({
  height: document.documentElement.scrollHeight,
  wide: [...document.querySelectorAll("pre code")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.slice(0, 60)),
  links: [...document.querySelectorAll("article a[href]")].map((one) => one.href),
  ids: [...document.querySelectorAll("[id]")].map((one) => one.id),
})"""


def test_pages_of_the_site_are_short_their_commands_whole_and_their_links_lead_somewhere(
    browser, site
):
    folder, address = site
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints = []
    page.on("console", lambda message: complaints.append((page.url, message.text)))
    read = {}
    for path in sorted(folder.glob("*.html")):
        if path.stem in ("404", "live"):
            continue
        page.goto(f"{address}/{path.name}", wait_until="domcontentloaded")
        read[path.name] = page.evaluate(READ_PAGE)
    page.close()
    assert complaints == []
    assert {name: facts["wide"] for name, facts in read.items() if facts["wide"]} == {}
    long = {name for name, facts in read.items() if facts["height"] > 12_000}
    assert long <= {f"{name}.html" for name in REFERENCES}
    for name, facts in read.items():
        for link in facts["links"]:
            if not link.startswith(address):
                continue
            place, _, anchor = link.removeprefix(f"{address}/").partition("#")
            assert (folder / place).is_file(), (name, link)
            assert not anchor or place not in read or anchor in read[place]["ids"], (name, link)


COUNT_CHANGED = """async (pictures) => {
  const [first, second] = await Promise.all(pictures.map(async (picture) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const context = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  return first.length === second.length ? first.filter((value, at) => Math.abs(value - second[at]) > 48).length / first.length : 1;
}"""


@pytest.mark.parametrize("name", SHOTS)
def test_screenshots_show_the_pages_as_they_are(browser, study, name, tmp_path, monkeypatch):
    """Another font changes some pixels; another page changes many."""
    monkeypatch.chdir(tmp_path)
    study.write("demo")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    pictures = [(PICTURES / name).read_bytes(), take_screenshot(browser, name)]
    page = browser.new_page()
    encoded = [b64encode(picture).decode() for picture in pictures]
    changed = page.evaluate(COUNT_CHANGED, encoded)
    page.close()
    assert changed < 0.05


FIND_CUT = """() => {
  const svg = document.querySelector("svg"), frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width && (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)).map(([words]) => words);
}"""


def test_no_text_of_a_figure_is_cut(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    cut = {}
    for path in sorted((ROOT / "docs" / "pictures").glob("*.svg")):
        page.set_content(path.read_text(encoding="utf-8"))
        cut[path.name] = page.evaluate(FIND_CUT)
    page.close()
    assert {name: words for name, words in cut.items() if words} == {}
