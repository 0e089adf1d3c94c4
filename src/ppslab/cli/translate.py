"""`ppslab translate`: RouterOS's firewall as nft's commands for a Linux router."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.core.text.terminal import echo
from ppslab.model.packet_path.on_linux.translating import Translation

PORTS = [f"ether{number + 1}=eth{number}" for number in (1, 2)]


def translate(
    files: list[Path] = typer.Argument(
        metavar="FILE...",
        help="Files with RouterOS commands, as typed at its terminal; read in this order.",
    ),
    port: list[str] = typer.Option(
        PORTS,
        metavar="INTERFACE=DEVICE",
        help="A RouterOS interface and the Linux device that stands for it; may be repeated.",
        show_default="ether2=eth1 and ether3=eth2",
    ),
) -> None:
    """Translate RouterOS's firewall into nft commands: a model, not RouterOS.

    Filter, NAT, mangle and raw rules, bridge filters and address lists.

    A line without a translation is refused with a reason; the exit code is then 1.

    Comments are left out, and a word that may be secret is not quoted.
    """
    translation = Translation(dict(map(_pair, port)))
    refused = False
    for path in files:
        for number, why in translation.take(documents.read_text(path), str(path)):
            echo(f"{path}:{number}: {why}", err=True)
            refused = True
    echo("# A model, not RouterOS: these commands make a Linux router behave similarly.")
    for line in translation.script:
        echo(line)
    raise typer.Exit(1 if refused else 0)


def _pair(text: str) -> tuple[str, str]:
    interface, _, device = text.partition("=")
    if not interface or not device:
        raise UsageError(f"--port {text}: write INTERFACE=DEVICE, such as ether2=eth1")
    return interface, device
