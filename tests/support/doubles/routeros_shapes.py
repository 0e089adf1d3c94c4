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
    "/ip/traffic-flow": {
        "active-flow-timeout": "30m", "cache-entries": "128k", "enabled": "false",
        "inactive-flow-timeout": "15s", "interfaces": "all", "packet-sampling": "false",
        "sampling-interval": "0", "sampling-space": "0",
    },
    "/tool/sniffer": {
        "file-limit": "1000", "file-name": "", "filter-direction": "any", "filter-interface": "",
        "filter-operator-between-entries": "or", "filter-stream": "false", "memory-limit": "100",
        "memory-scroll": "true", "only-headers": "false", "running": "false",
        "streaming-enabled": "false", "streaming-server": "0.0.0.0:37008",
    },
    "/system/identity": {"name": "MikroTik"},
}  # fmt: skip

RULE = {
    "bytes": "0", "disabled": "false", "dynamic": "false", "invalid": "false", "log": "false",
    "log-prefix": "", "packets": "0",
}  # fmt: skip

PLAIN = {"disabled": "false", "dynamic": "false", "invalid": "false"}

DEFAULTS: dict[str, dict[str, str]] = {
    "/ip/address": PLAIN,
    "/ip/firewall/filter": RULE,
    "/ip/firewall/nat": RULE,
    "/ip/firewall/mangle": RULE,
    "/ip/firewall/raw": RULE,
    "/ipv6/firewall/filter": RULE,
    "/interface/bridge/filter": RULE,
    "/queue/simple": {
        "bucket-size": "0.1/0.1", "burst-limit": "0/0", "burst-threshold": "0/0",
        "burst-time": "0s/0s", "bytes": "0/0", "disabled": "false", "dropped": "0/0",
        "dynamic": "false", "invalid": "false", "limit-at": "0/0", "max-limit": "0/0",
        "packet-marks": "", "packets": "0/0", "parent": "none", "priority": "8/8",
        "queue": "default-small/default-small", "rate": "0/0", "target": "",
    },
    "/interface/bridge/port": {
        "auto-isolate": "false", "bpdu-guard": "false", "broadcast-flood": "true",
        "disabled": "false", "dynamic": "false", "edge": "auto", "fast-leave": "false",
        "frame-types": "admit-all", "horizon": "none", "hw": "true", "hw-offload": "false",
        "inactive": "false", "ingress-filtering": "true", "internal-path-cost": "10",
        "learn": "auto", "multicast-router": "temporary-query", "path-cost": "10",
        "point-to-point": "auto", "priority": "0x80", "pvid": "1", "restricted-role": "false",
        "restricted-tcn": "false", "tag-stacking": "false", "trusted": "false",
        "unknown-multicast-flood": "true", "unknown-unicast-flood": "true",
    },
    "/interface/bonding": {
        "arp": "enabled", "arp-interval": "100ms", "arp-timeout": "auto", "disabled": "false",
        "down-delay": "0ms", "lacp-rate": "30secs", "link-monitoring": "mii",
        "mii-interval": "100ms", "min-links": "0", "mode": "balance-rr", "mtu": "1500",
        "primary": "none", "running": "true", "transmit-hash-policy": "layer-2", "up-delay": "0ms",
    },
    "/interface/bridge/vlan": {
        "current-tagged": "", "current-untagged": "", "disabled": "false", "dynamic": "false",
        "tagged": "", "untagged": "",
    },
    "/interface/pppoe-client": {
        "ac-name": "", "add-default-route": "false", "allow": "pap,chap,mschap1,mschap2",
        "default-route-distance": "1", "dial-on-demand": "false", "disabled": "true",
        "invalid": "false", "keepalive-timeout": "10", "max-mru": "auto", "max-mtu": "auto",
        "mrru": "disabled", "password": "", "profile": "default", "running": "false",
        "service-name": "", "use-peer-dns": "false", "user": "",
    },
    "/ppp/profile": {
        "address-list": "", "bridge-learning": "default", "change-tcp-mss": "default",
        "default": "false", "on-down": "", "on-up": "", "only-one": "default",
        "use-compression": "default", "use-encryption": "default", "use-ipv6": "yes",
        "use-mpls": "default", "use-upnp": "default",
    },
    "/ppp/secret": {
        "caller-id": "", "disabled": "false", "ipv6-routes": "", "limit-bytes-in": "0",
        "limit-bytes-out": "0", "profile": "default", "routes": "", "service": "any",
    },
    "/ipv6/address": {
        "advertise": "true", "disabled": "false", "dynamic": "false", "eui-64": "false",
        "from-pool": "", "invalid": "false", "link-local": "false", "no-dad": "false",
    },
    "/ip/ipsec/policy": {
        "action": "encrypt", "active": "false", "disabled": "false", "dynamic": "false",
        "invalid": "false", "ipsec-protocols": "esp", "level": "require", "ph2-count": "0",
        "ph2-state": "no-phase2", "proposal": "default", "protocol": "all", "tunnel": "false",
    },
    "/ip/ipsec/proposal": {
        "auth-algorithms": "sha1", "default": "false", "disabled": "false",
        "enc-algorithms": "aes-256-cbc,aes-192-cbc,aes-128-cbc", "lifetime": "30m",
        "pfs-group": "modp1024",
    },
    "/ip/hotspot": {
        "addresses-per-mac": "unlimited", "disabled": "false", "idle-timeout": "5m",
        "invalid": "false", "keepalive-timeout": "none", "login-timeout": "none",
        "profile": "default",
    },
    # From the manual's lists of properties and their defaults [INF: not recorded over REST]
    "/ip/route": {
        "active": "true", "disabled": "false", "distance": "1", "dynamic": "false",
        "inactive": "false", "routing-table": "main", "scope": "30", "static": "true",
        "suppress-hw-offload": "false", "target-scope": "10",
    },
    "/ipv6/route": {
        "active": "true", "disabled": "false", "distance": "1", "dynamic": "false",
        "routing-table": "main", "scope": "30", "static": "true", "target-scope": "10",
    },
    "/ip/arp": {
        "complete": "true", "disabled": "false", "dynamic": "false", "invalid": "false",
        "published": "false",
    },
    "/ipv6/neighbor": {"disabled": "false", "dynamic": "false"},
    "/interface/bridge": {
        "ageing-time": "5m", "arp": "enabled", "arp-timeout": "auto", "auto-mac": "true",
        "dhcp-snooping": "false", "disabled": "false", "fast-forward": "true",
        "igmp-snooping": "false", "mtu": "auto", "priority": "0x8000", "protocol-mode": "rstp",
        "running": "true", "vlan-filtering": "false",
    },
    "/interface/vlan": {
        "arp": "enabled", "arp-timeout": "auto", "disabled": "false", "mtu": "1500",
        "running": "true", "use-service-tag": "false", "vlan-id": "1",
    },
    "/interface/eoip": {
        "allow-fast-path": "true", "arp": "enabled", "arp-timeout": "auto",
        "clamp-tcp-mss": "true", "disabled": "false", "dont-fragment": "no", "dscp": "inherit",
        "keepalive": "10s,10", "mtu": "auto", "running": "true",
    },
    "/interface/wireguard": {"disabled": "false", "mtu": "1420", "running": "true"},
    "/interface/wireguard/peers": {"disabled": "false", "dynamic": "false"},
    "/interface/vxlan": {"disabled": "false", "running": "true"},
    "/interface/gre": {"disabled": "false", "running": "true"},
    "/interface/ipip": {"disabled": "false", "running": "true"},
    "/interface/pppoe-server/server": {
        "authentication": "pap,chap,mschap1,mschap2", "default-profile": "default",
        "disabled": "true", "keepalive-timeout": "10", "max-mru": "auto", "max-mtu": "auto",
        "mrru": "disabled", "one-session-per-host": "false",
    },
    "/ip/vrf": {"disabled": "false"},
    "/interface/mesh": {"disabled": "false", "running": "true"},
}  # fmt: skip

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
