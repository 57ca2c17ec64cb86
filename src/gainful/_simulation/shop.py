"""A simulated shop that tries a new ranking: the log of its searches, as UBI has it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import log
from os import PathLike
from pathlib import Path
from typing import Any

from attrs import field, frozen

from gainful._simulation.chance import Chance
from gainful.errors import check_seed
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.page.table import Table

CLIENTS, DAYS, RESULTS, PRODUCTS, MOST_QUERIES = 600, 14, 10, 16, 6
B, BQ = 3.0, 2.5  # how patient its searchers are, down a list and to ask again
NOISE: Mapping[str, float] = {"old": 2.5, "new": 0.6}  # of a variant's idea of a grade
GRADES = (0, 0, 0, 0, 1, 1, 2, 3)  # of products to a need, each as likely
CLICKED = (0.12, 0.25, 0.4, 0.55)  # of a result that is looked at, by grade
BOUGHT = (0.0, 0.01, 0.05, 0.15)  # of a result that was clicked, by grade
COMES_BACK = 0.3  # on another day, with another need
FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NEEDS = (
    *("shoes: running, trail running", "jacket: rain, light rain", "tent: two person, trekking"),
    *("lamp: desk, dimmable desk", "kettle: electric, small electric", "bag: laptop, leather"),
    *("bottle: water, steel water", "chair: office, mesh office", "knife: bread, serrated bread"),
    *("watch: sports, gps sports", "bike light: rear, usb rear", "pan: cast iron, deep cast iron"),
)

Record = dict[str, Any]
Ranking = Sequence[tuple[str, int]]  # products and their grades


@frozen(eq=False, repr=False)
class SimulatedShop(Shown):
    """The queries and events of a shop, two weeks of two variants, as UBI 1.3.0 has them."""

    seed: int
    queries: tuple[Record, ...] = field(repr=False)
    events: tuple[Record, ...] = field(repr=False)

    def write(self, folder: str | PathLike[str]) -> tuple[Path, Path]:
        """Write it as files, queries.jsonl and events.jsonl, into a folder; where they are."""
        directory = Path(folder)
        directory.mkdir(parents=True, exist_ok=True)
        files = {"queries.jsonl": self.queries, "events.jsonl": self.events}
        for name, records in files.items():
            lines = [f"{json.dumps(record)}\n" for record in records]
            (directory / name).write_bytes("".join(lines).encode())
        return directory / "queries.jsonl", directory / "events.jsonl"

    def page(self) -> Page:
        """How much there is of it; a row for each query."""
        clients = {query["client_id"] for query in self.queries}
        bought = sum(event["action_name"] == "purchase" for event in self.events)
        clicks = len(self.events) - bought
        size = (
            f"Simulated shop, seed {self.seed}: {len(clients)} clients, "
            f"{len(self.queries)} queries, {clicks} clicks, {bought} purchases"
        )
        columns = ("query_id", "client_id", "timestamp", "user_query")
        rows = [tuple(query[name] for name in columns) for query in self.queries]
        return Page(
            answer=size,
            rows=lambda: Table(columns, rows),
            data=lambda: {
                "seed": self.seed,
                "queries": list(self.queries),
                "events": list(self.events),
            },
        )


def simulate_shop(seed: int = 2026) -> SimulatedShop:
    """A click log of two variants of a ranking: simulated, the same for a seed on every machine.

    600 clients search a shop for two weeks; chance gives each of them the old ranking or the new
    one, for good. What is logged is what User Behavior Insights logs: queries with their hits, and
    events. It has no session ids; a client's pauses separate sessions.

    - A need (`NEEDS`) has 16 products with grades of 0 to 3, and queries that become more exact.
    - A variant ranks by the grade and noise: `NOISE`, less for the new one and for exact queries.
      So a query has one list in each variant.
    - A searcher looks at rank i with 1/(1 + log_b i), b = 3, and clicks on what is looked at by its
      grade (`CLICKED`); some clicks become purchases (`BOUGHT`), which end the session.
    - A searcher who bought nothing asks a query q with 1/(1 + log_bq q), bq = 2.5; at most 6.

    Args:
        seed: which log; a whole number of at least 0.

    Examples:
        >>> simulate_shop(1)
        Simulated shop, seed 1: 600 clients, ...
    """
    check_seed(seed)
    chance = Chance(int(seed))
    rankings = _rank_products(chance)
    queries: list[Record] = []
    events: list[Record] = []
    for number in range(1, CLIENTS + 1):
        variant = "new" if chance(0.5) else "old"
        visits = 2 if chance(COMES_BACK) else 1
        days = sorted(chance.shuffle(range(DAYS))[:visits])
        for day in days:
            start = FIRST_DAY + timedelta(days=day, seconds=chance.randrange(10 * 3600))
            _visit(f"c{number:03d}", variant, start, rankings, queries, events, chance)
    queries.sort(key=lambda record: record["timestamp"])
    events.sort(key=lambda record: record["timestamp"])
    return SimulatedShop(int(seed), tuple(queries), tuple(events))


def _rank_products(chance: Chance) -> dict[tuple[str, str], Ranking]:
    rankings: dict[tuple[str, str], Ranking] = {}
    for number, need in enumerate(NEEDS, start=1):
        grades = {f"p{number:02d}-{at:02d}": chance.choose(GRADES) for at in range(1, PRODUCTS + 1)}
        for exactness, text in enumerate(_list_texts(need)):
            for variant, noise in NOISE.items():
                spread = noise / (1 + 0.3 * min(exactness, 2))
                scores = {doc: grade + spread * chance.noise() for doc, grade in grades.items()}
                best = sorted(grades, key=lambda doc: -scores[doc])[:RESULTS]
                rankings[text, variant] = [(doc, grades[doc]) for doc in best]
    return rankings


def _list_texts(need: str) -> list[str]:
    noun, _, exact = need.partition(": ")
    *_, most = names = [noun, *(f"{words} {noun}" for words in exact.split(", "))]
    return [*names, f"{most} sale", f"best {most}", f"{most} reviews"]


def _visit(  # noqa: PLR0917
    client: str,
    variant: str,
    now: datetime,
    rankings: Mapping[tuple[str, str], Ranking],
    queries: list[Record],
    events: list[Record],
    chance: Chance,
) -> None:
    """One session: a need, and queries until something is bought or the searcher gives up."""
    texts = _list_texts(chance.choose(NEEDS))
    patience = chance.random()
    for position in range(1, MOST_QUERIES + 1):
        if patience >= 1 / (1 + log(position, BQ)):
            return
        text = texts[position - 1]
        ranking = rankings[text, variant]
        common = {"query_id": f"{client}-{now:%d%H%M%S}", "client_id": client}
        queries.append(
            {
                "application": "shop",
                **common,
                "user_query": text,
                "timestamp": _write_time(now),
                "query_attributes": {"variant": variant},
                "query_response_hit_ids": [doc for doc, _ in ranking],
            }
        )
        depth = chance.random()
        for rank, (doc, grade) in enumerate(ranking, start=1):
            now += timedelta(seconds=2 + chance.randrange(4))
            if depth >= 1 / (1 + log(rank, B)):
                break
            if not chance(CLICKED[grade]):
                continue
            events.append(_event("click", common, now, doc, rank))
            now += timedelta(seconds=10 + chance.randrange(60))
            if chance(BOUGHT[grade]):
                events.append(_event("purchase", common, now, doc, rank))
                return
        now += timedelta(seconds=5 + chance.randrange(20))


def _event(name: str, common: Record, now: datetime, doc: str, rank: int) -> Record:
    result = {"object": {"object_id": doc, "object_id_field": "product"}}
    return {
        "application": "shop",
        "action_name": name,
        **common,
        "timestamp": _write_time(now),
        "event_attributes": result | {"position": {"ordinal": rank}},
    }


def _write_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
