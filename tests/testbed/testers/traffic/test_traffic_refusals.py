"""What ppstraffic refuses and what it is built of: wrong usage, unusable ports, fuzzing.

Nothing here depends on a time or on the fate of a frame, so it runs beside other tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.testbed.testers.traffic.cable import V6, Namespace, ended, flow, started, trial_argv

pytestmark = pytest.mark.live

PORTS = ("--port", "p1=t1", "--port", "p2=t2")
BACK = {"reply_src_mac": "02:00:c6:12:02:02", "reply_dst_mac": "02:00:c6:12:01:02"}
BEFORE = 123_456_789
"""What each thread of a made-up /proc has worked already, in ns."""
LOAD = ("--size", "64", "--rate", "10", "--duration", "1")


RUN = ("run", *LOAD, *PORTS)
ARGUMENTS: list[tuple[list[str], str]] = [
    ([], "a command is missing"),
    (["walk"], "unknown command 'walk'"),
    (["run"], "--rate is missing"),
    ([*RUN], "--flow is missing"),
    (["run", *LOAD[2:], *PORTS, "--flow", flow()], "--size is missing"),
    (["run", "--size", "64", "--rate", "10", *PORTS, "--flow", flow()], "--duration"),
    (["run", *LOAD, "--flow", flow()], "no --port is called 'p1'"),
    ([*RUN, "--flow", "name=f"], "tx= is missing"),
    ([*RUN, "--flow", "f"], "not key=value"),
    ([*RUN, "--flow", flow() + ",tx=p2"], "tx is given twice"),
    ([*RUN, "--flow", flow(**BACK) + ",src-random=1"], "have no end"),
    ([*RUN, "--flow", flow(), "--flow", flow()], "'f' is given twice"),
    ([*RUN, "--port", "p1=t3", "--flow", flow()], "already taken"),
    (["run", *LOAD, "--port", "t1", "--flow", flow()], "NAME=INTERFACE"),
    ([*RUN, "--flow", flow(), "--drain"], "--drain needs a value"),
    ([*RUN, "--flow", flow(), "now"], "'now' is too much"),
    (["replay"], "needs one frames file"),
    (["replay", "/nowhere"], "/nowhere: No such file"),
    (["replay", "/etc/passwd"], "/etc/passwd"),
]
FLOWS: list[tuple[dict[str, object], str]] = [
    ({"rx": "p1"}, "sends and receives at the same port"),
    ({**V6}, "need 84"),
    ({"src": V6["src"]}, "both be IPv4 or both IPv6"),
    ({"src": "198.18.1"}, "no IPv4 or IPv6 address"),
    ({"src_mac": "02:00:c6:12:01"}, "no MAC address"),
    ({"sport": 65536}, "no number from 0 to 65535"),
    ({"sport": 65000, "sport_count": 1000}, "past port 65535"),
    ({"dst": "255.255.255.255", "dst_count": 2}, "past the end"),
    ({"name": "a b"}, "a name is"),
    ({"color": "red"}, "unknown key 'color'"),
    ({"reply_src_mac": "02::"}, "need each other"),
    ({"reply_src": "198.18.9.9"}, "need reply-src-mac"),
    ({**BACK, "reply_dst": "2001:2::9"}, "all IPv6"),
    ({**BACK, "src_count": 65537}, "at most 65536 connections"),
    ({"protocol": 6}, "IPv4, TCP and the signature need 76"),
    ({"ttl": 0}, "no number from 1 to 255"),
    ({"vlan": 4095}, "no number from 1 to 4094"),
    ({"protocol": 1}, "17 (UDP), 6 (TCP), 253 or 254"),
    ({"hold": 0}, "no number from 1"),
]
FLAGS = [
    ("--size 63", "from 64 to 9216"),
    ("--size 9217", "from 64 to 9216"),
    ("--size 64.5", "whole number"),
    ("--rate 0", "--rate 0"),
    ("--rate fast", "--rate fast"),
    ("--rate nan", "--rate nan"),
    ("--duration -1", "--duration -1"),
    ("--send smoke", "xdp, mmsg or auto"),
    ("--speed 5", "unknown flag '--speed'"),
    ("--rate 1e6 --duration 1e4", "too many for one trial"),
    ("--then 5000", "write it as PPS:SECONDS"),
    ("--then :1", "write it as PPS:SECONDS"),
    ("--then max:1", "--then max"),
    ("--then 9:0", "--then 0"),
    ("--then 5:1:2", "--then 1:2"),
    ("--rate max --then 5000:1", "--then: needs a --rate in frames a second"),
    ("--then 1e9:3", "too many for one trial"),
]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        *ARGUMENTS,
        *(([*RUN, "--flow", flow(**changes)], said) for changes, said in FLOWS),
        *(([*RUN, "--flow", flow(), *flags.split()], said) for flags, said in FLAGS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_usage(ppstraffic_asan: Path, argv: list[str], said: str) -> None:
    done = subprocess.run(
        [str(ppstraffic_asan), *argv], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("ppstraffic: ") and said in lines[0]
    assert lines[1:] == ["Try 'ppstraffic --help'."]


def test_no_permission(ppstraffic: Path) -> None:
    if os.geteuid() != 0:
        private: dict[str, int] = {}
    else:
        private = {"user": 65534, "group": 65534}
    # In /tmp itself: not everybody may look into the folder of this test, or of this checkout.
    with tempfile.TemporaryDirectory(prefix="ppstraffic-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        copy = shutil.copy(ppstraffic, folder)
        argv = trial_argv(Path(copy), "--size", 64, "--rate", 10, "--duration", 1)
        done = subprocess.run(argv, capture_output=True, text=True, check=False, **private)
    assert done.returncode == 3
    assert "no permission to open packet sockets: run as root" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ip link del t1", "t1: no such interface"),
        ("ip link set t1 down", "t1: the interface is down"),
        ("ip link set t2 down", "t1: the interface has no carrier"),
        ("ip link set t1 mtu 1500", "t1: MTU 1500 is too small for frames of 1519 bytes"),
        ("ip link del t1; ip link set lo name t1; ip link set t1 up", "t1: not an Ethernet"),
    ],
)
def test_a_port_that_cannot_be_used(
    ppstraffic_asan: Path, namespace: Namespace, change: str, said: str
) -> None:
    namespace.sh(change)
    argv = trial_argv(ppstraffic_asan, "--size", 1519, "--rate", 10, "--duration", 1)
    done = namespace.run(*argv)
    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_frames_file_that_cannot_be_written(ppstraffic_asan: Path, namespace: Namespace) -> None:
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 10, "--duration", 0.1)
    done = namespace.run(*argv, "--frames", "/nowhere/frames")
    assert done.returncode == 2
    assert "--frames /nowhere/frames: No such file or directory" in done.stderr


def test_the_parser_withstands_fuzzing(ppstraffic: Path) -> None:
    """Short, on every run; `make -C traffic fuzz FUZZ_SECONDS=3600` for longer."""
    if shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    done = subprocess.run(
        ["nice", "make", "-C", str(ppstraffic.parents[2] / "traffic"), "fuzz", "FUZZ_SECONDS=3"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "fuzzer" in done.stderr and "cannot find" in done.stderr:
        pytest.skip("clang has no libFuzzer here")
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_kernels_threads_are_read_where_it_is_told(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path
) -> None:
    """A made-up /proc: a process of the user's, a thread that works on packets, one that tidies."""
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 1000, "--count", 10, flows=[flow()])
    told = [*argv, "--kernel-threads", str(tmp_path)]
    kernels = 0x00200000
    _process(tmp_path, 7, "bash) R", 0)
    refused = namespace.run(*told)
    assert refused.returncode == 3 and "no thread of the kernel's" in refused.stderr
    _process(tmp_path, 8, "kworker/0:1-wg-crypt-wg0", kernels)
    _process(tmp_path, 9, "kworker/0:2-events_power_efficient", kernels)
    found = json.loads(namespace.run(*told).stdout)
    # They do nothing meanwhile.
    assert (found["kernel_thread_seconds"], found["kernel_chores_seconds"]) == (0, 0)
    assert "kernel_thread_seconds" not in json.loads(namespace.run(*argv).stdout)


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("kworker/0:1-wg-crypt-wg0", (0.0009, 0)),
        ("kworker/0:1-events_power_efficient", (0.0009, 0.0006)),
        ("kworker/u2:1-events_power_efficient", (0.0003, 0)),
        ("kworker/u2:1-wg-kex-wg0", (0.0009, 0)),
    ],
)
def test_housekeeping_is_left_out_where_a_thread_did_nothing_else(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path, name: str, counted: tuple[float, float]
) -> None:
    """Beside one that decrypts 0.3 ms, this one works 0.6 ms during the trial."""
    kernels = 0x00200000
    _process(tmp_path, 8, "kworker/0:0-wg-crypt-wg1", kernels)
    _process(tmp_path, 9, name, kernels)
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 1000, "--duration", 1)
    running = started(namespace, [*argv, "--kernel-threads", str(tmp_path)])
    for pid, grown in ((8, 300_000), (9, 600_000)):
        (tmp_path / str(pid) / "schedstat").write_text(f"{BEFORE + grown} 0 1\n")
    found = json.loads(ended(running).stdout)
    assert (found["kernel_thread_seconds"], found["kernel_chores_seconds"]) == counted


def _process(proc: Path, pid: int, name: str, flags: int) -> None:
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} ({name}) I 2 0 0 0 -1 {flags} 0 0\n")
    (folder / "schedstat").write_text(f"{BEFORE} 0 1\n")
    (folder / "comm").write_text(f"{name}\n")
