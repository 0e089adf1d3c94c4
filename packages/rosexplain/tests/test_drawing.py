"""The drawing of a path: its geometry, what it says of an answer, and a stranger's texts in it."""

from __future__ import annotations

import shutil
import unicodedata
import xml.etree.ElementTree as ET  # our own SVG text
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest
from asked import EXAMPLES, EXPORTS, HEAD, HOME, LAN_AND_WAN, MARK
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from transcript import CASES, Case, read

from rosexplain import drawing, explain, letters, read_export, report, sentences
from rosexplain.base import RULES, base
from rosexplain.decide import AROUND, NAMES
from rosexplain.drawing import Box, Picture, Scene
from rosexplain.rule_files import RuleFileError, load

STATIONS = base()["stations"]
TURNING = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks that turn the text behind them round."""
SVG = "{http://www.w3.org/2000/svg}"
STRANGE = [
    "<script>alert(1)</script>", 'a"b\'c&d</text>', "&amp;&#x3c;", "x" * 300, "مرحبا بالعالم",
    "\u202eevil\u202c", f"a{TURNING}b", "😀" * 40, "W" * 300, "a\x00b\x1bc\ud800", "",
    "漢字" * 30, "]]>",
]  # fmt: skip
# Of any code: hypothesis's own letters would first be sorted by their categories, for 2 s.
LETTERS = st.builds(chr, st.integers(0, 0x2FF) | st.integers(0, 0x10FFFF))


def answered(text: str) -> dict[str, Any]:
    export = read_export(text, "router.rsc")
    return sentences.named(report.Answer(explain([export])).plain(remedies=False))


def pictures(of: Scene) -> list[Picture]:
    return [draw(of, lit) for draw in (drawing.wide, drawing.narrow) for lit in (-1, 0, 2)]


TEXTS = [
    path.read_text() for folder in (EXAMPLES, EXPORTS) for path in sorted(folder.rglob("*.rsc"))
]
TEXTS += [
    case.exports[0]
    for path in (CASES / "remedies.txt", CASES / "short.txt")
    for case in read(path)
    if isinstance(case, Case)
]


@cache
def scenes() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The answers to these texts, each with its classes that have a drawing."""
    answers = [answered(text) for text in TEXTS]
    return [(plain, row) for plain in answers for row in plain["classes"] if row["stations"]]


def overlap(one: Box, other: Box) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


def box_of(picture: Picture, x: float, y: float) -> list[Box]:
    return [b for b in picture.boxes if b.x < x < b.x + b.width and b.y < y <= b.y + b.height]


def check(picture: Picture) -> None:
    """No two stations overlap, and each text lies in its box or beside all of them, whole."""
    for one, other in combinations(picture.boxes, 2):
        assert not overlap(one, other), (one, other)
    for box in picture.boxes:
        assert box.x >= 0 and box.x + box.width <= picture.width
        assert box.y >= 0 and box.y + box.height <= picture.height
    places = []
    for text in picture.texts:
        wide, size = letters.width_of(text.text, text.look), letters.LOOKS[text.look].size
        assert wide <= text.room, text
        left = text.x - {"start": 0, "middle": 0.5, "end": 1}[text.anchor] * wide
        assert left >= 0 and left + wide <= picture.width and text.y + 3 <= picture.height, text
        places.append(Box(text.text, left, text.y - size * 0.8, wide, size, "", ""))
        for box in box_of(picture, text.x, text.y):
            assert box.x <= left and left + wide <= box.x + box.width, text
            assert text.y - size * 0.8 >= box.y and text.y + size * 0.2 <= box.y + box.height, text
        if not box_of(picture, text.x, text.y):
            assert not [box for box in picture.boxes if overlap(places[-1], box)], text
    for one, other in combinations(places, 2):
        assert not overlap(one, other), (one, other)
    for points, _ in picture.lines:
        for (x, y), (to_x, to_y) in pairwise(points):
            assert x == to_x or y == to_y, "along one axis"


def test_there_are_paths_of_every_kind() -> None:
    assert {row["paths"][0] for _, row in scenes()} >= {
        "slow", "fasttrack", "fast-path", "half", "chip", "fast-forward", "bridge-fast-path",
    }  # fmt: skip


def test_no_two_stations_overlap_and_every_text_is_in_its_box() -> None:
    for plain, row in scenes():
        scene = sentences.scene(plain, row)
        check(drawing.wide(scene))
        check(drawing.narrow(scene))


def test_a_line_is_as_wide_as_its_room_and_a_letter_of_han_begins_at_its_first() -> None:
    room = letters.width_of("abcd", "title")
    assert letters.wrapped("abcd abcdabc", "title", room, 9) == ["abcd", "abcd", "abc"]
    assert letters.wrapped("ab", "title", 1, 2)[0] == "a"
    assert letters.width_of("\u2e80", "title") == letters.width_of("漢", "title")


@pytest.mark.parametrize(("first", "last"), [(0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)])
def test_marks_that_nobody_sees_are_left_out(first: int, last: int) -> None:
    ends = [first - 1, first, last, last + 1]
    assert [end for end in ends if letters.plain(f"a{chr(end)}b") == "ab"] == [first, last]


def test_the_letters_of_a_phone_are_read_there() -> None:
    """A drawing on a phone of 390 pixels has 308 of them, and no letter less than 11."""
    least = min(letters.LOOKS[text.look].size for plain, row in scenes()
                for text in drawing.narrow(sentences.scene(plain, row)).texts)  # fmt: skip
    assert least * 308 / drawing.NARROW >= 11


def test_the_station_that_decides_shows_the_line_that_the_answer_names() -> None:
    quoted = 0
    for plain, row in scenes():
        deciding = [s for s in row["stations"] if s["decides"]]
        assert len(deciding) == bool(row["reasons"])
        for picture in [
            draw(sentences.scene(plain, row)) for draw in (drawing.wide, drawing.narrow)
        ]:
            amber = [b for b in picture.boxes if b.look in (drawing.DECIDES, drawing.DOUBTED)]
            assert [box.name for box in amber] == [s["station"] for s in deciding]
            lines = row["reasons"][0]["lines"] if row["reasons"] else []
            if not lines or not lines[0]["text"]:
                continue
            quoted += 1
            inside = [t for t in picture.texts if box_of(picture, t.x, t.y) == amber]
            rule = "".join([t.text for t in inside if t.look == "rule"]).replace(" ", "")
            whole = sentences.quoted(lines[0])
            cut = rule.endswith("…")
            assert " ".join(whole.split()).replace(" ", "").startswith(rule.rstrip("…"))
            assert cut == (len(rule.rstrip("…")) < len(whole.replace(" ", "")))
            assert not cut or len(rule) > 50
            assert sentences.place(lines[0]) in " ".join(t.text for t in inside)
    assert quoted > 100


def test_a_rule_decides_at_its_own_station_where_packets_come_to_it() -> None:
    for _, row in scenes():
        for stop in row["stations"] if row["reasons"] else []:
            station = next(one for one in STATIONS if one["name"] == stop["station"])
            if row["reasons"][0]["rule"] in station["rules"]:
                bypassed = stop["state"] == AROUND and len(row["paths"]) == 1
                assert stop["decides"] != bypassed, (row["class"], stop)


@pytest.mark.parametrize(
    ("rules", "around", "deciding"),
    [
        (MARK, ["filter", "queues"], "tracking"),
        ("add action=accept chain=forward connection-state=established,related\n" + MARK, [],
         "filter"),
        ("add action=drop chain=input\n", [], "filter"),
    ],
)  # fmt: skip
def test_a_station_is_bypassed_where_the_path_is_not(
    rules: str, around: list[str], deciding: str
) -> None:
    row = next(r for r in answered(HOME + rules)["classes"] if r["class"] == "established")
    assert [s["station"] for s in row["stations"] if s["state"] == AROUND] == around
    assert [s["station"] for s in row["stations"] if s["decides"]] == [deciding]


def test_the_line_of_a_path_runs_through_what_is_passed_and_past_what_is_not() -> None:
    for plain, row in scenes():
        of = sentences.scene(plain, row)
        for picture in (drawing.wide(of), drawing.narrow(of)):
            [points] = [line.points for line in picture.lines if line.look == "live"]
            bypassed = any(s["state"] == AROUND for s in row["stations"])
            assert any(line.look == "detour" for line in picture.lines) == bypassed
            through = set()
            for (x, y), (to_x, to_y) in pairwise(points):
                stretch = Box("", min(x, to_x), min(y, to_y), abs(to_x - x), abs(to_y - y), "", "")
                through |= {box.name for box in picture.boxes if overlap(box, stretch)}
            inner = row["stations"][1:-1]
            passed = {s["station"] for s in inner if s["state"] != AROUND}
            assert through <= passed
            for name in passed:
                [box] = [b for b in picture.boxes if b.name == name]
                ends = [(box.x, box.y + box.height / 2), (None, box.y)]
                assert any((p[0] == ends[0][0] and p[1] == ends[0][1]) or p[1] == ends[1][1]
                           for p in points), name  # fmt: skip


@pytest.mark.parametrize(("way", "same"), [("half", True), ("fast-path", False)])
def test_a_half_fastpath_leaves_by_the_slow_lane(way: str, same: bool) -> None:
    plain, row = next(pair for pair in scenes() if pair[1]["paths"][0] == way)
    picture = drawing.wide(sentences.scene(plain, row))
    assert NAMES["fast-path"] in [text.text for text in picture.texts if text.look == "lane"]
    boxes = {box.name: box for box in picture.boxes}
    places = [boxes[name].y + boxes[name].height / 2 for name in ("port-queue", "filter")]
    assert (places[0] == places[1]) == same


def test_the_stations_beyond_the_step_are_not_lit() -> None:
    plain, row = next(pair for pair in scenes() if pair[1]["paths"] == ["slow"])
    of = sentences.scene(plain, row)
    count = len(of.stations)
    for lit in range(count + 1):
        for draw in (drawing.wide, drawing.narrow):
            looks = [box.look for box in draw(of, lit).boxes]
            assert [look == "pending" for look in looks] == [n >= lit for n in range(count)]


@settings(max_examples=80, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    st.sampled_from(list(NAMES)),
    st.lists(st.sampled_from(STRANGE) | st.text(LETTERS, max_size=60), min_size=6, max_size=6),
    st.lists(st.sampled_from(["works", "idle", AROUND]), min_size=len(STATIONS),
             max_size=len(STATIONS)),
    st.sets(st.integers(1, len(STATIONS) - 2)),
    st.integers(-1, len(STATIONS)),
)  # fmt: skip
def test_a_strangers_texts_are_texts(
    way: str, words: list[str], states: list[str], inner: set[int], decides: int
) -> None:
    chosen = [0, *sorted(inner), len(STATIONS) - 1]
    stations = [
        {
            "station": STATIONS[n]["name"],
            "title": words[4],
            "short": words[5],
            "state": states[n] if 0 < n < len(STATIONS) - 1 else "works",
            "does": words[4],
            "decides": n == decides,
        }
        for n in chosen
    ]
    of = Scene(words[0], words[1], words[2], way, stations, words[3], words[4][:20])
    for picture in pictures(of):
        check(picture)
        svg = picture.svg()
        unseen = [c for c in svg if unicodedata.category(c) in ("Cc", "Cs")]
        assert not unseen and not set(TURNING) & set(svg)
        root = ET.fromstring(svg)
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "rect", "polyline", "text"}
        names = {name for element in root.iter() for name in element.attrib}
        assert not [name for name in names if name.startswith("on") or "href" in name]


def test_a_drawing_is_whole_by_itself() -> None:
    svg = sentences.picture(answered(HOME + MARK), "established")
    for word in ("<style", "<script", "url(", "href", "@font-face", "<image", "var("):
        assert word not in svg
    root = ET.fromstring(svg)
    page = root.find(f"{SVG}rect")
    assert page is not None and page.get("fill") == "#ffffff"
    assert page.get("width") == root.get("viewBox", "").split()[2]
    assert root.findtext(f"{SVG}title") and root.findtext(f"{SVG}desc")


def test_a_drawing_shows_no_more_of_a_line_than_the_answer() -> None:
    text = HEAD + LAN_AND_WAN + (
        "/ip ipsec policy\nadd src-address=10.0.0.0/8 dst-address=10.1.0.0/16 tunnel=yes\n"
        "/ip firewall filter\nadd action=accept chain=forward comment=\"my Secret\" "
        "connection-state=established\nadd action=fasttrack-connection chain=forward "
        "connection-state=established comment=hidden\n"
    )  # fmt: skip
    for row in answered(text)["classes"]:
        if row["stations"]:
            of = sentences.scene(answered(text), row)
            assert "Secret" not in drawing.wide(of).svg() and "hidden" not in drawing.wide(of).svg()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("rules: [hotspot]", "rules: [hotspots]", "'hotspots' is no rule"),
        ("rules: [hotspot]", "rules: [nat]", "'nat' is at two stations"),
        ("    rules: [hotspot]\n", "", "'hotspot' closes a path and has no station"),
        ("fast-path-bond", "fast-path-bonds", "fast-path-bonds"),
    ],
)
def test_each_rule_that_closes_a_path_has_one_station(
    tmp_path: Any, old: str, new: str, says: str
) -> None:
    folder = shutil.copytree(RULES, tmp_path / "rules")
    text = (folder / "stations.yml").read_text()
    assert old in text
    (folder / "stations.yml").write_text(text.replace(old, new, 1))
    with pytest.raises(RuleFileError, match=says):
        load(folder)
