"""Where the nanoseconds go: what each feature cost, stacked, and how many cores a load takes."""

from __future__ import annotations

from typing import Any

from ppslab.models.drawing import WIDTH, Drawing, figure, fixed, short, table, ticks
from ppslab.units import human_rate

TITLE = "Where the nanoseconds go"

LADDERS = ("routing", "bridging", "fasttrack", "eoip", "pppoe")
"""Those of widgets/ladders.yml."""

BEGIN = {
    "routing": ["slow-path", "tracking"],
    "bridging": ["slow-path"],
    "fasttrack": ["rules"],
    "eoip": ["tunnel"],
    "pppoe": ["session"],
}


def _of_ladder(name: str) -> list[dict[str, Any]]:
    """The controls that one ladder has for itself; their choices are in the facts."""
    return [
        {
            "kind": "many",
            "name": "features_" + name,
            "label": "With",
            "value": BEGIN.get(name, []),
            "choices_from": "features_" + name,
            "when": ["ladder", [name]],
        },
        {
            "kind": "choice",
            "name": "size_" + name,
            "label": "Frame size",
            "value": {"eoip": 1518, "fasttrack": 128}.get(name, 64),
            "choices_from": "sizes_" + name,
            "when": ["ladder", [name]],
        },
    ]


CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "choice",
        "name": "ladder",
        "label": "What the router does",
        "value": "routing",
        "choices_from": "choices",
    }
]
for _name in LADDERS:
    CONTROLS.extend(_of_ladder(_name))
CONTROLS += [
    {
        "kind": "number",
        "name": "load",
        "label": "Load",
        "value": 500,
        "low": 10,
        "high": 20000,
        "step": 10,
        "unit": "thousand packets per second",
    },
    {
        "kind": "number",
        "name": "cores",
        "label": "Cores that route",
        "value": 1,
        "low": 1,
        "high": 72,
        "step": 1,
        "unit": "",
    },
]


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """A packet's pieces, their sum, and what a load makes of it (facts: widgets.facts_nanoseconds).

    A sum of pieces that were measured together is what the record says of that condition.
    """
    found = [ladder for ladder in facts["ladders"] if ladder["name"] == inputs["ladder"]]
    if not found:
        return _problem("ladder", "No run of this lab is recorded here: ppslab run makes one.")
    ladder = found[0]
    size = int(inputs["size_" + ladder["name"]])
    chosen = _closed(ladder, inputs["features_" + ladder["name"]])
    base = ladder["measured"].get(f"{ladder['base'][0]} {size}")
    if base is None:
        return _problem("size_" + ladder["name"], f"{size} bytes were not measured: take another.")
    pieces: list[list[Any]] = [[ladder["base"][1], base, ladder["base"][0]]]
    for name, words, condition, over in chosen:
        added = ladder["added"].get(f"{name} {size}")
        if added is None:
            return _problem(
                "features_" + ladder["name"],
                f"{words} was not measured at {size} bytes: take another size, or leave it out.",
            )
        pieces.append([words, added, f"{condition} less {over}"])
    total = sum([piece[1][0] for piece in pieces])
    together = _together(ladder, chosen)
    measured = ladder["measured"].get(f"{together} {size}") if together else None
    load, cores = float(inputs["load"]) * 1000, int(inputs["cores"])
    if total <= 0:
        return _problem(
            "features_" + ladder["name"], "The pieces add up to nothing: it is all noise."
        )
    busy = load * total / 1e9
    most = cores * 1e9 / total
    return {
        "says": _says(pieces, total, measured, load, cores, size),
        "warns": _warns(ladder, pieces, chosen, measured),
        "figures": _figures(ladder, pieces, total, busy, cores, load, together, size),
        "tables": [_table(pieces, total, measured, load)],
        "values": {
            "nanoseconds": total,
            "measured": measured,
            "pieces": [[piece[0], piece[1][0]] for piece in pieces],
            "busy_cores": busy,
            "most_packets_per_second": most,
            "forwarded": min(load, most),
        },
    }


def _closed(ladder: dict[str, Any], wanted: list[str]) -> list[list[str]]:
    """The features that were asked for and those that they were measured over, in their order."""
    needed = [feature[2] for feature in ladder["features"] if feature[0] in wanted]
    for feature in reversed(ladder["features"]):
        if feature[2] in needed:
            needed.append(feature[3])
    return [feature for feature in ladder["features"] if feature[2] in needed]


def _together(ladder: dict[str, Any], chosen: list[list[str]]) -> str | None:
    """The condition that has just these features; None where nobody measured them together."""
    at: str = ladder["base"][0]
    for feature in chosen:
        if feature[3] != at:
            return None
        at = feature[2]
    return at


def _says(
    pieces: list[list[Any]],
    total: float,
    measured: list[float] | None,
    load: float,
    cores: int,
    size: int,
) -> list[str]:
    busy, most = load * total / 1e9, cores * 1e9 / total
    between = f"95 % between {short(measured[1])} and {short(measured[2])}" if measured else ""
    said = [
        f"A packet of {size} bytes costs this router {short(total)} ns"
        + (f" ({between})." if measured else ", added up.")
    ]
    kinds = "core" if cores == 1 else "cores"
    if busy <= cores:
        said.append(
            f"{human_rate(load)} keep {short(busy)} cores busy, {short(100 * busy / cores)} % of "
            f"{cores} {kinds}; at most {human_rate(most)} go through."
        )
    else:
        said.append(
            f"{human_rate(load)} would need {short(busy)} cores: {cores} {kinds} can forward "
            f"{human_rate(most)}, and {short(100 * (1 - most / load))} % are lost."
        )
    if len(pieces) > 1:
        dearest = max(pieces[1:], key=lambda piece: piece[1][0])
        share = 100 * dearest[1][0] / total
        said.append(f"Of what was added, {dearest[0]} costs most: {short(share)} % of the whole.")
    if cores > 1:
        said.append(
            "The load is shared out evenly, as by many flows; one flow stays on one core, and what "
            "cores fight over is not counted."
        )
    return said


def _warns(
    ladder: dict[str, Any],
    pieces: list[list[Any]],
    chosen: list[list[str]],
    measured: list[float] | None,
) -> list[str]:
    said = []
    if ladder["emulated"]:
        said.append(
            "Measured on an emulated CPU: which of two costs more means something, the nanoseconds "
            "do not."
        )
    noisy = [piece[0] for piece in pieces if piece[1][1] <= 0]
    if noisy:
        said.append("No more than the noise of this run: " + "; ".join(noisy) + ".")
    if measured is None and chosen:
        said.append(
            "Nobody measured these features together: their single costs are added up, and two "
            "features may share work or get in each other's way."
        )
    said.append(f"A Linux router, the tester's own time subtracted. {ladder['provenance']}.")
    return said


def _table(
    pieces: list[list[Any]], total: float, measured: list[float] | None, load: float
) -> dict[str, object]:
    rows = []
    for words, (middle, low, high), source in pieces:
        share = f"{fixed(100 * load * middle / 1e9, 1)} %"
        rows.append([words, short(middle), f"{short(low)} to {short(high)}", source, share])
    rows.append(
        ["together", short(total), "", "the sum", f"{fixed(100 * load * total / 1e9, 1)} %"]
    )
    if measured:
        span = f"{short(measured[1])} to {short(measured[2])}"
        share = f"{fixed(100 * load * measured[0] / 1e9, 1)} %"
        rows.append(["measured together", short(measured[0]), span, "the record", share])
    header = ["piece", "ns a packet", "95 % interval", "conditions", "of one core at this load"]
    return table("What each piece costs", header, rows)


ROW = 50


def _figures(
    ladder: dict[str, Any],
    pieces: list[list[Any]],
    total: float,
    busy: float,
    cores: int,
    load: float,
    together: str | None,
    size: int,
) -> list[dict[str, str]]:
    rows = [(piece[0], piece[1][0]) for piece in pieces]
    words = "; ".join([f"{label} {short(value)} ns" for label, value in rows])
    shown = [
        figure(
            f"One packet of {size} bytes, piece by piece",
            _stack(rows, total, "the router's part"),
            f"{words}; together {short(total)} ns.",
        ),
        _cores(busy, cores, load),
    ]
    stations = ladder["stations"].get(together) if together else None
    if stations and stations["size"] == size:
        parts = [(row[0], row[1]) for row in stations["rows"]]
        said = "; ".join([f"{label} {short(value)} ns" for label, value in parts])
        shown.append(
            figure(
                "The same packet by station, the tester's part with it",
                _stack(parts, stations["total"], "together"),
                f"{said}. {stations['provenance']}.",
            )
        )
    return shown


def _stack(rows: list[tuple[str, float]], total: float, last: str) -> Drawing:
    """Pieces behind each other, a row each, and their sum."""
    drawing = Drawing(ROW * (len(rows) + 1) + 48)
    high = max(total, sum([max(value, 0) for _, value in rows])) or 1
    scale, at = (WIDTH - 16) / high, 0.0
    for index, (label, value) in enumerate(rows + [(last, total)]):
        top = ROW * index
        whole = index == len(rows)
        look = "w-strong" if whole else "w-text"
        drawing.text(8, top + 17, label, "start", look)
        drawing.text(WIDTH - 8, top + 17, short(value) + " ns", "end", look)
        begin = 0.0 if whole else at + min(value, 0)
        drawing.rect(8, top + 23, WIDTH - 16, 17, "w-track")
        drawing.rect(
            8 + begin * scale,
            top + 23,
            max(abs(value) * scale, 1.5),
            17,
            "w-6" if whole else f"w-{index % 5 + 1}",
        )
        if not whole:
            at += value
    bottom = ROW * (len(rows) + 1)
    drawing.text(WIDTH - 8, bottom + 40, "ns a packet", "end", "w-small")
    for tick in ticks(high):
        x = 8 + tick * scale
        drawing.line(x, bottom, x, bottom + 6)
        anchor = "start" if tick == 0 else "end" if x > WIDTH - 40 else "middle"
        drawing.text(x, bottom + 22, short(tick), anchor, "w-small")
    return drawing


A_ROW = 12


def _cores(busy: float, cores: int, load: float) -> dict[str, str]:
    """A box a core, filled as far as it is busy."""
    rows = (cores + A_ROW - 1) // A_ROW
    across = (WIDTH - 16) / A_ROW if cores > 4 else (WIDTH - 16) / 4
    drawing = Drawing(rows * 76 + 30)
    share = busy / cores
    for core in range(cores):
        x = 8 + core % A_ROW * across
        y = 6 + core // A_ROW * 76
        drawing.rect(x, y, across - 6, 44, "w-track")
        full = min(share, 1) * 44
        drawing.rect(x, y + 44 - full, across - 6, full, "w-2" if share > 1 else "w-1")
        text = "full" if share >= 1 else f"{fixed(100 * share, 0)} %"
        drawing.text(x + (across - 6) / 2, y + 60, text, "middle", "w-small")
    kinds = "1 core" if cores == 1 else f"{cores} cores"
    said = f"{kinds} at {human_rate(load)}: " + (
        "full, packets are lost"
        if share > 1
        else f"{'' if cores == 1 else 'each '}{fixed(100 * share, 0)} % busy"
    )
    drawing.text(8, rows * 76 + 20, said, "start", "w-text")
    return figure("How busy the cores are", drawing, said + ".")


def _problem(control: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": control, "says": says}}
