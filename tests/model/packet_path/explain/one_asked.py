"""One packet, asked about at the router of the example home."""

from __future__ import annotations

from typing import Any

from ppslab.core.paths import project_root
from rosexplain import firewall, trace
from tests.model.packet_path.asked import ask

EXAMPLE = project_root() / "packages/rosexplain/examples/home.rsc"

HOME = EXAMPLE.read_text()
"""Line 22 drops what is for the router and not from the LAN, line 28 what is new and not dstnat."""

FIXED = HOME + "/ip address\nadd address=203.0.113.2/24 interface=ether1\n"

FORWARD = FIXED + "/ip firewall nat\n" + (
    "add action=dst-nat chain=dstnat dst-port=443 in-interface-list=WAN protocol=tcp "
    "to-addresses=192.168.88.10 to-ports=8443\n"
)  # fmt: skip

TO_SERVER = "in=ether1 dst=203.0.113.2:443/tcp "


def walked(text: str, asked: str) -> dict[str, Any]:
    return trace.walked(ask(text).net, firewall.parsed(asked))
