"""A comparison: a table for each measure, who cannot be told apart, and how it is known."""

from __future__ import annotations

from gainful.errors import counted, plural
from gainful.evidence.comparison import Comparison, Pair
from gainful.evidence.statistics.alike_groups import MOST
from gainful.evidence.statistics.correction import TUKEY
from gainful.measure.results import Results
from gainful.measure.sessions.results import SessionResults
from gainful.show import results as of_runs, sessions as of_sessions, table as tables
from gainful.show.bars import fractions
from gainful.show.rows import Rows
from gainful.show.table import (
    BETTER,
    PLAIN,
    WORSE,
    Table,
    Terminal,
    markdown_escaped,
    wrapped,
)

_SMALLEST = 1e-4  # a p that is printed as such


def to_text(found: Comparison, *, terminal: Terminal = PLAIN) -> str:
    """A block for each measure, then how it is known, then the convention."""
    blocks = []
    for measure in found.measures:
        table = tables.to_text(table_of(found, measure), terminal=terminal)
        lines = [f"{head(found, measure)}", table, "", *told(found, measure)]
        blocks.append("\n".join(lines))
    notes = "\n".join((*how(found), *said(found)))
    return "\n\n".join((*blocks, wrapped(notes, terminal)))


def to_markdown(found: Comparison) -> str:
    """The same as Markdown."""
    parts = []
    for measure in found.measures:
        parts += [
            f"**{markdown_escaped(head(found, measure))}**",
            tables.to_markdown(table_of(found, measure)),
        ]
        parts += map(markdown_escaped, told(found, measure))
    return "\n\n".join((*parts, *how(found), *map(markdown_escaped, said(found))))


def rows(found: Comparison) -> Rows:
    """A row for each pair and measure, at full precision."""
    columns = (
        *("measure", "system", "other", plural(found.weighed.unit), "mean", "other_mean"),
        *("difference", "low", "high", "p", "corrected", "significant"),
        *("dz", "wins", "ties", "losses", "detectable", "needed"),
    )
    listed = []
    for pair in found.pairs:
        means = dict(zip(found.systems, found.means[pair.measure].tolist(), strict=True))
        data = pair.to_dict() | {
            plural(found.weighed.unit): found.units[pair.measure],
            "mean": means[pair.system],
            "other_mean": means[pair.other],
            "significant": str(found.significant(pair)).lower(),
        }
        listed.append([data[column] for column in columns])
    return Rows(columns, listed, words=3)


def head(found: Comparison, measure: str) -> str:
    """The measure, and how many queries were compared."""
    return f"{measure}, {counted(found.units[measure], found.weighed.unit)}"


def table_of(found: Comparison, measure: str) -> Table:
    """Each system with its mean, whom it beats, and the evidence against the baseline."""
    letters, beaten = found.letters(), found.beaten(measure)
    listed = []
    pairs = [
        None if system == found.baseline else found.pair(measure, system, found.baseline)
        for system in found.systems
    ]
    means = found.means[measure].tolist()
    for system, mean, pair in zip(found.systems, means, pairs, strict=True):
        better = " ".join(letters[other] for other in beaten[system]) or "–"
        listed.append((letters[system], system, f"{mean:.4f}", better, *_evidence(found, pair)))
    confidence = f"{100 * (1 - found.weighed.how.alpha):g} % interval"
    columns = (
        *("", found.kind, "mean", "better\nthan", "difference", confidence, "p"),
        *(("corrected\np",) if found.weighed.corrects else ()),
        *("win/tie/loss", "effect\n(dz)"),
    )
    bars = {2: fractions(found.means[measure].tolist(), bounded=_bounded(found, measure))}
    tones = {
        (row, 4): BETTER if pair.difference > 0 else WORSE
        for row, pair in enumerate(pairs)
        if pair is not None and found.significant(pair)
    }
    return Table(columns, listed, numbers=True, words=2, text=(3, 5), bars=bars, tones=tones)


def _bounded(found: Comparison, measure: str) -> bool:
    one = found.source[0].recipes[measure] if found.source else None
    return bool(one is not None and getattr(one, "measure", one).entry.bounded)


def _evidence(found: Comparison, pair: Pair | None) -> tuple[str, ...]:
    corrected = found.weighed.corrects
    if pair is None:
        return ("baseline", *[""] * (4 + corrected))
    size = pair.effect
    return (
        signed(pair.difference),
        interval(pair),
        probability(pair.p),
        *((probability(pair.corrected),) if corrected else ()),
        "–" if size is None else f"{size.wins}/{size.ties}/{size.losses}",
        "–" if size is None or size.dz is None else f"{size.dz:+.2f}",
    )


def interval(pair: Pair) -> str:
    """From where to where the difference may be."""
    if pair.low is None or pair.high is None:
        return "–"
    return f"{signed(pair.low)} … {signed(pair.high)}"


def signed(value: float) -> str:
    """A difference for a reader; nothing is +0.0000."""
    return f"{round(value, 4) + 0.0:+.4f}"


def probability(p: float) -> str:
    """A p for a reader."""
    return f"<{_SMALLEST:.4f}" if p < _SMALLEST else f"{p:.4f}"


def told(found: Comparison, measure: str) -> list[str]:
    """Who cannot be told apart, and what so many queries can show."""
    return [tables.one_line(line) for line in (_apart(found, measure), *_power(found, measure))]


def _apart(found: Comparison, measure: str) -> str:
    if not found.compares_all:
        pairs = [pair for pair in found.against() if pair.measure == measure]
        near = [pair.system for pair in pairs if not found.significant(pair)]
        whom = f"from {found.baseline}"
        return f"Cannot be told {whom}: {', '.join(near)}." if near else f"All are told {whom}."
    groups = [", ".join(group) for group in found.alike(measure) if len(group) > 1]
    more = " · …" if len(groups) >= MOST else ""
    return f"Cannot be told apart: {' · '.join(groups)}{more}." if groups else "All are told apart."


def _power(found: Comparison, measure: str) -> list[str]:
    sizes = {
        pair.system: pair.effect
        for pair in found.against()
        if pair.measure == measure and pair.effect is not None
    }
    visible = [f"{n}: {one.detectable:.4f}" for n, one in sizes.items() if one.detectable]
    needed = [
        f"{n}: {counted(one.needed, found.weighed.paired_by)}"
        for n, one in sizes.items()
        if one.needed
    ]
    level = f"t test at {found.weighed.level:.2g}"
    lines = [f"True differences found in 4 of 5 repetitions ({level}): {', '.join(visible)}."]
    there = counted(found.units[measure], found.weighed.unit)
    needs = [f"To find those seen in 4 of 5 repetitions: {', '.join(needed)} (here {there})."]
    return (lines if visible else []) + (needs if needed else [])


def how(found: Comparison) -> list[str]:
    """Which test, on what, corrected how, at which level: what a caption has to say."""
    weighed = found.weighed
    chance = ""
    if weighed.exact:
        chance = ", all arrangements looked at"
    elif weighed.resampled:
        chance = drawn(found)
    words = weighed.words[0].upper() + weighed.words[1:]
    level = f"{100 * (1 - weighed.how.alpha):g} %"
    significant = f"significant at p ≤ {weighed.how.alpha:g}"
    tested = f"{words}, two-sided{chance}"
    by_chance = drawn(found) if weighed.interval_drawn else ""
    between = f"{level} intervals: {weighed.interval}{by_chance}"
    parts = [tested, corrected(found), significant, between]
    if weighed.paired_by != weighed.unit:
        parts.append(f"wins and dz by {weighed.paired_by}")
    return [" · ".join(parts)]


def drawn(found: Comparison) -> str:
    """How often chance was asked, and which."""
    return f", {found.weighed.how.resamples} resamples, seed {found.weighed.how.seed}"


def corrected(found: Comparison) -> str:
    """How p is corrected, over how many comparisons."""
    weighed = found.weighed
    tukey = weighed.test == TUKEY
    by = f"corrected by {weighed.correction_words} over"
    over = f"{by} {counted(weighed.family, 'measure' if tukey else 'comparison')}"
    if tukey:
        return f"p family-wise over pairs{f', {over}' if weighed.corrects else ''}"
    return f"p {over}" if weighed.corrects else "p not corrected"


def said(found: Comparison) -> list[str]:
    """The convention, what was counted, and what one should know."""
    notes = [tables.one_line(f"Note: {note}") for note in found.notes]
    first = found.source[0]
    if isinstance(first, SessionResults):
        told = of_sessions.said(first)
    else:
        told = of_runs.said([one for one in found.source if isinstance(one, Results)])
    return [*map(tables.one_line, told), *notes]


def convention(found: Comparison) -> str:
    """How the numbers came about, in one line."""
    first = found.source[0]
    if isinstance(first, SessionResults):
        return of_sessions.convention(first)
    return of_runs.convention(first)
