"""The kernel features that labs name in `needs`: what each is for, and who has them.

Host features are probed in a child process (see backends.prober); the guest's are probed inside the
guest at the first boot of each kernel and remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.backends import prober
from ppslab.backends.capabilities.guest_kernel import GuestKernel, installed_kernel
from ppslab.backends.prober.absence import Absence, Obstacle
from ppslab.base import documents
from ppslab.base.documents import half_written
from ppslab.base.paths import cache_dir

#: Word of `needs`: what a lab wants it for.
MEANINGS: Mapping[str, str] = {
    "netns": "network namespaces, the nodes themselves",
    "veth": "the wires between nodes",
    "bridge": "Linux bridge",
    "vlan": "802.1Q VLAN interfaces",
    "vlan-tags": "VLAN tags that tc writes and takes off",
    "bonding": "802.3ad bonding",
    "vxlan": "VXLAN tunnels",
    "gre": "GRE tunnels",
    "ipip": "IP in IP tunnels",
    "wireguard": "WireGuard tunnels, and the program that sets their keys",
    "gretap": "Ethernet over GRE, which stands in for EoIP",
    "esp": "IPsec ESP with AES-GCM",
    "tun": "TUN and TAP interfaces",
    "nft": "nftables, the firewall rules",
    "nft-netdev": "nftables at a port's ingress",
    "nft-bridge": "nftables bridge family, the bridge filter",
    "conntrack": "connection tracking",
    "flowtable": "nftables flowtable, which stands in for FastTrack",
    "htb": "HTB, which stands in for simple queues",
    "u32": "the tc classifier that sorts into queues",
    "flower": "the tc classifier that stands in for a switch chip's rules",
    "netem": "a known delay and loss",
    "queue-kinds": "the queues RED, SFQ, CoDel, FQ-CoDel and CAKE",
    "pppoe": "PPPoE sessions whose frames the kernel carries",
    "mppe": "MPPE, the encryption of a PPP session",
    "bpf": "loading BPF programs, which stand in for the fast path",
    "lpm-trie": "longest-prefix tables in BPF, which stand in for a switch chip's",
    "tc-bpf": "BPF at the traffic control hook",
    "xdp-generic": "XDP in the stack",
    "xdp-native": "XDP in the veth driver",
    "tpacket-v3": "the receiver's ring",
    "rps": "choosing the CPU that routes",
    "threaded-napi": "a thread a port that routes",
    "numa": "a machine of several sockets with network cards on each, built to order",
    "card-queues": "network cards with several queues, in a guest",
    "hyper-threads": "two threads of one core that route",
    "pktgen": "the kernel's packet generator",
    "perf": "performance counters",
    "perf-cycles": "the CPU's own cycle counter",
}
#: What Debian's and Ubuntu's stock kernels have in the guest; tests/backends/vm proves it.
#: Used for choosing before the first boot. The cycle counter is the CPU's, and emulation has none.
STOCK = frozenset(MEANINGS) - {"perf-cycles", "hyper-threads", "card-queues"}
#: What no kernel and no backend brings, only another machine: it decides no choice of a backend,
#: and a condition that needs it is left out where it is not there.
OF_THE_MACHINE = frozenset({"hyper-threads", "card-queues"})
OF_THE_HOST = frozenset({"card-queues"})
"""What a guest has of the machine that it runs on: probed there, and of no use to its own nodes."""
#: Without these there is no namespaces backend at all.
BASE = frozenset({"netns", "veth"})

PROBER = Path(prober.__file__).parent
"""The folder that is run: by this Python here, and inside the guest."""

PROBE_SECONDS = 180.0
"""For all features of this kernel; it takes 1 s."""

_ANOTHER_MACHINE = {
    "perf-cycles": "a machine whose hypervisor passes the counters on, or no hypervisor",
    "hyper-threads": "a machine whose cores have two threads and show them",
}

TOOL_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nft": "nftables",
    "modprobe": "kmod",
    "bpftool": "bpftool",
    "wg": "wireguard-tools",
    "pppd": "ppp",
    "pppoe-server": "pppoe",
}


@dataclass(frozen=True)
class Feature:
    """One feature of a kernel; `absence` is None where the kernel has it."""

    name: str
    absence: Absence | None = None

    @property
    def present(self) -> bool:
        """Whether it is there."""
        return self.absence is None

    @property
    def late(self) -> bool:
        """Whether the answer did not come in time, so that it says nothing of the kernel."""
        return self.absence is not None and self.absence.obstacle is Obstacle.LATE

    @property
    def why(self) -> str:
        """How its absence showed; empty where the kernel has it."""
        return self.absence.sentence if self.absence else ""

    @property
    def remedy(self) -> str:
        """The command that brings it, or where to get it; empty where the kernel has it."""
        return _remedy(self.name, self.absence) if self.absence else ""

    @property
    def meaning(self) -> str:
        """What a lab needs it for."""
        return MEANINGS[self.name]


def prober_command(python: str = sys.executable) -> list[str]:
    """The command that probes where it is run, and prints JSON. -S: no site, it starts faster."""
    return [python, "-P", "-S", str(PROBER)]


def host_features() -> dict[str, Feature]:
    """What this kernel lets this user do, tried in a namespace that ends with the prober.

    Where something was late it is asked once more, and an answer that was late is not kept.
    """
    for _ in range(2):
        found = _probed_host()
        if not any(feature.late for feature in found.values()):
            break
        _probed_host.cache_clear()
    return found


@lru_cache(maxsize=1)
def _probed_host() -> dict[str, Feature]:
    try:
        done = subprocess.run(
            prober_command(), capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
        answer = done.stdout or "{}"
        failure = (
            done.stderr.strip().splitlines() or [f"the prober ended with {done.returncode}"]
        )[-1]
    except subprocess.TimeoutExpired as error:
        late = Absence(Obstacle.LATE, str(error))
        return {name: Feature(name, late) for name in MEANINGS}
    except OSError as error:
        answer, failure = "{}", str(error)
    return features_from(answer, failure)


def features_from(answer: str, failure: str = "not probed") -> dict[str, Feature]:
    """Features from the prober's output; those that it did not name are absent by `failure`."""
    try:
        found = json.loads(answer)
    except ValueError:
        found = {}
    untried = Absence(Obstacle.NOT_TRIED, failure)
    return {
        name: Feature(name, _absence(found[name]) if name in found else untried)
        for name in MEANINGS
    }


def _absence(data: Mapping[str, Any] | None) -> Absence | None:
    return None if data is None else Absence.of(data)


def _remedy(name: str, absence: Absence) -> str:
    if absence.program in TOOL_PACKAGES:
        return f"sudo apt-get install {TOOL_PACKAGES[absence.program]}"
    if name in OF_THE_HOST and absence.obstacle is not Obstacle.RESTRICTED:
        return "sudo modprobe -a tun bridge, and run with sudo"
    if absence.obstacle is Obstacle.RESTRICTED:
        return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run with sudo"
    if name == "netns" or (absence.obstacle is Obstacle.NOT_ALLOWED and os.geteuid()):
        return "run with sudo, or use --backend vm"
    if name in _ANOTHER_MACHINE:
        return _ANOTHER_MACHINE[name]
    return "use --backend vm: the guest's kernel has it"


def _guest_file(kernel: GuestKernel) -> Path:
    """Where the answer for a kernel is kept; every version of the prober has a file of its own."""
    asked = hashlib.sha256()
    for source in sorted(PROBER.glob("*.py")):
        asked.update(source.read_bytes())
    return cache_dir() / "guest" / f"{kernel.version}-{asked.hexdigest()[:12]}.json"


def guest_features(kernel: GuestKernel | None = None) -> dict[str, Feature] | None:
    """What was found inside the guest with this kernel, and what the guest has of this machine.

    None if it was not probed yet.
    """
    kernel = kernel or installed_kernel()
    if kernel is None:
        return None
    try:
        found = features_from(_guest_file(kernel).read_text())
    except OSError:
        return None
    host = host_features()
    return found | {name: host[name] for name in OF_THE_HOST}


def remember_guest(kernel: GuestKernel, answer: str) -> None:
    """Keep what the prober printed inside the guest; what was late is asked again another time."""
    if any(feature.late for feature in features_from(answer).values()):
        return
    path = _guest_file(kernel)
    half_written.sweep(path.parent)
    documents.write_atomic(path, answer)
