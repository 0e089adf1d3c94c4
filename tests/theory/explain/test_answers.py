# ruff: noqa: E501  (exports have long lines)
"""Which path, and by which line: the firewall's order, jumps, lists, NAT, chips, and what asks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ppslab.base.errors import UsageError
from ppslab.lab import lab as labs
from ppslab.presentation import explained, record_tables
from ppslab.results import Record
from ppslab.theory.packet_path import packet_way, rules
from ppslab.theory.packet_path.explain import answering, traffic
from ppslab.theory.packet_path.explain.answering import Answer
from ppslab.theory.packet_path.explain.asking import explain
from ppslab.theory.packet_path.exports.reading import parsed
from tests.support import excerpts
from tests.theory.explain.asked import MARK, PROMPT, ask, class_of, home, lines, of, run, said, told

BRIDGED = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge1 interface=ether3
"""
HOME = home("bridge1", BRIDGED)
FAST = ("yes", ["fasttrack"])
SLOW = ("no", ["slow"])


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        (MARK, "yes"),
        ("add chain=forward connection-state=established,related\n" + MARK, "no"),
        ("add chain=forward disabled=yes\n" + MARK, "yes"),
        ("add chain=input\n" + MARK, "yes"),
        ("add chain=forward in-interface-list=WAN out-interface-list=WAN\n" + MARK, "yes"),
        # One direction of the connection is enough to mark it.
        ("add chain=forward in-interface-list=LAN\n" + MARK, "yes"),
        ("add chain=forward in-interface-list=LAN\nadd chain=forward in-interface=ether1\n" + MARK, "no"),
        ("add chain=forward in-interface=!bridge1\nadd chain=forward in-interface=bridge1\n" + MARK, "no"),
        ("add chain=forward protocol=tcp\n" + MARK, "depends"),
        ("add chain=forward protocol=icmp\n" + MARK, "yes"),
        ("add chain=forward src-address=10.9.0.0/16 dst-address=10.8.0.0/16\n" + MARK, "yes"),
        ("add chain=forward connection-state=new\n" + MARK, "yes"),
        ("add chain=forward action=log\n" + MARK, "yes"),
        ("add chain=forward action=drop\n" + MARK, "no"),
        ("add chain=forward action=jump jump-target=a\nadd chain=a\n" + MARK, "no"),
        ("add chain=forward action=jump jump-target=a\nadd chain=a action=return\nadd chain=a\n" + MARK, "yes"),
        ("add chain=forward action=jump jump-target=a\n" + MARK.replace("=forward", "=a"), "yes"),
        (MARK.replace("=forward", "=a"), "no"),
        ("add chain=forward action=jump jump-target=a protocol=udp\nadd chain=a\n" + MARK, "depends"),
        (MARK.replace("established,related", "new"), "no"),
        (MARK.replace("chain", "protocol=udp chain"), "depends"),
        ("", "no"),
    ],
)  # fmt: skip
def test_the_order_of_the_firewall(rules: str, answer: str) -> None:
    text = HOME + rules + "add chain=input action=accept\n"
    assert said(text)[0] == answer


def test_the_line_that_stands_in_front_is_named() -> None:
    text = HOME + "add chain=forward connection-state=established\n" + MARK
    first = HOME.count("\n") + 1
    assert lines(text)["accept-in-front"] == [first]


def test_nothing_configured_is_the_fast_path() -> None:
    assert said("/ip address\nadd address=10.0.0.1/24 interface=ether1\n") == ("yes", ["fast-path"])


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("/ip settings\nset allow-fast-path=no\n", SLOW),
        ("/ip firewall connection tracking\nset enabled=no\n", SLOW),
        ("/ip firewall raw\nadd action=notrack chain=prerouting\n", SLOW),
        ("/interface bridge filter\nadd action=drop chain=forward\n", SLOW),
        ("/interface bridge settings\nset use-ip-firewall=yes\n", SLOW),
        ("/interface bridge\nset [ find name=bridge1 ] dhcp-snooping=yes\n", SLOW),
        ("/interface bridge\nadd name=other dhcp-snooping=yes\n", FAST),
        ("/queue simple\nadd target=192.168.1.0/24\n", FAST),
        ("/ip firewall nat\nadd chain=srcnat action=masquerade\n", FAST),
        ("/ip ipsec policy\nadd dst-address=10.2.0.0/16 tunnel=yes\n", FAST),
    ],
)
def test_what_stops_fasttrack_and_what_does_not(more: str, answer: tuple[str, list[str]]) -> None:
    assert said(HOME + MARK + more) == answer


def test_a_renamed_port_is_the_same_port() -> None:
    text = (
        HOME.replace("interface=ether1 list", "interface=wan list")
        + "add chain=forward in-interface=wan\nadd chain=forward out-interface=wan\n"
        + MARK
        + "/interface ethernet\nset [ find default-name=ether1 ] name=wan\n"
    )
    assert said(text)[0] == "no"


def test_several_files_are_one_router() -> None:
    found = ask(HOME + MARK, "/ip settings\nset allow-fast-path=no\n")
    (reason, *_) = of(found, "established").reasons
    assert [line.place for line in reason.lines] == ["2.rsc:2"]


def test_a_line_that_were_gone() -> None:
    text = HOME + "add chain=forward\n" + MARK
    line = HOME.count("\n") + 1
    assert said(text)[0] == "no"
    assert said(text, without=[("1.rsc", line)])[0] == "yes"


def test_a_bridge_in_a_chip_on_a_cpu_and_on_what_nobody_knows() -> None:
    bridge = (
        "/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=ether2\n"
    )
    assert said("# model = CRS326-24G-2S+\n" + bridge, "bridged-b") == ("yes", ["chip"])
    off = bridge.replace("interface=ether2", "interface=ether2 hw=no")
    assert said("# model = CRS326-24G-2S+\n" + off, "bridged-b")[1] == ["bridge-fast-path"]
    assert said(bridge, "bridged-b")[1] == ["chip", "bridge-fast-path"]
    snooping = bridge.replace("name=b", "name=b dhcp-snooping=yes")
    found = of(ask(snooping), "bridged-b")
    assert (found.answer, found.asks) == ("unknown", ["/interface/bridge/port/print"])


def test_a_switch_that_routes() -> None:
    text = "# model = CRS326-24G-2S+\n/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"
    assert said(text) == ("yes", ["chip"])


@pytest.mark.parametrize(
    ("tunnel", "answer"),
    [
        ("/interface eoip\nadd name=t tunnel-id=1", "yes"),
        ("/interface eoip\nadd name=t allow-fast-path=no tunnel-id=1", "no"),
        ("/interface gre\nadd name=t allow-fast-path=no ipsec-secret=x", "no"),
        ("/interface wireguard\nadd name=t", "unknown"),
    ],
)
def test_what_a_tunnel_carries(tunnel: str, answer: str) -> None:
    assert said(tunnel, "carried-t")[0] == answer


def test_what_no_export_shows_comes_with_the_command_that_tells() -> None:
    found = of(ask("/ppp profile\nadd name=home rate-limit=1M/1M\n"), "established")
    assert found.answer == "unknown"
    assert found.asks == ["/queue/simple/print count-only where dynamic"]


def test_the_command_says_it_and_its_exit_code_too(tmp_path: Path) -> None:
    assert run(tmp_path, HOME + MARK).exit_code == 0
    shown = run(tmp_path, HOME + "add chain=forward\n" + MARK, "--json")
    assert shown.exit_code == 1
    established = class_of(json.loads(shown.stdout))
    assert established["reasons"][0]["rule"] == "accept-in-front"
    assert established["changes"][0]["commands"] and established["changes"][0]["loses"]
    for text, words in (
        ("# nothing\n", ()),
        (HOME, ("--packet", "dst=300.1.1.1")),
        (HOME, ("--without", "x")),
    ):
        wrong = run(tmp_path, text, *words).exception
        assert isinstance(wrong, UsageError) and wrong.exit_code == 2


def test_one_packet_rule_by_rule(tmp_path: Path) -> None:
    # One direction of the connection is enough to mark it: only `port` is about both.
    for word, port, fasttracked in (
        ("port", 443, "no"),
        ("port", 80, "yes"),
        ("dst-port", 443, "yes"),
    ):
        rules = f"add chain=forward {word}=443 protocol=tcp\n" + MARK
        asked = f"in=bridge1 src=192.168.1.5:50000 dst=1.1.1.1:{port}/tcp established"
        plain = told(tmp_path, HOME + rules, "--packet", asked)
        assert plain["packet"]["fasttrack"] == fasttracked
    assert (
        run(tmp_path, HOME + MARK, "--packet", "dst=192.168.1.1 new").stdout.count("filter forward")
        == 0
    )


def test_what_the_router_printed_is_evidence(tmp_path: Path) -> None:
    printed = (
        f"{PROMPT}/tool/sniffer/print\n  running: yes\n"
        f"{PROMPT}/ip/settings/print\n  ipv4-fast-path-active: no\n"
        f"{PROMPT}/ip/firewall/connection/print count-only where fasttrack\n0\n"
        f"{PROMPT}/tool/profile cpu=all\nfirewall 3 97.5%\nidle 0 99%\n"
    )
    plain = told(tmp_path, HOME + MARK, printed=printed)
    established = class_of(plain)
    assert (established["answer"], established["reasons"][0]["rule"]) == ("no", "sniffer")
    assert [each["value"] for each in plain["evidence"]] == ["closed", "0", "97 %"]


def test_no_secret_is_in_any_output(tmp_path: Path) -> None:
    text = HOME + MARK.replace("chain", 'comment="hunter2" chain')
    text += "/interface wireguard\nadd name=wg private-key=hunter2\n:put hunter2\n"
    html = tmp_path / "o.html"
    for words in (("--json",), (), ("--html", str(html)), ("--packet", "dst=1.1.1.1:80/tcp")):
        assert "hunter2" not in run(tmp_path, text, *words).output
    page = html.read_text()
    assert "hunter2" not in page and "<mark>" in page and "<script" not in page


SIX = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
add interface=ether1 list=WAN
/ipv6 address
add address=2001:2:0:1::1/64 advertise=yes interface=ether2
add address=2001:2:0:9::2/64 interface=ether1
/ipv6 firewall address-list
add address=fec0::/10 list=bad_ipv6
/ipv6 firewall filter
add action=drop chain=forward src-address-list=bad_ipv6
add action=accept chain=forward dst-address=2001:2:0:5::/64
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward protocol=icmpv6
add action=drop chain=forward in-interface-list=!LAN
/ip firewall filter
add action=drop chain=forward
"""


@pytest.mark.parametrize(
    ("asked", "fasttrack", "end", "out"),
    [
        ("in=ether2 dst=[2001:2:0:7::1]:443/tcp established", "yes", "accept", ["ether1"]),
        ("in=ether2 src=[2001:2:0:1::5]:50000 dst=2001:2:0:7::1 tcp", "yes", "accept", ["ether1"]),
        # Its answers meet FastTrack's rule, unless it comes from that network too.
        ("in=ether2 dst=[2001:2:0:5::1]:443/tcp established", "perhaps", "accept", ["ether1"]),
        ("in=ether2 dst=[2001:2:0:7::1]:443/tcp new", "no", "accept", ["ether1"]),
        ("in=ether1 dst=2001:2:0:1::5 icmp established", "no", "accept", ["ether2"]),
        ("in=ether1 dst=[2001:2:0:1::5]:22/tcp new", "no", "drop", ["ether2"]),
        ("in=ether2 dst=2001:2:0:1::1/tcp new", "no", "accept", []),
        ("in=ether2 ipv6 dst=2001:2:0:7::1 udp related", "yes", "accept", ["ether1"]),
        ("in=ether2 src=fec0::1 dst=2001:2:0:7::1 tcp established", "no", "drop", ["ether1"]),
    ],
)
def test_one_packet_of_ipv6(
    tmp_path: Path, asked: str, fasttrack: str, end: str, out: list[str]
) -> None:
    packet = told(tmp_path, SIX, "--packet", asked)["packet"]
    assert (packet["family"], packet["fasttrack"], packet["end"]) == (6, fasttrack, end)
    # Line 14 refuses some sources, and only some of the packets say theirs.
    open_ = "src=" not in asked and end == "accept" and bool(out)
    assert packet["ended"] == end + (", unless line 14 drops it" if open_ else "")
    assert packet["out"] == out and (packet["chain"] == "input") == (not out)
    assert all(step["line"]["menu"].startswith("/ipv6/firewall") for step in packet["steps"])


def test_ipv6_has_fasttrack_since_7_18_and_the_class_says_what_a_packet_says(
    tmp_path: Path,
) -> None:
    asked = "in=ether2 dst=[2001:2:0:7::1]:443/tcp established"
    for version, fasttrack in (("7.18", "yes"), ("7.17.2", "no")):
        text = SIX.replace("7.20.8", version + "\n# model = RB5009UG+S+")
        plain = told(tmp_path, text, "--packet", asked)
        assert plain["packet"]["fasttrack"] == fasttrack
        assert class_of(plain, "ipv6")["answer"] == fasttrack


@pytest.mark.parametrize(
    "asked",
    ["dst=[2001:2::1:443", "src=10.0.0.1 dst=2001:2::1", "dst=[10.0.0.1]:80", "dst=2001:2::g",
     "dst=[2001:2::1]x80", "ipv4 dst=2001:2::1", "dst=2001:2::/129", "dst=[2001:2::1]:99999"],
)  # fmt: skip
def test_a_packet_that_cannot_be_is_told(tmp_path: Path, asked: str) -> None:
    wrong = run(tmp_path, SIX, "--packet", asked).exception
    assert isinstance(wrong, UsageError) and wrong.exit_code == 2


BRIDGE = """/interface bridge
add name=b
/interface bridge port
add bridge=b interface=ether2
add bridge=b interface=ether3
/interface bridge settings
set allow-fast-path=no
"""
V7 = """[admin@MikroTik] > /interface/bridge/port/print
Flags: I - INACTIVE; H - HW-OFFLOAD
Columns: INTERFACE, BRIDGE, HW, PVID, PRIORITY, HORIZON
#    INTERFACE  BRIDGE  HW   PVID  PRIORITY  HORIZON
;;; defconf
0 {0:2} ether2     b       yes     1  0x80      none
1 {1:2} ether3     b       yes     1  0x80      none
"""
V6 = """[admin@MikroTik] > /interface bridge port print
Flags: X - disabled, I - inactive, D - dynamic, H - hw-offload
 #     INTERFACE              BRIDGE              HW  PVID PRIORITY  PATH-COST
 0 {0:3} ether2                 b                   yes    1     0x80         10
 1 {1:3} ether3                 b                   yes    1     0x80         10
"""


@pytest.mark.parametrize("printed", [V7, V6])
@pytest.mark.parametrize(
    ("flags", "answer", "ways", "evidence"),
    [
        (("H", "H"), "yes", ["chip"], "2 of 2"),
        (("IH", "H"), "yes", ["chip"], "2 of 2"),
        (("H", ""), "depends", ["chip", "slow"], "1 of 2"),
        (("", ""), "no", ["slow"], "0 of 2"),
    ],
)
def test_the_flag_h_says_which_ports_the_chip_has(
    tmp_path: Path,
    printed: str,
    flags: tuple[str, str],
    answer: str,
    ways: list[str],
    evidence: str,
) -> None:
    assert said(BRIDGE, "bridged-b") == ("unknown", ["chip", "slow"])
    plain = told(tmp_path, BRIDGE, printed=printed.format(*flags))
    bridged = class_of(plain, "bridged-b")
    assert (bridged["answer"], bridged["paths"], bridged["asks"]) == (answer, ways, [])
    assert [each["value"] for each in plain["evidence"]] == [evidence]


@pytest.mark.parametrize(
    ("export", "printed", "answer"),
    [
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /queue/simple/print count-only where dynamic\n0\n", "yes"),
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /queue/simple/print count-only where dynamic\n3\n", "no"),
        ("/ppp profile\nadd name=p rate-limit=1M/1M\n", "> /ip/ipsec/policy/print count-only where dynamic\n0\n", "unknown"),
        ("/ip ipsec identity\nadd generate-policy=port-strict peer=a\n", "> /ip/ipsec/policy/print count-only where dynamic\n0\n", "yes"),
        ("/ip ipsec identity\nadd generate-policy=port-strict peer=a\n", "> /ip/ipsec/policy/print count-only where dynamic\n2\n", "no"),
        ("# model = CHR\n/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "> /ip/settings/print\n ipv4-fast-path-active: yes\n", "yes"),
        ("# model = CHR\n/ip address\nadd address=10.0.0.1/8 interface=ether1\n", "> /ip/settings/print\n ipv4-fast-path-active: no\n", "unknown"),
    ],
)  # fmt: skip
def test_what_the_export_could_not_say_the_router_s_print_settles(
    tmp_path: Path, export: str, printed: str, answer: str
) -> None:
    assert said(export)[0] == "unknown"
    assert class_of(told(tmp_path, export, printed=printed))["answer"] == answer


@pytest.fixture
def excerpt_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """An excerpt of a record of FastTrack, and no record besides."""
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(excerpts.RULES.path, folder)
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    return excerpts.record(excerpts.RULES)


def test_a_path_costs_what_its_condition_cost_in_the_newest_record(
    tmp_path: Path, excerpt_alone: Record
) -> None:
    established = class_of(told(tmp_path, HOME + "add chain=forward\n" + MARK))
    record, size = excerpt_alone, min(excerpt_alone.frame_sizes)
    for costs, name in ((established["costs"], "rules"),
                        (established["changes"][0]["then"]["costs"], "fasttrack")):  # fmt: skip
        (cost,) = costs
        assert cost["cost"] == str(record_tables.cost(record, name, size))
        assert cost["of"].startswith(f"fasttrack: {name}, {size} bytes; router: ")


def test_every_cost_is_of_a_lab_and_a_condition_that_there_are() -> None:
    base = rules.plain()
    every = [*base["paths"], *(rule["cost"] for rule in base["rules"] if rule["cost"])]
    for each in every:
        lab = labs.find(each["lab"])
        names = [each["condition"], each.get("against") or each["condition"]]
        assert set(names) <= set(lab.conditions), each
    ways = {row["path"] for row in base["paths"]}
    assert ways <= set(packet_way.SAID)


@pytest.mark.usefixtures("excerpt_alone")
def test_the_page_s_costs_are_those_of_the_command() -> None:
    known = explained.every_cost()
    exports = [parsed(HOME + "add chain=forward\n" + MARK, "x")]
    plain = Answer(explain(exports, rules.plain())).plain()
    here = answering.with_costs(json.loads(json.dumps(plain)), known)
    assert here == explained.with_costs(plain)
    assert known
    assert all("instructions" in cost["cost"] or "times" in cost["cost"] for cost in known.values())


def test_tunnels_of_which_all_is_the_same_make_one_row() -> None:
    text = "/interface/eoip\n" + "".join(
        f"add name=e{n} remote-address=198.18.0.{n} tunnel-id={n}\n" for n in range(1, 31)
    )
    found = ask(text + "set e7 allow-fast-path=no\nset e9 allow-fast-path=no\n")
    carried = [each for each in found.classes if each.traffic.kind == traffic.CARRIED]
    assert [each.traffic.title for each in carried] == [
        "carried by e1, e2, e3, e4 and 24 more (eoip)",
        "carried by e7, e9 (eoip)",
    ]
    assert [each.answer for each in carried] == ["yes", "no"]
    plain = Answer(found).plain()
    (slow,) = [each for each in plain["classes"] if each["interfaces"] == ["e7", "e9"]]
    (change,) = slow["changes"]
    assert change["commands"] == [
        "/interface/eoip/set [find name=e7] allow-fast-path=yes",
        "/interface/eoip/set [find name=e9] allow-fast-path=yes",
    ]
    # With both they are like the other 28, in whose row they are then.
    assert change["then"]["answer"] == "yes"
    assert [line["line"] for line in slow["reasons"][0]["lines"]] == [32, 33]


def test_what_the_router_is_asked_of_several_interfaces_is_one_command() -> None:
    found = ask('/interface/wireguard\nadd name=wg1\nadd name="wg office"\n')
    assert of(found, "carried-wg1").asks == [
        '/interface/print stats-detail where name=wg1 or name="wg office"'
    ]
