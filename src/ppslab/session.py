"""What every measuring command does around its measurement: backend, bench, and the record.

A session chooses a backend, stands the lab up on it, leaves out the conditions that the backend
cannot do, knows the words at the head of a record, and writes the record: the whole one at the
end, an aborted one where the measurement was stopped.
"""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeVar

import ppslab
from ppslab import capabilities, paths, profiles, results, standing_routeros
from ppslab import place as placing
from ppslab.backends import Backend, open_backend
from ppslab.dut import Dut, refuse
from ppslab.errors import CannotHereError
from ppslab.ground import Ground
from ppslab.instruments import testers
from ppslab.lab import Condition, Lab
from ppslab.place import Place
from ppslab.profiles import Profile
from ppslab.standing import stand
from ppslab.standing_routeros import Using
from ppslab.trial import Bench

Made = TypeVar("Made", bound=results.Run)
State = Literal["completed", "aborted"]

BENCH = "bench"
"""What a record calls the place of a router that no backend stood up."""


class Progress(Protocol):
    """Who watches a run."""

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""

    def stage(self, text: str) -> None:
        """What happens now."""

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """A trial has ended."""


class Silent:
    """Nobody watches."""

    def plan(self, trials: int) -> None:
        """Say nothing."""

    def stage(self, text: str) -> None:
        """Say nothing."""

    def trial(self, trial: results.Trial | results.Transfer) -> None:
        """Say nothing."""


@dataclass
class Session:
    """A measurement under way; `ground`, `backend` and `environment` are there once it is open."""

    lab: Lab
    place: Place
    conditions: list[Condition]
    progress: Progress
    choice: capabilities.Choice
    started: datetime
    seed: int
    tester: results.Tester
    dut: Dut | None = None
    notes: list[str] = field(default_factory=list)
    skipped: list[results.Skipped] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    _ground: Ground | None = None
    _backend: Backend | None = None

    @classmethod
    def prepare(
        cls, lab: Lab, names: Sequence[str], place: Place, progress: Progress | None
    ) -> Self:
        """Check what is asked for and choose the backend, before anything starts.

        `names`: of conditions; empty means all.  UsageError for what the lab does not have, and
        for a router on the bench whose network nobody has called isolated; CannotHereError where
        no backend can.
        """
        progress = progress or Silent()
        profiles.load(place.profile)
        conditions = [lab.condition(name) for name in names] or list(lab.conditions.values())
        dut = placing.check(place)
        needs = testers.needs(place.tester)
        if place.router == "linux":
            needs = needs.union(*(condition.needs for condition in conditions))
        else:
            standing_routeros.check(lab, bench=dut is not None)
        if dut and not place.isolated:
            raise refuse(dut)
        choice = capabilities.choose(needs, placing.backend_of(place))
        if dut:
            progress.stage("bench: the tester is a namespace with interfaces of this machine")
        else:
            progress.stage(f"backend {choice.backend}: {choice.reason}")
        seed = place.seed if place.seed is not None else secrets.randbelow(2**31)
        tester = results.Tester(name=place.tester, version="")
        return cls(lab, place, conditions, progress, choice, datetime.now(UTC), seed, tester, dut)

    @property
    def ground(self) -> Ground:
        """What the session stands on; only of an open session."""
        assert self._ground is not None
        return self._ground

    @property
    def bench(self) -> Bench:
        """The bench; only of an open session that stands on one."""
        assert isinstance(self._ground, Bench)
        return self._ground

    @property
    def profile(self) -> Profile:
        """The profile as it is used here: under emulation it is another."""
        return self.ground.profile

    @property
    def backend(self) -> Backend:
        """The backend; only of an open session."""
        assert self._backend is not None
        return self._backend

    def measure(
        self,
        measurement: Callable[[Session], None],
        record: Callable[[Session, State], Made],
    ) -> tuple[Made, Path]:
        """Open, measure, close, and write the record; returns it and the file that it is in.

        Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted
        record, which no figure and no claim reads, and the reason is raised.
        """
        path: Path | None = self.place.out
        try:
            with ExitStack() as stack:
                self._open(stack)
                measurement(self)
        except BaseException:
            if self._ground and self._ground.trials:
                aborted = record(self, "aborted")
                path = path or self._path(type(aborted))
                results.save(aborted, path.with_suffix(".aborted.json"))
            raise
        made = record(self, "completed")
        path = path or self._path(type(made))
        results.save(made, path)
        return made, path

    @property
    def where(self) -> str:
        """What the record calls the place: the backend, or the bench."""
        return BENCH if self.dut else self.choice.backend

    def _path(self, kind: type[results.Run]) -> Path:
        return results.new_path(self.lab.name, self.started, self.where, kind)

    def _open(self, stack: ExitStack) -> None:
        name = self.choice.backend
        self.progress.stage(f"starting {name}")
        self._backend = stack.enter_context(open_backend(name, machine=self.lab.words.machine))
        for condition in list(self.conditions):
            reason = self._unfit(condition)
            if reason:
                self.skipped.append(results.Skipped(condition=condition.name, reason=reason))
                self.conditions.remove(condition)
        if not self.conditions:
            raise CannotHereError(
                "no condition can be measured: "
                + "; ".join(dict.fromkeys(s.reason for s in self.skipped)),
                "ask `ppslab doctor` what is missing",
            )
        self.progress.stage("deploying")
        self._ground = self._stand(stack)
        self.environment = _environment(self._backend, self._ground)

    def _unfit(self, condition: Condition) -> str:
        """Why a condition cannot be measured here; empty where it can."""
        if self.place.router == "routeros":
            return standing_routeros.unfit(condition, bench=self.dut is not None)
        missing = condition.needs - capabilities.features_of(self.choice.backend)
        name = self.choice.backend
        return f"{name} has no {', '.join(sorted(missing))} here" if missing else ""

    def _stand(self, stack: ExitStack) -> Ground:
        """Stand up on the open backend what the session measures on."""
        profile = profiles.load(self.place.profile)
        tester = Using(
            self.place.tester,
            self.place.tester_config,
            self.progress.trial,
            self.progress.stage,
        )
        if self.place.router == "linux":
            return stand(
                stack,
                self.backend,
                self.lab,
                profile,
                tester=tester.name,
                tester_config=tester.config,
                on_trial=tester.on_trial,
            )
        if self.dut is None:
            bench, notes = standing_routeros.stand_chr(
                stack, self.backend, self.lab, profile, tester
            )
        else:
            bench, notes = standing_routeros.stand_on_the_bench(
                stack, self.backend, self.lab, profile, self.dut, tester
            )
        self.notes += notes
        return bench

    def head(self, state: State, deviations: Sequence[str]) -> dict[str, Any]:
        """The words at the head of a record (`results.Run`)."""
        ground, name = self.ground, self.where
        return {
            "id": f"{self.lab.name}-{self.started:%Y%m%dT%H%M%SZ}-{name}",
            "lab": self.lab.name,
            "title": self.lab.title,
            "started": self.started,
            "finished": datetime.now(UTC),
            "state": state,
            "ppslab": {"version": ppslab.__version__, "commit": commit()},
            "router": {"name": ground.router.name, "cannot_show": ground.router.cannot_show},
            "tester": self.tester,
            "backend": name,
            "environment": self.environment,
            "cpus": {
                "sender": ground.cpus.sender,
                "router": ground.cpus.router,
                "reader": ground.cpus.reader,
            },
            "profile": ground.profile.model_dump(mode="json"),
            "deviations": (*deviations, *self.notes),
            "seed": self.seed,
            "conditions": tuple(_condition(self.lab, c, ground) for c in self.conditions),
            "skipped": tuple(self.skipped),
            "trials": tuple(ground.trials),
        }


def _environment(backend: Backend, ground: Ground) -> dict[str, Any]:
    return {**backend.facts, **ground.router.facts(), "tester": ground.tester.settings}


def _condition(lab: Lab, condition: Condition, ground: Ground) -> results.ConditionRecord:
    program = condition.linux.bpf
    return results.ConditionRecord(
        name=condition.name,
        title=condition.title,
        description=condition.description,
        needs=tuple(sorted(condition.needs)),
        delivers=condition.delivers,
        bpf_mode=ground.router.mode(condition) if program else None,
        configuration=lab.configuration(condition),
        read_back=ground.read_backs.get(condition.name, ""),
    )


def commit() -> str:
    """The checkout's commit, with `+` where files differ from it; empty outside of git."""
    root = paths.project_root()
    asked = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
