"""The menus that RouterOS has, by the command trees and the manual, and its other command words.

An export's line is only a menu's name: what RouterOS may have as such is told here from what it has
not, as `/import more.rsc`.  Read on 2026-11-24: the tree of a CHR of 7.21.4 (routeros-lsp 0.2.3),
and what hardware, packages and RouterOS 6 have beside (the manual's cli-reference, and
community.routeros, plugins/module_utils/_api_data.py).
"""

from __future__ import annotations

from rosexplain import property_kinds

BELOW: dict[str, list[str]] = {
    menu: words.split()
    for menu, words in {
        "": (
            "app caps-man certificate console container disk dude file interface iot ip ipv6 kvm "
            "lcd log lora metarouter mpls openflow partitions port ppp queue radius routing snmp "
            "special-login store system task tool tr069-client user user-manager zerotier"
        ),
        "app": "settings",
        "caps-man": (
            "aaa access-list channel configuration datapath interface manager provisioning rates "
            "security"
        ),
        "caps-man/manager": "interface",
        "certificate": "builtin crl scep-server settings",
        "certificate/scep-server": "otp ra requests",
        "console": "settings",
        "container": "config envs mounts",
        "disk": "settings",
        "interface": (
            "6to4 bonding bridge detect-internet dot1x eoip eoipv6 ethernet gre gre6 ipip ipipv6 "
            "l2tp-client l2tp-ether l2tp-server list lte macsec macvlan mesh ovpn-client "
            "ovpn-server ppp-client ppp-server pppoe-client pppoe-server pptp-client pptp-server "
            "sstp-client sstp-server traffic-eng veth virtual-ethernet vlan vpls vrrp vxlan w60g "
            "wifi wifiwave2 wireguard wireless"
        ),
        "interface/bridge": (
            "calea filter host mdb mlag msti nat port port-controller port-extender settings vlan"
        ),
        "interface/bridge/port": "mst-override",
        "interface/bridge/vlan": "mvrp",
        "interface/detect-internet": "state",
        "interface/dot1x": "client server",
        "interface/dot1x/server": "active state",
        "interface/ethernet": "poe switch",
        "interface/ethernet/poe": "settings",
        "interface/ethernet/switch": (
            "egress-vlan-tag egress-vlan-translation host ingress-vlan-translation l3hw-settings "
            "port port-isolation qos rule trunk vlan"
        ),
        "interface/ethernet/switch/l3hw-settings": "advanced",
        "interface/ethernet/switch/qos": (
            "map monitor port priority-flow-control profile settings tx-manager"
        ),
        "interface/ethernet/switch/qos/map": "ip vlan",
        "interface/ethernet/switch/qos/tx-manager": "queue",
        "interface/l2tp-server": "server",
        "interface/list": "member",
        "interface/lte": "apn esim settings",
        "interface/macsec": "profile",
        "interface/mesh": "fdb port",
        "interface/ovpn-server": "server",
        "interface/pppoe-server": "server",
        "interface/pptp-server": "server",
        "interface/sstp-server": "server",
        "interface/vxlan": "fdb vteps",
        "interface/w60g": "station",
        "interface/wifi": (
            "aaa access-list cap capsman channel configuration datapath interworking provisioning "
            "radio registration-table security steering"
        ),
        "interface/wifiwave2": (
            "aaa access-list cap capsman channel configuration datapath interworking provisioning "
            "radio registration-table security steering"
        ),
        "interface/wifi/capsman": "remote-cap",
        "interface/wifi/radio": "settings",
        "interface/wifi/security": "multi-passphrase",
        "interface/wifi/steering": "neighbor-group",
        "interface/wireguard": "peers",
        "interface/wireless": (
            "access-list align cap connect-list interworking-profiles manual-tx-power-table "
            "nstreme nstreme-dual security-profiles sniffer snooper wds"
        ),
        "iot": "bluetooth gpio lora mqtt",
        "iot/lora": "channels servers traffic",
        "iot/lora/traffic": "options",
        "iot/mqtt": "brokers",
        "ip": (
            "accounting address arp cloud dhcp-client dhcp-relay dhcp-server dns firewall hotspot "
            "ipsec kid-control media nat-pmp neighbor packing pool proxy route service settings "
            "smb socks socksify ssh tftp traffic-flow upnp vrf"
        ),
        "ip/accounting": "web-access",
        "ip/cloud": "advanced",
        "ip/dhcp-client": "option",
        "ip/dhcp-server": "alert config lease matcher network option",
        "ip/dhcp-server/option": "sets",
        "ip/dns": "adlist cache forwarders static",
        "ip/dns/cache": "all",
        "ip/firewall": (
            "address-list calea connection filter layer7-protocol mangle nat raw service-port"
        ),
        "ip/firewall/connection": "tracking",
        "ip/hotspot": "active cookie host ip-binding profile service-port user walled-garden",
        "ip/hotspot/user": "profile",
        "ip/hotspot/walled-garden": "ip",
        "ip/ipsec": (
            "active-peers identity installed-sa key mode-config peer policy profile proposal "
            "settings statistics user"
        ),
        "ip/ipsec/key": "psk qkd rsa",
        "ip/ipsec/peer": "profile",
        "ip/ipsec/policy": "group",
        "ip/ipsec/user": "settings",
        "ip/kid-control": "device",
        "ip/media": "settings",
        "ip/nat-pmp": "interfaces",
        "ip/neighbor": "discovery discovery-settings",
        "ip/pool": "used",
        "ip/proxy": "access cache cache-contents connections direct inserts lookups refreshes",
        "ip/route": "rule vrf",
        "ip/service": "webserver",
        "ip/smb": "shares users",
        "ip/socks": "access connections users",
        "ip/tftp": "settings",
        "ip/traffic-flow": "ipfix target",
        "ip/upnp": "interfaces",
        "ipv6": (
            "address dhcp-client dhcp-relay dhcp-server firewall nd neighbor pool route settings"
        ),
        "ipv6/dhcp-client": "option",
        "ipv6/dhcp-relay": "option routes",
        "ipv6/dhcp-server": "binding option",
        "ipv6/dhcp-server/option": "sets",
        "ipv6/firewall": "address-list connection filter mangle nat raw",
        "ipv6/nd": "prefix proxy",
        "ipv6/nd/prefix": "default",
        "ipv6/pool": "used",
        "lcd": "interface pin screen",
        "lcd/interface": "pages",
        "lora": "servers",
        "metarouter": "interface",
        "mpls": "forwarding-table interface ldp local-bindings mangle settings traffic-eng",
        "mpls/ldp": (
            "accept-filter advertise-filter interface local-mapping neighbor remote-mapping"
        ),
        "mpls/traffic-eng": "flow interface path tunnel",
        "openflow": "port",
        "port": "firmware remote-access",
        "ppp": "aaa active l2tp-secret profile secret",
        "queue": "interface simple tree type",
        "radius": "incoming",
        "routing": (
            "bfd bgp fantasy filter gmp id igmp-proxy isis mme nexthop ospf ospf-v3 pim pimsm "
            "prefix-lists rip route rpki rule settings stats table"
        ),
        "routing/bfd": "configuration interface session",
        "routing/bgp": (
            "advertisements aggregate connection evpn instance network peer session template vpls "
            "vpn"
        ),
        "routing/filter": (
            "chain community-ext-list community-large-list community-list num-list rule select-rule"
        ),
        "routing/igmp-proxy": "interface mfc",
        "routing/isis": "instance interface interface-template lsp neighbor",
        "routing/mme": "interface network",
        "routing/ospf": (
            "area instance interface interface-template lsa nbma-neighbor neighbor network "
            "static-neighbor virtual-link"
        ),
        "routing/ospf-v3": "area instance interface",
        "routing/ospf/area": "range",
        "routing/pim": "interface rp",
        "routing/pimsm": (
            "bsr igmp-interface-template instance interface interface-template neighbor static-rp "
            "uib-g uib-sg"
        ),
        "routing/pimsm/bsr": "candidate rp-candidate rp-set",
        "routing/rip": (
            "instance interface interface-template keys neighbor network static-neighbor"
        ),
        "routing/route": "rule",
        "routing/rpki": "session",
        "routing/stats": "memory origin pcap process step",
        "snmp": "community",
        "system": (
            "backup clock console default-configuration device-mode gps hardware health history "
            "identity lcd leds license logging note ntp package regulatory resource routerboard "
            "rtrace scheduler script swos upgrade ups watchdog"
        ),
        "system/backup": "cloud",
        "system/clock": "manual",
        "system/console": "screen",
        "system/default-configuration": "caps-mode-script custom-script script",
        "system/health": "settings",
        "system/lcd": "page",
        "system/leds": "settings",
        "system/logging": "action",
        "system/ntp": "client key server",
        "system/ntp/client": "servers",
        "system/package": "local-update update",
        "system/package/local-update": "mirror update-package-source",
        "system/resource": "cpu hardware irq",
        "system/resource/hardware": "usb-settings",
        "system/resource/irq": "rps",
        "system/routerboard": "mode-button reset-button settings usb wps-button",
        "system/script": "environment job",
        "system/upgrade": "mirror",
        "tool": (
            "bandwidth-server calea e-mail graphing ip-scan mac-scan mac-server netwatch romon sms "
            "sniffer torch traffic-generator traffic-monitor user-manager"
        ),
        "tool/bandwidth-server": "session",
        "tool/graphing": "interface queue resource",
        "tool/mac-server": "mac-winbox ping sessions",
        "tool/romon": "port",
        "tool/sms": "inbox",
        "tool/sniffer": "connection host packet protocol",
        "tool/traffic-generator": "packet-template port raw-packet-template stats stream",
        "tool/traffic-generator/stats": "latency-distribution port raw stream",
        # RouterOS 6, by public exports of 6.47.8 and 6.49.7 (read 2026-11-25).
        "tool/user-manager": "customer database profile router user",
        "tool/user-manager/profile": "limitation profile-limitation",
        "user": "aaa active group settings ssh-keys",
        "user-manager": (
            "advanced attribute database limitation payment profile profile-limitation router "
            "session user user-profile"
        ),
        "user/ssh-keys": "private",
        "zerotier": "controller interface",
        "zerotier/controller": "member",
    }.items()
}
"""The words that may stand behind each menu."""
WIFI, BEFORE_7_13 = "interface/wifi", "interface/wifiwave2"
BELOW.update(
    {
        BEFORE_7_13 + menu[len(WIFI) :]: BELOW[menu]
        for menu in list(BELOW)
        if menu[: len(WIFI)] == WIFI
    }
)

COMMANDS = (
    "activate add-scep apply-changes ask at-chat authorize bandwidth-test beep blink cable-test "
    "cancel card-reinstall card-verify cell-monitor check check-disk check-for-updates "
    "check-installation check-status clear clear-cache clear-history comment copy "
    "create-certificate-request cuu deactivate debug delay delete devel discourse discover "
    "dns-update downgrade download download-all download-file dump-dot dump-saved-advertisements "
    "edit eject el enable-ssl-certificate error esim-id execute expire-password export-certificate "
    "export-client-configuration export-host-key export-pub-key fetch filter-wizard find "
    "firmware-upgrade flat-snoop flood-ping flush force-check force-update format frequency-scan "
    "generate generate-key generate-new-id get get-key get-key-cached get-key-with-ids get-status "
    "grant import import-host-key import-ovpn-configuration info inject inject-pcap inkey inspect "
    "install issued-revoke kill kill-connections load log-out login mac-telnet make-binding "
    "make-static monitor monitor-peers monitor-slaves monitor-traffic next password pause "
    "ping-speed provision put quick quit read reboot recursive-print redo refresh "
    "refresh-profile-list reg-info regenerate-host-key release reload remove-file renew reoptimize "
    "resend reset reset-alert reset-configuration reset-counters reset-counters-all "
    "reset-freq-drift reset-html reset-mac-address resolve resume roam rpki-check rpki-query rtc "
    "run save scan scep-renew self-test send send-notifications send-reconfigure send-trap "
    "serial-terminal set-identity set-nickname setup shell show-capabilities show-client-config "
    "shutdown sign sign-certificate-request snmp-get snmp-walk spectral-history spectral-scan "
    "speed-test ssh-exec start style sup-output sync take telnet terminate test "
    "test-as-path-regexp toggle traceroute undo uninstall unroll unschedule upload-file "
    "usb-power-reset warning wg-export wg-import wol wps-client wps-push-button"
).split()
"""Words that are commands wherever they stand, beside those that change or show rows."""

HERE = (
    "interface/wifi/capsman/remote-cap/upgrade interface/wifi/sniffer ping "
    "system/device-mode/update system/ssh tool/ping tool/profile tool/romon/ping tool/romon/ssh"
).split()
"""Commands whose names are those of menus elsewhere."""

MENU, COMMAND, UNKNOWN = "menu", "command", "unknown"
"""The kinds of a word behind a menu; UNKNOWN: nobody here knows it."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"


def kind(path: list[str], word: str) -> str:
    """Return the kind of `word` in the menu `path`."""
    menu = "/".join(path)
    if word in BELOW.get(menu, []):
        return MENU
    if word in COMMANDS or (menu + "/" + word).strip("/") in HERE:
        return COMMAND
    return UNKNOWN


def might_be(path: list[str], word: str) -> bool:
    """True if a word that nobody here knows may be a menu, as another version may have one."""
    return bool(path) and word[0] != "-" and all(letter in _LETTERS for letter in word)


CHANGES = ("add", "set", "remove", "enable", "disable", "unset", "move", "stop", "start")
"""Verbs that say what is configured."""
VERBS = CHANGES + ("export", "print")

_WORDS = {word for words in [list(VERBS), COMMANDS] + list(BELOW.values()) for word in words}


def is_word(word: str) -> bool:
    """Return True if a word is one of a known menu, a command's, or the name of a property."""
    return word in _WORDS or property_kinds.known(word)


def is_path(word: str) -> bool:
    """Return True if all that is between the slashes of a word is known."""
    pieces = word.split("/")
    return word in _WORDS or all(piece in ("", "..") or is_word(piece) for piece in pieces)


def known(begins: str) -> str:
    """The words with which a line begins, as far as they are known: the others may be secret."""
    words: list[str] = []
    for word in begins.split(" "):
        if not is_path(word):
            break
        words.append(word)
    return " ".join(words)
