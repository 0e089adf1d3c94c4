"""A topology stands as its file says, quickly, and beside others."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Backend, Deployment
from tests.support.waiting import PATIENCE
from tests.testbed.backends.conftest import (
    FASTPATH,
    LONE,
    Hold,
    Write,
    namespaces_in_use,
    namespaces_of,
)
from tests.testbed.backends.namespaces.conftest import exchange

pytestmark = [pytest.mark.live, pytest.mark.alone]


MOST_PROCESSES = 7
"""It takes 4; with one for each command of FASTPATH it would be 11."""


def forks() -> int:
    """How many processes and threads this machine has started so far."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("processes "))


def test_with_few_processes(backend: Backend, write: Write) -> None:
    """What costs time is a process for each command.  Others start some too, but not each time."""
    wiring = write(FASTPATH)
    fewest = 10**9
    for _ in range(20):
        before = forks()
        with backend.deploy(wiring):
            fewest = min(fewest, forks() - before)
        if fewest <= MOST_PROCESSES:
            break
    assert fewest <= MOST_PROCESSES


def test_frames_pass_and_mtus_hold(backend: Backend, write: Write) -> None:
    with backend.deploy(write(FASTPATH)) as lab:
        assert exchange(lab, 100, "198.18.1.1") == "100"
        assert exchange(lab, 9000, "198.18.1.1") == "9000"
        assert exchange(lab, 1472, "198.18.2.1") == "1472"
        assert exchange(lab, 1473, "198.18.2.1") == "Message too long"
        links = lab.node("dut").run(["ip", "-o", "link"]).stdout
        assert "eth1@" in links and "mtu 9500" in links and "mtu 1500" in links
        assert lab.node("dut").run(["cat", "/proc/sys/net/ipv4/ip_forward"]).stdout == "1\n"
        assert lab.node("tester").run(["cat", "/proc/sys/net/ipv4/ip_forward"]).stdout == "0\n"
        # Frames are counted one by one.
        features = lab.node("dut").run(["ethtool", "-k", "eth1"]).stdout
        on = [line for line in features.splitlines() if ": on" in line]
        assert not [n for n in on if any(w in n for w in ("segment", "checksum", "receive", "gro"))]
        assert "tx-gso-partial: off" in features, "the list was read"


def test_a_link_that_cannot_be_made_is_named(backend: Backend) -> None:
    link = {"endpoints": [["n", "eth1"], ["n", "eth2"]], "mtu": 1500}
    node = {"binds": [], "env": {}, "sysctls": {}, "exec": [], "exec_lines": []}
    plain = {"name": "twice", "file": "twice", "nodes": {"n": node}, "links": [link, link]}
    with pytest.raises(BackendError, match=r"twice: node n: link n:eth1 to n:eth2: .*File exists"):
        backend.client.call("deploy", wait=10, run="twice", topology=plain)
    assert "twice" not in backend.deployments()


def test_side_by_side(backend: Backend, write: Write, held: Hold) -> None:
    wiring = write(FASTPATH)
    labs = [backend.deploy(wiring) for _ in range(3)]
    try:
        assert len({lab.run_id for lab in labs}) == 3
        assert set(backend.deployments()) >= {lab.run_id for lab in labs}
        seen = [held(namespaces_of(lab)) for lab in labs]
        assert not (seen[0] & seen[1] or seen[1] & seen[2] or seen[0] & seen[2])
        for lab in labs:
            assert exchange(lab, 100, "198.18.1.1") == "100"
        labs[1].remove()
        labs[1].remove()
        assert exchange(labs[2], 100, "198.18.1.1") == "100"
        with pytest.raises(BackendError, match="is deployed already"):
            backend.deploy(wiring, labs[0].run_id)
    finally:
        for lab in labs:
            lab.remove()
    assert not seen[0] & namespaces_in_use()


def test_the_hosts_interfaces_are_untouched(backend: Backend, write: Write) -> None:
    def state() -> list[object]:
        interfaces = sorted(path.name for path in Path("/sys/class/net").iterdir())
        return [interfaces, Path("/proc/self/mountinfo").read_text()]

    before = state()
    with backend.deploy(write(FASTPATH)):
        assert state() == before
    assert state() == before


# --- the words of a node --------------------------------------------------------------------------


def test_the_nodes_name_and_environment(
    backend: Backend, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_SECRET", "of the host")
    text = LONE.replace("kind: linux", "kind: linux, env: {WHO: n, N: 5}")
    with backend.deploy(write(text)) as lab:
        node = lab.node("n")
        assert node.run(["hostname"]).stdout == "n\n"
        assert node.run(["sh", "-c", "echo $WHO $N $PPSLAB_SECRET"]).stdout == "n 5\n"
        assert node.run(["sh", "-c", "echo $WHO"], env={"WHO": "me"}).stdout == "me\n"


class TestSysctls:
    def test_before_and_after_the_links(self, backend: Backend, write: Write) -> None:
        text = FASTPATH.replace(
            "net.ipv4.ip_forward: 1",
            "net.ipv6.conf.default.addr_gen_mode: 1, net.ipv6.conf.eth1.disable_ipv6: 1",
        )
        with backend.deploy(write(text)) as lab:
            read = ["cat", *(f"/proc/sys/net/ipv6/conf/eth{n}/disable_ipv6" for n in (1, 2))]
            assert lab.node("dut").run(read).stdout == "1\n0\n"
            addresses = lab.node("dut").run(["ip", "-6", "address", "show", "dev", "eth2"]).stdout
            assert "fe80" not in addresses, "conf.default stood before the link was made"

    @pytest.mark.parametrize(
        ("setting", "said"),
        [
            ("net.ipv4.nothing: 1", r"t\.clab\.yml: node n: sysctl net\.ipv4\.nothing:"),
            ("net.ipv4.ip_forward: x", r"node n: sysctl: .*net\.ipv4\.ip_forward=x"),
        ],
    )
    def test_wrong_ones(self, backend: Backend, write: Write, setting: str, said: str) -> None:
        text = LONE.replace("kind: linux", f"kind: linux, sysctls: {{{setting}}}")
        with pytest.raises(BackendError, match=said):
            backend.deploy(write(text))


class TestExec:
    def test_in_order_and_as_a_shell_splits(self, backend: Backend, write: Write) -> None:
        first, second = "sh -c 'echo 1 >> /run/o'", "sh -c 'echo 2 \"3  4\" >> /run/o'"
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps([first, second])}")
        with backend.deploy(write(text)) as lab:
            assert lab.node("n").run(["cat", "/run/o"]).stdout == "1\n2 3  4\n"

    def test_a_failure_names_file_line_node_and_command(
        self, backend: Backend, write: Write
    ) -> None:
        wiring = write(FASTPATH.replace("198.18.2.1/24 dev eth2", "198.18.2.1/24 dev eth9"))
        with pytest.raises(BackendError) as caught:
            backend.deploy(wiring, "failing")
        place, said = str(caught.value).split(": exit code 1: ")
        command = "ip address add 198.18.2.1/24 dev eth9"
        assert place == f'{wiring.path}:9: node dut: exec "{command}"'
        assert "eth9" in said
        assert "failing" not in backend.deployments()

    def test_a_command_of_many_that_fails_says_what_it_says_alone(
        self, backend: Backend, write: Write
    ) -> None:
        good = ["ip link add d0 type veth peer name d1", "ip link set d0 up"]
        bad = "ip route add 198.51.100.0/24 via 203.0.113.1"
        after = ["ip link set d1 up"]
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps([*good, bad, *after])}")
        with pytest.raises(BackendError, match=f'exec "{bad}": exit code 2'):
            backend.deploy(write(text))

    def test_what_is_between_commands_of_ip_runs_between_them(
        self, backend: Backend, write: Write
    ) -> None:
        # What stands there twice is run once: each has a word of its own.
        first, second, third = (
            f"sh -c 'ls /sys/class/net | grep -c ^d[0-9] >> /run/o || :' {word}" for word in "abc"
        )
        made = [f"ip link add d{n} type veth peer name e{n}" for n in range(5)]
        commands = [first, *made[:2], second, *made[2:], third]
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps(commands)}")
        with backend.deploy(write(text)) as lab:
            assert lab.node("n").run(["cat", "/run/o"]).stdout.split() == ["0", "2", "5"]


def test_wrong_names(backend: Backend, lone: Deployment, write: Write) -> None:
    with pytest.raises(BackendError, match=r'"m".* n'):
        lone.node("m")
    with pytest.raises(BackendError, match="a/b"):
        backend.deploy(write(LONE), "a/b")


# --- the machine's files --------------------------------------------------------------------------


class TestBinds:
    @pytest.fixture
    def files(self, tmp_path: Path) -> Path:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a").write_text("from the host\n")
        (tmp_path / "conf").write_text("a file\n")
        return tmp_path

    def bound(self, *binds: str) -> str:
        return LONE.replace("kind: linux", f"kind: linux, binds: {list(binds)!r}")

    def test_folders_and_files(self, backend: Backend, write: Write, files: Path) -> None:
        deep, folder = f"/etc/ppslab-{secrets.token_hex(4)}", f"/lab-{secrets.token_hex(4)}"
        text = self.bound(f"in:{folder}", f"conf:{deep}/deep/conf:ro", "conf:/etc/hostname")
        with backend.deploy(write(text)) as lab:
            node = lab.node("n")
            assert node.run(["cat", f"{folder}/a"]).stdout == "from the host\n"
            assert node.run(["cat", f"{deep}/deep/conf"]).stdout == "a file\n"
            assert node.run(["cat", "/etc/hostname"]).stdout == "a file\n"
            assert node.run(["test", "-e", "/etc/passwd"]).returncode == 0
            node.run(["sh", "-c", f"echo back > {folder}/b"])
        assert (files / "in" / "b").read_text() == "back\n"
        assert not Path(folder).exists()
        assert not Path(deep).exists(), "nothing is made on the machine"

    def test_read_only_is_read_only(self, backend: Backend, write: Write, files: Path) -> None:
        with backend.deploy(write(self.bound("in:/lab:ro", "conf:/conf:ro"))) as lab:
            for attempt in ("echo x > /lab/b", "rm /lab/a", "echo x > /conf", "chmod 0 /conf"):
                done = lab.node("n").run(["sh", "-c", attempt], check=False)
                assert "Read-only file system" in done.stderr
        assert (files / "in" / "a").read_text() == "from the host\n"

    def test_a_bind_in_a_bind(self, backend: Backend, write: Write, files: Path) -> None:
        with backend.deploy(write(self.bound("in:/lab:ro", "conf:/lab/new/conf"))) as lab:
            assert lab.node("n").run(["cat", "/lab/a", "/lab/new/conf"]).stdout.count("\n") == 2
        assert sorted(p.name for p in (files / "in").iterdir()) == ["a"]

    @pytest.mark.parametrize(
        ("bind", "said"),
        [
            ("nothing:/lab", "node n: cannot be made: .*nothing: No such file"),
            ("conf:/usr", "node n: cannot be made: .*/usr: the target is a folder"),
            ("in:/etc/passwd", "node n: cannot be made: .*/etc/passwd: the target is a file"),
        ],
    )
    def test_bad_ones(
        self, backend: Backend, write: Write, files: Path, bind: str, said: str
    ) -> None:
        with pytest.raises(BackendError, match=said):
            backend.deploy(write(self.bound(bind)))


def test_run_is_private(lone: Deployment) -> None:
    node = lone.node("n")
    node.run(["tee", "/run/test-of-run"], input="ö")
    assert node.read("/run/test-of-run") == "ö".encode()
    assert not Path("/run/test-of-run").exists()


# Deploys where / is a chroot, and looks from the node and beside it.
IN_A_CHROOT = """
import json, os, sys
from ppslab.model.lab import topology
from ppslab.testbed.backends import open_backend
with open_backend("namespaces") as backend:
    with backend.deploy(topology.load(sys.argv[1])) as lab:
        node = lab.node("n")
        print(json.dumps([node.run(["ls", "/run"]).stdout, os.path.exists("/inside")]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a chroot is root's")
def test_in_a_chroot_a_node_stays_in_it(tmp_path: Path) -> None:
    """Where the agent runs in a chroot, setns(2) alone would bring a node's commands out of it."""
    wiring = tmp_path / "t.clab.yml"
    wiring.write_text(LONE)
    new = tmp_path / "new"
    new.mkdir()
    links = [path.name for path in Path("/").iterdir() if path.is_symlink()]
    folders = {p.name for p in Path("/").iterdir() if p.is_dir()} - {*links, "run"}
    script = [
        f"set -e; mount -t tmpfs x {new}; cd {new}; touch inside; mkdir run",
        *(f"mkdir {name} && mount --rbind /{name} {name}" for name in folders),
        *(f"cp -P /{name} {name}" for name in links),
        'exec chroot . "$@"',
    ]
    shell = ["unshare", "--mount", "sh", "-c", "\n".join(script), "sh"]
    done = subprocess.run(
        [*shell, sys.executable, "-c", IN_A_CHROOT, str(wiring)],
        env={**os.environ, "PPSLAB_RUNTIME": str(tmp_path / "runtime")},
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == ["", True]
