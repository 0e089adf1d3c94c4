"""The containerlab backend: topologies as containers, deployed by containerlab's own command.

Its agent answers as the other backends' does, so routers and instruments need not know.  What it
does is what `steps` has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppslab.core.documents import read_text, write_json
from ppslab.core.errors import CannotHereError, FileError
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.backend import Backend, Deployment
from ppslab.testbed.backends.capabilities.features import usable
from ppslab.testbed.backends.containerlab import steps
from ppslab.testbed.backends.namespaces import open_agent

if TYPE_CHECKING:
    from ppslab.model.lab.topology import Topology
    from ppslab.testbed.backends.backend import Borrow

NAME = "containerlab"
_SHORT_SECONDS = 60.0
# Two labs that are being taken down, one after the other.
_END_SECONDS = 2 * steps.DESTROY_SECONDS


class ContainerlabBackend(Backend):
    """`facts` tells, beside what every agent knows: docker and containerlab (their versions), and
    images (by name, the id) once a lab stands.
    """

    deploy_seconds = steps.DEPLOY_SECONDS + 3 * steps.BOOT_SECONDS
    remove_seconds = _END_SECONDS
    own_files = True

    def deploy(
        self, topology: Topology, run_id: str | None = None, *, borrow: Sequence[Borrow] = ()
    ) -> Deployment:
        """As in every backend; then the record's facts have the images."""
        deployment = super().deploy(topology, run_id, borrow=borrow)
        self.facts.update(self.client.call("facts", wait=_SHORT_SECONDS))
        return deployment

    def _plain(self, topology: Topology, run: str) -> dict[str, Any]:
        """The topology for the agent; noted first, so that leftovers of a kill -9 are found."""
        if len(re.findall(r"^name:", read_text(topology.path), re.M)) != 1:
            raise FileError(
                topology.path, 1, 'the key "name" must begin a line: a run gets its own name there'
            )
        if "prefix" in topology.foreign:
            raise FileError(topology.path, None, "ppslab names the containers itself: no prefix")
        plain = steps.described(topology)
        note = registry.folder() / f"{self.entry.name}.{run}{registry.CONTAINERS}"
        write_json(note, {"file": plain["file"], "run": run})
        return {**plain, "note": str(note)}


def open_containerlab(*, detach: bool = False) -> Backend:
    """Start the agent that drives containerlab.

    CannotHereError, with what brings it, where Docker or containerlab is missing.
    """
    state = usable(NAME)
    if not state.usable:
        raise CannotHereError(state.why, state.remedy)
    module = "ppslab.testbed.backends.containerlab.agent"
    return open_agent(NAME, module, ContainerlabBackend, detach=detach, seconds=_END_SECONDS)
