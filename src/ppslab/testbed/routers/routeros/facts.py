"""What a RouterOS device is, for a record; never what tells one device from all others."""

from __future__ import annotations

import hashlib
from typing import Any

from ppslab.testbed.routers.routeros.api import Api, Row

CHR = "CHR"

CHR_CANNOT_SHOW = (
    "A CHR is RouterOS in a virtual machine: it has no switch chip and knows no NUMA nodes, and "
    "its packets pass the hypervisor and the host's network first, so a rate is that of all three. "
    "With the free licence a port sends 1 Mbit/s, and only counters tell anything."
)

HARDWARE_CANNOT_SHOW = (
    "A router on the bench shows itself: this board, this RouterOS, these settings.  What another "
    "board does, with another CPU or switch chip, it does not show."
)

_RESOURCE = (
    "version", "board-name", "architecture-name", "cpu", "cpu-count", "cpu-frequency",
    "total-memory", "platform",
)  # fmt: skip

_SETTINGS = {
    "/ip/settings": ("allow-fast-path", "ipv4-fast-path-active", "ipv4-fasttrack-active",
                     "ip-forward", "rp-filter"),
    "/ipv6/settings": ("allow-fast-path", "ipv6-fast-path-active", "disable-ipv6", "forward"),
    "/interface/bridge/settings": ("allow-fast-path", "bridge-fast-path-active", "use-ip-firewall"),
    "/ip/firewall/connection/tracking": ("enabled",),
}  # fmt: skip


def read(api: Api, resource: Row) -> dict[str, Any]:
    """Board, version, licence level and settings; no serial number, no system-id."""
    licence = api.settings_or_none("/system/license") or {}
    settings = {}
    for menu, names in _SETTINGS.items():
        found = api.settings_or_none(menu) or {}
        settings[menu] = {name: found[name] for name in names if name in found}
    board = api.settings_or_none("/system/routerboard") or {}
    model = {name: board[name] for name in ("model", "current-firmware") if name in board}
    # CHR says level, a board nlevel (MikroTik's manual, licensing).
    level = licence.get("level") or licence.get("nlevel")
    told = {"level": level} if level else {}
    return {
        "routeros": {name: resource[name] for name in _RESOURCE if name in resource} | model | told,
        "licence": level or "unknown",
        "settings": settings,
    }


def cannot_show(resource: Row) -> str:
    """What no number of this device tells."""
    return CHR_CANNOT_SHOW if is_chr(resource) else HARDWARE_CANNOT_SHOW


def is_chr(resource: Row) -> bool:
    """Whether it is a virtual machine: boards are CHR, or `CHR QEMU ...` in newer versions."""
    return resource.get("board-name", "").startswith(CHR)


def device(api: Api) -> str:
    """Which device this is, as a digest: a journal is put back on no other."""
    licence = api.settings_or_none("/system/license") or {}
    board = api.settings_or_none("/system/routerboard") or {}
    told = [
        *(licence.get(name, "") for name in ("system-id", "software-id")),
        board.get("serial-number", ""),
    ]
    return hashlib.sha256("/".join(told).encode()).hexdigest()[:16]
