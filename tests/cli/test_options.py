"""A command's options are the fields of what it fills: names, types and defaults from one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ppslab.cli.options import LabName, measuring


@dataclass(frozen=True)
class Asked:
    """What a command of these tests is asked."""

    backend: str = "auto"
    conditions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (64, 1518)
    out: Path | None = None
    wait: bool = True
    seed: int | None = None


def filled(*argv: str, without: tuple[str, ...] = ()) -> tuple[str, Asked]:
    seen: list[tuple[str, Asked]] = []
    commands = typer.Typer()

    @commands.command()
    @measuring(Asked, without=without, backend="Where to.")
    def command(name: LabName, options: Asked) -> None:
        seen.append((name, options))

    done = CliRunner().invoke(commands, list(argv))
    assert done.exit_code == 0, done.output
    return seen[0]


def test_what_is_not_said_is_the_field_s_default() -> None:
    assert filled("fastpath") == ("fastpath", Asked())


def test_every_option_fills_its_field() -> None:
    line = "--backend vm --condition a --condition b --size 128 --out x.json --no-wait --seed 3"
    wanted = Asked("vm", ("a", "b"), (128,), Path("x.json"), wait=False, seed=3)
    assert filled("fastpath", *line.split()) == ("fastpath", wanted)


def test_a_field_that_a_command_leaves_out_is_no_option() -> None:
    with pytest.raises(AssertionError, match="--seed"):
        filled("fastpath", "--seed", "3", without=("seed",))


def test_a_field_that_nobody_described_is_found_when_the_command_is_made() -> None:
    @dataclass(frozen=True)
    class More(Asked):
        colour: str = "blue"

    with pytest.raises(AssertionError, match="colour"):
        measuring(More)
