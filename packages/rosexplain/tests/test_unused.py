"""Rules that others before them cover: what is taken for the same, and what is not."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain.noticed import noticed

LISTS = """/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
/ip firewall filter
"""


@pytest.mark.parametrize(
    ("first", "second", "covered"),
    [
        ("action=drop chain=input src-address=10.0.0.0/8",
         "action=accept chain=input src-address=10.1.0.0/16", True),
        ("action=drop chain=input src-address=10.1.0.0/16",
         "action=accept chain=input src-address=10.0.0.0/8", False),
        ("action=accept chain=input dst-port=22,80 protocol=tcp",
         "action=drop chain=input dst-port=22 protocol=tcp src-address=10.0.0.1", True),
        ("action=accept chain=input dst-port=22 protocol=tcp",
         "action=drop chain=input dst-port=22,80 protocol=tcp", False),
        ("action=accept chain=input in-interface-list=WAN",
         "action=drop chain=input in-interface=ether1", True),
        ("action=accept chain=input in-interface-list=!WAN",
         "action=drop chain=input in-interface=ether1", False),
        ("action=accept chain=input ipsec-policy=in,none protocol=icmp",
         "action=drop chain=input protocol=icmp src-address=10.0.0.1", True),
        ("action=accept chain=input ipsec-policy=in,ipsec protocol=icmp",
         "action=drop chain=input protocol=icmp src-address=10.0.0.1", False),
        ("action=accept chain=input limit=5,5:packet protocol=icmp",
         "action=drop chain=input protocol=icmp src-address=10.0.0.1", False),
        ("action=log chain=input protocol=icmp",
         "action=drop chain=input protocol=icmp src-address=10.0.0.1", False),
        ("action=accept chain=input protocol=icmp",
         "action=drop chain=forward protocol=icmp src-address=10.0.0.1", False),
        ("action=fasttrack-connection chain=forward connection-state=established,related",
         "action=accept chain=forward connection-state=established", False),
        ("action=fasttrack-connection chain=forward connection-state=established,related",
         "action=fasttrack-connection chain=forward connection-state=established", True),
    ],
)  # fmt: skip
def test_a_rule_is_covered_where_another_takes_all_of_it(
    first: str, second: str, covered: bool
) -> None:
    met = dict(noticed(ask(f"{LISTS}add {first}\nadd {second}\n")))
    assert ("rule-covered" in met) == covered


def test_a_policy_of_ipsec_makes_none_a_matcher() -> None:
    rules = ("add action=accept chain=input ipsec-policy=in,none protocol=icmp\n"
             "add action=drop chain=input protocol=icmp src-address=10.0.0.1\n")  # fmt: skip
    policy = "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=p src-address=10.1.0.0/16\n"
    assert "rule-covered" not in dict(noticed(ask(LISTS + rules + policy)))
