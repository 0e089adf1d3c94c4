"""The files of rules/, read strictly; `python -m rosexplain.rule_files` makes base.json of them.

PyYAML and pydantic are needed here alone: an answer reads base.json.
"""

from __future__ import annotations

import csv
import difflib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from rosexplain import base

MANUAL = "https://manual.mikrotik.com/docs/"

STATIONS = "stations.yml"

LONGEST_QUOTE = 24
"""Words: the manual has no open licence, so no more of it is copied than names the place."""


class RuleFileError(ValueError):
    """A file that is wrong, with the line of what is wrong."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path.name}:{line}: {message}")
        self.path, self.line, self.message = path, line, message


class Strict(BaseModel):
    """A mapping of a file: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# --- facts ----------------------------------------------------------------------------------------

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Menu = Annotated[str, Field(pattern=r"^(-|(/[a-z0-9-]+)+)$")]
Version = Annotated[str, Field(pattern=r"^[67]\.\d{1,2}(\.\d{1,2})?$")]
Day = Annotated[str, Field(pattern=r"^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$")]
"""`2026-10-06`, or `2026-08` where only the month is known."""


class Fact(Strict):
    """One thing that RouterOS does.

    `chips`: the switch chips that it is true of, all where none is named.  `confirmed`: `none`, or
    which real router of which version, and who says so.  `basis`: a source says so, or it follows
    from what sources say, `because` of what.  `page`, `url`, `work`, `read`: where and when, where
    that is not the file's; a `page` is the end of its address, after MANUAL.
    """

    section: str = Field(min_length=2)
    says: str = Field(min_length=20, max_length=400)
    quote: str = ""
    since: Version | None = None
    until: Version | None = None
    chips: tuple[str, ...] = ()
    confirmed: str = Field(min_length=4)
    basis: Literal["read", "inferred"] = "read"
    because: str = ""
    page: str = ""
    url: str = ""
    work: str = ""
    read: Day | None = None

    @model_validator(mode="after")
    def _reasoned(self) -> Fact:
        if len(self.quote.split()) > LONGEST_QUOTE:
            raise ValueError(f"a quote has at most {LONGEST_QUOTE} words")
        if (self.basis == "inferred") != bool(self.because):
            raise ValueError("an inferred fact, and no other, has `because`")
        if self.basis == "inferred" and self.quote:
            raise ValueError("an inferred fact has no quote")
        return self

    @property
    def is_confirmed(self) -> bool:
        """Confirmed by a real router."""
        return self.confirmed != "none"


class FactFile(Strict):
    """A file: `page` of the manual, `url` of another source, or `work`, one without an address."""

    page: str = ""
    url: str = ""
    work: str = ""
    read: Day
    facts: dict[Name, Fact] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_source(self) -> FactFile:
        if sum(map(bool, (self.page, self.url, self.work))) != 1:
            raise ValueError("a file has one of `page`, `url` and `work`")
        return self


@dataclass(frozen=True)
class SourcedFact:
    """A fact with its id, its file (`subject`: the file's stem), its source and when it was read.

    `source`: an address, or the title of a work that has none.
    """

    id: str
    fact: Fact
    file: Path
    read: str
    source: str

    @property
    def subject(self) -> str:
        """The name of its file, e.g. `l3hw`."""
        return self.file.stem

    @property
    def says(self) -> str:
        """RouterOS's behaviour, one sentence."""
        return self.fact.says

    @property
    def cited(self) -> str:
        """The source in words: `L3 Hardware Offloading, MTU (read 2026-10-06)`."""
        short = self.source.removeprefix(MANUAL)
        manual = "MikroTik's manual, " if short != self.source else ""
        since = f", since RouterOS {self.fact.since}" if self.fact.since else ""
        until = f", until RouterOS {self.fact.until}" if self.fact.until else ""
        how = "follows from " if self.fact.basis == "inferred" else ""
        where = f"{how}{manual}{short}, {self.fact.section}"
        return f"{where} (read {self.read}){since}{until}"


def facts(folder: Path = base.RULES / "facts") -> dict[str, SourcedFact]:
    """The facts by id, in the order of the files; RuleFileError for a file that is wrong."""
    return _facts(_stamped(folder))


@lru_cache(maxsize=4)
def _facts(files: tuple[tuple[Path, int], ...]) -> dict[str, SourcedFact]:
    read: dict[str, SourcedFact] = {}
    for path, _ in files:
        file = _read(path, FactFile)
        for name, fact in file.facts.items():
            if name in read:
                _refuse_twice(("facts", name), read[name].file, path)
            source = _source(fact) or _source(file)
            read[name] = SourcedFact(name, fact, path, fact.read or file.read, source)
    return read


def _source(words: Fact | FactFile) -> str:
    return MANUAL + words.page if words.page else words.url or words.work


@cache
def _first_read() -> frozenset[str]:
    """The facts that were there when this process first asked."""
    return frozenset(facts())


def known(name: str) -> str:
    """The id of a fact, for a pydantic model; ValueError where no fact has it."""
    # Whether a file has changed is asked of the disk only for a name that is new.
    if name not in _first_read() and name not in facts():
        where = "packages/rosexplain/rules/facts has them"
        raise ValueError(f"no fact {name!r} of RouterOS{_near(name, facts())}: {where}")
    return name


FactId = Annotated[str, AfterValidator(known)]
FactIds = tuple[FactId, ...]

# --- rules ----------------------------------------------------------------------------------------

Sentence = Annotated[str, Field(min_length=8, max_length=240)]


class Offload(Strict):
    """A rule's effect on L3 hardware offload, the chips, and the facts that say so."""

    chips: Literal[
        "all", "nat", "no-nat", "no-vrf", "fasttrack", "on-bridge", "on-port", "one-byte",
        "no-vxlan",
    ]  # fmt: skip
    effect: Literal["off", "cpu", "blind", "note"]
    facts: FactIds = Field(min_length=1)


class Cost(Strict):
    """A lab's condition that has it, and the one beside it that has not."""

    lab: str
    condition: str
    against: str


class Carries(Strict):
    """Packets that are there with it, of the class `name`, and what they take.

    `instead`: it makes no class, but decides about the one that another rule made.
    """

    name: str
    instead: bool = False
    answer: Literal["yes", "no", "depends", "unknown"]
    paths: tuple[Literal["fast-path", "slow"], ...] = Field(min_length=1)


class Tunnel(Strict):
    """The path in an interface of `menus` that meets the rule, or `unlisted`: no source has it.

    `defaults`: the fact that says so of a kind whose allow-fast-path is not set.
    """

    path: Literal["fast-path", "slow", "unlisted"]
    defaults: dict[str, FactId] = Field(default={})


class Changed(Strict):
    """A part of an example, and what in its place changes the answer."""

    old: str = Field(min_length=1)
    new: str


class Example(Strict):
    """An export, and the smallest change by which the rule holds no more, or begins to."""

    export: str = Field(min_length=4)
    change: Changed


PLACES = {
    "ahead": "the first thing to read: it limits a router whatever path the packets take",
    "ahead-alone": "ahead, where it is about a radio that everything crosses",
    "ahead-bridged": "ahead, where the device's most important packets are bridged",
    "air": "a sentence of its own about the hosts on the air, beside the path of the others",
    "astray": "packets that go astray: no answer is fast then; it is a warning without commands",
    "beside": "to be changed though the path is fast",
    "bridged": "beside the path of what is bridged, where that is slow",
    "carried": "in place of the path of what its tunnel carries",
    "incomplete": "a warning, as RouterOS did not export all",
    "reached": "a warning of what strangers reach; its commands are shown after any others",
    "strangers": "signs that strangers are in the router: read and ended before anything else",
    "typed": "noticed where commands are typed, which it may undo",
    "title": "known by the title of a bridge's packets",
    "unguarded": "a warning of services that strangers reach: behind all else that was noticed",
}
"""The places of a note or a notice in the short answer; one without is noticed at its end."""


INTENDED = {
    "joined": "its lines' ports or connections come into a VLAN or a table where they were not",
    "untranslated": "what strangers or needless rules translate is translated no more",
    "unlimited": "the limit of its lines is somebody else's then",
    "opened": "the packets of connections pass that were let begin",
    "cut": "new packets of networks that were cut off are refused, as those of others are",
}
"""The harms that a remedy may be there to do."""


def one_of(what: str, words: dict[str, str]) -> AfterValidator:
    """A word of a table, for a pydantic model; ValueError where it has none such."""

    def known_word(word: str) -> str:
        if word not in words:
            raise ValueError(f"no {what} {word!r}{_near(word, words)}: {', '.join(words)}")
        return word

    return AfterValidator(known_word)


RARE = (
    "tunnel note limits notice place bounds names first tolerated opens crossed by_cpu "
    "gives_up optional tidies spares refuses secures intends frames bypasses helps idle"
).split()


class Rule(Strict):
    """One rule.  A row of `menus` meets it that is on and whose words are as `where` has them.

    A value of `where`: `yes` that word, `a,b` one of them, `!a,b` none of them, `*` any, empty set
    to nothing, `,` that or not set, `!,` set to something.
    A menu `-`: several lines together meet it (`rosexplain.traffic`).
    `closes`: which way it closes, by which fact; `facts`: what it decides by beside.
    `asks`: the commands that tell what an export cannot.  `hides`: what its rows make that no
    export shows, and that closes the fast path.  `gains`: what a note's remedy brings.
    `helps`: what would help where it keeps FastTrack from being a remedy.
    `gives_up`: its remedy takes away what somebody set up, so it comes after all that do not.
    `optional`: its remedy changes no packet's way: it spares the CPU a little, tidies up, or has
    a price that not everybody pays.
    `tidies`: nobody who asks for speed asks for its remedy: beside others, or beside what is said
    of the air, only `--all` has it.
    `spares`: its remedy is rules before FastTrack's instead, where these can keep out the few hosts
    that mangle gives a routing mark (`marked`), that routing rules send to a table (`routed`), that
    simple queues limit (`limited`), or whose packets mangle changes or copies (`changed`); or
    rules of raw that track the few hosts of destination NAT (`few`); or one command for all rules
    that search packets (`searched`).
    `refuses`: its remedy drops what nobody named asks of the router, and that is no harm.
    `secures`: its remedy is for the router's safety, and ends what strangers gain by it.
    `intends`: what its remedy is there to do, so that it is no harm (INTENDED).
    `frames`: its remedy is for bridged frames too, so also for a device that routes nothing.
    `bypasses`: its remedy leads packets around firewall, queues and IPsec, and gives up what they
    meet there.
    `note`: it is said beside the table, whatever the classes' paths, the lowest number first.
    `limits`: its rows limit the rate, of `cpu` not what a chip forwards, of `slow` not what is
    fast-tracked either.
    `notice`: it is noticed beside the answer, the lowest number first (`rosexplain.noticed`).
    `place`: where the short answer says it (PLACES), read in each row of `report`.
    `names`: what is named before its sentence: the `ports` of its lines, their empty `lists`, its
    `radios`, or these with the `rates` that bound them (of the `air` where no rule ahead has them),
    or the `outs`, the interfaces by which a network leaves untranslated; the `settings` of a bridge
    that its chip refuses; the two `spellings` of a name; the `services` of the router that
    strangers reach.
    `bounds`: what it says bounds the rate, whatever the path: the radios that everything crosses,
    the line, the ports, or the licence; `nothing` of a sentence that is about no rate.
    `first`: its remedy is the first thing to do, as of a network that nothing gets through to.
    `tolerated`: another remedy may bring it about: `always`, as it costs little; with an update; or
    if that remedy intends it, as strangers asked a network that is `joined` as much before.
    `opens`: its remedy opens the fast path, or is none.
    `idle`: its rows are rules that no packet needs, so they guard nothing.
    `crossed`: it holds for packets that come `in` by a bridge, or for those that leave by one too.
    `by_cpu`: it is about bridged frames of the CPU, and the switch chip's never meet it.
    """

    decides: Sentence
    label: str = ""
    menus: tuple[Menu, ...] = Field(min_length=1)
    where: dict[str, str] = Field(default={})
    family: Literal[4, 6] | None = None
    closes: dict[Literal["ip", "bridge", "forward", "fasttrack", "chip-fasttrack"], FactId] = Field(
        default={}
    )
    facts: FactIds = ()
    offload: Offload | None = None
    since: Version | None = None
    until: Version | None = None
    asks: tuple[str, ...] = ()
    hides: Literal["queues", "policies", "labels"] | None = None
    carries: Carries | None = None
    tunnel: Tunnel | None = None
    note: int | None = None
    limits: Literal["always", "cpu", "slow"] | None = None
    notice: int | None = None
    place: Annotated[str, one_of("place", PLACES)] | None = None
    names: (
        Literal[
            "ports", "lists", "radios", "rates", "air", "outs", "settings", "spellings", "services"
        ]
        | None
    ) = None
    bounds: Literal["radios", "line", "ports", "licence", "nothing"] | None = None
    first: bool = False
    tolerated: Literal["always", "updated", "joined"] | None = None
    opens: bool = False
    idle: bool = False
    crossed: Literal["in", "both"] | None = None
    by_cpu: bool = False
    remedy: tuple[str, ...] = ()
    gains: str = ""
    helps: str = ""
    loses: str = ""
    gives_up: bool = False
    optional: bool = False
    tidies: bool = False
    spares: Literal["marked", "routed", "limited", "changed", "few", "searched"] | None = None
    refuses: Literal["strangers", "proxied"] | None = None
    secures: bool = False
    intends: tuple[Annotated[str, one_of("harm", INTENDED)], ...] = ()
    frames: bool = False
    bypasses: bool = False
    cost: Cost | None = None
    holds: Example
    not_: Example = Field(alias="not")

    @model_validator(mode="after")
    def _sourced(self) -> Rule:
        if not (self.closes or self.facts or self.offload):
            raise ValueError("a rule needs the facts that decide: closes, facts or offload")
        if self.carries and not self.facts:
            raise ValueError("a rule with `carries` needs its reasons as `facts`")
        if bool(self.remedy) != bool(self.loses):
            raise ValueError("`remedy` and `loses` go together: name what is lost with the remedy")
        if self.remedy and self.notice is not None and self.note is None and not self.closes:
            raise ValueError("no answer shows the `remedy` of a `notice`: make it a `note`")
        if self.place and self.note is None and self.notice is None:
            raise ValueError("only a `note` or a `notice` has a `place`")
        if (self.first or self.opens) and not self.remedy:
            raise ValueError("`first` and `opens` are about a `remedy`")
        if self.gains and not self.remedy:
            raise ValueError("`gains` needs a `remedy`")
        return self

    @property
    def said(self) -> bool:
        """True if a key brings it into an answer; what has none the code has to name."""
        keys = (self.closes, self.offload, self.hides, self.carries, self.tunnel, self.note,
                self.limits, self.notice, self.crossed, self.by_cpu)  # fmt: skip
        return any(keys)

    @property
    def without(self) -> list[str]:
        """The fields that few rules have, and this one has not; base.json is in every page."""
        return [name for name in RARE if not getattr(self, name)]

    @property
    def named(self) -> list[str]:
        """Every fact that it names."""
        return [*self.closes.values(), *self.facts, *(self.offload.facts if self.offload else ())]


class RuleFile(Strict):
    """A file of rules."""

    subject: str
    rules: dict[Name, Rule] = Field(min_length=1)


class Default(Strict):
    """A value that RouterOS has where a compact export says nothing, and who says so."""

    menu: str
    property: str
    value: str
    source: Sentence


class PathCost(Strict):
    """The condition of a lab whose packets take a path, and so cost what they cost there."""

    path: str
    way: Literal["routed", "bridged"]
    family: Literal[4, 6] = 4
    tracked: bool = False
    lab: str
    condition: str


class Base(Strict):
    """base.yml: its version, and the RouterOS and the day that it was last read for."""

    version: str = Field(pattern=r"^\d+\.\d+$")
    read_for: Version
    read: Day
    facts: FactIds
    paths: tuple[PathCost, ...]
    carried: dict[str, Sentence]
    defaults: tuple[Default, ...]


class Station(Strict):
    """A station; `idle`, `fast`, `fasttrack`: its work on those paths, where it has any."""

    name: str
    ways: tuple[Literal["routed", "bridged"], ...]
    title: str
    short: str
    menu: str
    works: str
    idle: str | None = None
    fast: str | None = None
    fasttrack: str | None = None
    rules: tuple[str, ...] = ()
    facts: FactIds = ()
    optional: bool = False


class StationFile(Strict):
    """stations.yml: the stations in the order of the slow path."""

    stations: tuple[Station, ...]


@dataclass(frozen=True)
class Rules:
    """The rules by id, each with its file's subject, base.yml, and stations.yml."""

    base: Base
    rules: dict[str, Rule]
    subjects: dict[str, str]
    stations: tuple[Station, ...]


def load(folder: Path = base.RULES) -> Rules:
    """Read the rules; RuleFileError for a file that is wrong."""
    every = _read(folder / "base.yml", Base)
    code = "".join(path.read_text(encoding="utf-8") for path in base.FILE.parent.glob("*.py"))
    rules: dict[str, Rule] = {}
    subjects: dict[str, str] = {}
    files: dict[str, Path] = {}
    for path in sorted(folder.glob("*.yml")):
        if path.name in ("base.yml", STATIONS):
            continue
        file = _read(path, RuleFile)
        for name, rule in file.rules.items():
            if name in rules:
                _refuse_twice(("rules", name), files[name], path)
            if rule.carries and rule.carries.name not in every.carried:
                near = _near(rule.carries.name, every.carried)
                message = f"no class {rule.carries.name!r}{near} under `carried` in base.yml"
                raise RuleFileError(path, _line(path, ("rules", name, "carries")), message)
            found = f'"{name}"' in code
            if "-" in rule.menus and not found:
                message = "its menu is `-`, and no module says when: noticed.py or traffic.py"
                raise RuleFileError(path, _line(path, ("rules", name, "menus")), message)
            if not rule.said and not found:
                message = "no answer says this rule: give it closes, a note, a notice or limits"
                raise RuleFileError(path, _line(path, ("rules", name)), message)
            rules[name], subjects[name], files[name] = rule, file.subject, path
    return Rules(every, rules, subjects, _stations(folder / STATIONS, rules))


def _stations(path: Path, rules: dict[str, Rule]) -> tuple[Station, ...]:
    """The stations; each rule that closes a path has one, and no rule has two."""
    stations = _read(path, StationFile).stations
    placed: list[str] = []
    for number, station in enumerate(stations):
        for name in station.rules:
            if name not in rules or name in placed:
                why = "is at two stations" if name in rules else f"is no rule{_near(name, rules)}"
                line = _line(path, ("stations", number, "rules"))
                raise RuleFileError(path, line, f"{name!r} {why}")
            placed.append(name)
    for name, rule in rules.items():
        if rule.closes and name not in placed:
            raise RuleFileError(path, 1, f"rule {name!r} closes a path and has no station")
    return stations


# --- base.json ------------------------------------------------------------------------------------


def plain() -> dict[str, Any]:
    """The content of base.json: rules, the facts that they and the code name, chips, defaults."""
    loaded = load()
    every = facts()
    named = [fact for rule in loaded.rules.values() for fact in rule.named]
    return {
        "version": loaded.base.version,
        "read_for": loaded.base.read_for,
        "read": loaded.base.read,
        "rules": [
            {**rule.model_dump(mode="json", exclude={"holds", "not_", *rule.without}),
             "id": name, "subject": loaded.subjects[name]}
            for name, rule in loaded.rules.items()
        ],
        "facts": {
            name: {
                "says": every[name].says,
                "cited": every[name].cited,
                "source": every[name].source,
                "since": every[name].fact.since,
                "until": every[name].fact.until,
            }
            for name in dict.fromkeys([*loaded.base.facts, *named])
        },
        "paths": [path.model_dump(mode="json") for path in loaded.base.paths],
        "carried": loaded.base.carried,
        "stations": [one.model_dump(mode="json", exclude_none=True) for one in loaded.stations],
        "defaults": [default.model_dump(mode="json") for default in loaded.base.defaults],
        "chips": [
            {
                "name": row["chip"],
                "devices": row["devices"].split(),
                "classes": _classes(row),
                "ways": int(row["ecmp_ways"] or 0),
                "fasttrack": row["fasttrack"] != "0",
            }
            for row in table("chips.csv")
        ],
        "ports": [
            {
                "devices": [row["device"]],
                "ethernet": int(row["ethernet"]) if row["ethernet"] else None,
                "elsewhere": row["elsewhere"].split(),
            }
            for row in table("ports.csv")
        ],
        "bridging": [
            {
                "devices": [row["device"]],
                "chip": row["chip"],
                "refuses": row["refuses"].split(),
                "since": row["since"],
                "ports": [group.split() for group in row["ports"].split(";") if group],
                "slow": row["slow"].split(),
            }
            for row in table("bridging.csv")
        ],
        "fast_ethernet": [{"devices": [row["device"]]} for row in table("fast-ethernet.csv")],
    }  # fmt: skip


def _classes(chip: dict[str, str]) -> list[str]:
    """The classes of `Offload.chips` that a row of chips.csv belongs to."""
    newest = chip["chip"].startswith("98DX7")
    classes = {
        "all": True,
        "nat": chip["nat"] != "0",
        "no-nat": chip["nat"] == "0",
        "no-vrf": chip["vrf"] != "yes",
        "fasttrack": chip["fasttrack"] != "0",
        "on-bridge": not newest,
        "on-port": newest,
        "one-byte": chip["table"] != "indexes",
        "no-vxlan": chip["fasttrack"] == "0",
    }
    return [name for name, belongs in classes.items() if belongs]


def table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of rules/."""
    with (base.RULES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- YAML -----------------------------------------------------------------------------------------

Model = TypeVar("Model", bound=Strict)


class _Loader(yaml.CSafeLoader):
    """YAML without dates, and with each key once."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.value in keys:
                message = f"{key.value} stands twice"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            keys.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _read(path: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(yaml.load(path.read_text(encoding="utf-8"), _Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise RuleFileError(path, line, error.problem or "not YAML") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        line = _line(path, first["loc"])
        hint = " (yes, no, on, off and numbers in quotes)" if first["type"] == "string_type" else ""
        raise RuleFileError(path, line, f"{where}: {first['msg']}{hint}") from None


def _line(path: Path, keys: Iterable[Any]) -> int:
    """The line of a key path, or of the nearest part above it that is in the file."""
    node = yaml.compose(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            pairs = [(name, value) for name, value in node.value if name.value == str(key)]
            if not pairs:
                return line
            name, node = pairs[0]
            line = name.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
            line = node.start_mark.line + 1
    return line


def _stamped(folder: Path) -> tuple[tuple[Path, int], ...]:
    return tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.yml")))


def _refuse_twice(keys: tuple[str, str], first: Path, path: Path) -> None:
    message = f"{keys[1]} stands in {first.name}:{_line(first, keys)} already"
    raise RuleFileError(path, _line(path, keys), message)


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def main() -> int:
    """Write base.json; 0: it is written, 1: a file of rules/ is wrong."""
    try:
        text = json.dumps(plain(), indent=1, ensure_ascii=False) + "\n"
    except RuleFileError as error:
        print(error, file=sys.stderr)
        return 1
    base.FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
