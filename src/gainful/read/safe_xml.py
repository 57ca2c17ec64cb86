"""XML read with care: no DTD, no entities, not too large, not too deep; elements know their line.

Files of the TREC Session Track have bare ampersands in them, which are mended first.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder  # defusedxml parses

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


_LINE = "\0line"  # on which an element begins, beside its attributes


class _TooDeep(Exception):
    """Elements in elements in elements."""


class _LineBuilder(TreeBuilder):
    """Makes elements that know their line."""

    def __init__(self) -> None:
        super().__init__()
        self.parser: Any = None
        self.open_tags: list[str] = []

    def start(self, tag: Any, attributes: dict[Any, Any]) -> Element:
        if len(self.open_tags) >= DEEPEST:
            raise _TooDeep
        self.open_tags.append(tag)
        return super().start(tag, {**attributes, _LINE: str(self.parser.CurrentLineNumber)})

    def end(self, tag: str) -> Element:
        self.open_tags.pop()
        return super().end(tag)


def find_line(element: Element) -> int:
    """The line on which it begins."""
    return int(element.attrib[_LINE])


def find_text(element: Element, tag: str) -> str:
    """The text of the first element in it with this tag, on one line; nothing if there is none."""
    inner = element.find(tag)
    return "" if inner is None else " ".join("".join(inner.itertext()).split())


def parse_xml(source: Source) -> Element:
    """The root of an XML file; what is unsafe or not XML is refused with its line."""
    content = source.read_bytes()
    if len(content) > LARGEST:
        problem = f"{len(content) >> 20} MiB of XML is too much"
        raise BadInput(source.name, problem, f"at most {LARGEST >> 20} MiB")
    builder = _LineBuilder()
    parser = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.parser = parser.parser
    # Comments and instructions are passed over; TreeBuilder would copy all text before each.
    builder.parser.CommentHandler = builder.parser.ProcessingInstructionHandler = lambda *_: None
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
        problem = f"not well-formed XML: {reason}"
        if reason in ("no element found", "unclosed token", "unclosed CDATA section"):
            inner = f" inside <{builder.open_tags[-1]}>" if builder.open_tags else ""
            problem = f"the XML is truncated: it ends{inner}"
        raise BadInput(f"{source.name}:{line}", problem) from None
    except (LookupError, ValueError) as failure:  # an encoding that nobody knows
        raise BadInput(current_place(), f"cannot be read as XML: {quote(str(failure))}") from None
    if root is None:
        raise BadInput(source.name, "there is no element in it", "XML")
    return root
