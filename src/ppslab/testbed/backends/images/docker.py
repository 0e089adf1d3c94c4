"""Docker's own command, and what to do when it fails.

Only what both of Docker's builders know is used: Debian 12 has the one before BuildKit.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ppslab.core.errors import CannotHereError, PpslabError

START = (
    "start it: sudo systemctl start docker (without systemd: sudo dockerd); "
    "and be in its group: sudo usermod -aG docker $USER, then log in again"
)

#: Messages of Docker and apt when something fails, and what a reader can do about it.
REMEDIES: Sequence[tuple[str, str]] = (
    (
        r"snapshot\.debian\.org",
        "snapshot.debian.org did not answer. SNAPSHOT=none takes today's versions from the base's "
        "own sources.",
    ),
    (
        r"Temporary failure resolving|Could not resolve|Unable to connect to"
        r"|network bridge not found|could not find an available",
        "The build has no network. NETWORK=host lets it use this machine's.",
    ),
    (
        r"no space left on device",
        "The disk is full: docker system df shows what takes the room, docker image prune frees "
        "some of it.",
    ),
)


class Docker:
    """The `docker` command of this machine.

    Raises CannotHereError when it is not here or its daemon does not answer.
    """

    def __init__(self) -> None:
        if shutil.which("docker") is None:
            raise CannotHereError(
                "docker is not installed",
                "sudo apt-get install docker.io, or docs.docker.com/get-docker",
            )
        done = self.tried("version", "--format", "{{.Server.Version}}")
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise CannotHereError(f"Docker does not answer: {said}", START)

    def logged(self, log: Path, *argv: str) -> None:
        """Run a long command with what it prints in `log`; PpslabError has its end and a remedy."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as out:
            done = subprocess.run(
                ["docker", *argv],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            text = log.read_text(errors="replace")
            tail = "\n".join(f"  {line}" for line in text.strip().splitlines()[-8:])
            remedies = [remedy for pattern, remedy in REMEDIES if re.search(pattern, text)]
            whole = f"The whole log: {log}"
            raise PpslabError("\n".join([f"docker {argv[0]} failed:", tail, whole, *remedies[:1]]))

    def inspect(self, image: str) -> Mapping[str, Any] | None:
        """Inspect a local image; None if Docker has none."""
        done = self.tried("image", "inspect", image)
        return json.loads(done.stdout)[0] if done.returncode == 0 else None

    def bring(self, image: str) -> None:
        """Make sure of an image, from its registry if need be; CannotHereError if that fails."""
        if self.inspect(image) is not None:
            return
        done = self.tried("pull", "--quiet", image)
        if done.returncode:
            raise CannotHereError(
                f"{image} is not on this machine and could not be pulled: {done.stderr.strip()}",
                "Where the registry cannot be reached, make image-base makes a base by "
                "debootstrap: then make images BASE=ppslab/base:bookworm SNAPSHOT=none",
            )

    def tried(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """`docker ARGV`, whatever its outcome."""
        return subprocess.run(
            ["docker", *argv],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            # Otherwise Docker writes colour codes, though there is no terminal.
            env={**os.environ, "NO_COLOR": "1"},
        )


INDEXES: Final = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX")
CERTIFICATES: Final = "SSL_CERT_FILE"
FILE: Final = "certificates.pem"


def arguments(dockerfile: Path) -> Mapping[str, str]:
    """Build arguments for the indexes that are set here and that the Dockerfile asks for.

    Docker complains of an argument that no stage takes.
    """
    asked = set(re.findall(r"^ARG (\w+)$", dockerfile.read_text(encoding="utf-8"), re.MULTILINE))
    return {name: os.environ[name] for name in INDEXES if name in asked and os.environ.get(name)}


@contextmanager
def certificates(folder: Path) -> Iterator[None]:
    """While this is open, `folder` has the authorities that this machine trusts, if it names them.

    A build stage takes the file; no image keeps it.
    """
    told, copy = os.environ.get(CERTIFICATES, ""), folder / FILE
    copy.unlink(missing_ok=True)
    if told and Path(told).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(told, copy)
    try:
        yield
    finally:
        copy.unlink(missing_ok=True)
