"""What `ppslab tcp` prints: the directions that were tried, and no empty table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.cli.measuring import tcp
from ppslab.cli.printing import console
from ppslab.show.record_tables.tcp import direction_table
from tests.support.tcp_factory import GOODPUT, make_tcp_record


def test_only_what_was_tried_has_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    record = make_tcp_record()
    kept = tuple(t for t in record.transfers if t.direction != "both")
    assert len(kept) < len(record.transfers)
    record = record.model_copy(update={"transfers": kept})

    def run(*_: Any) -> Any:
        return record, Path("record.json")

    monkeypatch.setattr(tcp, "run", run)
    with console.capture() as caught:
        done = CliRunner().invoke(app, ["tcp", "eoip"])
    assert done.exit_code == 0, done.exception
    said = caught.get()
    assert "TCP one way" in said and "TCP the other way" in said
    assert "TCP both ways at once" not in said
    assert "offloads off" in said


def test_the_table_has_a_row_a_condition_and_says_what_is_noise() -> None:
    record = make_tcp_record()
    table = direction_table(record, "both")
    assert len(table.rows) == len(GOODPUT)
    assert "A/A" in str(table.notes[0])
    assert not direction_table(record.model_copy(update={"transfers": ()}), "both").rows
