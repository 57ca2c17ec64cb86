"""Names of measures, right and nearly right."""

from __future__ import annotations

from random import Random

from tools.fuzz.finding import Payload, require

import gainful
from gainful.errors import GainfulError

_WORDS = [
    *gainful.MEASURES,
    *("ndcg_cut", "P_5", "map_cut.5,10", "iprec_at_recall", "set_F", "ndcg@k"),
]
_PARTS = [
    *(
        *("@", "(", ")", "=", ",", ".", "_", "-", " ", "{", "}", ":", "@10", "@0", "@-1", "@1e3"),
        "@0.5",
    ),
    *(
        *("gain", "discount", "b", "rel", "p", "exp", "log2", "jk2008", "2", "0.8", "1e400", "nan"),
        "é",
    ),
    *("@" + "9" * 30, "0:0,1:1", "ties=average", "\n", "\x00", "\ud800", "α", "√", "'", '"', "\\"),
]


def make(rng: Random) -> Payload:
    """A word of the language with parts put on, in or out."""
    text = rng.choice(_WORDS)
    for _ in range(rng.choice((0, 1, 2, 3, 5))):
        at = rng.randrange(len(text) + 1)
        operation = rng.randrange(4)
        if operation == 0:
            text += rng.choice(_PARTS)
        elif operation == 1:
            text = text[:at] + rng.choice(_PARTS) + text[at:]
        elif operation == 2:
            text = text[:at] + text[at + 1 :]
        else:
            text = text[:at] + rng.choice(_WORDS)
    return {"text": text}


def check(payload: Payload) -> None:
    """A measure whose name means itself, or one line."""
    try:
        measure = gainful.parse(payload["text"])
    except GainfulError as error:
        require(str(error).isprintable(), f"a message of several lines: {error!s}")
        return
    require(gainful.parse(str(measure)) == measure, f"{measure} is read as another measure")
