"""A RouterOS device as the device under test: a condition's scripts, made and taken back.

What is done stands in a journal before it is done (`changes`), so the device is put back as it
was at the end, after an error, after Ctrl-C, and by the next run after a kill -9.  Between two
conditions only that is taken back in which they differ.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from ppslab.core.errors import BackendError, PpslabError
from ppslab.model.lab.conditions import BpfMode, Condition
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.devices import RouterOS, Ssh
from ppslab.testbed.routers.routeros import backup, counters, facts, ports, read_back
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.changes.configurator import AppliedStatement, Configurator
from ppslab.testbed.routers.routeros.changes.journal import Journal
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.statement import Statement
from ppslab.testbed.routers.routeros.scripts import Scripts, in_common

READY_SECONDS = 60.0
_PAUSE = 1.0


class RouterOSRouter:
    """One RouterOS device, open while the `with` block lasts.

    `ports`: the lab's port to the device's default-name; empty: those that the scripts name.
    `journal`: the file in which stands what we changed (`changes.journal.default_path`).
    `ssh`: how it is reached for what REST lacks.  `backup`: take one first; a machine that goes
    after the run needs none.  `start`: the scripts that a machine made for this run was started
    with: what they made is ours, and goes before the first condition.
    `role`: None for the lab's router, else the node's name; `others`: the routers beside this one
    that conditions configure, by their names.
    `login`, `remedy`: what to do where it lets nobody in, or does not answer.
    """

    name = "routeros"
    reset_kind = "software: the configuration goes and is set again, over REST"
    is_external = True

    def __init__(
        self,
        device: RouterOS,
        lab: Lab,
        *,
        ports: Mapping[str, str],
        journal: Path,
        ssh: Ssh | None = None,
        backup: bool = True,
        start: Sequence[Path] = (),
        role: str | None = None,
        others: Mapping[str, RouterOSRouter] | None = None,
        login: str = "",
        remedy: str = "",
    ) -> None:
        self.api = Api(device, remedy=remedy, login=login)
        self.lab = lab
        self.role = role
        self.others = dict(others or {})
        self.bpf_modes: dict[str, BpfMode] = {}
        self.notes: list[str] = []
        """What the reader should know: what a killed run had left, where the backup is."""
        self._scripts = Scripts(lab, role, ports)
        self._place = journal
        self._ssh = ssh
        self._backup = backup
        self._start = tuple(start)
        self._resource: Row = {}
        self._made: list[AppliedStatement] = []
        self._doubtful = False

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Look whether the lab may have this device, put back what a killed run left, and save it.

        Nothing of the device is changed where this fails, but what was put back.
        """
        lab_ports = self._scripts.ports.lab
        self._resource = self.api.ready(READY_SECONDS)
        self._journal = Journal.open(self._place, facts.device(self.api))
        self._configurator = Configurator(self.api, self._journal)
        try:
            if self._start:
                # A machine like it had the same address, and even the same system-id.
                self._journal.forget()
            self._put_back_what_was_left()
            for path in self._start:
                self._configurator.adopt(script.read(path))
            self._take_back(0)
            self._scripts.names = ports.check(self.api, lab_ports)
            if self._backup:
                place = backup.take(self.api, self._place.parent, self._place.stem, self._ssh)
                self.notes.append(f"the configuration before the run is in {place}")
            opened: list[RouterOSRouter] = []
            try:
                for other in self.others.values():
                    other.open()
                    opened.append(other)
            except BaseException:
                for other in opened:
                    other.close()
                raise
        except BaseException:
            self._journal.close()
            self.api.close()
            raise

    def close(self) -> None:
        """Put the device back as it was, and the others beside it.

        BackendError with what could not be put back; what is left stands in the journal.
        """
        failed: list[str] = []
        for other in self.others.values():
            try:
                other.close()
            except PpslabError as error:
                failed.append(str(error))
        try:
            self._take_back(0)
        except PpslabError as error:
            failed.append(str(error))
        finally:
            self._journal.close()
            self.api.close()
        if failed:
            raise BackendError("\n".join(failed))

    @property
    def cannot_show(self) -> str:
        """What no number of this device tells."""
        return facts.cannot_show(self._resource)

    def facts(self) -> dict[str, Any]:
        """Board, version, licence, settings, by which ports: never a secret or a serial number."""
        found = facts.read(self.api, self._resource) | {"ports": dict(self._scripts.ports.lab)}
        return found | {name: other.facts() for name, other in self.others.items()}

    def statements(self, condition: Condition) -> list[Statement]:
        """What the condition comes to on this device, for a reader to see before it is sent."""
        return self._scripts.preview(condition)

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the device, and those beside it, from whatever they are into `condition`.

        BackendError with the script's line and RouterOS's words where a statement fails; then all
        of ours is taken back, so that no half of a condition stands.
        """
        statements = self._scripts.wanted(condition)
        keep = (
            0
            if self._doubtful
            else in_common([applied.statement for applied in self._made], statements)
        )
        try:
            if keep < len(self._made):
                self._take_back(self._made[keep].changes)
                del self._made[keep:]
            self._doubtful = True
            for statement in statements[keep:]:
                self._made.append(self._configurator.make(statement))
            counters.forget_connections(self.api)
            self._doubtful = False
        except BaseException as error:
            self._give_up(error)
            raise
        for other in self.others.values():
            other.apply(condition)

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """What the device and those beside it are now, compared with the condition's scripts.

        Where the condition gives it time (`expect.within`) it is asked again until it is so.
        """
        until = time.monotonic() + condition.linux.expect.within
        state = self._read_back(condition)
        while state.problems and time.monotonic() < until:
            time.sleep(_PAUSE)
            state = self._read_back(condition)
        # Put there by us it would be as wanted: next time everything is made anew.
        self._doubtful = self._doubtful or bool(state.problems)
        for name, other in self.others.items():
            beside = other.read_back(condition)
            problems = tuple(f"router {name}: {problem}" for problem in beside.problems)
            state = ReadBack(
                (*state.problems, *problems), f"{state.text}# router {name}\n{beside.text}"
            )
        return state

    def _read_back(self, condition: Condition) -> ReadBack:
        state = read_back.read(self.api, self._made, self._present)
        if [applied.statement for applied in self._made] != self._scripts.wanted(condition):
            return ReadBack((f"condition {condition.name} does not stand on it",), state.text)
        return state

    def apply_baseline(self) -> None:
        """There is none: a device of its own takes no time from the sender."""
        raise BackendError("a RouterOS router has no drop baseline: nothing is to be subtracted")

    def read_back_baseline(self) -> ReadBack:
        """There is none."""
        return ReadBack(("a RouterOS router has no drop baseline",), "")

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode | None:
        """No BPF program here."""
        return None

    def before_trial(self, condition: Condition) -> None:
        """Nothing: what a condition wants before each trial are shell commands of a Linux node."""

    def counters(self, condition: Condition) -> dict[str, int]:
        """RouterOS's counters: of its fast paths, of the lab's ports (`p1 fp-rx-packet`)."""
        counts = counters.read(self.api, self._present)
        for name, other in self.others.items():
            counts |= {f"{name} {what}": n for what, n in other.counters(condition).items()}
        return counts

    def tracked_connections(self) -> int:
        """Tracked connections from the test networks; not the one by which we ask."""
        return sum(1 for _ in counters.connections(self.api))

    def offloaded_connections(self) -> int:
        """Those of them that are fast-tracked (flag F)."""
        return sum(counters.is_fast_tracked(row) for _, row in counters.connections(self.api))

    def steer(self, cpu: int | None) -> None:
        """Nothing: its CPUs are its own."""

    def cpu_load(self) -> dict[int, int]:
        """Per cent of each of its CPUs in use now, by number."""
        return counters.cpu_load(self.api)

    def profile(self, seconds: int = 5) -> list[tuple[str, str, float]]:
        """What its CPUs do for some seconds: class, CPU, per cent."""
        return counters.profile(self.api, seconds)

    def reset(self, condition: Condition) -> None:
        """A software reset while traffic flows (RFC 6201 section 4.2), as far as there is one.

        All that the condition made is taken back, so nothing is forwarded, and made anew.  A
        reboot, which the RFC means, outlasts every stream but the longest.
        """
        self._made.clear()
        self._take_back(0)
        self.apply(condition)

    @property
    def _present(self) -> dict[str, str]:
        """The lab's ports to what the interfaces are called with the statements that stand."""
        names = {
            row.get(ports.KEY, row["name"]): row["name"] for row in self.api.rows(ports.ETHERNET)
        }
        return {port: names.get(name, name) for port, name in self._scripts.ports.lab.items()}

    def _take_back(self, keep: int) -> None:
        """BackendError with what could not be put back."""
        left = self._configurator.put_back(keep)
        if left:
            raise BackendError(self._journal.not_put_back(self.api.where, left))

    def _put_back_what_was_left(self) -> None:
        left = len(self._journal.changes)
        if left:
            self._take_back(0)
            self.notes.append(f"{left} changes of a run that was killed were put back first")

    def _give_up(self, error: BaseException) -> None:
        """Take everything back after an error; where that fails too, the error says so."""
        self._made.clear()
        try:
            left = self._configurator.put_back()
        except PpslabError as second:
            left = [str(second)]
        if left:
            error.add_note(self._journal.not_put_back(self.api.where, left))
            if isinstance(error, PpslabError):
                error.args = (f"{error}\n{error.__notes__[-1]}",)
        else:
            self._doubtful = False
