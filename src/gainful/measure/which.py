"""Whose nDCG is this? Every formula and setting that turns a ranking into a given value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import product
from math import e
from typing import Any

import numpy as np
from attrs import evolve, frozen

from gainful.convention import CONVENTIONS, Convention
from gainful.errors import BadValue, GainfulError
from gainful.formula import NamedFormula
from gainful.measure.arrays import dcg_curve, idcg_curve
from gainful.measure.build_recipes import FORMULAS, build_recipe
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import Recipe
from gainful.measure.formulas import as_gain
from gainful.measure.gain import GAINS, REL
from gainful.measure.measure import CG, DCG, IDCG, Measure, nDCG
from gainful.measure.rank_matrix import Batch, RankedRows, rank_row_gains
from gainful.measure.ranked_run import compute_vectors
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table, to_plain_data
from gainful.read.ranking_matrix import RankingMatrix
from gainful.rounding import ROUNDING
from gainful.text import NUMBER_PATTERN, count_noun, join_words, mark_notes


@frozen
class Misprint:
    """A worked example: its ranking, what it prints at ranks 1, 2, …, and what went wrong."""

    source: str
    measure: Measure
    grades: tuple[int, ...]
    printed: tuple[str, ...]
    reason: str
    terms: bool = False  # is it what each rank adds, and not the sum so far?

    def list_errors(self) -> list[tuple[int, str, float]]:
        """Rank, what is printed and what the formula gives, where they differ beyond rounding."""
        compute: Any = dcg_curve if self.measure.name == "DCG" else idcg_curve
        curve = compute(self.grades, **dict(self.measure.params))
        values = np.diff(curve, prepend=0.0) if self.terms else curve
        slack = 0.5001 * 10.0 ** -max(len(text.partition(".")[2]) for text in self.printed)
        lines = zip(range(1, len(self.printed) + 1), self.printed, values.tolist(), strict=False)
        return [line for line in lines if abs(float(line[1]) - line[2]) > slack]

    def describe(self, value: float) -> str:
        """Where it prints this value by mistake, and what is right; nothing where it does not."""
        errors = [error for error in self.list_errors() if float(error[1]) == value]
        if not errors:
            return ""
        ranks = f"rank{'s' * (len(errors) > 1)} {join_words([str(rank) for rank, *_ in errors])}"
        right = join_words([*dict.fromkeys(f"{right:.4f}" for *_, right in errors)])
        what = f"{'a term of ' * self.terms}{self.measure}"
        printed = f"{self.source} prints {errors[0][1]} at {ranks}, a misprint"
        return f"{printed}: {what} is {right} there ({self.reason})"


MISPRINTS = (
    Misprint(
        "The appendix of Järvelin, Price, Delcambre & Nielsen 2008",
        DCG(discount="jk2008", b=4),
        (3, 2, 3, 0, 0, 1, 2, 2, 3, 0),
        ("3", "4", "5.67", "5.67", "5.67", "6.11", "6.94", "8.14", "9.30", "9.30"),
        "rank 2 is divided by 2 instead of 1.5, rank 8 has gain 3 instead of 2",
    ),
    Misprint(
        "A chat assistant's worked nDCG",
        IDCG(gain="exp"),
        (3, 2, 3, 0, 1, 2, 0, 1, 0, 2),
        ("7", "3.5", "3.5", "1.89", "1.07", "1.07", "0.387", "0.316"),
        "the ideal contains a third grade 3; ranks 2, 4, 5 and 7 use the discount of another rank",
        terms=True,
    ),
    Misprint(
        "Wikipedia's worked DCG",
        DCG(discount="jk2002", b=2),
        (3, 2, 3, 0, 1, 2),
        ("3", "2", "1.892", "0", "0.431", "0.774"),
        "truncated, not rounded",
        terms=True,
    ),
)


BASES = (2.0, e, 3.0, 4.0, 5.0, 10.0, 1.5)
_WEIGHTS = as_gain({0: 0, 1: 1, 2: 10, 3: 100})
_NEAREST = 5
_LISTED = 10  # formulations that a page lists; JSON and CSV have all of them
_LISTED_TOOLS = 3  # tools that a sentence names
_TOOL_ORDER = tuple(CONVENTIONS)

_DEFAULTS: Mapping[str, Any] = CONVENTIONS["gainful"].settings() | {"rel": REL.default}
_DISCOUNT_PARAMS = ("discount", "b")

Params = Mapping[str, Any]
Pairs = tuple[tuple[str, Any], ...]  # parameters in the order of the measure
Candidate = tuple[float, Measure, Pairs, int | None, list[str]]  # …, cutoff, tools
_Line = tuple[float, Pairs, list[str]]  # value, parameters, tools


@frozen
class Formulation:
    """One measure that fits, its value, and the tools that compute it."""

    measure: Measure
    value: float
    tools: tuple[str, ...]


@frozen(repr=False)
class Formulations(Shown):
    """What was found: all that fits, or if nothing does, the nearest few."""

    text: str  # the value as it was given
    tolerance: float  # half a unit of its last digit
    matches: tuple[Formulation, ...]
    nearest: tuple[Formulation, ...] = ()
    misprints: tuple[str, ...] = ()  # sources that print it of this ranking by mistake

    def __bool__(self) -> bool:
        return bool(self.matches)

    def page(self, *, verbose: bool = False) -> Page:
        """A line for each of the first formulations, the best known first; all if `verbose`."""
        listed = self.matches or self.nearest
        shown = listed if verbose else listed[:_LISTED]
        more = len(listed) - len(shown)
        note = f"… and {more} more; -v and --format json list all"
        return Page(
            answer=format_answer(self),
            sections=[Section(table=_build_table(shown))],
            notes=[*([note] if more else []), *mark_notes(self.misprints)],
            rows=lambda: _list_rows(listed),
            data=self.to_dict,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "value": float(self.text),
            "within": self.tolerance,
            "matches": [to_plain_data(formulation) for formulation in self.matches],
            "nearest": [to_plain_data(formulation) for formulation in self.nearest],
            "misprints": list(self.misprints),
        }


@frozen(eq=False)
class _Ranking:
    """A ranking, how deep it can be cut, and which settings can make a difference for it."""

    grades: RankingMatrix
    judged: RankingMatrix | None
    depth: int
    setting_names: tuple[str, ...]
    values: frozenset[float]


def find_formulations(
    value: str | float, grades: RankingMatrix, judged: RankingMatrix | None
) -> Formulations:
    """The formulations that give this value, to the precision it is printed with."""
    wanted, tolerance = _parse_value(value)
    ranking = _build_ranking(grades, judged)
    measures = [nDCG] if wanted <= 1 + tolerance else [nDCG, DCG, IDCG, CG]
    candidates = [candidate for measure in measures for candidate in _candidates(measure, ranking)]
    candidates.sort(key=lambda candidate: abs(candidate[0] - wanted))
    reach = tolerance * (1 + 1e-9)  # half a unit, whatever binary fractions make of it
    formulations = [_as_formulation(*near) for near in candidates if abs(near[0] - wanted) <= reach]
    nearest = [] if formulations else [_as_formulation(*near) for near in candidates[:_NEAREST]]
    asked = tuple(grades.values[0].tolist())
    texts = [misprint.describe(wanted) for misprint in MISPRINTS if misprint.grades == asked]
    return Formulations(
        text=str(value),
        tolerance=tolerance,
        matches=tuple(sorted(formulations, key=_sort_key)),
        nearest=tuple(nearest),
        misprints=tuple(filter(None, texts)),
    )


def _parse_value(value: str | float) -> tuple[float, float]:
    allowed = "a number as a tool prints it, such as 0.932"
    if not re.fullmatch(NUMBER_PATTERN, str(value), re.ASCII):
        raise BadValue("value", value, allowed)
    try:
        number = Decimal(str(value))
    except InvalidOperation:  # an exponent of hundreds of digits
        raise BadValue("value", value, allowed) from None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -300 or number.adjusted() > 300:
        raise BadValue("value", value, allowed)  # beyond what a float can tell
    return float(number), 0.5 * 10.0**exponent


def _build_ranking(grades: RankingMatrix, judged: RankingMatrix | None) -> _Ranking:
    both = [rows.values for rows in (grades, judged) if rows is not None]
    values = np.concatenate([rows[0] for rows in both])
    matters = {
        "ideal": judged is not None,
        "ideal_depth": True,
        "negative": bool((values < 0).any()),
        "fractional": bool((values != np.trunc(values)).any()),
        "empty": not (values > 0).any() or bool((values < 0).any()),  # can the ideal be zero?
    }
    return _Ranking(
        grades=grades,
        judged=judged,
        depth=max(rows.shape[1] for rows in both),
        setting_names=tuple(setting for setting, differs in matters.items() if differs),
        values=frozenset(values.tolist()),
    )


def _candidates(measure: Measure, ranking: _Ranking) -> Iterator[Candidate]:
    """Every formula at every cutoff; what gives the same value shares a line, in few words."""
    lines_by_formula: dict[tuple[object, int | None], list[_Line]] = {}
    for params, values, tool in _compute_variants(measure, ranking):
        formula = tuple(pair for pair in params if pair[0] in FORMULAS)
        for k, value in values.items():
            same = lines_by_formula.setdefault((formula, k), [])
            line = next((line for line in same if abs(line[0] - value) < ROUNDING), None)
            if line is None:
                line = (value, params, [])
                same.append(line)
            line[2].extend(tool)
    for (_, k), lines in lines_by_formula.items():
        for value, params, tools in lines:
            yield value, measure, params, k, tools


def _compute_variants(
    measure: Measure, ranking: _Ranking
) -> Iterator[tuple[Pairs, dict[int | None, float], list[str]]]:
    """Formulas and settings by themselves, then each tool as it is: parameters, values, tool."""
    gains_by_setting: dict[Pairs, tuple[Recipe, RankedRows] | None] = {}
    grid = product(_formula_grid(measure, ranking), _setting_grid(measure, ranking))
    for params in sorted((_drop_defaults(measure, a | b) for a, b in grid), key=len):
        without_discount = tuple(pair for pair in params if pair[0] not in _DISCOUNT_PARAMS)
        if without_discount not in gains_by_setting:  # gains are the same at every discount
            gains_by_setting[without_discount] = _rank_gains(
                measure, ranking, dict(without_discount)
            )
        ranked = gains_by_setting[without_discount]
        if ranked is not None:
            recipe, chosen = ranked[0], dict(params)
            if "discount" in chosen:
                recipe = evolve(recipe, discount=_discount(chosen["discount"], chosen.get("b")))
            yield params, _compute_values(recipe, ranked[1], ranking), []
    for convention in CONVENTIONS.values():
        if not convention.has_own("nDCG", has_cutoff=True):
            continue
        params = _drop_defaults(measure, _tool_params(convention, measure, ranking))
        options = {"ideal": convention.ideal} if "ideal" in measure.entry.params else {}
        ranked = _rank_gains(measure, ranking, options, convention)
        if ranked is not None:
            yield params, _compute_values(*ranked, ranking), [convention.name]


def _rank_gains(
    measure: Measure, ranking: _Ranking, options: Params, like: Convention | None = None
) -> tuple[Recipe, RankedRows] | None:
    """The recipe and the gains of the ranking by it; nothing where it refuses such grades."""
    try:
        recipe = build_recipe(
            measure, options=options, like=like, judged=ranking.judged is not None
        )
        return recipe, rank_row_gains(recipe, Batch(ranking.grades, judged=ranking.judged))
    except GainfulError:
        return None


@cache
def _discount(name: str, base: float | None) -> NamedFormula:
    return DISCOUNTS[name].with_values({} if base is None else {"b": base})


def _compute_values(
    recipe: Recipe, ranked_gains: RankedRows, ranking: _Ranking
) -> dict[int | None, float]:
    """The value of the whole list and of its first 1, 2, … documents."""
    try:
        vector = compute_vectors(evolve(recipe, k=ranking.depth), ranked_gains)[0].tolist()
    except GainfulError:  # this combination refuses such grades
        return {}
    if None in vector:  # or leaves the query out
        return {}
    whole = vector[-1]
    values: dict[int | None, float] = {
        k: value
        for k, value in enumerate(vector, start=1)
        if k < ranking.grades.lengths[0]
        or abs(value - whole) > ROUNDING  # else the same as no cutoff
    }
    cutoff = recipe.convention.cutoff
    if cutoff is None or cutoff >= ranking.depth:  # else the tool cuts the list by itself
        values[None] = whole
    return values


def _as_formulation(
    value: float, measure: Measure, params: Pairs, k: int | None, tools: list[str]
) -> Formulation:
    ordered_tools = tuple(sorted(tools, key=_TOOL_ORDER.index))
    return Formulation(measure(**dict(params)) @ k, value, ordered_tools)


def _tool_params(convention: Convention, measure: Measure, ranking: _Ranking) -> Params:
    """The parameters of the measure as a tool computes it, as far as they matter here."""
    recipe = build_recipe(measure, like=convention)
    params: dict[str, Any] = {"gain": recipe.gain.name, "discount": recipe.discount.name}
    params |= recipe.gain.param_values | recipe.discount.param_values
    if params["discount"] == "log" and measure.entry.normalised:
        del params["b"]  # cancels out
        params["discount"] = "log2"
    return params | {setting: getattr(convention, setting) for setting in ranking.setting_names}


def _drop_defaults(measure: Measure, params: Params) -> Pairs:
    return tuple(
        (name, params[name])
        for name in measure.entry.params
        if name in params and params[name] != _DEFAULTS[name]
    )


def _formula_grid(measure: Measure, ranking: _Ranking) -> list[dict[str, Any]]:
    """Every gain with every discount; those that only one tool uses come with that tool."""
    gains = [GAINS["linear"], GAINS["exp"], GAINS["binary"]]
    gains += [GAINS["penalised"]] if "negative" in ranking.setting_names else []
    gains += [_WEIGHTS] if ranking.values <= set(_WEIGHTS.grades) else []
    discounts = list(DISCOUNTS.values()) if measure.entry.discounted else [DISCOUNTS["none"]]
    grades = sorted({1.0, *(value for value in ranking.values if value > 0)})
    formulas = []
    for gain, discount in product(gains, discounts):
        if discount.name == "log" and measure.entry.normalised:
            continue  # the base cancels: the same as log2
        for rel, base in product(_choices(gain, "rel", grades), _choices(discount, "b", BASES)):
            if (discount.name, base) != ("shifted", {"b": 2.0}):  # that is log2 again
                formulas.append({"gain": gain.name, "discount": discount.name, **rel, **base})
    return formulas


def _choices(formula: NamedFormula, symbol: str, values: Sequence[float]) -> list[dict[str, float]]:
    return [{symbol: value} for value in values] if symbol in formula.param_values else [{}]


def _setting_grid(measure: Measure, ranking: _Ranking) -> list[dict[str, Any]]:
    choices = {
        "ideal": ("judged", "list"),
        "ideal_depth": ("k", "all", "retrieved"),
        "negative": ("zero", "keep", "in_ideal"),
        "fractional": ("keep", "truncate"),
        "empty": (0, 1),
    }
    names = [name for name in ranking.setting_names if name in measure.entry.params]
    return [
        dict(zip(names, values, strict=True))
        for values in product(*(choices[name] for name in names))
    ]


def _sort_key(formulation: Formulation) -> tuple[Any, ...]:
    base = dict(formulation.measure.params).get("b", 2.0)
    return (
        not formulation.tools,
        formulation.measure.k is not None,
        len(formulation.measure.params),
        -len(formulation.tools),
        BASES.index(base) if base in BASES else len(BASES),
        formulation.measure.k or 0,
        str(formulation.measure),
    )


def _list_rows(formulations: Sequence[Formulation]) -> Table:
    rows = [(str(item.measure), item.value, " ".join(item.tools)) for item in formulations]
    return Table(("measure", "value", "tools"), rows)


def format_answer(formulations: Formulations) -> str:
    """Whose value it is, and how many others give it."""
    value, within = formulations.text, f"{Decimal(str(formulations.tolerance)):f}"
    if not formulations.matches:
        reason = "; it is a misprint" if formulations.misprints else ""
        percent = float(value)
        is_share = 1 < percent <= 100 and not formulations.misprints
        advice = f" {value} may be per cent: try {percent / 100:g}." if is_share else ""
        nearest = "The nearest values are listed."
        return f"No formulation gives {value} ± {within}{reason}. {nearest}{advice}"
    best, count = formulations.matches[0], len(formulations.matches)
    rest = count_noun(count - 1, "other formulation gives", "other formulations give")
    others = f"; {rest} it too" if count > 1 else ""
    return f"{value} (± {within}) is {best.measure}{_name_tools(best.tools)}{others}."


def _name_tools(tools: Sequence[str]) -> str:
    if not tools:
        return ", which no known tool computes"
    if len(tools) > _LISTED_TOOLS:
        return f" as {tools[0]} and {len(tools) - 1} other tools compute it"
    return f" as {join_words(tools)} {'compute' if len(tools) > 1 else 'computes'} it"


def _build_table(formulations: Sequence[Formulation]) -> Table:
    rows = [
        (str(item.measure), f"{item.value:.6f}", ", ".join(map(_format_tool, item.tools)))
        for item in formulations
    ]
    return Table(("measure", "value", "computed by"), rows)


def _format_tool(tool: str) -> str:
    decimals = CONVENTIONS[tool].decimals
    return tool if decimals is None else f"{tool} (rounds to {decimals} decimals)"
