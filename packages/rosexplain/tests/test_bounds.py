"""Texts that nobody's router exports: each ends in a sentence, and in time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rosexplain import explain, firewall, network, parse, printed, report, secrets, selection
from rosexplain.__main__ import main

MENU = "/ip address\n"
RULES = "/ip/firewall/filter\n"


@pytest.mark.parametrize(("words", "read"), [(19, True), (20, True), (21, False), (5000, False)])
@pytest.mark.parametrize("between", ["/", " "])
def test_a_menu_has_at_most_twenty_words(words: int, read: bool, between: str) -> None:
    export = parse.parsed("/" + between.join(["a"] * words) + between + "add x=1", "1.rsc")
    assert bool(export.commands) is read
    assert bool(export.unread) is not read


def test_a_line_of_slashes_leaves_the_menu_as_it_was() -> None:
    export = parse.parsed(MENU + "a/" * 100_000 + "\nadd address=198.18.0.1/24", "1.rsc")
    assert [command.menu for command in export.commands] == ["/ip/address"]
    assert [line.number for line in export.unread] == [2]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("more", [0, 1])
def test_lines_behind_the_last_that_is_read_are_counted(more: int, end: str) -> None:
    lines = parse.MOST_LINES + more
    export = parse.parsed("\n".join(["#"] * (lines - 1) + [MENU[:-1]]) + end, "1.rsc")
    assert export.left == max(0, more)
    assert [line.number for line in export.unread] == [parse.MOST_LINES + 1] * (more > 0)
    output = printed.read("\n" * (lines - 1) + "x", "printed")
    assert any(line.number > parse.MOST_LINES for line in output.unread) is (more > 0)


@pytest.mark.parametrize(
    ("selection", "read"),
    [
        ("!" * 20 + "x=1", True),
        ("!" * 21 + "x=1", False),
        ("!" * 5000 + "x=1", False),
        ("(" * 20 + "x=1" + ")" * 20, True),
        ("(" * 5000 + "x=1" + ")" * 5000, False),
        ("x<" + "9" * 20, True),
        ("x<" + "9" * 5000, False),
        ("x<²", False),
    ],
)
def test_a_selection_is_read_as_deep_as_somebody_types(selection: str, read: bool) -> None:
    export = parse.parsed(MENU + f"add x=1\nset [find {selection}] y=2\n", "1.rsc")
    assert bool(parse.rows_of([export]).unread) is not read


@pytest.mark.parametrize(
    "line",
    [
        "/ip " + "{ firewall " * 5000,
        "/ip " + "{ / " * 5000 + "}",
        "set " + "[:pick " * 5000 + "[find x=1]" + " 0]" * 5000 + " y=2",
        "set " + "[ :pick " * 5000 + "[find x=1]" + " 0]" * 5000 + " y=2",
    ],
    ids=["blocks", "blocks of the root", "picked", "picked, with spaces"],
)
def test_what_is_nested_too_deeply_is_not_read(line: str) -> None:
    export = parse.parsed(MENU + f"add x=1\n{line}\n", "1.rsc")
    assert len(parse.rows_of([export]).unread) > 0


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", True), ("4094", True), ("9" * 20, True), ("9" * 21, False), ("", False), ("²", False),
     ("٣", False), ("-1", False), ("1.5", False), (" 1", False)],
)  # fmt: skip
def test_a_number_is_what_int_takes(text: str, number: bool) -> None:
    assert selection.is_number(text) is number
    if number:
        int(text)


@pytest.mark.parametrize("value", ["²", "1-2-3", "-5", "9" * 5000, "1-" + "9" * 5000, "1,²"])
def test_a_value_that_is_no_number_is_no_error(value: str) -> None:
    text = (
        f"# by RouterOS 7.{value}\n/interface bridge\nadd name=b vlan-filtering=yes\n"
        f"/interface bridge vlan\nadd bridge=b tagged=b vlan-ids={value}\n"
        "/interface bridge port\nadd bridge=b interface=ether1\n"
        f"/interface vlan\nadd interface=b name=v vlan-id={value}\n"
        f"/ip address\nadd address=198.18.0.1/{value} interface=v\n"
        f"/ip firewall nat\nadd chain=dstnat action=dst-nat to-ports={value} protocol=tcp\n"
        f"/ip firewall mangle\nadd chain=prerouting action=mark-connection new-connection-mark=m "
        f"per-connection-classifier=both-addresses:{value}/0\n"
        f"{RULES}add chain=forward protocol=tcp dst-port={value} action=drop\n"
    )
    answer = report.Answer(explain([parse.parsed(text, "1.rsc")])).plain()
    assert answer["classes"]
    with pytest.raises(ValueError, match=r"not a port|unknown word"):
        firewall.parsed(f"dst=198.18.0.1:{value}/tcp")


def test_long_lists_of_rules_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each address is read once, and only words that are shown are written."""
    rules = 3_000
    calls = {"span": 0, "pair": 0}
    span, pair = network._span, secrets.pair

    def counted_span(text: str) -> network.Range:
        calls["span"] += 1
        return span(text)

    def counted_pair(menu: str, name: str, value: str, names: secrets.Names) -> str:
        calls["pair"] += 1
        return pair(menu, name, value, names)

    monkeypatch.setattr(network, "_SPANS", {})
    monkeypatch.setattr(network, "_span", counted_span)
    monkeypatch.setattr(secrets, "pair", counted_pair)
    text = "# by RouterOS 7.20\n" + RULES
    for number in range(rules):
        text += f"add chain=forward src-address=10.{number // 250}.{number % 250}.0/24\n"
    report.Answer(explain([parse.parsed(text, "1.rsc")])).plain()
    assert rules <= calls["span"] < rules + 100
    assert calls["pair"] < 1000


def test_a_reader_who_has_read_enough_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(RULES + "add chain=forward action=accept\n" * 500, encoding="utf-8")
    asked = [sys.executable, "-m", "rosexplain", str(file), "--json"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_an_export_that_is_too_long_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(MENU + "add address=198.18.0.1/24\n" + "#\n" * parse.MOST_LINES)
    assert main([str(file)]) == 2
    assert "2 more" in capsys.readouterr().err
