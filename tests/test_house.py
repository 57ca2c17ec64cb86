"""The rules of the house that a reader relies on: names, docstrings, sizes."""

import ast
import doctest
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from example_files import ROOT
from hypothesis import settings
from profiles import examples

SOURCE = ROOT / "src" / "gainful"
FILES = sorted(SOURCE.rglob("*.py"))
BESIDES = [ROOT / "conftest.py"]  # what is not shipped: tests, benchmarks, tools
BESIDES += [
    path for room in ("tests", "benchmarks", "tools") for path in (ROOT / room).glob("*.py")
]
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]

# A function is a verb, or the quantity it computes; it does not begin with a participle …
PARTICIPLE = re.compile(
    r"_?(?:told|said|shown|known|drawn|held|laid|found|given|kept|made|met|seen|spelt|sent|listed"
    r"|left|got|gone|written|(?!need|seed|feed|embed)[a-z]+ed)(?:_|$)"
)
# … nor with a preposition, except those that say what a thing is made of or into.
PREPOSITION = re.compile(
    r"_?(?:of|by|in|on|at|within|without|before|after|about|between|over|under|beside|through"
    r"|among|along|against|until|behind|above|below)(?:_|$)"
)
# Words of the field, of other tools, and flags that are asked for as attributes.
ALLOWED = {
    "unjudged",  # what the field calls documents without a judgment, and the command
    "passed",  # a flag of a verdict
    "by_id",  # ranks, if ties are broken by id: a value of `TieBlocks`
    "by_input",
    "cumulated",  # a flag of an entry
    "paired_by",  # a value of a sample: what its differences are of
    "paired_units",  # how many of these there are
    "normalised_average",  # the quantity of the 2008 paper, beside the average of normalised ones
}
VAGUE = {"found", "held", "how", "told", "got", "one", "said", "settled"}
SENTENCE = re.compile(r"(?:\b[a-z']{2,},? ){4}[a-z']{2,}")  # five words of prose in a row
MAX_LINES = 650


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    yield from (node for node in nodes_of(path) if isinstance(node, ast.FunctionDef))


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE if path.is_relative_to(SOURCE) else ROOT).as_posix()


def docstrings(path: Path) -> list[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = nodes_of(path)
    return [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]


def bound_names(nodes: list[ast.AST]) -> set[str]:
    """The names that some code gives to values, parameters, functions and classes."""
    fields = {node.target for node in nodes if isinstance(node, ast.AnnAssign)}
    values = [node for node in nodes if isinstance(node, ast.Name) and node not in fields]
    stored = {node.id for node in values if isinstance(node.ctx, ast.Store)}
    defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return stored | defined | {node.arg for node in nodes if isinstance(node, ast.arg)}


def example_names(text: str) -> set[str]:
    """The names that the examples of a page or of a file's docstrings give."""
    code = (example.source for example in doctest.DocTestParser().get_examples(text))
    return {name for source in code for name in bound_names(list(ast.walk(ast.parse(source))))}


@pytest.mark.parametrize("name", ["settled", "_told", "of_run", "matched", "by_gain", "_laid_out"])
def test_the_rule_knows_names_that_are_no_verbs(name):
    assert PARTICIPLE.match(name) or PREPOSITION.match(name)


@pytest.mark.parametrize(
    "name", ["read_run", "dcg", "need_all", "_embed_data", "to_text", "format"]
)
def test_the_rule_lets_verbs_and_quantities_pass(name):
    assert not PARTICIPLE.match(name)
    assert not PREPOSITION.match(name)


def is_fixture(node: ast.FunctionDef) -> bool:
    """Is it a value that tests ask for by name?"""
    return any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_functions_are_verbs_or_quantities():
    names = [
        (name_of(path), node.name)
        for path in (*FILES, *BESIDES)
        for node in functions(path)
        if not is_fixture(node)
    ]
    wrong = [
        (path, name)
        for path, name in names
        if name not in ALLOWED and (PARTICIPLE.match(name) or PREPOSITION.match(name))
    ]
    assert wrong == []
    assert len(names) > 1000  # all of the house was looked at


def test_names_are_read_from_code_and_from_examples():
    code = "for one, (two, *three) in x:\n    def f(four, *, five): six = lambda seven: [8 for nine in y]"
    names = {"one", "two", "three", "f", "four", "five", "six", "seven", "nine"}
    assert bound_names(list(ast.walk(ast.parse(code)))) == names
    lead = ast.parse("class Lead:\n    settled: bool")  # a field is no local name
    assert bound_names(list(ast.walk(lead))) == {"Lead"}
    assert example_names("text\n>>> found = 1\n>>> found\n1\n") == {"found"}


def test_values_are_named_for_what_they_are():
    code = {path: bound_names(nodes_of(path)) for path in (*FILES, *BESIDES)}
    shown = {path: example_names("\n\n".join(docstrings(path))) for path in FILES}
    shown |= {path: example_names(path.read_text(encoding="utf-8")) for path in PAGES}
    for names in (code, shown):
        assert {name_of(path): vague for path in names if (vague := names[path] & VAGUE)} == {}


def test_the_profile_decides_how_hard_a_property_is_tried():
    tests = {path: path.read_text(encoding="utf-8") for path in BESIDES if path.stem != "profiles"}
    assert [name_of(path) for path in tests if re.search(r"max_examples=\w", tests[path])] == []
    assert examples(50).max_examples == 2 * settings.default.max_examples


def test_asserts_hold_what_is_named_and_no_sentence():
    """Texts by `facts`, refusals by `refuses`: what is said may be said better tomorrow."""
    sentences = [
        (name_of(path), part.lineno)
        for path in BESIDES
        for node in nodes_of(path)
        if isinstance(node, ast.Assert)
        for part in ast.walk(node.test)
        if isinstance(part, ast.Constant) and SENTENCE.search(str(part.value))
    ]
    assert sentences == []
    texts = {path: path.read_text(encoding="utf-8") for path in BESIDES}
    matching = [name_of(path) for path in texts if re.search(r"raises\([^)]+, match=", texts[path])]
    assert matching == ["tests/test_ir_measures.py"]  # a peer's own words, which are ours too


def test_docstrings_stand_alone():
    docs = [(name_of(path), text) for path in FILES for text in docstrings(path)]
    leaning = re.compile(r"^The same|: likewise\.|: as `\w+` has it|\bSee `\w+`\.")
    assert [name for name, text in docs if leaning.search(text)] == []
    assert len(docs) > 1000


def test_a_file_has_one_subject_and_fits_it():
    sizes = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {name: size for name, size in sizes.items() if size > MAX_LINES} == {}
    junk = {"utils", "util", "common", "misc", "helpers", "helper"}
    assert [name_of(path) for path in FILES if path.stem in junk] == []


def test_a_convention_has_settings_and_no_other_word_for_them():
    """The key of the JSON of `why` stays what it was; power is told in the words of the field."""
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html"), *SOURCE.rglob("*.js")):
        text = path.read_text(encoding="utf-8").replace('"habits":', "").lower()
        assert "habit" not in text, name_of(path)
        assert "of 5 repetitions" not in text, name_of(path)


def test_benchmarks_ask_for_names_that_exist():
    """What no type checker reads; modules whose packages are missing here are left out."""
    asked = {
        (path.name, node.module, name.name)
        for path in (ROOT / "benchmarks").glob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gainful")
        for name in node.names
    }
    for path, module, name in asked:
        if module != "gainful.measure.counting_kernel":  # needs PyTorch and Triton
            parent = import_module(module)
            assert hasattr(parent, name) or find_spec(f"{module}.{name}"), (path, module, name)
