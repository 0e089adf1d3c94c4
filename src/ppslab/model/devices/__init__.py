"""MikroTik's devices, and how fast somebody published that they are.

| file | a row is |
|---|---|
| `devices.csv` | a device: its CPU, ports and switch chip, as MikroTik's lists and datasheets print them |
| `results.csv` | a figure of MikroTik's test results that reached us as a quotation |
| `measurements.csv` | a figure that somebody else measured or reported; `measured` reads those that decide claims |
| `sources.csv` | where the others are from |

A row of `measurements.csv`: the device's `code` in `devices.csv`, `kind` (`KINDS`), the
`configuration` in words, `kpps` or `mbps` (the other is calculated), `at_least` (`yes`, `no`),
`quality` (`QUALITIES`), `source` (its `id` in `sources.csv`).  A measured row also has the columns
that `measured` describes, and an `id` if a claim names it.

MikroTik's complete tables are written once, in the `published.csv` of the labs that judge claims by
them: this package reads every row there whose source begins with `SOURCES`.  What the chips of L3
hardware offload hold is written in `model/switch_chip`.

MikroTik measures with a loss of at most 0.1 %, and measures again without a date on the page: two
years of one device stand side by side, and belong in no ratio.
"""  # noqa: E501  (a table of Markdown)

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core import documents, paths
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.model.device_choice import FAST_PATH as FAST_PATH
from ppslab.model.device_choice import QUEUES as QUEUES
from ppslab.model.device_choice import RULES as RULES
from ppslab.model.switch_chip import chips

SOURCES = "mikrotik-results-"
"""Prefix of the sources of MikroTik's own tables in a lab's published.csv."""

MATRIX = "matrix-"
"""Prefix of the sources that are MikroTik's lists of what it sells."""

BRIDGE_RULES = "25 bridge filter rules"
CONFIGURATIONS = (FAST_PATH, BRIDGE_RULES, QUEUES, RULES)
"""The configurations of MikroTik's tables, as they print them."""

NOT_NAMED = "not named"
"""The configuration of a figure that was quoted without one."""

WORDS = {
    RULES: "25 filter rules",
    QUEUES: "25 simple queues",
    FAST_PATH: "fast path",
    BRIDGE_RULES: "25 bridge filter rules",
    NOT_NAMED: "configuration not named",
}
"""The configurations in our words, the most useful first."""

QUALITIES = {
    "table": "a complete table of MikroTik's",
    "quoted": "a quotation of MikroTik's test results",
    "rounded": "a rounded quotation, or a round figure",
    "measured": "measured by somebody else, who describes the method",
    "reported": "reported by a user, who does not describe the method",
}

KINDS = (
    "25 filter rules", "EoIP", "EoIP with IPsec", "FastTrack", "L3 hardware offload", "PPPoE",
    "VPLS", "VXLAN", "WireGuard", "bridging", "connection tracking", "fast path", "routing",
)  # fmt: skip
"""What others measured: a figure is found by its kind, so a new one is listed here first."""

FOLDER = Path(__file__).parent
"""Folder of the tables."""

_WORDS = re.compile(r"\b(mikrotik|routerboard|router)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """The document of a figure.  `year` None where the document has no date.

    `copy`: who keeps the copy that `address` leads to; empty where it leads to the document.
    """

    id: str
    title: str
    address: str
    date: str
    year: int | None
    copy: str = ""

    @property
    def named(self) -> str:
        """Its title with its date: `MikroTik forum, thread 1122079 (2025-01)`."""
        return f"{self.title} ({self.date})" if self.date not in self.title else self.title


@dataclass(frozen=True)
class Result:
    """One published rate of one device.

    `mode` and `configuration` as MikroTik prints them (`Routing`, `25 ip filter rules`);
    `frame_bytes` with the frame check sequence, None where the figure was quoted without;
    `kpps` thousands of packets a second and `mbps` Mbit/s, both ways and all ports together, of the
    frames without preamble and gap.  One of the two may be `calculated` from the other.
    `quality` is one of `QUALITIES`; `at_least`: the tester or a port was the limit;
    `by_mikrotik`: whether MikroTik measured it.
    """

    device: str
    code: str
    mode: str
    configuration: str
    frame_bytes: int | None
    kpps: float | None
    mbps: float | None
    calculated: str
    source: Source
    quality: str
    note: str = ""
    at_least: bool = False
    by_mikrotik: bool = True

    @property
    def year(self) -> int | None:
        """The year of its source."""
        return self.source.year

    @property
    def when(self) -> str:
        """The year, as far as it is known: `2025`, `by 2025` where the source is only a copy of it.

        A document that says `about 2018` is quoted so, and one without a date is `undated`.
        """
        date = self.source.date
        if not self.year or date.startswith("about"):
            return date or "undated"
        return f"by {self.year}" if date.startswith("before") else str(self.year)


@dataclass(frozen=True)
class Device:
    """A device, as its source prints it; what the source does not print is empty or None.

    `mhz` is `880`, a range `448-896`, `up to 1500` or `auto`; `ports` as `5x1G + 1xSFP`, and
    `manual_ports` as the manual has them where it says more; `cpu_links` what connects the switch
    chip with the CPU; `page` the last part of its product page's address.  `given` are results that
    whoever asks brought along: they come before ours.
    """

    name: str
    code: str
    architecture: str
    cpu: str
    cores: int | None
    mhz: str
    switch_chip: str
    ports: str
    manual_ports: str
    cpu_links: str
    page: str
    source: Source
    given: tuple[Result, ...] = ()

    @property
    def product_page(self) -> str:
        """Address of its test results at MikroTik; the list of products where it is not known."""
        if not self.page:
            return "https://mikrotik.com/products"
        return f"https://mikrotik.com/product/{self.page}#fndtn-testresults"

    @property
    def sold(self) -> bool:
        """True if it is in MikroTik's newest product matrix that we have."""
        return self.source.id == max(each for each in _own_sources() if each.startswith(MATRIX))

    @property
    def label(self) -> str:
        """Its code with its name, `RB750Gr3 (hEX)`; one of them where they are the same."""
        return self.code if self.code == self.name else f"{self.code} ({self.name})"

    @property
    def slug(self) -> str:
        """Its name in an address: `hap-ax3`, `rb5009ug-s-in`."""
        plain = unicodedata.normalize("NFKC", self.name).casefold()
        return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")

    @property
    def cpu_class(self) -> str:
        """Its CPU, cores and clock in a phrase: devices of one class compute alike."""
        cores = f", {self.cores} core{'s' if self.cores != 1 else ''}" if self.cores else ""
        return f"{self.cpu}{cores}{f', {self.mhz} MHz' if self.mhz else ''}"

    @property
    def port_speeds(self) -> tuple[int, ...]:
        """The speed of each port in Mbit/s, the fastest first."""
        return tuple(sorted(_speeds(self.all_ports), reverse=True))

    @property
    def all_ports(self) -> str:
        """Its ports as the manual has them, or else the source."""
        return self.manual_ports or self.ports

    def results(
        self, mode: str | None = None, configuration: str | None = None
    ) -> tuple[Result, ...]:
        """MikroTik's results of it, the newest first; `mode` and `configuration` choose."""
        return tuple(
            result
            for result in (*self.given, *results())
            if result.code == self.code
            and mode in (None, result.mode)
            and configuration in (None, result.configuration)
        )

    @property
    def ipsec(self) -> tuple[Result, ...]:
        """MikroTik's results of its IPsec, the newest first."""
        return tuple(row for row in self.results() if is_ipsec(row))

    @property
    def has_figures(self) -> bool:
        """True if anybody's figure of it is here."""
        return bool(self.results() or self.measurements)

    @property
    def measurements(self) -> tuple[Result, ...]:
        """Results that others measured or reported of it; `mode` says of what."""
        return tuple(row for row in measurements() if row.code == self.code)

    @property
    def l3hw(self) -> chips.Chip | None:
        """The tables of its switch chip for L3 hardware offload; None without."""
        for name in (self.code, self.name):
            try:
                return chips.of(name)
            except UsageError:
                continue
        return None

    @property
    def published_relatives(self) -> tuple[Device, ...]:
        """Those of its relatives that MikroTik published results of, that with most first."""
        published = [each for each in self.relatives if each.results()]
        return tuple(sorted(published, key=lambda each: len(each.results()), reverse=True))

    @property
    def relatives(self) -> tuple[Device, ...]:
        """The other devices with the same CPU, cores and clock."""
        alike = [each for each in load() if self.cores and each.cpu_class == self.cpu_class]
        return tuple(other for other in alike if other.code != self.code)


def find(name: str) -> Device:
    """The device of a name or product code, forgiving about case, spaces and signs.

    A beginning is enough where it fits one device, or devices of one class of which one has
    published results: `RB5009` is the RB5009UG+S+IN.  UsageError says what is near.
    """
    near = matching(name)
    if len(near) > 1:
        listed = ", ".join(f"{device.name} ({device.code})" for device in near)
        raise UsageError(f"{name!r} matches several devices; choose one: {listed}")
    return near[0]


def matching(name: str) -> tuple[Device, ...]:
    """The device that `find` finds, or all variants that a name may mean, as CCR2004."""
    known = load()
    asked = _plain(_WORDS.sub(" ", name))
    parts = [asked, *(_plain(part) for part in re.split(r"[()]", name) if part.strip())]
    for part in dict.fromkeys(part for part in parts if part):
        for fits in (_exactly, _beginning, _of_series):
            near = [device for device in known if fits(part, device)]
            if one := _one(near):
                return (one,)
            if near:
                return tuple(near)
    words = [word.casefold() for device in known for word in (device.name, device.code)]
    near_word = did_you_mean(name.casefold(), words)
    raise UsageError(
        f"no device {name!r} is known{near_word}; `ppslab fast` without a device lists all devices"
    )


def with_words(configuration: str) -> str:
    """A configuration behind a rate: `with 25 filter rules`, `on the fast path`."""
    if configuration == FAST_PATH:
        return f"on the {WORDS[FAST_PATH]}"
    if configuration == NOT_NAMED:
        return "in a test that the source does not name"
    return f"with {WORDS.get(configuration, configuration)}"


def is_published(device: Device) -> bool:
    """True if MikroTik published results of it; of devices of one class a name means that one."""
    # Not by results(): the tables of the labs are read by names, through find.
    quoted = {row.code for row in _quoted(FOLDER / "results.csv", "mode")}
    printed = {row["hardware"] for _, row in _lab_rows()}
    return device.code in quoted or any(device.code in hardware for hardware in printed)


def is_ipsec(result: Result) -> bool:
    """True for a result of MikroTik's IPsec table."""
    return "tunnel" in result.mode or result.mode == "IPsec"


@lru_cache(maxsize=1)
def load() -> tuple[Device, ...]:
    """Every device; FileError with the line where the table is wrong."""
    columns = [name for name in Device.__annotations__ if name != "given"]
    listed = []
    for row in documents.read_csv(FOLDER / "devices.csv", columns):
        _check_ports(row)
        values: dict[str, Any] = {name: row[name] for name in columns}
        listed.append(Device(**values | {"cores": _whole(row, "cores"), "source": _source(row)}))
    return tuple(listed)


@lru_cache(maxsize=1)
def results() -> tuple[Result, ...]:
    """Everything that MikroTik published, the newest first; the devices in the file's order."""
    codes = [device.code for device in load()]
    rows = {
        (row.code, row.mode, row.configuration, row.frame_bytes, row.source.id): row
        for row in (*_tables(), *_quoted(FOLDER / "results.csv", "mode"))
    }
    order = {name: number for number, name in enumerate(CONFIGURATIONS)}

    def place(row: Result) -> tuple[int, int, str, int, int]:
        configuration = order.get(row.configuration, len(order))
        size = row.frame_bytes or 0
        return codes.index(row.code), -(row.year or 0), row.mode, configuration, size

    return tuple(sorted(rows.values(), key=place))


@lru_cache(maxsize=1)
def measurements() -> tuple[Result, ...]:
    """Everything that others measured or reported; `mode` is what of (`FastTrack`)."""
    return tuple(_quoted(FOLDER / "measurements.csv", "kind"))


# -- reading ----------------------------------------------------------------------------------


def _tables() -> Iterator[Result]:
    for source, row in _lab_rows():
        inner = re.search(r"\((.+)\)", row["hardware"])
        device = find(inner[1] if inner else row["hardware"])
        size, kpps = int(row["frame_size"]), float(row["value"])
        mbps = round(kpps * size * 8 / 1000, 1)
        yield Result(device.name, device.code, *_table_row(row), size, kpps, mbps, "mbps", source,
                     "table")  # fmt: skip


def _table_row(row: documents.Row) -> tuple[str, str]:
    """The mode and configuration of a lab's row, in the words of MikroTik's tables."""
    mode, _, configuration = row["mode"].partition(", ")
    if not configuration:
        configuration = row["condition"].partition("-")[2].replace("-", " ")
    if configuration == "fast path":
        configuration = FAST_PATH
    return mode[:1].upper() + mode[1:], configuration


@lru_cache(maxsize=1)
def _lab_rows() -> tuple[tuple[Source, documents.Row], ...]:
    """The labs' rows of MikroTik's own tables, each with its source."""
    found = []
    for path in sorted((paths.project_root() / "labs").glob("*/published.csv")):
        for row in documents.read_csv(path):
            if row["source"].startswith(SOURCES) and row["quantity"] == "forwarding_rate":
                if row["unit"] != "kpps":
                    raise row.error(f"a rate of MikroTik's tables is in kpps, not {row['unit']}")
                found.append((_lab_source(row), row))
    return tuple(found)


def _lab_source(row: documents.Row) -> Source:
    document = row["document"]
    address = re.search(r"\s*\((https?://\S+)\)", document)
    title = document.replace(address[0], "") if address else document
    years = re.findall(r"\b20\d\d\b", title)
    date = title.rpartition(", ")[2]
    year = int(years[-1]) if years else None
    return Source(row["source"], title, address[1] if address else "", date, year)


def _quoted(path: Path, mode: str) -> Iterator[Result]:
    names = {device.code: device.name for device in load()}
    wanted = ("code", mode, "configuration", "frame_bytes", "kpps", "mbps", "quality", "source")
    for row in documents.read_csv(path, wanted):
        if row["code"] not in names:
            raise row.error(
                f"no code {row['code']!r} in devices.csv{did_you_mean(row['code'], names)}"
            )
        _check(row, "quality", QUALITIES)
        if mode == "kind":
            _check(row, "kind", KINDS)
            _check(row, "at_least", ("yes", "no"))
        if not (row["kpps"] or row["mbps"]):
            raise row.error("no rate: kpps or mbps")
        size = _whole(row, "frame_bytes")
        kpps, mbps = _real(row, "kpps"), _real(row, "mbps")
        calculated = ""
        if "Layer 1" in row["configuration"]:
            pass  # what the wire carries, with preamble and gap
        elif size and kpps is None and mbps is not None:
            kpps, calculated = round(mbps * 1000 / size / 8, 1), "kpps"
        elif size and mbps is None and kpps is not None:
            mbps, calculated = round(kpps * size * 8 / 1000, 1), "mbps"
        yield Result(
            names[row["code"]], row["code"], row[mode], row["configuration"], size, kpps, mbps,
            calculated, _source(row), row["quality"], row["note"],
            at_least=row.values.get("at_least") == "yes", by_mikrotik=mode == "mode",
        )  # fmt: skip


def _check(row: documents.Row, column: str, known: Iterable[str]) -> None:
    if row[column] not in known:
        near = did_you_mean(row[column], known)
        raise row.error(f"{column} {row[column]!r}{near}: there are {', '.join(known)}")


def _source(row: documents.Row) -> Source:
    known = _own_sources()
    if row["source"] not in known:
        near = did_you_mean(row["source"], known)
        raise row.error(f"no source {row['source']!r} in sources.csv{near}")
    return known[row["source"]]


@lru_cache(maxsize=1)
def _own_sources() -> dict[str, Source]:
    table = documents.read_table(FOLDER / "sources.csv", Source, unique=["id"])
    return {source.id: source for source in table}


def _whole(row: documents.Row, column: str) -> int | None:
    number = _real(row, column)
    return None if number is None else int(number)


def _real(row: documents.Row, column: str) -> float | None:
    try:
        return float(row[column]) if row[column] else None
    except ValueError:
        raise row.error(f"{column} is a number, not {row[column]!r}") from None


# -- names and ports --------------------------------------------------------------------------


def _plain(text: str) -> str:
    """A name without case, spaces, hyphens and brackets; `ax³` and `ax^3` are `ax3`."""
    return re.sub(r"[^a-z0-9+&]", "", unicodedata.normalize("NFKC", text).casefold())


def _exactly(part: str, device: Device) -> bool:
    return part in (_plain(device.name), _plain(device.code)) or f"rb{part}" == _plain(device.code)


def _beginning(part: str, device: Device) -> bool:
    words = (_plain(device.name), _plain(device.code))
    return len(part) > 2 and any(word.startswith((part, f"rb{part}")) for word in words)


def _of_series(part: str, device: Device) -> bool:
    return device.name.endswith(" series") and (
        part.startswith(_plain(device.code)) or f"rb{part}".startswith(_plain(device.code))
    )


def _one(near: list[Device]) -> Device | None:
    if len(near) == 1:
        return near[0]
    classes = {device.cpu_class for device in near}
    if len(classes) != 1 or not all(classes):
        return None
    published = [device for device in near if is_published(device)]
    return published[0] if len(published) == 1 else None


def _check_ports(row: documents.Row) -> None:
    for column in ("ports", "manual_ports"):
        try:
            read = not row[column] or any(_speeds(row[column]))
        except ValueError:
            read = False
        if not read:
            raise row.error(f"{column} {row[column]!r}: write them as 5x1G + 1xSFP+")


def _speeds(ports: str) -> Iterable[int]:
    """The speed of each port of `5x1G + 1xSFP`, or of the manual's `4x 10G SFP+; 1x 1G SFP`."""
    for count, kind in re.findall(r"(\d+)x ?([^;]+?)(?= \+ \d|;|$)", ports):
        yield from [_speed(kind)] * int(count)


def _speed(kind: str) -> int:
    kind = kind.partition(" (")[0]
    by_name = {"SFP": 1000, "SFP+": 10_000, "combo": 1000, "10GBASE-T": 10_000, "100M": 100}
    if kind in by_name:
        return by_name[kind]
    speeds = [
        float(number) * (1000 if unit == "G" else 1)
        for number, unit in re.findall(r"([\d.]+)([GM])\b", kind)
    ]
    return int(max(speeds))  # ValueError where the kind names no speed
