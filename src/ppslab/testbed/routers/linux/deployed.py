"""A node's links as the topology was deployed, and the lines that restore them.

A condition may make tunnels, put ports into a bond, add thousands of routes.  The next condition
begins where the topology left off: links that were not there go, addresses, routes, neighbours,
MTUs and MAC addresses are set anew, transforms (xfrm) are flushed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from ppslab.model.lab.conditions import LinuxSpec, PortQueues
from ppslab.testbed.backends import Node

BRIDGE = "br0"

_MARK = "##"

# -d: what a link is in (`master`), and its kind.
_READ = f"""ip -j -d address show
echo '{_MARK}'; ip -4 route show table main
echo '{_MARK}'; ip -6 route show table main
echo '{_MARK}'; ip -j neighbour show nud permanent
echo '{_MARK}'; tc -j qdisc show
"""

# Links that the kernel makes by itself when a module is loaded; none can be deleted.
_OF_THE_KERNEL = ("gre0", "gretap0", "erspan0", "tunl0", "sit0", "ip6tnl0", "ip6gre0",
                  "ip_vti0", "ip6_vti0")  # fmt: skip

_NO_QUEUE = ("noqueue", "clsact", "ingress")


@dataclass(frozen=True)
class Deployed:
    """A node's links, routes and queues as they were: `links` by interface, as `ip -j -d` has them.

    `queues`: the kinds of queueing discipline that each interface had by itself.
    """

    links: dict[str, dict[str, Any]]
    routes: tuple[str, ...]
    neighbours: tuple[str, ...]
    queues: dict[str, frozenset[str]]

    @classmethod
    def read(cls, node: Node) -> Deployed:
        """Of a node that no condition has touched yet."""
        links, four, six, neighbours, queues = node.run(["sh", "-e"], input=_READ).stdout.split(
            f"{_MARK}\n"
        )
        kinds: dict[str, set[str]] = {}
        for queue in json.loads(queues):
            kinds.setdefault(queue["dev"], set()).add(queue["kind"])
        return cls(
            links={link["ifname"]: link for link in json.loads(links) if "ifname" in link},
            routes=(*_routes(four), *_routes(six)),
            neighbours=tuple(
                f"neighbour replace {entry['dst']} lladdr {entry['lladdr']} dev {entry['dev']} "
                "nud permanent"
                for entry in json.loads(neighbours)
                if "lladdr" in entry
            ),
            queues={dev: frozenset(kinds[dev]) for dev in kinds},
        )

    def restore(self) -> str:
        """Shell lines that put a node back; what is there already may fail and does not matter.

        Under emulation a process takes 80 ms, and three nodes are put back before a trial: so all
        that `ip` can take in one batch is one, and what the shell can do itself it does.
        """
        keep = "|".join(sorted({"lo", *self.links, *_OF_THE_KERNEL}))
        batch = "\n".join(
            [
                *(line for name, link in self.links.items() for line in _link(name, link)),
                *(f"route replace {route}" for route in self.routes),
                *self.neighbours,
            ]
        )
        return (
            # Without an IPv6 address there is no route of IPv6 either.
            "if read -r line </proc/net/if_inet6; then ip -6 route flush table main; fi "
            "2>/dev/null || :\n"
            "ip -force -batch - >/dev/null 2>&1 <<PPSLAB || :\n"
            "xfrm state flush\nxfrm policy flush\n"
            "$(for link in /sys/class/net/*; do case ${link##*/} in\n"
            f"  {keep}) ;;\n"
            '  *) echo "link del dev ${link##*/}" ;;\n'
            "esac; done)\n"
            f"route flush table main\n{batch}\nPPSLAB\n"
        )

    def queued(self, port: str, kinds: frozenset[str]) -> bool:
        """Return whether a port has a queue that it had not by itself."""
        return bool(kinds - self.queues.get(port, frozenset()) - set(_NO_QUEUE))


def _link(name: str, link: dict[str, Any]) -> Iterator[str]:
    if name in _OF_THE_KERNEL:
        return
    if name != "lo":
        yield f"link set dev {name} down"
        yield f"link set dev {name} nomaster"
    if "address" in link and link.get("link_type") == "ether":
        yield f"link set dev {name} address {link['address']}"
    yield f"link set dev {name} mtu {link['mtu']}"
    yield f"address flush dev {name} scope global"
    if "master" in link:
        yield f"link set dev {name} master {link['master']}"
    if "UP" in link.get("flags", ()):
        yield f"link set dev {name} up"
    for address in link.get("addr_info", ()):
        if not address.get("local") or address.get("scope") != "global":
            continue
        # Without duplicate address detection the address is there at once.
        nodad = " nodad" if address["family"] == "inet6" else ""
        yield f"address add {address['local']}/{address['prefixlen']} dev {name}{nodad}"


def _routes(listing: str) -> Iterator[str]:
    """The routes that somebody added; the kernel's own come back with their addresses."""
    for line in listing.splitlines():
        fields = line.split()
        if not fields or "proto kernel" in line or "proto ra" in line:
            continue
        yield " ".join(word for word in fields if word not in ("linkdown", "dead", "onlink"))


NOTHING: Final = LinuxSpec()
"""The specification of a node that a condition does not name."""


@dataclass(frozen=True)
class Standing:
    """Of each kind of configuration, whether some of it may stand on a node."""

    configured: bool = False
    """Anything at all was asked of the node, also what leaves nothing behind."""
    links: bool = False
    """Links, addresses, routes and neighbours, by `ip -batch` or by programs."""
    routes: bool = False
    """Routes of a file of many."""
    bridge: bool = False
    rules: bool = False
    """nftables."""
    queues: bool = False
    """By `tc -batch`."""
    bpf: bool = False
    interrupts: bool = False
    """Interrupts of cards, moved to other CPUs than the kernel's choice."""
    port_queues: Mapping[str, PortQueues] = field(default_factory=dict)
    """Ports with more queues than one, or with CPUs of their own."""
    programs: bool = False
    connections: bool = False
    """Entries of connection tracking."""

    @classmethod
    def of(cls, asked: LinuxSpec) -> Self:
        """Of a node on which a condition stands."""
        return cls(
            configured=asked != NOTHING,
            links=asked.makes_links,
            routes=bool(asked.routes),
            bridge=asked.bridge,
            rules=bool(asked.nft),
            queues=bool(asked.tc),
            bpf=asked.bpf is not None,
            interrupts=asked.interrupts is not None,
            port_queues=asked.port_queues,
            programs=bool(asked.programs),
            connections=asked.expect.conntrack is not False,
        )


UNKNOWN: Final = Standing(
    configured=True,
    links=True,
    routes=True,
    bridge=True,
    rules=True,
    queues=True,
    bpf=True,
    programs=True,
    connections=True,
)
"""Of a node that nobody has configured yet, or whose configuration failed.

Interrupts are not in it: to put them back, one must have seen where they were.
"""

DROPPING: Final = Standing(configured=True, rules=True)
"""Of a node that drops every frame at its ingress."""
