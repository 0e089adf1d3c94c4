"""Radios: where they limit what an export's router forwards, and the rules that configure them."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain import channels, secrets
from rosexplain.channels import OLD
from rosexplain.interface_lists import EVERY
from rosexplain.matching import Met, met_by
from rosexplain.network import CAP, Network, once
from rosexplain.ordered import unique
from rosexplain.parse import FORWARDS, Command
from rosexplain.rows import Row
from rosexplain.selection import is_gone, is_number
from rosexplain.uplinks import CLIENTS, MODEMS, main_routes

NEW = ("/interface/wifi", "/interface/wifiwave2")
MENUS = (OLD,) + NEW
"""The menus of radios, which are off until a line says disabled=no."""
CAPS = (CAP,) + tuple([menu + "/cap" for menu in NEW])
"""The menus that make a device an access point of a manager."""

OF_60_GHZ = "/interface/w60g"
"""Radios that have a menu and a monitor of their own, and no registration table."""
CAPSMAN, BANDS = "/caps-man", "supported-bands"
DATAPATHS = ("/datapath", "/configuration", "/interface")
"""The menus of a CAPsMAN that say into which bridge it puts a radio."""
LOCAL, ON = "local-forwarding", ("yes", "true")
MANAGERS = ((CAPSMAN, CAPSMAN + "/manager"),) + tuple([(menu, menu + "/capsman") for menu in NEW])
"""The managers of access points: the menu above their rules and profiles, and that of `enabled`."""

RADIO = "radio-mac"
MATCHERS = (BANDS, "hw-supported-modes", RADIO, "identity-regexp",
            "common-name-regexp", "address-ranges", "ip-address-ranges")  # fmt: skip
"""What a provisioning rule asks of a radio; without any, it matches all."""
ANY_MAC = "00:00:00:00:00:00"
MASTER = "master-configuration"
BY_MANAGER = ("capsman", "capsman-or-local")
"""A radio's manager; by itself it is `local`."""
ARM_AC = ("CAPGI-5ACD2ND", "WAPG-5HACD2HND", "D52G-5HACD2HND", "D53G-5HACD2HND",
          "D53IG-5HACD2HND", "D25G-5HPACQD2HPND")  # fmt: skip
"""The codes of devices that can have the package wifi-qcom-ac (fact wifi-qcom-ac)."""
OFFERING = ("ap", "ap-bridge")
"""The modes of a radio that offers a network, and joins none."""
SERVING = OFFERING + ("bridge", "wds-slave")
"""The modes of a radio that others join, of `bridge` one."""
ENDS = ("bridge", "station-bridge", "station-wds")
"""The modes of a link's ends; other stations join access points of any maker."""
USUAL_KM, FAINT_DBM = 30, 5
"""The default of nv2-cell-radius (fact nv2-cell-radius), and the power that is next to nothing."""
STATION = "station"
"""The mode of a radio without L2 bridging, the default of the old menu."""
NV2, NSTREME, NSTREMES = "nv2", "nstreme", "/interface/wireless/nstreme"
PROFILES, TKIP = "/interface/wireless/security-profiles", "tkip"
CIPHERS = ("unicast-ciphers", "group-ciphers")
TUNNELS_WIFI = (7, 21)
"""The first RouterOS in which a CAP of /interface/wifi may send its frames to its manager."""
WITHOUT_N = ("2ghz-b", "2ghz-onlyb", "2ghz-b/g", "2ghz-onlyg", "5ghz-a", "5ghz-onlya")
"""The bands of the old menu that have no 802.11n."""
OF_SOME = (RADIO, "identity-regexp", "common-name-regexp", "address-ranges", "ip-address-ranges")
"""What a provisioning rule asks of a radio that tells one access point from another."""

SATELLITES = ("bgan", "vsat", "inmarsat", "viasat", "hughesnet", "satellite", "satelital")
ANOTHER = ("fibre", "fiber", "ftth", "gpon", "office", "site", "branch", "building", "campus",
           "no", "not", "was", "old", "former", "formerly", "instead", "cancelled")  # fmt: skip
"""Words beside them that say of a line that it is another, or name a place: a satellite office."""
HERE = "127.0.0.1"
ASK_WHO = ("/ip/hotspot", "/interface/pppoe-server/server")
"""Menus of what serves nobody that it does not know."""
SLOW = (("radio-without-n-2ghz", "band"), ("radio-channel-halved", "channel-width"))
"""The rules about radios as slow as a link, each with the property whose values it has."""
ON_ONE = ("/interface/vlan", "/interface/pppoe-client")
"""The menus of interfaces that are on one other."""
WIDTH = "channel-width"
CHOSEN = ("20/40mhz-Ce", "20/40mhz-eC", "20/40mhz-ht-above", "20/40mhz-ht-below")
"""Its values for 40 MHz that say where the second 20 MHz are."""
SHOWN = (
    ("channel.band", "band"),
    (WIDTH, "channel.width", "channel.control-channel-width", "control-channel-width",
     "width"),
    ("configuration.mode", "mode"),
)  # fmt: skip
"""What bounds a radio's rate, by its names in the old menu, the new ones, and their profiles."""


def met(net: Network) -> list[Met]:
    """The rules about radios that hold, each with its lines."""
    alone, off, modems, nowhere = _alone(net), _without_five(net), _modems(net), _nowhere(net)
    passing = [row for row in net.rows.of(MODEMS) if row.name in net.passed]
    tkip, fixed = _with_tkip(net, _access(net)), _on_one_channel(net)
    managed = _managed(net)
    limiting = [row for row in _limiting(net) if row not in managed + alone]
    faint = [row for row in _on(net) if _is_faint(net, row)]
    bridging = _bridging(net, limiting)
    remedied, of_links = mended(net), _of_links(net)
    named = [id(line) for rule, lines in remedied + of_links for line in lines
             if net.rules.by_id[rule].get("names") == "air"]  # fmt: skip
    sixty = net.rows.where(OF_60_GHZ, "disabled", "no")
    joining = [row for row in alone if _is_station(net, row) and not _by_manager(net, row)]
    open_ = [row for row in _access(net) if _is_open(net, row)]
    bare = [row for row in _used(net) if _is_bare(net, row) and row not in open_]
    hosts = [row for row in _serving(net) + _of_manager(net) + sixty
             if not any(id(line) in named for line in _of_channel(net, row))
             and row not in limiting + alone + managed + off + faint + fixed
             and _leads_somewhere(net, row)]  # fmt: skip
    every = [
        ("radio-alone", "", [row for row in alone if row not in joining]),
        ("radio-alone-station", "", joining),
        ("radio-link", "", limiting + [row for row in bridging if row not in alone]),
        ("radio-managed", "", managed),
        ("radio-managed-narrow", "", [row for row in managed
                                      if 0 < _given_mhz(net, row, "5") < 80]),
        ("radio-managed-wide", "", [row for row in _wide(net) if _channel(net, row)]),
        ("radio-hosts", "", hosts),
        ("nv2-cell-large", "nv2-cell-radius", [row for row in _scheduling(net) if _is_far(row)]),
        ("radio-faint", "", faint),
        ("radio-for-one", "", [row for row in _serving(net) if row.get("mode") == "bridge"
                               and net.above(row.name) in net.served]),
        ("lte-alone" if _only_modems(net) else "lte-link", "", modems),
        ("lte-passthrough" if net.routes_nothing else "lte-passthrough-beside", "", passing),
        ("line-by-satellite", "", _by_satellite(net)),
        ("queue-of-cap", "target", queues_of_caps(net)),
        ("lte-bands", "band", [row for row in modems + passing if row.get("band")]),
        ("radio-shared", "", _sharing(net)),
        ("station-idle", "", _idle(net)),
        ("radio-5ghz-off", "", [row for row in off if not _is_station(net, row)]),
        ("uplink-5ghz-off", "", [row for row in off if _is_station(net, row)]),
        ("radio-driver-newer", "", _on_old_driver(net)),
        ("radio-nstreme", "", _polled(net)),
        ("radio-without-mode", "", _without_mode(net)),
        ("radio-nowhere", "", [row for row in nowhere if not is_cap(net)]),
        ("cap-nowhere", "", [row for row in nowhere if is_cap(net)]),
        ("radio-tkip", CIPHERS[0], tkip),
        ("station-tkip", CIPHERS[0], [] if tkip else _with_tkip(net, _physical(net))),
        ("manager-one-channel", "", fixed),
        ("radio-open", "", [row for row in open_ if row.get("wireless-protocol") != NV2]),
        ("radio-open-nv2", "", [row for row in open_ if row.get("wireless-protocol") == NV2]),
        ("link-open", "", [row for row in bare if row.get("wireless-protocol") != NV2]),
        ("link-open-nv2", "", [row for row in bare if row.get("wireless-protocol") == NV2]),
        ("radio-profile-unshown", "", [row for row in _access(net) if _is_unshown(net, row)]),
        ("radio-unsecured", "", [row for row in _access(net) if _is_unsecured(net, row)]
         + _unsecured_by_manager(net)),
        ("provisioning-unreached", MASTER, [row for rules in _provisioning(net)
                                            for row in _unreached(rules)]),
        ("cap-without-bridge", "", _without_bridge(net)),
    ]  # fmt: skip
    offering = ("uplink-by-access-point", "", _offering(net, _others(net)))
    others = [one for one in remedied if one[0] != offering[0]]
    return met_by(every) + of_links + others + met_by([offering])


def mended(net: Network) -> list[Met]:
    """The rules that have a remedy, and so are notes too."""
    provisioned = [row for menu in NEW for row in _given(net, menu)]
    silent = _without_mode(net)
    used = [row for row in _used(net) if not _is_end(net, row) and row not in silent]
    widened = [] if _has_narrow_uplink(net) else [row for row in used if not _is_station(net, row)]
    rules = [row for rows in _provisioning(net) for row in rows]
    unset = [row for row in rules if row.get("action", "none") != "none" and not row.get(MASTER)]
    first = met_by(
        [
            ("provisioning-unset", "action", unset),
            ("manager-passed-on", "manager", _passed_on(net)),
            ("radio-band-unset", "", [row for row in used if _is_unset(net, row)]),
            ("radio-channel-narrow", "", [row for row in widened if channels.is_narrow(net, row)]),
            ("radio-channel-wide", "", [row for row in _wide(net) if not _channel(net, row)]),
        ]
    )
    channel = [
        ("radio-channel-limited", channels.limited(net, widened + provisioned)),
        ("radio-band-outdated", channels.outdated(net, used, bool(provisioned))),
    ]
    last = [
        ("station-in-bridge", "", [row for row in _stations(net) if row not in silent]),
        ("nstreme-unframed", "framer-limit", _unframed(net)),
        # Where another way out works, the remedy would end a network that somebody may use.
        ("uplink-by-access-point", "", [] if _others(net) else _offering(net, [])),
    ]
    return first + [(rule, lines) for rule, lines in channel if lines] + met_by(last)


def _of_links(net: Network) -> list[Met]:
    """The rules about links, at whose one end alone nothing is to be typed.

    What only one end has of a band or a width may cut the link, also for the person who types it.
    """
    ends = [row for row in _used(net) if _is_end(net, row)]
    older = [row.first for row in ends
             if _is_unset(net, row) or row.get("band") in WITHOUT_N]  # fmt: skip
    ends_or_stations = ends + [row for row in _used(net)
                               if row not in ends and _is_station(net, row)]  # fmt: skip
    narrow = [row.first for row in ends_or_stations if channels.is_narrow(net, row)]
    every = [
        ("link-band", unique(older + channels.outdated(net, ends, False), id)),
        ("link-channel", unique(narrow + channels.limited(net, ends_or_stations), id)),
    ]
    return [(rule, lines) for rule, lines in every if lines]


def _is_end(net: Network, row: Row) -> bool:
    """Return True if RouterOS is at both ends of a radio's link, which have to change together.

    That is so of an access point for one client, of a bridging station, and by its protocols.
    """
    protocol = row.get("wireless-protocol")
    by_routeros = protocol[: len(NV2)] == NV2 or protocol[: len(NSTREME)] == NSTREME
    return by_routeros or _mode(net, row) in ENDS or row in _polled(net)


def _is_unset(net: Network, row: Row) -> bool:
    """Return True if no line gives a radio of the old menu its band."""
    return row.menu.path == OLD and not channels.value(net, row, "band")


def _without_mode(net: Network) -> list[Row]:
    """The radios of the old menu that no line gives a mode, where the router serves hosts.

    They are stations; one of an uplink, or in the bridge of one, may be meant.
    """
    uplinks = _carriers(net, _uplinks(net))
    return [row for row in _physical(net)
            if row.menu.path == OLD and not row.get("mode") and row.name not in uplinks
            and net.above(row.name) in net.served]  # fmt: skip


def _nowhere(net: Network) -> list[Row]:
    """The access points that no line puts into a bridge, nor names in another menu.

    Also those of a CAP that bridges their frames itself: its manager's datapath may name a bridge.
    Since RouterOS 7.21, a comment above a radio says so.
    """
    headers = [export.header for export in net.exports]
    local = net.numbers[:2] < TUNNELS_WIFI or any(FORWARDS[1] in one for one in headers)
    if not net.port_rows:
        return []
    access = _access(net)
    joined = [row.name for row in _on(net) if _is_joined(net, row)]
    return [row for row in _on(net)
            if row.name and row.name not in joined and row.get("master-interface") not in joined
            and (local if _by_manager(net, row) or is_cap(net) else row in access)]  # fmt: skip


def _with_tkip(net: Network, radios: list[Row]) -> list[Row]:
    """The security profiles with TKIP of those of some radios that could have more than its rates.

    Nv2 uses none of them (fact nv2-security).
    """
    used = [row.get("security-profile", "default") for row in radios
            if row.menu.path == OLD and row.get("wireless-protocol") != NV2
            and row.get("band") not in WITHOUT_N and not _by_manager(net, row)]  # fmt: skip
    return [row for row in net.rows.where(PROFILES, "mode", "dynamic-keys")
            if (row.name or "default") in used
            and any(TKIP in row.get(name).split(",") for name in CIPHERS)]  # fmt: skip


def _on_one_channel(net: Network) -> list[Row]:
    """What gives one fixed frequency to all access points that a rule of a manager is for.

    A rule that asks which access point it is gives each its own.
    """
    rows: list[Row] = []
    for menu in _managing(net):
        rules = [row for row in net.rows.of(menu + "/provisioning")
                 if not any(_asks(row, name) for name in OF_SOME)]  # fmt: skip
        names = [rule.get(MASTER) for rule in rules]
        for one in _given(net, menu):
            place = channels.given(net, one, "frequency")
            if one.name in names and place and is_number(place[0].get(place[1])):
                rows.append(place[0])
    return unique(rows, id)


def settings(net: Network, row: Row) -> str:
    """A radio by its name and what bounds its rate: `wlan1 (2ghz-b/g/n, 20mhz, station)`."""
    channel = _channel(net, row)
    if channel:  # what it has of its own is not in use
        power = ", " + channel[2] + " dBm" if channel[2] else ""
        return row.name + " (" + channel[0] + " MHz, " + channel[1] + "mhz" + power + ")"
    if row.menu.path in MENUS and _by_manager(net, row):
        return row.name + _by_address(net)
    words: list[str] = []
    named = channels.named(net, row)
    extension = (named or row).get("extension-channel") or row.get("channel.extension-channel")
    wide = "" if extension == "disabled" else extension  # a letter for each 20 MHz
    alone = row.menu.path == OLD and not row.get("master-interface")
    for names in SHOWN:
        own = [row.get(name) for name in names
               if row.get(name) and secrets.shows(row.menu.path, name, row.get(name))]  # fmt: skip
        by_profile = channels.given(net, row, names[-1]) if named or not own else None
        if by_profile:
            value = by_profile[0].get(by_profile[1])
            own = [value] if secrets.shows(by_profile[0].menu.path, by_profile[1], value) else []
            own = [one + "mhz" if is_number(one) else one for one in own]
        if names[-1] == "width" and own and wide:
            own = [str(20 * len(wide)) + "mhz"]
        if names[-1] == "width" and alone and not own and not row.says(WIDTH):
            own = [net.default(row.menu.path, WIDTH)]
        if names[-1] == "band" and alone and not own and not row.get("band"):
            band = channels.BY_DEFAULT.get(channels.gigahertz(net, row), "")
            own = [band] if band else own
        words += own
    return row.name + (" (" + ", ".join(words) + ")" if words else "")


def _by_address(net: Network) -> str:
    """The manager of an access point, where its address may be shown: ` (CAPsMAN 10.0.0.1)`."""
    named = "caps-man-addresses"
    every = [row.get(named) for menu in CAPS for row in net.rows.where(menu, "enabled", "yes")
             if row.get(named) and secrets.shows(menu, named, row.get(named))]  # fmt: skip
    return " (CAPsMAN " + every[0] + ")" if every else ""


def in_words(net: Network, row: Row, names: str) -> str:
    """A radio as the word `names` of a rule calls it."""
    known = names == "radios" or (names == "air" and row in _alone(net))  # said ahead
    return row.name if known else settings(net, row)


def by_band(net: Network, row: Row) -> list[tuple[str, str]]:
    """What gives the radios of a provisioning rule their configurations: asked band, profile.

    `[("supported-bands=2ghz-ax", "cfg2"), ("supported-bands=5ghz-ax", "cfg5")]`; one without a
    band where there is one profile, none where the export does not show which is meant.
    """
    menu = row.menu.path.replace("/provisioning", "")
    profiles = [one for one in net.rows.of(menu + "/configuration") if one.name and one.get("ssid")]
    if not all(secrets.shows(row.menu.path, MASTER, one.name) for one in profiles):
        return []
    if len(profiles) == 1:
        band, wanted = _band(net, menu, profiles[0]), row.get(BANDS)
        return [("", profiles[0].name)] if wanted[:1] in ("", band[:1] or wanted[:1]) else []
    if menu == CAPSMAN or any(_asks(row, name) for name in MATCHERS):
        return []
    asked: list[tuple[str, str]] = []
    known: list[str] = []
    for one in profiles:
        band = _band(net, menu, one)
        if not band or band[0] in known:
            return []
        known.append(band[0])
        asked.append((BANDS + "=" + band, one.name))
    return asked


def _band(net: Network, menu: str, profile: Row) -> str:
    """The band of a configuration, its own or that of its channel; empty where it has not one."""
    named = net.rows.where(menu + "/channel", "name", profile.get("channel"))
    bands = [profile.get("channel.band")] + [row.get("band") for row in named]
    shown = [band for band in bands if band and "," not in band]
    return shown[0] if shown else ""


def _managing(net: Network) -> list[str]:
    """The menus above the rules and profiles of the managers that are on."""
    return [menu for menu, manager in MANAGERS if net.rows.where(manager, "enabled", "yes")]


def _provisioning(net: Network) -> list[list[Row]]:
    """The rules of each manager that is on, in their order."""
    return [net.rows.of(menu + "/provisioning") for menu in _managing(net)]


def _unreached(rows: list[Row]) -> Iterator[Row]:
    """The rules all of whose radios a rule before them matches."""
    before: dict[str, list[Row]] = {}
    for row in rows:
        asked = row.get(RADIO) if _asks(row, RADIO) else ""
        earlier = before.get("", []) + (before.get(asked, []) if asked else [])
        if row.get(MASTER) and any(_covers(one, row) for one in earlier):
            yield row
        before.setdefault(asked, []).append(row)


def _covers(first: Row, row: Row) -> bool:
    """Return True if each radio that a rule matches meets all that the first rule asks for.

    A radio has to support every band of a list.
    """
    bands = row.get(BANDS).split(",")
    return all(
        first.get(name) == row.get(name)
        or (name == BANDS and all(band in bands for band in first.get(name).split(",")))
        for name in MATCHERS
        if _asks(first, name)
    )


def _asks(row: Row, name: str) -> bool:
    return row.get(name) not in ("", ANY_MAC)


def _passed_on(net: Network) -> list[Row]:
    """The profiles of a manager by which its access points' radios are told to ask a manager."""
    return [row for menu in _managing(net) if menu != CAPSMAN
            for row in net.rows.of(menu + "/configuration")
            if row.get("manager") in BY_MANAGER]  # fmt: skip


def is_cap(net: Network) -> bool:
    """Return True if a manager configures the radios of this device."""
    return bool(_asking(net)) or any(net.rows.where(menu, "enabled", "yes") for menu in CAPS)


def _asking(net: Network) -> list[Row]:
    """The radios that a line tells to ask a manager."""
    return [row for menu in NEW for row in net.rows.of(menu) if _asks_manager(row)]


def _asks_manager(row: Row) -> bool:
    return row.get("configuration.manager") in BY_MANAGER


def _caps(net: Network) -> list[Row]:
    """The access point of the old menu, if it is one, whose radios a manager configures."""
    return net.rows.where(CAP, "enabled", "yes")


def asks_itself(net: Network) -> bool:
    """Return True if the radios of a CAPsMAN are those of a CAP that asks this CAPsMAN."""
    return CAPSMAN in _managing(net) and any(
        HERE in row.get("caps-man-addresses").split(",") for row in _caps(net)
    )


def join(net: Network, bridge: str) -> bool:
    """Return True if radios of the device become ports of a bridge while it runs.

    That is by a CAP that bridges their frames itself, by a datapath, or by WDS; no row of the
    bridge's ports has them, and the CPU forwards what they receive.
    """
    headers = [export.header for export in net.exports]
    by_manager = any(FORWARDS[0] in text for text in headers)
    local = any(FORWARDS[1] in text for text in headers) or not by_manager
    caps = [row for row in _caps(net) if row.get("bridge") == bridge]
    by_wds = [row for row in _on(net) if row.get("wds-default-bridge") == bridge]
    menus = [menu for menu in MENUS[1:] if net.rows.where(menu + "/cap", "enabled", "yes")
             or any(row.menu.path == menu for row in _on(net))]  # fmt: skip
    paths = [row for menu in menus for name in ("",) + DATAPATHS[:2]
             for row in net.rows.of(menu + name)]  # fmt: skip
    by_path = [row for row in paths for name in ("bridge", "datapath.bridge")
               if row.get(name) == bridge]  # fmt: skip
    return bool(by_wds or (local and (caps or by_path)))


def forwarding(net: Network, caps: list[Command]) -> list[Met]:
    """The rules about who forwards what a CAP's radios receive, as its export's comments say.

    `caps`: the lines of CAPs. Of a CAP of this router's own CAPsMAN, a datapath says it.
    """
    by_comment = zip(("cap-to-capsman", "cap-itself"), FORWARDS, strict=True)
    known = [rule for rule, words in by_comment
             if any(words in export.header for export in net.exports)]  # fmt: skip
    if asks_itself(net):
        known = [rule for rule in known if rule == "cap-itself"]
    elif not known:
        known = ["cap-forwarding"]
    return [(rule, caps) for rule in known if caps]


@once
def tunnelled(net: Network) -> list[tuple[Row, str]]:
    """The rows that put a CAPsMAN's radios into a bridge, where it forwards their frames itself.

    Each with the bridge.  What a configuration or an interface says of its datapath goes before the
    profile that it names, so a profile counts where one takes it as it is, or none is shown.
    """
    users = _of_capsman(net, DATAPATHS[1:])
    every: list[tuple[Row, str]] = []
    for profile in net.rows.of(CAPSMAN + DATAPATHS[0]):
        own = [_local(net, row) for row in users if row.get("datapath") == profile.name]
        local = all(own) if own else profile.get(LOCAL) in ON
        every += [] if local else [(profile, profile.get("bridge"))]
    every += [(row, row.get("datapath.bridge")) for row in users if not _local(net, row)]
    return [(row, bridge) for row, bridge in every if bridge]


def _of_capsman(net: Network, menus: tuple[str, ...]) -> list[Row]:
    return [row for menu in menus for row in net.rows.of(CAPSMAN + menu)]


def _local(net: Network, row: Row) -> bool:
    """Return True if access points with a configuration bridge their radios' frames themselves."""
    named = net.rows.where(CAPSMAN + DATAPATHS[0], "name", row.get("datapath"))
    values = [row.get("datapath." + LOCAL)] + [profile.get(LOCAL) for profile in named]
    return next((value for value in values if value), "") in ON


def unbridged(net: Network) -> list[Row]:
    """The configurations that a CAPsMAN gives to radios, and that put them into no bridge.

    It has an interface for each of these, and routes what they receive, or bridges it by that name.
    """
    return [row for row in _given(net, CAPSMAN) if not _local(net, row)
            and not row.get("datapath") and not row.get("datapath.bridge")]  # fmt: skip


def queues_of_caps(net: Network) -> list[Row]:
    """The simple queues for radios of access points that bridge all frames themselves."""
    own = _of_capsman(net, DATAPATHS)
    local = any(_local(net, row) or row.get(LOCAL) in ON for row in own)
    if CAPSMAN not in _managing(net) or tunnelled(net) or not local:
        return []
    users = _of_capsman(net, DATAPATHS[1:])
    if any(not _local(net, row) and not row.get("configuration") for row in users):
        return []  # without a bridge, the CAPsMAN routes what such a radio receives
    names = [row.name for row in net.rows.of(CAPSMAN + "/interface")]
    starts = ["cap"] + [row.get("name-prefix") for row in net.rows.of(CAPSMAN + "/provisioning")]

    def is_radio(name: str) -> bool:
        rests = [name[len(start) :] for start in starts if start and name[: len(start)] == start]
        numbered = name not in net.kinds and any(is_number(rest.lstrip("-")) for rest in rests)
        return name in names or numbered

    return [row for row in net.rows.of("/queue/simple")
            if row.get("target") and all(map(is_radio, row.get("target").split(",")))]  # fmt: skip


def can_forward(net: Network) -> bool:
    """Return True if a CAP bridges as its CAPsMAN does: all radios into one bridge, without more.

    A CAP has one bridge, and neither a horizon nor the CAPsMAN's interfaces, which a rule may name.
    A datapath's tags need the radios in the VLAN table of the CAP's bridge too.
    """
    rows = _of_capsman(net, DATAPATHS)
    into = [row.get(name) for row in rows for name in ("bridge", "datapath.bridge")]
    into += [row.get("bridge") for row in _caps(net)]
    names = {row.name for row in net.rows.of(CAPSMAN + "/interface")}
    named = any(names & menu.mentioned() for path, menu in net.rows.menus.items()
                if path[: len(CAPSMAN)] != CAPSMAN)  # fmt: skip
    more = any(row.get(top + name, off) != off for row in rows for top in ("", "datapath.")
               for name, off in (("bridge-horizon", "none"), ("vlan-mode", "no-tag")))  # fmt: skip
    one = len({name for name in into if name not in ("", "none")}) == 1
    return one and not (named or more or unbridged(net))


def _channel(net: Network, row: Row) -> tuple[str, str, str] | None:
    """The MHz, the width and the dBm that a CAPsMAN gave a radio, of the comment above it."""
    exports = [export for export in net.exports if export.file == row.first.file]
    return exports[0].channels.get(row.first.number) if exports else None


def _given_mhz(net: Network, row: Row, band: str) -> int:
    """The MHz of the channel that a CAPsMAN gave a radio; none of another band, or without one."""
    channel = _channel(net, row)
    width = channel[1] if channel and channel[0][:1] == band else ""
    return int(width) if is_number(width) else 0


def _wide(net: Network) -> list[Row]:
    """The access points with 40 MHz on 2.4 GHz, where no radio is on 5 GHz; no link of RouterOS.

    Somebody chose the width, and not the channel, nor left both to the radio as it comes (XX).
    """
    if any(channels.gigahertz(net, row) == "5" or _given_mhz(net, row, "5") for row in _on(net)):
        return []
    linking = _polled(net)
    own = [row for row in _own(net) if channels.value(net, row, "width") in CHOSEN
           and row not in linking
           and row.get("wireless-protocol") not in (NV2, NSTREME)
           and row.get("frequency", "auto") == "auto"
           and row.get("band")[-1:] == "n"
           and channels.gigahertz(net, row) == "2" and _mode(net, row) in OFFERING]  # fmt: skip
    return own + [row for row in _every(net) if _given_mhz(net, row, "2") > 20]


def _is_faint(net: Network, row: Row) -> bool:
    """Return True if a radio sends with next to no power, by a CAPsMAN or by its own line."""
    channel = _channel(net, row)
    usual = row.menu.path == OLD and row.get("tx-power-mode", "default") == "default"
    own = "" if usual or _by_manager(net, row) else channels.value(net, row, "tx-power")
    power = channel[2] if channel else own
    sign = -1 if power[:1] == "-" else 1
    return is_number(power.lstrip("-")) and sign * int(power.lstrip("-")) <= FAINT_DBM


def _is_far(row: Row) -> bool:
    """Return True if a radio of nv2 keeps air time for stations farther away than is usual."""
    radius = row.get("nv2-cell-radius") if row.get("wireless-protocol") == NV2 else ""
    return is_number(radius) and int(radius) > USUAL_KM


def _scheduling(net: Network) -> list[Row]:
    """The radios that others join by a protocol of RouterOS, so that a network is behind each."""
    polled = _polled(net)
    return [row for row in _serving(net)
            if row.get("wireless-protocol") == NV2 or row in polled]  # fmt: skip


def _serving(net: Network) -> list[Row]:
    """The radios that are on and that others join, also those of a CAP; no virtual ones."""
    return [row for row in _on(net) if not row.get("master-interface")
            and (_by_manager(net, row) or _mode(net, row) in SERVING)]  # fmt: skip


def _leads_somewhere(net: Network, row: Row) -> bool:
    """Return False for a radio whose hosts get no farther, in an export that has bridges' ports.

    Its manager's line and a virtual one's count too.
    """
    known = net.port_rows and row.name and row.menu.path in MENUS
    farther = not known or _by_manager(net, row) or _virtual(net, row)
    return bool(farther) or _is_joined(net, row)


def _is_joined(net: Network, row: Row) -> bool:
    """Return True if a radio's own line, a datapath or a line of another menu leads farther."""
    ways = ("bridge", "datapath.bridge", "wds-default-bridge")
    joins = [row] + [one for name in DATAPATHS[:2] for one in net.rows.of(row.menu.path + name)]
    datapath = any(one.get(way, "none") != "none" for one in joins for way in ways)
    return datapath or bool(_in_bridges(net, [row]) or _is_named(net, row))


def _bridging(net: Network, limiting: list[Row]) -> list[Row]:
    """The other stations that link a router's bridge to that of an access point."""
    stations = [row for row in _in_bridges(net, _physical(net)) if row not in limiting]
    return [row for row in stations if _mode(net, row)[: len(STATION) + 1] == STATION + "-"]


def _of_channel(net: Network, row: Row) -> list[Command]:
    """The line of a radio, and those that give it the width and the band of its channel."""
    places = [channels.given(net, row, name) for name in ("width", "band")]
    return [row.first] + [place[0].command(place[1]) for place in places if place]


def _of_manager(net: Network) -> list[Row]:
    """The channels, or else the configurations, that a CAPsMAN gives to radios elsewhere."""
    if _serving(net):
        return []  # those of its own show what the hosts share
    given = [(menu, one) for menu in _managing(net) for one in _given(net, menu)]
    return unique([row for menu, one in given for row in (
        net.rows.where(menu + "/channel", "name", one.get("channel")) if one.get("channel")
        else [one])], id)  # fmt: skip


def _given(net: Network, menu: str) -> list[Row]:
    """The configurations that a manager gives to the radios of its access points."""
    names: list[str] = []
    if menu in _managing(net):
        names += [rule.get(MASTER) for rule in net.rows.of(menu + "/provisioning")]
        if menu == CAPSMAN:
            names += [row.get("configuration") for row in net.rows.of(CAPSMAN + "/interface")]
    rows = [net.rows.where(menu + "/configuration", "name", name) for name in names if name]
    return unique([row for one in rows for row in one], id)


def _by_manager(net: Network, row: Row) -> bool:
    """Return True if a manager configures a radio."""
    caps = _caps(net) if row.menu.path == OLD else []
    return _asks_manager(row) or any(
        row.name in cap.get("interfaces", row.name).split(",") for cap in caps
    )


def _managed(net: Network) -> list[Row]:
    """The radios of an access point whose channels a CAPsMAN elsewhere sets.

    Comments show it, or each radio's own line.  An idle modem makes no router of it.
    """
    serves = net.served or net.rows.of("/ip/address")
    if (serves and not net.routes_nothing) or _managing(net):
        return []
    asking = _asking(net)
    return [row for row in _every(net) if _channel(net, row)
            or (row in asking and row.get("disabled") == "no"
                and row.get("configuration.manager") == BY_MANAGER[0])]  # fmt: skip


def _without_bridge(net: Network) -> list[Row]:
    """The CAPs with no bridge of their own whose packets their manager forwards."""
    if _managing(net) or not any(FORWARDS[0] in export.header for export in net.exports):
        return []
    return [row for row in _caps(net) if row.get("bridge", "none") == "none"]


def _every(net: Network) -> list[Row]:
    return [row for menu in MENUS for row in net.rows.of(menu)]


@once
def _on(net: Network) -> list[Row]:
    """The radios that a line switches on, or that run by the comment above them."""
    return [row for row in _every(net) if row.get("disabled") == "no" or _channel(net, row)]


def _in_bridges(net: Network, radios: list[Row]) -> list[Row]:
    """Those of some radios that are ports of a bridge, by their names or by a list."""
    ports = [row.get("interface") for rows in net.port_rows.values() for row in rows]
    names = {name for port in ports for name in net.lists.get(port, [port])}
    every = EVERY in ports
    return [row for row in radios if every or row.name in names]


def _uplinks(net: Network) -> list[str]:
    """The interfaces of the WAN, and those that get their address by DHCP; no port of a bridge."""
    asking = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    return net.wan + [name for name in asking if name not in net.bridge_of]


def _carriers(net: Network, names: list[str]) -> list[str]:
    """The interfaces, and those below them: a VLAN's, a PPPoE session's, and a bridge's ports."""
    every, known = names[:], set(names)
    for name in names:
        below = [row.get("interface") for menu in ON_ONE
                 for row in net.rows.where(menu, "name", name)]  # fmt: skip
        below += [row.get("interface") for row in net.port_rows.get(name, [])]
        every += [one for one in below if one not in known]
        known.update(below)
    return every


def _access(net: Network) -> list[Row]:
    """The radios that are on and offer a network; a virtual one, unless it has another mode."""
    modes, on = ("mode", "configuration.mode"), _on(net)
    names = [row.name for row in on]
    virtual = [row for row in on if row.get("master-interface") in names]
    return [row for row in on if any(row.get(mode) in OFFERING for mode in modes)
            or (row in virtual and _mode(net, row) in OFFERING)]  # fmt: skip


@once
def _off(net: Network) -> set[str]:
    """The names of the interfaces that are off; a radio is where no line switches it on."""
    on = [row.name for row in _on(net)]
    every = [row for path in net.rows.menus if path[:11] == "/interface/"
             for row in net.rows.all_of(path)]  # fmt: skip
    names = {name for row in every if not row.on for name in (row.name, row.get("default-name"))}
    return names | {row.name for row in _every(net) if row.name not in on}


@once
def _working(net: Network) -> list[str]:
    """The uplinks that are on, and have an address, ask for one or are a client."""
    off = _off(net)
    reached = {row.get("interface") for menu in ("/ip/address", "/ip/dhcp-client")
               for row in net.rows.of(menu)}  # fmt: skip
    return [name for name in _uplinks(net)
            if name not in off and not is_gone(name)
            and (name in reached or net.kinds.get(name) in CLIENTS + ("lte",))]  # fmt: skip


def _others(net: Network) -> list[str]:
    """The uplinks that work and are no access points, where there are access points."""
    access = [row.name for row in _access(net)]
    return [name for name in _working(net) if name not in access] if access else []


def _offering(net: Network, others: list[str]) -> list[Row]:
    """The access points that are an uplink without an address of its own.

    One in a bridge, where no client gets an answer, or only on the WAN's list beside other ways
    out, is the LAN's.
    """
    uplinks = _uplinks(net)
    points = [row for row in _access(net) if row.name in uplinks
              and not net.rows.where("/ip/address", "interface", row.name)]  # fmt: skip
    inside = _in_bridges(net, points)
    asking = [row.get("interface") for row in net.rows.of("/ip/dhcp-client")]
    return [row for row in points if row not in inside and (row.name in asking or not others)]


def _own(net: Network) -> list[Row]:
    """The radios of the old menu that are used and that no manager configures; no virtual ones."""
    return [row for row in _used(net) if row.menu.path == OLD]


def _used(net: Network) -> list[Row]:
    """The radios that are on, but for those that carry nothing."""
    idle = _idle(net)
    return [row for row in _physical(net) if row not in idle and _leads_somewhere(net, row)]


def _is_unsecured(net: Network, row: Row) -> bool:
    """Return True if no line of the new menu gives a radio any security, not by a profile either.

    A passphrase alone is security too, and a secret, which an export leaves out.
    """
    if row.menu.path == OLD or any(net.rows.of(menu) for menu in ASK_WHO):
        return False
    mine = ("security", "configuration.security", "configuration.manager")
    named = any(name == "configuration" or name[: len(one)] == one
                for name in row.names for one in mine)  # fmt: skip
    return not named and not net.rows.where(row.menu.path + "/cap", "enabled", "yes")


def _unsecured_by_manager(net: Network) -> list[Row]:
    """The configurations of an old CAPsMAN whose networks no line gives any security."""
    if any(net.rows.of(menu) for menu in ASK_WHO):
        return []
    kinds, menu = "authentication-types", CAPSMAN + "/security"
    return [
        one
        for one in _given(net, CAPSMAN)
        if not one.get("security." + kinds)
        and not any(row.get(kinds) for row in net.rows.where(menu, "name", one.get("security")))
    ]


def _is_open(net: Network, row: Row) -> bool:
    """Return True if a network of the old menu asks for no key, nor who a host is."""
    asking = [one for one in _keyless(net, row)
              if one.get("radius-mac-authentication") == "yes"]  # fmt: skip
    # Nv2 ignores the security profile (fact nv2-security).
    open_ = bool(_keyless(net, row)) and not asking
    return _lets_in(net, row) and (open_ or row.get("wireless-protocol") == NV2)


def _is_bare(net: Network, row: Row) -> bool:
    """Return True if nothing encrypts the link of which a radio is an end."""
    if row.menu.path != OLD or row.get("nv2-security") == "enabled" or not _is_end(net, row):
        return False
    return row.get("wireless-protocol") == NV2 or bool(_keyless(net, row))


def _keyless(net: Network, row: Row) -> list[Row]:
    """The security profile of a radio of the old menu, if the export has it, and it has no key."""
    name = row.get("security-profile", "default")
    profiles = net.rows.where(PROFILES, "name", name)
    profiles += net.rows.where(PROFILES, "default", "yes") if name == "default" else []
    return [one for one in profiles if one.get("mode", "none") == "none"]


def _lets_in(net: Network, row: Row) -> bool:
    """Return True if nothing but a security profile keeps hosts out of a network of the old menu.

    A hotspot and PPPoE do, an access list, RADIUS, and nv2's own key; a CAP's security is its
    manager's.
    """
    if row.get("nv2-security") == "enabled" or row.get("default-authentication") == "no":
        return False
    asked = any(net.rows.of(menu) for menu in ASK_WHO)
    return row.menu.path == OLD and not asked and not _by_manager(net, row)


def _is_unshown(net: Network, row: Row) -> bool:
    """Return True if a network has the default security profile, and the export has not its menu.

    RouterOS exports that menu always, so somebody left it out.
    """
    return (
        _lets_in(net, row)
        and row.get("security-profile", "default") == "default"
        and row.get("wireless-protocol") != NV2
        and not net.rows.all_of(PROFILES)
        and not net.is_part
    )


@once
def _limiting(net: Network) -> list[Row]:
    """The radios that carry what a router forwards, or what a switch bridges.

    They are its WAN's; and where no two of its networks are on wires, the stations among its
    LAN's, and the radios without 802.11n.
    """
    radios = _on(net)
    if not radios:
        return []
    inside = _in_bridges(net, radios) if net.routes_nothing else []
    by_radio = _by_radio(net, _uplinks(net))
    routed = _routed(net)
    by_air = len(_by_wire(net)) < 2
    between = _by_radio(net, routed) if by_air and len(routed) > 1 else []
    slow = [(name, net.rules.by_id[rule]["where"][name].split(",")) for rule, name in SLOW]
    return [row for row in radios if row.name in by_radio or row in inside
            or (row.name in between and (_is_link(net, row)
                or any(row.get(name) in values for name, values in slow)))]  # fmt: skip


def _is_link(net: Network, row: Row) -> bool:
    """Return True if a radio links two networks: a station, or one with a network for two hosts."""
    addresses = net.rows.where("/ip/address", "interface", row.name)
    two = any(address.get("address").partition("/")[2] in ("30", "31") for address in addresses)
    return two or _is_station(net, row)


@once
def _alone(net: Network) -> list[Row]:
    """The radios ahead of every path: what all crosses, and what has networks behind it."""
    every = _limiting(net) if _no_other_way(net) else []
    managed = _managed(net)
    return unique([row for row in every if row not in managed] + _scheduling(net), id)


def _by_radio(net: Network, names: list[str]) -> list[str]:
    """The interfaces, and what they are on; of a bridge its ports where it has none but radios."""
    radios, off = {row.name for row in _on(net)}, _off(net)
    every, known = names[:], set(names)
    for name in names:
        below = [one for one in _carriers(net, [name]) if one != name and one not in off]
        if all(one in radios or one in known for one in below):
            every += [one for one in below if one not in known]
            known.update(below)
    return every


@once
def _routed(net: Network) -> list[str]:
    """The interfaces of a router that have an address, or that are an uplink, and are on."""
    off = _off(net)
    addresses = [row for row in net.rows.of("/ip/address") if not net.is_loopback(row)]
    names = _uplinks(net) + [row.get("interface") for row in addresses]
    return unique([name for name in names if name not in off and not is_gone(name)])


@once
def _by_wire(net: Network) -> list[str]:
    """The interfaces of a router that no radio carries alone."""
    radios = [row.name for row in _on(net)]
    return [name for name in _routed(net)
            if not any(one in radios for one in _by_radio(net, [name]))]  # fmt: skip


def _has_narrow_uplink(net: Network) -> bool:
    """Return True if all goes out by a station on 2.4 GHz, or on less than 80 MHz."""
    stations = [row for row in _alone(net) if _is_station(net, row)]
    return any(channels.gigahertz(net, row) == "2" or channels.is_narrow(net, row)
               or channels.limited(net, [row]) for row in stations)  # fmt: skip


def _no_other_way(net: Network) -> bool:
    """Return True if all that is forwarded by a limiting radio has no way beside the radios."""
    if net.routes_nothing:
        return True
    by_wire = _by_wire(net)
    return len(by_wire) < 2 or not any(name in by_wire for name in _working(net))


def _stations(net: Network) -> list[Row]:
    """The plain stations in a bridge; a CAP's radios are what its manager makes of them."""
    return _in_bridges(net, [row for row in _physical(net) if _mode(net, row) == STATION])


def _mode(net: Network, row: Row) -> str:
    """A radio's mode, of the new menus its configuration's where it says none of its own.

    Without one, a radio of the old menu is a station, and a virtual interface an access point.
    """
    if row.menu.path == OLD:
        return row.get("mode", OFFERING[1] if row.get("master-interface") else STATION)
    name = row.get("configuration")
    profiles = net.rows.where(row.menu.path + "/configuration", "name", name) if name else []
    every = [row.get("configuration.mode")] + [one.get("mode") for one in profiles]
    return next(mode for mode in every + ["ap"] if mode)


def _is_station(net: Network, row: Row) -> bool:
    return _mode(net, row)[: len(STATION)] == STATION


@once
def _physical(net: Network) -> list[Row]:
    """The radios that are on and that no manager configures; no virtual ones."""
    return [row for row in _on(net)
            if not row.get("master-interface") and not _by_manager(net, row)]  # fmt: skip


def _virtual(net: Network, row: Row) -> list[Row]:
    """The interfaces that are on, on the radio of another."""
    others = net.rows.where(row.menu.path, "master-interface", row.name)
    return [one for one in others if one.get("disabled") == "no"]


def _sharing(net: Network) -> list[Row]:
    """The access points on the radio of a station that carries what a router forwards."""
    stations = [row for row in _limiting(net) if _is_station(net, row)]
    return [one for row in stations for one in _virtual(net, row)]


@once
def _idle(net: Network) -> list[Row]:
    """The stations that no line of another menu names, and that no bridge has."""
    stations = [row for row in _physical(net) if _is_station(net, row)]
    bridged = _in_bridges(net, stations)
    used = [row for row in stations if row in bridged or _virtual(net, row) or _is_named(net, row)]
    return [row for row in stations if row not in used]


def _is_named(net: Network, radio: Row) -> bool:
    """Return True if a line of another menu, which is on, names a radio."""
    radio_name = radio.name
    return any(
        radio_name in row.get(name).split(",")
        for path, menu in net.rows.menus.items()
        if path != radio.menu.path and radio_name in menu.mentioned()  # by rows that are off too
        for row in menu.on()
        for name in row.names
    )


def _without_five(net: Network) -> list[Row]:
    """The only radio on of a device with radios for both bands, if it is on 2.4 GHz.

    It is an access point, or a station that carries what a router forwards.
    """
    bands = {band for band, _ in channels.of_model(net.model)}
    radios = [row for row in _on(net) if not row.get("master-interface")]
    if len(bands) < 2 or len(radios) != 1 or is_cap(net):
        return []
    carrying = [row for row in _limiting(net) if _is_station(net, row)]
    return [row for row in radios if channels.gigahertz(net, row) == "2"
            and (_mode(net, row) in SERVING or row in carrying)]  # fmt: skip


def _on_old_driver(net: Network) -> list[Row]:
    """The access points of a device that could have newer drivers, which lack nothing they use.

    A CAP's drivers have to be those that its manager knows, and a link's those of both ends.
    """
    on, newer = _on(net), any(code in net.model.upper() for code in ARM_AC)
    if net.numbers[:1] != (7,) or not newer or is_cap(net) or _managing(net):
        return []
    fitting = [row for row in on if row.menu.path == OLD and _mode(net, row) in OFFERING
               and row.get("wireless-protocol") not in (NV2, NSTREME)
               and not row.says("vlan-mode")]  # fmt: skip
    return [] if len(fitting) < len(on) or _polled(net) else fitting


def _unframed(net: Network) -> list[Row]:
    """The settings of Nstreme on radios that use it with a limit of frames, but combine none."""
    names = [row.name for row in _polled(net)]
    return [row for row in net.rows.of(NSTREMES) if row.key in names
            and row.get("framer-limit") and row.get("framer-policy", "none") == "none"]  # fmt: skip


def _polled(net: Network) -> list[Row]:
    """The radios of links by Nstreme."""
    polling = [row.key for row in net.rows.where(NSTREMES, "enable-nstreme", "yes")]
    usual = dict.fromkeys(polling, NSTREME)
    return [row for row in _own(net)
            if row.get("wireless-protocol", usual.get(row.name, "")) == NSTREME]  # fmt: skip


def _modems(net: Network) -> list[Row]:
    """The LTE modems that are an uplink."""
    uplinks = _uplinks(net)
    return [row for row in net.rows.of(MODEMS) if row.name in uplinks]


def _by_satellite(net: Network) -> list[Row]:
    """The ports of a WAN whose names or comments say that the line is one, if those of all do."""
    ports: list[Row] = []
    wan = set(net.wan)
    uplinks = [name for name in _working(net) if name in wan] or net.wan
    for name in uplinks:
        below = _carriers(net, [name])
        named = [row for path in net.rows.menus if path[:11] == "/interface/"
                 for row in net.rows.of(path) if row.name in below and _names_satellite(row)
                 ]  # fmt: skip
        if not named:
            return []
        ports.append(named[0])
    return unique(ports, id)


def _names_satellite(row: Row) -> bool:
    """Return True if a row's name or comment has one of SATELLITES, and none of ANOTHER."""
    text = (row.name + " " + row.get("comment")).lower()
    parted = "".join([one if one.isalpha() or one.isdigit() else " " for one in text])
    words = set(parted.split())
    return bool(words & set(SATELLITES)) and not words & set(ANOTHER)


def _only_modems(net: Network) -> bool:
    """Return True if a router has no other way out that works than its LTE modems."""
    modems = [row.name for row in _modems(net)]
    leading = net.wan + [name for name in main_routes(net.rows, net.kinds)
                         if net.above(name) not in net.served]  # fmt: skip
    return all(name in modems for name in _working(net) if name in leading)
