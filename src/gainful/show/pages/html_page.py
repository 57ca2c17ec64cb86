"""A page of one file: its style, scripts and data inside, and nothing that could reach out.

What comes from a user goes into a page in two ways only: as text, which jinja escapes, or as
data, in which nothing can end the script that it stands in.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from gainful.errors import NotInstalled
from gainful.show.theme import css

_FOLDER = Path(__file__).parent
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def rendered(template: str, *, what: str, data: object, **words: Any) -> str:
    """A template of this folder with its data, the style that all pages share, and Vega.

    Args:
        template: the name of its file.
        what: the command that makes it, for whom the extra is not installed.
        data: what its script works on; plain data.
        words: what else the template shows, as text.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415  (the extra report need not be there)
    except ImportError:
        raise NotInstalled(what, "report") from None

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def part(name: str) -> Markup:
        return Markup((_FOLDER / name).read_text(encoding="utf-8"))  # noqa: S704  (our own file)

    made.globals |= {
        "part": part,
        "tones": Markup(css()),  # noqa: S704  (our own)
        "vega": lambda: Markup(vega(what)),  # noqa: S704  (a bundle that is installed with us)
        "data": Markup(embedded(data)),  # noqa: S704  (escaped for where it stands)
    }
    return made.get_template(template).render(**words)


def embedded(data: object) -> str:
    """Data as JSON that can stand in a script: no text in it can end that.

    Examples:
        >>> "</" in embedded({"ends": "</script>"})
        False
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return text


@cache
def vega(what: str) -> str:
    """Vega, Vega-Lite and vegaEmbed as one script, as vl-convert brings them."""
    try:
        from vl_convert import javascript_bundle  # noqa: PLC0415  (the extra report)
    except ImportError:
        raise NotInstalled(what, "report") from None
    bundle: str = javascript_bundle()  # type: ignore[call-arg]  # its stub is wrong
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
