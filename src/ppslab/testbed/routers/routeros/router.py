"""A RouterOS device as the device under test: a condition's scripts, made and taken back.

What is done stands in a journal before it is done (`changes`), so the device is put back as it
was at the end, after an error, after Ctrl-C, and by the next run after a kill -9.  Between two
conditions only that is taken back in which they differ.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

from ppslab.core.errors import BackendError, CannotHereError, PpslabError
from ppslab.model.lab.conditions import BpfMode, Condition
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.devices import RouterOS
from ppslab.testbed.routers.routeros import ports, read_back
from ppslab.testbed.routers.routeros.api import Api, RefusedError, Row, explained
from ppslab.testbed.routers.routeros.changes import AppliedStatement, Configurator
from ppslab.testbed.routers.routeros.journal import Journal
from ppslab.testbed.routers.routeros.ports import PortMap
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement
from ppslab.testbed.routers.routeros.rsc.values import HIDDEN, SECRETS

# --- the statements of one device, from the scripts of a lab's conditions -------------------------


class Scripts:
    """The scripts of one lab for one device; each file is read once.

    role: None for the lab's router, else the node's name.
    wired: the lab's port to the device's default-name; empty: those that the scripts name.
    names: what the device's interfaces are called now, by default-name, once it was asked.
    """

    def __init__(self, lab: Lab, role: str | None, wired: Mapping[str, str]) -> None:
        self.lab = lab
        self.role = role
        self.wired = dict(wired)
        self.names: Mapping[str, str] = {}
        self._files: dict[str, list[Statement]] = {}
        self._wanted: dict[str, list[Statement]] = {}

    @cached_property
    def ports(self) -> PortMap:
        """The device's ports that the lab uses, over all its conditions."""
        every = [s for c in self.lab.conditions.values() for s in self.written(c)]
        return PortMap.read(self.lab, every, self.wired)

    def written(self, condition: Condition) -> list[Statement]:
        """The condition's statements for this device, in order, as its files have them."""
        statements = []
        for file in self.lab.routeros(condition, self.role):
            if file not in self._files:
                path = self.lab.folder / file
                shown = path.relative_to(self.lab.folder.parents[1])  # labs/NAME/FILE
                self._files[file] = script.read(path, str(shown))
            statements += self._files[file]
        return statements

    def wanted(self, condition: Condition) -> list[Statement]:
        """The same with this device's ports, computed once: there may be thousands of routes."""
        if condition.name not in self._wanted:
            statements = self.written(condition)
            self._wanted[condition.name] = [self.ports.apply(s, self.names) for s in statements]
        return self._wanted[condition.name]

    def preview(self, condition: Condition) -> list[Statement]:
        """The same, with the ports of this condition only, before the device was asked."""
        statements = self.written(condition)
        ports = PortMap.read(self.lab, statements, self.wired)
        return [ports.apply(statement, self.names) for statement in statements]


def in_common(one: Sequence[Statement], other: Sequence[Statement]) -> int:
    """Count the statements with which both begin."""
    same = (left == right for left, right in zip(one, other, strict=False))
    return sum(1 for _ in takewhile(bool, same))


# --- the backup: what the configuration was, as /export prints it ---------------------------------


EXPORT = "/export"
BACKUPS = 10
"""Backups of a router: older ones go."""

_SECRET = re.compile(
    r"\b(" + "|".join(sorted(SECRETS)) + r')=("(?:[^"\\]|\\.)*"|(?:[^\s"\\]|\\.)+)'
)


def take_backup(api: Api, folder: Path, name: str) -> Path:
    """Write the configuration into a file of our own; where it is.

    CannotHereError where the router does not give it.  Secrets are left out, as RouterOS 7 leaves
    them out by itself: none of them is ever changed.
    """
    try:
        # Recorded, with the words "ret" and "as-string": tikoci/quickchr, async-commands.
        answer = api.ask("POST", "/execute", {"script": EXPORT, "as-string": "yes"}, seconds=65)
        text = str(answer.get("ret", "")) if isinstance(answer, dict) else str(answer)
    except RefusedError as refused:
        text = explained(refused)
    # Whatever a version's /export says, it begins with a comment and has menus.
    if not re.search(r"^/\w", text, re.MULTILINE):
        raise CannotHereError(
            f"{api.where}: no backup, as {EXPORT} over REST says {text.strip()[:80]!r}",
            "give the user the policies of the group full: /user/group/print",
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = folder / f"{name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.rsc"
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(without_secrets(text.replace("\r\n", "\n")))
    for old in sorted(folder.glob(f"{name}.*.rsc"))[:-BACKUPS]:
        old.unlink(missing_ok=True)
    return place


def without_secrets(text: str) -> str:
    """A configuration without the values of its secrets; a line that goes on keeps its end."""
    # An export breaks long lines in the middle of a value: `\` at the end, blanks in front.
    joined = re.sub(r"\\\n\s*", "", text)
    return _SECRET.sub(lambda found: f'{found[1]}="{HIDDEN}"', joined)


# --- the router -----------------------------------------------------------------------------------


READY_SECONDS = 60.0
_PAUSE = 1.0


class RouterOSRouter:
    """One RouterOS device, open while the `with` block lasts.

    `ports`: the lab's port to the device's default-name; empty: those that the scripts name.
    `journal`: the file in which stands what we changed (`journal.default_path`).
    `backup`: take one first; a machine that goes after the run needs none.
    `start`: the scripts that a machine made for this run was started with: what they made is ours,
    and goes before the first condition.
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
        """Sentences for the reader: what a killed run had left, where the backup is."""
        self._scripts = Scripts(lab, role, ports)
        self._place = journal
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
        self._journal = Journal.open(self._place, read_back.device_digest(self.api))
        self._configurator = Configurator(self.api, self._journal)
        try:
            if self._start:
                # A machine like it had the same address, and even the same system-id.
                self._journal.forget()
            left = len(self._journal.changes)
            if left:
                self._take_back()
                self.notes.append(f"{left} changes of a killed run were undone first")
            for path in self._start:
                self._configurator.adopt(script.read(path))
            self._take_back()
            self._scripts.names = ports.check(self.api, lab_ports)
            if self._backup:
                place = take_backup(self.api, self._place.parent, self._place.stem)
                self.notes.append(f"the configuration before the run is stored in {place}")
            with ExitStack() as opened:
                for other in self.others.values():
                    opened.enter_context(other)
                opened.pop_all()
        except BaseException:
            self._journal.close()
            self.api.close()
            raise

    def close(self) -> None:
        """Put the device back as it was, and the others beside it.

        BackendError with what could not be put back; what is left stands in the journal.
        """
        failed: list[str] = []
        try:
            for end in (*(other.close for other in self.others.values()), self._take_back):
                try:
                    end()
                except PpslabError as error:
                    failed.append(str(error))
        finally:
            self._journal.close()
            self.api.close()
        if failed:
            raise BackendError("\n".join(failed))

    @property
    def cannot_show(self) -> str:
        return read_back.cannot_show(self._resource)

    def facts(self) -> dict[str, Any]:
        """Board, version, licence, settings, by which ports: never a secret or a serial number."""
        found = read_back.read_facts(self.api, self._resource) | {
            "ports": dict(self._scripts.ports.lab)
        }
        return found | {name: other.facts() for name, other in self.others.items()}

    def statements(self, condition: Condition) -> list[Statement]:
        """Return the condition's statements for this device, to be shown before they are sent."""
        return self._scripts.preview(condition)

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the device, and those beside it, from whatever they are into `condition`.

        BackendError with the script's line and RouterOS's words where a statement fails; then all
        of ours is taken back, so that no half of a condition stands.
        """
        statements = self._scripts.wanted(condition)
        made = [] if self._doubtful else [applied.statement for applied in self._made]
        keep = in_common(made, statements)
        try:
            if keep < len(self._made):
                self._take_back(self._made[keep].changes)
                del self._made[keep:]
            self._doubtful = True
            for statement in statements[keep:]:
                self._made.append(self._configurator.make(statement))
            read_back.forget_connections(self.api)
            self._doubtful = False
        except BaseException as error:
            self._give_up(error)
            raise
        for other in self.others.values():
            other.apply(condition)

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """Compare the device and those beside it with the condition's scripts.

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
            return ReadBack((f"the router does not have condition {condition.name}",), state.text)
        return state

    def apply_baseline(self) -> None:
        """There is none: a device of its own takes no time from the sender."""
        raise BackendError("a RouterOS router has no drop baseline: nothing is to be subtracted")

    def read_back_baseline(self) -> ReadBack:
        return ReadBack(("a RouterOS router has no drop baseline",), "")

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode | None:
        return None

    def before_trial(self, condition: Condition) -> None:
        """Nothing: what a condition wants before each trial are shell commands of a Linux node."""

    def counters(self, condition: Condition) -> dict[str, int]:
        """RouterOS's counters: of its fast paths, of the lab's ports (`p1 fp-rx-packet`)."""
        counts = read_back.read_counters(self.api, self._present)
        for name, other in self.others.items():
            counts |= {f"{name} {what}": n for what, n in other.counters(condition).items()}
        return counts

    def tracked_connections(self) -> int:
        """Tracked connections from the test networks; not the one by which we ask."""
        return sum(1 for _ in read_back.connections(self.api))

    def offloaded_connections(self) -> int:
        """Those of them that are fast-tracked (flag F)."""
        return sum(read_back.is_fast_tracked(row) for _, row in read_back.connections(self.api))

    def steer(self, cpu: int | None) -> None:
        """Nothing: its CPUs are its own."""

    def reset(self, condition: Condition) -> None:
        """A software reset while traffic flows (RFC 6201 section 4.2), as far as there is one.

        All that the condition made is taken back, so nothing is forwarded, and made anew.  A
        reboot, which the RFC means, outlasts every stream but the longest.
        """
        self._made.clear()
        self._take_back()
        self.apply(condition)

    @property
    def _present(self) -> dict[str, str]:
        """The lab's ports to what the interfaces are called with the statements that stand."""
        names = ports.names_of(self.api)
        return {port: names.get(name, name) for port, name in self._scripts.ports.lab.items()}

    def _take_back(self, keep: int = 0) -> None:
        """BackendError with what could not be put back."""
        left = self._configurator.put_back(keep)
        if left:
            raise BackendError(self._journal.not_put_back(self.api.where, left))

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
