"""Ids of ir_datasets in place of judgment files: its own registry and classes, local files."""

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TsvQueries
from refusals import refuses

import gainful
from gainful.errors import BadInput


class LocalFile:
    """What ir_datasets calls a download, of a file that is here."""

    def __init__(self, path):
        self._path = path

    def path(self):
        return str(self._path)

    def stream(self):
        return self._path.open("rb")


@pytest.fixture
def registered(tmp_path):
    """A dataset in the real registry, for one test."""
    names = []

    def register(name, text, *, qrels=True):
        path = tmp_path / (name.replace("/", "_") + ".qrels")
        path.write_text(text)
        part = TrecQrels(LocalFile(path), {}) if qrels else TsvQueries(LocalFile(path))
        ir_datasets.registry.register(name, Dataset(part))
        names.append(name)

    yield register
    for name in names:
        del ir_datasets.registry._registered[name]


RUN = {"1": {"x": 3.0, "a": 2.0}, "2": {"c": 1.0}}


def test_an_id_stands_for_its_judgments(registered):
    registered("gainful-test/judged", "1 0 a 2\n1 0 b 0\n2 0 c 1\n")
    assert gainful.evaluate("irds:gainful-test/judged", RUN, "RR").values_by_query() == {
        "1": {"RR": 0.5},
        "2": {"RR": 1.0},
    }


def test_iterations_that_differ_are_subtopics(registered):
    registered("gainful-test/diversity", "1 1 a 1\n1 2 a 1\n1 3 b 1\n")
    assert gainful.evaluate("irds:gainful-test/diversity", RUN, "StRecall@2").mean == {
        "StRecall@2": pytest.approx(2 / 3)
    }


def test_a_name_without_its_prefix_is_a_file_and_starts_no_download(registered):
    registered("gainful-test", "1 0 a 1\n")
    with refuses(BadInput, "gainful-test"):
        gainful.evaluate("gainful-test", RUN, "RR")


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("irds:no-such", "irds:no-such"),
        ("irds:gainful-test/queries", "irds:gainful-test/queries"),
        ("irds:gainful-test/broken", "irds:gainful-test/broken"),
        ("no-such-file", "no-such-file"),
    ],
)
def test_what_is_wrong_is_said(registered, name, about):
    registered("gainful-test/queries", "1\ta query\n", qrels=False)
    registered("gainful-test/broken", "1 a 1\n")
    with refuses(gainful.errors.BadInput, about):
        gainful.evaluate(name, RUN, "RR")


def test_a_dataset_without_judgments_names_its_parts():
    with refuses(gainful.errors.BadInput, "irds:msmarco-passage"):
        gainful.evaluate("irds:msmarco-passage", RUN, "RR")


def test_without_the_package_it_is_said_how_to_get_it(run_python):
    code = (
        "import sys; sys.modules['ir_datasets'] = None\n"
        "import gainful\n"
        "try: gainful.evaluate('irds:vaswani', {'1': {'a': 1.0}})\n"
        "except gainful.errors.BadInput as told: print(told)\n"
    )
    printed = run_python(code)
    assert "ir_datasets" in printed
    assert "pip install ir-datasets" in printed
