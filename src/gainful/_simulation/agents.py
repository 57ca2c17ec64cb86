"""Simulated agents that search by fixed policies, to try costs and sessions on.

An agent has a task with some relevant documents, and a policy: how many results it asks for, how
many queries it may ask, and when it stops. No language model is in it: what a query returns is
drawn, the better the more the agent has learnt from what it has read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from gainful._simulation.study import SimulatedStudy, write_qrels
from gainful.errors import check_seed, check_whole_number
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions


@frozen
class Policy:
    """How an agent searches."""

    results: int  # that it asks for with each query
    most_queries: int
    enough: int  # relevant documents after which it stops; more than there are: never


POLICIES: Mapping[str, Policy] = {
    "one shot": Policy(results=10, most_queries=1, enough=100),
    "until found": Policy(results=5, most_queries=8, enough=1),
    "until enough": Policy(results=5, most_queries=8, enough=3),
    "all budget": Policy(results=10, most_queries=8, enough=100),
}
_RELEVANT = 6  # documents of a task
_FIRST, _LEARNT, _BEST = 0.25, 0.12, 0.7  # chance that a query brings a relevant document at rank 1
_QUERY_TOKENS, _DOC_TOKENS = 60, (80, 400)  # that a query takes, and a result


_START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@frozen(eq=False, repr=False)
class SimulatedAgents(SimulatedStudy):
    """What simulated agents were shown on their tasks, and what is relevant to these."""

    TITLE: ClassVar[str] = "Simulated agents"

    def write_traces(self, folder: str | PathLike[str]) -> tuple[Path, ...]:
        """Write a trace of each agent (OpenInference, a span a line) and qrels.txt into a folder.

        A task is a session, of the same name for all agents: a span of the kind AGENT, and below it
        a span of the kind RETRIEVER for each query. Returns where the files are.
        """
        directory = Path(folder)
        directory.mkdir(parents=True, exist_ok=True)
        paths = []
        for (name,), rows in self.sessions.frame.group_by("system", maintain_order=True):
            lines = [f"{json.dumps(span)}\n" for span in _list_spans(str(name), rows)]
            path = directory / f"{str(name).replace(' ', '-')}.jsonl"
            path.write_bytes("".join(lines).encode())
            paths.append(path)
        return (*paths, write_qrels(self.qrels, directory))


def simulate_agents(tasks: int = 60, *, seed: int = 2008) -> SimulatedAgents:
    """Agents that search by fixed policies, each policy on every task: a study to try costs on.

    The policies (the column system): `one shot` asks once for ten results; `until found` asks for
    five at a time until one is relevant, `until enough` until three are; `all budget` asks eight
    times for ten in any case. A query brings a relevant document at rank 1 with .25, and .12 more
    for each that the agent has read, up to .7; at rank i that chance is divided by i. The column
    tokens has what a result costs to read, query_tokens what a query costs to ask.

    Args:
        tasks: how many.
        seed: random seed.

    Returns:
        A study: sessions with the columns system, topic, tokens, query_tokens; and judgments.
        Its `write` writes them as tables, `write_traces` as an agent would leave them.

    Examples:
        >>> agents = simulate_agents(5)
        >>> agents.sessions.frame["system"].unique(maintain_order=True).to_list()
        ['one shot', 'until found', 'until enough', 'all budget']
    """
    check_whole_number("tasks", tasks)
    check_seed(seed)
    random = np.random.default_rng(seed)
    rows = [
        row
        for name, policy in POLICIES.items()
        for task in range(1, tasks + 1)
        for row in _search(name, policy, f"task-{task}", random)
    ]
    judged = [
        (f"task-{task}", f"task-{task}-r{number}", float(1 + number % 3))
        for task in range(1, tasks + 1)
        for number in range(_RELEVANT)
    ]
    note = "simulated: made by fixed policies, not by agents"
    sessions = Sessions(pl.DataFrame(rows), f"simulated agents (seed {seed})", notes=(note,))
    qrels = pl.DataFrame(judged, schema=["query", "doc", "grade"], orient="row")
    return SimulatedAgents(seed, sessions, Qrels(qrels, "judgments of the simulated agents"))


def _search(
    name: str, policy: Policy, task: str, random: np.random.Generator
) -> list[dict[str, Any]]:
    known: set[int] = set()
    rows: list[dict[str, Any]] = []
    for query in range(1, policy.most_queries + 1):
        chance = min(_FIRST + _LEARNT * len(known), _BEST)
        for rank, number in enumerate(_draw_list(policy.results, chance, random), start=1):
            relevant = number >= 0
            doc = f"{task}-r{number}" if relevant else f"{task}-{name}-{query}-{rank}"
            rows.append(
                {
                    "session": f"{name} {task}",
                    "query": query,
                    "rank": rank,
                    "doc": doc.replace(" ", "-"),
                    "topic": task,
                    "system": name,
                    "tokens": int(
                        _DOC_TOKENS[0] + random.random() * (_DOC_TOKENS[1] - _DOC_TOKENS[0])
                    ),
                    "query_tokens": _QUERY_TOKENS,
                }
            )
            known |= {number} if relevant else set()
        if len(known) >= policy.enough:
            break
    return rows


def _draw_list(results: int, chance: float, random: np.random.Generator) -> list[int]:
    left = list(range(_RELEVANT))
    numbers = []
    for rank in range(1, results + 1):
        hit = left and random.random() < chance / rank
        numbers.append(left.pop(int(random.random() * len(left))) if hit else -1)
    return numbers


def _list_spans(agent: str, rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The spans of an agent, task by task, as Phoenix exports them."""
    start = _START
    for (task,), results in rows.group_by("topic", maintain_order=True):
        lists = results.group_by("query", maintain_order=True).agg("doc")["doc"].to_list()
        trace = f"{agent.replace(' ', '-')}-{task}"
        whole = {"session.id": task, "metadata": json.dumps({"agent": agent})}
        yield _make_span("AGENT", trace, 0, start, whole)
        for number, docs in enumerate(lists, start=1):
            search = {
                "input.value": f"{task}, query {number}",
                "retrieval.documents": [{"document.id": doc} for doc in docs],
            }
            yield _make_span("RETRIEVER", trace, number, start, search)
        start += timedelta(minutes=1)


def _make_span(
    kind: str, trace: str, number: int, start: datetime, attributes: Mapping[str, Any]
) -> dict[str, Any]:
    """The span of a task (0), or that of its first, second … query."""
    times = (start + timedelta(seconds=3 * number + wait) for wait in (0, 2 if number else 50))
    begin, end = (f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in times)
    return {
        "name": "search" if number else "agent",
        "context": {"trace_id": trace, "span_id": f"{trace}-{number}"},
        "parent_id": f"{trace}-0" if number else None,
        "start_time": begin,
        "end_time": end,
        "status_code": "OK",
        "attributes": {"openinference.span.kind": kind, **attributes},
    }
