"""What `make agree` found, as a page and as a sentence of the README."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent
_SENTENCE = re.compile(r"(<!-- agreement -->).*?(<!-- /agreement -->)", re.DOTALL)
_INTRODUCTION = """\
# Agreement with the real tools

`make agree` evaluates random judgments and runs with each installed tool and with gainful's `like=` for
that tool, compares all values, and writes this page. If the environment variable TREC_EVAL (for
version 9, TREC_EVAL_9) is the path of a trec_eval binary, the output of whole command lines is compared byte by byte;
[trec_eval](trec-eval.md) lists the intended differences.

Run on {date}, seed {seed}:

| tool | version | what | cases | values | largest difference |
| --- | --- | --- | ---: | ---: | --- |
{rows}

The test suite compares the same tools on new random data in every run. For tools that are not installed, it compares
gainful with their recorded output ([conventions](conventions.md)).
"""


def load_agreement() -> dict[str, Any]:
    """What was found last."""
    text = (_ROOT / "docs" / "agreement.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def agreement_page() -> str:
    """The page with its table."""
    data = load_agreement()
    rows = "\n".join(_format_row(row) for row in data["rows"])
    return _INTRODUCTION.format(date=data["date"], seed=data["seed"], rows=rows)


def _format_row(row: dict[str, Any]) -> str:
    if "largest" in row:
        difference = f"{row['largest']:.0e}"
    else:
        listed = row["cases"] - row["same"] - row["unexplained"]
        difference = f"{row['same']} identical, {listed} listed, {row['unexplained']} others"
    cells = (row["tool"], row["version"], row["what"], row["cases"], row.get("values", "–"))
    return f"| {' | '.join(map(str, cells))} | {difference} |"


def put_sentence(text: str) -> str:
    """The README with its sentence on agreement as it was found last."""
    data = load_agreement()
    tools = [row for row in data["rows"] if "largest" in row]
    names = ", ".join(f"{row['tool']} {row['version']}" for row in tools)
    values = sum(row["values"] for row in tools)
    largest = max(row["largest"] for row in tools)
    binaries = [row for row in data["rows"] if "same" in row]
    sentence = (
        f"Values agree with those of the tools ([agreement](docs/agreement.md), {data['date']}): {names} on "
        f"{values:,} values, largest difference {largest:.0e}"
    )
    if binaries:
        versions = " and ".join(row["version"] for row in binaries)
        lines = sum(row["cases"] for row in binaries)
        listed = lines - sum(row["same"] for row in binaries)
        rest = f", except for {listed} that the [docs](docs/trec-eval.md) list" if listed else ""
        sentence += f"; trec_eval {versions} on {lines:,} random command lines, byte for byte{rest}"
    return _SENTENCE.sub(lambda part: f"{part[1]}{sentence}.{part[2]}", text)
