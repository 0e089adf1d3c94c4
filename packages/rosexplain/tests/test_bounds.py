"""Texts that nobody's router exports: each ends in a sentence, and in time."""

from __future__ import annotations

import contextlib
import cProfile
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rosexplain import (
    __main__,
    addresses,
    base,
    commands,
    decide,
    explain,
    firewall,
    language,
    left_out,
    limits,
    marks,
    matchers,
    network,
    offload,
    parse,
    printed,
    probes,
    queues,
    repair,
    report,
    secrets,
    selection,
    trace,
    traffic,
    typed,
)
from rosexplain.__main__ import main
from rosexplain.classify import trace_packet
from rosexplain.interfaces import MOST_INTERFACES, NoInterfaceError, known_interfaces
from rosexplain.packet import parsed
from rosexplain.rows import Row, rows_of

MENU = "/ip address\n"
RULES = "/ip/firewall/filter\n"


@pytest.mark.parametrize(
    "words",
    [
        ['a="b c"', "d"],
        ['"a b"', "c"],
        ['[a "b ]"]', "c=(d e)"],
        ["{a;{b}; c}", "d"],
        ['a="b', "c"],
    ],
)
def test_a_quote_and_a_bracket_keep_a_word_whole(words: list[str]) -> None:
    whole = " ".join(words).count('"') % 2 == 0
    assert parse.split(" ".join(words)) == (words if whole else [" ".join(words)], whole)


@pytest.mark.parametrize("lines", [["a \\", " b"], ["a", "b"], ["a \\"], ["a \\", "b \\"]])
def test_a_line_goes_on_where_another_follows(lines: list[str]) -> None:
    texts = [text for _, _, text in parse.joined("\n".join(lines))]
    goes_on = len(lines) == 2 and lines[0] != "a"
    assert texts == ([f"a {lines[1].strip()}"] if goes_on else lines)


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
def test_lines_behind_the_last_that_is_read_are_counted(
    more: int, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse, "MOST_LINES", 1000)
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
    assert bool(rows_of([export]).unread) is not read


def test_a_selection_that_was_cut_is_read_or_refused() -> None:
    text = 'where (x=1 or !disabled) and y~"a b" && (z>=5 || dynamic) x="a\\"b"'
    cuts = [*range(len(text) + 1), *(at for at, sign in enumerate(text) if sign in "()!")]
    read = set()
    for cut in cuts:
        try:
            selection.read(text[:cut], parse.plain)
            read.add(text[:cut])
        except selection.UnknownSelectionError:
            pass
        with contextlib.suppress(selection.UnknownSelectionError):
            selection.read(text[:cut] + text[cut + 1 :], parse.plain)
    assert {"", text, "where (x=1 or !disabled)"} <= read
    assert not read & {"where (x=1", 'where (x=1 or !disabled) and y~"a b" && (z>=5'}


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
    assert len(rows_of([export]).unread) > 0


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
        parsed(f"dst=198.18.0.1:{value}/tcp")


def test_long_lists_of_rules_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each address is read once, and only words that are shown are written."""
    rules = 3_000
    calls = {"span": 0, "pair": 0}
    span, pair = addresses._span, secrets.pair

    def counted_span(text: str) -> addresses.Range:
        calls["span"] += 1
        return span(text)

    def counted_pair(menu: str, name: str, value: str, names: secrets.Names) -> str:
        calls["pair"] += 1
        return pair(menu, name, value, names)

    monkeypatch.setattr(addresses, "_SPANS", {})
    monkeypatch.setattr(addresses, "_span", counted_span)
    monkeypatch.setattr(secrets, "pair", counted_pair)
    text = "# by RouterOS 7.20\n" + RULES
    for number in range(rules):
        text += f"add chain=forward src-address=10.{number // 250}.{number % 250}.0/24\n"
    report.Answer(explain([parse.parsed(text, "1.rsc")])).plain()
    assert rules <= calls["span"] < rules + 100
    assert calls["pair"] < 1000


def calls_of(work: Callable[[], object]) -> int:
    """Calls of functions, Python's own and built in, that some work takes."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(row.callcount for row in profile.getstats())


def calls_to_answer(text: str) -> int:
    """Those that an answer with its remedies takes."""
    return calls_of(lambda: report.Answer(explain([parse.parsed(text, "1.rsc")])).plain())


def calls_to_read(letters: int) -> int:
    """Those that a line takes whose comment has so many words of one letter, and a quote."""
    line = MENU + 'add address=198.18.0.1/24 comment="' + "a " * letters + '\\""'
    return calls_of(lambda: parse.parsed(line, "1.rsc"))


def test_a_long_comment_is_read_as_soon_as_a_short_one() -> None:
    assert calls_to_read(1000) == calls_to_read(10)


ROUTED = """# by RouterOS 7.20.8
# model = RB5009UG+S+
/interface bridge
add name=bridge1 vlan-filtering=yes
/ip address
add address=192.168.88.1/24 interface=bridge1
/ip dhcp-client
add interface=ether1
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip firewall filter
add action=drop chain=forward src-address-list=refused
add action=fasttrack-connection chain=forward connection-state=established,related
"""


@pytest.mark.parametrize(
    ("menu", "row"),
    [
        ("/ip firewall filter", "add action=drop chain=forward src-address=10.{0}.{1}.0/24"),
        ("/ip firewall address-list", "add address=10.{0}.{1}.0/24 list=refused"),
        ("/ip firewall mangle", "add action=mark-packet chain=forward new-packet-mark=m{0} "
         "src-address=10.{0}.{1}.1"),
        ("/ip firewall nat", "add action=dst-nat chain=dstnat dst-port={2} protocol=tcp "
         "to-addresses=192.168.88.{1}"),
        ("/ppp secret", "add name=n{2} profile=default remote-address=10.{0}.{1}.2"),
        ("/interface bridge vlan", "add bridge=bridge1 tagged=bridge1,ether2 vlan-ids={2}"),
        ("/queue simple", "add max-limit=1M/1M name=n{2} target=10.{0}.{1}.2/32"),
        ("/queue tree", "add max-limit=1M name=n{2} packet-mark=m{0} parent=global"),
        ("/interface ethernet", "set [ find default-name=ether{2} ] mtu=1500"),
        ("/ip route", "add dst-address=10.{0}.{1}.0/24 gateway=192.168.88.{1}"),
        ("/ip address", "add address=10.{0}.{1}.1/24 interface=bridge1\n"
         "/queue simple add max-limit=1M/1M name=n{2} target=172.16.{0}.{1}/32\n/ip address"),
        ("/interface wireguard peers", "add allowed-address=10.{0}.{1}.1/32 interface=wg1"),
        ("/interface vlan", "add interface=bridge1 name=vlan{2} vlan-id={2}\n"
         "/interface bridge vlan add bridge=bridge1 tagged=bridge1,ether2 vlan-ids={2}\n"
         "/ip address add address=10.{0}.{1}.1/24 interface=vlan{2}\n/interface vlan"),
    ],
)  # fmt: skip
def test_twice_the_rows_take_at_most_twice_the_work(menu: str, row: str) -> None:
    calls = []
    for count in (400, 800):
        rows = [row.format(n // 250, n % 250, n + 2) for n in range(count)]
        calls.append(calls_to_answer(ROUTED + menu + "\n" + "\n".join(rows) + "\n"))
    assert calls[1] < 2.1 * calls[0]


def work_of(monkeypatch: pytest.MonkeyPatch, rules: int) -> tuple[int, Counter[tuple[str, Any]]]:
    """The rules that packets are asked by, and how often a matcher is compared with addresses."""
    asked, compared = 0, Counter[tuple[str, Any]]()
    ask, matcher = firewall.Walk.ask, matchers._matcher

    def counted_ask(walk: firewall.Walk, row: Row, here: list[Any], by: Any, sure: bool) -> Any:
        nonlocal asked
        asked += 1
        return ask(walk, row, here, by, sure)

    def counted_matcher(net: Any, name: str, value: str, packet: Any, family: int) -> str:
        if name in matchers.ADDRESSES:
            part = packet.parts()[matchers.ADDRESSES[name]]
            compared[name + "=" + value, part] += 1
        return matcher(net, name, value, packet, family)

    text = ROUTED.replace("add action=fasttrack", "add disabled=yes action=fasttrack")
    for number in range(rules):
        host = f"src-address=10.{number // 250}.{number % 250}.1"
        text += f"add action=drop chain=forward {host} dst-port={number + 1} protocol=tcp\n"
    with monkeypatch.context() as patch:
        patch.setattr(firewall.Walk, "ask", counted_ask)
        patch.setattr(matchers, "_matcher", counted_matcher)
        answer = report.Answer(explain([parse.parsed(text, "1.rsc")]))
        answer.plain()
    assert answer._changes._tried
    return asked, compared


def test_a_packet_is_asked_only_by_rules_that_may_match_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rule more is asked about two packets at most, those whose ends are open.

    And no change that is tried compares an address anew.
    """
    (asked, _), (asked_twice, compared) = [work_of(monkeypatch, rules) for rules in (200, 400)]
    assert asked_twice - asked <= 2 * 200
    assert compared and set(compared.values()) == {1}


def test_packets_whose_marks_are_alike_are_led_through_mangle_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = ROUTED + (
        "/ip firewall mangle\n"
        "add action=mark-connection chain=prerouting dst-port=443 new-connection-mark=a "
        "protocol=tcp\n"
        "add action=mark-packet chain=forward connection-mark=a new-packet-mark=b\n"
        "add action=drop chain=forward packet-mark=b\n"
    )
    net, asked = explain([parse.parsed(text, "1.rsc")]).net, []
    ask = firewall.Walk.ask

    def counted_ask(walk: firewall.Walk, row: Row, here: list[Any], by: Any, sure: bool) -> Any:
        asked.append(row)
        return ask(walk, row, here, by, sure)

    monkeypatch.setattr(firewall.Walk, "ask", counted_ask)
    ends = []
    for port in (443, 443, 80):
        packet = parsed(f"in=bridge1 src=192.168.88.9 dst=198.18.0.9:{port}/tcp new")
        before = len(asked)
        ends.append((trace.Followed(net, packet).end.action, len(asked) > before))
    assert ends == [("drop", True), ("drop", False), ("accept", True)]


@pytest.mark.parametrize(
    "line",
    ["add name=a; add name=b", "add name=a ; add name=b;", "add name=a;; add name=b ;"],
)
def test_semicolons_part_the_commands_of_a_line(line: str) -> None:
    export = typed.applied([], f"/interface/list\n{line}", typed.FILE)
    assert [command.properties for command in export.commands] == [{"name": "a"}, {"name": "b"}]


def test_a_semicolon_in_quotes_parts_nothing() -> None:
    line = '/interface/list/add comment="a; b;" name=a'
    (command,) = typed.applied([], line, typed.FILE).commands
    assert command.properties == {"comment": "a; b;", "name": "a"}


@pytest.mark.parametrize(
    ("gateway", "interface"),
    [
        ("198.51.100.1", None),
        ("fe80::1", None),
        ("pppoe-out1", "pppoe-out1"),
        ("198.51.100.1%ether5", "ether5"),
        ("fe80::1%ether5", "ether5"),
    ],
)
def test_a_gateway_may_be_an_interface(gateway: str, interface: str | None) -> None:
    _, net = exported("/ip/route", [f"add gateway={gateway}"])
    assert known_interfaces(net)[0] == ([interface] if interface else [])


@pytest.mark.parametrize(
    ("version", "way"), [("6.38.7", decide.BRIDGE_FAST), ("6.39", decide.FORWARD)]
)
def test_since_when_there_is_fast_forward(version: str, way: str) -> None:
    """Fast Forward came with RouterOS 6.39; before it, a bridge of two ports had its fast path."""
    text = BRIDGES.replace("7.20.8", f"{version}\n# model = CCR1009-8G-1S")
    text = text.replace(" dhcp-snooping=yes", "").replace("interface=", "hw=no interface=")
    bridged = [one.ways for one in explain([parse.parsed(text, "1.rsc")]).classes
               if one.traffic.kind == traffic.BRIDGED]  # fmt: skip
    assert bridged == [[way]]


@pytest.mark.parametrize(("version", "way"), [("7.17.2", decide.SLOW), ("7.18", decide.FAST)])
def test_since_when_ipv6_has_a_fast_path(version: str, way: str) -> None:
    """The property allow-fast-path of /ipv6/settings is new in RouterOS 7.18."""
    text = f"# by RouterOS {version}\n/ipv6 address\nadd address=2001:2::1/64 interface=ether2\n"
    text += "add address=2001:2:0:1::1/64 interface=ether1\n"
    found = [each for each in explain([parse.parsed(text, "1.rsc")]).classes
             if each.traffic.family == 6]  # fmt: skip
    assert [each.ways for each in found if each.traffic.kind == traffic.ESTABLISHED] == [[way]]


def test_a_row_that_is_added_is_there_once() -> None:
    """Behind a selection too, for which the rows were put into an index."""
    text = "/interface vlan\nadd name=a vlan-id=1\nset [find name=a] mtu=1400\nadd name=b vlan-id=2"
    rows = rows_of([parse.parsed(text, "1.rsc")])
    assert [row.name for row in rows.where("/interface/vlan", "name", "b")] == ["b"]


def test_a_reader_who_has_read_enough_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(RULES + "add chain=forward action=accept\n" * 500, encoding="utf-8")
    asked = [sys.executable, "-m", "rosexplain", str(file), "--json"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_a_reader_who_stops_it_gets_one_line(tmp_path: Path) -> None:
    file = tmp_path / "router.rsc"
    rule = "add chain=forward src-address=10.{}.{}.0/24 action=accept\n"
    file.write_text(RULES + "".join(rule.format(n // 250, n % 250) for n in range(30_000)))
    asked = [sys.executable, "-m", "rosexplain", str(file)]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert "please wait" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "rosexplain: stopped\n"
    assert process.returncode == 130


def test_an_export_that_is_too_long_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(MENU + "add address=198.18.0.1/24\n" + "#\n" * parse.MOST_LINES)
    assert main([str(file)]) == 2
    assert "2 more" in capsys.readouterr().err


def test_a_text_has_no_control_characters() -> None:
    for byte in range(256):
        data = b"gr\xfc\xdf " + bytes([byte])
        if byte < ord(" ") and bytes([byte]) not in b"\t\n\r\f":
            with pytest.raises(UnicodeDecodeError):
                base.text_of(data)
        else:
            assert base.text_of(data) == "gr\u00fc\u00df " + chr(byte)


@pytest.mark.parametrize(
    ("more", "words"), [(-3, "a"), (0, "a, a, a, a"), (1, "a, a, a, a and 1 more")]
)
def test_what_is_not_named_is_counted(more: int, words: str) -> None:
    assert language.few_of(["a"] * (4 + more), 4) == words
    known = ["ether1"] * (MOST_INTERFACES + more)
    assert ("and 1 more" in str(NoInterfaceError("x", known))) is (more == 1)
    assert str(NoInterfaceError("x", known)).count("ether1") == min(len(known), MOST_INTERFACES)
    assert "more" not in str(NoInterfaceError("x", known)) or more == 1


def marked_by(rules: str) -> list[marks.Marks]:
    net = explain([parse.parsed("/ip firewall mangle\n" + rules, "1.rsc")]).net
    packet = parsed("in=ether2 dst=198.18.0.9:80/tcp")
    return marks.Following(net).through(packet, "prerouting", [marks.NO_MARKS])


@pytest.mark.parametrize("passes", ["yes", "no"])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_so_many_marks_are_followed_up_to_a_rule(passes: str, more: int) -> None:
    """No mark, and one of each rule that perhaps matches: before the last rule, or already out."""
    rules = "add action=accept chain=prerouting random=10\n"
    for number in range(firewall.MOST_STATES - 1 + more):
        rules += (
            "add action=mark-connection chain=prerouting random=10 "
            f"new-connection-mark=m{number} passthrough={passes}\n"
        )
    rules += "add action=accept chain=prerouting\n"
    if more > 0:
        with pytest.raises(marks.TooManyError):
            marked_by(rules)
    else:
        assert len(marked_by(rules)) == firewall.MOST_STATES + more


@pytest.mark.parametrize(
    ("disabled", "mode"),
    [(["no", "no"], "verbose"), (["no", ""], "compact"), (["no", "no", ""], "verbose"),
     (["no", "", ""], "compact")],
)  # fmt: skip
def test_an_export_is_verbose_where_most_rows_say_that_they_are_on(
    disabled: list[str], mode: str
) -> None:
    text = "/ip address\n"
    for number, word in enumerate(disabled):
        text += f"add address=198.18.{number}.1/24" + (f" disabled={word}" if word else "") + "\n"
    assert explain([parse.parsed(text, "1.rsc")]).net.mode == mode


DEFAULTS = (
    "/ip settings\nset allow-fast-path=yes\n",
    "/ipv6 settings\nset allow-fast-path=yes\n",
    "/interface bridge settings\nset use-ip-firewall=no\n",
)


@pytest.mark.parametrize(("said", "mode"), [(2, "compact"), (3, "verbose")])
def test_an_export_that_says_three_defaults_is_verbose(said: int, mode: str) -> None:
    assert explain([parse.parsed("".join(DEFAULTS[:said]), "1.rsc")]).net.mode == mode


BRIDGES = """# by RouterOS 7.20.8
/interface bridge
add name=b1
add name=b2 dhcp-snooping=yes
/interface bridge port
add bridge=b1 interface=ether2
add bridge=b1 interface=ether3
add bridge=b2 interface=ether4
add bridge=b2 interface=ether5
"""


@pytest.mark.parametrize(
    ("ends", "bridge"), [(("ether2", "ether3"), "b1"), (("ether4", "ether5"), "b2")]
)
def test_a_bridged_packet_takes_the_path_of_its_own_bridge(
    ends: tuple[str, str], bridge: str
) -> None:
    explained = explain([parse.parsed(BRIDGES, "1.rsc")])
    (ways,) = [each.ways for each in explained.classes if bridge in each.traffic.members]
    assert trace_packet(explained, parsed("in={} out={}".format(*ends)))["path"] == ways


HOME = """/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
"""


def test_what_a_new_rule_refuses_is_a_harm() -> None:
    """A port that nobody asks about but for the rule."""
    rule = f"{RULES}add action=drop chain=forward dst-port=5555 protocol=tcp in-interface=ether2\n"
    export, added = parse.parsed(HOME, "1.rsc"), parse.parsed(rule, "2.rsc")
    before, after = explain([export]), explain([export, added])
    harms = repair.Repair(before).every_harm(after)
    refused = [harm for harm in harms if harm.packet and harm.packet.dst_port == 5555]
    assert {harm.kind for harm in refused} == {"cut"}
    assert {harm.packet.state for harm in refused if harm.packet} == {"new", "established"}
    assert repair.Repair(after).every_harm(after) == []


@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ("", True),
        ("set [find action=drop] comment=web", True),
        ("add chain=forward action=accept place-before=[find action=accept]", True),
        ("set [find action=drop] dst-port=80", False),
        ("set [find action=drop] disabled=yes", False),
        ("remove [find action=drop]", False),
        ("add chain=forward action=drop place-before=[find action=drop]", False),
    ],
)
def test_a_rule_of_the_routers_own_drops_what_it_dropped(typed: str, own: bool) -> None:
    """It is named only where it is as it was, and drops the packet before and after."""
    rules = "add action=drop chain=forward dst-port=80,443 protocol=tcp\nadd chain=forward\n"
    export = parse.parsed(HOME + RULES + rules, "1.rsc")
    change = parse.parsed(RULES + typed, "typed")
    before, after = explain([export]), explain([export, change])
    packet = parsed("in=ether2 out=ether1 src=192.168.88.9 dst=198.18.0.9:80/tcp")
    row = repair.Repair(before).dropped_by(probes.Harm("cut", "", None, packet), after)
    assert (row is not None and row.get("dst-port") == "80,443") is own
    assert repair.Repair(before).dropped_by(probes.Harm("slower", "", None, packet), after) is None


@pytest.mark.parametrize(
    ("typed", "opened"),
    [("enable telnet", ["telnet"]), ("set www disabled=no", ["www"]), ("disable ssh", [])],
)
def test_a_service_that_is_on_again_is_a_harm(typed: str, opened: list[str]) -> None:
    off = f"{HOME}/ip service\nset telnet disabled=yes\nset www disabled=yes\n"
    export, added = parse.parsed(off, "1.rsc"), parse.parsed(f"/ip service {typed}\n", "2.rsc")
    before, after = explain([export]), explain([export, added])
    harms = [harm for harm in repair.Repair(before).every_harm(after) if harm.kind == "opened"]
    assert [harm.probe.rpartition(" ")[2] for harm in harms] == opened


SWITCH = """# by RouterOS 7.19.4
# model = CRS326-24G-2S+
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=v10 vlan-id=10
add interface=bridge1 name=v20 vlan-id=20
/interface bridge port
add bridge=bridge1 interface=sfp-sfpplus1 pvid=10
add bridge=bridge1 interface=sfp-sfpplus2 pvid=20
/interface bridge vlan
add bridge=bridge1 tagged=bridge1 untagged=sfp-sfpplus1 vlan-ids=10
add bridge=bridge1 tagged=bridge1 untagged=sfp-sfpplus2 vlan-ids=20
/ip address
add address=10.10.0.1/24 interface=v10
add address=10.20.0.1/24 interface=v20
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip firewall filter
add action=accept chain=forward random=50
add action=fasttrack-connection chain=forward connection-state=established,related
/interface ethernet switch port
set 0 l3-hw-offloading=no
set sfp-sfpplus1,sfp-sfpplus2 l3-hw-offloading=no
"""


@pytest.mark.parametrize(("name", "asked"), [("lan-to-lan", False), ("established", True)])
def test_which_port_a_number_is_matters_where_the_chip_may_do_two_things(
    name: str, asked: bool
) -> None:
    """Between the LANs the chip does nothing for certain, and the rules alone are open."""
    (found,) = [
        each
        for each in explain([parse.parsed(SWITCH, "1.rsc")]).classes
        if each.traffic.name == name
    ]
    assert len(found.ways) > 1
    assert ("/interface/ethernet/switch/port/print" in found.asks) is asked


def read_long_line(words: int) -> bool:
    """Whether the last word of a line of so many is shown."""
    export = parse.parsed("/ip/route/add " + "distance=1 " * (words - 2) + "scope=7", "1.rsc")
    ((_, line),) = secrets.Struck(export, [], secrets.Names([export])).lines(1, [])
    return line.endswith("scope=7")


def jumps_followed(jumps: int) -> bool:
    text = RULES
    for number in range(jumps):
        chain = f"c{number}" if number else "forward"
        text += f"add action=jump chain={chain} jump-target=c{number + 1}\n"
    net = explain([parse.parsed(text + f"add action=drop chain=c{jumps}\n", "1.rsc")]).net
    packet = parsed("in=ether2 dst=198.18.0.9:80/tcp")
    return not firewall.walk(net, packet, "filter", "forward").cut


def rules_followed(rules: int) -> bool:
    text = RULES + "add chain=forward protocol=udp\n" * rules
    net = explain([parse.parsed(text, "1.rsc")]).net
    packet = parsed("in=ether2 dst=198.18.0.9:80/tcp")
    return not firewall.walk(net, packet, "filter", "forward").cut


def mtus_fit(count: int) -> bool:
    text = "/interface ethernet\n"
    for number in range(count):
        text += f"set ether{number} mtu={1500 + number}\n"
    found = offload.findings(parse.parsed(text, "1.rsc").commands, 0, {})
    return "mtu" not in [name for name, _, _ in found]


def matched(length: int) -> bool:
    return selection.matches("a" * length, "a" * length)


def exported(menu: str, rows: list[str]) -> tuple[parse.Export, network.Network]:
    export = parse.parsed(menu + "\n" + "\n".join(rows) + "\n", "1.rsc")
    return export, explain([export]).net


def vlans_moved(count: int) -> bool:
    rows = [
        f"add name=v{port} interface=ether{port} vlan-id={port}" for port in range(2, count + 2)
    ]
    bridge = "/interface/bridge/add name=b vlan-filtering=yes\n"
    export, net = exported(bridge + "/interface/vlan", rows)
    return len(commands.vlans_on_bridge(net, export.commands)) == 3 * count


def hosts_kept_out(count: int) -> bool:
    rows = [
        f"add chain=prerouting action=mark-routing new-routing-mark=t src-address=198.18.0.{host}"
        for host in range(count)
    ]
    _, net = exported("/ip/firewall/mangle", rows)
    texts = commands.accepting_marked(net, commands.marked_directly(net), None)
    return len(texts) == 2 * count


def queued_kept_out(count: int) -> bool:
    rows = [f"add name=q{host} target=198.18.0.{host}/32" for host in range(count)]
    export, net = exported("/queue/simple", rows)
    return len(commands.accepting_limited(net, export.commands, None)) == 2 * count


def rows_set_back(count: int) -> bool:
    rows = [f"add chain=forward action=drop dst-port={port} protocol=tcp" for port in range(count)]
    export, net = exported("/ip/firewall/filter", [*rows, "add chain=forward"])
    typed = "/ip/firewall/filter/set [find action=drop] action=accept"
    after = explain([export, parse.parsed(typed, "typed")]).net
    return len(commands.undone(net, after, [typed], "typed")) == count


def rows_set_one_by_one(count: int) -> bool:
    """Of more rows one command with a selection says what is set."""
    rows = [f"add bridge=b interface=ether{port} hw=no" for port in range(count)]
    export, net = exported("/interface/bridge/port", [*rows, "add bridge=b interface=sfp1"])
    rule = base.rules()["bridge-hw-off"]
    return len(commands.commands(net, rule, export.commands[:count], None, 4)) == count


LIMITS: dict[str, tuple[Callable[[int], Any], int]] = {
    "digits of a counter of 64 bits": (
        lambda digits: printed.counter("9" * digits) is not None,
        len(str(2**64 - 1)),
    ),
    "digits of a line's number": (
        lambda digits: left_out.numbered("9" * digits) > 0,
        left_out.LONGEST,
    ),
    "letters of a regular expression": (matched, selection.LONGEST),
    "words of a line": (read_long_line, secrets.MOST_WORDS),
    "jumps": (jumps_followed, firewall.MOST_JUMPS),
    "rules": (rules_followed, 30),
    "VLANs moved to a bridge": (vlans_moved, commands.MOST),
    "hosts kept out of FastTrack": (hosts_kept_out, commands.MOST_HOSTS),
    "hosts with queues kept out of FastTrack": (queued_kept_out, commands.MOST_HOSTS),
    "rows set back": (rows_set_back, commands.MOST),
    "rows set one by one": (rows_set_one_by_one, commands.MOST),
    "MTUs of a chip": (mtus_fit, offload.MTU_PROFILES),
}


@pytest.mark.parametrize("name", LIMITS)
def test_so_many_and_no_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firewall, "MOST_STEPS", 30)
    taken, most = LIMITS[name]
    assert taken(most - 1) and taken(most)
    try:
        more = taken(most + 1)
    except (ValueError, selection.UnknownSelectionError):
        more = False
    assert not more


@pytest.mark.parametrize(("room", "read"), [(1, True), (0, True), (-1, False)])
def test_a_file_may_be_so_long(
    room: int, read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "router.rsc"
    file.write_text(MENU + "add address=198.18.0.1/24\n")
    monkeypatch.setattr(__main__, "LONGEST", file.stat().st_size + room)
    assert (main([str(file)]) != 2) is read


@pytest.mark.parametrize(("room", "tried"), [(1, True), (0, True), (-1, False)])
def test_costs_of_a_long_export_are_not_tried(
    room: int, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that changes nothing has no cost, but where nobody tried."""
    nat = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n"
    text = f"{HOME}{nat}{RULES}" + "add action=accept chain=forward\n"
    export = parse.parsed(text, "1.rsc")
    monkeypatch.setattr(report, "MOST_TRIED", len(export.commands) + room)
    classes = report.Answer(explain([export])).plain()["classes"]
    costs = [one["cost"] for each in classes for one in each["reasons"] if one["rule"] == "nat"]
    assert costs
    assert all(cost is None for cost in costs) is tried


@pytest.mark.parametrize("above", ["a", "b", "ether1"])
def test_a_leaf_of_the_queue_tree_has_the_limits_above_it(above: str) -> None:
    """Queues that are each other's parents hang from nothing, and limit nothing."""
    text = (
        f"{HOME}/queue tree\nadd name=a parent=b max-limit=3M\nadd name=b parent={above} "
        "max-limit=2M\nadd name=leaf parent=a max-limit=1M\n"
    )
    explained = explain([parse.parsed(text, "1.rsc")])
    packet = parsed("in=ether2 out=ether1 dst=198.18.0.9:80/tcp")
    rates = [limit.rate for limit in limits.rates_of(explained, packet, ["slow"])]
    assert rates == ([1_000_000, 3_000_000, 2_000_000] if above == "ether1" else [])


@pytest.mark.parametrize(("more", "root"), [(0, "ether1"), (1, "q0")])
def test_parents_of_a_queue_are_followed_so_far(more: int, root: str) -> None:
    last = queues.MOST_ABOVE - 1 + more
    rows = ["add name=q0 parent=ether1"]
    rows += [f"add name=q{number} parent=q{number - 1}" for number in range(1, last + 1)]
    _, net = exported("/queue/tree", rows)
    (branch,) = queues.branches(net.rows)
    assert branch.root == root
    assert len(branch.rows) == queues.MOST_ABOVE


@pytest.mark.parametrize(
    ("said", "rates"),
    [("10M/20M", [20_000_000]), ("unlimited/unlimited", []), ("unlimited/3M", [3_000_000])],
)
def test_a_port_without_a_limit_has_none(said: str, rates: list[int]) -> None:
    """`bandwidth`: what is received, and what leaves."""
    text = f"{HOME}/interface ethernet\nset ether1 bandwidth={said}\n"
    packet = parsed("in=ether2 out=ether1 dst=198.18.0.9:80/tcp")
    met = limits.rates_of(explain([parse.parsed(text, "1.rsc")]), packet, [decide.FASTTRACK])
    assert [rate.rate for rate in met] == rates


@pytest.mark.parametrize(
    ("path", "rates"),
    [
        (decide.SLOW, [3_000_000, 2_000_000, 100_000_000]),
        (decide.FASTTRACK, [2_000_000, 100_000_000]),
        (decide.CHIP, [100_000_000]),
    ],
)
def test_a_packet_meets_the_limits_of_its_path(path: str, rates: list[int]) -> None:
    text = (
        f"{HOME}/queue tree\nadd name=all parent=global max-limit=3M\nadd name=up parent=ether1 "
        "max-limit=2M\n/interface ethernet\nset ether1 auto-negotiation=no speed=100Mbps\n"
    )
    packet = parsed("in=ether2 out=ether1 dst=198.18.0.9:80/tcp")
    met = limits.rates_of(explain([parse.parsed(text, "1.rsc")]), packet, [path])
    assert [rate.rate for rate in met] == rates


@pytest.mark.parametrize("fewer", [0, 1])
def test_a_long_export_is_told_to_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fewer: int
) -> None:
    file = tmp_path / "export.rsc"
    file.write_text("/ip address\nadd address=198.18.0.1/24 interface=ether1\n" * 3)
    monkeypatch.setattr(__main__, "LONG", 3 - fewer)
    __main__.main([str(file)])
    assert bool(capsys.readouterr().err) is bool(fewer)
