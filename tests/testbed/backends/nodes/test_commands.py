"""Commands in nodes, which every backend runs alike: input, output, end, and a stop in between.

In a namespace of the embedded backend, and by `docker exec` on a double of Docker.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.model.lab import topology
from ppslab.testbed.backends import Deployment, Node, open_backend
from tests.conftest import Opened
from tests.support.waiting import a_long_time, ctrl_c, running, until
from tests.testbed.backends.conftest import LONE
from tests.testbed.backends.containerlab.conftest import LAB, doubled

pytestmark = pytest.mark.live


@pytest.fixture(scope="module", params=["namespaces", "containerlab"])
def node(
    request: pytest.FixtureRequest, agents: Opened, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Node]:
    """A node called `dut`, of each backend."""
    folder = tmp_path_factory.mktemp("commands")
    path = folder / "small.clab.yml"
    if request.param == "namespaces":
        path.write_text(LONE.replace("n: {", "dut: {"))
        with agents("namespaces").deploy(topology.load(path)) as lab:
            yield lab.node("dut")
        return
    path.write_text(LAB)
    with pytest.MonkeyPatch.context() as patch:
        for _ in doubled(folder, patch):
            wiring = topology.load(path, foreign=True)
            with open_backend("containerlab") as backend, backend.deploy(wiring, "small-1") as lab:
                yield lab.node("dut")


def test_what_it_gives_back(node: Node) -> None:
    done = node.run(["sh", "-c", "echo out; echo err >&2; exit 3"], check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")
    assert node.run(["sh", "-c", "kill -9 $$"], check=False).returncode == -9
    assert node.run(["printf", r"\303\266\377"]).stdout == "ö\N{REPLACEMENT CHARACTER}"


def test_a_failure_names_node_command_and_stderr(node: Node) -> None:
    with pytest.raises(BackendError) as caught:
        node.run(["sh", "-c", "echo 'no such table' >&2; exit 2"])
    command = shlex.join(["sh", "-c", "echo 'no such table' >&2; exit 2"])
    assert str(caught.value) == f"node dut: {command}: exit code 2:\nno such table"
    with pytest.raises(BackendError, match="nftx: exit code 127"):
        node.run(["nftx"])
    with pytest.raises(BackendError, match="/etc: exit code 126"):
        node.run(["/etc"])
    with pytest.raises(BackendError):
        node.run([])


def test_its_environment(node: Node) -> None:
    assert node.run(["sh", "-c", "cat; echo $WHO"], input="in\n", env={"WHO": "us"}).stdout == (
        "in\nus\n"
    )
    assert "PYTEST" not in node.run(["env"]).stdout


def test_input_of_any_size(node: Node) -> None:
    text = "line\n" * 200_000
    assert node.run(["wc", "-l"], input=text).stdout == "200000\n"
    assert node.run(["head", "-n1"], input=text).stdout == "line\n", "it need not read all"
    assert node.run(["cat"]).stdout == ""


def test_output_of_any_size(node: Node, tmp_path: Path) -> None:
    most = 8 << 20
    assert len(node.run(["head", "-c", str(most), "/dev/zero"]).stdout) == most
    with pytest.raises(BackendError, match=r"8 MiB.*output_file"):
        node.run(["head", "-c", "17000000", "/dev/zero"])
    file = tmp_path / "zeros"
    assert node.run(["head", "-c", "17000000", "/dev/zero"], output_file=str(file)).stdout == ""
    assert file.stat().st_size == 17_000_000
    with pytest.raises(BackendError, match="/nowhere/file"):
        node.run(["true"], output_file="/nowhere/file")


def test_a_time_limit_kills_the_whole_group(node: Node) -> None:
    seconds = a_long_time()
    script = f"echo begun; sleep {seconds} & sleep {seconds}"
    for limit in (0.3, 3.0, 30.0):  # until it had the time to say so
        with pytest.raises(BackendError, match=f"{limit:g} s") as told:
            node.run(["sh", "-c", script], timeout=limit)
        if "begun" in str(told.value):
            break
    assert "killed:\nbegun" in str(told.value)
    until(lambda: not running(seconds), "the program's end")


def test_ctrl_c_stops_the_command(node: Node) -> None:
    asleep = ["sleep", a_long_time()]
    with pytest.raises(KeyboardInterrupt), ctrl_c(lambda: running(*asleep)):
        node.run(asleep)
    until(lambda: not running(*asleep), "the program's end")


def test_it_runs_as_on_a_machine_of_its_own(lone: Deployment) -> None:
    node = lone.node("n")
    with pytest.raises(BackendError, match="null byte"):
        node.run(["echo", "a\0b"])
    assert node.run(["sh", "-c", "sleep 4712 & echo done"]).stdout == "done\n", "held by a daemon"
    assert "4712" in node.run(["ps", "ax"]).stdout, "it was left to run"
    numbers = node.run(["ps", "-e", "-o", "pid="]).stdout.split()
    assert "1" in numbers and len(numbers) < 20
    # An ignored SIGPIPE is inherited: then `yes | head` would not end quietly.
    done = node.run(["sh", "-c", "yes | head -n1; kill -INT $$"], check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("y\n", "", -2)
