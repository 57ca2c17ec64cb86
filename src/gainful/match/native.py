"""A TREC run in a file → `Matched`, by the native engine, if that is installed.

The engine (`gainful-native`, C by ctypes) gives ranks, which are whole numbers; whatever is unusual
in a file it leaves to the pure engine, which says what is wrong.
"""

from __future__ import annotations

import ctypes
import os
from importlib.util import find_spec
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from attrs import evolve

from gainful.match.dicts import build_dict_pools
from gainful.match.matched import Matched
from gainful.match.pools import Pools, build_matched, build_pools, match_subtopics
from gainful.match.ties import TieBlocks
from gainful.read.formats import find_format
from gainful.read.qrels_and_run import NestedDict, Qrels
from gainful.read.small_trec import read_first_lines
from gainful.read.source import choose_engine, describe_change, is_file, open_source
from gainful.types import Ranks

_VERSION = 4
_MAX_ROWS = 2**31 - 1
_MAX_OTHERS = 1 << 20  # queries without judgments


def load_library() -> tuple[Any, str]:
    """The library and its name; None, and why there is none."""
    if choose_engine() == "pure":
        return None, "GAINFUL_ENGINE=pure"
    package = find_spec("gainful_native")
    if package is None or package.origin is None:
        return None, "gainful-native is not installed"
    path = Path(package.origin).with_name("match.so")
    try:
        _refuse_cut_library(path)
        library = ctypes.CDLL(str(path))
        version, _ = library.gainful_version(), library.gainful_match
    except (OSError, AttributeError) as failure:
        return None, f"gainful-native cannot be loaded: {failure}"
    if version != _VERSION:
        return None, f"gainful-native has version {version} of its interface, not {_VERSION}"
    return library, f"gainful-native {version}"


def _refuse_cut_library(path: Path) -> None:
    """Loading an ELF file that ends before its last table, of sections, can end the process."""
    head = path.read_bytes()[:64]
    if head[:5] != b"\x7fELF\2" or len(head) < 64:
        return
    order: Literal["little", "big"] = "little" if head[5] == 1 else "big"
    start, size, count = (
        int.from_bytes(head[slice(*at)], order) for at in ((40, 48), (58, 60), (60, 62))
    )
    if start + size * count > path.stat().st_size:
        raise OSError(f"{path} is cut off")


def match_run_file(
    qrels: Qrels | NestedDict,
    path: str | PathLike[str],
    format_name: str | None,
    score_bits: Literal[64, 32],
) -> Matched | None:
    """What was matched of a run, with its first rows, if the native engine reads the file.

    Args:
        qrels: what was judged.
        path: the file.
        format_name: its format, if that is named.
        score_bits: how precise scores are.
    """
    library, _ = load_library()
    if library is None or fspath(path) == "-" or not is_file(path):
        return None
    source = open_source(path)
    if source.path is None or find_format(source, format_name).name != "trec":
        return None
    with source.path.open("rb") as file:
        matched = _match_file(library, qrels, file.fileno(), source.name, score_bits)
    if matched is None:
        return None
    return evolve(matched, qrels=qrels, run=read_first_lines(source))


def _match_file(
    library: Any, qrels: Qrels | NestedDict, file: int, name: str, score_bits: Literal[64, 32]
) -> Matched | None:
    queries, docs, order, pools = _list_judged(qrels)
    if len(docs) > _MAX_ROWS:
        return None
    first_row = np.searchsorted(pools.base[order], np.arange(len(queries) + 1)).astype(np.int64)
    ranks, retrieved = np.zeros((len(docs), 4), np.int32), np.zeros(len(queries), np.int64)
    others, sums = np.empty((_MAX_OTHERS, 3), np.int64), np.zeros(2, np.int64)
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    size = os.fstat(file).st_size
    judged = (*_join_names(queries), first_row, *_join_names(docs))
    outputs = (ranks, retrieved, others, _MAX_OTHERS, sums)
    is_ours = library.gainful_match(
        *(file, ctypes.c_int64(size), threads, score_bits, len(queries)),
        *(
            value.ctypes if isinstance(value, np.ndarray) else value
            for value in (*judged, *outputs)
        ),
    )
    size_now = os.fstat(file).st_size
    if size_now != size:
        raise describe_change(name, min(size, size_now))
    tied_count, other_count = sums.tolist()
    if not is_ours or not (retrieved.any() or other_count):
        return None
    others = others[:other_count][np.argsort(others[:other_count, 0])]
    names = [
        os.pread(file, length, at).decode(errors="replace")  # it was UTF-8 a moment ago
        for at, length in others[:, :2].tolist()
    ]
    if len(set(names)) < len(names):  # one of them stands in several places
        return None
    del judged, docs  # which are large
    place = np.flatnonzero(ranks[:, 0])
    place = place[np.argsort(order[place])]
    row = order[place]
    all_queries = [*queries, *names]
    retrieved = np.concatenate([retrieved, others[:, 2]]).astype(np.intp)
    return build_matched(
        pools,
        all_queries,
        retrieved,
        row,
        TieBlocks(pools.base[row], *ranks[place].T.astype(np.intp)),
        judged=np.arange(len(all_queries)) < len(queries),
        in_run=retrieved > 0,
        tied_count=tied_count,
        subtopics=match_subtopics(qrels, pools) if isinstance(qrels, Qrels) else None,
    )


def _list_judged(
    qrels: Qrels | NestedDict,
) -> tuple[list[str], pl.Series | list[str], Ranks, Pools]:
    """The judged queries, the documents of each together, their order, and the pools."""
    if isinstance(qrels, Qrels):
        pools = build_pools(qrels)
        docs = qrels.frame["doc"].gather(pools.order)
        return qrels.queries.to_list(), docs, pools.order, pools
    names = [*chain.from_iterable(qrels.mapping.values())]
    return [*qrels.mapping], names, np.arange(len(names)), build_dict_pools(qrels)


def _join_names(names: pl.Series | list[str]) -> tuple[bytes, Ranks]:
    """Names one behind the other, and where each begins and ends."""
    if not isinstance(names, list):
        ends = np.cumsum(names.str.len_bytes(), dtype=np.int64)
        return names.str.join("").cast(pl.Binary).item(), np.append(0, ends)
    joined = "".join(names).encode()
    sizes = names if len(joined) == sum(map(len, names)) else [name.encode() for name in names]
    return joined, np.cumsum(np.fromiter(chain((0,), map(len, sizes)), np.int64))
