"""Trials through routers whose truth is known: harms, drops, connections."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scapy.layers.inet import TCP
from scapy.layers.l2 import Ether

from tests.testbed.testers.traffic.cable import (
    LATE,
    V6,
    Namespace,
    counts,
    flow,
    quiet_counts,
    replay,
    trial_argv,
    watching,
)
from tests.testbed.testers.traffic.forwarder import arrivals, fate

pytestmark = [pytest.mark.live, pytest.mark.alone]


def test_every_harm_is_counted(ppstraffic_asan: Path, harmful: Namespace, tmp_path: Path) -> None:
    """Drops, duplicates, damage, strangers, the wrong port, the wrong order: all at once."""
    total, file = 1500, tmp_path / "frames"
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 2000, "--count", total)
    argv += ["--learn", "2", "--frames", str(file), "--drain", "3000"]
    found = quiet_counts(harmful, argv, lossy=True)
    assert found["intended"] == found["offered"] == total
    fates = [fate(n) for n in range(total)]
    arrived = arrivals(total)
    assert found["received"] == len(set(arrived)) > 0
    assert found["duplicates"] == len(arrived) - len(set(arrived)) == fates.count("duplicate")
    assert found["reordered"] == _rfc4737(arrived) > 100
    assert found["corrupt"] == fates.count("corrupt")
    assert found["foreign"] == fates.count("foreign")
    assert found["misdelivered"] == fates.count("back")
    assert found["unrelated"] == fates.count("unrelated")
    assert found["learning_received"] == 2
    assert found["flows"][0]["reordered"] == found["reordered"]

    rows = replay(ppstraffic_asan, file)
    verdicts = [row["verdict"] for row in rows]
    for verdict in ("duplicate", "reordered", "corrupt", "foreign", "misdelivered", "learning"):
        key = {"duplicate": "duplicates", "learning": "learning_received"}.get(verdict, verdict)
        assert verdicts.count(verdict) == found[key], verdict
    assert verdicts.count("received") == found["received"] - found["reordered"]


def _rfc4737(arrived: list[int]) -> int:
    """Reordered packets by RFC 4737 section 3.3; a duplicate's later copies are not looked at."""
    expected = reordered = 0
    for sequence in dict.fromkeys(arrived):
        if sequence >= expected:
            expected = sequence + 1
        else:
            reordered += 1
    return reordered


def test_a_known_share_of_drops(ppstraffic_asan: Path, namespace: Namespace) -> None:
    """A bridge whose nftables rule drops every fourth frame."""
    if shutil.which("nft") is None:
        pytest.skip("nft is not installed")
    made = namespace.run(
        "sh",
        "-ec",
        """
        ip link del t1
        ip link add name br0 type bridge
        for n in 1 2; do
            ip link add t$n type veth peer name r$n
            echo 1 > /proc/sys/net/ipv6/conf/t$n/disable_ipv6
            ip link set r$n master br0
            ip link set t$n up
            ip link set r$n up
        done
        ip link set br0 up
        nft -f - <<'end'
        table netdev lossy {
            chain in {
                type filter hook ingress device r1 priority 0
                udp dport 7 numgen inc mod 4 0 drop
            }
        }
end
        """,
    )
    if made.returncode != 0:
        pytest.skip(f"no bridge or no nft here: {made.stderr}")
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 20000, "--count", 4000)
    found = quiet_counts(namespace, [*argv, "--settle", "50", *LATE], lossy=True)
    assert (found["offered"], found["received"]) == (4000, 3000)
    assert found["misdelivered"] == found["duplicates"] == found["reordered"] == 0


def test_replies_are_learned_too(ppstraffic_asan: Path, namespace: Namespace) -> None:
    """From the receiving port, also where no flow sends from it: seen at both ends."""
    reply = flow(reply_src_mac="02:00:c6:12:02:02", reply_dst_mac="02:00:c6:12:01:02")
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--count", 10, flows=[reply])
    found = quiet_counts(namespace, [*argv, "--learn", "4"])
    assert found["learning_received"] == 8
    assert found["received"] == 10


@pytest.mark.parametrize("addresses", [{}, V6], ids=["ipv4", "ipv6"])
def test_every_connection_is_met_in_both_directions(
    ppstraffic_asan: Path, namespace: Namespace, addresses: dict[str, str]
) -> None:
    """What passes the cable while learning, frame by frame: TCP's handshake, then data."""
    back = {"reply_src_mac": "02:00:c6:12:02:02", "reply_dst_mac": "02:00:c6:12:01:02"}
    back["reply_dst"] = "2001:2:0:9::9" if addresses else "198.18.9.9"
    segment = flow(protocol=6, sport_count=3, hold=2, **back, **addresses)
    argv = trial_argv(ppstraffic_asan, "--size", 96, "--rate", 100, "--count", 1, flows=[segment])
    seen: list[tuple[str, str, int, str]] = []
    with watching(namespace) as frames:
        found = counts(namespace.run(*map(str, argv), "--learn", "1"))
        passed = frames()
    for frame in passed:
        packet = Ether(frame)
        tcp = packet[TCP]
        seen.append((packet.payload.src, packet.payload.dst, tcp.sport, str(tcp.flags)))
        assert (tcp.seq, tcp.ack) == {"S": (0, 0), "SA": (0, 1), "PA": (1, 1)}[str(tcp.flags)]
    here, there = addresses.get("src", "198.18.1.2"), addresses.get("dst", "198.18.2.2")
    wanted = [
        (*ends, port, flags)
        for flags in ("S", "SA", "PA", "PA reply")
        for ends in [(there, back["reply_dst"]) if flags in {"SA", "PA reply"} else (here, there)]
        for port in ([7] * 3 if flags in {"SA", "PA reply"} else [49184, 49185, 49186])
    ]
    assert seen == [
        (src, dst, port, flags.removesuffix(" reply")) for src, dst, port, flags in wanted
    ] + [(here, there, 49184, "PA")]
    assert found["learning_received"] == 12
    assert found["received"] == 1
