"""`ppslab plan offload`: which routes a switch chip takes, and what the CPU is left with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from ppslab.cli.bar import console
from ppslab.errors import UsageError
from ppslab.planning import chips, export, offload, offloading, routes


def register(plan: typer.Typer) -> None:
    """Add the command to the group."""
    plan.command("offload")(offload_)


def offload_(
    file: Path = typer.Argument(metavar="ROUTES", help="Routes, as `ip route` prints them."),
    device: str = typer.Option(help="The switch or router, such as CRS326-24G-2S+."),
    towards: list[str] = typer.Option([], help="A prefix: the share of it that the CPU routes."),
    hosts: int = typer.Option(0, min=0, help="Neighbours; on small chips they take room too."),
    ipv6: bool = typer.Option(True, help="IPv6 in hardware too (RouterOS: ipv6-hw=yes)."),
    export_: Path | None = typer.Option(
        None, "--export", help="What /export prints: what in it rules offload out."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Say which routes fit into a switch chip, what falls to the CPU, and what offload excludes.

    Where the chip's table is full the shorter prefixes leave first, as RouterOS has it.
    """
    chip = chips.of(device)
    found = offload.choose(routes.read(file), chip, ipv6_hw=ipv6, hosts=hosts)
    try:
        within = [routes.prefix(text) for text in towards]
    except ValueError as error:
        raise UsageError(f"--towards: {error}") from None
    shares = {str(prefix): offload.share_of_cpu(found, prefix) for prefix in within}
    said = offloading.findings(export.read(export_), chip) if export_ else []
    if as_json:
        typer.echo(json.dumps(_plain(found, shares, said), indent=2, ensure_ascii=False))
        return
    console.print(_table(found, device))
    for line in _sentences(found, shares):
        console.print(line, markup=False)
    if export_:
        console.print(_findings(said) if said else "The export has nothing that rules it out.")
    console.print(f"Figures: {chips.SOURCE}.", style="dim")


def _table(found: offload.Choice, device: str) -> Table:
    chip = found.chip
    shown = Table(title=f"{device}: {chip.name}, {chip.printed} prefixes of IPv4 / IPv6")
    shown.add_column("prefixes")
    shown.add_column("in hardware", justify="right")
    shown.add_column("by the CPU", justify="right")
    for family, length, there, left in found.lengths():
        shown.add_row(f"IPv{family} /{length}", f"{there}", f"{left}")
    shown.add_section()
    shown.add_row("together", f"{len(found.hardware)}", f"{len(found.cpu)}")
    return shown


def _sentences(found: offload.Choice, shares: dict[str, float]) -> list[str]:
    said = [f"Room for {found.chip.room} IPv4 prefixes, {found.used} of it used."]
    for family in (4, 6):
        shortest = found.shortest(family)
        if shortest is not None:
            said.append(f"Shortest prefix in hardware, IPv{family}: /{shortest}.")
    families = {route.prefix.family for route in (*found.hardware, *found.cpu)}
    if families == {4, 6} and found.cpu:
        said.append(
            "IPv4 and IPv6 share the room. Which of them leaves first MikroTik does not say; "
            "here the shorter prefix does, whatever its family."
        )
    not_followed = sum(not offload.followed(route, found.chip) for route in found.hardware)
    if not_followed:
        said.append(
            f"{not_followed} of those in hardware lead to the CPU all the same: "
            "kept out, unreachable, or with more next hops than the chip has ways."
        )
    said += [f"To {prefix}: the CPU routes {share:.1%} of it." for prefix, share in shares.items()]
    return said


def _findings(said: list[offloading.Finding]) -> Table:
    shown = Table(title="In the export")
    for column in ("line", "what it means", "", "said by"):
        shown.add_column(column, overflow="fold")
    for finding in said:
        shown.add_row(
            f"{finding.line or '-'}",
            offloading.MEANINGS[finding.effect],
            f"{finding.text}\n{finding.says}".strip(),
            finding.source,
        )
    return shown


def _plain(
    found: offload.Choice, shares: dict[str, float], said: list[offloading.Finding]
) -> dict[str, Any]:
    return {
        "chip": found.chip.name,
        "room": found.chip.room,
        "used": found.used,
        "lengths": [
            {"family": family, "length": length, "hardware": there, "cpu": left}
            for family, length, there, left in found.lengths()
        ],
        "cpu_share": shares,
        "findings": [
            {"effect": f.effect, "says": f.says, "line": f.line, "text": f.text, "source": f.source}
            for f in said
        ],
    }
