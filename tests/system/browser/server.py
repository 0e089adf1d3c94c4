"""A site as a plain web server has it: compressed, at the root and under a sub-path.

python -m tests.system.browser.server FOLDER [RATE]   until its input ends; it says its port first
RATE: the bits a second of the line to its readers, whatever it has to send to them.
"""

from __future__ import annotations

import functools
import gzip
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.waiting import PATIENCE
from tests.system.browser.network import ROOT, Network

SUB_PATH = "/courses/ppslab"

# What nginx, Apache and the hosts of static pages compress.
TEXT = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".txt", ".xml", ".wasm", ".ipynb")


PIECE = 16 * 1024


class Line:
    """A line that all answers share: who sends waits until there is room for it."""

    def __init__(self, rate: int) -> None:
        self._bytes = rate / 8
        self._lock = threading.Lock()
        self._free_at = 0.0

    def send(self, amount: int) -> None:
        """Wait until so many bytes are through."""
        with self._lock:
            self._free_at = max(self._free_at, time.monotonic()) + amount / self._bytes
            wait = self._free_at - time.monotonic()
        if wait > 0:
            time.sleep(wait)


class Slow:
    """What one of the answers is written to; the rest is the file's behind it."""

    def __init__(self, file: Any, line: Line) -> None:
        self._file, self._line = file, line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, content: bytes) -> int:
        """Write it piece by piece, at the line's rate."""
        for at in range(0, len(content), PIECE):
            piece = content[at : at + PIECE]
            self._line.send(len(piece))
            self._file.write(piece)
        return len(content)


@functools.lru_cache(maxsize=512)
def _compressed(path: str, changed: float) -> bytes:
    del changed
    return gzip.compress(Path(path).read_bytes(), compresslevel=6)


class Handler(SimpleHTTPRequestHandler):
    """GET only; no words on the terminal."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, line: Line | None = None, **more: Any) -> None:
        self._line = line
        super().__init__(*args, **more)

    def setup(self) -> None:
        """As a slow line lets it, where there is one."""
        super().setup()
        if self._line:
            self.wfile = Slow(self.wfile, self._line)  # type: ignore[assignment]

    def translate_path(self, path: str) -> str:
        """The file of an address, at the root or under the sub-path."""
        if path.startswith(f"{SUB_PATH}/"):
            path = path.removeprefix(SUB_PATH)
        return super().translate_path(path)

    def do_GET(self) -> None:
        """Send a text compressed, where the browser takes that; all else as it is."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.endswith("/"):
            path /= "index.html"
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (takes and path.is_file() and path.suffix in TEXT):
            super().do_GET()
            return
        body = _compressed(str(path), path.stat().st_mtime)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path, network: Network, rate: int | None = None) -> Iterator[int]:
    """Serve a folder in a network, over a line of `rate` bits a second; the port."""
    command = network.argv(sys.executable, "-m", "tests.system.browser.server", str(folder))
    command += [str(rate)] if rate else []
    server = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin and server.stdout
    try:
        yield int(server.stdout.readline())
    finally:
        server.stdin.close()
        server.wait(timeout=PATIENCE)
        server.stdout.close()


def main(folder: str, rate: str = "") -> None:
    """Serve until the input ends."""
    line = Line(int(rate)) if rate else None
    handler = functools.partial(Handler, directory=folder, line=line)
    with ThreadingHTTPServer(("0.0.0.0", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
