"""Answers as lines for a terminal: the short one, all of it, and one packet's.

No line is wider than asked; a command that goes on has RouterOS's `\\`, so it can be pasted.
"""

from __future__ import annotations

from typing import Any

from rosexplain import sentences
from rosexplain.language import N_, and_more, before_number
from rosexplain.ordered import unique
from rosexplain.traffic import DECISIVE

MOST_LINES = 60
"""Lines of a short answer."""
WIDTH = 80
"""Columns of text where nobody says how wide the window is."""
NARROW = 30
"""Columns below which nothing is indented."""
MOST_UNREAD = 20
MOST_COMMANDS = 6
"""Commands that are shown, those of the first thing to do whatever room they take."""
MOST_OF_FIRST = 16
"""Commands of the first thing to do that are shown; of more, `--all` has them."""
MOST_QUOTED = 3
"""Lines of the line that decides."""

SAFE_MODE = N_("Ctrl+X enters safe mode; a second Ctrl+X keeps the changes, and Ctrl+D undoes them")
"""By the manual's page on configuration management."""
UNDO = N_("--all shows how to undo each")
NOT_SHOWN = N_("An export cannot show port speeds, CPU load or Wi-Fi.")
HIDDEN = " (--all has the commands)."
"""Behind what a thing to do gains, where its commands find no room."""
NOTICED = N_("Also noticed:")
MORE = 'More: --all, or --packet "in=ether2 dst=1.1.1.1:443/tcp established"'


def answered(
    plain: dict[str, Any], summary: dict[str, Any], width: int = WIDTH, whole: bool = False
) -> list[str]:
    """The answer to what was asked: one packet's, all of it if `whole`, or the short one.

    `plain` and `summary` are the answer as data; a packet's key is `packet`.
    """
    named = sentences.named(plain)
    rows = packet(named, width) if "packet" in named else []
    if whole:
        return rows + ([""] if rows else []) + everything(named, summary, width)
    for warning in summary["ahead"] + summary["warnings"] if rows else []:
        rows += wrapped(warning, width)
    return rows or short(summary, width)


def short(summary: dict[str, Any], width: int = WIDTH) -> list[str]:
    """The short answer (`summary.summary`), at most MOST_LINES lines of `width` columns.

    Only what is never hidden makes it longer: the first thing to do, others up to MOST_COMMANDS in
    all if nobody has to choose, what is on the air, and what keeps strangers out.
    Another thing to do is there whole, or without its commands, or not: `--all` has the rest.
    What the owner of a network feels comes before what only tidies up.
    """
    head = _head(summary, width)
    more = [""] + wrapped(summary["nothing"] or summary["closing"], width) + wrapped(MORE, width)
    things = summary["to_do"]
    begin = [""] + wrapped("To do. " + SAFE_MODE + "; " + UNDO + ".", width) if things else []
    asks: list[str] = []
    for ask in summary["asks"]:
        text = "Not known: " + ask["about"] + ". Ask the router: " + ask["command"]
        asks += wrapped(text, width, "  ")
    parts = {name: wrapped(summary[name], width)
             for name in ("why", "speed", "others", "tunnels", "air", "leave")}  # fmt: skip
    parts["asks"] = asks
    every = {line: wrapped(line, width, "  ") for line in summary["noticed"]}
    never_hidden = {line: every[line] for line in summary["unguarded"]}
    noticed = {line: every[line] for line in every if line not in never_hidden}
    room = MOST_LINES - len(head + more + begin + parts["air"])
    room -= len(wrapped(NOTICED, width)) if noticed else 0
    chosen = {"air": parts["air"]}
    chosen.update(never_hidden)
    steps: dict[int, list[str]] = {}
    briefs = [_hidden(1, thing["brief"] or thing["gain"], width) for thing in things]
    # What is for security has its line at least.
    kept = [len(brief) if thing["secures"] and place else 0
            for place, (thing, brief) in enumerate(zip(things, briefs, strict=True))]  # fmt: skip
    room -= sum(kept)
    typed = 0
    for wanted in _by_weight(summary):
        if isinstance(wanted, int):
            thing, brief = things[wanted], briefs[wanted]
            room += kept[wanted]
            most = MOST_OF_FIRST if not steps or thing["secures"] else MOST_COMMANDS - typed
            whole = len(thing["commands"]) <= most
            rows = _thing(1, thing, width) if whole else brief
            shown = [one for one in (rows, brief) if len(one) <= max(room, kept[wanted])]
            never_hides = wanted == 0 or thing["secures"] or (whole and not thing["optional"])
            shown = [rows] if never_hides else shown[:1]
            typed += len(thing["commands"]) if whole and shown == [rows] else 0
            for one in shown:
                steps[wanted] = one
        else:
            shown = [noticed[wanted] if wanted in noticed else parts[wanted]]
            shown = [rows for rows in shown if rows and len(rows) <= room]
            for rows in shown:
                chosen[wanted] = rows
        room -= sum(len(rows) for rows in shown)
    body: list[str] = []
    for name in ("why", "speed", "others", "tunnels", "air"):
        body += chosen.get(name, [])
    body += begin
    for number, place in enumerate(sorted(steps), start=1):
        rows = steps[place]
        body += [str(number) + rows[0][rows[0].index(". ") :]] + rows[1:]
    body += chosen.get("leave", [])
    listed = [row for line in summary["noticed"] for row in chosen.get(line, [])]
    body += (wrapped(NOTICED, width) + listed if listed else []) + chosen.get("asks", [])
    return head[: MOST_LINES - len(more)] + body + more


def _by_weight(summary: dict[str, Any]) -> list[Any]:
    """What competes for the room of a short answer, the weightiest first.

    The place of a thing to do, a sentence of what was noticed, or the name of another part.
    """
    things = list(enumerate(summary["to_do"]))
    needed = [place for place, thing in things if not thing["optional"] or place == 0]
    secures = [place for place, thing in things if thing["secures"] and place not in needed]
    chosen = [place for place, _ in things if place not in needed + secures]
    effects = [line for line in summary["noticed"] if line in summary["effects"]]
    known = effects + summary["unguarded"]
    tidy = [line for line in summary["noticed"] if line not in known]
    guards: list[Any] = ["leave"] if things else []
    # What may not wait has no brief, as a change of the air.
    whole = [place for place in needed[1:] if not things[place][1]["brief"]]
    rest = [place for place in needed[1:] if place not in whole]
    first: list[Any] = needed[:1] + guards + whole + effects + rest + ["tunnels"] + secures
    others = [name for name in ("why", "leave", "speed", "others", "asks") if name not in guards]
    return first + others + chosen + tidy


def _head(summary: dict[str, Any], width: int) -> list[str]:
    """The router, the file's name, and what matters most, with the line that decides."""
    file = ", ".join(summary["files"])
    gap = width - len(summary["router"]) - len(file)
    rows = [summary["router"] + " " * gap + file] if gap > 1 else []
    rows = rows or wrapped(summary["router"], width) + wrapped("  " + file, width, "  ")
    for limit in summary["ahead"]:
        rows += wrapped(limit, width)
    rows += wrapped(summary["answer"], width)
    rows += wrapped("  " + summary["line"], width, "    ")[:MOST_QUOTED] if summary["line"] else []
    for warning in summary["warnings"]:
        rows += wrapped(warning, width)
    return rows


def _thing(number: int, thing: dict[str, Any], width: int) -> list[str]:
    """One thing to do: what it gains, the commands, and what is lost."""
    gain = thing["brief"] if thing["secures"] and thing["brief"] else thing["gain"]
    rows = wrapped(str(number) + ". " + gain, width, "   ")
    for command in thing["commands"]:
        rows += continued("   " + command, width, "       ")
    if thing["loses"]:
        rows += wrapped("   loses: " + thing["loses"], width, "     ")
    return rows


def _undo(thing: dict[str, Any], width: int, indent: str) -> list[str]:
    rows: list[str] = []
    for number, command in enumerate(thing["undo"]):
        begin = indent + ("      " if number else "undo: ")
        rows += continued(begin + command, width, indent + "          ")
    return rows


def _hidden(number: int, gain: str, width: int) -> list[str]:
    """A thing to do whose commands find no room."""
    return wrapped(str(number) + ". " + gain.rstrip(".") + HIDDEN, width, "   ")


class Notes:
    """The sentences that an answer rests on, each with its source, numbered as they come."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, says: str, source: str) -> str:
        """The mark of a sentence: `[3]`."""
        text = (says + " " + source[:1].upper() + source[1:] if says else source) + "."
        if text not in self.texts:
            self.texts.append(text)
        return "[" + str(self.texts.index(text) + 1) + "]"


def everything(plain: dict[str, Any], summary: dict[str, Any], width: int = WIDTH) -> list[str]:
    """Every class, remedy and note; `plain`: with lines as people name them (`sentences.named`)."""
    notes = Notes()
    rows = _head(summary, width)
    marks = unique([notes.of("", source) for source in summary["speed_sources"]])
    rows += wrapped(" ".join([summary["speed"]] + marks), width) if summary["speed"] else []
    for row in plain["classes"]:
        rows += [""] + _class(row, notes, width)
    if _changed(plain):
        cited = " ".join([notes.of("", fact) for fact in plain["typing"]])
        rows += [""] + wrapped("To undo: " + SAFE_MODE + " " + cited, width)
    if plain["notes"]:
        rows += ["", "Worth knowing"]
    for note in plain["notes"]:
        rows += _note(note, notes, width)
    for row in plain["chip_vlans"]:
        text = (row["says"] or row["why"] + ".") + " " + notes.of("", row["source"])
        rows += ["", "VLANs in the switch chip"] + wrapped(
            "  " + _places(row) + " " + text, width, "    "
        )
        rows += _commands(row, width)
    rows += [""] + wrapped(summary["leave"], width) if summary["leave"] else []
    for title, lines in (
        ("Limits in the export", [_met(row, notes) for row in plain["limits"]]),
        ("Also noticed", [_met(row, notes) for row in plain["noticed"]]),
        ("Switch chip", [_offload(row, notes) for row in plain["offload"]]),
        ("What the router printed", sentences.evidence(plain)),
        ("Not read", _unread(plain["unread"])),
        ("Not in the export, so the default is assumed", _defaults(plain, notes)),
        ("Notes", ["[" + str(n) + "] " + text for n, text in enumerate(notes.texts, start=1)]),
    ):
        rows += [""] + wrapped(title, width) if lines else []
        for line in lines:
            rows += wrapped("  " + line, width, "      ")
    base = plain["rules"]
    last = "Rules {} for RouterOS {}, from the manual as of {}; not confirmed on a router."
    return (
        rows + [""] + wrapped(last.format(base["version"], base["read_for"], base["read"]), width)
    )


def _met(row: dict[str, Any], notes: Notes) -> str:
    """A limit or a notice with its lines and its source."""
    says = row["says"].rstrip(".") + sentences.at_lines(row) + "."
    return " ".join([says] + [notes.of("", fact) for fact in row["facts"]] + sentences.to_see(row))


def _class(row: dict[str, Any], notes: Notes, width: int) -> list[str]:
    """The packets of a class: their path, why, what they cost, and what would change it."""
    title = row["title"] + ": " + sentences.paths_in_words(row["paths"], row["answer"])
    rows = wrapped(title[:1].upper() + title[1:], width, "  ")
    marks: list[list[str]] = []
    for reason in row["reasons"]:
        why = reason["label"] + (": " if reason["label"] and reason["why"] else "") + reason["why"]
        about = " ".join([part for part in (_places(reason), why) if part]) or "by"
        same = [one for one in marks if one[0] == about]
        marks += [] if same else [[about]]
        (same or marks[-1:])[0].append(notes.of(str(reason["says"]), reason["cited"]))
    for words in marks:
        rows += wrapped("  " + " ".join(words), width, "    ")
    for reason in row["reasons"]:
        if reason["cost"]:
            cost = "costs " + reason["cost"]["cost"] + " as much as without it "
            what = reason["label"] or _places(reason).rstrip(":")
            text = "  " + what + " " + cost + notes.of("", reason["cost"]["of"])
            rows += wrapped(text, width, "    ")
    if row["kind"] in DECISIVE:
        for way, cost in zip(row["paths"], row["costs"], strict=True):
            if cost:
                text = "  cost per packet, " + sentences.path_of(way) + ": " + cost["cost"] + " "
                rows += wrapped(text + notes.of("", cost["of"]), width, "    ")
    for change in row["changes"]:
        begin = "  an update of RouterOS gives " if change["update"] else "  this change gives "
        rows += wrapped(begin + sentences.promised(change) + ":", width, "    ")
        rows += _commands(change, width)
    return rows + _asked(row, width)


def _commands(change: dict[str, Any], width: int) -> list[str]:
    rows: list[str] = []
    for command in change["commands"]:
        rows += continued("    " + command, width, "        ")
    if change["commands"] or change.get("update"):
        rows += wrapped("    you lose: " + change["loses"], width, "      ")
        rows += _undo(change, width, "    ")
    return rows


def _asked(row: dict[str, Any], width: int) -> list[str]:
    rows: list[str] = []
    for ask in sentences.asks(row):
        rows += wrapped("  ask the router: " + ask, width, "    ")
    return rows


def _changed(plain: dict[str, Any]) -> bool:
    rows = [change for row in plain["classes"] for change in row["changes"] if change["commands"]]
    return bool(rows or [note for note in plain["notes"] if note["commands"]])


def _note(note: dict[str, Any], notes: Notes, width: int) -> list[str]:
    marks = [notes.of("", fact) for fact in note["facts"]]
    places = _places(note)
    text = " ".join([part for part in [note["says"], places] + marks if part])
    return wrapped("  " + text, width, "    ") + _commands(note, width) + _asked(note, width)


def _places(row: dict[str, Any]) -> str:
    places = [sentences.place(line) for line in row["lines"]]
    places = places[:1] + [place.replace(before_number(), "") for place in places[1:]]
    places += [and_more(row["more"])] if row.get("more") else []
    return ", ".join(places) + ":" if places else ""


def _offload(row: dict[str, Any], notes: Notes) -> str:
    where = _places(row) or "the export:"
    return " ".join(
        [part for part in (where, row["seen"], notes.of(row["says"], row["cited"])) if part]
    )


def _defaults(plain: dict[str, Any], notes: Notes) -> list[str]:
    return [
        row["menu"] + " " + row["property"] + "=" + row["value"] + " " + notes.of("", row["source"])
        for row in plain["defaults"]
    ]


def _unread(unread: list[dict[str, Any]]) -> list[str]:
    left = len(unread[MOST_UNREAD:])
    more = [str(left) + " more; --json lists all."] if left else []
    return [sentences.unread(line) for line in unread[:MOST_UNREAD]] + more


def tried(plain: dict[str, Any], width: int = WIDTH) -> list[str]:
    """A change that was tried (`tried.compared`): a sentence on all of it, and its parts."""
    rows = wrapped(plain["says"], width)
    for part in plain["parts"]:
        rows += ["", part["title"]]
        for line in part["says"]:
            rows += wrapped("  " + line, width, "      ")
    text = "Probes asked before and after: {}. Nothing was changed on the router."
    return rows + [""] + wrapped(text.format(plain["probes"]), width)


def packet(plain: dict[str, Any], width: int = WIDTH) -> list[str]:
    """Return one packet's end, then a line for each rule."""
    asked = plain["packet"]
    ends = sentences.packet_end(asked)
    rows = wrapped("The packet " + asked["asked"], width, "  ")
    for line in ends:
        rows += wrapped(line, width, "  ")
    table = sentences.packet_rows(asked)
    most = [max([len(row[column]) for row in table] + [0]) for column in range(3)]
    for row in table:
        cells = [row[n] + " " * (most[n] - len(row[n])) for n in range(3)]
        rows += wrapped("  " + "  ".join(cells + [row[3]]), width, "      ")
        rows += wrapped("      " + row[4], width, "      ") if row[4] else []
    return rows


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """A text in lines of `width` columns, those after the first indented; none of no text.

    A word that is longer than a line is cut.
    """
    return [row for row, _ in _folded(text, width, indent)] if text else []


def continued(command: str, width: int, indent: str) -> list[str]:
    r"""A command in lines of `width` columns, with RouterOS's `\` where it goes on.

    RouterOS drops the spaces that the next line begins with.
    """
    rows = _folded(command, width - 2, indent)
    last = len(rows) - 1
    return [
        row + ("" if n == last else "\\" if cut else " \\") for n, (row, cut) in enumerate(rows)
    ]


def _folded(text: str, width: int, indent: str) -> list[tuple[str, bool]]:
    """Lines, each with whether its last word goes on in the next."""
    begin = text[: len(text) - len(text.lstrip(" "))]
    if width < NARROW:
        begin = indent = ""
    rows: list[tuple[str, bool]] = []
    row, empty = begin, True
    for word in text.strip(" ").split(" "):
        rest = word
        while len(row) + (0 if empty else 1) + len(rest) > width:
            if empty:
                room = max(1, width - len(row))
                rows.append((row + rest[:room], True))
                rest = rest[room:]
            else:
                rows.append((row, False))
            row, empty = indent, True
        row, empty = row + ("" if empty else " ") + rest, False
    return rows + [(row, False)]
