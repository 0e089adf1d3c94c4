"""`ppslab kube LAB`: the manifest that stands a lab up on Kubernetes, with clabernetes."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab import documents, kube, lab, paths, topology
from ppslab.errors import UsageError, did_you_mean

LINUX, ROUTEROS = "linux", "routeros"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("kube")(kube_command)


def kube_command(
    name: str = typer.Argument(
        metavar="LAB", help="A lab, or a file of topologies/ such as fastpath-otg."
    ),
    router: str = typer.Option(LINUX, help=f"The lab's router: {LINUX} or {ROUTEROS} (CHR)."),
    namespace: str | None = typer.Option(None, help="Left out: the topology's name."),
    registry: str | None = typer.Option(
        None, help="Where the cluster pulls ppslab's and vrnetlab's images from."
    ),
    connectivity: str = typer.Option(
        kube.CONNECTIVITY[0], help=f"The wires between pods: {' or '.join(kube.CONNECTIVITY)}."
    ),
    out: Path | None = typer.Option(None, help="Write it to this file; left out: print it."),
) -> None:
    """Write a lab's manifest for clabernetes; `kubectl apply -f` gives it to a cluster."""
    wiring = topology.find(_topology(name, router), foreign=True)
    text = kube.manifest(wiring, namespace=namespace, registry=registry, connectivity=connectivity)
    if out is None:
        typer.echo(text, nl=False)
    else:
        documents.write_atomic(out, text)


def _topology(name: str, router: str) -> str:
    """The name of the topology that is meant."""
    if router not in (LINUX, ROUTEROS):
        near = did_you_mean(router, (LINUX, ROUTEROS))
        raise UsageError(f"--router {router}{near}: there are {LINUX} and {ROUTEROS}")
    labs = lab.names()
    base = lab.find(name).words.topology if name in labs else name
    files = (paths.project_root() / "topologies").glob(f"*{topology.SUFFIX}")
    known = {path.name.removesuffix(topology.SUFFIX) for path in files}
    if base not in known:
        near = did_you_mean(name, [*labs, *known])
        raise UsageError(f"no lab and no topology {name!r}{near}")
    wanted = base if router == LINUX else f"{base.removesuffix('-chr')}-chr"
    if wanted not in known:
        raise UsageError(f"{name}: no topology with CHRs, topologies/{wanted}{topology.SUFFIX}")
    return wanted
