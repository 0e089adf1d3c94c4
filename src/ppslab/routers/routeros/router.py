"""A RouterOS device as the device under test: a condition's scripts, made and taken back.

What is done stands in a journal before it is done (`journal`), so the device is put back as it
was at the end, after an error, after Ctrl-C, and by the next run after a kill -9.  Between two
conditions only that is taken back in which they differ.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from ppslab.conditions import BpfMode, Condition
from ppslab.devices import RouterOS, Ssh
from ppslab.errors import BackendError, PpslabError
from ppslab.lab import Lab
from ppslab.routers.contract import ReadBack
from ppslab.routers.routeros import backup, counters, facts, ports, read_back, script
from ppslab.routers.routeros.api import Api, Row
from ppslab.routers.routeros.changing import Changer, Made
from ppslab.routers.routeros.journal import Journal
from ppslab.routers.routeros.script import Statement

READY_SECONDS = 60.0
_PAUSE = 1.0


class RouterOSRouter:
    """One RouterOS device, open while the `with` block lasts.

    `ports`: the lab's port to the device's default-name; empty: those that the scripts name.
    `journal`: the file in which stands what we changed (`journal.default_path`).
    `ssh`: how it is reached for what REST lacks.  `backup`: take one first; a machine that goes
    after the run needs none.  `start`: the scripts that a machine made for this run was started
    with: what they made is ours, and goes before the first condition.
    `role`: None for the lab's router, else the node's name; `others`: the routers beside this one
    that conditions configure, by their names.
    `login`, `remedy`: what to do where it lets nobody in, or does not answer.
    """

    name = "routeros"
    reset_kind = "software: the configuration goes and is set again, over REST"
    apart = True

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
        self._wanted_ports = dict(ports)
        self._place = journal
        self._ssh = ssh
        self._backup = backup
        self._start = tuple(start)
        self._resource: Row = {}
        self._made: list[Made] = []
        self._doubtful = False
        self._names: dict[str, str] = {}
        self._files: dict[str, list[Statement]] = {}
        self._mapped: dict[str, list[Statement]] = {}

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Look whether the lab may have this device, put back what a killed run left, and save it.

        Nothing of the device is changed where this fails, but what was put back.
        """
        statements = [s for c in self.lab.conditions.values() for s in self._statements(c)]
        self._map = ports.PortMap.read(self.lab, statements, self._wanted_ports)
        self._resource = self.api.ready(READY_SECONDS)
        self._journal = Journal.open(self._place, facts.device(self.api))
        self._changer = Changer(self.api, self._journal)
        try:
            if self._start:
                # A machine like it had the same address, and even the same system-id.
                self._journal.forget()
            self._put_back_what_was_left()
            for path in self._start:
                self._changer.adopt(script.read(path))
            self._take_back(0)
            self._names = ports.check(self.api, self._map.lab)
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
        found = facts.read(self.api, self._resource) | {"ports": dict(self._map.lab)}
        return found | {name: other.facts() for name, other in self.others.items()}

    def statements(self, condition: Condition) -> list[Statement]:
        """What the condition comes to on this device, for a reader to see before it is sent."""
        found = self._statements(condition)
        mapped = ports.PortMap.read(self.lab, found, self._wanted_ports)
        return [mapped.apply(statement, self._names) for statement in found]

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the device, and those beside it, from whatever they are into `condition`.

        BackendError with the script's line and RouterOS's words where a statement fails; then all
        of ours is taken back, so that no half of a condition stands.
        """
        wanted = self._wanted(condition)
        keep = 0 if self._doubtful else _common([made.statement for made in self._made], wanted)
        try:
            if keep < len(self._made):
                self._take_back(self._made[keep].changes)
                del self._made[keep:]
            self._doubtful = True
            for statement in wanted[keep:]:
                self._made.append(self._changer.make(statement))
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
        found = self._read_back(condition)
        while found.problems and time.monotonic() < until:
            time.sleep(_PAUSE)
            found = self._read_back(condition)
        # Put there by us it would be as wanted: next time everything is made anew.
        self._doubtful = self._doubtful or bool(found.problems)
        for name, other in self.others.items():
            beside = other.read_back(condition)
            said = tuple(f"router {name}: {problem}" for problem in beside.problems)
            found = ReadBack(
                (*found.problems, *said), f"{found.text}# router {name}\n{beside.text}"
            )
        return found

    def _read_back(self, condition: Condition) -> ReadBack:
        found = read_back.read(self.api, self._made, self._present)
        if [made.statement for made in self._made] != self._wanted(condition):
            return ReadBack((f"condition {condition.name} does not stand on it",), found.text)
        return found

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
        found = counters.read(self.api, self._present)
        for name, other in self.others.items():
            found |= {f"{name} {what}": n for what, n in other.counters(condition).items()}
        return found

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

    def _wanted(self, condition: Condition) -> list[Statement]:
        """The same for the ports that the device has; of thousands of routes worked out once."""
        if condition.name not in self._mapped:
            found = self._statements(condition)
            self._mapped[condition.name] = [self._map.apply(s, self._names) for s in found]
        return self._mapped[condition.name]

    def _statements(self, condition: Condition) -> list[Statement]:
        """Of the condition's scripts that are for this device, in order."""
        found = []
        for file in self.lab.routeros(condition, self.role):
            if file not in self._files:
                path = self.lab.folder / file
                shown = path.relative_to(self.lab.folder.parents[1])  # labs/NAME/FILE
                self._files[file] = script.read(path, str(shown))
            found += self._files[file]
        return found

    @property
    def _present(self) -> dict[str, str]:
        """The lab's ports to what the interfaces are called with the statements that stand."""
        names = {
            row.get(ports.KEY, row["name"]): row["name"] for row in self.api.rows(ports.ETHERNET)
        }
        return {port: names.get(name, name) for port, name in self._map.lab.items()}

    def _take_back(self, keep: int) -> None:
        """BackendError with what could not be put back."""
        told = self._changer.put_back(keep)
        if told:
            raise BackendError(_not_put_back(self.api.where, told, self._journal))

    def _put_back_what_was_left(self) -> None:
        left = len(self._journal.changes)
        if left:
            self._take_back(0)
            self.notes.append(f"{left} changes of a run that was killed were put back first")

    def _give_up(self, error: BaseException) -> None:
        """Take everything back after an error; where that fails too, the error says so."""
        self._made.clear()
        try:
            told = self._changer.put_back()
        except PpslabError as second:
            told = [str(second)]
        if told:
            error.add_note(_not_put_back(self.api.where, told, self._journal))
            if isinstance(error, PpslabError):
                error.args = (f"{error}\n{error.__notes__[-1]}",)
        else:
            self._doubtful = False


def _common(one: Sequence[Statement], other: Sequence[Statement]) -> int:
    """How many statements both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _not_put_back(where: str, told: Sequence[str], journal: Journal) -> str:
    lines = "\n".join(f"  {sentence}" for sentence in told)
    kept = (
        f"\nwhat is left stands in {journal.path}, and the next run tries again"
        if journal.changes
        else ""
    )
    return f"{where}: not all was put back:\n{lines}{kept}"
