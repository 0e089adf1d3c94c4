"""The bond's hash against closed forms of it, and what a transfer says of the ports."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import UsageError
from ppslab.judge import balance
from ppslab.judge.costs import NoDataError
from ppslab.model import bonding
from ppslab.model.bonding import (
    CHIP,
    CHIP_LAYER2,
    POLICIES,
    RULES,
    Packet,
    evenness,
    hash_of,
    loads,
    port_of,
)
from ppslab.model.lab import lab
from ppslab.model.results import ConditionRecord, LinkCounts, RouterCounts, TcpRecord, Transfer
from ppslab.show.figures import links_figure
from tests.support.tcp_factory import make_tcp_record, make_way

ROUTER, FIRST, SECOND = "02:00:c6:12:01:01", "02:00:c6:12:00:02", "02:00:c6:12:00:04"
PORTS = st.integers(min_value=0, max_value=65535)
V4 = st.ip_addresses(v=4).map(str)


def test_the_examples() -> None:
    assert doctest.testmod(bonding).failed == 0


@given(V4, V4, PORTS)
def test_an_even_port_and_the_odd_one_behind_it_are_one(source: str, target: str, n: int) -> None:
    even = n & ~1
    found = {
        port_of(Packet(ROUTER, FIRST, source, target, (port, 5101)), "layer3+4", 8)
        for port in (even, even + 1)
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    ("policy", "ends", "found"),
    [
        # Linux, bonding.rst.  Ports 9c40 and 13ed, low byte first: ed13409c.  The addresses differ
        # by 00030000: ed10409c; with its half ed10ad8c, with three bytes of that edfdbd21, halved.
        ("layer3+4", ("198.18.1.2", "198.18.2.2"), 0x76FEDE90),
        # Two words differ, by 03000000 and 0b000000: e513409c, e513a58f, e5f6b62a.
        ("layer3+4", ("2001:2:0:1::2", "2001:2:0:2::9"), 0x72FB5B15),
        # The last bytes 01 and 02 and the protocol; then the addresses: 00030803, 00030800.
        ("layer2", ("198.18.1.2", "198.18.2.2"), 0x0803),
        ("layer2+3", ("198.18.1.2", "198.18.2.2"), 0x00030B08),
        # 86de and 08000000: 080086de, 08008ede.
        ("layer2+3", ("2001:2::1", "2001:2::9"), 0x08088E50),
    ],
)
def test_the_hash_by_hand(policy: bonding.Policy, ends: tuple[str, str], found: int) -> None:
    assert hash_of(Packet(ROUTER, FIRST, *ends, (40000, 5101)), policy) == found


def test_what_is_no_policy_or_no_address_is_told() -> None:
    packet = Packet(ROUTER, FIRST, "198.18.1.2", "198.18.2.2")
    with pytest.raises(UsageError, match=r"layer2, layer2\+3, layer3\+4"):
        hash_of(packet, "layer4")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"198\.18\.1 "):
        hash_of(Packet(ROUTER, FIRST, "198.18.1 ", "198.18.2.2"), "layer2")


def record(policy: str, sent: list[int], mode: str = "802.3ad") -> TcpRecord:
    """A transfer of four streams from one generator to another, over a bond of `sent` ports."""
    names = [f"eth{number}" for number in range(1, len(sent) + 1)]
    data = {"mode": mode, "xmit_hash_policy": policy}
    bond = {"ifname": "po0", "address": ROUTER}
    bond |= {"linkinfo": {"info_kind": "bond", "info_data": data}}  # type: ignore[dict-item]
    shown = [{"ifname": "lo"}, *({"ifname": name, "master": "po0"} for name in names), bond]
    condition = ConditionRecord(
        name="routing-plain",
        title="A bond",
        configuration={
            "x.ip": f"neighbour replace 198.18.1.2 lladdr {FIRST} dev a nud permanent\n"
            f"neighbour replace 198.18.2.2 lladdr {SECOND} dev b nud permanent\n"
        },
        read_back=f"## rules\n{{}}\n## links\n{json.dumps(shown)}\n## qdiscs\n[]\n"
        "# node switch\n## links\n[]\n",
    )
    way = make_way(8e6).model_copy(
        update={
            "segment_size": 1448,
            "addresses": ("198.18.1.2", "198.18.2.2"),
            "ports": ((40000, 5101), (40002, 5101), (40004, 5101), (40006, 5101)),
        }
    )
    counted = [
        LinkCounts(rx_packets=0, rx_bytes=0, tx_packets=value // 1000, tx_bytes=value)
        for value in sent
    ]
    router = RouterCounts(
        packets=1, bytes=1, port_drops=0, dropped={}, links=dict(zip(names, counted, strict=True))
    )
    base = make_tcp_record()
    transfer = Transfer(
        number=0, purpose="transfer", condition="routing-plain", direction="both", round=0,
        at_seconds=0, state="completed", valid=True, ways=(way,), router=router,
    )  # fmt: skip
    return base.model_copy(update={"conditions": (condition,), "transfers": (transfer,)})


def test_a_transfer_that_went_as_the_hash_says() -> None:
    made = record("layer2", [0, 0, 0, 10**6, 0, 0, 0, 0])
    (found,) = balance.of_condition(made, "routing-plain")
    # Data go to ...:04, which is port 5; acknowledgements to ...:02, port 3.
    assert [share.connections for share in found] == [0, 0, 0, 0, 0, 4, 0, 0]
    assert found[5].predicted > 0.95
    assert found[3].predicted == pytest.approx(1 - found[5].predicted)
    assert balance.error(found) > 0.9
    assert "no, " in str(balance.table(made).rows[0][-1].text)
    right = record("layer2", [0, 0, 0, 20_000, 0, 980_000, 0, 0])
    (found,) = balance.of_condition(right, "routing-plain")
    assert balance.error(found) < 0.01
    assert balance.evenness(found) == pytest.approx(1 / (8 * 0.98))
    assert [cell.text for cell in balance.table(right).rows[0]] == [
        "routing-plain", "2", "98 %", "12.8 %", "hash of layer2", "yes"
    ]  # fmt: skip
    assert "eth6" in links_figure(right).svg


def test_a_bond_that_goes_in_turn_uses_all_ports_alike() -> None:
    made = record("layer3+4", [1000] * 8, mode="balance-rr")
    (found,) = balance.of_condition(made, "routing-plain")
    assert balance.error(found) == 0
    assert balance.evenness(found) == 1
    assert balance.table(made).rows[0][4].text == "turn"


def test_a_router_without_a_bond_has_no_ports_to_show() -> None:
    made = make_tcp_record()
    assert balance.table(made).rows == ()
    with pytest.raises(NoDataError):
        links_figure(made)
    with pytest.raises(NoDataError):
        balance.bond_of(made.conditions[0])


def test_a_record_that_does_not_know_the_ports_is_told() -> None:
    made = record("layer2", [1] * 8)
    (transfer,) = made.transfers
    older = transfer.model_copy(
        update={"ways": tuple(w.model_copy(update={"addresses": None}) for w in transfer.ways)}
    )
    with pytest.raises(NoDataError):
        balance.shares(made.conditions[0], older)


HUNDRED = lab.find("hundred")


@pytest.mark.parametrize(
    ("rule", "streams", "used", "low", "high"),
    [
        # Even MAC addresses and an odd one: the lowest bit of the hash of layer 2 never changes.
        ("layer2", 30, 4, 0.4, 0.5),
        ("layer2+3", 30, 2, 0.2, 0.25),
        ("layer3+4", 30, 8, 0.8, 1),
        (CHIP, 30, 8, 0.8, 1),
        (CHIP_LAYER2, 30, 7, 0.7, 0.8),
        # Few connections are uneven by any rule.
        ("layer3+4", 1, 7, 0, 0.8),
        (CHIP, 1, 7, 0, 0.6),
    ],
)
def test_the_article_s_connections_over_eight_ports(
    rule: str, streams: int, used: int, low: float, high: float
) -> None:
    flows = balance.article(HUNDRED, streams)
    carried = loads(flows, rule, 8)
    assert sum(carried) == pytest.approx(sum(size for _, size in flows))
    assert sum(load > 0 for load in carried) == used
    assert low <= round(evenness(carried), 4) <= high


def test_a_few_large_connections_fill_the_ports_less_evenly() -> None:
    alike, greedy = (
        evenness(loads(balance.article(HUNDRED, 30, greedy=greedy), "layer3+4", 8))
        for greedy in (False, True)
    )
    assert greedy < alike
    assert [len(row) for row in balance.rules_table(HUNDRED).rows] == [1 + len(RULES)] * 4


@pytest.mark.parametrize("policy", POLICIES)
def test_a_load_is_on_the_port_that_the_driver_takes(policy: bonding.Policy) -> None:
    packet = Packet(ROUTER, SECOND, "198.18.1.2", "198.18.2.2", (40000, 5101))
    assert loads([(packet, 7.0)], policy, 8)[port_of(packet, policy, 8)] == 7.0
    with pytest.raises(UsageError, match="layer4"):
        loads([(packet, 7.0)], "layer4", 8)


def test_ipv6_is_shared_out_as_evenly() -> None:
    """RFC 5180's networks in the place of RFC 2544's."""
    six = [
        (
            Packet(
                each.source_mac, each.target_mac,
                *(end.replace(".", ":").replace("198:18:", "2001:2::") for end in
                  (each.source, each.target)), each.ports,
            ),
            size,
        )
        for each, size in balance.article(HUNDRED, 30)
    ]  # fmt: skip
    assert all(evenness(loads(six, rule, 8)) > 0.75 for rule in ("layer3+4", CHIP))


@pytest.mark.parametrize(
    ("carried", "share"), [([], 0.0), ([0.0, 0.0], 0.0), ([1.0, 0.0], 0.5), ([2.0, 1.0], 0.75)]
)
def test_evenness(carried: list[float], share: float) -> None:
    assert evenness(carried) == share
