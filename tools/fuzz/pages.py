"""Pages with hostile texts in every place that a user's text can take."""

from __future__ import annotations

from random import Random

from tools.fuzz.finding import Payload, require

import gainful

_HOSTILE = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "<!--", "-->", "]]>", "javascript:alert(1)", "{{7*7}}", "{% raw %}", "${7*7}", "'\"`\\", "\u2028",
    "<svg/onload=alert(1)>", "&lt;b&gt;", "\u202eabc", "a\x00b",
]  # fmt: skip


def make(rng: Random) -> Payload:
    """A hostile text as a query, a document, a run, a title and a text of a query."""
    query, doc, run, title, words = (rng.choice(_HOSTILE) for _ in range(5))
    return {"query": query, "doc": doc, "run": run, "title": title, "words": words}


def check(payload: Payload) -> None:
    """Nothing of it stands in the page as markup: every tag is one that the page has anyway."""
    query, doc = payload["query"], payload["doc"]
    page = str(
        gainful.report(
            {query: {doc: 1}},
            {payload["run"]: {query: [doc, "other"]}},
            "nDCG@10",
            title=payload["title"],
            queries={query: payload["words"]},
        )
    )
    markup = page.split("<script", 1)[0].lower()  # before our own scripts: what is shown as text
    for hostile in ("<script>alert", "<img src=x", "<svg/onload"):
        require(hostile not in markup, f"{hostile} stands in the page")
    require("</script><script>alert" not in page.lower(), "a text ends a script")
