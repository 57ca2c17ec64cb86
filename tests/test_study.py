"""The simulated study: the design of the 2008 paper, the same for a seed wherever it is made."""

from hashlib import sha256
from itertools import combinations

import polars as pl
import pytest
from refusals import refuses
from scipy import stats
from written_files import read_qrels

import gainful
from gainful._simulation.study import TABLE_2
from gainful.errors import BadValue
from gainful.read.session_inputs import as_sessions

SEEDS = (0, 1, 7, 2008, 123_456_789)


@pytest.fixture(scope="module", params=SEEDS)
def study(request):
    return gainful.sessions.simulate_study(request.param)


@pytest.fixture(scope="module")
def heads(study):
    """A row for each session."""
    frame = study.sessions.frame
    columns = ("searcher", "scenario", "system", "order")
    return frame.group_by("session", maintain_order=True).agg(
        pl.col("query").max().alias("queries"), *(pl.col(name).first() for name in columns)
    )


def test_there_are_120_sessions_of_343_queries_with_ten_results_each(study):
    frame = study.sessions.frame
    assert frame["session"].n_unique() == 120
    assert frame.select("session", "query").n_unique() == 343
    assert frame.group_by("session", "query").len()["len"].unique().to_list() == [10]
    assert not frame.select("session", "query", "doc").is_duplicated().any()


def test_sessions_are_as_long_as_in_table_2(heads):
    for system, counts in TABLE_2.items():
        own = heads.filter(pl.col("system") == system)["queries"].to_list()
        assert [own.count(n) for n in range(1, len(counts) + 1)] == list(counts)
        assert sum(counts) == 60
    assert sum(n * c for t in TABLE_2.values() for n, c in enumerate(t, start=1)) == 343


def test_30_searchers_do_four_scenarios_two_on_each_system(heads):
    assert heads["searcher"].n_unique() == 30
    ways = []
    for _, own in heads.group_by("searcher"):
        assert sorted(own["scenario"]) == ["A", "B", "C", "D"]
        assert own["order"].to_list() == [1, 2, 3, 4]
        ways.append(tuple(sorted(own.filter(pl.col("system") == "1")["scenario"])))
    assert {way: ways.count(way) for way in ways} == dict.fromkeys(combinations("ABCD", 2), 5)
    assert heads.group_by("scenario", "system").len()["len"].to_list() == [15] * 8


def test_scenarios_and_systems_come_in_random_order(heads):
    first = heads.filter(pl.col("order") == 1)
    assert first["scenario"].n_unique() == 4
    assert first["system"].n_unique() == 2


def test_grades_are_0_to_3_and_every_scenario_has_some_of_each(study):
    judged = study.qrels.frame.group_by("query").agg(pl.col("grade").unique().sort())
    assert sorted(judged["query"]) == ["A", "B", "C", "D"]
    assert judged["grade"].to_list() == [[0.0, 1.0, 2.0, 3.0]] * 4
    assert study.sessions.frame["grade"].drop_nulls().is_between(0, 3).all()


def test_searchers_click_on_what_they_looked_at_and_judge_what_they_clicked(study):
    frame = study.sessions.frame
    assert frame["scanned"].is_between(1, 10).all()
    assert (frame.filter("clicked")["rank"] <= frame.filter("clicked")["scanned"]).all()
    assert (frame["clicked"] == frame["grade"].is_not_null()).all()


def test_a_reformulation_is_another_text(study):
    texts = study.sessions.frame.filter(pl.col("rank") == 1)
    before = texts.select(pl.col("text").shift(1).over("session")).to_series()
    assert (texts["text"] != before).fill_null(value=True).all()
    assert (texts["text"].str.len_chars() > 2).all()


def test_most_searchers_quit_once_a_query_is_good(study):
    """The last query is mostly the best, as the paper found (§3.2)."""
    asked = ("sDCG(statistic=last)@10", "sDCG(statistic=best)@10")
    results = gainful.sessions.evaluate(study.sessions, study.qrels, asked)
    last, best = results.values.values()
    several = results.matched_sessions.query_counts > 1
    assert (last == best)[several].mean() > 0.6


def test_the_name_says_that_it_is_simulated(study):
    assert "simulated" in study.sessions.name
    assert "simulated" in study.qrels.name
    assert any("simulated" in note for note in study.sessions.notes)
    assert repr(study).startswith("Simulated study")


def test_it_can_be_written_and_read_again(study, tmp_path):
    shown, judged = study.write(tmp_path / "new" / "folder")
    assert (shown.name, judged.name) == ("sessions.csv", "qrels.txt")
    again = gainful.sessions.evaluate(as_sessions(shown), read_qrels(judged))
    direct = gainful.sessions.evaluate(study.sessions, study.qrels)
    assert again.mean == direct.mean
    assert again.groups(["system", "scenario"]) == direct.groups(["system", "scenario"])
    assert {*as_sessions(shown).frame.columns} == {*study.sessions.frame.columns}


def test_a_seed_gives_the_same_study_on_every_machine(tmp_path):
    shown, judged = gainful.sessions.simulate_study(2008).write(tmp_path)
    digests = [sha256(path.read_bytes()).hexdigest()[:16] for path in (shown, judged)]
    assert digests == ["9c910fdb3fb30c70", "4493b53f868dbe81"]


def test_the_study_that_is_shown_to_newcomers_has_a_visible_effect():
    study = gainful.sessions.simulate_study(2008)
    measure = "nsDCG(b=2,bq=4)@10"
    comparison = gainful.sessions.compare(study.sessions, study.qrels, measure)
    (pair,) = comparison.pairs
    assert pair.p < 0.05
    # the searchers, each with the mean of two sessions on either system, by another test
    per_session = gainful.sessions.evaluate(study.sessions, study.qrels, measure).per_session
    heads = study.sessions.frame.unique("session").select("session", "searcher", "system")
    means = per_session.join(heads, on="session").pivot(
        "system", index="searcher", values=measure, aggregate_function="mean"
    )
    assert stats.wilcoxon(means["2"], means["1"]).pvalue < 0.05
    assert (means["2"] - means["1"]).mean() > 0.03


def test_other_seeds_give_other_studies():
    assert (
        len({str(gainful.sessions.simulate_study(seed).sessions.frame.rows()) for seed in SEEDS})
        == 5
    )


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_a_seed_is_a_whole_number(seed):
    with refuses(BadValue, "seed"):
        gainful.sessions.simulate_study(seed)


def test_import_does_not_load_polars_for_it(run_python):
    code = "import sys, gainful; 'simulate_study' in dir(gainful); print('polars' in sys.modules)"
    assert run_python(code) == "False"


def test_poor_queries_may_return_little_or_nothing(tmp_path):
    plain = gainful.sessions.simulate_study(3).sessions.frame
    study = gainful.sessions.simulate_study(3, empty=0.3, short=0.5)
    frame = study.sessions.frame
    assert (
        frame.select("session", "query").n_unique() == plain.select("session", "query").n_unique()
    )
    lengths = frame.group_by("session", "query").agg(pl.col("doc").count().alias("length"))[
        "length"
    ]
    assert 0.15 < (lengths == 0).mean() < 0.3  # of all queries; the good ones are whole
    assert ((lengths > 0) & (lengths < 10)).mean() > 0.15
    clicked = frame.filter("clicked")
    assert (clicked["rank"] <= clicked["scanned"]).all()
    assert as_sessions(str(study.write(tmp_path)[0])).dropped_count == 0
    options = {"lists": "minimum"}
    lower = gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10", **options)["sDCG@10"]
    assert lower < gainful.sessions.evaluate(study.sessions, study.qrels, "sDCG@10")["sDCG@10"]
    assert gainful.sessions.simulate_study(3, empty=0, short=0).sessions.frame.equals(plain)
    with refuses(BadValue, "empty"):
        gainful.sessions.simulate_study(3, empty=2)


def test_simulated_agents_keep_to_their_policies(tmp_path):
    agents = gainful.sessions.simulate_agents(40, seed=5)
    frame = agents.sessions.frame
    queries = frame.group_by("system", "session").agg(pl.col("query").max())
    most = dict(queries.group_by("system").agg(pl.col("query").max()).iter_rows())
    assert most["one shot"] == 1
    assert most["all budget"] == 8
    always = queries.filter(system="all budget")["query"]
    assert (always == 8).all()
    relevant = frame.join(agents.qrels.frame, left_on=["topic", "doc"], right_on=["query", "doc"])
    last = queries.filter(system="until found").rename({"query": "last"})
    hits = relevant.join(last, on="session").filter(pl.col("query") < pl.col("last"))
    assert len(hits) == 0  # nothing relevant before the query at which it stopped
    assert as_sessions(str(agents.write(tmp_path)[0])).dropped_count == 0
    again = gainful.sessions.simulate_agents(40, seed=5).sessions.frame
    assert again.equals(frame)
    costs = gainful.sessions.evaluate(
        agents.sessions, agents.qrels, "sDCG@10", cost="query=query_tokens,result=tokens"
    ).groups("system")
    by_system = {row["system"]: row["mean"] for row in costs}
    spent = [list(by_system[name].values())[1] for name in ("one shot", "all budget")]
    assert 5 * spent[0] < spent[1]
    with refuses(BadValue, "tasks"):
        gainful.sessions.simulate_agents(0)
