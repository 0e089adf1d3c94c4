"""`ppslab validate PATH...`: check labs, topologies, records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core import documents, paths
from ppslab.core.errors import FileError, PpslabError, UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import Console
from ppslab.course import lab_rules
from ppslab.course.tasks import reading
from ppslab.judge import claims
from ppslab.model import results
from ppslab.model.lab import lab, published, topology
from ppslab.testbed.routers import wires

errors = Console(stderr=True, soft_wrap=True)


CODE = (
    "A lab is code: its commands run as root on this machine. "
    "Read a lab from others before you run it, as you would before `curl | sudo sh`."
)


def validate(
    path: list[Path] = typer.Argument(help="Lab folders, *.clab.yml files, record files."),
) -> None:
    """Check labs, topologies and records; each fault is printed with file and line.

    For a lab in this checkout it reports everything that the tests check without measuring.
    Missing parts of a draft are listed as "to write"; these and advice are not faults.
    """
    faults = 0
    for one in path:
        try:
            console.print(f"{one}: {_check(one)}", soft_wrap=True, markup=False)
            faults += _rules(one)
        except PpslabError as error:
            faults += 1
            errors.print(str(error), style="red", markup=False)
    if any(one.suffix != ".json" for one in path):
        console.print(CODE, soft_wrap=True)
    if faults:
        raise typer.Exit(UsageError.exit_code)


def _rules(path: Path) -> int:
    """Print what breaks the rules on labs of this checkout; returns the number of faults."""
    folder = (path.parent if path.name == "lab.yml" else path).resolve()
    if folder.parent != (paths.project_root() / "labs").resolve() or folder.name[0] == "_":
        return 0
    checked_lab = lab.load(folder)
    broken = lab_rules.findings(checked_lab)
    for finding in broken:
        if finding.fails(checked_lab):
            errors.print(_here(finding), style="red", markup=False)
        else:
            style = "yellow" if finding.kind == lab_rules.TO_WRITE else "dim"
            console.print(
                f"{finding.kind}: {_here(finding)}", style=style, markup=False, soft_wrap=True
            )
    return sum(finding.fails(checked_lab) for finding in broken)


def _here(finding: lab_rules.Finding) -> str:
    """The finding, with its path relative to the working folder."""
    path = finding.path.resolve()
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return str(replace(finding, path=shown))


def _check(path: Path) -> str:
    if not path.exists():
        raise FileError(path, None, "no such file or folder")
    if path.is_dir():
        return _check_lab(path)
    if path.name == "lab.yml":
        return _check_lab(path.parent)
    if path.name.endswith((".clab.yml", ".clab.yaml")):
        wiring = topology.load(path, foreign=True)
        summary = (
            f"topology {wiring.name}, {len(wiring.nodes)} nodes, {len(wires.wires(wiring))} links"
        )
        return f"{summary}, for containerlab only" if wiring.refused else summary
    if path.suffix == ".json":
        return _check_record(path)
    raise FileError(path, None, "is not a lab folder, a *.clab.yml file or a record (*.json)")


def _check_lab(folder: Path) -> str:
    if not (folder / "lab.yml").is_file():
        raise FileError(folder, None, "no lab.yml here: a lab is a folder with a lab.yml")
    checked_lab = lab.load(folder)
    wiring = topology.find(checked_lab.spec.topology)
    document = documents.load_yaml(folder / "lab.yml")
    for key in ("router", "tester"):
        node = getattr(checked_lab.spec, key)
        if node not in wiring.nodes:
            near = did_you_mean(node, wiring.nodes)
            message = f"{key}: topology {wiring.name} has no node {node!r}{near}"
            raise FileError(folder / "lab.yml", document.line(key), message)
    numbers = published.load(checked_lab) if (folder / "published.csv").is_file() else {}
    asserted = claims.load(checked_lab) if (folder / "claims.yml").is_file() else []
    summary = (
        f"lab {checked_lab.name}, {len(checked_lab.conditions)} conditions, "
        f"{len(numbers)} published numbers, {len(asserted)} claims"
    )
    return (
        f"{summary}, {plural(len(reading.load(checked_lab).all), 'task')}"
        if reading.has(checked_lab)
        else summary
    )


def _check_record(path: Path) -> str:
    record = results.load_any(path)
    # Imported here: it reads the grammar of every format, which takes most of a second.
    import jsonschema  # noqa: PLC0415

    try:
        data = documents.load_json(path).data
        jsonschema.validate(data, results.schema(type(record)))
    except jsonschema.ValidationError as error:
        raise FileError(path, None, f"{error.json_path}: {error.message}") from None
    kind = results.name_of(type(record)).split("/")[1]
    if not isinstance(record, results.Run):
        return kind
    summary = f"{kind} of {record.lab}, {record.state}, {len(record.trials)} trials"
    if record.lab in lab.names():
        return summary
    near = did_you_mean(record.lab, lab.names())
    return f"{summary}; not checked against its lab: no lab {record.lab!r} here{near}"
