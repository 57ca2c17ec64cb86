"""Do the real tools say the same? Random data through each that is installed, and through gainful.

    python -m tools.agree --cases 1000 --seed 1

Writes `docs/agreement.json` with the date, the versions, the cases and the largest difference, from
which the page and the README's sentence are made. A trec_eval is compared where TREC_EVAL names
one (its version 9 beside it in TREC_EVAL_9). Status 1 if a difference is larger than rounding.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from tools.agree_trainers import (
    compare_catboost,
    compare_lightgbm,
    compare_ntcireval,
    compare_xgboost,
)

import gainful
from gainful.measure.language import expand

RESULT = Path(__file__).parent.parent / "docs" / "agreement.json"
ROUNDING = 1e-9
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Pairs = Iterator[tuple[float, float]]  # ours and theirs


class Tool(NamedTuple):
    """A tool, the package it comes in, and its values beside ours for one random collection."""

    name: str
    package: str
    what: str
    compare: Callable[[Random], Pairs]


def make_collection(rng: Random, *, tied: bool = True, negative: bool = True) -> tuple[Qrels, Run]:
    """Some queries, with gaps, ties, unjudged documents and negative grades."""
    docs = [f"d{number}" for number in range(30)]
    queries = [str(number) for number in range(1, rng.randrange(2, 6))]
    qrels: Qrels = {}
    run: Run = {}
    for query in queries:
        judged = rng.sample(docs, rng.randrange(1, 15))
        qrels[query] = {doc: rng.randrange(-1 if negative else 0, 4) for doc in judged} | {"p": 0}
        if query == "1" or rng.random() < 0.8:
            shown = rng.sample(docs, rng.randrange(1, 25))
            scores = [float(rng.randrange(6)) for _ in shown] if tied else rng.sample(range(99), 30)
            run[query] = {doc: float(scores[at]) for at, doc in enumerate(shown)}
    return qrels, run


def _ours(qrels: Qrels, run: Run, names: list[str], like: str) -> dict[str, dict[str, Any]]:
    return gainful.evaluate(qrels, run, names, like=like).values_by_query()


def compare_pytrec_eval(rng: Random) -> Pairs:
    """All its measures but texts, query by query."""
    pytrec_eval = import_module("pytrec_eval")
    names = sorted(set(pytrec_eval.supported_measures) - {"runid", "relstring"})
    qrels, run = make_collection(rng)
    ours = _ours(qrels, run, names, "pytrec_eval")
    for query, values in pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run).items():
        yield from ((ours[query][name], value) for name, value in values.items())


IR_MEASURES = [
    *("nDCG", "nDCG@3", "AP", "AP@3", "P@3", "P(rel=2)@3", "R@3", "RR", "RR(rel=2)", "Rprec"),
    *("Bpref", "infAP", "IPrec@0.1", "Success@3", "SetP", "SetR", "SetF", "NumRet", "AP(rel=2)"),
]


def compare_ir_measures(rng: Random) -> Pairs:
    """Measures of its default providers that need no perl."""
    ir_measures = import_module("ir_measures")
    qrels, run = make_collection(rng)
    measures = {ir_measures.parse_measure(name): next(iter(expand(name))) for name in IR_MEASURES}
    ours = _ours(qrels, run, IR_MEASURES, "ir_measures")
    for value in ir_measures.iter_calc(list(measures), qrels, run):
        yield ours[value.query_id][measures[value.measure]], value.value


def compare_sklearn(rng: Random) -> Pairs:
    """ndcg_score and dcg_score of one ranking with ties, cut and whole."""
    metrics = import_module("sklearn.metrics")
    size = rng.randrange(2, 40)
    grades = [rng.randrange(4) for _ in range(size)]
    scores = [float(rng.randrange(9)) for _ in range(size)]
    for k in (None, 5):
        ours = gainful.ndcg(grades, scores=scores, k=k, like="sklearn")
        yield float(ours), float(metrics.ndcg_score([grades], [scores], k=k))
        ours = gainful.dcg(grades, scores=scores, k=k, like="sklearn")
        yield float(ours), float(metrics.dcg_score([grades], [scores], k=k))


RANX = {"ndcg@5": "nDCG@5", "map": "AP", "map@5": "AP@5", "mrr": "RR", "precision@5": "P@5",
        "recall@5": "R@5", "r-precision": "Rprec", "hit_rate@5": "Success@5", "hits@5": "Hits@5",
        "rbp.80": "RBP(p=0.8)", "f1@5": "SetF@5", "bpref": "Bpref"}  # fmt: skip


def compare_ranx(rng: Random) -> Pairs:
    """Runs without ties, which ranx ranks by an unstable sort."""
    ranx = import_module("ranx")
    qrels, run = make_collection(rng, tied=False, negative=False)
    run |= {query: {"absent": 1.0} for query in qrels.keys() - run.keys()}
    theirs = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs, list(RANX), make_comparable=True)
    ours = _ours(qrels, run, list(RANX.values()), "ranx")
    for name, own_name in RANX.items():
        for query, value in theirs.scores[name].items():
            yield ours[query][next(iter(expand(own_name)))], float(value)


TOOLS = (
    Tool("pytrec_eval", "pytrec_eval-terrier", "all measures but texts", compare_pytrec_eval),
    Tool("ir_measures", "ir_measures", "measures that need no perl", compare_ir_measures),
    Tool("scikit-learn", "scikit-learn", "nDCG and DCG with ties", compare_sklearn),
    Tool("ranx", "ranx", "nDCG, AP, RR, P, R, F1, RBP, bpref, hits, without ties", compare_ranx),
    Tool("LightGBM", "lightgbm", "AP@k and nDCG@k, with ties", compare_lightgbm),
    Tool("XGBoost", "xgboost", "AP@k and nDCG@k, with ties", compare_xgboost),
    Tool(
        "CatBoost",
        "catboost",
        "AP@k, R@k, RR@k, nDCG@k and FilteredDCG, with ties",
        compare_catboost,
    ),
    Tool("NTCIREVAL", "pyNTCIREVAL", "Q, O, P and P+", compare_ntcireval),
)
_MODULES = {"pytrec_eval-terrier": "pytrec_eval", "scikit-learn": "sklearn"}


def compare_tool(tool: Tool, cases: int, seed: int) -> dict[str, Any]:
    """How many values were compared, and how far apart they are at most."""
    values, largest = 0, 0.0
    for number in range(cases):
        rng = Random(f"{tool.name}/{seed}/{number}")  # noqa: S311  (to find faults)
        for ours, theirs in tool.compare(rng):
            if np.isnan(theirs):
                continue  # what the page of conventions tells
            values += 1
            largest = max(largest, abs(float("inf") if ours is None else ours - theirs))
    return {
        "tool": tool.name,
        "version": version(tool.package),
        "what": tool.what,
        "cases": cases,
        "values": values,
        "largest": largest,
    }


def compare_trec_eval(binary: str, number: int, cases: int, seed: int) -> dict[str, Any]:
    """Command lines of a real trec_eval: how many print the same bytes, and what else is listed."""
    from tools.agree_trec_eval import compare_cases  # noqa: PLC0415  (only with a binary)

    arguments = argparse.Namespace(binary=binary, version=number, cases=cases, seed=seed, keep=None)
    counts = compare_cases(arguments)
    return {
        "tool": "trec_eval",
        "version": str(number),
        "what": "command lines, to the byte",
        "cases": cases,
        "same": counts["the same"],
        "unexplained": counts["NOT EXPLAINED"],
    }


def main() -> int:
    """Compare with every tool that is there, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.agree", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ.setdefault(
        "NUMBA_DISABLE_JIT", "1"
    )  # ranx compiles for minutes and runs for seconds
    warnings.simplefilter("ignore")  # those of the tools
    rows = []
    for tool in TOOLS:
        if find_spec(_MODULES.get(tool.package, tool.package)) is None:
            print(f"not run: {tool.name} is not installed")
            continue
        rows.append(compare_tool(tool, options.cases, options.seed))
        print(json.dumps(rows[-1]), flush=True)
    for name, number in (("TREC_EVAL", 10), ("TREC_EVAL_9", 9)):
        if binary := os.environ.get(name):
            rows.append(compare_trec_eval(binary, number, options.cases, options.seed))
            print(json.dumps(rows[-1]), flush=True)
        else:
            print(f"not run: trec_eval {number} ({name} names none)")
    today = datetime.now(UTC).date().isoformat()
    result = {"date": today, "seed": options.seed, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}; make docs puts it into the page and the README")
    wrong = [row for row in rows if row.get("largest", 0) > ROUNDING or row.get("unexplained")]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
