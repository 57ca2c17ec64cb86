"""What is there to know of judgments and a run together?"""

from __future__ import annotations

from gainful.errors import counted, shown
from gainful.match import sessions as of_sessions
from gainful.match.frames import matched
from gainful.read.qrels_and_run import Judgments, Run, some_documents
from gainful.read.sessions import Sessions

_NAMED = 5
_TOP = 10


def paired(qrels: Judgments, run: Run) -> tuple[list[str], list[str]]:
    """What is wrong with the two together, and what is worth knowing."""
    found = matched(qrels, run, duplicates="last")
    both = found.judged & found.found
    if not both.any():
        return ["there is no query in common"], []
    notes = [f"{counted(int(both.sum()), 'query')} in common"]
    sides = (
        (found.judged & ~found.found, "judged but missing from the run"),
        (~found.judged, "in the run but without judgments"),
    )
    for flags, words in sides:
        if flags.any():
            names = [shown(name) for name in found.names(flags)[:_NAMED]]
            more = ", …" if flags.sum() > _NAMED else ""
            notes.append(f"{counted(int(flags.sum()), 'query')} {words}: {', '.join(names)}{more}")
    if not found.query.size:
        told = [", ".join(map(shown, some_documents(side))) for side in (run, qrels)]
        return [
            f"no retrieved document is judged; the run has {told[0]}, the judgments {told[1]}"
        ], notes
    judged, looked_at = found.judged_within(_TOP)
    share = 100 * (1 - judged / looked_at) if looked_at else 0.0
    notes.append(f"{share:.1f} % of the top {_TOP} are unjudged")
    return [], notes


def paired_sessions(qrels: Judgments, sessions: Sessions) -> tuple[list[str], list[str]]:
    """The same of judgments and sessions."""
    frame = sessions.frame
    topics = frame["topic" if "topic" in frame.columns else "session"].drop_nulls()
    topics = topics.unique(maintain_order=True)
    lost = topics.filter(~topics.is_in(qrels.queries.implode()))
    if len(lost) == len(topics):
        told = [", ".join(map(shown, side.head(2).to_list())) for side in (topics, qrels.queries)]
        return [
            f"there is no topic in common: the sessions have {told[0]}, the judgments {told[1]}"
        ], []
    wrong: list[str] = []
    notes = [f"{counted(len(topics) - len(lost), 'topic')} in common"]
    if len(lost):
        names = ", ".join(map(shown, lost.head(_NAMED).to_list()))
        more = ", …" if len(lost) > _NAMED else ""
        line = f"{counted(len(lost), 'topic')} without judgments: {names}{more}"
        (notes if sessions.per_turn else wrong).append(line)
    found = of_sessions.matched(sessions, qrels, "drop")
    top = found.judged.rank <= _TOP
    looked_at = int(found.listed.clip(max=_TOP).sum())
    if not found.judged.rank.size:
        return [*wrong, "no result that was shown is judged"], notes
    share = 100 * (1 - int(top.sum()) / looked_at)
    return wrong, [*notes, f"{share:.1f} % of the top {_TOP} of all queries are unjudged"]
