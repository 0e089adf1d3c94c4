"""`ppslab validate PATH...`: check labs, topologies, records."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console

from ppslab import claims, documents, lab, published, results, topology, wires
from ppslab.errors import FileError, PpslabError, UsageError, did_you_mean
from ppslab.tasks import reading

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("validate")(validate)


def validate(
    path: list[Path] = typer.Argument(help="Lab folders, *.clab.yml files, record files."),
) -> None:
    """Check labs, topologies and records; each fault is one line with file and line."""
    faults = 0
    for one in path:
        try:
            console.print(f"{one}: {_check(one)}", soft_wrap=True)
        except PpslabError as error:
            faults += 1
            errors.print(str(error), style="red", markup=False)
    if faults:
        raise typer.Exit(UsageError.exit_code)


def _check(path: Path) -> str:
    if not path.exists():
        raise FileError(path, None, "no such file or folder")
    if path.is_dir():
        return _check_lab(path)
    if path.name == "lab.yml":
        return _check_lab(path.parent)
    if path.name.endswith((".clab.yml", ".clab.yaml")):
        wiring = topology.load(path, foreign=True)
        told = (
            f"topology {wiring.name}, {len(wiring.nodes)} nodes, {len(wires.wires(wiring))} links"
        )
        return f"{told}, for containerlab only" if wiring.refused else told
    if path.suffix == ".json":
        return _check_record(path)
    raise FileError(path, None, "is no lab folder, no *.clab.yml and no record (*.json)")


def _check_lab(folder: Path) -> str:
    if not (folder / "lab.yml").is_file():
        raise FileError(folder, None, "no lab.yml here: a lab is a folder with a lab.yml")
    found = lab.load(folder)
    wiring = topology.find(found.words.topology)
    document = documents.load_yaml(folder / "lab.yml")
    for key in ("router", "tester"):
        node = getattr(found.words, key)
        if node not in wiring.nodes:
            near = did_you_mean(node, wiring.nodes)
            message = f"{key}: topology {wiring.name} has no node {node!r}{near}"
            raise FileError(folder / "lab.yml", document.line(key), message)
    numbers = published.load(found) if (folder / "published.csv").is_file() else {}
    asserted = claims.load(found) if (folder / "claims.yml").is_file() else []
    said = (
        f"lab {found.name}, {len(found.conditions)} conditions, "
        f"{len(numbers)} published numbers, {len(asserted)} claims"
    )
    return f"{said}, {len(reading.load(found).all)} tasks" if reading.has(found) else said


def _check_record(path: Path) -> str:
    record = results.load_any(path)
    # Here: it reads the grammar of every format that it knows, which takes most of a second.
    import jsonschema  # noqa: PLC0415

    try:
        jsonschema.validate(
            json.loads(path.read_text(encoding="utf-8")), results.schema(type(record))
        )
    except jsonschema.ValidationError as error:
        raise FileError(path, None, f"{error.json_path}: {error.message}") from None
    kind = results.name_of(type(record)).split("/")[1]
    if isinstance(record, results.Run):
        return f"{kind} of {record.lab}, {record.state}, {len(record.trials)} trials"
    return kind
