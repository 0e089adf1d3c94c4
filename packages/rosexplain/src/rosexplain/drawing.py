"""A packet's path as one drawing: ports, three lanes with their stations, and what decides.

The SVG text is whole by itself: presentation attributes on white, no style, font file or script.
A page gives its classes (`path-...`) other colours.  Sizes are in units; `wide` lies, `narrow`
stands.  Every text is a stranger's: it is cut to its room here, and escaped in `Picture.svg`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from rosexplain.decide import (
    AROUND,
    BRIDGE_FAST,
    FAST,
    FASTTRACK,
    FORWARD,
    HALF,
    IDLE,
    IN_CHIP,
    NAMES,
    SLOW,
)
from rosexplain.language import N_, gettext
from rosexplain.letters import LONGEST, LOOKS, MONO, SANS, escape, plain, width_of, wrapped

SLOW_LANE, FAST_LANE, CHIP_LANE = 0, 1, 2
DEAD = {"routed": "FastTrack", "bridged": N_("bridge fast path")}
"""The fast lane's name where no packet of the class takes it."""
PENDING, DECIDES, DOUBTED = "pending", "decides", "doubted"
"""The looks of a station that no packet has come to yet, and of the one that decides.

`doubted`: it decides, and the packets that are drawn bypass it.
"""
LIVE, EDGE = "#0f6cbd", "#7d8896"
BOXES = {
    "works": f'fill="#e3f0fb" stroke="{LIVE}" stroke-width="2"',
    IDLE: f'fill="#ffffff" stroke="{LIVE}" stroke-width="1.5"',
    AROUND: f'fill="#f5f6f8" stroke="{EDGE}" stroke-width="1.5" stroke-dasharray="5 4"',
    PENDING: f'fill="#ffffff" stroke="{EDGE}" stroke-width="1"',
    DECIDES: 'fill="#ffd277" stroke="#a65a00" stroke-width="2.5"',
    DOUBTED: 'fill="#ffd277" stroke="#a65a00" stroke-width="2.5" stroke-dasharray="5 4"',
}
LETTERS = {AROUND: "away", PENDING: "away", DECIDES: "on-amber", DOUBTED: "on-amber"}
"""The look of a station's name, where it is not `name`."""
LINES = {
    "live": f'stroke="{LIVE}" stroke-width="5"',
    "detour": f'stroke="{EDGE}" stroke-width="2.5" stroke-dasharray="7 6"',
    "dead": 'stroke="#d5dae0" stroke-width="2"',
}


class Text(NamedTuple):
    """A line of text whose base line is at y; `room`: what it may be wide."""

    x: float
    y: float
    text: str
    look: str
    anchor: str
    room: float


Point: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """A station or a port; `look`: its state, `pending` or `decides`; `words`: what it does."""

    name: str
    x: float
    y: float
    width: float
    height: float
    look: str
    words: str


class Line(NamedTuple):
    """A line through points: `live`, `detour` or `dead`."""

    points: list[Point]
    look: str


class Scene(NamedTuple):
    """The things that are drawn: of a class of packets, its stations as `report` gives them.

    `rule`: the line that decides, and `where` it is; without a line the reason in words.
    """

    title: str
    verdict: str
    router: str
    way: str
    stations: list[dict[str, Any]]
    rule: str
    where: str


def _number(value: float) -> str:
    tenths = int(value * 10 + 0.5)
    return str(tenths // 10) + ("." + str(tenths % 10) if tenths % 10 else "")


# --- the drawing ---------------------------------------------------------------------------------


class Picture:
    """A drawing with its size, and in words what it shows."""

    def __init__(self, of: Scene, width: float) -> None:
        self.width = width
        self.height = 0.0
        self.title = of.title + ": " + of.verdict
        self.words = _words(of)
        self.lines: list[Line] = []
        self.boxes: list[Box] = []
        self.texts: list[Text] = []

    def write(
        self, x: float, y: float, lines: list[str], look: str, room: float, anchor: str = "start"
    ) -> float:
        """Write lines below each other; return the base line that a next one would have."""
        step = LOOKS[look].size + 3
        for line in lines:
            self.texts.append(Text(x, y, line, look, anchor, room))
            y += step
        return y

    def box(self, box: Box, name: list[str], rule: list[str], where: str) -> None:
        """Draw a station with its name, and where it decides the rule and its place."""
        self.boxes.append(box)
        look = LETTERS.get(box.look, "name")
        middle, room = box.x + box.width / 2, box.width - 2 * PAD
        if not rule:
            step = LOOKS[look].size + 3
            y = box.y + box.height / 2 - step * (len(name) - 1) / 2 + 4.5
            self.write(middle, y, name, look, room, "middle")
            return
        y = self.write(box.x + PAD + 4, box.y + 19, name, look, room - 4)
        self.write(box.x + PAD + 4, y + 1, rule, "rule" if where else "why", room - 4)

    def svg(self) -> str:
        """The drawing as text."""
        size = _number(self.width) + " " + _number(self.height)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" '
            f'aria-label="{escape(plain(self.title))}" font-family="{SANS}">'
            f"<title>{escape(plain(self.title))}</title>"
            f"<desc>{escape(plain(self.words))}</desc>"
            f'<rect class="path-page" width="{_number(self.width)}" '
            f'height="{_number(self.height)}" fill="#ffffff"/>'
        ]
        for points, look in self.lines:
            joined = " ".join([_number(x) + "," + _number(y) for x, y in points])
            parts.append(
                f'<polyline class="path-{look}" points="{joined}" fill="none" '
                f'stroke-linejoin="round" {LINES[look]}/>'
            )
        for box in self.boxes:
            parts.append(
                f'<rect class="path-{box.look}" x="{_number(box.x)}" y="{_number(box.y)}" '
                f'width="{_number(box.width)}" height="{_number(box.height)}" rx="6" '
                f"{BOXES[box.look]}><title>{escape(plain(box.words))}</title></rect>"
            )
        for text in self.texts:
            of = LOOKS[text.look]
            bold = ' font-weight="600"' if of.bold else ""
            mono = f' font-family="{MONO}"' if of.mono else ""
            parts.append(
                f'<text class="path-{text.look}" x="{_number(text.x)}" y="{_number(text.y)}" '
                f'text-anchor="{text.anchor}" font-size="{_number(of.size)}"{bold}{mono} '
                f'fill="{of.colour}">{escape(text.text)}</text>'
            )
        return "".join(parts) + "</svg>"


def _words(of: Scene) -> str:
    """A drawing for who does not see it."""
    passed = [s["title"] for s in of.stations if s["state"] != AROUND]
    around = [s["title"] for s in of.stations if s["state"] == AROUND]
    decides = [s["title"] for s in of.stations if s["decides"]]
    says = [gettext("Passed: {names}.").format(names=", ".join(passed))]
    if around:
        says.append(gettext("Bypassed: {names}.").format(names=", ".join(around)))
    if decides:
        text = ": ".join([part for part in (decides[0], of.where, of.rule[:LONGEST]) if part])
        says.append(gettext("What decides: {text}.").format(text=text))
    return " ".join(says)


def lane_of(way: str, station: dict[str, Any]) -> int:
    """The lane of a station between the ports."""
    if station["station"] == "chip":
        return CHIP_LANE
    if station["state"] == AROUND or way == SLOW:
        return SLOW_LANE
    return SLOW_LANE if way == HALF and station["station"] == "port-queue" else FAST_LANE


def _lanes(of: Scene) -> list[tuple[str, bool]]:
    """The name of each lane, and True for those that packets take."""
    kind = "bridged" if any(s["station"] == "bridge" for s in of.stations) else "routed"
    way = FAST if of.way == HALF else of.way
    fast = NAMES[way] if way in (FAST, FASTTRACK, BRIDGE_FAST, FORWARD) else DEAD[kind]
    in_chip = of.way in IN_CHIP
    taken = [CHIP_LANE] if in_chip else [
        lane_of(of.way, station) for station in of.stations[1:-1] if station["state"] != AROUND
    ]  # fmt: skip
    names = [gettext("slow path"), gettext(fast), gettext("switch chip")]
    return [(name, lane in taken) for lane, name in enumerate(names)]


def _line_of(of: Scene, lane: int) -> str:
    """The look of a lane that no packet takes: packets may bypass what is in the slow one."""
    bypassed = any(station["state"] == AROUND for station in of.stations)
    return "detour" if bypassed and lane == SLOW_LANE else "dead"


class Words(NamedTuple):
    """The words in a box: its name, its rule, and how tall they are."""

    name: list[str]
    lines: list[str]
    height: float


def _rule(of: Scene, width: float) -> Words:
    """The words of the station that decides, in a box of a width."""
    room = width - 2 * PAD - 4
    short = "".join([s["short"] for s in of.stations if s["decides"]])
    name = wrapped(short + (", " + of.where if of.where else ""), "on-amber", room, 2)
    rule = wrapped(of.rule, "rule" if of.where else "why", room, 6)
    return Words(name, rule, 12.0 + 16 * len(name) + 15 * len(rule))


def _ruled_at(of: Scene, looks: list[str]) -> int:
    """The number of the station that shows a rule, -1 for none."""
    decides = [number for number, look in enumerate(looks) if look in (DECIDES, DOUBTED)]
    return decides[0] if decides and of.rule else -1


def _looks(of: Scene, lit: int) -> list[str]:
    """The look of each station, of which `lit` have been reached; -1: all."""
    looks = []
    for number, station in enumerate(of.stations):
        look = station["state"]
        if station["decides"]:
            look = DOUBTED if look == AROUND else DECIDES
        looks.append(PENDING if 0 <= lit <= number else look)
    return looks


def _live(of: Scene, lit: int) -> list[int]:
    """The numbers of the stations that packets have passed."""
    return [
        number
        for number, station in enumerate(of.stations)
        if station["state"] != AROUND and not 0 <= lit <= number
    ]


PAD = 4
PORT, GUTTER, STEP, GAP, SIDE, TALL = 44, 88, 88, 6, 8, 46
LEAST = 720
"""Units across of the shortest path; its stations stand farther from each other."""
WIDER = 134
"""Units by which the station that decides is wider, to hold its rule."""


def wide(of: Scene, lit: int = -1) -> Picture:
    """The drawing that lies: in on the left, out on the right; `lit`: stations up to there."""
    inner, looks = of.stations[1:-1], _looks(of, lit)
    ruled = _ruled_at(of, looks)
    last = len(looks) - 1
    extra = [WIDER if number == ruled else 0 for number in range(len(looks))]
    across = SIDE + PORT + GUTTER + STEP * len(inner) + 12 + PORT + SIDE + sum(extra)
    gap = GAP + max(LEAST - across, 0) / (len(inner) + 1)
    picture = Picture(of, max(across, LEAST))
    rule = Words([], [], 0.0)
    if ruled >= 0:
        rule = _rule(of, WIDER + (PORT if ruled in (0, last) else STEP - GAP))
    lanes = [lane_of(of.way, station) for station in inner]
    high: list[float] = [TALL, TALL, TALL]
    if 0 < ruled < last:
        high[lanes[ruled - 1]] = max(TALL, rule.height)
    top = _heading(picture, of) + 2
    middles = [top + high[0] / 2, top + high[0] + 16 + high[1] / 2]
    middles.append(top + high[0] + high[1] + 32 + high[2] / 2)
    start, bottom = middles[0] - TALL / 2, middles[2] + high[2] / 2
    if ruled in (0, last):
        bottom = max(bottom, start + rule.height)

    left: float = SIDE + PORT + extra[0] + GUTTER
    boxes = [Box("in", SIDE, start, PORT + extra[0], bottom - start, looks[0],
                 _does(of.stations[0]))]  # fmt: skip
    for number, station in enumerate(inner, start=1):
        width = STEP - GAP + extra[number]
        tall = rule.height if number == ruled else TALL
        y = middles[lanes[number - 1]] - tall / 2
        boxes.append(Box(station["station"], left, y, width, tall, looks[number], _does(station)))
        left += width + gap
    boxes.append(Box("out", picture.width - SIDE - PORT - extra[-1], start, PORT + extra[-1],
                     bottom - start, looks[-1], _does(of.stations[-1])))  # fmt: skip
    _lanes_across(picture, of, boxes, middles)
    spans = [(box.x, box.x + box.width, box.y + box.height / 2) for box in boxes]
    points = _route(spans, _live(of, lit), middles[FAST_LANE], 4)
    if points:
        picture.lines.append(Line(points, "live"))
    for number, box in enumerate(boxes):
        if number == ruled:
            picture.box(box, rule.name, rule.lines, of.where)
        else:
            name = wrapped(of.stations[number]["short"], "name", box.width - 2 * PAD, 2)
            picture.box(box, name, [], "")
    _sign(picture, bottom + 24)
    return picture


def _heading(picture: Picture, of: Scene) -> float:
    """Write the class, its paths and the router; return the base line below."""
    half = picture.width / 2
    router = "".join(wrapped(of.router, "small", half, 1))
    taken = width_of(router, "small")
    picture.write(picture.width - SIDE, 25, [router], "small", taken, "end")
    room = picture.width - 4 * SIDE - taken
    y = picture.write(SIDE, 26, wrapped(of.title, "title", room, 2), "title", room)
    room = picture.width - 2 * SIDE
    lines = wrapped(of.verdict, "text", room, 2)
    return picture.write(SIDE, max(y, 45) + 1, lines, "text", room)


def _lanes_across(picture: Picture, of: Scene, boxes: list[Box], middles: list[float]) -> None:
    """Draw the lanes between the ports, each with its name in front of the stations."""
    begin = boxes[0].x + boxes[0].width
    for lane, (name, taken) in enumerate(_lanes(of)):
        y = middles[lane]
        picture.lines.append(Line([(begin, y), (boxes[-1].x, y)], _line_of(of, lane)))
        letters = "lane" if taken else "small"
        label = wrapped(name, letters, GUTTER - 12, 2)
        picture.write(begin + 6, y - 8 - 15 * (len(label) - 1), label, letters, GUTTER - 12)


Span: TypeAlias = tuple[float, float, float]
"""A box along the way in and out of it: where it begins and ends, and its lane's middle."""


def _route(spans: list[Span], live: list[int], between: float, bend: float) -> list[Point]:
    """The line from the port in through the stations that were passed: along, and across.

    `between`: the lane where there are none; it changes lanes `bend` before a box.
    """
    points: list[Point] = []
    for number in live[1:]:
        begin, end, lane = spans[number]
        last = number == len(spans) - 1
        if last:
            lane = points[-1][1] if points else between
        if not points:
            points.append((spans[0][1], lane))
        elif points[-1][1] != lane:
            points += [(begin - bend, points[-1][1]), (begin - bend, lane)]
        points += [(begin, lane)] + ([] if last else [(end, lane)])
    return points


def _does(station: dict[str, Any]) -> str:
    return str(station["title"]) + ": " + str(station["does"])


def _sign(picture: Picture, y: float) -> None:
    """Write the key at the lower edge, and whose drawing it is."""
    room = picture.width - 2 * SIDE - 60
    key = gettext("solid: passed, dashed: bypassed, amber: decides")
    end = picture.write(SIDE, y, wrapped(key, "small", room, 2), "small", room) - 15
    picture.write(picture.width - SIDE, end, ["ppslab"], "small", 52, "end")
    picture.height = end + 12


NARROW = 324
COLUMNS = ((8.0, 112.0), (132.0, 112.0), (256.0, 60.0))
"""Where each lane begins, and how wide its stations are."""
RULED = ((8.0, 236.0), (100.0, 216.0), (100.0, 216.0))
"""The same of the station that decides, over a lane that is not taken."""
BESIDE = (8.0, 168.0)
"""The same where packets are on the lane beside it."""
ROW, PORT_ROW, BETWEEN = 40, 28, 12


def narrow(of: Scene, lit: int = -1) -> Picture:
    """The drawing that stands, for a phone: in at the top, out at the bottom."""
    picture = Picture(of, NARROW)
    room = NARROW - 2 * SIDE
    y = picture.write(SIDE, 22, wrapped(of.title, "title", room, 3), "title", room)
    y = picture.write(SIDE, y, wrapped(of.verdict, "text", room, 3), "text", room)
    y = picture.write(SIDE, y, wrapped(of.router, "small", room, 1), "small", room)
    looks, last = _looks(of, lit), len(of.stations) - 1
    ruled = _ruled_at(of, looks)
    begin = y + 8
    for lane, (called, taken) in enumerate(_lanes(of)):
        x, width = COLUMNS[lane]
        letters = "lane" if taken else "small"
        label = wrapped(called, letters, width, 2)
        below = picture.write(x + width / 2, begin, label, letters, width, "middle")
        y = max(y, below - 6)

    boxes: list[Box] = []
    contents: list[Words] = []
    for number, station in enumerate(of.stations):
        port = number in (0, last)
        lane = lane_of(of.way, station)
        x, width = (SIDE, NARROW - 2.0 * SIDE) if port else COLUMNS[lane]
        if number == ruled and not port:
            x, width = BESIDE if looks[number] == DOUBTED else RULED[lane]
        name = wrapped(station["short"], "name", width - 2 * PAD, 1 if port else 2)
        words = Words(name, [], PORT_ROW if port else ROW)
        if number == ruled:
            words = _rule(of, width)
        boxes.append(Box(station["station"], x, y, width, words.height, looks[number],
                         _does(station)))  # fmt: skip
        contents.append(words)
        y += words.height + BETWEEN
    _lanes_down(picture, of, boxes, _live(of, lit))
    for box, words in zip(boxes, contents, strict=True):
        picture.box(box, words.name, words.lines, of.where)
    _sign(picture, boxes[-1].y + boxes[-1].height + 22)
    return picture


def _lanes_down(picture: Picture, of: Scene, boxes: list[Box], live: list[int]) -> None:
    """Draw the lanes between the ports, and the line through the stations that were passed."""
    centres = [x + width / 2 for x, width in COLUMNS]
    begin, end = boxes[0].y + boxes[0].height, boxes[-1].y
    for lane, x in enumerate(centres):
        picture.lines.append(Line([(x, begin), (x, end)], _line_of(of, lane)))
    spans = [(box.y, box.y + box.height, centres[lane_of(of.way, station)])
             for box, station in zip(boxes, of.stations, strict=True)]  # fmt: skip
    points = [(x, y) for y, x in _route(spans, live, centres[FAST_LANE], 6)]
    if points:
        picture.lines.append(Line(points, "live"))
