"""Random files and flags for trec_eval: tidy and odd, sound and broken, of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from gainful.measure.names import EVERY_NAME, GROUPS, NOT_IN_9, TrecName

Rows = list[tuple[str, ...]]
Words = list[str]

TIDY_GRADES = ["0", "0", "0", "1", "1", "1", "2", "3", "4", "5", "9", "10", "12"]
ODD_GRADES = ["1e2", "2.7", "-1", "-2", "+1", "007", "1.0", "-0", ".5", "127", "3x", "-5"]
HUGE_SCORES = ["1e38", "1e39", "4e38", "3.4028235e38", "1e-46", "1e308", "-1e39"]
ODD_SCORES = ["inf", "-inf", "1e400", "-1e400", "0x1p3", "0xA", "Infinity", "5.", ".5", "2e"]
ODD_SCORES += ["1e5x"]
ODD_BLANKS = [" ", "\t", "  ", " \t", "\v", "\f", "\r "]
COMMENTS = ["# a", "#", "#a b c 1", "#a b c d", " # x", "# a b c 2 e f"]
CUTOFFS = ["1", "2", "3", "5", "7", "10", "20", "100", "1000"]
ODD_CUTOFFS = ["3.7", "1e2", "0", "-1", "+4", "5x"]
LEVELS = [".1", ".25", "0.5", "0", "1", ".75", "1.5", "2", "0.333", "123456.789", "-.5"]
GAINS = ["3", "9", "0", "1", "7", "-1", "10", "2.5", "4"]
ODD_PAIRS = ["x=3", "1=2=3", "", "7", "p=3"]
SUFFIXES = {
    "rbp": ["p=0.8", "p=.5,1=2", "p=1", "q=3", "1=.5", "p=0"],
    "rbp_resid": ["p=0.8", "p=1", "p=.5", "p=0", "x=2"],
    "utility": ["1,2,3,4", "2,-1,0,0", "0,0,0,1", "1,2", "1,1,1,1,1", ".5,.25,-.125,1e-3"],
    "11pt_avg": ["0,.5,1", ".25,.5,.75", ".75,.25", "1,0", ".5", "0.9,.1,.5,.3", "2,.5"],
    "set_F": ["0.5", "2", "0", "1,2", "-1", "1e-3"],
    "relstring": ["5", "20", "1", "0", "-3", "2.9", "3,4"],
}
SWITCHES = {"-q": 0.6, "-c": 0.4, "-n": 0.1, "-J": 0.15, "-o": 0.05}
VALUES = {  # how often, and what
    "-l": (0.3, ["0", "1", "2", "3", "4", "20", "-1", "-2", "-3", "1.9"]),
    "-M": (0.25, ["0", "1", "2", "5", "10", "100", "1e3"]),
    "-N": (0.2, ["0", "100", "100000", "7"]),
    "-D": (0.1, ["0", "0.1", "0.2", "0.nobody", "0.", "0.q\u00a01", "0.1", "0.2", "0", "0", "0.2"]),
}
WRONG_WORDS = [
    *(["-m", "nothing"], ["-m", "P."], ["-m", "map.5"], ["-T", "x"], ["-R", "x"], ["-y"]),
    *(["-Z", "none"], ["-m", "prefs_simp"], ["-m", "dcg"]),
]


class Case(NamedTuple):
    """Two files, perhaps a third, and flags."""

    qrels: bytes
    run: bytes
    zscores: bytes
    flags: Words

    @property
    def measures(self) -> Words:
        """What stands behind -m."""
        pairs = zip(self.flags, self.flags[1:], strict=False)
        return [word for flag, word in pairs if flag == "-m"]


def make_case(seed: str, version: int) -> Case:
    """Two files that fit one another, and flags."""
    rng = random.Random(seed)  # noqa: S311  (the same case for the same seed)
    queries, docs = make_ids(rng)
    odd = rng.random() < 0.3
    kind = rng.choice(["qrels"] * 7 + ["prefs", "qrels_prefs", "qrels_jg"])
    if kind in ("prefs", "qrels_prefs"):
        docs = docs[:25]  # every pair of them is judged
    names = list_names(kind if rng.random() < 0.98 else rng.choice([*MAKERS]), version)
    flags = make_flags(rng, names, several=kind == "qrels")
    if kind != "qrels" or rng.random() < 0.02:
        flags += ["-R", kind]
    zscores = b""
    if rng.random() < 0.07:
        zscores = make_zscores(rng, queries, names)
        flags += ["-Z", "zscores"]
    qrels = make_lines(rng, MAKERS[kind](rng, queries, docs, odd), odd=odd)
    odd_run = odd and rng.random() < 0.7
    run = make_lines(rng, make_run(rng, queries, docs, odd=odd_run), odd=odd_run)
    return Case(qrels, run, zscores, flags)


def make_ids(rng: random.Random) -> tuple[Words, Words]:
    """Queries and documents."""
    queries = [str(number) for number in range(1, rng.randrange(2, 9))]
    docs = [f"d{number}" for number in range(rng.randrange(2, rng.choice([7, 21, 61, 121])))]
    style = rng.randrange(6)
    if style == 0:
        docs = [f"ü{number}é" for number in range(len(docs))]
        queries = [f"q\u00a0{query}" for query in queries]
    if style == 1:
        docs = [f"#{number}" if number % 2 else f"D#{number}" for number in range(len(docs))]
    if style == 2:
        queries = [f"{rng.choice('ABab')}{query:0>3}" for query in queries]
    return queries, docs


def make_lines(rng: random.Random, rows: Rows, *, odd: bool) -> bytes:
    """Rows as lines, some of them written oddly."""
    lines = []
    for row in rows:
        blank = rng.choice(ODD_BLANKS) if odd and rng.random() < 0.3 else " "
        before = rng.choice(" \t\r") if odd and rng.random() < 0.05 else ""
        after = rng.choice(" \t\r") if odd and rng.random() < 0.05 else ""
        lines.append(before + blank.join(row) + after)
    if odd and rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(["", " ", "\r"]))
    if odd and rng.random() < 0.25:
        for _ in range(rng.choice([1, 1, 2])):  # never at the end, where the real one may crash
            lines.insert(rng.randrange(len(lines)), rng.choice(COMMENTS))
    data = (rng.choice(["\n", "\n", "\n", "\r\n"]) if odd else "\n").join(lines).encode()
    if not odd or rng.random() < 0.8:
        data += b"\n"
    return data.replace(b"d1", b"\xe9") if odd and rng.random() < 0.05 else data


def make_run(rng: random.Random, queries: Words, docs: Words, *, odd: bool) -> Rows:
    """A run of most of the queries."""
    rows: Rows = []
    asked = [query for query in queries if rng.random() < 0.97]
    asked += ["extra"] if rng.random() < 0.3 else []
    if rng.random() < 0.01:
        asked = ["other"]
    for query in asked or queries[:1]:
        pool = docs + [f"u{number}" for number in range(rng.randrange(4))]
        chosen = rng.sample(pool, rng.randrange(1, len(pool) + 1))
        if rng.random() < 0.02:
            chosen.append(rng.choice(chosen))
        for rank, doc in enumerate(chosen):
            row: tuple[str, ...] = (query, "Q0", doc, str(rank), make_score(rng), "tag")
            if odd and rng.random() < 0.02:
                row = (*row, "more", "text")
            rows.append(row[:5] if odd and rng.random() < 0.002 else row)
    shuffle_some(rng, rows)
    if odd and rng.random() < 0.1:
        rows[-1] = (*rows[-1][:5], rng.choice(["t\u00a0ag", "ü", "last"]), *rows[-1][6:])
    return rows


def make_score(rng: random.Random) -> str:
    """A score, often equal or nearly equal to others."""
    decimals = rng.randrange(1, 9)
    return str(
        rng.choice(
            [
                *[rng.randrange(6)] * 4,
                *[f"{rng.random() * 10:.{decimals}f}"] * 4,
                repr(1.0 + rng.randrange(4) * 2.0**-52),
                repr(1.0 + rng.randrange(4) * 2.0**-23),
                f"{rng.choice(['+', '-', ''])}{rng.random() * 10.0 ** rng.randrange(-12, 12):e}",
                f"-{rng.randrange(5)}.{rng.randrange(100)}",
                rng.choice(HUGE_SCORES),
                rng.choice(ODD_SCORES),
            ]
        )
    )


def shuffle_some(rng: random.Random, rows: Rows) -> None:
    """Files are mostly in order."""
    if rng.random() < 0.3:
        rng.shuffle(rows)


def make_qrels(rng: random.Random, queries: Words, docs: Words, odd: bool) -> Rows:
    """Grades of some documents of each query; the first is not below 0, or the real one crashes."""
    rows: Rows = []
    for query in queries:
        judged = rng.sample(docs, rng.randrange(1, len(docs) + 1))
        grades = [rng.choice(TIDY_GRADES) for _ in judged]
        if rng.random() < 0.15:
            grades = ["0"] * len(judged)
        if rng.random() < 0.15:
            grades = [rng.choice("012"), *(rng.choice(["-1", "-2", *"0012"]) for _ in judged[1:])]
        if odd:
            grades = [rng.choice(ODD_GRADES) if rng.random() < 0.1 else grade for grade in grades]
            grades[0] = "1"
        rows += [(query, "0", doc, grade) for doc, grade in zip(judged, grades, strict=True)]
        if rng.random() < 0.01:
            rows.append((query, "0", rng.choice(judged), "1"))
    shuffle_some(rng, rows)
    return rows


def make_groups(rng: random.Random, queries: Words, docs: Words, odd: bool) -> Rows:  # noqa: ARG001
    """Grades of several judges."""
    rows: Rows = []
    for query in queries:
        for group in rng.sample(["0", "1", "2", "A", "10"], rng.randrange(1, 4)):
            judged = rng.sample(docs, rng.randrange(1, len(docs) + 1))
            rows += [(query, group, doc, rng.choice(["-1", *"000123"])) for doc in judged]
            if rng.random() < 0.005:
                rows.append((query, group, judged[0], "1"))
    shuffle_some(rng, rows)
    return rows


def make_preferences(rng: random.Random, queries: Words, docs: Words, odd: bool) -> Rows:  # noqa: ARG001
    """Preferences of several judges in subgroups, mostly without contradiction."""
    rows: Rows = []
    for query in queries:
        for group in rng.sample(["0", "1", "2", "A", "10"], rng.randrange(1, 4)):
            order = rng.sample(docs, len(docs))
            subgroups = rng.choice([1, 1, 2, 3])
            levels = [float(len(order) - place) for place in range(len(order))]
            useless = rng.choice([0, 0, len(order) // 2])  # at the end, and equal
            if subgroups == 1 or useless:
                levels = [rng.choice([1, 2, 2.5, 3, 1e-8]) for _ in order]
                levels = sorted(levels, reverse=True) if subgroups == 1 else levels
            if useless:
                levels[-useless:] = [0.0] * useless
                if subgroups > 1:
                    levels[:-useless] = [float(len(order) - n) for n in range(len(order) - useless)]
            for part in range(subgroups):
                chosen = sorted(rng.sample(range(len(order)), rng.randrange(1, len(order) + 1)))
                rows += [(query, group, f"s{part}", order[n], f"{levels[n]:g}") for n in chosen]
                if rng.random() < 0.003:
                    rows.append((query, group, f"s{part}", order[0], "0"))
    shuffle_some(rng, rows)
    return rows


def make_graded_preferences(rng: random.Random, queries: Words, docs: Words, odd: bool) -> Rows:
    """Preferences in one subgroup, which judgments can say too."""
    rows = make_preferences(rng, queries, docs, odd)
    return [(*row[:2], *row[3:]) for row in rows if row[2] == "s0"]


MAKERS: dict[str, Callable[[random.Random, Words, Words, bool], Rows]] = {
    "qrels": make_qrels,
    "prefs": make_preferences,
    "qrels_prefs": make_graded_preferences,
    "qrels_jg": make_groups,
}


def list_names(kind: str, version: int) -> Words:
    """The measures and groups that such judgments are asked for."""
    wanted = "prefs" if kind == "qrels_prefs" else kind
    names = [name for name, entry in EVERY_NAME.items() if entry.judgments in ("none", wanted)]
    groups = {"qrels": [*GROUPS], "qrels_jg": ["qrels_jg"]}.get(kind, ["all_prefs", "prefs"])
    return [name for name in (*names, *groups) if version == 10 or name not in NOT_IN_9]


def make_flags(rng: random.Random, names: Words, *, several: bool) -> Words:
    """Flags and measures."""
    flags = [flag for flag, chance in SWITCHES.items() if rng.random() < chance]
    for flag, (chance, values) in VALUES.items():
        if rng.random() < chance:
            flags += [flag, rng.choice(values)]
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5] if several else [1, 1, 2, 3])):
        flags += ["-m", make_measure(rng, rng.choice(names))]
    return flags + (rng.choice(WRONG_WORDS) if rng.random() < 0.01 else [])


def make_measure(rng: random.Random, name: str) -> str:
    """A measure, with parameters now and then."""
    kind = EVERY_NAME.get(name, TrecName(name)).kind
    if rng.random() < 0.5:
        return name
    if kind == "ranks":
        cuts = [rng.choice(CUTOFFS) for _ in range(rng.randrange(1, 4))]
        return f"{name}.{','.join(cuts + rng.choices([[], [rng.choice(ODD_CUTOFFS)]], [9, 1])[0])}"
    if kind == "levels":
        return f"{name}.{','.join(rng.choice(LEVELS) for _ in range(rng.randrange(1, 4)))}"
    if kind == "gains":
        grades = rng.sample(range(6), rng.randrange(1, 4))
        pairs = [f"{grade}={rng.choice(GAINS)}" for grade in grades]
        return f"{name}.{','.join(pairs + rng.choices([[], [rng.choice(ODD_PAIRS)]], [19, 1])[0])}"
    return f"{name}.{rng.choice(SUFFIXES.get(name, ['5']))}"


def make_zscores(rng: random.Random, queries: Words, names: Words) -> bytes:
    """Means and deviations of some lines; the last of all is there, else the real one crashes."""
    rows: Rows = []
    lines = [*names, "P_5", "P_10", "iprec_at_recall_0.00", "ndcg_cut_10"]
    for query in [*queries, "\u00ffend"]:
        for name in [*(name for name in lines if rng.random() < 0.8), "zzz"]:
            mean = rng.choice([*["0", "0.5", "1", "10", ".25", "1e2"] * 5, "nan", "inf"])
            deviation = rng.choice(["0", "1", "0.1", "3", "1e-320", ".05"])
            rows += [(query, name, mean, deviation)] * rng.choices([1, 2], [50, 1])[0]
    shuffle_some(rng, rows)
    return make_lines(rng, rows, odd=False)
