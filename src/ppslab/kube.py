"""A topology on Kubernetes: the manifest that clabernetes turns into pods.

clabernetes 0.8 (https://github.com/clabernetes/clabernetes), resource Topology of c9s.run/v1alpha1.
It runs containerlab in a pod for each node and makes the wires between the pods.  It sees no file
of this machine: what a topology names (start files, binds) goes into ConfigMaps, and stands in the
pod where the definition says.  [INF] No cluster has confirmed a manifest; it follows clabernetes's
own converter (0.8: clabverter/files.go), and is checked against the resource definition.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ppslab.documents import load_yaml, read_text
from ppslab.errors import FileError, UsageError
from ppslab.topology import Topology
from ppslab.wires import needs

API = "c9s.run/v1alpha1"
CONNECTIVITY = ("vxlan", "slurpeeth")

# Where in a pod the files of the checkout stand.
ROOT = Path("/ppslab")
# What Kubernetes takes as the data of one ConfigMap.
MOST_BYTES = 1024 * 1024
# What a node of clabernetes 0.8 has (charts/clabernetes/crds/c9s.run_nodes.yaml), `labels` beside
# it; any other word it drops with a warning that nobody sees.
WORDS = frozenset(
    "binds cap-add certificate cmd components config devices dns enforce-startup-config entrypoint "
    "env env-files exec extras image kind labels license mgmt-ipv4 mgmt-ipv6 network-mode ports "
    "privileged security-opts shm-size startup-config suppress-startup-config sysctls tmpfs type "
    "user".split()
)
# RFC 1123, as Kubernetes wants the names of namespaces, services and deployments.
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class File:
    """A file of this machine, and where it stands in the pod of a node."""

    source: Path
    target: Path

    @property
    def key(self) -> str:
        """Its name in the ConfigMap, which takes no slash."""
        return "_".join(self.target.parts[1:])

    @property
    def mode(self) -> str:
        """Its permissions in clabernetes's words."""
        return "execute" if os.access(self.source, os.X_OK) else "read"


def manifest(
    topology: Topology,
    *,
    namespace: str | None = None,
    registry: str | None = None,
    connectivity: str = CONNECTIVITY[0],
) -> str:
    """The manifest as YAML, for `kubectl apply -f -`.

    `namespace`: left out, the topology's name.  `registry`: goes before the names of our own images
    and of vrnetlab's, which no public registry has.
    Raises UsageError for a word that Kubernetes does not take, FileError for a file that is wrong.
    """
    space = namespace or topology.name
    if not LABEL.fullmatch(space):
        raise UsageError(f"namespace {space!r}: small letters, digits and dashes, at most 63")
    if connectivity not in CONNECTIVITY:
        known = " and ".join(CONNECTIVITY)
        raise UsageError(f"connectivity {connectivity!r}: there are {known}")
    definition = _Definition(topology, registry)
    maps = [
        _config_map(topology, space, node, files)
        for node, files in definition.files.items()
        if files
    ]
    body: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Topology",
        "metadata": {"name": topology.name, "namespace": space},
        "spec": {
            # The namespace is the topology's own, so that the deployments have the nodes' names.
            "naming": "non-prefixed",
            "connectivity": connectivity,
            "definition": {"containerlab": _dump(definition.data)},
            "deployment": _deployment(topology, definition),
            # Few clusters have a load balancer; kubectl port-forward reaches a ClusterIP too.
            "expose": {"exposeType": "ClusterIP"},
        },
    }
    return "".join(f"---\n{_dump(document)}" for document in (_namespace(space), *maps, body))


class _Definition:
    """The file's words with paths as they are in a pod; `files`: what stands there, by node."""

    def __init__(self, topology: Topology, registry: str | None) -> None:
        self.topology = topology
        self.document = load_yaml(topology.path)
        self.data: dict[str, Any] = _copy(self.document.data)
        self.folder = topology.path.resolve().parent
        self.registry = registry
        self.files: dict[str, list[File]] = {}
        wiring = self.data["topology"]
        kinds = wiring.get("kinds") or {}
        defaults = self._level(wiring.get("defaults") or {}, "defaults")
        shared = {name: self._level(level or {}, "kinds", name) for name, level in kinds.items()}
        for name, node in wiring["nodes"].items():
            if not LABEL.fullmatch(name):
                raise self.document.error(
                    ("topology", "nodes", name),
                    f"node {name}: Kubernetes takes small letters, digits and dashes in a name",
                )
            kind = topology.nodes[name].kind
            own = self._level(node or {}, "nodes", name)
            every = [*defaults, *shared.get(kind, []), *own]
            # A nearer level takes the place of another file with the same target.
            self.files[name] = list({file.target: file for file in every}.values())

    def _level(self, level: dict[str, Any], *keys: str) -> list[File]:
        for word in level.keys() - WORDS:
            message = f'{keys[-1]}: clabernetes does not know "{word}", and would leave it out'
            raise self.document.error(("topology", *keys, word), message)
        files: list[File] = []
        if "startup-config" in level:
            file = self._file(str(level["startup-config"]))
            level["startup-config"] = str(file.target)
            files.append(file)
        for number, bind in enumerate(level.get("binds") or []):
            source, rest = str(bind).split(":", 1)
            place = self._file(source)
            level["binds"][number] = f"{place.target}:{rest}"
            files += _below(place)
        if self.registry and _own_image(level.get("image")):
            level["image"] = f"{self.registry.rstrip('/')}/{level['image']}"
        return files

    def _file(self, named: str) -> File:
        source = (self.folder / Path(named).expanduser()).resolve()
        if not source.exists():
            raise FileError(
                self.topology.path, None, f"names {named}, which is not there: {source}"
            )
        base = self.folder.parent
        inside = source.relative_to(base) if source.is_relative_to(base) else Path(source.name)
        return File(source, ROOT / inside)


def _below(place: File) -> Iterator[File]:
    """The file itself, or every file of a folder."""
    if not place.source.is_dir():
        yield place
        return
    for path in sorted(place.source.rglob("*")):
        if path.is_file():
            yield File(path, place.target / path.relative_to(place.source))


def _own_image(image: Any) -> bool:
    return isinstance(image, str) and image.startswith(("ppslab/", "vrnetlab/"))


def _namespace(space: str) -> dict[str, Any]:
    # clabernetes's pods are privileged; without the label a cluster that enforces Pod Security
    # Standards refuses them.
    labels = {"pod-security.kubernetes.io/enforce": "privileged"}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": space, "labels": labels},
    }


def _config_map(topology: Topology, space: str, node: str, files: list[File]) -> dict[str, Any]:
    data = {file.key: read_text(file.source) for file in files}
    size = sum(len(text.encode()) for text in data.values())
    if size > MOST_BYTES:
        message = f"node {node}: its files have {size} bytes, and a ConfigMap takes {MOST_BYTES}"
        raise FileError(topology.path, None, message)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": _map_name(topology, node), "namespace": space},
        "data": data,
    }


def _map_name(topology: Topology, node: str) -> str:
    return f"{topology.name}-{node}-files"


def _deployment(topology: Topology, definition: _Definition) -> dict[str, Any]:
    files = {
        node: [
            {
                "filePath": str(file.target),
                "configMapName": _map_name(topology, node),
                "configMapPath": file.key,
                "mode": file.mode,
            }
            for file in files
        ]
        for node, files in definition.files.items()
        if files
    }
    # What the machine itself takes; its emulator and the launcher come on top, so no limit is set.
    resources = {
        machine.node: {
            "requests": {"cpu": str(machine.cpus), "memory": f"{machine.memory}Mi"},
        }
        for machine in needs(topology).machines
    }
    made: dict[str, Any] = {}
    if files:
        made["filesFromConfigMap"] = files
    if resources:
        made["resources"] = resources
    return made


def _copy(data: Any) -> Any:
    """Plain data of its own, for an alias of YAML is one object in two places."""
    if isinstance(data, dict):
        return {key: _copy(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_copy(value) for value in data]
    return data


class _Dumper(yaml.SafeDumper):
    """YAML whose texts of many lines stay readable."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dump(data: Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=200, allow_unicode=True)
