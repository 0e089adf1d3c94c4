"""Every row of the tables, typed once and loaded by this machine's own nft."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from ppslab.model.packet_path.on_linux import table
from ppslab.model.packet_path.on_linux.translating import Translation

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["unshare", "nft", "ip"])),
        reason="namespaces are root's here",
    ),
]

WIRED = {"ether2": "eth1", "ether3": "eth2"}

MATCHERS = {
    "protocol": "protocol=udp", "src-address": "src-address=198.18.1.0/24",
    "dst-address": "dst-address=198.18.2.1-198.18.2.9", "src-address-list": "src-address-list=a",
    "dst-address-list": "dst-address-list=!a", "src-mac-address":
    "src-mac-address=02:00:C6:12:01:02", "dst-mac-address": "dst-mac-address=02:00:C6:12:01:01",
    "in-interface": "in-interface=ether2", "out-interface": "out-interface=!ether3",
    "connection-state": "connection-state=!invalid,untracked",
    "src-port": "protocol=tcp src-port=1024-65535", "dst-port": "protocol=udp dst-port=53,123",
    "icmp-options": "protocol=icmp icmp-options=3:4",
    "tcp-flags": "protocol=tcp tcp-flags=syn,!ack",
    "packet-mark": "packet-mark=m", "connection-mark": "connection-mark=no-mark",
    "dscp": "dscp=46",
    "packet-size": "packet-size=100-200", "random": "random=50",
}  # fmt: skip

ACTIONS = {
    "accept": "filter add chain=input", "drop": "raw add chain=prerouting",
    "passthrough": "mangle add chain=output", "return": "filter add chain=own",
    "jump": "filter add chain=forward jump-target=own",
    "reject": "filter add chain=input reject-with=icmp-admin-prohibited",
    "notrack": "raw add chain=output", "masquerade": "nat add chain=srcnat out-interface=ether3",
    "src-nat": "nat add chain=srcnat to-addresses=198.18.2.1",
    "dst-nat": "nat add chain=dstnat protocol=tcp to-addresses=198.18.1.2 to-ports=80",
    "redirect": "nat add chain=dstnat protocol=udp to-ports=53",
    "mark-packet": "mangle add chain=prerouting new-packet-mark=m passthrough=no",
    "mark-connection": "mangle add chain=forward new-connection-mark=c",
    "change-dscp": "mangle add chain=postrouting new-dscp=46",
    "change-mss": "mangle add chain=forward protocol=tcp tcp-flags=syn new-mss=clamp-to-pmtu",
}  # fmt: skip

REST = [
    "/ip firewall address-list add list=a address=198.18.9.0/24",
    "/ipv6 firewall filter add chain=forward protocol=icmpv6 icmp-options=128:0 action=accept",
    "/interface bridge filter add chain=input src-mac-address=02:00:C6:12:00:00/FF:FF:FF:FF:00:00",
    "/ip firewall connection tracking set enabled=no",
]


def test_every_matcher_and_action_has_an_example() -> None:
    assert set(MATCHERS) == {each[0] for each in table.MATCHERS}
    # This machine's kernel may have no flowtable.
    assert set(ACTIONS) == {each[0] for each in table.ACTIONS} - {"fasttrack-connection"}


def test_nft_loads_what_is_translated_twice() -> None:
    lines = [
        f"/{'interface bridge' if name == 'dst-mac-address' else 'ip firewall'} "
        f"filter add chain=forward {words}"
        for name, words in MATCHERS.items()
    ]
    lines += [f"/ip firewall {words} action={action}" for action, words in ACTIONS.items()]
    made = Translation(WIRED)
    assert made.take("\n".join(lines + REST), "x.rsc") == []
    ports = "for n in 1 2; do ip link add eth$n type veth peer name x$n; done"
    done = subprocess.run(
        ["unshare", "--net", "sh", "-exc", "\n".join([ports, *made.script, *made.script])],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1500:]
