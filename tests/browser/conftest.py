"""The site, built from recorded runs and served on 127.0.0.1, and a real browser to look at it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab import results
from ppslab.results import Record

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
# As root in a container there is no sandbox; the rest keeps Chromium from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Built:
    """A built site, and the record that was the newest when it was built."""

    folder: Path
    record: Record | None


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """That of `make site` where nothing has changed since, else built here from recorded runs."""
    record = results.newest("fastpath")
    made = ROOT / "_build/html"
    if _is_current(made / ".built"):
        return Built(made, record)
    folder = tmp_path_factory.mktemp("site")
    command = [
        str(Path(sys.executable).with_name("jupyter-book")), "build", str(ROOT),
        "--path-output", str(folder), "-W", "-n", "--keep-going",
    ]  # fmt: skip
    environment = {**os.environ, "PPSLAB_BACKEND": "recorded", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return Built(folder / "_build/html", record)


def _is_current(stamp: Path) -> bool:
    if not stamp.exists():
        return False
    since = stamp.stat().st_mtime
    folders = ("book", "notebooks", "labs", "topologies", "src/ppslab", "results")
    files = [file for name in folders for file in (ROOT / name).rglob("*.*") if file.is_file()]
    files += [ROOT / "_config.yml", ROOT / "_toc.yml"]
    return all(file.stat().st_mtime <= since for file in files if "__pycache__" not in file.parts)


@pytest.fixture(scope="session")
def site_folder(built: Built) -> Path:
    """The folder of the built site."""
    return built.folder


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """The address of the served site, without a slash at its end."""
    handler = functools.partial(_Quiet, directory=str(site_folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, without a window."""
    if not shutil.which(CHROMIUM):
        pytest.skip(f"no {CHROMIUM}: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


def toc_pages() -> list[str]:
    """Every page of the table of contents, as its address in the site."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = ["index.html"]

    def walk(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                walk(each)
        elif isinstance(part, dict):
            if "file" in part:
                found.append(f"{part['file']}.html")
            for key in ("parts", "chapters", "sections"):
                walk(part.get(key))

    walk(toc)
    return found
