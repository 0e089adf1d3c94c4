"""What `ethtool -k` lists, and what of it spoils a cost per packet."""

from __future__ import annotations

from ppslab.testbed.routers.linux import offloads

LISTING = """Features for lo:
tcp-segmentation-offload: on
generic-receive-offload: on

Features for eth1:
rx-checksumming: off
tcp-segmentation-offload: off
\ttx-tcp-segmentation: off
generic-segmentation-offload: off [requested on]
generic-receive-offload: on
highdma: on [fixed]
rx-udp-gro-forwarding: on

Features for eth2:
generic-receive-offload: off
"""


def test_only_what_merges_frames_on_the_routers_ports_is_found() -> None:
    found = offloads.of(LISTING, ["eth1", "eth2"])
    assert found == {"eth1": ["generic-receive-offload", "rx-udp-gro-forwarding"], "eth2": []}
    said = list(offloads.problems(found, native_xdp=False))
    assert said == [
        "port eth1: generic-receive-offload is on",
        "port eth1: rx-udp-gro-forwarding is on",
    ]


def test_native_xdp_shows_gro_as_on_and_nothing_else() -> None:
    found = offloads.of(LISTING, ["eth1"])
    said = list(offloads.problems(found, native_xdp=True))
    assert said == ["port eth1: rx-udp-gro-forwarding is on"]


def test_where_offloads_are_asked_for_only_the_others_are_wrong() -> None:
    found = {"eth1": list(offloads.MERGING), "eth2": list(offloads.OFFLOADS)}
    said = list(offloads.problems(found, native_xdp=False, wanted=True))
    assert said == ["port eth1: rx-gro-list is on", "port eth1: rx-udp-gro-forwarding is on"]


def test_the_record_keeps_a_line_a_port() -> None:
    found = offloads.of(LISTING, ["eth1", "eth2"])
    assert offloads.text(found) == (
        "eth1: generic-receive-offload, rx-udp-gro-forwarding\neth2: none on\n"
    )
