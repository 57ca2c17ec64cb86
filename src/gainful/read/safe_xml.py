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

from gainful.errors import BadInput
from gainful.read.source import Source
from gainful.text import quote
from gainful.types import slices

LARGEST = 1 << 29  # bytes of a file; the largest of the Session Track has less than a tenth
DEEPEST = 32  # elements in elements; those of the Session Track are 7 deep
_BATCH_BYTES = 1 << 20
_BARE_AMPERSAND = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)", re.DOTALL
)


@mutable(eq=False)
class Element:
    """One element: its attributes, its text, what is in it, and the line on which it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""  # of all its pieces, once it is closed
    children: list[Element] = field(factory=list)

    def find_all(self, *tags: str) -> Iterator[Element]:
        """The elements directly in it with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def find(self, *tags: str) -> Element | None:
        """The first of them."""
        return next(self.find_all(*tags), None)

    def find_text(self, *tags: str) -> str:
        """The text of the first of them, on one line; nothing if there is none."""
        element = self.find(*tags)
        return "" if element is None else " ".join(element.text.split())


class _TooDeep(Exception):
    """Elements in elements in elements."""


class _TreeBuilder:
    """Makes elements as the parser meets them."""

    def __init__(self) -> None:
        self.parser: Any = None
        self.root: Element | None = None
        self.open_elements: list[Element] = []
        self.open_texts: list[list[str]] = []  # joined at the end: pieces can be many

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open_elements) >= DEEPEST:
            raise _TooDeep
        element = Element(tag, dict(attributes), self.parser.CurrentLineNumber)
        if self.open_elements:
            self.open_elements[-1].children.append(element)
        self.root = self.root or element
        self.open_elements.append(element)
        self.open_texts.append([])

    def end(self, _: str) -> None:
        self.open_elements.pop().text = "".join(self.open_texts.pop())

    def data(self, text: str) -> None:
        if self.open_texts:
            self.open_texts[-1].append(text)

    def close(self) -> Element | None:
        return self.root


def parse_xml(source: Source) -> Element:
    """The root of an XML file; what is unsafe or not XML is refused with its line."""
    content = source.read_bytes()
    if len(content) > LARGEST:
        problem = f"{len(content) >> 20} MiB of XML is too much"
        raise BadInput(source.name, problem, f"at most {LARGEST >> 20} MiB")
    builder = _TreeBuilder()
    parser = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.parser = parser.parser
    repaired = _BARE_AMPERSAND.sub(lambda bare: b"&amp;" if bare[0] == b"&" else bare[0], content)

    def current_place() -> str:
        return f"{source.name}:{parser.parser.CurrentLineNumber}"

    try:
        for part in slices(len(repaired), _BATCH_BYTES):
            parser.feed(repaired[part])
        root: Element | None = parser.close()
    except _TooDeep:
        problem = f"elements are nested more than {DEEPEST} deep"
        raise BadInput(current_place(), problem) from None
    except DefusedXmlException:
        problem = "there is a DTD or an entity, not read for safety"
        raise BadInput(current_place(), problem, "XML without <!DOCTYPE and <!ENTITY") from None
    except ParseError as failure:
        line = failure.position[0]
        reason = str(failure).split(":", maxsplit=1)[0]
        truncated = reason in ("no element found", "unclosed token", "unclosed CDATA section")
        inner = f" inside <{builder.open_elements[-1].tag}>" if builder.open_elements else ""
        problem = (
            f"the XML is truncated: it ends{inner}"
            if truncated
            else f"not well-formed XML: {reason}"
        )
        raise BadInput(f"{source.name}:{line}", problem) from None
    except (LookupError, ValueError) as failure:  # an encoding that nobody knows
        raise BadInput(current_place(), f"cannot be read as XML: {quote(str(failure))}") from None
    if root is None:
        raise BadInput(source.name, "there is no element in it", "XML")
    return root
