"""Files that tests write: text or bytes, lines of JSON, judgments and runs as TREC has them."""

import gzip
import json
import sys
from importlib import import_module

import polars as pl

from gainful.read.formats import read_file
from gainful.read.qrels_and_run import QRELS, RUN

SUFFIXES = ("csv", "tsv", "jsonl", "json", "parquet")
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_PACKERS = {"gz": gzip.compress, "zst": lambda data: import_module(_ZSTD).compress(data)}


def write_file(path, content):
    """Write text or bytes, in folders that may have to be made; the path is given back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read_qrels(path, *options, **names):
    """Judgments from a file."""
    return read_file(path, QRELS, *options, **names)


def read_run(path, *options, **names):
    """A run from a file."""
    return read_file(path, RUN, *options, **names)


def write_lines(path, *records):
    """Write a line of JSON for each record."""
    return write_file(path, "".join(f"{json.dumps(record)}\n" for record in records))


def write_table(path, frame):
    """Write a frame as the suffix of the path says (`log.csv`, `log.jsonl.zst`)."""
    suffix, _, packed = path.name.partition(".")[2].partition(".")
    write = {
        "csv": pl.DataFrame.write_csv,
        "tsv": lambda frame: frame.write_csv(separator="\t"),
        "jsonl": pl.DataFrame.write_ndjson,
        "json": lambda frame: json.dumps(frame.to_dicts()),
        "parquet": lambda frame: frame.write_parquet(path),
    }[suffix]
    text = write(frame)
    return (
        path
        if text is None
        else write_file(path, _PACKERS[packed](text.encode()) if packed else text)
    )


def write_qrels(path, qrels):
    """Write {query: {doc: grade}}."""
    lines = (f"{q} 0 {doc} {grade}\n" for q, docs in qrels.items() for doc, grade in docs.items())
    return write_file(path, "".join(lines))


def write_run(path, run):
    """Write {query: documents, the best first}, or {query: {doc: score}}."""
    lines = []
    for query, docs in run.items():
        scores = docs if isinstance(docs, dict) else {doc: -at for at, doc in enumerate(docs)}
        lines += [f"{query} Q0 {doc} 0 {score} run\n" for doc, score in scores.items()]
    return write_file(path, "".join(lines))
