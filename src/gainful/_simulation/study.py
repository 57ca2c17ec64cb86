"""A simulated user study in the design of Järvelin, Price, Delcambre & Nielsen (2008, §3.1).

Their data were never published. These are made up by a small model of a searcher, in the same
design and with the same numbers of queries, so that everything can be tried on something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from attrs import field, frozen

from gainful._simulation.chance import Chance
from gainful.errors import check_number, check_seed
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.read.qrels_and_run import Qrels
from gainful.read.sessions import Sessions


@frozen
class Scenario:
    """A task of a searcher, and how much there is to be found for it."""

    name: str
    task: str
    difficulty: float  # from 0: the harder, the more queries
    docs_per_grade: Mapping[int, int]  # how many documents have each grade
    good_queries: Sequence[str]  # what brings a good result
    broad_queries: Sequence[str]  # what brings too much
    narrow_queries: Sequence[str]  # what brings the wrong things, or next to nothing


_SCENARIOS = (
    Scenario(
        name="A",
        task="May a pregnant woman with asthma go on with her inhaled steroids?",
        difficulty=0.0,
        docs_per_grade={3: 6, 2: 9, 1: 15, 0: 30},
        good_queries=("asthma pregnancy inhaled steroids", "budesonide pregnancy safety"),
        broad_queries=("asthma", "pregnancy", "steroids", "asthma treatment"),
        narrow_queries=(
            "Budesonide 200 dose third trimester",
            "asthma pregancy",
            "inhalation steroid NPV",
        ),
    ),
    Scenario(
        name="B",
        task="Where is a patient with suspected melanoma referred to, and how soon?",
        difficulty=0.2,
        docs_per_grade={3: 5, 2: 10, 1: 15, 0: 30},
        good_queries=("melanoma referral pathway", "suspected melanoma urgent referral"),
        broad_queries=("melanoma", "skin cancer", "referral", "mole"),
        narrow_queries=(
            "melanom referral",
            "Melanoma outpatient clinic Odense",
            "naevus excision form 14",
        ),
    ),
    Scenario(
        name="C",
        task="Which tests come before lithium is begun, and how often are they repeated?",
        difficulty=0.4,
        docs_per_grade={3: 4, 2: 8, 1: 18, 0: 30},
        good_queries=("lithium monitoring blood tests", "lithium treatment start tests"),
        broad_queries=("lithium", "bipolar disorder", "blood tests", "mood stabiliser"),
        narrow_queries=("litium", "Lithium 12-hour serum TSH Ca", "lithium side effects brochure"),
    ),
    Scenario(
        name="D",
        task="What rehabilitation does the municipality offer after a stroke?",
        difficulty=0.7,
        docs_per_grade={3: 3, 2: 7, 1: 20, 0: 30},
        good_queries=(
            "stroke rehabilitation municipality",
            "community rehabilitation after stroke",
        ),
        broad_queries=("stroke", "rehabilitation", "municipality", "apoplexy"),
        narrow_queries=(
            "Apoplexia cerebri training §140",
            "stroke rehablitation",
            "aphasia speech plan",
        ),
    ),
)

SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _SCENARIOS}


# Table 2 of the paper: how many of the 60 sessions of a system have 1, 2, 3 … queries.
TABLE_2: Mapping[str, Sequence[int]] = {
    "1": (28, 7, 10, 4, 5, 4, 1, 1),
    "2": (21, 7, 9, 11, 2, 4, 2, 2, 0, 1, 1),
}
SEARCHERS, RESULTS_PER_QUERY, COLLECTION = 30, 10, 25_000

# The searcher model. Chances, all of them; what each is for stands in `simulate_study`.
SATISFIED = 0.88
OVERLOOKED = 0.06
FIRST_GOOD: Mapping[str, float] = {"1": 0.2, "2": 0.9}
HIGHLY: Mapping[str, float] = {"1": 0.3, "2": 0.9}
MORE_IN_GOOD: Mapping[str, float] = {"1": 0.3, "2": 0.1}
MORE_IN_POOR = 0.05
GRADES_BESIDE = (0.62, 0.9)  # below the first: grade 1; below the second: 2; else 3
JUDGED_NOT_RELEVANT = 0.25
CLICKED = (0.04, 0.35, 0.7, 0.95)  # by grade
OTHER_OPINION = 0.2
_GOOD = 2  # a grade that satisfies


@frozen(eq=False, repr=False)
class SimulatedStudy(Shown):
    """What 30 simulated searchers did, and a simulated expert's grades of the documents."""

    TITLE: ClassVar[str] = "Simulated study"

    seed: int
    sessions: Sessions = field(repr=False)
    qrels: Qrels = field(repr=False)

    def write(self, folder: str | PathLike[str]) -> tuple[Path, Path]:
        """Write it as files, sessions.csv and qrels.txt, into a folder; where they are."""
        directory = Path(folder)
        directory.mkdir(parents=True, exist_ok=True)
        sessions_path = directory / "sessions.csv"
        sessions_path.write_bytes(self.sessions.frame.write_csv().encode())
        return sessions_path, write_qrels(self.qrels, directory)

    def page(self) -> Page:
        """How much there is of it; a row for each result that was shown."""
        frame = self.sessions.frame
        queries = frame.select("session", "query").n_unique()
        size = (
            f"{self.TITLE}, seed {self.seed}: {frame['session'].n_unique()} sessions, "
            f"{queries} queries, {len(self.qrels.frame)} judgments"
        )
        return Page(
            answer=size,
            rows=lambda: Table.from_frame(frame),
            data=lambda: {
                "seed": self.seed,
                "sessions": frame.to_dicts(),
                "qrels": self.qrels.frame.to_dicts(),
            },
        )


def write_qrels(qrels: Qrels, directory: Path) -> Path:
    """Write judgments as qrels.txt, a line for each; where it is."""
    path = directory / "qrels.txt"
    rows = qrels.frame.iter_rows()
    lines = [f"{query} 0 {doc} {grade:g}\n" for query, doc, grade in rows]
    path.write_bytes("".join(lines).encode())
    return path


def simulate_study(seed: int = 2008, *, empty: float = 0.0, short: float = 0.0) -> SimulatedStudy:
    """A study to try session measures on: simulated, the same for a seed on every machine.

    The design is the paper's. Each of 30 searchers does the scenarios A to D in random order, two
    on each system; each of the six ways to choose the two is taken five times, so that each
    scenario was done 15 times on each system. Sessions have as many queries as in Table 2.

    The searcher: longer sessions depend on the difficulty of the scenario,
    the searcher's luck that day and chance. All queries but the last are poor, because a searcher
    quits as soon as one brings a reasonably good result.

    - `SATISFIED`: the last query is a good one; otherwise the searcher gave up.
    - `OVERLOOKED`: an earlier query was a good one too, and the searcher went on.
    - `FIRST_GOOD`, by system: at each rank of a good query, the first good document stands here.
    - `HIGHLY`, by system: that document has grade 3, not 2.
    - `MORE_IN_GOOD` (by system), `MORE_IN_POOR`: another place of such a query holds a relevant
      document.
    - `GRADES_BESIDE`: those have grade 1 (0.62), 2 (0.28) or 3 (0.10).
    - `JUDGED_NOT_RELEVANT`: a place with nothing relevant holds a document of grade 0, not one
      that nobody judged.
    - `CLICKED`: a result that was looked at is clicked, by its grade; the good one always.
    - `OTHER_OPINION`: the searcher's own grade of a clicked document is one off the expert's.

    So system 2 mostly has a very good document on top, and little else; system 1 has more below.
    A satisfied searcher looks no deeper than the good document; others look at 3 to 10 results.

    Poor queries may return few results or none, as the paper saw of misspelt and overly specific
    ones (§4): with chance `empty` nothing, else with chance `short` one to nine results.

    Args:
        seed: which study; a whole number of at least 0.
        empty: the share of poor queries that return nothing.
        short: the share of the other poor queries that return fewer than ten results.

    Examples:
        >>> simulate_study(1)
        Simulated study, seed 1: 120 sessions, 343 queries, 240 judgments
        >>> simulate_study(1, empty=0.3, short=0.5).sessions.frame["doc"].null_count() > 20
        True
    """
    for name, share in (("empty", empty), ("short", short)):
        check_number(name, share, "a share from 0 to 1", lambda number: 0 <= number <= 1)
    check_seed(seed)
    chance = Chance(int(seed))
    pools = _draw_pools(chance)
    rows: list[dict[str, Any]] = []
    for session in _design_sessions(chance):
        rows += _simulate_session(session, pools[session["scenario"]], chance)
    if empty or short:
        rows = _shorten_lists(rows, empty, short, Chance(int(seed) + 1))
    name = f"simulated study (seed {seed})"
    qrels_rows = [
        (scenario, doc, float(grade))
        for scenario, pool in pools.items()
        for grade in (3, 2, 1, 0)
        for doc in pool[grade]
    ]
    qrels_rows.sort(key=lambda row: row[:2])  # the order must not tell the grade
    frame = pl.DataFrame(qrels_rows, schema=["query", "doc", "grade"], orient="row")
    note = "simulated: generated by a searcher model, not observed"
    return SimulatedStudy(
        seed,
        Sessions(pl.DataFrame(rows, infer_schema_length=None), name, notes=(note,)),
        Qrels(frame, f"judgments of the {name}"),
    )


Pool = Mapping[int, Sequence[str]]  # the documents of each grade


def _draw_pools(chance: Chance) -> dict[str, Pool]:
    """The judged documents of each scenario; no document is judged for two of them."""
    taken: set[int] = set()
    pools: dict[str, Pool] = {}
    for scenario in SCENARIOS.values():
        pool: dict[int, list[str]] = {}
        for grade, size in scenario.docs_per_grade.items():
            pool[grade] = []
            while len(pool[grade]) < size:
                number = chance.randrange(COLLECTION)
                if number not in taken:
                    taken.add(number)
                    pool[grade].append(_doc_id(number))
        pools[scenario.name] = pool
    return pools


def _doc_id(number: int) -> str:
    return f"sim-{number:05d}"


def _design_sessions(chance: Chance) -> list[dict[str, Any]]:
    """Who does which scenario on which system, in which order, with how many queries."""
    names = list(SCENARIOS)
    pairs = chance.shuffle([*combinations(names, 2)] * (SEARCHERS // 6))
    sessions = []
    for searcher, on_first in enumerate(pairs, start=1):
        luck = chance.random()
        for order, name in enumerate(chance.shuffle(names), start=1):
            hardness = SCENARIOS[name].difficulty + 0.5 * luck + 1.5 * chance.random()
            sessions.append(
                {
                    "session": f"sim-{searcher:02d}-{order}",
                    "searcher": f"p{searcher:02d}",
                    "scenario": name,
                    "system": "1" if name in on_first else "2",
                    "order": order,
                    "hard": hardness,
                }
            )
    for system, session_counts in TABLE_2.items():
        lengths = [n for n, count in enumerate(session_counts, start=1) for _ in range(count)]
        system_sessions = sorted(
            (s for s in sessions if s["system"] == system), key=lambda s: s["hard"]
        )
        for session, length in zip(system_sessions, lengths, strict=True):
            session["queries"] = length
    return sessions


def _simulate_session(
    session: Mapping[str, Any], pool: Pool, chance: Chance
) -> list[dict[str, Any]]:
    scenario, system, number = SCENARIOS[session["scenario"]], session["system"], session["queries"]
    session_columns = {name: session[name] for name in ("system", "searcher", "scenario", "order")}
    text = ""
    rows = []
    for position in range(1, number + 1):
        good = chance(SATISFIED if position == number else OVERLOOKED)
        text = _draw_query_text(scenario, text, good=good, chance=chance)
        docs, grades, good_rank = _draw_results(pool, system, good=good, chance=chance)
        satisfied = good and position == number
        scanned = good_rank if satisfied else 3 + chance.randrange(RESULTS_PER_QUERY - 2)
        for rank, (doc, grade) in enumerate(zip(docs, grades, strict=True), start=1):
            clicked = rank <= scanned and (
                chance(CLICKED[grade]) or (satisfied and rank == good_rank)
            )
            rows.append(
                {
                    "session": session["session"],
                    "query": position,
                    "rank": rank,
                    "doc": doc,
                    "topic": scenario.name,
                    **session_columns,
                    "text": text,
                    "clicked": clicked,
                    "scanned": scanned,
                    "grade": _draw_searcher_grade(grade, chance) if clicked else None,
                }
            )
    return rows


def _shorten_lists(
    rows: Sequence[Mapping[str, Any]], empty: float, short: float, chance: Chance
) -> list[dict[str, Any]]:
    """The rows, but some poor queries have returned little or nothing.

    A poor query is one that was not the last of a satisfied searcher: nothing good was at the
    depth to which it was scanned.
    """
    shortened: list[dict[str, Any]] = []
    for _, group in groupby(rows, key=lambda row: (row["session"], row["query"])):
        results = [dict(row) for row in group]
        if any((row["grade"] or 0) >= _GOOD and row["clicked"] for row in results):
            shortened += results
        elif chance(empty):
            nothing = {"rank": None, "doc": None, "clicked": False, "grade": None, "scanned": 0}
            shortened.append(results[0] | nothing)
        else:
            length = 1 + chance.randrange(RESULTS_PER_QUERY - 1) if chance(short) else len(results)
            scanned = min(results[0]["scanned"], length)
            shortened += [row | {"scanned": scanned} for row in results[:length]]
    return shortened


def _draw_query_text(scenario: Scenario, previous: str, *, good: bool, chance: Chance) -> str:
    """What is typed for a good or a poor query, if it is not the query before.

    Poor queries are of the kinds that the paper observed: too broad, too specific, misspelt, a
    capital where there should be none.
    """
    while True:
        is_broad, place = chance(0.5), chance.random()
        poor_queries = scenario.broad_queries if is_broad else scenario.narrow_queries
        texts = scenario.good_queries if good else poor_queries
        text = texts[int(place * len(texts))]
        if text != previous:
            return text


def _draw_results(
    pool: Pool, system: str, *, good: bool, chance: Chance
) -> tuple[list[str], list[int], int]:
    """Ten documents, their grades, and where the first good one stands (0 if the query is poor)."""
    good_rank = 0
    if good:
        good_rank = 1
        while good_rank < RESULTS_PER_QUERY and not chance(FIRST_GOOD[system]):
            good_rank += 1
    docs: list[str] = []
    grades: list[int] = []
    for rank in range(1, RESULTS_PER_QUERY + 1):
        if rank == good_rank:
            grade = 3 if chance(HIGHLY[system]) else 2
        elif chance(MORE_IN_GOOD[system] if rank > good_rank > 0 else MORE_IN_POOR):
            number = chance.random()
            grade = 1 + sum(number >= below for below in GRADES_BESIDE)
            grade = min(grade, 1) if rank < good_rank else grade  # what stands before is no good
        else:
            grade = 0
        doc = _draw_doc(pool, grade, docs, chance)
        docs.append(doc)
        grades.append(grade)
    return docs, grades, good_rank


def _draw_doc(pool: Pool, grade: int, list_docs: Sequence[str], chance: Chance) -> str:
    """A document of this grade that is not in the list yet; of grade 0, mostly an unjudged one."""
    judged = {doc for docs in pool.values() for doc in docs}
    while True:
        if grade or chance(JUDGED_NOT_RELEVANT):
            doc = pool[grade][chance.randrange(len(pool[grade]))]
        else:
            doc = _doc_id(chance.randrange(COLLECTION))
            if doc in judged:
                continue
        if doc not in list_docs:
            return doc


def _draw_searcher_grade(grade: int, chance: Chance) -> int:
    if not chance(OTHER_OPINION):
        return grade
    return max(0, min(3, grade + (1 if chance(0.5) else -1)))
