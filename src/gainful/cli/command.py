"""Commands as gainful has them: help in groups that fits, and answers to misspelt options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from gainful.errors import UnknownName
from gainful.text import display_width, fold_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The headings of options in help, in this order; what a command is about has none of its own.
GROUPS = ("", "Output", "Statistics", "Files", "Logs", "Convention")
_EXAMPLES = re.compile(r"\s*\x08\nExamples?:\n")  # click's \b, behind which nothing is folded
_SHELL_WORD = re.compile(r"(?:'[^']*'|\S)+")
_WANTS_ALL = "gainful.help_all"  # in the memory of a context: are all options to be shown?
_SHOWN_FLAGS = 4  # of a group that is folded
_TERM_WIDTH = 26  # of an option and its value; longer ones have a line of their own

_FORMS = ("table", "tsv", "csv", "markdown", "latex", "html", "json", "jsonl")
# Options that are gone, by command, and what to do instead.
_SESSIONS_OF_ORDER = (
    *("anonymise", "bad", "events", "first-queries", "gain-from", "gap", "min-queries", "pages"),
    *("propensity", "qrels", "salt", "sessions", "sessions-format", "tool", "topics", "where"),
)
_SPLIT_HALF = "discriminative power and --test show how reliable an order is"
_CORRELATE = "gainful correlate --sessions FILE"
_CORRELATE_SESSIONS = f"{_CORRELATE} --column NAME answers it"
_CORRELATE_SETTINGS = f"{_CORRELATE} -m 'nsDCG(b=2, bq=4)@10' -m … --column NAME compares settings"
_REMOVED: Mapping[tuple[str, str], str] = {
    ("compare", "--model"): "statsmodels fits linear models to `eval --per-query -o values.csv`, "
    "of sessions to `sessions --per-session -o values.csv`",
    ("order", "--against"): "gainful correlate QRELS RUN… --column NAME answers it",
    ("order", "--labels"): "gainful correlate QRELS RUN… --labels FILE answers it",
    ("order", "--coefficient"): "gainful correlate --coefficient has it",
    **{("order", f"--{name}"): _CORRELATE_SESSIONS for name in _SESSIONS_OF_ORDER},
    **{("order", name): _SPLIT_HALF for name in ("--split-half", "--trials")},
    **{
        ("sweep", f"--{name}"): _CORRELATE_SETTINGS
        for name in ("against", "alpha", "coefficient", "labels", "resamples", "seed")
    },
    ("unjudged", "--settle"): "--first N lists the documents to judge first",
}


class Help(click.HelpFormatter):
    """Help that is folded between words only."""

    def write_text(self, text: str) -> None:
        """Paragraphs, a blank line between them."""
        indent = " " * self.current_indent
        paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]
        for at, paragraph in enumerate(paragraphs):
            lines = fold_line(paragraph, self.width - self.current_indent)
            self.write("\n" * (at > 0) + "".join(f"{indent}{line}\n" for line in lines))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = _TERM_WIDTH, col_spacing: int = 2
    ) -> None:
        """Options or commands, and beside them what they mean."""
        terms = list(rows)
        indent = " " * self.current_indent
        column = min(max(display_width(term) for term, _ in terms), col_max) + col_spacing
        for term, text in terms:
            lines = fold_line(" ".join(text.split()), self.width - self.current_indent - column)
            begins = display_width(term) + col_spacing <= column  # beside the term
            first = f"{term:<{column}}{lines.pop(0)}".rstrip() if begins else term
            lines = [first, *(" " * column + line for line in lines)]
            self.write("".join(f"{indent}{line}\n" for line in lines))

    def write_examples(self, text: str) -> None:
        """Lines to copy: one that is too long goes on behind a backslash, as in a shell."""
        for example in text.replace("\\\n", " ").rstrip().split("\n"):
            for line in _continue_command(example.strip(), self.width - self.current_indent):
                self.write(f"{' ' * self.current_indent}{line}\n")


def _continue_command(command: str, width: int) -> list[str]:
    """A command on as many lines as it takes, broken between its words."""
    words: list[str] = []
    for word in _SHELL_WORD.findall(command):
        # An option and its value are one.
        if words and words[-1].startswith("-") and word[0] not in "-|>" and " " not in words[-1]:
            words[-1] += f" {word}"
        else:
            words.append(word)
    lines = words[:1]
    for at, word in enumerate(words[1:], 1):
        longer = f"{lines[-1]} {word}"
        room = width if at == len(words) - 1 else width - len(" \\")
        if display_width(longer) <= room:
            lines[-1] = longer
        else:
            lines[-1] += " \\"
            lines.append(f"    {word}")
    return lines


class Context(click.Context):
    """What a command is called with."""

    formatter_class = Help


class Option(click.Option):
    """An option that stands under a heading in help; its choices are listed in words."""

    def __init__(self, *args: Any, group: str = "", replaces: str = "", **attributes: Any) -> None:
        super().__init__(*args, **{**attributes, "help": None})
        self.group, self.replaces, self.meaning = group, replaces, attributes.get("help")

    def make_metavar(self, ctx: click.Context) -> str:
        """NAME for one of several; which there are is said beside it."""
        if self.metavar is None and isinstance(self.type, click.Choice):
            return "NAME"
        return super().make_metavar(ctx)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value; an unknown choice is answered like other misspelt names."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter:
            if not isinstance(self.type, click.Choice):
                raise
            kind = self.opts[-1].lstrip("-").replace("correct", "correction")
            raise UnknownName(kind, str(value), map(str, self.type.choices)) from None

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and what it means, its choices before its default."""
        self.help = self.meaning() if callable(self.meaning) else self.meaning
        record = super().get_help_record(ctx)
        if record is None:
            return None
        term, text = record
        text = text.replace("  [default: ", " [")
        if not isinstance(self.type, click.Choice):
            return term, text
        meaning, bracket, default = text.partition(" [")
        colon = "" if meaning.endswith("?") else ":"
        choices = ", ".join(map(str, self.type.choices))
        return term, f"{meaning.rstrip('.')}{colon} {choices}.{bracket}{default}"


class Explained(click.Command):
    """A command, or commands by name, whose help ends with examples."""

    context_class = Context

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it does; the examples stand at the end."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_EXAMPLES.split(cleandoc(self.help or ""))[0])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; an unknown option is answered like other misspelt names."""
        ctx.meta["words"] = list(args)  # as they were typed
        try:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            _refuse_repeats(given, self.params)
            return super().parse_args(ctx, args)
        except click.NoSuchOption as mistake:
            raise unknown_option(self, mistake.option_name) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        examples = _EXAMPLES.split(cleandoc(self.help or ""))[1:]
        if examples and isinstance(formatter, Help):
            with formatter.section("Examples"):
                formatter.write_examples(examples[0])


def _refuse_repeats(given: Sequence[click.Parameter], known: Sequence[click.Parameter]) -> None:
    """An option that has one value is named once: a second one would silently replace the first."""
    for at, param in enumerate(given):
        takes_one = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
        if takes_one and param in given[:at]:
            flag = max(param.opts, key=len)
            has_two = flag == "--like" and any("--unlike" in other.opts for other in known)
            more = "; the other tool is --unlike NAME" if has_two else ""
            raise click.UsageError(f"{flag} is given twice, but has one value{more}")


class Command(Explained):
    """A command whose options stand in groups; misspelt ones are answered."""

    def __init__(self, *words: Any, **attributes: Any) -> None:
        super().__init__(*words, **attributes)
        if self._list_folded():
            self.params.append(_make_help_all())

    def _list_folded(self) -> list[str]:
        """The groups that help shows in a line: settings, and how sessions are read beside runs."""
        groups = {getattr(param, "group", "") for param in self.params}
        is_of_runs = {"Statistics", "Convention"} <= groups
        folding = ("Files", "Logs", "Convention") if is_of_runs else ("Convention",)
        return [group for group in folding if group in groups]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options under their headings; what is folded by its names alone."""
        folded = [] if ctx.meta.get(_WANTS_ALL) else self._list_folded()
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        flags: dict[str, list[str]] = {group: [] for group in folded}
        for param in self.get_params(ctx):
            group = getattr(param, "group", "")
            if group in flags:
                flags[group].append(param.opts[0])
            elif isinstance(param, click.Option):
                record = param.get_help_record(ctx)
                records[group] += [] if record is None else [record]
        for group, lines in records.items():
            if lines:
                with formatter.section(group or "Options"):
                    formatter.write_dl(lines)
        if folded:
            rows = []
            for group, names in flags.items():
                more = len(names) - _SHOWN_FLAGS
                shown = ", ".join(names[:_SHOWN_FLAGS])
                rows.append((group, f"{shown} and {more} more" if more > 0 else shown))
            with formatter.section("More, with --help-all"):
                formatter.write_dl(rows)


def _make_help_all() -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            ctx.meta[_WANTS_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    flag: Any = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": show}
    return Option(["--help-all"], help="Show all options, and exit.", **flag)


class Group(Explained, click.Group):
    """Commands by name."""


def unknown_option(command: click.Command, name: str) -> Exception:
    """The answer to an option that a command has not: the one that is meant, or the nearest."""
    if instead := _REMOVED.get((command.name or "", name)):
        return click.UsageError(f"{name} was removed: {instead}")
    options = {param.name: param for param in command.params if isinstance(param, click.Option)}
    word = name.lower().lstrip("-").replace("-", "_")
    from gainful.synonyms import OPTIONS, list_meant  # noqa: PLC0415  (of a mistake only)

    other = {"by": ("group",), "group": ("by",)}.get(word)  # of runs, and of sessions
    meant = [word, *(other or list_meant(word))]  # by its name here, or another tool's for it
    for form in (known for known in meant if known in _FORMS and "form" in options):
        return UnknownName("option", name, [f"--format {form}"])
    if "k" in meant and "k" not in options and "measures" in options:
        return UnknownName("option", name, ["-m nDCG@10"], "the cutoff is part of the measure")
    for option in (options[known] for known in meant if known in options):
        return UnknownName("option", name, [f"{option.opts[0]} {option.metavar or ''}".strip()])
    if word in OPTIONS:
        reads_qrels = any(param.name == "qrels" for param in command.params)
        is_moot = word in ("qrels", "judgments") and not reads_qrels
        advice = "this command reads no judgments" if is_moot else OPTIONS[word]
        return click.UsageError(f"unknown option {name!r}; {advice}")
    flags = [max(param.opts, key=len) for param in options.values()]
    hint = "--help-all lists them" if "--help-all" in flags else ""
    return UnknownName("option", name, [*flags, "--help"], hint)


class _PathType(click.types.StringParamType):
    """A path as it is typed: what is wrong with it is said where it is read. Shells complete it."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415  (only for a shell)

        return [CompletionItem(incomplete, type="file")]


PATH = _PathType()  # of what is read
OUTPUT = _PathType()  # of what is written


def complete_names(names: Iterable[str], incomplete: str) -> Sequence[str]:
    """The names that begin like this."""
    return [name for name in names if name.lower().startswith(incomplete.lower())]
