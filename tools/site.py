"""What is built with the site and not committed: the reference of the API, that of the commands, and a live page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
from tools.commands import DOCUMENT_WIDTH, call_gainful
from tools.reference import name_pages, reference_page

import gainful
from gainful.cli.main import gainful as commands

ROOT = Path(__file__).parent.parent
LIVE = "docs/live.html"
_REFERENCE = "docs/api.md"
_COMMANDS = "docs/commands.md"


def commands_page() -> str:
    """The page of all commands, each with all of its options."""
    return f"""# Commands

This page is printed by the program: `gainful COMMAND --help-all`, for every command.

```text
{_print_help()}
```

{_list_commands()}
"""


def _list_commands() -> str:
    context = click.Context(commands, info_name="gainful")
    return "\n\n".join(
        f"## gainful {name}\n\n```text\n{_print_help(name)}\n```"
        for name in commands.list_commands(context)
    )


def _print_help(*command: str) -> str:
    """All options of a command; one that folds none has no --help-all."""
    for flag in ("--help-all", "--help"):
        outcome = call_gainful(*command, flag, width=DOCUMENT_WIDTH)
        if outcome.status == 0:
            return outcome.out.strip("\n")
    raise ValueError(f"gainful {' '.join(command)} has no help")


def live_page() -> str:
    """The page of `gainful explore` that the home page opens: a simulated study of two systems."""
    study = gainful.sessions.simulate_study(2008)
    title = "A simulated study of two systems"
    return str(
        gainful.explore(
            study.sessions, study.qrels, "nsDCG(b=2, bq=4)@10", by="system", title=title
        )
    )


BUILT: dict[str, Callable[[], str]] = {
    _REFERENCE: reference_page,
    _COMMANDS: commands_page,
    LIVE: live_page,
}


def write_built_pages(mark: str, root: Path = ROOT) -> None:
    """Write them all; Markdown begins with a mark that it is made."""
    (root / "docs" / "api").mkdir(exist_ok=True)
    made = {page: make() for page, make in BUILT.items()}
    made |= {f"docs/{page}": text for page, text in name_pages().items()}
    for page, text in made.items():
        begin = mark if page.endswith(".md") else ""
        (root / page).write_text(begin + text, encoding="utf-8")
