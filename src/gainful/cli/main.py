"""`gainful`: all commands, and what happens when one of them cannot do what was asked.

Exit status: 0 done, 1 the answer is no, 2 a mistake in what was given, 70 a
fault of gainful itself, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from gainful.cli.command import Command, Group, complete_names
from gainful.cli.streams import (
    abandon_stdout,
    flush_stderr,
    is_terminal,
    prepare_streams,
    say,
    show_progress,
)
from gainful.errors import GainfulError, UnknownName
from gainful.text import IN_SHELL, shorten

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


_BASE, _PER_CORE = 1 << 30, 1 << 26  # bytes of address space that polars and scipy take to start


def refuse_little_memory() -> None:
    """Refuse to begin where the address space is limited (`ulimit -v`) to less than is needed."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    limit, needed = getrlimit(RLIMIT_AS)[0], _BASE + _PER_CORE * (os.cpu_count() or 1)
    if limit != RLIM_INFINITY and limit < needed:
        raise click.ClickException(
            f"there is not enough memory: the address space is limited to {limit >> 20} MiB "
            f"(ulimit -v), and {needed >> 20} MiB are needed to start"
        )


_MISTAKE, _FAULT, _STOPPED = 2, 70, 130
_MAX_REASON = 200  # characters of what went wrong

# Commands are modules of this room, loaded when they are called: help must not load them all.
_MODULES = {"conventions": "measures", "which": "explain"}  # of those that are in another's
_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Runs": {
        "eval": "How good are these runs?",
        "compare": "Is one run really better than another?",
        "gate": "Is this run good enough to ship?",
        "plan": "How many queries does a comparison need?",
        "report": "One page about these runs, to share.",
        "unjudged": "How much could documents that nobody judged change?",
        "order": "Which measure separates these runs best, and do measures agree?",
        "reproduce": "Is a reproduced run like the original?",
        "judges": "Do judges agree, people or models?",
        "why": "Why do two tools disagree on these data?",
        "trec_eval": "trec_eval's options, output and exit status.",
    },
    "Sessions": {
        "sessions": "How good are these whole search sessions?",
        "sweep": "Which system is better for which searcher?",
        "calibrate": "How do the searchers of this log behave?",
        "explore": "How would another searcher score these sessions?",
    },
    "Runs and sessions": {
        "check": "Is anything wrong with these files?",
        "correlate": "Which measure agrees best with what users said?",
        "figure": "What does it look like? Figures of sessions and runs.",
    },
    "Single rankings and terms": {
        "explain": "How is the nDCG of this ranking computed?",
        "which": "Which formula gives this nDCG?",
        "measures": "What can be computed, and what do its options mean?",
        "conventions": "What does a tool do, in plain words?",
    },
    "The command itself": {
        "help": "What does a command do, and what are its options?",
        "completion": "Shell completion of names, options and files.",
    },
}
_QUESTIONS = {name: text for commands in _COMMANDS.values() for name, text in commands.items()}


class Commands(Group):
    """The commands by name; a misspelt one is answered as every misspelt name is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them, in the order of the table."""
        return list(_QUESTIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or an error that names the nearest one."""
        if cmd_name in _OWN_COMMANDS:
            return _OWN_COMMANDS[cmd_name]
        if cmd_name not in _QUESTIONS:
            if ctx.resilient_parsing:  # a shell that completes asks, and wants no answer
                return None
            raise _unknown_command(cmd_name)
        if not ctx.resilient_parsing:
            refuse_little_memory()
        module = import_module(f"gainful.cli.{_MODULES.get(cmd_name, cmd_name)}")
        found_command = getattr(module, cmd_name if cmd_name != "eval" else "evaluate")
        if not isinstance(found_command, click.Command):
            raise TypeError(f"gainful.cli.{cmd_name} has no command {cmd_name}")
        return found_command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that is named first; where a file is, `eval` is missing before it."""
        if args and args[0] not in _QUESTIONS and Path(args[0]).is_file():
            line = join(["gainful", "eval", *args])
            raise click.UsageError(f"{args[0]} is a file, not a command; did you mean {line}?")
        return super().resolve_command(ctx, args)

    def make_context(self, *words: Any, **settings: Any) -> click.Context:
        """What is asked for; click would answer Ctrl-C with an empty line before ours."""
        try:
            return super().make_context(*words, **settings)
        except KeyboardInterrupt:
            raise click.Abort from None

    def invoke(self, ctx: click.Context) -> Any:
        """Do it; here too Ctrl-C is one line."""
        speaks = IN_SHELL.set(True)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        finally:
            IN_SHELL.reset(speaks)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without loading them."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415  (only for a shell)

        names = complete_names(_QUESTIONS, incomplete)
        items = [CompletionItem(name, help=_QUESTIONS[name]) for name in names]
        return items or click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Their names and questions, without loading them."""
        width = max(map(len, _QUESTIONS))
        for heading, commands in _COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", text) for name, text in commands.items()])


def _unknown_command(name: str) -> Exception:
    """The answer to a name that is no command; that of a measure is shown how it is asked for."""
    from gainful.api.measures import is_measure  # noqa: PLC0415  (only once there is a mistake)
    from gainful.synonyms import COMMANDS, NO_COMMANDS  # noqa: PLC0415

    hint = NO_COMMANDS.get(name, "")
    if name in COMMANDS and not hint:
        hint = f"did you mean {COMMANDS[name]}?"
    elif is_measure(name) and not hint:
        hint = (
            f"{name} is a measure: gainful explain 3 2 3 explains a ranking of these grades, "
            f"gainful eval QRELS RUN -m {name} evaluates a run"
        )
    if hint:
        return click.UsageError(f"unknown command {name!r}; {hint}")
    return UnknownName("command", name, _QUESTIONS, "gainful --help lists them")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415  (slow to load)

        from gainful.api.evaluate import find_native_engine  # noqa: PLC0415  (slow to load)

        click.echo("\n".join([f"gainful {version('gainful')}", *find_native_engine()]))
        ctx.exit()


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    *("-V", "--version"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def gainful() -> None:
    """Evaluate rankings and whole search sessions, and show the work.

    Every number comes with its convention; --like NAME computes as another tool does.
    gainful COMMAND --help explains each.

    \b
    Examples:
      gainful eval qrels.txt run.txt -m nDCG@10 -m AP
      gainful compare qrels.txt bm25.txt dense.txt
      gainful gate qrels.txt run.txt --floor nDCG@10=0.4
      gainful sessions study.csv --qrels qrels.txt --by system
      gainful explain 3 2 3 0 1 2
      gainful which 0.932 3 2 3 0 1 2
    """


@click.command("help", cls=Command)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def show_help(context: click.Context, names: tuple[str, ...]) -> None:
    """What does COMMAND do, and what are its options? Without one: which commands are there?

    \b
    Examples:
      gainful help
      gainful help eval
      gainful help figure dots
    """
    parent = context.find_root()
    for name in names:
        group = parent.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"gainful {group.name} has no commands; there is no {name!r}")
        subcommand = group.get_command(parent, name)
        if subcommand is None:
            raise UnknownName("command", name, group.list_commands(parent))
        parent = subcommand.context_class(
            subcommand, info_name=name, parent=parent, **subcommand.context_settings
        )
    click.echo(parent.get_help())


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def print_completion(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL (bash, zsh or fish) complete gainful's words.

    Save it where the shell looks for such scripts, and open a new one. bash needs version 4.4 or
    later and the package bash-completion. zsh reads ~/.zfunc if ~/.zshrc has these two lines:
    fpath+=~/.zfunc and, below it, autoload -Uz compinit && compinit

    To try it in the shell that is open: eval "$(gainful completion bash)"

    \b
    Examples:
      gainful completion bash > ~/.local/share/bash-completion/completions/gainful
      gainful completion zsh > ~/.zfunc/_gainful
      gainful completion fish > ~/.config/fish/completions/gainful.fish
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415  (only for a shell)

    from gainful.cli.answer import write_stdout  # noqa: PLC0415  (not loaded by help)

    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"{shell} has no completion")
    root = context.find_root().command
    write_stdout(complete(root, {}, "gainful", "_GAINFUL_COMPLETE").source())


_OWN_COMMANDS = {"help": show_help, "completion": print_completion}


def main(arguments: list[str] | None = None) -> None:
    """Run a command; a user's mistake is one line on stderr, never a trace."""
    prepare_streams()
    try:
        with show_progress():
            status = gainful.main(arguments, prog_name="gainful", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as empty:
        click.echo(empty.format_message(), err=True)
        status = _MISTAKE
    except click.ClickException as mistake:
        status = _report_mistake(_describe_mistake(mistake))
    except GainfulError as mistake:
        status = _report_mistake(str(mistake))
    except (click.Abort, KeyboardInterrupt):
        if is_terminal(sys.stderr):
            click.echo(err=True)  # behind the ^C that stands there
        say("stopped")
        status = _STOPPED
    except OSError as failure:  # a closed pipe (`… | head`) is click's, which ends quietly
        abandon_stdout()
        place, why = failure.filename or "input or output", failure.strerror or failure
        status = _report_mistake(f"{place}: cannot be read or written: {why}")
    except MemoryError:
        status = _report_mistake("there is not enough memory for this")
    except BaseException as failure:  # noqa: BLE001  (nobody foresaw it, so it is no "no" and no mistake)
        status = _report_failure(failure)
    flush_stderr()
    sys.exit(status if isinstance(status, int) else 0)


def _report_failure(failure: BaseException) -> int:
    """A fault of gainful's own: said in a line, with its trace where that was asked for."""
    if not isinstance(failure, Exception) and type(failure).__name__ != "PanicException":
        raise failure  # that is no fault, but a panic of polars is
    name = failure.name or "" if isinstance(failure, ModuleNotFoundError) else ""
    package = name.partition(".")[0]
    if package not in ("", "gainful"):
        return _report_mistake(f"the package {package} is not installed: pip install {package}")
    if os.environ.get("GAINFUL_DEBUG"):
        import traceback  # noqa: PLC0415  (only for those who ask for it)

        click.echo("".join(traceback.format_exception(failure)), err=True, nl=False)
    reason = shorten(f"{type(failure).__name__}: {failure}", _MAX_REASON)
    say(
        f"this is a bug in gainful, not in your input: {reason}. Please report it with the command "
        "and, if you can, its files; GAINFUL_DEBUG=1 shows where it happened"
    )
    return _FAULT


def _describe_mistake(mistake: click.ClickException) -> str:
    option = mistake.param if isinstance(mistake, click.MissingParameter) else None
    if option is None or "-o" not in option.opts:
        return mistake.format_message()
    return f"name the file to write: -o {option.metavar or 'FILE'}"


def _report_mistake(message: str) -> int:
    say(message)
    return _MISTAKE
