"""What is asked of trec_eval: its flags as a value, and the lines that they print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from gainful.convention import Convention, like
from gainful.errors import UnknownName
from gainful.measure.trec_eval_grammar import TrecLine, expand_trec_name, share_gains
from gainful.measure.trec_eval_names import (
    EVERY_NAME,
    GROUPS,
    GROUPS_9,
    GROUPS_OF_OTHER_JUDGMENTS,
    NOT_IN_9,
)
from gainful.read.trec_eval_files import QrelsFormat

Version = Literal[9, 10]


@frozen(kw_only=True)
class TrecEvalOptions:
    """What the flags say."""

    measures: Sequence[str] = ()
    version: Version = 10
    qrels_format: QrelsFormat = "qrels"  # -R
    per_query: bool = False
    summary: bool = True
    complete: bool = False  # -c: queries that the run lacks count as 0
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection_size: int = 0
    zscores_path: str | None = None  # -Z: a file of means and standard deviations
    only_query: str | None = None  # -D 0.QUERY: evaluate nothing else


def select_names(options: TrecEvalOptions) -> dict[str, str | None]:
    """The names that were asked for, in trec_eval's order, each with what follows its dot."""
    groups = {**(GROUPS if options.version == 10 else GROUPS_9), **GROUPS_OF_OTHER_JUDGMENTS}
    names = [name for name in EVERY_NAME if options.version == 10 or name not in NOT_IN_9]
    selected_names: set[str] = set()
    params: dict[str, str] = {}
    for text in options.measures or ("official",):
        name, dot, suffix = text.partition(".")
        if dot and not suffix:
            raise UnknownName("measure", text, [*names, *groups])
        if dot:
            params.setdefault(name, suffix)
        if name in groups:
            selected_names |= {*groups[name]}
        elif name in names:
            selected_names.add(name)
        else:
            raise UnknownName("measure", text, [*names, *groups])
    return {name: params.get(name) for name in names if name in selected_names}


def select_lines(options: TrecEvalOptions) -> list[TrecLine]:
    """The lines that are printed, in trec_eval's order."""
    version_10 = options.version == 10
    return share_gains(
        [
            line
            for name, suffix in select_names(options).items()
            for line in expand_trec_name(EVERY_NAME[name], suffix, whole_names_only=version_10)
        ]
    )


def build_convention(options: TrecEvalOptions) -> Convention:
    """The convention of a version of trec_eval with these flags."""
    convention = like("trec_eval" if options.version == 10 else "trec_eval_9")
    convention = convention.with_settings(rel=max(options.level, 0), duplicates="count")
    return (
        convention.with_settings(unjudged="remove", negative="remove")
        if options.judged_only
        else convention
    )
