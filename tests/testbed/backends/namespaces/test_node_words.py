"""What a topology says of a node: its name, environment, sysctls and commands."""

from __future__ import annotations

import json

import pytest

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Backend, Deployment
from tests.testbed.backends.conftest import FASTPATH, LONE, Write

pytestmark = [pytest.mark.live, pytest.mark.alone]


def test_the_nodes_name_and_environment(
    backend: Backend, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_SECRET", "of the host")
    text = LONE.replace("kind: linux", "kind: linux, env: {WHO: n, N: 5}")
    with backend.deploy(write(text)) as lab:
        node = lab.node("n")
        assert node.run(["hostname"]).stdout == "n\n"
        assert node.run(["sh", "-c", "echo $WHO $N $PPSLAB_SECRET"]).stdout == "n 5\n"
        assert node.run(["sh", "-c", "echo $WHO"], env={"WHO": "me"}).stdout == "me\n"


class TestSysctls:
    def deploy(self, backend: Backend, write: Write, setting: str) -> Deployment:
        text = LONE.replace("kind: linux", f"kind: linux, sysctls: {{{setting}}}")
        return backend.deploy(write(text))

    def test_before_and_after_the_links(self, backend: Backend, write: Write) -> None:
        text = FASTPATH.replace(
            "net.ipv4.ip_forward: 1",
            "net.ipv6.conf.default.addr_gen_mode: 1, net.ipv6.conf.eth1.disable_ipv6: 1",
        )
        with backend.deploy(write(text)) as lab:
            read = ["cat", *(f"/proc/sys/net/ipv6/conf/eth{n}/disable_ipv6" for n in (1, 2))]
            assert lab.node("dut").run(read).stdout == "1\n0\n"
            addresses = lab.node("dut").run(["ip", "-6", "address", "show", "dev", "eth2"]).stdout
            assert "fe80" not in addresses, "conf.default stood before the link was made"

    def test_none_of_that_name(self, backend: Backend, write: Write) -> None:
        with pytest.raises(BackendError, match=r"t\.clab\.yml: node n: sysctl net\.ipv4\.nothing:"):
            self.deploy(backend, write, "net.ipv4.nothing: 1")

    def test_a_value_that_is_none(self, backend: Backend, write: Write) -> None:
        with pytest.raises(BackendError, match=r"node n: sysctl: .*net\.ipv4\.ip_forward=x"):
            self.deploy(backend, write, "net.ipv4.ip_forward: x")


class TestExec:
    def test_in_order_and_as_a_shell_splits(self, backend: Backend, write: Write) -> None:
        first, second = "sh -c 'echo 1 >> /run/o'", "sh -c 'echo 2 \"3  4\" >> /run/o'"
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps([first, second])}")
        with backend.deploy(write(text)) as lab:
            assert lab.node("n").run(["cat", "/run/o"]).stdout == "1\n2 3  4\n"

    def test_a_failure_names_file_line_node_and_command(
        self, backend: Backend, write: Write
    ) -> None:
        wiring = write(FASTPATH.replace("198.18.2.1/24 dev eth2", "198.18.2.1/24 dev eth9"))
        with pytest.raises(BackendError) as caught:
            backend.deploy(wiring, "failing")
        place, said = str(caught.value).split(": exit code 1: ")
        command = "ip address add 198.18.2.1/24 dev eth9"
        assert place == f'{wiring.path}:9: node dut: exec "{command}"'
        assert "eth9" in said
        assert "failing" not in backend.deployments()

    def test_a_command_of_many_that_fails_says_what_it_says_alone(
        self, backend: Backend, write: Write
    ) -> None:
        good = ["ip link add d0 type veth peer name d1", "ip link set d0 up"]
        bad = "ip route add 198.51.100.0/24 via 203.0.113.1"
        after = ["ip link set d1 up"]
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps([*good, bad, *after])}")
        with pytest.raises(BackendError, match=f'exec "{bad}": exit code 2'):
            backend.deploy(write(text))

    def test_what_is_between_commands_of_ip_runs_between_them(
        self, backend: Backend, write: Write
    ) -> None:
        # What stands there twice is run once: each has a word of its own.
        first, second, third = (
            f"sh -c 'ls /sys/class/net | grep -c ^d[0-9] >> /run/o || :' {word}" for word in "abc"
        )
        made = [f"ip link add d{n} type veth peer name e{n}" for n in range(5)]
        commands = [first, *made[:2], second, *made[2:], third]
        text = LONE.replace("kind: linux", f"kind: linux, exec: {json.dumps(commands)}")
        with backend.deploy(write(text)) as lab:
            assert lab.node("n").run(["cat", "/run/o"]).stdout.split() == ["0", "2", "5"]

    def test_no_such_program(self, backend: Backend, write: Write) -> None:
        text = LONE.replace("kind: linux", "kind: linux, exec: [ipp link]")
        with pytest.raises(BackendError, match='exec "ipp link": exit code 127'):
            backend.deploy(write(text))


def test_wrong_names(backend: Backend, lone: Deployment, write: Write) -> None:
    with pytest.raises(BackendError, match=r'"m".* n'):
        lone.node("m")
    with pytest.raises(BackendError, match="a/b"):
        backend.deploy(write(LONE), "a/b")
