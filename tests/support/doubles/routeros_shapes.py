"""What a RouterOS device answers with, from recordings; README.md says where each is from.

Every value is a string, as RouterOS sends them.  A mapping that no recording shows is marked [INF].
"""

from __future__ import annotations

RESOURCE = {
    "architecture-name": "x86_64", "board-name": "CHR", "build-time": "2025-07-28 10:00:16",
    "cpu": "Common", "cpu-count": "1", "cpu-frequency": "2099", "cpu-load": "0",
    "factory-software": "7.1", "free-hdd-space": "17019092992", "free-memory": "819691520",
    "platform": "MikroTik", "total-hdd-space": "17040297984", "total-memory": "1073741824",
    "uptime": "7h17m52s", "version": "7.19.4 (stable)", "write-sect-since-reboot": "15160",
    "write-sect-total": "15160",
}  # fmt: skip

LICENSE = {"level": "free", "system-id": "7WwsTkLUKQG"}

INTERFACE = {
    "actual-mtu": "1500", "disabled": "false", "fp-rx-byte": "0", "fp-rx-packet": "0",
    "fp-tx-byte": "0", "fp-tx-packet": "0", "link-downs": "0", "mtu": "1500", "running": "true",
    "rx-byte": "206490", "rx-drop": "0", "rx-error": "0", "rx-packet": "2183", "tx-byte": "3977976",
    "tx-drop": "0", "tx-error": "0", "tx-packet": "14628", "tx-queue-drop": "0", "type": "ether",
}  # fmt: skip

ETHERNET = {
    "advertise": "10M-half,10M-full,100M-half,100M-full,1000M-full", "arp": "enabled",
    "arp-timeout": "auto", "auto-negotiation": "true", "cable-settings": "default",
    "disable-running-check": "true", "disabled": "false", "loop-protect": "default",
    "loop-protect-disable-time": "5m", "loop-protect-send-interval": "5s",
    "loop-protect-status": "off", "mtu": "1500", "running": "true", "rx-flow-control": "off",
    "tx-flow-control": "off",
}  # fmt: skip

SINGLES: dict[str, dict[str, str]] = {
    "/ip/settings": {
        "accept-redirects": "false", "accept-source-route": "false", "allow-fast-path": "true",
        "arp-timeout": "30s", "icmp-errors-use-inbound-interface-address": "false",
        "icmp-rate-limit": "10", "icmp-rate-mask": "0x1818", "ip-forward": "true",
        "ipv4-fast-path-active": "true", "ipv4-fast-path-bytes": "0",
        "ipv4-fast-path-packets": "0", "ipv4-fasttrack-active": "false",
        "ipv4-fasttrack-bytes": "0", "ipv4-fasttrack-packets": "0",
        "ipv4-multipath-hash-policy": "l3", "max-neighbor-entries": "8192", "rp-filter": "no",
        "secure-redirects": "true", "send-redirects": "true", "tcp-syncookies": "false",
        "tcp-timestamps": "random-offset",
    },
    "/ipv6/settings": {
        "accept-redirects": "yes-if-forwarding-disabled",
        "accept-router-advertisements": "yes-if-forwarding-disabled", "allow-fast-path": "true",
        "disable-ipv6": "false", "disable-link-local-address": "false", "forward": "true",
        "ipv6-fast-path-active": "true", "ipv6-fast-path-bytes": "0",
        "ipv6-fast-path-packets": "0", "ipv6-fasttrack-active": "false",
        "ipv6-fasttrack-bytes": "0", "ipv6-fasttrack-packets": "0",
        "max-neighbor-entries": "16384", "min-neighbor-entries": "4096",
        "multipath-hash-policy": "l3", "soft-max-neighbor-entries": "8192",
        "stale-neighbor-detect-interval": "30", "stale-neighbor-timeout": "60",
    },
    "/interface/bridge/settings": {
        "allow-fast-path": "true", "bridge-fast-forward-bytes": "0",
        "bridge-fast-forward-packets": "0", "bridge-fast-path-active": "true",
        "bridge-fast-path-bytes": "0", "bridge-fast-path-packets": "0",
        "use-ip-firewall": "false", "use-ip-firewall-for-pppoe": "false",
        "use-ip-firewall-for-vlan": "false",
    },
    "/ip/firewall/connection/tracking": {
        "active-ipv4": "yes", "active-ipv6": "yes", "enabled": "auto", "generic-timeout": "10m",
        "icmp-timeout": "10s", "loose-tcp-tracking": "true", "max-entries": "1048576",
        "tcp-close-timeout": "1m", "tcp-close-wait-timeout": "1m", "tcp-established-timeout": "1d",
        "tcp-fin-wait-timeout": "1m", "tcp-last-ack-timeout": "1m",
        "tcp-max-retrans-timeout": "5m", "tcp-syn-received-timeout": "5s",
        "tcp-syn-sent-timeout": "5s", "tcp-time-wait-timeout": "1m", "tcp-unacked-timeout": "5m",
        "total-entries": "0", "total-ip4-entries": "0", "total-ip6-entries": "0",
        "udp-stream-timeout": "3m", "udp-timeout": "10s",
    },
}  # fmt: skip

RULE = {
    "bytes": "0", "disabled": "false", "dynamic": "false", "invalid": "false", "log": "false",
    "log-prefix": "", "packets": "0",
}  # fmt: skip

DEFAULTS: dict[str, dict[str, str]] = {
    "/ip/firewall/filter": RULE,
    "/ip/firewall/nat": RULE,
    "/ip/firewall/mangle": RULE,
    "/ip/firewall/raw": RULE,
    "/ipv6/firewall/filter": RULE,
    "/interface/bridge/filter": RULE,
    "/interface/bridge": {"disabled": "false", "mtu": "auto", "vlan-filtering": "false"},
    "/ip/ipsec/proposal": {
        "auth-algorithms": "sha1", "disabled": "false", "lifetime": "30m",
        "enc-algorithms": "aes-256-cbc,aes-192-cbc,aes-128-cbc", "pfs-group": "modp1024",
    },
}  # fmt: skip
"""What a new item says that nobody gave a value."""

KINDS = {
    "/interface/ethernet": "ether", "/interface/bridge": "bridge", "/interface/vlan": "vlan",
    "/interface/bonding": "bond", "/interface/eoip": "eoip", "/interface/mesh": "mesh",
    "/interface/pppoe-client": "pppoe-out", "/interface/wireguard": "wg",
    "/interface/vxlan": "vxlan", "/interface/gre": "gre-tunnel", "/interface/ipip": "ipip-tunnel",
}  # fmt: skip
"""The menus whose items are interfaces, and their type in /interface."""

IRQ = {
    "active-cpu": "0", "count": "17359", "cpu": "auto", "per-cpu-count": "17359",
    "read-only": "false",
}  # fmt: skip
