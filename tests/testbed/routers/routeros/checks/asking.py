"""A double that nothing spoils, and what the checks find of a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import SecretStr

from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Finding, Needs, check
from tests.support.doubles.routeros_rest import Device, Server

MIB = 1 << 20


def fit(**words: object) -> Device:
    """A CHR that nothing spoils."""
    told: dict[str, object] = {"level": "p-unlimited", "version": "7.20.8 (long-term)", "pace": 0.0}
    device = Device(**{**told, **words})  # type: ignore[arg-type]
    # With what RouterOS's default tracks, "auto", an empty firewall tracks nothing.
    return device


@contextmanager
def talking(device: Device) -> Iterator[Api]:
    """An api to the device."""
    with Server(device) as server:
        api = Api(RouterOS(url=server.url, password=SecretStr(device.password)))
        yield api
        api.close()


def found(device: Device, needs: Needs | None = None) -> list[Finding]:
    with talking(device) as api:
        return check(api, needs or Needs(here=False))


def named(findings: list[Finding], name: str) -> list[Finding]:
    return [finding for finding in findings if finding.name == name]
