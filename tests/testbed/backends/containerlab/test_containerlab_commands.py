"""Commands in containers: what they get, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Deployment
from ppslab.testbed.backends.containerlab.agent import MARK
from tests.support.waiting import a_long_time, ctrl_c, running
from tests.testbed.backends.conftest import eventually
from tests.testbed.backends.containerlab.doubled import Doubles

pytestmark = pytest.mark.live


class TestCommands:
    def test_a_program_its_input_environment_and_end(self, deployed: Deployment) -> None:
        node = deployed.node("dut")
        script = 'cat; echo "$WHO"; echo wrong >&2; exit 3'
        done = node.run(["sh", "-c", script], input="said\n", env={"WHO": "us"}, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (3, "said\nus\n", "wrong\n")
        with pytest.raises(BackendError, match="node dut: false: exit code 1"):
            node.run(["false"])
        assert node.run(["nonesuch"], check=False).returncode == 127

    def test_files(self, deployed: Deployment, tmp_path: Path) -> None:
        raw = bytes(range(256)) * 40_000  # more than one part
        (tmp_path / "raw").write_bytes(raw)
        assert deployed.node("dut").read(str(tmp_path / "raw")) == raw
        with pytest.raises(BackendError, match="/nowhere"):
            deployed.node("dut").read("/nowhere")
        with pytest.raises(BackendError, match="/run"):
            deployed.node("dut").write("/etc/x", "")
        with pytest.raises(BackendError, match="/run"):
            deployed.node("dut").write("../etc/x", "")
        out = tmp_path / "out"
        done = deployed.node("dut").run(["echo", "to a file"], output_file=str(out))
        assert (done.stdout, out.read_text()) == ("", "to a file\n")

    def test_too_slow_is_killed_with_all_that_it_started(self, deployed: Deployment) -> None:
        seconds = a_long_time()
        script = f"sleep {seconds} & sleep {seconds}"
        with pytest.raises(BackendError, match=r"0\.5 s"):
            deployed.node("dut").run(["sh", "-c", script], timeout=0.5)
        assert eventually(lambda: not running(seconds))

    def test_ctrl_c_ends_the_command(self, deployed: Deployment) -> None:
        asleep = ["sleep", a_long_time()]
        with pytest.raises(KeyboardInterrupt), ctrl_c(lambda: running(*asleep)):
            deployed.node("dut").run(asleep)
        assert eventually(lambda: not running(*asleep))

    def test_no_variable_of_ours_reaches_docker(self, deployed: Deployment) -> None:
        seen = deployed.node("dut").run(["env"]).stdout
        assert MARK in seen and "PPSLAB_CACHE" not in seen and "PYTEST" not in seen

    def test_a_container_that_is_gone_is_no_result(
        self, standing: tuple[Doubles, Deployment]
    ) -> None:
        doubles, lab = standing
        (doubles.state / "clab-small-1-tester").unlink()
        with pytest.raises(BackendError, match="tester"):
            lab.node("tester").run(["true"], check=False)

    def test_programs_come_from_the_image(self, deployed: Deployment) -> None:
        assert deployed.path(Path("/here/bpf"), "/there/bpf") == Path("/there/bpf")
        assert deployed.node("dut").own_files
        with pytest.raises(BackendError, match="dut"):
            deployed.address("dut")
