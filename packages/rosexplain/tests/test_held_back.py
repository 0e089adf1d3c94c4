"""A sentence is held back where the same lines make it false, and comes where they do not."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.report import Answer

OF_7 = "# 2026-01-01 10:00:00 by RouterOS 7.16.1\n# model = RB750Gr3\n"


ROUTER = OF_7 + (
    "/routing ospf interface-template\nadd area=backbone interfaces=ether2\n/ip address\n"
    "add address=10.1.0.1/24 interface=ether2\nadd address=10.2.0.1/24 interface=ether3\n"
    "/ip firewall filter\nadd action=drop chain=forward src-address=10.9.0.0/16\n"
)
POLICY = "/ip ipsec policy\nadd dst-address=10.3.0.0/24 peer=p src-address=10.2.0.0/24 tunnel=yes\n"
CHANGE = "/ip firewall mangle\nadd action={} chain={}\n"


@pytest.mark.parametrize(
    ("rows", "helps"),
    [
        ("", True),
        (POLICY, False),
        (POLICY.replace("add dst", "add disabled=yes dst"), True),
        (CHANGE.format("change-dscp", "prerouting new-dscp=46"), False),
        (CHANGE.format("change-dscp", "output new-dscp=46"), True),
        (CHANGE.format("change-mss", "forward new-mss=1400 protocol=tcp tcp-flags=syn"), True),
    ],
)
def test_fasttrack_is_no_help_for_what_it_takes_away(rows: str, helps: bool) -> None:
    barred = Answer(explain([read_export(ROUTER + rows, "export.rsc")])).plain()["barred"]
    assert [bool(row["helps"]) for row in barred] == [helps]
