"""The pages on real routers: their files fit the labs, their commands exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import typer

from ppslab.cli import app
from ppslab.model.lab import topology
from ppslab.testbed.routers.routeros.rsc import pages

ROOT = Path(__file__).parents[4]
PAGES = ("bring-a-chr", "bring-your-router")


def page(name: str) -> Path:
    return ROOT / "book" / f"{name}.md"


@cache
def options(command: str) -> frozenset[str]:
    """Every option of a command of ppslab."""
    group = typer.main.get_command(app)
    found = group.get_command(None, command)  # type: ignore[attr-defined]
    assert found is not None, f"ppslab has no command {command}"
    return frozenset(
        name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)
    )


def typed(name: str) -> list[str]:
    """The lines that a page gives to a shell, each whole."""
    blocks = [block.text for block in pages.blocks(page(name)) if block.kind == "sh"]
    return [
        line.split("   #")[0].strip()
        for block in blocks
        for line in block.replace("\\\n", " ").splitlines()
    ]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_ppslab_is_one(name: str) -> None:
    lines = [line for line in typed(name) if "ppslab " in line and "docker" not in line]
    seen = 0
    for line in lines:
        found = re.search(r"(?:^|\s|/)ppslab ([a-z0-9]+)(.*)", line)
        if found is None or line.startswith("keyring"):
            continue
        given = {word.split("=")[0] for word in found[2].split() if word.startswith("--")}
        assert given <= options(found[1]), line
        seen += 1
    assert seen >= 4


@pytest.mark.live
def test_ten_packets_are_ten_on_the_linux_router() -> None:
    """The page's three lines, on the same wires with the router that can be had here."""
    from ppslab.testbed.backends import open_backend

    lines = [line for line in typed("bring-a-chr") if line.startswith("tester ")]
    assert len(lines) == 3 and "-c 10" in lines[1]
    with open_backend("namespaces") as backend, backend.deploy(topology.find("fastpath")) as stands:
        tester, router = stands.node("tester"), stands.node("dut")
        counter = ["cat", "/sys/class/net/eth2/statistics/tx_packets"]
        before = int(router.run(counter).stdout)
        for line in lines:
            done = tester.run(["sh", "-c", line.removeprefix("tester ")], check=False)
            # Nobody answers, which ping calls a failure.
            assert done.returncode == ("ping" in line), done.stdout + done.stderr
        # IPv6's own frames may pass too, a few.
        assert 10 <= int(router.run(counter).stdout) - before < 20
