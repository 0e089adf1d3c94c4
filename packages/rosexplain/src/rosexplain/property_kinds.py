"""The kinds of the properties of RouterOS: a value is shown where it parses as its kind.

What is not here is not shown.  The words are those of a CHR of 7.21.4 (routeros-lsp 0.2.3) and of
the manual, which has those of hardware and of RouterOS 6 beside; read on 2026-11-28.
"""

from __future__ import annotations

FLAG, NUMBER, SIZE, RATE, TIME, FREQUENCY, PORT, ADDRESS, MAC = (
    "flag", "number", "size", "rate", "time", "frequency", "port", "address", "mac")  # fmt: skip
"""Kinds of values: each has a form that tells it."""

INTERFACE, INTERFACE_LIST, CHAIN, ADDRESS_LIST, MARK, TABLE, VRF, PROFILE, QUEUE, QUEUE_TYPE = (
    "interface", "interface-list", "chain", "list", "mark", "table", "vrf", "profile", "queue",
    "queue-type")  # fmt: skip
POOL, SERVER, PROPOSAL, PEER = "pool", "server", "proposal", "peer"
"""Kinds of names: what a row is called, by itself or by others."""

NAMES = (INTERFACE, INTERFACE_LIST, CHAIN, ADDRESS_LIST, MARK, TABLE, VRF, PROFILE, QUEUE,
         QUEUE_TYPE, POOL, SERVER, PROPOSAL, PEER)  # fmt: skip
FREE = (CHAIN, ADDRESS_LIST, MARK, TABLE)
"""Names that need no row of their own: the first rule that has one makes it."""

UNITS = {
    NUMBER: [""],
    SIZE: ["", "k", "M", "G", "T", "B", "KiB", "MiB", "GiB"],
    RATE: ["", "k", "K", "M", "G", "T", "bps", "kbps", "Mbps", "Gbps", "s", "%"],
    TIME: ["", "w", "d", "h", "m", "s", "ms", "us"],
    FREQUENCY: ["", "Hz", "kHz", "MHz", "GHz"],
}
"""The units behind the digits of an amount."""

ANYWHERE = (
    "yes no none auto default disabled enabled all any unlimited inherit main static dynamic true "
    "false unspecified"
).split()
"""Words that some property of each kind has."""

BY_NAME: dict[str, list[str]] = {}
"""The kinds that a property has, by its name."""

_GROUPS: dict[str, str] = {
    FLAG: (
        "accept-redirects accept-router-advertisements accept-source-route action add-arp "
        "add-default-route add-dhcp-option82 advertise advertise-dns allow allow-fast-path "
        "allow-remote-requests arp auth-algorithms authoritative auth-method authentication "
        "auto-mac auto-negotiation band blackhole bpdu-guard broadcast-flood bucket-size "
        "cable-settings cake-ack-filter cake-atm cake-autorate-ingress cake-diffserv cake-flowmode "
        "cake-nat cake-overhead-scheme cake-rtt-scheme cake-wash chain change-tcp-mss "
        "channel-width channel.band channel.control-channel-width channel.width check-gateway "
        "clamp-tcp-mss codel-ecn combo-mode control-channel-width "
        "configuration.manager configuration.mode connection-nat-state connection-state "
        "connection-type datapath.local-forwarding default-route-tables dh-group dhcp-snooping "
        "dial-on-demand disable-ipv6 disable-running-check disabled dont-fragment dst-address-type "
        "edge egress-tag enabled enc-algorithm enc-algorithms ether-type eui-64 fast-forward "
        "fast-leave fec-mode fib force-vlan-id forward forward-delay fq-codel-ecn fragment "
        "frame-types framer-policy guard-interval "
        "full-duplex generate-policy hash-algorithm hotspot hw hw-flag hw-offload "
        "icmp-reply-on-error igmp-snooping ip-forward ip-protocol independent-learning "
        "ingress-filtering ipsec-policy ipsec-protocols ipv4-multipath-hash-policy ipv4-options "
        "ipv6-hw is-responder isolated-bridge-hw keepalive kind l3-hw-offloading lacp-mode "
        "lacp-rate learn level link-monitoring local-forwarding local-proxy-arp log loop-protect "
        "mac-protocol manager mode multicast-fast-switch multicast-querier multicast-router "
        "multipath-hash-policy mvrp nat-traversal one-session-per-host only-one packet-type "
        "passive passthrough pcq-classifier per-connection-classifier per-peer-default-queue "
        "pfs-group point-to-point port-cost-mode prefer-bgp proposal-check protocol protocol-mode "
        "psd punch-hole randomise-ports redirect-to-cpu reject-with request restricted-role "
        "restricted-tcn route-cache rp-filter running rx-flow-control scheduler secure-redirects "
        "send-initial-contact send-redirects service sfp-rate-select sfp-shutdown-temperature "
        "speed src-address-type streaming-enabled supported-bands suppress-hw-offload "
        "switch-all-ports tag-stacking tcp-ecn tcp-flags tcp-syncookies tcp-timestamps template "
        "tls-version transmit-hash-policy trusted tunnel tx-flow-control type "
        "unknown-multicast-flood unknown-unicast-flood use-bfd use-compression use-encryption "
        "use-ip-firewall "
        "use-ip-firewall-for-pppoe use-ip-firewall-for-vlan use-ipsec use-ipv6 use-mpls "
        "use-peer-dns use-peer-ntp use-radius use-service-tag use-upnp version vlan-encap "
        "vlan-filtering vlan-header vlan-mode vlan-protocol vteps-ip-version width"
    ),
    NUMBER: (
        "as bucket-size cake-bandwidth cake-memlimit cake-mpu cake-overhead connection-limit "
        "count default-route-distance default-vlan-id distance dscp egress-priority "
        "fq-codel-flows fq-codel-limit fq-codel-memlimit fq-codel-quantum codel-limit "
        "horizon icmp-options ingress-priority ip-options ipv6-header internal-path-cost l2mtu "
        "max-fdb-size max-mru max-mtu max-neighbor-entries max-sessions metric mrru mtu "
        "multicast-limit new-dscp new-hop-limit new-mss new-priority new-ttl new-vlan-id "
        "new-vlan-priority nth packet-size path-cost per-connection-classifier pfifo-limit "
        "pool-size port-path-cost prefix-length priority protocol psd pvid random red-avg-packet "
        "red-burst red-limit red-max-threshold red-min-threshold scope session-limit "
        "sfq-perturb target-scope tcp-mss ttl tunnel-id version vlan-id vlan-ids vlan-priority "
        "vni vrid mq-pfifo-limit limit-ipv4 weight hop-limit burst dh-group max-arp-entries "
        "mac-protocol vlan-encap cpu bridge-horizon datapath.vlan-id icmp-rate-mask "
        "icmp-rate-limit set-priority set-mpls-exp"
    ),
    SIZE: (
        "bfifo-limit cache-size connection-bytes max-entries-memory pcq-limit pcq-total-limit "
        "sfq-allot cake-memlimit fq-codel-memlimit cache-entries total-limit"
    ),
    RATE: (
        "ap-tx-limit bandwidth burst-limit burst-threshold cake-bandwidth connection-rate "
        "default-ap-tx-limit dst-limit "
        "egress-rate egress-rate-queue0 egress-rate-queue1 egress-rate-queue2 egress-rate-queue3 "
        "egress-rate-queue4 egress-rate-queue5 egress-rate-queue6 egress-rate-queue7 "
        "ingress-rate limit limit-at max-limit pcq-burst-rate pcq-burst-threshold "
        "pcq-rate rate rate-limit rx-rate-limit speed storm-rate total-burst-limit "
        "total-burst-threshold total-limit-at total-max-limit tx-rate-limit"
    ),
    TIME: (
        "active-flow-timeout address-list-timeout ageing-time arp-interval arp-timeout burst-time "
        "cake-rtt codel-interval codel-target ddns-timeout dead-interval dst-limit "
        "dpd-interval fq-codel-interval fq-codel-target generic-timeout hello-interval interval "
        "icmp-timeout idle-timeout inactive-flow-timeout keepalive keepalive-timeout lease-time "
        "lifetime limit loop-protect-disable-time loop-protect-send-interval mii-interval "
        "pcq-burst-time persistent-keepalive session-timeout tcp-close-timeout "
        "tcp-close-wait-timeout tcp-established-timeout tcp-fin-wait-timeout "
        "tcp-last-ack-timeout tcp-max-retrans-timeout tcp-syn-received-timeout "
        "tcp-syn-sent-timeout tcp-time-wait-timeout tcp-unacked-timeout time timeout "
        "udp-stream-timeout udp-timeout up-delay down-delay"
    ),
    FREQUENCY: "cpu-frequency memory-frequency",
    PORT: (
        "any-port dst-port endpoint-port ip-dst-port listen-port new-dst-port port src-port "
        "to-ports"
    ),
    ADDRESS: (
        "address allowed-address area-id broadcast caps-man-addresses connect-to dns dns-server "
        "dst dst-address dst-address6 endpoint-address gateway local-address lsr-id network "
        "ntp-server pref-src ranges remote-address remote-ip router-id routes sa-dst-address "
        "sa-src-address servers src-address src-address6 target to-address to-addresses "
        "transport-address group ip-dst ip-src ip-gateway streaming-server filter-ip-address"
    ),
    MAC: (
        "admin-mac dst-mac-address mac-address orig-mac-address src-mac-address "
        "mac-dst mac-src arp-dst-mac-address arp-src-mac-address to-dst-mac-address "
        "to-src-mac-address"
    ),
    INTERFACE: (
        "bridge cpu-port datapath.bridge dst gateway in-bridge in-bridge-port in-interface "
        "interface interfaces mirror-target out-bridge out-bridge-port out-interface parent "
        "peer-port ports primary slaves switch tagged target untagged vrf-interface "
        "filter-interface master-port ipv6-interface"
    ),
    INTERFACE_LIST: (
        "allowed-interface-list datapath.interface-list discover-interface-list exclude "
        "in-bridge-list in-bridge-port-list in-interface-list include interface-list "
        "internet-interface-list lan-interface-list out-bridge-list out-bridge-port-list "
        "out-interface-list wan-interface-list"
    ),
    CHAIN: "chain jump-target incoming-filter outgoing-filter",
    ADDRESS_LIST: "address-list address-lists dst-address-list src-address-list",
    MARK: (
        "connection-mark new-connection-mark new-packet-mark packet-mark packet-marks "
        "incoming-packet-mark outgoing-packet-mark"
    ),
    TABLE: "new-routing-mark routing-mark routing-table table",
    VRF: "vrf",
    PROFILE: "profile default-profile layer7-protocol master-configuration",
    QUEUE: "parent parent-queue",
    QUEUE_TYPE: "default-queue-type queue queue-type total-queue",
    POOL: (
        "address-pool dhcpv6-pd-pool from-pool local-address pool prefix-pool remote-address "
        "remote-ipv6-prefix-pool"
    ),
    SERVER: "server",
    PROPOSAL: "proposal",
    PEER: "peer",
}  # fmt: skip

for _kind, _names in _GROUPS.items():
    for _name in _names.split():
        BY_NAME.setdefault(_name, []).append(_kind)

BY_MENU: dict[str, dict[str, list[str]]] = {}
"""The kinds that a property has in one menu, in place of those by its name.

`name` stands only here: names of users and communities are half of what lets one in.
`interface`: each menu of a kind of interface, as interface/bridge, but not interface/bridge/port.
"""

for _kind, _name, _menus in (
    (INTERFACE, "name", "interface interface/ethernet/switch interface/ethernet/switch/port "
     "interface/ethernet/switch/port-isolation interface/ethernet/switch/qos/port "
     "caps-man/interface queue/interface zerotier/interface"),
    (INTERFACE, "default-name", "interface"),
    (INTERFACE, "new-dst-ports", "interface/ethernet/switch/rule"),
    (INTERFACE, "ports", "interface/ethernet/switch/host"),
    (INTERFACE, "interface", "interface/wireguard/peers"),
    (INTERFACE, "name", "interface/wireless/nstreme"),
    (INTERFACE_LIST, "name", "interface/list"),
    (INTERFACE_LIST, "list", "interface/list/member"),
    (ADDRESS_LIST, "list", "ip/firewall/address-list ipv6/firewall/address-list"),
    (PROFILE, "name", "ip/firewall/layer7-protocol ip/hotspot/profile ip/hotspot/user/profile "
     "ip/ipsec/profile ppp/profile caps-man/datapath caps-man/configuration "
     "interface/wifi/configuration interface/wifiwave2/configuration "
     "interface/wifi/channel interface/wifiwave2/channel"),
    (SERVER, "name", "ip/dhcp-server ip/hotspot ipv6/dhcp-server system/scheduler"),
    (PEER, "name", "ip/ipsec/peer"),
    (PROPOSAL, "name", "ip/ipsec/proposal"),
    (POOL, "name", "ip/pool ipv6/pool"),
    (ADDRESS, "prefix", "ipv6/pool"),
    (VRF, "name", "ip/route/vrf ip/vrf"),
    (TABLE, "name", "routing/table"),
    (QUEUE, "name", "queue/simple queue/tree"),
    (QUEUE_TYPE, "name", "queue/type"),
    (PORT, "port", "interface/vxlan/vteps"),
):  # fmt: skip
    for _menu in _menus.split():
        BY_MENU.setdefault(_menu, {})[_name] = [_kind]

BUILT_IN: dict[str, list[str]] = {
    INTERFACE_LIST: "WAN LAN all none dynamic static".split(),
    CHAIN: (
        "forward input output prerouting postrouting srcnat dstnat hotspot pre-hotspot "
        "hs-unauth hs-auth hs-unauth-to hs-auth-to hs-input"
    ).split(),
    MARK: ["no-mark"],
    TABLE: ["main"],
    VRF: ["main"],
    PROFILE: "default default-encryption default-trial".split(),
    QUEUE: "global global-in global-out global-total none".split(),
    QUEUE_TYPE: (
        "default default-small ethernet-default hotspot-default multi-queue-ethernet-default "
        "only-hardware-queue no-queue pcq-download-default pcq-upload-default synchronous-default "
        "wireless-default"
    ).split(),
    POOL: "static-only default-dhcp dhcp".split(),
    SERVER: "all defconf".split(),
    PROPOSAL: ["default"],
    INTERFACE: "all none dynamic lo all-ethernet all-ppp all-vlan all-wireless".split(),
}
"""Names that every router has, and those of MikroTik's default configuration."""

NUMBERED = (
    "ether sfp sfp-sfpplus sfpplus sfp28- qsfp qsfpplus qsfp28- qsfp56- qsfp56-dd- combo wlan wifi "
    "lte bridge bridge-local switch bonding bond vlan vrrp macvlan veth eoip-tunnel gre-tunnel "
    "ipip-tunnel vxlan wireguard ovpn-out l2tp-out pptp-out sstp-out pppoe-out pppoe-in ppp-out "
    "l2tp-in pptp-in sstp-in ovpn-in 6to4- cap queue profile list pool dhcp hotspot server"
).split()
"""RouterOS's own names for a port or a row that nobody named; a number follows."""

_PROTOCOLS = (
    "tcp udp icmp icmpv6 gre ipsec-esp ipsec-ah igmp ospf pim vrrp l2tp ipip ipv6-encap sctp "
    "udp-lite dccp ipencap encap etherip egp ggp hmp idpr-cmtp ipv6-frag ipv6-nonxt ipv6-opts "
    "ipv6-route iso-tp4 pup rdp rspf rsvp st vmtp xns-idp xtp ddp"
)
_FRAMES = (
    "ip arp ipv6 ipx pppoe pppoe-discovery vlan service-vlan rarp mpls-unicast mpls-multicast "
    "lldp loop-protect capsman dot1x homeplug-av lacp macsec mvrp packing-compr packing-simple "
    "romon 802.2 length"
)
_SELECTORS = (
    "src-address dst-address src-port dst-port src-address-and-port dst-address-and-port "
    "both-addresses both-addresses-and-ports both-ports"
)
_BANDS = (
    "2ghz-ax 2ghz-b 2ghz-b/g 2ghz-b/g/n 2ghz-be 2ghz-g 2ghz-g/n 2ghz-n 2ghz-onlyg 2ghz-onlyn "
    "5ghz-a 5ghz-a/n 5ghz-a/n/ac 5ghz-ac 5ghz-ax 5ghz-be 5ghz-n 5ghz-n/ac 5ghz-onlyac 5ghz-onlyn "
    "6ghz-ax 6ghz-be"
)
_WIDTHS = (
    "5mhz 10mhz 20mhz 20/40mhz 20/40mhz-Ce 20/40mhz-eC 20/40mhz-XX 20/40mhz-ht-above "
    "20/40mhz-ht-below 20/40/80mhz 20/40/80mhz-Ceee 20/40/80mhz-XXXX 20/40/80mhz-eCee "
    "20/40/80mhz-eeCe 20/40/80mhz-eeeC 20/40/80+80mhz 20/40/80/160mhz 20/40/80/160mhz-XXXXXXXX "
    "40mhz-turbo"
)

WORDS: dict[str, list[str]] = {
    name: words.split()
    for name, words in {
        "accept-redirects": "yes-if-forwarding-disabled",
        "accept-router-advertisements": "yes-if-forwarding-disabled",
        "action": (
            "accept drop reject jump return log passthrough tarpit fasttrack-connection notrack "
            "mark-connection mark-packet mark-routing change-mss change-ttl change-dscp "
            "change-hop-limit change-tos clear-df set-priority strip-ipv4-options route sniff-pc "
            "sniff-tzsp masquerade src-nat dst-nat netmap redirect same socksify "
            "endpoint-independent-nat add-dst-to-address-list add-src-to-address-list arp-reply "
            "mark-priority allow deny lookup lookup-only-in-table unreachable prohibit encrypt "
            "discard create-disabled create-enabled create-dynamic-enabled"
        ),
        "add-default-route": "special-classless",
        "allow": "pap chap mschap1 mschap2",
        "arp": "local-proxy-arp proxy-arp reply-only",
        "auth-algorithms": "md5 null sha1 sha256 sha512",
        "auth-method": (
            "pre-shared-key pre-shared-key-xauth digital-signature eap eap-radius rsa-key "
            "rsa-signature-hybrid"
        ),
        "authentication": "pap chap mschap1 mschap2 simple ah",
        "authoritative": "after-10sec-delay after-2sec-delay",
        "band": _BANDS,
        "cable-settings": "short standard",
        "cake-ack-filter": "aggressive filter",
        "cake-atm": "atm ptm",
        "cake-diffserv": "besteffort diffserv3 diffserv4 diffserv8 precedence",
        "cake-flowmode": (
            "dsthost dual-dsthost dual-srchost flowblind flows hosts srchost triple-isolate"
        ),
        "cake-overhead-scheme": (
            "bridged-llcsnap bridged-ptm bridged-vcmux conservative docsis ether-vlan ethernet "
            "ipoa-llcsnap ipoa-vcmux pppoa-llc pppoa-vcmux pppoe-llcsnap pppoe-ptm pppoe-vcmux raw "
            "via-ethernet"
        ),
        "cake-rtt-scheme": (
            "datacentre internet interplanetary lan metro oceanic regional satellite"
        ),
        "channel-width": _WIDTHS,
        "channel.band": _BANDS,
        "channel.control-channel-width": _WIDTHS,
        "channel.width": _WIDTHS,
        "check-gateway": "arp bfd ping",
        "framer-policy": "best-fit dynamic-size exact-size none",
        "guard-interval": "any long",
        "combo-mode": "copper sfp",
        "control-channel-width": _WIDTHS,
        "configuration.manager": "capsman capsman-or-local local",
        "configuration.mode": "ap station station-bridge station-pseudobridge",
        "connection-nat-state": "srcnat dstnat ein-snat ein-dnat",
        "connection-state": "established related new invalid untracked",
        "connection-type": "ftp h323 irc pptp quake3 sip tftp",
        "dh-group": (
            "ecp256 ecp384 ecp521 modp768 modp1024 modp1536 modp2048 modp3072 modp4096 modp6144 "
            "modp8192 x25519"
        ),
        "dpd-interval": "disable-dpd",
        "dst-address-type": "unicast local broadcast multicast blackhole anycast unreachable",
        "dst-limit": (
            "dst-address dst-port src-address packet bit dst-and-src-addresses "
            "addresses-and-dst-port"
        ),
        "edge": "no-discover yes-discover",
        "enc-algorithm": "3des aes-128 aes-192 aes-256 des camellia-128 camellia-192 camellia-256",
        "enc-algorithms": (
            "3des aes-128-cbc aes-128-ctr aes-128-gcm aes-192-cbc aes-192-ctr aes-192-gcm "
            "aes-256-cbc aes-256-ctr aes-256-gcm blowfish camellia-128 camellia-192 camellia-256 "
            "chacha20poly1305 des null twofish"
        ),
        "ether-type": "0x8100 0x88a8 0x9100",
        "fec-mode": "fec74 fec91 off",
        "frame-types": "admit-all admit-only-untagged-and-priority-tagged admit-only-vlan-tagged",
        "generate-policy": "port-override port-strict",
        "hash-algorithm": "md5 sha1 sha256 sha384 sha512",
        "hotspot": "auth from-client http local-dst to-client",
        "ip-protocol": _PROTOCOLS,
        "ipsec-policy": "in out ipsec",
        "ipsec-protocols": "ah esp ah-esp",
        "ipv4-multipath-hash-policy": "l3 l3-inner l4",
        "ipv4-options": (
            "loose-source-routing no-record-route no-router-alert no-source-routing no-timestamp "
            "record-route router-alert strict-source-routing timestamp"
        ),
        "kind": "bfifo cake codel fq-codel mq-pfifo pcq pfifo red sfq",
        "lacp-mode": "active passive",
        "lacp-rate": "1sec 30secs",
        "level": "require unique use",
        "limit": "packet bit",
        "link-monitoring": "arp mii mii-type1 mii-type2",
        "loop-protect": "on off",
        "mac-protocol": _FRAMES,
        "manager": "capsman capsman-or-local local",
        "mode": (
            "802.3ad active-backup balance-alb balance-rr balance-tlb balance-xor broadcast "
            "ap-bridge bridge station station-bridge station-pseudobridge "
            "station-pseudobridge-clone station-wds ap ip ethernet private strict passive tx-only "
            "rx-only tx-and-rx loose"
        ),
        "multicast-router": "permanent temporary-query",
        "multipath-hash-policy": "l3 l3-inner l4",
        "new-dscp": "from-priority from-priority-to-high-3-bits",
        "new-hop-limit": "decrement increment set",
        "new-mss": "clamp-to-pmtu",
        "new-priority": "from-dscp from-dscp-high-3-bits from-ingress",
        "new-ttl": "decrement increment set",
        "packet-type": "broadcast host multicast other-host",
        "pcq-classifier": _SELECTORS,
        "per-connection-classifier": _SELECTORS,
        "pfs-group": (
            "ecp256 ecp384 ecp521 modp768 modp1024 modp1536 modp2048 modp3072 modp4096 modp6144 "
            "modp8192"
        ),
        "port-cost-mode": "long short",
        "proposal-check": "claim exact obey strict",
        "protocol": _PROTOCOLS,
        "protocol-mode": "mstp rstp stp",
        "reject-with": (
            "tcp-reset icmp-network-unreachable icmp-host-unreachable icmp-port-unreachable "
            "icmp-protocol-unreachable icmp-admin-prohibited icmp-net-prohibited "
            "icmp-host-prohibited icmp-no-route icmp-address-unreachable icmp-not-neighbour "
            "icmp-err-src-routing-header icmp-headers-too-long"
        ),
        "request": "address prefix info",
        "rp-filter": "loose strict",
        "rx-flow-control": "on off",
        "service": "async dhcp dot1x hotspot ipsec l2tp login ovpn ppp pppoe pptp sstp wireless",
        "sfp-rate-select": "high low",
        "speed": (
            "10M-half 10M-full 100M-half 100M-full 1000M-half 1000M-full 2500M-full 5000M-full "
            "10000M-full "  # of RouterOS before 7.12
            "10M-baseT-half 10M-baseT-full 100M-baseT-half 100M-baseT-full 100M-baseFX-half "
            "100M-baseFX-full 1G-baseT-half 1G-baseT-full 1G-baseX 2.5G-baseT 2.5G-baseX 5G-baseT "
            "10G-baseT 10G-baseSR-LR 10G-baseCR 25G-baseSR-LR 25G-baseCR 40G-baseSR4-LR4 "
            "40G-baseCR4 50G-baseSR2-LR2 50G-baseSR-LR 50G-baseCR2 50G-baseCR 100G-baseSR4-LR4 "
            "100G-baseSR2-LR2 100G-baseCR4 100G-baseCR2 200G-baseSR4-LR4 200G-baseCR4 "
            "400G-baseSR8-LR8 400G-baseCR8 2.5Gbps"
        ),
        "supported-bands": (
            "2ghz-ax 2ghz-be 2ghz-g 2ghz-n 5ghz-a 5ghz-ac 5ghz-ax 5ghz-be 5ghz-n 6ghz-ax 6ghz-be"
        ),
        "tcp-flags": "ack cwr ece fin psh rst syn urg",
        "tcp-timestamps": "random-offset",
        "time": "mon tue wed thu fri sat sun",
        "transmit-hash-policy": ("encap-2-and-3 encap-3-and-4 layer-2 layer-2-and-3 layer-3-and-4"),
        "type": (
            "external internal blackhole prohibit unreachable unicast bypassed blocked regular"
        ),
        "tx-flow-control": "on off",
        "address-list-timeout": "none-dynamic none-static",
        "use-encryption": "required require",
        "use-ipsec": "required",
        "use-peer-dns": "exclusively",
        "use-radius": "accounting",
        "version": "2-c3 ipfix",
        "vlan-encap": _FRAMES,
        "vlan-header": "add-if-missing always-strip leave-as-is",
        "vlan-mode": "check disabled fallback secure",
        "vlan-protocol": _FRAMES,
        "vteps-ip-version": "ipv4 ipv6",
        "width": _WIDTHS,
    }.items()
}
"""The words that a property may have, beside those of ANYWHERE."""
WORDS["src-address-type"] = WORDS["dst-address-type"]
WORDS["advertise"] = WORDS["speed"]

UNSHOWN = (
    "allowed-number apn authentication-key caller-id client-id cn common-name comment content "
    "host-name http-data identity ipsec-secret lease-script log-prefix my-id name note on-event "
    "passphrase password pre-shared-key preshared-key private-key public-key regexp remote-id "
    "script secret service-name shared-secret source ssid tls-host url user username "
    "wpa-pre-shared-key wpa2-pre-shared-key default-name list hostname text "
    "dst-host code value domain domain-name place-before"
).split()
"""Properties whose names are shown, and no value of them where `kinds` has none."""


def kinds(menu: str, name: str) -> list[str]:
    """The kinds of a menu's property; empty where its value is not shown."""
    path = menu.strip("/")
    own = BY_MENU.get(path, {})
    if name not in own and path[:10] == "interface/" and "/" not in path[10:]:
        own = BY_MENU["interface"]
    return own.get(name) or BY_NAME.get(name, [])


def is_name(menu: str, name: str) -> bool:
    """Return True if a property's value is a name that somebody chose, or may be one."""
    return any(kind in NAMES for kind in kinds(menu, name))


def known(name: str) -> bool:
    """Return True if a property of this name is known, so that its name may be shown."""
    return name in BY_NAME or name in UNSHOWN or any(name in own for own in BY_MENU.values())


def words(name: str) -> list[str]:
    """The words that a property may have."""
    return ANYWHERE + WORDS.get(name, [])


def standard(kind: str, value: str) -> bool:
    """Return True if a name is RouterOS's own: `ether1`, `bridge`, `LAN`, `forward`."""
    if value in BUILT_IN.get(kind, ()):
        return True
    if value[-4:] == "-cpu":
        value = value[:-4]  # switch1-cpu: the port of a switch that leads to the CPU
    begins = value.rstrip("0123456789")
    above = begins[:-1].rstrip("0123456789")
    if begins[-1:] == "-" and above in NUMBERED and len(value) - len(above) <= 5:
        return kind not in FREE  # qsfp28-3-1: a lane of a port
    return begins in NUMBERED and len(value) - len(begins) <= 4 and kind not in FREE


def defines(menu: str) -> str | None:
    """The kind of name that a menu's rows have; None where they have none that is shown."""
    named = [kind for kind in kinds(menu, "name") if kind in NAMES]
    return named[0] if named else None
