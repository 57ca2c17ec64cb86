"""Pages in a browser: opened from disk, quiet, and what they show."""

import json
import re

import pytest

HOSTILE = (
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 1</script>",
    "{{ 7 * 7 }}",
    "']; window.ran = 1 //",
    "\"><img src=x onerror='window.ran = 1'>",
    "datum.x + ${window.ran = 1}",
    "שלום עולם",
    "=HYPERLINK(1)",
    "<!--",
    "x" * 10_000,
)


VIEWPORT = {"width": 1280, "height": 900}
IDLE = []  # empty pages: to open one anew takes longer than to show something in it


class BrowserPage:
    """A page in the browser, and whatever it asked for or complained about."""

    def __init__(self, browser, file, fragment="", **settings):
        self.is_usual = not settings
        if self.is_usual and IDLE:
            self.page = IDLE.pop()
        else:
            self.page = browser.new_context(**({"viewport": VIEWPORT} | settings)).new_page()
        self.requests, self.complaints = [], []
        self.listeners = {
            "request": lambda request: self.requests.append(request.url),
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": self.dismiss,
        }
        for event, listener in self.listeners.items():
            self.page.on(event, listener)
        self.file = file
        self.page.goto(file.as_uri() + fragment)

    def dismiss(self, dialog):
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def close(self):
        """Nothing may have been asked for, and nothing gone wrong."""
        requested = [url for url in self.requests if not url.startswith(("data:", "blob:"))]
        assert [url.split("#")[0] for url in requested] == [self.file.as_uri()]
        assert self.complaints == []
        if self.is_usual:
            self.empty()
            IDLE.append(self.page)
        else:
            self.page.context.close()

    def empty(self):
        """Nothing of what was shown or set is left for the next that is shown."""
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(VIEWPORT)
        self.page.emulate_media(media="null", color_scheme="null")
        self.page.set_default_timeout(30_000)

    def check_widths(self):
        """A telephone and a desk show all of it without moving it sideways."""
        for width in (390, 1280):
            self.page.set_viewport_size({"width": width, "height": 900})
            assert overflow_width(self.page) <= 0

    def rows(self):
        return [
            re.split(r"\s+", row.inner_text().strip())
            for row in self.page.query_selector_all("#values tbody tr")
        ]

    def text(self, selector):
        return self.page.inner_text(selector)

    def list_texts(self, selector):
        return self.page.locator(selector).all_text_contents()

    def open_query(self, name):
        """Open a row of the values by its whole name."""
        self.page.evaluate(
            "name => [...document.querySelectorAll('#values .open')]"
            ".find(one => one.textContent === name).click()",
            name,
        )


def open_pages(browser, folder):
    """Open pages; at the end they are closed."""
    pages = []

    def show(text, **settings):
        file = folder / f"report{len(pages)}.html"
        file.write_text(text, encoding="utf-8")
        pages.append(BrowserPage(browser, file, **settings))
        return pages[-1]

    yield show
    for page in pages:
        page.close()


@pytest.fixture
def shown(browser, tmp_path):
    yield from open_pages(browser, tmp_path)


def read_data(page):
    """What is embedded in the text of a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def overflow_width(page):
    """How much wider the page is than the window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
