"""Our own wheel: the modules that keep to the standard library, and the documents they read."""

from __future__ import annotations

import ast
import json
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
    *("core/version.py", "course/widgets/live.py", "show/figures/figure.py", "model/bonding.py"),
    *(f"course/widgets/front/{name}" for name in (*front.MODULES, front.LOOK)),
    *("model/binary_search.py", "model/meters/meters.csv", "model/switch_chip/chips.py"),
    *("model/switch_chip/offload.py", "model/switch_chip/routes.py", "model/tunnels/overhead.py"),
)
"""What cells and widgets import and read; what these modules import goes along."""

INSTEAD = {
    # The packages' own would import matplotlib, and what runs a lab.
    "show/figures/__init__.py": '"""Figures: in a browser those that were drawn before."""\n',
    "course/measuring/__init__.py": (PACKAGE / WHOLE[0] / "measuring.py").read_text("utf-8"),
}

READ_BY_CELLS = "*/linux/routes/*.routes"
"""Files of labs/ that the notebooks' cells read, as `lab.lab.folder / ...`."""


def sources() -> list[Path]:
    """The files of the package that go along, with all that they import and lie in."""
    asked = [PACKAGE / name for name in MODULES]
    asked += [path for folder in WHOLE for path in (PACKAGE / folder).rglob("*")
              if path.is_file() and "__pycache__" not in path.parts]  # fmt: skip
    modules = [path for path in asked if path.suffix == ".py"]
    names = [_name(path)[:-3].replace("/", ".").removesuffix(".__init__") for path in modules]
    found = imports.followed(names, PACKAGE.parent, _loading)
    return sorted({*asked, *found.values()})


def _loading(path: Path) -> str:
    """What a module imports when it is loaded: not what a function does, on another machine."""
    instead = INSTEAD.get(_name(path).removeprefix("ppslab/"))
    module = ast.parse(imports.text_of(path) if instead is None else instead)
    loading = ast.Import | ast.ImportFrom | ast.If
    module.body = [each for each in module.body if isinstance(each, loading)]
    return ast.unparse(module)


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
