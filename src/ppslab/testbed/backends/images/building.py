"""Builds the images and tries them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path

from ppslab.core.errors import PpslabError
from ppslab.testbed.backends.images.docker import Docker, arguments, certificates

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Image:
    """One image: its folder below images/.

    `capabilities`: what its health check needs beyond what Docker gives.  `sources`: files and
    folders of the project that it is built from.
    """

    name: str
    capabilities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ("images", "traffic")


IMAGES: Mapping[str, Image] = {
    image.name: image
    for image in (
        Image("generator"),
        Image("linux-router", ("NET_ADMIN",)),
        Image(
            "seat",
            sources=(
                *("images", "traffic", "src", "labs", "topologies", "book", "notebooks", "results"),
                *("scripts", "pyproject.toml", "uv.lock"),
            ),
        ),
    )
}


@dataclass(frozen=True)
class Wishes:
    """Options of a build.

    `base`: the base image, None for the Dockerfile's, which is pinned by its digest.
    `snapshot`: the time of snapshot.debian.org, "none" for the base's own sources, None for the
    Dockerfile's.  `network`: of the build, as `docker build --network` takes it.
    """

    base: str | None = None
    snapshot: str | None = None
    network: str | None = None


@dataclass(frozen=True)
class Built:
    """An image that was built: `size` in bytes."""

    tag: str
    id: str
    size: int


def build(image: Image, root: Path, wishes: Wishes, docker: Docker, say: Progress) -> Built:
    """Build an image of the checkout at `root`, and try the result.

    Raises CannotHereError without a base, PpslabError when the build or the health check fails.
    """
    dockerfile = root / f"images/{image.name}/Dockerfile"
    with certificates(root / "_build/images"):
        built = make(
            image.name, f"ppslab/{image.name}:latest", dockerfile, root, arguments(dockerfile),
            image.sources, root=root, wishes=wishes, docker=docker, say=say,
        )  # fmt: skip
    # The image's own health check, without a network.
    caps = [word for each in image.capabilities for word in ("--cap-add", each)]
    argv = ("run", "--rm", "--network", "none", *caps, built.tag, "/usr/lib/ppslab/health")
    done = docker.tried(*argv)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        raise PpslabError(f"{built.tag} was built, but is not healthy: {said}")
    return built


def make(
    name: str,
    tag: str,
    dockerfile: Path,
    context: Path,
    arguments: Mapping[str, str],
    sources: tuple[str, ...],
    *,
    root: Path,
    wishes: Wishes,
    docker: Docker,
    say: Progress,
) -> Built:
    """Build one image; PpslabError has the end of Docker's log and a remedy.

    `context`: the folder that is sent to Docker; `sources`: the project's files that it is made of.
    """
    default = re.search(r"^ARG BASE=(\S+)", dockerfile.read_text(), re.MULTILINE)
    assert default is not None
    base = wishes.base or default[1]
    docker.bring(base)
    given = {"BASE": base, "SNAPSHOT": wishes.snapshot, **arguments, **origin_of(root, sources)}
    argv = (
        *("build", "--file", str(dockerfile)),
        *(("--network", wishes.network) if wishes.network else ()),
        *(
            part
            for name, value in given.items()
            if value is not None
            for part in ("--build-arg", f"{name}={value}")
        ),
        *("--tag", tag, str(context)),
    )
    say(f"{tag}: building from {base.split('@')[0]} ...")
    docker.logged(root / f"_build/images/{name}.log", *argv)
    inspected = docker.inspect(tag)
    if inspected is None:
        raise PpslabError(
            f"docker build reported that it built {tag}, but the image does not exist"
        )
    return Built(tag, inspected["Id"], inspected["Size"])


def origin_of(root: Path, folders: tuple[str, ...]) -> dict[str, str | None]:
    """The build arguments VERSION, REVISION and CREATED: ppslab's version, the commit, its time.

    "-changed" follows the commit if `folders` differ from it.  Outside of git: "unknown", and now.
    """
    revision = _git(root, "rev-parse", "HEAD") or "unknown"
    created = (
        _git(root, "log", "-1", "--format=%cI", "--", *folders) or datetime.now(UTC).isoformat()
    )
    if revision != "unknown" and _git(root, "status", "--porcelain", "--", *folders):
        revision += "-changed"
    return {"VERSION": version_of("ppslab"), "REVISION": revision, "CREATED": created}


def _git(root: Path, *argv: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *argv], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
