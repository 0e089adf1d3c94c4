"""What pktgen and nftables are told for a trial: the words of a shell script and of a rule set."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address

from ppslab.instruments.contract import Load
from ppslab.lab.packets import Flow, Pattern, first_value, how_many

FCS = 4
"""pktgen's pkt_size leaves the frame check sequence out."""

MOST = 20e6
"""Frames per second over all flows that nothing reaches here.

Without any delay pktgen serves one flow only; with one that it cannot keep, they take turns.
"""

LOOK_SECONDS = 0.1
"""A thread of pktgen looks this often whether it shall start."""

START_SECONDS = LOOK_SECONDS + 0.075
"""That and what a start may be late."""

LEARNING_DELAY = 1_000_000
"""Nanoseconds between the learning frames of a flow."""

TABLE = "ppslab_pktgen"
MISDELIVERED = "misdelivered"
DOWN = "PORT DOWN"

STOP = (
    "cd /proc/net/pktgen 2>/dev/null || exit 0; echo stop > pgctrl; "
    "for t in kpktgend_*; do echo rem_device_all > $t; done"
)
"""What ends a trial that was broken off."""


def counters(load: Load) -> str:
    """The nftables rule set that counts what arrives: one counter a flow, one for wrong ports."""
    lines = [f"table netdev {TABLE}", f"delete table netdev {TABLE}", f"table netdev {TABLE} {{"]
    names = [*(f"f{n}" for n in range(len(load.flows))), MISDELIVERED]
    lines += [f"  counter {name} {{ }}" for name in names]
    lines += [f"  chain {name} {{ counter name {name} drop; }}" for name in names]
    for port, interface in load.ports.items():
        lines.append(f"  chain port_{interface} {{")
        lines.append(f'    type filter hook ingress device "{interface}" priority -500;')
        for family in ("ip", "ip6"):
            mine = [
                f"{key(flow)} : goto {f'f{n}' if flow.rx_name == port else MISDELIVERED}"
                for n, flow in enumerate(load.flows)
                if flow.ipv6 == (family == "ip6")
            ]
            if mine:
                fields = f"{family} saddr . {family} daddr . udp sport . udp dport"
                lines.append(f"    {fields} vmap {{ {', '.join(mine)} }}")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def key(flow: Flow) -> str:
    """What tells the flow's frames from others', as a key of the rule set's maps."""

    def span(value: int | str | Pattern) -> str:
        first, last = first_value(value), last_value(value)
        return str(first) if first == last else f"{first}-{last}"

    return " . ".join(map(span, flow.stepping))


def last_value(value: int | str | Pattern) -> int | str:
    """A field's value, or the last one of its pattern, which steps by ones."""
    first, more = first_value(value), how_many(value) - 1
    return str(ip_address(first) + more) if isinstance(first, str) else first + more


def frames_of(load: Load) -> list[int]:
    """Frames that each flow is to send; 0 for all of them where there is no rate."""
    if load.rate is None:
        return [0] * len(load.flows)
    return load.shares(round(load.rate * load.seconds))


def delays_of(load: Load) -> list[int]:
    """Nanoseconds between two frames of a flow; pktgen takes whole ones."""
    weights = [load.weight(flow) for flow in load.flows]
    rate = MOST if load.rate is None else load.rate
    return [max(1, round(1e9 * sum(weights) / (rate * weight))) for weight in weights]


def script(load: Load) -> str:
    """What the node's shell runs for a trial; `instruments.pktgen.tester.read` reads its output."""
    thread = f"kpktgend_{load.tx_cpu or 0}"
    lines = [
        "cd /proc/net/pktgen",
        *_down(list(load.ports.values())),
        'pg() { echo "$2" 2>&- > "$1" || no "$1: $2"; }',
        'no() { down; echo "refused: $1" >&2; exit 1; }',
        "forget() { for t in kpktgend_*; do echo rem_device_all > $t; done; }",
        "run() { echo start > pgctrl & sleep $1; echo stop > pgctrl; wait $!; }",
        *_sums(list(load.ports.values())),
        "trap forget EXIT",
        "forget",
    ]
    if load.learning_frames:
        settings = {"count": load.learning_frames, "delay": LEARNING_DELAY}
        for number, flow in enumerate(load.flows):
            lines += _device(thread, load, flow, number, settings)
        learning = load.learning_frames * LEARNING_DELAY / 1e9
        lines += [f"run {learning + START_SECONDS:.3f}", "forget"]
    lines.append(f"sleep {load.settle_seconds:.3f}")
    for number, (flow, count, delay) in enumerate(
        zip(load.flows, frames_of(load), delays_of(load), strict=True)
    ):
        # A count of 0 means without end: right for a load without a rate only.
        if count or load.rate is None:
            lines += _device(thread, load, flow, number, {"count": count, "delay": delay})
    # Paced frames have a count that ends them: only then may the stop come late.
    late = LOOK_SECONDS / 2 if load.rate is None else START_SECONDS
    lines += ["echo BEFORE", "sums", f"run {load.seconds + late:.6f}"]
    lines += [f"sleep {load.drain_seconds:.3f}", "echo AFTER", "sums", "echo SENT"]
    for number, flow in enumerate(load.flows):
        device = f"{load.ports[flow.tx_name]}@{number}"
        lines.append(f"[ ! -e {device} ] || {{ echo DEVICE {number}; cat {device}; }}")
    return "\n".join(lines)


def _down(ports: list[str]) -> list[str]:
    """A shell function that ends the trial where a port is down: pktgen refuses such a one."""
    return [
        "down() {",
        f"for p in {' '.join(ports)}; do",
        '[ "$(cat /sys/class/net/$p/carrier 2>&-)" = 1 ] ||',
        f'{{ echo "{DOWN} $p"; exit 0; }}',
        "done",
        "}",
    ]


def _sums(ports: list[str]) -> list[str]:
    """A shell function that prints what the kernel has counted so far."""
    dropped = " ".join(f"{port}/statistics/rx_dropped" for port in ports)
    return [
        "sums() {",
        "cd /sys/class/net",
        f"grep -H . {dropped}",
        # A port that is set down has no carrier to read.
        *(f"echo carrier {port} $(cat {port}/carrier 2>&-)" for port in ports),
        "cd /proc/net/pktgen",
        "grep '^cpu[0-9]' /proc/stat",
        f"nft -j list counters table netdev {TABLE}",
        "}",
    ]


def _device(
    thread: str, load: Load, flow: Flow, number: int, settings: Mapping[str, int]
) -> list[str]:
    device = f"{load.ports[flow.tx_name]}@{number}"
    words: dict[str, str | int] = {
        **settings,
        "pkt_size": load.size - FCS,
        "src_mac": flow.ethernet.src,
        "dst_mac": flow.ethernet.dst,
    }
    for end, value in (("src", flow.transport.src_port), ("dst", flow.transport.dst_port)):
        # Its ports end before the maximum, its addresses with it.
        first, count = first_value(value), how_many(value)
        words |= {
            f"udp_{end}_min": first,
            f"udp_{end}_max": int(first) + (count if count > 1 else 0),
        }
    if flow.ipv6:
        # Without a checksum a UDP packet is none over IPv6 (RFC 8200 section 8.1).
        src, dst = (first_value(value) for value in (flow.internet.src, flow.internet.dst))
        words |= {"src6": src, "dst6": dst, "flag": "UDPCSUM"}
    else:
        for end, address in (("src", flow.internet.src), ("dst", flow.internet.dst)):
            words |= {f"{end}_min": first_value(address), f"{end}_max": last_value(address)}
    return [
        f"pg {thread} 'add_device {device}'",
        *(f"pg {device} '{word} {value}'" for word, value in words.items()),
    ]
