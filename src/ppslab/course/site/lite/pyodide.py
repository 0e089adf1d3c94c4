"""Pyodide beside the site: its core from npm, and a lock that names our wheels and no others.

Pyodide's own lock names hundreds of packages that lie on another host.  With ours `import ppslab`
loads the wheel, `import numpy` says that there is none, and nobody else is ever asked.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ppslab.core.errors import CannotHereError
from ppslab.course.site.lite import wheel

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"

KERNEL = {
    "ipykernel-6": ("pyodide-kernel",),
    "piplite-": ("micropip",),
    "pyodide_kernel-": ("comm", "ipython"),
}
"""JupyterLite's kernel: the beginnings of its wheels' names, and what each needs."""

LEFT_OUT = ("jupyterlab-widgets", "widgetsnbextension")
"""ipywidgets asks for them; they are JavaScript for a Jupyter that is not in the browser."""

OPTIONAL = ("jedi",)
"""IPython asks for it to complete words, which a page's cell does not: JupyterLite loads it."""


def kernel_wheels(prefix: Path) -> list[wheel.Wheel]:
    """The wheels of JupyterLite's kernel, which its package installs below sys.prefix."""
    folder = prefix / "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension"
    found = []
    for beginning, depends in KERNEL.items():
        paths = sorted((folder / "static/pypi").glob(f"{beginning}*.whl"))
        if not paths:
            raise CannotHereError(f"no {beginning}*.whl in {folder}", "Bring it with: make setup")
        found.append(wheel.read(paths[-1], depends))
    return found


def lay_out(core: Path, wheels: Iterable[wheel.Wheel], folder: Path) -> dict[str, Any]:
    """Fill the folder with Pyodide's core and these wheels; gives the lock that was written."""
    for name in CORE:
        if not (core / name).is_file():
            raise CannotHereError(f"no {core / name}", "Bring it with: make web")
        shutil.copyfile(core / name, folder / name)
    lock: dict[str, Any] = json.loads((core / LOCK).read_text(encoding="utf-8"))
    packages: dict[str, dict[str, Any]] = {}
    for each in wheels:
        target = folder / each.path.name
        if target != each.path:
            shutil.copyfile(each.path, target)
        packages[each.name] = {
            "name": each.name,
            "version": each.version,
            "file_name": target.name,
            "install_dir": "site",
            "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": list(each.imports),
            "depends": [name for name in each.depends if name not in OPTIONAL],
            "unvendored_tests": False,
        }
    lacking = {name for each in packages.values() for name in each["depends"]} - set(packages)
    if lacking:
        raise CannotHereError(
            f"the browser's packages lack {', '.join(sorted(lacking))}",
            "Name them in web/python-packages.in, and lock again.",
        )
    lock["packages"] = packages
    (folder / LOCK).write_text(json.dumps(lock, indent=1), encoding="utf-8")
    return lock
