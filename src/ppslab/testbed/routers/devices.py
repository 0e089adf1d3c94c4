"""Devices that answer at an address of their own: where, and who asks.

A password is never part of a record, and no representation of a device shows it.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, StringConstraints

from ppslab.core.documents.strict import StrictModel


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        if not parts.hostname or parts.port == 0:
            raise ValueError("a name or an address is wanted behind the //")
    except ValueError as error:
        raise ValueError(f"no address of a device: {error}") from None
    return url


Url = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^/?#\s]+$", max_length=300),
    AfterValidator(_address),
]


class Device(StrictModel):
    """A device that answers at an address."""

    url: Url = Field(description="such as https://192.0.2.1, without a path")
    verify: bool | str = Field(
        default=True, description="true, false: check its certificate or not; or a file with its CA"
    )

    plain_http: bool = Field(
        default=False, description="true: an http:// url may carry the password, readable by all"
    )

    @property
    def in_clear(self) -> bool:
        """True where a password for it would leave this machine readable, unasked."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and not self.plain_http and not _is_here(parts.hostname or "")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class RouterOS(Device):
    """A RouterOS device, CHR or hardware."""

    user: str = "admin"
    password: SecretStr | None = None
