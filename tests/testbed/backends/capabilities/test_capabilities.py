"""What the machine can do is found by trying, and the backend chosen from that."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

from ppslab.cli.doctor import doctor_report
from ppslab.core.errors import PpslabError, UsageError
from ppslab.testbed.backends import capabilities
from ppslab.testbed.backends.capabilities import cpus, features, guest_kernel, probing, tools
from ppslab.testbed.backends.capabilities.probing import (
    ATTEMPTS,
    Absence,
    AbsentError,
    Obstacle,
    command,
    of_errno,
)
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("own_cache")


ALL = frozenset(features.MEANINGS)


def pretend(monkeypatch: pytest.MonkeyPatch, *, lacks: set[str], vm: bool = True) -> None:
    """A host whose kernel lacks some features, with or without QEMU."""
    absence = Absence(Obstacle.REFUSED, "it was left out").data()
    answer = json.dumps({name: absence if name in lacks else None for name in ALL})
    made = features.features_from(answer)
    monkeypatch.setattr(features, "host_features", lambda: made)
    state = tools.Tool("QEMU", vm, "7.2" if vm else "not here", "" if vm else "apt install it")
    monkeypatch.setattr(features, "vm_tools", lambda: [state])


# --- choosing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needs", "requested", "lacks", "vm", "outcome"),
    [
        ({"nft", "bpf"}, "auto", {"netem"}, True, "namespaces"),
        ({"nft", "netem"}, "auto", {"netem"}, True, "vm"),
        ({"hyper-threads"}, "auto", {"hyper-threads"}, True, "namespaces"),
        ({"netem"}, "auto", {"netem"}, False, r"netem[^\0]*QEMU[^\0]*apt install it"),
        (set(), "auto", {"netns"}, True, "vm"),
        (set(), "vm", {"netns"}, True, "vm"),
        (set(), "vm", set(), False, "--backend vm: QEMU"),
        (set(), "namespaces", {"netns"}, True, "netns"),
        ({"netem"}, "namespaces", {"netem"}, True, "namespaces"),  # skips what it cannot
        (set(), "containerlab", set(), True, "get-containerlab"),
        (set(), "docker", set(), True, "'docker'"),
        ({"warp-drive"}, "auto", set(), True, "warp-drive"),
    ],
)
def test_a_backend_is_chosen_or_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch,
    needs: set[str], requested: str, lacks: set[str], vm: bool, outcome: str,
) -> None:  # fmt: skip
    pretend(monkeypatch, lacks=lacks, vm=vm)
    absent = tools.Tool("containerlab", False, "not here", "get-containerlab")
    monkeypatch.setattr(features, "containerlab_tools", lambda: [absent])
    if outcome in features.BACKENDS:
        taken = features.choose(needs, requested)
        assert taken.backend == outcome
        assert outcome != "vm" or requested == "vm" or next(iter(lacks)) in taken.reason
    else:
        with pytest.raises(PpslabError, match=outcome):
            features.choose(needs, requested)


# --- CPUs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed", "siblings", "plan"),
    [
        ((0,), (), (0, None, 0)),
        ((2, 3), (), (2, 3, 2)),
        ((0, 1), (1,), (0, 1, 0)),
        ((0, 1, 2), (), (0, 1, 2)),
        ((0, 1, 2, 3), (1, 3), (0, 2, 1)),
    ],
)
def test_who_works_on_which_cpu(
    monkeypatch: pytest.MonkeyPatch,
    allowed: tuple[int, ...],
    siblings: tuple[int, ...],
    plan: tuple[int, int | None, int],
) -> None:
    facts = cpus.CpuFacts("a CPU", 8, allowed, siblings)
    monkeypatch.setattr(cpus, "cpu_facts", lambda: facts)
    made = cpus.cpu_plan()
    assert (made.sender, made.router, made.reader) == plan
    assert made.coupled == (len(allowed) == 1)


def test_the_plan_keeps_to_the_cpus_that_we_may_use() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(allowed)})
        only = max(allowed)
        assert cpus.cpu_plan() == cpus.CpuPlan(only, None, only)
    finally:
        os.sched_setaffinity(0, allowed)
    assert cpus.cpu_plan([0, 1]) == cpus.CpuPlan(0, 1, 0)
    assert cpus._siblings([only, only]) == [only]
    assert 0.0 <= capabilities.steal_share(0.02) <= 1.0


# --- KVM and the guest's features are remembered ----------------------------------------------

KERNEL = guest_kernel.GuestKernel("6.1.0-9-test", Path("/boot/x"), None, "a test")


def test_what_kvm_did_is_remembered_until_the_next_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tools.recall(KERNEL) is None
    tools.remember(KERNEL, tools.KvmAnswer(False, "it hung"))
    assert tools.recall(KERNEL) == tools.KvmAnswer(False, "it hung")
    monkeypatch.setattr("platform.release", lambda: "another host kernel")
    assert tools.recall(KERNEL) is None


@pytest.mark.parametrize("has", [True, False])
def test_what_a_guest_has_of_its_host_is_asked_of_the_host(
    monkeypatch: pytest.MonkeyPatch, has: bool
) -> None:
    """A guest's kernel can make taps, and that says nothing of the cards that it is given."""
    absence = Absence(Obstacle.REFUSED, "no tun device").data()
    answer = json.dumps(dict.fromkeys(ALL, None if has else absence))
    host = features.features_from(answer)
    monkeypatch.setattr(features, "host_features", lambda: host)
    assert (features.features_of("vm") >= features.OF_THE_HOST) == has
    features.remember_guest(KERNEL, json.dumps(dict.fromkeys(ALL)))
    found = features.guest_features(KERNEL)
    assert found is not None
    assert {found[name].present for name in features.OF_THE_HOST} == {has}
    for backend in ("namespaces", "containerlab"):
        assert not features.features_of(backend) & features.OF_THE_HOST


def test_an_answer_of_a_guest_that_was_late_is_not_remembered() -> None:
    """It would say for good that this kernel lacks what a busy machine was too slow for."""
    late = Absence(Obstacle.LATE, "tc did not end within 60 s").data()
    features.remember_guest(KERNEL, json.dumps({**dict.fromkeys(ALL), "netem": late}))
    assert features.guest_features(KERNEL) is None


@pytest.mark.parametrize(("late", "asked", "present"), [(0, 1, True), (1, 2, True), (9, 2, False)])
def test_this_kernel_is_asked_once_more_where_it_was_late(
    monkeypatch: pytest.MonkeyPatch, late: int, asked: int, present: bool
) -> None:
    begun: list[object] = []

    def probed(*_: object, **__: object) -> subprocess.CompletedProcess[str]:
        begun.append(None)
        if len(begun) <= late:
            raise subprocess.TimeoutExpired("the prober", 180)
        return subprocess.CompletedProcess([], 0, json.dumps(dict.fromkeys(ALL)), "")

    monkeypatch.setattr(features.subprocess, "run", probed)
    assert features.host_features()["veth"].present == present
    assert len(begun) == asked
    # What is known is kept; what was late is asked anew.
    features.host_features()
    assert len(begun) == (asked if present else 2 * asked)


# --- the report -------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("lacks", "vm", "code", "plain", "late"),
    [
        (set(), False, 0, "namespaces", "namespaces"),
        ({"netem"}, True, 0, "namespaces", "vm"),
        ({"netns"}, True, 0, "vm", "vm"),
        ({"netns"}, False, 3, "no", "no"),
    ],
)
def test_doctor_says_which_backend_each_lab_takes(
    monkeypatch: pytest.MonkeyPatch, lacks: set[str], vm: bool, code: int, plain: str, late: str
) -> None:
    pretend(monkeypatch, lacks=lacks, vm=vm)
    broken = UsageError("labs/broken/lab.yml:3: unknown word")
    labs = {"plain": frozenset[str](), "late": frozenset({"netem"}), "broken": broken}
    said = io.StringIO()
    assert doctor_report(labs, console=Console(file=said, width=200)) == code
    rows = [
        [cell.strip() for cell in line.split("│")[1:4]] for line in said.getvalue().splitlines()
    ]
    assert {row[0]: row[1] for row in rows if row and row[0] in labs} == {
        "plain": plain, "late": late, "broken": "no",
    }  # fmt: skip
    assert "labs/broken/lab.yml:3: unknown word" in said.getvalue()


# --- probing: who refused, and why ----------------------------------------------------------------


def printing(text: str) -> list[str]:
    return ["sh", "-c", f"echo '{text}' >&2; exit 2"]


def interfaces() -> str:
    """What `ip link` shows on the host, without counters."""
    return subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout


def test_probing_answers_for_every_feature_and_leaves_the_host_alone() -> None:
    before = interfaces(), Path("/proc/mounts").read_text()
    found = features.host_features()
    assert (interfaces(), Path("/proc/mounts").read_text()) == before
    assert set(found) == ALL == {"netns", *ATTEMPTS}
    for feature in found.values():
        assert feature.present == (not feature.why)
        assert feature.present or feature.remedy, f"{feature.name} has no remedy"


def test_an_unprivileged_user_namespace_loads_no_bpf() -> None:
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("no Python that every user may run")
    # Whoever may not read this checkout may read a copy.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        argv = [*features.prober_command(python)[:-1], shutil.copy(features.PROBER, folder)]
        if os.geteuid() == 0:
            argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *argv]
        done = subprocess.run(argv, capture_output=True, text=True, cwd="/", check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    if found["netns"]:
        pytest.skip(f"no user namespaces here: {found['netns']}")
    assert found["veth"] is None
    allowed = Path("/proc/sys/kernel/unprivileged_bpf_disabled")
    if not allowed.exists() or allowed.read_text().strip() == "0":
        pytest.skip("this kernel lets every user load BPF")
    assert found["bpf"]["obstacle"] == Obstacle.NOT_ALLOWED


@pytest.mark.parametrize(
    ("line", "absence"),
    [
        ("no-such-program --help", Absence(Obstacle.NO_PROGRAM, program="no-such-program")),
        ("sleep 60", Absence(Obstacle.LATE, "sleep did not end within 1 s")),
        (
            printing("Error: Permission denied"),
            Absence(Obstacle.NOT_ALLOWED, "sh: Permission denied"),
        ),
        (printing("x not permitted"), Absence(Obstacle.NOT_ALLOWED, "sh: x not permitted")),
        (printing("Error: Unknown type."), Absence(Obstacle.REFUSED, "sh: Unknown type.")),
        (printing(""), Absence(Obstacle.REFUSED, "sh: failed")),
    ],
)
def test_a_command_says_who_refused(
    monkeypatch: pytest.MonkeyPatch, line: str | list[str], absence: Absence
) -> None:
    monkeypatch.setattr(probing, "SECONDS", 1.0 if line == "sleep 60" else PATIENCE)
    with pytest.raises(AbsentError) as caught:
        command(line)
    assert caught.value.absence == absence


def test_what_the_prober_did_not_name_is_absent() -> None:
    absence = Absence(Obstacle.NO_PROGRAM, program="nft")
    found = features.features_from(json.dumps({"nft": absence.data(), "netns": None}), "killed")
    assert "nft" in found["nft"].why
    assert found["nft"].remedy == "sudo apt-get install nftables"
    assert found["netns"].present and found["veth"].why == "killed"
    assert not any(each.present for each in features.features_from("Segmentation fault").values())


@pytest.mark.parametrize(
    ("number", "obstacle"),
    [
        (errno.EPERM, Obstacle.NOT_ALLOWED),
        (errno.EACCES, Obstacle.NOT_ALLOWED),
        (errno.EAFNOSUPPORT, Obstacle.REFUSED),
        (None, Obstacle.REFUSED),
    ],
)
def test_an_errno_says_who_refused(number: int | None, obstacle: Obstacle) -> None:
    assert of_errno(number, "any words") == Absence(obstacle, "any words")


WORDS = "not permitted, denied, restricted; nft is not installed"
"""Nothing is decided on the words."""


@pytest.mark.parametrize(
    ("name", "absence", "user", "remedy"),
    [
        ("netns", Absence(Obstacle.RESTRICTED, WORDS), 1000, "sudo sysctl kernel.apparmor"),
        ("netns", Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, "run with sudo"),
        ("bpf", Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, "run with sudo"),
        ("bpf", Absence(Obstacle.NOT_ALLOWED, WORDS), 0, "use --backend vm"),
        ("bpf", Absence(Obstacle.REFUSED, WORDS), 1000, "use --backend vm"),
        ("bpf", Absence(Obstacle.NO_PROGRAM, program="bpftool"), 1000, "sudo apt-get install"),
        ("hyper-threads", Absence(Obstacle.REFUSED, WORDS), 1000, "a machine whose cores"),
    ],
)
def test_each_obstacle_has_its_remedy(
    monkeypatch: pytest.MonkeyPatch, name: str, absence: Absence, user: int, remedy: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert features.Feature(name, absence).remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("absence", "user", "there"),
    [
        (Absence(Obstacle.NO_PROGRAM, program="nft"), 0, True),
        (Absence(Obstacle.NOT_ALLOWED, WORDS), 1000, True),
        (Absence(Obstacle.NOT_ALLOWED, WORDS), 0, False),
        (Absence(Obstacle.REFUSED, WORDS), 1000, False),
    ],
)
def test_a_container_has_what_only_this_user_lacks(
    monkeypatch: pytest.MonkeyPatch, absence: Absence, user: int, there: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(
        features, "host_features", lambda: {"nft": features.Feature("nft", absence)}
    )
    assert ("nft" in features.features_of("containerlab")) == there


# --- programs are asked once, but for one that was late -------------------------------------------


PRINTED = {
    "docker version": "20.10.24\n",
    "docker images": "debian:12\nvrnetlab/mikrotik_routeros:7.20.8\n",
    "containerlab version": "    version: 0.59.0\n",
}


@pytest.mark.parametrize("late", PRINTED)
def test_what_containerlab_needs_is_asked_again_where_it_was_late(
    monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    asked: list[str] = []

    def run(argv: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(" ".join(argv[:2]))
        if asked[-1] == late and asked.count(late) == 1:
            raise subprocess.TimeoutExpired(argv, tools.SECONDS)
        return subprocess.CompletedProcess(argv, 0, PRINTED[asked[-1]], "")

    monkeypatch.setattr(tools.subprocess, "run", run)
    monkeypatch.setattr(tools.shutil, "which", lambda name: f"/usr/bin/{name}")
    tools._says.cache_clear()
    assert any("60 s" in tool.detail for tool in tools.containerlab_tools())
    assert all(tool.present for tool in tools.containerlab_tools())
    tools._says.cache_clear()
