"""Our own wheel: the modules that keep to the standard library, and the documents they read."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import rosexplain
from ppslab.core.documents import imports
from ppslab.core.version import VERSION
from ppslab.course.site.lite import wheel
from ppslab.course.widgets import facts, front
from rosexplain.base import RULES

PACKAGE = Path(__file__).resolve().parents[3]
ROOTS = {"ppslab": PACKAGE, "rosexplain": Path(rosexplain.__file__).parent}
"""Our packages; what of each is imported goes along."""

WHOLE = ("course/site/browser", "course/models", "model/simulated")
"""Folders of the package that go along as they are."""

MODULES = (
    *("__init__.py", "core/text/display.py", "core/units.py", "core/version.py"),
    *("course/measuring/delays.py", "course/measuring/wires.py"),
    *("course/notebook/prediction.py", "course/notebook/progress.py"),
    *(
        "course/widgets/__init__.py",
        "course/widgets/controls.py",
        "course/widgets/forms.py",
        "course/widgets/facts/__init__.py",
    ),
    "course/widgets/live.py",
    *(f"course/widgets/front/{name}" for name in (*front.MODULES, front.LOOK)),
    *("show/figures/figure.py", "model/bonding.py"),
    *("model/meters/__init__.py", "model/meters/meters.csv"),
    *("model/binary_search.py", "model/switch_chip/chips.py"),
    *("model/switch_chip/offload.py", "model/switch_chip/routes.py", "model/tunnels/overhead.py"),
)
"""Modules that cells and widgets import; those that they import go along."""

INSTEAD = {
    # The packages' own would import matplotlib, and what runs a lab.
    "show/figures/__init__.py": ('"""Figures: in a browser those that were drawn before."""\n'),
    "course/measuring/__init__.py": (
        (PACKAGE / "course/site/browser/measuring.py").read_text(encoding="utf-8")
    ),
}

READ_BY_CELLS = "*/linux/routes/*.routes"
"""Files of labs/ that the notebooks' cells read, as `lab.lab.folder / ...`."""


def sources() -> list[Path]:
    """The files of the package that go along, with all that they import and lie in."""
    waiting = [PACKAGE / name for name in MODULES]
    for folder in WHOLE:
        inside = sorted((PACKAGE / folder).rglob("*"))
        waiting += [path for path in inside if path.is_file() and "__pycache__" not in path.parts]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        inits = (folder / "__init__.py" for folder in path.parents)
        waiting += [init for init in inits if any(map(init.is_relative_to, ROOTS.values()))]
        own = _name(path).removeprefix("ppslab/") not in INSTEAD
        if path.suffix == ".py" and own and not path.with_suffix(".yml").is_file():
            waiting += imported(path)
    return sorted(found)


def imported(path: Path) -> Iterator[Path]:
    """The files of ours that a module imports when it is loaded.

    Left out is what only type checkers import, and what a function imports when it is called: it
    may be of a machine that a browser is not.
    """
    module = ast.parse(path.read_text(encoding="utf-8"))
    loading = ast.Import | ast.ImportFrom | ast.If
    module.body = [each for each in module.body if isinstance(each, loading)]
    files = (imports.source_of(name, PACKAGE.parent) for name in imports.named(module))
    return filter(None, files)


def _name(path: Path) -> str:
    """A file's name in the wheel."""
    package, root = next(each for each in ROOTS.items() if path.is_relative_to(each[1]))
    return f"{package}/{path.relative_to(root).as_posix()}"


def files(documents: Path, labs: Path) -> dict[str, bytes]:
    """Every file of the wheel; `documents` is the folder that `recorded.write` filled."""
    found = {
        _name(path): (imports.text_of(path).encode() if path.suffix == ".py" else path.read_bytes())
        for path in sources()
    }
    inside = {f"recorded/{path.relative_to(documents).as_posix()}": path.read_bytes()
              for path in sorted(documents.rglob("*.pickle"))}  # fmt: skip
    inside |= {f"recorded/labs/{path.relative_to(labs).as_posix()}": path.read_bytes()
               for path in sorted(labs.glob(READ_BY_CELLS))}  # fmt: skip
    every = json.dumps(facts.every(), separators=(",", ":")).encode()
    return {
        **found,
        **{f"ppslab/{name}": text.encode() for name, text in INSTEAD.items()},
        **{f"ppslab/course/site/browser/{name}": data for name, data in inside.items()},
        f"ppslab/course/widgets/facts/{facts.WRITTEN}": every,
        "rosexplain/rules/chips.csv": (RULES / "chips.csv").read_bytes(),
    }


def pack(folder: Path, documents: Path, labs: Path) -> wheel.Wheel:
    """Write our wheel into the folder.  A widget needs anywidget; all else nothing."""
    return wheel.pack(folder, "ppslab", VERSION, files(documents, labs), depends=("anywidget",))
