"""A page of one file: its style, scripts and data inside, and nothing that could reach out.

What comes from a user goes into a page in two ways only: as text, which jinja escapes, or as
data, in which nothing can end the script that it stands in.
"""

from __future__ import annotations

from functools import cache
from html import escape as escape_html
from importlib.resources import files
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

from gainful.errors import NotInstalled
from gainful.page.render import write_atomically
from gainful.show.theme import build_css

_FOLDER = files(__package__) / "pages"  # in a folder or in a zip


class HtmlPage(str):
    """A page of one file, as text; a notebook shows it in a frame, and `save` writes it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"HTML page, {len(self) / 1000:.0f} kB; .save('page.html') writes it"

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 640px; border: 1px solid #d9dfe6"
        return f'<iframe srcdoc="{escape_html(self)}" style="{style}" title="gainful"></iframe>'

    def save(self, path: str | PathLike[str]) -> None:
        """Put the page into a file, as a whole or not at all."""
        write_atomically(path, self)

    if not TYPE_CHECKING:  # to a type checker every attribute would be there

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(f"a page has no {name!r}; .save('page.html') writes it")


def render_page(template: str, *, feature: str, data: object, **context: Any) -> HtmlPage:
    """A template of the pages with the plain data of its script, the style of all, and Vega.

    `feature` is what to name where the extra is not installed, `context` what else is shown.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415  (the extra report need not be there)
    except ImportError:
        raise NotInstalled(feature, "report") from None

    environment = Environment(
        loader=FunctionLoader(_read_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    environment.globals |= {
        "part": lambda name: Markup(_read_file(name)),  # noqa: S704  (our own file)
        "tones": Markup(build_css()),  # noqa: S704  (our own)
        "vega": lambda: Markup(load_vega(feature)),  # noqa: S704  (a bundle that is installed with us)
        "data": Markup(to_script_json(data)),  # noqa: S704  (escaped for where it stands)
    }
    return HtmlPage(environment.get_template(template).render(**context))


def _read_file(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def to_script_json(data: object) -> str:
    """Data as JSON that can stand in a script: no text in it can end that.

    Examples:
        >>> "</" in to_script_json({"ends": "</script>"})
        False
    """
    from jinja2.utils import htmlsafe_json_dumps  # noqa: PLC0415  (of the extra report)

    return str(
        htmlsafe_json_dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    )


def import_converter(feature: str) -> Any:
    """vl-convert, which brings Vega and draws with it."""
    try:
        import vl_convert  # noqa: PLC0415  (of the extra report)
    except ImportError:
        raise NotInstalled(feature, "report") from None
    return vl_convert


@cache
def load_vega(feature: str) -> str:
    """Vega, Vega-Lite and vegaEmbed as one script, as vl-convert brings them."""
    bundle: str = import_converter(feature).javascript_bundle()
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
