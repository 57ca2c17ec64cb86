"""A large TREC run in a file → `Matched`, some whole queries at a time: memory holds no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

import polars as pl

from gainful.convention import Convention
from gainful.errors import GainfulError
from gainful.match.frames import match_subtopics, order_pool
from gainful.match.match import match
from gainful.match.matched import Matched
from gainful.match.parts import concat_parts, match_part, pack_qrels
from gainful.match.rank_order import invert_order
from gainful.read.formats import find_format
from gainful.read.qrels_and_run import Qrels, Run
from gainful.read.source import is_file, open_source
from gainful.read.trec_files import RUN_LINES, find_run_format, read_first_rows, scan_pieces

MIN_BYTES = 1 << 25  # of a file that is matched in parts
PART_ROWS = 1 << 19  # at least, and the rest of a query


def match_large_file(
    qrels: Qrels, path: str | PathLike[str], format_name: str | None, convention: Convention
) -> tuple[Run, Matched] | None:
    """The first rows of a large run and what was matched of it; None where it has to be read whole.

    That is so where a line is malformed or a comment, where a query stands in several places, and
    where anything is refused: the message needs the rows.
    """
    if convention.extra != "ignore" or not is_file(path):
        return None
    try:
        source = open_source(path)
        is_trec = find_format(source, format_name).name == "trec"
        if source.size < MIN_BYTES or not is_trec or find_run_format(source) is not RUN_LINES:
            return None
        parts = _match_queries(qrels, _iterate_frames(scan_pieces(source, RUN_LINES)), convention)
        if not parts or not any((part.judged & part.in_run).any() for part in parts):
            return None
        subtopics = match_subtopics(qrels, invert_order(order_pool(qrels)[1]))
        matched = concat_parts(parts, qrels.queries.to_list(), subtopics=subtopics)
        return read_first_rows(source), matched
    except GainfulError:
        return None


def _iterate_frames(
    pieces: Iterable[tuple[pl.DataFrame | None, bool]],
) -> Iterator[pl.DataFrame | None]:
    """The rows of a file, in frames of whole queries; None where it has to be read whole."""
    rows = None
    for piece, commented in pieces:
        if piece is None or commented:
            yield None
            return
        rows = piece if rows is None else pl.concat([rows, piece])
        last = int(rows["query"].rle().struct.field("len")[-1])
        if len(rows) - last >= PART_ROWS:
            yield rows.head(-last)
            rows = rows.tail(last)
    yield rows


def _match_queries(
    qrels: Qrels, frames: Iterable[pl.DataFrame | None], convention: Convention
) -> list[Matched]:
    """What was matched of each frame, and of queries in none of them; nothing if that fails."""
    judged, seen, parts = pack_qrels(qrels), set[str](), []
    for frame in frames:
        queries = {*frame["query"].unique()} if frame is not None else seen
        if frame is None or not seen.isdisjoint(queries):
            return []
        seen |= queries
        own = judged["query"].is_in([*queries])
        run = Run(frame.select(RUN_LINES.columns), part=True)
        parts.append(match_part(match, convention, judged.filter(own), run))
        judged, none = judged.filter(~own), frame.clear().select(RUN_LINES.columns)
    return [*parts, match_part(match, convention, judged, Run(none, part=True))]
