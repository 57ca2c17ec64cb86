"""Writes the pages that are made from tables: which-ndcg.md and measures.md.

`python docs/generate.py` writes them, `--check` fails if they are not up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gainful.convention import CONVENTIONS, HABITS
from gainful.formula import to_latex
from gainful.measure import DISCOUNTS, GAINS, MEASURES, REFERENCES
from gainful.show import convention as conventions, measures
from gainful.show.table import Table, to_markdown

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden" / "conventions.json"
MADE = "<!-- made by docs/generate.py: change the tables it reads, not this page -->\n\n"

# The columns of the table of numbers: cases that show a disagreement, with their question.
SHOWN = {
    "C01": "3 2 3 0 1 2, all judged",
    "C02": "two more relevant documents not retrieved, k=6",
    "C05": "the same, k=3",
    "C06": "four tied documents, graded 3 0 0 2",
    "C08": "nothing relevant",
    "C11": "graded -1 2 1",
    "C15": "only rank 35 of 40 relevant",
    "C16": "graded 0.5 0.9",
}
ARRAY_TOOLS = (
    "scikit-learn",
    "torchmetrics",
    "rax",
    "catboost",
    "lightgbm",
    "xgboost",
    "evidently",
)


def which_ndcg() -> str:
    """The page "Which nDCG?"."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))["observed"]
    rows = [
        (tool, *(_printed(golden[tool][case]) for case in SHOWN))
        for tool in golden
        if tool.startswith(ARRAY_TOOLS)
    ]
    cases = "\n".join(f"- **{case}**: {what}" for case, what in SHOWN.items())
    habits = [(habit.name, habit.question) for habit in HABITS.values()]
    notes = [(name, c.title, c.note) for name, c in CONVENTIONS.items() if c.note]
    return f"""{MADE}# Which nDCG?

One ranking, one set of judgments, and almost every tool prints another number. None of them is
wrong: each has habits, and few say which. gainful has a name for every habit and prints them with
every result; `like=` (on the command line `--like`) computes as another tool does.

## The habits

{to_markdown(Table(("field", "question it settles"), habits))}

## Whose habits

`gainful conventions NAME` tells one in plain words, `gainful conventions NAME --diff OTHER` only
what differs. The same from Python: `gainful.like("sklearn").differences(gainful.like("quepid"))`.

{to_markdown(conventions.overview())}

What else there is to know:

{to_markdown(Table(("name", "tool or source", "note"), notes))}

Not here, because it cannot be said in these fields: cwl_eval's and ir_measures' scaled DCG (no
ideal at all), Spark's Scala API with relevance (an ideal in the order given), and LlamaIndex
(changed since it was read).

## What the array tools print

The numbers below were printed by the tools themselves (*list*: only what was retrieved is passed;
*pool*: unretrieved judged documents are appended with a very low score). gainful's tests hold
`like=` to every one of them, and to those of the tools that read judgments as far as one list of
grades can tell.

{cases}

{to_markdown(Table(("tool", *SHOWN), rows, numbers=False))}

So if somebody reports a number, ask which one it is:

```console
$ gainful which 0.932 3 2 3 0 1 2
3 measures give 0.932 ± 0.0005:

measure                                                   value     computed by
nDCG(discount=jk2002, b=2)                                0.931509  jk2002, wikipedia, ntcireval
nDCG(gain={{0:0,1:1,2:10,3:100}}, discount=jk2008, b=2)     0.931892
nDCG(gain={{0:0,1:1,2:10,3:100}}, discount=shifted, b=5)@5  0.931529
```
"""


def _printed(value: str) -> str:
    return "error" if value.startswith("ERR") else value


def measures_page() -> str:
    """The page about measures and their language."""
    parameters = [
        (p.symbol, p.domain.describe(p.symbol), f"{p.typical[0]:g} to {p.typical[1]:g}", p.meaning)
        for p in measures.all_params().values()
        if p.typical
    ]
    latex = "\n\n".join(
        f"**{formula.name}**: ${to_latex(formula.expr)}$"
        for formula in (*GAINS.values(), *DISCOUNTS.values())
    )
    sources = "\n".join(f"- *{key}*: {text}" for key, text in REFERENCES.items())
    spelled = "\n".join(
        f"- `{entry.name}({', '.join(entry.params)})@k`" for entry in MEASURES.values()
    )
    return f"""{MADE}# Measures and their language

A measure is a name, parameters in brackets, and a cutoff:
`nDCG(gain=exp, discount=jk2008, b=2)@10`.
The same as a value in Python, which is equal by its fields and can be a key of a dictionary:

```python
>>> import gainful
>>> measure = gainful.nDCG(gain="exp") @ 10
>>> str(measure)
'nDCG(gain=exp)@10'
>>> gainful.parse("nDCG(gain=exp)@10") == measure
True

```

What is set in the measure wins, then the option of the call, then `like`, then gainful's default.
A parameter that the chosen formula does not have is an error, not a silence.

{to_markdown(measures.measures())}

{spelled}

## Gains: what is a document of grade g worth?

{to_markdown(measures.formulas("gain"))}

A table of weights is a gain too: `gain={{0:0,1:1,2:10,3:100}}`.

## Discounts: what is left of it at rank i?

{to_markdown(measures.formulas("discount"))}

Queries of a session are discounted by the same functions, with the position of the query for the
rank and the base `bq` for `b`: `gainful.query_discount(2, bq=4)`.

## Parameters

{to_markdown(Table(("parameter", "allowed", "typical", "meaning"), parameters))}

## The formulas as mathematics

{latex}

## Sources

{sources}
"""


PAGES = {"which-ndcg.md": which_ndcg, "measures.md": measures_page}


def main() -> int:
    """Write the pages, or with --check say which are out of date."""
    stale = []
    for name, made in PAGES.items():
        page = HERE / name
        text = made()
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                page.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"out of date: {', '.join(stale)}; run make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
