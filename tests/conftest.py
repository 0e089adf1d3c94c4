"""Which tests share the CPUs, and which want them to themselves: `make test` runs two parts.

Most tests check what was calculated, drawn, counted or read back; other work makes them slower,
not wrong.  Those of ALONE measure a rate or a time, or look at every process of the machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent

ALONE = frozenset(
    {
        # How long a command, a deployment, a guest's answer may take; whether anything is left.
        "backends/test_agent.py",
        "backends/test_commands.py",
        "backends/test_deploying.py",
        "backends/test_endings.py",
        "backends/test_user.py",
        "backends/test_vm.py",
        # How soon a page is there, and a widget alive.
        "browser/test_lighthouse.py",
        "browser/test_live.py",
        "browser/test_speed.py",
        # Whole measurements by the command, and what a stopped one leaves on the machine.
        "cli/test_bench.py",
        "cli/test_calibrate.py",
        "cli/test_rfc2544.py",
        "cli/test_run.py",
        # Rates, delays and shares of CPU time, compared with a truth.
        "labs/test_calibrating_devices.py",
        "labs/test_eoip.py",
        "labs/test_faults_live.py",
        "labs/test_hundred.py",
        "labs/test_l3offload.py",
        "labs/test_meters_live.py",
        "labs/test_netem_truth.py",
        "labs/test_numa.py",
        "labs/test_profile.py",
        "labs/test_receiver.py",
        "labs/test_suite_truth.py",
        "labs/test_tcp.py",
        "labs/test_truth.py",
        # When a frame leaves.
        "traffic/test_ppstraffic.py",
        "traffic/test_traffic_endings.py",
        "traffic/test_traffic_every_frame.py",
        "traffic/test_traffic_frames.py",
        "traffic/test_traffic_trials.py",
    }
)

LONG = (
    "backends/test_containerlab_guest.py",
    "browser/",
    "notebooks/",
    "conformance/",
    "tasks/",
    "labs/",
    "tunnels/",
)
"""What begins first of the tests that share the CPUs: no CPU waits at the end for the longest."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses one part of the tests."""
    parser.addoption(
        "--part",
        choices=("together", "alone"),
        help="the tests that may share the CPUs, or those that want them to themselves",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the files of the other part out; a folder is of both parts."""
    part = config.getoption("--part")
    if part is None or collection_path.suffix not in {".py", ".ipynb"}:
        return None
    return True if is_left_out(collection_path, part) else None


def is_left_out(path: Path, part: str) -> bool:
    """Whether a file of tests, or a notebook, is not of this part."""
    alone = path.suffix == ".ipynb" or _name(path) in ALONE
    return alone != (part == "alone")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first, each with its tests in their order."""

    def place(item: pytest.Item) -> int:
        name = _name(item.path)
        found = [number for number, one in enumerate(LONG) if name.startswith(one)]
        return found[0] if found else len(LONG)

    items.sort(key=place)


def _name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""
