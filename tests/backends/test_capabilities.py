"""What the machine can do is found by trying, and the backend chosen from that."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from ppslab.backends import capabilities
from ppslab.backends.capabilities import choice, cpus, features, guest_kernel, kvm, tools
from ppslab.backends.capabilities.report import report
from ppslab.backends.prober import commands
from ppslab.backends.prober.absence import Absence, AbsentError, Obstacle, of_errno
from ppslab.backends.prober.commands import command
from ppslab.backends.prober.probing import ALL_FEATURES
from ppslab.base.errors import CannotHereError, UsageError
from ppslab.cli.doctor import doctor_report

ALL = frozenset(features.MEANINGS)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes what this user's ppslab remembers."""
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PPSLAB_KERNEL", raising=False)
    yield
    features._probed_host.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, *, lacks: set[str], vm: bool = True) -> None:
    """A host whose kernel lacks some features, with or without QEMU."""
    absence = Absence(Obstacle.REFUSED, "it was left out").data()
    answer = json.dumps({name: absence if name in lacks else None for name in ALL})
    made = features.features_from(answer)
    monkeypatch.setattr(choice, "host_features", lambda: made)
    state = tools.Tool("QEMU", vm, "7.2" if vm else "not here", "" if vm else "apt install it")
    monkeypatch.setattr(choice, "vm_tools", lambda: [state])


# --- probing ----------------------------------------------------------------------------------


def interfaces() -> str:
    """What `ip link` shows on the host, without counters."""
    return subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout


def test_probing_answers_for_every_feature_and_leaves_the_host_alone() -> None:
    before = interfaces(), Path("/proc/mounts").read_text()
    found = features.host_features()
    assert (interfaces(), Path("/proc/mounts").read_text()) == before
    assert set(found) == ALL == set(ALL_FEATURES)
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
        package = Path(folder) / "ppslab"
        source = features.PROBER.parents[1]
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source / "backends/prober", package / "backends/prober", ignore=ignored)
        for name in ("__init__.py", "backends/__init__.py", "base/__init__.py", "base/version.py"):
            (package / name).parent.mkdir(exist_ok=True)
            shutil.copy(source / name, package / name)
        argv = [*features.prober_command(python)[:-1], str(package / "backends/prober")]
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


def test_a_missing_program_is_named_with_its_package() -> None:
    absence = Absence(Obstacle.NO_PROGRAM, program="nft")
    found = features.features_from(json.dumps({"nft": absence.data(), "netns": None}))
    assert found["nft"].why == "nft is not installed"
    assert found["nft"].remedy == "sudo apt-get install nftables"
    assert found["netns"].present
    assert found["veth"].why == "not probed"


def test_a_prober_that_breaks_means_no_features() -> None:
    found = features.features_from("Segmentation fault", "killed by a signal")
    assert {feature.why for feature in found.values()} == {"killed by a signal"}


def test_a_program_that_is_not_there_is_no_refusal_of_the_kernel() -> None:
    with pytest.raises(AbsentError) as caught:
        command("no-such-program-as-this --help")
    assert caught.value.absence == Absence(Obstacle.NO_PROGRAM, program="no-such-program-as-this")


@pytest.mark.parametrize(
    ("printed", "obstacle"),
    [
        ("RTNETLINK answers: Operation not permitted", Obstacle.NOT_ALLOWED),
        ("Error: Permission denied", Obstacle.NOT_ALLOWED),
        ("Error: Unknown device type.", Obstacle.REFUSED),
        ("", Obstacle.REFUSED),
    ],
)
def test_what_a_command_prints_says_who_refused(printed: str, obstacle: Obstacle) -> None:
    with pytest.raises(AbsentError) as caught:
        command(["sh", "-c", f"echo '{printed}' >&2; exit 2"])
    shown = printed.removeprefix("Error: ") or "failed"
    assert caught.value.absence == Absence(obstacle, f"sh: {shown}")


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
        ("perf-cycles", Absence(Obstacle.REFUSED, WORDS), 1000, "a machine whose hypervisor"),
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
    monkeypatch.setattr(choice, "host_features", lambda: {"nft": features.Feature("nft", absence)})
    assert ("nft" in choice.features_of("containerlab")) == there


# --- choosing ---------------------------------------------------------------------------------


def test_the_kernel_has_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"netem"})
    assert choice.choose({"nft", "bpf"}).backend == "namespaces"


def test_a_missing_feature_takes_the_vm_and_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"netem"})
    taken = choice.choose({"nft", "netem"})
    assert taken.backend == "vm"
    assert "netem" in taken.reason and "it was left out" in taken.reason


def test_no_backend_can(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"netem"}, vm=False)
    with pytest.raises(CannotHereError) as caught:
        choice.choose({"netem"})
    assert caught.value.exit_code == 3
    assert "netem" in caught.value.reason and "QEMU" in caught.value.reason
    assert "apt install it" in caught.value.remedy


def test_a_feature_that_the_guest_lacks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"perf-cycles"})
    with pytest.raises(CannotHereError, match="the guest has no perf-cycles"):
        choice.choose({"perf-cycles"})


def test_a_backend_asked_for_is_taken_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"netns", "netem"})
    assert choice.choose(set(), "vm").backend == "vm"
    with pytest.raises(CannotHereError, match="namespaces: netns"):
        choice.choose(set(), "namespaces")
    pretend(monkeypatch, lacks={"netem"})
    assert choice.choose({"netem"}, "namespaces").backend == "namespaces"  # skips what it cannot
    lacking = tools.Tool("containerlab", False, "not here", "get-containerlab")
    monkeypatch.setattr(choice, "containerlab_missing", lambda: [lacking])
    with pytest.raises(CannotHereError, match="containerlab: not here\nget-containerlab"):
        choice.choose(set(), "containerlab")
    monkeypatch.setattr(choice, "containerlab_missing", list)
    assert choice.choose(set(), "containerlab").backend == "containerlab"


def test_words_that_are_no_backend_and_no_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks=set())
    with pytest.raises(UsageError, match="'docker'"):
        choice.choose(set(), "docker")
    with pytest.raises(UsageError, match="warp-drive"):
        choice.choose({"warp-drive"})


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
    assert 0.0 <= capabilities.steal_share(0.02) <= 1.0


# --- the guest's kernel -----------------------------------------------------------------------

NOTE = b"\x04\0\0\0\x08\0\0\0\x12\0\0\0Xen\0"


def bz_image(version: str = "6.1.0-9-test", elf: bytes = b"\x7fELF" + NOTE) -> bytes:
    """As much of a bzImage as its reader looks at (Documentation/arch/x86/boot.rst)."""
    image = bytearray(0x1000)
    payload = gzip.compress(elf)
    image[0x1F1] = 3  # set-up sectors beside the first: the protected-mode code starts at 0x800
    image[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", image, 0x20E, 0x300)
    struct.pack_into("<II", image, 0x248, 0x100, len(payload))
    image[0x500 : 0x500 + len(version) + 12] = f"{version} (somebody)\0".encode()
    image[0x900 : 0x900 + len(payload)] = payload
    return bytes(image)


def test_a_kernel_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "boot" / "vmlinuz"
    image.parent.mkdir()
    image.write_bytes(bz_image())
    modules = tmp_path / "lib/modules/6.1.0-9-test"
    modules.mkdir(parents=True)
    monkeypatch.setenv("PPSLAB_KERNEL", str(image))
    kernel = guest_kernel.guest_kernel()
    assert kernel == guest_kernel.GuestKernel("6.1.0-9-test", image, modules, "own file")
    assert guest_kernel.uncompressed(kernel).read_bytes() == b"\x7fELF" + NOTE


def test_a_kernel_without_a_pvh_entry_is_started_as_it_is(tmp_path: Path) -> None:
    image = tmp_path / "vmlinuz"
    image.write_bytes(bz_image(elf=b"\x7fELF and no note"))
    kernel = guest_kernel.own_kernel(image)
    assert guest_kernel.uncompressed(kernel) == image
    assert guest_kernel.uncompressed(kernel) == image  # remembered


@pytest.mark.parametrize("what", [b"", b"#!/bin/sh\n", b"\0" * 0x300])
def test_a_file_that_is_no_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: bytes
) -> None:
    image = tmp_path / "vmlinuz"
    image.write_bytes(what)
    monkeypatch.setenv("PPSLAB_KERNEL", str(image))
    with pytest.raises(UsageError, match="not a Linux bzImage"):
        guest_kernel.guest_kernel()
    assert not tools.guest_kernel_tool().present
    monkeypatch.setenv("PPSLAB_KERNEL", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="No such file"):
        guest_kernel.guest_kernel()


def program(folder: Path, name: str, script: str) -> None:
    """A program that stands in for a real one."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Debian archive with one small kernel; `downloads` in it has a line for each fetch."""
    if not shutil.which("dpkg-deb") or not shutil.which("depmod", path="/usr/sbin:/sbin"):
        pytest.skip("dpkg-deb or depmod is not here")
    tree, bin_folder = tmp_path / "tree", tmp_path / "bin"
    for folder in ("DEBIAN", "boot", "lib/modules/6.1.0-9-test/kernel/drivers/gpu"):
        (tree / folder).mkdir(parents=True)
    control = "Package: linux-image-6.1.0-9-test\nVersion: 6.1.9-1\nArchitecture: all\n"
    (tree / "DEBIAN/control").write_text(
        f"{control}Maintainer: nobody <nobody@localhost>\nDescription: a test\n"
    )
    (tree / "boot/vmlinuz-6.1.0-9-test").write_bytes(bz_image())
    (tree / "lib/modules/6.1.0-9-test/kernel/drivers/gpu/large.ko").write_bytes(b"large")
    (tree / "lib/modules/6.1.0-9-test/modules.order").touch()
    (tree / "lib/modules/6.1.0-9-test/modules.builtin").touch()
    subprocess.run(
        ["dpkg-deb", "--build", tree, tmp_path / "kernel.deb"], check=True, capture_output=True
    )
    bin_folder.mkdir()
    program(
        bin_folder,
        "apt-cache",
        'case "$2" in\n'
        'linux-image-amd64) echo "  Depends: linux-image-6.1.0-9-test" ;;\n'
        'linux-image-6*) echo "  Depends: kmod"; echo " |Depends: linux-initramfs-tool" ;;\n'
        "esac",
    )
    program(
        bin_folder,
        "apt-get",
        f'echo "$@" >>{tmp_path}/downloads; cp {tmp_path}/kernel.deb ./"$2".deb',
    )
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    return tmp_path


def test_the_kernel_is_fetched_once_and_its_version_recorded(archive: Path) -> None:
    said: list[str] = []
    assert guest_kernel.installed_kernel() is None
    kernel = guest_kernel.guest_kernel(said.append)
    assert kernel.version == "6.1.0-9-test"
    assert kernel.package == "linux-image-6.1.0-9-test 6.1.9-1"
    assert kernel.image.is_file() and kernel.modules is not None
    assert (kernel.modules / "modules.dep").is_file()
    assert not (kernel.modules / "kernel/drivers/gpu").exists()
    assert any("linux-image-6.1.0-9-test" in words for words in said)
    assert guest_kernel.guest_kernel(said.append) == kernel
    assert (archive / "downloads").read_text() == "download linux-image-6.1.0-9-test\n"
    assert sorted(path.name for path in guest_kernel.kernel_dir().iterdir()) == [
        ".lock",
        "6.1.0-9-test",
    ]


def test_a_fetch_that_failed_leaves_nothing_half_done(archive: Path) -> None:
    program(archive / "bin", "apt-get", 'echo "E: 404  Not Found" >&2; exit 100')
    with pytest.raises(CannotHereError, match="404") as caught:
        guest_kernel.guest_kernel()
    assert "apt-get update" in caught.value.remedy
    assert [path.name for path in guest_kernel.kernel_dir().iterdir()] == [".lock"]


def test_ubuntu_keeps_the_modules_in_packages_of_their_own(archive: Path) -> None:
    program(
        archive / "bin",
        "apt-cache",
        'case "$2" in\n'
        "linux-image-generic) printf '  Depends: linux-image-6.8.0-45-generic\\n"
        "  Depends: linux-modules-extra-6.8.0-45-generic\\n  Depends: linux-firmware\\n' ;;\n"
        'linux-image-6*) echo "  Depends: linux-modules-6.8.0-45-generic" ;;\n'
        'linux-modules-extra*) echo "  Depends: linux-image-6.8.0-45-generic" ;;\n'
        "esac",
    )
    assert guest_kernel.stock_packages() == [
        "linux-image-6.8.0-45-generic",
        "linux-modules-extra-6.8.0-45-generic",
        "linux-modules-6.8.0-45-generic",
    ]


def test_off_debian_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotHereError, match="Debian or Ubuntu") as caught:
        guest_kernel.guest_kernel()
    assert "PPSLAB_KERNEL" in caught.value.remedy


def test_apt_without_lists_says_what_to_do(archive: Path) -> None:
    program(archive / "bin", "apt-cache", "exit 0")
    with pytest.raises(CannotHereError) as caught:
        guest_kernel.guest_kernel()
    assert "sudo apt-get update" in caught.value.remedy


# --- KVM and the guest's features are remembered ----------------------------------------------

KERNEL = guest_kernel.GuestKernel("6.1.0-9-test", Path("/boot/x"), None, "a test")


def test_what_kvm_did_is_remembered_until_the_next_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kvm.recall(KERNEL) is None
    kvm.remember(KERNEL, kvm.KvmAnswer(False, "it hung"))
    assert kvm.recall(KERNEL) == kvm.KvmAnswer(False, "it hung")
    monkeypatch.setattr("platform.release", lambda: "another host kernel")
    assert kvm.recall(KERNEL) is None


def test_the_guests_features_are_remembered_by_kernel() -> None:
    assert features.guest_features(KERNEL) is None
    assert choice.features_of("vm") == features.STOCK
    features.remember_guest(KERNEL, json.dumps(dict.fromkeys(ALL - {"esp"})))
    found = features.guest_features(KERNEL)
    assert found is not None and found["netem"].present and not found["esp"].present


def test_an_answer_of_a_guest_that_was_late_is_not_remembered() -> None:
    """It would say for good that this kernel lacks what a busy machine was too slow for."""
    late = Absence(Obstacle.LATE, "tc did not end within 60 s").data()
    features.remember_guest(KERNEL, json.dumps({**dict.fromkeys(ALL), "netem": late}))
    assert features.guest_features(KERNEL) is None


def test_a_command_that_is_late_says_nothing_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "SECONDS", 0.01)
    with pytest.raises(AbsentError) as caught:
        commands.command("sleep 60")
    assert caught.value.absence == Absence(Obstacle.LATE, "sleep did not end within 0 s")


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
def test_the_report_says_which_backend_each_lab_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, lacks={"netem"})
    broken = UsageError("labs/broken/lab.yml:3: unknown word")
    found = report({"plain": frozenset(), "late": frozenset({"netem"}), "broken": broken})
    taken = {row["name"]: (row["backend"], row["reason"]) for row in found["labs"]}
    assert taken["plain"][0] == "namespaces"
    assert taken["late"][0] == "vm" and "netem" in taken["late"][1]
    assert taken["broken"] == (None, "labs/broken/lab.yml:3: unknown word")


@pytest.mark.long
@pytest.mark.parametrize(("lacks", "vm", "code"), [(set(), False, 0), ({"netns"}, True, 0)])
def test_doctor_is_content_with_one_backend(
    monkeypatch: pytest.MonkeyPatch, lacks: set[str], vm: bool, code: int
) -> None:
    pretend(monkeypatch, lacks=lacks, vm=vm)
    with Path(os.devnull).open("w") as nowhere:
        assert doctor_report({}, console=Console(file=nowhere)) == code


@pytest.mark.long
def test_doctor_answers_3_where_nothing_works(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(monkeypatch, lacks={"netns"}, vm=False)
    assert doctor_report({"plain": frozenset()}, as_json=True) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["labs"][0]["backend"] is None
    assert [backend["usable"] for backend in found["backends"]] == [False, False, False]
    assert found["machine"]["python"].startswith(f"{sys.version_info.major}.")
