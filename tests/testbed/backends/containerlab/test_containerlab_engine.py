"""The same file, deployed by the embedded backend and by a Docker of the test's own.

It stands in namespaces on this machine's kernel, where that bears one, else in a guest.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.paths import project_root
from ppslab.testbed.backends.capabilities import usable
from ppslab.testbed.backends.containerlab.steps import HEALTH
from ppslab.testbed.backends.vm import guest as vm_guest
from ppslab.testbed.backends.vm.backend import open_vm
from tests.testbed.backends.conftest import LONE, Write
from tests.testbed.backends.containerlab.both import KINDS, LESS

STATE = usable("vm")
# IPv4 and IPv6, three links of 9500 bytes.  Emulated, this one file takes two minutes.
FILES = ("fastpath",)
MORE = ("eoip", "fastpath-tcp")
SECONDS = 400.0
NO_ENGINE = 97
"""How the script ends where no Docker starts."""

# What a node is asked by, and what the backend runs in it.
PROGRAMS = ("ip", "mount", "ethtool", "sysctl", "sh", "sed", "sleep", "true")
ENTRY = '#!/bin/sh\n[ "$#" -gt 0 ] || set -- sleep infinity\nexec "$@"\n'
HEALTHY = "#!/bin/sh\nexec ip link show dev lo\n"

# All that Docker writes is in memory, and it leaves the network to containerlab.
ENGINE = """\
set -e
mount -t tmpfs tmpfs /run
mkdir /run/engine
cd /run/engine
[ -n "$(ls /sys/fs/cgroup)" ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
dockerd --data-root /run/engine/data --exec-root /run/engine/exec --pidfile /run/engine/pid \
    --host unix:///run/docker.sock --storage-driver overlay2 --bridge none --userland-proxy=false \
    --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false >log 2>&1 &
until [ -S /run/docker.sock ]; do
    kill -0 $! || { tail log >&2; exit 97; }
    sleep 0.2
done
docker import --change 'ENTRYPOINT ["/entry"]' "$0" ppslab/generator:latest >&2
docker tag ppslab/generator:latest ppslab/linux-router:latest
"""
RIGHTS = f"""\
docker run --rm --privileged --network none ppslab/generator:latest true 2>/dev/null ||
    export CLAB_DOUBLE_RIGHTS='{LESS}'
"""
COMPARE = """\
cd "$1"
shift
exec "$@"
"""


def missing() -> str:
    """Why no Docker can be had here; empty where it can."""
    needed = ("dockerd", "containerd", "runc", "docker", "ldd", *PROGRAMS)
    path = f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin"
    absent = [name for name in needed if shutil.which(name, path=path) is None]
    return f"not here: {', '.join(absent)} (docker.io)" if absent else ""


pytestmark = [pytest.mark.guest, pytest.mark.skipif(bool(missing()), reason=missing())]


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
    """A folder that a guest sees at the same path."""
    place = vm_guest.scratch_dir()
    place.mkdir(parents=True, exist_ok=True)
    # Not by the process's number, which another world's process has too.
    with tempfile.TemporaryDirectory(prefix="test-docker-", dir=place) as folder:
        yield Path(folder)


def here(shared: Path, files: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Both backends in namespaces of their own; what is started there ends with the first."""
    apart = ("--mount", "--net", "--ipc", "--uts", "--pid", "--fork", "--mount-proc")
    argv = ["unshare", *apart, "--kill-child", *engine(shared, files, RIGHTS)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=SECONDS, check=False)


def engine(shared: Path, files: tuple[str, ...], rights: str = "") -> list[str]:
    """The command that starts a Docker and prints what both backends make of the files."""
    both = (sys.executable, "-m", "tests.testbed.backends.containerlab.both", "/run/engine", *files)
    script = ENGINE + rights + COMPARE
    return ["sh", "-c", script, str(shared / "image.tar"), str(project_root()), *both]


def test_the_same_files_make_the_same_nodes(shared: Path, write: Write) -> None:
    image(shared / "image.tar")
    files = (*FILES, *MORE)
    done = here(shared, files)
    if done.returncode == NO_ENGINE or "unshare: " in done.stderr:
        if not STATE.usable:
            why = done.stderr.strip().splitlines()[-1]
            pytest.skip(f"no Docker starts here ({why}), and no guest: {STATE.why}")
        files = FILES
        with open_vm() as guest, guest.deploy(write(LONE)) as deployed:
            said = deployed.node("n").run(engine(shared, files), timeout=SECONDS).stdout
    else:
        assert done.returncode == 0, done.stderr
        said = done.stdout
    made: dict[str, Any] = json.loads(said)
    embedded, docker = (made[kind] for kind in KINDS)
    assert set(embedded) == set(files)
    assert "2001:2:0:1::1/64 global" in embedded["fastpath"]["dut"]["eth1"]["addresses"]
    assert embedded["fastpath"]["dut"]["eth1"]["mtu"] == 9500
    assert docker == embedded
