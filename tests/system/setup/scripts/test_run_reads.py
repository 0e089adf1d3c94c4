"""What scripts/records/runs-to-make takes for a run's inputs is what a run reads."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.system.setup.conftest import Run

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("can_count")]


@pytest.fixture(scope="module")
def inputs(root: Path) -> Callable[[str], set[str]]:
    """The files of this checkout's package that a command's measurement is made from."""
    loader = importlib.machinery.SourceFileLoader(
        "runs_to_make", str(root / "scripts/records/runs-to-make")
    )
    spec = importlib.util.spec_from_loader("runs_to_make", loader)
    assert spec is not None
    script = importlib.util.module_from_spec(spec)
    loader.exec_module(script)
    package = root / "src/ppslab"
    return lambda command: {
        path.relative_to(package).as_posix() for path in script.of_ppslab(root, command)
    }


def test_an_export_is_no_input_and_what_runs_a_trial_is(inputs: Any) -> None:
    run = inputs("run")
    assert {
        *("measure/run.py", "measure/trial/trial.py", "testbed/routers/linux/router.py"),
        *(
            "testbed/backends/agent/agent.py",
            "testbed/backends/prober/probing.py",
            "testbed/backends/vm/init.sh",
        ),
        *("model/lab/profiles.yml", "model/switch_chip/chips.csv"),
    } <= run
    readers = ("judge", "show", "course", "cli", "model/packet_path", "model/planning")
    assert [each for each in run if each.startswith(readers)] == []
    for command, begin in {
        "calibrate": "measure/calibration/experiment.py",
        "rfc2544": "measure/rfc2544/suite.py",
        "tcp": "measure/tcp.py",
        "break": "measure/faults/breaking.py",
    }.items():
        assert begin in inputs(command) - run
        assert "testbed/backends/namespaces.py" in inputs(command)


REHEARSED = """
import sys
read = set()
sys.addaudithook(lambda event, of: event == "open" and read.add(str(of[0])))
from ppslab.model.lab import lab
from ppslab.measure.run import Options, rehearse
for name in ("fastpath", "l3offload"):
    assert list(rehearse(lab.find(name), Options(backend="vm")))
print(*(each.__file__ for name, each in sys.modules.items() if name.startswith("ppslab")))
print(*read)
"""


def test_a_run_reads_nothing_else(run: Run, root: Path, inputs: Any) -> None:
    """A file that is left out, and that a run reads, would leave an old record standing."""
    done = run(sys.executable, "-c", REHEARSED)
    assert done.returncode == 0, done.stderr
    modules, read = done.stdout.splitlines()
    package = f"{root}/src/ppslab/"
    assert f"{package}measure/trial/trial.py" in modules.split()
    assert f"{package}model/lab/profiles.yml" in read.split()
    files = {each.removeprefix(package) for each in f"{modules} {read}".split()
             if each.startswith(package) and "__pycache__" not in each}  # fmt: skip
    assert files - inputs("run") == set()
