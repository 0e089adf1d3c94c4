"""When instructions are counted, and what that changes of a run; the counting itself is elsewhere.

`tests/system/measurement/test_counted.py` counts in a guest.
"""

from __future__ import annotations

import json
import queue
import socket
import threading
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from ppslab.core.errors import BackendError, UsageError
from ppslab.judge import costs
from ppslab.measure import options as counting
from ppslab.measure.options import RunOptions
from ppslab.model.lab import lab
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel
from ppslab.testbed.backends.vm.qemu import Guest, command_line
from tests.support import factory
from tests.support.waiting import PATIENCE


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "words", "measure"),
    [
        ("fastpath", {}, "counted"),
        ("fastpath", {"backend": "vm"}, "counted"),
        ("fastpath", {"measure": "timed"}, "timed"),
        ("fastpath", {"backend": "namespaces"}, "timed"),
        ("fastpath", {"backend": "containerlab"}, "timed"),
        ("fastpath", {"router": "routeros"}, "timed"),
        ("fastpath", {"tester": "routeros"}, "timed"),
        ("numa", {}, "timed"),
        ("fastpath", {"backend": "namespaces", "measure": "counted"}, None),
        ("fastpath", {"router": "routeros", "measure": "counted"}, None),
        ("fastpath", {"tester": "routeros", "measure": "counted"}, None),
        ("numa", {"measure": "counted"}, None),
    ],
)
def test_a_lab_is_counted_where_that_can_be_done(
    name: str, words: dict[str, str], measure: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "usable", lambda _: SimpleNamespace(usable=True))
    asked = words.get("measure")
    options = RunOptions(**{k: v for k, v in words.items() if k != "measure"})  # type: ignore[arg-type]
    with nullcontext() if measure else pytest.raises(UsageError):
        assert counting.measure_of(asked, options, lab.find(name)) == measure


def test_a_counted_guest_has_one_cpu_and_a_clock_of_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = tmp_path / "vmlinuz"
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path))
    image.write_bytes(bytes(1024))
    kernel = GuestKernel(image=image, version="6.1", modules=None, package="none")
    guest = Guest(kernel, "tcg", tmp_path / "c", tmp_path / "l", cpus=1, counted=True)
    argv = command_line(guest, tmp_path / "initrd")
    assert argv[argv.index("-accel") + 1] == "tcg,thread=single"
    assert argv[argv.index("-icount") + 1] == "shift=1,sleep=on"
    assert argv[argv.index("-smp") + 1] == "1"
    timed = command_line(Guest(kernel, "tcg", tmp_path / "c", tmp_path / "l"), tmp_path / "initrd")
    assert "-icount" not in timed


def test_a_counted_record_tells_its_costs_in_instructions() -> None:
    timed = factory.make_record()
    counted = timed.model_copy(update={"measure": "counted"})
    name, size = timed.reference, timed.frame_sizes[0]
    assert costs.cost(counted, name, size).estimate == costs.cost(timed, name, size).estimate / 2
    assert (timed.unit, counted.unit) == ("ns", "instructions")
    assert "instructions counted" in counted.provenance().sentence
    assert counted.provenance().kind == "counted"


class Agent:
    """Hears what is asked of it, and never answers."""

    def __init__(self) -> None:
        ours, self.end = socket.socketpair()
        self.heard: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
        self.client = Client(ours, counted=True)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with self.end.makefile() as lines:
            for line in lines:
                self.heard.put(json.loads(line))


def test_a_limit_is_the_hosts_and_the_agent_is_told_when_it_is_over() -> None:
    agent = Agent()
    with pytest.raises(BackendError, match="did not answer"):
        agent.client.call("run", wait=0.01, timeout=5.0, argv=["sleep", "9"])
    asked, cancelled = agent.heard.get(timeout=PATIENCE), agent.heard.get(timeout=PATIENCE)
    # The guest's clock goes by its work: it is given no limit of its own.
    assert asked["timeout"] is None
    assert (cancelled["op"], cancelled["request"]) == ("cancel", asked["id"])
