"""Every name of a column in the one table of columns is found where it is looked for."""

import polars as pl
import pytest

from gainful.read.column_names import COLUMNS, QRELS_ROLES, RUN_ROLES, SESSION_ROLES
from gainful.read.inputs import as_qrels, as_run
from gainful.read.session_inputs import as_sessions


def _list_names(*tables):
    """Every name of every column that is looked for in one of these tables."""
    return [
        pytest.param(table, column, name, id=f"{table}: {name} is the {column.role}")
        for table in tables
        for column in COLUMNS
        for name in (column.names if table in column.tables else ())
        if (table, name) != ("log", "query_position")  # a text only where the user names it query
    ]


_EXAMPLES = {
    "judgments": {"query": "1", "doc": "a", "grade": 2, "subtopic": "x"},
    "run": {"query": "1", "doc": "a", "score": 0.5},
    "sessions": {
        "session": "s",
        "query": 1,
        "rank": 1,
        "doc": "a",
        "topic": "t",
        "system": "x",
        "searcher": "u",
        "scenario": "w",
        "text": "lamp",
        "clicked": 1,
        "purchased": 0,
        "scanned": 1,
        "grade": 2,
        "seconds": 5,
    },
    "log": {
        "session": "s",
        "user": "u",
        "time": 1714557600,
        "query_id": "q",
        "text": "lamp",
        "event": "impression",
        "rank": 1,
        "doc": "a",
        "clicked": 1,
        "purchased": 0,
        "seconds": 5,
    },
}


@pytest.mark.parametrize(
    ("table", "column", "name"), _list_names("judgments", "run", "sessions", "log")
)
def test_a_column_is_known_by_every_name_in_the_table(table, column, name):
    usual = {each.role: each.names[0] for each in COLUMNS if table in each.tables}
    values = _EXAMPLES[table]
    if column.kind == "list":
        values = {"query": "1", column.role: [["a", "b"]]}
    elif column.role == "rank" and table == "run":
        values = {"query": "1", "doc": "a", "rank": 1}
    rows = pl.DataFrame({usual[role]: value for role, value in values.items()})
    named = rows.rename({usual[column.role]: name})
    read = {"judgments": as_qrels, "run": as_run}.get(table, as_sessions)
    expected = read(rows).frame
    assert read(named).frame.select(expected.columns).equals(expected)


def test_roles_of_columns_are_named_as_they_are_looked_for():
    kinds = {"judgments": QRELS_ROLES, "run": RUN_ROLES}
    kinds |= dict.fromkeys(("sessions", "log"), SESSION_ROLES)
    for column in COLUMNS:
        roles = kinds.get(column.tables[0], {column.role: column.names[0]})  # else none has roles
        assert roles[column.role] == column.names[0]
