"""Text for readers: numbers with their units and intervals, and what a terminal may be shown."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import time
from math import inf
from pathlib import Path

import pytest
from rich.table import Table

from ppslab.core.text.grouping import APART, grouped
from ppslab.core.text.numbers import regrouped, short
from ppslab.core.text.quantities import Content, Outcome, Quantity, Sentence, as_data, from_data
from ppslab.core.text.terminal import Console, echo, printable
from ppslab.core.units import frame_bits_per_second, human_rate, line_rate
from ppslab.course.models import drawing
from tests.support.waiting import PATIENCE


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Quantity(2.2664, 2.1, 2.41), "2.27 [2.1, 2.41]"),
        (Quantity(1347.2, 1300, inf, unit="ns"), "1347 [1300, inf] ns"),
        (Quantity(4331.6, 4330.9, 4334.2, unit="instructions", digits=4),
         "4332 [4331, 4334] instructions"),
        (Quantity(1_540_000, unit="pps"), "1.54 Mpps"),
        (Quantity(410_000, unit="pps", remark="(tester-limited)"), "410 kpps (tester-limited)"),
        (Quantity(24.61, unit="%", digits=3), "24.6 %"),
        (Quantity(0.5), "0.5"),
    ],
)  # fmt: skip
def test_the_text_is_made_from_the_number(number: Quantity, text: str) -> None:
    assert str(number) == text


@pytest.mark.parametrize(
    "content",
    [
        "words",
        Quantity(1.5, 1.25, 2.0),
        Quantity(1.5, -inf, inf, unit="ns", digits=3),
        Quantity(1e6, unit="pps", remark="(tester-limited)"),
        Outcome("undecided", decided=False),
        Sentence(("A/A: ", Quantity(1.0, 0.5, 2.0), ", order ", Outcome("holds"))),
    ],
)
def test_content_comes_back_from_json(content: Content) -> None:
    written = json.dumps(as_data(content), allow_nan=False)
    assert from_data(json.loads(written)) == content


@pytest.mark.parametrize(
    ("digits", "text"),
    [
        ("14880952", "14_880_952"),
        ("-10000.25", "-10_000.25"),
        ("100000", "100_000"),
        ("inf", "inf"),
    ],
)
def test_thousands_stand_apart(digits: str, text: str) -> None:
    assert grouped(digits).replace(APART, "_") == text


def test_four_digits_stay_together() -> None:
    assert short(1518) == drawing.short(1518) == grouped("1518") == "1518"
    assert regrouped("1 925 Mbps, 1,299.1 kpps") == "1925 Mbps, 1299.1 kpps"


@pytest.mark.parametrize(
    ("size", "megabits", "frames_per_second"),
    [(64, 10, 14880), (128, 10, 8445), (512, 10, 2349), (1280, 10, 961), (1518, 1000, 81_274),
     (64, 10_000, 14_880_952)],
)  # fmt: skip
def test_line_rates_as_in_rfc_2544_appendix_b(
    size: int, megabits: int, frames_per_second: int
) -> None:
    assert int(line_rate(size, megabits * 1e6)) == frames_per_second


def test_mikrotik_counts_frames_without_what_the_wire_adds() -> None:
    # CCR1036: 23 808.0 kpps of 64 bytes are printed as 12 189.7 Mbps.
    assert frame_bits_per_second(23_808_000, 64) / 1e6 == pytest.approx(12189.7, abs=0.05)


@pytest.mark.parametrize(
    ("rate", "text"), [(1_170_641, "1.17 Mpps"), (98_851, "98.9 kpps"), (730, "730 pps")]
)
def test_rates_for_reading(rate: float, text: str) -> None:
    assert human_rate(rate) == text


EVIL = "a\x1b[2J\x1b]0;title\x07b\rc\x9b31md\x7fe\u202ef\x00g"


def raw(text: str) -> list[str]:
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]


def test_printable() -> None:
    assert printable("plain: ünïcode\n\tx") == "plain: ünïcode\n\tx"
    shown = printable(EVIL)
    assert not raw(shown) and "\u202e" not in shown
    assert shown.startswith("a␛[2J␛]0;title␇b␍c")
    assert printable("\ud800") == "\ufffd"


def test_a_console_shows_what_others_wrote_in_every_place() -> None:
    out = io.StringIO()
    console = Console(file=out, width=200)
    table = Table(title=EVIL, caption=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    console.print(table)
    console.print(EVIL, markup=False)
    console.print(f"{EVIL}", style="bold", soft_wrap=True, markup=False)
    console.rule(EVIL)
    assert not raw(out.getvalue())
    assert out.getvalue().count("␛") >= 10


def test_the_consoles_own_colours_stay() -> None:
    out = io.StringIO()
    Console(file=out, force_terminal=True, color_system="standard").print(
        "x\x1by", style="red", markup=False
    )
    assert out.getvalue() == "\x1b[31mx␛y\x1b[0m\n"


def test_echo(capsys: pytest.CaptureFixture[str]) -> None:
    echo(EVIL)
    assert not raw(capsys.readouterr().out)


def test_nothing_prints_past_it() -> None:
    """The commands have no other way to a terminal."""
    for path in (Path(__file__).parents[2] / "src/ppslab/cli").glob("*.py"):
        text = path.read_text()
        assert not re.search(r"rich\.console import .*\bConsole\b", text), path
        assert "typer.echo" not in text, path
        assert not re.search(r"^\s*print\(", text, re.MULTILINE), path


@pytest.mark.long
@pytest.mark.parametrize("evil", ["[/x]", "\\\\[/x]", "[link=http://x]a[/link]"])
def test_brackets_of_an_export_are_text(
    tmp_path: Path, evil: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ppslab.cli import app

    (tmp_path / "r.txt").write_text("198.19.0.0/30 via 198.18.2.2\n")
    rule = f'add chain=forward action=accept comment="{evil}" bridge-port={evil}'
    lines = ["/interface bridge filter", rule, "/queue simple", f"add name={evil} target=x"]
    (tmp_path / "x.rsc").write_text("\n".join(lines * 600) + "\n")
    monkeypatch.chdir(tmp_path)
    words = ["plan", "offload", "r.txt", "--device", "CRS326-24G-2S+", "--export", "x.rsc"]
    assert not app(words, standalone_mode=False)
    shown = capsys.readouterr().out
    assert "[/x]" in shown or "[link=" in shown
    assert "The first 500 of " in " ".join(shown.split())


@pytest.mark.long
def test_it_can_be_stopped_while_it_is_being_read() -> None:
    """Ctrl-C in the half second of imports is no traceback."""
    for wait in (0.15, 0.4, 0.8):
        running = subprocess.Popen(
            [sys.executable, "-c", "from ppslab.start import main; print('on', flush=True); main()",
             "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert running.stdout is not None
        running.stdout.readline()
        # Any moment will do: more of them are early or late on a busy machine.
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
        assert "Traceback" not in said
        assert running.returncode in (0, 130)
