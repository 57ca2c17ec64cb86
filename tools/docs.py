"""Writes the generated documentation: eight pages, and the output of commands.

`python -m tools.docs` writes it, and `--check` fails if something is out of date.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from math import log, log2
from pathlib import Path
from textwrap import fill

from tools.agreement import agreement_page, put_sentence
from tools.commands import run_command
from tools.error_rates.page import error_rates_page
from tools.screenshots import take_screenshots
from tools.site import BUILT, write_built_pages
from tools.speed import build_page, draw_history

from gainful.convention import CONVENTIONS, GAINFUL, SETTINGS, Setting
from gainful.formula import Param
from gainful.formula.renderers import to_latex
from gainful.measure import catalogue_page as measures
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.measure.entry import Entry
from gainful.measure.gain import GAINS
from gainful.measure.names import TREC_NAMES
from gainful.measure.parameters import PARAMETERS
from gainful.measure.references import REFERENCES
from gainful.page.formats.markdown import table_to_markdown
from gainful.page.table import Table
from gainful.read.column_names import COLUMNS
from gainful.read.formats import RUN_FORMATS, SESSION_FORMATS, Format

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden" / "conventions.json"
MADE = "<!-- made by tools/docs.py: change the tables it reads, not this page -->\n\n"

ARRAY_TOOLS = (
    "scikit-learn",
    "torchmetrics",
    "rax",
    "catboost",
    "lightgbm",
    "xgboost",
    "evidently",
)


def to_markdown(table: Table) -> str:
    """A pipe table, in whose cells code and names with underscores stay as they are."""
    return re.sub(r"\\([`_])", r"\1", table_to_markdown(table))


def which_ndcg_page() -> str:
    """The page "Which nDCG?"."""
    settings = "\n\n".join(_describe_setting(setting) for setting in SETTINGS.values())
    return f"""{MADE}# Which nDCG?

For the same ranking and judgments, almost every tool prints a different nDCG. None of them is
wrong: each makes a dozen choices, and few document them. gainful has a name for each of these
settings and prints the settings with every result; `like=` (`--like` on the command line) uses those of another tool.

## The settings

Each setting is a field of `Convention`. Most settings that affect a list of grades are also options of functions, commands
and measures (`gainful measures nDCG` lists them): `gainful.ndcg(…, negative="keep")`,
`gainful explain … --negative keep`, `nDCG(negative=keep)@10`. The others only affect runs and judgments.

{settings}

## Which tool uses which settings?

[What each tool computes](conventions.md) lists the settings of all tools, with the numbers that they print. For a
number that somebody reports, `gainful which` finds the formulations that give it:

```console
$ gainful which 0.932 3 2 3 0 1 2
```
"""


def conventions_page() -> str:
    """The page of the settings of each tool."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    cases = "\n".join(f"- **{name}**: {case['what']}" for name, case in golden["cases"].items())
    names = list(golden["cases"])
    numbers = "\n\n".join(
        _tabulate_numbers(golden["observed"], part) for part in (names[:6], names[6:12], names[12:])
    )
    notes = [(name, c.title, c.note) for name, c in CONVENTIONS.items() if c.note]
    return f"""{MADE}# What each tool computes

Each tool makes its own choices about [the settings of nDCG](which-ndcg.md). This page lists them, and what the tools print.

## The settings of each tool

`gainful conventions NAME` describes the settings of a tool in words, and `gainful conventions NAME --diff OTHER` lists
those that differ between two tools. In Python: `gainful.like("sklearn").differences(gainful.like("quepid"))`.

{to_markdown(measures.build_tables(None, None)[0][1])}

Notes on single tools:

{to_markdown(Table(("name", "tool or source", "note"), notes))}

The table omits what its columns cannot express: the scaled DCG of cwl_eval and ir_measures (it has no
ideal), ndcg_rel and Rndcg of trec_eval (different measures), Spark's Scala API with
relevance (its ideal keeps the order given), and LlamaIndex (its code has changed since we read it).

## What the array tools print

The numbers below are the output of the tools (*list*: the input has only the retrieved documents;
*pool*: judged documents that were not retrieved are appended with a very low score). gainful's tests compare
`like=` with these numbers, and with those of the tools that read judgments;
`tests/tool_rows.py` lists the exceptions, with reasons.

{cases}

{numbers}
"""


def _tabulate_numbers(observed: dict[str, dict[str, str]], cases: list[str]) -> str:
    rows = [
        (tool, *(_format_value(values[case]) for case in cases))
        for tool, values in observed.items()
        if tool.startswith(ARRAY_TOOLS)
    ]
    return to_markdown(Table(("tool", *cases), rows))


def _describe_setting(setting: Setting) -> str:
    own = getattr(GAINFUL, setting.name)
    if not setting.answers:
        return f"**{setting.name}**: {setting.question}"
    answers = "\n".join(
        f"- `{answer}`: {meaning}" + (" (gainful's default)" if answer == own else "")
        for answer, meaning in setting.answers.items()
    )
    return f"**{setting.name}**: {setting.question}\n\n{answers}"


def _format_value(value: str) -> str:
    """A value with four decimals; `gainful` is held to all six."""
    return "error" if value.startswith("ERR") else f"{float(value):.4f}"


def measures_page() -> str:
    """The page about measures and their notation."""
    parameters = [
        (p.symbol, p.domain.describe(p.symbol), f"{p.typical[0]:g} to {p.typical[1]:g}", p.meaning)
        for p in _collect_params().values()
        if p.typical
    ]
    latex = "\n".join(
        f"- {formula.name}: `{to_latex(formula.expr)}`"
        for formula in (*GAINS.values(), *DISCOUNTS.values())
    )
    sources = "\n".join(f"- *{key}*: {text}" for key, text in REFERENCES.items())
    each = "\n\n".join(_describe_measure(entry) for entry in MEASURES.values())
    return f"""{MADE}# Measures and their notation

A measure is a name, parameters in brackets, and a cutoff:
`nDCG(gain=exp, discount=jk2008, b=2)@10`.
In Python, a measure is an immutable object that compares by value and can be a dictionary key:

```python
>>> import gainful
>>> measure = gainful.nDCG(gain="exp") @ 10
>>> str(measure)
'nDCG(gain=exp)@10'
>>> gainful.parse("nDCG(gain=exp)@10") == measure
True

```

A parameter of the measure takes precedence over an option of the call, an option over `like`, and `like` over gainful's defaults.
A parameter that the chosen formula does not have raises an error.

gainful accepts three notations: this one, trec_eval's (`ndcg_cut_10`, `P.5,10`, `map`) and that of
ir_measures (`nDCG(dcg='exp-log2')@10`). A list or range of cutoffs defines several
measures: `nDCG@1,3,5`, `nDCG@1..20`.

{to_markdown(measures.build_measure_table())}

## Gains: how much is a document of grade g worth?

{to_markdown(measures.build_formula_table("gain"))}

A gain can also be a table of weights: `gain={{0:0,1:1,2:10,3:100}}`.

## Discounts: what share of a gain counts at rank i?

{to_markdown(measures.build_formula_table("discount"))}

The same functions discount the queries of a session, with the position of the query in place of the
rank and the base `bq` in place of `b`: `gainful.vectors.query_discount(2, bq=4)`.

## Parameters

{to_markdown(Table(("parameter", "allowed", "typical", "meaning"), parameters))}

## Subtopics

If a query has several aspects, documents can be judged for each of them. TREC's diversity judgments
contain the subtopic in their second column; a table has a column for it (`subtopic`, `intent`, `aspect`).
Measures of novelty and diversity reward documents that cover subtopics not covered before:

```python
>>> import polars as pl
>>> judged = pl.DataFrame({{
...     "query": ["jaguar"] * 4,
...     "subtopic": ["cat", "cat", "car", "car"],
...     "doc": ["zoo", "atlas", "dealer", "atlas"],
...     "grade": [1, 1, 1, 2],
... }})
>>> run = {{"jaguar": ["zoo", "atlas", "dealer"]}}
>>> results = gainful.evaluate(judged, run, ["alpha_nDCG@2", "ERR_IA@2", "StRecall@1", "DCG@2"])
>>> {{name: round(value, 4) for name, value in results.mean.items()}}
{{'alpha_nDCG@2': 0.8406, 'ERR_IA@2': 0.7, 'StRecall@1': 0.5, 'DCG@2': 2.2619}}
>>> results.notes
['documents are judged for several subtopics; their highest grade counts for DCG@2']

```

By hand: `zoo` gains 1 for the cat. `atlas` gains ½ for the cat, which was covered before, and 1 for the car. The ideal
ranking is `atlas`, then `zoo`, so alpha_nDCG@2 is (1 + 1.5/log₂3) / (2 + 0.5/log₂3). Two documents that both cover both
subtopics gain 2 and then 1, so ERR_IA@2 is (1 + 1.5/2) / (2 + 1/2). A subtopic counts only if at least one judged document is
relevant to it. The ideal ranking is built greedily: each rank takes the document with the highest gain, and of equal ones the document whose id sorts last.

`alpha` is the penalty for each repetition of a subtopic. Grades of at least `rel` are relevant, and all of them
count the same. If the column has the same value in every row, as in ordinary judgments, gainful treats each
query as one subtopic, and a note says so. The numbers are those of ndeval. `like="pyndeval"` reproduces all its
settings: ties are broken by document id, ascending, and alpha_DCG@1 and ERR_IA@1 are not normalised
(`first_rank=as_is`), so they can exceed 1.

## The formulas in LaTeX

{latex}

## Each measure

Each example lists the grades in rank order, with `-` for an unjudged document. The grades after `|` are those of judged
documents that were not retrieved. For measures of subtopics, letters replace grades: `ab` is a document
that is relevant to the subtopics a and b.

{each}

## Sources

{sources}
"""


def formats_page() -> str:
    """The page about formats of files."""
    return f"""{MADE}# File formats

Every command and function recognises a format by its content. If that fails, set it with `--qrels-format`, `--run-format`
or `--sessions-format`. Files may be compressed (gzip, bzip2, xz, zstd), and `-` is standard input.
`gainful check FILE` prints the format and every problem in the file. gainful also reads wrapped JSON: the actions of an OpenSearch
bulk request, a `_search` response, lines with `_source`, and concatenated objects, indented or not.
[Columns](columns.md) lists the names of columns and fields.

## Judgments and runs

{_list_formats(RUN_FORMATS)}

Judgments may also be a BEIR folder or a dataset of ir_datasets (`irds:msmarco-passage/trec-dl-2019/judged`).

## Sessions

{_list_formats(SESSION_FORMATS)}

A table of sessions is a file with named columns ([Columns](columns.md)) in any of the formats above.
"""


def columns_page() -> str:
    """The page about names of columns."""
    return f"""{MADE}# Columns

gainful recognises the columns of tables and data frames, and the fields of JSON, by the names below. Upper and lower case are equivalent, and the words
of a name can be joined by `_`, `-`, a space or nothing. If several columns match one role, gainful uses the one whose name is first in the list.

For other names, use `--columns query=phrase,doc=sku`, in Python `columns={{"query": "phrase", "doc": "sku"}}`.
A *log* is a table of search events; *sessions* is a table with numbered queries; *lists* is a table with a row for each query and lists of documents, as RAG
pipelines write it; *turns* are the turns of conversations; *answers* is what a search engine or tool returned, and what it was called with: a name with a
dot is a path. The id of a document may also be in its `document`, `node` or `_additional`. *objects* are results as Python objects; *chats* are the transcripts
of agents. A log has a row for each result, so its *refused* columns must not hold lists.

{to_markdown(Table(("role", "in", "holds", "names"), _list_columns()))}
"""


_HOLDS = {
    "id": "an id: a string or an integer",
    "text": "a text",
    "number": "a number",
    "whole": "1, 2, 3 …",
    "flag": "1 or 0, true or false",
    "time": "a time",
    "word": "the kind of event",
    "list": "a list of documents",
    "numbers": "a list of numbers, one for each document",
    "messages": "a list of messages",
}


def _list_columns() -> list[tuple[str, str, str, str]]:
    return [
        (
            f"`{column.role}`",
            ", ".join(column.tables),
            _HOLDS[column.kind],
            ", ".join(f"`{name}`" for name in column.names),
        )
        for column in COLUMNS
    ]


def _list_formats(formats: Mapping[str, Format]) -> str:
    return "\n\n".join(
        f"**`{name}`**: {entry.description}"
        + (f"\n\n```text\n{entry.example}\n```" if entry.example else "")
        for name, entry in formats.items()
    )


def _collect_params() -> dict[str, Param]:
    """Every parameter a gain or a rank or query discount can have, by its symbol."""
    formulas = (*GAINS.values(), *DISCOUNTS.values(), *map(as_query_discount, DISCOUNTS.values()))
    return {param.symbol: param for formula in formulas for param in formula.params} | PARAMETERS


def _describe_measure(entry: Entry) -> str:
    """One measure with its reference and its worked example."""
    example = entry.example
    if example is None:
        raise ValueError(f"{entry.name} has no worked example")
    value = eval(example.working, {"__builtins__": {}}, WORKED)  # noqa: S307
    theirs = [
        trec_name.name for trec_name in TREC_NAMES.values() if trec_name.measure == entry.name
    ]
    spelled = f"; trec_eval: `{'`, `'.join(theirs)}`" if theirs else ""
    cut = {"optional": "@k", "needed": "@k", "recall": "@recall", "none": ""}[entry.cutoff_kind]
    return f"""### {entry.name}

{entry.question} Value: {entry.full_definition}.

- spelling: `{entry.name}({", ".join(entry.params)}){cut}`{spelled}
- example: `{example.measure}` of `{example.ranking}` = {example.working} = {value:.4f}
- source: *{entry.cite}*"""


WORKED = {"log": log, "log2": log2, "sum": sum, "range": range}
PAGES = {
    "docs/which-ndcg.md": which_ndcg_page,
    "docs/conventions.md": conventions_page,
    "docs/measures.md": measures_page,
    "docs/formats.md": formats_page,
    "docs/columns.md": columns_page,
    "docs/agreement.md": lambda: MADE + agreement_page(),
    "docs/error-rates.md": lambda: MADE + error_rates_page(),
    "docs/speed.md": lambda: MADE + build_page(),
}
LINE = 80  # characters of a line of a command


def list_typed_pages() -> list[str]:
    """Pages that are typed by hand, except what their commands print."""
    guides = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
    return ["README.md", *(page for page in guides if page not in {*PAGES, *BUILT})]


def print_anew(text: str) -> str:
    """A page with the output of every `$ command` in its console blocks replaced by today's."""

    def print_block(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", block[0], flags=re.MULTILINE)
        parts = [_print_command(join_lines(command)) for command in commands]
        return "```console\n" + "\n".join(parts) + "\n```"

    def break_block(block: re.Match[str]) -> str:
        command = r"^gainful (?:[^#\n]*\\\n)*[^#\n]*$"
        return re.sub(command, _break_long, block[0], flags=re.MULTILINE)

    text = re.sub(r"^```sh\n.*?^```", break_block, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^```console\n.*?^```", print_block, text, flags=re.MULTILINE | re.DOTALL)


def _break_long(command: re.Match[str]) -> str:
    return break_command(join_lines(command[0]))


def _print_command(command: str) -> str:
    lines = run_command(command).splitlines()
    return "\n".join([f"$ {break_command(command)}", *map(_wrap_message, lines)])


def _wrap_message(line: str) -> str:
    """A line of an output; messages are wrapped as a terminal does it."""
    return fill(line, LINE, break_on_hyphens=False) if line.startswith("gainful: ") else line


def join_lines(command: str) -> str:
    """A command of several lines, which end with a backslash, in one."""
    return re.sub(r"\s*\\\n\s*", " ", command)


def break_command(command: str) -> str:
    """A long command in several lines, an option and its value on the same one."""
    lines = [""]
    for part in _split_command(command):
        longer = f"{lines[-1]} {part}".lstrip() if len(lines) == 1 else f"{lines[-1]} {part}"
        if lines[-1].strip() and len(longer) > LINE - 4:
            lines.append(f"  {part}")
        else:
            lines[-1] = longer
    return " \\\n".join(lines)


def _split_command(command: str) -> list[str]:
    """The words of a command, an option together with its value, a pipe with what follows it."""
    words = shlex.shlex(command, posix=False, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    parts: list[str] = []
    for word in words:
        if parts and _goes_on(parts[-1], word):
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts


def _goes_on(part: str, word: str) -> bool:
    """Whether a word belongs to the part before it."""
    if part.startswith("|"):
        return word not in {"|", "&&"}
    is_option = part.startswith("-") and part != "-" and " " not in part
    return part.endswith(("&&", "python", " -c")) or (is_option and not word.startswith("-"))


def draw_pictures() -> None:
    """Draw the pictures again, by the commands on the pages; their data were written above."""
    for page in list_typed_pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
            for command in block.replace("\\\n", " ").splitlines():
                if "-o docs/pictures/" in command:
                    print(run_command(command))


def main() -> int:
    """Write what is out of date, or with --check only name it."""
    parser = ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only name what is out of date")
    check = parser.parse_args().check
    write_built_pages(MADE)
    written = {page: make() for page, make in PAGES.items()}
    written |= {page: (ROOT / page).read_text(encoding="utf-8") for page in list_typed_pages()}
    written["README.md"] = put_sentence(written["README.md"])
    made = {page: print_anew(text) for page, text in written.items()}
    stale = []
    for name, text in made.items():
        page = ROOT / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                page.write_text(text, encoding="utf-8")
    if not check:
        draw_pictures()
        draw_history()
        take_screenshots()
    if stale:
        print(f"out of date: {', '.join(stale)}; run make docs" if check else f"wrote {stale}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
