"""The script that wires a lab in the page wires what the namespaces backend wires."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, page_router
from ppslab.testbed.backends.namespaces import open_namespaces

pytestmark = pytest.mark.live

ROOT = Path(__file__).resolve().parents[4]

ASKED = {
    "addresses": "ip -j address",
    "routes": "ip -j route; ip -j -6 route",
    "neighbours": "ip -j neighbour; ip -j -6 neighbour",
    "settings": "cd /proc/sys/net; cat ipv4/ip_forward ipv6/conf/*/forwarding "
    "ipv6/conf/eth1/accept_ra ipv6/conf/eth1/autoconf ipv6/conf/eth1/addr_gen_mode",
}

IN_A_SANDBOX = """set -e
mount -t tmpfs run /run
mkdir -p /run/netns {nodes}
sh {script}
for node in {names}; do
    for asked in {questions}; do
        {nodes}/$node sh $asked >$asked.$node
    done
done
"""


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with open_namespaces() as opened:
        yield opened


def in_the_page(found: topology.Topology, folder: Path) -> dict[tuple[str, str], str]:
    """What each node answers, wired by the script in namespaces of its own."""
    programs = page_router.load(ROOT / "images/page-router").programs()
    lab = page_router.stand_up(found, programs, folder=str(folder))
    script = folder / "script"
    script.write_text(lab.script, encoding="utf-8")
    for name, text in ASKED.items():
        (folder / name).write_text(text, encoding="utf-8")
    text = IN_A_SANDBOX.format(
        nodes=folder, script=script, names=" ".join(lab.nodes),
        questions=" ".join(str(folder / name) for name in ASKED),
    )  # fmt: skip
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    done = subprocess.run(
        ["unshare", *as_root, "--net", "--mount", "sh", "-c", text],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        (node, name): (folder / f"{name}.{node}").read_text()
        for node in lab.nodes
        for name in ASKED
    }


def plain(name: str, text: str) -> Any:
    """An answer without what is another each time: numbers of interfaces, ages, states."""
    if name == "settings":
        return text
    rows = [row for line in text.splitlines() for row in json.loads(line)]
    kept = {
        "addresses": ("ifname", "mtu", "address"),
        "routes": ("dst", "gateway", "dev", "prefsrc", "scope", "protocol"),
        "neighbours": ("dst", "dev", "lladdr", "state"),
    }[name]
    found = [
        {key: row.get(key) for key in kept}
        | {"inside": [(a["local"], a["prefixlen"]) for a in row.get("addr_info", ())]}
        for row in rows
    ]
    return sorted(json.dumps(row, sort_keys=True) for row in found)


@pytest.mark.parametrize("name", ["fastpath-tcp", "eoip-tcp"])
def test_the_page_wires_what_the_backend_wires(backend: Backend, tmp_path: Path, name: str) -> None:
    found = topology.find(name)
    shown = in_the_page(found, tmp_path)
    with backend.deploy(found) as lab:
        for (node, asked), text in shown.items():
            wanted = lab.node(node).run(["sh", "-c", ASKED[asked]]).stdout
            assert plain(asked, text) == plain(asked, wanted), (node, asked)
