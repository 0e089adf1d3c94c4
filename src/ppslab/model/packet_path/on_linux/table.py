"""The translations as data: menus, chains, matchers and actions, each with Linux's.

Packets go through the chains as the manual's page Packet Flow in RouterOS says.  What is not in
these tables is refused.
"""

from __future__ import annotations

FIREWALLS = {
    "/ip/firewall/filter": "ip", "/ipv6/firewall/filter": "ip6", "/ip/firewall/nat": "ip",
    "/ip/firewall/mangle": "ip", "/ipv6/firewall/mangle": "ip6", "/ip/firewall/raw": "ip",
    "/ipv6/firewall/raw": "ip6", "/interface/bridge/filter": "bridge",
}  # fmt: skip
"""Lists of rules, and the family of the table of nft that does their work."""

LISTS = {"/ip/firewall/address-list": "ip", "/ipv6/firewall/address-list": "ip6"}

SINGLE = {
    "/ip/settings": ("allow-fast-path",),
    "/ipv6/settings": ("allow-fast-path",),
    "/ip/firewall/connection/tracking": ("enabled",),
}
"""Menus without rows, and the properties that tell something of the rules: FastTrack needs the
fast path to be allowed, and a state of a connection its tracking."""

COMMON = ("comment", "disabled")
RULES_OWN = ("chain", "action", *COMMON)

CHAINS = {
    "filter": [("input", "filter", "input", "filter"), ("forward", "filter", "forward", "filter"),
               ("output", "filter", "output", "filter")],
    "nat": [("srcnat", "nat", "postrouting", "srcnat"), ("dstnat", "nat", "prerouting", "dstnat")],
    "mangle": [("prerouting", "filter", "prerouting", "mangle"),
               ("input", "filter", "input", "mangle"), ("forward", "filter", "forward", "mangle"),
               ("output", "route", "output", "mangle"),
               ("postrouting", "filter", "postrouting", "mangle")],
    "raw": [("prerouting", "filter", "prerouting", "raw"), ("output", "filter", "output", "raw")],
}  # fmt: skip
"""A list's own chains: name, and nft's type, hook and priority."""

MATCHERS = [
    # property, kind of its value, what nft says; {ip}: ip or ip6, {not}: "" or "!= "
    ("protocol", "protocol", "meta l4proto {not}{value}"),
    ("src-address", "network", "{ip} saddr {not}{value}"),
    ("dst-address", "network", "{ip} daddr {not}{value}"),
    ("src-address-list", "name", "{ip} saddr {not}@list-{value}"),
    ("dst-address-list", "name", "{ip} daddr {not}@list-{value}"),
    ("src-mac-address", "mac", "ether saddr {not}{value}"),
    ("dst-mac-address", "mac", "ether daddr {not}{value}"),
    ("in-interface", "interface", 'iifname {not}"{value}"'),
    ("out-interface", "interface", 'oifname {not}"{value}"'),
    ("connection-state", "states", "ct state {not}{value}"),
    ("src-port", "ports", "th sport {not}{value}"),
    ("dst-port", "ports", "th dport {not}{value}"),
    ("icmp-options", "icmp", "{value}"),
    ("tcp-flags", "flags", "{value}"),
    ("packet-mark", "mark", "meta mark {not}{value}"),
    ("connection-mark", "mark", "ct mark {not}{value}"),
    ("dscp", "dscp", "{ip} dscp {not}{value}"),
    ("packet-size", "span", "meta length {not}{value}"),
    ("random", "percent", "numgen random mod 100 < {value}"),
]
"""In the order in which nft asks them."""

BRIDGE_MATCHERS = ("src-mac-address", "dst-mac-address", "in-interface", "out-interface")
LACKS = {
    "filter": ("dst-mac-address",),
    "mangle": ("dst-mac-address",),
    "nat": ("connection-state", "dst-mac-address", "tcp-flags"),
    "raw": ("connection-mark", "connection-state", "dst-mac-address"),
}
"""Matchers that RouterOS itself has not in a list of IP's (its command tree, 7.21)."""
NEVER_NOT = ("icmp", "percent")
"""Kinds of values that no `!` stands in front of here."""

NO_WAY_IN = ("output", "postrouting", "srcnat")
NO_WAY_OUT = ("prerouting", "input", "dstnat")
"""Chains in which a packet has no interface that it came in by, or leaves by, yet."""

_TO = {"to-addresses": ("address", "{}"), "to-ports": ("nat_ports", ":{}")}
_ON = {"passthrough": ("passthrough", " {}")}

ACTIONS = [
    # action, lists that have it, properties of its own, what nft says
    ("accept", ("filter", "nat", "mangle", "raw"), {}, "accept"),
    ("drop", ("filter", "raw"), {}, "drop"),
    ("passthrough", ("filter", "nat", "mangle", "raw"), {}, ""),
    ("return", ("filter", "nat", "mangle", "raw"), {}, "return"),
    ("jump", ("filter", "nat", "mangle", "raw"), {"jump-target": ("own_chain", "jump chain-{}")},
     "{jump-target}"),
    ("reject", ("filter",), {"reject-with": ("reject_with", " with {}")}, "reject{reject-with}"),
    ("fasttrack-connection", ("filter",), {}, "flow add @fasttrack"),
    ("notrack", ("raw",), {}, "notrack"),
    ("masquerade", ("nat",), {}, "masquerade"),
    ("src-nat", ("nat",), _TO, "snat to {to-addresses}{to-ports}"),
    ("dst-nat", ("nat",), _TO, "dnat to {to-addresses}{to-ports}"),
    ("redirect", ("nat",), {"to-ports": ("nat_ports", " to :{}")}, "redirect{to-ports}"),
    ("mark-packet", ("mangle",), {"new-packet-mark": ("mark", "{}"), **_ON},
     "meta mark set {new-packet-mark}{passthrough}"),
    ("mark-connection", ("mangle",), {"new-connection-mark": ("mark", "{}"), **_ON},
     "ct mark set {new-connection-mark}{passthrough}"),
    ("change-dscp", ("mangle",), {"new-dscp": ("dscp", "{}"), **_ON},
     "{ip} dscp set {new-dscp}{passthrough}"),
    ("change-mss", ("mangle",), {"new-mss": ("mss", "{}"), **_ON},
     "tcp option maxseg size set {new-mss}{passthrough}"),
]  # fmt: skip
"""A property of an action's own has its kind, and the words around its value."""

BRIDGE_ACTIONS = ("accept", "drop", "passthrough", "return", "jump")

OWN_CHAINS = ("input", "forward", "output", "prerouting", "postrouting", "srcnat", "dstnat")
"""Names that RouterOS keeps for its own chains, in whichever list."""
ONLY_IN = {"masquerade": "srcnat", "src-nat": "srcnat", "dst-nat": "dstnat", "redirect": "dstnat",
           "fasttrack-connection": "forward"}  # fmt: skip

OPTIONAL = ("reject-with", "to-ports", "passthrough")
"""Properties that an action may go without."""

FASTTRACK_MATCH = "meta l4proto { tcp, udp }"
"""RouterOS fast-tracks TCP and UDP only, whatever else the rule matches (Packet Flow, FastTrack);
the stand-in is nftables' flowtable, as in labs/fasttrack/linux/fasttrack.nft."""

REJECT_WITH = {
    "icmp-network-unreachable": "icmp type net-unreachable",
    "icmp-host-unreachable": "icmp type host-unreachable",
    "icmp-port-unreachable": "icmp type port-unreachable",
    "icmp-protocol-unreachable": "icmp type prot-unreachable",
    "icmp-admin-prohibited": "icmp type admin-prohibited",
    "tcp-reset": "tcp reset",
}

STATES = ("established", "related", "new", "invalid", "untracked")
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")
PROTOCOLS = {
    "tcp": "tcp", "udp": "udp", "icmp": "icmp", "icmpv6": "ipv6-icmp", "gre": "gre",
    "ipsec-esp": "esp", "ipsec-ah": "ah", "ospf": "89", "vrrp": "112", "ipip": "4", "igmp": "2",
    "sctp": "sctp",
}  # fmt: skip

WHY = {
    "layer7-protocol": "nft does not look into what a packet carries",
    "content": "nft does not look into what a packet carries",
    "log": "nft logs by a statement of its own: log prefix",
    "log-prefix": "nft logs by a statement of its own: log prefix",
    "hw-offload": "there is no switch chip",
    "port": "nft matches the source port and the destination port separately: src-port, dst-port",
    "connection-nat-state": "match the address before or after it: src-address, dst-address",
    "connection-limit": "use nft's ct count",
    "limit": "use nft's limit rate",
    "dst-limit": "use nft's limit rate and meters",
    "src-address-type": "name the addresses: src-address",
    "dst-address-type": "name the addresses: dst-address",
    "ipsec-policy": "name the networks of the tunnel",
    "routing-mark": "there is one routing table",
    "new-routing-mark": "there is one routing table",
    "in-bridge-port": "name the port in /interface/bridge/filter: in-interface",
    "out-bridge-port": "name the port in /interface/bridge/filter: out-interface",
    "in-interface-list": "lists of interfaces are not kept: name the interface",
    "out-interface-list": "lists of interfaces are not kept: name the interface",
}
"""Reasons why a property of a rule has no translation, where there is more to say."""
