"""`gainful`: all commands, and what happens when one of them cannot do what was asked.

Exit status: 0 done, 1 the answer is no, 2 a mistake in what was given, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper

import click

from gainful.errors import GainfulError, UnknownName

_MISTAKE, _STOPPED = 2, 130

# Each command is a module of this room, loaded when it is called: help must not load them all.
_COMMANDS: Mapping[str, str] = {
    "eval": "How good are these runs?",
    "compare": "Is one run really better than another?",
    "gate": "Is this run good enough to ship?",
    "unjudged": "How much could documents that nobody judged change?",
    "order": "Which measure tells these runs apart, and do they agree?",
    "why": "Why do two tools disagree on these data?",
    "sessions": "How good are these whole search sessions?",
    "sweep": "Which system is better for which searcher?",
    "explore": "What would another searcher say of these sessions?",
    "figure": "What does it look like? Pictures of sessions and runs.",
    "report": "One page about these runs, to hand over.",
    "check": "Is anything wrong with these files?",
    "explain": "How does this ranking come by its nDCG?",
    "which": "Whose nDCG is this?",
    "measures": "What can be computed, and what do its options mean?",
    "conventions": "What does a tool do, in plain words?",
    "trec_eval": "trec_eval's flags, output and exit status, to the byte.",
}


class Commands(click.Group):
    """The commands by name; a misspelt one is answered as every misspelt name is."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All of them, in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        """The command, or an error that names the nearest one."""
        if cmd_name not in _COMMANDS:
            raise UnknownName("command", cmd_name, _COMMANDS, "gainful --help lists them")
        module = import_module(f"gainful.cli.{cmd_name}")
        command = getattr(module, cmd_name if cmd_name != "eval" else "evaluate")
        if not isinstance(command, click.Command):
            raise TypeError(f"gainful.cli.{cmd_name} has no command {cmd_name}")
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Their names and questions, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every number comes with its convention; --like NAME computes as another tool does.",
)
@click.version_option(version("gainful"), "-V", "--version", message="gainful %(version)s")
def gainful() -> None:
    """Judge rankings and whole sessions: cumulated gain in every formulation, its work shown.

    \b
    Try:
      gainful eval qrels.txt run.txt -m nDCG@10 -m AP    how good is this run?
      gainful check qrels.txt run.txt                    is anything wrong with these files?
      gainful compare qrels.txt bm25.txt dense.txt       is one really better than the other?
      gainful gate qrels.txt run.txt --floor nDCG@10=.4  is it good enough to ship?
      gainful why qrels.txt run.txt --unlike sklearn     why does another tool disagree?
      gainful sessions study.csv --qrels qrels.txt       how much did whole sessions bring?
      gainful sweep sessions.csv --qrels qrels.txt       which searcher is better off with which?
      gainful figure sessions study.csv --qrels qrels.txt --by system -o study.svg
      gainful explore study.csv --qrels q -o p.html      a page where the searcher moves
      gainful report qrels.txt run.txt -o report.html    a page about these runs, to hand over
      gainful explain 3 2 3 0 1 2                        how does a ranking come by its nDCG?
      gainful which 0.932 3 2 3 0 1 2                    whose nDCG is this?
      gainful conventions sklearn                        what does that tool do, in plain words?
      gainful measures nDCG                              what can be computed, and how?
    """


def main(arguments: list[str] | None = None) -> None:
    """Run a command; a user's mistake is one line on stderr, never a trace."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a page that knows no Σ gets a ? instead
            stream.reconfigure(errors="replace")
    try:
        status = gainful.main(arguments, prog_name="gainful", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as empty:
        click.echo(empty.format_message(), err=True)
        status = _MISTAKE
    except click.ClickException as mistake:
        status = _report_mistake(mistake.format_message())
    except GainfulError as mistake:
        status = _report_mistake(str(mistake))
    except (click.Abort, KeyboardInterrupt):
        click.echo("gainful: stopped", err=True)
        status = _STOPPED
    except OSError as failure:  # a closed pipe (`… | head`) is click's, which ends quietly
        status = _report_mistake(f"cannot read or write: {failure.strerror or failure}")
    except MemoryError:
        status = _report_mistake("there is not enough memory for this")
    sys.exit(status if isinstance(status, int) else 0)


def _report_mistake(message: str) -> int:
    click.echo("gainful: " + " ".join(message.split()), err=True)
    return _MISTAKE
