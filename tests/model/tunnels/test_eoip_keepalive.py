"""Keepalives of a Linux end: who is taken down when, and two ends in namespaces of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.testbed.routers.linux.eoip_keepalive import Life, main
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[3]


def test_ten_missing_take_the_interface_down_and_one_brings_it_up() -> None:
    life = Life(interval=10, retries=10, heard=0)
    assert [life.look(now) for now in (50, 100, 100.1, 110)] == [False, False, True, False]
    assert life.hear(111) is True
    assert life.hear(121) is False
    assert life.look(221) is False and life.look(221.1) is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["here", "198.19.2.2", "--tunnel-id", "1"], "IPv4 addresses are wanted"),
        (["198.19.1.2", "198.19.2.2", "--tunnel-id", "65536"], "RouterOS has 0 to 65535"),
        (
            ["198.19.1.2", "198.19.2.2", "--tunnel-id", "1", "--interval", "0"],
            "must be more than 0 s",
        ),
    ],
)
def test_wrong_words_say_so(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


TWO_ENDS = r"""
near= other=
wait_for() { try=0; until "$@"; do try=$((try + 1)); [ $try -lt 1200 ]; sleep 0.1; done; }
own_network() { [ "$(readlink /proc/$1/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
is_up() { ip -br link show eoip1 | grep -q ,UP; }
is_down() { ! is_up; }
came() { awk '$1 == "near0:" {print $3}' /proc/net/dev; }
is_up_or_came() { is_up || [ "$(came)" -ge "$1" ]; }
ip link set lo up
ip link add near0 type veth peer name far0
ip address add 198.19.1.2/24 dev near0
ip link set near0 up
unshare --net sleep 3600 & far=$!
trap 'kill $near $far $other' EXIT
wait_for own_network $far
ip link set far0 netns $far
nsenter -t $far --net sh -ec 'ip address add 198.19.1.3/24 dev far0; ip link set far0 up'
ip link add eoip1 type veth peer name inside
ip link set inside up
ip link set eoip1 up
"$PYTHON" -u -m ppslab.testbed.routers.linux.eoip_keepalive 198.19.1.2 198.19.1.3 \
  --tunnel-id 100 --interface eoip1 --interval 0.05 & near=$!
wait_for is_down
ip -br link show eoip1
nsenter -t $far --net "$PYTHON" -u -m ppslab.testbed.routers.linux.eoip_keepalive \
  198.19.1.3 198.19.1.2 --tunnel-id $ID --interval 0.05 >/dev/null & other=$!
# The first keepalive brings it up; 60 of another tunnel do not.
wait_for is_up_or_came $(($(came) + 60))
ip -br link show eoip1
"""


@pytest.mark.live
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="namespaces are root's here"
)
@pytest.mark.parametrize(("tunnel", "then"), [("100", "up"), ("101", "down")])
def test_the_other_ends_keepalives_bring_the_interface_up_again(tunnel: str, then: str) -> None:
    """Without any for ten intervals it is down; those of another tunnel are nobody's."""
    done = subprocess.run(
        ["unshare", "--net", "sh", "-ec", TWO_ENDS],
        env={**os.environ, "PYTHON": sys.executable, "ID": tunnel},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("the other end")]
    assert said[:2] == ["the other end is down", "the other end is up"][: 1 + (then == "up")]
    states = [line.split() for line in done.stdout.splitlines() if line.startswith("eoip1")]
    assert ["UP" in state[3] for state in states] == [False, then == "up"], done.stderr
