"""The same packets on two kernels: each counts the same again and again, and the two differ.

The second kernel is the one of another Debian release: 106 MB, fetched once, unpacked in the cache
and never installed.  Two guests and the fetch take three minutes: PPSLAB_EVERY_LAB=1.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from ppslab.core import measures
from ppslab.core.errors import CannotHereError
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import capabilities, open_backend
from ppslab.testbed.backends.capabilities import guest_kernel

STATE = capabilities.usable("vm")
pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
    pytest.mark.skipif("PPSLAB_EVERY_LAB" not in os.environ, reason="106 MB: PPSLAB_EVERY_LAB=1"),
]

OTHER = "trixie"
"""A Debian release with another kernel than the one that this machine's own apt offers."""
AGAIN = 0.002
"""Two counts on one kernel differ by less."""
CONDITIONS = ("routing-fast-path", "routing-plain", "routing-25-ip-filter-rules")


def counted() -> tuple[str, dict[str, float]]:
    """The guest's kernel, and the router's instructions a packet by condition.

    Everything is counted twice, and both counts must agree.
    """
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("vm", measure="counted"))
        testbed = stand(stack, backend, lab.find("fastpath"), profiles.load("quick"))
        specs = {"cable": TrialSpec("cable", None, 64, 0.05, round_number=0)}
        for name in CONDITIONS:
            condition = testbed.lab.condition(name)
            specs[name] = TrialSpec("cost", condition, 64, 0.05, round_number=0)
        rounds = []
        for _ in range(2):
            seen = {}
            for name, spec in specs.items():
                trial = testbed.trial(spec)
                assert trial.valid, trial.invalid_because
                seen[name] = measures.of_nanoseconds(trial.nanoseconds_each("cpu"), "counted")
            rounds.append(seen)
        assert rounds[1] == pytest.approx(rounds[0], rel=AGAIN)
        router = {name: rounds[0][name] - rounds[0]["cable"] for name in CONDITIONS}
        return str(backend.facts["kernel"]), {**router, "cable": rounds[0]["cable"]}


def test_a_kernel_counts_the_same_again_and_another_one_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel, costs = counted()
    monkeypatch.setenv("PPSLAB_KERNEL", OTHER)
    try:
        other = guest_kernel.guest_kernel()
    except CannotHereError as error:
        pytest.skip(str(error))
    other_kernel, other_costs = counted()
    assert other_kernel == other.version != kernel
    print(f"{kernel}: {costs}\n{other_kernel}: {other_costs}")
    # Other code has other lengths, far beyond what two counts on one kernel differ by.  From 6.1
    # to 6.12 the sending and receiving that every packet needs grew by 3 %, plain routing by 2 %
    # and the fast path by 11 %, and the rules shrank by 2 %.
    for name, cost in costs.items():
        assert other_costs[name] == pytest.approx(cost, rel=0.15), name
    assert abs(other_costs["cable"] / costs["cable"] - 1) > 5 * AGAIN
    assert abs(other_costs["routing-plain"] / costs["routing-plain"] - 1) > 5 * AGAIN
    # It is the same router: what is dearer on one is dearer on the other.
    assert sorted(costs, key=costs.__getitem__) == sorted(other_costs, key=other_costs.__getitem__)
