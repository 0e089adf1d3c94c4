"""What every measuring command does around its measurement: backend, testbed, and the record.

A `Session` holds what was asked for, looked up and checked before anything starts.  While it is
open there is an `OpenSession`: a backend, a testbed on it, and the conditions that can be measured
there.  It ends with a record: a complete one, or an aborted one if the measurement was stopped.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast

from ppslab import results
from ppslab.backends import Backend, capabilities, open_backend
from ppslab.base.errors import CannotHereError
from ppslab.base.measures import Measure
from ppslab.base.text.tables import Table
from ppslab.instruments import testers
from ppslab.lab import profiles
from ppslab.lab.lab import Condition, Lab
from ppslab.measurement import counting, run_options
from ppslab.measurement.preview import traffic
from ppslab.measurement.preview.traffic import Planned
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import turn
from ppslab.measurement.session.head import Head, head
from ppslab.measurement.session.progress import Kept, Progress, Silent
from ppslab.measurement.testbed import bench_testbed, chr_testbed, linux, routeros
from ppslab.measurement.testbed.contract import Testbed
from ppslab.measurement.testbed.routeros import Using
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results import journal
from ppslab.results.journal import Journal
from ppslab.results.shapes import EnvironmentShape
from ppslab.routers import bench_inventory

State = Literal["completed", "aborted"]
RunRecord = TypeVar("RunRecord", bound=results.Run)
Bed = TypeVar("Bed", bound=Testbed)
Bed_co = TypeVar("Bed_co", bound=Testbed, covariant=True)

BENCH = "bench"
"""What a record calls the place of a router that no backend stood up."""


@dataclass
class OpenSession(Generic[Bed_co]):
    """A measurement under way."""

    lab: Lab
    """The lab that is measured."""
    options: RunOptions
    """Where and how."""
    conditions: Sequence[Condition]
    """Those that can be measured here."""
    skipped: Sequence[results.Skipped]
    """The others, with the reason."""
    taken: Measure
    """Whether the run is timed or counted."""
    where: str
    """What the record calls the place: the backend, or the bench."""
    on_bench: bool
    """Whether the router is the reader's own."""
    backend: Backend
    """Where the lab stands."""
    testbed: Bed_co
    """What trials run on."""
    progress: Progress
    """Called with every trial."""
    started: datetime
    """When it began."""
    seed: int
    """Of the order of the trials."""
    tester: results.Tester
    """The tester, and its own limit."""
    environment: EnvironmentShape
    """Kernel, CPU, emulation, programs."""
    checkpoint: Callable[[results.Run], None]
    """Keep a record of what was measured so far, for a run that lasts for hours."""

    @property
    def counted(self) -> bool:
        """Whether instructions are counted; else time is taken."""
        return self.taken == "counted"

    def head(self, state: State, deviations: Sequence[str]) -> Head:
        """The head of a record of what was measured so far."""
        return head(self, state, deviations)


class Session(ABC, Generic[Bed]):
    """A measurement that was asked for: looked up and checked, but not yet started.

    `conditions`: those to measure.  `measure`: whether instructions are counted, or time is taken.
    UsageError for what does not go together; FileError for an inventory that is wrong.
    """

    sends = True
    """Whether a tester sends its frames."""

    def __init__(
        self,
        lab: Lab,
        conditions: Sequence[Condition],
        options: RunOptions,
        progress: Progress | None = None,
        *,
        measure: Measure = "timed",
    ) -> None:
        run_options.check(options)
        self.lab = lab
        self.asked = tuple(conditions)
        self.options = options
        self.progress = progress or Silent()
        self.taken = measure
        self.profile = profiles.load(options.profile)
        self.chosen_tester = testers.chosen(options.tester, options.tester_config)
        self.chosen_tester.must_go_without_a_rate()
        self.inventory = bench_inventory.told(options.dut, options.router)
        self.backend = "vm" if measure == "counted" else run_options.backend_of(options)
        if options.router == "routeros":
            routeros.check(lab, on_bench=self.inventory is not None)

    @abstractmethod
    def stand(self, stack: ExitStack, backend: Backend, progress: Progress) -> Bed:
        """Set up the testbed on an open backend; it is removed when `stack` unwinds."""

    def measure(
        self,
        measurement: Callable[[OpenSession[Bed]], None],
        record: Callable[[OpenSession[Bed], State], RunRecord],
        kind: type[RunRecord],
        planned: Planned = lambda _: (),
    ) -> tuple[RunRecord, Path]:
        """Open, measure, close, and write the record; returns it and the file that it is in.

        If Ctrl-C or a failure stops it, what was measured so far is written as an aborted record,
        which no figure and no claim reads, and the reason is raised, with a note of its file.
        CannotHereError where no backend can; UsageError for a bench whose network nobody has
        called isolated, after `planned` was shown; FileError, before anything is measured, where
        no record could be written.
        """
        for table in self.announced(planned):
            self.progress.show(table)
        if self.inventory and not self.options.isolated:
            raise bench_inventory.refuse(self.inventory)
        choice = self.choose()
        where = BENCH if self.inventory else choice.backend
        what = f"a measurement of {self.lab.name}"
        timed = self.taken == "timed"
        with turn.measuring(what, self.progress.stage, wait=self.options.wait, timed=timed):
            for sentence in journal.sweep():
                self.progress.stage(sentence)
            started = datetime.now(UTC)
            kept = Journal.begin(self.lab.name, started, where, kind, self.options.out)
            try:
                with ExitStack() as opening:
                    opened = self._open(opening, choice, where, started, kept)
                    closing = opening.pop_all()
                try:
                    with closing:
                        measurement(opened)
                    finished = record(opened, "completed")
                except BaseException as stopped:
                    if opened.testbed.trials:
                        path = kept.finish(record(opened, "aborted"), aborted=True)
                        stopped.add_note(f"what was measured until then is in {path}")
                    raise
                return finished, kept.finish(finished)
            finally:
                kept.drop()

    def announced(self, planned: Planned) -> Sequence[Table]:
        """What will be sent to a router on a bench, and changed on it; nothing for any other."""
        if self.inventory is None:
            return ()
        fit, waits = self.fit(self.backend)[0], self.profile.waits
        return traffic.tables(
            self.lab,
            self.inventory,
            fit,
            planned(fit),
            waits.settle_seconds + waits.drain_seconds,
        )

    def choose(self) -> capabilities.Choice:
        """The backend, and why; CannotHereError where there is none."""
        needs = self.chosen_tester.needs
        if self.options.router == "linux":
            needs = needs.union(*(condition.needs for condition in self.asked))
        if self.sends and self.backend != "containerlab":
            # Before a guest is started: an image of containerlab has a program of its own.
            self.chosen_tester.must_be_built()
        choice = capabilities.choose(needs, self.backend)
        if self.taken == "counted":
            choice = replace(choice, reason="instructions are counted, in a guest on one CPU")
        if self.inventory:
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
                "ask `ppslab doctor` what is missing",
            )
        skipped = ((name, reason) for name, reason in reasons.items() if reason)
        return fit, tuple(results.Skipped(condition=name, reason=why) for name, why in skipped)

    def _unfit(self, condition: Condition, backend: str) -> str:
        """Why a condition cannot be measured here; empty where it can."""
        if self.options.router == "routeros":
            return routeros.unfit(condition, on_bench=self.inventory is not None)
        uncounted = counting.unlike_one_cpu(condition) if self.taken == "counted" else ""
        if uncounted:
            return uncounted
        missing = condition.needs - capabilities.features_of(backend)
        return f"{backend} has no {', '.join(sorted(missing))} here" if missing else ""

    def _open(
        self,
        stack: ExitStack,
        choice: capabilities.Choice,
        where: str,
        started: datetime,
        kept: Journal,
    ) -> OpenSession[Bed]:
        progress, name = Kept(self.progress, kept), choice.backend
        # Before anything starts: a guest would boot for a minute only to be refused.
        conditions, skipped = self.fit(name)
        for each in skipped:
            progress.stage(f"not measured: {each.condition}: {each.reason}")
        progress.stage(f"starting {name}")
        machine = self.lab.spec.machine
        backend = stack.enter_context(open_backend(name, machine=machine, measure=self.taken))
        progress.stage("deploying")
        testbed = self.stand(stack, backend, progress)
        seed = self.options.seed
        return OpenSession(
            lab=self.lab,
            options=self.options,
            conditions=conditions,
            skipped=skipped,
            taken=self.taken,
            where=where,
            on_bench=self.inventory is not None,
            backend=backend,
            testbed=testbed,
            progress=progress,
            started=started,
            seed=seed if seed is not None else secrets.randbelow(2**31),
            tester=results.Tester(name=self.options.tester, version=""),
            environment=_environment(backend, testbed),
            checkpoint=kept.checkpoint,
        )


def _environment(backend: Backend, testbed: Testbed) -> EnvironmentShape:
    """The environment as backend, router and tester report it; a record checks its shape."""
    environment: dict[str, Any] = {**backend.facts, **testbed.router.facts()}
    return cast("EnvironmentShape", environment | {"tester": testbed.tester.settings})


class FrameSession(Session[FrameTestbed]):
    """A measurement with a tester of frames."""

    def stand(self, stack: ExitStack, backend: Backend, progress: Progress) -> FrameTestbed:
        """The router that was asked for, the tester and its cable."""
        tester = Using(self.chosen_tester, progress.trial, progress.stage)
        if self.options.router == "linux":
            return linux.stand(
                stack,
                backend,
                self.lab,
                self.profile,
                tester=tester.chosen,
                on_trial=progress.trial,
            )
        if self.inventory is None:
            testbed, notes = chr_testbed.stand_chr(stack, backend, self.lab, self.profile, tester)
        else:
            testbed, notes = bench_testbed.stand_on_the_bench(
                stack, backend, self.lab, self.profile, self.inventory, tester
            )
        testbed.remarks += notes
        return testbed
