"""Seats on one server: a JupyterHub beside the board of `ppslab workshop start`.

README.md beside this file says how it is run.  What is said to systemd comes from systemd.exec(5),
systemd.resource-control(5) and the source of systemdspawner 1.0.2; attacks.md has what a seat tried
against each limit.
"""

import ipaddress
import os
import sys
from contextlib import suppress
from pathlib import Path

from ppslab.core.paths import project_root
from ppslab.measure import turn
from ppslab_class import homes
from ppslab_class.board import Board
from ppslab_class.certificate import NAMES, addresses

c = get_config()  # type: ignore[name-defined]  # noqa: F821

# --- what you may change: here, or in the environment ------------------------------------------

FOLDER = Path(os.environ.get("PPSLAB_CLASS", "workshop")).absolute()
"""The folder of the day, as `ppslab workshop start --folder` has it."""
PORT = 8000
MEMORY_MIB = int(os.environ.get("PPSLAB_SEAT_MEMORY", "2048"))
TASKS = int(os.environ.get("PPSLAB_SEAT_TASKS", "512"))
CPUS = float(os.environ.get("PPSLAB_SEAT_CPUS", "2"))

# --- the hub ------------------------------------------------------------------------------------

board = Board(FOLDER)
seats, title = list(board.seats), board.day.title
board.close()
certificate, key = (FOLDER / name for name in NAMES)
secure = certificate.is_file()
own = []
for address in addresses():
    with suppress(ValueError):  # a name
        own.append(str(ipaddress.ip_address(address)))

c.JupyterHub.authenticator_class = "ppslab_class.hub.CodeAuthenticator"
c.JupyterHub.spawner_class = "ppslab_class.hub.SeatUnit"
c.JupyterHub.bind_url = f"{'https' if secure else 'http'}://:{PORT}"
if secure:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = str(certificate), str(key)
c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(FOLDER / "hub-cookie-secret")
# What a seat's browser and its server may ask of the hub: of itself, and of nobody else.
c.JupyterHub.load_roles = [
    {"name": "user", "description": "A seat: itself", "scopes": ["self"]},
    {
        "name": "server",
        "description": "A seat's JupyterLab: says that it is in use, and lets its seat in",
        "scopes": ["users:activity!user", "access:servers!server"],
    },
]
c.JupyterHub.allow_named_servers = False
# Seats go on while the hub is started again.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.shutdown_on_logout = False
c.JupyterHub.concurrent_spawn_limit = 10
c.JupyterHub.active_server_limit = len(seats)
c.JupyterHub.template_vars = {"announcement": title}
proxy = project_root() / "scripts/setup/hub-proxy/node_modules/.bin/configurable-http-proxy"
c.ConfigurableHTTPProxy.command = [str(proxy)]
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "hub-proxy.pid")

c.CodeAuthenticator.folder = str(FOLDER)
c.CodeAuthenticator.allowed_users = set(seats)
c.CodeAuthenticator.allow_all = False

# --- a seat -------------------------------------------------------------------------------------

c.Spawner.cmd = [
    *(str(Path(sys.executable).parent / "ppslab"), "workshop", "shell"),
    *(sys.executable, "-m", "jupyterhub.singleuser"),
]
# A hall has no internet, and a seat installs nothing into the class's Python.
c.Spawner.args = ["--LabApp.extension_manager=readonly"]
c.Spawner.default_url = "/lab"
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
c.Spawner.mem_limit = MEMORY_MIB * 2**20
c.Spawner.cpu_limit = CPUS

home = homes.HOMES / "{USERNAME}"
temporary = home / homes.TEMPORARY
# No account is made and none is left: the home is in /var/lib, of the seat alone.
c.SystemdSpawner.dynamic_users = True
c.SystemdSpawner.isolate_tmp = True
# NoNewPrivileges: a map of one user, which is all that a lab needs, works under it.
c.SystemdSpawner.disable_user_sudo = True
c.SystemdSpawner.unit_name_template = "ppslab-{USERNAME}"
c.SystemdSpawner.default_shell = "/bin/bash"
c.SystemdSpawner.unit_extra_properties = {
    "MemorySwapMax": "0",
    "TasksMax": str(TASKS),
    "LimitFSIZE": str(2 * 2**30),  # of one file; nothing limits their sum (README.md)
    "LimitCORE": "0",  # a dump goes outside the seat's home
    # All that a seat can write is its own home or its own memory: /tmp and /var/tmp are folders
    # of its home (a bind mount goes before the private /tmp that DynamicUser= brings).
    "BindPaths": f"{temporary}:/tmp {temporary}:/var/tmp",
    "BindReadOnlyPaths": homes.kernels(home),
    "TemporaryFileSystem": f"/dev/shm:mode=1777,size={MEMORY_MIB // 4}M",
    # A guest that is too large ends; the seat's JupyterLab goes on.
    "OOMPolicy": "continue",
    "CPUWeight": "100",
    "IOWeight": "100",
    # The hub, the board and the seat itself are on the loopback; the hall's network is not.
    "IPAddressDeny": "any",
    # Not "localhost": systemd-run 252 takes that name only where it stands alone.
    "IPAddressAllow": " ".join(("127.0.0.0/8", "::1/128", *own)),
    "InaccessiblePaths": str(FOLDER),
    # The unit's folder in /run, where systemd and the spawner write: a seat would fill /run.
    "ReadOnlyPaths": "-/run/private/ppslab-{USERNAME}",
    # The queue for timed runs; a dash: a machine without one starts seats too.
    "ReadWritePaths": f"-{turn.SHARED}",
    # No isolate_devices: PrivateDevices= hides /dev/kvm and /dev/net/tun.
    "DevicePolicy": "closed",
    "DeviceAllow": "/dev/kvm rw",
    "ProtectKernelTunables": "no",  # a lab's own namespaces have sysctls of their own
    "ProtectKernelModules": "yes",
    "ProtectClock": "yes",
    "KeyringMode": "private",
}
