"""A TREC run in a file → `Matched`, by the native engine where that is installed and the file is usual.

The engine (`gainful-native`, C by ctypes) gives ranks, which are whole numbers; whatever is unusual
in a file it leaves to the pure engine, which says what is wrong.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from gainful.errors import BadInput
from gainful.match.frames import build_matched, index_names
from gainful.match.matched import Matched
from gainful.match.rank_order import RowRanks
from gainful.read.qrels_and_run import Qrels
from gainful.types import Ranks

_VERSION = 1
_OURS, _CHANGED = 0, 2
_MAX_ROWS = 2**31 - 1
_OTHER = np.dtype([("at", np.int64), ("size", np.int64), ("count", np.uint32)], align=True)


class _Judged(ctypes.Structure):
    _fields_ = (
        ("queries", ctypes.c_char_p),
        ("docs", ctypes.c_char_p),
        ("query_ends", ctypes.c_void_p),
        ("doc_ends", ctypes.c_void_p),
        ("first_row", ctypes.c_void_p),
        ("query_count", ctypes.c_int64),
    )


class _Found(ctypes.Structure):
    _fields_ = (
        ("ranks", ctypes.c_void_p),
        ("retrieved", ctypes.c_void_p),
        ("lines", ctypes.c_int64),
        ("tied", ctypes.c_int64),
        ("others", ctypes.c_int64),
        ("place", ctypes.c_int64),
    )


@cache
def load_library() -> tuple[Any, str]:
    """The library, or None and why there is none."""
    if os.environ.get("GAINFUL_ENGINE") == "pure":
        return None, "GAINFUL_ENGINE=pure"
    try:
        import gainful_native  # noqa: PLC0415  (optional)

        library = ctypes.CDLL(str(gainful_native.LIBRARY))
        version = library.gainful_version()
    except ImportError:
        return None, "gainful-native is not installed"
    except (OSError, AttributeError) as failure:
        return None, f"gainful-native cannot be loaded: {failure}"
    if version != _VERSION:
        return None, f"gainful-native has version {version} of its interface, not {_VERSION}"
    library.gainful_match.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 3)
    library.gainful_free.argtypes = (ctypes.c_void_p,)
    return library, f"gainful-native {gainful_native.__version__}"


def match_file(
    qrels: Qrels, path: Path, name: str, score_bits: Literal[64, 32] = 64
) -> Matched | None:
    """Where do the judged documents stand in the run of a file? None where the pure engine must say.

    Args:
        qrels: what was judged.
        path: a plain file.
        name: what messages call it.
        score_bits: how precise scores are.
    """
    library, _ = load_library()
    if library is None or len(qrels.frame) > _MAX_ROWS:
        return None
    queries = qrels.queries
    pool_query = index_names(qrels.frame["query"], queries)
    order = np.argsort(pool_query, kind="stable")
    first_row = np.searchsorted(pool_query[order], np.arange(len(queries) + 1)).astype(np.int64)
    docs = qrels.frame["doc"].gather(order)
    query_ends, doc_ends = _find_ends(queries), _find_ends(docs)
    ranks = np.zeros((len(docs), 4), np.int32)
    retrieved = np.zeros(len(queries), np.int64)
    judged = _Judged(
        *(_join_names(queries), _join_names(docs), query_ends.ctypes.data, doc_ends.ctypes.data),
        *(first_row.ctypes.data, len(queries)),
    )
    found, others = _Found(ranks.ctypes.data, retrieved.ctypes.data), ctypes.c_void_p()
    outcome = library.gainful_match(
        os.fsencode(path),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        score_bits,
        *map(ctypes.byref, (judged, found, others)),
    )
    if outcome == _CHANGED:
        raise BadInput(name, f"changed while it was read, at byte {found.place}")
    if outcome != _OURS or not found.lines:
        return None
    place = _copy_others(library, others, found.others)
    names = _read_names(path, place)
    if len(set(names)) < len(names):  # one of them stands in several places
        return None
    by_row = np.empty_like(ranks)
    by_row[order] = ranks
    row = np.flatnonzero(by_row[:, 0])
    hit_ranks = RowRanks(pool_query[row], *by_row[row].T.astype(np.intp))
    return build_matched(
        qrels,
        pl.concat([queries, pl.Series("query", names, pl.String)]),
        np.concatenate([retrieved, place["count"]]).astype(np.intp),
        row,
        hit_ranks,
        tied_count=found.tied,
    )


def _find_ends(names: pl.Series) -> Ranks:
    ends = np.zeros(len(names) + 1, np.int64)
    np.cumsum(names.str.len_bytes().to_numpy(), out=ends[1:])
    return ends


def _join_names(names: pl.Series) -> bytes:
    return "".join(names.to_list()).encode()


def _copy_others(library: Any, others: ctypes.c_void_p, count: int) -> np.ndarray[Any, Any]:
    """The queries without judgments, in the order of the file."""
    if not count or others.value is None:
        return np.zeros(0, _OTHER)
    memory = (ctypes.c_char * (count * _OTHER.itemsize)).from_address(others.value)
    copy = np.frombuffer(memory, _OTHER).copy()
    library.gainful_free(others)
    return np.sort(copy, order="at")


def _read_names(path: Path, place: np.ndarray[Any, Any]) -> list[str]:
    with path.open("rb") as stream:
        names = []
        for at, size, _ in place.tolist():
            stream.seek(at)
            names.append(stream.read(size).decode("utf-8", errors="replace"))
    return names
