"""VRFs: by which networks a rule of the firewall knows their packets."""

from __future__ import annotations

import pytest
from asked import LAN_AND_WAN, ask

from rosexplain.vrf import vrfs

CUSTOMER = f"""{LAN_AND_WAN}/ip vrf
add interfaces=ether3 name=customer
/ip address
add address=198.18.0.2/30 interface=ether1
add address=10.90.0.1/24 interface=ether3
/ip route
"""
OF_VRF = " routing-table=customer\n"


@pytest.mark.parametrize(
    ("route", "known"),
    [
        ("gateway=10.90.0.7", True),  # the default route: nobody takes all networks for the VRF's
        ("dst-address=10.91.0.0/16 gateway=198.18.0.1@main", True),
        ("dst-address=198.18.1.0/24 gateway=198.18.0.1", True),
        ("dst-address=10.91.0.0/16 gateway=10.90.0.7", False),
        ("dst-address=10.91.0.0/16 gateway=ether3", False),
        ("dst-address=10.91.0.0/16 gateway=10.99.0.1", False),  # perhaps a tunnel's other end
    ],
)
def test_networks_behind_a_gateway_of_the_vrf_are_not_known(route: str, known: bool) -> None:
    [vrf] = vrfs(ask(f"{CUSTOMER}add {route}{OF_VRF}").net)
    assert vrf.networks == (["10.90.0.0/24"] if known else None)


def test_an_address_beside_its_other_end_is_no_network() -> None:
    other = "address=10.90.0.1/32 interface=ether3 network=10.90.0.2"
    [vrf] = vrfs(ask(CUSTOMER.replace("address=10.90.0.1/24 interface=ether3", other)).net)
    assert vrf.networks is None
