"""The vm backend: one guest for all tests here, and a few short ones that are killed."""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ppslab.core import processes
from ppslab.core.errors import BackendError
from ppslab.core.paths import project_root
from ppslab.model.lab import topology
from ppslab.testbed.backends import Backend, Node, attach, registry
from ppslab.testbed.backends.capabilities import cpu_plan, features, features_of, usable
from ppslab.testbed.backends.capabilities.guest_kernel import installed_kernel
from ppslab.testbed.backends.vm import guest as vm_guest
from ppslab.testbed.backends.vm.backend import open_vm
from tests.support.waiting import PATIENCE, until

PAIR = """\
name: pair
topology:
  nodes:
    a: {kind: linux, image: x, exec: [ip address add 198.18.1.1/24 dev eth1]}
    b: {kind: linux, image: x, exec: [ip address add 198.18.1.2/24 dev eth1]}
  links:
    - endpoints: ["a:eth1", "b:eth1"]
"""

OWNER = """\
import sys, time
from ppslab.testbed.backends.vm.backend import open_vm
open_vm(progress=lambda words: print(words, flush=True))
print("up", flush=True)
time.sleep(600)
"""


def host() -> set[str]:
    """The host's interfaces, and its named namespaces."""
    argv = ["ip", "netns", "list"]
    named = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    namespaces = {f"namespace {line.split()[0]}" for line in named.splitlines()}
    return namespaces | {path.name for path in Path("/sys/class/net").iterdir()}


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    return processes.start_time(pid) is not None


def children(pid: int) -> list[int]:
    """The QEMU processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        words: list[str] = []
        with suppress(OSError):  # the thread has ended
            words = (task / "children").read_text().split()
        for child in words:
            with suppress(OSError):  # the child has
                if "qemu" in Path(f"/proc/{child}/comm").read_text():
                    found.append(int(child))
    return found


def mine(runtime: Path) -> set[str]:
    """The files of the guests that live on purpose."""
    names = {entry.name for entry in registry.live()}
    return {path.name for path in runtime.iterdir() if path.name.split(".")[0] in names}


STATE = usable("vm")
pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A runtime folder of our own: what is left in it is what these tests left."""
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PPSLAB_RUNTIME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> topology.Topology:
    """Two nodes and a wire."""
    path = tmp_path_factory.mktemp("pair") / "pair.clab.yml"
    path.write_text(PAIR)
    return topology.load(path)


@pytest.fixture(scope="module")
def guest(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """A guest that was never probed before; its features are remembered in a folder of its own."""
    asked = tmp_path_factory.mktemp("asked") / "features.json"
    before = host()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "_guest_file", lambda _: asked)
        with open_vm() as backend:
            assert asked.is_file()
            yield backend
    # What other tests on this machine have meanwhile goes with them; what is ours would stay.
    more = host() - before
    until(lambda: not more & host(), f"the end of {more} on the host", 3 * PATIENCE)
    assert list(runtime.iterdir()) == []


@pytest.fixture(scope="module")
def node(guest: Backend, pair: topology.Topology) -> Iterator[Node]:
    """Node a of the pair."""
    with guest.deploy(pair) as deployed:
        yield deployed.node("a")


# --- the guest --------------------------------------------------------------------------------


def test_the_facts_say_what_the_guest_is(guest: Backend) -> None:
    kernel = installed_kernel()
    assert kernel is not None
    assert guest.facts["kernel"] == kernel.version != os.uname().release
    assert guest.facts["guest_kernel_package"] == kernel.package
    assert guest.facts["emulation"] in ("tcg", "kvm")
    assert guest.facts["emulation_reason"]
    assert guest.facts["qemu"][0].isdigit()
    assert guest.facts["guest_cpus"] == guest.facts["cpus"] == len(os.sched_getaffinity(0))
    assert not cpu_plan(guest.facts["guest_cpu_list"]).coupled or guest.facts["cpus"] == 1


def test_the_stock_kernel_has_what_choosing_takes_for_granted(guest: Backend) -> None:
    found = features.guest_features()
    assert found is not None
    absent = {name: found[name].why for name in features.STOCK if not found[name].present}
    assert not absent
    assert features_of("vm") >= features.STOCK


def test_what_is_started_often_lies_in_the_guests_memory(node: Node) -> None:
    """An overlay tells a file's own file system where it is the upper one, and that is memory."""
    path = shutil.which("ip", path="/usr/sbin:/usr/bin:/sbin:/bin")
    asked = f'echo x >/root/new; stat -L -c %d /root/new {path} /etc/ld.so.cache "$0"'
    new, program, cache, other = node.run(["sh", "-c", asked, sys.executable]).stdout.split()
    assert new == program == cache != other


def test_a_file_edited_on_the_host_is_what_the_guest_reads(node: Node) -> None:
    path = project_root() / "_build" / f"test-vm-{secrets.token_hex(4)}.txt"
    path.parent.mkdir(exist_ok=True)
    try:
        for text in ("old\n", "newer\n"):
            path.write_text(text)
            assert node.run(["cat", str(path)]).stdout == text
    finally:
        path.unlink(missing_ok=True)


def test_the_guest_writes_only_to_the_scratch_folder(node: Node) -> None:
    name = f"written-by-a-guest-{secrets.token_hex(4)}"
    victim = project_root() / "_build" / name
    done = node.run(["sh", "-c", f"echo x >'{victim}'"], check=False)
    assert done.returncode and not victim.exists()
    node.run(["sh", "-c", f"echo x >/root/{name}"])
    assert not Path("/root", name).exists()
    scratch = vm_guest.scratch_dir() / name
    try:
        node.run(["sh", "-c", f"echo x >'{scratch}'"])
        assert scratch.read_text() == "x\n"
    finally:
        scratch.unlink(missing_ok=True)


def test_the_lab_of_the_articles_stands_up_in_it(guest: Backend) -> None:
    with guest.deploy(topology.find("fastpath")) as lab:
        assert lab.node("dut").run(["sysctl", "-n", "net.ipv4.ip_forward"]).stdout == "1\n"
        links = json.loads(lab.node("dut").run(["ip", "-j", "link"]).stdout)
        assert {"eth1", "eth2", "eth3"} <= {link["ifname"] for link in links}


# --- its end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_of_an_owner_that_is_killed(runtime: Path, number: signal.Signals) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    pid = 0
    try:
        assert owner.stdout is not None
        until(lambda: "booting" in (owner.stdout.readline() if owner.stdout else ""), "a boot")
        until(lambda: children(owner.pid), "QEMU")
        pid = children(owner.pid)[0]
        assert alive(pid)
        owner.send_signal(number)
        owner.communicate()
        until(lambda: not alive(pid), "QEMU's end")
        registry.sweep()
        assert not [path for path in runtime.iterdir() if path.name not in mine(runtime)]
    finally:
        owner.kill()
        owner.communicate()
        assert not pid or not alive(pid)


def test_a_guest_whose_agent_fails_is_explained_and_gone(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ["sh", "-c", "echo this agent is broken; exit 3", "agent"]
    monkeypatch.setattr(vm_guest, "agent_command", lambda: argv)
    # The module's own guest may live, and one that all files of this worker use.
    before, guests = set(runtime.iterdir()), children(os.getpid())
    with pytest.raises(BackendError, match="this agent is broken"):
        open_vm()
    assert (set(runtime.iterdir()), children(os.getpid())) == (before, guests)


def test_a_detached_guest_serves_two_commands_at_once(
    runtime: Path, pair: topology.Topology
) -> None:
    said: list[str] = []
    starter = open_vm(detach=True, progress=said.append)
    try:
        starter.deploy(pair)
        starter.close()
        entry = next(entry for entry in registry.live() if entry.detached)
        assert entry.qemu_pid and alive(entry.qemu_pid)
        with attach(entry) as first, attach(entry) as second:
            assert first.facts["emulation"] == starter.facts["emulation"]
            one, two = (next(iter(each.deployments().values())) for each in (first, second))
            number, replies = first.client.begin(
                "run", run=one.run_id, node="a", argv=["sleep", "60"], timeout=90
            )
            assert two.node("b").run(["hostname"]).stdout.strip() == "b"
            typed = {"op": "pty-in", "data": base64.b64encode(b"exit 5\n").decode()}
            terminal, events = second.client.begin(
                "pty", run=two.run_id, node="b", argv=["sh"], rows=24, cols=80
            )
            second.client.say({**typed, "pty": terminal})
            while "pty" in (event := events.get(timeout=PATIENCE) or {}):
                pass
            assert event["result"]["returncode"] == 5
            first.close()  # and its sleep with it
            asleep = ["pgrep", "sleep"]
            until(lambda: two.node("a").run(asleep, check=False).returncode, "the sleep's end")
            assert replies.get(timeout=PATIENCE) is None, number
    finally:
        starter = attach(next(entry for entry in registry.live() if entry.detached))
        starter.stop()
    until(lambda: not alive(entry.qemu_pid or 0), "QEMU's end")
    assert not alive(entry.pid)
