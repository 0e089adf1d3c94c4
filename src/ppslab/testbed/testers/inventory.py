"""Where the testers are that are devices of their own: a small YAML file beside the labs.

It holds addresses and passwords, so it is never part of a record and belongs into no repository.
`$PPSLAB_TESTER_CONFIG` names the file, `$PPSLAB_TESTER_PASSWORD` stands for the password in it.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from ppslab.core import credentials, documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.testbed.routers import devices
from ppslab.testbed.routers.devices import Device
from ppslab.testbed.testers.contract import Load

CONFIG = "PPSLAB_TESTER_CONFIG"
PASSWORD = "PPSLAB_TESTER_PASSWORD"


class Tester(Device):
    """A tester that answers at an address."""

    ports: dict[str, str] = Field(
        description="a port of the lab (left and right: the cable) to the device's own name for it"
    )

    def names(self, load: Load) -> dict[str, str]:
        """The device's names of the ports that the load uses.  UsageError where one has none."""
        used = {name for flow in load.flows for name in (flow.tx_name, flow.rx_name)}
        for name in sorted(used - self.ports.keys()):
            known = ", ".join(self.ports)
            raise UsageError(
                f"the tester's inventory has no port {name} under ports, it has {known}"
            )
        return {name: self.ports[name] for name in self.ports if name in used}


class RouterOS(Tester, devices.RouterOS):
    """A RouterOS device with /tool/traffic-generator."""


class Inventory(StrictModel):
    """The testers that are devices."""

    routeros: RouterOS


def load(path: Path | None) -> tuple[RouterOS, Path]:
    """The generator of the inventory that is named, and its file.

    UsageError where none is named, FileError where it is wrong.
    """
    file = path or (Path(os.environ[CONFIG]) if os.environ.get(CONFIG) else None)
    if file is None:
        raise UsageError(
            "--tester routeros is a separate device: give its address with --tester-config FILE "
            f"or {CONFIG} (book/bring-your-router.md has an example)"
        )
    return fitting.validate(documents.load_yaml(file), Inventory).routeros, file


def password(device: RouterOS) -> str:
    """The password: the environment's, else the file's, else none."""
    secret = credentials.of_environment(PASSWORD)
    if secret is not None:
        return secret
    return device.password.get_secret_value() if device.password else ""
