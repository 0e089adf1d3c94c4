"""CHR's image: MikroTik's disk under vrnetlab's launcher, as containerlab's mikrotik_ros wants it.

vrnetlab (MIT) is fetched at one commit; nothing of it is in this project.  What its launcher
leaves out on a machine without KVM is in images/chr/launch.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ppslab.core.errors import CannotHereError, PpslabError
from ppslab.testbed.backends.images.building import Built, Recipe, Wishes, make
from ppslab.testbed.backends.images.docker import Docker

Progress = Callable[[str], None]

VRNETLAB = "https://github.com/srl-labs/vrnetlab"
#: A commit's name is the hash of all that is in it: git checks what it fetches against it.
COMMIT = "9b1495fd161d9f1836f0899f05f7a8c11d834877"
#: Files of vrnetlab: their path there, and their name in the image.
FILES = ("common/vrnetlab.py", "common/healthcheck.py", "mikrotik/routeros/docker/launch.py")

OFFICIAL = "mikrotik/chr"
#: The devices that the kernel makes in every new namespace; start.sh of the official image bridges
#: each device that it finds, and ends at one of these (containerlab issue 3116).
FALLBACKS = re.compile(r"^\s*(tunl0|gre0|gretap0|erspan0|sit0|ip6tnl0|ip6gre0|ip_vti0):", re.M)


def vrnetlab(folder: Path, say: Progress, source: str = VRNETLAB) -> Path:
    """A checkout of vrnetlab at COMMIT in `folder`; fetched if it is not there."""
    if _commit(folder) == COMMIT and all((folder / each).exists() for each in FILES):
        return folder
    if shutil.which("git") is None:
        raise CannotHereError("git is not here", "sudo apt-get install git")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say(f"fetching vrnetlab {COMMIT[:12]} from {source} ...")
    for argv in (
        ("init", "--quiet"),
        ("fetch", "--quiet", "--depth", "1", source, COMMIT),
        ("-c", "advice.detachedHead=false", "checkout", "--quiet", "FETCH_HEAD"),
    ):
        done = _git(folder, *argv)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise CannotHereError(
                f"vrnetlab cannot be fetched from {source}: {done.stderr.strip()}",
                "Where GitHub cannot be reached: VRNETLAB=path/to/a/clone",
            )
    missing = [each for each in FILES if not (folder / each).exists()]
    if missing or _commit(folder) != COMMIT:
        raise PpslabError(f"{source} at {COMMIT} is not vrnetlab: it lacks {', '.join(missing)}")
    return folder


def context(root: Path, folder: Path, launcher: Path) -> Path:
    """The folder that Docker builds from: vrnetlab's files and our own; the disk comes to them."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "vrnetlab").mkdir(parents=True)
    for each in FILES:
        shutil.copy(launcher / each, folder / "vrnetlab")
    shutil.copy(launcher / "LICENSE", folder / "vrnetlab-LICENSE")
    shutil.copy(root / "images/install", folder / "install")
    shutil.copy(root / "images/chr/launch", folder / "launch")
    return folder


def build_chr(
    root: Path, version: str, folder: Path, wishes: Wishes, docker: Docker, say: Progress
) -> Built:
    """`vrnetlab/mikrotik_routeros:VERSION` from a context that is ready.

    Not tried: a disk boots only under containerlab, which gives it its wires.
    """
    ours = {Path(each).name: "MIT" for each in FILES} | {f"chr-{version}.vmdk": "MikroTik EULA"}
    recipe = Recipe(
        name="chr",
        tag=f"vrnetlab/mikrotik_routeros:{version}",
        dockerfile=root / "images/chr/Dockerfile",
        context=folder,
        bill=folder / "chr.cdx.json",
        ours=ours,
        arguments={"CHR": version, "VRNETLAB": COMMIT},
    )
    return make(recipe, root, wishes, docker, say)


def official(version: str, docker: Docker, say: Progress) -> list[str]:
    """Bring MikroTik's own image, and say what of its known faults this machine will meet.

    [INF] The faults are those of containerlab issue 3116 (2026-06), not tried here.
    """
    image = f"{OFFICIAL}:{version}"
    if docker.inspect(image) is None:
        say(f"pulling {image} ...")
        done = docker.tried("pull", "--quiet", image)
        if done.returncode:
            raise CannotHereError(
                f"{image} could not be pulled: {done.stderr.strip()}",
                f"MikroTik has it since 7.22 only. The first way: make chr CHR={version}",
            )
    argv = ("run", "--rm", "--network", "none", "--entrypoint", "cat", image, "/proc/net/dev")
    devices = sorted(set(FALLBACKS.findall(docker.run(*argv))))
    said = []
    if devices:
        said.append(
            f"{', '.join(devices)}: the kernel puts these into every container, and the image's "
            "start.sh ends at them. Before the lab: "
            "sudo sysctl net.core.fb_tunnels_only_for_init_net=1"
        )
    said += [
        "It takes no configuration at its first start: containerlab's startup-config is not for "
        "it. Configure it over REST once it answers, as user admin with an empty password.",
        "It is QEMU inside, as vrnetlab's is, and containerlab has no kind for it: use "
        "`kind: linux`, and expect no word from it on when it is ready.",
    ]
    return said


def _commit(folder: Path) -> str:
    return _git(folder, "rev-parse", "HEAD").stdout.strip() if (folder / ".git").exists() else ""


def _git(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(folder), *argv], capture_output=True, text=True, check=False
    )
