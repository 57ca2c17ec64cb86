"""What measures, gains, discounts and conventions are: pages, LaTeX and data from the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gainful.convention import CONVENTIONS, GAINFUL, SETTINGS, Convention, Setting
from gainful.convention.session import (
    JK2008,
    SESSION_CONVENTIONS,
    SESSION_SETTINGS,
    SessionConvention,
)
from gainful.errors import BadValue, GainfulError, UnknownName
from gainful.formula import Arithmetic, Const, Expr, NamedFormula, Var, substitute
from gainful.formula.renderers import to_latex, to_text as as_text
from gainful.measure.build_recipes import build_recipe
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.catalogue import MEASURES
from gainful.measure.catalogue.sessions import SESSION_MEASURES
from gainful.measure.discount import DISCOUNTS
from gainful.measure.entry import FORMULA_PARAMS, Entry, MeasureRecipe
from gainful.measure.functions.exposure import EXPOSURE_MEASURES
from gainful.measure.gain import GAINS
from gainful.measure.language import parse
from gainful.measure.measure import Measure, nDCG
from gainful.measure.names import ANSWERS, TREC_NAMES, find_measure_name, plain_name
from gainful.measure.notes import describe_setting
from gainful.measure.parameter_kinds import find_kind
from gainful.measure.references import REFERENCES
from gainful.page.formats.latex import escape_latex
from gainful.page.page import Page, Section
from gainful.page.table import Table
from gainful.text import count_noun, join_words
from gainful.types import is_number


def _find_entries() -> dict[str, Entry]:
    return MEASURES | SESSION_MEASURES | EXPOSURE_MEASURES


def build_measure_table() -> Table:
    """All measures, a line each."""
    rows = [(name, item.full_definition, item.question) for name, item in _find_entries().items()]
    return Table(("measure", "value", "question"), rows)


def build_formula_table(kind: str) -> Table:
    """All gains or all discounts, a line each."""
    named_formulas = GAINS if kind == "gain" else DISCOUNTS
    rows = [
        (
            name,
            as_text(formula.expr),
            ", ".join(param.symbol for param in formula.params),
            formula.meaning,
        )
        for name, formula in named_formulas.items()
    ]
    return Table((kind, "formula", "parameters", "meaning"), rows)


def catalogue_page(name: str | None = None) -> Page:
    """All measures, gains and discounts, or all about one name."""
    if name is None:
        counts = (
            count_noun(len(MEASURES), "measure"),
            count_noun(len(SESSION_MEASURES), "measure of sessions", "measures of sessions"),
            count_noun(len(EXPOSURE_MEASURES), "measure of exposure", "measures of exposure"),
            count_noun(len(GAINS), "gain"),
            count_noun(len(DISCOUNTS), "discount"),
        )
        formula_tables = map(build_formula_table, ("gain", "discount"))
        return Page(
            answer=f"{join_words(counts)}; gainful measures NAME explains one.",
            sections=[Section(table=table) for table in (build_measure_table(), *formula_tables)],
            rows=build_measure_table,
            data=lambda: to_dict(None),
        )
    head, table = _describe_name(name)
    sections = [Section(lines=head), *([Section(table=table)] if table.rows else [])]
    measures = _list_measures_with(name)
    if measures and isinstance(_find(name), Entry):  # p is a parameter, and another name of P
        lines, defaults = _describe_parameter(name, measures)
        sections += [Section(lines=lines), Section(table=defaults)]
    return Page(sections=sections, rows=lambda: table, data=lambda: to_dict(name))


def to_dict(name: str | None) -> dict[str, Any]:
    """All measures, gains and discounts, or all about one name, as data."""
    if name is None:
        return {
            "measures": {name: _entry_to_dict(entry) for name, entry in _find_entries().items()},
            "gains": {name: _formula_to_dict(formula) for name, formula in GAINS.items()},
            "discounts": {name: _formula_to_dict(formula) for name, formula in DISCOUNTS.items()},
        }
    item = _find(name)
    if isinstance(item, Setting):
        return {
            "name": item.name,
            "question": item.question,
            "default": _find_default(item.name, of_session=item.name not in SETTINGS),
            "answers": {str(answer): meaning for answer, meaning in item.answers.items()},
        }
    if isinstance(item, dict):
        by_measure = {measure: _describe_param(entry, name) for measure, entry in item.items()}
        defaults = {measure: param.pop("default") for measure, param in by_measure.items()}
        return {"name": name, **next(iter(by_measure.values())), "defaults": defaults}
    return _entry_to_dict(item) if isinstance(item, Entry) else _formula_to_dict(item)


def _find(name: str) -> Entry | NamedFormula | Setting | dict[str, Entry]:
    """The measure, gain, discount or setting of that name, or the measures with that parameter.

    Names of trec_eval are those of its measures.
    """
    entries = _find_entries()
    items_by_name: dict[str, Entry | NamedFormula | Setting] = {
        **entries,
        **GAINS,
        **DISCOUNTS,
        **SESSION_SETTINGS,
        **SETTINGS,
    }
    lower_names = {key.lower(): key for key in items_by_name}
    alias = TREC_NAMES[name].measure if name in TREC_NAMES else find_measure_name(name)
    exact_name = name if name in items_by_name else alias
    exact_name = exact_name or lower_names.get(name.lower(), "")
    if not exact_name:
        with suppress(GainfulError):  # with its cutoff or parameters
            return parse(name).entry
        if measures := _list_measures_with(name):
            return measures
        answer = ANSWERS.get(plain_name(name), "")
        params = dict.fromkeys(param for entry in entries.values() for param in entry.params)
        names = (*items_by_name, *params)
        raise UnknownName("measure", name, names, "gainful measures lists them all", answer)
    return items_by_name[exact_name]


def _list_measures_with(parameter: str) -> dict[str, Entry]:
    return {name: entry for name, entry in _find_entries().items() if parameter in entry.params}


def _describe_parameter(name: str, measures: Mapping[str, Entry]) -> tuple[list[str], Table]:
    described = {measure: _describe_param(entry, name) for measure, entry in measures.items()}
    first = next(iter(described.values()))
    head = [f"{name} (parameter): {first['meaning']}", f"Allowed: {first['allowed']}"]
    rows = [
        (measure, _format_default(own["default"]), _spell(measures[measure], name))
        for measure, own in described.items()
    ]
    return head, Table(("measure", "default", "example"), rows)


def _describe_name(name: str) -> tuple[list[str], Table]:
    item = _find(name)
    if isinstance(item, Setting):
        answers = [(str(answer), meaning) for answer, meaning in item.answers.items()]
        default = _find_default(item.name, of_session=item.name not in SETTINGS)
        head = [f"{item.name}: {item.question}", f"Default: {_format_default(default)}"]
        if not answers:
            kind = find_kind(item.name, of_session=item.name not in SETTINGS)
            head.append(f"Allowed: {kind.allowed}")
        return head, Table(("value", "meaning"), answers)
    if isinstance(item, dict):
        return _describe_parameter(name, item)
    source = f"Source: {_format_source(item.cite)}"
    if isinstance(item, NamedFormula):
        head = [
            f"{item.name} ({item.kind}): {item.meaning}",
            f"Formula: {as_text(item.expr)}",
            f"LaTeX: {to_latex(item.expr)}",
            source,
        ]
        rows: list[tuple[str, ...]] = [
            (
                param.symbol,
                f"{param.default:g}",
                param.domain.describe(param.symbol),
                "" if param.typical is None else f"{param.typical[0]:g} to {param.typical[1]:g}",
                param.meaning,
            )
            for param in item.params
        ]
        return head, Table(("parameter", "default", "allowed", "typical", "meaning"), rows)
    alias, trec_name = [], TREC_NAMES.get(name)
    if trec_name is not None and name.lower() != item.name.lower():
        fixed = ", ".join(f"{param}={value:g}" for param, value in trec_name.fixed_params.items())
        alias = [f"{name} is trec_eval's name for {item.name}" + (f"({fixed})" if fixed else "")]
    head = [
        f"{item.name}: {item.question}",
        *alias,
        f"Value: {item.full_definition}",
        f"Spelling: {_format_spelling(item)}",
        *_format_example(item),
        source,
    ]
    described = {param: _describe_param(item, param) for param in item.params}
    rows = [
        (param, own["allowed"], _format_default(own["default"]), own["meaning"])
        for param, own in described.items()
    ]
    return head, Table(("parameter", "allowed", "default", "meaning"), rows)


def _describe_param(entry: Entry, name: str) -> dict[str, Any]:
    """A parameter of a measure."""
    kind = find_kind(name, of_session=entry.session)
    default = _find_default(name, of_session=entry.session, own=entry.defaults.get(name))
    return {"default": default, "allowed": kind.allowed, "meaning": kind.meaning}


def _find_default(
    name: str, *, of_session: bool, own: float | str | None = None
) -> float | str | None:
    """What a parameter is where nobody says it: its `own` value in a measure, or the usual one."""
    convention: Convention | SessionConvention = JK2008 if of_session else GAINFUL
    usual = find_kind(name, of_session=of_session).default
    values = (own, convention.settings().get(name), usual)
    return next((value for value in values if value is not None), None)


def _format_default(value: float | str | None) -> str:
    return f"{value:g}" if is_number(value) else str(value or "none")


def _format_source(cite: str) -> str:
    return REFERENCES.get(cite, cite or "registered by a plug-in")


_EXAMPLE_VALUES = {
    "gain": "exp",
    "rel": "2",
    "p": "0.5",
    "ties": "average",
    "of": "'AP'",
    "max_grade": "4",
    "per_query": "50",
    "per_result": "200",
    "points": "'0,0.5,1'",
}


def _spell(entry: Entry, param: str | None = None) -> str:
    """The measure as one may type it, with a value of this parameter."""
    cutoff = {"optional": "@10", "needed": "@10", "recall": "@0.1", "none": ""}[entry.cutoff_kind]
    if param is None:
        return f"{entry.name}{cutoff}"
    default = _format_default(_describe_param(entry, param)["default"])
    return f"{entry.name}({param}={_EXAMPLE_VALUES.get(param, default)}){cutoff}"


def _format_spelling(entry: Entry) -> str:
    own_names = [_spell(entry), *(_spell(entry, param) for param in entry.params[:1])]
    trec_names = _list_trec_names(entry)
    return ", ".join(dict.fromkeys(own_names)) + (
        f"; in trec_eval {', '.join(trec_names)}" if trec_names else ""
    )


def _list_trec_names(entry: Entry) -> list[str]:
    return [name for name, trec_name in TREC_NAMES.items() if trec_name.measure == entry.name]


def _format_example(entry: Entry) -> list[str]:
    example = entry.example
    if example is None:
        return []
    retrieved, _, unretrieved = example.ranking.partition("|")
    unit = "documents on the subtopics" if entry.needs_subtopics else "grades"
    ranking_text = f"{unit} {retrieved.strip()} in rank order"
    ranking_text += " (- is unjudged)" if "-" in retrieved.split() else ""
    ranking_text += f", {unretrieved.strip()} not retrieved" if unretrieved else ""
    return [f"Example: {ranking_text}: {example.measure} = {example.working}"]


def _entry_to_dict(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "question": entry.question,
        "value": entry.definition,
        "better": entry.direction.better_is,
        "trec_eval": _list_trec_names(entry),
        "parameters": {name: _describe_param(entry, name) for name in entry.params},
        "example": {"ranking": entry.example.ranking, "value": entry.example.working}
        if entry.example
        else None,
        "source": _format_source(entry.cite),
    }


def _formula_to_dict(formula: NamedFormula) -> dict[str, Any]:
    return {
        "name": formula.name,
        "meaning": formula.meaning,
        "formula": as_text(formula.expr),
        "latex": to_latex(formula.expr),
        "parameters": {
            param.symbol: {
                "default": param.default,
                "allowed": param.domain.describe(param.symbol),
                "typical": param.typical,
                "meaning": param.meaning,
            }
            for param in formula.params
        },
        "source": _format_source(formula.cite),
    }


def measure_latex(measure: Measure) -> str:
    r"""The measure between dollar signs, and words behind them where there is no formula.

    Examples:
        >>> print(measure_latex(Measure("DCG") @ 10))
        $\mathrm{DCG}@10 = \sum_{i=1}^{10} \frac{g_{i}}{\log_{2}(i + 1)}$
    """
    summed = "" if measure.needs_cutoff else _sum_latex(measure)
    if not summed:
        return _describe(measure)
    label = _label(measure.name, measure.k)
    if measure.entry.gain_of == "ideal":
        return rf"${label} = \max_{{\text{{rankings}}}} {summed}$"
    if not measure.entry.normalised:
        return f"${label} = {summed}$"
    whole = _label(measure.name.removeprefix("n"), measure.k)
    best = rf"\text{{ideal }}{whole}"
    return rf"${label} = \frac{{{whole}}}{{{best}}}, \quad {whole} = {summed}$"


def _sum_latex(measure: Measure) -> str:
    """The sum over ranks, and of sDCG over queries; nothing where there is no such formula."""
    if not measure.entry.has_vectors:
        return ""
    if not measure.entry.session:
        recipe = build_recipe(measure)
        return _ranks_latex(recipe, "gi")
    session_recipe = build_session_recipe(measure)
    convention = session_recipe.convention
    plain = ("restart", "final", "session")  # as the paper has it
    if (convention.rank_discount, convention.statistic, convention.normalise) != plain:
        return ""
    query_discount = session_recipe.query_discount.latex()
    return rf"\sum_{{q=1}}^{{m}} {query_discount} {_ranks_latex(session_recipe, 'gqi')}"


def _ranks_latex(recipe: MeasureRecipe[Any], grade: str) -> str:
    """The sum of gain × discount over ranks."""
    gain = substitute(recipe.gain.expr_with_values, {"g": Var(grade, "the grade at rank i")})
    term = to_latex(weigh(gain, recipe.discount.expr_with_values))
    return rf"\sum_{{i=1}}^{{{recipe.k or 'n'}}} {term}"


def _label(name: str, k: float | None) -> str:
    return rf"\mathrm{{{escape_latex(name)}}}" + ("" if k is None else f"@{k:g}")


def weigh(gain: Expr, discount: Expr) -> Expr:
    """Gain × discount, written as a fraction where the discount is one."""
    match discount:
        case Arithmetic("/", Const(1), divisor):
            return gain / divisor
        case Const(1):
            return gain
        case factor:
            return gain * factor


def _describe(measure: Measure) -> str:
    label = (
        rf"\text{{{escape_latex(str(measure))}}}"
        if measure.params
        else _label(measure.name, measure.k)
    )
    return f"${label}$: {escape_latex(measure.entry.definition)}"


# The settings that matter for one list of grades without ids, scores or other queries.
SINGLE_LIST_SETTINGS = (
    *("gain", "discount", "cutoff", "ideal", "ideal_depth"),
    *("negative", "fractional", "empty", "negative_ideal", "short", "grade_bits", "decimals"),
)
_WITH_THEIR_FORMULA = ("b", "rel")  # told in its words
_SDCG = Measure("sDCG") @ 10


def convention_page(name: str | None = None, other: str | None = None) -> Page:
    """All conventions, one of them by its name, or what two do differently."""
    tables = build_tables(name, other)
    sections = []
    for heading, table in tables:
        sections.append(Section(lines=[heading]))
        sections += [Section(table=table)] if table.rows else []
    return Page(
        sections=sections, rows=lambda: tables[0][1], data=lambda: _conventions_to_dict(name, other)
    )


def build_tables(first_name: str | None, second_name: str | None) -> list[tuple[str, Table]]:
    """Tables with their headings: of single rankings, and of sessions where there is one."""
    if first_name is None:
        advice = "gainful conventions NAME explains one in plain words."
        return [
            (f"{len(CONVENTIONS)} conventions; {advice}", _build_overview()),
            (
                f"{len(SESSION_CONVENTIONS)} conventions of whole sessions.",
                Table(
                    ("name", "paper or track", "note"),
                    [(name, each.title, each.note) for name, each in SESSION_CONVENTIONS.items()],
                    expendable=("note",),
                ),
            ),
        ]
    names = [first_name, *([] if second_name is None else [second_name])]
    tables = []
    if all(name in CONVENTIONS for name in names):
        tables.append(tell_tools([CONVENTIONS[name] for name in names]))
    if all(name in SESSION_CONVENTIONS for name in names):
        tables.append(tell_sessions([SESSION_CONVENTIONS[name] for name in names]))
    if not tables:
        kind = "single rankings" if first_name in CONVENTIONS else "whole sessions"
        raise BadValue("convention", second_name, f"one of {kind}, as {first_name} is")
    return tables


def tell_tools(tools: Sequence[Convention]) -> tuple[str, Table]:
    """One tool in plain words, or what two do differently, under a heading."""
    own = ", ".join(name.replace("@", "@k") for name in tools[0].measures or ())
    numbers = f"\nIts own numbers: {own}; other measures are gainful's." if own else ""
    recipes = [build_recipe(nDCG, like=tool) for tool in tools]
    words = {
        setting: [describe_setting(recipe, setting) for recipe in recipes]
        for setting in SETTINGS
        if setting not in _WITH_THEIR_FORMULA
    }
    if len(tools) > 1:
        words = {setting: answers for setting, answers in words.items() if len({*answers}) > 1}
    return _build_table(tools, words, more=numbers)


def tell_sessions(tools: Sequence[SessionConvention]) -> tuple[str, Table]:
    """One convention of sessions in plain words, or what two do differently, under a heading."""
    names = tools[0].differences(tools[1]) if len(tools) > 1 else SESSION_SETTINGS
    recipes = [build_session_recipe(_SDCG, like=tool) for tool in tools]
    words = {
        name: [
            getattr(recipe, name).text() if name in FORMULA_PARAMS else tool.describe(name)
            for tool, recipe in zip(tools, recipes, strict=True)
        ]
        for name in names
    }
    return _build_table(tools, words, of="of whole sessions")


def _build_table(
    tools: Sequence[Convention] | Sequence[SessionConvention],
    words: Mapping[str, Sequence[str]],
    *,
    of: str = "",
    more: str = "",
) -> tuple[str, Table]:
    """One convention in plain words, or what two do differently: the heading, and the answers."""
    first = tools[0]
    rows = [(name, first.TABLE[name].question, *answers) for name, answers in words.items()]
    table = Table(("field", "question", *(tool.name for tool in tools)), rows)
    if len(tools) > 1:
        count = count_noun(len(words), "setting") if words else "nothing"
        return f"{first.name} and {tools[1].name} differ in {count}{of and f' {of}'}.", table
    note = f"\nNote: {first.note}." if first.note else ""
    table = Table(("question", "answer"), [answer for _, *answer in rows])
    return f"{first.name}{of and f', {of}'}: {first.title}{note}{more}", table


def _conventions_to_dict(first_name: str | None, second_name: str | None) -> dict[str, Any]:
    tables: tuple[Mapping[str, Any], ...] = (CONVENTIONS, SESSION_CONVENTIONS)
    if first_name is None:
        rankings, sessions = (
            {name: _convention_to_dict(convention) for name, convention in table.items()}
            for table in tables
        )
        return {**rankings, "sessions": sessions}
    if second_name is None:
        both = [_convention_to_dict(table[first_name]) for table in tables if first_name in table]
        return both[0] if len(both) == 1 else both[0] | {"sessions": both[1]}
    return {
        name: {first_name: first_value, second_name: second_value}
        for table in tables
        if first_name in table and second_name in table
        for name, (first_value, second_value) in table[first_name]
        .differences(table[second_name])
        .items()
    }


def _convention_to_dict(convention: Any) -> dict[str, Any]:
    description = {"name": convention.name, "title": convention.title, "note": convention.note}
    own = getattr(convention, "measures", None)
    measures = {} if own is None else {"measures": list(own)}
    return {**description, **convention.settings(), **measures}


def _build_overview() -> Table:
    depth_words = {"k": "", "all": ", never cut", "retrieved": ", cut at the retrieved"}
    rows = []
    for name, convention in CONVENTIONS.items():
        ndcg_recipe = build_recipe(nDCG, like=convention)
        setting_cells = (
            ndcg_recipe.gain.text(),
            ndcg_recipe.discount.text(),
            convention.ideal + depth_words[convention.ideal_depth],
            str(convention.ties),
            str(convention.negative),
            str(convention.empty),
        )
        rows.append((name, convention.title, *setting_cells))
    columns = ("name", "tool or source", "gain", "discount", "ideal", "ties", "negative", "empty")
    return Table(columns, rows, expendable=columns[:1:-1])
