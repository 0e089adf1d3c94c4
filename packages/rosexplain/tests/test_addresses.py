"""Addresses, networks and numbers against Python's own `ipaddress`, at their bounds."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosexplain import (
    bounds,
    explain,
    hosts,
    matchers,
    matching,
    parse,
    probes,
    repair,
    secrets,
)
from rosexplain.addresses import apart, packed, plain, span, within
from rosexplain.network import Network
from rosexplain.packet import parsed as packet_of
from rosexplain.rows import rows_of

TYPED = st.one_of(
    st.text("0123456789abcdefABCDEF.:", max_size=24),
    st.lists(st.sampled_from(["0", "1", "9", "255", "256", "01", "0000", "00000"]), min_size=1,
             max_size=9).flatmap(lambda parts: st.sampled_from([".", ":"]).map(
                 lambda sign: sign.join(parts))),
    st.ip_addresses().map(str),
    st.ip_addresses(v=6).map(lambda address: address.exploded),
)  # fmt: skip


@given(TYPED)
@example("1:2:3:4:5:6:7::")
@example("1:2:3:4:5:6:7:8::")
def test_what_is_an_address(text: str) -> None:
    try:
        address: bytes | None = ipaddress.ip_address(text).packed
    except ValueError:
        address = None
    if address is None:
        with pytest.raises(ValueError, match="not an IP address"):
            packed(text)
    else:
        assert packed(text) == address


SPARSE = st.lists(st.sampled_from([0, 0, 0, 1, 0xFFFF]), min_size=8, max_size=8).map(
    lambda words: b"".join(word.to_bytes(2, "big") for word in words)
)


@given(st.one_of(SPARSE, st.binary(min_size=16, max_size=16), st.binary(min_size=4, max_size=4)))
def test_an_address_as_it_is_written(address: bytes) -> None:
    theirs = ipaddress.ip_address(address)
    mapped = getattr(theirs, "ipv4_mapped", None)
    assert packed(plain(address)) == address
    assert mapped or plain(address) == str(theirs)


@given(st.ip_addresses(), st.integers(0, 129))
def test_a_network_is_its_first_and_last(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, length: int
) -> None:
    text = f"{address}/{length}"
    if length > address.max_prefixlen:
        with pytest.raises(ValueError, match="not a network"):
            span(text)
        return
    network = ipaddress.ip_network(text, strict=False)
    assert span(text) == (int(network[0]), int(network[-1]))


RANGES = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda ends: tuple(sorted(ends)))


@given(RANGES, RANGES)
def test_ranges_as_sets(one: tuple[int, int], other: tuple[int, int]) -> None:
    ours, theirs = (set(range(first, last + 1)) for first, last in (one, other))
    assert within(one, other) is (ours <= theirs)
    assert apart(one, other) is not bool(ours & theirs)


HIDDEN_BY_NOBODY = [
    ipaddress.ip_network(text)
    for text in ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
                 "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3")
]  # fmt: skip
"""RFC 6890's, in which no address leads to a reader's router."""


@pytest.mark.parametrize("network", HIDDEN_BY_NOBODY, ids=str)
def test_a_private_network_at_its_ends(network: ipaddress.IPv4Network) -> None:
    assert not secrets.public(str(network[0])) and not secrets.public(str(network[-1]))
    for beside in (int(network[0]) - 1, int(network[-1]) + 1):
        if 0 <= beside < 1 << 32:
            address = ipaddress.ip_address(beside)
            elsewhere = any(address in other for other in HIDDEN_BY_NOBODY)
            assert secrets.public(str(address)) is not elsewhere


@pytest.mark.parametrize(
    ("text", "hidden"),
    [("at 8.8.8.8.", True), ("7.20.8", False), ("1.2.3.4.5", True), ("x 2001:4860::8888, y", True),
     ("2001:4860:1:2:3:4:5:6", True), ("00:11:22:33:44:55", False), ("12:30", False)],
)  # fmt: skip
def test_a_public_address_is_replaced_in_any_text(text: str, hidden: bool) -> None:
    replaced: list[str] = []
    secrets.with_addresses(text, lambda word: replaced.append(word) or word)
    assert any(secrets.public(word) for word in replaced) is hidden


def test_the_address_of_everywhere_stays() -> None:
    assert secrets.with_addresses("::/0 ::1/128", lambda _: "x") == "::/0 x/128"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 9, 49, 60])
@pytest.mark.parametrize("most", [1, 5, 50])
def test_lines_that_are_left_out_are_counted(count: int, most: int) -> None:
    """Each line is shown, or is in the count of those between two that are."""
    text = "/ip address\n" + "add address=198.18.0.1/24\n" * count
    export = parse.parsed(text, "1.rsc")
    struck = secrets.Struck(export, [], secrets.Names({}))
    lines = struck.lines(most, [export.order[len(export.order) // 2]])
    left = sum(int(line.split(" ")[1]) for number, line in lines if number == 0)
    shown = [number for number, _ in lines if number]
    assert len(shown) + left == count + 1
    assert shown == sorted(set(shown)) and (left == 0 or count + 1 > most)
    assert all(line != "... 0 lines ..." for _, line in lines)


@pytest.mark.parametrize(
    ("expression", "met"),
    [("x<5", False), ("x<6", True), ("x<=5", True), ("x<=4", False), ("x>5", False), ("x>4", True),
     ("x>=5", True), ("x>=6", False), ("x=5", True), ("x!=5", False), ("y<9", False)],
)  # fmt: skip
def test_a_selection_compares_numbers(expression: str, met: bool) -> None:
    export = parse.parsed(f"/ip address\nadd x=5 y=word\nset [find {expression}] z=1\n", "1.rsc")
    (row,) = rows_of([export]).of("/ip/address")
    assert (row.get("z") == "1") is met


@pytest.mark.parametrize(
    ("since", "until", "version", "holds"),
    [
        ("7.18", None, "7.17.2", False), ("7.18", None, "7.18", True),
        ("7.18", None, "7.18.2", True),
        ("7.18", None, "7.19", True), ("7.18", None, "8", True), ("7.18", None, "6.49", False),
        (None, "7.18", "7.18", True), (None, "7.18", "7.18.2", True),
        (None, "7.18", "7.19", False),
        (None, "7.18", "7.17", True), (None, "7.18", "", False), ("7.18", None, "", True),
        ("7.18", "7.18", "7.18.9", True),
    ],
)  # fmt: skip
def test_a_rule_of_some_versions(
    since: str | None, until: str | None, version: str, holds: bool
) -> None:
    assert matching.in_force({"since": since, "until": until}, matching.numbers(version)) is holds


@pytest.mark.parametrize(
    ("port", "taken"), [("0", True), ("65535", True), ("65536", False), ("000080", False)]
)
def test_the_port_of_a_packet(port: str, taken: bool) -> None:
    text = f"dst=198.18.0.1:{port}/tcp"
    if taken:
        assert packet_of(text).dst_port == int(port)
    else:
        with pytest.raises(ValueError, match="not a port"):
            packet_of(text)


LAN = """/ip address
add address=192.168.88.1/24 interface=ether2
add address=198.18.0.2/24 interface=ether1
"""


@pytest.mark.parametrize(
    ("ports", "port", "met"),
    [("80", 80, True), ("80", 81, False), ("80-90", 80, True), ("80-90", 90, True),
     ("80-90", 79, False), ("80-90", 91, False), ("1,80-90", 90, True), ("1,3", 2, False)],
)  # fmt: skip
def test_a_rule_of_ports_at_their_ends(ports: str, port: int, met: bool) -> None:
    text = (
        f"{LAN}/ip firewall filter\nadd action=drop chain=forward protocol=tcp dst-port={ports}\n"
    )
    explanation = explain([parse.parsed(text, "1.rsc")])
    packet = packet_of(f"in=ether2 src=192.168.88.9 dst=198.18.0.9:{port}/tcp")
    assert (probes.passes(explanation, packet) == probes.NONE) is met


@given(RANGES, RANGES)
def test_a_rule_of_addresses_as_sets(rule: tuple[int, int], known: tuple[int, int]) -> None:
    """Of what may be in a packet: all is the rule's, nothing, or some."""
    packet = packet_of("in=ether2 src=198.18.0.1 dst=198.18.0.9:80/tcp")
    base = int(ipaddress.ip_address("198.18.0.16"))
    packet.src = [(base + known[0], base + known[1])]
    value = "-".join(str(ipaddress.ip_address(base + end)) for end in rule)
    ours, theirs = (set(range(first, last + 1)) for first, last in (rule, known))
    some = matchers.PERHAPS if theirs & ours else matchers.NO
    expected = matchers.YES if theirs <= ours else some
    assert matchers._address(packet, "src", value, 4) == expected


def network_of(text: str) -> Network:
    return explain([parse.parsed(text, "1.rsc")]).net


NETWORKS = st.one_of(st.integers(24, 32).map(lambda length: (4, length)),
                     st.integers(120, 128).map(lambda length: (6, length)))  # fmt: skip


@given(NETWORKS, st.integers(0, 255))
def test_a_neighbour_is_the_first_other_host(kind: tuple[int, int], number: int) -> None:
    """`ipaddress` has two hosts in a network of two (RFC 3021, RFC 6164)."""
    family, length = kind
    begin = "198.18.1." if family == 4 else "2001:2::"
    text = begin + (str(number) if family == 4 else f"{number:x}")
    own = ipaddress.ip_interface(f"{text}/{length}")
    others = [int(host) for host in own.network.hosts() if host != own.ip]
    menu = "/ip/address" if family == 4 else "/ipv6/address"
    ends = hosts.Ends(network_of(f"{menu} add address={own} interface=ether2"), family)
    expected = [(others[0], others[0])] if others else None
    assert ends.host("ether2") == expected


@given(st.integers(24, 30), st.integers(0, 255))
@example(24, 255)
@example(30, 3)
def test_the_hosts_of_a_network_are_those_that_may_be_probed(length: int, number: int) -> None:
    network = ipaddress.ip_network(f"198.18.1.0/{length}")
    asked = ipaddress.ip_address(f"198.18.1.{number}")
    net = network_of(f"/ip/address add address={network[1]}/{length} interface=ether2")
    probed = repair.hosts_of(net, [str(asked)])
    named = {ipaddress.ip_address(host.name) for host in probed}
    assert named == {ipaddress.ip_address(host.number) for host in probed}
    hosts = set(network.hosts()) - {network[1]}
    assert (asked in named) is (asked in hosts)
    assert named <= hosts


@pytest.mark.parametrize(("customers", "ends"), [(2, True), (3, False)])
def test_of_a_network_in_which_each_has_a_queue_customers_are_probed(
    customers: int, ends: bool
) -> None:
    queues_of = "".join(f"add target=192.168.88.{9 + n}/32 name=q{n}\n" for n in range(customers))
    net = network_of(f"{LAN}/queue simple\n{queues_of}")
    last = int(ipaddress.ip_address("192.168.88.254"))
    assert (last in {host.number for host in repair.hosts_of(net, [])}) is ends


@pytest.mark.parametrize(
    ("ports", "asked"),
    [("80-90", {80, 90, 91}), ("65534", {65534, 65535}), ("65535", {65535}),
     ("1-65535", {1, 65535})],
)  # fmt: skip
def test_a_rule_of_ports_is_asked_at_its_end_and_beside_it(ports: str, asked: set[int]) -> None:
    text = f"{LAN}/ip firewall filter\nadd action=drop chain=input protocol=tcp dst-port={ports}\n"
    net = network_of(text)
    ((row, top),) = bounds.ending_rules(net, 4)
    packets = bounds.at_bounds(hosts.Ends(net, 4), row, top)
    assert {packet.dst_port for _, packet in packets} == asked


@pytest.mark.parametrize(
    ("target", "meets"),
    [("192.168.2.255", False), ("192.168.3.0", True), ("192.168.3.255", True),
     ("192.168.4.0", False)],
)  # fmt: skip
def test_a_queue_is_behind_the_interface_whose_network_has_its_host(
    target: str, meets: bool
) -> None:
    """FastTrack for one LAN takes no packet from the limit of a host in the other."""
    text = (
        "/ip address\nadd address=192.168.2.1/24 interface=ether2\n"
        "add address=192.168.3.1/24 interface=ether3\n/ip dhcp-client\nadd interface=ether1\n"
        f"/queue simple\nadd max-limit=1M/1M target={target}/32\n"
    )
    faster = (
        "/ip firewall filter\nadd action=fasttrack-connection chain=forward in-interface=ether2 "
        "connection-state=established,related\n"
    )
    export, added = parse.parsed(text, "1.rsc"), parse.parsed(faster, "2.rsc")
    before, after = explain([export]), explain([export, added])
    lost = [harm for harm in probes.harms(before, after) if harm.kind == probes.UNLIMITED]
    assert (not lost) is meets


@pytest.mark.parametrize(
    ("version", "slow"), [("7.17.9", True), ("7.18", False), ("7.18.1", False)]
)
def test_ipv6_has_a_fast_path_since_a_version(version: str, slow: bool) -> None:
    text = (
        f"# by RouterOS {version}\n/ipv6 address\nadd address=2001:2::1/64 interface=ether2\n"
        "add address=2001:2:0:1::1/64 interface=ether1\n"
    )
    classes = explain([parse.parsed(text, "1.rsc")]).classes
    facts = [r.fact for c in classes if c.traffic.family == 6 for r in c.reasons]
    assert ("tree-ipv6-fast-path" in facts) is slow
