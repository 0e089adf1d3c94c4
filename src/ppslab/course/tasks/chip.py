"""The switch chip of a lab's tasks on a live lab: what `engine.chip` must know, whom it asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ppslab.core.errors import BackendError, UsageError
from ppslab.course.tasks.engine import chip, judging
from ppslab.model.lab.conditions import LinuxSpec, SwitchChip
from ppslab.model.switch_chip import chips, filling
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.linux import steps
from ppslab.testbed.routers.linux.deployed import Standing

PROGRAM = "l3_offload"


def words(device: str, ports: Sequence[str], objects: Path) -> dict[str, Any]:
    """What `engine.chip.follow` must know of a device's chip, ready for JSON.

    `ports`: the router's interfaces; `objects`: the folder of BPF programs on the node.
    """

    def spec(*attached: str) -> LinuxSpec:
        return LinuxSpec(
            bpf=PROGRAM, switch_chip=SwitchChip(device=device), bpf_ports=tuple(attached)
        )

    attach = {port: steps.attach(spec(port), ports, objects, "tc") for port in ports}
    return {
        "facts": chips.of(device).facts,
        "ports": list(ports),
        "away": steps.take_away(Standing.of(spec(*ports)), ports),
        "attach": {port: lines[0] for port, lines in attach.items()},
        "load": attach[ports[0]][-1],
    }


def follow(node: Node, told: dict[str, Any]) -> None:
    """Apply a node's settings; does nothing where they are applied already.

    `told`: of `words`.  UsageError where a setting is none; BackendError with the node's words
    where a step fails.
    """

    def tell(request: tuple[str, list[str], str]) -> tuple[int, str, str]:
        _, argv, given = request
        answer = node.run(argv, input=given, check=False)
        return answer.returncode, answer.stdout, answer.stderr

    try:
        judging.play(chip.follow(told), tell)
    except chip.WrongSettingError as error:
        raise UsageError(str(error)) from None
    except (chip.RefusedError, filling.TooManyError) as error:
        raise BackendError(f"router {node.name}: {error}") from None
