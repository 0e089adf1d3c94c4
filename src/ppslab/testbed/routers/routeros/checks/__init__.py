"""What spoils a number of a RouterOS router, found before it does: each a check with a remedy."""

from __future__ import annotations

from ppslab.testbed.routers.rest import RefusedError
from ppslab.testbed.routers.routeros.api import Api, explained
from ppslab.testbed.routers.routeros.checks import fast_path
from ppslab.testbed.routers.routeros.checks.fast_path import Check, Finding, Needs, State, facts_of

__all__ = ["CHECKS", "Finding", "Needs", "State", "check", "spoiled"]

CHECKS: tuple[tuple[str, Check], ...] = (
    ("licence", fast_path.of_licence),
    ("device-mode", fast_path.of_device_mode),
    ("version", fast_path.of_version),
    ("memory", fast_path.of_memory),
    ("kvm", fast_path.of_kvm),
    ("cards", fast_path.of_cards),
    ("queues", fast_path.of_queues),
    ("load", fast_path.of_load),
    ("fast path IPv4", fast_path.of_ipv4),
    ("fast path IPv6", fast_path.of_ipv6),
    ("fast path of bridges", fast_path.of_bridge),
    ("interface queues", fast_path.of_interface_queues),
)
"""By the name of their findings, in the order in which a reader wants them."""


def check(api: Api, needs: Needs | None = None) -> list[Finding]:
    """All findings.  Nothing is changed on the router.

    Where it refuses to answer one check, that one says so; CannotHereError where nobody answers,
    UsageError where it lets nobody in.
    """
    facts = facts_of(api)
    findings: list[Finding] = []
    for name, ask in CHECKS:
        try:
            findings += ask(api, facts, needs or Needs())
        except RefusedError as refused:
            said = f"the router refuses to say: {explained(refused)}"
            remedy = "give the user the policies read and rest-api: /user/group/print"
            findings.append(Finding(name, "unknown", said, remedy))
    return findings


def spoiled(findings: list[Finding]) -> list[Finding]:
    """Those that spoil numbers."""
    return [finding for finding in findings if finding.state == "spoils"]
