"""What is translated, as data: menus, chains, matchers and actions, each with what Linux does.

The RouterOS side of a menu is described on the manual's page `cli_reference(menu)`; packets go
through the chains as MANUAL_FLOW says.  What is not in these tables is refused.
"""

from __future__ import annotations

MANUAL = "https://manual.mikrotik.com/docs/"
MANUAL_FLOW = MANUAL + "firewall-and-quality-of-service/packet-flow-in-routeros"


def cli_reference(menu: str) -> str:
    """The manual's page of a menu."""
    return MANUAL + "cli-reference" + menu


FIREWALLS = [
    ("/ip/firewall/filter", "ip"), ("/ipv6/firewall/filter", "ip6"), ("/ip/firewall/nat", "ip"),
    ("/ip/firewall/mangle", "ip"), ("/ipv6/firewall/mangle", "ip6"), ("/ip/firewall/raw", "ip"),
    ("/ipv6/firewall/raw", "ip6"), ("/interface/bridge/filter", "bridge"),
]  # fmt: skip
"""Lists of rules, and the family of the table of nft that does their work."""

LISTS = [("/ip/firewall/address-list", "ip"), ("/ipv6/firewall/address-list", "ip6")]

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
    ("src-address-list", "list", "{ip} saddr {not}@list-{value}"),
    ("dst-address-list", "list", "{ip} daddr {not}@list-{value}"),
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
NEVER_NOT = ("icmp", "flags", "percent")
"""Kinds of values that no `!` stands in front of here."""

NO_WAY_IN = ("output", "postrouting", "srcnat")
NO_WAY_OUT = ("prerouting", "input", "dstnat")
"""Chains in which a packet has no interface that it came in by, or leaves by, yet."""

ACTIONS = [
    # action, lists that have it, properties of its own, what nft says
    ("accept", ("filter", "nat", "mangle", "raw"), (), "accept"),
    ("drop", ("filter", "raw"), (), "drop"),
    ("passthrough", ("filter", "nat", "mangle", "raw"), (), ""),
    ("return", ("filter", "nat", "mangle", "raw"), (), "return"),
    ("jump", ("filter", "nat", "mangle", "raw"), ("jump-target",), "jump chain-{jump-target}"),
    ("reject", ("filter",), ("reject-with",), "reject{reject-with}"),
    ("fasttrack-connection", ("filter",), (), "flow add @fasttrack"),
    ("notrack", ("raw",), (), "notrack"),
    ("masquerade", ("nat",), (), "masquerade"),
    ("src-nat", ("nat",), ("to-addresses", "to-ports"), "snat to {to-addresses}{to-ports}"),
    ("dst-nat", ("nat",), ("to-addresses", "to-ports"), "dnat to {to-addresses}{to-ports}"),
    ("redirect", ("nat",), ("to-ports",), "redirect{ to-ports}"),
    ("mark-packet", ("mangle",), ("new-packet-mark", "passthrough"),
     "meta mark set {new-packet-mark}{passthrough}"),
    ("mark-connection", ("mangle",), ("new-connection-mark", "passthrough"),
     "ct mark set {new-connection-mark}{passthrough}"),
    ("change-dscp", ("mangle",), ("new-dscp", "passthrough"),
     "{ip} dscp set {new-dscp}{passthrough}"),
    ("change-mss", ("mangle",), ("new-mss", "passthrough"),
     "tcp option maxseg size set {new-mss}{passthrough}"),
]  # fmt: skip

OWN_CHAINS = ("input", "forward", "output", "prerouting", "postrouting", "srcnat", "dstnat")
"""Names that RouterOS keeps for its own chains, in whichever list."""
ONLY_IN = {"masquerade": "srcnat", "src-nat": "srcnat", "dst-nat": "dstnat", "redirect": "dstnat",
           "fasttrack-connection": "forward"}  # fmt: skip

OPTIONAL = ("reject-with", "to-ports", "passthrough")
"""Properties that an action may go without."""

FASTTRACK_MATCH = "meta l4proto { tcp, udp } "
"""RouterOS fast-tracks TCP and UDP only, whatever else the rule matches (MANUAL_FLOW, FastTrack);
the stand-in is nftables' flowtable, as in labs/fasttrack/linux/fasttrack.nft."""

REJECT_WITH = [
    ("icmp-network-unreachable", "icmp type net-unreachable"),
    ("icmp-host-unreachable", "icmp type host-unreachable"),
    ("icmp-port-unreachable", "icmp type port-unreachable"),
    ("icmp-protocol-unreachable", "icmp type prot-unreachable"),
    ("icmp-admin-prohibited", "icmp type admin-prohibited"),
    ("tcp-reset", "tcp reset"),
]

WHY = {
    "layer7-protocol": "nft does not look into what a packet carries",
    "content": "nft does not look into what a packet carries",
    "connection-bytes": "",
    "log": "the router in the page keeps no log",
    "log-prefix": "the router in the page keeps no log",
    "hw-offload": "there is no switch chip",
    "port": "nft matches the source port and the destination port separately: src-port, dst-port",
    "connection-nat-state": "match the address before or after it: src-address, dst-address",
    "connection-type": "no protocol helper runs here",
    "connection-limit": "count connections in the Linux shell: conntrack -C",
    "connection-rate": "count connections in the Linux shell: conntrack -C",
    "limit": "in the Linux shell, use nft's limit rate",
    "dst-limit": "in the Linux shell, use nft's limit rate and meters",
    "time": "a rule here applies at all times: disable and enable it",
    "src-address-type": "name the addresses: src-address",
    "dst-address-type": "name the addresses: dst-address",
    "ipsec-policy": "no IPsec policy can be created here: name the networks of the tunnel",
    "routing-mark": "there is one routing table",
    "new-routing-mark": "there is one routing table",
    "in-bridge-port": "name the port in /interface/bridge/filter: in-interface",
    "out-bridge-port": "name the port in /interface/bridge/filter: out-interface",
    "l2mtu": "a port of Linux has one MTU: set mtu",
    "burst-limit": "Linux's HTB counts bursts in bytes: leave it out",
    "burst-threshold": "Linux's HTB counts bursts in bytes: leave it out",
    "burst-time": "Linux's HTB counts bursts in bytes: leave it out",
    "bucket-size": "Linux's HTB counts bursts in bytes: leave it out",
    "ipsec-secret": "in the Linux shell, ip xfrm encrypts a tunnel's packets",
    "keepalive": "a Linux tunnel is up as long as it exists: leave it out",
    "in-interface-list": "lists of interfaces are not kept: name the interface",
    "out-interface-list": "lists of interfaces are not kept: name the interface",
}
"""Why a property of a rule has no translation, where there is more to say."""

_SLOW = (
    "it allows FastTrack; Linux forwards all other packets on its slow path, whatever the value "
    "(the labs have a BPF program for the fast path, which a condition loads)"
)
SETTINGS = [
    # menu, property, the sysctl that it sets, what is said where it sets none
    ("/ip/settings", "ip-forward", "net.ipv4.ip_forward", ""),
    ("/ip/settings", "allow-fast-path", "", _SLOW),
    ("/ipv6/settings", "forward", "net.ipv6.conf.all.forwarding", ""),
    ("/ipv6/settings", "allow-fast-path", "", _SLOW),
    (
        "/interface/bridge/settings",
        "allow-fast-path",
        "",
        "Linux bridges on its slow path either way",
    ),
    ("/interface/bridge/settings", "use-ip-firewall", "", "bridged packets bypass the IP firewall"),
]
ONLY_NO = ("use-ip-firewall",)
"""Settings of which `yes` has no translation."""
DEFAULTS = {"ip-forward": "yes", "forward": "yes", "allow-fast-path": "yes",
            "use-ip-firewall": "no", "enabled": "auto"}  # fmt: skip

ROWS = [
    # menu, properties that it takes, those that it must have
    ("/ip/firewall/address-list", ("list", "address"), ("list", "address")),
    ("/ipv6/firewall/address-list", ("list", "address"), ("list", "address")),
    ("/ip/firewall/connection/tracking", ("enabled",), ()),
    ("/ip/address", ("address", "interface"), ("address", "interface")),
    ("/ipv6/address", ("address", "interface", "advertise"), ("address", "interface")),
    ("/ip/arp", ("address", "mac-address", "interface"), ("address", "mac-address", "interface")),
    ("/ipv6/neighbor", ("address", "mac-address", "interface"),
     ("address", "mac-address", "interface")),
    ("/ip/route", ("dst-address", "gateway", "distance", "blackhole"), ("dst-address",)),
    ("/ipv6/route", ("dst-address", "gateway", "distance", "blackhole"), ("dst-address",)),
    ("/interface/ethernet", ("name", "mac-address", "mtu"), ()),
    ("/interface/vlan", ("name", "interface", "vlan-id"), ("name", "interface", "vlan-id")),
    ("/interface/eoip", ("name", "local-address", "remote-address", "tunnel-id", "mtu",
                         "mac-address", "allow-fast-path", "clamp-tcp-mss", "dont-fragment"),
     ("name", "remote-address", "tunnel-id")),
    ("/interface/bridge", ("name", "protocol-mode"), ("name",)),
    ("/interface/bridge/port", ("bridge", "interface", "hw"), ("bridge", "interface")),
    ("/queue/simple", ("name", "target", "max-limit", "limit-at", "queue"), ("name", "target")),
    ("/queue/interface", ("queue",), ()),
    ("/queue/tree", ("name", "parent", "packet-mark", "queue", "max-limit", "limit-at", "priority"),
     ("name", "parent")),
    ("/queue/type", ("name", "kind"), ("name", "kind")),
]  # fmt: skip

CLASSIFIED = " ; "
"""Between a queue and the keys of the `flow` filter that tells its streams apart."""
STREAMS = [("src-address", "src"), ("dst-address", "dst"), ("src-port", "proto-src"),
           ("dst-port", "proto-dst")]  # fmt: skip
"""What makes a stream of PCQ, and what a filter `flow hash keys` of tc calls it."""
FRAME = 1514
"""Bytes of a full frame: RouterOS counts a PCQ's room in KiB, tc counts SFQ's in packets."""

KINDS = [
    # kind, what tc says for it, and each property's place in it: kind of value, RouterOS's default
    ("pfifo", "pfifo limit {pfifo-limit}", [("pfifo-limit", "number", "50")]),
    ("bfifo", "bfifo limit {bfifo-limit}", [("bfifo-limit", "number", "15000")]),
    ("sfq", "sfq quantum {sfq-allot} perturb {sfq-perturb}",
     [("sfq-allot", "number", "1514"), ("sfq-perturb", "number", "5")]),
    ("red", "red limit {red-limit} min {red-min-threshold} max {red-max-threshold} "
     "avpkt {red-avg-packet} burst {red-burst} bandwidth 10mbit",
     [("red-limit", "packets", "60"), ("red-min-threshold", "packets", "10"),
      ("red-max-threshold", "packets", "50"), ("red-burst", "number", "20"),
      ("red-avg-packet", "number", "1000")]),
    ("fq-codel", "fq_codel limit {fq-codel-limit} flows {fq-codel-flows} target {fq-codel-target} "
     "interval {fq-codel-interval} quantum {fq-codel-quantum}{fq-codel-ecn}",
     [("fq-codel-limit", "number", "10240"), ("fq-codel-flows", "number", "1024"),
      ("fq-codel-target", "time", "5ms"), ("fq-codel-interval", "time", "100ms"),
      ("fq-codel-quantum", "number", "1514"), ("fq-codel-ecn", "ecn", "yes")]),
    ("pcq", "sfq quantum 1514 limit {pcq-total-limit} depth {pcq-limit}" + CLASSIFIED
     + "{pcq-classifier}{pcq-rate}",
     [("pcq-total-limit", "kib", "2000KiB"), ("pcq-limit", "kib", "50KiB"),
      ("pcq-classifier", "streams", ""), ("pcq-rate", "no rate", "0")]),
    ("cake", "cake unlimited {cake-flowmode} {cake-diffserv} rtt {cake-rtt}",
     [("cake-flowmode", "word", "triple-isolate"), ("cake-diffserv", "word", "diffserv3"),
      ("cake-rtt", "time", "100ms")]),
]  # fmt: skip
"""Kinds of queues.  `packets`: RouterOS counts packets of red-avg-packet bytes, tc bytes."""
WORDS = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
         "triple-isolate", "besteffort", "diffserv3", "diffserv4", "diffserv8",
         "precedence")  # fmt: skip
"""What CAKE's modes are called, by RouterOS and by tc."""
NO_KIND = {
    "mq-pfifo": "the ports of the router in the page have one queue each",
    "none": "Linux calls it no queue at all: set queue=only-hardware-queue",
}
KIND_NOTES = {
    "pcq": "Linux's SFQ stands in for it: streams take turns, but SFQ counts packets, so the "
    "limits are converted to 1514-byte packets; and no stream has a rate of its own",
}
"""What is to be known of a kind that Linux holds in part."""
_PCQ = "sfq quantum 1514 limit 1353 depth 34" + CLASSIFIED
BUILT_IN = {"ethernet-default": "pfifo limit 50", "default": "pfifo limit 50",
            "pcq-upload-default": _PCQ + "src", "pcq-download-default": _PCQ + "dst",
            "default-small": "pfifo limit 10", "only-hardware-queue": ""}  # fmt: skip
"""RouterOS's own types of queues, by what tc says for them."""
NO_LIMIT = "30gbit"
"""A rate above what any port here carries, as labs/queues/linux/kinds has it."""
BORROWED = "1kbit"
"""The rate of a class that has none of its own: all but nothing, the rest from the one above."""
BURSTS = "burst 16mb cburst 16mb quantum 60000"

NO_VERB = {
    "unset": "set the property to another value, or add the row anew without it",
    "reset-counters": "Linux starts its counters again whenever a rule in the list changes",
    "reset-counters-all": "Linux starts its counters again whenever a rule in the list changes",
    "monitor": "print stats shows the counters as they are now",
    "monitor-traffic": "print stats shows the counters as they are now",
    "edit": "use set",
}
"""What to do in the place of a command that has no translation."""

EOIP = (
    "Linux's gretap stands in for it, with the identifier as GRE's key: not MikroTik's packet "
    "format, so the other end must be Linux too; it clamps no MSS, sends no keepalive, and its MTU "
    "follows from the path's MTU unless you set mtu="
)

COMMON = ("comment", "disabled")
NUMBERED = ("/queue/simple", "/queue/tree")
"""Menus whose rows have a name by default: "name (name; default: queueN)" in MikroTik's manual."""
NO_MENU = {
    "/system/resource/irq": "the router in the page has one CPU, and its ports no interrupts",
    "/system": "the Linux shell shows the system: uname -a, free",
    "/log": "the router in the page keeps no log",
    "/tool": "only /tool/profile (recorded) and /ping exist here; in the Linux shell: ip -s link, "
    "nft list ruleset, conntrack -L",
    "/routing": "no routing protocol runs here",
    "/ip/ipsec": "in the Linux shell, use ip xfrm state and ip xfrm policy",
    "/interface/wireguard": "in the Linux shell, use ip link add type wireguard, and wg",
    "/interface/vxlan": "in the Linux shell, use ip link add type vxlan",
    "/interface/gre": "in the Linux shell, use ip link add type gre",
    "/interface/ipip": "in the Linux shell, use ip link add type ipip",
    "/interface/bonding": "in the Linux shell, use ip link add type bond",
    "/interface/pppoe-client": "the router in the page has no PPPoE",
    "/interface/pppoe-server": "the router in the page has no PPPoE",
    "/ppp": "the router in the page has no PPPoE",
    "/interface/ethernet/switch": "there is no switch chip",
    "/interface/list": "lists of interfaces are not kept: name the interface",
}
"""Where there is something else for a menu that has no translation."""
FIXED = ("/interface/ethernet", "/queue/interface")
"""Menus whose rows the router has of itself: nothing is added to them or taken away."""
SINGLE = ("/ip/settings", "/ipv6/settings", "/interface/bridge/settings",
          "/ip/firewall/connection/tracking")  # fmt: skip
"""Menus without rows."""


def menus() -> list[str]:
    """Every menu that is known here."""
    named = [each[0] for each in FIREWALLS] + [each[0] for each in ROWS]
    return named + [each for each in SINGLE if each not in named]
