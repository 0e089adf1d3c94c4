"""Ctrl-C anywhere in a request: what is put back afterwards goes over a new connection."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import Any

import pytest

from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.rest import Service

ANSWER = b'[{".id": "*1"}]'
LIBRARIES = ("httpx", "httpcore", "h11")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_arguments: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_arguments: Any) -> None:
        """Connections that are given up are what this is about."""


@pytest.fixture
def service() -> Iterator[Service]:
    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service = Service("a device", RouterOS(url=f"http://127.0.0.1:{server.server_port}"), said=str)
    yield service
    service.close()
    server.shutdown()
    server.server_close()
    thread.join()


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
        assert service.ask("GET", "/rows", seconds=2) == [{".id": "*1"}], f"line {at}"
    assert interrupted > 20
