"""The VLANs of a bridge as commands for a switch chip that has a VLAN table of its own.

Where the chip cannot do what the bridge does, or where it is not known by which VLAN the device
would be reached, there is a reason and no command.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rosexplain import offload, secrets
from rosexplain.channels import OLD
from rosexplain.device import is_wired
from rosexplain.frames import is_joined_later
from rosexplain.language import N_, few_of, gettext
from rosexplain.network import FAST_ETHERNET, Network, spelled
from rosexplain.ordered import unique
from rosexplain.radios import is_cap, join
from rosexplain.rows import Row, quoted
from rosexplain.selection import is_number
from rosexplain.unused import FIREWALL
from rosexplain.wiring import TAGGED_ONLY, vlans_in_themselves

SWITCH = "/interface/ethernet/switch"
HYBRID = ("QCA8337", "Atheros8327", "CRS1xx and CRS2xx")
"""Chips that take untagged and tagged VLANs on one port (manual, Trunk and Hybrid Ports)."""
SERIES = "CRS1xx and CRS2xx"
MOST_VLANS = 24
SMALLEST = {"Atheros7240": 16}
"""Entries of a VLAN table that is smaller (fact chip-vlan-table)."""
MOST_PORTS = 8
"""Ports of a VLAN that are named in words; the commands have all of them."""
USED = ("/ip/address", "/ip/dhcp-client", "/ip/dhcp-server", "/ipv6/address")
"""Menus by which an interface is used by the device itself."""
OF_DHCP = ("/ip/dhcp-client", "/ip/dhcp-server", "/ip/dhcp-relay")
HOTSPOT = "/ip/hotspot"
FRAME_RULES = ("/interface/bridge/filter", "/interface/bridge/nat")
"""Rules that see a bridge's frames, if the CPU forwards them (fact bridge-hardware)."""
OF_SERIES, OF_TABLE = "crs1-vlan-tables", "chip-vlan-secure"
"""The facts that the commands follow, on CRS1xx and CRS2xx and on the others."""
OF_SEVERAL = "two-chips-vlan"
"""The fact about VLANs over several chips."""
SEVERAL = N_(
    "Each switch chip could forward between its own ports ({ports}) by its own VLAN table, in "
    "place of the CPU. None knows the table of another, so that takes a bridge for each chip, or "
    "a cable between them"
)

MANY = N_("It has many VLANs")
TABLES = ("vlan", "ingress-vlan-translation", "egress-vlan-tag")
TABLE_FILLED = N_("The chip's VLAN table has rows already")
"""The tables of a CRS1xx or CRS2xx, and the reason where one has rows."""
ROUTED = N_(
    "What this router routes between its VLANs goes through the CPU all the same, and a move of "
    "the VLANs into the chip's table would turn vlan-filtering off and join them for a while"
)
"""The firewall between a router's VLANs is void until the chip's table is whole."""


@dataclass
class ChipVlans:
    """A bridge's line, and its commands with their undo, or why there are none.

    `choice`: several chips could have its VLANs once somebody has parted the bridge; `given_up`:
    what works no more then, in words.
    """

    bridge: Row
    commands: list[str]
    undo: list[str]
    gains: str
    loses: str
    why: str
    fact: str
    choice: bool = False
    given_up: list[str] = field(default_factory=list)


@dataclass
class Vlan:
    """The members of a VLAN; `cpu`: the device itself is one, `tagged` or not."""

    untagged: list[str] = field(default_factory=list)
    tagged: list[str] = field(default_factory=list)
    cpu: bool = False
    cpu_untagged: bool = False


class NotTranslatedError(Exception):
    """A bridge that the chip cannot do, or perhaps not; in words why."""

    def __init__(self, why: str, **words: str) -> None:
        super().__init__(gettext(why).format(**words))


class SeveralChipsError(NotTranslatedError):
    """A bridge over several chips, each of which could do its part."""


def chip_vlans(net: Network, bridges: list[Row], routed: bool = False) -> list[ChipVlans]:
    """The commands for each bridge whose VLANs the chip could filter.

    `routed`: the router forwards packets between its networks that the table makes no faster.
    """
    rows: list[ChipVlans] = []
    for bridge in bridges:
        try:
            if routed:
                raise NotTranslatedError(ROUTED)
            rows.append(_translated(net, bridge, len(bridges)))
        except NotTranslatedError as error:
            several = isinstance(error, SeveralChipsError)
            fact = OF_SEVERAL if several else _fact(net)
            text = gettext("{why}, so there are no commands for the chip's VLAN table; see {page}")
            text = gettext("{why}; see {page}") if several else text
            why = text.format(why=str(error), page=net.base["facts"][fact]["source"])
            rows.append(ChipVlans(bridge, [], [], "", "", why, fact, several))
    return rows


def _chip(net: Network, ports: list[str] | None = None) -> str:
    """The model's chip, or that of some ports: the slow ones of two kinds have one of their own."""
    slow = net.small_chip["slow"] if net.small_chip else []
    if slow and all(offload.default_name(net, port) in slow for port in ports or [""]):
        return FAST_ETHERNET[0]  # by the facts fast-ethernet-ports and chip-vlan-table
    return str(net.small_chip["chip"]) if net.small_chip else ""


def _fact(net: Network) -> str:
    return OF_SERIES if _chip(net) == SERIES else OF_TABLE


def _translated(net: Network, bridge: Row, bridges: int) -> ChipVlans:
    unserved: list[int] = []
    given_up = _unsnooped(net, bridge)
    snooping: list[str] = []
    if bridges > 1:
        raise NotTranslatedError(N_("Several bridges filter VLANs"))
    _refuse_guards(net, bridge)
    switch, ports, radios = _ports(net, bridge)
    chip = _chip(net, ports)
    _refuse_settings(net, bridge, ports)
    moving, returning = _moved(net, bridge)
    _refuse_joining(net, bridge)
    clearing, restoring = _replaced(net, ports, switch)
    vlans = _vlans(net, bridge, ports + radios, bool(moving))
    numbers = {radio: _vlan_of(vlans, radio) for radio in radios}
    _refuse_radios(net, bridge, vlans, numbers)
    tagging, untagging = _tagging(net, vlans, radios, numbers)
    vlans = _behind_cpu(vlans, numbers)
    if not any(len(_members(vlan)) > 1 for vlan in vlans.values()):
        why = N_("No VLAN of {bridge} has two ports that the chip could forward between")
        raise NotTranslatedError(why, bridge=bridge.name)
    if chip not in HYBRID:
        _refuse_hybrid(net, bridge, vlans)
        trunks = [port for vlan in vlans.values() for port in vlan.tagged]
        for vlan in vlans.values():  # frames without a tag are lost there
            vlan.untagged = [port for port in vlan.untagged if port not in trunks]
    reached = [number for number in sorted(vlans) if _reached(net, bridge, vlans, number)]
    if not reached:
        raise NotTranslatedError(N_("The export does not show by which VLAN it is reached"))
    if chip == SERIES:
        texts, undo = _of_series(net, bridge, vlans, ports, switch)
        snooping, unsnooping, unserved = _snooping(net, bridge, vlans, ports, switch)
        off = texts.index(_filtering(bridge, "no"))  # the chip forwards from then on
        texts, undo = texts[:off] + snooping + texts[off:], undo + unsnooping
    else:
        texts, undo = _of_table(net, bridge, vlans, ports, switch)
    # The radios' packets have their tag before the bridge no longer tells VLANs apart.
    texts = moving + tagging + clearing + texts
    undo = undo + restoring + untagging + returning
    where = [
        gettext("VLAN {number} on {ports}").format(
            number=str(number), ports=few_of(_members(vlans[number]), MOST_PORTS)
        )
        for number in reached
    ]
    gains = gettext(
        "The switch chip forwards between the ports of {bridge} in place of the CPU, and {look} "
        "shows H on them. Back up first, be at the device, at its serial console if it has one, "
        "and paste this as a whole, in safe mode: half of it, a mistake, or VLANs that the export "
        "does not show, would lock you out. The device is then reached by {where} only"
    )
    look = spelled(net, "/interface/bridge/port/print")
    if snooping:
        gains += gettext(". The ACL rules keep the DHCP snooping, which the chip does for one VLAN")
    loses = gettext("the VLANs' separation for a moment, until the last commands are typed")
    for number in unserved:
        loses += gettext("; DHCP in VLAN {number}, if hosts use it").format(number=str(number))
    if chip not in HYBRID:
        loses += gettext("; frames without a tag on ports with tagged VLANs")
    return ChipVlans(
        bridge,
        [spelled(net, text) for text in texts],
        [spelled(net, text) for text in undo],
        gains.format(bridge=bridge.name, where="; ".join(where), look=look),
        "; ".join([loses] + given_up),
        "",
        _fact(net),
        given_up=given_up,
    )


def _reached(net: Network, bridge: Row, vlans: dict[int, Vlan], number: int) -> bool:
    """Return True if the device has an address in a VLAN that some port is in.

    A device without any address is reached by its MAC address, in each of its VLANs.
    """
    names = [row.name for row in net.rows.where("/interface/vlan", "interface", bridge.name)
             if row.get("vlan-id") == str(number)]  # fmt: skip
    if not any(net.rows.of(menu) for menu in USED):
        return bool(_members(vlans[number])) and vlans[number].cpu
    own = any(net.rows.where(menu, "interface", name) for menu in USED for name in names)
    return bool(_members(vlans[number])) and (own or vlans[number].cpu_untagged)


def _members(vlan: Vlan) -> list[str]:
    return unique(vlan.untagged + vlan.tagged)


def _ports(net: Network, bridge: Row) -> tuple[str, list[str], list[str]]:
    """The name of the chip that has all wired ports of a bridge, those, and its radios."""
    groups: list[list[str]] = net.small_chip["ports"] if net.small_chip else []
    idle = vlans_in_themselves(net)
    rows = [row for row in net.port_rows.get(bridge.name, []) if row not in idle]
    every = [row.get("interface") for row in rows]
    names = [row.name for row in net.rows.of(OLD) if not row.says("vlan-mode")]
    radios = [port for port in every if port in names]
    ports = [port for port in every if port not in radios]
    own = [offload.default_name(net, port) for port in ports]
    others = [port for port, name in zip(ports, own, strict=True) if not is_wired(name)]
    if others:
        raise NotTranslatedError(N_("The chip has no part in {ports}"), ports=", ".join(others))
    if not all(secrets.shows("/interface/bridge/port", "interface", port) for port in every):
        raise NotTranslatedError(N_("The names of its ports are not shown"))
    for place, group in enumerate(groups or [own]):
        if all(name in group for name in own):
            return "switch" + str(place + 1), ports, radios
    parts = [[name for name in own if name in group] for group in groups]
    parts = [part for part in parts if len(part) > 1]
    if len(parts) > 1:
        words = "; ".join([few_of(part, MOST_PORTS) for part in parts])
        raise SeveralChipsError(SEVERAL, ports=words)
    raise NotTranslatedError(N_("Not all of its ports are those of one chip"))


def _refuse_settings(net: Network, bridge: Row, ports: list[str]) -> None:
    """Refuse what keeps the bridge from the chip all the same, and tables that are there."""
    refuses = offload.refused(net)
    if _chip(net, ports) in FAST_ETHERNET:
        refuses = refuses + ["dhcp"]
    for word, setting in offload.SNOOPING:
        if word != "vlan" and word in refuses and bridge.get(setting) == "yes":
            why = N_("The chip leaves a bridge with {setting}=yes to the CPU")
            raise NotTranslatedError(why, setting=setting)
    others = [row.get("interface") for name in net.port_rows if name != bridge.name
              for row in net.port_rows[name]]  # fmt: skip
    wired = [port for port in others if is_wired(offload.default_name(net, port))]
    tables = [SWITCH + "/" + menu for menu in TABLES] if _chip(net) == SERIES else []
    refusals = (
        (any(_on_chip_of(net, ports, port) for port in wired),
         N_("Several bridges have ports of the chip")),
        (bridge.get("protocol-mode") == "mstp",
         N_("The chip leaves a bridge with MSTP to the CPU")),
        (_has_service_tags(net, bridge), N_("{bridge} tells VLANs apart by service tags")),
        (bridge.get("mvrp") == "yes" or net.rows.of("/interface/dot1x/server"),
         N_("MVRP or 802.1X may add ports to VLANs, which only the bridge's own filter follows")),
        (any(net.rows.all_of(menu) for menu in tables), TABLE_FILLED),
        (any(row.get("hw") == "no" or row.get("horizon", "none") not in ("none", "")
             for row in net.port_rows.get(bridge.name, [])),
         N_("Some of its ports are kept from the chip")),
    )  # fmt: skip
    for refused, why in refusals:
        if refused:
            raise NotTranslatedError(why, bridge=bridge.name)


def _on_chip_of(net: Network, ports: list[str], other: str) -> bool:
    """Return True if a port is, or may be, on the chip that has these ports.

    A chip forwards for one bridge only (fact bridge-one-hardware), and a CRS1xx or CRS2xx filters
    VLANs for a single one (manual, Unknown/Invalid VLAN filtering).
    """
    own = {offload.default_name(net, port) for port in ports}
    groups: list[list[str]] = net.small_chip["ports"] if net.small_chip else []
    groups = [group for group in groups if own & set(group)]
    return not groups or any(offload.default_name(net, other) in group for group in groups)


def _has_service_tags(net: Network, bridge: Row) -> bool:
    """Return True if a bridge tells VLANs apart by other tags than those of 802.1Q."""
    ports = net.port_rows.get(bridge.name, [])
    own = net.rows.where("/interface/vlan", "interface", bridge.name)
    return (
        bridge.get("ether-type", "0x8100") != "0x8100"
        or any(row.get("tag-stacking") == "yes" for row in ports)
        or any(row.get("use-service-tag") == "yes" for row in own)
    )


def _refuse_guards(net: Network, bridge: Row) -> None:
    """Refuse where the CPU filters or limits the frames that it forwards: it sees none of a chip's.

    An access list of the chip itself stays.
    """
    settings = net.rows.single("/interface/bridge/settings")
    ports = [row.get("interface") for row in net.port_rows.get(bridge.name, [])]
    menus: tuple[str, ...] = FRAME_RULES
    if settings is not None and settings.get("use-ip-firewall") == "yes":
        menus += FIREWALL + ("/queue/simple",)
    queues = [row for row in net.rows.of("/queue/tree") if row.get("parent") in ports]
    if queues or any(net.rows.of(menu) for menu in menus):
        raise NotTranslatedError(N_("The CPU filters or limits what it forwards between the ports"))


def _unsnooped(net: Network, bridge: Row) -> list[str]:
    """What a bridge snoops no more with VLANs in the chip's table, in words.

    By the fact chip-vlans-and-snooping; of DHCP a CRS1xx or CRS2xx keeps one VLAN.
    """
    setting, words = "dhcp-snooping", gettext("the bridge's DHCP snooping")
    if _chip(net) == SERIES:
        setting, words = "igmp-snooping", gettext("the bridge's IGMP snooping")
    return [words] if bridge.get(setting) == "yes" else []


def _moved(net: Network, bridge: Row) -> tuple[list[str], list[str]]:
    """The commands that move addresses from ports to the bridge, in whose VLAN they are; undo.

    All that arrives on a port is the bridge's (fact port-of-bridge-is-slave).  NotTranslatedError
    where it is unknown in which VLAN that is, or a port has a server of its own.  RouterOS runs no
    DHCP server on a bridge's port, and a radio that tags its packets leaves an address on itself
    without any.
    """
    texts: list[str] = []
    undo: list[str] = []
    radios = [row.name for row in net.rows.of(OLD)]
    for row in net.port_rows.get(bridge.name, []):
        port = row.get("interface")
        own = row.get("pvid", "1") == bridge.get("pvid", "1") and port not in radios
        own = own and TAGGED_ONLY not in (row.get("frame-types"), bridge.get("frame-types"))
        addresses = net.rows.where("/ip/address", "interface", port)
        used = [menu for menu in USED + (HOTSPOT,) if net.rows.where(menu, "interface", port)]
        shown = all(secrets.shows("/ip/address", "address", one.get("address"))
                    for one in addresses)  # fmt: skip
        if used and (used != ["/ip/address"] or not own or not shown):
            why = N_("{port} has an address or a server of its own beside the bridge's VLANs")
            raise NotTranslatedError(why, port=port)
        for one in addresses:
            begin = "/ip/address/set [find address=" + quoted(one.get("address")) + "] interface="
            texts.append(begin + quoted(bridge.name))
            undo.append(begin + quoted(port))
    return texts, undo


def _refuse_joining(net: Network, bridge: Row) -> None:
    """Refuse a bridge that radios of a CAP or a manager join, or clients of WDS or PPP.

    No row shows in which VLAN they are, and only the bridge's VLAN filtering keeps them there.
    """
    if is_cap(net) or is_joined_later(net, bridge) or join(net, bridge.name):
        why = N_("A manager or a server puts radios or clients into {bridge}")
        raise NotTranslatedError(why, bridge=bridge.name)


OF_PORT = ("vlan-mode", "vlan-header", "default-vlan-id")
"""What a chip's port does with VLANs."""


def _replaced(net: Network, ports: list[str], switch: str) -> tuple[list[str], list[str]]:
    """The commands that empty a chip's table of the bridge's ports, and those that fill it again.

    None where it is empty; NotTranslatedError where it is about other ports too.
    """
    if _chip(net) == SERIES:
        return [], []
    rows = net.rows.all_of(SWITCH + "/vlan")
    known = ports + [switch + "-cpu"]
    for row in rows:
        others = [port for port in row.get("ports").split(",") if port and port not in known]
        if others or row.get("switch", switch) != switch:
            raise NotTranslatedError(N_("The chip's VLAN table has rows for other ports"))
    texts = [_by_default(port) for port in known]
    texts.append(SWITCH + "/vlan/remove [find !dynamic]")
    undo = [_again(row, "add", list(row.names)) for row in rows]
    for row in net.rows.all_of(SWITCH + "/port"):
        names = [name for name in OF_PORT if row.says(name)]
        undo += [_again(row, "set " + (row.name or row.key), names)] if names else []
    return (texts if undo else []), undo


def _by_default(port: str) -> str:
    """The command by which a chip's port does nothing with VLANs."""
    words = " vlan-mode=disabled vlan-header=leave-as-is default-vlan-id=auto"
    return SWITCH + "/port/set " + quoted(port) + words


def _again(row: Row, verb: str, names: list[str]) -> str:
    """The command that gives a row these values; NotTranslatedError where one is not shown."""
    if not all(secrets.shows(row.menu.path, name, row.get(name)) for name in names):
        raise NotTranslatedError(TABLE_FILLED)
    words = [name + "=" + quoted(row.get(name)) for name in names]
    return " ".join([row.menu.path + "/" + verb] + words)


def _vlans(net: Network, bridge: Row, ports: list[str], moved: bool) -> dict[int, Vlan]:
    """The VLANs of a bridge by number; `moved`: it is given an address."""
    vlans: dict[int, Vlan] = {}
    for row in net.rows.of("/interface/bridge/vlan"):
        if row.get("bridge") != bridge.name:
            continue
        for number in _numbers(row.get("vlan-ids")):
            vlan = vlans.setdefault(number, Vlan())
            tagged, untagged = row.get("tagged").split(","), row.get("untagged").split(",")
            vlan.tagged += [port for port in ports if port in tagged]
            vlan.untagged += [port for port in ports if port in untagged]
            vlan.cpu = vlan.cpu or bridge.name in tagged
    for row in net.rows.of("/interface/vlan"):
        if row.get("interface") == bridge.name and is_number(row.get("vlan-id")):
            vlans.setdefault(int(row.get("vlan-id")), Vlan()).cpu = True
    idle = vlans_in_themselves(net)
    for row in net.port_rows.get(bridge.name, []):
        if row.get("frame-types") != TAGGED_ONLY and row not in idle:
            vlan = vlans.setdefault(int(row.get("pvid", "1")), Vlan())
            port = row.get("interface")
            if port not in vlan.tagged + vlan.untagged:
                vlan.untagged.append(port)
    if moved or any(net.rows.where(menu, "interface", bridge.name) for menu in USED):
        own = vlans.setdefault(int(bridge.get("pvid", "1")), Vlan())
        own.cpu = own.cpu_untagged = True
    most = SMALLEST.get(_chip(net), MOST_VLANS)
    if len(vlans) > most:
        raise NotTranslatedError(MANY)
    return vlans


def _vlan_of(vlans: dict[int, Vlan], radio: str) -> int:
    """The number of the only VLAN that a radio is in, without a tag."""
    numbers = _untagged_of(vlans, radio)
    if len(numbers) != 1 or _tagged_of(vlans, radio):
        raise NotTranslatedError(N_("{port} is in several VLANs or in none"), port=radio)
    return numbers[0]


def _refuse_radios(
    net: Network, bridge: Row, vlans: dict[int, Vlan], numbers: dict[str, int]
) -> None:
    """Refuse radios in several VLANs, and those of an access point with one host's port or none.

    Only the bridge's VLAN filtering keeps stations of several VLANs apart behind the CPU's port.
    The chip of an access point forwards what passes by, and none of its own stations' packets.
    """
    used = list(numbers.values())
    if any(number != used[0] for number in used):
        why = N_("The radios of {bridge} are in several VLANs, which only the bridge keeps apart")
        raise NotTranslatedError(why, bridge=bridge.name)
    wired = [row.get("interface") for row in net.port_rows.get(bridge.name, [])]
    wired = [port for port in wired if port not in numbers]
    if numbers and len([port for port in wired if _untagged_of(vlans, port)]) < 2:
        why = N_("The hosts of {bridge} are on its radios, whose packets stay with the CPU")
        raise NotTranslatedError(why, bridge=bridge.name)


def _tagging(
    net: Network, vlans: dict[int, Vlan], radios: list[str], numbers: dict[str, int]
) -> tuple[list[str], list[str]]:
    """The commands by which radios tag their packets themselves, and their undo.

    None for those in the VLAN that is the bridge's own too.
    """
    texts: list[str] = []
    undo: list[str] = []
    for radio in radios:
        if not vlans[numbers[radio]].cpu_untagged:
            begin = OLD + "/set [find name=" + quoted(radio) + "] vlan-mode="
            texts.append(begin + "use-tag vlan-id=" + str(numbers[radio]))
            row = next(row for row in net.rows.of(OLD) if row.name == radio)
            undo.append(begin + "no-tag vlan-id=" + row.get("vlan-id", "1"))
    return texts, undo


def _behind_cpu(vlans: dict[int, Vlan], numbers: dict[str, int]) -> dict[int, Vlan]:
    """The VLANs for the chip: radios are no members, but behind the CPU's port, which is one."""
    ported: dict[int, Vlan] = {}
    for number, vlan in vlans.items():
        untagged = [port for port in vlan.untagged if port not in numbers]
        cpu = vlan.cpu or number in numbers.values()
        ported[number] = Vlan(untagged, vlan.tagged, cpu, vlan.cpu_untagged)
    return ported


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        known = is_number(first) and is_number(last or first)
        if not known or int(last or first) - int(first) > MOST_VLANS:
            raise NotTranslatedError(MANY)
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _untagged_of(vlans: dict[int, Vlan], port: str) -> list[int]:
    return [number for number in sorted(vlans) if port in vlans[number].untagged]


def _tagged_of(vlans: dict[int, Vlan], port: str) -> list[int]:
    return [number for number in sorted(vlans) if port in vlans[number].tagged]


def _refuse_hybrid(net: Network, bridge: Row, vlans: dict[int, Vlan]) -> None:
    """Refuse tagged and untagged VLANs on a port, and an address without a tag, of small chips."""
    for row in net.port_rows.get(bridge.name, []):
        port = row.get("interface")
        if row.says("pvid") and _tagged_of(vlans, port) and _untagged_of(vlans, port):
            why = N_("{port} has untagged and tagged VLANs, which this chip cannot do")
            raise NotTranslatedError(why, port=port)
    if any(vlan.cpu_untagged for vlan in vlans.values()):
        why = N_("Its address is on the bridge itself; give it a VLAN interface first")
        raise NotTranslatedError(why)


def _of_table(
    net: Network, bridge: Row, vlans: dict[int, Vlan], ports: list[str], switch: str
) -> tuple[list[str], list[str]]:
    """For a chip with `switch/vlan` and `switch/port`: the commands, and those that undo them.

    NotTranslatedError where the chip cannot do what the bridge does.
    """
    own = _chip(net, ports) in HYBRID
    cpu = switch + "-cpu"
    texts: list[str] = []
    for number in sorted(vlans):
        names = _members(vlans[number]) + ([cpu] if vlans[number].cpu else [])
        if len(names) > 1:
            texts.append(
                SWITCH + "/vlan/add switch=" + switch + " vlan-id=" + str(number)
                + " ports=" + quoted(",".join(names))
            )  # fmt: skip
    texts.append(_filtering(bridge, "no"))
    for port in ports:
        untagged = _untagged_of(vlans, port)
        if len(untagged) > 1 or (own and _wrong_tag(net, vlans, port)):
            why = N_("{port} sends its own VLAN in a way that this chip cannot")
            raise NotTranslatedError(why, port=port)
        words = ["vlan-mode=secure"]
        if untagged:
            words.append("default-vlan-id=" + str(untagged[0]))
        if not own:
            words.append("vlan-header=" + ("always-strip" if untagged else "add-if-missing"))
        texts.append(SWITCH + "/port/set " + quoted(port) + " " + " ".join(words))
    untagged = [number for number in sorted(vlans) if vlans[number].cpu_untagged]
    words = ["default-vlan-id=" + str(number) for number in untagged] + ["vlan-mode=secure"]
    texts.append(SWITCH + "/port/set " + cpu + " " + " ".join(words))
    undo = [_filtering(bridge, "yes")] + [_by_default(port) for port in ports + [cpu]]
    return texts, undo + [SWITCH + "/vlan/remove [find !dynamic]"]


def _wrong_tag(net: Network, vlans: dict[int, Vlan], port: str) -> bool:
    """Return True if a port sends the VLAN of its untagged frames with a tag."""
    rows = net.rows.where("/interface/bridge/port", "interface", port)
    pvids = [row.get("pvid", "1") for row in rows if row.get("frame-types") != TAGGED_ONLY]
    return any(int(pvid) in _tagged_of(vlans, port) for pvid in pvids)


def _of_series(
    net: Network, bridge: Row, vlans: dict[int, Vlan], ports: list[str], switch: str
) -> tuple[list[str], list[str]]:
    """The commands of a CRS1xx or CRS2xx.

    Untagged frames for the device itself stay VLAN 0, unless their VLAN is tagged on a port, or by
    the rule that snoops DHCP: then the CPU's port gives them their VLAN, as other ports do.
    """
    cpu = switch + "-cpu"
    ingress: list[str] = []
    egress: list[str] = []
    table: list[str] = []
    for number in sorted(vlans):
        vlan = vlans[number]
        names = _members(vlan) + ([cpu] if vlan.cpu else [])
        plain = vlan.cpu_untagged and not vlan.tagged and bridge.get("dhcp-snooping") != "yes"
        used = 0 if plain else number
        if len(names) < 2:
            continue
        table.append(
            SWITCH + "/vlan/add vlan-id=" + str(used) + " ports=" + quoted(",".join(names))
        )
        if plain:
            continue
        entering = _entering(net, bridge, vlan, number) + ([cpu] if vlan.cpu_untagged else [])
        if entering:
            ingress.append(
                SWITCH + "/ingress-vlan-translation/add customer-vid=0 new-customer-vid="
                + str(number) + " sa-learning=yes ports=" + quoted(",".join(entering))
            )  # fmt: skip
        tagged = vlan.tagged + ([cpu] if vlan.cpu and not vlan.cpu_untagged else [])
        words = " tagged-ports=" + quoted(",".join(tagged)) if tagged else ""
        egress.append(SWITCH + "/egress-vlan-tag/add vlan-id=" + str(number) + words)
    strict = SWITCH + "/set drop-if-invalid-or-src-port-not-member-of-vlan-on-ports="
    texts = ingress + egress + table + [_filtering(bridge, "no"), strict + quoted(",".join(ports))]
    undo = [strict + '""', _filtering(bridge, "yes")]
    for menu in TABLES[1:] + TABLES[:1]:
        undo.append(SWITCH + "/" + menu + "/remove [find !dynamic]")
    return texts, undo


def _entering(net: Network, bridge: Row, vlan: Vlan, number: int) -> list[str]:
    """The ports whose frames without a tag belong to a VLAN, which some send it tagged."""
    ports = net.port_rows.get(bridge.name, [])
    own = [row.get("interface") for row in ports if row.get("frame-types") != TAGGED_ONLY
           and row.get("pvid", "1") == str(number)]  # fmt: skip
    return vlan.untagged + [port for port in vlan.tagged if port in own]


DHCP_MESSAGES = " mac-protocol=ip ip-protocol=udp dst-l3-port=67-68"


def _snooping(
    net: Network, bridge: Row, vlans: dict[int, Vlan], ports: list[str], switch: str
) -> tuple[list[str], list[str], list[int]]:
    """The commands by which a CRS1xx or CRS2xx snoops DHCP still, their undo, and what is lost.

    That is the numbers of the VLANs without DHCP then.  It snoops one VLAN (fact
    chip-vlans-and-snooping): the one in which a port that is trusted serves some that are not.
    Ports of no such VLAN have no DHCP before, as no port that they reach is trusted, nor after.
    """
    if bridge.get("dhcp-snooping") != "yes":
        return [], [], []
    rows = net.port_rows.get(bridge.name, [])
    trusted = [row.get("interface") for row in rows if row.get("trusted") == "yes"]
    members = {number: _members(vlans[number]) for number in sorted(vlans)}
    served = [number for number in sorted(members)
              if any(port in trusted for port in members[number])
              and any(port not in trusted for port in members[number])]  # fmt: skip
    guarded = members[served[0]] if len(served) == 1 else []
    others = [port for number in sorted(members) if number not in served
              for port in members[number]]  # fmt: skip
    mixed = any(port in others for port in guarded if port not in trusted)
    mixed = mixed or bool(guarded and _has_dhcp_beside(net, bridge, vlans[served[0]], served[0]))
    if not guarded or mixed or net.rows.all_of(SWITCH + "/acl"):
        why = N_("With VLANs in its table this chip snoops the DHCP of one VLAN only")
        raise NotTranslatedError(why)
    add = SWITCH + "/acl/add src-ports="
    texts = [add + switch + "-cpu" + DHCP_MESSAGES + " new-customer-vid=" + str(served[0])]
    apart = [port for port in ports if port not in guarded and port not in trusted]
    if apart:
        texts.insert(0, add + quoted(",".join(apart)) + DHCP_MESSAGES + " action=drop")
    unserved = [number for number in sorted(members)
                if number not in served and any(port in trusted for port in members[number])
                and (len(members[number]) > 1 or vlans[number].cpu)]  # fmt: skip
    return texts, [SWITCH + "/acl/remove [find !dynamic]"], unserved


def _has_dhcp_beside(net: Network, bridge: Row, vlan: Vlan, number: int) -> bool:
    """Return True if the device asks for an address, or leases them, elsewhere than in this VLAN.

    The rule that snoops DHCP sends all its messages into the VLAN: it would lose its own address.
    """
    names = [row.name for row in net.rows.where("/interface/vlan", "interface", bridge.name)
             if row.get("vlan-id") == str(number)]  # fmt: skip
    names += [bridge.name] if vlan.cpu_untagged else []
    return any(row.get("interface") not in names for menu in OF_DHCP for row in net.rows.of(menu))


def _filtering(bridge: Row, value: str) -> str:
    return "/interface/bridge/set [find name=" + quoted(bridge.name) + "] vlan-filtering=" + value
