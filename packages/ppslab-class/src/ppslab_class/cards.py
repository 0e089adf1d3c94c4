"""The cards that lie at the seats: address, code, and what to compare when the browser warns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from ppslab.show import paper

STYLE = """
@page { size: A4; margin: 10mm; }
body { font-family: sans-serif; font-size: 10pt; margin: 0; }
h1 { position: absolute; left: -200mm; font-size: 1pt; }
section { display: inline-block; box-sizing: border-box; width: 94mm; min-height: 66mm;
  padding: 5mm 6mm; border: 0.3mm dashed #888; vertical-align: top; break-inside: avoid; }
h2 { font-size: 12pt; margin: 0 0 1.5mm; }
p { margin: 0 0 1.5mm; overflow-wrap: anywhere; }
.code { font: bold 20pt monospace; letter-spacing: 1pt; }
.small { font-size: 7.5pt; margin: 0; }
"""


@dataclass(frozen=True)
class Hall:
    """The text that all cards share.

    `address`: of the site; `fingerprint`: of its certificate, empty where an authority vouches for
    it; `wifi`: the network's name and password, in the instructor's words; `seats`: the
    address of the hub, empty where there is none.
    """

    title: str
    address: str
    fingerprint: str = ""
    wifi: str = ""
    seats: str = ""


def page(hall: Hall, codes: Mapping[str, str]) -> str:
    """The cards as a page of HTML, eight on a sheet, in the order of the seats."""
    cards = "".join(_card(hall, seat, code) for seat, code in codes.items())
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(hall.title)}: cards</title><style>{STYLE}</style></head>"
        f"<body><h1>{escape(hall.title)}</h1>{cards}</body></html>"
    )


def pdf(hall: Hall, codes: Mapping[str, str]) -> bytes:
    """The cards to print; CannotHereError where no PDF can be made."""
    return paper.pdf(page(hall, codes))


def _card(hall: Hall, seat: str, code: str) -> str:
    lines = [f"<h2>{escape(hall.title)}: {escape(seat.replace('-', ' '))}</h2>"]
    if hall.wifi:
        lines.append(f"<p>Wi-Fi: {escape(hall.wifi)}</p>")
    lines.append(f"<p>Open <strong>{escape(hall.address)}/workshop</strong><br>and type</p>")
    lines.append(f'<p class="code">{escape(code)}</p>')
    if hall.seats:
        where = f"<strong>{escape(hall.seats)}</strong>"
        lines.append(f"<p>Your JupyterLab, with the same code:<br>{where}</p>")
    if hall.fingerprint:
        lines.append(
            '<p class="small">Your browser will show a warning, because this class uses its own '
            "certificate. Continue only if its SHA-256 fingerprint is</p>"
            f'<p class="small">{escape(hall.fingerprint)}</p>'
        )
    return f"<section>{''.join(lines)}</section>"
