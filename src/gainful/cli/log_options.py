"""The options of logs: whose sessions, which events, what gains, and who may be known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from gainful.cli.declare import Decorator, declare, parse_pairs

LOG_OPTIONS: Mapping[str, Callable[..., Decorator]] = {
    "gap": declare(
        "--gap",
        group="Logs",
        metavar="TIME",
        help="A user's session ends with a pause of more than this: 30m, 1h. [30m, where the log "
        "has no session ids]",
    ),
    "events": declare(
        "--events",
        group="Logs",
        metavar="EVENT=WORD,…",
        multiple=True,
        callback=partial(parse_pairs, "EVENT=WORD, such as shown=view,clicked=open"),
        help="What a log calls its events: shown=view,clicked=open. [the usual words]",
    ),
    "gain_from": declare(
        "--gain-from",
        group="Logs",
        metavar="RULE",
        help="Without judgments, what gains: clicked, purchased, dwell>=30s, or the highest of "
        "weights, clicked=1,purchased=5. [clicked]",
    ),
    "propensity": declare(
        "--propensity",
        group="Logs",
        metavar="FILE|estimate",
        help="Correct gains for position: a table of rank and propensity, or estimated from the "
        "clicks.",
    ),
    "anonymise": declare(
        "--anonymise",
        group="Logs",
        is_flag=True,
        help="Salted hashes in place of users, in all that is written.",
    ),
    "salt": declare(
        "--salt",
        group="Logs",
        metavar="TEXT",
        envvar="GAINFUL_SALT",
        help="With --anonymise: the same hashes next time; better in GAINFUL_SALT. [by chance]",
    ),
}
