"""Text of others on a terminal: what a terminal would obey is shown, not sent."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.table import Table

from ppslab.core.text.terminal import Console, echo, printable
from tests.support.waiting import PATIENCE

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
