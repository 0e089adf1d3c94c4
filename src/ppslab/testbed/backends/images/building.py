"""Builds the images, tries them, and lists what is in them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from pathlib import Path

from ppslab.core.errors import FileError, PpslabError
from ppslab.testbed.backends.images.docker import Docker, arguments, certificates
from ppslab.testbed.backends.images.sbom import bill, installed

Progress = Callable[[str], None]

BPF_PROGRAMS = ("bridge_forward", "eoip", "fib_forward", "l3_offload", "spread")
_OBJECTS = tuple(f"bpf/{each}.o" for each in BPF_PROGRAMS)


@dataclass(frozen=True)
class Image:
    """One image: its folder below images/, and what in it is ours.

    `ours`: path in the image to SPDX licence.  `capabilities`: what its health check needs beyond
    what Docker gives.  `sources`: files and folders of the project that it is built from.
    """

    name: str
    ours: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ("images", "traffic")

    @property
    def dockerfile(self) -> str:
        return f"images/{self.name}/Dockerfile"

    def tagged(self, tag: str = "latest") -> str:
        """Its name and tag, as Docker and a cluster call it."""
        return f"ppslab/{self.name}:{tag}"


IMAGES: Mapping[str, Image] = {
    image.name: image
    for image in (
        Image("generator", {"usr/local/bin/ppstraffic": "Apache-2.0"}),
        Image(
            "linux-router",
            {f"usr/lib/ppslab/bpf/{each}.o": "Apache-2.0" for each in BPF_PROGRAMS},
            ("NET_ADMIN",),
        ),
        Image(
            "seat",
            {f"opt/ppslab/_build/{each}": "Apache-2.0" for each in ("bin/ppstraffic", *_OBJECTS)},
            sources=(
                *("images", "traffic", "src", "labs", "topologies", "book", "notebooks", "results"),
                *("scripts", "pyproject.toml", "uv.lock"),
            ),
        ),
    )
}


@dataclass(frozen=True)
class Wishes:
    """How the images are to be built.

    `base`: the base image, None for the Dockerfile's, which is pinned by its digest.
    `snapshot`: the time of snapshot.debian.org, "none" for the base's own sources, None for the
    Dockerfile's.  `network`: of the build, as `docker build --network` takes it.
    `platform`: linux/amd64 or linux/arm64, None for this machine's.
    """

    base: str | None = None
    snapshot: str | None = None
    network: str | None = None
    platform: str | None = None
    tag: str = "latest"


@dataclass(frozen=True)
class Built:
    """An image that was built: `size` in bytes, how many `packages` are in it, the bill's file."""

    tag: str
    id: str
    size: int
    packages: int
    sbom: Path
    tried: bool


@dataclass(frozen=True)
class Origin:
    """Where an image's sources come from: ppslab's version, the commit and its time."""

    version: str
    revision: str
    created: str
    arguments: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        words = {"VERSION": self.version, "REVISION": self.revision, "CREATED": self.created}
        object.__setattr__(self, "arguments", build_arguments(words))


@dataclass(frozen=True)
class Recipe:
    """What `docker build` is told of one image.

    `context`: the folder that is sent to Docker.  `bill`: where in it the bill of materials is
    put for the image to take in.  `ours`: path in the image to licence.  `sources`: what of the
    project it is built from.
    """

    name: str
    tag: str
    dockerfile: Path
    context: Path
    bill: Path
    ours: Mapping[str, str]
    arguments: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ("images", "traffic")


def build(image: Image, root: Path, wishes: Wishes, docker: Docker, say: Progress) -> Built:
    """Build an image of the checkout at `root`, make its bill, put it in, and try the result.

    Raises CannotHereError without a base, PpslabError when the build or the health check fails.
    """
    recipe = Recipe(
        name=image.name,
        tag=image.tagged(wishes.tag),
        dockerfile=root / image.dockerfile,
        context=root,
        bill=root / f"_build/images/{image.name}.cdx.json",
        ours=image.ours,
        arguments=arguments(root / image.dockerfile),
        sources=image.sources,
    )
    with certificates(root / "_build/images"):
        built = make(recipe, root, wishes, docker, say)
    return replace(built, tried=wishes.platform is None and try_out(image, built.tag, docker))


def make(recipe: Recipe, root: Path, wishes: Wishes, docker: Docker, say: Progress) -> Built:
    """Build, read what is in it, and build once more with that bill in it.

    The second build is quick: Docker has all of its layers but the last.
    """
    folder = root / "_build/images"
    folder.mkdir(parents=True, exist_ok=True)
    # The bill of an earlier build would end up in this image.
    recipe.bill.unlink(missing_ok=True)
    base = wishes.base or default_argument(recipe.dockerfile, "BASE")
    docker.bring(base, wishes.platform)
    origin = origin_of(root, recipe.sources)
    common = (
        *("--file", str(recipe.dockerfile)),
        *(("--platform", wishes.platform) if wishes.platform else ()),
        *(("--network", wishes.network) if wishes.network else ()),
        *build_arguments({"BASE": base, "SNAPSHOT": wishes.snapshot, **recipe.arguments}),
    )
    log, node = folder / f"{recipe.name}.log", folder / f"{recipe.name}.node"
    say(f"{recipe.tag}: building from {base.split('@')[0]} ...")
    argv = ("build", *common, "--target", "node", "--iidfile", str(node), str(recipe.context))
    docker.logged(log, *argv)
    say(f"{recipe.tag}: reading what is in it ...")
    content = _bill(recipe, node.read_text().strip(), folder, origin, docker)
    node.unlink()
    recipe.bill.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    argv = ("build", *common, *origin.arguments, "--tag", recipe.tag, str(recipe.context))
    docker.logged(log, *argv)
    made = docker.inspect(recipe.tag)
    if made is None:
        raise PpslabError(f"docker build said that it made {recipe.tag}, and it is not there")
    packages = len(installed(content))
    return Built(recipe.tag, made["Id"], made["Size"], packages, recipe.bill, False)


def try_out(image: Image, tag: str, docker: Docker) -> bool:
    """Run the image's own health check in it, without a network; PpslabError if it fails."""
    caps = [word for each in image.capabilities for word in ("--cap-add", each)]
    argv = ("run", "--rm", "--network", "none", *caps, tag, "/usr/lib/ppslab/health")
    done = docker.tried(*argv)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        raise PpslabError(f"{tag} was built, but is not healthy: {said}")
    return True


def default_argument(dockerfile: Path, name: str) -> str:
    found = re.search(rf"^ARG {name}=(\S+)", dockerfile.read_text(), re.MULTILINE)
    if found is None:
        raise FileError(dockerfile, None, f"has no default for {name}: write ARG {name}=...")
    return found[1]


def build_arguments(words: Mapping[str, str | None]) -> tuple[str, ...]:
    """`--build-arg NAME=VALUE` for each that has a value."""
    return tuple(
        part
        for name, value in words.items()
        if value is not None
        for part in ("--build-arg", f"{name}={value}")
    )


def origin_of(root: Path, folders: tuple[str, ...]) -> Origin:
    """The commit that the sources are of, "-changed" if `folders` differ from it.

    Outside of git: "unknown", and the time is now.
    """
    revision = _git(root, "rev-parse", "HEAD") or "unknown"
    created = (
        _git(root, "log", "-1", "--format=%cI", "--", *folders) or datetime.now(UTC).isoformat()
    )
    if revision != "unknown" and _git(root, "status", "--porcelain", "--", *folders):
        revision += "-changed"
    return Origin(version_of("ppslab"), revision, created)


def _bill(
    recipe: Recipe, node: str, folder: Path, origin: Origin, docker: Docker
) -> dict[str, object]:
    archive = folder / f"{recipe.name}.tar"
    inspected = docker.inspect(node)
    if inspected is None:
        raise PpslabError(f"docker build said that it made {node}, and it is not there")
    container = docker.run("create", "--network", "none", node)
    try:
        with archive.open("wb") as out:
            log = folder / f"{recipe.name}.export.log"
            docker.logged(log, "export", container, stdout=out)
        return bill(
            archive,
            name=f"ppslab-{recipe.name}",
            version=origin.version,
            created=origin.created,
            # Docker and dpkg have the same words for the two that there are.
            arch=inspected["Architecture"],
            ours=recipe.ours,
        )
    finally:
        docker.tried("rm", "--force", container)
        archive.unlink(missing_ok=True)


def _git(root: Path, *argv: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *argv], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
