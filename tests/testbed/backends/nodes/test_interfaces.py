"""Which interfaces of a machine a test may have; the machine is a namespace of the test's own."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes the test's interfaces"),
]

LOOK = """
import json, sys
from ppslab.testbed.backends.nodes import interfaces
from ppslab.core.errors import UsageError
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = interfaces.look(name).used_by
    except UsageError as error:
        found[name] = str(error)
print(json.dumps(found))
"""

MACHINE = """\
link add free type veth peer name other
link add addressed type veth peer name a1
link add bridged type veth peer name b1
link add carrying type veth peer name t1
link add routed type veth peer name r1
link add br9 type bridge
link set bridged master br9
link add link carrying name upon9 type macvlan
address add 192.0.2.5/24 dev addressed
link set routed up
link set r1 up
route add 192.0.2.128/25 dev routed
"""


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, str]]:
    name = f"ppslab-t-{secrets.token_hex(3)}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "-batch", "-"], input=MACHINE, text=True, check=True)
        asked = ["free", "other", "addressed", "bridged", "carrying", "routed", "lo", "adressed"]
        said = subprocess.run(
            ["ip", "netns", "exec", name, sys.executable, "-c", LOOK, *asked],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        yield json.loads(said.stdout)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_free_interfaces_may_be_taken(found: dict[str, str]) -> None:
    assert found["free"] == found["other"] == ""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("addressed", "has the address 192.0.2.5/24"),
        ("bridged", "is a port of br9"),
        ("carrying", "carries upon9"),
        ("routed", "has the route 192.0.2.128/25"),
        ("lo", "is no Ethernet interface"),
        ("adressed", 'no interface adressed (did you mean "addressed"?)'),
    ],
)
def test_what_is_in_use_is_left_alone(found: dict[str, str], name: str, why: str) -> None:
    assert why in found[name]
