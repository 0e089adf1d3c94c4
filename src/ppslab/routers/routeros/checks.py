"""What spoils a number of a RouterOS router, found before it does: each a check with a remedy."""

from __future__ import annotations

from ppslab.rest import RefusedError
from ppslab.routers.routeros import checks_fast_path, checks_machine, checks_versions
from ppslab.routers.routeros.api import Api, explained
from ppslab.routers.routeros.findings import Check, Finding, State, Wanted, facts_of

__all__ = ["CHECKS", "Finding", "State", "Wanted", "check", "spoiled"]

CHECKS: tuple[tuple[str, Check], ...] = (
    ("licence", checks_machine.of_licence),
    ("device-mode", checks_machine.of_device_mode),
    ("version", checks_versions.of_version),
    ("memory", checks_machine.of_memory),
    ("kvm", checks_machine.of_kvm),
    ("cards", checks_machine.of_cards),
    ("queues", checks_machine.of_queues),
    ("load", checks_machine.of_load),
    ("fast path IPv4", checks_fast_path.of_ipv4),
    ("fast path IPv6", checks_fast_path.of_ipv6),
    ("fast path of bridges", checks_fast_path.of_bridge),
    ("interface queues", checks_fast_path.of_interface_queues),
)
"""By the name of their findings, in the order in which a reader wants them."""


def check(api: Api, wanted: Wanted | None = None) -> list[Finding]:
    """All findings.  Nothing is changed on the router.

    Where it refuses to answer one check, that one says so; CannotHereError where nobody answers,
    UsageError where it lets nobody in.
    """
    facts = facts_of(api)
    findings: list[Finding] = []
    for name, ask in CHECKS:
        try:
            findings += ask(api, facts, wanted or Wanted())
        except RefusedError as refused:
            said = f"the router refuses to say: {explained(refused)}"
            remedy = "give the user the policies read and rest-api: /user/group/print"
            findings.append(Finding(name, "unknown", said, remedy))
    return findings


def spoiled(findings: list[Finding]) -> list[Finding]:
    """Those that spoil numbers."""
    return [finding for finding in findings if finding.state == "spoils"]
