"""Links to the answers of `explain`: what kind of answer it is, and nothing of the export.

The fragment of a link holds words of closed lists only: the class of packets, the verdict, the
paths, the rule and the fact that decide, the rule whose remedy helps, a version and a device that
the rule base knows.  Whoever opens it has these words explained by the same rule base; a word that
is on no list counts for nothing, as anybody can write a link.
"""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import N_, gettext
from rosexplain import network, report, traffic
from rosexplain.decide import DROPPED, NAMES

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

NOTE = "note"
"""A link to a sentence under "Worth knowing" is about no class."""

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

ADDS = {"fasttrack": "rules", "fasttrack-ipv6": "rules-ipv6"}
"""Remedies that add a FastTrack rule: the rule of the base that has the command."""

OFFLOAD = "l3hw"
OFFLOADS = "/interface/ethernet/switch/set 0 l3-hw-offloading=yes"

VIRTUAL = "CHR"

WHERE = (("{row}", "NUMBER"), ("{fasttrack}", "NUMBER"), ("{first}", "NUMBER"),
         ("{list}", "LIST"), (" {before}", ""), (" {ahead}", ""))  # fmt: skip
"""The words of a command where the export would name a row."""

FILTER = "/ip/firewall/filter"
TOGETHER = "-"
"""The menu of a rule that several lines match together, of which FastTrack's is one."""

STAGES = ("alpha", "beta", "rc")


def links(plain: dict[str, Any], base: dict[str, Any]) -> list[dict[str, str]]:
    """The link of each answer: the fragment of its address, and the sentence that it shows."""
    references: list[dict[str, str]] = []
    router = _pairs("routeros", _version(plain["router"]["version"]))
    router += _pairs("model", _slug(_device(plain["router"]["model"], base)))
    for item in plain["classes"]:
        reason = item["reasons"][0] if item["reasons"] else {"rule": "", "fact": ""}
        pairs = _pairs("for", _class(item, base)) + _pairs("answer", item["answer"])
        pairs += _pairs("path", ",".join(item["paths"]))
        pairs += _pairs("why", reason["fact"]) + _pairs("rule", reason["rule"])
        remedies = [change["rule"] for change in item["changes"] if _alone(change, base)]
        _add(references, pairs + _pairs("remedy", remedies[0] if remedies else "") + router, base)
    for note in plain["notes"]:
        pairs = _pairs("for", NOTE) + _pairs("rule", note["rule"])
        pairs += _pairs("remedy", note["rule"] if note["commands"] else "")
        _add(references, pairs + router, base)
    return references


def answer(fragment: str, base: dict[str, Any]) -> dict[str, Any] | None:
    """Answer that the link refers to; None where its fragment names none."""
    linked = _read(fragment, base)
    if linked is None:
        return None
    rule, fact = linked["rule"], linked["fact"]
    says = [linked["router"] + ": " + linked["says"] if linked["router"] else linked["says"]]
    if fact is not None:
        says.append(gettext("Why: {says}").format(says=fact["says"] + " [" + fact["cited"] + "]"))
    if rule is not None and rule["decides"] != linked["says"]:
        says.append(gettext("What decides it: {decides}").format(decides=rule["decides"]))
    if linked["commands"]:
        text = "; ".join(linked["commands"])
        own = gettext(" (with the numbers of your own rows)") if "NUMBER" in text else ""
        says.append(gettext("What would change it: {text}{own}").format(text=text, own=own))
    chapter = linked["chapter"]
    return {
        "says": says,
        "warns": [gettext("This answer follows MikroTik's manual; no router has confirmed it.")],
        "shared": {
            "chapter": gettext(NAMED[chapter]),
            "address": "book/" + chapter + "/index.html",
        },
        "values": {"answers": []},
    }


def _alone(change: dict[str, Any], base: dict[str, Any]) -> bool:
    """Return True for a remedy of one rule alone: a link names one, and promises no more."""
    return len(change["commands"]) == len(_commands(change["rule"], base))


def _add(found: list[dict[str, str]], pairs: list[list[str]], base: dict[str, Any]) -> None:
    """Take in a link, once, if it can be read again."""
    fragment = "&".join([name + "=" + value for name, value in pairs])
    linked = _read(fragment, base)
    if linked is not None and fragment not in [one["fragment"] for one in found]:
        found.append({"fragment": fragment, "says": linked["says"]})


def _read(fragment: str, base: dict[str, Any]) -> dict[str, Any] | None:
    """Return the things that a fragment names, each word looked up in its list."""
    words = {}
    for pair in fragment.split("&"):
        name, _, value = pair.partition("=")
        words[name] = value
    rules = {rule["id"]: rule for rule in base["rules"]}
    rule = rules.get(words.get("rule", ""))
    fact = base["facts"].get(words.get("why", ""))
    about, verdict = words.get("for", ""), words.get("answer", "")
    paths = words.get("path", "").split(",")
    if about == NOTE and rule is not None:
        says = rule["decides"]
    elif verdict in report.ANSWERS and all(way in NAMES or way == DROPPED for way in paths):
        title = _title(about, base)
        if not title:
            return None
        says = title + ": " + report.paths_in_words(paths, verdict) + "."
    else:
        return None
    version, device = _version(words.get("routeros", "")), ""
    for name in _devices(base):
        device = name if _slug(name) == words.get("model", "") else device
    router = "RouterOS " + version if version else ""
    if device:
        text = gettext("{router} on {device}") if version else gettext("On {device}")
        router = text.format(router=router, device=_spelled(device))
    return {
        "says": says,
        "router": router,
        "rule": rule,
        "fact": fact,
        "commands": _commands(words.get("remedy", ""), base),
        "chapter": _chapter(rule, words.get("why", "") if fact else ""),
    }


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


def _commands(name: str, base: dict[str, Any]) -> list[str]:
    """The commands of a rule's remedy, with words where the export would name a row."""
    if name == OFFLOAD:
        return [OFFLOADS]
    rows = [rule for rule in base["rules"] if rule["id"] == ADDS.get(name, name)]
    if not rows or not rows[0]["remedy"]:
        return []
    texts = []
    for template in rows[0]["remedy"]:
        menu = rows[0]["menus"][0]
        text = str(template.replace("{menu}", FILTER if menu == TOGETHER else menu))
        for word, instead in WHERE:
            text = text.replace(word, instead)
        texts.append(text)
    return texts


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
    row = network.row_of(model, [{"devices": [name]} for name in _devices(base)])
    return str(row["devices"][0]) if row is not None else ""


def _spelled(device: str) -> str:
    """A device as its label has it: the rule base leaves out the RB of RB5009."""
    return "RB" + device if device[:1].isdigit() else device


def _slug(device: str) -> str:
    """A device in the letters that every program leaves as they are in an address."""
    letters = [letter if letter.isdigit() or letter.isalpha() else "-" for letter in device.lower()]
    return "".join(letters)
