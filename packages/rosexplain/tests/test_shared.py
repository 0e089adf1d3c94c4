"""What a tried change leaves alone is not asked again, and the answer is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asked import EXPORTS, LAN_AND_WAN, MARK, ask

from rosexplain.classify import explained
from rosexplain.network import Lists, Network
from rosexplain.parse import parsed
from rosexplain.probes import probes_of
from rosexplain.report import Answer
from rosexplain.rows import Menu

CHIP = f"""# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CCR2116-12G-4S+
{LAN_AND_WAN}/ip firewall filter
{MARK}add action=accept chain=forward connection-state=established,related
add action=drop chain=forward in-interface=ether1 dst-port=25 protocol=tcp packet-mark=bad
add action=accept chain=input src-address=198.18.1.0/24
add action=drop chain=input
/ip firewall mangle
add action=mark-packet chain=prerouting new-packet-mark=bad src-address=198.18.1.9
add action=mark-packet chain=forward new-packet-mark=down passthrough=no
/ip firewall nat
add action=masquerade chain=srcnat out-interface=ether1
add action=dst-nat chain=dstnat dst-port=8443 protocol=tcp to-addresses=198.18.1.5
/ip firewall raw
add action=drop chain=prerouting in-interface=ether1 src-address=198.18.1.0/24
/queue tree
add name=down packet-mark=down parent=global max-limit=10M
/ip ipsec policy
add dst-address=198.19.0.0/24 src-address=198.18.1.0/24 tunnel=yes
"""
"""A router whose remedies are of its chip, its queues, its policies and its rules."""


def _plain(text: str) -> dict[str, Any]:
    plain: dict[str, Any] = Answer(ask(text)).plain()
    return plain


def _sharing_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Network, "_leads_as", lambda *_: False)
    patch.setattr(Lists, "share", lambda *_: None)
    patch.setattr(Menu, "once", lambda menu, _, read: read(menu))


@pytest.mark.parametrize("text", [CHIP] + [
    file.read_text(encoding="utf-8") for file in sorted(Path(EXPORTS).rglob("*.rsc"))
])  # fmt: skip
def test_an_answer_is_the_same_where_changes_share_nothing(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = _plain(text)
    _sharing_nothing(monkeypatch)
    assert _plain(text) == shared


@pytest.mark.parametrize("change", [
    "/interface/ethernet/switch/set 0 l3-hw-offloading=yes",
    "/queue/tree/remove [find]",
    "/ip/ipsec/policy/remove [find]",
    "/ip/firewall/filter/disable [find action=drop]",
    "/ip/firewall/mangle/disable [find]",
    "/ip/firewall/nat/disable [find]",
    "/ip/firewall/raw/disable [find]",
    "/ip/address/remove [find]",
    "/interface/list/member/remove [find]",
    "/interface/bridge/port/add bridge=bridge1 interface=ether2",
])  # fmt: skip
def test_every_probe_has_the_answer_of_a_router_that_shares_nothing(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(CHIP)
    probes = probes_of(before)
    for probe in probes:
        probe.answer(before)

    def answers() -> list[int]:
        commands = parsed(change, "typed").commands
        net = before.net.behind(commands, before.net.version)
        after = explained(net, [], commands)
        return [probe.answer(after) for probe in probes]

    shared = answers()
    _sharing_nothing(monkeypatch)
    assert answers() == shared
