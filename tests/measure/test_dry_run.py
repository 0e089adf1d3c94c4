"""What a run would do, shown without doing it; and what it refuses before it begins."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.core.text.tables import Table
from ppslab.measure.experiment import FrameExperiment, Silent
from ppslab.measure.options import RunOptions
from ppslab.measure.preview import dry_run, traffic
from ppslab.measure.run import Options, run
from ppslab.measure.testbed.routeros import unfit
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends.nodes import interfaces
from ppslab.testbed.routers import bench_inventory

QUICK = profiles.load("quick")
SLOW = ("hundred", "l3offload")

INVENTORY = """\
routeros:
  url: https://192.0.2.1
  ports: {p1: ether6, p2: ether7, p3: ether8}
tester:
  ports: {p1: lo1, p2: lo2, p3: lo3}
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    return path


class Asked(FrameExperiment[results.Record]):
    """An experiment that is only rehearsed."""

    stages = record = None  # type: ignore[assignment]


def asked(found: lab.Lab, options: RunOptions, *conditions: str) -> Asked:
    wanted = [found.condition(c) for c in conditions or found.conditions]
    return Asked(found, [c for c in wanted if c.flows], options)


def shown(name: str, options: RunOptions, *conditions: str) -> list[str]:
    return list(dry_run.lines(asked(lab.find(name), options, *conditions), 84))


@pytest.mark.parametrize(
    "name",
    ["fastpath", "fasttrack", pytest.param("l3offload", marks=pytest.mark.long), "eoip", "pppoe"],
)
def test_containerlab_s_steps_are_commands_that_a_shell_can_read(name: str) -> None:
    lines = shown(name, RunOptions(backend="containerlab"))
    text = "\n".join(lines)
    read = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert read.returncode == 0, read.stderr
    steps = "deploy --topo|inspect --topo|docker exec|ppstraffic|destroy --topo".split("|")
    order = [text.index(step) for step in steps]
    assert order == sorted(order), "up, measure, down"
    assert text.count("containerlab deploy --topo") == 2
    assert text.count("containerlab destroy --topo") == 2


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in lab.names()],
)
def test_every_lab_is_rehearsed_from_its_first_condition_to_its_last(name: str) -> None:
    rehearsed = CliRunner().invoke(app, ["run", name, "--dry-run"])
    assert rehearsed.exit_code == 0, rehearsed.output
    for condition in lab.find(name).conditions.values():
        if condition.flows:
            assert f"# {condition.name}: one trial" in rehearsed.output


CONTAINERS = RunOptions(backend="containerlab")


def test_what_a_condition_is_made_of_is_shown_and_how_the_next_one_takes_it_away() -> None:
    steps = shown("fastpath", CONTAINERS, "routing-3-rules", "bridging-plain", "routing-plain")
    made = [step for step in steps if step.startswith("# routing-3-rules: configure")]
    assert lab.find("fastpath").text("linux/filter-3.nft").strip() in made[-1]
    after = [step for step in steps if step.startswith("# bridging-plain: configure")]
    assert "flush ruleset" in after[0] and "link set dev eth1 master br0" in after[0]
    last = [step for step in steps if step.startswith("# routing-plain: configure")]
    assert "link del br0" in last[0]


def test_a_switch_chip_s_tables_are_said_to_come_from_the_node_s_routes() -> None:
    text = "\n".join(shown("l3offload", CONTAINERS, "offload-1000-routes"))
    assert "bpftool" in text and "tables of the switch chip" in text


def test_a_lab_s_own_machine_stands_on_the_vm_alone() -> None:
    with pytest.raises(CannotHereError, match="vm"):
        shown("numa", CONTAINERS)


@pytest.mark.long
@pytest.mark.parametrize("name", ["fastpath", "fasttrack", "eoip", "pppoe"])
def test_a_chr_is_told_the_lab_s_statements(name: str) -> None:
    told = RunOptions(router="routeros")
    text = "\n".join(shown(name, told))
    assert "-chr" in text and "/rest/system/identity" in text
    found = lab.find(name)
    for file in next(iter(found.conditions.values())).routeros:
        for line in found.text(file).splitlines():
            if line.startswith("add "):
                words = [word for word in line.split() if word.startswith("comment=")]
                assert all(word in text for word in words)


def test_statements_are_for_the_router_s_own_ports(
    inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = RunOptions(router="routeros", dut=inventory)
    monkeypatch.setattr(traffic, "tables", lambda *_: ())
    text = "\n".join(shown("fastpath", told, "routing-plain"))
    assert "default-name=ether7] name=p2" in text
    assert "default-name=ether3" not in text
    assert "ip link set dev lo2 netns tester name eth2" in text
    assert "198.18.1.2" in text


def test_a_bench_that_nobody_calls_isolated_is_shown_all_and_refused(
    inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = interfaces.Interface("lo2", "02:00:00:00:00:02", None, "")
    monkeypatch.setattr(interfaces, "look", lambda _: known)
    seen: list[Table] = []

    class Watch(Silent):
        def show(self, table: Table) -> None:
            seen.append(table)

    with pytest.raises(UsageError, match="RFC 6815"):
        run(lab.find("fastpath"), Options(router="routeros", dut=inventory), Watch())
    assert "ether6" in seen[0].plain() and "about" in seen[2].plain()


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("fastpath", {"router": "router-os"}, '"routeros"'),
        ("fastpath", {"dut": True}, "--router routeros"),
        ("fastpath", {"router": "routeros", "dut": True, "backend": "vm"}, "vm"),
        ("fastpath", {"router": "routeros", "backend": "namespaces"}, "containerlab"),
        ("numa", {"router": "routeros"}, "sockets"),
        ("eoip", {"router": "routeros", "dut": True}, "eoip|r2"),
    ],
)
def test_what_does_not_go_together(
    inventory: Path, name: str, words: dict[str, object], said: str
) -> None:
    if words.get("dut"):
        words = {**words, "dut": inventory, "isolated": True}
    with pytest.raises(UsageError, match=said):
        asked(lab.find(name), RunOptions(**words))  # type: ignore[arg-type]


def test_a_tester_that_is_not_built_is_said_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def choose(*_: object) -> None:
        raise AssertionError("chosen")

    monkeypatch.delenv("PPSTRAFFIC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ppslab.core.paths.build_dir", lambda: tmp_path)
    monkeypatch.setattr("ppslab.testbed.backends.capabilities.choose", choose)
    with pytest.raises(CannotHereError, match="make -C traffic"):
        asked(lab.find("fasttrack"), RunOptions(backend="vm")).choose()


def test_conditions_without_a_configuration_for_it_are_skipped() -> None:
    found = lab.find("fastpath").condition("routing-plain")
    assert unfit(found, on_bench=True) == ""
    assert unfit(found.model_copy(update={"routeros": ()}), on_bench=True)
    far = found.model_copy(update={"nodes": {"r2": found.linux}})
    assert "r2" in unfit(far, on_bench=True)
    assert unfit(far, on_bench=False) == "", "containerlab has routers enough"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (INVENTORY, UsageError, "lo1"),
        (INVENTORY.replace(", p3: ether8", ""), FileError, "routeros: ports: "),
    ],
)
def test_ports_that_the_machine_has_not(
    inventory: Path, text: str, error: type[Exception], said: str
) -> None:
    inventory.write_text(text)
    found = lab.find("fastpath")
    trials = traffic.of_a_run(QUICK, [], (64,), [], 16)
    bench, plain = bench_inventory.load(inventory), found.condition("routing-plain")
    with pytest.raises(error, match=said):
        traffic.tables(found, bench, [plain], trials, 0.1)
