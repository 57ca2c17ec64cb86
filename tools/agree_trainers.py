"""What libraries of learning and NTCIREVAL print, beside ours, where they are installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import numpy as np

import gainful

Pairs = Iterator[tuple[float, float]]  # ours and theirs
DECIMALS = 6  # of numbers in 32 bit


def make_list(rng: Random) -> tuple[list[int], list[float], int]:
    """Grades 0 and 1 of one ranking, scores with ties, and a cutoff."""
    size = rng.randrange(2, 30)
    grades = [rng.choice([0, 0, 1]) for _ in range(size)]
    # From 1 on: the tree that LightGBM must grow adds 1e-30, which would tell zeros apart.
    return grades, [float(rng.randrange(1, 10)) for _ in range(size)], rng.randrange(1, 12)


def evaluate_list(grades: list[int], scores: list[float], measure: str, like: str) -> float:
    """One measure of one ranking whose documents are all judged."""
    docs = [f"d{at:02}" for at in range(len(grades))]
    qrels = {"1": dict(zip(docs, grades, strict=True))}
    run = {"1": dict(zip(docs, scores, strict=True))}
    return float(gainful.evaluate(qrels, run, measure, like=like).mean[measure])


def compare_lightgbm(rng: Random) -> Pairs:
    """Its metrics map and ndcg of one ranking, whose scores are given as they are."""
    lightgbm = import_module("lightgbm")
    grades, scores, k = make_list(rng)
    quiet = {"verbose": -1, "min_data_in_leaf": 1, "min_data_in_bin": 1, "num_threads": 1}
    data = lightgbm.Dataset(
        np.arange(len(grades), dtype=float)[:, None],
        label=grades,
        group=[len(grades)],
        init_score=scores,
        params=quiet | {"feature_pre_filter": False},
    )
    asked = {"objective": "lambdarank", "metric": ["map", "ndcg"], "eval_at": [k]}
    printed: dict[str, Any] = {}
    lightgbm.train(
        asked | quiet | {"learning_rate": 1e-30, "num_leaves": 2},
        data,
        1,
        valid_sets=[data],
        valid_names=["list"],
        callbacks=[lightgbm.record_evaluation(printed)],
    )
    for name, measure in ((f"map@{k}", f"AP@{k}"), (f"ndcg@{k}", f"nDCG@{k}")):
        yield evaluate_list(grades, scores, measure, "lightgbm"), printed["list"][name][0]


def compare_xgboost(rng: Random) -> Pairs:
    """Its metrics map and ndcg of one ranking, in 32 bit."""
    xgboost = import_module("xgboost")
    grades, scores, k = make_list(rng)
    data = xgboost.DMatrix(np.zeros((len(grades), 1)), label=grades)
    data.set_group([len(grades)])
    data.set_base_margin(np.array(scores))
    names = {f"map@{k}": f"AP@{k}", f"ndcg@{k}": f"nDCG@{k}"}
    asked = {"objective": "rank:pairwise", "eval_metric": list(names), "learning_rate": 0.0}
    printed: dict[str, Any] = {}
    xgboost.train(
        asked | {"verbosity": 0, "nthread": 1},
        data,
        1,
        evals=[(data, "list")],
        evals_result=printed,
        verbose_eval=False,
    )
    for name, measure in names.items():
        ours = evaluate_list(grades, scores, measure, "xgboost")
        yield round(ours, DECIMALS), round(float(printed["list"][name][0]), DECIMALS)


def compare_catboost(rng: Random) -> Pairs:
    """Its MAP, recall, reciprocal rank, NDCG and FilteredDCG of one ranking."""
    eval_metric = import_module("catboost.utils").eval_metric
    grades, scores, k = make_list(rng)
    names = {"MAP": "AP", "RecallAt": "R", "MRR": "RR", "NDCG": "nDCG"}
    asked = [(f"{name}:top={k}", f"{measure}@{k}", scores) for name, measure in names.items()]
    below_zero = [score - 5 for score in scores]
    asked += [
        ("FilteredDCG", "FilteredDCG", below_zero),
        ("FilteredDCG:denominator=LogPosition", "FilteredDCG(discount=log2)", below_zero),
    ]
    for name, measure, given in asked:
        printed = eval_metric(grades, given, name, group_id=np.zeros(len(grades), int))[0]
        ours = evaluate_list(grades, given, measure, "catboost")
        yield round(ours, DECIMALS), round(float(printed), DECIMALS)


def compare_ntcireval(rng: Random) -> Pairs:
    """Q, O, P, P+ and nDCG of one ranking, by its Python version."""
    metrics = import_module("pyNTCIREVAL.metrics")
    docs = [f"d{at}" for at in range(12)]
    judged = {doc: rng.choice([0, 0, 1, 2, 3]) for doc in rng.sample(docs, 8)} | {docs[0]: 1}
    ranked = [docs[0], *rng.sample(docs[1:], rng.randrange(1, 9))]
    rng.shuffle(ranked)
    counts, gains = [list(judged.values()).count(level) for level in range(4)], [1, 2, 3]
    theirs = {
        "Qmeasure": metrics.QMeasure(counts, gains, 1.0),
        "Omeasure": metrics.OMeasure(counts, gains, 1.0),
        "Pmeasure": metrics.PMeasure(counts, gains, 1.0),
        "Pplus": metrics.PPlusMeasure(counts, gains, 1.0),
    }
    run = {"1": {doc: float(-at) for at, doc in enumerate(ranked)}}
    ours = gainful.evaluate({"1": judged}, run, list(theirs), like="ntcireval").mean
    labelled = [(doc, judged.get(doc)) for doc in ranked]
    yield from ((ours[name], metric.compute(labelled)) for name, metric in theirs.items())
