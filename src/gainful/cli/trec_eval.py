"""`gainful trec_eval`: the same flags, output and exit status as trec_eval."""

from __future__ import annotations

from getopt import GetoptError, gnu_getopt
from typing import TYPE_CHECKING, Any, cast

import click

from gainful.cli.answer import write_stdout
from gainful.cli.command import PATH
from gainful.cli.streams import say
from gainful.errors import BadInput, BadValue, GainfulError
from gainful.text import leading_integer

if TYPE_CHECKING:
    from gainful.api.trec_eval import QrelsFormat, TrecEvalOptions

_USAGE, _UNREADABLE, _STOPPED, _NOTHING, _BAD_ZSCORES = 1, 2, 4, 7, 255
_SHORT_OPTIONS = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG_OPTIONS = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",  # with a value, which -o has not
    "Zscore=": "-Z",
    "as=": "--as",
}
_FORMATS = {"-R": ("qrels", "prefs", "qrels_prefs", "qrels_jg"), "-T": ("trec_results",)}
_HELP = """\
Usage: gainful trec_eval [OPTIONS] QRELS RUN

  Prints what trec_eval prints, to the byte: same options, output (except
  traces) and exit status.

Options:
  -q            Print the values of each query too.
  -m NAME       Compute this measure; may be repeated. Parameters follow a
                dot: -m P.5,10. Groups: official (the default), all_trec, set;
                of other judgments: prefs, all_prefs, qrels_jg.
  -c            Count queries that are judged but missing from the run, as 0.
  -n            Print no summary.
  -l NUM        From this grade on a document is relevant. [1]
  -M NUM        Look at the first NUM documents of each query only.
  -J            Take unjudged documents out of the rankings.
  -N NUM        The number of documents in the collection, for utility.
  -Z FILE       Print z-scores: FILE has lines of query, measure, mean,
                standard deviation.
  -R FORMAT     Contents of QRELS: qrels (the default), prefs and qrels_prefs
                (preferences), or qrels_jg (grades of several judges).
  -T trec_results
                The only format of runs.
  --as 9|10     Whose numbers: version 10's (the default), or version 9's,
                which keeps scores in 32 bit, rounds recall points otherwise,
                and skips missing queries.
  -D NUM.QUERY  Evaluate this query alone; traces (NUM above 0) are not printed.
  -o            Accepted, without effect.
  -h            This help; with -m also what the measures mean.

Examples:
  gainful trec_eval qrels.txt run.txt
  gainful trec_eval -q -c -m ndcg_cut.10 -m map qrels.txt run.txt
  gainful trec_eval --as 9 -m all_trec qrels.txt run.txt

Exit status: 0 done, 1 wrong options, 2 unreadable file, 4 duplicates or
missing queries, 7 nothing to evaluate, 255 unreadable -Z file.
"""


class TrecEval(click.Command):
    """A command with the help of trec_eval's flags, which click knows nothing of."""

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        """The help that -h prints."""
        return _HELP.rstrip()


@click.command(
    "trec_eval",
    cls=TrecEval,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="trec_eval's options, output (except traces) and exit status.",
)
@click.argument("words", nargs=-1, type=PATH)
def trec_eval(words: tuple[str, ...]) -> int:
    """Print what trec_eval prints, with the same options and exit status."""
    try:
        flags, files = gnu_getopt(list(words), _SHORT_OPTIONS, list(_LONG_OPTIONS))
    except GetoptError as error:
        return _report_error(f"{error.msg}; gainful trec_eval -h lists the options", _USAGE)
    options = [
        (_LONG_OPTIONS.get(f"{name[2:]}=", _LONG_OPTIONS.get(name[2:], name)), value)
        for name, value in flags
    ]
    chosen = dict(options)
    if "-v" in chosen:
        from importlib.metadata import version  # noqa: PLC0415

        click.echo(f"gainful {version('gainful')}, which computes as trec_eval 10 or 9", err=True)
        return 0
    try:
        return _run(options, chosen, files)
    except BadValue as error:
        return _report_error(str(error), _USAGE if error.argument.startswith("-") else _UNREADABLE)
    except BadInput as error:
        return _report_error(str(error), _UNREADABLE)
    except GainfulError as error:
        return _report_error(str(error), _USAGE)


def _run(flags: list[tuple[str, str]], chosen: dict[str, str], files: list[str]) -> int:
    from gainful.api.trec_eval import (  # noqa: PLC0415
        BadZScores,
        TrecEvalStop,
        describe_names,
        select_names,
        trec_eval,
    )

    options = _parse_options(flags, chosen)
    select_names(options)  # refuses names that trec_eval has not
    if "-h" in chosen:
        descriptions = describe_names(options) if options.measures else ()
        write_stdout("\n\n".join((_HELP.rstrip(), *descriptions)))
        return 0
    if len(files) != 2:
        return _report_error("trec_eval takes two files: QRELS RUN (-h for help)", _USAGE)
    for flag, format_names in _FORMATS.items():
        if chosen.get(flag, format_names[0]) not in format_names:
            known = ", ".join(format_names)
            message = f"no format {chosen[flag]!r} for {flag}; known: {known}"
            return _report_error(message, _UNREADABLE)
    lines, status = list[bytes](), 0
    try:
        lines.extend(trec_eval(files[0], files[1], options))
    except TrecEvalStop as stopped:
        status = _report_error(str(stopped), _NOTHING if stopped.nothing_evaluated else _STOPPED)
    except BadZScores as error:
        return _report_error(str(error), _BAD_ZSCORES)
    write_stdout(b"".join(lines))
    return status


def _parse_options(flags: list[tuple[str, str]], chosen: dict[str, str]) -> TrecEvalOptions:
    from gainful.api.trec_eval import TrecEvalOptions  # noqa: PLC0415

    if chosen.get("--as", "10") not in ("9", "10"):
        raise BadValue("--as", chosen["--as"], "9 or 10")
    traced = [value.partition(".") for name, value in flags if name == "-D"]
    if any(_parse_whole_number({"-D": level or "0"}, "-D", 0) > 0 for level, _, _ in traced):
        say("traces (-D) are not printed", "gainful trec_eval")
    return TrecEvalOptions(
        measures=[value for name, value in flags if name == "-m"],
        version=9 if chosen.get("--as") == "9" else 10,
        per_query="-q" in chosen,
        summary="-n" not in chosen,
        complete="-c" in chosen,
        judged_only="-J" in chosen,
        level=_parse_whole_number(chosen, "-l", 1),
        depth=_parse_whole_number(chosen, "-M", None),
        collection_size=_parse_whole_number(chosen, "-N", 0),
        zscores_path=chosen.get("-Z"),
        qrels_format=cast("QrelsFormat", chosen.get("-R", "qrels")),  # checked before it is used
        only_query=next((query for _, dot, query in reversed(traced) if dot), None),
    )


def _parse_whole_number(chosen: dict[str, str], flag: str, default: Any) -> Any:
    if flag not in chosen:
        return default
    number = leading_integer(chosen[flag])
    if number is None:
        raise BadValue(flag, chosen[flag], "a whole number")
    return number


def _report_error(message: str, status: int) -> int:
    say(message, "gainful trec_eval")
    return status
