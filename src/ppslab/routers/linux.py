"""The Linux router: a condition's rule sets, queues, bridge and BPF programs, and their read-back.

What was loaded is compared with what the files say.  A rule set that failed to load silently once
gave a null result (reference measurement, A/A); since then no trial runs unread.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ppslab.backends import Node
from ppslab.errors import BackendError, CannotHereError
from ppslab.lab import Condition, Expect, Lab, LinuxWords
from ppslab.routers import offloads

BpfMode = Literal["tc", "xdp-generic", "xdp-native"]
BPF_MODES: tuple[BpfMode, ...] = ("tc", "xdp-generic", "xdp-native")

BRIDGE = "br0"

CANNOT_SHOW = (
    "A router made of the Linux kernel and veth pairs has no switch chip, no line rate and no "
    "hardware queues: it shows which condition costs more and by how much, not the packets per "
    "second of a router of MikroTik's."
)

# At the router's ingress, before the stack: what remains is the sender's own cost.
_DROP = """table netdev baseline {{
  chain ingress {{
    type filter hook ingress devices = {{ {devices} }} priority 0; policy drop;
  }}
}}
"""

_READ = (
    """echo '## rules'; nft -j -s list ruleset
echo '## links'; ip -j -d link show
echo '## qdiscs'; tc -j qdisc show
"""
    + offloads.READ
)


# What may stand on a router that nobody has configured yet, or whose configuration failed.
_EVERYTHING = LinuxWords(bridge=True, bpf="any", tc=("any",))

_XDP_WORDS = ("xdpdrv", "xdpgeneric")


@dataclass(frozen=True)
class ReadBack:
    """What the router says it is: `problems` is empty where that is the condition."""

    problems: tuple[str, ...]
    text: str


_FORWARDING = "net.ipv4.ip_forward net.ipv6.conf.all.forwarding"


class LinuxRouter:
    """The kernel of one node as the device under test."""

    name = "linux"
    cannot_show = CANNOT_SHOW

    def __init__(self, node: Node, lab: Lab, bpf_objects: Path) -> None:
        self.node = node
        self.lab = lab
        self.ports = list(lab.words.ports.values())
        self.bpf_objects = bpf_objects
        self.bpf_modes: dict[str, BpfMode] = {}
        self._sysctls: dict[str, str] = {}
        self._listings: dict[str, list[Any]] = {}
        self._standing = _EVERYTHING

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the router from whatever it is into `condition`.

        `bpf_mode` overrides the way in which the condition's BPF program is attached; without it
        the way that `bpf_modes` names for the program.  BackendError with the router's own words
        where a step fails.
        """
        words = condition.linux
        rules = "".join(self.lab.text(file) for file in words.nft)
        script = [self._reset(), _feed("nft -f -", f"flush ruleset\n{rules}")]
        for key, value in words.sysctls.items():
            self._remember(key)
            script.append(f"sysctl -q -w {key}={value}")
        if words.bridge:
            lines = [f"link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0"]
            lines += [f"link set dev {port} master {BRIDGE}" for port in self.ports]
            script.append(_feed("ip -batch -", "\n".join([*lines, f"link set dev {BRIDGE} up"])))
        for file in words.tc:
            script.append(_feed("tc -batch -", self.lab.text(file)))
        if words.bpf:
            script += self._attach(words.bpf, bpf_mode or self.bpf_modes.get(words.bpf, "tc"))
        self._standing = _EVERYTHING
        self._sh("\n".join(script), condition.name)
        self._standing = words

    reset_kind = "software: forwarding stops, the configuration goes and is set again"

    def reset(self, condition: Condition) -> None:
        """A software reset while traffic flows (RFC 6201 section 4.2), as far as there is one.

        Forwarding stops, all that the condition set is taken away and set anew, forwarding starts.
        """
        self._sh(f"for key in {_FORWARDING}; do sysctl -q -w $key=0; done", "reset")
        self.apply(condition)
        self._sh(f"for key in {_FORWARDING}; do sysctl -q -w $key=1; done", "reset")

    def apply_baseline(self) -> None:
        """Drop every frame at the ports' ingress: the sender's own cost remains."""
        rules = "flush ruleset\n" + _DROP.format(devices=", ".join(self.ports))
        script = self._reset() + _feed("nft -f -", rules)
        self._standing = _EVERYTHING
        self._sh(script, "drop baseline")
        self._standing = LinuxWords(expect=Expect(conntrack=False))

    def read_back_baseline(self) -> ReadBack:
        """Whether the drop baseline stands."""
        state = self._state()
        chains = [rule["chain"] for rule in state["rules"] if "chain" in rule]
        good = len(chains) == 1 and chains[0].get("policy") == "drop"
        problems = () if good else ("the drop baseline's chain is not there",)
        return ReadBack(problems, state["text"])

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """What the router is now, compared with `condition`."""
        words = condition.linux
        state = self._state(condition)
        mode = bpf_mode or self.bpf_modes.get(words.bpf or "", "tc")
        problems = [
            *self._compare_rules(condition, state["rules"]),
            *self._compare_bridge(words.bridge, state["links"]),
            *self._compare_queues(condition, state),
            *self._compare_bpf(words.bpf, mode, state),
            *offloads.problems(
                state["offloads"], native_xdp=bool(words.bpf) and mode == "xdp-native"
            ),
        ]
        for key, value in words.sysctls.items():
            found = state["sysctls"].get(key, "")
            if found != value:
                problems.append(f"{key} is {found!r}, not {value!r}")
        return ReadBack(tuple(problems), state["text"])

    def tracked_connections(self) -> int:
        """Entries in the connection tracking table of the router's network namespace."""
        path = "/proc/sys/net/netfilter/nf_conntrack_count"
        answer = self.node.run(["cat", path], check=False)
        return int(answer.stdout) if answer.returncode == 0 else 0

    def steer(self, cpu: int | None) -> None:
        """Let `cpu` route what the ports receive; None: the CPU that sends does (coupled).

        Receive packet steering (Documentation/networking/scaling.rst).  A full backlog of that
        CPU drops, as a full ring of a network card does, and the sender does not feel it.
        """
        mask = f"{1 << cpu:x}" if cpu is not None else "0"
        lines = [f"echo {mask} > /sys/class/net/{p}/queues/rx-0/rps_cpus" for p in self.ports]
        answer = self.node.run(["sh", "-e"], input="\n".join(lines), check=False)
        if answer.returncode != 0:
            raise CannotHereError(
                "packets cannot be steered to a CPU of their own here: "
                + answer.stderr.strip().splitlines()[-1],
                "run as root, or with --backend vm",
            )

    def _reset(self) -> str:
        """The lines that take away what stands there and is not wanted.

        Under emulation a process takes 80 ms, so what does not stand is not taken away, and what
        must go goes in one batch.  A batch runs on where something was not there: the read-back
        says whether all is gone.
        """
        standing = self._standing
        lines = "".join(f"sysctl -q -w {k}={v}\n" for k, v in self._sysctls.items())
        links, queues = [], []
        if standing.bridge:
            links.append(f"link del {BRIDGE}")
        if standing.bpf:
            links += [f"link set dev {p} {w} off" for p in self.ports for w in _XDP_WORDS]
            queues += [f"qdisc del dev {port} clsact" for port in self.ports]
        if standing.tc:
            queues += [f"qdisc del dev {port} root" for port in self.ports]
        if links:
            lines += _feed("ip -force -batch - 2>/dev/null || :", "\n".join(links))
        if queues:
            lines += _feed("tc -force -batch - 2>/dev/null || :", "\n".join(queues))
        if standing.expect.conntrack is not False:
            lines += "conntrack -F >/dev/null 2>&1 || :\n"
        return lines

    def _remember(self, key: str) -> None:
        if key not in self._sysctls:
            self._sysctls[key] = self.node.run(["sysctl", "-n", key]).stdout.strip()

    def _attach(self, program: str, mode: BpfMode) -> list[str]:
        path = self.bpf_objects / f"{program}.o"
        if mode == "tc":
            # One shared block, one program, one map: a bridge must know all of its ports.
            blocks = [f"tc qdisc add dev {p} ingress_block 1 clsact" for p in self.ports]
            load = (
                f"tc filter add block 1 ingress bpf direct-action object-file '{path}' section tc"
            )
            return [*blocks, load]
        word = "xdpgeneric" if mode == "xdp-generic" else "xdpdrv"
        return [f"ip link set dev {p} {word} object '{path}' section xdp.frags" for p in self.ports]

    def _state(self, condition: Condition | None = None) -> dict[str, Any]:
        script = _READ
        words = condition.linux if condition else None
        if words and words.tc:
            for port in self.ports:
                script += f"echo '## classes {port}'; tc class show dev {port}\n"
                script += f"echo '## filters {port}'; tc filter show dev {port}\n"
        if words and words.bpf:
            script += "echo '## block'; tc filter show block 1 2>/dev/null || :\n"
        for key in words.sysctls if words else ():
            script += f"echo '## sysctl {key}'; sysctl -n {key}\n"
        parts = _sections(self._sh(script, "read-back"))
        merging = offloads.of(parts["offloads"], self.ports)
        parts["offloads"] = offloads.text(merging)
        return {
            "text": "".join(f"## {name}\n{part}" for name, part in parts.items()),
            "parts": parts,
            "offloads": merging,
            "rules": _plain_rules(parts["rules"]),
            "links": {link["ifname"]: link for link in json.loads(parts["links"])},
            "qdiscs": json.loads(parts["qdiscs"]),
            "sysctls": {
                name.removeprefix("sysctl "): part.strip()
                for name, part in parts.items()
                if name.startswith("sysctl ")
            },
        }

    def _compare_rules(self, condition: Condition, found: list[Any]) -> Iterable[str]:
        count = sum("rule" in entry for entry in found)
        expected = condition.linux.expect.rules
        if expected is not None and count != expected:
            yield f"the router has {count} rules, not {expected}"
        if found != self._listing(condition):
            files = ", ".join(condition.linux.nft) or "no rule set"
            yield f"the router's rules are not those of {files}"

    def _listing(self, condition: Condition) -> list[Any]:
        """The rules as the same kernel lists them when the files are loaded into nothing."""
        if condition.name not in self._listings:
            script = "".join(_feed("nft -f -", self.lab.text(f)) for f in condition.linux.nft)
            script += "nft -j -s list ruleset\n"
            answer = self.node.run(["unshare", "--net", "sh", "-e"], input=script)
            self._listings[condition.name] = _plain_rules(answer.stdout)
        return self._listings[condition.name]

    def _compare_bridge(self, bridge: bool, links: dict[str, Any]) -> Iterable[str]:
        for port in self.ports:
            master = links[port].get("master")
            if bridge and master != BRIDGE:
                yield f"port {port} is not in {BRIDGE}"
            if not bridge and master:
                yield f"port {port} is in {master}"

    def _compare_queues(self, condition: Condition, state: dict[str, Any]) -> Iterable[str]:
        expect = condition.linux.expect
        queued = {q["dev"] for q in state["qdiscs"] if q["kind"] not in ("noqueue", "clsact")}
        for port in self.ports:
            if not condition.linux.tc and port in queued:
                yield f"port {port} has a queue"
            if expect.classes is not None:
                lines = state["parts"].get(f"classes {port}", "").splitlines()
                leaves = sum(" leaf " in f"{line} " or " prio " in line for line in lines)
                if leaves != expect.classes:
                    yield f"port {port} has {leaves} leaf classes, not {expect.classes}"
            if expect.filters is not None:
                lines = state["parts"].get(f"filters {port}", "").splitlines()
                filters = sum("flowid" in line for line in lines)
                if filters != expect.filters:
                    yield f"port {port} has {filters} filters, not {expect.filters}"

    def _compare_bpf(
        self, program: str | None, mode: BpfMode, state: dict[str, Any]
    ) -> Iterable[str]:
        in_block = f"{program}.o" in state["parts"].get("block", "")
        for port in self.ports:
            blocked = any(
                q["dev"] == port and q["kind"] == "clsact" and q.get("ingress_block") == 1
                for q in state["qdiscs"]
            )
            xdp = state["links"][port].get("xdp", {}).get("mode")
            found = "tc" if blocked and (in_block or not program) else None
            if xdp is not None:
                # linux/if_link.h: XDP_ATTACHED_DRV 1, XDP_ATTACHED_SKB 2
                found = {1: "xdp-native", 2: "xdp-generic"}.get(xdp, str(xdp))
            expected = mode if program else None
            if found != expected:
                yield f"port {port}: {found or 'no'} BPF program, not {expected or 'none'}"

    def _sh(self, script: str, what: str) -> str:
        answer = self.node.run(["sh", "-e"], input=script, check=False)
        if answer.returncode != 0:
            said = answer.stderr.strip() or f"exit code {answer.returncode}"
            raise BackendError(f"router {self.node.name}: {what}: {said}")
        return answer.stdout


def _feed(command: str, text: str) -> str:
    """A shell line that gives `text` to `command`."""
    program, bar, rest = command.partition(" 2>")
    return f"{program} <<'PPSLAB'{bar}{rest}\n{text.rstrip()}\nPPSLAB\n"


def _sections(text: str) -> dict[str, str]:
    """`## name` lines and what stands below each."""
    parts: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("## "):
            name = line[3:].strip()
            parts[name] = ""
        else:
            parts[name] = parts.get(name, "") + line + "\n"
    return parts


def _plain_rules(listing: str) -> list[Any]:
    """Nft's JSON without what differs between two loads of one file: handles, versions."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if k not in ("handle", "index")}
        return [plain(v) for v in value] if isinstance(value, list) else value

    entries = json.loads(listing)["nftables"] if listing.strip() else []
    return [plain(entry) for entry in entries if "metainfo" not in entry]
