"""The BPF programs compiled, and the router with one of them on every port."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.labs.fastpath.rig import MODES, PORTS, QUIET, SOURCES, Rig


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both programs compiled as the project's set-up compiles them."""
    folder = tmp_path_factory.mktemp("bpf")
    for source in SOURCES.glob("*.bpf.c"):
        command = "clang -O2 -g -Wall -Wextra -Werror -target bpf -I/usr/include/x86_64-linux-gnu"
        target = folder / source.name.replace(".bpf.c", ".o")
        subprocess.run([*command.split(), "-c", str(source), "-o", str(target)], check=True)
    return folder


@pytest.fixture
def rig() -> Iterator[Rig]:
    found = Rig()
    yield found
    found.close()


@pytest.fixture(scope="module", params=MODES)
def routing(objects: Path, request: pytest.FixtureRequest) -> Iterator[Rig]:
    found = Rig()
    found.attach(objects / "fib_forward.o", request.param)
    yield found
    found.close()


@pytest.fixture
def router(routing: Rig) -> Rig:
    """The router with fib_forward on every port, and its counters at zero."""
    routing.fast_packets()
    return routing


@pytest.fixture(params=MODES)
def bridge(rig: Rig, objects: Path, request: pytest.FixtureRequest) -> Rig:
    """The router as a bridge with bridge_forward on every port."""
    rig.dut.run("ip link add br0 type bridge stp_state 0 mcast_snooping 0; ip link set br0 up")
    for port in PORTS:
        rig.dut.run(f"ip link set eth{port} master br0")
    rig.attach(objects / "bridge_forward.o", request.param)
    rig.drain(QUIET)
    return rig
