"""The article's connections over its bond, by each rule: what a link carries, and how evenly."""

from __future__ import annotations

import pytest

from ppslab.course.widgets.facts.bonding import facts
from ppslab.model.bonding.flows import Flow, of_pairs, of_servers
from ppslab.model.bonding.ports import Packet, port_of
from ppslab.model.bonding.spread import CHIP, CHIP_LAYER2, RULES, evenness, loads

KNOWN = facts()
LINKS = 8


def article(streams: int = 30) -> list[Flow]:
    """Six pairs, both ways, three instances of ten streams."""
    return of_pairs(KNOWN, of_servers(6, streams, "equal", KNOWN))


@pytest.mark.parametrize("rule", RULES)
def test_every_byte_leaves_by_one_link(rule: str) -> None:
    flows = article()
    carried = loads(flows, rule, LINKS)
    assert len(carried) == LINKS
    assert sum(carried) == pytest.approx(sum(flow.weight for flow in flows))


def test_a_link_of_the_cpu_s_bond_is_the_one_that_the_driver_takes() -> None:
    macs, ends, ports = (1, 4), ("198.18.1.2", "198.18.2.2"), (40000, 5101)
    packet = Packet("02:00:c6:12:01:01", "02:00:c6:12:00:04", *ends, ports)
    for policy in ("layer2", "layer2+3", "layer3+4"):
        carried = loads([Flow(macs, ends, ports, 7.0)], policy, LINKS)
        assert carried[port_of(packet, policy, LINKS)] == 7.0


def test_the_article_s_policy_shares_its_connections_out_and_layer_2_leaves_half_idle() -> None:
    """Even MAC addresses and an odd one: the lowest bit of the hash of layer 2 never changes."""
    found = {rule: loads(article(), rule, LINKS) for rule in RULES}
    assert sum(load > 0 for load in found["layer2"]) == LINKS // 2
    assert evenness(found["layer2"]) <= 0.5
    assert evenness(found["layer3+4"]) > 0.75
    assert evenness(found[CHIP]) > 0.75
    assert evenness(found[CHIP_LAYER2]) < evenness(found[CHIP])


def test_few_connections_are_uneven_by_any_rule() -> None:
    few, many = article(1), article(100)
    for rule in ("layer3+4", CHIP):
        assert evenness(loads(few, rule, LINKS)) < evenness(loads(many, rule, LINKS))


@pytest.mark.parametrize("rule", ["layer3+4", CHIP])
def test_ipv6_is_shared_out_as_evenly(rule: str) -> None:
    """RFC 5180's networks in the place of RFC 2544's."""
    six = [
        Flow(
            flow.macs,
            (flow.ends[0].replace(".", ":").replace("198:18:", "2001:2::"),
             flow.ends[1].replace(".", ":").replace("198:18:", "2001:2::")),
            flow.ports,
            flow.weight,
        )
        for flow in article()
    ]  # fmt: skip
    assert evenness(loads(six, rule, LINKS)) > 0.75
