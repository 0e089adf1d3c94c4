"""The cards that lie at the seats: address, code, and what to compare when the browser warns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ppslab.show import paper
from ppslab_class import paper as papers


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
    title = f"{hall.title}: cards"
    return papers.page("cards", "cards.css", title=title, hall=hall, codes=codes)


def pdf(hall: Hall, codes: Mapping[str, str]) -> bytes:
    """The cards to print; CannotHereError where no PDF can be made."""
    return paper.pdf(page(hall, codes))
