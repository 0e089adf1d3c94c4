"""What a topology file makes of its nodes, by each of two backends, to be compared.

python -m tests.testbed.backends.containerlab.both FOLDER FILE...

says, in a guest with a Docker, what both make of each file, as JSON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ppslab.core import paths
from ppslab.core.errors import BackendError
from ppslab.model.lab import topology
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Backend, Node, open_backend
from ppslab.testbed.backends.capabilities import usable

DOUBLES = Path(__file__).parents[3] / "support/doubles/bin"
KINDS = ("namespaces", "containerlab")
# Without the right to limit its own resources Docker starts nothing privileged.
LESS = (
    "--cap-add ALL --cap-drop SYS_RESOURCE --security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined"
)

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


def nodes(backend: Backend, wiring: Topology) -> dict[str, Any]:
    """What a backend makes of every node of a file; {"refused": why} where it does not."""
    try:
        with backend.deploy(wiring) as deployed:
            return {
                name: what(deployed.node(name), wiring.interfaces(name), node.sysctls)
                for name, node in wiring.nodes.items()
            }
    except BackendError as error:
        return {"refused": str(error)}


def settings(place: Path) -> Mapping[str, str]:
    """The environment for containerlab: the one that is here, else the double, put into `place`."""
    if shutil.which("containerlab"):
        return {}
    place.mkdir(exist_ok=True)
    (place / "containerlab").symlink_to(DOUBLES / "containerlab")
    return {"PATH": f"{Path(sys.executable).parent}:{place}:{os.environ['PATH']}"}


def main(folder: Path, names: list[str]) -> None:
    """Stand every file up by both backends and print what they made of it."""
    # Containerlab's copy of a file goes beside it, and a guest may not write to the checkout.
    files = folder / "topologies"
    shutil.copytree(paths.project_root() / "topologies", files)
    os.environ.update(
        settings(folder / "bin"), PPSLAB_CACHE=str(folder / "cache"), CLAB_DOUBLE_EXEC="nsenter"
    )
    for _ in range(5):  # emulated, a first answer may take longer than it is waited for
        if usable(KINDS[1]).usable:
            break

    def made(backend: Backend) -> dict[str, Any]:
        return {
            name: nodes(backend, topology.load(files / f"{name}{topology.SUFFIX}", foreign=True))
            for name in names
        }

    # Side by side, but opened one after the other: to open one sweeps what others have left.
    with open_backend(KINDS[0]) as one, open_backend(KINDS[1]) as two, ThreadPoolExecutor() as pool:
        print(json.dumps(dict(zip(KINDS, pool.map(made, (one, two)), strict=True))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
