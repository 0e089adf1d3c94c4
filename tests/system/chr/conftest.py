"""The RouterOS router that the tests of this folder are about: a real CHR, where there is one.

PPSLAB_CHR_IMAGE       a CHR's disk (.img, .vmdk, .qcow2); it stays as it is
PPSLAB_CHR_USER, PPSLAB_CHR_PASSWORD   where the disk has another user than admin without password

Without one the double answers, and what needs a real router's packets or menus is skipped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr

from ppslab.core.errors import CannotHereError, PpslabError, UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.support.doubles.routeros_rest import Device, Server
from tests.system.chr.machine import PORTS, Machine, Wires, disk_format

IMAGE = "PPSLAB_CHR_IMAGE"
BOOT_SECONDS = 300.0
OTHER_PORTS = ("hundred", "l3offload")
"""Labs whose scripts name ports that a CHR has not, or needs for management."""
TEST_PORTS = tuple(f"ether{number}" for number in range(2, 2 + PORTS))


@dataclass
class Chr:
    """What the tests have of it."""

    device: RouterOS
    api: Api
    wires: Wires | None
    """None: the double, which carries nothing."""

    def export(self) -> str:
        """Its configuration in its own words, without the line that has the time."""
        words = {"script": "/export terse", "as-string": ""}
        said = str(self.api.run("/execute", words, seconds=50)["ret"])
        return "\n".join(line for line in said.splitlines() if not line.startswith("#"))


@pytest.fixture(scope="session")
def chr_(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chr]:
    """The router, one for all tests."""
    image = os.environ.get(IMAGE)
    folder = tmp_path_factory.mktemp("chr")
    with _real(Path(image), folder) if image else _double() as found:
        yield found


@pytest.fixture
def wires(chr_: Chr) -> Wires:
    """The wires of a real router's ports."""
    if chr_.wires is None:
        pytest.skip(f"{IMAGE} is not set: this wants a CHR's disk (book/bring-a-chr.md)")
    return chr_.wires


@contextmanager
def _real(image: Path, folder: Path) -> Iterator[Chr]:
    user = os.environ.get("PPSLAB_CHR_USER", "admin")
    password = os.environ.get("PPSLAB_CHR_PASSWORD")
    try:
        disk_format(image)
    except UsageError as error:
        pytest.fail(str(error), pytrace=False)
    except CannotHereError as error:
        pytest.skip(str(error))
    machine = Machine(image, folder, Wires(TEST_PORTS))
    try:
        device = RouterOS(
            url=machine.url, user=user, password=SecretStr(password) if password else None
        )
        api = Api(device)
        try:
            machine.boot(lambda: api.ready(0), BOOT_SECONDS)
        except PpslabError as error:
            said = f"the CHR does not answer: {error}\n{machine.last_words()}"
            pytest.fail(said, pytrace=False)
        yield Chr(device, api, machine.wires)
        api.close()
    finally:
        machine.stop()


@contextmanager
def _double() -> Iterator[Chr]:
    double = Device(interfaces=("ether1", *TEST_PORTS), version="7.20.8 (long-term)")
    with Server(double) as server:
        device = RouterOS(url=server.url)
        api = Api(device)
        yield Chr(device, api, None)
        api.close()


Make = Callable[..., RouterOSRouter]


@pytest.fixture
def router_of(chr_: Chr, tmp_path: Path) -> Make:
    """Makes the RouterOS router of a lab on it; `role`: which of the lab's routers."""

    def make(lab: Lab, role: str | None = None) -> RouterOSRouter:
        role = None if role == lab.spec.router else role
        mapped = lab.name in OTHER_PORTS
        ports = dict(zip(lab.spec.ports, TEST_PORTS, strict=False)) if mapped else {}
        return RouterOSRouter(
            chr_.device, lab, ports=ports, journal=tmp_path / "journal", role=role, backup=False
        )

    return make
