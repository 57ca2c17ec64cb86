"""Random TREC files, some of them odd or damaged, and all that comes out of two of them."""

import random
from collections.abc import Iterable
from pathlib import Path

import gainful
from gainful.errors import GainfulError

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "Bpref", "nDCG(ties=average)@10"]
DOCS = [
    pattern.format(n) for pattern in ("d{}", "doc-{}", "é{}", "x" * 70 + "{}") for n in range(12)
]
ODD_LINES = (
    *("# a comment", "", "  ", "a b", "q0 Q0 d1 1 nan t", "q0 Q0 d1 1 1e999 t", "q Q0 d 1 0x10 t"),
    *("q Q0 d 1 5. t", "q Q0 d 1 .5 t", "q Q0 d 1 1 t more", "q Q0 d 1 1_0 t", "q Q0 d 1 1,5 t"),
    *(f"q Q0 {'y' * 5000} 1 1 t", "q\0 Q0 d 1 1 t", f"q Q0 d 1 {'1' * 400} t", "q Q0 d 1 -0 t"),
)
ODD_JUDGMENTS = (
    *("# a comment", "", "q0 0 d1", "q0 0 d1 x", "q0 0 d1 nan", "q0 0 d1 1 more", "q0 0 d1 1_0"),
    *("q0 0 d1 2000", "q0 1 d1 1", "q0 0 all 1", "q0  0 d1 1", "q0\t0\td1\t1", "q0 0 d1 +1"),
)


def write_trec_files(folder: Path, random: random.Random) -> tuple[Path, Path]:
    """Judgments that may be odd, and a run that may be untidy, in any order, cut, or damaged."""
    tidy = random.random() < 0.5
    docs = [doc for doc in DOCS if doc.isascii()] if tidy else DOCS
    patterns = ("q{}", "{}") if tidy else ("q{}", "{}", "ü{}")
    names = [random.choice(patterns).format(n) for n in range(random.randint(1, 6))]
    judged = [name for name in names if random.random() < 0.8] or names[:1]
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    judgments = [
        f"{query} 0 {doc} {random.randint(0, 3)}"
        for query in judged
        for doc in random.sample(docs, random.randint(1, 12))
    ]
    if random.random() < 0.1:
        judgments.insert(random.randint(0, len(judgments)), random.choice(ODD_JUDGMENTS))
    qrels.write_text("\n".join((*judgments, "")), encoding="utf-8")
    blank = " " if tidy else random.choice((" ", " ", "\t", "  ", " \t"))
    lines = []
    for query in names:
        ranking = random.sample(docs, random.randint(1, 30))
        number = random.choice((lambda: random.randint(1, 3), lambda: random.uniform(-5, 5)))
        scores = [float(number()) for _ in ranking]
        if random.random() < 0.6:
            scores.sort(reverse=True)
        for rank, (doc, score) in enumerate(zip(ranking, scores, strict=True), 1):
            form = "%.20f" if random.random() < 0.05 else "%e" if random.random() < 0.05 else "%r"
            lines.append(blank.join((query, "Q0", doc, str(rank), form % score, "tag")))
    if random.random() < 0.1:
        random.shuffle(lines)
    if random.random() < 0.1:
        lines.insert(random.randint(0, len(lines)), random.choice(ODD_LINES))
    if random.random() < 0.1:
        lines.append(random.choice(lines))  # a document twice, or a query in two places
    data = ("\n" if tidy else random.choice(("\n", "\n", "\r\n"))).join((*lines, "")).encode()
    if random.random() < 0.1:
        data = data[: random.randint(0, len(data))]
    if data and random.random() < 0.05:
        at = random.randrange(len(data))
        data = data[:at] + bytes([random.choice((0, 10, 13, 32, 35, 0xC3, 255))]) + data[at + 1 :]
    run.write_bytes(data)
    return qrels, run


def assert_alike(folder: Path, random: random.Random, readers: Iterable, like: str) -> None:
    """Both readers, each a function that chooses it, say the same of two random files."""
    files = write_trec_files(folder, random)
    first, second = ((choose(), tell(*files, like=like))[1] for choose in readers)
    assert first == second


def tell(qrels: Path, run: Path, **options: object) -> object:
    """All that comes out: values and notes, or the words of a mistake."""
    try:
        results = gainful.evaluate(qrels, run, MEASURES, **options)
    except GainfulError as error:
        return type(error), str(error)
    values = {name: values.tolist() for name, values in results.values.items()}
    return results.ids, values, results.notes, results.counts, results.name
