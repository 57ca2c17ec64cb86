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
        if other_file.run is not None:
            problems, notes = _check_run(qrels_file.qrels, other_file.run)
        elif other_file.sessions is not None:
            problems, notes = _check_sessions(qrels_file.qrels, other_file.sessions)
        else:
            continue
        subject = f"{qrels_file.name} + {other_file.name}"
        findings.append(Finding(subject, "together", tuple(problems), tuple(notes)))
    return findings


def _check_run(qrels: Qrels, run: Run) -> tuple[list[str], list[str]]:
    """What is wrong with the two together, and what is worth knowing."""
    matched = match_frames(qrels, run, duplicates="last")
    common = matched.judged & matched.in_run
    if not common.any():
        return ["there is no query in common"], []
    notes = [f"{count_noun(int(common.sum()), 'query')} in common"]
    sides = (
        (matched.judged & ~matched.in_run, "judged but missing from the run"),
        (~matched.judged, "in the run but without judgments"),
    )
    for flags, words in sides:
        if flags.any():
            names = [quote(name) for name in matched.query_names(flags)[:_MAX_NAMES]]
            more = ", …" if flags.sum() > _MAX_NAMES else ""
            notes.append(
                f"{count_noun(int(flags.sum()), 'query')} {words}: {', '.join(names)}{more}"
            )
    if not matched.query.size:
        samples = [", ".join(map(quote, example_docs(side))) for side in (run, qrels)]
        return [
            f"no retrieved document is judged; the run has {samples[0]}, the judgments {samples[1]}"
        ], notes
    judged, total = matched.judgment_coverage(_TOP)
    share = 100 * (1 - judged / total) if total else 0.0
    notes.append(f"{share:.1f} % of the top {_TOP} are unjudged")
    return [], notes


def _check_sessions(qrels: Qrels, sessions: Sessions) -> tuple[list[str], list[str]]:
    """What is wrong with judgments and sessions together, and what is worth knowing."""
    frame = sessions.frame
    topics = frame["topic" if "topic" in frame.columns else "session"].drop_nulls()
    topics = topics.unique(maintain_order=True)
    unjudged_topics = topics.filter(~topics.is_in(qrels.queries.implode()))
    if len(unjudged_topics) == len(topics):
        samples = [
            ", ".join(map(quote, side.head(2).to_list())) for side in (topics, qrels.queries)
        ]
        return [
            (
                f"there is no topic in common: the sessions have {samples[0]}, "
                f"the judgments {samples[1]}"
            )
        ], []
    wrong: list[str] = []
    notes = [f"{count_noun(len(topics) - len(unjudged_topics), 'topic')} in common"]
    if len(unjudged_topics):
        names = ", ".join(map(quote, unjudged_topics.head(_MAX_NAMES).to_list()))
        more = ", …" if len(unjudged_topics) > _MAX_NAMES else ""
        line = f"{count_noun(len(unjudged_topics), 'topic')} without judgments: {names}{more}"
        (notes if sessions.per_turn else wrong).append(line)
    matched = match_sessions(sessions, qrels, "drop")
    top = matched.judged.rank <= _TOP
    total = int(matched.retrieved.clip(max=_TOP).sum())
    if not matched.judged.rank.size:
        return [*wrong, "no result that was shown is judged"], notes
    share = 100 * (1 - int(top.sum()) / total)
    return wrong, [*notes, f"{share:.1f} % of the top {_TOP} of all queries are unjudged"]
