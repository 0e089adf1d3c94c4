# ruff: noqa: E501  (exports have long lines)
"""What closes a path that the router's own lines leave open: tunnels, raw, the last drop."""

from __future__ import annotations

import pytest

from rosexplain.firewall import parsed
from rosexplain.report import Answer
from rosexplain.trace import walked
from tests.course.models.both import both
from tests.theory.packet_path.asked import ask, lines, of, said
from tests.theory.packet_path.explain.deciding.closed import (
    ACCEPT,
    FAST,
    FASTTRACK,
    MARK,
    MARK6,
    OTHER,
    SLOW,
    SNOOPING,
    by,
    home,
)

RAW = "/ip firewall raw\n"
LEAVE = "add action=notrack chain=prerouting {}\n"
TWO = "/ip address\nadd address=10.1.0.1/24 interface=ether7\n"
PART = RAW + LEAVE.format("src-address=10.1.0.0/24") + LEAVE.format("dst-address=10.1.0.0/24")


def test_notrack_for_some_networks_leaves_fasttrack_to_the_others() -> None:
    text = home(TWO + MARK + ACCEPT + PART)
    decided = of(ask(text), "established")
    assert (decided.answer, decided.ways) == ("depends", ["fasttrack", "slow"])
    assert by(decided)[0] == ("not-tracked", "fasttrack-established")
    assert decided.reasons[0].why == (
        "none that this line leaves untracked: it depends on src-address=10.1.0.0/24"
    )
    assert said(home(MARK + ACCEPT + PART)) == FASTTRACK
    for source, answer in (("10.1.0.9", "no"), ("192.168.1.9", "yes")):
        packet = parsed(f"in=ether7 src={source} dst=1.1.1.1:443/tcp established")
        assert walked(ask(text).net, packet)["fasttrack"] == answer


def test_notrack_behind_a_rule_that_may_end_it_is_not_certain() -> None:
    front = RAW + "add action=accept chain=prerouting src-port=99 protocol=tcp\n"
    assert said(home(MARK + front + LEAVE.format(""))) == ("depends", ["fasttrack", "slow"])
    assert said(home(MARK + RAW + LEAVE.format(""))) == SLOW


def test_notrack_of_ipv6_says_so_without_a_fasttrack_rule_of_ipv4() -> None:
    text = home(MARK6 + "/ipv6 address\nadd address=2001:2:0:1::1/64 interface=bridge1\n")
    raw = "/ipv6 firewall raw\n" + LEAVE.format("src-address={}::/64")
    assert said(text, "ipv6") == FASTTRACK
    assert said(text + raw.format("fd00:9"), "ipv6") == FASTTRACK
    decided = of(ask(text + raw.format("2001:2:0:1")), "ipv6")
    assert (decided.answer, decided.ways) == ("no", ["slow"])
    assert by(decided)[0] == ("not-tracked", "fasttrack-established")
    part = text + "add address=2001:2:0:2::1/64 interface=bridge1\n" + raw.format("2001:2:0:1")
    assert said(part, "ipv6") == ("depends", ["fasttrack", "slow"])


WG = "/interface wireguard\nadd listen-port=13231 name=wg1\n"
OUT = "/ip dhcp-client\nset 0 disabled=yes\n/ip firewall nat\nadd action=masquerade chain=srcnat out-interface={}\n"
ASK = "/interface/print stats-detail where name="


@pytest.mark.parametrize(
    ("tunnel", "name", "rule", "answer"),
    [
        # The manual names neither among what has a fast path, nor among what has none.
        (WG, "wg1", "tunnel-without", "unknown"),
        ("/interface sstp-client\nadd connect-to=192.0.2.9 disabled=no name=s1\n", "s1", "tunnel-without", "unknown"),
        ("/interface ipip\nadd name=i1 remote-address=192.0.2.9\n", "i1", "", "unknown"),
        # The manual says that these have none.
        ("/interface gre\nadd allow-fast-path=no name=g1 remote-address=192.0.2.9\n", "g1", "tunnel-slow", "depends"),
        ("/interface l2tp-client\nadd connect-to=192.0.2.9 disabled=no name=l1 user=u\n", "l1", "l2tp-slow", "depends"),
    ],
)  # fmt: skip
def test_a_wan_without_a_known_fast_path_is_not_plainly_fasttrack(
    tunnel: str, name: str, rule: str, answer: str
) -> None:
    found = ask(home(tunnel + OUT.format(name) + MARK + ACCEPT))
    decided = of(found, "established")
    assert (decided.answer, decided.ways) == (answer, ["fasttrack", "slow"])
    assert decided.reasons[0].rule == rule
    assert decided.asks == [ASK + name]
    assert of(found, f"carried-{name}").answer != "yes"
    assert not found.fast


def test_a_wan_by_a_tunnel_with_a_fast_path_is() -> None:
    text = home("/interface gre\nadd name=g1 remote-address=192.0.2.9\n" + OUT.format("g1") + MARK)
    assert said(text) == said(home(MARK)) == FASTTRACK


def test_a_tunnel_among_the_lan_s_networks_has_a_class_of_its_own() -> None:
    text = home(WG + "/ip address\nadd address=10.9.0.1/24 interface=wg1\n" + MARK)
    assert said(text) == FASTTRACK
    assert said(text, "carried-wg1")[0] == "unknown"


def test_ipv6_over_6to4_is_seen_by_its_route() -> None:
    text = home(
        "/interface 6to4\nadd name=sit1 remote-address=192.0.2.9\n/ipv6 address\nadd address=2001:2:a::2/64 interface=sit1\n"
        "add address=2001:2:1::1/64 interface=bridge1\n/ipv6 route\nadd gateway=2001:2:a::1\n"
        + MARK6
    )
    assert said(text, "ipv6") == ("unknown", ["fasttrack", "slow"])
    assert (
        said(text.replace("/ipv6 route\nadd", "/ipv6 route\nadd disabled=yes"), "ipv6") == FASTTRACK
    )


@pytest.mark.parametrize(
    ("row", "version", "answer", "facts"),
    [
        ("eoip\nadd", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments"]),
        ("gre\nadd", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments", "gre-fast-path-default"]),
        ("vxlan\nadd", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments", "vxlan-fast-path-default"]),
        ("vxlan\nadd", "7.7", ("unknown", ["fast-path", "slow"]), ["fast-path-tunnels"]),
        ("ipip\nadd", "7.20.8", ("unknown", ["fast-path", "slow"]), ["fast-path-tunnels"]),
        ("ipip\nadd allow-fast-path=yes", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments"]),
        ("ipip\nadd allow-fast-path=no", "7.20.8", SLOW, ["fast-path-tunnels"]),
        ("l2tp-client\nadd disabled=no", "7.20.8", SLOW, ["fast-path-tunnels", "l2tp-fast-path-default"]),
        ("l2tp-client\nadd disabled=no allow-fast-path=no", "7.20.8", SLOW, ["fast-path-tunnels"]),
        ("l2tp-client\nadd disabled=no allow-fast-path=yes", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments"]),
        ("l2tp-client\nadd disabled=no allow-fast-path=yes ipsec-secret=x", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments"]),
        ("l2tp-client\nadd disabled=no allow-fast-path=yes use-ipsec=no", "7.20.8", FAST, ["fast-path-tunnels", "fast-path-fragments"]),
        ("l2tp-client\nadd disabled=no allow-fast-path=yes use-ipsec=yes", "7.20.8", SLOW, ["l2tp-use-ipsec"]),
        ("gre\nadd allow-fast-path=no ipsec-secret=x", "7.20.8", SLOW, ["eoip-ipsec-no-fast-path"]),
    ],
)  # fmt: skip
def test_a_tunnel_has_the_fast_path_that_is_set_or_that_a_source_says_is_its_default(
    row: str, version: str, answer: tuple[str, list[str]], facts: list[str]
) -> None:
    found = of(ask(home(f"/interface {row} name=t1\n", version)), "carried-t1")
    assert (found.answer, found.ways) == answer
    assert [reason.fact for reason in found.reasons] == facts
    assert bool(found.asks) == (answer[0] == "unknown")


def test_an_l2tp_client_s_policy_closes_the_router_s_fast_path_and_its_secret_alone_does_not() -> (
    None
):
    client = "/interface l2tp-client\nadd connect-to=192.0.2.9 disabled=no ipsec-secret=x name=l1{} user=u\n"
    assert said(home(client.format(""))) == FAST
    text = home(client.format(" use-ipsec=yes"))
    assert said(text) == SLOW
    assert "l2tp-ipsec" in lines(text)


DROP = "add action=drop chain=forward\n"


def test_where_every_first_packet_is_dropped_nothing_is_ever_established() -> None:
    found = ask(home(MARK + ACCEPT + DROP))
    new, old = of(found, "new"), of(found, "established")
    assert (new.answer, new.ways) == ("no", ["dropped"])
    assert [line.number for line in new.reasons[0].lines] == [
        home(MARK + ACCEPT + DROP).count("\n")
    ]
    assert (old.answer, old.ways) == ("no", ["dropped"])
    assert old.reasons[-1].why == "no connection begins this way: the rule drops it"
    assert old.reasons[-1].lines == new.reasons[0].lines


@pytest.mark.parametrize(
    ("drop", "new", "begins"),
    [
        ("", ["slow"], True),
        ("add action=drop chain=forward connection-state=invalid\n", ["slow"], True),
        ("add action=drop chain=forward src-port=99 protocol=tcp\n", ["slow"], True),
        ("add action=drop chain=forward connection-state=new in-interface=ether1\n", ["slow"], True),
        ("add action=reject chain=forward connection-state=new in-interface=bridge1\n", ["dropped"], False),
        ("add action=accept chain=forward out-interface=ether1\n" + DROP, ["slow"], True),
        (RAW + "add action=drop chain=prerouting in-interface=bridge1\n", ["dropped"], False),
    ],
)  # fmt: skip
def test_only_what_drops_them_for_certain_counts(drop: str, new: list[str], begins: bool) -> None:
    found = ask(home(MARK + ACCEPT + drop))
    assert of(found, "new").ways == new
    whys = [reason.why for reason in of(found, "established").reasons]
    assert begins == ("no connection begins this way: the rule drops it" not in whys)


def test_a_forwarded_port_begins_on_the_wan() -> None:
    nat = "/ip firewall nat\nadd action=dst-nat chain=dstnat dst-port=443 in-interface=ether1 protocol=tcp to-addresses=192.168.1.9\n"
    drop = "add action=drop chain=forward connection-nat-state=!dstnat connection-state=new in-interface=ether1\n"
    for more, begins in ((drop, True), (drop.replace("connection-nat-state=!dstnat ", ""), False)):
        whys = [r.why for r in of(ask(home(MARK + ACCEPT + more + nat)), "port-forward").reasons]
        assert begins == ("no connection begins this way: the rule drops it" not in whys)


SWITCH = """# 2026-11-20 10:00:00 by RouterOS 7.19.4
# model = CRS326-24S+2Q+
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=v10 vlan-id=10
add interface=bridge1 name=v20 vlan-id=20
/interface bridge port
add bridge=bridge1 interface=sfp-sfpplus1 pvid=10
add bridge=bridge1 interface=sfp-sfpplus2 pvid=20
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip address
add address=10.0.10.1/24 interface=v10
add address=10.0.20.1/24 interface=v20
"""

TAGGED = "/interface bridge vlan\nadd bridge=bridge1 tagged=bridge1 vlan-ids={}\n"


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("", ("depends", ["chip", "dropped"])),
        (TAGGED.format("10"), ("depends", ["chip", "dropped"])),
        (TAGGED.format("10,15-20"), ("yes", ["chip"])),
        (TAGGED.format("10,20").replace("=bridge1 vlan", "=sfp-sfpplus3 vlan"), ("depends", ["chip", "dropped"])),
    ],
)  # fmt: skip
def test_a_vlan_without_the_bridge_among_its_members_is_not_plainly_routed(
    more: str, answer: tuple[str, list[str]]
) -> None:
    found = ask(SWITCH + more)
    decided = of(found, "lan-to-lan")
    assert (decided.answer, decided.ways) == answer
    noted = "bridge-tagged" in [each["rule"] for each in Answer(found).plain()["offload"]]
    assert noted == (answer[0] == "depends")
    assert decided.asks == (["/interface/bridge/vlan/print"] if noted else [])
    assert (decided.reasons[0].fact == "l3hw-bridge-tagged") == noted


@pytest.mark.long
def test_both_hosts_say_the_same_of_what_is_closed() -> None:
    every = [
        home(SNOOPING + OTHER + MARK + ACCEPT + DROP),
        home(WG + OUT.format("wg1") + MARK + PART + TWO),
        home("/interface ipip\nadd name=i1\n/interface l2tp-client\nadd name=l1 use-ipsec=yes\n"),
        SWITCH,
    ]
    both("explain", [{"export": {"name": "x", "text": text}} for text in every])
