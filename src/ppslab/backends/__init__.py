"""Backends: where a topology is stood up, and how commands reach its nodes.

    with open_backend("namespaces") as backend, backend.deploy(topology) as lab:
        print(lab.node("dut").run(["ip", "route"]).stdout)

Names are imported when first used, for the agent imports this package too, and has no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ppslab.backends.deployments import Backend, Borrow, Completed, Deployment, Node
    from ppslab.backends.opening import attach, open_backend

__all__ = ["Backend", "Borrow", "Completed", "Deployment", "Node", "attach", "open_backend"]

_WHERE = {
    "Backend": "deployments",
    "Borrow": "deployments",
    "Completed": "deployments",
    "Deployment": "deployments",
    "Node": "deployments",
    "attach": "opening",
    "open_backend": "opening",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"ppslab.backends.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
