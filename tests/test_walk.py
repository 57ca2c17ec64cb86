"""How many files must one read to follow a command? No more than it took yesterday."""

from __future__ import annotations

import pytest
from tools.walk import count_lines, walk

KERNEL_LINES = 16_150


@pytest.mark.parametrize(
    ("command", "entered_files", "loaded_files"),
    [
        ("eval", 51, 95),
        ("compare", 67, 199),
        ("gate", 58, 126),
        ("report", 77, 220),
        ("sessions", 67, 183),
    ],
)
def test_a_command_enters_and_loads_few_files(command, entered_files, loaded_files):
    entered, loaded = walk(command)
    assert 1 < len(entered) <= entered_files
    assert len(entered) < len(loaded) <= loaded_files
    if command == "eval":
        assert count_lines(loaded) <= KERNEL_LINES
