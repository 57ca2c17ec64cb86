"""What a package index shows: a README whose links lead somewhere, or none."""

import re

import pytest
from example_files import ROOT
from tools.metadata import link_readme

README = ROOT / "README.md"
RELATIVE = re.compile(r"\]\((?!https?:|#)")


@pytest.mark.parametrize("repository", ["", "https://example.org/gainful"])
def test_no_link_of_the_readme_leads_nowhere(repository):
    text = link_readme(README.read_text(encoding="utf-8"), repository)
    assert RELATIVE.findall(text) == []
    assert ("https://example.org/gainful/blob/main/docs/" in text) == bool(repository)


def test_pictures_are_shown_where_they_can_be_found():
    text = "![three runs](docs/dots.svg)\nwords\n"
    assert link_readme(text, "") == "words\n"
    whole = "![three runs](https://example.org/gainful/raw/main/docs/dots.svg)\nwords\n"
    assert link_readme(text, "https://example.org/gainful") == whole
