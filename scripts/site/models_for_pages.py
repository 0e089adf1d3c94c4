#!/usr/bin/env python3
"""Print, as JSON, the Python files that a static page runs in MicroPython: path to text.

    models-for-pages models    the models of the widgets
    models-for-pages tasks     what judges tasks on the router in the page

With them comes every module of ours that they import, followed import by import, each as
MicroPython runs it (`core.documents.micropython`).  A module with a YAML file of its own name
beside it comes as that file's data, `DATA`: MicroPython reads no YAML.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ppslab.core.documents import imports, micropython

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"

OWN = {"ppslab/__init__.py": "", "rosexplain/__init__.py": ""}
"""The packages themselves, without what a notebook needs of them."""

FOLDERS = {
    "models": "ppslab.course.models",
    "tasks": "ppslab.course.tasks.engine",
}


def main() -> int:
    """Print the files."""
    if len(sys.argv) != 2 or sys.argv[1] not in FOLDERS:
        print(f"usage: models-for-pages {' | '.join(FOLDERS)}", file=sys.stderr)
        return 2
    package = FOLDERS[sys.argv[1]]
    folder = SOURCES.joinpath(*package.split("."))
    every = [*folder.glob("*.py"), *(path.parent for path in folder.glob("*/__init__.py"))]
    names = [f"{package}.{path.stem}" for path in every]
    modules = imports.followed(names, SOURCES, imports.text_of)
    texts = {
        f"{name.replace('.', '/')}{'/__init__' * (path.name == '__init__.py')}.py": (
            micropython.lowered(imports.text_of(path))
        )
        for name, path in modules.items()
    }
    files = texts | micropython.STAND_INS | OWN
    json.dump(dict(sorted(files.items())), sys.stdout, indent=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
