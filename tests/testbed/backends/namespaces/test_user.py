"""Without root: the same, in a user namespace; and where that is forbidden, what allows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.testbed.backends.nodes import isolation
from tests.support.waiting import PATIENCE
from tests.testbed.backends.conftest import FASTPATH

pytestmark = [pytest.mark.live, pytest.mark.alone]

NOBODY = 65534
# Deploys, looks around, prints JSON.
PROGRAM = """
import json, sys
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
with open_backend("namespaces") as backend:
    with backend.deploy(topology.load(sys.argv[1])) as lab:
        dut = lab.node("dut")
        read = lambda *argv: dut.run(argv).stdout.strip()
        print(json.dumps({
            "facts": backend.facts,
            "uid": read("id", "-u"),
            "forward": read("cat", "/proc/sys/net/ipv4/ip_forward"),
            "address": read("ip", "-br", "address", "show", "dev", "eth1"),
            "interfaces": read("ls", "/sys/class/net").split(),
            "nft": read("nft", "add table inet x; list tables"),
            "bind": read("cat", "/lab/a"),
            "read_only": dut.run(["touch", "/lab/b"], check=False).stderr,
            "processes": len(read("ps", "-e", "-o", "pid=").split()),
        }))
"""


def allowed() -> bool:
    """Whether an ordinary user may make user namespaces here."""
    command = ["unshare", "--user", "--map-root-user", "--net", "true"]
    return subprocess.run(as_nobody(command), capture_output=True, check=False).returncode == 0


def as_nobody(command: list[str]) -> list[str]:
    if os.geteuid():
        return command
    ids = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return ["setpriv", *ids, *command]


def python() -> str:
    """An interpreter that nobody may run: not always the one of this environment."""
    for candidate in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        # Through a shell: what setpriv itself starts it still starts with root's rights.
        command = as_nobody(["sh", "-c", 'exec "$0" -c "import ppslab"', candidate])
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": modules()}
        test = subprocess.run(command, env=environment, cwd="/", capture_output=True, check=False)
        if test.returncode == 0:
            return candidate
    pytest.skip("others may not read root's Python, or not enter the folder of this checkout")


def modules() -> str:
    """Where this environment's packages are."""
    return ":".join(path for path in sys.path if path)


def run_as_nobody(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command as an ordinary user, with this environment's packages."""
    runtime = folder / "runtime"
    runtime.mkdir()
    if not os.geteuid():
        os.chown(runtime, NOBODY, NOBODY)
        for above in (folder, *folder.parents[:3]):
            above.chmod(above.stat().st_mode | 0o011)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": modules(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PPSLAB_RUNTIME": str(runtime),
    }
    return subprocess.run(
        as_nobody(command),
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.skipif(not allowed(), reason="user namespaces are off on this machine")
def test_a_lab_without_root(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("hello")
    wiring = tmp_path / "t.clab.yml"
    wiring.write_text(FASTPATH.replace("    dut:\n", "    dut:\n      binds: ['in:/lab:ro']\n"))
    done = run_as_nobody(tmp_path, [python(), "-c", PROGRAM, str(wiring)])
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["facts"]["user_namespace"] is True
    assert seen["facts"]["euid"] == (os.geteuid() or NOBODY)
    assert seen["uid"] == "0"
    assert seen["forward"] == "1"
    assert "198.18.1.1/24" in seen["address"]
    assert {"eth1", "eth2", "eth3", "lo"} <= set(seen["interfaces"])
    assert not set(seen["interfaces"]) & {"eth0", "ens3"}
    assert seen["nft"] == "table inet x"
    assert seen["bind"] == "hello"
    assert "Read-only file system" in seen["read_only"]
    assert seen["processes"] < 10


# What the kernel answers where the switch is off; the limit is inherited by the test's own
# user namespace, so nothing of the machine is turned.
FORBIDDEN = """
import sys
from ppslab.testbed.backends import open_backend
from ppslab.core.errors import CannotHereError
try:
    open_backend("namespaces")
except CannotHereError as error:
    print(error.exit_code, error)
"""


@pytest.mark.skipif(not allowed(), reason="user namespaces are off on this machine")
def test_where_it_is_forbidden_the_remedy_is_told(tmp_path: Path) -> None:
    inside = ["unshare", "--user", "--map-root-user", "sh", "-c"]
    limit = "echo 0 > /proc/sys/user/max_net_namespaces; exec " + python() + ' -c "$1"'
    done = run_as_nobody(tmp_path, [*inside, limit, "sh", FORBIDDEN])
    assert done.stdout.startswith("3 "), done.stderr
    assert "sudo sysctl -w user.max_net_namespaces=" in done.stdout


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("kernel.unprivileged_userns_clone", "0", "=1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "=0"),
        ("user.max_user_namespaces", "0", "=15000"),
    ],
)
def test_which_switch_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, remedy: str
) -> None:
    monkeypatch.setattr(isolation, "_SETTINGS", tmp_path)
    assert "--backend vm" in isolation.remedy()
    path = tmp_path / name.replace(".", "/")
    path.parent.mkdir()
    path.write_text(f"{value}\n")
    assert isolation.remedy() == f"sudo sysctl -w {name}{remedy}"
