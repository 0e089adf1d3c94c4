"""The frames that a tester is calibrated with."""

from __future__ import annotations

from ppslab.lab.packets import Ethernet, Flow, Header, Internet, Udp

FLOWS = tuple(
    Flow(
        name=f"calibrate-{number}",
        tx_name="left",
        rx_name="right",
        # Nobody has these addresses: neither kernel answers, or takes the frames for its own.
        packet=(
            Header(ethernet=Ethernet(src="02:00:c6:12:01:02", dst="02:00:c6:12:02:02")),
            Header(ipv4=Internet(src="198.18.1.2", dst="198.18.2.2")),
            Header(udp=Udp(src_port=49184 + number, dst_port=7)),
        ),
    )
    for number in range(2)
)
"""Two streams one way, so that two sending threads can share them."""
