"""The bond widget against the kernel's rule, against the lab's record, and between both hosts."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.course.widgets import facts
from ppslab.judge import balance
from ppslab.model.bonding.ports import POLICIES, Packet, port_of
from rosexplain.addresses import packed, plain
from tests.course.models.both import ask, both
from tests.support import excerpts

pytestmark = pytest.mark.usefixtures("made_up")

POLICIES_AND_TURNS = (*POLICIES, "turns")
LINES = "198.18.1.2:40000 198.18.2.2:5101 mac=02:00:c6:12:00:{mac:02x} weight=2"


@given(st.ip_addresses())
def test_addresses_are_read_as_everywhere(address: Any) -> None:
    assert packed(str(address)) == address.packed
    assert packed(address.exploded) == address.packed
    assert ip_address(plain(address.packed)) == address
    if address.version == 4 or not address.ipv4_mapped:
        assert plain(address.packed) == str(address)


@pytest.mark.parametrize(
    "text", ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1::2::3", "1:2", ":::", "g::1",
             "1:2:3:4:5:6:7::8", "12345::", "1.2.3.4::"]
)  # fmt: skip
def test_what_is_no_address_is_none_here(text: str) -> None:
    with pytest.raises(ValueError):
        ip_address(text)
    with pytest.raises(ValueError):
        packed(text)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("links", [1, 3, 8, 16])
def test_every_connection_takes_the_link_of_the_kernels_rule(policy: Any, links: int) -> None:
    known = facts.of("bonding")
    macs = {address: mac for _, address, mac in known["servers"]}
    run = next(run for run in known["runs"] if run[0] == "layer3+4")
    values = ask("bonding", flows="run", policy=policy, links=links)["values"]
    chosen = next((run for run in known["runs"] if run[0] == policy), run)
    wanted = [
        port_of(Packet(known["router"], macs[to], at, to, (here, there)), policy, links)
        for at, to, here, there, *_ in chosen[2]
    ]
    assert values["links"] == wanted
    assert sum(values["counts"]) == len(wanted)
    assert sum(values["shares"]) == pytest.approx(1)
    assert values["worth"] == pytest.approx(1 / max(values["shares"]))


def test_ipv6_and_lines_of_the_reader() -> None:
    text = "[2001:2::2]:40000 [2001:2:0:1::2]:5101 mac=02:00:c6:12:00:04\n# nothing\n"
    found = ask("bonding", flows="lines", lines=text)["values"]
    packet = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:04", "2001:2::2", "2001:2:0:1::2",
                    (40000, 5101))  # fmt: skip
    assert found["links"] == [port_of(packet, "layer3+4", 8)]
    two = "\n".join(LINES.format(mac=mac) for mac in (4, 5))
    shares = ask("bonding", flows="lines", lines=two, policy="layer2", links=2)["values"]["shares"]
    assert shares == [0.5, 0.5]


def test_by_layer_2_the_articles_twelve_servers_use_every_second_link() -> None:
    found = ask("bonding", policy="layer2")
    assert [n for n, share in enumerate(found["values"]["shares"]) if share] == [1, 3, 5, 7]
    assert "every hash odd" in found["warns"][0]
    assert ask("bonding", policy="layer3+4")["values"]["used"] == 8
    turns = ask("bonding", policy="turns")
    assert turns["values"]["shares"] == [0.125] * 8
    assert "overtake" in turns["warns"][0]


def test_the_widget_predicts_what_the_lab_has_measured() -> None:
    record = excerpts.tcp_record(excerpts.BONDS)
    for name, policy in (("lacp-layer3-4", "layer3+4"), ("lacp-layer2", "layer2")):
        counted = balance.of_condition(record, name)[0]
        found = ask("bonding", flows="run", policy=policy)["values"]
        assert found["shares"] == pytest.approx([each.predicted for each in counted], abs=1e-4)
        assert found["measured"] == pytest.approx([each.measured for each in counted], abs=1e-4)
        # What was sent again is in the ports' counters, and not in the prediction.
        assert found["shares"] == pytest.approx(found["measured"], abs=0.05)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "198.18.1.2 198.18.2.2:1",
        "198.18.1.2:1 198.18.2.999:1",
        "198.18.1.2:1 198.18.2.2:99999",
        "198.18.1.2:1 [2001:2::1]:1",
        "2001:2::1:1 [2001:2::1]:1",
        "198.18.1.2:1 198.18.2.2:1 weight=much",
        "198.18.1.2:1 198.18.2.2:1 mac=02:00",
        "198.18.1.2:1 198.18.2.2:1 colour=blue",
    ],
)
def test_a_wrong_line_is_told(line: str) -> None:
    problem = ask("bonding", flows="lines", lines=line)["problem"]
    assert problem["input"] == "lines"
    lacking = ask("bonding", flows="lines", lines="198.18.1.2:1 198.18.99.2:1", policy="layer2")
    assert lacking["problem"]["input"] == "lines"


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    asked: list[dict[str, Any]] = [
        {"policy": policy, "links": links, "sizes": sizes, "pairs": pairs, "streams": streams}
        for policy in POLICIES_AND_TURNS
        for links, sizes, pairs, streams in ((1, "alike", 1, 1), (7, "greedy", 6, 5))
    ]
    asked += [{"flows": "run", "policy": policy} for policy in POLICIES_AND_TURNS]
    asked += [
        {"flows": "lines"},
        {"flows": "lines", "lines": "x"},
        {"flows": "lines", "lines": "198.18.1.2:1 198.18.99.2:1", "shown": 9},
        {"flows": "lines", "lines": LINES.format(mac=300)},
        {"links": 17},
    ]
    assert len(both("bonding", asked)) == len(asked)
