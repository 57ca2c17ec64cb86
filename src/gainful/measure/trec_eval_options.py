"""What is asked of trec_eval: its flags as a value, and the lines that they print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from gainful.convention import Convention, like
from gainful.errors import UnknownName
from gainful.measure.trec_eval_grammar import TrecLine, expand_trec_name
from gainful.measure.trec_eval_names import GROUPS, GROUPS_9, TREC_NAMES

Version = Literal[9, 10]
NamedLines = list[tuple[str, list[TrecLine]]]  # a name of trec_eval, and the lines it prints


@frozen(kw_only=True)
class TrecEvalOptions:
    """What the flags say."""

    measures: Sequence[str] = ()
    version: Version = 10
    per_query: bool = False
    summary: bool = True
    complete: bool = False  # -c: queries that the run lacks count as 0
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection_size: int = 0
    zscores_path: str | None = None  # -Z: a file of means and standard deviations


def select_lines(options: TrecEvalOptions) -> NamedLines:
    """The names that were asked for, in trec_eval's order, each with the lines it prints."""
    groups = GROUPS if options.version == 10 else GROUPS_9
    selected_names: set[str] = set()
    params: dict[str, str] = {}
    for text in options.measures or ("official",):
        name, dot, suffix = text.partition(".")
        if name in groups:
            selected_names |= {*groups[name]}
        elif name in TREC_NAMES and not (dot and not suffix):
            selected_names.add(name)
            if dot:
                params.setdefault(name, suffix)
        else:
            raise UnknownName("measure", text, [*TREC_NAMES, *groups])
    return [
        (name, expand_trec_name(trec_name, params.get(name) if trec_name.kind != "plain" else None))
        for name, trec_name in TREC_NAMES.items()
        if name in selected_names
    ]


def build_convention(options: TrecEvalOptions) -> Convention:
    """The convention of a version of trec_eval with these flags."""
    convention = like("trec_eval" if options.version == 10 else "trec_eval_9")
    convention = convention.with_settings(rel=options.level, duplicates="count")
    return (
        convention.with_settings(unjudged="remove", negative="remove")
        if options.judged_only
        else convention
    )
