"""The files of a run: its name and folder are tried first, trials are kept as they come.

While it runs there is `NAME.partial.jsonl`: a line that says who runs, then a line a trial.  It
goes when the record is written.  Who is killed leaves it; the next run tells of it and removes it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from ppslab.core import paths, processes
from ppslab.core.documents import disk
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError
from ppslab.model.results.kinds import Transfer
from ppslab.model.results.parts import Trial
from ppslab.model.results.storing import new_path, save

SUFFIX: Final = ".partial.jsonl"
ABORTED: Final = ".aborted.json"
"""The end of the name of a record whose run was stopped."""
ROOM: Final = 64 << 20
"""Bytes that a run may need for its journal and its record: the largest had twelve million."""

SYNC_SECONDS: Final = 1.0
"""A trial that is written outlives its process at once, and the machine's power after this."""


@dataclass
class Journal:
    """The trials of a run that is under way, and the path that its record will have."""

    path: Path  # the path that the record will have
    file: Path  # the file of the trials until then
    _handle: int | None
    _synced: float = field(default_factory=time.monotonic)

    @classmethod
    def begin(
        cls,
        lab: str,
        started: datetime,
        where: str,
        kind: type[StrictModel],
        out: Path | None = None,
    ) -> Self:
        """Take a name that nobody has, in a folder that can be written and has room.

        FileError where it cannot, before anything was measured.
        """
        for _ in range(100):
            path = out or new_path(lab, started, where, kind)
            file = path.with_suffix(SUFFIX)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if shutil.disk_usage(path.parent).free < ROOM:
                    raise FileError(path.parent, None, _NO_ROOM)
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                handle = os.open(file, flags | (os.O_TRUNC if out else os.O_EXCL), 0o666)
            except FileExistsError:
                continue  # another run has just taken it
            except OSError as error:
                raise FileError(
                    path, None, f"cannot be written: {error.strerror}; nothing was measured"
                ) from None
            journal = cls(path, file, handle)
            pid = os.getpid()
            try:
                begun, boot = processes.start_time(pid), processes.boot_id()
                who = {"pid": pid, "started": begun, "boot": boot}
                journal._write(json.dumps({"journal": 1, "lab": lab, **who}))
            except BaseException:  # Ctrl-C: whoever asked for it has no hold of it yet
                journal.drop()
                raise
            return journal
        raise FileError(out or paths.results_dir(), None, "no name for a record is free")

    def add(self, trial: Trial | Transfer) -> None:
        """Keep a trial.  A folder that is full by now ends nothing: the record has it too."""
        self._write(trial.model_dump_json())

    def finish(self, record: StrictModel, *, aborted: bool = False) -> Path:
        """Write the record and remove the journal; where the record is.

        Where it cannot be written any more it is put where it can, and FileError says where.
        """
        path = self.aborted if aborted else self.path
        try:
            save(record, path)
        except FileError as error:
            elsewhere = _elsewhere(record, path.name)
            raise FileError(
                path, None, f"{error.message}; the record is {elsewhere}: move it here"
            ) from None
        finally:
            self.drop()
        if not aborted:
            self.aborted.unlink(missing_ok=True)
        return path

    @property
    def aborted(self) -> Path:
        """The path of the record where the run is stopped."""
        return self.path.with_suffix(ABORTED)

    def drop(self) -> None:
        """Nothing is left of it; again: nothing."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        self.file.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        if self._handle is None:
            return
        try:
            os.write(self._handle, line.encode() + b"\n")
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fdatasync(self._handle)
                self._synced = time.monotonic()
        except OSError:
            os.close(self._handle)
            self._handle = None


_NO_ROOM: Final = (
    f"less than {ROOM >> 20} MB are free, and nothing was measured; "
    "make room, or name another place with --out or PPSLAB_RESULTS"
)


def _elsewhere(record: StrictModel, name: str) -> Path:
    for folder in (paths.cache_dir() / "records", Path(tempfile.gettempdir())):
        with suppress(FileError):
            save(record, folder / name)
            return folder / name
    raise FileError(name, None, "can be written nowhere")


def sweep() -> list[str]:
    """Remove what killed runs left in results/local; a sentence for each of them."""
    folder = paths.results_dir() / "local"
    sentences = []
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        with suppress(OSError, ValueError, KeyError, TypeError, IndexError):
            lines = file.read_text(encoding="utf-8").splitlines()
            head: dict[str, Any] = json.loads(lines[0]) if lines else {}
            same_boot = head.get("boot") == processes.boot_id()
            if same_boot and processes.is_running(int(head["pid"]), int(head["started"])):
                continue
            when = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            file.unlink()
            sentences.append(
                f"a run was killed on {when:%Y-%m-%d %H:%M} UTC after "
                f"{max(0, len(lines) - 1)} trials; {file.name} is removed"
            )
    disk.sweep(folder)
    return sentences
