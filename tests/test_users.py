"""Where the column of judgments names users, sentences, tables and pages say users, not queries.

Keys of data, and columns of frames, are those of all other runs.
"""

import re

import pandas as pd
import pytest

import gainful
from gainful.convention import SETTINGS
from gainful.testing import save_baseline

JUDGED = pd.DataFrame(
    {
        "user": [1, 1, 2, 3, 4, 5, 6],
        "item": ["lamp", "desk", "sofa", "lamp", "bed", "rug", "bed"],
        "rating": [1, 1, 1, 1, 1, 1, 0],
    }
)
RUNS = {
    "old": {1: ["desk", "sofa"], 2: ["lamp", "sofa"], 3: ["desk"], 4: ["x"], 6: ["bed"]},
    "new": {1: ["desk", "lamp"], 2: ["sofa"], 3: ["lamp"], 5: ["rug", "x"]},
}
GROUPS = {"1": "home", "2": "home", "3": "home", "4": "work", "5": "work"}
QUERY = re.compile(r"\b(?<![-#])quer(?:y|ies)\b(?!-)")


def frame(ranked: dict[int, list[str]]) -> pd.DataFrame:
    rows = [
        {"user": user, "item": item, "score": -at}
        for user, items in ranked.items()
        for at, item in enumerate(items)
    ]
    return pd.DataFrame(rows)


INPUTS = JUDGED, {name: frame(ranked) for name, ranked in RUNS.items()}


def compare_all():
    return gainful.compare(*INPUTS, "nDCG@2", per_query=True, group=GROUPS, resamples=999)


def gate(tmp_path):
    baseline = str(tmp_path / "base.json")
    save_baseline(JUDGED, INPUTS[1]["old"], baseline, ["nDCG@2"])
    return gainful.gate(JUDGED, INPUTS[1]["new"], baseline=baseline, max_drop={"nDCG@2": 0})


ANSWERS = {
    "evaluate": lambda _: gainful.evaluate(JUDGED, INPUTS[1]["old"], "nDCG@2").to_text(),
    "rows": lambda _: gainful.evaluate(*INPUTS, "nDCG@2").to_text(per_query=True),
    "intervals": lambda _: gainful.evaluate(*INPUTS, "nDCG@2", interval=95).to_text(),
    "groups": lambda _: gainful.evaluate(*INPUTS, "nDCG@2", group=GROUPS).to_text(),
    "notes": lambda _: gainful.evaluate(*INPUTS, "nDCG@2", empty="skip").to_text(),
    "compare": lambda _: compare_all().to_text(),
    "latex": lambda _: compare_all().to_latex().partition(r"\end{table}")[0],
    "gate": lambda path: gate(path).to_text(),
    "unjudged": lambda _: gainful.unjudged(*INPUTS, "nDCG@2").to_text(per_query=True),
    "plan": lambda _: gainful.plan(*INPUTS, "nDCG@2").to_text(),
    "check": lambda _: gainful.check(*_one()).to_text(),
    "explain": lambda _: gainful.explain_query(*_one(), "1", "nDCG@2").to_text(),
}


def _one():
    return JUDGED, INPUTS[1]["old"]


@pytest.mark.parametrize(
    ("unlike", "words"),
    [
        ("sklearn", ["6 users", "judged users that the run lacks", "documents of the user"]),
        ("trec_eval", ["compared as if such users scored 0"]),
    ],
)
def test_why_counts_users(unlike, words):
    text = gainful.why(*_one(), measure="nDCG@2", unlike=unlike).to_text()
    assert not [missing for missing in words if missing not in text]
    assert not QUERY.findall(text)


def test_settings_name_users():
    text = gainful.evaluate(*_one(), "nDCG@2").to_text(verbose=True)
    assert "a missing user scores 0" in text
    assert not QUERY.findall(text)


def list_tooltips(chart):
    layers = [*chart.get("layer", []), *chart.get("vconcat", []), chart]
    return [tip for layer in layers for tip in layer.get("encoding", {}).get("tooltip", [])]


@pytest.mark.parametrize("name", ["differences", "heatmap"])
def test_figures_name_users(name):
    chart = getattr(gainful.figures, name)(*INPUTS, "nDCG@2").to_dict()
    title = str(chart["title"])
    assert "user" in title
    assert not QUERY.findall(title)
    assert {"field": "query", "type": "nominal", "title": "user"} in list_tooltips(chart)


def test_a_report_counts_users():
    page = gainful.report(*INPUTS, "nDCG@2")
    assert re.search("<title>.*6 users", page)
    assert SETTINGS["missing"].question.replace("query", "user") in page
    assert '"unit":"user","units":"users"' in page.replace('": "', '":"').replace(", ", ",")


def test_keys_stay():
    results = gainful.evaluate(*_one(), "nDCG@2", group=GROUPS)
    assert results.per_query.columns == ["query", "nDCG@2"]
    assert results.to_csv(per_query=True).startswith("run,query,group,")
    assert "queries" in results.groups()[0]
    assert "queries" in compare_all().to_dict()["measures"][0]


@pytest.mark.parametrize("column", ["user_id", "userId", "visitor_id"])
def test_files_and_other_names(column, tmp_path):
    path = tmp_path / "held-out.csv"
    JUDGED.rename(columns={"user": column}).to_csv(path, index=False)
    results = gainful.evaluate(path, INPUTS[1]["old"], "nDCG@2", columns={"qrels.query": column})
    assert results.unit == "user"


def test_queries_remain_queries():
    table = JUDGED.rename(columns={"user": "query", "item": "doc"})
    assert "6 queries" in gainful.evaluate(table, INPUTS[1]["old"], "nDCG@2").to_text()


# ── turns of conversations ─────────────────────────────────────────────────────────────────────

TURNS = [
    {"conversation": name, "turn": turn, "retrieved": docs, "relevant": ["b"]}
    for name, turn, docs in (("c", 1, ["a", "b"]), ("c", 2, ["b"]), ("d", 1, ["x", "b"]))
]
TURN_ANSWERS = {
    "turns": lambda _: gainful.evaluate(TURNS, None, "nDCG@2").to_text(verbose=True),
    "turns, rows": lambda _: gainful.evaluate(TURNS, None, "nDCG@2").to_text(per_query=True),
    "turns, unjudged": lambda _: gainful.unjudged(TURNS, TURNS, "nDCG@2").to_text(per_query=True),
}


@pytest.mark.parametrize("name", [*ANSWERS, *TURN_ANSWERS])
def test_answers_count_users_or_turns(name, tmp_path):
    text = (ANSWERS | TURN_ANSWERS)[name](tmp_path)
    assert ("turns" if name in TURN_ANSWERS else "user") in text
    assert not QUERY.findall(text)


def test_turns_have_values_of_their_own_and_keep_the_keys_of_queries():
    results = gainful.evaluate(TURNS, None, "P@1")
    assert (results.unit, list(results.ids)) == ("turn", ["c_1", "c_2", "d_1"])
    assert results.per_query.rows() == [("c_1", 0.0), ("c_2", 1.0), ("d_1", 0.0)]
    comparison = gainful.compare(
        TURNS, {"one": TURNS, "two": [{**turn, "retrieved": ["b"]} for turn in TURNS]}, "P@1"
    )
    assert comparison.unit == "turn"
    assert comparison.to_dict()["measures"][0]["queries"] == 3
    assert "2 clusters" in comparison.to_text()


def test_records_of_which_one_is_no_turn_are_queries():
    other = {"query": "9", "retrieved": ["b"], "relevant": ["b"]}
    assert gainful.evaluate([*TURNS, other], None, "P@1").unit == "query"
