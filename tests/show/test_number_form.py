"""Every number of a table, of any record that is kept here, is written in the one form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.text.tables import Table
from ppslab.judge import counters, frmol, outcome, scoreboard
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.results import Record, TcpRecord
from ppslab.show import record_tables
from ppslab.show.record_tables import tcp as tcp_tables
from tests.model.results import committed
from tests.support.numbers import odd

RUNS = [
    path
    for path in committed.paths()
    if path.name.startswith(("tcp-", *(f"{name}-" for name in lab.names())))
]
"""Of packets and of TCP: the other kinds have tables of their own."""


def test_another_form_is_found() -> None:
    assert odd("1,260 pps") == ["1,260 pps"]
    assert odd("of 1260000 packets") == ["1260000"]
    assert odd("1 260 000 of them") == ["1 260 000 of them"]
    for text in (
        "1518",
        "14\u202f880\u202f952",
        "10.0.0.1:50000",
        "topics 183886 and 113295",
        "6.1.0",
    ):
        assert odd(text) == []


def tables(name: str) -> Iterator[Table]:
    found = lab.find(name)
    yield record_tables.published_table(published.load(found))
    judged = outcome.of(found)
    if judged.fault is None:
        yield record_tables.claims_table(judged.judged, None, conditions=found.titles)
        yield scoreboard.summary(scoreboard.entries([judged]))


def tables_of(record: Any) -> Iterator[Table]:
    if isinstance(record, Record):
        yield record_tables.costs(record)
        yield record_tables.throughputs(record)
        yield record_tables.orders(lab.find(record.lab), record)
        yield counters.counters_table(record)
        yield frmol.table(record)
    elif isinstance(record, TcpRecord):
        yield tcp_tables.goodput_table(record)
        yield tcp_tables.retransmits(record)


def not_in_one_form(tables: Iterable[Table]) -> dict[str, list[str]]:
    """The numbers of tables that have another form, by the table's title."""
    wrong = {}
    for table in tables:
        texts = [cell.text for row in table.rows for cell in row]
        texts += [*table.header, *map(str, table.notes), table.title]
        if found := [number for text in texts for number in odd(table.for_readers(text))]:
            wrong[table.title] = found
    return wrong


@pytest.mark.long
@pytest.mark.parametrize("name", lab.names())
def test_every_table_of_a_lab_writes_numbers_in_one_form(name: str) -> None:
    assert not_in_one_form(tables(name)) == {}


@pytest.mark.long
@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_every_table_of_a_kept_record_writes_numbers_in_one_form(path: Path) -> None:
    assert not_in_one_form(tables_of(results.load_any(path))) == {}
