"""The menus that RouterOS has, by the command trees and the manual, and its other command words.

An export's line is only a menu's name: what RouterOS may have as such is told here from what it has
not, as `/import more.rsc`.  Read on 2026-11-24: the tree of a CHR of 7.21.4 (routeros-lsp 0.2.3),
and what hardware, packages and RouterOS 6 have beside (the manual's cli-reference, and
community.routeros, plugins/module_utils/_api_data.py).
"""

from __future__ import annotations

from typing import Any

DATA: dict[str, Any] = {
    # What may stand behind each menu.
    "below": {
        "": (
            "app caps-man certificate console container disk dude file interface iot ip ipv6 "
            "kvm lcd log lora metarouter mpls openflow partitions port ppp queue radius "
            "routing snmp special-login store system task tool tr069-client user user-manager "
            "zerotier"
        ).split(),
        "app": "settings".split(),
        "caps-man": (
            "aaa access-list channel configuration datapath interface manager provisioning "
            "rates security"
        ).split(),
        "caps-man/manager": "interface".split(),
        "certificate": "builtin crl scep-server settings".split(),
        "certificate/scep-server": "otp ra requests".split(),
        "console": "settings".split(),
        "container": "config envs mounts".split(),
        "disk": "settings".split(),
        "interface": (
            "6to4 bonding bridge detect-internet dot1x eoip eoipv6 ethernet gre gre6 ipip "
            "ipipv6 l2tp-client l2tp-ether l2tp-server list lte macsec macvlan mesh "
            "ovpn-client ovpn-server ppp-client ppp-server pppoe-client pppoe-server "
            "pptp-client pptp-server sstp-client sstp-server traffic-eng veth "
            "virtual-ethernet vlan vpls vrrp vxlan w60g wifi wifiwave2 wireguard wireless"
        ).split(),
        "interface/bridge": (
            "calea filter host mdb mlag msti nat port port-controller port-extender settings vlan"
        ).split(),
        "interface/bridge/port": "mst-override".split(),
        "interface/bridge/vlan": "mvrp".split(),
        "interface/detect-internet": "state".split(),
        "interface/dot1x": "client server".split(),
        "interface/dot1x/server": "active state".split(),
        "interface/ethernet": "poe switch".split(),
        "interface/ethernet/poe": "settings".split(),
        "interface/ethernet/switch": (
            "egress-vlan-tag egress-vlan-translation host ingress-vlan-translation "
            "l3hw-settings port port-isolation qos rule trunk vlan"
        ).split(),
        "interface/ethernet/switch/l3hw-settings": "advanced".split(),
        "interface/ethernet/switch/qos": (
            "map monitor port priority-flow-control profile settings tx-manager"
        ).split(),
        "interface/ethernet/switch/qos/map": "ip vlan".split(),
        "interface/ethernet/switch/qos/tx-manager": "queue".split(),
        "interface/l2tp-server": "server".split(),
        "interface/list": "member".split(),
        "interface/lte": "apn esim settings".split(),
        "interface/macsec": "profile".split(),
        "interface/mesh": "fdb port".split(),
        "interface/ovpn-server": "server".split(),
        "interface/pppoe-server": "server".split(),
        "interface/pptp-server": "server".split(),
        "interface/sstp-server": "server".split(),
        "interface/vxlan": "fdb vteps".split(),
        "interface/w60g": "station".split(),
        "interface/wifi": (
            "aaa access-list cap capsman channel configuration datapath interworking "
            "provisioning radio registration-table security steering"
        ).split(),
        "interface/wifi/capsman": "remote-cap".split(),
        "interface/wifi/radio": "settings".split(),
        "interface/wifi/security": "multi-passphrase".split(),
        "interface/wifi/steering": "neighbor-group".split(),
        "interface/wireguard": "peers".split(),
        "interface/wireless": (
            "access-list align cap connect-list interworking-profiles manual-tx-power-table "
            "nstreme nstreme-dual security-profiles sniffer snooper wds"
        ).split(),
        "iot": "bluetooth gpio lora mqtt".split(),
        "iot/lora": "channels servers traffic".split(),
        "iot/lora/traffic": "options".split(),
        "iot/mqtt": "brokers".split(),
        "ip": (
            "accounting address arp cloud dhcp-client dhcp-relay dhcp-server dns firewall "
            "hotspot ipsec kid-control media nat-pmp neighbor packing pool proxy route "
            "service settings smb socks socksify ssh tftp traffic-flow upnp vrf"
        ).split(),
        "ip/accounting": "web-access".split(),
        "ip/cloud": "advanced".split(),
        "ip/dhcp-client": "option".split(),
        "ip/dhcp-server": "alert config lease matcher network option".split(),
        "ip/dhcp-server/option": "sets".split(),
        "ip/dns": "adlist cache forwarders static".split(),
        "ip/dns/cache": "all".split(),
        "ip/firewall": (
            "address-list calea connection filter layer7-protocol mangle nat raw service-port"
        ).split(),
        "ip/firewall/connection": "tracking".split(),
        "ip/hotspot": (
            "active cookie host ip-binding profile service-port user walled-garden"
        ).split(),
        "ip/hotspot/user": "profile".split(),
        "ip/hotspot/walled-garden": "ip".split(),
        "ip/ipsec": (
            "active-peers identity installed-sa key mode-config peer policy profile proposal "
            "settings statistics user"
        ).split(),
        "ip/ipsec/key": "psk qkd rsa".split(),
        "ip/ipsec/peer": "profile".split(),
        "ip/ipsec/policy": "group".split(),
        "ip/ipsec/user": "settings".split(),
        "ip/kid-control": "device".split(),
        "ip/media": "settings".split(),
        "ip/nat-pmp": "interfaces".split(),
        "ip/neighbor": "discovery discovery-settings".split(),
        "ip/pool": "used".split(),
        "ip/proxy": (
            "access cache cache-contents connections direct inserts lookups refreshes"
        ).split(),
        "ip/route": "rule vrf".split(),
        "ip/service": "webserver".split(),
        "ip/smb": "shares users".split(),
        "ip/socks": "access connections users".split(),
        "ip/tftp": "settings".split(),
        "ip/traffic-flow": "ipfix target".split(),
        "ip/upnp": "interfaces".split(),
        "ipv6": (
            "address dhcp-client dhcp-relay dhcp-server firewall nd neighbor pool route settings"
        ).split(),
        "ipv6/dhcp-client": "option".split(),
        "ipv6/dhcp-relay": "option routes".split(),
        "ipv6/dhcp-server": "binding option".split(),
        "ipv6/dhcp-server/option": "sets".split(),
        "ipv6/firewall": "address-list connection filter mangle nat raw".split(),
        "ipv6/nd": "prefix proxy".split(),
        "ipv6/nd/prefix": "default".split(),
        "ipv6/pool": "used".split(),
        "lcd": "interface pin screen".split(),
        "lcd/interface": "pages".split(),
        "lora": "servers".split(),
        "metarouter": "interface".split(),
        "mpls": (
            "forwarding-table interface ldp local-bindings mangle settings traffic-eng"
        ).split(),
        "mpls/ldp": (
            "accept-filter advertise-filter interface local-mapping neighbor remote-mapping"
        ).split(),
        "mpls/traffic-eng": "flow interface path tunnel".split(),
        "openflow": "port".split(),
        "port": "firmware remote-access".split(),
        "ppp": "aaa active l2tp-secret profile secret".split(),
        "queue": "interface simple tree type".split(),
        "radius": "incoming".split(),
        "routing": (
            "bfd bgp fantasy filter gmp id igmp-proxy isis mme nexthop ospf ospf-v3 pim pimsm "
            "prefix-lists rip route rpki rule settings stats table"
        ).split(),
        "routing/bfd": "configuration interface session".split(),
        "routing/bgp": (
            "advertisements aggregate connection evpn instance network peer session template "
            "vpls vpn"
        ).split(),
        "routing/filter": (
            "chain community-ext-list community-large-list community-list num-list rule select-rule"
        ).split(),
        "routing/igmp-proxy": "interface mfc".split(),
        "routing/isis": "instance interface interface-template lsp neighbor".split(),
        "routing/mme": "interface network".split(),
        "routing/ospf": (
            "area instance interface interface-template lsa nbma-neighbor neighbor network "
            "static-neighbor virtual-link"
        ).split(),
        "routing/ospf-v3": "area instance interface".split(),
        "routing/ospf/area": "range".split(),
        "routing/pim": "interface rp".split(),
        "routing/pimsm": (
            "bsr igmp-interface-template instance interface interface-template neighbor "
            "static-rp uib-g uib-sg"
        ).split(),
        "routing/pimsm/bsr": "candidate rp-candidate rp-set".split(),
        "routing/rip": (
            "instance interface interface-template keys neighbor network static-neighbor"
        ).split(),
        "routing/route": "rule".split(),
        "routing/rpki": "session".split(),
        "routing/stats": "memory origin pcap process step".split(),
        "snmp": "community".split(),
        "system": (
            "backup clock console default-configuration device-mode gps hardware health "
            "history identity lcd leds license logging note ntp package regulatory resource "
            "routerboard rtrace scheduler script swos upgrade ups watchdog"
        ).split(),
        "system/backup": "cloud".split(),
        "system/clock": "manual".split(),
        "system/console": "screen".split(),
        "system/default-configuration": "caps-mode-script custom-script script".split(),
        "system/health": "settings".split(),
        "system/leds": "settings".split(),
        "system/logging": "action".split(),
        "system/ntp": "client key server".split(),
        "system/ntp/client": "servers".split(),
        "system/package": "local-update update".split(),
        "system/package/local-update": "mirror update-package-source".split(),
        "system/resource": "cpu hardware irq".split(),
        "system/resource/hardware": "usb-settings".split(),
        "system/resource/irq": "rps".split(),
        "system/routerboard": "mode-button reset-button settings usb wps-button".split(),
        "system/script": "environment job".split(),
        "system/upgrade": "mirror".split(),
        "tool": (
            "bandwidth-server calea e-mail graphing ip-scan mac-scan mac-server netwatch "
            "romon sms sniffer torch traffic-generator traffic-monitor user-manager"
        ).split(),
        "tool/bandwidth-server": "session".split(),
        "tool/graphing": "interface queue resource".split(),
        "tool/mac-server": "mac-winbox ping sessions".split(),
        "tool/romon": "port".split(),
        "tool/sms": "inbox".split(),
        "tool/sniffer": "connection host packet protocol".split(),
        "tool/traffic-generator": "packet-template port raw-packet-template stats stream".split(),
        "tool/traffic-generator/stats": "latency-distribution port raw stream".split(),
        # RouterOS 6, by public exports of 6.47.8 and 6.49.7 (read 2026-11-25).
        "tool/user-manager": "customer database profile router user".split(),
        "tool/user-manager/profile": "limitation profile-limitation".split(),
        "user": "aaa active group settings ssh-keys".split(),
        "user-manager": (
            "advanced attribute database limitation payment profile profile-limitation router "
            "session user user-profile"
        ).split(),
        "user/ssh-keys": "private".split(),
        "zerotier": "controller interface".split(),
        "zerotier/controller": "member".split(),
    },
    # Words that are commands wherever they stand, beside those that change or show rows.
    "commands": (
        "activate add-scep apply-changes ask at-chat authorize bandwidth-test beep blink "
        "cable-test cancel card-reinstall card-verify cell-monitor check check-disk "
        "check-for-updates check-installation check-status clear clear-cache clear-history "
        "comment copy create-certificate-request cuu deactivate debug delay delete devel "
        "discourse discover dns-update downgrade download download-all download-file dump-dot "
        "dump-saved-advertisements edit eject el enable-ssl-certificate error esim-id execute "
        "expire-password export-certificate export-client-configuration export-host-key "
        "export-pub-key fetch filter-wizard find firmware-upgrade flat-snoop flood-ping flush "
        "force-check force-update format frequency-scan generate generate-key generate-new-id "
        "get get-key get-key-cached get-key-with-ids get-status grant import import-host-key "
        "import-ovpn-configuration info inject inject-pcap inkey inspect install "
        "issued-revoke kill kill-connections load log-out login mac-telnet make-binding "
        "make-static monitor monitor-peers monitor-slaves monitor-traffic next password pause "
        "ping-speed provision put quick quit read reboot recursive-print redo refresh "
        "refresh-profile-list reg-info regenerate-host-key release reload remove-file renew "
        "reoptimize resend reset reset-alert reset-configuration reset-counters "
        "reset-counters-all reset-freq-drift reset-html reset-mac-address resolve resume roam "
        "rpki-check rpki-query rtc run save scan scep-renew self-test send send-notifications "
        "send-reconfigure send-trap serial-terminal set-identity set-nickname setup shell "
        "show-capabilities show-client-config shutdown sign sign-certificate-request snmp-get "
        "snmp-walk spectral-history spectral-scan speed-test ssh-exec start style sup-output "
        "sync take telnet terminate test test-as-path-regexp toggle traceroute undo uninstall "
        "unroll unschedule upload-file usb-power-reset warning wg-export wg-import wol "
        "wps-client wps-push-button"
    ).split(),
    # Commands whose names are those of menus elsewhere.
    "here": (
        "interface/wifi/capsman/remote-cap/upgrade interface/wifi/sniffer ping "
        "system/device-mode/update system/ssh tool/ping tool/profile tool/romon/ping "
        "tool/romon/ssh"
    ).split(),
    # The properties that `explain` reads: only their values are shown of an export, and no
    # secret's. test_secrets.py finds one that is read and missing here, and one that nobody reads.
    # In each menu: what says which interfaces it is about, and whether it is on.
    "everywhere": (
        "bridge datapath.bridge datapath.interface-list disabled in-interface "
        "in-interface-list interface interface-list internet-interface-list "
        "lan-interface-list out-interface out-interface-list slaves wan-interface-list"
    ).split(),
    # In each menu of a kind of interface (interface/bridge, not interface/bridge/port): what it is
    # called, by others too, and a bridge's or a bond's MAC addresses, which must be alike for a
    # chip.
    "interfaces": "admin-mac default-name mac-address name".split(),
    # And by menu.  The `name` of a row is shown where a command for it is given or others refer to
    # it by name; nowhere else, since names of users and communities are half of what lets one in.
    "shown": {
        "caps-man/configuration": "datapath.local-forwarding".split(),
        "caps-man/datapath": "local-forwarding".split(),
        "caps-man/interface": "datapath.local-forwarding".split(),
        "caps-man/manager": "enabled".split(),
        "interface/bonding": "mode".split(),
        "interface/bridge": (
            "auto-mac dhcp-snooping fast-forward igmp-snooping mtu protocol-mode pvid "
            "vlan-filtering"
        ).split(),
        "interface/bridge/filter": "action chain".split(),
        "interface/bridge/mlag": "peer-port".split(),
        "interface/bridge/port": (
            "broadcast-flood horizon hw hw-flag pvid unknown-multicast-flood unknown-unicast-flood"
        ).split(),
        "interface/bridge/settings": "allow-fast-path use-ip-firewall".split(),
        "interface/bridge/vlan": "tagged untagged vlan-ids".split(),
        "interface/eoip": "allow-fast-path local-address mtu remote-address".split(),
        "interface/ethernet": "advertise".split(),
        "interface/ethernet/switch": "l3-hw-offloading".split(),
        "interface/ethernet/switch/l3hw-settings": "icmp-reply-on-error ipv6-hw".split(),
        "interface/ethernet/switch/port": "l3-hw-offloading name".split(),
        "interface/ethernet/switch/port-isolation": ["name"],
        "interface/ethernet/switch/qos/port": [f"egress-rate-queue{n}" for n in range(8)],
        "interface/ethernet/switch/rule": "new-dst-ports redirect-to-cpu".split(),
        "interface/gre": "allow-fast-path local-address remote-address".split(),
        "interface/ipip": "allow-fast-path local-address remote-address".split(),
        "interface/l2tp-client": "add-default-route allow-fast-path use-ipsec".split(),
        "interface/l2tp-server/server": "allow-fast-path enabled use-ipsec".split(),
        "interface/list": "exclude include".split(),
        "interface/list/member": "list".split(),
        "interface/ovpn-server/server": "enabled".split(),
        "interface/pppoe-client": "add-default-route".split(),
        "interface/pptp-server/server": "enabled".split(),
        "interface/sstp-client": "add-default-route".split(),
        "interface/sstp-server/server": "enabled".split(),
        "interface/vlan": "l3-hw-offloading use-service-tag vlan-id".split(),
        "interface/vxlan": "allow-fast-path vrf vteps-ip-version".split(),
        "interface/wireless/cap": "enabled".split(),
        "ip/accounting": "enabled".split(),
        "ip/address": "address eui-64 from-pool".split(),
        "ip/dhcp-client": "add-default-route".split(),
        "ip/dhcp-server/lease": "address rate-limit".split(),
        "ip/firewall/address-list": "address list".split(),
        "ip/firewall/connection/tracking": "enabled".split(),
        "ip/firewall/filter": (
            "action address-list chain hw-offload jump-target new-connection-mark "
            "new-packet-mark new-routing-mark passthrough"
        ).split(),
        "ip/firewall/mangle": (
            "action address-list chain jump-target new-connection-mark new-packet-mark "
            "new-routing-mark passthrough per-connection-classifier"
        ).split(),
        "ip/firewall/nat": (
            "action address-list chain new-connection-mark new-packet-mark new-routing-mark "
            "passthrough to-address to-addresses to-ports"
        ).split(),
        "ip/firewall/raw": (
            "action address-list chain new-connection-mark new-packet-mark new-routing-mark "
            "passthrough"
        ).split(),
        "ip/ipsec/identity": "generate-policy".split(),
        "ip/ipsec/policy": "dst-address src-address template".split(),
        "ip/nat-pmp": "enabled".split(),
        "ip/route": (
            "dst-address gateway routing-mark routing-table suppress-hw-offload vrf-interface"
        ).split(),
        "ip/route/rule": "action dst-address routing-mark src-address table".split(),
        "ip/route/vrf": "interfaces name".split(),
        "ip/settings": "allow-fast-path route-cache".split(),
        "ip/traffic-flow": "enabled".split(),
        "ip/upnp": "enabled".split(),
        "ip/vrf": "interfaces name".split(),
        "ipv6/address": "address eui-64 from-pool".split(),
        "ipv6/firewall/address-list": "address list".split(),
        "ipv6/firewall/filter": (
            "action address-list chain new-connection-mark new-packet-mark new-routing-mark "
            "passthrough"
        ).split(),
        "ipv6/firewall/mangle": (
            "action address-list chain new-connection-mark new-packet-mark new-routing-mark "
            "passthrough"
        ).split(),
        "ipv6/firewall/raw": (
            "action address-list chain new-connection-mark new-packet-mark new-routing-mark "
            "passthrough"
        ).split(),
        "ipv6/pool": "prefix".split(),
        "ipv6/route": "dst-address gateway routing-mark routing-table vrf-interface".split(),
        "ipv6/settings": "accept-router-advertisements allow-fast-path disable-ipv6".split(),
        "mpls": "allow-fast-path".split(),
        "mpls/settings": "allow-fast-path".split(),
        "ppp/profile": "idle-timeout name rate-limit".split(),
        "queue/interface": "name queue".split(),
        "queue/simple": "dst name packet-marks target".split(),
        "queue/tree": "name packet-mark parent".split(),
        "routing/rule": "action dst-address routing-mark src-address table".split(),
        "tool/ip-scan": "running".split(),
        "tool/mac-scan": "running".split(),
        "tool/sniffer": "running".split(),
        "tool/torch": "running".split(),
        "tool/traffic-generator": "running".split(),
    },
    # The firewalls, and what their rules are matched by (explain/matchers.py).
    "firewalls": (
        "ip/firewall/filter ip/firewall/mangle ip/firewall/nat ip/firewall/raw "
        "ipv6/firewall/filter ipv6/firewall/mangle ipv6/firewall/nat ipv6/firewall/raw"
    ).split(),
    "matchers": (
        "connection-mark connection-nat-state connection-state dst-address dst-address-list "
        "dst-address-type dst-port fragment in-interface in-interface-list ipsec-policy "
        "layer7-protocol out-interface out-interface-list packet-mark port protocol routing-mark "
        "src-address src-address-list src-port"
    ).split(),
}

MENU, COMMAND, UNKNOWN = "menu", "command", "unknown"
"""The kinds of a word behind a menu; UNKNOWN: nobody here knows it."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


def kind(path: list[str], word: str) -> str:
    """Return the kind of `word` in the menu `path`."""
    menu = "/".join(path)
    if word in DATA["below"].get(menu, []):
        return MENU
    if word in DATA["commands"] or (menu + "/" + word).strip("/") in DATA["here"]:
        return COMMAND
    return UNKNOWN


def might_be(path: list[str], word: str) -> bool:
    """True if a word that nobody here knows may be a menu, as another version may have one."""
    return bool(path) and word[0] != "-" and all(letter in _LETTERS for letter in word)


CHANGES = ("add", "set", "remove", "enable", "disable", "unset", "move", "stop", "start")
"""Verbs that say what is configured."""
VERBS = CHANGES + ("export", "print")

_LISTS = [list(VERBS), DATA["commands"], DATA["everywhere"], DATA["interfaces"]]
_WORDS = {
    word
    for words in _LISTS + list(DATA["below"].values()) + list(DATA["shown"].values())
    for word in words
}


def is_word(word: str) -> bool:
    """Return True if a word is one of a known menu or a command's."""
    return word in _WORDS


def is_path(word: str) -> bool:
    """Return True if all that is between the slashes of a word is known."""
    return all(not piece or piece == ".." or piece in _WORDS for piece in word.split("/"))


def known(begins: str) -> str:
    """The words with which a line begins, as far as they are known: the others may be secret."""
    words: list[str] = []
    for word in begins.split(" "):
        if not is_path(word):
            break
        words.append(word)
    return " ".join(words)
