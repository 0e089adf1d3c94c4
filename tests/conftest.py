"""Which tests run now, and in which order: by the marks of their files (tests/suite/marks.py).

`make test` (tests/suite) runs four parts besides the notebooks.  What needs only Python, and little
of it, is first: `check`.  Most of the others look at what was drawn, counted or read back; other
work makes them slower, not wrong: `together`.
Those marked `frames` count single frames: all network namespaces share one backlog for each CPU
(netdev_max_backlog), and where a load has filled it, the frame of another test is dropped
(ENOBUFS).  They mostly wait, and run beside what takes Python longer, which sends nothing: `quiet`.
Those marked `alone` measure a rate or a time, or look at every process of the machine.
`make test-weekly` runs what is `weekly`, and what is `timed`: it asserts a time or a rate.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis

# Here, where little is loaded: while it is imported, MLRsearch asks for the source of each of its
# callers among all modules, which took 4 s of each worker beneath a file of tests.
import MLRsearch  # noqa: F401
import pytest
import typer.testing

from tests.suite import marks

if TYPE_CHECKING:
    from ppslab.testbed.backends import Backend

ROOT = Path(__file__).resolve().parents[1]

# How long an example takes says what else the machine does, not whether the code is right.  And
# the same commit has the same examples everywhere, as hypothesis's own profile has them in CI.
hypothesis.settings.register_profile(
    "ppslab",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ppslab")

# Typer makes the commands of a program anew for each invocation, and a test invokes all of ours.
typer.testing._get_command = cache(typer.testing._get_command)

OF_WHOEVER_RUNS_IT = (
    # How much colour and width a program's words have.
    *("CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "LINES"),
    *("NO_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    # Another checkout, another tester, a router that stands on a desk, a seat of a class.
    *("PPSLAB_ROOT", "PPSTRAFFIC", "PPSLAB_TESTER_CONFIG"),
    *("PPSLAB_DUT_USER", "PPSLAB_DUT_PASSWORD", "PPSLAB_TURN", "PPSLAB_SEAT"),
    # What the project tells its own programs.
    *("PPSLAB_BPF", "PPSLAB_FACTS", "PPSLAB_GUEST", "PPSLAB_RECORDED", "PPSLAB_SITE_URL"),
    *("PPSLAB_PAUSES", "PPSLAB_SYSTEM_PACKAGES"),
)
"""Variables that no test sees but those that it sets.  Which kernel, disk, site or chart is looked
at is chosen on purpose, and stays."""

Opened = Callable[[str], "Backend"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses one part of the tests."""
    parser.addoption(
        "--part",
        choices=marks.PARTS,
        help="check: what needs only Python, and little of it; together: what may share the CPUs; "
        "quiet: single frames, and what takes Python longer; alone: what wants the CPUs to itself; "
        "weekly: what takes long and few change; timed: what asserts a time or a rate",
    )
    parser.addoption(
        "--half",
        type=int,
        choices=(1, 2),
        help="of tests/, what the first or the second of two runs takes",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Two workers, or runs, keep what is alive apart: else one would wait for the other to end.

    And all tests, with all that they start, read the kept records alone, unless they set others.
    """
    # What is imported and collected stays, and what a test leaves in circles is little beside it:
    # Python looks for such after each million objects, not 700, which took a sixth of the time of
    # what explains exports.
    gc.set_threshold(1_000_000, 20, 20)
    for name in OF_WHOEVER_RUNS_IT:
        os.environ.pop(name, None)
    # What a shell starts in the background ignores Ctrl-C, and hands that on to all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Whatever was measured here, or whoever's records are set: a page, a notebook and a claim say
    # what the kept records say, and what a test measures stays out of the checkout.
    os.environ.pop("PPSLAB_RESULTS", None)
    os.environ["PPSLAB_RESULTS"] = str(_kept_records("kept"))
    beside = "PYTEST_XDIST_WORKER" in os.environ or config.getoption("--part") == "check"
    if beside and "PPSLAB_RUNTIME" not in os.environ:
        folder = tempfile.mkdtemp(prefix="ppslab-")  # short, for the sockets in it
        os.environ["PPSLAB_RUNTIME"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the files of another part or half out, unread; a folder is of all parts."""
    half = config.getoption("--half")
    if half and not marks.in_half(half, collection_path.relative_to(ROOT).as_posix()):
        return True
    part = config.getoption("--part")
    name = collection_path.name
    if part is None or not (name.endswith(".ipynb") or (name[:5] + name[-3:]) == "test_.py"):
        return None
    return None if marks.has_some(part, collection_path) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of another part, and put the long files first."""
    for item in items:
        if item.path.suffix == ".ipynb":
            for name in marks.of_file(item.path):
                item.add_marker(name)
    part = config.getoption("--part")
    if part is not None:
        others = [item for item in items if not marks.is_in(part, _of(item))]
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if item not in set(others)]
    items.sort(key=lambda item: (item.path.name not in marks.FIRST, marks.order(_of(item))))


def pytest_collection_finish() -> None:
    """Python need not look again through what was imported and collected."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A notebook that runs live adds its runs to records of its own, not to those of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        if _is_live_notebook(item):
            patch.setenv("PPSLAB_RESULTS", str(_records_of_the_notebooks()))
            if item.path.stem in labs_counted() and "PPSLAB_ROOT" not in os.environ:
                patch.setenv("PPSLAB_ROOT", str(_of_few_rounds(item.path.stem)))
        return (yield)


def _own_folder(name: str) -> Path:
    """A path of this process alone, where nothing is yet; removed at its end.

    In the project's own folder a second run of the tests would remove it beneath the first.
    """
    made = Path(tempfile.mkdtemp(prefix="ppslab-tested-"))
    OWN_FOLDERS.append(made)
    return made / name


OWN_FOLDERS: list[Path] = []


def pytest_unconfigure() -> None:
    """Remove what only this run has used."""
    for folder in OWN_FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


def _is_live_notebook(item: pytest.Item) -> bool:
    return item.path.suffix == ".ipynb" and os.environ.get("PPSLAB_BACKEND") != "recorded"


@cache
def _records_of_the_notebooks() -> Path:
    return _kept_records("notebooks")


def _kept_records(name: str) -> Path:
    from ppslab.model.results.storing import link_kept

    return link_kept(_own_folder(name))


COUNTED_ROUNDS = 2
"""Of a condition whose instructions are counted.  One round differs from the next by two in a
thousand, and two make an interval; the profile's third took a quarter of the notebooks' time."""


@cache
def labs_counted() -> frozenset[str]:
    """The labs whose notebooks count instructions; none where there is no guest to count in."""
    from ppslab.testbed.backends import capabilities

    if not capabilities.usable("vm").usable:
        return frozenset()
    return frozenset(path.parent.name for path in ROOT.glob("labs/*/lab.yml")) - marks.TIMED


@cache
def _of_few_rounds(name: str) -> Path:
    """The project, but each condition of the lab has at most `COUNTED_ROUNDS` rounds."""
    from ppslab.core.documents import load_yaml

    folder = _own_folder(name)
    for part in ("labs", "topologies", "images"):
        shutil.copytree(ROOT / part, folder / part)
    (folder / "_build").symlink_to(ROOT / "_build")
    lab = folder / "labs" / name / "lab.yml"
    words = load_yaml(lab).data
    for condition in words["conditions"]:
        condition["rounds"] = min(condition.get("rounds", COUNTED_ROUNDS), COUNTED_ROUNDS)
    lab.write_text(json.dumps(words), encoding="utf-8")  # which is YAML too
    return folder


def _of(item: pytest.Item) -> frozenset[str]:
    return frozenset({mark.name for mark in item.iter_markers()} & marks.KNOWN)


@pytest.fixture(scope="session")
def opened() -> Iterator[Opened]:
    """A backend by its name, opened once: a guest takes longer to start than most tests.

    What a test deploys there it removes; a test that ends or kills its backend opens its own.
    """
    with opening() as found:
        yield found


@contextmanager
def opening() -> Iterator[Opened]:
    """Opens each backend once, and ends all at the end.

    One that has died all the same is opened again: it would make every later test red.
    """
    from ppslab.core.errors import BackendError
    from ppslab.testbed.backends import open_backend

    def answers(backend: Backend) -> bool:
        try:
            backend.deployments()
        except BackendError:
            return False
        return True

    found: dict[str, Backend] = {}
    with ExitStack() as stack:

        def one(name: str) -> Backend:
            if name in found and not answers(found[name]):
                found.pop(name).close()
            if name not in found:
                found[name] = stack.enter_context(open_backend(name))
            return found[name]

        yield one
