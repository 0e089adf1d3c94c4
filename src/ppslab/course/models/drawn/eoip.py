"""Drawings of a tunnel's packets: where they are fragmented, and one frame byte by byte."""

from __future__ import annotations

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, short, ticks
from ppslab.model.tunnels.eoip_bytes import Field

_LOOKS = {"link": "w-off", "tunnel": "w-on", "inside": "w-box"}
_SHOWN = 8


def cuts(
    size: int, inside: tuple[int, ...], outside: tuple[tuple[int, ...], ...], mtu: int, chosen: int
) -> Drawing:
    """A bar a packet: as it was sent, into the tunnel, on the path; a line at the path's MTU."""
    rows = [("sent", size, "w-3")] + [(gettext("into the tunnel"), each, "w-1") for each in inside]
    count = 0
    for packets in outside:
        for each in packets:
            rows.append((gettext("on the path"), each, "w-2" if count == chosen else "w-4"))
            count += 1
    left, each_row, right = 142, 30, 76
    drawing = Drawing(each_row * len(rows) + 76)
    high = max([size, mtu] + [row[1] for row in rows])
    wide = WIDTH - left - right
    for index, (name, bytes_of, look) in enumerate(rows):
        y = 24 + each_row * index
        drawing.text(left - 8, y + 17, name, "end", "w-strong" if look == "w-2" else "w-text")
        drawing.rect(left, y, wide * bytes_of / high, 22, look, f"{name}: {bytes_of} bytes")
        drawing.text(left + wide * bytes_of / high + 6, y + 17, short(bytes_of))
    bottom = 24 + each_row * len(rows)
    drawing.line(left, bottom, left + wide, bottom)
    x = left + wide * mtu / high
    drawing.line(x, 20, x, bottom, "w-line w-5")
    drawing.text(x, 15, gettext("path MTU {mtu}").format(mtu=short(mtu)), "end", "w-small")
    for tick in ticks(high):
        at = left + wide * tick / high
        drawing.line(at, bottom, at, bottom + 6)
        anchor = "start" if tick == 0 else "middle"
        drawing.text(
            at, bottom + 22, short(tick) + (" bytes" if tick == 0 else ""), anchor, "w-small"
        )
    return drawing


def byte_by_byte(fields: list[Field]) -> Drawing:
    """Every byte of a frame under the name of its header, but for the rest of long data."""
    groups: list[tuple[str, list[Field]]] = []
    for one in fields:
        if not groups or groups[-1][0] != one.part:
            groups.append((one.part, []))
        groups[-1][1].append(one)
    wide, high, columns = 39, 26, 16
    lines = [-(-_shown(own) // columns) for _, own in groups]
    drawing = Drawing(sum([24 + high * count + 6 for count in lines]) + 34)
    y = 0
    for (name, own), count in zip(groups, lines, strict=True):
        total = sum([len(one.values) for one in own])
        secret = gettext(", encrypted") if own[0].secret else ""
        title = gettext("{name}, {total} byte{value}{secret}").format(
            name=name, total=short(total), value="" if total == 1 else "s", secret=secret
        )
        drawing.text(8, y + 18, title, "start", "w-strong" if own[0].side == "tunnel" else "w-text")
        place = 0
        for one in own:
            look = _LOOKS[one.side]
            for value in one.values:
                if place >= _shown(own):
                    break
                x = 8 + place % columns * wide
                top = y + 24 + place // columns * high
                drawing.rect(x, top, wide - 2, high - 3, look, one.name)
                text = ".." if value is None else f"{value:02x}"
                drawing.text(x + wide / 2 - 1, top + 17, text, "middle")
                place += 1
        if total > place:
            x = 8 + place % columns * wide + 6
            drawing.text(
                x,
                y + 41,
                gettext("and {total} more").format(total=short(total - place)),
                "start",
                "w-small",
            )
        y += 24 + high * count + 6
    for index, (side, name) in enumerate(
        (
            ("link", gettext("the path's")),
            ("tunnel", gettext("the tunnel's")),
            ("inside", gettext("the inner frame's")),
        )
    ):
        x = 8 + 190 * index
        drawing.rect(x, y + 8, 16, 16, _LOOKS[side])
        drawing.text(x + 24, y + 21, name)
    return drawing


def _shown(own: list[Field]) -> int:
    """Return the number of bytes to draw of a group: of data a few, of a header all."""
    total = sum([len(one.values) for one in own])
    return total if total <= 32 else _SHOWN
