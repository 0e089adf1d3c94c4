"""Inventories by lspci: the project's own, and a card as any lspci prints it."""

from __future__ import annotations

from pathlib import Path

from ppslab.model.planning.nics.inventories import lspci, lspci_lists
from ppslab.model.planning.nics.machine import Machine

FOLDER = Path(__file__).resolve().parents[3] / "book" / "whitebox" / "inventories"
INVENTORIES = sorted(FOLDER.glob("*.xml"))


def by_lspci(name: str = "two-sockets", text: str | None = None) -> Machine:
    beside = lspci_lists.Beside({}, lspci_lists.read_cpus(FOLDER / f"{name}.cpus"))
    path = FOLDER / f"{name}.lspci"
    return lspci.parse(text if text is not None else path.read_text(), path, beside)


# ---- Awkward inputs ------------------------------------------------------------------------------


def x520(
    first: str = "04:00.0 Ethernet controller: Intel Corporation 82599ES 10-Gigabit SFI/SFP+ "
    "Network Connection (rev 01)",
    state: str = "Speed 5GT/s, Width x8, TrErr- Train-",
) -> str:
    return (
        f"{first}\n"
        "\tPhysical Slot: 4-1\n"
        "\tNUMA node: 1\n"
        "\tIOMMU group: 31\n"
        "\tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n"
        "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0, Latency L0s <512ns, L1 <64us\n"
        "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
        "\t\tLnkCap:\tPort #0, Speed 5GT/s, Width x8, ASPM L0s, Exit Latency L0s <2us\n"
        f"\t\tLnkSta:\t{state}\n"
        "\tKernel driver in use: ixgbe\n\n"
    )
