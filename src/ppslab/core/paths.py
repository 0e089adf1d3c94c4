"""Folders: the project's files, the caches, the runtime files, the records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ppslab.core.errors import UsageError


def project_root() -> Path:
    """The checkout: the nearest folder upwards that holds `labs/` and `topologies/`.

    `$PPSLAB_ROOT` overrides. Raises UsageError outside of a checkout.
    """
    told = os.environ.get("PPSLAB_ROOT")
    starts = [Path(told)] if told else [Path.cwd(), Path(__file__).resolve().parent]
    for start in starts:
        for folder in (start, *start.parents):
            if (folder / "labs").is_dir() and (folder / "topologies").is_dir():
                return folder
    raise UsageError(
        "no labs/ and topologies/ here or above: run this in a checkout of ppslab, "
        "or set PPSLAB_ROOT to one"
    )


def cache_dir() -> Path:
    """The folder of what may be removed and made again: guest kernel, probe answers."""
    if told := os.environ.get("PPSLAB_CACHE"):
        return Path(told)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "ppslab")


def runtime_dir() -> Path:
    """The folder of running things: one file an agent, sockets.  Empty after a reboot."""
    if told := os.environ.get("PPSLAB_RUNTIME"):
        return Path(told)
    if os.geteuid() == 0:
        return Path("/run/ppslab")
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base) / "ppslab" if base else Path(f"/tmp/ppslab-{os.geteuid()}")


def build_dir() -> Path:
    """The folder of what `make` builds: ppstraffic, BPF objects, the site."""
    return project_root() / "_build"


OWN: Final = "local"
"""The folder of results/ for the records of this machine."""

KEPT: Final = "kept"
"""The folder of _build/ for what is made of the kept records alone, and for links to them."""


def results_dir() -> Path:
    """The recorded runs; those made on this machine are in its folder `local`.

    `$PPSLAB_RESULTS` overrides.
    """
    told = os.environ.get("PPSLAB_RESULTS")
    return Path(told) if told else project_root() / "results"


def kept_results(root: Path) -> Path:
    """The folder of the kept records alone of a checkout: `results`, or links in `_build/kept`.

    Links, where this machine has records of its own; `storing.read_kept` makes them.
    """
    results = root / "results"
    return root / "_build" / KEPT / "results" if (results / OWN).is_dir() else results


def site_build(root: Path, records: Path | None = None) -> Path:
    """The folder of a checkout's site, and of what in it depends on the records: `_build`.

    `records`: those that it is built from, by default those that are read here.  A site of the kept
    records alone is in a folder of that, where this machine has records of its own: neither is
    built in the other's place.
    """
    folder = root / "_build"
    return folder / KEPT if (records or results_dir()) == folder / KEPT / "results" else folder
