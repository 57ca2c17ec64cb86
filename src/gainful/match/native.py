"""A TREC run in a file → `Matched`, by the native engine, if that is installed.

The engine (`gainful-native`, C by ctypes) gives ranks, which are whole numbers; whatever is unusual
in a file it leaves to the pure engine, which says what is wrong.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
from attrs import evolve

from gainful.match.frames import build_matched, match_subtopics, order_pool
from gainful.match.matched import Matched
from gainful.match.rank_order import ideal_order, invert_order
from gainful.match.ties import TieBlocks
from gainful.read.formats import find_format
from gainful.read.qrels_and_run import NestedDict, Qrels, Run
from gainful.read.small_trec import read_first_lines
from gainful.read.source import Source, describe_change, is_file, open_source
from gainful.types import Array, Ranks

_VERSION = 2
_OURS, _CHANGED = 0, 2
_MAX_ROWS = 2**31 - 1
_OTHER = np.dtype([("at", np.int64), ("size", np.int64), ("count", np.uint32)], align=True)


class _Judged(ctypes.Structure):
    _fields_ = (
        ("queries", ctypes.c_char_p),
        ("query_ends", ctypes.c_void_p),
        ("docs", ctypes.c_char_p),
        ("doc_ends", ctypes.c_void_p),
        ("first_row", ctypes.c_void_p),
        ("query_count", ctypes.c_int64),
    )


class _Output(ctypes.Structure):
    _fields_ = (
        ("ranks", ctypes.c_void_p),
        ("retrieved", ctypes.c_void_p),
        ("lines", ctypes.c_int64),
        ("tied", ctypes.c_int64),
        ("other_count", ctypes.c_int64),
        ("place", ctypes.c_int64),
        ("others", ctypes.c_void_p),
    )


@cache
def load_library() -> tuple[Any, str]:
    """The library and its name; None, and why there is none."""
    if os.environ.get("GAINFUL_ENGINE") == "pure":
        return None, "GAINFUL_ENGINE=pure"
    package = find_spec("gainful_native")
    if package is None or package.origin is None:
        return None, "gainful-native is not installed"
    try:
        library = ctypes.CDLL(str(Path(package.origin).with_name("match.so")))
        version = library.gainful_version()
    except (OSError, AttributeError) as failure:
        return None, f"gainful-native cannot be loaded: {failure}"
    if version != _VERSION:
        return None, f"gainful-native has version {version} of its interface, not {_VERSION}"
    numbers, pointers = [ctypes.c_int] * 2, [ctypes.c_void_p] * 2
    library.gainful_match.argtypes = (ctypes.c_char_p, *numbers, *pointers)
    library.gainful_free.argtypes = (ctypes.c_void_p,)
    return library, f"gainful-native {version}"


def match_run_file(
    qrels: Qrels | NestedDict,
    path: str | PathLike[str],
    format_name: str | None,
    score_bits: Literal[64, 32],
) -> tuple[Run | NestedDict, Matched] | None:
    """The first rows of a run and what was matched of it, if the native engine reads the file.

    Args:
        qrels: what was judged.
        path: the file.
        format_name: its format, if that is named.
        score_bits: how precise scores are.
    """
    if load_library()[0] is None or fspath(path) == "-" or not is_file(path):
        return None
    source = open_source(path)
    if source.path is None or find_format(source, format_name).name != "trec":
        return None
    matched = _match_file(qrels, source, score_bits)
    if matched is None:
        return None
    usual = read_first_lines(source) if isinstance(qrels, NestedDict) else None
    if usual is not None:
        return usual, matched
    from gainful.read.trec_files import read_first_rows  # noqa: PLC0415  (usual ones do without)

    return read_first_rows(source), matched


def _match_file(
    qrels: Qrels | NestedDict, source: Source, score_bits: Literal[64, 32]
) -> Matched | None:
    library, _ = load_library()
    queries, docs, pool = _list_judged(qrels)
    if source.path is None or len(docs) > _MAX_ROWS:
        return None
    order = np.argsort(pool[0], kind="stable")
    first_row = np.searchsorted(pool[0][order], np.arange(len(queries) + 1)).astype(np.int64)
    query_names, query_ends = _join_names(queries)
    doc_names, doc_ends = _join_names([docs[row] for row in order.tolist()])
    ranks = np.zeros((len(docs), 4), np.int32)
    retrieved = np.zeros(len(queries), np.int64)
    judged = _Judged(
        *(query_names, query_ends.ctypes.data, doc_names, doc_ends.ctypes.data),
        *(first_row.ctypes.data, len(queries)),
    )
    output = _Output(ranks.ctypes.data, retrieved.ctypes.data)
    pointers = ctypes.byref(judged), ctypes.byref(output)
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    outcome = library.gainful_match(os.fsencode(source.path), threads, score_bits, *pointers)
    if outcome == _CHANGED:
        raise describe_change(source.name, output.place)
    if outcome != _OURS or not output.lines:
        return None
    place = _copy_others(library, output)
    names = _read_names(source.path, place)
    if len(set(names)) < len(names):  # one of them stands in several places
        return None
    by_row = np.empty_like(ranks)
    by_row[order] = ranks
    row = np.flatnonzero(by_row[:, 0])
    matched = build_matched(
        pool,
        len(queries),
        [*queries, *names],
        np.concatenate([retrieved, place["count"]]).astype(np.intp),
        row,
        TieBlocks(pool[0][row], *by_row[row].T.astype(np.intp)),
        match_subtopics(qrels, invert_order(pool[1])) if isinstance(qrels, Qrels) else None,
    )
    return evolve(matched, tied_count=output.tied)


def _list_judged(
    qrels: Qrels | NestedDict,
) -> tuple[list[str], list[str], tuple[Ranks, Ranks, Array]]:
    """The judged queries, the documents, and of these what `order_pool` has."""
    if isinstance(qrels, Qrels):
        return qrels.queries.to_list(), qrels.frame["doc"].to_list(), order_pool(qrels)
    judged = [*qrels.mapping.values()]
    query = np.repeat(np.arange(len(judged)), [*map(len, judged)])
    grades = chain.from_iterable(by_doc.values() for by_doc in judged)
    grade = np.fromiter(grades, np.float64, len(query))
    pool = query, ideal_order(query, grade), grade
    return [*qrels.mapping], [*chain.from_iterable(judged)], pool


def _join_names(names: list[str]) -> tuple[bytes, Ranks]:
    """Names one behind the other, and where each begins and ends."""
    joined = "".join(names).encode()
    sizes = names if len(joined) == sum(map(len, names)) else [name.encode() for name in names]
    return joined, np.cumsum([0, *map(len, sizes)], dtype=np.int64)


def _copy_others(library: Any, output: _Output) -> np.ndarray[Any, Any]:
    if not output.others:
        return np.zeros(0, _OTHER)
    size = output.other_count * _OTHER.itemsize
    copied = np.frombuffer(ctypes.string_at(output.others, size), _OTHER)
    library.gainful_free(output.others)
    return np.sort(copied, order="at")


def _read_names(path: Path, place: np.ndarray[Any, Any]) -> list[str]:
    with path.open("rb") as stream:
        names = []
        for at, size, _ in place.tolist():
            stream.seek(at)
            names.append(stream.read(size).decode("utf-8", errors="replace"))
    return names
