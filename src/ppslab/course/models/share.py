"""A link to an answer of `explain`, and the answer as a forum post.

The fragment of a link holds words of closed lists only: the verdict, the classes of packets with
their answers and paths, the rule and the fact that decide, the stations of the drawing, a version
and a device that the rule base knows.  Whoever opens it has these words explained by the same rule
base; a word that is on no list counts for nothing, as anybody can write a link.

    verdict=slow&classes=established.no.slow,new.no.slow&why=fasttrack-accept-in-front
    &stations=in.works,filter.works.decides

A post is written of an answer whose names and addresses are replaced (rosexplain.sharing).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ppslab.core.text.language import N_, gettext
from ppslab.course.models.drawing import table
from ppslab.course.models.packet_path import path_figures
from rosexplain import network, sentences, summary, traffic
from rosexplain.decide import AROUND, DROPPED, FASTTRACK, IDLE, NAMES, SLOW, WORKS
from rosexplain.device import row_of
from rosexplain.drawing import Scene

VERDICTS = {
    summary.Verdict.FAST: N_("Fast"),
    summary.Verdict.LIMITED: N_("Limited"),
    summary.Verdict.SLOW: N_("Slow"),
    summary.Verdict.ON_PURPOSE: N_("Slow on purpose, it seems"),
    summary.Verdict.UNKNOWN: N_("Not known"),
}
"""The word on an answer, beside its colour."""

MOST = 1400
"""Letters of a fragment: with the 60 of the site's address before it, a link has at most 1500."""

WITHIN = "."
"""Between the words of one class or one station: of these, no word of a list has a point."""
DECIDES = "decides"

TITLES = {
    "established": N_("LAN to WAN, established TCP and UDP"),
    "new": N_("LAN to WAN, the first packet of a connection"),
    "port-forward": N_("WAN to LAN, forwarded port, established"),
    "lan-to-lan": N_("between LAN networks, established"),
    "pppoe-server": N_("PPPoE sessions to WAN, established TCP and UDP"),
    "other": N_("LAN to WAN, ICMP, GRE and ESP"),
    "to-router": N_("to the router itself"),
    "ipv6": N_("IPv6, established TCP and UDP"),
    "ipsec": N_("encrypted by an IPsec policy"),
    "bridged": N_("bridged"),
    "carried": N_("through a tunnel"),
    "containers": N_("to and from containers"),
}
"""The classes of packets in words, without the names of a router's interfaces."""

TUNNELS = network.TUNNELS + ("pppoe-client",)

CHAPTERS = {
    "bridge": "fastpath",
    "fast path": "fastpath",
    "firewall": "fastpath",
    "MPLS": "fastpath",
    "FastTrack": "fasttrack",
    "queues": "queues",
    "limits": "queues",
    "noticed": "fastpath",
    "hardware offload": "l3offload",
    "tunnels": "eoip",
    "IPsec": "eoip",
    "VLAN, MTU and bonds": "eoip",
    "servers of PPP": "pppoe",
    "Wi-Fi": "fastpath",
}
"""The chapter about the subject of a rule."""

BY_FACT = (
    ("fasttrack", "fasttrack"),
    ("l3hw", "l3offload"),
    ("bridge-hardware", "l3offload"),
)
"""The chapter about a fact without a rule, by how its name begins."""

NAMED = {
    "fastpath": "Fast Path",
    "fasttrack": "FastTrack",
    "queues": N_("Queues"),
    "l3offload": N_("L3 hardware offload"),
    "eoip": "EoIP",
    "pppoe": "PPPoE",
}

VIRTUAL = "CHR"

PORTS = ["in", "out"]
"""The stations at which a drawing begins and ends."""

STAGES = ("alpha", "beta", "rc")


def link(plain: dict[str, Any], short: dict[str, Any], base: dict[str, Any]) -> str:
    """The fragment of an answer's link; empty where no class of packets can be named.

    A long answer loses its last classes.
    """
    main = [item for item in plain["classes"] if item["class"] == short["class"]]
    classes: list[str] = []
    for item in main + plain["classes"]:
        words = WITHIN.join([_class(item, base), item["answer"]] + item["paths"])
        if _path(words, base) and words not in classes:
            classes.append(words)
    if not classes:
        return ""
    first = (main or plain["classes"])[0]
    reason = first["reasons"][0] if first["reasons"] else {"rule": "", "fact": ""}
    pairs = _pairs("why", reason["fact"]) + _pairs("rule", reason["rule"])
    pairs += _pairs("routeros", _version(plain["router"]["version"]))
    pairs += _pairs("model", _slug(_device(plain["router"]["model"], base)))
    pairs += _pairs("stations", ",".join([_stop(stop) for stop in first["stations"]]))
    while True:
        begins = _pairs("verdict", str(short["verdict"])) + _pairs("classes", ",".join(classes))
        fragment = "&".join([name + "=" + value for name, value in begins + pairs])
        if len(fragment) <= MOST:
            return fragment
        classes.pop()


def answer(fragment: str, base: dict[str, Any], names: dict[str, str]) -> dict[str, Any] | None:
    """Answer that the link refers to; None where its fragment names none."""
    linked = _read(fragment, base, names)
    if linked is None:
        return None
    rule, fact = linked["rule"], linked["fact"]
    about, verdict, paths = linked["paths"][0]
    in_words = sentences.paths_in_words(paths, verdict)
    says = _title(about, base) + ": " + in_words + "."
    more = []
    if fact is not None:
        more.append(gettext("Why: {says}").format(says=fact["says"] + " [" + fact["cited"] + "]"))
    if rule is not None:
        more.append(gettext("What decides it: {decides}").format(decides=rule["decides"]))
    rows = [[_title(name, base), sentences.paths_in_words(ways, word)]
            for name, word, ways in linked["paths"]]  # fmt: skip
    tables = [table(gettext("Which path"), [gettext("packets"), gettext("path")], rows)]
    figures: list[dict[str, str]] = []
    if linked["stops"]:
        words = in_words[:1].upper() + in_words[1:]
        title = _title(about, base)
        scene = Scene(title[:1].upper() + title[1:], words, linked["router"], paths[0],
                      linked["stops"], rule["decides"] if rule else "", "")  # fmt: skip
        figures = path_figures([scene])
    chapter = linked["chapter"]
    return {
        "verdict": [linked["verdict"], gettext(VERDICTS[linked["verdict"]])],
        "says": [linked["router"] + ": " + says if linked["router"] else says],
        "more": more,
        "figures": figures,
        "tables": tables,
        "warns": [gettext("This answer follows MikroTik's manual; no router has confirmed it.")],
        "shared": {
            "chapter": gettext(NAMED[chapter]),
            "address": "book/" + chapter + "/index.html",
        },
        "values": {"answers": [[name, word, ways] for name, word, ways in linked["paths"]]},
    }


def posts(
    fragment: str,
    short: dict[str, Any],
    paths: dict[str, Any],
    base: dict[str, Any],
    names: dict[str, str],
) -> list[dict[str, str]]:
    """Return an answer as text for a forum, in each of its languages, and how a link ends it.

    `short`: of an export whose names and addresses are replaced; `paths`: the table of its classes.
    """
    linked = _read(fragment, base, names)
    if linked is None:
        return []
    title = gettext(VERDICTS[short["verdict"]])
    if linked["router"]:
        title += ": " + linked["router"]
    parts = [["title", title]] + [["text", says] for says in short["ahead"] + [short["answer"]]]
    if short["line"]:
        parts.append(["code", short["line"]])
    parts += [["text", says] for says in [short["why"]] + short["warnings"] if says]
    if short["nothing"]:
        parts.append(["text", short["nothing"]])
    for thing in short["to_do"]:
        parts.append(["text", thing["gain"]])
        if thing["commands"]:
            parts.append(["code", "\n".join(thing["commands"])])
        if thing["loses"]:
            parts.append(["text", gettext("You lose") + ": " + thing["loses"]])
    parts += [["text", says] for says in (short["leave"], short["closing"]) if says]
    parts.append(["title", paths["title"]])
    parts += [["item", row[0] + ": " + row[1]] for row in paths["rows"]]
    return [
        {"name": "Markdown", "text": _written(parts, _markdown), "link": "<{link}>"},
        {"name": "BBCode", "text": _written(parts, _bbcode), "link": "[url]{link}[/url]"},
    ]


MARKS = "\\`*_[]<>#|~"
"""Letters that Markdown reads as marks."""


def _markdown(kind: str, text: str) -> str:
    marked = "".join(["\\" + letter if letter in MARKS else letter for letter in text])
    fence = "```"
    while fence in text:
        fence += "`"
    shapes = {"title": "**" + marked + "**", "text": marked, "item": "- " + marked,
              "code": fence + "\n" + text + "\n" + fence}  # fmt: skip
    return shapes[kind]


def _bbcode(kind: str, text: str) -> str:
    shapes = {"title": "[b]" + text + "[/b]", "text": text, "item": "- " + text,
              "code": "[code]" + text.replace("[/code]", "[ /code]") + "[/code]"}  # fmt: skip
    return shapes[kind]


def _written(parts: list[list[str]], shape: Callable[[str, str], str]) -> str:
    """Paragraphs with an empty line between them; the items of a list have none."""
    whole = before = ""
    for kind, text in parts:
        between = "\n" if kind == before == "item" else "\n\n"
        whole += (between if whole else "") + shape(kind, text)
        before = kind
    return whole


def _stop(stop: dict[str, Any]) -> str:
    words = [stop["station"], stop["state"]] + ([DECIDES] if stop["decides"] else [])
    return WITHIN.join(words)


def _read(fragment: str, base: dict[str, Any], names: dict[str, str]) -> dict[str, Any] | None:
    """Return the things that a fragment names, each word looked up in its list."""
    words = {}
    for pair in fragment.split("&"):
        name, _, value = pair.partition("=")
        words[name] = value
    verdict = words.get("verdict", "")
    paths = [_path(one, base) for one in words.get("classes", "").split(",")]
    known = [path for path in paths if path is not None]
    if verdict not in VERDICTS or not known or paths[0] is None:
        return None
    rules = {rule["id"]: rule for rule in base["rules"]}
    rule = rules.get(words.get("rule", ""))
    fact = base["facts"].get(words.get("why", ""))
    version, device = _version(words.get("routeros", "")), ""
    for name in _devices(base):
        device = name if _slug(name) == words.get("model", "") else device
    router = "RouterOS " + version if version else ""
    if device:
        text = gettext("{router} on {device}") if version else gettext("On {device}")
        router = text.format(router=router, device=_spelled(device, names))
    return {
        "verdict": verdict,
        "paths": known,
        "router": router,
        "rule": rule,
        "fact": fact,
        "stops": _stops(words.get("stations", ""), known[0][2][0], base),
        "chapter": _chapter(rule, words.get("why", "") if fact else ""),
    }


def _path(text: str, base: dict[str, Any]) -> tuple[str, str, list[str]] | None:
    """Read a class, its answer and its paths: `established.no.slow`; None for what names none."""
    about, _, rest = text.partition(WITHIN)
    verdict, _, ways = rest.partition(WITHIN)
    paths = ways.split(WITHIN)
    known = verdict in sentences.ANSWERS and all(way in NAMES or way == DROPPED for way in paths)
    return (about, verdict, paths) if known and _title(about, base) else None


def _stops(text: str, way: str, base: dict[str, Any]) -> list[dict[str, Any]]:
    """The stations of a drawing; none where a word is on no list, or they end at no port."""
    stations = {station["name"]: station for station in base["stations"]}
    stops = []
    for one in text.split(","):
        name, _, rest = one.partition(WITHIN)
        state, _, decides = rest.partition(WITHIN)
        if name not in stations or state not in (WORKS, IDLE, AROUND):
            return []
        station = stations[name]
        fast = station.get("fasttrack" if way == FASTTRACK else "fast", station["works"])
        does = {
            WORKS: station["works"] if way == SLOW else fast,
            IDLE: station.get("idle", gettext("has nothing to do")),
            AROUND: gettext("bypassed"),
        }
        stop = {"station": name, "title": station["title"], "short": station["short"]}
        stop["state"], stop["does"], stop["decides"] = state, does[state], decides == DECIDES
        stops.append(stop)
    ports = [stop["station"] for stop in stops if stop["station"] in PORTS]
    ends = [stops[0]["station"], stops[-1]["station"]]
    whole = ports == PORTS and ends == PORTS and len(stops) > len(PORTS) and way in NAMES
    return stops if whole else []


def _pairs(name: str, value: str) -> list[list[str]]:
    return [[name, value]] if value else []


def _class(item: dict[str, Any], base: dict[str, Any]) -> str:
    """A class without the names of its interfaces: `carried-eoip` for `carried-office`."""
    name, title = item["class"], item["title"]
    if name in TITLES and name not in ("bridged", "carried", "containers"):
        return str(name)
    if name in base["carried"]:
        return str(name)
    if item["kind"] == "bridged":
        return "bridged"
    containers = gettext(traffic.CONTAINERS).partition("{names}")[0]
    if title[: len(containers)] == containers:
        return "containers"
    kind = title.rpartition("(")[2].rstrip(")")
    return "carried-" + kind if kind in TUNNELS else "carried"


def _title(about: str, base: dict[str, Any]) -> str:
    """A class in words; empty for none of ours."""
    if about in TITLES:
        return gettext(TITLES[about])
    if about in base["carried"]:
        return str(base["carried"][about])
    tunnel = about[len("carried-") :]
    if about[: len("carried-")] == "carried-" and tunnel in TUNNELS:
        return gettext("through {tunnel}").format(tunnel=tunnel)
    return ""


def _chapter(rule: dict[str, Any] | None, fact: str) -> str:
    """The chapter about what decides."""
    for begins, chapter in BY_FACT:
        if fact[: len(begins)] == begins:
            return chapter
    return CHAPTERS[rule["subject"]] if rule is not None else "fastpath"


def _version(text: str) -> str:
    """A version of RouterOS, such as 7.20.8 or 7.21rc2; empty for what is none."""
    number = text
    for stage in STAGES:
        before, found, after = text.partition(stage)
        if found:
            if not _digits(after):
                return ""
            number = before
    parts = number.split(".")
    if len(parts) not in (2, 3) or not all(_digits(part) for part in parts):
        return ""
    return text if int(parts[0]) in (6, 7) else ""


def _digits(text: str) -> bool:
    return 0 < len(text) <= 3 and not text.strip("0123456789")


def _devices(base: dict[str, Any]) -> list[str]:
    rows = base["chips"] + base["bridging"] + base["ports"]
    return [VIRTUAL] + [name for row in rows for name in row["devices"]]


def _device(model: str, base: dict[str, Any]) -> str:
    """The device of the rule base that a model is, the longest name; empty for none."""
    row = row_of(model, [{"devices": [name]} for name in _devices(base)])
    return str(row["devices"][0]) if row is not None else ""


def _spelled(device: str, names: dict[str, str]) -> str:
    """A device as people know it, by the table of devices: `RB750Gr3 (hEX)`.

    The rule base has capitals without RB, and of several devices what their names have in common.
    """
    if device in names:
        return names[device]
    return "RB" + device if device[:1].isdigit() else device


def _slug(device: str) -> str:
    """A device in the letters that every program leaves as they are in an address."""
    letters = [letter if letter.isdigit() or letter.isalpha() else "-" for letter in device.lower()]
    return "".join(letters)
