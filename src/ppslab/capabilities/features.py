"""The kernel features that labs name in `needs`: what each is for, and who has them.

Host features are probed in a child process (see prober.py); the guest's are probed inside the
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

from ppslab.capabilities import prober
from ppslab.capabilities.guest_kernel import GuestKernel, installed_kernel
from ppslab.paths import cache_dir

#: Word of `needs`: what a lab wants it for.
MEANINGS: Mapping[str, str] = {
    "netns": "network namespaces, the nodes themselves",
    "veth": "the wires between nodes",
    "bridge": "Linux bridge",
    "vlan": "802.1Q VLAN interfaces",
    "bonding": "802.3ad bonding",
    "vxlan": "VXLAN tunnels",
    "gre": "GRE tunnels",
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
    "netem": "a known delay and loss",
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
    "hyper-threads": "two threads of one core that route",
    "pktgen": "the kernel's packet generator",
    "perf": "performance counters",
    "perf-cycles": "the CPU's own cycle counter",
}
#: What Debian's and Ubuntu's stock kernels have in the guest; tests/backends/test_vm.py proves it.
#: Used for choosing before the first boot. The cycle counter is the CPU's, and emulation has none.
STOCK = frozenset(MEANINGS) - {"perf-cycles", "hyper-threads"}
#: What no kernel and no backend brings, only another machine: it decides no choice of a backend,
#: and a condition that needs it is left out where it is not there.
OF_THE_MACHINE = frozenset({"hyper-threads"})
#: Without these there is no namespaces backend at all.
BASE = frozenset({"netns", "veth"})

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
    "pppd": "ppp",
    "pppoe-server": "pppoe",
}


@dataclass(frozen=True)
class Feature:
    """One feature of a kernel: there or not; if not, how that showed and which command helps."""

    name: str
    present: bool
    why: str = ""
    remedy: str = ""

    @property
    def meaning(self) -> str:
        """What a lab wants it for."""
        return MEANINGS[self.name]


def prober_command(python: str = sys.executable) -> list[str]:
    """The command that probes where it is run, and prints JSON. -S: no site, it starts faster."""
    return [python, "-P", "-S", prober.__file__]


@lru_cache(maxsize=1)
def host_features() -> dict[str, Feature]:
    """What this kernel lets this user do, by trying it in a namespace that goes with the prober."""
    try:
        done = subprocess.run(
            prober_command(), capture_output=True, text=True, timeout=60, check=False
        )
        answer = done.stdout or "{}"
        failure = (
            done.stderr.strip().splitlines() or [f"the prober ended with {done.returncode}"]
        )[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        answer, failure = "{}", str(error)
    return features_from(answer, failure)


def features_from(answer: str, failure: str = "not probed") -> dict[str, Feature]:
    """Features from what the prober printed; all absent because of `failure` if it printed none."""
    try:
        found = json.loads(answer)
    except ValueError:
        found = {}
    features = {}
    for name in MEANINGS:
        why = found.get(name, failure)
        features[name] = Feature(name, not why, why, _remedy(name, why) if why else "")
    return features


def _remedy(name: str, why: str) -> str:
    tool, _, rest = why.partition(" ")
    if rest == "is not installed" and tool in TOOL_PACKAGES:
        return f"sudo apt-get install {TOOL_PACKAGES[tool]}"
    if name == "netns":
        if "restricted" in why:
            return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run with sudo"
        return "run with sudo, or use --backend vm"
    if os.geteuid() and ("not permitted" in why or "denied" in why):
        return "run with sudo, or use --backend vm"
    if name in _ANOTHER_MACHINE:
        return _ANOTHER_MACHINE[name]
    return "use --backend vm: the guest's kernel has it"


def _guest_file(kernel: GuestKernel) -> Path:
    """Where the answer for a kernel is kept; a prober that asks anew gets a file of its own."""
    asked = hashlib.sha256(Path(prober.__file__).read_bytes()).hexdigest()[:12]
    return cache_dir() / "guest" / f"{kernel.version}-{asked}.json"


def guest_features(kernel: GuestKernel | None = None) -> dict[str, Feature] | None:
    """What was found inside the guest with this kernel; None if it was not probed yet."""
    kernel = kernel or installed_kernel()
    if kernel is None:
        return None
    try:
        return features_from(_guest_file(kernel).read_text())
    except OSError:
        return None


def remember_guest(kernel: GuestKernel, answer: str) -> None:
    """Keep what the prober printed inside the guest."""
    path = _guest_file(kernel)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(answer)
    fresh.replace(path)
