"""The same file, stood up by the embedded backend and by Docker: the same addresses, routes, MTUs.

With containerlab here it deploys.  Without it a double does what containerlab's source says, with
the Docker that is here: containers, veth pairs, `exec`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache

import pytest

from ppslab.core import paths
from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, open_backend
from ppslab.testbed.backends.capabilities import host_features, tools
from tests.support.waiting import PATIENCE
from tests.testbed.backends.containerlab.both import LESS, nodes, settings

pytestmark = pytest.mark.live

LINUX = sorted(
    path.name.removesuffix(topology.SUFFIX)
    for path in (paths.project_root() / "topologies").glob(f"*{topology.SUFFIX}")
    if topology.load(path, foreign=True).refused is None
)

# What containerlab itself does with every file; the double, a command at a time, with two of them.
FILES = LINUX if shutil.which("containerlab") else ["eoip", "fastpath-tcp"]


@cache
def why_not() -> str:
    """Why nothing can be compared here; empty where it can."""
    try:
        asked = ["docker", "image", "inspect", "ppslab/generator", "ppslab/linux-router"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no Docker: {error}"
    if done.returncode:
        return f"no images (make images): {done.stderr.strip().splitlines()[-1]}"
    if os.geteuid() or not host_features()["netns"].present:
        return "not root, or no namespaces, to compare with"
    return ""


@pytest.fixture(scope="module")
def backends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Backend, Backend]]:
    """The embedded one and Docker's."""
    if why_not():
        pytest.skip(why_not())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PPSLAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        told = settings(tmp_path_factory.mktemp("bin"))
        for name, value in told.items():
            patch.setenv(name, value)
        if told and not _privileged():
            patch.setenv("CLAB_DOUBLE_RIGHTS", LESS)
        tools.containerlab_tools.cache_clear()
        with open_backend("namespaces") as embedded, open_backend("containerlab") as docker:
            yield embedded, docker
        tools.containerlab_tools.cache_clear()


def _privileged() -> bool:
    argv = "docker run --rm --privileged --network none ppslab/generator:latest true"
    return subprocess.run(argv.split(), capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", FILES)
def test_the_same_file_makes_the_same_nodes(backends: tuple[Backend, Backend], name: str) -> None:
    wiring = topology.find(name, foreign=True)
    embedded, docker = (nodes(backend, wiring) for backend in backends)
    if "refused" in embedded and not host_features()["pppoe"].present and name == "pppoe":
        pytest.skip(f"this kernel has no PPPoE: {host_features()['pppoe'].why}")
    assert "refused" not in embedded
    assert docker == embedded
