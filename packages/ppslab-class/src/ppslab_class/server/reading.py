"""The files that a class reads: our own pages, and the site's, but for what is not due yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import tornado.web
from tornado.http1connection import HTTP1Connection
from tornado.iostream import StreamClosedError

from ppslab_class.board import rights
from ppslab_class.server import files
from ppslab_class.server.files import Files
from ppslab_class.server.handler import Handler

OWN_PAGES: Final = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
"""Our own pages load nothing that is not beside them, and hold no script in themselves."""

DECKS: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
    "object-src 'none'"
)
"""A deck begins with a script in its page, and opens the speaker's window with another."""


PART: Final = 64 * 1024
"""Bytes that are handed on at once: what a connection that reads slowly holds of our memory."""

PART_SECONDS = 30
"""A connection that has not taken a part by then is closed."""

MOST_SENDING = 1200
"""Files on their way to one address.

A hall of 200 seats may be one address, and a browser asks for six at once.
"""


class FileHandler(Handler):
    """A file of a folder, compressed, with its ETag."""

    async def give(self, folder: Files, address: str) -> None:
        """Send it, or say that it is not there."""
        path = folder.path(address)
        if path is None:
            raise tornado.web.HTTPError(404, reason="there is no such page")
        file = folder.known(path) or await self._read(folder, path)
        self.set_header("Content-Type", file.kind)
        self.set_header("Cache-Control", "no-cache")
        self.set_header("ETag", file.etag)
        if self.check_etag_header():
            self.set_status(304)
            self.finish()
            return
        parts = files.parts(file.body, PART)
        if file.zipped:
            self.set_header("Vary", "Accept-Encoding")
            if "gzip" in self.request.headers.get("Accept-Encoding", ""):
                self.set_header("Content-Encoding", "gzip")
            else:
                parts = files.unzipped(file.body, PART)
        if not file.zipped or "Content-Encoding" in self._headers:
            self.set_header("Content-Length", len(file.body))
        await self._send(parts)

    async def _send(self, parts: Iterable[bytes]) -> None:
        """Send part after part, each when the one before is taken."""
        sending, address = self.hall.sending, self.request.remote_ip or ""
        if sending[address] >= MOST_SENDING:
            self.clear()
            raise tornado.web.HTTPError(503, reason="too many files at once for this address")
        sending[address] += 1
        try:
            for part in parts:
                self.write(part)
                await asyncio.wait_for(self.flush(), PART_SECONDS)
            self.finish()
        except (TimeoutError, StreamClosedError):
            # Half a file: whoever waits for the rest must not take it for the whole.
            if isinstance(self.request.connection, HTTP1Connection):
                self.request.connection.close()
        finally:
            sending[address] -= 1
            if not sending[address]:
                del sending[address]

    async def _read(self, folder: Files, path: Path) -> files.File:
        loop = asyncio.get_running_loop()
        version, file = await loop.run_in_executor(None, partial(folder.read, path))
        folder.keep(path, version, file)
        return file

    def compute_etag(self) -> str | None:
        """The one that was set, not one more digest of the body."""
        return str(self._headers.get("ETag")) if "ETag" in self._headers else None


class Page(FileHandler):
    """Our own pages: join, board, projector, and what they load."""

    async def get(self, name: str) -> None:
        """The page; it holds nothing that its polls do not bring."""
        self.set_header("Content-Security-Policy", OWN_PAGES)
        await self.give(self.hall.pages, name if "." in name else f"{name}.html")


class Slides(FileHandler):
    """The decks, with the speaker's notes."""

    async def get(self, address: str) -> None:
        """A page of a deck, or what it loads."""
        asker = self.who()
        if asker is None:
            self.redirect("/workshop/pages/join")
            return
        if not rights.may(asker.role, "see the slides"):
            raise tornado.web.HTTPError(403, reason="no right to see the slides")
        if self.hall.slides is None:
            raise tornado.web.HTTPError(404, reason="no slides are built: make slides builds them")
        self.set_header("Content-Security-Policy", DECKS)
        # The speaker's window shows the deck in frames.
        self.set_header("X-Frame-Options", "SAMEORIGIN")
        await self.give(self.hall.slides, address)


class Site(FileHandler):
    """A page of the course, unless its chapter is not due yet."""

    async def get(self, address: str) -> None:
        """The page."""
        chapter = files.chapter_of(unquote(address))
        if chapter in self.hall.board.day.chapters_locked:
            asker = self.who()
            if not rights.may(asker.role if asker else None, "read locked pages"):
                self.set_header("Content-Security-Policy", OWN_PAGES)
                self.set_status(403)
                await self.give_locked()
                return
        await self.give(self.hall.site, address)

    async def give_locked(self) -> None:
        """The page that says so."""
        path = self.hall.pages.path("locked.html")
        assert path is not None
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.finish(path.read_bytes())
