"""A site as a plain web server has it: compressed, at the root and under a sub-path.

python -m tests.system.browser.server FOLDER   until its input ends; it says its port first
"""

from __future__ import annotations

import functools
import gzip
import subprocess
import sys
import threading
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


@functools.lru_cache(maxsize=512)
def _compressed(path: str, changed: float) -> bytes:
    del changed
    return gzip.compress(Path(path).read_bytes(), compresslevel=6)


class Handler(SimpleHTTPRequestHandler):
    """GET only; no words on the terminal."""

    protocol_version = "HTTP/1.1"

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
def serving(folder: Path, network: Network) -> Iterator[int]:
    """Serve a folder in a network; the port."""
    command = network.argv(sys.executable, "-m", "tests.system.browser.server", str(folder))
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


def main(folder: str) -> None:
    """Serve until the input ends."""
    handler = functools.partial(Handler, directory=folder)
    with ThreadingHTTPServer(("0.0.0.0", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
