"""A home's router, by whose lines most answers are asked."""

from __future__ import annotations

from tests.model.packet_path.asked import home

BRIDGED = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
add bridge=bridge1 interface=ether3
"""

HOME = home("bridge1", BRIDGED)
FAST = ("yes", ["fasttrack"])
SLOW = ("no", ["slow"])
