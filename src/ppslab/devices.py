"""Devices that answer at an address of their own: where, and who asks.

A password is never part of a record, and no representation of a device shows it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^/?#\s]+$")]


class Words(BaseModel):
    """One mapping of a file that tells of devices: unknown words are errors, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Device(Words):
    """What answers at an address."""

    url: Url = Field(description="such as https://192.0.2.1, without a path")
    verify: bool | str = Field(
        default=True, description="true, false: check its certificate or not; or a file with its CA"
    )


class RouterOS(Device):
    """A RouterOS device, CHR or hardware."""

    user: str = "admin"
    password: SecretStr | None = None


class Ssh(Words):
    """How a device is reached over SSH, in an inventory."""

    port: int = Field(default=22, ge=1, le=65535)
    host_key: str | None = Field(
        default=None,
        pattern=r"^SHA256:[A-Za-z0-9+/]{43}$",
        description="fingerprint of the device's host key, as `ssh-keygen -lf` prints it; left "
        "out: the key must be in ~/.ssh/known_hosts",
    )
