"""How a number is written: for people, exactly, and in what people type."""

# What counts as a number in a text; Python itself would also take 1_000 and infinity.
NUMBER_PATTERN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


def format_number(value: float, digits: int = 6) -> str:
    """A number as a person would write it.

    Examples:
        >>> format_number(3.0), format_number(0.5), format_number(2.718281828)
        ('3', '0.5', '2.71828')
    """
    return f"{value:.{digits}g}"


def format_exact(value: float) -> str:
    """A number in as few characters as tell it exactly.

    Examples:
        >>> format_exact(2.0), format_exact(0.1), format_exact(1e300)
        ('2', '0.1', '1e+300')
    """
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else repr(value)
