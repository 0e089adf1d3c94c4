"""As test_containerlab_docker.py, with a Docker of the test's own, in a guest: on every machine."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.backends import vm_guest
from ppslab.backends.containerlab_steps import HEALTH
from ppslab.backends.vm import open_vm
from ppslab.capabilities import usable
from ppslab.paths import project_root
from tests.backends.both import KINDS
from tests.backends.conftest import LONE, Write

STATE = usable("vm")
# IPv4 and IPv6, three links of 9500 bytes.  Emulated, this one file takes two minutes.
FILES = ("fastpath",)
SECONDS = 400.0

# What a node is asked by, and what the backend runs in it.
PROGRAMS = ("ip", "ethtool", "sysctl", "sh", "sed", "sleep", "true")
ENTRY = '#!/bin/sh\n[ "$#" -gt 0 ] || set -- sleep infinity\nexec "$@"\n'
HEALTHY = "#!/bin/sh\nexec ip link show dev lo\n"

# All that Docker writes is in the guest's memory, and it leaves the network to containerlab.
GUEST = """\
set -e
mkdir /run/engine
cd /run/engine
mount -t cgroup2 cgroup2 /sys/fs/cgroup
dockerd --data-root /run/engine/data --exec-root /run/engine/exec --pidfile /run/engine/pid \
    --host unix:///run/docker.sock --storage-driver overlay2 --bridge none --userland-proxy=false \
    --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false >log 2>&1 &
until [ -S /run/docker.sock ]; do
    kill -0 $! || { tail log >&2; exit 1; }
    sleep 0.2
done
docker import --change 'ENTRYPOINT ["/entry"]' "$0" ppslab/generator:latest >&2
docker tag ppslab/generator:latest ppslab/linux-router:latest
cd "$1"
shift
exec "$@"
"""


def missing() -> str:
    """Why no guest with a Docker can be had here; empty where it can."""
    if not STATE.usable:
        return f"no vm backend here: {STATE.why}"
    needed = ("dockerd", "containerd", "runc", "docker", "ldd", *PROGRAMS)
    path = f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin"
    absent = [name for name in needed if shutil.which(name, path=path) is None]
    return f"not here: {', '.join(absent)} (docker.io)" if absent else ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def image(path: Path) -> None:
    """The smallest image in which a node can be asked, of this machine's own programs."""
    search = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    programs = {name: shutil.which(name, path=search) or "" for name in PROGRAMS}
    libraries: set[str] = set()
    for program in programs.values():
        said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        libraries |= set(re.findall(r"(/\S+) \(0x", said))
    with tarfile.open(path, "w", dereference=True) as tar:
        for name, program in programs.items():
            tar.add(program, f"usr/bin/{name}")
        for library in libraries:
            tar.add(library, library)
        tar.add(programs["sh"], "bin/sh")
        for name, text in (("entry", ENTRY), (HEALTH, HEALTHY)):
            script = tarfile.TarInfo(name.lstrip("/"))
            script.mode, script.size = 0o755, len(text)
            tar.addfile(script, io.BytesIO(text.encode()))


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that the guest sees at the same path."""
    folder = vm_guest.scratch_dir() / f"test-docker-{os.getpid()}"
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


def test_the_same_files_make_the_same_nodes_in_a_guest(shared: Path, write: Write) -> None:
    image(shared / "image.tar")
    both = (sys.executable, "-m", "tests.backends.both", "/run/engine", *FILES)
    argv = ["sh", "-c", GUEST, str(shared / "image.tar"), str(project_root()), *both]
    with open_vm() as guest, guest.deploy(write(LONE)) as deployed:
        done = deployed.node("n").run(argv, timeout=SECONDS)
    made: dict[str, Any] = json.loads(done.stdout)
    embedded, docker = (made[kind] for kind in KINDS)
    assert set(embedded) == set(FILES)
    assert "2001:2:0:1::1/64 global" in embedded["fastpath"]["dut"]["eth1"]["addresses"]
    assert embedded["fastpath"]["dut"]["eth1"]["mtu"] == 9500
    assert docker == embedded
