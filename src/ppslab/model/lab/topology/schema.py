"""The words of a topology file: which ones every backend has, and which only containerlab."""

from __future__ import annotations

from typing import Any

from pydantic import Field, StrictInt, StrictStr, model_validator

from ppslab.core.documents.strict import StrictModel

# containerlab's default for a veth link (constants/containerlab.go); no frame of ours is larger.
DEFAULT_MTU = 9500
# veth's own limits: ETH_MIN_MTU and ETH_MAX_MTU (include/uapi/linux/if_ether.h).
MTU_RANGE = (68, 65535)

ONLY_CONTAINERLAB = "works in the containerlab backend only; namespaces and vm do not have it"
"""What is said of a word that an embedded backend meets."""

FOREIGN: dict[str, frozenset[str]] = {
    "file": frozenset("prefix mgmt settings debug".split()),
    "node": frozenset(
        "aliases auto-remove cap-add certificate cgroup-parent cgroupns-mode cmd components config "
        "cpu cpu-set credentials devices dns enforce-startup-config entrypoint env-files extras "
        "group healthcheck hostname image-pull-policy labels license link-apply-mode memory "
        "mgmt-ipv4 mgmt-ipv6 pid-mode ports privileged restart-policy runtime "
        "security-opts shm-size stages startup-config startup-delay suppress-startup-config tmpfs "
        "type user volumes".split()
    ),
    "link": frozenset("vars labels".split()),
}
"""Kept for containerlab, which knows them; the embedded backends do not."""

UNREAD: dict[str, frozenset[str]] = {
    "topology": frozenset(["groups"]),
    "link": frozenset(
        "type endpoint host-interface mode remote vni dst-port src-port ipv4 ipv6".split()
    ),
}
"""containerlab's too, but no topology of ours has them: links that leave the lab (a bridge, the
machine, another machine) would carry traffic out of it."""

ROUTEROS = "mikrotik_ros"
"""containerlab's kind of node for a RouterOS that vrnetlab packed (/manual/kinds/vr-ros/)."""

# Words that containerlab reads as a kind of link where a node's name is expected.
LINK_WORDS = frozenset(["host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"])

# Under this name a level keeps its foreign words: no key of a file can be it.
_KEPT = "(foreign)"


def _set_aside(data: Any, what: str) -> Any:
    if not isinstance(data, dict):
        return data
    foreign = {key: value for key, value in data.items() if key in FOREIGN[what]}
    own = {key: value for key, value in data.items() if key not in foreign}
    return {**own, _KEPT: foreign} if foreign else own


class LevelSpec(StrictModel):
    """What `defaults`, a kind and a node can say alike; `foreign`: containerlab's own words."""

    kind: StrictStr | None = Field(default=None, description="containerlab's kind of node")
    image: StrictStr | None = Field(default=None, description="the container image")
    exec: list[StrictStr] = Field(
        default=[], description="commands that run on the node once it is wired"
    )
    binds: list[StrictStr] = Field(
        default=[], description="files and folders that the node sees, as SOURCE:TARGET[:ro]"
    )
    env: dict[str, Any] = Field(default={}, description="environment of the node's commands")
    sysctls: dict[str, Any] = Field(default={}, description="kernel parameter to its value")
    network_mode: StrictStr | None = Field(
        default=None, alias="network-mode", description="`none`: no management network"
    )
    foreign: dict[str, Any] = Field(default={}, alias="(foreign)")

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "node")


class LinkSpec(StrictModel):
    """A link in the brief form."""

    endpoints: list[StrictStr] = Field(
        min_length=2, max_length=2, description="both ends, as NODE:INTERFACE"
    )
    mtu: StrictInt = Field(
        default=DEFAULT_MTU,
        ge=MTU_RANGE[0],
        le=MTU_RANGE[1],
        description="bytes, without the Ethernet header",
    )
    foreign: dict[str, Any] = Field(
        default={}, alias="(foreign)", description="containerlab's own words"
    )

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "link")


class WiringSpec(StrictModel):
    """The part under `topology`."""

    defaults: LevelSpec | None = Field(default=None, description="what every node has")
    kinds: dict[str, LevelSpec | None] = Field(
        default={}, description="what every node of a kind has"
    )
    nodes: dict[str, LevelSpec | None] = Field(min_length=1, description="the nodes, by name")
    links: list[LinkSpec] = Field(default=[], description="the links")


class FileSpec(StrictModel):
    """A whole file."""

    name: StrictStr = Field(
        pattern="^[a-zA-Z0-9][a-zA-Z0-9._-]*$", description="the topology's name"
    )
    topology: WiringSpec = Field(description="nodes and links")
    foreign: dict[str, Any] = Field(
        default={}, alias="(foreign)", description="containerlab's own words"
    )

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "file")
