"""Pictures of the real pages for the documentation, taken in a browser where there is one."""

from __future__ import annotations

from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

from tools.commands import run_command

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 1100  # pixels of the window


class Shot(NamedTuple):
    """The command that writes a page, the page, and how much of it is shown."""

    command: str
    page: str
    height: int


SHOTS = {
    "explore.png": Shot(
        "gainful explore demo/sessions.csv --qrels demo/qrels.txt --by system "
        "-m 'nsDCG(b=2,bq=4)@10' --title 'A simulated study' -o demo/explore.html",
        "demo/explore.html",
        590,
    ),
    "report.png": Shot(
        "gainful report examples/news/qrels.txt examples/news/bm25.txt examples/news/dense.txt "
        "examples/news/hybrid.txt -m nDCG@10 -m AP -o demo/report.html",
        "demo/report.html",
        640,
    ),
    "session-report.png": Shot(
        "gainful report --sessions demo/sessions.csv --qrels demo/qrels.txt --by system "
        "-m 'nsDCG(b=2,bq=4)@10' -o demo/session-report.html",
        "demo/session-report.html",
        640,
    ),
}


def take_screenshots() -> None:
    """Write each picture anew; without a browser they stay as they are."""
    browser_path = which("chromium")
    if browser_path is None:
        print("no chromium: the screenshots stay as they are")
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (only here)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name in SHOTS:
            (PICTURES / name).write_bytes(take_screenshot(browser, name))
        browser.close()


def take_screenshot(browser: Any, name: str) -> bytes:
    """One picture: its page is written, opened, and shown as far down as the picture goes."""
    shot = SHOTS[name]
    print(run_command(shot.command))
    page = browser.new_page(viewport={"width": WIDTH, "height": shot.height})
    page.goto(Path(shot.page).resolve().as_uri())
    page.wait_for_timeout(1500)  # what is computed in a worker is drawn by then
    picture: bytes = page.screenshot()
    page.close()
    return picture
