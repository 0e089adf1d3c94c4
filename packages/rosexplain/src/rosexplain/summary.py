"""The short answer: what matters most, what to do about it, and what an export cannot say.

It is chosen from the plain answer; `text` writes it for a terminal, and the page shows its parts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

from rosexplain import contradicted, sentences
from rosexplain.decide import CHIP, CHIP_FASTTRACK, DROPPED, FAST, FASTTRACK, HALF, IN_CHIP, SLOW
from rosexplain.device import SWITCHES
from rosexplain.kept import LABELS
from rosexplain.language import N_, and_more, either, gettext
from rosexplain.matching import FASTTRACKS, UNLIMITED
from rosexplain.offload import BY_SETTING
from rosexplain.ordered import unique
from rosexplain.published import rates_of, speed
from rosexplain.remedy import IN_FRONT, ON_PORT, UPDATE
from rosexplain.stateless import LATE
from rosexplain.traffic import BRIDGED, DECISIVE, ESTABLISHED

MOST_TO_DO = 3
MOST_ASKED = 2
MOST_OTHERS = 4
MOST_NOTICED = 5
MOST_LEFT = 4
MOST_WITHOUT = 3
"""Things that a remedy gives up, by name; the rest are counted."""

INSIDE, OUT = "lan-to-lan", "established"
"""The class whose packets cross no line to a provider, and that to the internet."""
CLASSES = (OUT, "pppoe-server", INSIDE, "port-forward", "ipv6")
"""The classes by how much they say of a router; then bridges and tunnels."""
STRANGERS = "strangers"
"""The place of what strangers left in a router."""
UNGUARDED = "unguarded"
"""The place of what strangers reach without any harm to speed: named behind all else."""
PLACED = ("incomplete", "air", "reached", "carried", STRANGERS, UNGUARDED)
"""The places of notices that are not in the list of the others (`rule_files.PLACES`)."""
TYPED = "typed"
"""The place of what is of use only where commands are typed."""
CARRIED = "carried"
"""The place of what is said of a tunnel's packets in place of their path."""
BESIDE = ("beside", "incomplete", "ahead-bridged", "reached", CARRIED, UNGUARDED)
"""The places of what is to be changed though the path is fast."""
RADIOS, LINE, PORTS, LICENCE, RATELESS = "radios", "line", "ports", "licence", "nothing"
"""What bounds the rate whatever the path (a rule's `bounds`)."""
ON_BRIDGE = N_(
    "Once this VLAN is on the vlan-filtering bridge, the chip routes it and bypasses the firewall."
)
AT_WIRE_SPEED = N_(
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
UNLESS_MORE = N_(
    "Nothing to change in the path, unless the line carries more than the limit above."
)
UNLESS_RAISED = N_(
    "Nothing to change in the path, unless the hosts of the limit above should get more."
)
UNLESS_NEEDLESS = N_("Nothing to change in the path, as long as you need the function above.")
NOT_KNOWN = N_("Nothing to change in the path, as far as this export shows.")
APART = N_("Apart from that: {nothing}")
AFTER = N_("After that, {what}.")
LEFT = N_("{nothing}; {what}.")
"""Nothing to change, and what decides then."""
TEST = N_("{port} shows the rate and the duplex of the port.")
TEST_RADIO = N_("{radio} shows the radio's signal and rates.")
TEST_WITH_RADIO = N_(
    "Test by cable: if that is fast, {radio} shows the radio's signal and rates; if not, {port} "
    "shows the rate and the duplex of the port."
)
FASTTRACKED = N_("FastTrack works once {settings} shows ipv4-fasttrack-active: yes.")
ADAPTERS = {
    "chr-adapters": N_(", if the network adapters are of type vmxnet3 or virtio-net"),
    "x86-adapters": N_(", if the drivers of the network adapters support it"),
}
"""What a fast path needs where no export shows it, by the rule."""
NOTHING = N_("Nothing to change")
NOTHING_IN_PATH = N_("Nothing to change in the path")
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
ORDER = [CHIP, CHIP_FASTTRACK, FAST, FASTTRACK]
"""Paths, the fastest first, as far as a remedy leads to them."""

FIRST, OF_MAIN, OF_NOTE, OF_OTHERS, OPTIONAL, AT_A_PRICE, UPDATING = range(-1, 6)
"""The ranks of things to do: from OPTIONAL on they are the reader's choice.

What is fast already is optional; what costs a function comes behind it, and updates cost most.
"""
Ranked: TypeAlias = tuple[int, int, str, dict[str, Any]]
"""A remedy with its rank, its place among those of the rank, and what it gains."""


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


class Next(StrEnum):
    """What decides the rate where the path is not the limit, or no longer."""

    AHEAD = N_("the limit at the top decides")
    LICENCE = N_("the licence decides if it is the free one, and otherwise the line or the CPU")
    LIMIT = N_("the limit above decides")
    HOSTS = N_("the limit above decides for its hosts, and for others the line or the CPU")
    PORTS = N_("the ports' 100 Mbit/s decide")
    SLOW_PORTS = N_("the ports' 100 Mbit/s decide, and more needs a device with gigabit ports")
    CPU = N_("the line decides, or the CPU, whose load {profile} shows")
    BRIDGED = N_("the ports' rates decide, or the CPU, whose load {profile} shows")
    RATES = N_("the ports' rates decide")
    AIR = N_("the radios' links decide, or a port's rate")
    LINE = N_("the line decides, a port's rate, or a radio behind it")


BY_RADIUS = ("radius-limit", "hotspot-radius-limit")
"""The limits that are there only if a RADIUS server sends some."""
FAST_ALREADY = {Next.CPU: Next.LINE, Next.BRIDGED: Next.RATES, Next.PORTS: Next.SLOW_PORTS}
"""What decides where the path is fast and nothing is left to type, by what does so otherwise."""


def summary(
    plain: dict[str, Any], published: dict[str, list[dict[str, Any]]] | None = None
) -> dict[str, Any]:
    """The parts of the short answer; `plain`: with lines as people name them (`sentences.named`).

    `published`: MikroTik's own results by a model's code, the newest first, each with
    `configuration`, `bytes`, `kpps`, `mbps`, `year`, `source` and, where they are another device's
    with the same CPU, its name as `of`; None where the caller has none of any model.
    """
    short = _Short(plain)
    every = short.to_do()
    # What is for security is named whatever else there is; where it is not urgent, behind what is
    # faster and before what tidies up.
    late = [thing for thing in every if thing["secures"] and thing["optional"]]
    shown = [thing for thing in every if thing not in late][:MOST_TO_DO]
    tidy = [thing for thing in shown
            if thing["optional"] and not (thing["leads"] or thing["update"])]  # fmt: skip
    shown = [thing for thing in shown if thing not in tidy] + late + tidy
    rates = None
    if published is not None and short.main is not None and not short.bridges:
        rates = rates_of(published, plain["router"]["model"])
    ahead = [sentences.noticed(row) for row in short.ahead]
    # A limit is read first, unless a change of the path is what helps.
    limit_first = any(limit["rule"] not in BY_RADIUS for limit in short.limits)
    limit_first = limit_first and not any(thing["speeds"] and thing["leads"] for thing in every)
    decides = short.next_limit([thing["commands"] for thing in every if thing["speeds"]])
    nothing = short.nothing(decides, bool(every))
    unguarded = [sentences.noticed(row) for row in short.placed(UNGUARDED)]
    return {
        "router": short.router(),
        "files": plain["router"]["files"],
        "fast": short.is_fast,
        "verdict": short.verdict(),
        "class": short.main["class"] if short.main else "",
        "ahead": [sentences.noticed(row) for row in short.placed(STRANGERS)]
        + ahead
        + (sentences.unlimited(plain) if short.sells else [])
        + (sentences.limited(plain, past=False) if limit_first else []),
        "answer": short.answer(),
        "line": sentences.quoted(short.quoted) if short.quoted else "",
        "why": short.why(),
        "warnings": short.warnings(limit_first),
        "others": short.others(),
        "tunnels": short.tunnels(),
        "air": " ".join([sentences.noticed(row) for row in short.placed("air")]),
        "speed": speed(rates),
        "speed_sources": [row["source"] for row in rates or []],
        "to_do": shown,
        "nothing": "" if every else nothing,
        "closing": short.closing(every, nothing, decides),
        "typing": plain["typing"][0],
        "more": len(every) - len(shown),
        "leave": short.leave(),
        "asks": short.asks(),
        "noticed": short.noticed(bool(every))[:MOST_NOTICED] + unguarded,
        "unguarded": unguarded,
        "effects": [sentences.noticed(row) for row in plain["noticed"] if row["effect"]],
    }


def to_do(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """The best remedy of each class and of each note, ranked by what it gains; none twice."""
    return _Short(plain).to_do()


def asks_for_change(plain: dict[str, Any]) -> bool:
    """Return True if there is something to do that is not left to the reader's choice.

    Where the running router contradicts the answer, that is to find out why.
    """
    return _is_doubted(plain) or any(not thing["optional"] for thing in plain["summary"]["to_do"])


def title(row: dict[str, Any]) -> str:
    """The packets of a class in few words: `LAN to WAN`."""
    text = str(row["short"])
    return text[:1].upper() + text[1:]


class _Short:
    """The parts of the short answer, and what several of them ask of the plain one."""

    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain = plain
        self.main = main = _main(plain)
        self.bridges = main is not None and main["kind"] == BRIDGED
        self.is_slow = main is not None and main["answer"] == "no"
        self.quoted = _quoted(main) if main else None
        """The line that decides the main class."""
        self.limits = [limit for limit in plain["limits"] if not limit["past"]]
        self.bounds = {row["bounds"] for row in plain["noticed"]}
        links = [line for row in plain["noticed"] if row["bounds"] == RADIOS
                 for line in row["lines"]]  # fmt: skip
        self.capped = [note for note in plain["notes"] if note["place"] == "ahead-alone"
                       and any(line in links for line in note["lines"])]  # fmt: skip
        """The notes about radios that everything crosses, and that cap it below any path's rate."""
        self.is_broken = self.bridges and bool(self.placed("ahead-bridged"))
        """True if what a device bridges ends at a radio that bridges no hosts."""
        self.first = ("ahead", "ahead-bridged") if self.is_broken else ("ahead",)
        self.cut = [note for note in plain["notes"] if note["place"] == "astray" and note["first"]]
        """The notes without whose remedies nothing reaches the internet."""
        self.ahead = [row for row in self.cut + self.capped + self.placed(*self.first)
                      if not (self.capped and row["bounds"] == RADIOS)]  # fmt: skip
        """What is read first: it limits a router whatever path its packets take."""
        kept = any(row["commands"] and not row["given_up"] for row in plain["chip_vlans"])
        self.by_table = self.bridges and kept
        """True if the main class is for the chip by its own VLAN table, which keeps all else."""
        self.is_astray = any(note["place"] == "astray" for note in plain["notes"])
        left = main is not None and bool(_left_by_chip(main))
        self.is_fast = plain["fast"] and not self.is_astray and not left
        self.is_old = plain["router"]["version"][:1] == "6"
        self.profile = "/tool profile" if self.is_old else "/tool/profile"
        self.price = self._price() if main else []
        self.sells = any(note["rule"] == UNLIMITED and line["menu"] == "/ppp/profile"
                         for note in plain["notes"] for line in note["lines"])  # fmt: skip
        """True if FastTrack bypasses the rates of sessions, which are what customers pay for."""
        queues = [limit for limit in self.limits if limit["lines"][0]["menu"][:7] == "/queue/"]
        self.keeps_limits = bool(plain["off"] and queues)
        """True if a FastTrack rule is disabled, and queues limit what it would take past them."""

    def placed(self, *places: str) -> list[dict[str, Any]]:
        """The notes, then the notices, with one of these places in the answer."""
        return [row for row in self.plain["notes"] + self.plain["noticed"]
                if row["place"] in places]  # fmt: skip

    def router(self) -> str:
        """`hEX, RouterOS 7.20`."""
        router = self.plain["router"]
        version = router["version"] or gettext("version unknown, rules of {read_for}").format(
            read_for=self.plain["rules"]["read_for"]
        )
        return gettext("{value}, RouterOS {version}").format(
            value=router["model"] or gettext("Unknown model"), version=version
        )

    def verdict(self) -> Verdict:
        """Return the verdict on the main class.

        A running router that contradicts it leaves it open.
        """
        if self.main is None or _is_doubted(self.plain):
            return Verdict.UNKNOWN
        limited = self.is_astray or bool(self.limits or self.ahead or _left_by_chip(self.main))
        if self.main["answer"] == "yes" and limited:
            return Verdict.LIMITED
        return Verdict.ON_PURPOSE if self.is_slow and self.price else VERDICTS[self.main["answer"]]

    def next_limit(self, done: list[list[str]]) -> Next:
        """Return what decides where the path is not the limit; `done`: commands that are for speed.

        Those lift a limit too.
        """
        lifted = [note["rule"] for note in self.plain["notes"] if note["commands"] in done]
        limits = [limit for limit in self.limits if limit["rule"] not in lifted]
        if limits:
            return Next.LIMIT if any(limit["whole"] for limit in limits) else Next.HOSTS
        bounds = [row["bounds"] for row in self.ahead if row["bounds"] != RATELESS]
        if bounds:
            free = all(bound == LICENCE for bound in bounds)
            return Next.LICENCE if free else Next.AHEAD
        if PORTS in self.bounds:
            return Next.PORTS
        if self.bridges and self.plain["router"]["looks"]["radio"] and self.placed("air"):
            return Next.AIR
        return Next.BRIDGED if self.bridges else Next.CPU

    def _words(self, decides: Next) -> str:
        return gettext(decides).format(profile=self.profile)

    def nothing(self, decides: Next, typed: bool) -> str:
        """The verdict where there is nothing to do for speed, with what `decides` then.

        `typed`: there is something else to do.
        """
        plain, main = self.plain, self.main
        fast = main is not None and main["answer"] == "yes"
        chosen = any(row["choice"] for row in plain["chip_vlans"])
        beside = (
            typed
            or self.limits
            or self.ahead
            or any(row["place"] in BESIDE for row in plain["noticed"])
        )
        if (fast and (plain["vlans_on_ports"] or chosen)) or self._is_on_port():
            return gettext(NONE_TYPED)
        if self.is_fast or self._is_settled():
            path = NOTHING_IN_PATH if beside else NOTHING
        elif fast or self.capped or LINE in self.bounds:
            path = NOTHING_IN_PATH
        else:
            return gettext(self._unless() if self.is_slow else NOT_KNOWN)
        what = self._words(FAST_ALREADY.get(decides, decides))
        return gettext(LEFT).format(nothing=gettext(path), what=what) + self._test(decides)

    def _test(self, decides: Next) -> str:
        """The commands that tell which of what decides it is: the port's rate, or the radio."""
        looks: dict[str, str] = self.plain["router"]["looks"]
        ahead = decides is Next.AHEAD and RADIOS in self.bounds
        if (ahead or decides is Next.AIR) and looks["radio"]:
            return " " + gettext(TEST_RADIO).format(radio=looks["radio"])
        if decides is not Next.CPU or not looks["port"]:
            return ""
        return " " + gettext(TEST_WITH_RADIO if looks["radio"] else TEST).format(
            port=looks["port"], radio=looks["radio"]
        )

    def _unless(self) -> str:
        """The verdict on a slow path that nothing makes faster."""
        if any(limit["whole"] for limit in self.limits):
            return UNLESS_MORE
        if self.price:
            return UNLESS_NEEDLESS
        if self.limits:
            return UNLESS_RAISED
        if any(row["helps"] for row in self.plain["barred"]):
            return NONE_TYPED  # the answer says what would help in FastTrack's place
        changes = self.main["changes"] if self.main else []
        if changes or sentences.incomplete(self.plain):
            return NOT_KNOWN
        # A newer RouterOS lacks the reason, though nothing here shows that it helps this router.
        return NOT_KNOWN if any(row["until"] for row in self.plain["barred"]) else NONE_KNOWN

    def _is_on_port(self) -> bool:
        """Return True if the chip would route the main class, were its VLANs on the bridge."""
        reasons = self.main["reasons"][:1] if self.main else []
        return any(reason["rule"] == ON_PORT for reason in reasons)

    def _is_settled(self) -> bool:
        """Return True if all classes that decide are fast, given the network adapters for it."""
        rows = [row for row in self.plain["classes"] if row["kind"] in DECISIVE]
        every = all(row["answer"] == "yes" or _by_adapters(row) for row in rows)
        return every and not self.is_astray and any(_by_adapters(row) for row in rows)

    def closing(self, every: list[dict[str, Any]], nothing: str, decides: Next) -> str:
        """The last sentence of the answer, beside the things to do, and what shows that they work.

        `nothing`: the verdict where there is nothing to do for speed.
        """
        if not every:
            return ""
        if not any(thing["speeds"] for thing in every):
            return gettext(APART).format(nothing=nothing[:1].lower() + nothing[1:])
        after = gettext(AFTER).format(what=self._words(decides))
        leads = any(thing["speeds"] and FASTTRACK in thing["leads"] for thing in every)
        if leads and not any(FASTTRACK in row["paths"] for row in self.plain["classes"]):
            settings = "/ip settings print" if self.is_old else "/ip/settings/print"
            after += " " + gettext(FASTTRACKED).format(settings=settings)
        return after

    def leave(self) -> str:
        """What somebody who wants speed might delete, and should not; no remedy is about it."""
        plain = self.plain
        changed: list[dict[str, Any]] = []
        for row in plain["notes"] + plain["chip_vlans"]:
            before = row.get("rule") == LATE  # a rule before a guard leaves it as it is
            changed += row["lines"] if row["commands"] and not before else []
        for row in plain["classes"]:
            best = [change for change in _best_first(row) if not change["given_up"]][:1]
            best = [change for change in best if change["commands"] and not change["update"]]
            if any(FASTTRACK not in change["then"]["paths"] for change in best):
                changed += [line for reason in row["reasons"] for line in reason["lines"]]
        words = []
        for row in plain["kept"]:
            # Accepts before FastTrack, a remedy about IPsec, keep it.
            if row["kept"] != "ipsec" and any(line in changed for line in row["lines"]):
                continue
            if row["kept"] == "hotspot" and self.is_slow and self.price:
                continue  # it is the purpose
            if row["kept"] == "nat" and self.quoted not in row["lines"]:
                continue  # nobody thinks of it but where it is what closes the fast path
            words.append(gettext(LABELS[row["kept"]]) + sentences.at_first(row))
        if self.keeps_limits and not self.offers_fasttrack():
            text = gettext("the disabled FastTrack rule, which would bypass the limits ({off})")
            words = [text.format(off=sentences.place(plain["off"][0])), *words]
        text = gettext("Leave as it is: {what}.").format(what="; ".join(words[:MOST_LEFT]))
        return text if words else ""

    def noticed(self, typed: bool) -> list[str]:
        """What was noticed and has no other place in the answer: strangers' access first.

        `typed`: there is something to do.
        """
        rows = [row for row in self.plain["noticed"] if row["place"] == "reached"]
        reached = [sentences.noticed(row) for row in rows]
        said = PLACED + self.first + self.bridged() + (() if typed else (TYPED,))
        return reached + sentences.noticed_lines(self.plain, said)

    def answer(self) -> str:
        """Return the most important answer in one sentence; behind a colon a line is quoted."""
        main, plain, quoted = self.main, self.plain, self.quoted
        if main is None:
            return gettext("According to the export, this device forwards no traffic.")
        text = title(main) + ": " + _paths(main | {"answer": "no"} if self.cut else main)
        if self.is_broken:
            ways = either([_path(way) for way in main["paths"]])
            text = gettext("{title}: between its wires {ways}").format(title=title(main), ways=ways)
        elif self.bridges and self.placed("title"):
            text = gettext("{title} (this device routes nothing): {paths}").format(
                title=title(main), paths=_paths(main)
            )
        left = _left_by_chip(main)
        idle = not any(way in IN_CHIP for way in main["paths"])
        if idle and (left or self._is_for_chip(main)):
            text += gettext(", on the CPU and not in the switch chip")
        if not quoted:
            one = left or (main["reasons"] if len(main["paths"]) == 1 else [])
            lines = one[0]["lines"] if one else []
            return text + (" (" + sentences.place(lines[0]) + ")" if lines else "") + "."
        reason = main["reasons"][0]
        more = len(reason["lines"]) - 1 + reason["more"]
        where = sentences.place(quoted) + (" " + and_more(more) if more else "")
        missed = self._misses_fasttrack(main)
        closes = reason["closes"] == ["ip"]
        if missed and plain["off"]:
            words = gettext("{text}, because of {where}; FastTrack's rule is disabled ({off}):")
            if closes:
                words = gettext(
                    "{text}, because the FastTrack rule is disabled ({off}), so {where} decides:"
                )
            if closes and more:
                words = gettext(
                    "{text}, because the FastTrack rule is disabled ({off}), so {where} decide:"
                )
            return words.format(text=text, off=sentences.place(plain["off"][0]), where=where)
        words = gettext("{text}, because of {where}:")
        if missed and closes:
            words = gettext(
                "{text}, because there is no FastTrack rule and {where} closes the fast path:"
            )
            if more:
                words = gettext(
                    "{text}, because there is no FastTrack rule and {where} close the fast path:"
                )
        return words.format(text=text, where=where)

    def _is_for_chip(self, main: dict[str, Any]) -> bool:
        """Return True if the switch chip is there to route the main class."""
        router = self.plain["router"]
        if not self.bridges and router["chip"] and not router["wan"]:
            return True
        on_ports = bool(self.plain["vlans_on_ports"]) and main["paths"] == [FAST]
        return on_ports or any(_leads_to_chip(main, change) for change in main["changes"])

    def _misses_fasttrack(self, main: dict[str, Any]) -> bool:
        """Return True if FastTrack is what the main class lacks: no rule has it, and none bars it.

        Without all of the export nobody knows, unless it can be offered.
        """
        if main["kind"] != ESTABLISHED or main["paths"] != [SLOW]:
            return False
        offered = any(FASTTRACK in change["then"]["paths"] for change in main["changes"])
        if self.keeps_limits and not self.offers_fasttrack():
            return False
        known = offered or not self.placed(sentences.INCOMPLETE)
        there = any(reason["rule"] in FASTTRACKS + (IN_FRONT,)
                    for row in self.plain["classes"] for reason in row["reasons"])  # fmt: skip
        return known and not there and (offered or not self.plain["barred"])

    def warnings(self, limit_first: bool) -> list[str]:
        """Return the warnings that hold whatever path the packets take.

        `limit_first`: the answer begins with the limits that hold.
        """
        plain, main = self.plain, self.main
        says = (
            sentences.replaced(plain)
            + sentences.incomplete(plain)
            + ([] if limit_first else sentences.limited(plain, past=False))
            + sentences.limited(plain, past=True)
            + ([] if self.sells else sentences.unlimited(plain))
            + sentences.misrouted(plain)
            + sentences.without(plain)
        )
        says += [
            note["says"].rstrip(".") + sentences.at_lines(note) + "."
            for note in plain["notes"]
            if note["place"] == "astray" and not note["commands"] and note not in self.cut
        ]
        says += [sentences.sentence(row) for row in plain["contradicted"]]
        if main and self.is_slow:
            opened = any(note["opens"] and note["commands"] for note in plain["notes"])
            if (not main["changes"] or self.price) and not opened and not self.capped:
                says += sentences.barred(plain)
            if self.price:
                text = gettext("Slow on purpose, it seems: a faster path takes away {what}.")
                says.append(text.format(what=_some(self.price)))
        if self._is_on_port():
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

    def _price(self) -> list[str]:
        """What every faster path takes away that somebody set up, as a limit; empty if one is free.

        It may be wanted so.  The chip's own VLAN table keeps what the bridge does.
        """
        if self.main is None or self.by_table:
            return []
        prices: list[list[str]] = [
            change["given_up"] + change["logged"] for change in self.main["changes"]
        ] or [self.main["refused"]]
        return prices[0] if all(prices) else []

    def why(self) -> str:
        """Return the reason of the line that is quoted, or of a slow path that no line decides."""
        reason = self.main["reasons"][0] if self.main and self.main["reasons"] else None
        if reason is None or not (self.quoted or self.is_slow):
            return ""
        if reason["rule"] in FASTTRACKS + ("never-reached",):
            return ""  # its line is quoted, and says which packets it takes
        if reason["closes"] == ["ip"] and self.main and self._misses_fasttrack(self.main):
            return ""  # the answer says that FastTrack has no rule, and which line decides then
        return sentences.because(reason)

    def others(self) -> str:
        """The other classes that decide, as far as they are not fast.

        A tunnel that may be slow is named; of what is bridged, only a known path carries weight,
        and what the main class's line decides too is not said again.
        """
        words = []
        known = [line for row in self.placed(CARRIED) for line in row["lines"]]
        for row in self.slower():
            lines = row["reasons"][0]["lines"] if row["reasons"] else []
            if lines and lines[0] in known:
                continue  # `tunnels` has it
            where = ", " + sentences.place(lines[0]) if lines else ""
            words.append(title(row) + " (" + _paths(row) + where + ")")
        left = len(words[MOST_OTHERS:])
        more = gettext("; and {left} more").format(left=str(left)) if left else ""
        text = gettext("Not fast, or uncertain: {words}{more}.")
        text = text.format(words="; ".join(words[:MOST_OTHERS]), more=more) if words else ""
        return " ".join([text] + [row["says"] for row in self.placed(*self.bridged())])

    def tunnels(self) -> str:
        """What is known of the packets of tunnels that matters more than their path."""
        says = []
        for notice in self.placed(CARRIED):
            titles = [title(row) for row in self.slower() for reason in row["reasons"][:1]
                      if reason["lines"] and reason["lines"][0] in notice["lines"]]  # fmt: skip
            says.append(": ".join(["; ".join(titles)][: len(titles)] + [sentences.noticed(notice)]))
        return " ".join(says)

    def bridged(self) -> tuple[str, ...]:
        """The place of what is said of bridges beside `others`, where these are among them."""
        return ("bridged",) if any(row["kind"] == BRIDGED for row in self.slower()) else ()

    def slower(self) -> list[dict[str, Any]]:
        """The classes of `others`."""
        main, slower = self.main, []
        decides = _deciding(main) if main else None
        for row in self.plain["classes"]:
            if row is main or row["kind"] not in DECISIVE or row["answer"] == "yes":
                continue
            if row["answer"] == "unknown" and (row["kind"] == BRIDGED or SLOW not in row["paths"]):
                continue
            # Networks kept apart are, as a rule, kept apart on purpose.
            if self._leads_nowhere(row) or (row["class"] == INSIDE and row["paths"] == [DROPPED]):
                continue
            if main and row["paths"] == main["paths"] and decides and _deciding(row) == decides:
                continue
            slower.append(row)
        return slower

    def asks(self) -> list[dict[str, str]]:
        """Return the gaps of an export, each with the command that tells.

        Those of other classes than the main one carry no weight where it is known, or asks itself.
        """
        asks: list[dict[str, str]] = []
        main = self.main
        known = main is not None and (main["answer"] != "unknown" or bool(main["asks"]))
        for row in self.plain["classes"]:
            if row["kind"] not in DECISIVE or not row["asks"] or row["answer"] == "yes":
                continue
            if self._leads_nowhere(row) or (known and row is not main):
                continue
            same = [ask for ask in asks if ask["command"] == row["asks"][0]]
            if same:
                same[0]["about"] += "; " + title(row)
            else:
                asks.append({"about": title(row), "command": row["asks"][0]})
        return asks[:MOST_ASKED]

    def _leads_nowhere(self, row: dict[str, Any]) -> bool:
        """True if packets to a WAN are meant, where the export shows none, but several networks."""
        if row["class"] != OUT or self.plain["router"]["wan"]:
            return False
        return any(other["class"] == INSIDE for other in self.plain["classes"])

    def to_do(self) -> list[dict[str, Any]]:
        """The best remedy of each class and of each note, ranked by what it gains; none twice."""
        ranked = self._of_classes() + self._of_notes() + self._of_tables()
        of_main = self.main["changes"] if self.main else []
        if self.placed("air") or any(not change.get("tidies") for _, _, _, change in ranked):
            ranked = [row for row in ranked if not row[3].get("tidies")]
        things: list[dict[str, Any]] = []
        known: list[list[str]] = []
        for rank, _, gain, change in sorted(ranked, key=lambda row: row[:2]):
            typed = change["commands"] or self._installing()
            alone = change.get("row_by_row") or typed
            if alone in known or any(alone and all(text in own for text in alone) for own in known):
                continue  # of updates the first is enough
            known.append(alone)
            whole = rank < OF_OTHERS or any(change is one for one in of_main)
            things.append(
                {
                    "gain": gain,
                    "brief": "" if whole else self._brief(change, gain),
                    "optional": rank >= OPTIONAL,
                    "secures": change.get("secures", False),
                    "decides": rank == OF_MAIN,
                    "speeds": rank < OPTIONAL,
                    "leads": (change.get("then") or {}).get("paths", []),
                    "commands": typed,
                    "loses": change["loses"],
                    "undo": change["undo"],
                    "update": change.get("update", False),
                }
            )
        return things

    def _installing(self) -> list[str]:
        """The command of an update; RouterOS 6 gets to 7 by steps that its release decides."""
        return [UPDATE] if self.plain["router"]["version"][:2] == "7." else []

    def _of_tables(self) -> list[Ranked]:
        """The chips' VLAN tables, ranked: first where the main class is for the chip by them."""
        ranked: list[Ranked] = []
        tables = self.plain["chip_vlans"]
        for place, vlans in enumerate(tables):
            rank, gain = (OF_MAIN if self.by_table else OF_NOTE), vlans["says"]
            if vlans["given_up"]:
                rank, gain = AT_A_PRICE, _only_if(vlans, gain)
            if vlans["commands"]:
                ranked.append((rank, place - len(tables) - 1, gain, vlans))
        return ranked

    def _of_classes(self) -> list[Ranked]:
        """The best remedy of each class, ranked."""
        ranked: list[Ranked] = []
        for place, row in enumerate(self.plain["classes"]):
            for change in self._best(row):
                rank, gain = self._of_class(row, change)
                ranked.append((rank, -1 if row is self.main else place, gain, change))
        return ranked

    def _best(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """The change of a class that is offered, if one is."""
        if self._leads_nowhere(row) or (self.plain["router"]["stands_between"]
                                        and row is not self.main):  # fmt: skip
            return []
        best = _best_first(row)
        # What somebody configured, such as a limit, is not offered to be given up: FastTrack may
        # leave it out.
        if best and best[0]["given_up"]:
            kept = [change for change in best if not change["given_up"]]
            best = [change for change in kept if FASTTRACK in change["then"]["paths"]]
        if row is not self.main:
            best = [change for change in best if not change["gives_up"]]
        # Nobody updates over a satellite or behind a radio for a path that is not the limit, nor
        # for one of the CPU, which is not asked for any frame once the chip has its table.
        needless = self.by_table or bool(self.bounds & {LINE, RADIOS})
        needless = needless or (row["kind"] == BRIDGED and LICENCE in self.bounds)
        return [change for change in best[:1]
                if _differs(row, change) and not (needless and change["update"])]  # fmt: skip

    def _of_class(self, row: dict[str, Any], change: dict[str, Any]) -> tuple[int, str]:
        """The rank of a class's remedy, and what it gains."""
        is_main = row is self.main
        # Of what is not the main answer, and fast-tracked for the most part, the rest may wait.
        part = not is_main and row["answer"] == "depends" and FASTTRACK in row["paths"]
        bound = self.capped or (LINE in self.bounds and row["class"] != INSIDE)
        # The CPU of a switch is fast at a fraction of what its ports carry.
        chip = is_main and _leads_to_chip(row, change)
        slow = chip or (row["answer"] != "yes" and not part and not bound)
        rank = (OF_MAIN if is_main else OF_OTHERS) if slow else OPTIONAL
        gain = _gain(self._same_change(row, change), row, change["then"])
        gain += ". " + gettext(AT_WIRE_SPEED) if chip else ""
        gain = gain if slow else _optional(gain)
        if change["update"]:
            gain = self._updated(change, gain)
            computer = self.plain["router"]["computer"] and row["kind"] == BRIDGED
            if chip or computer or RADIOS in self.bounds:
                return UPDATING, _optional(gain)
            return UPDATING, gettext(IF_FULL).format(gain=gain, profile=self.profile)
        if FASTTRACK in change["then"]["paths"] and self.placed(sentences.INCOMPLETE):
            gain = _only_if(change, gain)
        elif change["gives_up"]:
            # Whether anybody reads a count or a log is asked before what only tidies up.
            rank = OPTIONAL if is_main and not change["given_up"] else AT_A_PRICE
            gain = _only_if(change, gain)
        return rank, gain

    def _of_notes(self) -> list[Ranked]:
        """The remedies of the notes, ranked."""
        ranked: list[Ranked] = []
        limits = [limit["rule"] for limit in self.plain["limits"]]
        for place, note in enumerate(self.plain["notes"]):
            if not note["commands"] or (note["gives_up"] and note["rule"] in limits):
                continue
            if note["rule"] == LATE and self.offers_fasttrack():
                continue  # such an accept follows its rule
            begins = note in self.cut + self.capped or (
                self.is_broken and note["place"] == "ahead-bridged"
            )
            rank, gain = self._of_note(note, begins)
            if rank == OF_NOTE and self.capped and not begins:
                rank, gain = OPTIONAL, _optional(gain)
            ranked.append((rank, place, gain, note))
        return ranked

    def offers_fasttrack(self) -> bool:
        """Return True if FastTrack is a change of the main class that has no price."""
        changes = self.main["changes"] if self.main else []
        return any(FASTTRACK in one["then"]["paths"] and not (one["gives_up"] or one["update"])
                   for one in changes if one["then"])  # fmt: skip

    def _of_note(self, note: dict[str, Any], known: bool) -> tuple[int, str]:
        """The rank of a note's remedy, and what it gains.

        `known`: the answer begins with what the note says.
        """
        placed = known or note["place"] in ("air", STRANGERS)
        gain = note["gains"] + ("" if placed else " " + note["says"])
        first = note["first"] or (known and note["place"] == "ahead-bridged")
        if note["update"]:
            return FIRST if first else UPDATING, self._updated(note, gain)
        if note["place"] == STRANGERS:
            return FIRST, _with_price(note, gain)
        if note["gives_up"]:
            return AT_A_PRICE, _with_price(note, gain)
        if first:
            return FIRST, gain
        if note["secures"]:
            return AT_A_PRICE, _with_price(note, gain)
        return (OPTIONAL, _optional(gain)) if note["optional"] else (OF_NOTE, gain)

    def _updated(self, change: dict[str, Any], gain: str) -> str:
        """What an update gains, which version it takes, and what it does to the configuration."""
        if not change["needs"]:
            text = gettext("Update RouterOS first; an update cannot be undone. {gain}")
        elif self.is_old and change["needs"][:1] == "7":
            text = gettext(CONVERTED)
            if self.plain["router"]["computer"]:
                gain = gettext(ON_COMPUTER).format(gain=gain)
        else:
            text = gettext(
                "Update RouterOS to {needs} or later first; an update cannot be undone. {gain}"
            )
        return text.format(needs=change["needs"], gain=gain)

    def _brief(self, change: dict[str, Any], gain: str) -> str:
        """A remedy in a sentence or two, where its commands may wait; empty where they may not.

        Those of the air may not.  Of security it is the risk, of a choice what is astray, and
        where.
        """
        if change.get("place") == "air":
            return ""
        if "gains" not in change:
            return gain
        says = change["says"].rstrip(".") + (sentences.at_first(change) if change["lines"] else "")
        if change["secures"]:
            return str(says + ".")
        if change["optional"] and not change["gives_up"] and not change["update"]:
            return _optional(says + ".")
        gone = change["given_up"] + change["logged"]
        if change["gives_up"] and not gone and change["loses"]:
            text = gettext("Only if you do not need {what}. {gain}")
            return text.format(what=change["loses"], gain=change["gains"])
        return self._of_note(change, known=True)[1]

    def _same_change(self, row: dict[str, Any], change: dict[str, Any]) -> str:
        """The titles of all classes that the same commands lead along the same path."""
        titles = [title(row)]
        for other in self.plain["classes"]:
            if other is row or other["paths"] != row["paths"] or self._leads_nowhere(other):
                continue
            for one in other["changes"]:
                same = one["commands"] == change["commands"] and one["then"]
                if same and one["then"]["paths"] == change["then"]["paths"]:
                    titles.append(title(other))
        return "; ".join(unique(titles))


def _main(plain: dict[str, Any]) -> dict[str, Any] | None:
    """The class that says most: of a switch its ports, without a WAN what its networks exchange."""
    bridged: list[dict[str, Any]] = [row for row in plain["classes"] if row["kind"] == BRIDGED]
    out = [BRIDGED + "-" + name for name in plain["router"]["wan"]]
    bridged = [row for row in bridged if row["class"] in out] or bridged
    classes: dict[str, dict[str, Any]] = {row["class"]: row for row in plain["classes"]}
    if not plain["router"]["wan"] and INSIDE in classes:
        return classes[INSIDE]
    if plain["router"]["switch"] and bridged:
        return bridged[0]
    if plain["router"]["model"][: len(SWITCHES)] == SWITCHES and INSIDE not in classes:
        translated = OUT in classes and classes[OUT]["translated"]
        in_chip = [row for row in bridged if CHIP in row["paths"]]
        if in_chip and not translated:
            return in_chip[0]
    known = [classes[name] for name in CLASSES if name in classes] + bridged
    return known[0] if known else None


def _is_doubted(plain: dict[str, Any]) -> bool:
    return any(row["speaks"] == contradicted.AGAINST for row in plain["contradicted"])


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


def _leads_to_chip(row: dict[str, Any], change: dict[str, Any]) -> bool:
    """Return True if a change lets the chip route what the CPU routes on its fast path."""
    by_chip = bool(change["then"]) and change["then"]["paths"] == [CHIP]
    return by_chip and row["kind"] != BRIDGED and row["paths"] == [FAST]


def _left_by_chip(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the reasons for the CPU in the chip's place: settings that the chip lacks."""
    return [reason for reason in row["reasons"] if reason["fact"] == BY_SETTING]


def _deciding(row: dict[str, Any]) -> tuple[str, list[dict[str, Any]]] | None:
    """The rule that decides a class's path, and the first line that meets it."""
    first = row["reasons"][0] if row["reasons"] else None
    return (first["rule"], first["lines"][:1]) if first else None


def _with_price(note: dict[str, Any], gain: str) -> str:
    """What a note's remedy gains, behind what has to hold for it, or what it is for."""
    if note["rule"] == UNLIMITED:  # it turns FastTrack off
        gain = gettext("Only if the limits matter more than speed. {gain}").format(gain=gain)
    elif note["gives_up"]:
        gain = _only_if(note, gain)
    if note["secures"]:
        gain = gettext("For security, not for speed. {gain}").format(gain=gain)
    return gain


def _optional(gain: str) -> str:
    return gettext("Optional. {gain}").format(gain=gain)


def _gain(titles: str, row: dict[str, Any], then: dict[str, Any]) -> str:
    """The path of classes after a change, in place of the one before; some packets may keep it."""
    new = [path for path in then["paths"] if path not in row["paths"]]
    text = gettext("{row}: {then} instead of {row_2}")
    if new and new != then["paths"] and all(path in then["paths"] for path in row["paths"]):
        then = {"paths": new}
        text = gettext("{row}: {then} instead of {row_2}, but not for all packets")
    return text.format(row=titles, then=_paths_of(then), row_2=_paths_of(row))


def _paths_of(row: dict[str, Any]) -> str:
    return either([gettext("being dropped") if way == DROPPED else _path(way)
                   for way in row["paths"]])  # fmt: skip


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
    places = [[_slowness(change["then"]), place] for place, change in enumerate(changes)]
    return [changes[place] for _, place in sorted(places)]


def _slowness(then: dict[str, Any]) -> int:
    """Smaller where the slowest of the paths is faster."""
    answers = {"yes": 0, "depends": 10, "unknown": 10, "no": 20}
    return answers[then["answer"]] + max(
        [ORDER.index(way) if way in ORDER else len(ORDER) for way in then["paths"]]
    )
