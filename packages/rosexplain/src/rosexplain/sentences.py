"""The sentences of an answer, made from its plain data (`report.Answer.plain`)."""

from __future__ import annotations

from typing import Any

from rosexplain import decide, drawing, printed, secrets
from rosexplain.decide import DROPPED
from rosexplain.language import N_, and_more, before_number, either, gettext, line_of
from rosexplain.matching import UNLIMITED

UNTRIED = N_("The export is long, so some remedies were not tried and are not shown.")
NOT_YET = N_(" (--print cannot read its output yet)")

OF_OTHERS = N_(
    "Names, public addresses and hardware addresses are replaced, so this answer can be shared. "
    "Its commands do not fit the router: do not type them there."
)

READ_BACK = (
    "/ip/settings/print, /ipv6/settings/print, /interface/bridge/settings/print, "
    "/ip/firewall/connection/tracking/print, /tool/sniffer/print, /tool/traffic-generator/print, "
    "/interface/print, /interface/print stats-detail, /interface/bridge/print, "
    "/interface/bridge/port/print, /ip/firewall/filter/print stats, /tool/profile, and any print "
    "with count-only"
)
"""The commands whose output --print takes."""

PACKET = [N_("rule"), N_("chain"), N_("matches"), N_("action"), N_("why")]
"""The head of the table of one packet, in English."""


def asks(row: dict[str, Any]) -> list[str]:
    """The commands that tell what the export cannot; marked where --print does not take them."""
    return [one + ("" if printed.readable(one) else gettext(NOT_YET)) for one in row["asks"]]


def defaults(plain: dict[str, Any]) -> list[str]:
    """Return the defaults that the answer takes for granted, with their sources."""
    return [
        row["menu"] + " " + row["property"] + "=" + row["value"] + " [" + row["source"] + "]"
        for row in plain["defaults"]
    ]


def evidence(plain: dict[str, Any]) -> list[str]:
    """Return a line for each thing that the router printed."""
    return [
        row["what"] + ": " + row["value"] + " (" + place(row) + ")" for row in plain["evidence"]
    ]


def offload(plain: dict[str, Any]) -> list[str]:
    """Return the limits of L3 hardware offload, each with the line that it is seen by."""
    lines = []
    for row in plain["offload"]:
        where = ", ".join([place(line) for line in row["lines"]]) or gettext("the export")
        seen = row["seen"] + ": " if row["seen"] else ""
        lines.append(where + ": " + seen + row["says"] + " [" + row["cited"] + "]")
    return lines


def packet_rows(packet: dict[str, Any]) -> list[list[str]]:
    """One packet, rule by rule: the cells under PACKET."""
    rows = []
    for step in packet["steps"]:
        matches = gettext(step["verdict"])
        if not step["sure"]:
            matches = gettext("{verdict}, if the packet gets here").format(verdict=matches)
        chain = step["table"] + " " + step["chain"]
        rows.append([place(step["line"]), chain, matches, step["action"], ", ".join(step["why"])])
    return rows


def packet_end(packet: dict[str, Any]) -> list[str]:
    """Return the sentences about a packet, its end last."""
    says: list[str] = []
    if packet["left"]:
        says.append(gettext("{left} more rules are not shown.").format(left=str(packet["left"])))
    path = either([path_of(way) for way in packet.get("path", [])])
    why = "".join([": " + line for line in packet.get("because", [])])
    says += [gettext("Its path: {path}{why}").format(path=path, why=why)] if path else []
    end = gettext("Result: {ended}. Fast-tracked: {fasttrack}").format(
        ended=packet["ended"], fasttrack=gettext(packet["fasttrack"])
    )
    says += packet.get("says", [])
    return says + [end + "."]


def unread(row: dict[str, Any]) -> str:
    """A line that was not read."""
    begins = " " + row["begins"] if row["begins"] else ""
    return place(row) + begins + ": " + str(row["why"])


def sentence(seen: dict[str, Any]) -> str:
    """One of them in words."""
    where = seen["file"] + ":" + str(seen["line"])
    shown = seen["what"] + ": " + seen["value"] + " (" + where + ")"
    about = gettext(" for {classes}").format(classes="; ".join(seen["classes"]))
    about = about if seen["classes"] else ""
    but = gettext("{shown}, but {says}{about}. {then}").format(
        shown=shown, says=seen["says"], about=about, then=seen["then"]
    )
    return gettext("The running router contradicts this answer. It printed {but}").format(but=but)


ANSWERS = {
    "yes": N_("fast"),
    "no": N_("not fast"),
    "depends": N_("depends on the packet"),
    "unknown": N_("not known from the export"),
}


def path_of(way: str) -> str:
    """A way in words."""
    return gettext("dropped") if way == DROPPED else gettext(decide.NAMES[way])


def replaced(plain: dict[str, Any]) -> list[str]:
    """The warning that commands of an answer for others do not fit the router."""
    return [gettext(OF_OTHERS)] if plain.get("replaced") else []


def paths_in_words(paths: list[str], answer: str) -> str:
    """The paths of a class in one phrase."""
    return either([path_of(way) for way in paths]) + " (" + gettext(ANSWERS[answer]) + ")"


def promised(row: dict[str, Any]) -> str:
    """The path of a class with a remedy; empty for a note's."""
    then = row["then"]
    if not then or "paths" not in then:
        return ""
    costs = [cost["cost"] for cost in then["costs"] if cost and "cost" in cost]
    text = paths_in_words(then["paths"], then["answer"])
    return text + (gettext(", {costs} a packet").format(costs=either(costs)) if costs else "")


def place(line: dict[str, Any]) -> str:
    """`router.rsc:12`; `line 12` where there is one export alone (`named`)."""
    if not line["file"]:
        return line_of(line["line"])
    return str(line["file"]) + ":" + str(line["line"])


def named(plain: dict[str, Any]) -> dict[str, Any]:
    """The answer with lines named as people read them: by number, the file's name said once.

    Of several exports the last part of each one's path stays.
    """
    files: list[str] = plain["router"]["files"]
    ends = [file.replace("\\", "/").rpartition("/")[2] for file in files]
    short = {file: "" if len(files) == 1 else ends[n] for n, file in enumerate(files)}
    copy: dict[str, Any] = _named(plain, short)
    copy["router"]["files"] = ends
    return copy


def _named(part: Any, short: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [_named(one, short) for one in part]
    if not isinstance(part, dict):
        return part
    copy: dict[str, Any] = {}
    for name in part:
        value = part[name]
        if name == "file" and value in short:
            copy[name] = short[value]
        elif name == "loses":
            copy[name] = _shortened(value, short)
        elif name in ("given_up", "logged", "refused"):
            copy[name] = [_shortened(text, short) for text in value]
        else:
            copy[name] = _named(value, short)
    return copy


def _shortened(text: str, short: dict[str, str]) -> str:
    """Return a loss in words, with the places in it."""
    for file, name in short.items():
        begins = name + ":" if name else before_number()
        for before in ("(", ", "):
            text = text.replace(before + file + ":", before + begins)
    return text


def because(reason: dict[str, Any]) -> str:
    """A reason in one sentence, with what of the configuration it is about."""
    says = str(reason["says"])
    if not reason["why"]:
        return says
    about = " (" + str(reason["why"]) + ")"
    return says[:-1] + about + "." if says.endswith(".") else says + about


def quoted(line: dict[str, Any]) -> str:
    """A line of an export as it is quoted by itself: with its menu."""
    return secrets.with_menu(line["text"], line["menu"])


def scene(plain: dict[str, Any], row: dict[str, Any]) -> drawing.Scene:
    """A class of an answer whose lines are named as people name them (`named`)."""
    router = plain["router"]
    version = "RouterOS " + router["version"] if router["version"] else ""
    of = ", ".join([part for part in (router["model"], version) if part])
    rule = where = ""
    if row["reasons"]:
        reason = row["reasons"][0]
        rule = reason["label"] or reason["why"] or reason["says"]
        if reason["lines"] and reason["lines"][0]["text"]:
            rule = quoted(reason["lines"][0])
            where = place(reason["lines"][0])
    verdict = paths_in_words(row["paths"], row["answer"])
    verdict = verdict[:1].upper() + verdict[1:]
    title = row["title"][:1].upper() + row["title"][1:]
    return drawing.Scene(title, verdict, of, row["paths"][0], row["stations"], rule, where)


NO_PICTURE = "nothing to draw, since no packets are forwarded by a known path"


def picture(plain: dict[str, Any], name: str) -> str:
    """The drawing of the class `name`, or else of the first that has one; empty for none."""
    rows = [row for row in plain["classes"] if row["stations"]]
    named = [row for row in rows if row["class"] == name]
    return drawing.wide(scene(plain, (named or rows)[0])).svg() if rows else ""


def deciding(plain: dict[str, Any]) -> list[tuple[str, int]]:
    """File and number of every line that an answer names as its reason."""
    places = []
    for row in plain["classes"]:
        for reason in row["reasons"]:
            places += [(line["file"], line["line"]) for line in reason["lines"]]
    return places


def on_ports(plain: dict[str, Any]) -> str:
    """The VLANs for which alone the switch chip does not route."""
    return gettext(
        "The switch chip of this device can route, but these VLANs must first move "
        "to a bridge with vlan-filtering=yes: {value}."
    ).format(value=", ".join([place(line) for line in plain["vlans_on_ports"]]))


def at_lines(row: dict[str, Any]) -> str:
    """` (line 12, line 14 and 3 more)`; empty without lines."""
    if not row["lines"]:
        return ""
    more = " " + and_more(row["more"]) if row["more"] else ""
    return " (" + ", ".join([place(line) for line in row["lines"]]) + more + ")"


def at_first(row: dict[str, Any]) -> str:
    """` (line 12 and 3 more)`: the line that is quoted, and how many are like it."""
    more = len(row["lines"]) - 1 + row["more"]
    return " (" + place(row["lines"][0]) + (" " + and_more(more) if more else "") + ")"


def barred(plain: dict[str, Any]) -> list[str]:
    """Return the bars to FastTrack as a remedy, and what would help all the same."""
    text = gettext("No FastTrack rule is offered here. {value}{row}.")
    says = [
        quoting(row, text.format(value=row["says"].rstrip("."), row=at_lines(row)))
        for row in plain["barred"]
    ]
    helps = [row["helps"] for row in plain["barred"] if row["helps"]]
    return says + [gettext("What would help: {helps}").format(helps=one) for one in helps]


def quoting(row: dict[str, Any], sentence: str) -> str:
    """The sentence, with the first of the lines that it is about."""
    first = row["lines"][0] if row["lines"] else None
    return sentence[:-1] + ": " + quoted(first) if first and first["text"] else sentence


PASSED_BY = {
    "": N_("Limited by {label}{lines}."),
    decide.FASTTRACK: N_("FastTrack bypasses {label}{lines}."),
    decide.FAST: N_("The fast path bypasses {label}{lines}."),
    decide.CHIP: N_("What the switch chip forwards is not limited by {label}{lines}."),
}
"""The sentences about a limit, by the path past it."""


OF_LINE = N_("With a faster line, raise it to a little below the line's rate.")
"""By the facts bottleneck-elsewhere and shape-to-90."""


def limited(plain: dict[str, Any], past: bool) -> list[str]:
    """Return the limits that the export itself sets, each with its lines, and what shows more.

    `past`: those that some packets bypass, or those that hold.  Queues that FastTrack bypasses are
    a note, where one is there (`unlimited`).
    """
    sentences = []
    noted = [line for note in _noted(plain, UNLIMITED) for line in note["lines"]]
    ahead = [line for row in plain["noticed"] if row["place"] == "ahead" for line in row["lines"]]
    shared = False
    for limit in plain["limits"]:
        if bool(limit["past"]) != past:
            continue
        queue = limit["lines"][0]["menu"].startswith("/queue/")
        if noted and limit["past"] and (queue or limit["lines"][0] in noted):
            continue
        if limit["lines"][0] in ahead:
            continue
        text = gettext(PASSED_BY[limit["past"]])
        text = text.format(label=limit["label"], lines=at_first(limit))
        sentences.append(quoting(limit, text))
        sentences += [] if limit["past"] else to_see(limit)
        shared = shared or (limit["shared"] and not limit["past"])
    # A command that shows several is there once, behind the last of them.
    sentences = [one for n, one in enumerate(sentences) if one not in sentences[n + 1 :]]
    return sentences + ([gettext(OF_LINE)] if shared else [])


def to_see(row: dict[str, Any]) -> list[str]:
    """Return the commands that show more of a limit."""
    return [gettext("To see it: {command}").format(command=ask) for ask in row["asks"]]


INCOMPLETE = "incomplete"
"""The place of the notices by which nobody knows what else the router does."""


def incomplete(plain: dict[str, Any]) -> list[str]:
    """The warning that the export is not whole."""
    return [noticed(row) for row in plain["noticed"] if row["place"] == INCOMPLETE]


def noticed(row: dict[str, Any]) -> str:
    """Return one thing that was noticed beside the answer, with its lines."""
    return str(row["says"]).rstrip(".") + at_lines(row) + "."


def noticed_lines(plain: dict[str, Any], but: tuple[str, ...] = ()) -> list[str]:
    """Return what was noticed beside the answer; `but`: without what has these places."""
    rows = [row for row in plain["noticed"] if row["place"] not in but]
    effects = [noticed(row) for row in rows if row["effect"]]
    whys = [row["why"] + at_lines(row) + "." for row in plain["chip_vlans"] if row["why"]]
    return effects + whys + [noticed(row) for row in rows if not row["effect"]]


def unlimited(plain: dict[str, Any]) -> list[str]:
    """Queues that limit nobody, because FastTrack bypasses them."""
    sentences = []
    for note in _noted(plain, UNLIMITED):
        limits = {"lines": note["lines"][1:], "more": note["more"]}
        text = gettext("These limits do not hold for fast-tracked packets{lines}.")
        sentences.append(quoting(limits, text.format(lines=at_lines(limits))))
    return sentences


def _noted(plain: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    return [note for note in plain["notes"] if note["rule"] == rule]


def misrouted(plain: dict[str, Any]) -> list[str]:
    """The rules of mangle whose table fast-tracked packets do not take, and where they leave."""
    sentences = []
    for note in _noted(plain, "fasttrack-and-marks"):
        by = gettext(" (via {ways})").format(ways=either(note["by"])) if note["by"] else ""
        where = ", ".join([place(line) for line in note["lines"][1:]])
        where += " " + and_more(note["more"]) if note["more"] else ""
        text = gettext(
            "The first packets of a connection use the routing table of their mangle mark "
            "({where}). Once a connection is fast-tracked, its packets bypass mangle and "
            "use the main table{by}."
        )
        sentences.append(text.format(where=where, by=by))
    return sentences


def without(plain: dict[str, Any]) -> list[str]:
    """Return the differences without the lines that were left out."""
    if not plain["without"]:
        return []
    gone = ", ".join([place(line) for line in plain["without"]])
    text = gettext("Without {lines}, {title}: {after}; with all lines: {before}.")
    same = gettext("Without {lines}, no packets change their path.").format(lines=gone)
    return [
        text.format(
            lines=gone, title=row["title"], after=_was(row["after"]), before=_was(row["before"])
        )
        for row in plain["changed"]
    ] or [same]


def _was(answer: Any) -> str:
    return paths_in_words(answer[1], answer[0]) if answer else gettext("no such packets")
