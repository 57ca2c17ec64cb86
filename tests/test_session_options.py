"""One set of options for all that takes sessions: shown by help, answered when misspelt, told once."""

import inspect
import re

import polars as pl
import pytest
from attrs import fields_dict
from refusals import refuses
from tools.reference import name_pages

import gainful
from gainful.api.session_options import CheckOptions, EvaluationOptions, SessionOptions
from gainful.convention.session import SESSION_SETTINGS
from gainful.errors import BadValue, UnknownName
from gainful.read.read_options import ReadOptions
from gainful.sessions import GainOptions, ReadingOptions

DOORS = {
    "check": (gainful.check, CheckOptions),
    "calibrate": (gainful.calibrate, ReadingOptions),
    "explore": (gainful.explore, GainOptions),
    "evaluate": (gainful.sessions.evaluate, GainOptions),
    "compare": (gainful.sessions.compare, GainOptions),
    "sweep": (gainful.sessions.sweep, GainOptions),
}
LOG = pl.DataFrame(
    {
        "sid": ["s", "s", "s", "t", "t"],
        "q": [1, 1, 2, 1, 1],
        "pos": [1, 2, 1, 1, 2],
        "item": ["a", "b", "a", "a", "b"],
        "clicked": [True, False, True, False, True],
        "system": ["x", "x", "x", "y", "y"],
    }
)
COLUMNS = {"session": "sid", "query": "q", "rank": "pos", "doc": "item"}


@pytest.mark.parametrize("name", DOORS)
def test_help_shows_every_option_with_its_meaning(name):
    function, options = DOORS[name]
    shown = inspect.signature(function).parameters
    arguments = inspect.getdoc(function).partition("Args:\n")[2].partition("\n\n")[0]
    for option in options.__annotations__:
        assert shown[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert arguments.count(f"\n    {option}: ") == 1
    hidden = set(GainOptions.__annotations__) - set(options.__annotations__) - {"columns"}
    assert not hidden & set(shown)


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [("collumns", "columns"), ("sessions_fromat", "sessions_format"), ("gapp", "gap")],
)
def test_a_misspelt_option_is_answered_with_the_nearest_one(name, misspelt, meant):
    with refuses(UnknownName, misspelt, meant):
        DOORS[name][0](LOG, **{misspelt: None})


@pytest.mark.parametrize(
    ("option", "value"), [("sessions_format", "table"), ("ties", "input"), ("tool", "search")]
)
def test_options_of_files_are_refused_for_what_is_in_memory(option, value):
    shown = pl.DataFrame({"session": ["s"], "query": [1], "rank": [1], "doc": ["a"]})
    with refuses(BadValue, option, value, "files"):
        gainful.sessions.evaluate(shown, {"s": {"a": 1}}, "sDCG@1", **{option: value})


def test_what_does_not_gain_is_no_option_of_calibrate():
    with refuses(UnknownName, "gain_from"):
        gainful.calibrate(LOG, gain_from="clicked")


def test_settings_are_typed_as_the_convention_has_them():
    settings = set(EvaluationOptions.__annotations__) - set(GainOptions.__annotations__)
    assert settings - {"like"} == set(SESSION_SETTINGS)
    swept = {"b", "bq", "depth"}
    assert set(SessionOptions.__annotations__) == set(EvaluationOptions.__annotations__) - swept


def test_each_option_is_told_once_in_the_reference():
    pages = name_pages().items()  # Spark has a few of them, not the set
    text = "".join(page for name, page in pages if not name.startswith("api/spark."))
    for option in ("gap", "gain_from", "propensity", "pages", "anonymise"):
        assert text.count(f"\n- `{option}`: ") == 1


def test_the_same_options_serve_all_doors():
    results = gainful.sessions.evaluate(LOG, measures="sDCG(b=2, bq=4)@2", columns=COLUMNS)
    assert results.values["sDCG(b=2, bq=4)@2"].tolist() == pytest.approx([1 + 2 / 3, 1 / 2])
    only = gainful.sessions.evaluate(LOG, measures="sDCG@2", columns=COLUMNS, where={"system": "y"})
    assert only.ids == ["t"]
    swept = gainful.sessions.sweep(LOG, measure="sDCG", columns=COLUMNS, points=2)
    assert swept.counts["sessions"] == 2
    page = gainful.explore(LOG, columns=COLUMNS, min_queries=2, duplicates="first")
    assert "--min-queries" in page
    compared = gainful.sessions.compare(LOG, measures="sDCG@2", columns=COLUMNS, cost="query=1")
    assert [measure.partition("(")[0] for measure in compared.measures] == ["sDCG@2", "Cost"]
    assert gainful.calibrate(LOG, columns=COLUMNS, min_queries=2).log


def test_each_option_of_reading_is_documented_where_options_are():
    assert fields_dict(ReadOptions).keys() <= ReadingOptions.__annotations__.keys()
    for name in fields_dict(ReadOptions):
        assert re.search(rf"^ +{name}: ", ReadingOptions.__doc__, re.MULTILINE)
