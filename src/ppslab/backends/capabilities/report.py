"""Everything known about this machine, as plain data: `ppslab doctor` shows it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ppslab.backends.capabilities import kvm
from ppslab.backends.capabilities.choice import choose, usable
from ppslab.backends.capabilities.cpus import cpu_facts, cpu_plan, steal_share
from ppslab.backends.capabilities.features import Feature, guest_features, host_features
from ppslab.backends.capabilities.tools import Tool, containerlab_tools, vm_tools
from ppslab.base.errors import CannotHereError, PpslabError, UsageError


def report(labs: Mapping[str, frozenset[str] | PpslabError]) -> dict[str, Any]:
    """The machine, its features, tools, backends, and which backend each lab takes.

    `labs`: name to all that its conditions need, or to what is wrong with its file.
    """
    guest = _guest_features()
    return {
        "machine": _machine(),
        "features": [_feature(feature) for feature in host_features().values()],
        "guest": None if guest is None else [_feature(feature) for feature in guest.values()],
        "kvm": _kvm(),
        "tools": [asdict(tool) for tool in _tools()],
        "backends": [asdict(usable(name)) for name in ("namespaces", "vm", "containerlab")],
        "labs": [_lab(name, needs) for name, needs in sorted(labs.items())],
    }


def _machine() -> dict[str, Any]:
    facts, plan = cpu_facts(), cpu_plan()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "system": _system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "memory_bytes": memory,
        "root": os.geteuid() == 0,
        "cpu": facts.model,
        "cpus_online": facts.online,
        "cpus_allowed": list(facts.allowed),
        "cpu_siblings": list(facts.siblings),
        "cpu_plan": {**asdict(plan), "coupled": plan.coupled},
        "steal_share": round(steal_share(), 4),
    }


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()


def _tools() -> list[Tool]:
    return [*vm_tools(), *containerlab_tools()]


def _feature(feature: Feature) -> dict[str, Any]:
    return {
        "name": feature.name,
        "present": feature.present,
        "why": feature.why,
        "remedy": feature.remedy,
        "meaning": feature.meaning,
    }


def _guest_features() -> dict[str, Feature] | None:
    try:
        return guest_features()
    except UsageError:  # $PPSLAB_KERNEL names no kernel: vm_tools() says so
        return None


def _kvm() -> dict[str, Any]:
    """`boots` is None while nobody has tried: opening /dev/kvm proves nothing."""
    answer = kvm.known()
    if answer is None:
        return {"boots": None, "why": "/dev/kvm opens; not tried yet: ppslab doctor --kvm"}
    return asdict(answer)


def _lab(name: str, needs: frozenset[str] | PpslabError) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "needs": [], "backend": None, "remedy": ""}
    if isinstance(needs, PpslabError):
        return {**row, "reason": str(needs)}
    row["needs"] = sorted(needs)
    try:
        choice = choose(needs)
    except CannotHereError as error:
        return {**row, "reason": error.reason, "remedy": error.remedy}
    except UsageError as error:
        return {**row, "reason": str(error)}
    return {**row, "backend": choice.backend, "reason": choice.reason}


def remedies(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """What each command would bring, for everything that is missing in a report()."""
    wanted: dict[str, list[str]] = {}
    for thing in (*found["features"], *found["tools"]):
        if not thing["present"] and thing["remedy"]:
            wanted.setdefault(thing["remedy"], []).append(thing["name"])
    return wanted
