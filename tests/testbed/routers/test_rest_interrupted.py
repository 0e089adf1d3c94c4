"""Ctrl-C anywhere in a request: what is put back afterwards goes over a new connection."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros.rest import Service
from tests.support.doubles.http_server import Answered, HttpServer

LIBRARIES = ("httpx", "httpcore", "h11")
ROWS = [{".id": "*1"}]


@pytest.fixture
def service() -> Iterator[Service]:
    with HttpServer(lambda _: Answered(200, ROWS), keeps=True) as server:
        service = Service(RouterOS(url=server.url))
        yield service
        service.close()


class Interrupting:
    """A Ctrl-C at the `at`th line that the HTTP libraries run."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Interrupting | None:
        if not any(f"/{library}/" in frame.f_code.co_filename for library in LIBRARIES):
            return None
        if event == "line":
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
        return self


@pytest.mark.long
def test_a_request_after_an_interrupted_one_is_answered(service: Service) -> None:
    interrupted = 0
    before = sys.gettrace()
    for at in range(1, 100_000, 61):
        service.ask("GET", "/rows")
        tracer = Interrupting(at)
        sys.settrace(tracer)
        try:
            service.ask("GET", "/rows")
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(before)
        if tracer.left > 0:
            break
        assert service.ask("GET", "/rows", seconds=2) == ROWS, f"line {at}"
    assert interrupted > 20
