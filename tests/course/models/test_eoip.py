"""The EoIP widget: its sizes against the calculator, its bytes against scapy, both hosts alike."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP, defragment
from scapy.layers.l2 import Dot1Q, Ether
from scapy.layers.l2tp import L2TP
from scapy.layers.ppp import PPP, PPPoE

from ppslab.course.models import eoip
from ppslab.course.widgets.forms import DATA as FORMS
from ppslab.model.tunnels import eoip_bytes
from ppslab.model.tunnels.eoip_bytes import Field
from ppslab.model.tunnels.overhead import Stack, parse
from tests.course.models.both import ask, begins_with, known
from tests.model.tunnels import eoip_codec as wire

pytestmark = pytest.mark.usefixtures("made_up")

CONTROLS = {control["name"]: control for control in FORMS["eoip"]["controls"]}
IPSEC = [value for value, _ in CONTROLS["ipsec"]["choices"]]
DATA = bytes(i & 255 for i in range(9000))


def inputs_of(**inputs: Any) -> dict[str, Any]:
    return begins_with("eoip", **inputs)


ASKED = st.builds(
    inputs_of,
    packet=st.integers(28, 3000),
    mtu=st.integers(576, 2000),
    way=st.sampled_from(["bridged", "routed"]),
    interface=st.sampled_from([0, 0, 600, 1458, 1500]),
    ipsec=st.sampled_from(IPSEC),
    udp=st.booleans(),
    vlan=st.booleans(),
    pppoe=st.booleans(),
    df=st.booleans(),
    id=st.integers(0, 65535),
)


def stack(inputs: dict[str, Any]) -> Stack:
    """The same for the calculator of `ppslab overhead`."""
    cipher = inputs["ipsec"].removesuffix(":null") + (":udp" if inputs["udp"] else "")
    words = [*(["vlan"] if inputs["vlan"] else []), "eoip"]
    words += [f"esp:{cipher}"] if inputs["ipsec"] != "none" else []
    return Stack(parse((*words, *(["pppoe"] if inputs["pppoe"] else []))), inputs["mtu"])


def frames_of(inputs: dict[str, Any], values: dict[str, Any]) -> list[list[Field]]:
    return eoip.Tunnel(inputs).frames(inputs["packet"], tuple(values["inside"]))


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(inputs=ASKED)
def test_sizes_are_those_of_the_calculator(inputs: dict[str, Any]) -> None:
    found = eoip.answer(inputs, {})["values"]
    calculated = stack(inputs)
    assert found["largest"] == calculated.inner_mtu
    assert found["mss"] == calculated.segment()
    size = inputs["packet"]
    limit = (inputs["interface"] or None) if inputs["way"] == "routed" else size
    sent = calculated.send(size, limit, df=inputs["df"] and inputs["way"] == "routed")
    assert found["lost"] == sent.lost
    assert tuple(found["inside"]) == sent.inside
    assert tuple(map(tuple, found["outside"])) == sent.outside
    assert tuple(found["frames"]) == sent.frames
    if not sent.lost:
        # What is drawn has the size that was calculated, byte for byte.
        drawn = frames_of(inputs, found)
        assert tuple(eoip_bytes.size_of(frame) for frame in drawn) == sent.frames


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(inputs=ASKED)
def test_scapy_reads_the_packet_out_of_the_frames_again(inputs: dict[str, Any]) -> None:
    inputs = {**inputs, "ipsec": "none"}
    found = eoip.answer(inputs, {})["values"]
    if found["lost"]:
        return
    outer = []
    for fields in frames_of(inputs, found):
        frame = Ether(eoip_bytes.known(fields)[:-4])
        # What the CRC-32 of a whole frame with its check sequence always comes to.
        assert zlib.crc32(eoip_bytes.known(fields)) == 0x2144DF1C
        packet = frame[PPPoE][PPP][IP] if inputs["pppoe"] else frame[IP]
        assert packet.len <= inputs["mtu"] - 8 * inputs["pppoe"]
        checked = packet.chksum
        del packet.chksum
        assert IP(bytes(packet)).chksum == checked
        outer.append(IP(bytes(packet)[: packet.len]))
    assert all(packet.src == "198.19.1.2" for packet in outer)
    inner = []
    # All have one identification here: what belongs together stands in a row.
    for group in grouped(outer):
        (whole,) = defragment(group)
        tunnel, content = wire.decode(bytes(whole)[20:])
        assert tunnel == inputs["id"]
        carried = Ether(content)
        assert carried.haslayer(Dot1Q) == inputs["vlan"]
        inner.append(IP(bytes(carried[IP])))
    assert [packet.len for packet in inner] == found["inside"]
    (packet,) = defragment(inner)
    packet = IP(bytes(packet))
    assert bytes(packet[UDP].payload)[: inputs["packet"] - 28] == DATA[: inputs["packet"] - 28]
    assert packet[UDP].len == inputs["packet"] - 20


def grouped(packets: list[IP]) -> list[list[IP]]:
    made: list[list[IP]] = []
    for packet in packets:
        if packet.frag == 0:
            made.append([])
        made[-1].append(packet)
    return made


@pytest.mark.parametrize("ipsec", IPSEC)
@pytest.mark.parametrize("size", [28, 29, 1420, 1421, 1462, 1463, 1500, 4000])
def test_l2tp_is_as_large_as_calculated_and_scapy_reads_it(size: int, ipsec: str) -> None:
    # It has no tag inside, whatever the switch was.
    inputs = inputs_of(tunnel="l2tp", way="routed", packet=size, ipsec=ipsec, vlan=size % 2 == 0)
    values = eoip.answer(inputs, {})["values"]
    words = ["l2tp", *([f"esp:{ipsec.removesuffix(':null')}"] if ipsec != "none" else [])]
    sent = Stack(parse(tuple(words)), inputs["mtu"]).send(size)
    assert tuple(map(tuple, values["outside"])) == sent.outside
    drawn = frames_of(inputs, values)
    assert tuple(map(eoip_bytes.size_of, drawn)) == sent.frames
    for fields, inside in zip(drawn, sent.inside, strict=True):
        if ipsec != "none":
            continue
        packet = Ether(eoip_bytes.known(fields)[:-4])[IP]
        assert (packet[UDP].dport, packet[L2TP].tunnel_id) == (1701, inputs["id"])
        assert packet[L2TP][PPP][IP].len == inside
        checked = packet[UDP].chksum
        del packet[UDP].chksum
        assert IP(bytes(packet))[UDP].chksum == checked


def test_the_packets_that_were_captured() -> None:
    routed = ask("eoip", way="routed")
    assert routed["values"]["inside"] == [1452, 68]
    assert routed["values"]["outside"] == [[1494], [110]]
    bridged = ask("eoip")
    assert bridged["values"]["outside"] == [[1500, 62]]
    assert bridged["steps"] == 1
    header = [row for row in bridged["values"]["shown"] if row[0] == "EoIP header"]
    # A frame of 1514 bytes in tunnel 100, whose id stands with its low byte first.
    assert [row[2] for row in header] == ["20 01", "64 00", "05 ea", "64 00"]
    assert ask("eoip", frame=1)["values"]["shown"][7][1].endswith("1480 bytes, the last")


def test_the_lab_has_counted_the_fragments_that_are_drawn() -> None:
    rows = known("eoip")["measured"]
    assert {(packet, mtu) for packet, mtu, *_ in rows} >= {(1500, 1500), (9000, 1500), (1500, 9500)}
    for packet, mtu, ipsec, fragments in rows:
        values = ask("eoip", packet=packet, mtu=mtu, ipsec=ipsec)["values"]
        assert values["counted"] == fragments
        pieces = len(values["frames"])
        # A whole packet is no fragment; other packets of the node are counted too.
        assert fragments == pytest.approx(pieces if pieces > 1 else 0, rel=0.05, abs=0.01)
    assert ask("eoip", way="routed")["values"]["counted"] is None


def test_what_cannot_be_is_told() -> None:
    for wrong, name in (
        ({"packet": 27}, "packet"),
        ({"mtu": 10000}, "mtu"),
        ({"id": 65536}, "id"),
        ({"way": "routed", "interface": 20}, "interface"),
        ({"tunnel": "l2tp"}, "way"),
    ):
        assert ask("eoip", **wrong)["problem"]["input"] == name
    dropped = ask("eoip", way="routed", df=True)
    assert "fragmentation needed, MTU 1458" in dropped["says"][0]
    assert (dropped["figures"], dropped["steps"]) == ([], 0)


@pytest.mark.parametrize("size", [0, 41, 1514, 65535])
def test_the_header_is_the_encoders(size: int) -> None:
    assert eoip_bytes.eoip_header(size, 0x1234) == wire.encode(0x1234, bytes(size))[:8]
