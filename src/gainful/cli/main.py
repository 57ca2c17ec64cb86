"""`gainful`: all commands, and what happens when one of them cannot do what was asked.

Exit status: 0 done, 1 the answer is no, 2 a mistake in what was given, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from io import TextIOWrapper

import click

from gainful.cli.conventions import conventions
from gainful.cli.explain import explain
from gainful.cli.measures import measures
from gainful.cli.trec_eval import trec_eval
from gainful.cli.which import which
from gainful.errors import GainfulError, UnknownName

_MISTAKE, _STOPPED = 2, 130


class Commands(click.Group):
    """The commands by name; a misspelt one is answered as every misspelt name is."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command, or an error that names the nearest one."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise UnknownName("command", cmd_name, self.commands, "gainful --help lists them")
        return found


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every number comes with its convention; --like NAME computes as another tool does.",
)
@click.version_option(version("gainful"), "-V", "--version", message="gainful %(version)s")
def gainful() -> None:
    """Judge rankings: cumulated gain in every formulation in use, with its work shown.

    \b
    Try:
      gainful explain 3 2 3 0 1 2           how does this ranking come by its nDCG?
      gainful which 0.932 3 2 3 0 1 2       whose nDCG is this?
      gainful conventions sklearn           what does that tool do, in plain words?
      gainful measures nDCG                 what can be computed, and how?
    """


for command in (explain, which, measures, conventions, trec_eval):
    gainful.add_command(command)


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
        status = _said(mistake.format_message())
    except GainfulError as mistake:
        status = _said(str(mistake))
    except (click.Abort, KeyboardInterrupt):
        click.echo("gainful: stopped", err=True)
        status = _STOPPED
    except OSError as failure:  # a closed pipe (`… | head`) is click's, which ends quietly
        status = _said(f"cannot read or write: {failure.strerror or failure}")
    sys.exit(status if isinstance(status, int) else 0)


def _said(message: str) -> int:
    click.echo("gainful: " + " ".join(message.split()), err=True)
    return _MISTAKE
