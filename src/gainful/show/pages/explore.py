"""The page of `explore`: the searcher who judges sessions can be changed while one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from gainful.convention.session import JK2008, SESSION_SETTINGS
from gainful.errors import BadInput, BadValue
from gainful.evidence.intervals import DrawnUnits
from gainful.evidence.searchers.calibration import MeasuredSearcher, clamp_base, format_estimate
from gainful.evidence.statistics.bootstrap import draw_weights
from gainful.evidence.statistics.outcome import Resampling
from gainful.formula.renderers import to_javascript, to_mathml
from gainful.match.session_groups import (
    check_group_columns,
    count_sessions,
    describe_judged,
    group_sessions,
    session_columns,
)
from gainful.match.sessions import JudgedResults, MatchedSessions
from gainful.measure.catalogue.sessions import WITH_VECTORS
from gainful.measure.discount import DISCOUNTS, as_query_discount, b, bq
from gainful.measure.entry import SessionRecipe
from gainful.measure.formulas import as_gain
from gainful.measure.functions.sessions.sdcg import session_grade_gains
from gainful.read.sessions import Sessions
from gainful.show.html_page import render_page
from gainful.show.pages.report_data import cut_text
from gainful.show.theme import DASHES
from gainful.text import count_noun, decode_path, format_exact
from gainful.types import Array, Ranks


def command_words(sessions: Any, qrels: object, options: Mapping[str, Any]) -> list[str]:
    """The words by which `gainful sessions` reads the same; capitals for what is no file."""
    is_list = isinstance(sessions, (list, tuple))
    has_files = is_list and all(isinstance(path, (str, PathLike)) for path in sessions)
    files = list(sessions) if has_files else [sessions]
    words = [_name_file(file, "SESSIONS") for file in files]
    words += [] if qrels is None else ["--qrels", _name_file(qrels, "QRELS")]
    # What a page must not tell, as a salt, or has other words for on the command line.
    shown: dict[str, Any] = {**options, "anonymise": bool(options.get("anonymise"))}
    gain_from, propensity = options.get("gain_from"), options.get("propensity")
    if isinstance(gain_from, Mapping):
        shown["gain_from"] = ",".join(f"{name}={weight:g}" for name, weight in gain_from.items())
    if propensity is not None:
        shown["propensity"] = _name_file(propensity, "PROPENSITIES")
    for name, value in shown.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            for key, texts in value.items():
                for text in [texts] if isinstance(texts, str) else texts:
                    words += [option, f"{key}={text}"]
        elif isinstance(value, (list, tuple)):
            words += [word for text in value for word in (option, str(text))]
        elif value is True:
            words.append(option)
        elif value not in (None, False):
            words += [option, str(value)]
    return words


def _name_file(source: object, placeholder: str) -> str:
    return decode_path(fspath(source)) if isinstance(source, (str, PathLike)) else placeholder


_MAX_CUTOFF = 100
_GAINS = ("linear", "exp", "binary")
# What the script of the page computes; every other answer is refused.
_FIXED_SETTINGS = {
    "rank_discount": "restart",
    "lists": "padded",
    "at": "results",
    "depth": "assumed",
    "normalise": "session",
    "average": "ratios",
    "statistic": "final",
}
_REFUSED_SETTINGS = {"negative": "error", "empty": "error"}


def check_page_measure(recipe: SessionRecipe) -> None:
    """Refuse what the page does not compute."""
    if not recipe.entry.has_vectors:
        raise BadValue("measure", recipe.label, f"{' or '.join(WITH_VECTORS)}, in a page")
    for name, supported in _FIXED_SETTINGS.items():
        answer = getattr(recipe.convention, name)
        if answer != supported:
            raise BadValue(name, answer, f"{supported}, in a page")
    for name, refused in _REFUSED_SETTINGS.items():
        if getattr(recipe.convention, name) == refused:
            others = [str(choice) for choice in SESSION_SETTINGS[name].answers if choice != refused]
            raise BadValue(name, refused, f"{' or '.join(others)}, in a page")
    if recipe.k is None or recipe.k > _MAX_CUTOFF:
        raise BadValue("k", recipe.k, f"at most {_MAX_CUTOFF}, in a page")


def refuse_unanswerable(
    recipe: SessionRecipe, allowed_answers: Mapping[str, Mapping[str, str]]
) -> None:
    """Refuse what these sessions cannot begin with, such as clicks where there are none."""
    discounts = {discount["name"]: discount["meaning"] for discount in discount_choices()}
    allowed_answers = {**allowed_answers, "discount": discounts, "query_discount": discounts}
    for name, allowed in allowed_answers.items():
        answer = str(getattr(recipe.convention, name))
        if name in recipe.entry.params and answer not in allowed:
            raise BadValue(name, answer, f"{', '.join(allowed)}, in a page of these sessions")


@frozen(eq=False)
class Grades:
    """All grades there are, ascending, and what of them the page is about."""

    values: Array
    has_own: bool  # are those of the searchers among them?

    def encode(self, grades: Array) -> list[int]:
        """The number of each grade."""
        codes: list[int] = np.searchsorted(self.values, grades).tolist()
        return codes


def choose_grades(sessions: MatchedSessions, recipe: SessionRecipe) -> Grades:
    """All grades; those of searchers only where they have a worth too."""
    if "grade" in sessions.rows.columns:
        all_grades = _collect_grades(sessions, own=True)
        try:
            session_grade_gains(all_grades.values, recipe, sessions, None)
        except BadValue:  # a table of weights need not know what searchers said
            if recipe.convention.duplicates == "judged":
                raise
        else:
            return all_grades
    return _collect_grades(sessions, own=False)


def gain_choices(
    sessions: MatchedSessions, recipe: SessionRecipe, grades: Grades
) -> list[dict[str, Any]]:
    """What grades are worth by each gain that is offered; the first is the one to begin with."""
    offered = {recipe.gain.name: recipe.gain}
    offered |= {name: as_gain(name) for name in _GAINS if name not in offered}
    choices = []
    for name, gain in offered.items():
        try:
            weights = session_grade_gains(grades.values, evolve(recipe, gain=gain), sessions, None)
        except BadValue:  # 2^g of a huge grade is no number
            if gain is recipe.gain:
                raise
            continue
        spelling = {"gain": name} | {p: v for p, v in gain.param_values.items() if p == "rel"}
        choice = {"name": name, "spelling": spelling, "meaning": gain.meaning}
        choices.append({**choice, "weights": weights.tolist(), "text": gain.text()})
    return choices


def discount_choices() -> list[dict[str, Any]]:
    """Every discount of one base at most, as the script computes it and as it is set."""
    choices = []
    for name, formula in DISCOUNTS.items():
        if {param.symbol for param in formula.params} - {b.symbol}:
            continue
        query = as_query_discount(formula)
        choices.append(
            {
                "name": name,
                "meaning": formula.meaning,
                "based": bool(formula.params),
                "rank": to_javascript(formula.expr),
                "query": to_javascript(query.expr),
                "rankSet": to_mathml(formula.expr),
                "querySet": to_mathml(query.expr),
            }
        )
    return choices


def setting_answers(sessions: MatchedSessions, grades: Grades) -> dict[str, dict[str, str]]:
    """The answers to settings that these sessions allow, in words."""
    per_base = [("duplicates", "first"), ("ideal", "once"), ("ideal", "best_slots")]
    available = dict.fromkeys([*per_base, ("hold", "growing")], sessions.has_single_base)
    available["duplicates", "clicked"] = "clicked" in sessions.rows.columns
    available["duplicates", "judged"] = grades.has_own
    return {
        name: {
            str(answer): words
            for answer, words in SESSION_SETTINGS[name].answers.items()
            if available.get((name, str(answer)), True)
        }
        for name in ("duplicates", "ideal", "hold")
    }


def choose_group_column(
    sessions: MatchedSessions, source: str, columns: Sequence[Mapping[str, Any]], by: str | None
) -> str | None:
    """The column to group by first, system if none was asked for; None without two groups."""
    group_columns = [column["name"] for column in columns if column["groups"]]
    if by is None:
        return "system" if "system" in group_columns else None
    group_count = len(group_sessions(sessions, by, source))
    if by in group_columns:
        return by
    if group_count > 1:
        allowed = f"a column of 2 to {_MAX_GROUPS} groups; it has {group_count}"
        raise BadValue("by", by, allowed)
    return None


_MAX_GROUPS = 7  # that colours can tell apart
_MAX_CHOICES = 40  # values of a column that one can choose from
_MAX_TEXT = 10_000  # characters of a text that a page holds
_MAX_DRAWS = 1_000_000  # of units, for the intervals of a page: a character each
_RESAMPLES = (200, 2000)  # at least, and at most
_DIGITS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
_MAX_DEPTH = 50  # results of a query that a page holds, unless the measure looks deeper
_MAX_WEIGHTS = 12  # grades that have a slider each
_PAGE_SETTINGS = ("gain", "discount", "query_discount", "duplicates", "ideal", "hold")


def render_explore(
    loaded: Sessions,  # as they were read
    sessions: MatchedSessions,
    recipe: SessionRecipe,  # of the measure to begin with
    *,
    by: str | None,  # the column to group by first, if one was named
    ranges: dict[str, tuple[float, float]],  # of b and bq, that the map shows
    units: DrawnUnits,  # what is drawn again for intervals
    command: Sequence[str],  # the words by which `gainful sessions` reads the same
    searcher: MeasuredSearcher | None,  # that was measured in a log
    title: str | None,
) -> str:
    """The page, as HTML in one file that loads nothing.

    Its script works on columns of plain data, in which texts and documents stand once.
    """
    convention, counts = recipe.convention, count_sessions(sessions)
    grades = choose_grades(sessions, recipe)
    answers = setting_answers(sessions, grades)
    refuse_unanswerable(recipe, answers)
    columns = _filter_columns(sessions, loaded)
    group_column = choose_group_column(sessions, loaded.name, columns, by)
    depth = max(recipe.k or 1, min(int(sessions.retrieved.max(initial=1)), _MAX_DEPTH), 1)
    data = {
        "sessions": _session_columns(sessions, loaded),
        "queries": _query_columns(sessions, depth),
        "results": _result_columns(sessions, grades, depth),
        "pool": _pool_columns(sessions.judged, grades),
        "ownPool": _pool_columns(sessions.searcher_judgments(), grades) if grades.has_own else None,
        "columns": columns,
        "grades": {
            "values": grades.values.tolist(),
            "labels": [format_exact(float(grade)) for grade in grades.values],
            "observed": sessions.gain_event,  # then they are gains of actions, not judgments
            "noun": "actions worth" if sessions.gain_event else "grade",
            "sliders": len(grades.values) <= _MAX_WEIGHTS,
        },
        "gains": gain_choices(sessions, recipe, grades),
        "discounts": discount_choices(),
        "bases": {
            base.symbol: {"typical": base.typical, "default": base.default} for base in (b, bq)
        },
        "answers": answers,
        "defaults": {
            name: getattr(JK2008, name) for name in (*_PAGE_SETTINGS, "negative", "empty")
        },
        "start": {
            "normalised": recipe.entry.normalised,
            "b": convention.b or b.default,
            "bq": convention.bq or bq.default,
            "x": recipe.k,
            "deepest": depth,
            **{name: getattr(convention, name) for name in _PAGE_SETTINGS if name != "gain"},
            "negative": convention.negative,
            "empty": convention.empty,
            "unjudged": convention.unjudged,
            "subtopic_grades": convention.subtopic_grades,
            "by": group_column,
        },
        "command": list(command),
        "map": ranges | ({} if group_column else _explain_no_map(sessions)),
        "units": _unit_columns(units, sessions.size),
        "measured": _build_measured(searcher),
        "look": {"dashes": DASHES},
    }
    count_texts = [
        count_noun(counts["sessions"], "session"),
        count_noun(counts["queries"], "query"),
        describe_judged(counts, sessions.gain_event),
    ]
    return render_page(
        "explore.html",
        feature="gainful explore",
        data=data,
        title=title or PurePath(loaded.name).name,
        counts=" · ".join(count_texts),
        settings=SESSION_SETTINGS,
        gain_event=sessions.gain_event,
        notes=sessions.notes,
    )


def _build_measured(searcher: MeasuredSearcher | None) -> dict[str, Any] | None:
    """The bases that were measured in a log, with their intervals, in numbers and in words."""
    if searcher is None:
        return None
    return {
        name: estimate
        and {
            **{end: clamp_base(getattr(estimate, end)) for end in ("value", "low", "high")},
            "text": format_estimate(estimate, searcher.level),
        }
        for name, estimate in (("b", searcher.b), ("bq", searcher.bq))
    }


def _explain_no_map(sessions: MatchedSessions) -> dict[str, str]:
    """Why there are no groups to compare."""
    columns = session_columns(sessions)
    group_count = columns["system"].n_unique() if "system" in columns.columns else 0
    why = f"system has {group_count} values, and at most {_MAX_GROUPS} are compared"
    return {"why": why if group_count > 1 else "there are no two groups to compare"}


def _collect_grades(sessions: MatchedSessions, *, own: bool) -> Grades:
    """The grades of all judged documents; with `own`, those that searchers gave too."""
    parts = [sessions.judged.pool_grade]
    if own:
        by_searcher = sessions.searcher_judgments()
        parts += [by_searcher.grade, by_searcher.pool_grade]
    return Grades(np.unique(np.concatenate(parts)), own)


def _session_columns(sessions: MatchedSessions, loaded: Sessions) -> dict[str, Any]:
    """A column for each thing to know of a session."""
    longest = loaded.frame.group_by("session").agg(pl.col("query").max().alias("query_count"))
    names = pl.DataFrame({"session": list(sessions.session_ids)})
    joined = names.join(longest, on="session", how="left", maintain_order="left")
    return {
        "names": [cut_text(name, _MAX_TEXT) for name in sessions.session_ids],
        "queries": sessions.query_counts.tolist(),
        "allQueries": joined["query_count"].to_list(),  # of which some may have no judgments
    }


def _query_columns(sessions: MatchedSessions, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a query."""
    first_rows = sessions.layout.query_starts
    texts: list[str | None] = [None] * len(first_rows)
    if "text" in sessions.rows.columns:
        texts = sessions.rows["text"].gather(first_rows).cast(pl.String).to_list()
    text_numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return {
        "text": [text_numbers[text] for text in texts],
        "texts": [None if text is None else cut_text(text, _MAX_TEXT) for text in text_numbers],
        "shown": np.minimum(sessions.retrieved, deepest).tolist(),
        "listed": sessions.retrieved.tolist(),
    }


def _result_columns(sessions: MatchedSessions, grades: Grades, deepest: int) -> dict[str, Any]:
    """A column for each thing to know of a result, down to some rank, query by query."""
    rows = sessions.rows
    rank = rows["rank"].fill_null(0).to_numpy()
    in_page = (rank > 0) & (rank <= deepest) & rows["doc"].is_not_null().to_numpy()
    docs = rows["doc"].filter(pl.Series(in_page))
    unique_docs = docs.unique(maintain_order=True)
    columns = {
        "docs": [cut_text(doc, _MAX_TEXT) for doc in unique_docs],
        "doc": _number(docs, unique_docs),
        "grade": _grade_codes(sessions.judged, grades, len(rows))[in_page].tolist(),
    }
    if "clicked" in rows.columns:
        clicked_before = np.zeros(len(rows), dtype=bool)
        clicked_before[sessions.judged.row] = ~sessions.is_before_click()
        columns["clicked"] = rows["clicked"].to_numpy().astype(int)[in_page].tolist()
        columns["clickedBefore"] = clicked_before.astype(int)[in_page].tolist()
    if grades.has_own:
        own_codes = _grade_codes(sessions.searcher_judgments(), grades, len(rows))
        columns["own"] = own_codes[in_page].tolist()
    return columns


def _grade_codes(judged: JudgedResults, grades: Grades, size: int) -> Ranks:
    codes = np.full(size, -1)
    codes[judged.row] = grades.encode(judged.grade)
    return codes


def _pool_columns(judged: JudgedResults, grades: Grades) -> dict[str, Any]:
    """How many documents of which grade there are to be found, for each query."""
    bases = np.unique(judged.base[judged.base >= 0])
    used = np.isin(judged.pool_base, bases)
    base = np.searchsorted(bases, judged.pool_base[used])
    grade = np.searchsorted(grades.values, judged.pool_grade[used])
    kinds, count = np.unique(base * len(grades.values) + grade, return_counts=True)
    base_numbers = np.where(judged.base >= 0, np.searchsorted(bases, judged.base), -1)
    return {
        "of": base_numbers.tolist(),
        "base": (kinds // len(grades.values)).tolist(),
        "grade": (kinds % len(grades.values)).tolist(),
        "count": count.tolist(),
        "bases": len(bases),
    }


def _filter_columns(sessions: MatchedSessions, loaded: Sessions) -> list[dict[str, Any]]:
    """What sessions can be chosen by, and grouped by if there are few of it."""
    columns: list[dict[str, Any]] = []
    heads = session_columns(sessions)
    names = [name for name in loaded.columns if name in heads.columns]
    partitions = []
    for name in sorted(names, key="topic".__eq__):  # which is often the same as another column
        values = heads[name].alias("value")
        if not 2 <= values.n_unique() <= _MAX_CHOICES or not _is_nameable(sessions, name):
            continue
        ordered = values.unique().sort(nulls_last=True)
        codes = _number(values, ordered)
        if _partition(codes) in partitions:
            continue
        partitions.append(_partition(codes))
        texts = ordered.cast(pl.String).to_list()
        columns.append(
            {
                "name": name,
                "values": [None if text is None else cut_text(text, _MAX_TEXT) for text in texts],
                # what --where cannot say is not offered
                "where": [
                    text is not None and text == text.strip() and len(text) <= _MAX_TEXT
                    for text in texts
                ],
                "code": codes,
                "groups": ordered.len() <= _MAX_GROUPS,
            }
        )
    return columns


def _unit_columns(units: DrawnUnits, size: int) -> dict[str, Any]:
    """What is drawn again (searchers, or sessions), and how often each is in every resample.

    The draws are those of `draw_weights`, resample after resample, a digit for each unit.
    """
    number = size if units.number is None else int(units.number.max()) + 1
    fewest, most = _RESAMPLES
    resamples = min(max(_MAX_DRAWS // number, fewest), most)
    counts = np.concatenate(
        [drawn for _, drawn in draw_weights(number, Resampling(resamples=resamples))]
    )
    digits = _DIGITS[np.minimum(counts, len(_DIGITS) - 1).astype(np.intp)]
    return {
        "words": units.words,
        "number": number,
        "of": None if units.number is None else units.number.tolist(),
        "resamples": resamples,
        "weights": digits.tobytes().decode("ascii"),
    }


def _number(values: pl.Series, known: pl.Series) -> list[int]:
    """The place of each value among those that are known."""
    numbered = known.alias("value").to_frame().with_row_index("number")
    frame = values.alias("value").to_frame()
    joined = frame.join(numbered, on="value", how="left", nulls_equal=True, maintain_order="left")
    return joined["number"].to_list()


def _partition(codes: Sequence[int]) -> tuple[int, ...]:
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(code, len(numbers)) for code in codes)


def _is_nameable(sessions: MatchedSessions, name: str) -> bool:
    with suppress(BadInput, BadValue):
        check_group_columns(sessions, name, name)
        return name == name.strip() and not {",", "="} & {*name}
    return False
