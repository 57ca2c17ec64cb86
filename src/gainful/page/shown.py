"""`Shown`: what every result can do that describes itself as a page."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from attrs import frozen

from gainful.page.page import Page
from gainful.page.render import render
from gainful.page.to_html import to_mathjax


class Shown:
    """A result that says what it has to say by `page`; all formats come from that.

    An attrs class that is one needs `@frozen(repr=False)`, or attrs writes a repr of its own.
    """

    __slots__ = ()

    @abstractmethod
    def page(self, *args: Any, **view: Any) -> Page:
        """What the result tells, in this view of it."""

    def summary(self) -> Page:
        """What a prompt and a notebook show of it: the page, if nothing shorter is there."""
        return self.page()

    def __repr__(self) -> str:
        return render(self.summary(), "table")

    def _repr_html_(self) -> str:
        return render(self.summary(), "html")

    def _repr_latex_(self) -> str:
        return to_mathjax(self.summary())

    def to_text(self, **view: Any) -> str:
        """As a pipe shows it."""
        return render(self.page(**view), "table")

    def to_markdown(self, **view: Any) -> str:
        """As Markdown: for a page, a comment or a pull request."""
        return render(self.page(**view), "markdown")

    def to_latex(self, **view: Any) -> str:
        """As LaTeX; tables need the package booktabs."""
        return render(self.page(**view), "latex")

    def to_csv(self, **view: Any) -> str:
        """As CSV, at full precision."""
        return render(self.page(**view), "csv")

    def to_json(self, **view: Any) -> str:
        """As JSON."""
        return render(self.page(**view), "json")


@frozen(repr=False)
class Description(Shown):
    """A page that is there already: what is known of a measure or a convention."""

    content: Page

    def page(self) -> Page:
        """The page."""
        return self.content
