"""Our own wheel: the modules that keep to the standard library, and the documents they read."""

from __future__ import annotations

import json
from pathlib import Path

import ppslab
from ppslab.lite import wheel
from ppslab.widgets import facts

PACKAGE = Path(ppslab.__file__).parent

WHOLE = ("browser", "models", "simulated")
"""Folders of the package that go along as they are."""

MODULES = (
    *("__init__.py", "addresses.py", "binary_search.py", "bonding.py", "documents.py", "errors.py"),
    *("figures/figure.py", "measuring/delays.py", "measuring/wires.py", "meters.csv", "meters.py"),
    *("origin.py", "recorded.py"),
    *("planning/__init__.py", "planning/chips.csv", "planning/chips.py", "planning/offload.py"),
    *("planning/route_lines.py", "planning/route_table.py"),
    *("planning/routes.py", "prediction.py", "progress.py", "shown.py", "tables.py"),
    *("tunnels/__init__.py", "tunnels/layers.py", "tunnels/overhead.py", "units.py"),
    *("widgets/__init__.py", "widgets/controls.py", "widgets/facts.py", "widgets/live.py"),
    *("widgets/front.css", "widgets/front.js"),
)

INSTEAD = {
    # The packages' own would import matplotlib, and what runs a lab.
    "figures/__init__.py": '"""Figures: in a browser those that were drawn before."""\n',
    "measuring/__init__.py": (
        '"""The chapter "Measuring", with recorded searches."""\n'
        "from ppslab.browser.measuring import *\n"
    ),
}

READ_BY_CELLS = ("*/linux/*.routes",)
"""What the notebooks' cells read of labs/, as `lab.lab.folder / ...`."""


def sources() -> list[Path]:
    """The files of the package that go along."""
    found = [PACKAGE / name for name in MODULES]
    for folder in WHOLE:
        inside = sorted((PACKAGE / folder).rglob("*"))
        found += [path for path in inside if path.is_file() and "__pycache__" not in path.parts]
    return found


def files(documents: Path, labs: Path) -> dict[str, bytes]:
    """Every file of the wheel; `documents` is the folder that `recorded.write` filled."""
    found = {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in sources()}
    found |= {name: text.encode() for name, text in INSTEAD.items()}
    found[f"widgets/{facts.WRITTEN}"] = json.dumps(facts.every(), separators=(",", ":")).encode()
    for path in sorted(documents.rglob("*.json")):
        found[f"browser/recorded/{path.relative_to(documents).as_posix()}"] = path.read_bytes()
    for pattern in READ_BY_CELLS:
        for path in sorted(labs.glob(pattern)):
            inside = path.relative_to(labs).as_posix()
            found[f"browser/recorded/labs/{inside}"] = path.read_bytes()
    return {f"ppslab/{name}": content for name, content in found.items()}


def pack(folder: Path, documents: Path, labs: Path) -> wheel.Wheel:
    """Write our wheel into the folder.  A widget needs anywidget; all else nothing."""
    return wheel.pack(
        folder, "ppslab", ppslab.__version__, files(documents, labs), depends=("anywidget",)
    )
