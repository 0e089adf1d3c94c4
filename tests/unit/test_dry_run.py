"""What a run would do, shown without doing it; and what it refuses before it begins."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ppslab import dry_run, dut, lab, place, profiles, sending, standing_routeros
from ppslab.errors import FileError, UsageError
from ppslab.place import Place
from ppslab.session import Session
from ppslab.standing_routeros import unfit

QUICK = profiles.load("quick")

INVENTORY = """\
routeros:
  url: https://192.0.2.1
  ports: {p1: ether6, p2: ether7, p3: ether8}
tester:
  ports: {p1: lo1, p2: lo2, p3: lo3}
"""


def shown(name: str, told: Place, *conditions: str, router: dut.Dut | None = None) -> list[str]:
    found = lab.find(name)
    wanted = [found.condition(c) for c in conditions or found.conditions]
    wanted = [c for c in wanted if c.flows]
    return [str(line) for line in dry_run.lines(found, told, router, wanted, 84, QUICK)]


@pytest.mark.parametrize("name", ["fastpath", "fasttrack", "l3offload", "eoip", "pppoe"])
def test_containerlab_s_steps_are_commands_that_a_shell_can_read(name: str) -> None:
    lines = shown(name, Place(backend="containerlab"))
    text = "\n".join(lines)
    read = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert read.returncode == 0, read.stderr
    steps = "deploy --topo|inspect --topo|docker exec|ppstraffic run|destroy --topo".split("|")
    order = [text.index(step) for step in steps]
    assert order == sorted(order), "up, measure, down"
    assert text.count("containerlab deploy --topo") == 2, "the lab, and the tester's cable"
    assert text.count("containerlab destroy --topo") == 2


def test_what_a_condition_is_made_of_is_shown() -> None:
    text = "\n".join(shown("fastpath", Place(backend="containerlab"), "routing-3-rules"))
    rules = lab.find("fastpath").text("linux/filter-3.nft")
    assert rules.strip() in text
    assert "nft flush ruleset" in text, "and how it is taken away"


@pytest.mark.parametrize("name", ["fastpath", "fasttrack", "eoip", "pppoe"])
def test_a_chr_is_told_the_lab_s_statements(name: str) -> None:
    told = Place(router="routeros")
    text = "\n".join(shown(name, told))
    assert "-chr" in text and "/rest/system/identity" in text
    found = lab.find(name)
    for file in next(iter(found.conditions.values())).routeros:
        for line in found.text(file).splitlines():
            if line.startswith("add "):
                words = [word for word in line.split() if word.startswith("comment=")]
                assert all(word in text for word in words)


def test_statements_are_for_the_router_s_own_ports(tmp_path: Path) -> None:
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    router = dut.load(path)
    told = Place(router="routeros", dut=path)
    text = "\n".join(shown("fastpath", told, "routing-plain", router=router))
    assert "default-name=ether7] name=p2" in text
    assert "default-name=ether3" not in text
    assert "ip link set dev lo2 netns tester name eth2" in text
    assert "198.18.1.2" in text


def test_a_bench_that_nobody_calls_isolated_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    with pytest.raises(UsageError, match="RFC 6815"):
        Session.prepare(lab.find("fastpath"), [], Place(router="routeros", dut=path), None)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("fastpath", {"router": "router-os"}, 'did you mean "routeros"'),
        ("fastpath", {"dut": True}, "--router routeros too"),
        ("fastpath", {"router": "routeros", "dut": True, "backend": "vm"}, "on the backend vm"),
        ("fastpath", {"router": "routeros", "backend": "namespaces"}, "a CHR does on containerlab"),
        ("numa", {"router": "routeros"}, "shows no sockets"),
        ("fastpath", {"tester": "routeros"}, "sends at a set rate only"),
        ("eoip", {"router": "routeros", "dut": True}, "beside its router"),
    ],
)
def test_what_does_not_go_together(
    tmp_path: Path, name: str, words: dict[str, object], said: str
) -> None:
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    if "tester" in words:
        other = tmp_path / "tester.yml"
        other.write_text(INVENTORY.partition("tester:")[0])
        words = {**words, "tester_config": other}
    if words.get("dut"):
        words = {**words, "dut": path, "isolated": True}
    with pytest.raises(UsageError, match=said):
        Session.prepare(lab.find(name), [], Place(**words), None)  # type: ignore[arg-type]


def test_conditions_without_a_configuration_for_it_are_skipped() -> None:
    found = lab.find("fastpath").condition("routing-plain")
    assert unfit(found, bench=True) == ""
    assert "no RouterOS configuration" in unfit(
        found.model_copy(update={"routeros": ()}), bench=True
    )
    far = found.model_copy(update={"nodes": {"r2": found.linux}})
    assert "configures r2 too" in unfit(far, bench=True)
    assert unfit(far, bench=False) == "", "containerlab has routers enough"


def test_what_would_be_sent_is_counted() -> None:
    found = lab.find("fastpath")
    conditions = [found.condition("routing-plain"), found.condition("routing-fast-path")]
    rounds, search = sending.of_a_run(QUICK, conditions, (64, 1518), conditions, 16)
    cost = QUICK.cost
    assert rounds.number == (cost.rounds + cost.rounds_other_sizes) * 3, (
        "the reference stands twice"
    )
    assert search.number == 32 and search.sizes == (64,)
    assert [kind.what for kind in sending.of_a_run(QUICK, conditions, (64,), [], 16)] == ["rounds"]


def test_ports_that_the_machine_has_not(tmp_path: Path) -> None:
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    found = lab.find("fastpath")
    trials = sending.of_a_run(QUICK, [], (64,), [], 16)
    with pytest.raises(UsageError, match="no interface lo1"):
        sending.tables(found, dut.load(path), [found.condition("routing-plain")], trials, 0.1)
    path.write_text(INVENTORY.replace(", p3: ether8", ""))
    with pytest.raises(FileError, match="routeros: ports: lab fastpath needs"):
        sending.tables(found, dut.load(path), [found.condition("routing-plain")], trials, 0.1)


def test_the_bench_carries_the_lab_s_largest_frame() -> None:
    assert standing_routeros.mtu_of(lab.find("fastpath")) == 1500
    assert place.backend_of(Place(router="routeros", dut=Path("x"))) == "namespaces"
    assert place.backend_of(Place(router="routeros")) == "containerlab"
