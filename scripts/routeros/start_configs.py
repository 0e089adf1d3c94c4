#!/usr/bin/env python3
"""Make the start files of the CHR topologies from the labs' own RouterOS files.

    .venv/bin/python scripts/routeros/start_configs.py [--check]

Reads labs/*/start.yml and labs/*/routeros/; writes topologies/start/TOPOLOGY.NODE.rsc.
--check writes nothing and names the files that are not as they would be made.
Each start file ends with the router's name, `ppslab-TOPOLOGY-NODE`: an import stops at the first
statement that RouterOS refuses, so a router of that name has read its file to the end.
Exit codes: 0 done; 1 (--check) a file differs; 2 a file that cannot be read, or cannot be used.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ppslab.core import documents
from ppslab.core.errors import FileError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "topologies" / "start"
NOT_CONFIRMED = (
    "# Not yet confirmed on a real router or CHR; "
    "checked offline against RouterOS 7.21's own command tree."
)
LOOP = re.compile(r":for (\w+) from=(\d+) to=(\d+) do=\{(.*)\}")


class BadFileError(Exception):
    """A file that no start file can be made of."""


def main(arguments: list[str]) -> int:
    """Write or check every file; see the top of the file for the exit codes."""
    parser = argparse.ArgumentParser(
        prog="scripts/routeros/start_configs.py",
        description="Make the start files of the CHR topologies.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing, name what differs")
    check = parser.parse_args(arguments).check
    try:
        made = dict(files())
    except (BadFileError, OSError, FileError) as error:
        print(f"start-configs: {error}", file=sys.stderr)
        return 2
    differs = [name for name, text in made.items() if _now(FOLDER / name) != text]
    stale = sorted(path.name for path in FOLDER.glob("*.rsc") if path.name not in made)
    for name in (*differs, *stale):
        if check:
            print(f"topologies/start/{name} is not as made: run scripts/routeros/start_configs.py")
        elif name in made:
            (FOLDER / name).write_text(made[name], encoding="utf-8")
            print(f"topologies/start/{name}")
        else:
            (FOLDER / name).unlink()
            print(f"topologies/start/{name}: removed, no lab's start.yml names it")
    return 1 if check and (differs or stale) else 0


def files() -> Iterator[tuple[str, str]]:
    """Name and text of each start file."""
    seen: dict[str, Path] = {}
    for file in sorted(ROOT.glob("labs/[!_]*/start.yml")):
        for topology, nodes in documents.load_yaml(file).data.items():
            if topology in seen:
                raise BadFileError(f"{file}: {seen[topology]} says {topology} already")
            seen[topology] = file
            for node, words in nodes.items():
                yield f"{topology}.{node}.rsc", start_file(topology, node, file.parent.name, words)


def start_file(topology: str, node: str, lab: str, words: dict[str, Any]) -> str:
    """The text of one start file; BadFileError where containerlab would change it."""
    lines = [
        f"# The start configuration of {node} in topologies/{topology}.clab.yml.",
        NOT_CONFIRMED,
        f"# Made by scripts/routeros/start_configs.py from labs/{lab}/routeros; change it there.",
    ]
    for name in words["files"]:
        path = ROOT / "labs" / lab / "routeros" / f"{name}.rsc"
        lines += ["", f"# {name}.rsc"]
        lines += statements(path, words.get("ports", {}), words.get("without"))
    lines += [
        "",
        "# Everything above was read: whoever waits for this router waits for this name.",
        f"/system/identity set name=ppslab-{topology}-{node}",
    ]
    text = "\n".join(lines) + "\n"
    # containerlab fills in a start file as it does a topology: variables of its own environment,
    # then Go's templates (0.79: utils/template.go, SubstituteEnvsAndTemplate).
    for sign in ("$", "{{"):
        if sign in text:
            line = text[: text.index(sign)].count("\n")
            raise BadFileError(f"{topology}.{node}: containerlab reads {sign!r}: {lines[line]}")
    return text


def statements(path: Path, ports: dict[str, str], without: str | None) -> Iterator[str]:
    """The lines of a lab's file: no comments, loops unrolled, ports renamed."""
    menu = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.endswith("\\"):
            raise BadFileError(f"{path}:{number}: a statement over two lines")
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("/"):
            menu = line.split(" ", 1)[0]
        if without and menu.startswith(without):
            continue
        yield from (_renamed(each, ports) for each in _unrolled(path, number, line))


def _unrolled(path: Path, number: int, line: str) -> Iterator[str]:
    if not line.startswith(":"):
        yield line
        return
    loop = LOOP.fullmatch(line)
    if loop is None:
        raise BadFileError(f"{path}:{number}: no loop of one line: {line}")
    name, first, last, body = loop.groups()
    for value in range(int(first), int(last) + 1):
        yield re.sub(rf"\${name}\b", str(value), body.strip())


def _renamed(line: str, ports: dict[str, str]) -> str:
    """Where a port's name is a value, or one of a list, the name that it has on a CHR."""
    return re.sub(
        r"(?<=[=,])[\w-]+(?=[\s,\]]|$)", lambda found: ports.get(found[0], found[0]), line
    )


def _now(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
