"""The wheel of the browser: what is in it loads with the standard library alone."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.course.site.lite import own, pyodide, wheel
from ppslab.model.lab import lab
from tests.course.site.lite.conftest import ROOT

pytestmark = pytest.mark.browser

IMPORT_ALL = """
import json, pkgutil, sys, importlib
sys.path.insert(0, sys.argv[1])
sys.platform = "emscripten"
# What the browser has beside the standard library, for widgets only.
sys.modules["anywidget"] = type(sys)("anywidget")
sys.modules["anywidget"].AnyWidget = object
class Trait:
    def __init__(self, *given, **named): pass
    def __class_getitem__(cls, item): return cls
    def tag(self, **named): return self
traitlets = sys.modules["traitlets"] = type(sys)("traitlets")
traitlets.Unicode = traitlets.List = traitlets.Dict = traitlets.Bool = Trait
traitlets.observe = lambda *names: lambda method: method
import ppslab
names = [each.name for each in pkgutil.walk_packages(ppslab.__path__, "ppslab.")]
for name in names:
    importlib.import_module(name)
from ppslab.course.site import browser
browser.load("measuring")
for each in (browser.folder() / "labs").glob("*.pickle"):
    lab = ppslab.open(each.stem)
lab = ppslab.open("fastpath")
outside = [
    name for name, module in sys.modules.items()
    if "site-packages" in (getattr(module, "__file__", None) or "")
]
from ppslab.course.widgets import facts
said = {"names": names, "outside": outside, "rows": len(lab.run().table().rows)}
print(json.dumps({**said, "facts": sorted(facts.of("line-rate"))}))
"""


@pytest.fixture(scope="module")
def packed(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> wheel.Wheel:
    return own.pack(tmp_path_factory.mktemp("wheel"), documents, ROOT / "labs")


def test_every_module_of_it_loads_without_what_is_not_in_a_browser(
    packed: wheel.Wheel, tmp_path: Path
) -> None:
    with zipfile.ZipFile(packed.path) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["outside"] == []
    assert {
        "ppslab.course.site.browser",
        "ppslab.course.models.line_rate",
        "ppslab.course.measuring",
    } <= {*said["names"]}
    assert said["rows"] == len(lab.find("fastpath").conditions), "every condition of Fast Path"
    assert said["facts"] == ["headers", "meters"]


def test_the_same_content_makes_the_same_wheel(
    packed: wheel.Wheel, documents: Path, tmp_path: Path
) -> None:
    again = own.pack(tmp_path, documents, ROOT / "labs")
    assert again.path.read_bytes() == packed.path.read_bytes()


def test_a_compiled_package_is_refused(tmp_path: Path) -> None:
    info = tmp_path / "fast-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fast\nVersion: 1.0\n")
    (info / "RECORD").write_text("fast/_fast.so,,\nfast-1.0.dist-info/METADATA,,\n")
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast/_fast.so").write_bytes(b"\x7fELF")
    with pytest.raises(CannotHereError, match=r"fast: fast/_fast\.so is compiled"):
        list(wheel.of_installed(tmp_path, tmp_path))


def test_the_lock_names_our_wheels_only_and_their_hashes(tmp_path: Path) -> None:
    core, made = tmp_path / "core", tmp_path / "made"
    core.mkdir()
    made.mkdir()
    for name in pyodide.CORE:
        (core / name).write_text(name)
    theirs = {"info": {"python": "3.14.0"}, "packages": {"numpy": {"file_name": "numpy.whl"}}}
    (core / pyodide.LOCK).write_text(json.dumps(theirs))
    one = wheel.pack(made, "one", "1.0", {"one.py": b"x = 1\n"}, depends=("two", "jedi"))
    two = wheel.pack(made, "two", "2.0", {"two/__init__.py": b""})
    lock = pyodide.lay_out(core, [one, two], made)
    assert set(lock["packages"]) == {"one", "two"}
    assert lock["packages"]["one"]["depends"] == ["two"], "jedi is left to who asks for it"
    assert lock["packages"]["two"]["imports"] == ["two"]
    digest = hashlib.sha256(two.path.read_bytes()).hexdigest()
    assert lock["packages"]["two"]["sha256"] == digest
    assert json.loads((made / pyodide.LOCK).read_text()) == lock
    with zipfile.ZipFile(one.path) as archive:
        assert archive.testzip() is None
    with pytest.raises(CannotHereError, match="lack two"):
        pyodide.lay_out(core, [one], made)


def test_the_pins_are_those_of_the_notebooks_half(documents: Path) -> None:
    """Half of a widget runs in the page, half in Python: both are of one release."""
    from importlib.metadata import version

    pins = (ROOT / "web/python-packages.txt").read_text(encoding="utf-8")
    for name in ("anywidget", "ipywidgets"):
        assert f"\n{name}=={version(name)} " in f"\n{pins}", name
    kernel = ROOT / "web/node_modules/pyodide/package.json"
    if kernel.is_file():
        package = json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))
        assert package["dependencies"]["pyodide"] == json.loads(kernel.read_text())["version"]
