"""The short answer: what matters most, what to do about it, and what an export cannot say.

It is chosen from the plain answer; `text` writes it for a terminal, and the page shows its parts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

from rosexplain import contradicted, sentences
from rosexplain.decide import CHIP, CHIP_FASTTRACK, DROPPED, FAST, FASTTRACK, HALF, SLOW
from rosexplain.kept import LABELS
from rosexplain.language import N_, and_more, either, gettext
from rosexplain.offload import BY_SETTING
from rosexplain.ordered import unique
from rosexplain.remedy import UPDATE
from rosexplain.traffic import BRIDGED, DECISIVE, ESTABLISHED

MOST_TO_DO = 3
MOST_ASKED = 2
MOST_OTHERS = 4
MOST_NOTICED = 5
MOST_LEFT = 4
MOST_WITHOUT = 3
"""Things that a remedy gives up, by name; the rest are counted."""

FIRST = ("established", "pppoe-server", "lan-to-lan", "port-forward", "ipv6")
"""The classes by how much they say of a router; then bridges and tunnels."""
SWITCH = "CRS"
"""The beginning of switches' models."""
SLOWS = ("fasttrack-and-queues",)
"""Notes whose remedy turns FastTrack off: the last thing to do for somebody who asks for speed."""
STRANGERS = "strangers"
"""The place of what strangers left in a router."""
RECONNECTS = "masquerade-reconnects"
"""The note of connections that start again on the slow path."""
ALONE, SATELLITE = "radio-alone", "line-by-satellite"
"""The notice of radios that everything crosses, and that of a line as slow."""
LICENCES = ("chr-licence", "licence-unknown")
"""The notices of a licence that limits, if it is the one that the router has."""
UNROUTED = "default-route-missing"
"""The notice of a route that is off, which is no limit."""
INSIDE = "lan-to-lan"
"""The class whose packets cross no line to a provider."""
PLACED = ("incomplete", "air", "reached", STRANGERS)
"""The places of notices that are not in the list of the others (`rule_files.PLACES`)."""
BESIDE = ("beside", "incomplete", "ahead-bridged")
"""The places of what is to be changed though the path is fast."""
BY_FASTTRACK = ("fasttrack", "fasttrack-ipv6", "never-reached")
"""The reasons that are a FastTrack rule itself."""
ON_BRIDGE = N_(
    "Once this VLAN is on the vlan-filtering bridge, the chip routes it and bypasses the firewall."
)
IN_CHIP = N_(
    "The chip routes at wire speed; the routes that do not fit into it stay with the CPU, as "
    "/interface/ethernet/switch/l3hw-settings/monitor shows."
)
"""By the facts l3hw-wire-speed, l3hw-shorter-leave and l3hw-monitor."""
SLOW_WORDS = {"no": "", "depends": N_(", depending on the packet"), "yes": N_(", fast"),
              "unknown": N_("; not known from the export")}  # fmt: skip
SPLIT = ("yes", "depends")
"""The answers by which both paths of a bridge are known: its ports decide."""
NONE_KNOWN = N_("No change that keeps every function is known to make this faster.")
NONE_TYPED = N_("Nothing to type here until you decide on the change above.")
UNLESS_MORE = N_("Nothing to change here, unless the line carries more than the limit above.")
UNLESS_RAISED = N_("Nothing to change here, unless the hosts of the limit above should get more.")
UNLESS_NEEDLESS = N_("Nothing to change here, as long as you need the function above.")
NOT_KNOWN = N_("Nothing to change, as far as this export shows.")
APART = N_("Apart from that: {nothing}")
AFTER = N_("After that, {what}.")
LEFT = N_("{nothing}; {what}.")
"""Nothing to change, and what decides then."""
NEXT_AHEAD = N_("the limit at the top decides")
NEXT_LICENCE = N_("the licence decides if it is the free one, and otherwise the line or the CPU")
NEXT_LIMIT = N_("the limit above decides")
NEXT_OF_HOSTS = N_("the limit above decides for its hosts, and for others the line or the CPU")
NEXT_PORTS = N_("the ports' 100 Mbit/s decide")
NEXT_CPU = N_("the line decides, or the CPU, whose load {profile} shows")
NEXT_BRIDGED = N_("the ports' rates decide, or the CPU, whose load {profile} shows")
NEXT_RATES = N_("the ports' rates decide")
NEXT_LINE = N_("the line decides, a port's rate, or a radio behind it")
FASTTRACKED = N_("FastTrack works once {settings} shows ipv4-fasttrack-active: yes.")
ADAPTERS = {
    "chr-adapters": N_(", if the network adapters are of type vmxnet3 or virtio-net"),
    "x86-adapters": N_(", if the drivers of the network adapters support it"),
}
"""What a fast path needs where no export shows it, by the rule."""
NOTHING = N_("Nothing to change")
NOTHING_IN_PATH = N_("Nothing to change in the path")
OF_OTHERS = 2
"""The rank of what makes other classes than the main one faster."""
OPTIONAL = 3
"""The rank from which on a thing to do is the reader's choice: what is fast already, or costs."""
UPDATING = 5
"""The rank of updates: they cost most, so they are the last thing to try."""
ORDER = [CHIP, CHIP_FASTTRACK, FAST, FASTTRACK]
"""Paths, the fastest first, as far as a remedy leads to them."""


class Verdict(StrEnum):
    """How fast the packets of the short answer go.

    `limited`: some of them, or up to a limit; `on-purpose`: a faster path gives up what somebody
    configured.
    """

    FAST = "fast"
    LIMITED = "limited"
    SLOW = "slow"
    ON_PURPOSE = "on-purpose"
    UNKNOWN = "unknown"


VERDICTS = {"yes": Verdict.FAST, "depends": Verdict.LIMITED, "no": Verdict.SLOW,
            "unknown": Verdict.UNKNOWN}  # fmt: skip


def summary(
    plain: dict[str, Any], published: dict[str, list[dict[str, Any]]] | None = None
) -> dict[str, Any]:
    """The parts of the short answer; `plain`: with lines as people name them (`sentences.named`).

    `published`: MikroTik's own results by a model's code, the newest first, each with
    `configuration`, `bytes`, `kpps`, `mbps`, `year`, `source` and, where they are another device's
    with the same CPU, its name as `of`; None where the caller has none of any model.
    """
    main = _main(plain)
    every = to_do(plain)
    # What is for security is named whatever else there is.
    shown = every[:MOST_TO_DO] + [thing for thing in every[MOST_TO_DO:] if thing["secures"]]
    quoted = _quoted(main) if main else None
    astray = any(note["place"] == "astray" for note in plain["notes"])
    routed = main is not None and main["kind"] != BRIDGED
    rates = None
    if published is not None and routed:
        rates = rates_of(published, plain["router"]["model"])
    fast = plain["fast"] and not astray and not (main and _left_by_chip(main))
    limits = [limit for limit in plain["limits"] if not limit["past"]]
    capped = _capped(plain)
    first = ("ahead",) + (("ahead-bridged",) if _is_broken(plain, main) else ())
    known = ALONE if capped else ""
    ahead = [
        sentences.noticed(row) for row in capped + _placed(plain, *first) if row["rule"] != known
    ]
    decisive = [row for row in plain["classes"] if row["kind"] in DECISIVE]
    settled = any(_by_adapters(row) for row in decisive) and not astray
    settled = settled and all(row["answer"] == "yes" or _by_adapters(row) for row in decisive)
    beside = ahead or [row for row in plain["noticed"] if row["place"] in BESIDE]
    # A limit is read first, unless a change of the path is what helps.
    limit_first = bool(limits) and not any(thing["speeds"] and thing["leads"] for thing in every)
    nothing = NOTHING_IN_PATH if limits or beside else NOTHING
    done = [thing["commands"] for thing in every if thing["speeds"]]
    lifted = [note["rule"] for note in plain["notes"] if note["commands"] in done]
    left = [limit for limit in limits if limit["rule"] not in lifted]
    following = _next(plain, left, bool(ahead))
    verdict = _nothing(plain, main, nothing if fast or settled else "", following)
    return {
        "router": _router(plain),
        "files": plain["router"]["files"],
        "fast": fast,
        "verdict": _verdict(plain, main, astray or bool(limits or ahead)),
        "class": main["class"] if main else "",
        "ahead": [sentences.noticed(row) for row in _placed(plain, STRANGERS)]
        + ahead
        + (sentences.limited(plain, past=False) if limit_first else []),
        "answer": _answer(plain, main, quoted),
        "line": sentences.quoted(quoted) if quoted else "",
        "why": _why(main, quoted),
        "warnings": _warnings(plain, main, limit_first),
        "others": _others(plain, main),
        "air": " ".join([sentences.noticed(row) for row in _placed(plain, "air")]),
        "speed": speed(rates),
        "speed_sources": [row["source"] for row in rates or []],
        "to_do": shown,
        "nothing": "" if every else verdict,
        "closing": _closing(plain, every, verdict, following),
        "typing": plain["typing"][0],
        "more": len(every) - len(shown),
        "leave": _leave(plain, main, quoted),
        "asks": _asks(plain, main),
        "noticed": _noticed(plain, PLACED + first)[:MOST_NOTICED],
    }


def _nothing(plain: dict[str, Any], main: dict[str, Any] | None, path: str, following: str) -> str:
    """The verdict where there is nothing to do for speed; `path`: that of a path which is fast.

    `following`: what decides where the path is not the limit.
    """
    slow = main if main is not None and main["answer"] == "no" else None
    limits = [limit for limit in plain["limits"] if not limit["past"]]
    fast = main is not None and main["answer"] == "yes"
    slower = _capped(plain) or any(row["rule"] == SATELLITE for row in plain["noticed"])
    if not path and (fast or slower):
        path = NOTHING_IN_PATH
    if fast and (plain["vlans_on_ports"] or any(row["choice"] for row in plain["chip_vlans"])):
        return gettext(NONE_TYPED)
    if path:
        fastest = NEXT_RATES if main is not None and main["kind"] == BRIDGED else NEXT_LINE
        what = gettext(fastest) if following == _by_cpu(plain) else following
        return gettext(LEFT).format(nothing=gettext(path), what=what)
    if slow:
        barred = not slow["changes"] and not sentences.incomplete(plain)
        # A newer RouterOS lacks the reason, though nothing here shows that it helps this router.
        barred = barred and not any(row["until"] for row in plain["barred"])
        bound = any(_is_of_all(limit) for limit in limits)
        path = UNLESS_MORE if bound else UNLESS_NEEDLESS if _price(plain, slow) else ""
        path = path or (UNLESS_RAISED if limits else "")
        path = path or (NONE_TYPED if _helped(plain) else NONE_KNOWN if barred else "")
    return gettext(path or NOT_KNOWN)


def _is_of_all(limit: dict[str, Any]) -> bool:
    """Return True if a limit is a line's, a port's or the CPU's; not that of some hosts."""
    return bool(limit["shared"]) or limit["lines"][0]["menu"][:10] in ("/interface", "/system/ro")


def _next(plain: dict[str, Any], limits: list[dict[str, Any]], ahead: bool) -> str:
    """What decides where the path is not the limit, or no longer."""
    if limits:
        return gettext(NEXT_LIMIT if any(map(_is_of_all, limits)) else NEXT_OF_HOSTS)
    rows = _placed(plain, "ahead", "ahead-alone", "ahead-bridged") if ahead else []
    rules = [row["rule"] for row in rows if row["rule"] != UNROUTED]
    if rules:
        free = all(rule in LICENCES for rule in rules)
        return gettext(NEXT_LICENCE if free else NEXT_AHEAD)
    if any(row["rule"] == "fast-ethernet" for row in plain["noticed"]):
        return gettext(NEXT_PORTS)
    return _by_cpu(plain)


def _by_cpu(plain: dict[str, Any]) -> str:
    """What decides where nothing of the export does: of a switch its ports, or else the line."""
    main = _main(plain)
    bridges = main is not None and main["kind"] == BRIDGED
    return gettext(NEXT_BRIDGED if bridges else NEXT_CPU).format(profile=_profile(plain))


def _profile(plain: dict[str, Any]) -> str:
    """The command that shows the CPU's load, as the router's version spells it."""
    return "/tool profile" if _before_7(plain) else "/tool/profile"


def _before_7(plain: dict[str, Any]) -> bool:
    return bool(plain["router"]["version"][:2] == "6.")


def _closing(
    plain: dict[str, Any], every: list[dict[str, Any]], nothing: str, following: str
) -> str:
    """The last sentence of the answer, beside the things to do, and what shows that they work."""
    after = gettext(AFTER).format(what=following)
    leads = any(thing["speeds"] and FASTTRACK in thing["leads"] for thing in every)
    if leads and not any(FASTTRACK in row["paths"] for row in plain["classes"]):
        settings = "/ip settings print" if _before_7(plain) else "/ip/settings/print"
        after += " " + gettext(FASTTRACKED).format(settings=settings)
    if not every or any(thing["speeds"] for thing in every):
        return after if every else ""
    return gettext(APART).format(nothing=nothing[:1].lower() + nothing[1:])


def _leave(
    plain: dict[str, Any], main: dict[str, Any] | None, quoted: dict[str, Any] | None
) -> str:
    """What somebody who wants speed might delete, and should not; no remedy is about it."""
    on_purpose = main is not None and main["answer"] == "no" and bool(_price(plain, main))
    changed: list[dict[str, Any]] = []
    for row in plain["notes"] + plain["chip_vlans"]:
        changed += row["lines"] if row["commands"] else []
    for row in plain["classes"]:
        best = [change for change in _best_first(row) if not change["given_up"]][:1]
        best = [change for change in best if change["commands"] and not change["update"]]
        if any(FASTTRACK not in change["then"]["paths"] for change in best):
            changed += [line for reason in row["reasons"] for line in reason["lines"]]
    words, labels = [], dict(LABELS)
    for row in plain["kept"]:
        # Accepts before FastTrack, a remedy about IPsec, keep it.
        if row["kept"] != "ipsec" and any(line in changed for line in row["lines"]):
            continue
        if on_purpose and row["kept"] == "hotspot":
            continue  # it is the purpose
        if row["kept"] == "nat" and quoted not in row["lines"]:
            continue  # nobody thinks of it but where it is what closes the fast path
        words.append(gettext(labels[row["kept"]]) + sentences.at_first(row))
    text = gettext("Leave as it is: {what}.").format(what="; ".join(words[:MOST_LEFT]))
    return text if words else ""


def _noticed(plain: dict[str, Any], placed: tuple[str, ...]) -> list[str]:
    """What was noticed beside the answer, and has no other place there: strangers' access first."""
    reached = [sentences.noticed(row) for row in plain["noticed"] if row["place"] == "reached"]
    return reached + sentences.noticed_lines(plain, placed)


def _placed(plain: dict[str, Any], *places: str) -> list[dict[str, Any]]:
    """The notes, then the notices, with one of these places in the answer."""
    return [row for row in plain["notes"] + plain["noticed"] if row["place"] in places]


def _is_broken(plain: dict[str, Any], main: dict[str, Any] | None) -> bool:
    """Return True if what a device bridges ends at a radio that bridges no hosts."""
    return main is not None and main["kind"] == BRIDGED and bool(_placed(plain, "ahead-bridged"))


def _capped(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """The notes about radios that everything crosses, and that cap it below any path's rate."""
    alone = [line for row in plain["noticed"] if row["rule"] == ALONE for line in row["lines"]]
    return [note for note in plain["notes"] if note["place"] == "ahead-alone"
            and any(line in alone for line in note["lines"])]  # fmt: skip


def asks_for_change(plain: dict[str, Any]) -> bool:
    """Return True if there is something to do that is not left to the reader's choice.

    Where the running router contradicts the answer, that is to find out why.
    """
    doubted = any(row["speaks"] == contradicted.AGAINST for row in plain["contradicted"])
    return doubted or any(not thing["optional"] for thing in plain["summary"]["to_do"])


def _verdict(plain: dict[str, Any], main: dict[str, Any] | None, limited: bool) -> Verdict:
    """Return the verdict on the main class; a running router that contradicts it leaves it open."""
    if main is None or any(row["speaks"] == contradicted.AGAINST for row in plain["contradicted"]):
        return Verdict.UNKNOWN
    verdict = VERDICTS[main["answer"]]
    if verdict == Verdict.FAST and (limited or _left_by_chip(main)):
        return Verdict.LIMITED
    if verdict == Verdict.SLOW and _price(plain, main):
        return Verdict.ON_PURPOSE
    return verdict


def _router(plain: dict[str, Any]) -> str:
    router = plain["router"]
    version = router["version"] or gettext("version unknown, rules of {read_for}").format(
        read_for=plain["rules"]["read_for"]
    )
    return gettext("{value}, RouterOS {version}").format(
        value=router["model"] or gettext("Unknown model"), version=version
    )


def _main(plain: dict[str, Any]) -> dict[str, Any] | None:
    """The class that says most: of a switch its ports, without a WAN what its networks exchange."""
    bridged: list[dict[str, Any]] = [row for row in plain["classes"] if row["kind"] == BRIDGED]
    out = [BRIDGED + "-" + name for name in plain["router"]["wan"]]
    bridged = [row for row in bridged if row["class"] in out] or bridged
    classes: dict[str, dict[str, Any]] = {row["class"]: row for row in plain["classes"]}
    if not plain["router"]["wan"] and "lan-to-lan" in classes:
        return classes["lan-to-lan"]
    if plain["router"]["switch"] and bridged:
        return bridged[0]
    if plain["router"]["model"][: len(SWITCH)] == SWITCH and "lan-to-lan" not in classes:
        translated = "established" in classes and classes["established"]["translated"]
        in_chip = [row for row in bridged if CHIP in row["paths"]]
        if in_chip and not translated:
            return in_chip[0]
    for name in FIRST:
        if name in classes:
            return classes[name]
    return bridged[0] if bridged else None


def title(row: dict[str, Any]) -> str:
    """The packets of a class in few words: `LAN to WAN`."""
    text = str(row["short"])
    return text[:1].upper() + text[1:]


def _by_adapters(row: dict[str, Any]) -> str:
    """Return the rule by which a class is fast or not by its network adapters; empty for none."""
    last = str(row["reasons"][-1]["rule"]) if row["reasons"] else ""
    return last if row["answer"] == "unknown" and last in ADAPTERS else ""


def _paths(row: dict[str, Any]) -> str:
    words = ADAPTERS.get(_by_adapters(row), SLOW_WORDS[row["answer"]])
    split = row["paths"][:1] == [CHIP] and len(row["paths"]) == 2 and row["answer"] in SPLIT
    if row["kind"] == BRIDGED and split:
        text = gettext("switch chip between its own ports, {other} between all others")
        text = text.format(other=_path(row["paths"][1]))
        return text + (gettext(words) if row["answer"] == "yes" else "")
    return either([_path(way) for way in row["paths"]]) + (gettext(words) if words else "")


def _path(way: str) -> str:
    return "half-fastpath" if way == HALF else sentences.path_of(way)


def _quoted(row: dict[str, Any]) -> dict[str, Any] | None:
    """The line that decides, where it keeps packets off a fast path."""
    if row["answer"] == "yes" or not row["reasons"]:
        return None
    lines: list[dict[str, Any]] = row["reasons"][0]["lines"]
    return lines[0] if lines and lines[0]["text"] else None


def _answer(
    plain: dict[str, Any], main: dict[str, Any] | None, quoted: dict[str, Any] | None
) -> str:
    """Return the most important answer in one sentence; behind a colon a line is quoted."""
    router = plain["router"]
    if main is None:
        return gettext("According to the export, this device forwards no traffic.")
    text = title(main) + ": " + _paths(main)
    bridges = main["kind"] == BRIDGED
    if _is_broken(plain, main):
        ways = either([_path(way) for way in main["paths"]])
        text = gettext("{title}: between its wires {ways}").format(title=title(main), ways=ways)
    elif bridges and _placed(plain, "title"):
        text = gettext("{title} (this device routes nothing): {paths}").format(
            title=title(main), paths=_paths(main)
        )
    routed = main["kind"] != BRIDGED and router["chip"] and not router["wan"]
    routed = routed or any(_leads_to_chip(main, change) for change in main["changes"])
    routed = routed or bool(plain["vlans_on_ports"] and main["paths"] == [FAST])
    if _chip_idle(main) and (routed or _left_by_chip(main)):
        text += gettext(", on the CPU and not in the switch chip")
    if not quoted:
        one = main["reasons"] if len(main["paths"]) == 1 else []
        one = _left_by_chip(main) or one
        lines = one[0]["lines"] if one else []
        return text + (" (" + sentences.place(lines[0]) + ")" if lines else "") + "."
    reason = main["reasons"][0]
    more = len(reason["lines"]) - 1 + reason["more"]
    where = sentences.place(quoted) + (" " + and_more(more) if more else "")
    offered = any(FASTTRACK in change["then"]["paths"] for change in main["changes"])
    missed = main["kind"] == ESTABLISHED and main["paths"] == [SLOW]
    missed = missed and (offered or not plain["barred"])
    missed = missed and not any(row["rule"] == sentences.UNWRITTEN for row in plain["noticed"])
    slow = missed and not _fasttracks(plain)
    off = sentences.place(plain["off"][0]) if plain["off"] else ""
    if slow and off:
        disabled = gettext(
            "{text}, because the FastTrack rule is disabled ({off}), so {where} decides:"
        )
        if reason["closes"] != ["ip"]:
            disabled = gettext("{text}, because of {where}; FastTrack's rule is disabled ({off}):")
        return disabled.format(text=text, off=off, where=where)
    if not slow or reason["closes"] != ["ip"]:
        return gettext("{text}, because of {where}:").format(text=text, where=where)
    closes = gettext("{text}, because there is no FastTrack rule and {where} closes the fast path:")
    if more:
        closes = gettext(
            "{text}, because there is no FastTrack rule and {where} close the fast path:"
        )
    return closes.format(text=text, where=where)


def _chip_idle(row: dict[str, Any]) -> bool:
    return not any(way in (CHIP, CHIP_FASTTRACK) for way in row["paths"])


def _leads_to_chip(row: dict[str, Any], change: dict[str, Any]) -> bool:
    """Return True if a change lets the chip route what the CPU routes on its fast path."""
    by_chip = bool(change["then"]) and change["then"]["paths"] == [CHIP]
    return by_chip and row["kind"] != BRIDGED and row["paths"] == [FAST]


def _left_by_chip(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the reasons for the CPU in the chip's place: settings that the chip lacks."""
    return [reason for reason in row["reasons"] if reason["fact"] == BY_SETTING]


def _fasttracks(plain: dict[str, Any]) -> bool:
    """Return True if some rule fast-tracks, though perhaps not these packets."""
    for row in plain["classes"]:
        for reason in row["reasons"]:
            if reason["rule"] in ("fasttrack", "fasttrack-ipv6", "accept-in-front"):
                return True
    return False


def _warnings(plain: dict[str, Any], main: dict[str, Any] | None, limit_first: bool) -> list[str]:
    """Return the warnings that hold whatever path the packets take.

    `limit_first`: the answer begins with the limits that hold.
    """
    says = (
        sentences.replaced(plain)
        + sentences.incomplete(plain)
        + ([] if limit_first else sentences.limited(plain, past=False))
        + sentences.limited(plain, past=True)
        + sentences.unlimited(plain)
        + sentences.misrouted(plain)
        + sentences.without(plain)
    )
    says += [
        note["says"].rstrip(".") + sentences.at_lines(note) + "."
        for note in plain["notes"]
        if note["place"] == "astray" and not note["commands"]
    ]
    says += [sentences.sentence(row) for row in plain["contradicted"]]
    if main and main["answer"] == "no":
        price = _price(plain, main)
        opened = any(note["opens"] and note["commands"] for note in plain["notes"])
        if not main["changes"] and not opened and not _capped(plain):
            says += sentences.barred(plain)
        if price:
            text = gettext("Slow on purpose, it seems: a faster path takes away {what}.")
            says.append(text.format(what=_some(price)))
    if main and any(reason["rule"] == "vlan-elsewhere" for reason in main["reasons"][:1]):
        says.append(gettext(ON_BRIDGE))
    if plain["untried"]:
        says.append(gettext(sentences.UNTRIED))
    if plain["vlans_on_ports"]:
        says.append(sentences.on_ports(plain))
    unread = len(plain["unread"])
    if unread == 1:
        says.append(gettext("1 line was not read; it may change this answer."))
    elif unread:
        text = gettext("{unread} lines were not read; they may change this answer.")
        says.append(text.format(unread=str(unread)))
    return says


def _helped(plain: dict[str, Any]) -> bool:
    """Return True if the answer says what would help in FastTrack's place."""
    return any(row["helps"] for row in plain["barred"])


def _price(plain: dict[str, Any], main: dict[str, Any]) -> list[str]:
    """What every faster path takes away that somebody configured, as a limit; empty if one is free.

    It may be wanted so.  The chip's own VLAN table keeps what the bridge does.
    """
    if _by_table(plain, main):
        return []
    changes: list[dict[str, list[str]]] = main["changes"]
    refused: list[str] = main["refused"]
    if not changes:
        return refused
    prices = [change["given_up"] + change["logged"] for change in changes]
    return prices[0] if all(prices) else []


def _by_table(plain: dict[str, Any], main: dict[str, Any] | None) -> bool:
    """Return True if the main class is for the chip by its own VLAN table, which keeps all else."""
    kept = any(row["commands"] and not row["given_up"] for row in plain["chip_vlans"])
    return kept and main is not None and main["kind"] == BRIDGED


def _why(main: dict[str, Any] | None, quoted: dict[str, Any] | None) -> str:
    """Return the reason of the line that is quoted, or of a slow path that no line decides."""
    if main is None or not main["reasons"] or (not quoted and main["answer"] != "no"):
        return ""
    if main["reasons"][0]["rule"] in BY_FASTTRACK:
        return ""  # its line is quoted, and says which packets it takes
    return sentences.because(main["reasons"][0])


def _others(plain: dict[str, Any], main: dict[str, Any] | None) -> str:
    """The other classes that decide, as far as they are not fast.

    A tunnel that may be slow is named; of what is bridged, only a known path carries weight, and
    what the main class's line decides too is not said again.
    """
    words = []
    decides = _deciding(main) if main else None
    for row in plain["classes"]:
        if row is main or row["kind"] not in DECISIVE or row["answer"] == "yes":
            continue
        if row["answer"] == "unknown" and (row["kind"] == BRIDGED or SLOW not in row["paths"]):
            continue
        if _nowhere(plain, row):
            continue
        lines = row["reasons"][0]["lines"] if row["reasons"] else []
        if main and row["paths"] == main["paths"] and decides and _deciding(row) == decides:
            continue
        where = ", " + sentences.place(lines[0]) if lines else ""
        words.append(title(row) + " (" + _paths(row) + where + ")")
    if not words:
        return ""
    left = len(words[MOST_OTHERS:])
    more = gettext("; and {left} more").format(left=str(left)) if left else ""
    return gettext("Not fast, or uncertain: {words}{more}.").format(
        words="; ".join(words[:MOST_OTHERS]), more=more
    )


def _deciding(row: dict[str, Any]) -> tuple[str, list[dict[str, Any]]] | None:
    """The rule that decides a class's path, and the first line that meets it."""
    first = row["reasons"][0] if row["reasons"] else None
    return (first["rule"], first["lines"][:1]) if first else None


def _asks(plain: dict[str, Any], main: dict[str, Any] | None) -> list[dict[str, str]]:
    """Return the gaps of an export, each with the command that tells.

    Those of other classes than the main one carry no weight where it is known, or asks itself.
    """
    asks: list[dict[str, str]] = []
    known = main is not None and (main["answer"] != "unknown" or bool(main["asks"]))
    for row in plain["classes"]:
        if row["kind"] not in DECISIVE or not row["asks"] or row["answer"] == "yes":
            continue
        if _nowhere(plain, row) or (known and row is not main):
            continue
        same = [ask for ask in asks if ask["command"] == row["asks"][0]]
        if same:
            same[0]["about"] += "; " + title(row)
        else:
            asks.append({"about": title(row), "command": row["asks"][0]})
    return asks[:MOST_ASKED]


def _nowhere(plain: dict[str, Any], row: dict[str, Any]) -> bool:
    """True if packets to a WAN are meant, where the export shows none, but several networks."""
    networks = [other for other in plain["classes"] if other["class"] == "lan-to-lan"]
    return bool(networks) and row["class"] == "established" and not plain["router"]["wan"]


def _of_note(plain: dict[str, Any], note: dict[str, Any], known: bool) -> tuple[int, str]:
    """The rank of a note's remedy, the first the lowest, and what it gains.

    `known`: the answer begins with what the note says.
    """
    placed = known or note["place"] in ("air", STRANGERS)
    gain = note["gains"] + ("" if placed else " " + note["says"])
    first = note["first"] or (known and note["place"] == "ahead-bridged")
    ends_fasttrack = note["rule"] in SLOWS
    if note["update"]:
        return (-1 if first else UPDATING), _updated(plain, note, gain)
    if note["place"] == STRANGERS:
        return -1, _with_price(note, gain)
    if ends_fasttrack or note["gives_up"]:
        return 4, _with_price(note, gain)
    if first:
        return -1, gain
    if note["secures"]:
        return 4, _with_price(note, gain)
    if note["optional"]:
        return OPTIONAL, gettext("Optional. {gain}").format(gain=gain)
    return 1, gain


def _with_price(note: dict[str, Any], gain: str) -> str:
    """What a note's remedy gains, behind what has to hold for it, or what it is for."""
    if note["rule"] in SLOWS:
        gain = gettext("Only if the limits matter more than speed. {gain}").format(gain=gain)
    elif note["gives_up"]:
        gain = _only_if(note, gain)
    if note["secures"]:
        gain = gettext("For security, not for speed. {gain}").format(gain=gain)
    return gain


CONVERTED = N_(
    "Update RouterOS to {needs} or later first. The update converts the configuration, that of the "
    "routing protocols too, so compare it afterwards; it cannot be undone. {gain}"
)
IF_FULL = N_("Only if the CPU is full, as {profile} shows. {gain}")

ON_COMPUTER = N_(
    "On a computer, check before that RouterOS 7 has drivers with a fast path for its network "
    "adapters, and the licence. {gain}"
)
"""By the facts x86-fast-path and chr-fast-path."""


def _updated(plain: dict[str, Any], change: dict[str, Any], gain: str) -> str:
    """What an update gains, the version that it takes, and what it does to the configuration."""
    if not change["needs"]:
        text = gettext("Update RouterOS first; an update cannot be undone. {gain}")
    elif _before_7(plain) and change["needs"][:1] == "7":
        text = gettext(CONVERTED)
        if plain["router"]["computer"]:
            gain = gettext(ON_COMPUTER).format(gain=gain)
    else:
        text = gettext(
            "Update RouterOS to {needs} or later first; an update cannot be undone. {gain}"
        )
    return text.format(needs=change["needs"], gain=gain)


Ranked: TypeAlias = tuple[int, int, str, dict[str, Any]]
"""A remedy with its rank, its place among those of the rank, and what it gains."""


def _of_tables(plain: dict[str, Any], main: dict[str, Any] | None) -> list[Ranked]:
    """The chips' VLAN tables, ranked: first where the main class is for the chip by them."""
    ranked: list[Ranked] = []
    for place, vlans in enumerate(plain["chip_vlans"]):
        rank, gain = (0 if _by_table(plain, main) else 1), vlans["says"]
        if vlans["given_up"]:
            rank, gain = 4, _only_if(vlans, gain)
        if vlans["commands"]:
            ranked.append((rank, place - len(plain["chip_vlans"]) - 1, gain, vlans))
    return ranked


def _of_classes(
    plain: dict[str, Any], main: dict[str, Any] | None, capped: list[dict[str, Any]]
) -> list[Ranked]:
    """The best remedy of each class, ranked."""
    by_air = any(row["rule"] == ALONE for row in plain["noticed"])
    by_satellite = any(row["rule"] == SATELLITE for row in plain["noticed"])
    ranked: list[Ranked] = []
    for place, row in enumerate(plain["classes"]):
        if _nowhere(plain, row):
            continue
        best = _best_first(row)
        # What somebody configured, such as a limit, is not offered to be given up: FastTrack may
        # leave it out.
        if best and best[0]["given_up"]:
            kept = [change for change in best if not change["given_up"]]
            best = [change for change in kept if FASTTRACK in change["then"]["paths"]]
        if row is not main:
            best = [change for change in best if not change["gives_up"]]
        for change in best[:1]:
            beside = plain["router"]["stands_between"] and row is not main
            # Nobody downloads an update over a satellite for a path that is not the limit.
            if beside or not _differs(row, change) or (by_satellite and change["update"]):
                continue
            if change["update"] and _by_table(plain, main):
                continue  # to a path of the CPU, which is not asked for any frame then
            # Of what is not the main answer, and fast-tracked for the most part, the rest may wait.
            part = row is not main and row["answer"] == "depends" and FASTTRACK in row["paths"]
            bound = capped or (by_satellite and row["class"] != INSIDE)
            # The CPU of a switch is fast at a fraction of what its ports carry.
            chip = main is not None and row is main and _leads_to_chip(main, change)
            slow = chip or (row["answer"] != "yes" and not part and not bound)
            rank = (0 if row is main else OF_OTHERS) if slow else OPTIONAL
            gain = _gain(_same_change(plain, row, change), row, change["then"])
            gain += ". " + gettext(IN_CHIP) if chip else ""
            gain = gain if slow else gettext("Optional. {gain}").format(gain=gain)
            if change["update"]:
                gain = _updated(plain, change, gain)
                choice = by_air or chip or (plain["router"]["computer"] and row["kind"] == BRIDGED)
                gain = gettext("Optional. {gain}" if choice else IF_FULL).format(
                    gain=gain, profile=_profile(plain)
                )
                rank = UPDATING
            if change["gives_up"] and not change["update"]:
                # Whether anybody reads a count or a log is asked before what only tidies up.
                rank = OPTIONAL if row is main and not change["given_up"] else 4
                gain = _only_if(change, gain)
            ranked.append((rank, -1 if row is main else place, gain, change))
    return ranked


def _of_notes(
    plain: dict[str, Any], main: dict[str, Any] | None, capped: list[dict[str, Any]]
) -> list[Ranked]:
    """The remedies of the notes, ranked."""
    ranked: list[Ranked] = []
    limits = [limit["rule"] for limit in plain["limits"]]
    stays = main is not None and main["answer"] == "no" and not main["changes"]
    for place, note in enumerate(plain["notes"]):
        if note["rule"] == RECONNECTS and stays:
            continue  # the connections begin on the path that they have anyway
        if note["commands"] and not (note["gives_up"] and note["rule"] in limits):
            begins = note in capped or (
                note["place"] == "ahead-bridged" and _is_broken(plain, main)
            )
            rank, gain = _of_note(plain, note, begins)
            if rank == 1 and capped and not begins:
                rank, gain = OPTIONAL, gettext("Optional. {gain}").format(gain=gain)
            ranked.append((rank, place, gain, note))
    return ranked


def to_do(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """The best remedy of each class and of each note, ranked by what it gains; none twice."""
    main = _main(plain)
    capped = _capped(plain)
    ranked = _of_classes(plain, main, capped) + _of_notes(plain, main, capped)
    ranked += _of_tables(plain, main)
    things: list[dict[str, Any]] = []
    known: list[list[str]] = []
    for rank, _, gain, change in sorted(ranked, key=lambda row: row[:2]):
        typed = change["commands"] or _installing(plain)
        if typed in known or any(typed and all(text in own for text in typed) for own in known):
            continue  # of updates the first is enough
        known.append(typed)
        of_main = main is not None and any(change is one for one in main["changes"])
        things.append(
            {
                "gain": gain,
                "brief": _brief(plain, change, gain) if rank >= OF_OTHERS and not of_main else "",
                "optional": rank >= OPTIONAL,
                "secures": change.get("secures", False),
                "decides": rank == 0,
                "speeds": rank < OPTIONAL,
                "leads": (change.get("then") or {}).get("paths", []),
                "commands": typed,
                "loses": change["loses"],
                "undo": change["undo"],
                "update": change.get("update", False),
            }
        )
    return things


def _brief(plain: dict[str, Any], change: dict[str, Any], gain: str) -> str:
    """A remedy in a sentence or two, where its commands may wait; empty where they may not.

    Those of the air may not.  Of security it is the risk, of a choice what is astray, and where.
    """
    if change.get("place") == "air":
        return ""
    if "gains" not in change:
        return gain
    says = change["says"].rstrip(".") + (sentences.at_first(change) if change["lines"] else "")
    if change["secures"]:
        return str(says + ".")
    if change["optional"] and not change["gives_up"] and not change["update"]:
        return gettext("Optional. {gain}").format(gain=says + ".")
    gone = change["given_up"] + change["logged"]
    if change["gives_up"] and not gone and change["loses"]:
        text = gettext("Only if you do not need {what}. {gain}")
        return text.format(what=change["loses"], gain=change["gains"])
    return _of_note(plain, change, known=True)[1]


def _same_change(plain: dict[str, Any], row: dict[str, Any], change: dict[str, Any]) -> str:
    """The titles of a class and of the others that the same commands lead along the same path."""
    titles = [title(row)]
    for other in plain["classes"]:
        if other is row or other["paths"] != row["paths"] or _nowhere(plain, other):
            continue
        for one in other["changes"]:
            same = one["commands"] == change["commands"] and one["then"]
            if same and one["then"]["paths"] == change["then"]["paths"]:
                titles.append(title(other))
    return "; ".join(unique(titles))


def _gain(titles: str, row: dict[str, Any], then: dict[str, Any]) -> str:
    """The path of classes after a change, in place of the one before; some packets may keep it."""
    new = [path for path in then["paths"] if path not in row["paths"]]
    text = gettext("{row}: {then} instead of {row_2}")
    if new and new != then["paths"] and all(path in then["paths"] for path in row["paths"]):
        then = {"paths": new}
        text = gettext("{row}: {then} instead of {row_2}, but not for all packets")
    return text.format(row=titles, then=_paths_of(then), row_2=_paths_of(row))


def _installing(plain: dict[str, Any]) -> list[str]:
    """The command of an update; RouterOS 6 gets to 7 by steps that its release decides."""
    return [UPDATE] if plain["router"]["version"][:2] == "7." else []


def _differs(row: dict[str, Any], change: dict[str, Any]) -> bool:
    """Return True if a change leads to another path, not only to certainty."""
    return bool(change["then"]["paths"] != row["paths"] or row["answer"] in ("no", "depends"))


def _only_if(change: dict[str, Any], gain: str) -> str:
    """Return the loss, before the gain."""
    gone = change["given_up"] + change["logged"]
    if not gone:
        return gettext("Only if you do not need what you lose. {gain}").format(gain=gain)
    return gettext("Only if you do not need {what}. {gain}").format(what=_some(gone), gain=gain)


def _some(words: list[str]) -> str:
    left = len(words[MOST_WITHOUT:])
    return "; ".join(words[:MOST_WITHOUT] + ([and_more(left)] if left else []))


def _best_first(row: dict[str, Any]) -> list[dict[str, Any]]:
    """A class's remedies, that to the fastest path first; of equal ones the first stays first."""
    changes = [change for change in row["changes"] if change["then"]]
    places = [[_speed_of(change["then"]), place] for place, change in enumerate(changes)]
    return [changes[place] for _, place in sorted(places)]


def _speed_of(then: dict[str, Any]) -> int:
    """Smaller where the slowest of the paths is faster."""
    answers = {"yes": 0, "depends": 10, "unknown": 10, "no": 20}
    return answers[then["answer"]] + max(
        [ORDER.index(way) if way in ORDER else len(ORDER) for way in then["paths"]]
    )


def _paths_of(row: dict[str, Any]) -> str:
    names = [gettext("being dropped") if way == DROPPED else _path(way) for way in row["paths"]]
    return either(names)


ROUTING = (("25 ip filter rules", N_("with 25 filter rules")),
           ("none (fast path)", N_("on the fast path")))  # fmt: skip
SIZES = (512, 1518, 64)
"""Sizes of frames in the tables, the first that a model has counts."""


def rates_of(published: dict[str, list[dict[str, Any]]], model: str) -> list[dict[str, Any]]:
    """The newest result of each configuration in ROUTING, of one size of frames.

    An export's model may lack the end of the code: the rack's or the country's letters.  Where it
    fits several codes, those with results of their own count first, and all have to have the same.
    """
    short = model.replace("RouterBOARD ", "").replace(" ", "")
    codes: list[str] = []
    for name in (short, "RB" + short) if short else ():  # RouterOS 6 leaves out the RB
        begin = [code for code in published if code[: len(name)] == name]
        codes = codes or ([name] if name in begin else begin)
    codes = [code for code in codes if not _borrowed(published[code])] or codes
    every = [published[code] for code in codes]
    rows = every[0] if every and every.count(every[0]) == len(every) else []
    for size in SIZES:
        sized = [row for row in rows if row["bytes"] == size]
        rates = [[row for row in sized if row["configuration"] == name][:1] for name, _ in ROUTING]
        if any(rates):
            return [row for rate in rates for row in rate]
    return []


def _borrowed(rows: list[dict[str, Any]]) -> str:
    """Return the name of the device whose results these are; empty where they are the model's."""
    return str(rows[0].get("of", "")) if rows else ""


def speed(rates: list[dict[str, Any]] | None) -> str:
    """MikroTik's own results of routing with this model, in one sentence; empty for None."""
    if rates is None:
        return ""
    if not rates:
        return gettext(
            "Speed: not in our copies. Look at the Test results of this model's product page; "
            "paste them on our page of devices, and this answer uses them."
        )
    words = []
    for row in rates:
        where = "".join([gettext(said) for name, said in ROUTING if name == row["configuration"]])
        words.append(_amount(row) + " " + where + " (" + str(row["year"]) + ")")
    text = gettext(
        "MikroTik's tests of this model, {bytes}-byte frames, all ports together: {words}."
    )
    if _borrowed(rates):
        text = gettext(
            "MikroTik's tests of this model are not in our copies; of the {of}, with the same CPU, "
            "cores and clock, {bytes}-byte frames, all ports together: {words}."
        )
    return text.format(of=_borrowed(rates), bytes=str(rates[0]["bytes"]), words="; ".join(words))


def _amount(row: dict[str, Any]) -> str:
    words = []
    if row["mbps"]:
        words.append(_thousands(row["mbps"]) + " Mbit/s")
    if row["kpps"]:
        rate = _thousands(row["kpps"] * 1000)
        words.append(gettext("{rate} packets/s").format(rate=rate))
    return words[0] + (" (" + words[1] + ")" if len(words) > 1 else "")


def _thousands(number: float) -> str:
    digits = str(int(number + 0.5))
    groups = []
    while len(digits) > 3:
        groups.append(digits[-3:])
        digits = digits[:-3]
    return ",".join([digits] + groups[::-1])
