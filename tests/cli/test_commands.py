"""Which module has which command, what its line imports, and what its options fill."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ppslab import cli
from ppslab.cli.options import LabName, measuring


def named(app: typer.Typer) -> tuple[str, ...]:
    commands = [
        one.name or one.callback.__name__ for one in app.registered_commands if one.callback
    ]
    return (*commands, *(str(group.name) for group in app.registered_groups))


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_command_is_where_the_table_says(name: str) -> None:
    app = typer.Typer()
    cli.add(app, name)
    assert named(app) == (name,)


def test_a_word_that_is_no_command_is_held_against_all_of_them() -> None:
    every = {*cli.COMMANDS, "workshop"}
    assert set(named(cli.application())) == set(named(cli.application(["rnu"]))) == every
    assert named(cli.application(["translate", "x.rsc"])) == ("translate",)
    assert named(cli.application(["workshop", "plan"])) == ("workshop",), "of another package"


@pytest.mark.long
def test_a_line_imports_its_own_command_alone() -> None:
    asked = (
        "import sys; from ppslab.cli import application; application(['translate']);"
        "print(*sorted(name for name in sys.modules if name.startswith('ppslab.cli.')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "ppslab.cli.translate" in found
    assert "ppslab_class.commands" not in found and "ppslab.cli.measuring.run" not in found


@dataclass(frozen=True)
class Asked:
    """What a command of these tests is asked."""

    backend: str = "auto"
    conditions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (64, 1518)
    out: Path | None = None
    wait: bool = True
    seed: int | None = None


def filled(*argv: str) -> tuple[str, Asked]:
    seen: list[tuple[str, Asked]] = []
    commands = typer.Typer()

    @commands.command()
    @measuring(Asked, backend="Where to.")
    def command(name: LabName, options: Asked) -> None:
        seen.append((name, options))

    done = CliRunner().invoke(commands, list(argv))
    assert done.exit_code == 0, done.output
    return seen[0]


def test_every_option_fills_its_field() -> None:
    line = "--backend vm --condition a --condition b --size 128 --out x.json --no-wait --seed 3"
    wanted = Asked("vm", ("a", "b"), (128,), Path("x.json"), wait=False, seed=3)
    assert filled("fastpath", *line.split()) == ("fastpath", wanted)
