"""The kernel features that labs name in `needs`: what each is for, and who has them.

Host features are probed in a child process (see probing); the guest's are probed inside the
guest at the first boot of each kernel and remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.documents import disk
from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.paths import cache_dir
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel, installed_kernel
from ppslab.testbed.backends.capabilities.probing import Absence, Obstacle
from ppslab.testbed.backends.capabilities.tools import containerlab_tools, vm_tools

#: Word of `needs`: what a lab wants it for.
MEANINGS: Mapping[str, str] = {
    "netns": "network namespaces, the nodes themselves",
    "veth": "the wires between nodes",
    "bridge": "Linux bridge",
    "vlan": "802.1Q VLAN interfaces",
    "vlan-tags": "VLAN tags that tc adds and removes",
    "bonding": "802.3ad bonding",
    "vxlan": "VXLAN tunnels",
    "gre": "GRE tunnels",
    "ipip": "IP in IP tunnels",
    "wireguard": "WireGuard tunnels, and the program that sets their keys",
    "gretap": "Ethernet over GRE, which stands in for EoIP",
    "esp": "IPsec ESP with AES-GCM",
    "nft": "nftables, the firewall rules",
    "nft-netdev": "nftables at a port's ingress",
    "nft-bridge": "nftables bridge family, the bridge filter",
    "conntrack": "connection tracking",
    "flowtable": "nftables flowtable, which stands in for FastTrack",
    "htb": "HTB, which stands in for simple queues",
    "u32": "the tc classifier that sorts packets into queues",
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
    "rps": "choosing the CPU that routes",
    "numa": "a machine of several sockets with network cards on each, built to order",
    "card-queues": "network cards with several queues, in a guest",
    "hyper-threads": "routing on two threads of one core",
}
#: What Debian's and Ubuntu's stock kernels have in the guest; tests/testbed/backends/vm proves it.
#: Used for choosing before the first boot.
STOCK = frozenset(MEANINGS) - {"hyper-threads", "card-queues"}
#: What no kernel and no backend brings, only another machine: it decides no choice of a backend,
#: and a condition that needs it is left out where it is not there.
OF_THE_MACHINE = frozenset({"hyper-threads", "card-queues"})
OF_THE_HOST = frozenset({"card-queues"})
"""Features that a guest has of its host: probed there, and of no use to the host's own nodes."""
#: Without these there is no namespaces backend at all.
BASE = frozenset({"netns", "veth"})

PROBER = Path(__file__).with_name("probing.py")
"""The file that is run: by this Python here, and inside the guest."""

PROBE_SECONDS = 180.0
"""For all features of this kernel; it takes 1 s."""

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
        return self.absence is None

    @property
    def late(self) -> bool:
        """Return whether the answer did not come in time, so that it says nothing of the kernel."""
        return self.absence is not None and self.absence.obstacle is Obstacle.LATE

    @property
    def why(self) -> str:
        """The evidence of its absence; empty where the kernel has it."""
        return self.absence.sentence if self.absence else ""

    @property
    def remedy(self) -> str:
        """The command that brings it, or where to get it; empty where the kernel has it."""
        return _remedy(self.name, self.absence) if self.absence else ""

    @property
    def meaning(self) -> str:
        return MEANINGS[self.name]


def prober_command(python: str = sys.executable) -> list[str]:
    """The command that probes where it is run, and prints JSON. -S: no site, it starts faster."""
    return [python, "-P", "-S", str(PROBER)]


def host_features() -> dict[str, Feature]:
    """Try what this kernel lets this user do, in a namespace that ends with the prober.

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
        name: Feature(
            name, untried if name not in found else found[name] and Absence.of(found[name])
        )
        for name in MEANINGS
    }


def _remedy(name: str, absence: Absence) -> str:
    if absence.program in TOOL_PACKAGES:
        return f"sudo apt-get install {TOOL_PACKAGES[absence.program]}"
    if name in OF_THE_HOST and absence.obstacle is not Obstacle.RESTRICTED:
        return "sudo modprobe -a tun bridge, and run with sudo"
    if absence.obstacle is Obstacle.RESTRICTED:
        return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run with sudo"
    if name == "netns" or (absence.obstacle is Obstacle.NOT_ALLOWED and os.geteuid()):
        return "run with sudo, or use --backend vm"
    if name == "hyper-threads":
        return "a machine whose cores have two threads and show them"
    return "use --backend vm: the guest's kernel has it"


def _guest_file(kernel: GuestKernel) -> Path:
    """Return the file of the answer for a kernel; every version of the prober has its own."""
    asked = hashlib.sha256(PROBER.read_bytes()).hexdigest()[:12]
    return cache_dir() / "guest" / f"{kernel.version}-{asked}.json"


def guest_features(kernel: GuestKernel | None = None) -> dict[str, Feature] | None:
    """Return the features of the guest with this kernel, and those it has of this machine.

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
    disk.sweep(path.parent)
    documents.write_atomic(path, answer)


BACKENDS = ("auto", "namespaces", "vm", "containerlab")


@dataclass(frozen=True)
class Choice:
    """The backend to open, and the reason for the reader."""

    backend: str
    reason: str


@dataclass(frozen=True)
class Usable:
    """True where a backend can start here; if not, why and which command helps."""

    backend: str
    usable: bool
    why: str
    remedy: str = ""


def features_of(backend: str) -> frozenset[str]:
    """The features that a backend offers here.

    For a guest that never booted yet: those of the stock kernels, and those of this machine. The vm
    backend probes its guest at the first boot, so ask again once it is open.
    """
    host = host_features()
    known = {name: each for name, each in host.items() if name not in OF_THE_HOST}
    if backend == "vm":
        guest = guest_features()
        if guest is None:
            return STOCK | {name for name in OF_THE_HOST if host[name].present}
        known = guest
    images = backend == "containerlab"
    return frozenset(n for n, each in known.items() if each.present or (images and _in_image(each)))


def _in_image(feature: Feature) -> bool:
    """Return whether a container has what this user lacks: an image's tools, root's rights.

    The kernel is this one; where it still cannot, the condition fails with the node's own words.
    """
    if feature.absence is None:
        return False
    if feature.absence.obstacle is Obstacle.NO_PROGRAM:
        return True
    return feature.absence.obstacle is Obstacle.NOT_ALLOWED and os.geteuid() != 0


def usable(backend: str) -> Usable:
    """Return whether "namespaces", "vm" or "containerlab" can start here."""
    if backend == "namespaces":
        host = host_features()
        for name in sorted(BASE):
            if not host[name].present:
                return Usable(backend, False, f"{name}: {host[name].why}", host[name].remedy)
        who = "root" if os.geteuid() == 0 else "an unprivileged user namespace"
        return Usable(backend, True, who)
    wanted, ready = (
        (vm_tools(), "QEMU and a guest kernel")
        if backend == "vm"
        else (containerlab_tools()[:2], "Docker and containerlab")
    )
    missing = [tool for tool in wanted if not tool.present]
    if missing:
        why = "; ".join(f"{tool.name}: {tool.detail}" for tool in missing)
        return Usable(backend, False, why, "; ".join(t.remedy for t in missing if t.remedy))
    return Usable(backend, True, ready)


def choose(needs: Iterable[str], requested: str = "auto") -> Choice:
    """The backend for a lab whose conditions need `needs`.

    `auto` takes namespaces if this kernel has it all, else the guest. A backend asked for by name
    is taken if it can start at all: conditions that it cannot do are then skipped with the reason.
    CannotHereError (exit code 3) where none can, with what would help; UsageError for a name that
    is no backend, or a need that is no feature.
    """
    needs = frozenset(needs)
    unknown = needs - STOCK - host_features().keys()
    if unknown:
        raise UsageError(
            f"needs: {', '.join(sorted(unknown))}: no such feature; `ppslab doctor` lists them"
        )
    needs -= OF_THE_MACHINE
    if requested not in BACKENDS:
        raise UsageError(f"no backend {requested!r}: there are {', '.join(BACKENDS)}")
    if requested != "auto":
        state = usable(requested)
        if not state.usable:
            raise CannotHereError(f"--backend {requested}: {state.why}", state.remedy)
        return Choice(requested, "as requested")
    return _automatic(needs)


def _automatic(needs: frozenset[str]) -> Choice:
    host, namespaces, machine = host_features(), usable("namespaces"), usable("vm")
    missing = sorted(name for name in needs if not host[name].present)
    if namespaces.usable and not missing:
        return Choice("namespaces", f"this kernel has what the lab needs ({namespaces.why})")
    lacking = (
        f"this kernel offers no {', '.join(missing)} here ({host[missing[0]].why})"
        if namespaces.usable
        else f"no namespaces here ({namespaces.why})"
    )
    beyond = sorted(needs - features_of("vm"))
    if machine.usable and not beyond:
        return Choice("vm", lacking)
    other = f"vm: {machine.why}" if not machine.usable else f"the guest has no {', '.join(beyond)}"
    remedies = [host[missing[0]].remedy if namespaces.usable else namespaces.remedy, machine.remedy]
    raise CannotHereError(
        f"{lacking}; {other}", "\n".join(dict.fromkeys(text for text in remedies if text))
    )
