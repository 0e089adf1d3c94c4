"""What a class of seats on a server is: of this one description each configuration is made."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from ppslab.base.documents.strict import StrictModel

SEAT = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}$")]


class Limits(StrictModel):
    """What a seat may take of the machine."""

    memory_mib: int = Field(default=2048, ge=256, description="of its programs and guests, MiB")
    tasks: int = Field(default=512, ge=64, description="processes and threads at once")
    disk_mib: int = Field(default=2048, ge=64, description="of its home, with its /tmp, MiB")
    cpus: float = Field(default=2.0, gt=0, description="CPUs at once")


class Guaranteed(StrictModel):
    """What a seat has on a cluster, however busy that is."""

    memory_mib: int = Field(default=1024, ge=128, description="MiB")
    cpus: float = Field(default=0.25, ge=0, description="CPUs")


class Seats(StrictModel):
    """The seats of a class."""

    title: str = Field(description="the day's name")
    names: tuple[SEAT, ...] = Field(min_length=1, description="seat-01 and so on")
    limits: Limits = Field(default=Limits(), description="of each seat")
    guaranteed: Guaranteed = Field(default=Guaranteed(), description="of each seat, on a cluster")
