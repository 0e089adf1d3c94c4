"""The short answer: its length and width, and commands that can be pasted and undone."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transcript import CASES, EXAMPLES, Case, read

from rosexplain import Export, explain, read_export, report, sentences, text
from rosexplain.__main__ import main
from rosexplain.parse import parsed
from rosexplain.published import rates_of, speed
from rosexplain.remedy import TYPED
from rosexplain.summary import Verdict, summary

EVERY = [
    pytest.param(case, id=f"{path.stem}: {case.name}")
    for path in [CASES / "remedies.txt", CASES / "short.txt", CASES / "public-exports.txt"]
    for case in read(path)
    if isinstance(case, Case) and not case.packets
]
WIDTHS = (25, 60, 80, 132)


def exports_of(case: Case) -> list[Export]:
    return [read_export(one, f"folder/{n}.rsc") for n, one in enumerate(case.exports, start=1)]


def answered(exports: list[Export]) -> dict[str, Any]:
    plain = report.with_costs(report.Answer(explain(exports)).plain(), {})
    return {**plain, "summary": summary(sentences.named(plain), {})}


@cache
def answer_of(case: Case) -> dict[str, Any]:
    return answered(exports_of(case))


@pytest.mark.parametrize("case", EVERY)
def test_it_fits_a_terminal_unless_commands_need_more(case: Case) -> None:
    plain = answer_of(case)
    for width in WIDTHS:
        short = text.answered(plain, plain["summary"], width)
        things = plain["summary"]["to_do"]
        most = text.MOST_OF_FIRST if things and things[0]["decides"] else text.MOST_COMMANDS
        if not things or len(things[0]["commands"]) > most:
            assert width < 60 or len(short) <= text.MOST_LINES
        elif width == text.WIDTH:
            typed = "".join(row.strip().removesuffix("\\") for row in short).replace(" ", "")
            shown = things[:1] + [thing for thing in things[1:] if not thing["brief"]]
            counted = [
                sum(len(one["commands"]) for one in shown[: n + 1]) for n in range(len(shown))
            ]
            shown = [thing for thing, typed_so_far in zip(shown, counted, strict=True)
                     if thing is things[0] or typed_so_far <= text.MOST_COMMANDS]  # fmt: skip
            every = [command.replace(" ", "") for thing in shown for command in thing["commands"]]
            assert [command for command in every if command not in typed] == []
        whole = text.answered(plain, plain["summary"], width, whole=True)
        assert [row for row in short + whole if len(row) > width] == []
        assert all("folder/" not in row for row in short + whole)


def test_a_command_is_the_same_when_its_lines_are_pasted() -> None:
    for change in (change for each in EVERY for change in changes_of(answer_of(each.values[0]))):
        for command in change["commands"] + change["undo"]:
            for width in (60, 80):
                pasted = "\n".join(text.continued("   " + command, width, "       "))
                assert commands_of(pasted) == commands_of(command)


def changes_of(plain: dict[str, Any]) -> list[dict[str, Any]]:
    changes = [change for row in plain["classes"] for change in row["changes"]]
    return changes + [note for note in plain["notes"] if note["commands"]]


def commands_of(typed: str) -> list[str]:
    return [command.text for command in read_export(typed, TYPED).commands]


def rate(configuration: str, size: int, mbps: float, year: int) -> dict[str, Any]:
    kpps = mbps * 1000 / 8 / size
    return {"configuration": configuration, "bytes": size, "mbps": mbps, "kpps": kpps, "year": year,
            "source": "a table"}  # fmt: skip


PUBLISHED = {
    "RB750Gr3": [rate("25 ip filter rules", 512, 265.2, 2025),
                 rate("none (fast path)", 512, 1820.3, 2018),
                 rate("25 ip filter rules", 512, 385.4, 2018)],
    "RB5009UG+S+IN": [rate("25 ip filter rules", 1518, 3100.0, 2025)],
    "RB4011iGS+RM": [], "RB4011iGS+5HacQ2HnD-IN": [],
    "RB5009UPr+S+IN": [rate("25 ip filter rules", 512, 3100.0, 2025) | {"of": "RB5009UG+S+IN"}],
    "RB5009UPr+S+OUT": [rate("25 ip filter rules", 512, 3100.0, 2025) | {"of": "RB5009UG+S+IN"}],
    "RB3011UiAS-RM": [rate("25 ip filter rules", 512, 452.6, 2025)],
    "RB3011UiAS-X": [rate("25 ip filter rules", 512, 900.0, 2025) | {"of": "another"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("RB750Gr3", [" 265 Mbit/s", "(2025)", "1,820 Mbit/s", "(2018)", "512-byte"]),
        ("RouterBOARD 750G r3", ["265 Mbit/s"]),
        ("750Gr3", ["265 Mbit/s"]),
        ("RB5009UG+S+", ["3,100 Mbit/s", "1518-byte"]),
        ("RB5009UPr+S+", ["of the RB5009UG+S+IN", "same CPU", "3,100 Mbit/s"]),
        ("RB3011UiAS", ["of this model, 512", "453 Mbit/s"]),
    ],
)
def test_a_speed_is_that_of_the_model_and_has_its_year(model: str, says: list[str]) -> None:
    said = speed(rates_of(PUBLISHED, model))
    assert [one for one in says if one not in said] == []
    assert "385" not in said, "the newest counts"


@pytest.mark.parametrize("model", ["RB4011iGS+", "CHR", ""])
def test_without_published_results_no_speed_is_spoken_of(model: str) -> None:
    assert speed(None) == ""
    assert "bit/s" not in speed(rates_of(PUBLISHED, model))


def test_the_examples_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(EXAMPLES / "home.rsc")]) == 0
    assert main([str(EXAMPLES / "accept-in-front.rsc"), "--all"]) == 1
    assert capsys.readouterr().out


@given(st.lists(st.integers(1, 8), min_size=1, max_size=12), st.integers(10, text.NARROW + 10))
def test_lines_are_wrapped_as_textwrap_wraps_them(lengths: list[int], width: int) -> None:
    words = " ".join("a" * length for length in lengths)
    indent = "  " if width >= text.NARROW else ""
    assert text.wrapped(words, width, "  ") == textwrap.wrap(words, width, subsequent_indent=indent)


ROUTER = """\
# 2026-11-20 10:00:00 by RouterOS 7.16.1
# model = RB5009UG+S+
/ip address
add address=198.18.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action={action} chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
FASTTRACKED = ROUTER.format(action="fasttrack-connection")
SLOWER = ROUTER.format(action="accept")
REFUSED = """/ip dhcp-server
add interface=ether2 name=d
/ip dhcp-server network
add address=198.18.1.0/24 dns-server=198.18.1.1 gateway=198.18.1.1
/ip dns
set allow-remote-requests=yes
/ip firewall filter
add action=drop chain=input dst-port=53 protocol=udp
add action=drop chain=input dst-port=53 protocol=tcp
"""
REPEATED = "add action=drop chain=forward dst-port=25 protocol=tcp\n" * 2
RADIO = "/interface wireless\nset [ find default-name=wlan1 ] disabled=no mode=station\n"


@pytest.mark.parametrize(
    ("export", "verdict"),
    [
        (FASTTRACKED, Verdict.FAST),
        (ROUTER.format(action="accept"), Verdict.SLOW),
        (
            ROUTER.format(action="accept") + "/queue simple\nadd max-limit=10M/10M target=ether2\n",
            Verdict.ON_PURPOSE,
        ),
        (FASTTRACKED + "/interface ethernet\nset ether1 bandwidth=100M/100M\n", Verdict.LIMITED),
        # FastTrack bypasses this limit.
        (
            FASTTRACKED + "/queue simple\nadd max-limit=10M/10M target=198.18.1.0/24\n",
            Verdict.FAST,
        ),
        (FASTTRACKED.replace("ether1", "wlan1") + RADIO, Verdict.LIMITED),
        ((EXAMPLES / "tunnel.rsc").read_text(), Verdict.LIMITED),
        ("# by RouterOS 7.16.1\n/ip dns\nset servers=198.18.0.1\n", Verdict.UNKNOWN),
    ],
    ids=[
        "fasttracked",
        "no FastTrack",
        "limits",
        "port's rate",
        "bypassed queue",
        "a radio",
        "some packets",
        "no path",
    ],
)
def test_the_verdict_is_that_of_the_main_packets(export: str, verdict: Verdict) -> None:
    assert answered([parsed(export, "router.rsc")])["summary"]["verdict"] == verdict


UNROUTED = """# model = RB5009UG+S+
/ip address
add address=198.18.1.2/24 interface=ether1
add address=192.168.88.1/24 interface=ether2
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
/ip route
add disabled=yes gateway=198.18.1.1
"""


@pytest.mark.parametrize(
    ("export", "closing"),
    [
        (FASTTRACKED, "Nothing to change; the line decides"),
        (
            FASTTRACKED.replace("RB5009UG+S+", "RB941-2nD"),
            "Nothing to change in the path; the ports' 100 Mbit/s decide, and more needs a device",
        ),
        (ROUTER.format(action="accept"), "After that, the line decides"),
        (
            ROUTER.format(action="accept").replace("RB5009UG+S+", "RB941-2nD"),
            "After that, the ports' 100 Mbit/s",
        ),
        (
            ROUTER.format(action="accept") + "/queue simple\nadd max-limit=10M/10M target=ether2\n",
            "unless the line carries more",
        ),
        (FASTTRACKED + "/ip dns\nset allow-remote-requests=yes\n", "Apart from that: nothing"),
        (
            ROUTER.format(action="accept")
            + "/interface ethernet\nset [ find default-name=ether1 ] "
            "comment=BGAN\n/ip firewall filter\nadd action=drop chain=input in-interface=ether1\n",
            "Apart from that: nothing to change in the path",
        ),
        (UNROUTED, "After that, the line decides"),
    ],
    ids=[
        "fast",
        "fast, narrow ports",
        "slow",
        "slow, narrow ports",
        "a limit",
        "only security",
        "a satellite",
        "no route",
    ],
)
def test_the_last_sentence_is_a_verdict(export: str, closing: str) -> None:
    rows = text.short(answered([parsed(export, "router.rsc")])["summary"], 200)
    assert rows[-1] == text.MORE
    assert closing in " ".join(rows[-3:])


RUNNING = "/interface ethernet\nset [ find default-name=ether1 ] disable-running-check=no\n"
PORTS = "/interface ethernet\nset [ find default-name=ether1 ] mtu=1500\n"


@pytest.mark.parametrize(
    ("head", "ports", "router"),
    [
        ("", RUNNING, "CHR, RouterOS 7.16.1"),
        ("# software id = X5B5-0055\n", RUNNING, "x86, RouterOS 7.16.1"),
        ("# software id = X5B5-0055\n", PORTS, "Unknown model, RouterOS 7.16.1"),
        ("# model = RB5009UG+S+\n", RUNNING, "RB5009UG+S+, RouterOS 7.16.1"),
    ],
    ids=["virtual", "a computer", "nothing tells", "a model"],
)
def test_a_router_without_a_model_is_known_by_its_ports(head: str, ports: str, router: str) -> None:
    short = answered([parsed("# by RouterOS 7.16.1\n" + head + ports, "router.rsc")])["summary"]
    assert short["router"] == router
    assert [says.startswith("If this CHR") for says in short["ahead"]] == [True] * ("CHR" in router)


def test_the_title_of_a_script_tells_no_model() -> None:
    plain = answered([parsed("#\n# My router\n#\n# by me\n#\n" + PORTS, "router.rsc")])
    assert plain["router"]["model"] == ""


HOME = (EXAMPLES / "home.rsc").read_text()


def test_all_of_an_answer_names_the_source_of_each_speed_and_default() -> None:
    plain = answered([read_export(HOME, "home.rsc")])
    sources = ["A page of tests", "another page"]
    about = {**plain["summary"], "speed": "1 Gbit/s.", "speed_sources": [*sources, sources[0]]}
    rows = text.everything(sentences.named(plain), about, 9999)
    assert "1 Gbit/s. [1] [2]" in rows
    defaults = [f"{row['menu']} {row['property']}={row['value']} [" for row in plain["defaults"]]
    assert defaults and all(any(part in row for row in rows) for part in defaults)
    for source in sources + [row["source"] for row in plain["defaults"]]:
        assert any(row.endswith(f"] {source}.") for row in rows), source


@pytest.mark.parametrize("case", EVERY)
def test_what_is_hidden_found_no_room(case: Case) -> None:
    short = answer_of(case)["summary"]
    rows = text.short(short)
    numbers = [row[:3] for row in rows if re.match(r"\d\. ", row)]
    things = short["to_do"]
    room = text.MOST_LINES - len(rows)
    shown = " ".join(rows)
    for thing in things:
        brief = thing["brief"] or thing["gain"]
        hint = text.wrapped("1. " + brief + text.HIDDEN, text.WIDTH, "   ")
        begins = " ".join(brief.split()[:3])
        whole = " ".join(thing["gain"].split()[:3])
        assert begins in shown or whole in shown or len(hint) > room
        assert not thing["secures"] or begins in shown or whole in shown
    assert numbers == [f"{n}. " for n in range(1, len(numbers) + 1)]
    effects = [line for line in short["noticed"] if line in short["effects"]]
    for line in effects:
        hidden = text.wrapped(line, text.WIDTH, "  ")
        assert hidden[0] in rows or len(hidden) > room - len([text.NOTICED])


def test_what_an_owner_feels_is_said_before_what_only_tidies_up() -> None:
    names = "the chain input drops their questions"
    rows = text.short(answered([parsed(SLOWER + REFUSED, "router.rsc")])["summary"])
    full = answered([parsed(SLOWER + REFUSED + REPEATED, "router.rsc")])["summary"]
    assert names in " ".join(" ".join(rows).split())
    assert names in " ".join(" ".join(text.short(full)).split())
    assert full["noticed"][0] in full["effects"]
    assert any(line not in full["effects"] for line in full["noticed"])


@pytest.mark.parametrize(
    ("target", "of_hosts"), [("192.168.88.9/32", True), ("192.168.88.0/24", False)]
)
def test_the_limit_of_one_host_does_not_decide_for_the_others(target: str, of_hosts: bool) -> None:
    export = f"""/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/queue simple
add max-limit=9M/9M name=q target={target}
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
"""
    short = answered([read_export(export, "1.rsc")])["summary"]
    assert ("for its hosts" in short["closing"]) == of_hosts


# Whether to give up a bandwidth that somebody set is the reader's choice.
@pytest.mark.parametrize(("port", "lifted"), [("speed=100Mbps", True), ("bandwidth=9M/9M", False)])
def test_a_limit_that_a_thing_to_do_lifts_decides_nothing_after_it(port: str, lifted: bool) -> None:
    export = f"""/interface ethernet
set [ find default-name=ether1 ] auto-negotiation=no {port}
/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
"""
    short = answered([read_export(export, "1.rsc")])["summary"]
    assert ("limit above" in short["closing"]) != lifted


TAGGED = "/interface bridge\nadd name=b vlan-filtering={on}\n/interface bridge port\n"
TAGGED += "add bridge=b interface=ether3 pvid=3\nadd bridge=b interface=ether4 pvid={pvid}\n"


@pytest.mark.parametrize(
    ("export", "kept"),
    [
        (SLOWER, ["NAT, which"]),
        (FASTTRACKED, []),
        (SLOWER.replace("out-interface=ether1", "src-address-list=paid"), ["an address list"]),
        (
            FASTTRACKED
            + "/ip firewall filter\nadd action=drop chain=forward in-interface=ether3\n",
            ["the forward chain drops"],
        ),
        (
            FASTTRACKED + "/ip firewall filter\nadd action=drop chain=forward "
            "connection-state=invalid\nadd action=drop chain=input in-interface=ether1\n",
            [],
        ),
        (FASTTRACKED + TAGGED.format(on="yes", pvid=4), ["vlan-filtering"]),
        (FASTTRACKED + TAGGED.format(on="yes", pvid=3), []),
        (FASTTRACKED + TAGGED.format(on="no", pvid=4), []),
        (
            FASTTRACKED + "/ip ipsec policy\nadd dst-address=10.9.0.0/24 src-address=198.18.1.0/24 "
            "peer=far tunnel=yes\n",
            ["IPsec"],
        ),
    ],
    ids=[
        "NAT that closes the fast path",
        "NAT beside FastTrack",
        "NAT of a list",
        "guard",
        "no guard of a network",
        "VLANs apart",
        "one VLAN",
        "VLANs unfiltered",
        "IPsec",
    ],
)
def test_what_a_reader_might_delete_for_speed_is_named(export: str, kept: list[str]) -> None:
    leave = answered([parsed(export, "router.rsc")])["summary"]["leave"]
    assert bool(leave) == bool(kept)
    assert len([part for part in leave.split("; ") if part]) == len(kept)
    assert [words for words in kept if words not in leave] == []


def test_a_security_step_is_the_last_one_and_has_its_commands_where_there_is_room() -> None:
    dns = "/ip dns\nset allow-remote-requests=yes\n"
    rows = {name: "\n".join(text.short(answered([parsed(export + dns, "router.rsc")])["summary"]))
            for name, export in (("alone", FASTTRACKED), ("beside", SLOWER))}  # fmt: skip
    assert all("dst-port=53" in one for one in rows.values())
    assert "2. The router answers DNS questions" in rows["beside"]
    assert rows["beside"].index("fasttrack-connection") < rows["beside"].index("dst-port=53")
