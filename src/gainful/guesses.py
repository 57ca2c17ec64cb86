"""Names that people look for in `gainful`, and where the thing is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from gainful.measure.catalogue import measure_names
from gainful.synonyms import NAMES, REMOVED, find_nearest


def advise(name: str, public: Sequence[str], modules: Sequence[str]) -> str:
    """What to say after "gainful has no such name": where it is, or what is most like it.

    `public` are the names of `gainful`; its modules have more.

    Examples:
        >>> advise("evaluate_sessions", ["evaluate"], ["sessions"])
        '; did you mean gainful.sessions.evaluate?'
        >>> advise("kendal_tau", ["evaluate"], ["stats"])
        '; did you mean gainful.stats.kendall_tau?'
        >>> advise("ERR", ["err"], [])
        '; did you mean gainful.err(grades), or gainful.parse("ERR")?'
    """
    if name in REMOVED:
        return f"; {REMOVED[name]}"
    if find_spec(f"gainful.{name}"):
        return f"; write import gainful.{name}"
    places = {measure: f'gainful.parse("{measure}")' for measure in measure_names()}
    for module in modules:
        names = import_module(f"gainful.{module}").__all__
        places |= {known: f"gainful.{module}.{known}" for known in names}
    places |= {known: f"gainful.{known}" for known in (*modules, *public)}
    by_lower = {known.lower(): place for known, place in places.items()} | dict(NAMES)
    lower = name.lower()
    near = lower if lower in by_lower else find_nearest(lower, by_lower)
    place = NAMES.get(lower) or places.get(name) or (by_lower[near] if near else None)
    if name in places and name.lower() in public:
        place = f"gainful.{name.lower()}(grades), or {place}"
    return f"; did you mean {place}?" if place else "; dir(gainful) lists what there is"
