"""What a run would do, command by command, without doing it: `--dry-run`.

The commands come from the code that runs them: the backend's steps, the router's lines, the
tester's arguments, the statements for RouterOS.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ppslab import devices, paths, streams, topology
from ppslab.backends import containerlab_steps
from ppslab.cable import TOPOLOGY as CABLE
from ppslab.dut import Dut
from ppslab.instruments import ppstraffic
from ppslab.instruments.contract import Load
from ppslab.instruments.flows import Flow
from ppslab.lab import Condition, Lab
from ppslab.place import Place, backend_of
from ppslab.profiles import Profile
from ppslab.routers import programs, steps
from ppslab.standing import IMAGE_OBJECTS
from ppslab.standing_routeros import CHR, beside_the_router, mtu_of

if TYPE_CHECKING:
    from ppslab.routers.routeros.script import Statement

HAND = "by-hand"
"""What a run is called here; a real one gets a name of its own."""


@dataclass(frozen=True)
class Line:
    """A command, and what it is for; `line` empty: a sentence on what comes."""

    said: str
    line: str = ""

    def __str__(self) -> str:
        said = f"# {self.said}"
        return f"{said}\n{self.line.rstrip()}" if self.line else said


AND_SO_ON = Line(
    "and so on: conditions and sizes in random order, each read back before its trial; then the "
    "search"
)


def lines(
    lab: Lab,
    place: Place,
    dut: Dut | None,
    conditions: Sequence[Condition],
    size: int,
    profile: Profile,
) -> Iterator[Line]:
    """Every step of a run, in order; of the trials the first of each condition, at `size` bytes.

    UsageError where router and backend do not go together.
    """
    backend = backend_of(place)
    if dut is not None:
        yield from _bench(lab, dut, conditions, size, profile)
    elif backend == "containerlab":
        yield from _containerlab(lab, place, conditions, size, profile)
    else:
        yield Line(
            "namespaces are made by system calls, so there is no command for them; what would "
            f"stand up, to look at: ppslab up {lab.name}"
        )
        objects = paths.build_dir() / "bpf"
        for condition in conditions:
            yield from _configured(lab, condition, objects, lambda node: _typed(lab, node))
            yield _trial(lab, condition, size, profile, _typed(lab, lab.words.tester))
            yield from _taken_away(lab, condition, lambda node: _typed(lab, node))
        yield AND_SO_ON


def _containerlab(
    lab: Lab, place: Place, conditions: Sequence[Condition], size: int, profile: Profile
) -> Iterator[Line]:
    routeros = place.router == "routeros"
    wirings = [
        topology.find(lab.words.topology + (CHR if routeros else ""), foreign=True),
        topology.find(CABLE, foreign=True),
    ]
    stood = [(wiring, f"{wiring.name}-{HAND}") for wiring in wirings]
    endings = {}
    for wiring, run in stood:
        down = list(containerlab_steps.taking_down(containerlab_steps.described(wiring), run))
        endings[run] = down
        up = containerlab_steps.steps(wiring, run)
        for step in up[: len(up) - len(down)]:
            yield Line(step.said, step.line)
    wiring, run = stood[0]
    if routeros:
        from ppslab.routers.routeros.ports import of_chr  # noqa: PLC0415

        for name in (lab.words.router, *beside_the_router(lab)):
            role = None if name == lab.words.router else name
            yield from _statements(lab, conditions, "http://192.0.2.1", of_chr(lab), role, name)

    def shell(node: str) -> str:
        plain = containerlab_steps.described(wiring)
        target = containerlab_steps.container(plain, run, node)
        return shlex.join(containerlab_steps.in_node(target, ["sh", "-e"]))

    for condition in conditions:
        if not routeros:
            yield from _configured(lab, condition, Path(IMAGE_OBJECTS), shell)
        yield _trial(lab, condition, size, profile, shell(lab.words.tester))
        if not routeros:
            yield from _taken_away(lab, condition, shell)
    yield AND_SO_ON
    for _, name in reversed(stood):
        for step in endings[name]:
            yield Line(step.said, step.line)


def _typed(lab: Lab, node: str) -> str:
    return f"ppslab shell {lab.name} {node}"


def _configured(
    lab: Lab, condition: Condition, objects: Path, shell: Callable[[str], str]
) -> Iterator[Line]:
    """What makes the condition of each Linux node, once the last one was taken away."""
    wiring = topology.find(lab.words.topology)
    for node, words in {lab.words.router: condition.linux, **condition.nodes}.items():
        ports = wiring.interfaces(node)
        script = steps.sysctls(words.sysctls) + steps.links(lab, words, ports)
        if words.nft:
            script.append(steps.rules("".join(lab.text(file) for file in words.nft)))
        script += [steps.feed("tc -batch -", lab.text(file)) for file in words.tc]
        if words.bpf:
            script += steps.attach(words, ports, objects, words.bpf_mode or "tc")
        script.append(programs.start(words.programs))
        text = "\n".join(filter(None, script))
        if text:
            yield _script(f"{condition.name}: configure {node}", shell(node), text)


def _taken_away(lab: Lab, condition: Condition, shell: Callable[[str], str]) -> Iterator[Line]:
    wiring = topology.find(lab.words.topology)
    for node, words in {lab.words.router: condition.linux, **condition.nodes}.items():
        text = steps.take_away(words, wiring.interfaces(node))
        if words.programs:
            text = programs.STOP + text
        if words.nft:
            text += "nft flush ruleset\n"
        if text:
            yield _script(f"{condition.name}: take it away from {node}", shell(node), text)
        if words.ip:
            yield Line(f"{condition.name}: {node}'s links and routes are put back as deployed")


def _script(said: str, shell: str, text: str) -> Line:
    return Line(said, f"{shell} <<'PPSLAB_DRY_RUN'\n{text.rstrip()}\nPPSLAB_DRY_RUN")


def _trial(lab: Lab, condition: Condition, size: int, profile: Profile, shell: str) -> Line:
    load = Load(
        flows=tuple(Flow.of(flow) for flow in streams.of(lab, condition, "ipv4", "lab")),
        ports=lab.words.ports,
        size=size,
        seconds=profile.cost.trial_seconds,
        learning_frames=profile.waits.learning_frames,
        settle_seconds=profile.waits.settle_seconds,
        drain_seconds=profile.waits.drain_seconds,
    )
    words = ["ppstraffic", *ppstraffic.arguments(load)]
    shown = "".join(f" \\\n  {word}" if word.startswith("--") else f" {word}" for word in words)
    said = f"{condition.name}: one trial of {size} bytes, as fast as it can"
    return _script(said, shell, shown[1:])


def _bench(
    lab: Lab, dut: Dut, conditions: Sequence[Condition], size: int, profile: Profile
) -> Iterator[Line]:
    url = dut.words.routeros.url
    yield Line(f"ask {url} what it is, and save its configuration: /export")
    mtu = mtu_of(lab)
    ports = dut.tester_ports(lab) if dut.words.tester else {}
    for port, interface in ports.items():
        name = lab.words.ports[port]
        yield Line(
            f"lend {interface} to the tester's namespace, as {name}",
            f"ip link set dev {interface} netns {lab.words.tester} name {name}\n"
            f"ip -n {lab.words.tester} link set dev {name} mtu {mtu} up",
        )
    yield from _statements(lab, conditions, url, dut.router_ports(lab), None, dut.host)
    shell = f"ip netns exec {lab.words.tester} sh -e"
    for condition in conditions:
        yield _trial(lab, condition, size, profile, shell)
    yield AND_SO_ON
    yield Line("take all statements back, and put the interfaces back as they were")


def _statements(
    lab: Lab,
    conditions: Sequence[Condition],
    url: str,
    ports: dict[str, str],
    role: str | None,
    shown: str,
) -> Iterator[Line]:
    """What each condition comes to on a RouterOS router; nobody is asked."""
    from ppslab.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    router = RouterOSRouter(
        devices.RouterOS(url=url), lab, ports=ports, journal=Path("unused"), role=role
    )
    for condition in conditions:
        statements: Sequence[Statement] = router.statements(condition)
        text = "\n".join(str(statement) for statement in statements)
        if text:
            yield Line(f"{condition.name}: on {shown}, over REST", text)
