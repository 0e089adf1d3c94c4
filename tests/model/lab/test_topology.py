"""Containerlab's files are read as containerlab reads them; what is not ours is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.model.lab import topology

GOOD = """\
name: eoip
topology:
  defaults:
    kind: linux
    env: {WHO: everyone, SIZE: 64}
  kinds:
    linux:
      image: ppslab/linux-router:latest
      exec:
        - ip link set dev eth1 up
      sysctls: {net.ipv4.ip_forward: 1}
  nodes:
    r1:
      binds:
        - files/r1:/etc/r1:ro
        - /opt/x:/lab
      env: {WHO: r1, ON: true}
      exec:
        - ip link set dev eth1 up
        - sh -c 'echo $$WHO > /run/who'
    r2:
  links:
    - endpoints: ["r1:eth1", "r2:eth1"]
      mtu: 1500
    - endpoints: ["r1:eth2", "r1:eth3"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "eoip.clab.yml"
    path.write_text(text)
    return path


class TestReading:
    def test_merges_as_containerlab_does(self, tmp_path: Path) -> None:
        wiring = topology.load(written(tmp_path, GOOD))
        r1 = wiring.nodes["r1"]
        assert r1.image == "ppslab/linux-router:latest"
        assert r1.env == {"WHO": "r1", "SIZE": "64", "ON": "true"}
        assert r1.exec == ("ip link set dev eth1 up", "sh -c 'echo $WHO > /run/who'")
        assert r1.exec_lines == (10, 20)
        assert wiring.nodes["r2"].env == {"WHO": "everyone", "SIZE": "64"}
        assert wiring.nodes["r2"].sysctls == {"net.ipv4.ip_forward": "1"}
        assert wiring.interfaces("r1") == ["eth1", "eth2", "eth3"]

    def test_binds_are_relative_to_the_file(self, tmp_path: Path) -> None:
        binds = topology.load(written(tmp_path, GOOD)).nodes["r1"].binds
        assert binds == (
            topology.Bind(tmp_path / "files" / "r1", "/etc/r1", True),
            topology.Bind(Path("/opt/x"), "/lab", False),
        )

    def test_a_nearer_bind_takes_the_target(self, tmp_path: Path) -> None:
        text = GOOD.replace(
            "  kinds:\n    linux:\n", "  kinds:\n    linux:\n      binds: ['/a:/lab:ro']\n"
        )
        binds = {
            bind.target: bind for bind in topology.load(written(tmp_path, text)).nodes["r1"].binds
        }
        assert binds["/lab"] == topology.Bind(Path("/opt/x"), "/lab", False)

    def test_home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", "/home/learner")
        text = GOOD.replace("/opt/x:/lab", "~/x:/lab")
        bind = topology.load(written(tmp_path, text)).nodes["r1"].binds[1]
        assert bind.source == Path("/home/learner/x")

    def test_plain(self, tmp_path: Path) -> None:
        plain = topology.load(written(tmp_path, GOOD)).plain()
        assert json.loads(json.dumps(plain)) == plain
        assert plain["links"] == [
            {"endpoints": [["r1", "eth1"], ["r2", "eth1"]], "mtu": 1500},
            {"endpoints": [["r1", "eth2"], ["r1", "eth3"]], "mtu": topology.DEFAULT_MTU},
        ]
        assert plain["nodes"]["r1"]["binds"][0] == {
            "source": str(tmp_path / "files" / "r1"),
            "target": "/etc/r1",
            "read_only": True,
        }

    @pytest.mark.parametrize("source", ["/etc", "../../etc", "~/.ssh", "link", "../labs/../x"])
    def test_a_node_of_a_lab_sees_no_file_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
    ) -> None:
        for name in ("labs", "topologies"):
            (tmp_path / name).mkdir()
        (tmp_path / "topologies/link").symlink_to("/etc")
        monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
        place = tmp_path / "topologies/small.clab.yml"
        place.write_text(GOOD.replace("/opt/x:/lab", f"{source}:/lab"))
        with pytest.raises(FileError, match=r"small\.clab\.yml:\d+: .* is outside labs/"):
            topology.find("small")
        place.write_text(GOOD.replace("/opt/x:/lab", "../labs/x:/lab"))
        assert topology.find("small").nodes["r1"].binds[1].source == tmp_path / "labs/x"

    def test_the_start_file_of_a_router_is_of_the_project(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("labs", "topologies"):
            (tmp_path / name).mkdir()
        monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
        (tmp_path / "topologies/small.clab.yml").write_text(
            "name: small\ntopology:\n  nodes:\n    r1:\n      kind: mikrotik_ros\n"
            "      startup-config: ../../../etc/passwd\n"
        )
        with pytest.raises(FileError, match=r":6: node r1: .*passwd is outside"):
            topology.find("small", foreign=True)

    def test_the_projects_own(self) -> None:
        assert topology.find("back-to-back").interfaces("tester") == ["eth1", "eth2"]
        assert set(topology.find("fastpath").nodes) == {"dut", "tester"}
        with pytest.raises(UsageError, match=r'no topology "fastpaht" \(did you mean "fastpath"'):
            topology.find("fastpaht")


def test_an_interface_has_fifteen_letters(tmp_path: Path) -> None:
    """As dev_valid_name() in the kernel's net/core/dev.c; a bind of one mode is read too."""
    name = "e" * 15
    path = written(tmp_path, GOOD.replace('"r2:eth1"', f'"r2:{name}"', 1))
    assert name in {link.b.interface for link in topology.load(path).links}


CHR = """\
name: ros
prefix: ""
topology:
  kinds:
    mikrotik_ros: {image: "vrnetlab/mikrotik_routeros:7.20.8", memory: 1GB, labels: {who: us}}
  nodes:
    dut:
      kind: mikrotik_ros
      startup-config: start/dut.rsc
      env: {QEMU_SMP: "2"}
    tester: {kind: linux, image: "ppslab/generator:latest"}
  links:
    - endpoints: ["tester:eth1", "dut:ether2"]
      labels: {why: test}
"""


class TestForeign:
    """For the containerlab backend, what only containerlab knows is kept."""

    def test_is_kept(self, tmp_path: Path) -> None:
        wiring = topology.load(written(tmp_path, CHR), foreign=True)
        dut = wiring.nodes["dut"]
        assert dut.kind == topology.ROUTEROS
        assert dut.foreign == {
            "memory": "1GB",
            "labels": {"who": "us"},
            "startup-config": "start/dut.rsc",
        }
        assert dut.env == {"QEMU_SMP": "2"}
        assert wiring.foreign == {"prefix": ""}
        assert wiring.interfaces("dut") == ["ether2"]

    def test_remembers_why_the_embedded_backends_refuse(self, tmp_path: Path) -> None:
        path = written(tmp_path, CHR)
        with pytest.raises(FileError) as caught:
            topology.load(path)
        assert str(topology.load(path, foreign=True).refused) == str(caught.value)
        assert topology.load(written(tmp_path, GOOD), foreign=True).refused is None
