"""`ppslab plan offload`: which routes a switch chip takes, and what the CPU is left with."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.documents import disk
from ppslab.core.errors import UsageError
from ppslab.model.packet_path import export_files as export
from ppslab.model.planning import limits
from ppslab.model.switch_chip import bounds, chips, offload, routes

MOST_SHOWN = 500
"""Findings in a table: nobody reads more, and laying them out takes a millisecond each."""


def offload_(
    file: Path = typer.Argument(
        metavar="ROUTES", help="Routes from `ip route` or RouterOS, or a whole /export."
    ),
    device: str = typer.Option(help="The switch or router, such as CRS326-24G-2S+."),
    towards: list[str] = typer.Option(
        [], help="Show the share of packets to this prefix that the CPU routes."
    ),
    hosts: int = typer.Option(
        0, min=0, help="The number of neighbours; small chips store them in the same table."
    ),
    ipv6: bool | None = typer.Option(
        None,
        "--ipv6/--no-ipv6",
        help="Count IPv6 in hardware too, as with ipv6-hw=yes; default: as exported, else yes.",
    ),
    export_: Path | None = typer.Option(
        None,
        "--export",
        help="An /export to check for settings that exclude offload, if ROUTES is not an export.",
    ),
) -> None:
    """Show the routes that fit into a switch chip, and the traffic that the CPU must route.

    When the chip's table is full, the shortest prefixes move to the CPU first, as in RouterOS.  For
    chips that store indexes instead of prefixes, the command shows the best and the worst case.
    """
    chip = chips.of(device)
    if export_ is None and routes.is_export(documents.read_text(file, disk.ROUTES)):
        export_ = file
    exported = export.export_of(export_) if export_ else None
    ipv6_hw = ipv6 if ipv6 is not None else exported is None or limits.ipv6_hw(exported.commands)
    cases = bounds.of(routes.read(file), chip, ipv6_hw=ipv6_hw, hosts=hosts)
    try:
        within = [routes.prefix(text) for text in towards]
    except ValueError as error:
        raise UsageError(f"--towards: {error}") from None
    shares = [
        {str(prefix): offload.share_of_cpu(case.choice, prefix) for prefix in within}
        for case in cases
    ]
    said = limits.findings(exported, chip) if exported else []
    for case, share in zip(cases, shares, strict=True):
        found = case.choice
        console.print(_table(found, f"{device}{_TITLES[case.name]}"))
        if any(route.prefix.family == 6 for route in (*found.hardware, *found.cpu)):
            console.print(
                _ipv6_text(ipv6_hw, asked=ipv6 is not None, exported=exported is not None)
            )
        for line in (*filter(None, [case.says]), *_sentences(found, share)):
            console.print(line, markup=False)
    console.print(_connections(chip), markup=False)
    if chip.indexes and len(cases) == 1 and cases[0].name == "best":
        console.print(
            "MikroTik gives no worst case for this chip; that of a CCR2216 was 37,729 routes."
        )
    if export_:
        console.print(
            _findings(said)
            if said
            else "The export contains no setting that rules out hardware offload."
        )
    console.print(f"Figures: {chips.SOURCE}.", style="dim")


_TITLES: dict[bounds.Name, str] = {
    "table": "",
    "joined": ", all via the default route's next hop",
    "best": ", at best",
    "worst": ", at worst",
}


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


def _ipv6_text(ipv6_hw: bool, *, asked: bool, exported: bool) -> str:
    """Sentence on the origin of the decision on IPv6 in hardware."""
    if not ipv6_hw:
        why = "asked for" if asked else "the export does not set ipv6-hw=yes"
        return f"IPv6 stays with the CPU: {why}."
    if asked or exported:
        return "IPv6 is in hardware too (ipv6-hw=yes)."
    return "IPv6 is counted as if ipv6-hw=yes; RouterOS's default is no (--no-ipv6)."


def _connections(chip: chips.Chip) -> str:
    """Sentence on the connections that the chip itself takes off the CPU's firewall."""
    if not chip.fasttrack:
        return "This chip does neither FastTrack nor NAT: the CPU does both."
    return (
        f"Connections in the chip: up to {chip.fasttrack} fast-tracked, and up to {chip.nat} "
        "with NAT; the CPU handles further connections."
    )


def _sentences(found: offload.Choice, shares: dict[str, float]) -> list[str]:
    said = [f"Room for {found.room} IPv4 prefixes; {found.used} used."]
    for family in (4, 6):
        shortest = found.shortest(family)
        if shortest is not None:
            said.append(f"Shortest prefix in hardware, IPv{family}: /{shortest}.")
    families = {route.prefix.family for route in (*found.hardware, *found.cpu)}
    if families == {4, 6} and found.cpu:
        said.append(
            "IPv4 and IPv6 share the room. MikroTik does not state which of them leaves first; "
            "in this plan, the shorter prefix leaves first, whatever its family."
        )
    not_followed = sum(not offload.followed(route) for route in found.hardware)
    if not_followed:
        said.append(
            f"Packets for {not_followed} of the routes in hardware still go to the CPU: the "
            "prefix is kept out of hardware, or cannot be reached."
        )
    spread = sum(len(route.hops) > len(offload.ways(route, found.chip)) for route in found.hardware)
    if spread:
        said.append(
            f"{spread} routes have more than {found.chip.ecmp_ways} next hops: the chip spreads "
            f"packets over the first {found.chip.ecmp_ways} and ignores the others."
        )
    said += [
        f"To {prefix}: the CPU routes {share:.1%} of the packets."
        for prefix, share in shares.items()
    ]
    return said


def _findings(said: list[limits.Finding]) -> Table:
    shown = Table(title="In the export")
    for column in ("line", "meaning", "", "source"):
        shown.add_column(column, overflow="fold")
    for finding in said[:MOST_SHOWN]:
        shown.add_row(
            f"{finding.line or '-'}",
            limits.MEANINGS[finding.effect],
            escape(f"{finding.text}\n{finding.says}".strip()),
            escape(finding.source),
        )
    if len(said) > MOST_SHOWN:
        shown.caption = f"The first {MOST_SHOWN} of {len(said)}."
    return shown
