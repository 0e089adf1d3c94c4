"""Tables on a narrow terminal and in a pipe: no word is broken, nothing is cut."""

from __future__ import annotations

import io
import re

import pytest
from rich.table import Table

from ppslab.cli.measuring import run as command
from ppslab.cli.printing import Printer
from ppslab.core.text import tables
from tests.cli.conftest import Inside

NAMES = ("routing-connection-tracking", "routing-plain")


def table(columns: int, title: str = "A table") -> Table:
    made = Table(title=title)
    made.add_column("condition")
    for number in range(columns):
        made.add_column(f"router ns/packet, {64 << number} B", justify="right")
    for name in NAMES:
        made.add_row(name, *(f"10201 ± {number}" for number in range(columns)))
    return made


def printed(what: Table, width: int, *, terminal: bool) -> str:
    out = io.StringIO()
    printer = Printer(file=out, force_terminal=terminal, color_system=None)
    if terminal:
        printer.size = (width, 25)
    printer.print(what)
    return out.getvalue()


def words(text: str) -> set[str]:
    """What stands between spaces and a table's lines."""
    return set(re.split(r"[\s│┃╇┡━┩├┼┤─┏┳┓└┴┘]+", text))


@pytest.mark.parametrize("columns", [1, 2, 3, 6])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_words_are_whole_at_any_width(columns: int, width: int) -> None:
    shown = printed(table(columns), width, terminal=True)
    assert {*NAMES, "10201", "ns/packet,", "condition"} <= {
        word.rstrip(":") for word in words(shown)
    }
    assert "…" not in shown
    if "┃" in shown:
        assert max(len(line) for line in shown.splitlines()) <= width


def test_a_page_s_table_is_printed_with_its_notes_and_its_words_as_they_are() -> None:
    made = tables.Table(
        "A [b]title[/b]",
        ("condition", "ns"),
        (tables.cells("routing-plain", "213 [205, 222]"), tables.cells("fast", "-")),
        notes=("Two standard errors [/x].",),
    )
    for width in (10, 80):
        shown = printed(made, width, terminal=True)
        for part in ("A [b]title[/b]", "213 [205, 222]", "Two standard errors [/x]."):
            assert part.split() == [word for word in part.split() if word in words(shown)]


def test_ctrl_c_says_that_nothing_is_left_and_where_the_record_is(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        stopped = KeyboardInterrupt()
        stopped.add_note("what was measured until then is in a.aborted.json")
        raise stopped

    monkeypatch.setattr(command, "run", run)
    done = inside("run", "fastpath")
    assert done.returncode == 130 and "a.aborted.json" in done.stderr
