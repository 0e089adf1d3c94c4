"""An HTTP server on a port of this machine, for doubles that only say what is answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class HungUpError(Exception):
    """The double closes the connection without an answer."""


@dataclass(frozen=True)
class Asked:
    """A request; `path` with its query, `text` its body, `login` its header Authorization."""

    method: str
    path: str
    text: str
    login: str | None


@dataclass(frozen=True)
class Answered:
    """An answer; `body`: a text is a page of HTML, None nothing, bytes are JSON as it is sent."""

    status: int
    body: Any


class HttpServer:
    """Listens while the `with` block lasts, and answers each request by `answer`.

    `keeps`: the connection stays open, as it does where a client asks hundreds of times.
    """

    def __init__(self, answer: Callable[[Asked], Answered], *, keeps: bool = False) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1" if keeps else "HTTP/1.0"
            wbufsize = -1
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                login = self.headers.get("Authorization")
                try:
                    answered = answer(Asked(self.command, self.path, text, login))
                except HungUpError:
                    self.close_connection = True
                    return
                body = answered.body
                page = isinstance(body, str)
                if not isinstance(body, bytes):
                    body = b"" if body is None else (body if page else json.dumps(body)).encode()
                self.send_response(answered.status)
                self.send_header("Content-Type", "text/html" if page else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_PUT = do_PATCH = do_DELETE = do_POST = handle_any  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        class Silent(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that hangs up is no error."""

        self._server = Silent(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
