"""Simulated logs: a shop's searches as UBI has them, agents' searches as traces."""

import json
from itertools import groupby

import pytest
from facts import list_facts
from refusals import refuses

import gainful
from gainful.errors import BadValue
from gainful.read.formats import find_session_format
from gainful.read.source import open_source
from gainful.sessions import evaluate, simulate_agents, simulate_shop


@pytest.fixture(scope="module")
def shop():
    return simulate_shop(3)


@pytest.fixture(scope="module")
def shop_files(shop, tmp_path_factory):
    return [str(path) for path in shop.write(tmp_path_factory.mktemp("shop"))]


def test_a_shop_is_the_same_for_a_seed_and_another_for_another(shop):
    again, other = simulate_shop(3), simulate_shop(4)
    assert again.queries == shop.queries
    assert again.events == shop.events
    assert other.queries != shop.queries
    assert list_facts(str(shop))[:3] == ["3", "600", str(len(shop.queries))]


def test_a_client_has_one_variant_and_a_query_one_list_in_it(shop):
    variants, lists = {}, {}
    for query in shop.queries:
        variant = query["query_attributes"]["variant"]
        assert variants.setdefault(query["client_id"], variant) == variant
        hits = query["query_response_hit_ids"]
        assert lists.setdefault((query["user_query"], variant), hits) == hits
    assert 250 < sum(variant == "new" for variant in variants.values()) < 350


def test_events_are_of_results_that_were_shown_and_a_purchase_ends_a_visit(shop):
    hits = {query["query_id"]: query["query_response_hit_ids"] for query in shop.queries}
    assert len(hits) == len(shop.queries)
    for event in shop.events:
        place = event["event_attributes"]
        shown = hits[event["query_id"]]
        assert shown[place["position"]["ordinal"] - 1] == place["object"]["object_id"]
    records = sorted(
        (*shop.queries, *shop.events), key=lambda record: (record["client_id"], record["timestamp"])
    )
    for _, group in groupby(
        records, key=lambda record: (record["client_id"], record["timestamp"][:10])
    ):
        names = [record.get("action_name") for record in group]
        assert "purchase" not in names[:-1]


def test_searchers_of_a_shop_look_as_far_as_it_says(shop):
    def click_share(rank):
        grades = {}
        for event in shop.events:
            if event["action_name"] == "click":
                at = event["event_attributes"]["position"]["ordinal"]
                grades[at] = grades.get(at, 0) + 1
        return grades[rank] / len(shop.queries)

    # at most .55 of those who look click: 1 at the first rank, 1/(1 + log_3 10) = .32 at the last
    assert click_share(10) < 0.55 * 0.323
    assert 0.12 < click_share(1) < 0.55


def test_a_shop_is_read_as_it_was_written(shop, shop_files):
    assert find_session_format(open_source(shop_files[0])).name == "ubi"
    columns = {"system": "query_attributes.variant"}
    results = evaluate(shop_files, measures="sDCG@10", columns=columns)
    assert results.counts["queries"] == len(shop.queries)
    days = {(query["client_id"], query["timestamp"][:10]) for query in shop.queries}
    assert results.counts["sessions"] == len(days)  # a visit a day, and never two
    assert sorted(set(results.columns["system"])) == ["new", "old"]


def test_traces_of_agents_have_the_values_of_their_study(tmp_path):
    agents = simulate_agents(12, seed=5)
    *traces, qrels = agents.write_traces(tmp_path)
    names = ["one-shot", "until-found", "until-enough", "all-budget"]
    assert [path.stem for path in traces] == names
    measures = ["IR", "sDCG(duplicates=first)@10", "Cost(per_query=1, per_result=2)"]
    of_study = evaluate(agents.sessions, agents.qrels, measures)
    of_traces = evaluate([str(path) for path in traces], str(qrels), measures)
    assert of_traces.counts["queries"] == of_study.counts["queries"]
    by_traces = {group["system"]: group["mean"] for group in of_traces.groups("system")}
    for group in of_study.groups("system"):
        assert by_traces[group["system"].replace(" ", "-")] == pytest.approx(group["mean"])


def test_agents_are_not_called_a_study():
    assert str(gainful.sessions.simulate_agents(3, seed=1)).startswith("Simulated agents, seed 1: ")
    assert str(gainful.sessions.simulate_study(1)).startswith("Simulated study, seed 1: ")


def test_searches_of_agents_stand_below_their_task(tmp_path):
    path, *_ = simulate_agents(2).write_traces(tmp_path)
    spans = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kinds = [span["attributes"]["openinference.span.kind"] for span in spans]
    assert kinds == ["AGENT", "RETRIEVER"] * 2
    assert [span["parent_id"] for span in spans] == [
        None,
        "one-shot-task-1-0",
        None,
        "one-shot-task-2-0",
    ]
    comparison = gainful.sessions.compare(
        [str(path), str(path.with_name("all-budget.jsonl"))], str(path.with_name("qrels.txt")), "IR"
    )
    assert "2 conversations" in str(comparison)


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_a_seed_is_a_whole_number(seed):
    with refuses(BadValue, "seed"):
        simulate_shop(seed)
