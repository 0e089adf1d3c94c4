"""How a build reaches package registries here: another index, or a network that reads TLS.

Both come from this machine's environment, by the names that pip and uv have for them, so that no
file of the project names a host.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

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
