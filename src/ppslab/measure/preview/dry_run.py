"""List the commands that a run would give, without giving them: `--dry-run`.

The real testbed is stood up on a backend that pretends (`pretending`), the real router and the
real tester do their work on it, and what their nodes were told is printed.  A router that is a
device of its own is told nothing: its statements are shown as it would get them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.core.errors import CannotHereError
from ppslab.measure.preview.pretending import (
    FIRST_INTERRUPT,
    Command,
    PretendedBackend,
    pretended_facts,
)
from ppslab.measure.testbed import linux, routeros
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Condition, Lab
from ppslab.testbed.backends import factory
from ppslab.testbed.backends.containerlab import steps as containerlab_steps
from ppslab.testbed.routers import devices
from ppslab.testbed.routers.linux.router import LinuxRouter

if TYPE_CHECKING:
    from ppslab.measure.experiment import FrameExperiment
    from ppslab.testbed.routers.routeros.router import RouterOSRouter

EXAMPLE = "http://192.0.2.1"
"""Address of a CHR that nobody has started (RFC 5737)."""


def commented(purpose: str, command: str = "") -> str:
    """A command under a comment with its purpose; without one, a sentence on what comes."""
    return f"# {purpose}\n{command.rstrip()}" if command else f"# {purpose}"


AND_SO_ON = commented(
    "and so on: conditions and sizes in random order, each read back before its trial; then the "
    "search"
)


def lines(experiment: FrameExperiment[Any], size: int) -> Iterator[str]:
    """Every step of a run, in order; of the trials the first of each condition, at `size` bytes.

    UsageError where router and backend do not go together; CannotHereError where the tester's
    program is not built.
    """
    for table in experiment.announced():
        yield table.plain()
    with ExitStack() as stack:
        yield from _Rehearsal(experiment, size, stack).lines()


class _Rehearsal:
    """A run on a backend that pretends."""

    def __init__(self, experiment: FrameExperiment[Any], size: int, stack: ExitStack) -> None:
        self.experiment, self.lab, self.size, self.stack = experiment, experiment.lab, size, stack
        self.notes: list[str] = []
        name, machine = self._place(), experiment.lab.spec.machine
        if machine is not None:
            if name != "vm":
                raise CannotHereError(*factory.WANTS_A_MACHINE)
            self.notes.append(
                commented(
                    f"interrupts have numbers from {FIRST_INTERRUPT} here; a machine gives its own"
                )
            )
        self.conditions = self._measured(name)
        self.backend = PretendedBackend(name, pretended_facts(experiment, name), machine)
        stack.enter_context(self.backend)

    def _place(self) -> str:
        """The backend that a run would take; where none can here, the one that it would ask for."""
        wanted = self.experiment.wanted_backend
        if self.experiment.options.router == "routeros" or wanted == "containerlab":
            return wanted
        try:
            choice = self.experiment.choose()
            self.notes.append(commented(f"backend {choice.backend}: {choice.reason}"))
            return choice.backend
        except CannotHereError as error:
            self.notes.append(commented(f"this machine cannot do it: {error.reason}"))
            return "namespaces" if wanted == "auto" else wanted

    def _measured(self, name: str) -> Sequence[Condition]:
        """The conditions to show: those that a router elsewhere can do, or else all, with notes."""
        try:
            fit, skipped = self.experiment.fit(name)
        except CannotHereError as error:
            if self.experiment.options.router == "routeros":
                raise
            self.notes.append(commented(f"this machine cannot do it: {error.reason}"))
            return self.experiment.asked
        self.notes += [commented(f"not measured: {one.condition}: {one.reason}") for one in skipped]
        return fit if self.experiment.options.router == "routeros" else self.experiment.asked

    def lines(self) -> Iterator[str]:
        yield from self.notes
        if any(condition.linux.switch_chip for condition in self.conditions):
            yield commented(
                "the tables of the switch chip are filled from the routes of the running node: "
                "they are empty here"
            )
        if self.experiment.options.router == "linux":
            yield from self._on_linux()
        elif self.experiment.inventory is None:
            yield from self._around_a_chr()
        else:
            yield from self._around_the_bench()

    def _on_linux(self) -> Iterator[str]:
        testbed = linux.stand(
            self.stack,
            self.backend,
            self.lab,
            self.experiment.profile,
            tester=self.experiment.chosen_tester,
        )
        yield from self._up()
        yield from self._commands("before the first trial")
        router = testbed.linux
        nodes = {self.lab.spec.router: router, **router.others}
        for condition in self.conditions:
            router.apply(condition)
            yield from self._commands(f"{condition.name}: configure", list(nodes))
            for name, node in nodes.items():
                if name == self.lab.spec.router or name in condition.nodes:
                    node.look(condition)
            yield from self._commands(f"{condition.name}: read back")
            yield from self._trial(testbed, condition)
        yield AND_SO_ON
        yield from self._down()

    def _around_a_chr(self) -> Iterator[str]:
        from ppslab.testbed.routers.routeros.ports import of_chr  # noqa: PLC0415

        lab = self.lab
        wiring = topology.find(f"{lab.spec.topology}{routeros.CHR}", foreign=True)
        deployment = self.stack.enter_context(self.backend.deploy(wiring))
        router = _unasked(lab, EXAMPLE, of_chr(lab))
        testbed = routeros.around_a_chr(
            self.stack,
            self.backend,
            deployment,
            lab,
            self.experiment.profile,
            self._using(),
            router,
        )
        yield from self._up()
        for name in (lab.spec.router, *routeros.beside_the_router(lab)):
            role = None if name == lab.spec.router else name
            yield from self._statements(_unasked(lab, EXAMPLE, of_chr(lab), role), name)
        yield from self._trials(testbed)
        yield from self._down()

    def _around_the_bench(self) -> Iterator[str]:
        lab, inventory = self.lab, self.experiment.inventory
        assert inventory is not None
        url = inventory.spec.routeros.url
        yield commented(f"read the model and version at {url}, and save its configuration: /export")
        router = _unasked(lab, url, inventory.router_ports(lab))
        testbed = routeros.around_the_bench(
            self.stack, self.backend, lab, self.experiment.profile, inventory, self._using(), router
        )
        for lent in self.backend.agent.borrowed:
            yield commented(
                f"lend {lent.interface} to the tester's namespace, as {lent.name}",
                f"ip link set dev {lent.interface} netns {lent.node} name {lent.name}\n"
                f"ip -n {lent.node} link set dev {lent.name} mtu {lent.mtu} up",
            )
        yield from self._statements(router, inventory.host)
        yield from self._trials(testbed)
        yield commented("undo all statements, and restore the interfaces")

    def _trials(self, testbed: FrameTestbed) -> Iterator[str]:
        yield from self._commands("before the first trial")
        for condition in self.conditions:
            yield from self._trial(testbed, condition)
        yield AND_SO_ON

    def _using(self) -> routeros.Using:
        return routeros.Using(self.experiment.chosen_tester, lambda _: None, lambda _: None)

    def _up(self) -> Iterator[str]:
        """The steps that stand the topologies up."""
        if self.backend.name != "containerlab":
            yield commented(
                "nodes are made by system calls, so there is no command for them; to start the "
                f"same lab and look at it: ppslab up {self.lab.name}"
            )
            return
        for run, wiring in self.backend.topologies.items():
            for step in containerlab_steps.up(topology.load(wiring.path, foreign=True), run):
                yield commented(step.said, step.line)

    def _down(self) -> Iterator[str]:
        """The steps that take them down again, the last one first."""
        if self.backend.name == "containerlab":
            for run, wiring in reversed(self.backend.topologies.items()):
                for step in containerlab_steps.down(wiring, run):
                    yield commented(step.said, step.line)

    def _statements(self, router: RouterOSRouter, shown: str) -> Iterator[str]:
        """The statements of each condition on a RouterOS router; nobody is asked."""
        for condition in self.conditions:
            text = "\n".join(map(str, router.statements(condition)))
            if text:
                yield commented(f"{condition.name}: on {shown}, over REST", text)

    def _trial(self, testbed: FrameTestbed, condition: Condition) -> Iterator[str]:
        external = testbed.router.is_external
        own = condition.sizes
        size = self.size if not own or self.size in own else min(own)
        spec = TrialSpec(
            "cost",
            condition,
            size,
            testbed.profile.cost.trial_seconds,
            arrangement="separate" if external else "coupled",
        )
        sentence = f"{condition.name}: one trial of {size} bytes, as fast as it can"
        if isinstance(testbed.router, LinuxRouter):
            testbed.measure(spec)
        else:
            testbed.send(spec)
        yield from self._commands(sentence)

    def _commands(self, purpose: str, order: Sequence[str] = ()) -> Iterator[str]:
        """The commands of nodes; those at once in the order of `order`."""
        commands: Iterable[Command] = self.backend.told()
        if order:
            commands = sorted(commands, key=lambda command: order.index(command.node))
        for command in commands:
            yield commented(f"{purpose} ({command.node})", self._typed(command))

    def _typed(self, command: Command) -> str:
        argv = list(command.argv)
        if self.experiment.inventory is not None:
            front = ["ip", "netns", "exec", command.node]
        elif self.backend.name == "containerlab":
            target = containerlab_steps.container(command.run, command.node)
            front, argv = [], list(containerlab_steps.in_node(target, argv))
        else:
            front = ["ppslab", "exec", self.lab.name, command.node, "--"]
        words = shlex.join(front)
        for word in argv:
            option = word.startswith("--") and len(word) > 2
            words += f" \\\n  {word}" if option else f" {shlex.quote(word)}"
        words = words.strip()
        if not command.given:
            return words
        return f"{words} <<'PPSLAB_DRY_RUN'\n{command.given.rstrip()}\nPPSLAB_DRY_RUN"


def _unasked(lab: Lab, url: str, ports: dict[str, str], role: str | None = None) -> RouterOSRouter:
    """A RouterOS router that is never opened: it only says what it would be told."""
    from ppslab.testbed.routers.routeros.router import RouterOSRouter  # noqa: PLC0415

    device = devices.RouterOS(url=url)
    return RouterOSRouter(device, lab, ports=ports, journal=Path("unused"), role=role)
