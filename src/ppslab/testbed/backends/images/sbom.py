"""A bill of materials of an image: Debian's packages by debsbom, Python's and our own beside them.

CycloneDX JSON.  debsbom (Siemens, MIT) reads dpkg's records and the copyright files of the image
itself, not what the Dockerfile asked for.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import uuid
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from ppslab.core.errors import CannotHereError, PpslabError

#: One serial number for one content: a second build of the same image changes nothing.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/ppslab/images")
SCHEMA = "1.6"


def bill(
    root: Path, *, name: str, version: str, created: str, arch: str, ours: Mapping[str, str]
) -> dict[str, Any]:
    """The bill of a root file system.

    `root`: a tar archive, as `docker export` writes it.  `name`, `version`: the image's.
    `created`: ISO 8601.  `arch`: dpkg's word, amd64 or arm64.  `ours`: path in the image
    to licence, of the programs that no package brought; each is named with its SHA-256.
    Raises PpslabError if one of them is not there, CannotHereError without debsbom.
    """
    found = debian_packages(root, name=name, version=version, created=created, arch=arch)
    programs = [*python_packages(root), *own_programs(root, version, ours)]
    found["components"] = [*found.get("components", []), *programs]
    found["dependencies"] = [
        *found.get("dependencies", []),
        *({"ref": each["bom-ref"]} for each in programs),
    ]
    content = json.dumps([found["components"], version], sort_keys=True, separators=(",", ":"))
    found["serialNumber"] = f"urn:uuid:{uuid.uuid5(NAMESPACE, content)}"
    return found


def debian_packages(
    root: Path, *, name: str, version: str, created: str, arch: str
) -> dict[str, Any]:
    """The bill that debsbom makes of a root file system."""
    program = Path(sys.executable).parent / "debsbom"
    found = str(program) if program.exists() else shutil.which("debsbom")
    if found is None:
        raise CannotHereError("debsbom is not in this Python environment", "make .venv/.synced")
    done = subprocess.run(
        [
            *(found, "generate", "--sbom-type", "cdx", "--cdx-schema-version", SCHEMA),
            *("--root", str(root), "--with-licenses", "--timestamp", created, "--out", "-"),
            *("--distro-name", name, "--distro-version", version, "--distro-arch", arch),
            *("--base-distro-vendor", "debian"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise PpslabError(f"debsbom failed on {root}: {done.stderr.strip()[-600:]}")
    bill: dict[str, Any] = json.loads(done.stdout)
    return bill


def python_packages(root: Path) -> list[dict[str, Any]]:
    """Components for the packages of a Python environment; Debian's own are not in one."""
    with tarfile.open(root) as archive:
        heads = [
            message_from_bytes(file.read())
            for each in archive.getmembers()
            if re.search(r"/site-packages/[^/]+\.dist-info/METADATA$", each.name)
            and (file := archive.extractfile(each)) is not None
        ]
    found = {(canonicalize_name(str(each["Name"])), str(each["Version"])) for each in heads}
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
        }
        for name, version in sorted(found)
    ]


def own_programs(root: Path, version: str, ours: Mapping[str, str]) -> list[dict[str, Any]]:
    """Components for the files that no package brought."""
    with tarfile.open(root) as archive:
        return [
            {
                "type": "application",
                "bom-ref": f"ppslab:{path}",
                "name": Path(path).name,
                "version": version,
                "description": f"/{path}, built from ppslab's own sources",
                "hashes": [{"alg": "SHA-256", "content": _sha256(archive, path)}],
                "licenses": [_licence(ours[path])],
            }
            for path in sorted(ours)
        ]


def installed(bill: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The binary packages of a bill, and Python's; debsbom lists Debian's sources too."""
    return [
        each
        for each in bill.get("components", [])
        if "arch=source" not in each.get("purl", "arch=source")
    ]


def _sha256(archive: tarfile.TarFile, path: str) -> str:
    try:
        file = archive.extractfile(path)
    except KeyError:
        file = None
    if file is None:
        raise PpslabError(f"/{path} is not in the image: did its build stage make it?")
    return hashlib.sha256(file.read()).hexdigest()


def _licence(name: str) -> dict[str, Any]:
    """A name without blanks is SPDX's; any other is a licence that SPDX does not list."""
    return {"license": {"name": name} if " " in name else {"id": name}}
