"""What the documentation promises of itself: one page for each thing, no dead link, nothing internal."""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path

import pytest
from example_files import ROOT
from tools.docs import break_command, join_lines, list_typed_pages, print_anew
from tools.reference import MODULES, docstring_to_markdown, format_call, is_documented, name_pages
from tools.site import BUILT

import gainful
from gainful.convention import CONVENTIONS
from gainful.measure.which import MISPRINTS

BUILT_PAGES = {ROOT / page: make for page, make in BUILT.items()}  # with the site, not committed
BUILT_NAMES = [path.name for path in BUILT_PAGES if path.suffix == ".md"]
GUIDE_PAGES = [path for path in (ROOT / "docs").glob("*.md") if path not in BUILT_PAGES]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *GUIDE_PAGES])
NAMES = [*(path.name for path in PAGES), *BUILT_NAMES]
GUIDES = [name for name in NAMES if name != "CONTRIBUTING.md"]
TYPED = [Path(page).name for page in list_typed_pages()]


@cache
def read_page(name: str) -> str:
    """The text of a page; those that are built with the site are made, which takes a second."""
    paths = {path.name: path for path in (*PAGES, *BUILT_PAGES, ROOT / "CHANGELOG.md")}
    path = paths[name]
    return BUILT_PAGES[path]() if path in BUILT_PAGES else path.read_text(encoding="utf-8")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
    )
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in words}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path):
    prose = re.sub(r"```.*?```", "", read_page(path.name), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        if link.startswith("https://"):
            continue
        place, _, anchor = link.partition("#")
        target = path.parent / place if place else path
        assert target in BUILT_PAGES or target.is_file(), link
        assert not anchor or anchor in anchors(read_page(target.name)), link


ODD = (  # what nobody says: the plain word is shorter
    r"told|tells?|of which|what was done|dearer|stands?"
    r"|hangs? on|for who|is said|are said|of now|begins? anew"
)


@pytest.mark.parametrize("name", TYPED)
def test_pages_are_in_plain_english(name):
    prose = re.sub(r"```.*?```|`[^`]*`", "", read_page(name), flags=re.DOTALL)
    assert re.findall(rf".*\b(?:{ODD})\b.*", prose, re.IGNORECASE) == []


@pytest.mark.parametrize("name", TYPED)
def test_no_command_is_wider_than_a_page(name):
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", read_page(name), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.startswith(("$ gainful", "gainful ", "  -"))]
    assert [line for line in commands if len(line) > 100] == []


def test_long_commands_are_broken_between_options_and_run_as_one():
    command = (
        "gainful eval examples/qrels.txt examples/bm25.txt -m 'nDCG(gain=exp)@10' --per-query "
        "--format csv -o values.csv | tail -n +2 | head -1"
    )
    broken = break_command(command)
    assert broken.splitlines() == [
        "gainful eval examples/qrels.txt examples/bm25.txt -m 'nDCG(gain=exp)@10' \\",
        "  --per-query --format csv -o values.csv | tail -n +2 | head -1",
    ]
    assert join_lines(broken) == command
    assert break_command("gainful eval a b") == "gainful eval a b"


def test_the_output_of_a_broken_command_is_printed_below_it():
    page = "Text\n\n```console\n$ gainful which 0.932 \\\n  3 2 3 0 1 2 --format csv\nold\n```\n"
    lines = print_anew(page).splitlines()
    assert lines[3] == "$ gainful which 0.932 3 2 3 0 1 2 --format csv"
    assert "old" not in lines
    assert len(lines) > 5


def test_every_page_has_its_place_in_the_menu():
    menu = re.findall(
        r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(menu) == sorted([*(path.name for path in GUIDE_PAGES), *BUILT_NAMES])


def test_the_walk_goes_through_functions_that_are_there():
    text = read_page("CONTRIBUTING.md")
    walk = text[text.index("## The walk") : text.index("## Names")]
    steps = re.findall(r"`([\w/]+\.py)(?:: ([\w.]+))?`", walk)
    assert len(steps) > 15
    for file, names in steps:
        code = (ROOT / "src" / "gainful" / file).read_text(encoding="utf-8")
        for name in filter(None, names.split(".")):
            assert re.search(rf"^\s*(?:def|class) {name}\b", code, re.MULTILINE), (file, name)


NO_NAMES = {"fish", "measures"}  # a file of completions, and the entry point of plugins
NO_NAMES |= set() if find_spec("torch") else {"torch"}


@pytest.mark.parametrize("name", [*GUIDES, "CHANGELOG.md"])
def test_every_name_of_gainful_on_a_page_is_there(name):
    text = read_page(name)
    for path in set(re.findall(r"(?<![\w/.-])gainful\.([A-Za-z_][\w.]*\w)", text)):
        first = path.partition(".")[0]
        if first in NO_NAMES:
            continue
        if first in {*MODULES, "torch"}:
            import_module(f"gainful.{first}")
        assert attrgetter(path.removesuffix(".py"))(gainful) is not None, path


@pytest.mark.parametrize("name", GUIDES)
def test_no_page_names_a_path_inside_the_house(name):
    folders = {path.name for path in (ROOT / "src" / "gainful").iterdir() if path.is_dir()}
    rooms = sorted(folders - set(MODULES))
    inside = re.compile(rf"gainful[./](?:{'|'.join(rooms)})\b")
    assert inside.findall(read_page(name)) == []


@pytest.mark.parametrize("name", [name for name in NAMES if name != "installing.md"])
def test_what_is_installed_is_the_clone_until_it_is_published(name):
    assert re.findall(r"pip install '?gainful\b.*", read_page(name)) == []


def test_the_way_from_the_clone_to_an_own_result_has_three_commands():
    start = read_page("README.md").partition("## Sixty seconds")[2]
    commands = start.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(commands) == 3
    assert commands[-1].startswith("gainful eval YOUR-QRELS")


def test_extras_that_pages_install_are_extras_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {
        extra for name in NAMES for extra in re.findall(r"'[\w/.]*\[(\w+)\]'", read_page(name))
    }
    assert {"report", "spark", "datasets"} <= asked
    assert asked <= set(project["optional-dependencies"])


def test_the_readme_is_short_and_has_a_picture_above_the_fold():
    lines = read_page("README.md").splitlines()
    assert len(lines) <= 150
    assert any(line.startswith("![") for line in lines[:15])


def test_the_reference_has_every_public_name_and_no_other():
    public = dict.fromkeys(gainful.__all__, gainful)
    for module in (import_module(f"gainful.{name}") for name in MODULES):
        short = module.__name__.removeprefix("gainful.")
        public |= {f"{short}.{name}": module for name in module.__all__}
    documented = {
        path
        for path, module in public.items()
        if is_documented(getattr(module, path.rpartition(".")[2]))
    }
    for path in documented:
        assert inspect.getdoc(getattr(public[path], path.rpartition(".")[2])), path
    pages, text = name_pages(), read_page("api.md")
    titles = {page.partition("\n")[0].removeprefix("# gainful.") for page in pages.values()}
    assert titles == documented
    assert len({page.casefold() for page in pages}) == len(documented)
    assert set(re.findall(r"^- \[.*?\]\((.*?)\)", text, re.MULTILINE)) == {*pages}
    for page, content in pages.items():
        for link in re.findall(
            r"\]\(([^)\s]+\.md)", re.sub(r"```.*?```", "", content, flags=re.DOTALL)
        ):
            target = os.path.normpath(f"api/{link}")
            assert target in pages or (ROOT / "docs" / target) in {*PAGES, *BUILT_PAGES}, (
                page,
                link,
            )
    for constant in public.keys() - documented:  # measures and tables are in lists
        assert re.search(rf"^- .*`{constant.rpartition('.')[2]}`.*: ", text, re.MULTILINE)


def test_signatures_are_shown_with_the_types_a_reader_knows():
    def example(qrels: Unknown, k: int = 5, *, like: str | None = "a", **settings: Unknown): ...  # noqa: F821

    shown = format_call("gainful.example", inspect.signature(example))
    assert shown == 'gainful.example(qrels, k: int = 5, *, like: str | None = "a", **settings)'


def test_docstrings_become_lists_and_code():
    text = "What?\n\nArgs:\n    a: one\n        thing.\n    **b: more.\n\nExamples:\n    >>> 1\n    1\n"
    assert docstring_to_markdown(text) == (
        "What?\n\nParameters:\n\n- `a`: one thing.\n- `**b`: more.\n\n```pycon\n>>> 1\n1\n```"
    )


TOOLS_OF_THEIR_OWN = {  # names that begin like another tool's, and are tools of their own
    "opensearch_workbench": "the plugin computes by its own code"
}


def test_pages_count_the_tools_that_are_in_the_table():
    """A convention named like another one with an ending, trec_eval_c, is a setting of that tool."""
    papers = {"gainful", "jk2002", "jk2008", "burges2005", "wikipedia"}
    settings = [name for name in CONVENTIONS if name not in papers]
    tools = [
        name
        for name in settings
        if name in TOOLS_OF_THEIR_OWN or not any(name.startswith(f"{other}_") for other in settings)
    ]
    claim = f"{len(tools)} tools in {len(settings)} settings"
    for page in ("README.md", "coming-from.md"):
        assert claim in read_page(page)


def test_the_page_for_newcomers_names_the_tools_whose_digits_cannot_be_followed():
    (introduction, *_) = read_page("coming-from.md").split("## ranx")
    for convention in CONVENTIONS.values():
        if convention.unstable_ties:
            assert convention.title.split()[0] in introduction


@pytest.mark.parametrize("misprint", MISPRINTS, ids=attrgetter("source"))
def test_misprints_of_sources_are_listed_as_the_table_has_them(misprint):
    errors = misprint.list_errors()
    cells = (
        f" of {' '.join(map(str, misprint.grades))} | ",
        f" | {', '.join(text for _, text, _ in errors)} | ",
        f" | {', '.join(f'{right:.4f}' for *_, right in errors)} | {misprint.reason} |",
    )
    lines = read_page("cumulated-gain.md").splitlines()
    (row,) = [line for line in lines if line.startswith(f"| {misprint.source} |")]
    assert all(cell in row for cell in cells)
