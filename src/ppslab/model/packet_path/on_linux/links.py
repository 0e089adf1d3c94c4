"""Addresses, neighbours, routes, VLANs, bridges and settings, as iproute2 and sysctl say them."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import table, values
from ppslab.model.packet_path.on_linux.items import Item, Ports
from ppslab.model.packet_path.on_linux.values import refuse
from rosexplain.parse import Row, Rows

BRIDGE_MODES = {"none": "0", "stp": "1"}
"""protocol-mode, and stp_state of a bridge of Linux, which knows no RSTP of its own."""


def made_interfaces(rows: Rows, ports: Ports) -> list[tuple[str, str]]:
    """The interfaces that the rows name: those of ports, VLANs and bridges."""
    made: list[tuple[str, str]] = []
    for row in rows.all_of("/interface/ethernet"):
        if row.get("name"):
            made.append((row.get("name"), ports.device(_port(row))))
    for menu in ("/interface/vlan", "/interface/eoip", "/interface/bridge"):
        made += [(row.get("name"), row.get("name")) for row in rows.of(menu)]
    return made


def _port(row: Row) -> str:
    """Which port a row of /interface/ethernet is about."""
    return row.get("default-name") or row.key or row.get("name")


def items(rows: Rows, ports: Ports) -> list[Item]:
    """What the rows come to, in the order in which it must be made."""
    made: list[Item] = []
    for menu in ("/interface/ethernet", "/interface/vlan", "/interface/eoip", "/interface/bridge",
                 "/interface/bridge/port", "/ip/address", "/ipv6/address", "/ip/arp",
                 "/ipv6/neighbor", "/ip/route", "/ipv6/route"):  # fmt: skip
        for row in rows.of(menu):
            made += item(menu, {name: row.get(name) for name in row.names}, ports, _port(row))
    for menu, name, key, _ in table.SETTINGS:
        single = rows.single(menu)
        if single and single.get(name) and key:
            word = "1" if values.yes_or_no(single.get(name)) else "0"
            back = "1" if table.DEFAULTS[name] == "yes" else "0"
            made.append(Item(key, f"sysctl -q -w {key}={word}", f"sysctl -q -w {key}={back}", True))
    return made


def item(menu: str, given: dict[str, str], ports: Ports, port: str = "") -> list[Item]:
    """What one row comes to; RefusedError where a value has no translation."""
    six = menu.startswith("/ipv6/")
    if menu in ("/ip/address", "/ipv6/address"):
        if given.get("advertise") in ("yes", "true"):
            raise refuse("advertise=yes: the Linux router here sends no router advertisements")
        whole = values.of("address", values.interface_address, given["address"], six)
        on = f"{whole} dev {_device(given, ports)}"
        return [Item("address " + on, f"ip address replace {on}", f"ip address del {on}")]
    if menu in ("/ip/arp", "/ipv6/neighbor"):
        of = values.of("address", values.one_address, given["address"], six)
        mac = values.of("mac-address", values.mac, given["mac-address"])
        on = _device(given, ports)
        do = f"ip neighbour replace {of} lladdr {mac} dev {on} nud permanent"
        return [Item(f"neighbour {of} {on}", do, f"ip neighbour del {of} dev {on}", True)]
    if menu in ("/ip/route", "/ipv6/route"):
        return [_route(given, ports, six)]
    if menu == "/interface/vlan":
        own = values.of("name", values.device_name, given["name"])
        number = values.of("vlan-id", values.number, given["vlan-id"], 1, 4094)
        do = (
            f"ip link add link {_device(given, ports)} name {own} type vlan id {number}\n"
            f"ip link set dev {own} up"
        )
        return [Item("link " + own, do, f"ip link del dev {own}")]
    if menu == "/interface/eoip":
        return [_eoip(given)]
    if menu == "/interface/bridge":
        return [_bridge(given)]
    if menu == "/interface/bridge/port":
        return [_bridge_port(given, ports)]
    return _ethernet(given, ports, port)


def _device(given: dict[str, str], ports: Ports, name: str = "interface") -> str:
    return str(values.of(name, ports.device, given[name]))


def _route(given: dict[str, str], ports: Ports, six: bool) -> Item:
    to = values.of("dst-address", values.prefix, given["dst-address"], six)
    program = "ip -6" if six else "ip"
    metric = ""
    if given.get("distance"):
        metric = f" metric {values.of('distance', values.number, given['distance'], 1, 255)}"
    if "blackhole" in given:
        if not values.of("blackhole", values.yes_or_no, given["blackhole"]) or given.get("gateway"):
            raise refuse("blackhole: cannot be combined with a gateway")
        do = f"{program} route replace blackhole {to}{metric}"
        return Item(f"route {to}{metric}", do, f"{program} route del blackhole {to}{metric}", True)
    ways = []
    for gateway in given.get("gateway", "").split(","):
        if not gateway:
            raise refuse("gateway: a route needs one, or blackhole")
        if "." in gateway[:4] or ":" in gateway:
            ways.append("via " + values.of("gateway", values.one_address, gateway, six))
        else:
            ways.append("dev " + values.of("gateway", ports.device, gateway))
    way = " ".join(["nexthop " + each for each in ways]) if len(ways) > 1 else ways[0]
    do = f"{program} route replace {to}{metric} {way}"
    return Item(f"route {to}{metric}", do, f"{program} route del {to}{metric}", True)


def _eoip(given: dict[str, str]) -> Item:
    """A tunnel with GRE's key as its identifier, as labs/eoip/linux/r1/eoip.ip has it."""
    own = values.of("name", values.device_name, given["name"])
    ends = ""
    if given.get("local-address"):
        ends = " local " + values.of(
            "local-address", values.one_address, given["local-address"], False
        )
    ends += " remote " + values.of(
        "remote-address", values.one_address, given["remote-address"], False
    )
    key = values.of("tunnel-id", values.number, given["tunnel-id"], 0, 65535)
    for name in ("allow-fast-path", "clamp-tcp-mss"):
        if name in given:
            values.of(name, values.yes_or_no, given[name])
    if given.get("clamp-tcp-mss") in ("yes", "true"):
        raise refuse(
            "clamp-tcp-mss=yes: a Linux tunnel cannot; type /ip/firewall/mangle add chain=forward "
            "protocol=tcp tcp-flags=syn action=change-mss new-mss=clamp-to-pmtu"
        )
    if given.get("dont-fragment", "no") != "no":
        raise refuse("dont-fragment: only no has a translation: the outer packet may be fragmented")
    do = (
        f"ip link add {own} type gretap{ends} key {key} ttl 255 nopmtudisc ignore-df\n"
        f"ip link set dev {own} gro_max_size 1"
    )
    if given.get("mtu", "auto") != "auto":
        size = values.of("mtu", values.number, given["mtu"], 68, 65535)
        do += f"\nip link set dev {own} mtu {size}"
    if given.get("mac-address"):
        mac = values.of("mac-address", values.mac, given["mac-address"])
        do += f"\nip link set dev {own} address {mac}"
    return Item("link " + own, do + f"\nip link set dev {own} up", f"ip link del dev {own}")


def _bridge(given: dict[str, str]) -> Item:
    own = values.of("name", values.device_name, given["name"])
    mode = given.get("protocol-mode", "")
    if mode not in BRIDGE_MODES:
        raise refuse(
            "protocol-mode: " + (f"'{values.shown(mode)}'" if mode else "rstp, the default,")
            + " has no translation: a Linux bridge supports only none and stp"
        )  # fmt: skip
    do = (
        f"ip link add name {own} type bridge stp_state {BRIDGE_MODES[mode]} mcast_snooping 0\n"
        f"ip link set dev {own} up"
    )
    return Item("link " + own, do, f"ip link del dev {own}")


def _bridge_port(given: dict[str, str], ports: Ports) -> Item:
    if given.get("hw") in ("yes", "true"):
        raise refuse("hw=yes: no translation to this Linux router, as there is no switch chip")
    if given.get("hw") not in (None, "no", "false"):
        raise refuse("hw: use yes or no")
    port, bridge = _device(given, ports), _device(given, ports, "bridge")
    if bridge in ports.devices() or bridge == port:
        raise refuse(f"bridge: '{values.shown(given['bridge'])}' is not a bridge")
    do = f"ip link set dev {port} master {bridge}"
    return Item(f"port {port}", do, f"ip link set dev {port} nomaster", True)


def _ethernet(given: dict[str, str], ports: Ports, port: str) -> list[Item]:
    device = ports.device(port)
    made = []
    if "mac-address" in given:
        mac = values.of("mac-address", values.mac, given["mac-address"])
        do = f"ip link set dev {device} address {mac}"
        made.append(Item(f"mac {device}", do, "", True))
    if "mtu" in given:
        size = values.of("mtu", values.number, given["mtu"], 68, 65535)
        do = f"ip link set dev {device} mtu {size}"
        made.append(Item(f"mtu {device}", do, f"ip link set dev {device} mtu 1500", True))
    return made
