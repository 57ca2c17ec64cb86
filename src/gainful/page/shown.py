"""`Shown`: what every result can do that describes itself as a page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from attrs import frozen

from gainful.errors import NotInstalled, NoTruthValue, UnknownName, WrongType
from gainful.page.page import Page

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

T = TypeVar("T")
Write = TypeVar("Write", bound=Callable[..., str])

# What the house asks of its own results, and nobody else: in no list and in no reference.
INTERNAL_NAMES = frozenset(
    (
        *("brief", "convention_data", "files_to_save", "find_name", "format_value", "from_matched"),
        *("group_sessions", "list_columns", "list_counts", "list_expressions", "locate"),
        *("matched_sessions", "mean_of", "mean_or_none", "numeric_ids", "numeric_queries", "page"),
        *("qrel_inputs", "random_generator", "recipe_data", "recipes", "run_inputs", "summary"),
        *("tabulate", "values_by_id"),
    )
)
_DICT_CHANGES = frozenset(("clear", "copy", "fromkeys", "pop", "popitem", "setdefault", "update"))


class Answering:
    """A value that answers for an attribute that it has not."""

    __slots__ = ()

    if not TYPE_CHECKING:  # to a type checker every attribute would be there

        def __getattr__(self, name: str) -> NoReturn:
            raise MissingAttribute(name=name, obj=self)

    def list_expressions(self) -> Mapping[str, str]:
        """What else one could look for as an attribute, in small letters, and what to write."""
        return {}

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in INTERNAL_NAMES]


def _refuse_paths(write: Write) -> Write:
    """A method that returns text; an error names the one that writes a file, as pandas' do."""

    @wraps(write)
    def call(result: Shown, /, *paths: object, **view: Any) -> str:
        if paths:
            path = str(paths[0])
            raise WrongType(
                f"{write.__name__}()", path, f"no path: results.save({path!r}) writes it"
            )
        return write(result, **view)

    return cast("Write", call)


class Shown(Answering):
    """A result that says what it has to say by `page`; all formats come from that.

    An attrs class that is one needs `@frozen(repr=False)`, or attrs writes a repr of its own.
    """

    __slots__ = ()

    @abstractmethod
    def page(self, *args: Any, **view: Any) -> Page:
        """What the result tells, in this view of it."""

    def brief(self) -> Page:
        """What a prompt and a notebook show of it: the page, if nothing shorter is there."""
        return self.page()

    def summary(self) -> Description:
        """What a prompt shows, to be printed or written in any format."""
        return Description(self.brief())

    def __repr__(self) -> str:
        return _render(self.brief(), "table")

    def _repr_html_(self) -> str:
        return _render(self.brief(), "html")

    def _repr_latex_(self) -> str:
        from gainful.page.formats.html import to_mathjax  # noqa: PLC0415

        return to_mathjax(self.brief())

    @_refuse_paths
    def to_text(self, **view: Any) -> str:
        """As text, as in a pipe."""
        return _render(self.page(**view), "table")

    @_refuse_paths
    def to_markdown(self, **view: Any) -> str:
        """As Markdown: for a page, a comment or a pull request."""
        return _render(self.page(**view), "markdown")

    @_refuse_paths
    def to_latex(self, **view: Any) -> str:
        """As LaTeX; tables need the package booktabs."""
        return _render(self.page(**view), "latex")

    @_refuse_paths
    def to_html(self, **view: Any) -> str:
        """As HTML, to embed in a page."""
        return _render(self.page(**view), "html")

    @_refuse_paths
    def to_csv(self, **view: Any) -> str:
        """As CSV, at full precision."""
        return _render(self.page(**view), "csv")

    @_refuse_paths
    def to_json(self, **view: Any) -> str:
        """As JSON."""
        return _render(self.page(**view), "json")

    def to_dict(self) -> Any:
        """All of it as plain data, as JSON has it."""
        return self.page().data()

    def to_polars(self, **view: Any) -> pl.DataFrame:
        """The rows of CSV as a polars frame."""
        import polars as pl  # noqa: PLC0415  (slow to load)

        return pl.DataFrame(self.list_columns(**view), strict=False)

    def to_pandas(self, **view: Any) -> pd.DataFrame:
        """The rows of CSV as a pandas frame."""
        try:
            import pandas as pd  # noqa: PLC0415  (only where it is asked for)
        except ImportError:
            raise NotInstalled("to_pandas", "pandas") from None
        return pd.DataFrame(self.list_columns(**view))  # by columns, which needs no pyarrow

    def list_columns(self, **view: Any) -> dict[str, list[Any]]:
        """The rows of CSV by column; None where a value is missing."""
        return self.page(**view).rows().to_columns()

    def save(self, path: str | PathLike[str], **view: Any) -> None:
        """Write it to a file, in the format of its suffix.

        Args:
            path: ends in .csv, .tsv, .json, .jsonl, .md, .tex, .html or .txt; the file is written
                as a whole or not at all.
            **view: which view of it, as `page` takes them.
        """
        from gainful.page.render import save_page  # noqa: PLC0415

        save_page(self.page(**view), path)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())


class ShownByRun(Shown, dict[str, T]):
    """What there is of each of several runs, by their names."""

    def __missing__(self, name: object) -> T:
        hint = "a measure belongs to a run: results[run][measure]"
        raise UnknownName("run", str(name), self, hint, lists_all=True)

    def __eq__(self, other: object) -> bool:
        return dict.__eq__(self, other)

    __hash__ = None  # type: ignore[assignment]  # as of any dict

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _DICT_CHANGES]


def refuse_truth(ask: str) -> Callable[[object], bool]:
    """The `__bool__` of what is neither true nor false: an error that says what to ask instead."""

    def refuse(result: object) -> bool:
        name = type(result).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise NoTruthValue(f"{article} {name} is neither true nor false; ask {ask}")

    return refuse


class MissingAttribute(AttributeError):
    """An attribute that a result has not; put into words only where somebody reads them."""

    def __str__(self) -> str:
        name = str(self.name)
        if isinstance(self.obj, Answering):
            return describe_missing(self.obj, name)
        return f"no attribute {name!r}"  # in another process


def describe_missing(result: Answering, name: str) -> str:
    """What is said of an attribute that is not there: what is most like it, or what there is."""
    message = f"{type(result).__name__!r} has no attribute {name!r}"
    if name.startswith("_"):
        return message
    names = [known for known in dir(result) if known[0].islower()]
    places = {
        **{known.removeprefix("to_"): f".{known}()" for known in names if known.startswith("to_")},
        **{known: f".{known}" for known in names},
    }
    from gainful.synonyms import RENAMED, RESULTS, suggest_name  # noqa: PLC0415  (of a mistake)

    if name in RENAMED:
        return f"{message}; it is now {RENAMED[name]}"
    elsewhere = {
        word: place
        for word, place in RESULTS.items()
        if word not in names
        and (place[0] != "." or hasattr(type(result), place[1:].partition("(")[0]))
    }
    guesses = {**elsewhere, **result.list_expressions()}
    return f"{message}; {suggest_name(name, places, guesses, names)}"


def _render(page: Page, form: str) -> str:
    from gainful.page.render import render  # noqa: PLC0415

    return render(page, form)


@frozen(repr=False)
class Description(Shown):
    """A page that is there already: what is known of a measure or a convention."""

    content: Page

    def page(self) -> Page:
        """The page."""
        return self.content
