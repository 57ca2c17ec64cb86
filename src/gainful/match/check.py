"""`CheckReport`: what is wrong with files, and with judgments and a run or sessions together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from gainful.errors import BadInput
from gainful.match.frames import match_frames
from gainful.match.sessions import match_sessions
from gainful.page.page import Page, Section
from gainful.page.shown import Shown
from gainful.page.table import Table
from gainful.read.file_check import Finding
from gainful.read.qrels_and_run import Qrels, Run, example_docs, refuse_other_order
from gainful.read.sessions import Sessions
from gainful.text import count_noun, format_range, quote

_MAX_NAMES = 5
_TOP = 10


@frozen(repr=False)
class CheckReport(Shown):
    """What was found in each file, and in each run with each judgments."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Is nothing wrong?"""
        return not any(finding.problems for finding in self.findings)

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        findings = [
            {
                "about": finding.subject,
                "kind": finding.kind,
                "wrong": [line.strip() for line in finding.problems],
                "notes": list(finding.notes),
                "warnings": list(finding.warnings),
            }
            for finding in self.findings
        ]
        return {"ok": self.ok, "findings": findings}

    def page(self) -> Page:
        """The verdict, and a paragraph for each file and each pair."""
        paragraphs = [
            Section(
                f"{finding.subject} ({finding.kind})" if finding.kind else finding.subject,
                lines=list(_iterate_lines(finding)),
                strong=True,
                indent="    ",
            )
            for finding in self.findings
        ]
        return Page(answer=self._verdict(), sections=paragraphs, rows=self._rows, data=self.to_dict)

    def _verdict(self) -> str:
        """Is anything wrong? What is odd is said, and not called wrong."""
        problem_count = sum(
            not line.startswith(" ") for finding in self.findings for line in finding.problems
        )
        warnings = [line for finding in self.findings for line in finding.warnings]
        look = f"{count_noun(len(warnings), 'thing deserves', 'things deserve')} a look"
        if problem_count:
            wrong = f"{count_noun(problem_count, 'thing is', 'things are')} wrong"
            return f"{wrong}, and {look}." if warnings else f"{wrong}."
        if not warnings:
            return "Nothing is wrong."
        if len(warnings) == 1:
            return f"The files are valid. One thing to know: {warnings[0]}."
        return f"The files are valid, but {look}."

    def _rows(self) -> Table:
        rows = [
            (finding.subject, finding.kind, what, line.strip())
            for finding in self.findings
            for what, lines in (("wrong", finding.problems), ("note", finding.notes))
            for line in lines
        ]
        return Table(("about", "kind", "what", "text"), rows)


def _iterate_lines(finding: Finding) -> Iterator[str]:
    """Problems and notes as a terminal shows them."""
    for line in finding.problems:
        yield f"       {line}" if line.startswith(" ") else f"  wrong: {line}"
    for line in finding.notes:
        yield f"  warning: {line}" if line in finding.warnings else f"  {line}"


def check_pairs(files: Sequence[Finding]) -> list[Finding]:
    """What each judgments and each run or sessions say of one another."""
    findings = []
    for qrels_file, other_file in product(files, files):
        qrels, other = qrels_file.value, other_file.value
        subject = f"{qrels_file.subject} + {other_file.subject}"
        if isinstance(qrels, Qrels) and isinstance(other, Run):
            findings.append(_check_run(subject, qrels, other))
        elif isinstance(qrels, Qrels) and isinstance(other, Sessions):
            findings.append(_check_sessions(subject, qrels, other))
    return findings


def _list_first(names: Sequence[str]) -> str:
    return ", ".join([*map(quote, names[:_MAX_NAMES]), *["…"] * (len(names) > _MAX_NAMES)])


def _check_run(subject: str, qrels: Qrels, run: Run) -> Finding:
    try:
        refuse_other_order(qrels, run)
    except BadInput as error:
        return Finding(subject, "together", [f"{error.problem} (expected: {error.expected})"])
    matched = match_frames(qrels, run, duplicates="last")
    common = matched.judged & matched.in_run
    if not common.any():
        return Finding(subject, "together", ["there is no query in common"])
    warnings = []
    notes = [f"{count_noun(int(common.sum()), 'query')} in common"]
    sides = (
        (matched.judged & ~matched.in_run, "judged but missing from the run"),
        (~matched.judged, "in the run but without judgments"),
    )
    for flags, words in sides:
        if flags.any():
            queries = count_noun(int(flags.sum()), "query is", "queries are")
            warnings.append(f"{queries} {words}: {_list_first(matched.query_names(flags))}")
    notes += warnings
    if not matched.query.size:
        samples = [", ".join(map(quote, example_docs(side))) for side in (run, qrels)]
        problem = f"the run has {samples[0]}, the judgments {samples[1]}"
        problems = [f"no retrieved document is judged; {problem}"]
        return Finding(subject, "together", problems, notes, warnings)
    judged, total = matched.judgment_coverage(_TOP)
    if not qrels.complete:
        share = 100 * (1 - judged / total) if total else 0.0
        notes.append(f"{format_range([share])} % of the top {_TOP} are unjudged")
    return Finding(subject, "together", [], notes, warnings)


def _check_sessions(subject: str, qrels: Qrels, sessions: Sessions) -> Finding:
    frame = sessions.frame
    topics = frame["topic" if "topic" in frame.columns else sessions.judged_by].drop_nulls()
    topics = topics.unique(maintain_order=True)
    unjudged_topics = topics.filter(~topics.is_in(qrels.queries.implode()))
    if len(unjudged_topics) == len(topics):
        samples = [", ".join(map(quote, side.head(2))) for side in (topics, qrels.queries)]
        problem = f"the sessions have {samples[0]}, the judgments {samples[1]}"
        return Finding(subject, "together", [f"there is no topic in common: {problem}"])
    wrong: list[str] = []
    warnings: list[str] = []
    notes = [f"{count_noun(len(topics) - len(unjudged_topics), 'topic')} in common"]
    if len(unjudged_topics):
        topic_count = count_noun(len(unjudged_topics), "topic has", "topics have")
        line = f"{topic_count} no judgments: {_list_first(unjudged_topics.to_list())}"
        (warnings if sessions.per_turn else wrong).append(line)
        notes += warnings
    matched = match_sessions(sessions, qrels, "drop")
    top = matched.judged.rank <= _TOP
    total = int(matched.retrieved.clip(max=_TOP).sum())
    if not matched.judged.rank.size:
        problems = [*wrong, "no result shown is judged"]
        return Finding(subject, "together", problems, notes, warnings)
    share = 100 * (1 - int(top.sum()) / total)
    notes.append(f"{share:.1f} % of the top {_TOP} of all queries are unjudged")
    return Finding(subject, "together", wrong, notes, warnings)
