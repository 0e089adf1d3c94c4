"""The features that commands prove: ip, nft, tc."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence

from ppslab.backends.prober.absence import Absence, AbsentError, Obstacle, no_program, refused

COMMANDS: dict[str, tuple[str, ...]] = {
    "veth": ("ip link add v0 type veth peer name v1", "ip link set v0 up", "ip link set v1 up"),
    "bridge": ("ip link add br0 type bridge", "ip link set v1 master br0"),
    "vlan": ("ip link add link v0 name v0.7 type vlan id 7",),
    "vlan-tags": (
        "tc qdisc add dev v1 clsact",
        "tc filter add dev v1 ingress protocol ip matchall action vlan push id 7",
    ),
    "bonding": ("ip link add bo0 type bond mode 802.3ad",),
    "vxlan": ("ip link add vx0 type vxlan id 7 dstport 4789 local 198.18.0.1",),
    "gre": ("ip link add gr0 type gre local 198.18.0.1 remote 198.18.0.2",),
    "ipip": ("ip link add ii0 type ipip local 198.18.0.1 remote 198.18.0.2",),
    "wireguard": ("ip link add wg0 type wireguard", "wg show wg0"),
    "gretap": ("ip link add gt0 type gretap local 198.18.0.1 remote 198.18.0.2",),
    "esp": (
        "ip xfrm state add src 198.18.0.1 dst 198.18.0.2 proto esp spi 0x100 mode transport "
        "aead rfc4106(gcm(aes)) 0x000102030405060708090a0b0c0d0e0f10111213 128",
    ),
    "tun": ("ip tuntap add tu0 mode tap",),
    # For a guest's cards: backends/vm/taps.py.
    "card-queues": (
        "ip tuntap add tu1 mode tap multi_queue",
        "ip link set tu1 master br0",
        "tc qdisc replace dev tu1 root noqueue",
    ),
    "nft": (
        "nft add table inet t",
        "nft add chain inet t c { type filter hook forward priority 0 ; }",
        "nft add rule inet t c ip saddr 198.18.0.1 counter drop",
    ),
    "nft-netdev": (
        "nft add table netdev t",
        "nft add chain netdev t c { type filter hook ingress device v0 priority 0 ; }",
    ),
    "nft-bridge": (
        "nft add table bridge t",
        "nft add chain bridge t c { type filter hook forward priority 0 ; }",
        "nft add rule bridge t c ether daddr 02:00:c6:13:01:01 counter drop",
    ),
    "conntrack": ("nft add rule inet t c ct state new counter",),
    "flowtable": (
        "nft add flowtable inet t f { hook ingress priority 0 ; devices = { v0 } ; }",
        "nft add rule inet t c meta l4proto udp flow add @f",
    ),
    "htb": (
        "tc qdisc add dev v0 root handle 1: htb",
        "tc class add dev v0 parent 1: classid 1:1 htb rate 1gbit",
    ),
    "u32": (
        "tc filter add dev v0 parent 1: protocol ip prio 1 u32 match ip dst 198.18.0.1/32 "
        "flowid 1:1",
    ),
    "flower": (
        "tc filter add dev v0 parent 1: protocol ip prio 2 flower dst_ip 198.18.0.1/32 classid 1:1",
    ),
    "netem": ("tc qdisc add dev v1 root netem delay 1ms",),
    "queue-kinds": tuple(
        f"tc qdisc replace dev v1 root {kind}"
        for kind in (
            "red limit 60000 avpkt 1000 bandwidth 10mbit",
            "sfq",
            "codel",
            "fq_codel",
            "cake",
        )
    ),
}
"""Features that commands prove, in this order: later ones use what earlier ones made."""

SECONDS = 60.0
"""A command takes 10 ms, and 5 s to load a module in an emulated guest."""
FORBIDDEN = ("not permitted", "denied")
"""How ip, nft and tc report EPERM and EACCES; they print no number."""


def command(line: str | Sequence[str]) -> None:
    """Run a command; AbsentError if it is not installed, fails, or is too late."""
    argv = line.split(" ") if isinstance(line, str) else list(line)
    if shutil.which(argv[0]) is None:
        raise no_program(argv[0])
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        late = f"{argv[0]} did not end within {SECONDS:.0f} s"
        raise AbsentError(Absence(Obstacle.LATE, late)) from None
    if done.returncode:
        printed = [text for text in (done.stderr + done.stdout).splitlines() if text.strip()]
        if not printed:
            raise refused(f"{argv[0]}: failed")
        forbidden = any(words in printed[0] for words in FORBIDDEN)
        obstacle = Obstacle.NOT_ALLOWED if forbidden else Obstacle.REFUSED
        raise AbsentError(Absence(obstacle, f"{argv[0]}: {printed[0].removeprefix('Error: ')}"))


def all_of(lines: Sequence[str]) -> Callable[[], None]:
    """An attempt that runs all of these commands."""

    def attempt() -> None:
        for line in lines:
            command(line)

    return attempt
