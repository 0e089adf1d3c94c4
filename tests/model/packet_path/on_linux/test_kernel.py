"""Every row of the tables, typed once and done by this machine's own nft, ip and tc."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from ppslab.model.packet_path.on_linux import table
from ppslab.model.packet_path.on_linux.session import Session

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["unshare", "nft", "tc", "ip"])),
        reason="namespaces are root's here",
    ),
]

WIRED = [("ether2", "eth1"), ("ether3", "eth2")]

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
    "/interface ethernet set ether2 mac-address=02:00:C6:12:01:01 mtu=1400",
    "/ip address add address=198.18.1.1/24 interface=ether2",
    "/ip address add address=198.18.2.1/24 interface=ether3",
    "/ipv6 address add address=2001:2:0:1::1/64 interface=ether2 advertise=no",
    "/ip arp add address=198.18.1.2 mac-address=02:00:C6:12:01:02 interface=ether2",
    "/ip route add dst-address=198.19.0.0/16 gateway=198.18.1.2 distance=5",
    "/ip route add dst-address=198.20.0.0/16 gateway=198.18.1.2,198.18.2.2",
    "/ip route add dst-address=198.21.0.0/16 blackhole=yes",
    "/interface bridge add name=br protocol-mode=none",
    "/ip settings set ip-forward=no",
    "/ip firewall connection tracking set enabled=no",
    "/ip firewall connection tracking set enabled=yes",
    "/queue simple add name=host target=198.18.1.2/32 max-limit=10M/2M",
    "/queue simple remove host",
    "/queue interface set ether2 queue=ethernet-default",
    "/ip address remove 1",
    "/interface bridge remove br",
]


def test_every_matcher_and_action_has_an_example() -> None:
    assert set(MATCHERS) == {each[0] for each in table.MATCHERS}
    # This machine's kernel may have no flowtable; the page's has.
    assert set(ACTIONS) == {each[0] for each in table.ACTIONS} - {"fasttrack-connection"}


def test_linux_does_what_is_translated_and_takes_all_of_it_away_again() -> None:
    lines = REST[:1]
    lines += [
        f"/{'interface bridge' if name == 'dst-mac-address' else 'ip firewall'} "
        f"filter add chain=forward {words}"
        for name, words in MATCHERS.items()
    ]
    lines += [f"/ip firewall {words} action={action}" for action, words in ACTIONS.items()]
    lines += REST[1:]
    kinds = []
    # The other kinds are modules, which not every machine has; the page's router has all.
    for kind in table.KINDS[:2]:
        kinds += [f"/queue type add name={kind[0]}-x kind={kind[0]}",
                  f"/queue tree add name={kind[0]}-t parent=ether3 queue={kind[0]}-x max-limit=10M",
                  f"/queue tree remove {kind[0]}-t"]  # fmt: skip
    gone = ["/ip firewall filter remove [find]", "/ip firewall nat remove [find]",
            "/ip firewall raw remove [find]", "/ip firewall mangle remove [find]",
            "/ipv6 firewall filter remove [find]", "/interface bridge filter remove [find]",
            "/ip firewall connection tracking set enabled=auto"]  # fmt: skip
    made = Session(WIRED)
    script = ["for n in 1 2; do ip link add eth$n type veth peer name x$n",
              "ip link set eth$n up; ip link set x$n up; done"]  # fmt: skip
    for line in lines + kinds + gone:
        taken = made.take(line)
        assert taken.refused == [], line
        script += [f"# {line}", *taken.script]
    script += ["nft list ruleset", "ip route show 198.20.0.0/16"]
    done = subprocess.run(
        ["unshare", "--net", "sh", "-exc", "\n".join(script)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1500:]
    assert "198.20.0.0/16" in done.stdout
    assert "table" not in done.stdout
