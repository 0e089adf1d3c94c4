"""Backends: where a topology is deployed, and how commands reach its nodes.

    with open_backend("namespaces") as backend, backend.deploy(topology) as lab:
        print(lab.node("dut").run(["ip", "route"]).stdout)

Names are imported on first use: the agent imports this package too, and must start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ppslab.testbed.backends.backend import Backend, Borrow, Completed, Deployment, Node
    from ppslab.testbed.backends.factory import attach, open_backend

__all__ = ["Backend", "Borrow", "Completed", "Deployment", "Node", "attach", "open_backend"]

# Full names, so that scripts/records/runs_to_make.py sees who is imported.
_WHERE = {
    "Backend": "ppslab.testbed.backends.backend",
    "Borrow": "ppslab.testbed.backends.backend",
    "Completed": "ppslab.testbed.backends.backend",
    "Deployment": "ppslab.testbed.backends.backend",
    "Node": "ppslab.testbed.backends.backend",
    "attach": "ppslab.testbed.backends.factory",
    "open_backend": "ppslab.testbed.backends.factory",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
