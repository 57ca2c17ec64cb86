"""Users read plain modern English: no odd phrase is left in messages, pages and docs.

The phrases are those that a newcomer stumbled over, and others of their kind.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from example_files import ROOT

PACKAGE = ROOT / "src/gainful"
PHRASES = """
are told
be told
is told
told apart
tells best
tells nothing
tells whether
not yet told
which comes next
Monte Carlo error there
their effects stay in
what a user did without
from what searchers did
what was done
it calls itself
no role of a column
how others would do
were other queries of the same kind asked
stand one after another
stands twice
the last value is held
b and bq of now
this is of those
at least so many
so many queries
Back to the beginning
hang on the searcher
for who decides
dearer
of which less
of which more
held against
hold it to
is of runs
is of sessions
is of means
is of files
found out]
not one of
come what may
whatever comes
what format is
speaks Arrow
where chance begins
which chance
as a pipe shows it
whoever
had to do with
is to be expected
the language of measures say
may stand in
no change has been seen
as it should be
once looked at
""".strip().splitlines()
LOWER = [phrase.lower() for phrase in PHRASES]
ODD = re.compile("|".join(rf"(?<!\w){re.escape(phrase)}" for phrase in PHRASES), re.IGNORECASE)


def list_texts() -> Iterator[tuple[str, str]]:
    """Each place with what a user can read there."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, text in list_strings(path):
            yield f"{path.relative_to(ROOT)}:{line}", text
    pages = [path for suffix in ("js", "html") for path in PACKAGE.rglob(f"*.{suffix}")]
    for path in [*sorted(pages), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def list_strings(path: Path) -> Iterator[tuple[int, str]]:
    """Strings of a module with their lines, docstrings too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in node.values}
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in left_out:
            yield node.lineno, str(node.value)


def find_phrases(text: str) -> list[str]:
    """The odd phrases of a text; looked for one by one first, which is quicker than by a pattern."""
    line = " ".join(text.split())
    lower = line.lower()
    return ODD.findall(line) if any(phrase in lower for phrase in LOWER) else []


def test_no_odd_phrase_is_left():
    assert [(place, odd) for place, text in list_texts() for odd in find_phrases(text)] == []


@pytest.mark.parametrize("text", ["All are told apart.", "--top is of runs only"])
def test_an_odd_phrase_would_be_found(text):
    assert find_phrases(text)
