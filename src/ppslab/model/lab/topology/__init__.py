"""What is wired: containerlab's topology files, as ppslab reads them.

The file is a valid containerlab 0.79 file (https://containerlab.dev/manual/topo-def-file/ and
/manual/nodes/).
The embedded backends (namespaces, vm) have `linux` nodes and links in the brief format; whatever
else containerlab knows is an error that names the key, its line and who has it.  Read for the
containerlab backend (`foreign=True`), it is kept.
"""

from __future__ import annotations

from pathlib import Path

from ppslab.core import paths
from ppslab.core.documents import inside, load_yaml
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.model.lab.topology.parts import Bind, Endpoint, Link, NodeSpec, Topology
from ppslab.model.lab.topology.reading import Reader
from ppslab.model.lab.topology.schema import DEFAULT_MTU, MTU_RANGE, ROUTEROS

__all__ = [
    "DEFAULT_MTU",
    "MTU_RANGE",
    "ROUTEROS",
    "SUFFIX",
    "Bind",
    "Endpoint",
    "Link",
    "NodeSpec",
    "Topology",
    "find",
    "load",
]

SUFFIX = ".clab.yml"


def find(name: str, *, foreign: bool = False) -> Topology:
    """The topology `topologies/NAME.clab.yml` of the project; `foreign`: as `load` has it.

    Its nodes see files of labs/ and topologies/ only; FileError with the line of any other.
    """
    root = paths.project_root()
    folder = root / "topologies"
    path = folder / f"{name}{SUFFIX}"
    if not path.is_file():
        known = sorted(p.name.removesuffix(SUFFIX) for p in folder.glob(f"*{SUFFIX}"))
        near = did_you_mean(name, known) or f" (there are: {', '.join(known)})"
        raise UsageError(f'no topology "{name}"{near}')
    if inside.outside(folder, path.name):
        raise FileError(path, None, f"is a link out of {folder}; copy the file here")
    return Reader(load_yaml(path), foreign, (folder, root / "labs")).topology()


def load(path: Path | str, *, foreign: bool = False) -> Topology:
    """Read and check a topology file; FileError with the line for what is wrong or not ours.

    `foreign`: keep what only containerlab knows, for the backend that drives it.
    """
    path = Path(path)
    return Reader(load_yaml(path), foreign).topology()
