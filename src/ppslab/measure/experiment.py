"""An experiment: what every measuring command does around its trials.

    record, path = CostRun(lab, options, progress).run()

`Experiment.run` is the order of events: choose a backend, wait for the machine's turn, keep a
journal, stand the testbed up, run the trials, take the testbed down, write the record.  A kind of
experiment adds its testbed (`stand`), its trials (`stages`) and its record (`record`).

    Experiment          backend, turn, journal, record; without a lab: calibration
      LabExperiment     a lab's router: its conditions, the head of its record
        FrameExperiment a tester that sends frames
"""

from __future__ import annotations

import secrets
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from ppslab.core import paths
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import CannotHereError
from ppslab.core.measures import Measure
from ppslab.core.text.tables import Table
from ppslab.core.version import VERSION
from ppslab.measure import options as run_options
from ppslab.measure import turn
from ppslab.measure.options import RunOptions, TesterOptions
from ppslab.measure.preview import dry_run, traffic
from ppslab.measure.preview.traffic import Trials
from ppslab.measure.rounds import choose_bpf_modes
from ppslab.measure.testbed import linux, routeros
from ppslab.measure.testbed.routeros import Using
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model import results
from ppslab.model.lab import profiles
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.profiles import Profile
from ppslab.model.results import journal
from ppslab.model.results.journal import Journal
from ppslab.model.results.shapes import EnvironmentShape
from ppslab.testbed.backends import Backend, capabilities, open_backend
from ppslab.testbed.backends.capabilities import Choice, CpuPlan
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.contract import Router
from ppslab.testbed.testers import testers

State = Literal["completed", "aborted"]
"""aborted: it was stopped before its end; no figure and no claim reads such a record."""

BENCH = "bench"
"""The place, in a record, of a router that no backend stood up."""


class Progress(Protocol):
    def show(self, table: Table) -> None:
        """Show what is going to be done, before it is."""

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""

    def stage(self, text: str) -> None:
        """Report the step that begins."""

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """A trial has ended."""


class Silent:
    """Nobody watches."""

    def show(self, table: Table) -> None: ...

    def plan(self, trials: int) -> None: ...

    def stage(self, text: str) -> None: ...

    def trial(self, trial: results.Trial | results.Transfer) -> None: ...


class Trialled(Protocol):
    """A testbed as every experiment has one: it keeps its trials."""

    @property
    def trials(self) -> Sequence[Any]:
        """The trials so far, in the order in which they ran."""


class Testbed(Trialled, Protocol):
    """A lab's testbed, as far as the head of a record describes it."""

    @property
    def router(self) -> Router: ...

    @property
    def settings(self) -> dict[str, str]: ...

    @property
    def cpus(self) -> CpuPlan: ...

    @property
    def profile(self) -> Profile: ...

    @property
    def remarks(self) -> Sequence[str]:
        """The sentences on noise, for the reader of the record."""

    @property
    def read_backs(self) -> dict[str, str]: ...

    def identity(self) -> results.Tester: ...


Bed = TypeVar("Bed", bound=Trialled)
LabBed = TypeVar("LabBed", bound=Testbed)
AnyRecord = TypeVar("AnyRecord", bound=StrictModel)


class Experiment(ABC, Generic[Bed, AnyRecord]):
    """An experiment that was asked for: looked up and checked, but not yet started.

    UsageError for options that do not fit together; FileError for an inventory that is wrong.
    """

    kind: type[AnyRecord]
    sends_frames = True
    """The tester's own program has to be here."""
    measure: Measure = "timed"
    """Instructions are counted, or time is taken."""
    on_bench = False
    """The router is the reader's own."""
    machine: Machine | None = None
    """The machine that the backend has to build."""

    testbed: Bed
    """The testbed, once it stands."""
    backend: Backend
    """The backend that it stands on."""
    where: str
    """The place in the record: the backend, or the bench."""
    started: datetime
    journal: Journal
    """Keeps every trial until the record is written."""

    def __init__(
        self, subject: str, title: str, options: TesterOptions, progress: Progress | None = None
    ) -> None:
        """`subject`: what the record's file is named after; `title`: what others wait for."""
        options.check()
        self.subject, self.title = subject, title
        self.progress = progress or Silent()
        self.out, self.wait = options.out, options.wait
        self.chosen_tester = testers.chosen(options.tester, options.tester_config)
        self.wanted_backend = options.backend

    @abstractmethod
    def stand(self, stack: ExitStack) -> Bed:
        """Stand the testbed up on the open backend; it is removed when `stack` unwinds."""

    @abstractmethod
    def stages(self) -> None:
        """Run the trials, stage by stage."""

    @abstractmethod
    def record(self, state: State) -> AnyRecord:
        """The record of what was measured so far."""

    def run(self) -> tuple[AnyRecord, Path]:
        """Measure and write the record; returns it and the file that it is in.

        If Ctrl-C or a failure stops it, what was measured so far is written as an aborted record,
        and the reason is raised, with a note of its file.  CannotHereError where no backend can;
        UsageError for a bench whose network nobody has called isolated; FileError, before anything
        is measured, where no record could be written.
        """
        self.announce()
        choice = self.choose()
        self.where = BENCH if self.on_bench else choice.backend
        timed, notify = self.measure == "timed", self.progress.stage
        with turn.measuring(self.title, notify, wait=self.wait, timed=timed):
            for sentence in journal.sweep():
                notify(sentence)
            self.started = datetime.now(UTC)
            self.journal = Journal.begin(
                self.subject, self.started, self.where, self.kind, self.out
            )
            try:
                record = self._measured(choice)
                return record, self.journal.finish(record)
            finally:
                self.journal.drop()

    def _measured(self, choice: Choice) -> AnyRecord:
        """The completed record; on a failure an aborted one is written, if there was a trial."""
        stands = False
        try:
            with ExitStack() as stack:
                self.open(stack, choice)
                stands = True
                self.stages()
            return self.record("completed")
        except BaseException as stopped:
            if stands and self.testbed.trials:
                path = self.journal.finish(self.record("aborted"), aborted=True)
                stopped.add_note(f"the results until then are in {path}")
            raise

    def announce(self) -> None:
        """Show what will be done to a router of the reader's; nothing for any other."""

    def choose(self) -> Choice:
        """The backend, and why; CannotHereError where there is none."""
        choice = capabilities.choose(self.chosen_tester.needs, self.wanted_backend)
        self.progress.stage(f"backend {choice.backend}: {choice.reason}")
        return choice

    def open(self, stack: ExitStack, choice: Choice) -> None:
        self.progress.stage(f"starting {choice.backend}")
        backend = open_backend(choice.backend, machine=self.machine, measure=self.measure)
        self.backend = stack.enter_context(backend)
        self.progress.stage("deploying")
        self.testbed = self.stand(stack)

    def keep(self, trial: results.Trial | results.Transfer) -> None:
        """Keep a trial that has ended, and tell who watches."""
        self.journal.add(trial)
        self.progress.trial(trial)


class LabExperiment(Experiment[LabBed, AnyRecord]):
    """An experiment on a lab's router, condition by condition.

    `conditions`: those to measure.  `measure`: whether instructions are counted, or time is taken.
    """

    conditions: Sequence[Condition]
    """Those that can be measured here, once it is open."""
    skipped: Sequence[results.Skipped]
    """The others, with the reason."""
    tester: results.Tester
    """The tester, and its own limit where that was measured."""
    environment: EnvironmentShape
    """Kernel, CPU, emulation, programs."""

    def __init__(
        self,
        lab: Lab,
        conditions: Sequence[Condition],
        options: RunOptions,
        progress: Progress | None = None,
        *,
        measure: Measure = "timed",
    ) -> None:
        super().__init__(lab.name, f"a measurement of {lab.name}", options, progress)
        self.lab, self.asked, self.options = lab, tuple(conditions), options
        self.measure, self.machine = measure, lab.spec.machine
        self.profile = profiles.load(options.profile)
        self.chosen_tester.must_send_at_full_speed()
        self.inventory = bench_inventory.told(options.dut, options.router)
        self.on_bench = self.inventory is not None
        self.wanted_backend = "vm" if self.counted else options.router_backend()
        self.seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        if options.router == "routeros":
            routeros.check(lab, on_bench=self.on_bench)

    @property
    def counted(self) -> bool:
        """True where instructions are counted; else time is taken."""
        return self.measure == "counted"

    def planned(self, conditions: Sequence[Condition]) -> Sequence[Trials]:
        """The trials that these conditions will have, as far as known before the first."""
        del conditions
        return ()

    def announce(self) -> None:
        """Show what will be sent to a router on the bench; refuse a shared network."""
        for table in self.announced():
            self.progress.show(table)
        if self.inventory and not self.options.isolated:
            raise bench_inventory.refuse(self.inventory)

    def announced(self) -> Sequence[Table]:
        """Tables of what is sent to a router on the bench and changed there; none for any other."""
        if self.inventory is None:
            return ()
        fit, waits = self.fit(self.wanted_backend)[0], self.profile.waits
        seconds = waits.settle_seconds + waits.drain_seconds
        return traffic.tables(self.lab, self.inventory, fit, self.planned(fit), seconds)

    def choose(self) -> Choice:
        needs = self.chosen_tester.needs
        if self.options.router == "linux":
            needs = needs.union(*(condition.needs for condition in self.asked))
        if self.sends_frames and self.wanted_backend != "containerlab":
            # Before a guest is started: an image of containerlab has a program of its own.
            self.chosen_tester.must_be_built()
        choice = capabilities.choose(needs, self.wanted_backend)
        if self.counted:
            choice = replace(choice, reason="instructions are counted, in a guest on one CPU")
        if self.on_bench:
            self.progress.stage("bench: the tester is a namespace with interfaces of this machine")
        else:
            self.progress.stage(f"backend {choice.backend}: {choice.reason}")
        return choice

    def fit(self, backend: str) -> tuple[tuple[Condition, ...], tuple[results.Skipped, ...]]:
        """The conditions that can be measured on a backend, and the others with the reason.

        CannotHereError if none can be measured.
        """
        reasons = {condition.name: self._unfit(condition, backend) for condition in self.asked}
        fit = tuple(condition for condition in self.asked if not reasons[condition.name])
        if not fit:
            raise CannotHereError(
                "no condition can be measured: " + "; ".join(dict.fromkeys(reasons.values())),
                "`ppslab doctor` lists what is missing",
            )
        skipped = ((name, reason) for name, reason in reasons.items() if reason)
        return fit, tuple(results.Skipped(condition=name, reason=why) for name, why in skipped)

    def _unfit(self, condition: Condition, backend: str) -> str:
        """The reason why a condition cannot be measured here; empty where it can."""
        if self.options.router == "routeros":
            return routeros.unfit(condition, on_bench=self.on_bench)
        uncounted = run_options.unlike_one_cpu(condition) if self.counted else ""
        if uncounted:
            return uncounted
        missing = condition.needs - capabilities.features_of(backend)
        return f"{backend} has no {', '.join(sorted(missing))} here" if missing else ""

    def open(self, stack: ExitStack, choice: Choice) -> None:
        """Start the backend and stand the testbed up, with the conditions that it can do."""
        # Before anything starts: a guest would boot for a minute only to be refused.
        self.conditions, self.skipped = self.fit(choice.backend)
        for condition in self.skipped:
            self.progress.stage(f"not measured: {condition.condition}: {condition.reason}")
        super().open(stack, choice)
        environment: dict[str, Any] = {**self.backend.facts, **self.testbed.router.facts()}
        environment["tester"] = self.testbed.settings
        self.environment = cast("EnvironmentShape", environment)  # a record checks its shape
        self.tester = self.testbed.identity()

    def head(self, state: State, deviations: Sequence[str], **changed: Any) -> dict[str, Any]:
        """The fields of `results.Run`: who measured what, where, how, and when.

        `deviations`: where the method leaves RFC 2544.  `changed`: fields with another value.
        CannotHereError where time was taken without the machine's turn.
        """
        testbed, cpus = self.testbed, self.testbed.cpus
        return {
            "id": f"{self.lab.name}-{self.started:%Y%m%dT%H%M%SZ}-{self.where}",
            "lab": self.lab.name,
            "title": self.lab.title,
            "started": self.started,
            "finished": datetime.now(UTC),
            "state": state,
            "ppslab": harness(),
            "router": {"name": testbed.router.name, "cannot_show": testbed.router.cannot_show},
            "tester": self.tester,
            "measure": self.measure,
            "backend": self.where,
            "environment": self.environment,
            "cpus": cpus_used(cpus),
            "lease": turn.lease() if self.measure == "timed" else None,
            "profile": testbed.profile.model_dump(mode="json"),
            "deviations": (*deviations, *testbed.remarks),
            "seed": self.seed,
            "conditions": tuple(self._condition(condition) for condition in self.conditions),
            "skipped": tuple(self.skipped),
            "trials": tuple(testbed.trials),
            **changed,
        }

    def _condition(self, condition: Condition) -> results.ConditionRecord:
        router = self.testbed.router
        return results.ConditionRecord(
            name=condition.name,
            title=condition.title,
            description=condition.description,
            needs=tuple(sorted(condition.needs)),
            delivers=condition.delivers,
            bpf_mode=router.mode(condition) if condition.linux.bpf else None,
            configuration=self.lab.configuration(condition),
            read_back=self.testbed.read_backs.get(condition.name, ""),
        )


class FrameExperiment(LabExperiment[FrameTestbed, AnyRecord]):
    """An experiment with a tester of frames."""

    def stand(self, stack: ExitStack) -> FrameTestbed:
        """The router that was asked for, the tester and its cable."""
        lab, backend, profile = self.lab, self.backend, self.profile
        if self.options.router == "linux":
            return linux.stand(
                stack, backend, lab, profile, tester=self.chosen_tester, on_trial=self.keep
            )
        tester = Using(self.chosen_tester, self.keep, self.progress.stage)
        if self.inventory is None:
            testbed, notes = routeros.stand_chr(stack, backend, lab, profile, tester)
        else:
            testbed, notes = routeros.stand_on_the_bench(
                stack, backend, lab, profile, self.inventory, tester
            )
        testbed.remarks += notes
        return testbed

    def choose_bpf_modes(self, size: int) -> None:
        """Find how each BPF program is attached here, and put it into the record."""
        router = self.testbed.router
        if any(c.linux.bpf and router.mode(c) for c in self.conditions):
            self.progress.stage("choosing how to attach the BPF programs")
            self.environment["bpf"] = choose_bpf_modes(
                self.testbed, self.conditions, size, self.measure
            )

    def rehearse(self, size: int) -> Iterator[str]:
        """Yield the steps of `run`, command by command; nothing is done.

        Errors as of `run`, as far as they show before anything starts.
        """
        return dry_run.lines(self, size)


def cpus_used(cpus: CpuPlan) -> dict[str, int | None]:
    """The CPUs that send, route and read, as a record has them."""
    return {"sender": cpus.sender, "router": cpus.router, "reader": cpus.reader}


def harness() -> dict[str, str]:
    """The version and the commit of ppslab, as a record has them."""
    return {"version": VERSION, "commit": commit()}


def commit() -> str:
    """The checkout's commit, with `+` where files differ from it; empty outside of git."""
    command = ["git", "-C", str(paths.project_root()), "describe"]
    try:
        done = subprocess.run(
            [*command, "--always", "--dirty=+", "--abbrev=12"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
