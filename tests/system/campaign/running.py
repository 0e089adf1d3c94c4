"""Runs one command on one spoiled file, in a process of its own that is held to its limits."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import resource
import signal
import sys
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.system.campaign.mutations import spoiled
from tests.system.campaign.samples import GOOD, KEPT, ROOT, SAMPLES

MOST_SECONDS = 5.0
MOST_BYTES = 500_000_000
LOADED_BYTES = 150_000_000
"""What `ppslab` takes with every module loaded that one of its commands loads."""
STOP_SECONDS = 60
"""When a process is ended: it has then long failed."""

NAMES = ("", "", "", "", "\x1b[2J", "[", "\udcff", " ", "'", "x" * 200)
"""What stands in front of a file's name."""


@dataclass(frozen=True)
class Outcome:
    """What one input did; seconds are of its CPU."""

    number: int
    words: tuple[str, ...]
    how: str
    size: int
    code: int
    seconds: float
    bytes: int
    shown: str = field(repr=False, default="")

    @property
    def faults(self) -> list[str]:
        """What must not be."""
        found = []
        if self.code not in (0, 1, 2, 3) or "Traceback" in self.shown:
            found.append("traceback")
        if self.seconds > MOST_SECONDS:
            found.append("slow")
        if self.bytes > MOST_BYTES:
            found.append("large")
        if any(_obeyed(letter) for letter in self.shown):
            found.append("escape")
        return found


def _obeyed(letter: str) -> bool:
    return (ord(letter) < 0x20 and letter not in "\n\t") or 0x7F <= ord(letter) < 0xA0


def prepare() -> None:
    """Import everything that a command imports late, once, for all the processes: by a good run."""
    from matplotlib import pyplot  # noqa: F401

    from ppslab.cli import main
    from ppslab.model.tunnels import capture  # noqa: F401
    from ppslab.show.report.comparing import comparing  # noqa: F401

    before = sys.argv
    for words in (("validate", KEPT), ("validate", str(ROOT / "labs/_template")),
                  ("report", KEPT, "--csv")):  # fmt: skip
        sys.argv = ["ppslab", *words]
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main()
    sys.argv = before
    gc.freeze()  # what is there now is never collected, so the processes share its memory


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Spoil the file that this number draws, and run its command on it."""
    chance = random.Random(f"{seed}/{number}")
    sample = SAMPLES[number % len(SAMPLES)]
    data, how = spoiled(sample.good(), chance)
    place = folder / f"{number}"
    path = _laid(place, sample, chance.choice(NAMES), data, chance)
    good = place / "good"
    good.write_bytes(GOOD.get(sample.name, b""))
    names = {
        "FILE": path, "FOLDER": path.parent, "PLACE": path.parent, "GOOD": good,
        "OUT.html": place / "out.html",
    }  # fmt: skip
    words = []
    for word in sample.words:
        name, colon, rest = word.partition(":")
        words.append(f"{names[name]}{colon}{rest}" if name in names else word)
    return _run(number, tuple(words), how, len(data), place)


def _laid(place: Path, sample, before: str, data: bytes, chance: random.Random) -> Path:
    if sample.state:
        path = place / "state" / sample.state
    elif "FOLDER" in sample.words:
        path = place / f"lab{before}" / sample.name
        path.parent.mkdir(parents=True)
        for name in ("lab.yml", "claims.yml", "published.csv", "tasks.yml"):
            (path.parent / name).write_bytes((ROOT / "labs/_template" / name).read_bytes())
        for each in ("routeros", "linux"):
            (path.parent / each).mkdir()
            for file in (ROOT / "labs/_template" / each).iterdir():
                (path.parent / each / file.name).write_bytes(file.read_bytes())
    else:
        path = place / (f"place/{sample.name}" if "PLACE" in sample.words else before + sample.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    other = chance.random()
    if other < 0.01:
        os.mkfifo(path) if not path.exists() else None
    elif other < 0.02 and not path.exists():
        path.symlink_to("/dev/zero")
    elif other < 0.03 and not path.exists():
        path.mkdir()
    else:
        path.write_bytes(data)
    return path


def _run(number: int, words: tuple[str, ...], how: str, size: int, place: Path) -> Outcome:
    out = place / "shown"
    inherited = _resident()
    child = os.fork()
    if child == 0:
        os._exit(_as_the_command(words, out, place))
    _, status, used = os.wait4(child, 0)
    grown = max(0, used.ru_maxrss * 1024 - inherited)
    return Outcome(
        number, words, how, size, os.waitstatus_to_exitcode(status),
        round(used.ru_utime + used.ru_stime, 2), LOADED_BYTES + grown,
        out.read_text(encoding="utf-8", errors="replace") if out.exists() else "",
    )  # fmt: skip


def _resident() -> int:
    """Bytes of this process in memory: a child has them too, whatever else was tested in it."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def _as_the_command(words: tuple[str, ...], out: Path, place: Path) -> int:
    """What the process does: 99 is an exception that nobody foresaw."""
    try:
        os.environ |= {"PPSLAB_ROOT": str(ROOT), "XDG_STATE_HOME": str(place / "state"),
                       "PPSLAB_RUNTIME": str(place / "runtime"), "COLUMNS": "120"}  # fmt: skip
        handle = os.open(out, os.O_WRONLY | os.O_CREAT, 0o600)
        for each in (1, 2):
            os.dup2(handle, each)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(STOP_SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.argv = ["ppslab", *words]
        from ppslab.cli import main

        with contextlib.suppress(Exception):
            os.chdir(place)
        main()
    except SystemExit as ended:
        code = ended.code
        return code if isinstance(code, int) else 0 if code is None else 1
    except BaseException:
        traceback.print_exc()
        return 99
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def summary(outcomes: list[Outcome]) -> str:
    """The figures of a campaign, and each fault with the words that show it again."""
    slowest = max(outcomes, key=lambda each: each.seconds)
    largest = max(outcomes, key=lambda each: each.bytes)
    codes = {code: sum(each.code == code for each in outcomes) for code in (0, 1, 2, 3)}
    count = {
        name: sum(name in each.faults for each in outcomes)
        for name in ("traceback", "slow", "large", "escape")
    }
    told = [
        f"inputs: {len(outcomes)} over {len(SAMPLES)} commands and kinds of file",
        f"exit codes: {', '.join(f'{code}: {n}' for code, n in codes.items())}",
        f"tracebacks: {count['traceback']}",
        f"over {MOST_SECONDS:g} s: {count['slow']}; slowest {slowest.seconds:.1f} s, "
        f"{' '.join(slowest.words[:2])}, {slowest.how}",
        f"over {MOST_BYTES // 1_000_000} MB: {count['large']}; largest "
        f"{largest.bytes // 1_000_000} MB, {' '.join(largest.words[:2])}, {largest.how}",
        f"raw escapes: {count['escape']}",
    ]
    for each in outcomes:
        if each.faults:
            last = each.shown.strip().splitlines()[-1:] or [""]
            told.append(
                f"  input {each.number}: {', '.join(each.faults)}: {' '.join(each.words)!a} "
                f"({each.how}, {each.size} bytes, {each.seconds} s): {last[0][:200]!a}"
            )
    return "\n".join(told)


def as_json(outcomes: list[Outcome]) -> str:
    """All of it, for a program."""
    return json.dumps([asdict(each) for each in outcomes])
