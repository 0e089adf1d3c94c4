"""The words that Python says to ppstraffic, and what it makes of the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.model.lab.packets import Flow
from ppslab.testbed.backends import Completed
from ppslab.testbed.testers import ppstraffic
from ppslab.testbed.testers.contract import Step
from tests.support.factory import make_counts
from tests.support.flow_factory import make_flow

FLOW = make_flow()
COUNTED = {"name": "r12", "intended": 10, "offered": 9, "received": 8}
PRINTED: dict[str, Any] = make_counts(20_000, offered=10) | {
    "offered": 9,
    "received": 8,
    "rx_cpu": None,
    "flows": [{**COUNTED, "duplicates": 0, "reordered": 0}],
}


def done(code: int = 0, out: str = "", err: str = "") -> Completed:
    return Completed(code, out, err)


def test_a_step_of_more_than_one_is_refused() -> None:
    wide = make_flow(name="many", dst_port={"start": 200, "count": 9, "step": 2})
    with pytest.raises(UsageError, match="many: dport steps by 2"):
        ppstraffic.flow_argument(wide)


def test_arguments() -> None:
    load = ppstraffic.Load(
        flows=(FLOW,), ports={"p1": "eth1"}, size=64, seconds=0.5, rate=1234567.5,
        then=Step(1000.0, 0.25), learning_frames=2, settle_seconds=0.1, drain_seconds=2,
        tx_cpu=0, rx_cpu=1,
    )  # fmt: skip
    argv = ppstraffic.arguments(load, frames=Path("/tmp/frames"))
    said = dict(zip(argv[1::2], argv[2::2], strict=True))
    assert argv[0] == "run"
    assert said == {
        "--size": "64",
        "--rate": "1234567.5",
        "--duration": "0.5",
        "--then": "1000:0.25",
        "--port": "p1=eth1",
        "--flow": ppstraffic.flow_argument(FLOW),
        "--learn": "2",
        "--settle": "100",
        "--drain": "2000",
        "--tx-cpu": "0",
        "--rx-cpu": "1",
        "--frames": "/tmp/frames",
        "--senders": "1",
    }
    as_fast = ppstraffic.arguments(ppstraffic.Load((FLOW,), {}, 64, 1))
    assert as_fast[as_fast.index("--rate") + 1] == "max"


@pytest.mark.parametrize(
    ("size", "flow"), [(63, FLOW), (9217, FLOW), (83, make_flow(src="2001:2::1", dst="2001:2::2"))]
)
def test_sizes_that_cannot_be_sent(size: int, flow: Flow) -> None:
    with pytest.raises(UsageError):
        ppstraffic.arguments(ppstraffic.Load((flow,), {}, size, 1))


def test_counts() -> None:
    found = ppstraffic.read(done(out=json.dumps(PRINTED)))
    # What was not sent is lost: else a slow tester makes a router look better than it is.
    assert (found.lost, found.loss_ratio) == (2, pytest.approx(0.2))
    assert found.delay_ns.p999 == 5000 and found.flows[0].name == "r12"
    assert (found.tx_cpu, found.rx_cpu, found.clock_step_ns) == (0, None, 0)
    assert found.plain() == PRINTED
    found.plain()["flows"].clear()
    assert found.plain() == PRINTED


@pytest.mark.parametrize(
    ("ended", "error"),
    [
        (done(2, "", "ppstraffic: --size is missing"), UsageError),
        (done(3, "", "ppstraffic: no permission"), CannotHereError),
        (done(1, "", "ppstraffic: eth1: no such interface"), BackendError),
        (done(-9, "", ""), BackendError),
        (done(0, json.dumps(PRINTED | {"version": 2}), ""), BackendError),
    ],
)
def test_failures(ended: Completed, error: type[Exception]) -> None:
    with pytest.raises(error) as found:
        ppstraffic.read(ended)
    assert str(found.value)


def test_the_binary_is_where_one_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PPSTRAFFIC", "/somewhere/ppstraffic")
    assert ppstraffic.binary() == Path("/somewhere/ppstraffic")
    monkeypatch.delenv("PPSTRAFFIC")
    for folder in ("labs", "topologies"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotHereError, match="make -C traffic"):
        ppstraffic.binary()
