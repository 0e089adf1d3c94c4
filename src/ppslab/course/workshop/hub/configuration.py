"""The configuration of a JupyterHub on one server, as data: `jupyterhub -f FILE.json` reads it.

What is said to systemd comes from systemd.exec(5), systemd.resource-control(5) and the source of
systemdspawner 1.0.2.  tests/course/workshop/seat_attacks has systemd 252 start seats of it, with
cgroups of version 1, and attacks each limit.  What the hub makes of the rest is tested with the hub
itself.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ppslab.course.workshop.hub import disks, kernels
from ppslab.course.workshop.hub.description import Limits, Seats
from ppslab.measurement import turn

Spawner = Literal["systemd", "process"]
SPAWNERS: Final[Mapping[Spawner, str]] = {
    "systemd": "ppslab.course.workshop.hub.seat_unit.SeatUnit",
    "process": "jupyterhub.spawner.SimpleLocalProcessSpawner",
}
"""`process`: all seats are one user and reach each other: for a test on localhost, for no class."""

AUTHENTICATOR: Final = "ppslab.course.workshop.hub.authenticator.CodeAuthenticator"
FILE: Final = "jupyterhub_config.json"
LOG: Final = "hub.log"
DATABASE: Final = "hub.sqlite"
COOKIES: Final = "hub-cookie-secret"
PROXY_ID: Final = "hub-proxy.pid"
PROCESS: Final = "hub-process.json"
OWN: Final = (FILE, LOG, DATABASE, f"{DATABASE}-journal", COOKIES, PROXY_ID, PROCESS)
"""What the hub leaves in the day's folder."""

GROUP: Final = "seats"
UNIT: Final = "ppslab-{USERNAME}"
LOOPBACK: Final = ("127.0.0.0/8", "::1/128")
LOOPBACK_HOST: Final = "127.0.0.1"
HUB_PORT: Final = 8081
PROXY_PORT: Final = 8001
"""Where the hub tells its proxy which seat is where, on the loopback."""


@dataclass(frozen=True)
class Place:
    """Where on this machine the hub is."""

    folder: Path
    """What the day keeps: the board, the certificate, and the hub's own file."""
    port: int
    """Of the seats' address."""
    certificate: Path | None
    """In PEM; None: HTTP."""
    key: Path | None
    """Its key."""
    board: str = ""
    """Where seats reach the board; empty: nowhere."""
    board_certificate: Path | None = None
    """The one that seats trust there; None: an authority vouches for it."""
    own: tuple[str, ...] = ()
    """This machine's own addresses, by which a seat may reach the board."""
    host: str = ""
    """The address to listen at; empty: all."""
    hub_port: int = HUB_PORT
    """The hub's own, on the loopback."""
    proxy: tuple[str, ...] = ("configurable-http-proxy",)
    """How the proxy is called."""
    proxy_port: int = PROXY_PORT
    spawner: Spawner = "systemd"
    """How a seat is started."""


def configuration(seats: Seats, place: Place) -> dict[str, Any]:
    """Every trait by its class, in words that JSON has."""
    folder = place.folder.absolute()
    scheme = "https" if place.certificate else "http"
    hub: dict[str, Any] = {
        "authenticator_class": AUTHENTICATOR,
        "spawner_class": SPAWNERS[place.spawner],
        "bind_url": f"{scheme}://{place.host}:{place.port}",
        "hub_bind_url": f"http://{LOOPBACK_HOST}:{place.hub_port}",
        "db_url": f"sqlite:///{folder / DATABASE}",
        "cookie_secret_file": str(folder / COOKIES),
        "load_groups": {GROUP: {"users": list(seats.names)}},
        "load_roles": roles(),
        "allow_named_servers": False,
        # Seats go on while the hub is started again.
        "cleanup_servers": False,
        "shutdown_on_logout": False,
        "concurrent_spawn_limit": 10,
        "active_server_limit": len(seats.names),
        "template_vars": {"announcement": seats.title},
    }
    if place.certificate and place.key:
        hub |= {"ssl_cert": str(place.certificate), "ssl_key": str(place.key)}
    return {
        "JupyterHub": hub,
        "ConfigurableHTTPProxy": {
            "command": list(place.proxy),
            "api_url": f"http://{LOOPBACK_HOST}:{place.proxy_port}",
            "pid_file": str(folder / PROXY_ID),
        },
        "CodeAuthenticator": {
            "folder": str(folder),
            "allowed_users": list(seats.names),
            "allow_all": False,
            "admin_users": [],
            "board_address": place.board,
            "board_certificate": str(place.board_certificate or ""),
        },
        "Spawner": {
            "cmd": [
                *(str(Path(sys.executable).parent / "ppslab"), "workshop", "shell", "--hub"),
                *(sys.executable, "-m", "jupyterhub.singleuser"),
            ],
            # A hall has no internet, and a seat installs nothing into the class's Python.
            "args": ["--LabApp.extension_manager=readonly"],
            "default_url": "/lab",
            "http_timeout": 120,
            "start_timeout": 120,
            "mem_limit": seats.limits.memory_mib * 2**20,
            "cpu_limit": seats.limits.cpus,
        },
        **_of_the_spawner(seats, place),
    }


def _of_the_spawner(seats: Seats, place: Place) -> dict[str, Any]:
    if place.spawner == "systemd":
        own = {"folder": str(place.folder.absolute()), "disk_mib": seats.limits.disk_mib}
        return {"SystemdSpawner": unit(seats.limits, place), "SeatUnit": own}
    homes = place.folder.absolute() / "homes" / "{username}"
    return {"SimpleLocalProcessSpawner": {"home_dir_template": str(homes)}}


def roles() -> list[dict[str, Any]]:
    """What a seat's browser and its server may ask of the hub: of itself, and of nobody else.

    The board is asked with the board's own token, so that it needs no scope of the hub.
    """
    return [
        {"name": "user", "description": "A seat: itself", "scopes": ["self"]},
        {
            "name": "server",
            "description": "A seat's JupyterLab: says that it is in use, and lets its seat in",
            "scopes": ["users:activity!user", "access:servers!server"],
        },
    ]


def unit(limits: Limits, place: Place) -> dict[str, Any]:
    """The unit of a seat: a user of its own, made for it, and limits that the kernel keeps."""
    home = disks.HOMES / "{USERNAME}"
    temporary = home / disks.TEMPORARY
    properties = {
        "MemorySwapMax": "0",
        "TasksMax": str(limits.tasks),
        "LimitFSIZE": str(limits.disk_mib * 2**20),
        "LimitCORE": "0",  # a dump goes to the machine's disk, not to the seat's
        # All that a seat can write is its own disk or its own memory: /tmp and /var/tmp are folders
        # of its home (a bind mount goes before the private /tmp that DynamicUser= brings).
        "BindPaths": f"{temporary}:/tmp {temporary}:/var/tmp",
        "BindReadOnlyPaths": kernels.bind(home),
        "TemporaryFileSystem": f"/dev/shm:mode=1777,size={limits.memory_mib // 4}M",
        # A guest that is too large ends; the seat's JupyterLab goes on.
        "OOMPolicy": "continue",
        "CPUWeight": "100",
        "IOWeight": "100",
        # The hub, the board and the seat itself are on the loopback; the hall's network is not.
        "IPAddressDeny": "any",
        # Not "localhost": systemd-run 252 takes that name only where it stands alone.
        "IPAddressAllow": " ".join((*LOOPBACK, *place.own)),
        "InaccessiblePaths": str(place.folder.absolute()),
        # The unit's folder in /run, where systemd and the spawner write: a seat would fill /run.
        "ReadOnlyPaths": f"-/run/private/{UNIT}",
        # The queue for timed runs; a dash: a machine without one starts seats too.
        "ReadWritePaths": f"-{turn.SYSTEM / 'queue'}",
        # No isolate_devices: PrivateDevices= hides /dev/kvm and /dev/net/tun.
        "DevicePolicy": "closed",
        "DeviceAllow": "/dev/kvm rw",
        "ProtectKernelTunables": "no",  # a lab's own namespaces have sysctls of their own
        "ProtectKernelModules": "yes",
        "ProtectClock": "yes",
        "KeyringMode": "private",
    }
    return {
        # No account is made and none is left: the home is in /var/lib, of the seat alone.
        "dynamic_users": True,
        "isolate_tmp": True,
        # NoNewPrivileges: a map of one user, which is all that a lab needs, works under it.
        "disable_user_sudo": True,
        "unit_name_template": UNIT,
        "default_shell": "/bin/bash",
        "unit_extra_properties": properties,
    }
