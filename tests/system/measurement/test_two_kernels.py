"""The same packets on two kernels: each counts the same again and again, and the two differ.

The second kernel is the one of Debian's backports: 106 MB, fetched once, unpacked in the cache and
never installed.  Two guests and the fetch take three minutes: PPSLAB_EVERY_LAB=1.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.backends import capabilities, open_backend
from ppslab.backends.capabilities import guest_kernel
from ppslab.base import measures
from ppslab.base.errors import CannotHereError
from ppslab.base.paths import cache_dir
from ppslab.lab import lab, profiles
from ppslab.measurement.testbed.linux import stand
from ppslab.measurement.trial.spec import TrialSpec

STATE = capabilities.usable("vm")
pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
    pytest.mark.skipif("PPSLAB_EVERY_LAB" not in os.environ, reason="106 MB: PPSLAB_EVERY_LAB=1"),
]

KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
AGAIN = 0.002
"""Two counts on one kernel differ by less."""
CONDITIONS = ("routing-fast-path", "routing-plain", "routing-25-ip-filter-rules")


def second_kernel() -> Path:
    """The image of the backports' kernel, with its modules beside it; skips where none is had."""
    home = cache_dir() / "second-kernel"
    for image in home.glob("tree/boot/vmlinuz-*"):
        return image
    system = platform.freedesktop_os_release()
    if system.get("ID") != "debian" or not KEYS.is_file():
        pytest.skip(f"the second kernel is of Debian's backports, and this is {system.get('ID')}")
    shutil.rmtree(home, ignore_errors=True)
    (home / "lists" / "partial").mkdir(parents=True)
    (home / "cache" / "archives" / "partial").mkdir(parents=True)
    suite = f"{system['VERSION_CODENAME']}-backports"
    source = f"deb [signed-by={KEYS}] http://deb.debian.org/debian {suite} main\n"
    (home / "sources.list").write_text(source)
    own = ["-o", f"Dir::Etc::sourcelist={home}/sources.list", "-o", "Dir::Etc::sourceparts=-"]
    own += ["-o", f"Dir::State::lists={home}/lists", "-o", f"Dir::Cache={home}/cache"]
    asked(home, "apt-get", *own, "update")
    depends = asked(home, "apt-cache", *own, "depends", "linux-image-amd64").split()
    names = [name for name in depends if guest_kernel.KERNEL_PACKAGE.fullmatch(name)]
    if not names:
        pytest.skip(f"{suite} has no kernel")
    asked(home, "apt-get", *own, "download", names[0])
    tree = home / "fresh"
    tree.mkdir()
    (package,) = home.glob("*.deb")
    guest_kernel._unpack(package, tree)
    package.unlink()
    (image,) = tree.glob("boot/vmlinuz-*")
    asked(home, "depmod", "-b", str(tree), image.name.removeprefix("vmlinuz-"))
    tree.rename(home / "tree")
    return home / "tree" / "boot" / image.name


def asked(where: Path, *argv: str) -> str:
    """What a command prints; skips where it fails, with what it says."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    environment = {**os.environ, "PATH": path, "LC_ALL": "C"}
    done = subprocess.run(
        argv, cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no second kernel: {argv[0]}: {done.stderr.strip()[-200:]}")
    return done.stdout


def counted() -> tuple[str, dict[str, float]]:
    """The guest's kernel, and the router's instructions a packet by condition.

    Everything is counted twice, and both counts must agree.
    """
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("vm", measure="counted"))
        testbed = stand(stack, backend, lab.find("fastpath"), profiles.load("quick"))
        specs = {"cable": TrialSpec("cable", None, 64, 0.05, round_number=0)}
        for name in CONDITIONS:
            condition = testbed.lab.condition(name)
            specs[name] = TrialSpec("cost", condition, 64, 0.05, round_number=0)
        rounds = []
        for _ in range(2):
            seen = {}
            for name, spec in specs.items():
                trial = testbed.trial(spec)
                assert trial.valid, trial.invalid_because
                seen[name] = measures.of_nanoseconds(trial.nanoseconds_each("cpu"), "counted")
            rounds.append(seen)
        assert rounds[1] == pytest.approx(rounds[0], rel=AGAIN)
        router = {name: rounds[0][name] - rounds[0]["cable"] for name in CONDITIONS}
        return str(backend.facts["kernel"]), {**router, "cable": rounds[0]["cable"]}


def test_a_kernel_counts_the_same_again_and_another_one_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        mine = guest_kernel.guest_kernel()
    except CannotHereError as error:
        pytest.skip(str(error))
    other = second_kernel()
    kernel, costs = counted()
    assert kernel == mine.version
    monkeypatch.setenv("PPSLAB_KERNEL", str(other))
    other_kernel, other_costs = counted()
    assert other_kernel == guest_kernel.image_version(other) != kernel
    print(f"{kernel}: {costs}\n{other_kernel}: {other_costs}")
    # Other code has other lengths, far beyond what two counts on one kernel differ by.  From 6.1
    # to 6.12 the sending and receiving that every packet needs grew by 3 %, plain routing by 2 %
    # and the fast path by 11 %, and the rules shrank by 2 %.
    for name, cost in costs.items():
        assert other_costs[name] == pytest.approx(cost, rel=0.15), name
    assert abs(other_costs["cable"] / costs["cable"] - 1) > 5 * AGAIN
    assert abs(other_costs["routing-plain"] / costs["routing-plain"] - 1) > 5 * AGAIN
    # It is the same router: what is dearer on one is dearer on the other.
    assert sorted(costs, key=costs.__getitem__) == sorted(other_costs, key=other_costs.__getitem__)
