"""NUMA placement: cards in the slots of a server with two sockets, and what belongs together."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.core.units import line_rate
from ppslab.course.models.drawn.drawing import figure, fixed, short, table
from ppslab.course.models.drawn.numa import server, shares_of_links
from ppslab.model.planning.nics import pcie
from ppslab.model.planning.nics.sockets import crossing_share, touching_share

TITLE = "NUMA placement"

OUT = "out"
"""The place of a card that is in no slot."""

CARDS = ("x520-1", "x520-2", "x520-3", "x520-4", "x520-5", "x520-6", "x710", "xl710", "e810")
"""The article's six cards, and three that would change its answer."""


def placed(words: str) -> dict[str, str]:
    """Cards in slots, as `x520-1:1 x710:4`; all others in none."""
    slots = dict([word.split(":") for word in words.split()])
    return {card: slots.get(card, OUT) for card in CARDS}


_ARTICLE = "x520-1:1 x520-2:2 x520-3:3 x520-4:4 x520-5:5 x520-6:6"

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "preset",
        "name": "example",
        "label": "Start from",
        "choices": [
            ["the article: slots 1 to 6", {"cards": placed(_ARTICLE)}],
            ["three cards on each side", {"cards": placed(_ARTICLE.replace(":4", ":7"))}],
            ["ten ports on one side", {"cards": placed("x520-1:1 x520-2:2 x520-3:3 x710:4")}],
            ["a 100 Gbit/s card", {"cards": placed("e810:5")}],
            ["an empty server", {"cards": placed("")}],
        ],
    },
    {
        "kind": "place",
        "name": "cards",
        "label": "Cards in the slots",
        "value": placed(_ARTICLE),
        "items_from": "items",
        "places_from": "places",
    },
    {
        "kind": "choice",
        "name": "serves",
        "label": "The router runs on",
        "value": "most",
        "choices": [["most", "the side with the larger bond"], ["1", "CPU1"], ["2", "CPU2"]],
    },
    {
        "kind": "choice",
        "name": "cpu",
        "label": "Processors",
        "value": "E5-2650 v4",
        "choices_from": "cpus",
    },
    {
        "kind": "number",
        "name": "size",
        "label": "Frame size",
        "value": 64,
        "low": 64,
        "high": 1518,
        "step": 1,
        "unit": "bytes",
    },
]


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The bonds that the cards allow, what crosses between the sockets, what a slot carries.

    facts: `items` ([id, label]), `kinds` ([id, card, ports, Gbit/s of a port, generation, lanes]),
    `places` ([slot or out, label, group]), `slots` ([slot, CPU, lanes]), `cpus` ([name, label,
    PCIe generation, lanes, socket link, its Gbit/s, how many of them]), `chassis`, and a `note` on
    its slots.
    """
    size = int(inputs["size"])
    if not 64 <= size <= 1518:
        return _problem(
            "size",
            gettext("Choose a frame size of 64 to 1518 bytes, not {size}.").format(size=size),
        )
    cpu = next(each for each in facts["cpus"] if each[0] == inputs["cpu"])
    slots = []
    for slot, side, lanes in facts["slots"]:
        here = [kind for kind in facts["kinds"] if inputs["cards"].get(kind[0], OUT) == slot]
        if len(here) > 1:
            both = " and ".join([kind[1] for kind in here])
            return _problem(
                "cards",
                gettext("Slot {slot} can hold one card only, not {both}: move one of them.").format(
                    slot=slot, both=both
                ),
            )
        slots.append(Slot(slot, side, lanes, here[0] if here else None, cpu[2], size))
    bonds = _bonds(slots)
    serving = inputs["serves"]
    chosen = _chosen(bonds, serving)
    if bonds and chosen is None:
        return _problem(
            "serves",
            gettext("CPU{serving} has no card: put a card in one of its slots.").format(
                serving=serving
            ),
        )
    crossing = _crossing(bonds, chosen)
    used = [sum([slot.width for slot in slots if slot.side == side]) for side in (1, 2)]
    says = _says(bonds, chosen, crossing, cpu)
    for side in (1, 2):
        if used[side - 1] > cpu[3]:
            says.append(
                gettext("The cards on CPU{side} use {used} lanes, but this CPU has {cpu}.").format(
                    side=side, used=used[side - 1], cpu=cpu[3]
                )
            )
    says.append(facts["note"])
    drawn = server(slots, used, cpu, chosen, crossing)
    figures = [
        figure(
            gettext("Inside the {chassis}").format(chassis=facts["chassis"]), drawn, " ".join(says)
        )
    ]
    full = [slot for slot in slots if slot.card]
    if full:
        alt = "; ".join(
            [
                gettext("slot {name}: {carried}").format(name=slot.name, carried=slot.carried())
                for slot in full
            ]
        )
        title = gettext(
            "Share of the ports' line rate that each card's PCIe link carries, {size}-byte frames"
        ).format(size=size)
        figures.append(figure(title, shares_of_links(full), alt))
    return {
        "says": says,
        "warns": [said for slot in full for said in slot.warns()],
        "figures": figures,
        "tables": [
            table(
                gettext("Ports to put in one bond: same side, same speed"),
                [
                    gettext("for"),
                    gettext("side"),
                    gettext("slots"),
                    gettext("ports"),
                    gettext("each way"),
                ],
                [_bond_row(bond, chosen) for bond in bonds],
            )
        ],
        "values": {
            "bonds": [[bond["side"], bond["gbits"], bond["ports"]] for bond in bonds],
            "side": chosen["side"] if chosen else None,
            "crossing": crossing,
            "lanes": used,
            "links": [
                [slot.name, slot.generation, slot.width, slot.gigabits, slot.worst, slot.best]
                for slot in full
            ],
        },
    }


class Slot:
    """A slot with the card in it, if any.  `worst`, `best`: see `shares_of_links`."""

    def __init__(
        self, name: str, side: int, lanes: int, card: list[Any] | None, newest: int, size: int
    ) -> None:
        self.name = name
        self.side = side
        self.lanes = lanes
        self.card = card
        self.ports: int = card[2] if card else 0
        self.gbits: float = card[3] if card else 0.0
        # Card and slot agree on the older generation and on the fewer lanes.
        self.generation = min(card[4], newest) if card else 0
        self.width = min(card[5], lanes) if card else 0
        self.gigabits = self.worst = self.best = self.large = 0.0
        if card:
            self.gigabits = pcie.gigabits(self.generation, self.width)
            needed = line_rate(size, self.gbits * self.ports * 1e9)
            # With each descriptor moved on its own, and with none moved.
            self.worst = pcie.frames(self.gigabits, size, 1) / needed
            self.best = pcie.frames(self.gigabits, size, 0) / needed
            large = line_rate(1518, self.gbits * self.ports * 1e9)
            self.large = pcie.frames(self.gigabits, 1518, 0) / large

    def link(self) -> str:
        """`PCIe 2.0 x8`."""
        return gettext("PCIe {generation}.0 x{width}").format(
            generation=self.generation, width=self.width
        )

    def carried(self) -> str:
        """`67 % to 127 %`, of its ports' line rate."""
        return f"{fixed(100 * self.worst, 0)} % to {fixed(100 * self.best, 0)} %"

    def warns(self) -> list[str]:
        """What is wrong with the card in this slot."""
        warnings = []
        card = self.card
        if card and (self.generation, self.width) != (card[4], card[5]):
            warnings.append(
                gettext(
                    "Slot {name}: the PCIe link runs at {link}; the {card} supports PCIe "
                    "{card_2}.0 x{card_3}."
                ).format(
                    name=self.name, link=self.link(), card=card[1], card_2=card[4], card_3=card[5]
                )
            )
        if card and self.large < 1:
            warnings.append(
                gettext(
                    "Slot {name}: the PCIe link carries only {large} % of the line rate of the "
                    "card's ports, even with large frames."
                ).format(name=self.name, large=fixed(100 * self.large, 0))
            )
        return warnings


def _bonds(slots: list[Slot]) -> list[dict[str, Any]]:
    """Ports of one side and one speed, the largest bond first."""
    bonds: list[dict[str, Any]] = []
    for slot in slots:
        if not slot.card:
            continue
        own = [b for b in bonds if b["side"] == slot.side and b["gbits"] == slot.gbits]
        if not own:
            own = [{"side": slot.side, "gbits": slot.gbits, "ports": 0, "slots": []}]
            bonds.append(own[0])
        own[0]["ports"] += slot.ports
        own[0]["slots"].append(slot.name)
    return sorted(bonds, key=lambda b: (-b["gbits"] * b["ports"], -b["gbits"], b["side"]))


def _chosen(bonds: list[dict[str, Any]], serving: str) -> dict[str, Any] | None:
    for bond in bonds:
        if serving in ("most", str(bond["side"])):
            return bond
    return None


def _crossing(bonds: list[dict[str, Any]], chosen: dict[str, Any] | None) -> dict[str, Any] | None:
    """What crosses if all ports of the chosen bond's speed were one bond; None: nothing can."""
    alike = [bond for bond in bonds if chosen and bond["gbits"] == chosen["gbits"]]
    if chosen is None or len(alike) < 2:
        return None
    counts = [bond["ports"] for bond in alike]
    here = [bond["side"] for bond in alike].index(chosen["side"])
    elsewhere = sum(counts) - counts[here]
    return {
        "ports": sum(counts),
        "share": crossing_share(counts),
        "touching": touching_share(counts, here),
        "gbits": elsewhere * chosen["gbits"],
    }


def _says(
    bonds: list[dict[str, Any]],
    chosen: dict[str, Any] | None,
    crossing: dict[str, Any] | None,
    cpu: list[Any],
) -> list[str]:
    if chosen is None:
        return [gettext("No slot has a card: drag a card into a slot.")]
    total = short(chosen["ports"] * chosen["gbits"])
    says = [
        gettext(
            "The router on CPU{side} gets one bond of {ports} ports of {gbits} Gbit/s: "
            "{total} Gbit/s each way, and none of its packets cross the link between the sockets."
        ).format(
            side=chosen["side"], ports=chosen["ports"], gbits=short(chosen["gbits"]), total=total
        )
    ]
    if crossing is None:
        return says
    says.append(
        gettext(
            "With all {ports} ports in one bond, {share} of the frames would arrive on one side "
            "and leave on the other. {touching} would pass through a card that is not on "
            "CPU{side}, up to {gbits} Gbit/s each way."
        ).format(
            ports=crossing["ports"],
            share=_percent(crossing["share"]),
            touching=_percent(crossing["touching"]),
            side=chosen["side"],
            gbits=short(crossing["gbits"]),
        )
    )
    room = cpu[5] * cpu[6]
    says.append(
        gettext(
            "The {cpu} {cpu_2} links between the sockets carry {room} Gbit/s each way{value}"
        ).format(
            cpu=cpu[6],
            cpu_2=cpu[4],
            room=short(room),
            value=gettext(": crossing them costs time, not bandwidth.")
            if room > crossing["gbits"]
            else ".",
        )
    )
    return says


def _bond_row(bond: dict[str, Any], chosen: dict[str, Any] | None) -> list[str]:
    if bond is chosen:
        what = gettext("the router")
    else:
        what = (
            gettext("a second router")
            if chosen and bond["side"] != chosen["side"]
            else gettext("the host")
        )
    ports = f"{bond['ports']} x {short(bond['gbits'])}"
    total = f"{short(bond['ports'] * bond['gbits'])} Gbit/s"
    return [what, f"CPU{bond['side']}", ", ".join(bond["slots"]), ports, total]


def _percent(share: float) -> str:
    return fixed(100 * share, 0) + " %"


def _problem(name: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": name, "says": says}}
