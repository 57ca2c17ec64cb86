"""How a number is written for people: no more digits than it needs."""


def written(value: float, digits: int = 6) -> str:
    """A number as a person would write it.

    Examples:
        >>> written(3.0), written(0.5), written(2.718281828)
        ('3', '0.5', '2.71828')
    """
    return f"{value:.{digits}g}"
