"""XML read with care: no DTD, no entities, not too large, not too deep; elements know their line.

Files of the TREC Session Track have bare ampersands in them, which are mended first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError  # the error only: defusedxml parses

from attrs import field, mutable
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from gainful.errors import BadInput, shown
from gainful.read.source import Source

LARGEST = 1 << 29  # bytes of a file; the largest of the Session Track has less than a tenth
DEEPEST = 32  # elements in elements; those of the Session Track are 7 deep
_STRETCH = 1 << 20
_BARE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)", re.DOTALL
)


@mutable(eq=False)
class Element:
    """One element: its attributes, its text, what is in it, and the line on which it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    inside: list[Element] = field(factory=list)

    def each(self, *tags: str) -> Iterator[Element]:
        """The elements directly in it with one of these tags."""
        return (one for one in self.inside if one.tag in tags)

    def first(self, *tags: str) -> Element | None:
        """The first of them."""
        return next(self.each(*tags), None)

    def words(self, *tags: str) -> str:
        """The text of the first of them, on one line; nothing if there is none."""
        found = self.first(*tags)
        return "" if found is None else " ".join(found.text.split())


class _TooDeep(Exception):
    """Elements in elements in elements."""


class _Building:
    """Makes elements as the parser meets them."""

    def __init__(self) -> None:
        self.parser: Any = None
        self.root: Element | None = None
        self.open: list[Element] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= DEEPEST:
            raise _TooDeep
        made = Element(tag, dict(attributes), self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].inside.append(made)
        self.root = self.root or made
        self.open.append(made)

    def end(self, _: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def close(self) -> Element | None:
        return self.root


def parsed(source: Source) -> Element:
    """The root of an XML file; what is unsafe or not XML is refused with its line."""
    content = source.content()
    if len(content) > LARGEST:
        problem = f"{len(content) >> 20} MiB of XML are too much"
        raise BadInput(source.name, problem, f"at most {LARGEST >> 20} MiB")
    building = _Building()
    parser = DefusedXMLParser(target=building, forbid_dtd=True)
    building.parser = parser.parser
    mended = _BARE.sub(lambda bare: b"&amp;" if bare[0] == b"&" else bare[0], content)

    def where() -> str:
        return f"{source.name}:{parser.parser.CurrentLineNumber}"

    try:
        for at in range(0, len(mended), _STRETCH):
            parser.feed(mended[at : at + _STRETCH])
        root: Element | None = parser.close()
    except _TooDeep:
        problem = f"elements are nested more than {DEEPEST} deep"
        raise BadInput(where(), problem) from None
    except DefusedXmlException:
        problem = "there is a DTD or an entity, which are not read for safety"
        raise BadInput(where(), problem, "XML without <!DOCTYPE and <!ENTITY") from None
    except ParseError as failure:
        line = failure.position[0]
        words = str(failure).split(":", maxsplit=1)[0]
        ended = words in ("no element found", "unclosed token", "unclosed CDATA section")
        inner = f" inside <{building.open[-1].tag}>" if building.open else ""
        problem = (
            f"the XML is truncated: it ends{inner}" if ended else f"not well-formed XML: {words}"
        )
        raise BadInput(f"{source.name}:{line}", problem) from None
    except (LookupError, ValueError) as failure:  # an encoding that nobody knows
        raise BadInput(where(), f"cannot be read as XML: {shown(str(failure))}") from None
    if root is None:
        raise BadInput(source.name, "there is no element in it", "XML")
    return root
