"""The backend that tests share: once it has died it is opened again."""

from __future__ import annotations

import os
import signal

import pytest

from ppslab.core import processes
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened
from tests.support.waiting import until

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="namespaces are needed: ppslab doctor"
    ),
]


def test_a_backend_is_opened_once_and_again_when_it_has_died(opened: Opened) -> None:
    first = opened("namespaces")
    assert opened("namespaces") is first
    agent = first.entry.agent_pid
    assert agent is not None
    os.kill(agent, signal.SIGKILL)
    until(lambda: processes.start_time(agent) is None, "the agent's end")
    second = opened("namespaces")
    assert second is not first
    assert second.deployments() == {}
