#!/usr/bin/env python3
"""Put together what a reader's browser runs Python with: JupyterLite and Pyodide in _build/lite/.

    .venv/bin/python scripts/site/make_lite.py [--kept]

Pyodide's core from web/node_modules, the wheels of web/python-packages.txt from PyPI (pinned, with
hashes), JupyterLite's kernel from .venv, and our own wheel with what the newest records say.
Nothing is done twice: a part is made again when what it is made from has changed.
--kept: of the kept records alone, in _build/kept where this machine has records of its own.
Exit codes: 0 done; 2 a file is wrong; 3 something is missing, and what brings it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ppslab.core import paths
from ppslab.core.documents import write_json
from ppslab.core.errors import CannotHereError, PpslabError
from ppslab.course.site import policy
from ppslab.course.site.lite import own, pyodide, wheel
from ppslab.model import results
from ppslab.model.results.storing import read_kept

ROOT = Path(__file__).resolve().parents[2]
PARTS = "lite-parts"
"""The folder beside the site in which the parts are kept between two builds."""

INSTALLED = ROOT / "_build" / PARTS / "packages"
"""Whatever the records say, these are the same."""

WEB = ROOT / "web"
PACKAGES = WEB / "python-packages.txt"
CORE = WEB / "node_modules/pyodide"
SETTINGS = WEB / "lite/jupyter-lite.json"

APPS = ("notebooks", "tree", "lab")
OUR_PYODIDE = '"pyodideUrl": "./static/pyodide/pyodide.mjs"'
EXTENSIONS = (
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
    "anywidget",
)
"""What JupyterLite loads; without a list it takes every extension of the environment."""


def main() -> int:
    """Make what is not there or out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kept", action="store_true", help="of the kept records alone")
    if parser.parse_args().kept:
        read_kept(ROOT)
    try:
        installed = part(INSTALLED, [PACKAGES], install)
        documents = part(work("recorded"), sources_of_documents(), document)
        core = [CORE / name for name in (*pyodide.CORE, pyodide.LOCK)]
        python = part(work("python"), [installed, documents, *core, *own.sources()], assemble)
        part(lite(), [python, SETTINGS, Path(policy.__file__), *notebooks()], jupyterlite)
    except PpslabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    sizes = [path.stat().st_size for path in (lite() / "static/pyodide").iterdir()]
    print(f"{lite().relative_to(ROOT)}: {sum(sizes) / 1e6:.1f} MB of Python for the browser")
    return 0


def lite() -> Path:
    """JupyterLite as it is put beside the pages."""
    return paths.site_build(ROOT) / "lite"


def work(name: str) -> Path:
    """The folder of a part that holds what the records say."""
    return paths.site_build(ROOT) / PARTS / name


def part(folder: Path, sources: Iterable[Path], make: Callable[[Path], None]) -> Path:
    """The stamp of a part, which is made anew where the content of its sources has changed.

    Content, not time: a checkout and a branch change every file's time and nothing else.
    """
    parts = folder.parent if folder.parent.name == PARTS else folder.with_name(PARTS)
    stamp, now = parts / f"{folder.name}.made", digest(sources)
    if folder.is_dir() and stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
        return stamp
    parts.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    # Made beside, then put in place: half a part is never taken for a whole one.
    with tempfile.TemporaryDirectory(dir=parts) as beside:
        make(Path(beside))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(beside, folder)
    stamp.write_text(now, encoding="utf-8")
    return stamp


def digest(sources: Iterable[Path]) -> str:
    """What these files hold, in one number."""
    whole = hashlib.sha256()
    for path in sorted(set(sources)):
        content = hashlib.sha256(path.read_bytes()).digest()
        whole.update(f"{os.path.relpath(path, ROOT)}\0".encode() + content)
    return whole.hexdigest()


def sources_of_documents() -> list[Path]:
    """What the documents are made from: records, labs, wirings, notebooks, and all that reads them.

    Coarse: which module an answer needs, only its making shows.
    """
    # Not those that others sent: no page takes one for the newest run.
    records = [path for path in paths.results_dir().rglob("*.json")
               if path.parent.name != results.SENT]  # fmt: skip
    folders = [ROOT / name for name in ("labs", "topologies", "src/ppslab")]
    every = [path for folder in folders for path in folder.rglob("*.*")]
    return [*records, *notebooks(), *(path for path in every
            if path.is_file() and "__pycache__" not in path.parts)]  # fmt: skip


def notebooks() -> list[Path]:
    """The notebooks that can be opened in the browser."""
    return sorted(ROOT.glob("notebooks/*.ipynb"))


def install(folder: Path) -> None:
    """Unpack the packages from PyPI, with the hashes that they must have."""
    print("Python packages for the browser ...")
    command = [uv(), "pip", "install", "--quiet", "--python", sys.executable]
    command += ["--target", str(folder)]
    command += ["--python-version", "3.14", "--python-platform", "wasm32-pyodide2024"]
    command += ["--no-deps", "--require-hashes", "--only-binary", ":all:"]
    command += ["--requirements", str(PACKAGES)]
    # Only the version is asked for, no Python of that version.
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", "UV_COMPILE_BYTECODE": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotHereError(
            f"the packages of {PACKAGES.relative_to(ROOT)} did not come:\n{done.stderr.strip()}",
            "They are on PyPI, and uv keeps them once it had them.",
        )


def uv() -> str:
    """The uv of `make setup`, or the one on the PATH."""
    here = ROOT / "_build/uv/bin/uv"
    found = str(here) if here.is_file() else shutil.which("uv")
    if not found:
        raise CannotHereError("no uv, which brings Python packages", "Bring it with: make setup")
    return found


def document(folder: Path) -> None:
    """Write what the records say."""
    # Here, since it draws the figures: what only looks whether all is done need not load it.
    from ppslab.course.site.lite import recorded  # noqa: PLC0415

    print("What the records say, for the browser ...")
    recorded.write(folder, ROOT / "notebooks")


def assemble(folder: Path) -> None:
    """Lay Pyodide and the wheels side by side."""
    wheels = [
        *wheel.of_installed(INSTALLED, folder, pyodide.LEFT_OUT),
        *pyodide.kernel_wheels(Path(sys.prefix)),
        own.pack(folder, work("recorded"), ROOT / "labs"),
    ]
    pyodide.lay_out(CORE, wheels, folder)


def jupyterlite(folder: Path) -> None:
    """Build JupyterLite with the notebooks, and give it the Python that pages have too.

    In a folder that nobody built in before: what JupyterLite remembers of an earlier build made it
    drop the settings, and with them the address of our own Pyodide.
    """
    extensions = Path(sys.prefix) / "share/jupyter/labextensions"
    build = {
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "ignore_sys_prefix": ["federated_extensions"],
        "federated_extensions": [str(extensions / name) for name in EXTENSIONS],
    }
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        sources = Path(beside)
        shutil.copyfile(SETTINGS, sources / SETTINGS.name)
        write_json(sources / "jupyter_lite_config.json", {"LiteBuildConfig": build})
        (sources / "contents/notebooks").mkdir(parents=True)
        for path in notebooks():
            shutil.copyfile(path, sources / "contents/notebooks" / path.name)
        command = [sys.executable, "-m", "jupyter", "lite", "build", "--lite-dir", "."]
        command += ["--contents", "contents", "--output-dir", str(folder)]
        command += [word for app in APPS for word in ("--apps", app)]
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotHereError(f"jupyter lite build failed:\n{done.stdout}{done.stderr}")
    if OUR_PYODIDE not in (folder / SETTINGS.name).read_text(encoding="utf-8"):
        raise CannotHereError(f"JupyterLite lost the settings of {SETTINGS.relative_to(ROOT)}")
    policy.put_lite(folder)
    shutil.copytree(work("python"), folder / "static/pyodide")


if __name__ == "__main__":
    sys.exit(main())
