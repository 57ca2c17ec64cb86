"""What is there to know of judgments and a run, or sessions, together?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from gainful.match.check_report import Finding
from gainful.match.frames import match_frames
from gainful.match.sessions import match_sessions
from gainful.read.file_check import FileReport
from gainful.read.qrels_and_run import Qrels, Run, example_docs
from gainful.read.sessions import Sessions
from gainful.text import count_noun, quote

_MAX_NAMES = 5
_TOP = 10


def check_pairs(files: Sequence[FileReport]) -> list[Finding]:
    """What each judgments and each run or sessions say of one another."""
    findings = []
    for qrels_file, other_file in product(files, files):
        if qrels_file.qrels is None:
            continue
        subject = f"{qrels_file.name} + {other_file.name}"
        if other_file.run is not None:
            findings.append(_check_run(subject, qrels_file.qrels, other_file.run))
        elif other_file.sessions is not None:
            findings.append(_check_sessions(subject, qrels_file.qrels, other_file.sessions))
    return findings


def _build_finding(
    subject: str, problems: Sequence[str], notes: Sequence[str] = (), warnings: Sequence[str] = ()
) -> Finding:
    return Finding(subject, "together", tuple(problems), tuple(notes), tuple(warnings))


def _check_run(subject: str, qrels: Qrels, run: Run) -> Finding:
    """What is wrong with the two together, and what is worth knowing."""
    matched = match_frames(qrels, run, duplicates="last")
    common = matched.judged & matched.in_run
    if not common.any():
        return _build_finding(subject, ["there is no query in common"])
    warnings = []
    notes = [f"{count_noun(int(common.sum()), 'query')} in common"]
    sides = (
        (matched.judged & ~matched.in_run, "judged but missing from the run"),
        (~matched.judged, "in the run but without judgments"),
    )
    for flags, words in sides:
        if flags.any():
            names = [quote(name) for name in matched.query_names(flags)[:_MAX_NAMES]]
            more = ", …" if flags.sum() > _MAX_NAMES else ""
            queries = count_noun(int(flags.sum()), "query is", "queries are")
            warnings.append(f"{queries} {words}: {', '.join(names)}{more}")
    notes += warnings
    if not matched.query.size:
        samples = [", ".join(map(quote, example_docs(side))) for side in (run, qrels)]
        problem = (
            f"no retrieved document is judged; the run has {samples[0]}, the judgments {samples[1]}"
        )
        return _build_finding(subject, [problem], notes, warnings)
    judged, total = matched.judgment_coverage(_TOP)
    if not qrels.complete:
        share = 100 * (1 - judged / total) if total else 0.0
        notes.append(f"{share:.1f} % of the top {_TOP} are unjudged")
    return _build_finding(subject, [], notes, warnings)


def _check_sessions(subject: str, qrels: Qrels, sessions: Sessions) -> Finding:
    """What is wrong with judgments and sessions together, and what is worth knowing."""
    frame = sessions.frame
    topics = frame["topic" if "topic" in frame.columns else "session"].drop_nulls()
    topics = topics.unique(maintain_order=True)
    unjudged_topics = topics.filter(~topics.is_in(qrels.queries.implode()))
    if len(unjudged_topics) == len(topics):
        samples = [
            ", ".join(map(quote, side.head(2).to_list())) for side in (topics, qrels.queries)
        ]
        problem = (
            f"there is no topic in common: the sessions have {samples[0]}, "
            f"the judgments {samples[1]}"
        )
        return _build_finding(subject, [problem])
    wrong: list[str] = []
    warnings: list[str] = []
    notes = [f"{count_noun(len(topics) - len(unjudged_topics), 'topic')} in common"]
    if len(unjudged_topics):
        names = ", ".join(map(quote, unjudged_topics.head(_MAX_NAMES).to_list()))
        more = ", …" if len(unjudged_topics) > _MAX_NAMES else ""
        topic_count = count_noun(len(unjudged_topics), "topic has", "topics have")
        line = f"{topic_count} no judgments: {names}{more}"
        (warnings if sessions.per_turn else wrong).append(line)
        notes += warnings
    matched = match_sessions(sessions, qrels, "drop")
    top = matched.judged.rank <= _TOP
    total = int(matched.retrieved.clip(max=_TOP).sum())
    if not matched.judged.rank.size:
        problems = [*wrong, "no result that was shown is judged"]
        return _build_finding(subject, problems, notes, warnings)
    share = 100 * (1 - int(top.sum()) / total)
    notes.append(f"{share:.1f} % of the top {_TOP} of all queries are unjudged")
    return _build_finding(subject, wrong, notes, warnings)
