"""Wires of taps: each frame comes out at the other card once, by a queue of its stream's, and
nothing stays of them when whoever holds their files is killed."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path

import pytest

from ppslab.model.lab import lab
from ppslab.model.lab.machine import QUEUES, plug
from ppslab.testbed.backends.capabilities import host_features, usable
from ppslab.testbed.backends.capabilities.features import Feature
from ppslab.testbed.backends.capabilities.probing import Absence, Obstacle
from ppslab.testbed.backends.vm import guest as vm_guest
from ppslab.testbed.backends.vm import machine as vm_machine
from ppslab.testbed.backends.vm import taps
from ppslab.testbed.backends.vm.qemu import Guest
from tests.support.waiting import until

FEATURE = host_features()[QUEUES]
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not FEATURE.present, reason=f"no taps here: {FEATURE.why}"),
]

# struct virtio_net_hdr, of no offload.
HEADER = bytes(10)
STREAMS = 256
EACH = 4
# linux/if_tun.h
TUNGETDEVNETNS = 0x54E3

HOLDER = """\
import sys, time
from ppslab.testbed.backends.vm import taps
(a, b), = taps.opened([(1, 4)])
print(a[0], flush=True)
time.sleep(600)
"""


def frame(stream: int) -> bytes:
    """A frame of 64 bytes of one stream: its source port is its number."""
    udp = struct.pack(">HHHH", 1000 + stream, 200, 26, 0) + bytes(18)
    addresses = bytes((198, 18, 4, 2)) + bytes((198, 18, 2, 2))
    internet = struct.pack(">BBHHHBBH", 0x45, 0, 46, 0, 0, 64, 17, 0) + addresses
    stations = bytes.fromhex("0200c6120401" + "0200c6120402" + "0800")
    return stations + internet + udp


def stream_of(got: bytes) -> int:
    """The number of the stream that a frame is of."""
    return int(struct.unpack_from(">H", got, len(HEADER) + 34)[0]) - 1000


@pytest.fixture
def wire() -> Iterator[tuple[taps.Files, taps.Files]]:
    """A wire between a card with one queue and one with four."""
    ((one, four),) = taps.opened([(1, 4)])
    yield one, four
    for each in (*one, *four):
        os.close(each)


def read_all(handles: taps.Files) -> list[list[bytes]]:
    """What waits at each queue."""
    found: list[list[bytes]] = []
    for handle in handles:
        found.append([])
        try:
            while True:
                found[-1].append(os.read(handle, 65536))
        except BlockingIOError:
            continue
    return found


def test_a_wire_loses_no_frame_and_keeps_each_stream_in_one_queue(
    wire: tuple[taps.Files, taps.Files],
) -> None:
    (one,), four = wire
    for _ in range(EACH):
        for stream in range(STREAMS):
            os.write(one, HEADER + frame(stream))
    found: list[list[bytes]] = [[] for _ in four]

    def all_there() -> bool:
        for number, more in enumerate(read_all(four)):
            found[number] += more
        return sum(map(len, found)) >= STREAMS * EACH

    until(all_there, "the frames")
    queues = [Counter(map(stream_of, each)) for each in found]
    assert sum(queues, Counter()) == Counter(dict.fromkeys(range(STREAMS), EACH))
    for stream in range(STREAMS):
        assert [each[stream] for each in queues if stream in each] == [EACH]
    # As if by dice: of 256 streams fewer than 26 in one of four queues is one run in 10 million.
    assert min(map(len, queues)) >= STREAMS / 10
    # What a queue sends comes to the other card's only one.
    os.write(four[2], HEADER + frame(7))
    back: list[bytes] = []

    def it_is_back() -> bool:
        back.extend(read_all([one])[0])
        return bool(back)

    until(it_is_back, "the frame that goes back")
    assert back == [HEADER + frame(7)]


def test_a_queue_holds_the_frames_of_a_whole_trial(wire: tuple[taps.Files, taps.Files]) -> None:
    """A guest that is emulated reads late; a tap by itself drops what is over a thousand."""
    (one,), four = wire
    for _ in range(20_000):
        os.write(one, HEADER + frame(0))
    assert max(map(len, read_all(four))) == 20_000


def test_two_wires_do_not_meet() -> None:
    (one, four), (other, _) = taps.opened([(1, 4), (1, 1)])
    os.write(one[0], HEADER + frame(0))
    until(lambda: any(read_all(four)), "the frame")
    assert read_all(other) == [[]]


def test_the_cards_of_a_lab_get_taps_only_where_one_has_several_queues() -> None:
    cores, numa = (lab.find(name).spec.machine for name in ("cores", "numa"))
    assert cores and numa
    ends = vm_machine.wires(plug(cores))
    try:
        assert [(end.tap, len(end.files)) for end in ends] == [(True, 1), (True, 4)]
        command = " ".join(vm_machine.arguments(cores, plug(cores), ends))
        fds = ":".join(map(str, ends[1].files))
        assert f"tap,id=wire1,fds={fds},vhost=off" in command
        assert command.count("mq=on,vectors=10") == 1
    finally:
        for end in ends:
            end.close()
    assert not any(end.tap for end in vm_machine.wires(plug(numa)))
    bare = vm_machine.with_one_queue(plug(cores))
    assert [(end.tap, len(end.files)) for end in vm_machine.wires(bare)] == [(False, 1)] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into another's network")
def test_nothing_stays_of_a_wire_whose_holder_is_killed() -> None:
    """No tap persists: not one that the next run had to remove."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        handle = int(holder.stdout.readline())
        network = network_of(holder.pid, handle)
        assert links(network) == {"lo", "w0", "w0a", "w0b"}
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        until(lambda: links(network) == {"lo", "w0"}, "the end of the taps")
        os.close(network)
    finally:
        holder.kill()
        holder.communicate()


def network_of(pid: int, handle: int) -> int:
    """A file of the network namespace in which a process has a tap open."""
    process = os.pidfd_open(pid)
    try:
        # pidfd_getfd(2), which Python's standard library lacks.
        tap = ctypes.CDLL(None).syscall(438, process, handle, 0)
        assert tap >= 0
    finally:
        os.close(process)
    try:
        return ioctl(tap, TUNGETDEVNETNS)
    finally:
        os.close(tap)


def links(network: int) -> set[str]:
    """The links of a network namespace."""
    path = f"/proc/self/fd/{network}"
    argv = ["nsenter", f"--net={path}", "ip", "-j", "link", "show"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, pass_fds=[network])
    return {link["ifname"] for link in json.loads(done.stdout)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount something over a device")
def test_where_there_can_be_none_the_reason_is_said() -> None:
    ask = "from ppslab.testbed.backends.vm import taps; taps.opened([(1, 4)])"
    hide = f'mount --bind /dev/null {taps.TUN} && exec "$0" -c "$1"'
    argv = ["unshare", "--mount", "sh", "-c", hide, sys.executable, ask]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "CannotHereError: " in done.stderr
    assert "Inappropriate ioctl for device" in done.stderr


class StoppedError(Exception):
    """Instead of QEMU's start."""


def test_where_there_are_no_taps_a_guest_has_cards_with_one_queue(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its other conditions run all the same; those of the card's queues were left out before."""
    state = usable("vm")
    if not state.usable:
        pytest.skip(f"no vm backend here: {state.why}")
    machine = lab.find("cores").spec.machine
    assert machine
    asked: list[Guest] = []
    said: list[str] = []

    def qemu(guest: Guest, *_: object) -> None:
        asked.append(guest)
        raise StoppedError

    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))
    monkeypatch.setattr(vm_guest, "Qemu", qemu)
    for there in (True, False):
        absence = None if there else Absence(Obstacle.REFUSED, "no tun device")
        host = host_features() | {QUEUES: Feature(QUEUES, absence)}
        monkeypatch.setattr(vm_guest, "host_features", lambda host=host: host)
        with pytest.raises(StoppedError):
            vm_guest.start_guest("made-up", said.append, "tcg", machine)
    queues = [[each.card.queues for each in guest.plugged] for guest in asked]
    assert queues == [[1, 4], [1, 1]]
    assert sum("no tun device" in words for words in said) == 1
