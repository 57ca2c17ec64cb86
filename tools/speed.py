"""docs/speed.md and its picture, from what `make bench` measured (benchmarks/history.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
HISTORY = ROOT / "benchmarks" / "history.json"
PICTURE = ROOT / "docs" / "pictures" / "speed.svg"

_TEXT = """# Speed, measured

`make bench` measures gainful and other tools alternately, each in a new process, and prints this table; `benchmarks/history.json` contains all results.
Compare ratios, not seconds. The load is the number of processes that compete for the cores. If it exceeds the number of cores, the ratios of
whole commands to other tools are approximate. The ratios for untidy files, `check`, `compare`, `report` and start-up use
processor time and are more stable.

Measured on {date}: {packages}.

| task and reference | gainful | reference | ratio | target |
| --- | --- | --- | --- | --- |
{rows}

The native engine (`make native`) is optional; see [Installing](installing.md). Its memory use does not grow with the file, and neither does that of the pure engine
if the lines of each query are contiguous; it grows with the number of judgments. Measured by hand on 2026-11-19, not by `make bench`: 70 million lines (3 GB) of 7,000 queries with 20 judgments each take 101 MB with the native engine on
two cores and 315 MB without it. Of 70,000 queries the native engine takes 91 MB with 2 judgments each, 133 MB with 5 (the pure engine 360 MB), and 205 MB with 10; judgments over 16 MB are read by polars, which takes 260 MB or more. On a machine with 16 cores (2026-11-19, measured by `benchmarks/threads.py`), the engine reads 70 million lines in 5.6 s on one core, 1.8 s on four and 1.1 s on
eight. The whole command (measured by hand), which also reads the judgments and computes the measures, takes 5.4 s, 2.2 s and 1.6 s for 7,000 queries, and 5.2 s, 2.5 s and 2.0 s for 70,000.

The figure shows each ratio relative to its target in every measurement; at 1 the target is just met:

![Each ratio relative to its target, by measurement](pictures/speed.svg)

Each of the other scripts in `benchmarks/` measures one part: `frames.py` and `session_engines.py` (lazy polars, DuckDB, Spark), `json_logs.py` and `report.py`
(the time until a page is drawn), which `make bench-all` runs; `searchers.py` (ten minutes), `tensors.py` (on a GPU) and `threads.py` (70 million lines on 1, 2, 4 … cores).
"""


def build_page() -> str:
    """The page with the table of the last measurement."""
    last = load_history()[-1]
    return _TEXT.format(
        date=last["date"],
        packages=", ".join(
            value if name == "machine" else f"{name} {value}"
            for name, value in last["packages"].items()
        ),
        rows="\n".join(map(_format_row, last["rows"])),
    )


def load_history() -> list[dict[str, Any]]:
    """All that was measured, the last at the end."""
    history: list[dict[str, Any]] = json.loads(HISTORY.read_text(encoding="utf-8"))
    return history


def _format_row(row: dict[str, Any]) -> str:
    sign = "at most" if row["at_most"] else "at least"
    seconds = f"{row['ours']:.2f} {row['unit']} | {row['theirs']:.2f} {row['unit']}"
    return f"| {row['work']} | {seconds} | {row['ratio']:.2f}× | {sign} {row['asked']:g}× |"


def draw_history() -> None:
    """A line for each row of the page: its ratio over what is asked, by the measurements made."""
    import altair as alt  # noqa: PLC0415  (only where pictures are drawn)

    values = [
        {
            "measurement": f"{number}: {entry['date']}",
            "work": row["work"],
            "margin": (
                row["asked"] / row["ratio"] if row["at_most"] else row["ratio"] / row["asked"]
            ),
        }
        for number, entry in enumerate(load_history(), 1)
        for row in entry["rows"]
    ]
    chart = (
        alt.Chart(alt.Data(values=values), width=420, height=360, padding=10)
        .mark_line(point=True)
        .encode(
            x=alt.X("measurement:O", title=None),
            y=alt.Y("margin:Q", title="ratio over what is asked").scale(type="log"),
            color=alt.Color("work:N", title=None).legend(
                labelLimit=400, symbolLimit=40, padding=28
            ),
        )
    )
    chart.save(PICTURE)
