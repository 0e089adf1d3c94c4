"""Lines taken as gone: the command's `--without` and the page's switches, alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asked import HEAD, LAN_AND_WAN
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import UsageError
from tests.course.models.both import ask

EXPORT = f"""{HEAD}{LAN_AND_WAN}/ip firewall filter
add action=accept chain=forward \\
    connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
"""
ACCEPT, FASTTRACK = 10, 12
MAIN = "LAN to WAN, established TCP and UDP, translated"
SAID = f"{MAIN}: FastTrack (fast); with all lines: slow path (not fast)."


def page(**inputs: Any) -> dict[str, Any]:
    return ask("explain", export={"name": "x", "text": EXPORT}, **inputs)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "r.rsc"
    path.write_text(EXPORT)
    return path


@pytest.mark.parametrize("line", [ACCEPT, ACCEPT + 1])
def test_both_say_what_is_different_without_a_line(export: Path, line: int) -> None:
    answer = page(without=str(line))
    assert answer["switches"]["says"] == [f"Without line {ACCEPT}, {SAID}"]
    assert answer["switches"]["says"][0] in answer["warnings"]
    marks = {number: mark for number, _, mark in answer["listing"]}
    assert marks[ACCEPT] == "gone"
    command = ["explain", str(export), "--without", str(line)]
    said = " ".join(CliRunner().invoke(app, command).stdout.split())
    assert f"Without line {ACCEPT}, {SAID}" in said
    plain = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert plain["without"] == [{"file": str(export), "line": ACCEPT}]
    assert [each["title"] for each in plain["changed"]] == [MAIN]


def test_packets_that_are_there_no_more_are_named() -> None:
    """Two networks make a class of their own; without one of them there is none."""
    other = "/ip address\nadd address=198.18.2.1/24 interface=ether3\n"
    answer = ask("explain", export={"name": "x", "text": EXPORT + other}, without="16")
    assert any("between LAN networks, established" in each for each in answer["switches"]["says"])


@pytest.mark.parametrize("without", ["3", "99", "x", "²", "1" * 40])
def test_a_line_that_cannot_be_gone_is_refused_by_both(export: Path, without: str) -> None:
    assert page(without=without)["problem"]["input"] == "without"
    done = CliRunner().invoke(app, ["explain", str(export), "--without", without])
    assert isinstance(done.exception, UsageError)
