"""The process: sockets, TLS, and the loop, until it is stopped."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tornado.httpserver
import tornado.netutil

from ppslab.base.documents import bounded
from ppslab.base.errors import CannotHereError, FileError
from ppslab_class.server.app import application
from ppslab_class.server.handler import MOST_BODY, Hall
from ppslab_class.server.open_files import open_more

IDLE_SECONDS = 75
"""A connection that says nothing is closed; a poll every few seconds keeps it."""

BODY_SECONDS = 20
"""What is sent must be here by then: else thirty slow ones hold thirty connections."""


@dataclass(frozen=True)
class Tls:
    """Certificate (with its chain) and key, in PEM."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """For a server; FileError where the two are none, or no pair."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        for path in (self.certificate, self.key):
            bounded.check(path)  # OpenSSL would wait at a pipe for ever
        try:
            context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            message = f"no TLS with {self.key.name}: {error}"
            raise FileError(self.certificate, None, message) from None
        return context


async def serve(
    hall: Hall, host: str, port: int, tls: Tls | None, ready: Callable[[int], None]
) -> None:
    """Serve until cancelled; `ready` hears the port.  CannotHereError where it is taken."""
    try:
        sockets = tornado.netutil.bind_sockets(port, host)
    except OSError as error:
        reason = f"nothing can listen at {host} port {port}: {error.strerror or error}"
        raise CannotHereError(reason, "choose another: --port 8443") from None
    open_more()
    server = tornado.httpserver.HTTPServer(
        application(hall),
        ssl_options=tls.context() if tls else None,
        max_body_size=MOST_BODY,
        max_header_size=16 * 1024,
        idle_connection_timeout=IDLE_SECONDS,
        body_timeout=BODY_SECONDS,
    )
    server.add_sockets(sockets)
    ready(sockets[0].getsockname()[1])
    try:
        await asyncio.Event().wait()
    finally:
        server.stop()
        await server.close_all_connections()
