"""A lab with one defect: its run finds it, the condition is refused, and its notebook fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.model import results
from ppslab.testbed.backends import capabilities
from tests.system.notebooks.conftest import Nbval, project_copy

pytestmark = pytest.mark.notebook


@dataclass(frozen=True)
class Broken:
    """A defect of one condition, and the notebook that must show it.

    `conditions`: those that are run, the broken one last; few, as a guest takes seconds for each.
    `breaks`: puts the defect into the lab's folder.  `finds`: what the read-back says of it, a
    pattern.  `shown`: a cell with what else must be shown.
    """

    lab: str
    conditions: tuple[str, ...]
    breaks: Callable[[Path], None]
    finds: str
    sizes: tuple[int, ...] = ()
    shown: str = ""
    needs: frozenset[str] = frozenset()
    backend: str = "vm"

    @property
    def cells(self) -> list[str]:
        """The notebook's code."""
        words = f"{list(self.conditions)}, {list(self.sizes)}, search=False"
        run = f'run = ppslab.open("{self.lab}").run({words})'
        return ["import ppslab", run, "run", *([self.shown] if self.shown else [])]


def of_one_round(lab: Path, condition: str) -> None:
    """Measure the condition once: what is refused is refused in each of three attempts."""
    file = lab / "lab.yml"
    before, name, after = file.read_text().partition(f"  - name: {condition}\n")
    assert name, condition
    mine, dash, others = after.partition("\n  - name: ")
    once = re.sub(r"(?m)^    rounds: \d+$", "    rounds: 1", mine)
    if once == mine:
        once = re.sub(r"(?m)^    flows: .*$", r"\g<0>\n    rounds: 1", mine)
    assert once.count("    rounds: 1") == 1
    file.write_text(before + name + once + dash + others)


def without_rules(lab: Path) -> None:
    """No rule stands in the place of thirteen."""
    (lab / "linux/filter-13.nft").write_text("# nothing\n")


def unencrypted_eoip(lab: Path) -> None:
    """Neither end of the tunnel has a key or a policy."""
    for end in ("r1", "r2"):
        file = lab / f"linux/{end}/ipsec.ip"
        text, count = re.subn(r"(?m)^xfrm .*$", "# nothing", file.read_text())
        assert count == 4
        file.write_text(text)


def unmarked(lab: Path) -> None:
    """FastTrack's rule counts packets, and marks no connection."""
    rule = lab / "linux/fasttrack.nft"
    text = rule.read_text()
    assert text.count(" flow add @fasttrack") == 1
    rule.write_text(text.replace(" flow add @fasttrack", ""))


def unencrypted_pppoe(lab: Path) -> None:
    """Two ends leave MPPE out."""
    for file in (lab / "linux/server/encrypted", lab / "linux/client/start"):
        text = file.read_text()
        assert "require-mppe-128" in text
        # The first one: the client has another encrypted session, whose server still asks for it.
        file.write_text(text.replace("require-mppe-128", "nomppe", 1))


def without_the_last(lab: Path) -> None:
    """Of 25 simple queues make 24."""
    script = lab / "linux/numbers/simple-25.tc"
    lines = script.read_text().splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if line.startswith("class add"))
    script.write_text("".join(lines[:last] + lines[last + 1 :]))


FOUND = "not as configured"
DEFECTS = [
    Broken("fastpath", ("routing-plain", "routing-13-rules"), without_rules, finds=FOUND,
           sizes=(64,), shown="run.table()", backend="auto"),
    Broken("fasttrack", ("fasttrack-tcp",), unmarked, finds=FOUND, shown='run.table("counters")',
           needs=frozenset({"flowtable"}), backend="auto"),
    Broken("eoip", ("eoip-ipsec",), unencrypted_eoip, finds=FOUND, sizes=(1518,),
           shown="run.table()"),
    Broken("pppoe", ("no-tunnel", "encrypted"), unencrypted_pppoe, finds=FOUND, sizes=(64,),
           needs=frozenset({"pppoe", "mppe"}), backend="auto"),
    Broken("queues", ("simple-25",), without_the_last, finds=FOUND),
]  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.weekly] if number > 1 else []) for number, case
     in enumerate(DEFECTS)],
    ids=lambda case: case.lab,
)  # fmt: skip
def test_a_defect_fails_the_notebook(nbval: Nbval, case: Broken) -> None:
    """Every condition but the broken one is measured, and that one is refused for its defect.

    What decides is what was read back from the router: noise spoils no such trial, and a healthy
    condition is measured if one trial of its rounds is.
    """
    try:
        capabilities.choose(case.needs, case.backend)
    except CannotHereError as error:
        pytest.skip(str(error))
    count = len(case.conditions)
    stored = nbval.store(case.cells, PPSLAB_BACKEND="recorded")
    assert f"{count} of {count} conditions measured" in stored.read_text()
    project = project_copy(nbval.folder)
    case.breaks(project / "labs" / case.lab)
    of_one_round(project / "labs" / case.lab, case.conditions[-1])
    done = nbval.compare_live(stored, project, case.backend)
    assert done.returncode == 1
    assert f"{count - 1} of {count} conditions measured" in done.stdout, done.stdout
    records = sorted((nbval.folder / "results").rglob("*.json"))
    whole = [path for path in records if not path.name.endswith(".aborted.json")]
    record = results.load(whole[-1])
    tried = [each for each in record.trials if each.condition == case.conditions[-1]]
    assert tried
    for trial in tried:
        assert not trial.valid
        assert any(re.search(case.finds, why) for why in trial.invalid_because), trial


def test_a_chip_that_does_not_route_is_shown_by_the_notebooks_counters(nbval: Nbval) -> None:
    """Nothing is read back amiss of a chip that is off, as with l3-hw-offloading=no."""
    if {"bpf", "lpm-trie"} - capabilities.features_of("namespaces"):
        pytest.skip("this kernel has no BPF tables here: ppslab doctor")
    run = 'run = ppslab.open("l3offload").run(["offload-both-ways"], [64], search=False)'
    stored = nbval.store(
        ["import ppslab", run, "run", 'run.table("counters")'], PPSLAB_BACKEND="recorded"
    )
    assert "1 of 1 conditions measured" in stored.read_text()
    project = project_copy(nbval.folder)
    file = project / "labs/l3offload/lab.yml"
    chip = "      bpf: l3_offload\n      switch_chip: {device: CRS326-24G-2S+}\n"
    before, name, after = file.read_text().partition("  - name: offload-both-ways\n")
    assert chip in after
    file.write_text(before + name + after.replace(chip, "", 1))
    done = nbval.compare_live(stored, project, "namespaces")
    assert done.returncode == 1
    moved = r"offload-both-ways, chip forwarded, 64 bytes: .* stored '1 .*, new '0 \[0, 0\]'"
    assert re.search(moved, done.stdout), done.stdout
