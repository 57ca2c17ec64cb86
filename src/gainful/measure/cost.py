"""What searching costs, as it is asked for: query=…,result=… → the measure Cost."""

from __future__ import annotations

from collections.abc import Mapping

from gainful.errors import BadValue, UnknownName, WrongType
from gainful.measure.measure import Measure

Cost = str | Mapping[str, float | str]
_PRICES = {"query": "per_query", "result": "per_result"}
_SHAPE = "prices such as query=50,result=200, or the column of a price: result=tokens"


def cost_measure(cost: Cost) -> Measure:
    """The measure of these prices.

    Examples:
        >>> str(cost_measure("query=50,result=tokens"))
        'Cost(per_query=50, per_result=tokens)'
    """
    prices = _parse_text(cost) if isinstance(cost, str) else cost
    if not isinstance(prices, Mapping):
        raise WrongType("cost", cost, _SHAPE)
    if not prices:
        raise BadValue("cost", cost, _SHAPE)
    for name in prices:
        if name not in _PRICES:
            raise UnknownName("price", str(name), _PRICES)
    return Measure("Cost", {_PRICES[name]: prices.get(name, 0) for name in _PRICES})


def _parse_text(text: str) -> dict[str, float | str]:
    prices: dict[str, float | str] = {}
    for part in text.split(","):
        name, equals, price = (piece.strip() for piece in part.partition("="))
        if not equals or not price or name in prices:
            raise BadValue("cost", text, _SHAPE)
        try:
            prices[name] = float(price)
        except ValueError:
            prices[name] = price
    return prices
