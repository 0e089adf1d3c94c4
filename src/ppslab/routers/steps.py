"""Shell lines that make of a Linux node what a condition says, and that take it away again.

Nothing is run here: the router puts the lines of a condition into one script.  Under emulation a
process takes 80 ms, so what one program can take in one batch is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ppslab.conditions import BpfMode, LinuxWords
from ppslab.lab import Lab
from ppslab.routers import bpf_maps
from ppslab.routers.read_back import BRIDGE

EVERYTHING = LinuxWords(
    ip=("any",),
    nft=("any",),
    bridge=True,
    bpf="any",
    tc=("any",),
    routes=("any",),
    programs=({"run": "any"},),  # type: ignore[arg-type]
)
"""What may stand on a router that nobody has configured yet, or whose configuration failed."""

NOTHING = LinuxWords()

# At the router's ingress, before the stack: what remains is the sender's own cost.
_DROP = """table netdev baseline {{
  chain ingress {{
    type filter hook ingress devices = {{ {devices} }} priority 0; policy drop;
  }}
}}
"""

_XDP_WORDS = ("xdpdrv", "xdpgeneric")


def sysctls(values: Mapping[str, str]) -> list[str]:
    """Set the kernel's settings, by key."""
    return [f"sysctl -q -w '{key}={value}'" for key, value in values.items()]


def links(lab: Lab, words: LinuxWords, ports: Sequence[str]) -> list[str]:
    """Links, VLANs, routes and the bridge of the ports."""
    lines = [feed("ip -batch -", lab.text(file)) for file in words.ip]
    lines += [feed("bridge -batch -", lab.text(file)) for file in words.vlans]
    lines += [feed("ip -batch -", bpf_maps.routes_of(lab.folder / file)) for file in words.routes]
    if words.bridge:
        batch = [f"link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0"]
        batch += [f"link set dev {port} master {BRIDGE}" for port in ports]
        lines.append(feed("ip -batch -", "\n".join([*batch, f"link set dev {BRIDGE} up"])))
    return lines


def rules(text: str) -> str:
    """Load the rules in the place of all that stand there."""
    return feed("nft -f -", f"flush ruleset\n{text}")


def drop(ports: Sequence[str]) -> str:
    """The rules that drop every frame at the ports' ingress."""
    return rules(_DROP.format(devices=", ".join(ports)))


def attach(words: LinuxWords, ports: Sequence[str], objects: Path, mode: BpfMode) -> list[str]:
    """Attach the condition's BPF program, `objects`/NAME.o, to its ports."""
    path = objects / f"{words.bpf}.o"
    ports = words.bpf_ports or ports
    if mode == "tc":
        # One shared block, one program, one map: a bridge must know all of its ports.
        blocks = [f"tc qdisc add dev {p} ingress_block 1 clsact" for p in ports]
        load = f"tc filter add block 1 ingress bpf direct-action object-file '{path}' section tc"
        return [*blocks, load]
    word = "xdpgeneric" if mode == "xdp-generic" else "xdpdrv"
    return [f"ip link set dev {p} {word} object '{path}' section xdp.frags" for p in ports]


def take_away(standing: LinuxWords, ports: Sequence[str]) -> str:
    """Take away the bridge, the BPF programs and the queues that stand there.

    A batch runs on where something was not there: the read-back says whether all is gone.
    """
    lines = ""
    made, queues = [], []
    if standing.bridge:
        made.append(f"link del {BRIDGE}")
    if standing.bpf:
        made += [f"link set dev {p} {w} off" for p in ports for w in _XDP_WORDS]
        queues += [f"qdisc del dev {port} clsact" for port in ports]
    if standing.tc:
        # A file of tc may add a clsact of its own, for what leaves a port.
        kinds = ("root",) if standing.bpf else ("root", "clsact")
        queues += [f"qdisc del dev {port} {kind}" for port in ports for kind in kinds]
    if made:
        lines += feed("ip -force -batch - 2>/dev/null || :", "\n".join(made))
    if queues:
        lines += feed("tc -force -batch - 2>/dev/null || :", "\n".join(queues))
    if standing.bpf:
        lines += bpf_maps.FORGET
    if standing.routes:
        lines += bpf_maps.FORGET_ROUTES
    return lines


def listing(texts: Sequence[str], ports: Sequence[str]) -> str:
    """Load rules into a namespace where there is nothing, and list them.

    Nothing but links of the ports' names: a flowtable names its devices.
    """
    script = ""
    if any(word in text for text in texts for word in ("flowtable", "netdev")):
        script += "".join(f"ip link add {p} type veth peer name x{p}\n" for p in ports)
    script += "".join(feed("nft -f -", text) for text in texts)
    return script + "nft -j -s list ruleset\n"


def feed(command: str, text: str) -> str:
    """A shell line that gives `text` to `command`."""
    program, bar, rest = command.partition(" 2>")
    return f"{program} <<'PPSLAB'{bar}{rest}\n{text.rstrip()}\nPPSLAB\n"
