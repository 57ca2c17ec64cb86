"""What all commands do alike: take files and options, ask `api`, deliver what comes back.

A command is a function that returns a result or a `Page` (or that and an exit status). It need
not look after its files: none is written over, one at most is a pipe, runs come by their names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import click

from gainful.cli.command import OUTPUT, PATH, Command
from gainful.cli.options import PLUGINS, Decorator, Row, option, refuse_idle_options
from gainful.cli.streams import abandon_stdout, find_terminal, is_terminal, say
from gainful.errors import BadInput
from gainful.page.page import Page
from gainful.page.render import HTML_HEAD, SUFFIXES, Content, render, write_together
from gainful.page.terminal import PLAIN
from gainful.text import name_files

_DATA_FORMS = ("json", "jsonl", "csv", "tsv")  # for programs, which expect UTF-8
WITHOUT_NOTES = ("tsv", "csv", "jsonl")  # numbers only, for programs


def choose_form(
    form: str | None,
    output: str | None,
    *,
    piped: str = "tsv",
    own_suffixes: Mapping[str, str] | None = None,
) -> str:
    """The form that was named; else that of the file's suffix, or the one for the terminal.

    `piped` is what a pipe gets; a command may have forms of its own besides all others.
    """
    if form is not None:
        return form
    if is_stdout(output):
        return "table" if is_terminal(sys.stdout) else piped
    suffix = Path(str(output)).suffix.lower()
    forms = {suffix: form for form, suffix in (SUFFIXES | dict(own_suffixes or {})).items()}
    if suffix not in forms:
        raise click.UsageError(
            f"-o {output}: FILE must end in {', '.join(forms)} (or name the format with --format)"
        )
    return forms[suffix]


def refuse_other_than_html(output: str) -> None:
    """Require a name that a browser opens as a page."""
    suffix = Path(output).suffix.lower()
    if not is_stdout(output) and suffix not in {SUFFIXES["html"], ".htm"}:
        raise click.UsageError(f"-o {output}: FILE must end in .html, as the page is HTML")


def deliver(
    page: Page,
    form: str,
    output: str | None = None,
    *,
    quiet: bool = False,
    beside: Mapping[str, str] | None = None,
) -> None:
    """Print a page, or put it into a file (- is standard output), in the form asked for.

    Formats that have no place for notes get them on stderr, unless that is to be `quiet`. Files
    that belong to it are written `beside` it: all of them and the page, or nothing.
    """
    text = render(page, form, find_terminal() if is_stdout(output) else PLAIN)
    if form == "html" and not is_stdout(output):
        text = HTML_HEAD + text
    files = dict(beside or {})
    if not is_stdout(output):
        files[str(output)] = text + "\n"
    write_together(files)
    if is_stdout(output):
        write_stdout(text, encoding="utf-8" if form in _DATA_FORMS else None)
    if form in WITHOUT_NOTES:
        for line in page.warnings if quiet else page.notes:
            say(line)


def deliver_document(
    document: Content, output: str, beside: Mapping[str, str] | None = None
) -> None:
    """Put a page or a picture into its file, and values beside it, and say so on stderr."""
    if is_stdout(output):
        write_stdout(document)
        return
    text = document + "\n" if isinstance(document, str) else document
    write_together({output: text, **(beside or {})})
    more = "".join(f", and all values to {path}" for path in beside or ())
    say(f"wrote {output}{more}")


def is_stdout(output: str | None) -> bool:
    """Is it printed?"""
    return output in (None, "-")


def write_stdout(content: Content, encoding: str | None = None) -> None:
    """Print text or bytes as they are; text for programs in an `encoding` that has every character.

    A reader that has gone away, such as head, is no mistake: what is left is not printed.
    """
    if sys.stdout is None:
        raise BadInput("stdout", "it is closed", "somewhere to print to, or a file")
    if isinstance(content, str):
        content += "\n"
        if encoding is not None and not is_terminal(sys.stdout):
            content = content.encode(encoding)
    if isinstance(content, bytes) and not hasattr(sys.stdout, "buffer"):  # io.StringIO
        content = content.decode(errors="surrogateescape")
    try:
        click.echo(content, nl=False, color=True)
    except BrokenPipeError:
        abandon_stdout()
    except OSError as failure:
        failure.filename = "stdout"  # for the message
        raise


_FILES = {"QRELS": "qrels", "RUN": "runs", "FILE": "files", "LOG": "files", "FILES": "files"}
_PRINTING = ("form", "output", "verbose")  # which most commands leave to this file
_STDIN = "/dev/stdin"  # which leads to the file that a shell redirects
_BEIR_FILES = "qrels/*.tsv"  # that are read of a folder


def argument(usage: str, **changes: Any) -> Decorator:
    """What a command is about, as its usage has it: QRELS, [RUN], FILE..., GRADES..."""
    word = usage.strip("[]").removesuffix("...").split()[-1]
    several = usage.endswith("...")
    name = _FILES.get(word, word.lower()) if several else word.lower()
    required = not usage.startswith("[") and not (several and word == "RUN")
    attributes: dict[str, Any] = {"required": required, "type": PATH if word in _FILES else None}
    if several:
        attributes |= {"nargs": -1, "metavar": usage}
    return click.argument(name, **{**attributes, **changes})


def command(
    *rows: str | Row | Decorator,
    name: str | None = None,
    piped: str = "tsv",
    own_suffixes: Mapping[str, str] | None = None,
    **attributes: Any,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function: its arguments and options in the order of help.

    Args:
        rows: options, by their name in the table or of this command alone; and arguments.
        name: if it is not that of the function.
        piped: the form that a pipe gets.
        own_suffixes: of forms that only this command has.
        **attributes: as click takes them.
    """

    def build(function: Callable[..., Any]) -> click.Command:
        taken = signature(function).parameters

        def run(**options: Any) -> int:
            context = click.get_current_context()
            form, output = options.pop("form", None), options.get("output")
            if piped == "html":
                refuse_other_than_html(str(output))
            elif piped != "picture":
                form = choose_form(form, output, piped=piped, own_suffixes=own_suffixes)
            quiet = options.pop("quiet", piped != "tsv")
            _check_files(context)
            if "runs" in options:
                options["runs"] = name_runs(options["runs"])
            if "measures" in options:
                options["measures"] = options["measures"] or None
            if "salt" in options:
                salt, anonymise = options.pop("salt"), options["anonymise"]
                if salt is not None and not anonymise:
                    refuse_idle_options(["salt"], "needs --anonymise")
                options["anonymise"] = anonymise and (True if salt is None else salt)
            given = options | {"form": form}
            own = [name for name in given if name in taken or name not in _PRINTING]
            view = {"verbose": given["verbose"]} if "verbose" in given.keys() - {*own} else {}
            answer = function(**{name: given[name] for name in own})
            return _deliver(answer, form, output, quiet=quiet, view=view)

        run.__doc__, run.__name__ = function.__doc__, function.__name__
        decorated: Callable[..., Any] = run
        for row in reversed(rows):
            decorated = (option(row) if isinstance(row, str) else row)(decorated)
        named = name or function.__name__
        return click.command(named, cls=Command, **attributes)(decorated)

    return build


def _deliver(
    answer: Any, form: str, output: str | None, *, quiet: bool, view: Mapping[str, bool]
) -> int:
    if answer is None or isinstance(answer, int):  # it has delivered itself
        return answer or 0
    shown, status = answer if isinstance(answer, tuple) else (answer, 0)
    deliver(shown if isinstance(shown, Page) else shown.page(**view), form, output, quiet=quiet)
    return int(status)


def _check_files(context: click.Context) -> None:
    """One file at most comes through the pipe; none that is read, or written besides, is lost."""
    if [path for _, path in _list_inputs(context)].count("-") > 1:
        raise click.UsageError("only one file can be - (standard input)")
    outputs: dict[str, str] = {}
    for parameter in context.command.params:
        path = context.params.get(str(parameter.name))
        if parameter.type is not OUTPUT or path in (None, "-"):
            continue
        flag = parameter.opts[0]
        refuse_overwriting(path, flag, getattr(parameter, "replaces", ""))
        for other, other_path in outputs.items():
            if is_same_file(path, other_path):
                raise click.UsageError(f"{other} and {flag} are both {path}")
        outputs[flag] = path


def _list_inputs(context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name) or ()
        if parameter.type is PATH:
            yield from ((name, path) for path in ((value,) if isinstance(value, str) else value))


def refuse_overwriting(output: str, flag: str, replaced: str = "") -> None:
    """Nothing that this command reads is written over, but what one parameter names may be."""
    if not Path(output).is_file():
        return
    context = click.get_current_context()
    read = [path for name, path in _list_inputs(context) if name != replaced]
    for path in (*read, *context.meta.get(PLUGINS, ())):
        files = (path if path != "-" else _STDIN, *Path(path).glob(_BEIR_FILES))
        if any(is_same_file(output, file) for file in files):
            raise click.UsageError(f"{flag} {output} would overwrite an input file")


def is_same_file(first: str | Path, second: str | Path) -> bool:
    """Do two paths lead to one file, by whatever links?"""
    try:
        return Path(first).samefile(second)
    except OSError:  # one is not there, perhaps not yet
        return os.path.realpath(first) == os.path.realpath(second)
    except ValueError:  # a null byte
        return False


def name_runs(runs: tuple[str, ...]) -> dict[str, str]:
    """Runs by the shortest distinct names of their files."""
    for run in runs:
        refuse_measure(run)
    names = name_files(runs)
    if len(set(names)) < len(runs):
        raise click.UsageError("the same RUN is named twice")
    return dict(zip(names, runs, strict=True))


def refuse_measure(run: str | None) -> None:
    """A measure where a run belongs was meant for -m; a name before a file is not needed."""
    if run in (None, "-") or Path(run).exists():
        return
    from gainful.api.measures import is_measure  # noqa: PLC0415  (only once there is a mistake)

    if is_measure(run):
        raise click.UsageError(
            f"{run} is a measure, and there is no file of that name; write -m {run}"
        )
    name, _, path = run.partition("=")
    if path and Path(path).exists():
        raise click.UsageError(f"a run is named after its file; write {path} without {name}=")
    raise BadInput(run, "there is no such file")
