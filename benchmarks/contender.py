"""One tool on one pair of files, in a process of its own: prints seconds, memory and results.

Called by page.py and frames.py, so that no tool warms up or fills the memory of another.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
NAMES = {"ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR"}


def time_call(call):
    start = time.perf_counter()
    values = call()
    return time.perf_counter() - start, values


def gainful_file(qrels, run):
    import gainful

    return time_call(lambda: gainful.evaluate(qrels, run, list(NAMES.values())).mean)


def gainful_lazy(judgments, run):
    import polars as pl

    return gainful_file(judgments, pl.scan_parquet(run))


def gainful_duckdb(judgments, run):
    import duckdb

    return gainful_file(judgments, duckdb.read_parquet(run))


def gainful_spark(judgments, run):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    return gainful_file(judgments, session.read.parquet(run))


def mean(values):
    return {
        ours: sum(of_query[name] for of_query in values.values()) / len(values)
        for name, ours in NAMES.items()
    }


def read_by_pytrec_eval(qrels, run):
    import pytrec_eval

    with Path(qrels).open() as lines:
        judged = pytrec_eval.parse_qrel(lines)
    with Path(run).open() as lines:
        return judged, pytrec_eval.parse_run(lines)


def pytrec_eval_file(qrels, run):
    import pytrec_eval

    def call():
        judged, ranked = read_by_pytrec_eval(qrels, run)
        return mean(pytrec_eval.RelevanceEvaluator(judged, {*NAMES}).evaluate(ranked))

    return time_call(call)


def gainful_dict(qrels, run):
    import gainful

    judged, ranked = read_by_pytrec_eval(qrels, run)
    calls = [
        time_call(lambda: gainful.evaluate(judged, ranked, list(NAMES.values())).mean)
        for _ in range(3)
    ]
    return min(calls, key=lambda call: call[0])


def pytrec_eval_dict(qrels, run):
    import pytrec_eval

    judged, ranked = read_by_pytrec_eval(qrels, run)
    peer = pytrec_eval.RelevanceEvaluator(judged, {*NAMES})
    seconds, values = min(
        (time_call(lambda: peer.evaluate(ranked)) for _ in range(3)), key=lambda f: f[0]
    )
    return seconds, mean(values)


def ir_measures_file(qrels, run):
    import ir_measures

    def call():
        measures = [ir_measures.parse_measure(name) for name in NAMES.values()]
        judged = ir_measures.read_trec_qrels(qrels)
        ranked = ir_measures.read_trec_run(run)
        values = ir_measures.calc_aggregate(measures, judged, ranked)
        return {name: values[ir_measures.parse_measure(name)] for name in NAMES.values()}

    return time_call(call)


def _ranx(qrels, run):
    import ranx

    names = {"ndcg": "nDCG", "ndcg@10": "nDCG@10", "map": "AP", "mrr": "RR"}

    def call():
        judged = ranx.Qrels.from_file(qrels, kind="trec")
        ranked = ranx.Run.from_file(run, kind="trec")
        values = ranx.evaluate(judged, ranked, list(names), make_comparable=True)
        return {names[name]: value for name, value in values.items()}

    return call


def ranx_file(qrels, run):
    """The second call: the first compiles."""
    call = _ranx(qrels, run)
    call()
    return time_call(call)


def own_peak():
    """The most memory this process ever had, in GB; getrusage would tell its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    name, qrels, run = sys.argv[1:]
    seconds, values = globals()[name](qrels, run)
    peak = own_peak()
    values = {measure: float(value) for measure, value in values.items()}
    print(json.dumps({"seconds": seconds, "peak": peak, "values": values}))


if __name__ == "__main__":
    main()
