"""How a number is written for people."""


def format_number(value: float, digits: int = 6) -> str:
    """A number as a person would write it.

    Examples:
        >>> format_number(3.0), format_number(0.5), format_number(2.718281828)
        ('3', '0.5', '2.71828')
    """
    return f"{value:.{digits}g}"
