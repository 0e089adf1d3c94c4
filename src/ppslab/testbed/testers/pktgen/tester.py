"""The kernel's packet generator, pktgen (Documentation/networking/pktgen.rst), as a tester.

It only sends.  What arrives is counted at the receiving port's ingress, a counter of nftables for
each flow, in front of the tester's own stack.  So it knows how many frames came, and of each frame
nothing: no delay, no duplicates, no order.  A router that rewrites addresses hides its flows.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.model.lab.packets import Flow, Pattern, first_value, how_many
from ppslab.testbed.testers.contract import Ability, Load, Outcome, by_ones, require
from ppslab.testbed.testers.counts import FlowCounts, TrialCounts, assembled
from ppslab.testbed.testers.ppstraffic import Runner, give_queues

NEEDS = frozenset({"pktgen", "nft-netdev"})
"""Features of the kernel, as `capabilities` names them."""

MIN_SIZE = 64
MIN_SIZE_V6 = 82
"""Ethernet, IPv6, UDP, pktgen's own 16 bytes and the FCS."""
MAX_SIZE = 9216

LATE_SECONDS = 0.01
"""After this much more than the load's seconds a sender was late, as with ppstraffic."""


@dataclass(frozen=True)
class _Sent:
    """What one flow's device says after a trial."""

    frames: int
    refused: int
    started_us: int
    stopped_us: int


class Tester:
    name = "pktgen"
    abilities: frozenset[Ability] = frozenset({"as fast as it can", "ipv6", "stepping fields"})

    def __init__(self, node: Runner, *, cards: bool = False) -> None:
        """`cards`: its ports are network cards of this machine."""
        self.node = node
        self.cards = cards
        self.settings = {
            "sends": "one kernel thread, the flows by turns",
            "counts": "nftables at the ingress of the receiving port",
        }
        self._table = ""

    def version(self) -> str:
        """Its own version and the kernel's, such as `2.75 (Linux 6.1.0-56-amd64)`."""
        self._load()
        output = self.node.run(["sh", "-ec", "cat /proc/net/pktgen/pgctrl; uname -r"]).stdout
        match = re.search(r"Version: (\S+)\s+(\S+)", output)
        if not match:
            raise BackendError(f"/proc/net/pktgen/pgctrl reports no version: {output.strip()}")
        return f"{match[1]} (Linux {match[2]})"

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """A queue of its own for each port in separate trials.

        A card has one, but lets nothing pass that is not for its own address.
        """
        if not self.cards:
            give_queues(self.node, ports, separate)
            return
        lines = [f"ip link set dev {port} promisc on" for port in ports.values()]
        self.node.run(["sh", "-ec", "; ".join(lines)])

    def trial(self, load: Load) -> Outcome:
        """Run one trial.  One in which a port went down is returned as aborted, with the reason."""
        require(self, load)
        _check(load)
        self._load()
        self._count(load)
        begun = time.monotonic()
        seconds = load.seconds + load.settle_seconds + load.drain_seconds
        try:
            output = self._run(script(load), 60 + 3 * seconds)
        except BaseException:
            self.node.run(["sh", "-c", STOP], check=False)
            raise
        return Outcome(read(load, output, time.monotonic() - begun))

    def _load(self) -> None:
        looked = (
            "[ -w /proc/net/pktgen/pgctrl ] || modprobe pktgen && [ -w /proc/net/pktgen/pgctrl ]"
        )
        done = self.node.run(["sh", "-c", looked], check=False)
        if done.returncode:
            why = done.stderr.strip() or "it is not for this user"
            raise CannotHereError(
                f"no pktgen here: {why}", "use --backend vm, or --tester ppstraffic"
            )

    def _count(self, load: Load) -> None:
        """Load the counters, where they are not those of this load yet."""
        table = counters(load)
        if table != self._table:
            self._table = ""
            self.node.run(["sh", "-ec", f"nft -f - <<'END'\n{table}END"])
            self._table = table

    def _run(self, text: str, timeout: float) -> str:
        done = self.node.run(["sh", "-ec", text], timeout=timeout, check=False)
        if done.returncode:
            raise BackendError(f"pktgen: {done.stderr.strip() or f'ended with {done.returncode}'}")
        return done.stdout


def _check(load: Load) -> None:
    if not MIN_SIZE <= load.size <= MAX_SIZE:
        raise UsageError(f"frame size {load.size}: pktgen sends {MIN_SIZE} to {MAX_SIZE} bytes")
    keys: dict[str, str] = {}
    for flow in load.flows:
        if flow.ipv6 and load.size < MIN_SIZE_V6:
            raise UsageError(
                f"flow {flow.name}: an IPv6 frame of pktgen needs {MIN_SIZE_V6} bytes, "
                f"not {load.size}"
            )
        by_ones("pktgen", flow)
        if flow.ipv6 and any(how_many(end) > 1 for end in (flow.internet.src, flow.internet.dst)):
            raise UsageError(f"flow {flow.name}: pktgen steps no IPv6 addresses")
        other = keys.setdefault(key(flow), flow.name)
        if other != flow.name:
            raise UsageError(f"flows {other} and {flow.name}: pktgen cannot tell them apart")


def read(load: Load, output: str, elapsed: float) -> TrialCounts:
    down = re.search(rf"^{DOWN} (\S+)$", output, re.M)
    if down:
        return _nothing(load, f"port {down[1]} is down", elapsed)
    before, rest = output.partition("BEFORE\n")[2].split("AFTER\n")
    after, devices = rest.split("SENT\n")
    sent = {n: _sent(text) for n, text in _devices(devices)}
    received = _difference(_counted(before), _counted(after))
    flows = []
    for number, (flow, wanted, delay) in enumerate(
        zip(load.flows, frames_of(load), delays_of(load), strict=True)
    ):
        one = sent.get(number, _Sent(0, 0, 0, 0))
        flows.append(
            FlowCounts(
                name=flow.name,
                intended=one.frames if load.rate is None else _due(one, wanted, delay),
                offered=one.frames,
                received=received[f"f{number}"],
            )
        )
    lost = [
        port for port, interface in load.ports.items() if f"carrier {interface} 1\n" not in after
    ]
    spans = [one for one in sent.values() if one.stopped_us]
    first = min((one.started_us for one in spans), default=0)
    last = max((one.stopped_us for one in spans), default=0)
    drops = _difference(_dropped(before), _dropped(after))
    return assembled(
        "pktgen",
        size=load.size,
        rate=load.rate,
        seconds=load.seconds,
        flows=flows,
        send_seconds=(last - first) / 1e6,
        elapsed_seconds=elapsed,
        reason=f"port {lost[0]} went down" if lost else None,
        tx_cpu=load.tx_cpu or 0,
        refused=sum(one.refused for one in sent.values()),
        misdelivered=received[MISDELIVERED],
        kernel_drops=sum(drops.values()),
        steal_ticks=_difference(_steal(before), _steal(after)),
        steal_window_seconds=load.seconds + load.drain_seconds,
    )


def _nothing(load: Load, reason: str, elapsed: float) -> TrialCounts:
    return assembled(
        "pktgen",
        size=load.size,
        rate=load.rate,
        seconds=load.seconds,
        flows=[
            FlowCounts(flow.name, count, 0, 0)
            for flow, count in zip(load.flows, frames_of(load), strict=True)
        ],
        send_seconds=0.0,
        elapsed_seconds=elapsed,
        reason=reason,
        tx_cpu=load.tx_cpu or 0,
    )


def _due(one: _Sent, wanted: int, delay: int) -> int:
    """Frames that were due until the flow's device stopped, on time or not.

    A late sender and one whose frames are refused go on until all are sent, or they are stopped.
    """
    span = one.stopped_us - one.started_us
    if span / 1e6 <= wanted * delay / 1e9 + LATE_SECONDS:
        return max(wanted, one.frames + one.refused)
    return max(wanted, one.frames + one.refused, span * 1000 // delay)


def _devices(text: str) -> list[tuple[int, str]]:
    parts = re.split(r"DEVICE (\d+)\n", text)[1:]
    return [(int(parts[n]), parts[n + 1]) for n in range(0, len(parts), 2)]


def _sent(text: str) -> _Sent:
    match = re.search(
        r"pkts-sofar: (\d+)\s+errors: (\d+)\s+started: (\d+)us\s+stopped: (\d+)us", text
    )
    if not match:
        raise BackendError(f"pktgen does not report what it sent:\n{text.strip()}")
    return _Sent(*map(int, match.groups()))


def _counted(text: str) -> dict[str, int]:
    try:
        said, _ = json.JSONDecoder().raw_decode(text[text.index('{"nftables"') :])
        listed = [item["counter"] for item in said["nftables"] if "counter" in item]
    except (ValueError, KeyError):
        raise BackendError(f"nft lists no counters: {text.strip()}") from None
    return {item["name"]: int(item["packets"]) for item in listed}


def _dropped(text: str) -> dict[str, int]:
    return {p: int(n) for p, n in re.findall(r"^(\S+)/statistics/rx_dropped:(\d+)$", text, re.M)}


def _difference(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def _steal(text: str) -> dict[str, int]:
    """Ticks that the hypervisor has taken so far, by CPU; proc(5), /proc/stat."""
    return {cpu: int(rest.split()[7]) for cpu, rest in re.findall(r"^cpu(\d+) +(.*)$", text, re.M)}


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
