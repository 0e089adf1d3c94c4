"""The topology's router with a BPF program on it, and a tester on each of its ports."""

import ctypes
import json
import select
import socket
import subprocess
import threading
from pathlib import Path

import yaml
from scapy.packet import Packet

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "images" / "linux-router" / "bpf"
MODES = ["tc", "xdp-generic", "xdp-native"]
PORTS = [1, 2, 3]

# Kernels report the multicast groups of their addresses twice when an address is new (RFC 3810).
MLD_REPORT = bytes.fromhex("333300000016")

PAYLOAD = b"eighteen bytes, yes"[:18]

QUIET = 0.3
"""Seconds without a frame after which none comes any more."""


def router_mac(port: int) -> str:
    return f"02:00:c6:12:{port:02}:01"


def host_mac(port: int) -> str:
    return f"02:00:c6:12:{port:02}:02"


class Node:
    """A process that holds a network namespace and a /sys of its own, and dies with this one."""

    def __init__(self) -> None:
        hold = "mount -t sysfs sysfs /sys && ip link set lo up && echo ready && exec sleep 900"
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c"]
        self.process = subprocess.Popen([*command, hold], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"

    def run(self, command: str) -> str:
        enter = ["nsenter", "-t", str(self.process.pid), "--net", "--mount", "sh", "-ec", command]
        done = subprocess.run(enter, check=False, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def socket(self, interface: str) -> socket.socket:
        """A packet socket in this namespace: a thread goes there, the socket comes back."""
        opened: list[socket.socket] = []

        def enter() -> None:
            with Path(f"/proc/{self.process.pid}/ns/net").open() as namespace:
                libc = ctypes.CDLL(None, use_errno=True)
                assert libc.setns(namespace.fileno(), 0) == 0
            found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
            found.bind((interface, 0))
            opened.append(found)

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        return opened[0]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class Rig:
    """The topology's two nodes, and a socket on each of the tester's ports."""

    def __init__(self) -> None:
        self.dut, self.tester, self.seen = Node(), Node(), 0
        text = (ROOT / "topologies" / "fastpath.clab.yml").read_text()
        self.topology = yaml.safe_load(text)["topology"]
        for name, node in self.nodes.items():
            for key, value in self.topology["nodes"][name]["sysctls"].items():
                node.run(f"sysctl -qw {key}={value}")
        for link in self.topology["links"]:
            (near, far), mtu = (end.split(":") for end in link["endpoints"]), link["mtu"]
            pids = {name: node.process.pid for name, node in self.nodes.items()}
            self.dut.run(
                f"ip link add {near[1]} netns {pids[near[0]]} mtu {mtu} type veth"
                f" peer name {far[1]} netns {pids[far[0]]} mtu {mtu}"
            )
        for name, node in self.nodes.items():
            for port in PORTS:
                # XDP on veth passes frames on only to a peer with NAPI, which GRO turns on.
                node.run(f"ip link set eth{port} up; ethtool -K eth{port} gro on >/dev/null")
            for command in self.topology["nodes"][name]["exec"]:
                node.run(command)
        self.sockets = {port: self.tester.socket(f"eth{port}") for port in PORTS}
        self.drain(QUIET)

    @property
    def nodes(self) -> dict[str, Node]:
        return {"dut": self.dut, "tester": self.tester}

    def attach(self, program: Path, mode: str) -> None:
        if mode == "tc":
            for port in PORTS:
                self.dut.run(f"tc qdisc add dev eth{port} ingress_block 1 clsact")
            self.dut.run(f"tc filter add block 1 bpf da obj {program} sec tc")
            return
        word = {"xdp-generic": "xdpgeneric", "xdp-native": "xdpdrv"}[mode]
        for port in PORTS:
            self.dut.run(f"ip link set dev eth{port} {word} obj {program} sec xdp.frags")

    def programs(self) -> set[int]:
        """The ids of the programs on the router's ports."""
        links = json.loads(self.dut.run("ip -j -d link show"))
        found = {link["xdp"]["prog"]["id"] for link in links if "prog" in link.get("xdp", {})}
        filters = self.dut.run("tc -j filter show block 1 2>/dev/null || echo []")
        for entry in json.loads(filters):
            if "prog" in entry.get("options", {}):
                found.add(entry["options"]["prog"]["id"])
        return found

    def fast_packets(self) -> int:
        """What the attached programs have counted since this was last asked, over all CPUs."""
        total = 0
        for program in self.programs():
            shown = json.loads(self.dut.run(f"bpftool -j prog show id {program}"))
            for number in shown["map_ids"]:
                if json.loads(self.dut.run(f"bpftool -j map show id {number}"))["name"] == (
                    "fast_packets"
                ):
                    (entry,) = json.loads(self.dut.run(f"bpftool -j map dump id {number}"))
                    total += sum(cpu["value"] for cpu in entry["formatted"]["values"])
        new, self.seen = total - self.seen, total
        return new

    def drain(self, seconds: float) -> dict[int, list[bytes]]:
        """What the tester receives on each port until nothing has come for `seconds`."""
        frames: dict[int, list[bytes]] = {port: [] for port in PORTS}
        by_socket = {found: port for port, found in self.sockets.items()}
        while ready := select.select(list(by_socket), [], [], seconds)[0]:
            for found in ready:
                data, address = found.recvfrom(65536)
                if address[2] != socket.PACKET_OUTGOING and not data.startswith(MLD_REPORT):
                    frames[by_socket[found]].append(data)
        return frames

    def send(self, port: int, *frames: Packet | bytes) -> dict[int, list[bytes]]:
        """Send from a port of the tester; what comes back on each port."""
        for frame in frames:
            self.sockets[port].send(bytes(frame))
        return self.drain(QUIET)

    def close(self) -> None:
        for found in self.sockets.values():
            found.close()
        for node in self.nodes.values():
            node.close()


def only(port: int, *frames: bytes) -> dict[int, list[bytes]]:
    return {number: list(frames) if number == port else [] for number in PORTS}


STREAMS = [(tx, rx) for tx in PORTS for rx in PORTS if tx != rx]
