"""A verdict as JUnit's XML, which every build server reads: a test case for each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from gainful.text import format_exact

if TYPE_CHECKING:
    from gainful.evidence.gates.verdict import Check, Verdict

_RULE_WORDS = {"floor": "floor", "max_drop": "drop at most", "significant": "not worse at"}

# What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def verdict_to_junit(verdict: Verdict, text: str) -> str:
    """A suite with a case for each rule; the verdict as `text` stands in its output."""
    rule_count, broken_count = len(verdict.checks), len(verdict.broken_checks)
    suite = (
        f'name="gainful gate" tests="{rule_count}" failures="{broken_count}" errors="0" skipped="0"'
    )
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f"<testsuite {suite}>",
        *(line for check in verdict.checks for line in _format_case(verdict, check)),
        f"<system-out>{_escape_text(text)}</system-out>",
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines)


def format_rule(check: Check) -> str:
    """A rule in a few words."""
    return f"{_RULE_WORDS[check.rule]} {format_exact(check.bound)}"


def _format_case(verdict: Verdict, check: Check) -> Iterator[str]:
    name = _escape_attribute(f"{check.measure}: {format_rule(check)}")
    run = _escape_attribute(f"gainful.gate.{verdict.results.name}")
    if check.ok:
        yield f'<testcase classname="{run}" name="{name}"/>'
        return
    yield f'<testcase classname="{run}" name="{name}">'
    yield f'<failure type="{check.rule}" message="{_escape_attribute(check.message)}"/>'
    yield "</testcase>"


def _escape_text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text), quote=False)


def _escape_attribute(text: str) -> str:
    """On one line: an attribute cannot hold the end of one."""
    return escape(" ".join(_FORBIDDEN.sub("\ufffd", text).split()), quote=True)
