"""What `ppslab translate` shows of a file that others wrote: nothing that may be secret."""

from __future__ import annotations

import pytest

from ppslab.model.packet_path.on_linux.translating import Translation

SECRET = "hunter2"
MAC = "AA:BB:CC:DD:EE:FF"
WIRED = {"ether2": "eth1", "ether3": "eth2"}

LINES = [
    f'/ip firewall filter add chain=forward action=accept comment="pass {SECRET}"',
    f"/ip firewall filter add chain=forward action=accept src-mac-address={MAC}",
    f"/ip firewall filter add chain=forward action=drop content={SECRET}",
    f"/ip firewall filter add chain=forward action=drop {SECRET}=1",
    f"/ip firewall filter add chain=forward action=drop {SECRET}",
    f"/ip firewall filter set {SECRET} action=drop",
    f"/ip firewall filter set [find comment={SECRET}] action=drop",
    f"/interface bridge add name=b admin-mac={SECRET} comment={SECRET} password={SECRET}",
    f"/interface bridge filter add chain=forward src-mac-address={MAC}/FF:FF:FF:00:00:00",
    f"/interface bridge add name=b protocol-mode=none comment={SECRET}\n/interface bridge export",
    f"/ip arp add address=198.18.0.9 mac-address={MAC} interface=ether2\n/ip arp print",
    f"/queue simple add name=q target=198.18.0.0/24 max-limit=10M/{SECRET}",
    f"/ip/address/password:/{SECRET}",
    f"/ip address print\n  password: {SECRET}",
    f"/{SECRET} add x=y",
    f"/{SECRET}",
    f":put {SECRET}",
    f"ping {SECRET}",
    f"/tool profile {SECRET}",
    f"/ip address add address={SECRET} password={SECRET}",
]


def shown(line: str, *, masked: bool = True) -> str:
    """All that `ppslab translate` prints of a file."""
    made = Translation(WIRED, masked=masked)
    refused = [f"{number}: {why}" for number, why in made.take(line, "x.rsc")]
    return "\n".join(refused + made.script)


@pytest.mark.parametrize("line", LINES)
def test_a_secret_is_shown_to_whoever_typed_it_alone(line: str) -> None:
    for text in (line, line + "\n\n"):
        assert SECRET not in shown(text)


@pytest.mark.parametrize("line", LINES[:2])
def test_unmasked_a_rule_is_whole(line: str) -> None:
    whole, masked = shown(line, masked=False), shown(line)
    assert SECRET in whole or MAC in whole.upper()
    assert masked.count("\n") == whole.count("\n")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("/ip firewall filter add chain=forward action=drop in-interface=ether9", "'ether9'"),
        ("/ip firewall filter add chain=forward layer7-protocol=x", "layer7-protocol: no trans"),
        ("/ip firewall filter add chain=forward dst-port=80 action=drop", "dst-port: needs"),
        (f"/ip firewall filter add chain=forward action=accept src-mac-address={MAC}", MAC.lower()),
        ("/ip firewall filter add chain=forward dscp=²", "dscp: '***' is not a whole"),
    ],
)
def test_what_explain_shows_is_quoted(line: str, kept: str) -> None:
    assert kept in shown(line)
