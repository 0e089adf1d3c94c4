"""Every number of a table, of any record that is kept here, is written in the one form."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ppslab import results
from ppslab.analysis import counters, frmol, outcome, scoreboard
from ppslab.base.text.tables import Table
from ppslab.lab import lab, published
from ppslab.presentation import record_tables, tcp_tables
from ppslab.results import TcpRecord
from tests.numbers import odd


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
        yield record_tables.claims_table(judged.judged, None)
        yield scoreboard.summary(scoreboard.entries([judged]))
    record = results.newest(name)
    if record is not None:
        yield record_tables.costs(record)
        yield record_tables.throughputs(record)
        yield record_tables.orders(found, record)
        yield counters.counters_table(record)
        yield frmol.table(record)
    tcp = results.newest_of(TcpRecord, name)
    if tcp is not None:
        yield tcp_tables.goodput_table(tcp)
        yield tcp_tables.retransmits(tcp)


@pytest.mark.long
@pytest.mark.parametrize("name", lab.names())
def test_every_table_writes_numbers_in_one_form(name: str) -> None:
    wrong = {}
    for table in tables(name):
        texts = [cell.text for row in table.rows for cell in row]
        texts += [*table.header, *map(str, table.notes), table.title]
        if found := [number for text in texts for number in odd(table.for_readers(text))]:
            wrong[table.title] = found
    assert wrong == {}
