"""How large is each room, beside its budget in tools/budget.toml? Ends with status 1 where one outgrows it.

A room that needs more takes it from another, or says in the commit that raises its number why.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOORS = "doors and ground"  # the modules of the package itself


def measure_rooms() -> tuple[Counter[str], Counter[str]]:
    """The lines and files of each room."""
    lines, files = Counter[str](), Counter[str]()
    for path in (ROOT / "src" / "gainful").rglob("*.py"):
        parts = path.relative_to(ROOT / "src" / "gainful").parts
        room = parts[0] if len(parts) > 1 else DOORS
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
        files[room] += 1
    return lines, files


def main() -> int:
    """Print the table, and name what is over its budget."""
    budgets = tomllib.loads((ROOT / "tools" / "budget.toml").read_text(encoding="utf-8"))
    lines, files = measure_rooms()
    over = []
    print(f"{'room':<18}{'lines':>8}{'budget':>8}{'files':>7}{'budget':>8}")
    for room in sorted({*budgets, *lines}, key=lambda name: -lines[name]):
        allowed = budgets.get(room, {"lines": 0, "files": 0})
        row = (
            f"{room:<18}{lines[room]:>8}{allowed['lines']:>8}{files[room]:>7}{allowed['files']:>8}"
        )
        print(row)
        if lines[room] > allowed["lines"] or files[room] > allowed["files"]:
            over.append(room)
    print(f"{'all':<18}{lines.total():>8}{'':>8}{files.total():>7}")
    if over:
        print(f"over their budget (tools/budget.toml): {', '.join(over)}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
