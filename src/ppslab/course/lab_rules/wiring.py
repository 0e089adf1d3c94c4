"""Rules on a lab's wires and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path

from ppslab.core import documents, paths
from ppslab.course.lab_rules.findings import FAULT, TO_WRITE, Finding
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab

TEST_NETWORKS = [ip_network("198.18.0.0/15"), ip_network("2001:2::/48")]
"""RFC 2544 appendix C.2.2 and RFC 5180 section 8 keep them for benchmarks."""
ANYWHERE = [
    ip_network(text)
    for text in ("0.0.0.0/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3",
                 "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
                 "::/127", "fe80::/10", "ff00::/8")
]  # fmt: skip
"""Of no network: nobody's, every host's, link-local and multicast ones; for examples (RFC 5737)."""

# RFC 2544 section 11.4.1 names the addresses of its filters; a whole-network prefix is a mask.
_ADDRESS = re.compile(
    r"(?<![\w.:-])(\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7})(?![\w.:])"
)


def ports_are_there(lab: Lab) -> Iterator[Finding]:
    """The interfaces that lab.yml names are interfaces of the topology's tester and router."""
    words = lab.spec
    if not words.flows:
        return
    wiring = topology.find(words.topology)
    document = documents.load_yaml(lab.folder / "lab.yml")
    nodes = [words.tester]
    if len(wiring.nodes) == 2:  # else another router may be between
        nodes.append(words.router)
    for port, interface in words.ports.items():
        for node in nodes:
            if interface not in wiring.interfaces(node):
                line = document.line("ports", port)
                there = ", ".join(sorted(wiring.interfaces(node)))
                message = f"port {port}: {node} has no interface {interface!r}: {there}"
                yield Finding(FAULT, document.path, line, message)


def a_chr_stands_in(lab: Lab) -> Iterator[Finding]:
    """Each topology is there a second time, with CHRs as its routers."""
    words = lab.spec
    document = documents.load_yaml(lab.folder / "lab.yml")
    told = {("topology",): words.topology}
    if words.tcp and words.tcp.topology:
        told["tcp", "topology"] = words.tcp.topology  # type: ignore[index]
    for keys, name in told.items():
        path = paths.project_root() / "topologies" / f"{name}-chr{topology.SUFFIX}"
        if not path.is_file():
            message = f"topology {name}: no {path.name} with CHRs beside it"
            yield Finding(TO_WRITE, document.path, document.line(*keys), message)


def addresses_are_for_benchmarks(lab: Lab) -> Iterator[Finding]:
    """Nothing that could belong to anybody: a frame that escapes goes nowhere."""
    files = [lab.folder / "lab.yml", lab.folder / "tasks.yml"]
    files += [paths.project_root() / "topologies" / f"{lab.spec.topology}{topology.SUFFIX}"]
    files += [p for part in ("linux", "routeros") for p in sorted((lab.folder / part).rglob("*"))]
    for path in filter(Path.is_file, files):
        for number, line in enumerate(documents.read_text(path).splitlines(), 1):
            for text in _ADDRESS.findall(line.split("#", 1)[0]):
                try:
                    address = ip_address(text)
                except ValueError:
                    continue  # a MAC address, a time
                if not any(address in network for network in (*TEST_NETWORKS, *ANYWHERE)):
                    message = f"{text} may be somebody's: take 198.18.0.0/15 or 2001:2::/48"
                    yield Finding(FAULT, path, number, message)
