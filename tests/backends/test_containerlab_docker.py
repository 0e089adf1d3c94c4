"""The same file, stood up by the embedded backend and by Docker: the same addresses, routes, MTUs.

With containerlab here it deploys.  Without it a double does what containerlab's source says, with
the Docker that is here: containers, veth pairs, `exec`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ppslab import paths, topology
from ppslab.backends import Backend, Node, open_backend
from ppslab.capabilities import host_features, tools
from ppslab.errors import BackendError

DOUBLES = Path(__file__).parents[1] / "doubles/bin"
# Without the right to limit its own resources Docker starts nothing privileged.
LESS = (
    "--cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined"
)
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
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=20)
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
        if shutil.which("containerlab") is None:
            place = tmp_path_factory.mktemp("bin")
            (place / "containerlab").symlink_to(DOUBLES / "containerlab")
            python = Path(sys.executable).parent
            patch.setenv("PATH", f"{python}:{place}:{os.environ['PATH']}")
            if not _privileged():
                patch.setenv("CLAB_DOUBLE_RIGHTS", LESS)
        tools.containerlab_tools.cache_clear()
        with open_backend("namespaces") as embedded, open_backend("containerlab") as docker:
            yield embedded, docker
        tools.containerlab_tools.cache_clear()


def _privileged() -> bool:
    argv = "docker run --rm --privileged --network none ppslab/generator:latest true"
    return subprocess.run(argv.split(), capture_output=True, check=False).returncode == 0


# One shell a node: each `docker exec` takes a tenth of a second.
ASK = """ip -j -d address show
echo '##'; ip -4 route show table main
echo '##'; ip -6 route show table main
echo '##'; ip -j neighbour show nud permanent
echo '##'; for key in {sysctls}; do sysctl $key; done
echo '##'; for port in {ports}; do ethtool -k $port; done
"""


def what(node: Node, ports: list[str], sysctls: dict[str, str]) -> dict[str, Any]:
    """What a topology makes of a node, as its kernel says it."""
    script = ASK.format(sysctls=" ".join(sysctls), ports=" ".join(ports))
    said = node.run(["sh", "-e"], input=script).stdout.split("##\n")
    found: dict[str, Any] = {
        link["ifname"]: {
            "mtu": link["mtu"],
            "address": link["address"],
            "up": "UP" in link["flags"],
            # Link-local ones are made from the port's own address: drawn where no file gives one.
            "addresses": sorted(
                f"{a['local']}/{a['prefixlen']} {a['scope']}"
                for a in link["addr_info"]
                if a["scope"] != "link"
            ),
        }
        for link in json.loads(said[0])
        if link.get("ifname") in ports
    }
    for family, text in zip(("IPv4", "IPv6"), said[1:3], strict=True):
        found[f"routes {family}"] = sorted(
            route.replace(" linkdown", "").strip()
            for route in text.splitlines()
            if " eth0" not in route and not route.startswith("fe80::/64")
        )
    found["neighbours"] = sorted(
        f"{n['dst']} {n['dev']} {n.get('lladdr')}" for n in json.loads(said[3])
    )
    found["sysctls"] = said[4].splitlines()
    # A merged buffer, or a frame without its checksum: none may be on, so none is listed.
    found["offloads"] = [
        line.strip()
        for line in said[5].splitlines()
        if re.search(r"(segmentation|checksum\S*|gro\S*): on", line) and "[fixed]" not in line
    ]
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_same_file_makes_the_same_nodes(backends: tuple[Backend, Backend], name: str) -> None:
    wiring = topology.find(name, foreign=True)
    made = []
    for backend in backends:
        try:
            with backend.deploy(wiring) as deployed:
                made.append(
                    {
                        node: what(
                            deployed.node(node),
                            wiring.interfaces(node),
                            wiring.nodes[node].sysctls,
                        )
                        for node in wiring.nodes
                    }
                )
        except BackendError as error:
            made.append({"refused": str(error)})
    if "refused" in made[0] and not host_features()["pppoe"].present and name == "pppoe":
        pytest.skip(f"this kernel has no PPPoE: {host_features()['pppoe'].why}")
    assert "refused" not in made[0]
    assert made[1] == made[0]
