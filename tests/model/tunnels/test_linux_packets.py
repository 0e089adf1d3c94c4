"""The calculator against what Linux sends: every tunnel, every cipher, and both ways to fragment.

One guest (or this kernel, where it has all of it) for all tests: each case is set up on one node,
packets are sent into it, and the frames that leave its port are compared with what was calculated.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ppslab.model.lab import topology
from ppslab.model.tunnels.overhead import Stack, parse
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.guest

NEEDS = frozenset({"gre", "gretap", "vxlan", "vlan", "esp"})
Sent = dict[str, dict[str, dict[str, list[int]]]]
LINK_MTU = 1500
HERE, PEER = "198.18.0.1", "198.18.0.2"
HERE6, PEER6 = "2001:2::1", "2001:2::2"

WIRE = """\
name: tunnel-wire
topology:
  nodes:
    a:
      kind: linux
      image: x
      sysctls:
        net.ipv4.ip_forward: "1"
        net.ipv6.conf.default.accept_dad: "0"
        net.ipv6.conf.default.router_solicitations: "0"
        net.ipv6.conf.default.addr_gen_mode: "1"
      exec:
        - ip address add 198.18.0.1/24 dev eth1
        - ip address add 2001:2::1/64 dev eth1
        - ip neighbour replace 198.18.0.2 lladdr 02:00:c6:12:00:02 dev eth1
        - ip neighbour replace 2001:2::2 lladdr 02:00:c6:12:00:02 dev eth1
    b: {kind: linux, image: x}
  links:
    - endpoints: ["a:eth1", "b:eth1"]
      mtu: 1500
"""

# `ignore-df`: else the DF of a packet inside would be copied outside.
ENDS, ENDS6 = f"local {HERE} remote {PEER}", f"local {HERE6} remote {PEER6}"
TUNNELS = {
    "gretap": f"type gretap {ENDS} nopmtudisc ignore-df",
    "gretap-key": f"type gretap {ENDS} nopmtudisc ignore-df key 100",
    "gre": f"type gre {ENDS} nopmtudisc ignore-df",
    "gre-key": f"type gre {ENDS} nopmtudisc ignore-df key 7",
    "ipip": f"type ipip {ENDS} nopmtudisc",
    "vxlan": f"type vxlan id 7 {ENDS} dstport 4789",
    # Linux would put an option of eight bytes into the outer header (RFC 2473, section 4.1.1).
    "gre6": f"type ip6gre {ENDS6} encaplimit none",
    "ipipv6": f"type ip6tnl mode ipip6 {ENDS6} encaplimit none",
    "vxlan6": f"type vxlan id 7 {ENDS6} dstport 4789 udp6zerocsumtx",
}
# The session's default would be a sublayer of four bytes.
L2TPV3 = {"l2tpv3": "encap ip", "l2tpv3-udp": "encap udp udp_sport 1701 udp_dport 1701"}
OVER_IPV6 = ("gre6", "ipipv6", "vxlan6")
WITHOUT_NEIGHBOUR = ("gre", "gre-key", "ipip", "gre6", "ipipv6", "pppoe")

AEAD = {
    "aes-128-gcm": ("rfc4106(gcm(aes))", 20),
    "chacha20-poly1305": ("rfc7539esp(chacha20,poly1305)", 36),
}
ENCRYPTION = {
    "aes-128-cbc": ("cbc(aes)", 16),
    "aes-256-cbc": ("cbc(aes)", 32),
    "aes-128-ctr": ("rfc3686(ctr(aes))", 20),
    "3des": ("cbc(des3_ede)", 24),
}
INTEGRITY = {
    "sha1": ("hmac(sha1)", 20, 96),
    "sha256": ("hmac(sha256)", 32, 128),
    "sha512": ("hmac(sha512)", 64, 256),
}
ESPS = (
    "esp:aes-128-cbc:sha1",
    "esp:aes-256-cbc:sha256",
    "esp:aes-128-cbc:sha512",
    "esp:aes-128-ctr:sha1",
    "esp:3des:sha1",
    "esp:aes-128-gcm",
    "esp:chacha20-poly1305",
    "esp:aes-128-cbc:sha1:udp",
)
ALONE_ESPS = ("esp-tunnel:aes-128-cbc:sha256", "esp-tunnel:aes-128-gcm")


@dataclass(frozen=True)
class Case:
    """A stack, how Linux is told, and the MTUs of the interface that packets are routed into.

    The first is the one that fits; a larger one lets packets in that are fragmented outside.
    """

    words: tuple[str, ...]
    setup: tuple[str, ...]
    mtus: tuple[int, ...] = ()
    device: str = "tun1"
    own_mtu: bool = True

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def stack(self) -> Stack:
        return Stack(parse(self.words), LINK_MTU)

    @property
    def sizes(self) -> list[int]:
        """Small, at the edge of what fits (a whole block of a cipher), 1500, three fragments."""
        edge = self.stack.inner_mtu
        below = 15 if "esp" in self.name else 1
        return [100, *range(edge - below, edge + 2), 1500, 3333]

    def plain(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "setup": self.setup,
            "device": self.device,
            "mtus": [self.stack.inner_mtu, *self.mtus] if self.own_mtu else self.mtus,
            "sizes": self.sizes,
            "neighbour": self.words[0] not in WITHOUT_NEIGHBOUR,
            "pppoe": "pppoe" in self.words,
        }


def state(word: str, selector: str) -> tuple[str, ...]:
    """ip-xfrm(8)'s words for an ESP layer of a stack."""
    kind, cipher, *options = word.split(":")
    mode = "tunnel" if kind == "esp-tunnel" else "transport"
    udp = "udp" in options
    if cipher in AEAD:
        name, length = AEAD[cipher]
        algorithm = f"aead '{name}' 0x{'55' * length} 128"
    else:
        name, length = ENCRYPTION[cipher]
        check, key, bits = INTEGRITY[options[0]]
        algorithm = f"auth-trunc '{check}' 0x{'66' * key} {bits} enc '{name}' 0x{'77' * length}"
    encapsulation = " encap espinudp 4500 4500 0.0.0.0" if udp else ""
    ends = f"src {HERE} dst {PEER}"
    return (
        f"xfrm state add {ends} proto esp spi 0x100 mode {mode} {algorithm}{encapsulation}",
        f"xfrm policy add {selector} dir out tmpl {ends} proto esp mode {mode}",
    )


GRETAP = f"link add name tun1 {TUNNELS['gretap-key']}"
PROTECTED = f"src {HERE} dst {PEER} proto gre"
ALONE = "dst 198.18.9.2"
LARGE = (4000,)
CASES = [
    *(
        Case((w,), (f"link add name tun1 {line}",), () if w in OVER_IPV6 else LARGE)
        for w, line in TUNNELS.items()
    ),
    *(
        Case(
            (w,),
            (
                f"l2tp add tunnel tunnel_id 7 peer_tunnel_id 7 {ENDS} {encapsulation}",
                "l2tp add session name tun1 tunnel_id 7 session_id 7 peer_session_id 7 "
                "l2spec_type none",
            ),
            LARGE,
        )
        for w, encapsulation in L2TPV3.items()
    ),
    *(Case(("gretap-key", w), (GRETAP, *state(w, PROTECTED)), LARGE) for w in ESPS),
    *(Case((w,), state(w, ALONE), (LINK_MTU,), "eth1", own_mtu=False) for w in ALONE_ESPS),
    Case(
        ("vlan", "gretap-key"),
        (GRETAP, "link set tun1 up mtu 4000", "link add link tun1 name port1 type vlan id 7"),
        LARGE,
        device="port1",
    ),
    Case(
        ("gretap-key", "vlan"),
        (
            "link add link eth1 name port1 type vlan id 7",
            "link set port1 up",
            f"neighbour replace {PEER} lladdr 02:00:c6:12:00:02 dev port1",
            f"route replace {PEER}/32 dev port1 src {HERE}",
            GRETAP,
        ),
        LARGE,
    ),
    Case(("pppoe",), (), device="ppp0"),
    Case(
        ("gretap-key", "pppoe"),
        ("link set ppp0 up mtu 1492", f"route replace {PEER}/32 dev ppp0 src {HERE}", GRETAP),
        LARGE,
    ),
]


@pytest.fixture(scope="module")
def sent(opened: Opened, tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """By case and packet size the frames that left the port."""
    choice = capabilities.choose(NEEDS, "auto")
    path = tmp_path_factory.mktemp("wire") / "wire.clab.yml"
    path.write_text(WIRE)
    cases = json.dumps([case.plain() for case in CASES])
    with opened(choice.backend).deploy(topology.load(path)) as deployed:
        script = str(Path(__file__).with_name("sender.py"))
        done = deployed.node("a").run([sys.executable, script], input=cases, timeout=10 * PATIENCE)
        return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_linux_sends_what_was_calculated(case: Case, sent: Sent) -> None:
    for mtu, by_size in sent[case.name].items():
        for size, frames in by_size.items():
            expected = case.stack.send(int(size), int(mtu) if case.own_mtu else int(size))
            # A packet socket sees frames before a card would pad them and add four bytes.
            padded = [max(frame + 4, 64) for frame in frames]
            assert padded == list(expected.frames), f"{size} bytes, interface MTU {mtu}"
