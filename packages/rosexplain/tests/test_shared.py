"""What a tried change leaves alone is not asked again, and the answer is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asked import EXPORTS, LAN_AND_WAN, MARK, ask

from rosexplain.network import Lists, Network
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


def _nothing(*_: object) -> None:
    """Share nothing."""


@pytest.mark.parametrize("text", [CHIP] + [
    file.read_text(encoding="utf-8") for file in sorted(Path(EXPORTS).rglob("*.rsc"))
])  # fmt: skip
def test_an_answer_is_the_same_where_changes_share_nothing(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = _plain(text)
    monkeypatch.setattr(Network, "_leads_as", lambda *_: False)
    monkeypatch.setattr(Lists, "share", _nothing)
    monkeypatch.setattr(Menu, "once", lambda menu, _, read: read(menu))
    assert _plain(text) == shared
