"""Stand a lab up in containerlab, each of its routers a CHR."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ppslab.backends import Backend, Deployment
from ppslab.instruments.back_to_back import BackToBack
from ppslab.lab import topology
from ppslab.lab.lab import Lab
from ppslab.lab.profiles import Profile
from ppslab.lab.topology import Topology
from ppslab.measurement.testbed.linux import maker, patient, real_time
from ppslab.measurement.testbed.routeros import (
    Using,
    beside_the_router,
    external_cpus,
    report_findings,
    sentences_of,
)
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.routers import devices

if TYPE_CHECKING:
    from ppslab.routers.routeros.router import RouterOSRouter

CHR = "-chr"
"""What the topology of a lab is called in which its router is a CHR."""

CHR_USER = CHR_PASSWORD = "admin"
"""What vrnetlab sets in every CHR that containerlab starts."""


def stand_chr(
    stack: ExitStack,
    backend: Backend,
    lab: Lab,
    profile: Profile,
    tester: Using,
) -> tuple[FrameTestbed, tuple[str, ...]]:
    """The lab's topology with a CHR as each of its routers, deployed by containerlab; and what of
    it a record should say.
    """
    wiring = topology.find(f"{lab.spec.topology}{CHR}", foreign=True)
    deployment = stack.enter_context(backend.deploy(wiring))
    beside = {name: _chr(deployment, lab, wiring, name) for name in beside_the_router(lab)}
    router = _chr(deployment, lab, wiring, lab.spec.router, others=beside)
    router.open()
    stack.callback(router.close)
    findings = report_findings(router, lab, tester, here=True)
    if any(finding.name == "kvm" and finding.state == "spoils" for finding in findings):
        backend.facts["emulation"] = "tcg"
        profile = profile.under_emulation()
    return around_a_chr(stack, backend, deployment, lab, profile, tester, router), sentences_of(
        findings
    )


def around_a_chr(
    stack: ExitStack,
    backend: Backend,
    deployment: Deployment,
    lab: Lab,
    profile: Profile,
    tester: Using,
    router: RouterOSRouter,
) -> FrameTestbed:
    """The tester around a CHR that stands."""
    node = deployment.node(lab.spec.tester)
    make = maker(tester.chosen, first=real_time(node, backend))
    cables = BackToBack.wiring()
    cabled = stack.enter_context(backend.deploy(cables))
    return FrameTestbed(
        lab=lab,
        router=router,
        tester=make(node),
        cable=BackToBack(cabled, cables, make),
        cpus=external_cpus(),
        profile=patient(profile),
        on_trial=tester.on_trial,
    )


def _chr(
    deployment: Deployment,
    lab: Lab,
    wiring: Topology,
    name: str,
    others: Mapping[str, RouterOSRouter] | None = None,
) -> RouterOSRouter:
    from ppslab.routers.routeros.changes.journal import default_path  # noqa: PLC0415
    from ppslab.routers.routeros.ports import of_chr  # noqa: PLC0415
    from ppslab.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    device = devices.RouterOS(
        # A bridge of this machine's own, and a password that everybody knows.
        url=f"http://{deployment.address(name)}",
        plain_http=True,
        user=CHR_USER,
        password=SecretStr(CHR_PASSWORD),
    )
    start = wiring.nodes[name].foreign.get("startup-config")
    return RouterOSRouter(
        device,
        lab,
        ports=of_chr(lab),
        journal=default_path(device),
        backup=False,
        start=[wiring.path.parent / str(start)] if start else (),
        role=None if name == lab.spec.router else name,
        others=others,
    )
