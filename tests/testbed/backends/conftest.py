"""A runtime folder of the tests' own, an agent, and small topologies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from ppslab.model.lab import topology
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Backend, Deployment
from ppslab.testbed.backends.capabilities import features
from tests.conftest import Opened, opening

Write = Callable[[str], Topology]

# The wiring of the lab fastpath, in short: three links, addresses, neighbours.
FASTPATH = """\
name: small
topology:
  defaults: {kind: linux}
  nodes:
    dut:
      sysctls: {net.ipv4.ip_forward: 1}
      exec:
        - ip address add 198.18.1.1/24 dev eth1
        - ip address add 198.18.2.1/24 dev eth2
        - ip address add 198.18.3.1/24 dev eth3
        - ip neighbour replace 198.18.1.2 lladdr 02:00:c6:12:01:02 dev eth1 nud permanent
        - ip neighbour replace 198.18.2.2 lladdr 02:00:c6:12:02:02 dev eth2 nud permanent
        - ip neighbour replace 198.18.3.2 lladdr 02:00:c6:12:03:02 dev eth3 nud permanent
    tester:
      exec:
        - ip address add 198.18.1.254/24 dev eth1
        - ip address add 198.18.2.254/24 dev eth2
        - ip address add 198.18.3.254/24 dev eth3
  links:
    - endpoints: ["tester:eth1", "dut:eth1"]
    - endpoints: ["tester:eth2", "dut:eth2"]
      mtu: 1500
    - endpoints: ["tester:eth3", "dut:eth3"]
"""

# One node, no links.
LONE = "name: lone\ntopology:\n  nodes:\n    n: {kind: linux}\n"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes what this user's ppslab remembers."""
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    features._probed_host.cache_clear()
    yield
    features._probed_host.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The registry of the tests, apart from that of the labs of whoever runs them."""
    folder = tmp_path_factory.mktemp("runtime", numbered=True)
    before = os.environ.get("PPSLAB_RUNTIME")
    os.environ["PPSLAB_RUNTIME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["PPSLAB_RUNTIME"]
    else:
        os.environ["PPSLAB_RUNTIME"] = before


@pytest.fixture(scope="session")
def agents(runtime: Path) -> Iterator[Opened]:
    """Opens an agent that is registered in that folder."""
    with opening() as found:
        yield found


@pytest.fixture
def backend(agents: Opened) -> Backend:
    """One agent for the tests that do not kill it; once it has died, another."""
    return agents("namespaces")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a topology from its text."""

    def made(text: str) -> Topology:
        path = tmp_path / "t.clab.yml"
        path.write_text(text)
        return topology.load(path)

    return made


@pytest.fixture(scope="session")
def lones() -> dict[Backend, Deployment]:
    """The deployment of one node that each agent has; it ends with its agent."""
    return {}


@pytest.fixture
def lone(backend: Backend, lones: dict[Backend, Deployment], write: Write) -> Deployment:
    """A deployment of one node."""
    if backend not in lones:
        lones[backend] = backend.deploy(write(LONE))
    return lones[backend]


def namespaces_of(deployment: Deployment) -> set[str]:
    """The namespaces that its nodes are in, as /proc names them."""
    found: set[str] = set()
    for node in deployment.nodes.values():
        kinds = [f"/proc/self/ns/{kind}" for kind in ("net", "mnt", "uts", "pid")]
        found |= set(node.run(["readlink", *kinds]).stdout.split())
    return found


Hold = Callable[[set[str]], set[str]]


@pytest.fixture
def held() -> Iterator[Hold]:
    """Keeps the numbers of namespaces from being given again while the test runs.

    The kernel gives the lowest that is free, and another test's namespace would have it at once.
    """
    with ExitStack() as kept:

        def hold(names: set[str]) -> set[str]:
            for path, name in _in_use():
                if name in names:
                    with suppress(OSError):  # its process has ended
                        kept.callback(os.close, os.open(path, os.O_RDONLY))
            return names

        yield hold


def namespaces_in_use() -> set[str]:
    """The namespaces of every process of this machine (what lsns lists)."""
    return {name for _, name in _in_use()}


def _in_use() -> Iterator[tuple[Path, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            for kind in ("net", "mnt", "uts", "pid"):
                path = folder / "ns" / kind
                with suppress(OSError):
                    yield path, str(path.readlink())
