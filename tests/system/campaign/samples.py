"""Good files of every kind that a command reads, and the command that reads them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from asked import HEAD, LAN_AND_WAN

from ppslab.core import paths
from tests.support.calibration_factory import make_calibration
from tests.support.factory import make_record
from tests.support.faults_factory import make_faults
from tests.support.suite_factory import make_suite

ROOT = paths.project_root()


@dataclass(frozen=True)
class Sample:
    """One command: its words, in which FILE is the file; the file's name, and what is good in it.

    FOLDER is a lab's folder with the file in it.
    `state`: the file is put under $XDG_STATE_HOME by this name; the command does not name it.
    """

    words: tuple[str, ...]
    name: str
    good: Callable[[], bytes]
    state: str = ""


def _file(path: str) -> Callable[[], bytes]:
    return (ROOT / path).read_bytes


@cache
def record() -> bytes:
    """A small record of `ppslab run`."""
    return make_record(rounds=3).model_dump_json(by_alias=True, indent=1).encode()


@cache
def suite() -> bytes:
    """A small record of `ppslab rfc2544`."""
    return make_suite(sizes=(64,)).model_dump_json(by_alias=True, indent=1).encode()


@cache
def faults() -> bytes:
    """A record of `ppslab break`."""
    return make_faults().model_dump_json(by_alias=True, indent=1).encode()


@cache
def calibration() -> bytes:
    """A record of `ppslab calibrate`."""
    return make_calibration().model_dump_json(by_alias=True, indent=1).encode()


def tcp() -> bytes:
    """A kept record of `ppslab tcp`, the smallest of them."""
    kept = sorted(ROOT.glob("results/tcp-*.json"), key=lambda path: path.stat().st_size)
    return kept[0].read_bytes()


@cache
def profile() -> bytes:
    """A kept record of `ppslab profile`: of one condition."""
    kept = max(ROOT.glob("results/profile-*.json"))
    data = json.loads(kept.read_text(encoding="utf-8"))
    name = data["conditions"][0]["name"]
    data["conditions"] = data["conditions"][:1]
    data["profiles"] = [each for each in data["profiles"] if each["condition"] == name]
    data["trials"] = [each for each in data["trials"] if each["condition"] in (None, name)]
    return json.dumps(data, indent=1).encode()


def capture() -> bytes:
    """A pcap with EoIP frames and a keepalive."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    made = [head]
    for number in range(40):
        inner = bytes.fromhex(
            "02000000000102000000000208004500001c0000000040110000c6120102c6120202"
        )
        inner = b"" if number % 8 == 0 else inner + bytes(16)
        eoip = b"\x20\x01\x64\x00" + struct.pack(">H", len(inner)) + struct.pack("<H", 7) + inner
        ip = struct.pack(
            ">BBHHHBBH4s4s", 0x45, 0, 20 + len(eoip), number, 0, 64, 47, 0,
            bytes([198, 18, 0, 1]), bytes([198, 18, 0, 2]),
        )  # fmt: skip
        frame = bytes.fromhex("0200000000010200000000020800") + ip + eoip
        made.append(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)
    return b"".join(made)


LSTOPO = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f">
    <info name="DMIProductName" value="Made up"/>
    <object type="Package" os_index="0" cpuset="0x0000000f">
      <object type="NUMANode" os_index="0" cpuset="0x0000000f" local_memory="8000000000"/>
      <object type="Core" os_index="0" cpuset="0x00000003">
        <object type="PU" os_index="0" cpuset="0x00000001"/>
        <object type="PU" os_index="1" cpuset="0x00000002"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x0000000c">
        <object type="PU" os_index="2" cpuset="0x00000004"/>
        <object type="PU" os_index="3" cpuset="0x00000008"/>
      </object>
      <object type="Bridge" pci_busid="0000:00:01.0" pci_type="0604 [8086:2f02] [0000:0000] 02">
        <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0200 [8086:10fb] [0:0] 01"
                pci_link_speed="4.000000">
          <object type="OSDev" name="eth0" osdev_type="2"/>
        </object>
      </object>
    </object>
  </object>
</topology>
"""

EXPORT = b"""# 2026-11-20 10:00:00 by RouterOS 7.20.8
/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip firewall filter
add action=fasttrack-connection chain=forward comment="a \\"b\\"" \\
    connection-state=established,related
/ip route
add dst-address=198.19.0.0/16 gateway=198.18.2.2,198.18.2.3
/queue simple
add max-limit=10M/10M name=q1 target=198.18.1.0/24
"""

FAST = f"""{HEAD}{LAN_AND_WAN}/ip firewall filter
add action=jump chain=forward jump-target=fast
add action=fasttrack-connection chain=fast comment="a \\"b\\"" \\
    connection-state=established,related
""".encode()

PRINTED = b"""[admin@MikroTik] > /ip/settings/print
                allow-fast-path: yes
  ipv4-fast-path-active: no
 ipv4-fasttrack-packets: 31415
[admin@MikroTik] > /tool/profile cpu=all
ethernet  0  12.5%
idle      0  87.5%
"""

ROUTES = b"""198.19.0.0/30 x4096 via 198.18.2.2
198.19.128.0/18 nexthop via 198.18.2.2 nexthop via 198.18.2.3
blackhole 198.19.192.0/18
2001:2:0:1::/64 via 2001:2::1
default via 198.18.2.2
"""

PROGRESS = json.dumps(
    {
        "ppslab-progress": 1,
        "done": {"fastpath/task/rules": "2026-11-20T10:00:00+00:00"},
        "answers": {"fastpath/quiz/1": "b"},
        "figures": [
            {"lab": "fastpath", "title": "Fast Path", "started": "2026-11-20T10:00:00+00:00",
             "provenance": "linux", "rows": [["Plain", "620 ns"]]}
        ],
    }, indent=1,
).encode()  # fmt: skip

TASKS = json.dumps(
    {"ppslab-tasks": 1, "lab": "fastpath", "variant": "linux", "at": "", "run": "",
     "done": {"rules": "2026-11-20T10:00:00+00:00"}, "solved": [], "hints": {}}, indent=1,
).encode()  # fmt: skip

KEPT = str(max(ROOT.glob("results/fastpath-*Z-namespaces.json")))
"""The newest timed record that is kept."""

OFFLOAD = ("plan", "offload", "FILE", "--device", "CRS326-24G-2S+")

SAMPLES = (
    Sample(("validate", "FILE"), "run.json", record),
    Sample(("validate", "FILE"), "suite.json", suite),
    Sample(("validate", "FILE"), "tcp.json", tcp),
    Sample(("validate", "FILE"), "calibration.json", calibration),
    Sample(("validate", "FILE"), "small.clab.yml", _file("topologies/fastpath.clab.yml")),
    Sample(("validate", "FILE"), "eoip.clab.yml", _file("topologies/eoip.clab.yml")),
    Sample(("validate", "FOLDER"), "lab.yml", _file("labs/_template/lab.yml")),
    Sample(("validate", "FOLDER"), "claims.yml", _file("labs/_template/claims.yml")),
    Sample(("validate", "FOLDER"), "published.csv", _file("labs/_template/published.csv")),
    Sample(("validate", "FOLDER"), "tasks.yml", _file("labs/_template/tasks.yml")),
    Sample(("report", "FILE", "--csv"), "run.json", record),
    Sample(("report", "FILE", "--json"), "run.json", record),
    Sample(("report", "FILE", "--json"), "suite.json", suite),
    Sample(("report", "FILE", "--csv"), "tcp.json", tcp),
    Sample(("report", "FILE", "--html", "--out", "OUT.html"), "run.json", record),
    Sample(("validate", "FILE"), "faults.json", faults),
    Sample(("validate", "FILE"), "profile.json", profile),
    Sample(("report", "FILE", "--html", "--out", "OUT.html"), "suite.json", suite),
    Sample(("compare", "FILE", KEPT), "run.json", record),
    Sample(("compare", "FILE:routing-fast-path", "FILE:routing-25-ip-filter-rules"),
           "suite.json", suite),
    Sample(("plan", "nics", "FILE", "--libvirt"), "lstopo.xml", lambda: LSTOPO),
    Sample(OFFLOAD, "routes.txt", lambda: ROUTES),
    Sample((*OFFLOAD, "--json", "--towards", "198.19.0.0/16"), "routes.txt", lambda: ROUTES),
    Sample(("plan", "offload", "GOOD", "--device", "CRS326-24G-2S+", "--export", "FILE"),
           "export.rsc", lambda: EXPORT),
    Sample(("explain", "FILE"), "router.rsc", lambda: FAST),
    Sample(("explain", "FILE", "--json", "--packet", "dst=198.18.2.2:443/tcp"), "router.rsc",
           lambda: FAST),
    Sample(("translate", "FILE"), "rules.rsc", _file("labs/fastpath/routeros/filter-13.rsc")),
    Sample(("explain", "GOOD", "--print", "FILE"), "printed.txt", lambda: PRINTED),
    Sample(("dissect", "FILE"), "capture.pcap", capture),
    Sample(("progress", "--output", "FILE"), "progress.json", lambda: PROGRESS),
    Sample(("progress",), "tasks.json", lambda: TASKS, "ppslab/tasks/fastpath-linux.json"),
)  # fmt: skip

GOOD = {
    "export.rsc": ROUTES,
    "printed.txt": FAST,
}
"""What stands beside the file, by its name: the word GOOD."""
