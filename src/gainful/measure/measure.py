"""`Measure`: a name, its parameters and a cutoff, as a value."""

from __future__ import annotations

from math import e
from numbers import Integral
from typing import Any

from attrs import evolve, field, frozen

from gainful.convention import HABITS
from gainful.errors import BadValue, UnknownName, WrongType
from gainful.measure.catalogue import MEASURES, Entry
from gainful.measure.discount import b as base, discount
from gainful.measure.gain import REL, gain

Setting = str | float | int
_NUMBERS = {"b": base, "rel": REL}


def cutoff(k: object) -> int | None:
    """A cutoff as a whole number from 1 on, or None for the whole list."""
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, Integral):
        raise WrongType("k", k, "a whole number from 1 on")
    if k < 1:
        raise BadValue("k", int(k), "a whole number from 1 on")
    return int(k)


def checked(name: str, value: Any) -> Setting:
    """A parameter's value in its canonical form, or an error that says what is allowed."""
    if name in _NUMBERS:
        return _NUMBERS[name].check(value)
    if name == "gain":
        return gain(value).name
    if name == "discount":
        return discount(value).name
    HABITS[name].check(value)
    return value  # type: ignore[no-any-return]  # the table of answers has just vouched for it


@frozen
class Measure:
    """What is computed: `nDCG(gain="exp") @ 10`. Equal by its fields, usable as a key.

    Examples:
        >>> nDCG = Measure("nDCG")
        >>> str(nDCG(gain="exp", discount="jk2008", b=2) @ 10)
        'nDCG(gain=exp, discount=jk2008, b=2)@10'
    """

    name: str
    params: tuple[tuple[str, Setting], ...] = ()
    k: int | None = field(default=None, converter=cutoff)

    def __attrs_post_init__(self) -> None:
        if self.name not in MEASURES:
            raise UnknownName("measure", self.name, MEASURES, "gainful measures lists them all")
        for name, _ in self.params:
            if name not in self.entry.params:
                raise UnknownName(f"parameter of {self.name}", name, self.entry.params)
        given = {name: checked(name, value) for name, value in self.params}
        ordered = tuple((name, given[name]) for name in self.entry.params if name in given)
        object.__setattr__(self, "params", ordered)
        if "discount" in given and "b" in given:
            discount(given["discount"]).given({"b": given["b"]})
        if "gain" in given and "rel" in given:
            gain(given["gain"]).given({"rel": given["rel"]})

    @property
    def entry(self) -> Entry:
        """Its entry in the catalogue."""
        return MEASURES[self.name]

    def __call__(self, **params: Any) -> Measure:
        """The same measure with these parameters set."""
        return evolve(self, params=tuple((dict(self.params) | params).items()))

    def __matmul__(self, k: int | None) -> Measure:
        """The same measure over the first k documents."""
        return evolve(self, k=k)

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_written(value)}" for name, value in self.params)
        at = "" if self.k is None else f"@{self.k}"
        return self.name + (f"({inner})" if inner else "") + at


def _written(value: Setting) -> str:
    if value == e:
        return "e"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


nDCG, DCG, IDCG, nCG, CG = (Measure(name) for name in ("nDCG", "DCG", "IDCG", "nCG", "CG"))
