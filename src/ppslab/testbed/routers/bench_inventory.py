"""The router under test, its address and cables: the inventory that `--dut` names.

It holds an address and names of ports, and no password (`credentials`).  It is no part of a record
and belongs into no repository.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints

from ppslab.core import credentials, documents
from ppslab.core.documents import Document, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers import devices

RFC_6815 = (
    "These tests load a network until it loses frames. RFC 6815 allows them only in an isolated "
    "test network, never in a network that carries other traffic."
)

CABLE = ("left", "right")
"""Names among the tester's ports of the two ends of a cable from it to itself."""

Interface = Annotated[str, StringConstraints(pattern=r"^[^\s/:]{1,15}$")]
Port = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*$")]


class Router(devices.Device):
    """A RouterOS router, CHR or hardware."""

    user: str = Field(default="admin", min_length=1)
    ports: dict[str, Port] = Field(
        min_length=1, description="the lab's port to the router's, by its default-name (ether6)"
    )


class Tester(StrictModel):
    """The tester, where it is this machine."""

    ports: dict[str, Interface] = Field(
        min_length=1, description="the lab's port to this machine's interface"
    )


class Inventory(StrictModel):
    """The whole file."""

    routeros: Router
    tester: Tester | None = Field(
        default=None, description="left out: the tester is a device (--tester-config)"
    )


@dataclass(frozen=True)
class BenchInventory:
    """An inventory that was read; `document` still knows its lines."""

    document: Document
    spec: Inventory

    @property
    def path(self) -> Path:
        return self.document.path

    @property
    def host(self) -> str:
        """The router's name or address, without scheme and port."""
        return urlsplit(self.spec.routeros.url).hostname or ""

    @property
    def user(self) -> str:
        """The user who logs in: the environment's `$PPSLAB_DUT_USER`, else the file's."""
        return os.environ.get(credentials.USER) or self.spec.routeros.user

    @cached_property
    def device(self) -> devices.RouterOS:
        """The router with its user and password; without one where nobody tells any.

        CannotHereError where the keyring does not open.
        """
        router = self.spec.routeros
        return devices.RouterOS(
            **router.model_dump(include=set(devices.Device.model_fields)),
            user=self.user,
            password=credentials.password(self.user, self.host),
        )

    @property
    def remedy(self) -> str:
        """Return what to do where the router lets nobody in."""
        return credentials.remedy(self.user, self.host)

    def router_ports(self, lab: Lab) -> dict[str, str]:
        """The lab's ports to the router's.  FileError where the inventory has not all of them."""
        return self._of(lab, self.spec.routeros.ports, "routeros", "a port of the router")

    def tester_ports(self, lab: Lab) -> dict[str, str]:
        """The lab's ports to this machine's interfaces.  FileError where one has none."""
        ports = self.spec.tester.ports if self.spec.tester else {}
        return self._of(lab, ports, "tester", "an interface of this machine")

    @property
    def cable(self) -> tuple[str, str] | None:
        """The tester's interfaces that a cable joins; None where there is none."""
        ports = self.spec.tester.ports if self.spec.tester else {}
        ends = [ports[end] for end in CABLE if end in ports]
        return (ends[0], ends[1]) if len(ends) == len(CABLE) else None

    def _of(self, lab: Lab, ports: Mapping[str, str], group: str, what: str) -> dict[str, str]:
        missing = [name for name in lab.spec.ports if name not in ports]
        if missing:
            names = ", ".join(missing)
            message = f"{group}: ports: lab {lab.name} needs {what} for {names} too"
            raise self.document.error((group, "ports"), message)
        return {name: ports[name] for name in lab.spec.ports}


def load(path: Path) -> BenchInventory:
    """Read an inventory; FileError with the line where it is wrong."""
    document = documents.load_yaml(path)
    _refuse_passwords(document)
    dut = BenchInventory(document, fitting.validate(document, Inventory))
    _check(dut)
    return dut


def told(path: Path | None, router: str) -> BenchInventory | None:
    """The inventory of `--dut`, which belongs to `--router routeros` and to no other.

    UsageError where the two do not fit, FileError where the file is wrong.
    """
    if path is None:
        return None
    if router != "routeros":
        raise UsageError(f"--dut {path} is a RouterOS router: say --router routeros too")
    return load(path)


def _refuse_passwords(document: Document) -> None:
    """The message names the line, never what stands there."""
    router: Any = document.data.get("routeros") if isinstance(document.data, dict) else None
    if isinstance(router, dict) and "password" in router:
        raise document.error(
            ("routeros", "password"),
            f"no password belongs into this file: set {credentials.PASSWORD}, or keep it in the "
            f"keyring (keyring set {credentials.SERVICE} USER@HOST)",
        )
    url = router.get("url") if isinstance(router, dict) else None
    if isinstance(url, str) and "@" in url:
        raise document.error(
            ("routeros", "url"),
            f"no user and password in the url: `user:` has the one, {credentials.PASSWORD} the "
            "other",
        )


def _check(dut: BenchInventory) -> None:
    """No port has two cables; a cable of the tester's own has two ends."""
    spec = dut.spec
    for group, ports in (
        ("routeros", spec.routeros.ports),
        ("tester", spec.tester.ports if spec.tester else {}),
    ):
        used: dict[str, str] = {}
        for name, port in ports.items():
            if port in used:
                message = f"{group}: ports: {port} is {used[port]} already"
                raise dut.document.error((group, "ports", name), message)
            used[port] = name
        ends = [end for end in CABLE if end in ports]
        if group == "tester" and len(ends) == 1:
            message = f"tester: ports: {ends[0]} without {CABLE[ends[0] == CABLE[0]]}"
            raise dut.document.error((group, "ports", ends[0]), message)


def refuse(dut: BenchInventory) -> UsageError:
    """Return the refusal for whoever has not said that the network is isolated."""
    return UsageError(
        f"nothing was sent: {dut.path} names a router of your own. {RFC_6815}\n"
        "Where this is one: say --isolated; to see what would be sent: --dry-run"
    )
