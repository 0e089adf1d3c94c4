"""The facts of each model from data files and records: a function of the model's name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ppslab.core import documents, paths
from ppslab.core.text.grouping import count_text
from ppslab.core.text.language import N_
from ppslab.course import practice
from ppslab.course.learning import slow as dialogue
from ppslab.course.practice.properties import properties
from ppslab.course.widgets.facts.nanoseconds import facts as nanoseconds
from ppslab.course.widgets.facts.packet_path import facts as packet_path
from ppslab.judge import costs
from ppslab.judge.costs import NoDataError
from ppslab.model import devices, meters, results
from ppslab.model.device_choice import FASTTRACK
from ppslab.model.devices import needs
from ppslab.model.lab import lab as labs
from ppslab.model.switch_chip import chips
from ppslab.model.tunnels.tunnel_layers import ETHERNET_HEADER, FIXED, IPV4_HEADER, Packet
from ppslab.show import device_tables, explained
from rosexplain.base import base as rule_base

__all__ = [
    "cases",
    "compare_devices",
    "eoip",
    "explain",
    "line_rate",
    "nanoseconds",
    "offload_table",
    "packet_path",
    "slow",
    "which_device",
]

HEADERS = ("vlan", "pppoe", "ipip", "gre", "eoip", "vxlan")
FRAME = 18
"""An Ethernet frame less its packet: header 14, check sequence 4."""
BRIDGED = {
    "eoip": (9500, "none"),
    "eoip-ipsec": (9500, "aes-128-cbc:sha1"),
    "eoip-fragments": (1500, "none"),
    "eoip-ipsec-fragments": (1500, "aes-128-cbc:sha1"),
}
"""The conditions of EoIP that bridge: the MTU of their path (labs/eoip/linux), and the cipher."""
ROUTES = (
    ("the lab: as many as fit", "linux/routes/12288.routes", ""),
    ("the lab: 1024 too many", "linux/routes/14336.routes", ""),
    ("the same with a default route", "linux/routes/14336.routes", "0.0.0.0/0 via 198.18.1.2"),
    ("eight next hops", "linux/routes/ecmp-8.routes", ""),
)
BOTH_FAMILIES = """\
2001:2:0:100::/64 x3000 via 2001:2:0:1::2
198.19.0.0/24 x256 via 198.18.2.2
198.18.0.0/28 x4096 via 198.18.1.2
198.19.0.0/26 x1024 via 198.18.2.2"""
EXPORTS = {
    N_("A home router"): "home.rsc",
    N_("An accept rule before the FastTrack rule"): "accept-in-front.rsc",
    N_("Two providers, marks and FastTrack"): "two-wans.rsc",
    N_("A switch that routes"): "switch-only/switch.rsc",
    N_("A tunnel in the bridge, with IPsec"): "tunnel.rsc",
}
EXPORTS_FOLDER = paths.project_root() / "packages/rosexplain/examples"


def line_rate() -> dict[str, Any]:
    """Return `meters`, each with what it counts, and `headers` with the bytes that each takes."""
    counted = [[m.id, m.name, m.system, m.offset, m.counts] for m in meters.load().values()]
    return {"meters": counted, "headers": [_header(word) for word in HEADERS]}


def _header(word: str) -> list[str | int]:
    layer, packet = FIXED[word], Packet(100, IPV4_HEADER)
    taken = layer.wrap(packet).size - packet.size
    # A layer that makes no IP packet makes a frame, whose own header every frame has.
    more = taken if layer.makes_ip else taken - ETHERNET_HEADER
    return [word, layer.title, more, layer.source]


def eoip() -> dict[str, Any]:
    """Return `measured` ([packet, path MTU, IPsec, fragments of each]) and `record`, its name."""
    record = results.newest("eoip")
    rows: list[list[object]] = []
    for name, (mtu, ipsec) in BRIDGED.items() if record else ():
        assert record is not None
        for size in record.frame_sizes:
            try:
                share = costs.counter_shares(record, name, size).get("fragments")
            except NoDataError:
                continue
            if share is not None:
                rows.append([size - FRAME, mtu, ipsec, round(share.estimate, 3)])
    return {"measured": rows, "record": record.id if record else ""}


def offload_table() -> dict[str, Any]:
    """Return the `chips` of MikroTik's manual, and the lab's tables of routes as `examples`."""
    lab = labs.find("l3offload")
    tables = [(label, _routes(lab.text(file), more), False) for label, file, more in ROUTES]
    tables.append(("IPv6 beside IPv4", BOTH_FAMILIES, True))
    return {
        "source": chips.SOURCE,
        "examples": [
            [label, {"routes": text, "filled": 20, "ipv6": ipv6}] for label, text, ipv6 in tables
        ],
        "chips": [
            [
                chip.name,
                f"{chip.name}: {count_text(chip.room)} prefixes",
                chip.name,
                list(chip.devices),
                chip.room,
                chip.takes(6),
                chip.ipv4_hosts,
                chip.ecmp_ways,
                chip.indexes,
                chip.shown_worst,
            ]
            for chip in chips.load()
        ],
    }


def _routes(text: str, more: str) -> str:
    """The file's routes without its comments."""
    kept = [line for line in text.splitlines() if line and not line.startswith("#")]
    return "\n".join([more, *kept] if more else kept)


def results_table() -> dict[str, Any]:
    """Return the name of each product code, as the page of devices has them."""
    return {"codes": {device.code: device.name for device in devices.load()}}


def which_device() -> dict[str, Any]:
    """Return the devices that are sold with their ports and rates.

    `rates` has what `needs.figures` returns of each name, a rate as [Mbit/s, year in words, whether
    it is a lower bound, quality]; `page` is empty for a device without figures.
    """
    return {
        "words": devices.WORDS,
        "devices": [
            {
                "name": device.name,
                "page": f"{device_tables.PAGES}/{device.slug}.html" if device.has_figures else "",
                "ports": device.all_ports,
                "speeds": list(device.port_speeds),
                "cores": device.cores,
                "rates": _rates(device),
            }
            for device in devices.load()
            if device.sold
        ],
    }


def _rates(device: devices.Device) -> dict[str, list[list[object] | None]]:
    names = (*device_tables.ORDER, FASTTRACK, *needs.TUNNELS)
    pairs = {name: needs.figures(device, name) for name in names}
    rates = {name: [_rate(row) for row in pair] for name, pair in pairs.items()}
    return {name: pair for name, pair in rates.items() if any(pair)}


def _rate(row: devices.Result | None) -> list[object] | None:
    return [row.mbps, row.when, row.at_least, row.quality] if row and row.mbps is not None else None


def compare_devices() -> dict[str, Any]:
    """Return the devices with a figure by their slug, and what a test of MikroTik's is called.

    A row is [mode, configuration, bytes, kpps, Mbit/s, year in words, method]; those that are asked
    for most come first.
    """
    return {
        "words": devices.WORDS,
        "devices": {
            device.slug: {
                "name": device.name,
                "code": device.code,
                "cpu": device.cpu_class,
                "ports": device.all_ports,
                "fastest": device.port_speeds[0] if device.port_speeds else 0,
                "rows": [_row(row) for row in device_tables.by_use(device)],
            }
            for device in devices.load()
            if device.has_figures
        },
    }


def _row(row: devices.Result) -> list[object]:
    # By 2025 is the date of a copy: two figures of it are of one test only in one document.
    sure = row.when.isdecimal() and row.by_mikrotik
    method = "MikroTik" if sure else row.source.named
    return [row.mode, row.configuration, row.frame_bytes, row.kpps, row.mbps, row.when, method]


@lru_cache(maxsize=1)
def explain() -> dict[str, Any]:
    """Return the rule base, costs, published speeds, and devices' names by the base's own."""
    return {
        "base": rule_base(),
        "costs": explained.every_cost(),
        "published": explained.published(),
        "names": {_known(device): device.label for device in devices.load()},
        "examples": [[label, _export(name)] for label, name in EXPORTS.items()],
    }


def _known(device: devices.Device) -> str:
    """A device's code as the rule base has it: `750GR3`."""
    return device.code.upper().removeprefix("RB")


def _export(name: str) -> dict[str, Any]:
    text = documents.read_text(EXPORTS_FOLDER / name)
    export = {"name": name.rpartition("/")[2], "text": text}
    return {"export": export, "without": "", "packet": "", "printed": None}


@lru_cache(maxsize=1)
def cases() -> dict[str, Any]:
    """Return the rule base, every case and drill with its solutions, and the properties."""
    every = practice.cases() | practice.drills()
    return {
        "base": rule_base(),
        "cases": {name: practice.plain(one) for name, one in every.items()},
        "properties": properties(),
    }


def slow() -> dict[str, Any]:
    """Return what the dialogue reads of a router's output: of book/slow.yml."""
    return dialogue.load(paths.project_root() / dialogue.FILE).facts()
