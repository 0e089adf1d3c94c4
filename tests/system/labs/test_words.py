"""The words of a condition on a live router: what each does is seen, and that it goes again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import Node, capabilities, open_backend

pytestmark = [pytest.mark.live, pytest.mark.alone]

# Of the neighbours those that were made: what a kernel learns of others by itself comes and goes.
STATE = (
    "ip -br -d address; ip route; ip -6 route; ip neighbour show nud permanent | sort; "
    "sysctl net.ipv4.ip_default_ttl"
)


@pytest.fixture(scope="module")
def testbed() -> Iterator[FrameTestbed]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        words = lab.load(Path(__file__).with_name("words"))
        yield stand(stack, backend, words, profiles.load("quick"))


def state(node: Node) -> str:
    return node.run(["sh", "-ec", STATE]).stdout


def running(node: Node) -> str:
    return node.run(["sh", "-c", "ps -eo args | grep -c '^sleep 99*' || :"]).stdout.strip()


def test_what_a_condition_makes_is_there_and_goes_again(testbed: FrameTestbed) -> None:
    dut = testbed.router.node
    tester = testbed.router.others["tester"].node
    conditions = testbed.lab.conditions
    testbed.router.apply(conditions["plain"])
    before = state(dut), state(tester)

    for _ in range(2):
        testbed.router.apply(conditions["every-word"])
        assert testbed.router.read_back(conditions["every-word"]).problems == ()
        assert "made0" in state(dut)
        assert "mtu 1400" in dut.run(["ip", "link", "show", "eth2"]).stdout
        assert "= 61" in state(dut)
        assert running(dut) == "1"

        testbed.router.apply(conditions["plain"])
        assert testbed.router.read_back(conditions["plain"]).problems == ()
        assert (state(dut), state(tester)) == before
        assert running(dut) == "0"


def test_counters_say_what_the_trial_sent(testbed: FrameTestbed) -> None:
    condition = testbed.lab.conditions["every-word"]
    for _ in range(2):
        trial = testbed.trial(TrialSpec("cost", condition, 64, 0.1, intended_load=5000.0))
        assert trial.counts is not None
        # Learning frames pass before the counted ones; a ping or a neighbour's question after.
        learnt = testbed.profile.waits.learning_frames
        sent = trial.counts["offered"]
        assert sent <= trial.counters["seen"] <= sent + learnt + 5
        assert sent <= trial.counters["port"] <= sent + learnt + 20
        assert sent <= trial.counters["tester received"] <= sent + learnt + 20


def test_a_condition_that_does_not_answer_as_expected_is_no_trial(testbed: FrameTestbed) -> None:
    trial = testbed.trial(
        TrialSpec("cost", testbed.lab.conditions["wrong-answer"], 64, 0.05, intended_load=1000.0)
    )
    assert not trial.valid
    assert "198.18.1.99" in trial.invalid_because[0]


def test_a_program_that_does_not_get_ready_says_what_it_said(testbed: FrameTestbed) -> None:
    with pytest.raises(BackendError, match=r"(?s)no such line.*not ready after 0.3 s"):
        testbed.router.apply(testbed.lab.conditions["never-ready"])
    testbed.router.apply(testbed.lab.conditions["plain"])
    assert testbed.router.read_back(testbed.lab.conditions["plain"]).problems == ()


def test_what_takes_a_moment_is_waited_for(testbed: FrameTestbed) -> None:
    condition = testbed.lab.conditions["comes-late"]
    testbed.router.apply(condition)
    assert testbed.router.read_back(condition).problems == ()
