"""A claim's reason, and a published table, as a reader meets them: titles and quotes, never ids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppslab.core.text.tables import for_readers
from ppslab.judge import claims, outcome
from ppslab.model.lab import lab, published
from ppslab.show import record_tables
from tests.show import words


def test_an_id_in_a_reason_is_found() -> None:
    assert words.ids_in("smallest step: routing-plain costs 2 times it") == ["routing-plain"]
    assert words.ids_in("chr-ports-named = 9 and 8") == ["chr-ports-named"]
    assert words.ids_in("at-least one, /interface/routing-plain") == []


@pytest.mark.long
@pytest.mark.parametrize("name", lab.names())
def test_no_reason_names_an_id(name: str) -> None:
    found = lab.find(name)
    judged = outcome.of(found).judged
    table = record_tables.claims_table(judged, None, conditions=found.titles)
    reason = table.header.index("reason")
    shown = {row[0].text: table.words(reason, row[reason]) for row in table.rows}
    assert len(shown) == len(claims.load(found))
    assert {each: bad for each, text in shown.items() if (bad := words.ids_in(text))} == {}


def test_an_equation_quotes_the_source_for_each_row() -> None:
    """Ids of one word too, which look like any other word."""
    hundred = lab.find("hundred")
    numbers = published.load(hundred)
    rows = [numbers["chr-vlans"], numbers["generators"]]
    word = claims.Equation(hold=("[chr-vlans] = [generators]",))
    quoted = [f"\u201c{row.shown}\u201d = {row.value:g}" for row in rows]
    assert word.from_print(rows).reason == " and ".join(quoted)


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("eoip carries 0.5 times as much as plain", "A carries 0.5 times as much as B"),
        ("smallest step: plain costs 6 [5, 7] times eoip", "B costs 6 [5, 7] times A"),
        ("a round trip under eoip takes 2 times one under plain", "2 times one under B"),
        ("retransmitted share of eoip less that of plain", "share of A less that of B"),
        ("no valid trials of plain at 64 bytes", "trials of B at"),
    ],
)
def test_an_id_of_one_word_has_its_title_where_only_an_id_can_be(reason: str, shown: str) -> None:
    said = for_readers(reason, {"eoip": "A", "plain": "B"})
    assert shown in said.replace("\u201c", "").replace("\u201d", "")


def test_a_word_that_is_an_id_too_stays_a_word() -> None:
    text = "about 2 times as many rounds; a plain route, of the many, under load"
    assert for_readers(text, {"plain": "B", "many": "C", "load": "D", "rounds": "E"}) == (
        "about 2 times as many rounds; a plain route, of the many, under \u201cD\u201d"
    )


@pytest.mark.parametrize("name", lab.names())
def test_a_number_without_a_version_leaves_no_label(name: str) -> None:
    numbers = published.load(lab.find(name))
    notes = [str(note) for note in record_tables.published_table(numbers).notes]
    assert all(
        f"{row.hardware}, version: {row.version}." in notes
        for row in numbers.values()
        if row.version
    )
    bare = {key: replace(row, version="") for key, row in numbers.items()}
    for table in (record_tables.published_table(bare), record_tables.published_table(numbers)):
        assert [note for note in map(str, table.notes) if "version: ." in note] == []
