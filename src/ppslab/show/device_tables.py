"""Published rates of devices as tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ppslab.core.text.grouping import grouped
from ppslab.core.text.quantities import Content
from ppslab.core.text.tables import NOTHING, Cell, Table, cells
from ppslab.core.units import line_rate
from ppslab.model import devices
from ppslab.model.devices import WORDS, Device, Result, Source, needs

PAGES = "book/fast"
"""The folder of the devices' pages."""

IPSEC_SIZES = (64, 512, 1400)
LARGE = 1518
"""Bytes of the largest frames of MikroTik's tables, which a download consists of."""

ORDER = (devices.RULES, devices.QUEUES, devices.FAST_PATH)
"""The configurations of the ranking, that by which it is ordered first."""

BOTH_WAYS = (
    "Both directions count: a symmetrical line counts twice, 1000 Mbit/s each way as 2000 Mbit/s."
)

COUNTS = (
    "Mbit/s and kpps are totals of all ports. Each packet counts once, without preamble and gap, "
    "and a loss of 0.1 % is allowed. If only one of the two figures was published, the other is "
    "calculated."
)


def measured_again() -> str:
    """Sentence on the difference of one device's figures by year."""
    years_of_devices = []
    for device in devices.load():
        rows = device.results("Routing", devices.RULES)
        by_year = {row.year: row for row in rows if row.frame_bytes == 512}
        if len(by_year) > 1:
            years = " and ".join(
                f"{mbit(row)} {'' if row.when.startswith('by') else 'in '}{row.when}"
                for row in sorted(by_year.values(), key=lambda row: row.year or 0)
            )
            years_of_devices.append(f"the {device.name} forwarded {years}")
    return (
        "MikroTik repeats measurements without a note. In Mbit/s, with 25 filter rules and "
        f"512-byte packets, {', '.join(years_of_devices)}. The older tables are from RouterOS 6."
    )


class Notes:
    """The sources of a page or an answer, numbered in the order in which they are named."""

    def __init__(self) -> None:
        self.sources: list[Source] = []

    def number(self, source: Source) -> int:
        """The source's number, from 1; the same each time for the same source."""
        if source not in self.sources:
            self.sources.append(source)
        return self.sources.index(source) + 1

    def mark(self, source: Source) -> str:
        """`[1]`, the number as it stands behind a figure."""
        return f"[{self.number(source)}]"

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(
            f"[{number}] {source.named}"
            f"{f'; copy: {source.copy}' if source.copy else ''}"
            f"{f', {source.address}' if source.address else ''}"
            for number, source in enumerate(self.sources, 1)
        )


def rate(result: Result | None) -> str:
    """A figure in both units: `385.4 Mbit/s, 94.1 kpps`; `-` without."""
    if result is None:
        return NOTHING
    units = ((result.mbps, "Mbit/s"), (result.kpps, "kpps"))
    figures = ", ".join(f"{_number(value)} {unit}" for value, unit in units if value is not None)
    return f"{_worth(result)}{figures}"


def mbit(result: Result | None) -> str:
    """A figure in Mbit/s, with what it is worth: `about 3100`."""
    if result is None or result.mbps is None:
        return NOTHING
    return f"{_worth(result)}{_number(result.mbps)}"


def _worth(result: Result) -> str:
    about = "about " if result.quality == "rounded" else ""
    return "at least " if result.at_least else about


def headline(device: Device, mbit: float | None = None, tunnels: Sequence[str] = ()) -> list[str]:
    """The answer in sentences: the figures, or whose figures there are.

    `mbit`: hold them against this rate, both ways together; None: only show them.
    """
    about = device.cpu_class or "CPU not in our copies"
    result = needs.routing(device, devices.RULES)
    what = f"{WORDS[devices.RULES]}, {needs.SIZE} bytes"
    sentences = [f"{device.name} ({device.code}): {about}", _answer(what, result, device, mbit)]
    sentences += _large(device, result) if result else _by_class(device)
    sentences += _with_fasttrack(device)
    for name in tunnels:
        result = needs.tunnel(device, name)
        sentences.append(_answer(name, result, device, mbit))
    if mbit is not None:
        sentences.append(BOTH_WAYS)
    for name in tunnels:
        if origin := needs.NOT_MIKROTIKS.get(name):
            sentences.append(f"MikroTik's tables do not cover {name}; any figures for it {origin}.")
    return sentences


def _answer(what: str, result: Result | None, device: Device, wanted: float | None) -> str:
    """A figure with its year and a verdict, or where to look."""
    if result is None:
        return f"{what}: not in our copies; look for Test results at {device.product_page}"
    if what in needs.TUNNELS:
        size = f" at {result.frame_bytes} bytes" if result.frame_bytes else ""
        kind = f"{size}, {result.configuration}"
    else:
        kind = ""
    shown = f"{what}: {rate(result)}{kind} ({result.when}, {result.quality})"
    if wanted is None or result.mbps is None:
        return shown
    line = f"{_number(wanted)} Mbit/s"
    if result.mbps >= wanted:
        return f"{shown}: enough for {line}"
    return f"{shown}: {line} was not tried" if result.at_least else f"{shown}: too slow for {line}"


def _large(device: Device, result: Result) -> Iterator[str]:
    """Yield the rate with large packets: of the same source, or as many packets of that size."""
    words = f"{WORDS[result.configuration]}, {LARGE} bytes"
    for row in device.results("Routing", result.configuration):
        if row.frame_bytes == LARGE and row.source == result.source:
            yield f"{words}: {rate(row)} ({row.when})"
            return
    if result.kpps:
        mbps = _number(round(result.kpps * LARGE * 8 / 1000))
        yield (
            f"{words}: calculated {mbps} Mbit/s, if the router forwards as many packets of that "
            "size and the ports carry them"
        )


def _with_fasttrack(device: Device) -> Iterator[str]:
    """Yield the two figures that a default firewall with FastTrack is between."""
    if pair := needs.fasttrack(device):
        rules, free = pair
        yield (
            f"default firewall with FastTrack, {needs.SIZE} bytes: between {mbit(rules)} and "
            f"{mbit(free)} Mbit/s ({rules.when}); MikroTik publishes no test of it"
        )
    for row in device.measurements:
        if row.mode == "FastTrack":
            size = f", {row.frame_bytes} bytes" if row.frame_bytes else ""
            yield f"a user's {row.configuration}{size}: {rate(row)} ({row.when}, {row.quality})"


def by_use(device: Device) -> list[Result]:
    """Every figure of a device, those of the ranking's configurations first, others' last."""
    rows = device.results()
    ranked = [row for name in ORDER for row in rows
              if (row.mode, row.configuration) == ("Routing", name)]  # fmt: skip
    return [*ranked, *(row for row in rows if row not in ranked), *device.measurements]


def variants(name: str, near: Sequence[Device], notes: Notes) -> Table:
    """The devices that a name may mean, each with its figures or the page to look at."""
    rows = []
    for device in near:
        rates = [_marked(needs.routing(device, each), notes) for each in ORDER]
        others = "; ".join(
            f"{row.configuration}: {mbit(row)} Mbit/s ({row.when}) {notes.mark(row.source)}"
            for row in device.measurements
            if not row.frame_bytes
        )
        unnamed = device.results("Routing", devices.NOT_NAMED)
        more = [f"{WORDS[devices.NOT_NAMED]}: {_marked(row, notes)}" for row in unnamed]
        known = any(rate != NOTHING for rate in rates)
        where = () if known else (f"not in our copies: {device.product_page}",)
        last = "; ".join(filter(None, (*more, others, *where)))
        rows.append((_named_cell(device), *cells(*rates, last)))
    header = ("device", *(f"{WORDS[each]}, Mbit/s" for each in ORDER), "more")
    return Table(f"{name} may be one of these: {needs.SIZE}-byte packets", header, tuple(rows))


def _by_class(device: Device) -> Iterator[str]:
    same = needs.of_class(device)
    for each, result in same:
        yield (
            f"the {each.name} has the same CPU, cores and clock, and this figure: "
            f"{rate(result)} ({result.when}, {result.quality})"
        )
    if not same and device.cores:
        yield "nor is that of any device with the same CPU, cores and clock"


def limits(device: Device) -> list[str]:
    """The ports, what connects them with the CPU, and what a switch chip holds."""
    sentences = []
    if device.port_speeds:
        fastest = device.port_speeds[0]
        kpps = _number(round(line_rate(needs.SIZE, fastest * 1e6) / 1000, 1))
        sentences.append(
            f"ports: {device.all_ports}; one {_speed(fastest)} port carries {kpps} kpps of "
            f"{needs.SIZE}-byte frames each way"
        )
    if device.cpu_links:
        sentences.append(
            f"between switch chip and CPU: {device.cpu_links} (MikroTik's block diagram, 2018), "
            "which all routed traffic shares"
        )
    if chip := device.l3hw:
        sentences.append(
            f"L3 hardware offload ({chip.name}): up to {grouped(str(chip.ipv4_routes))} IPv4 "
            f"routes, {_entries(chip.fasttrack)} FastTrack connections, {_entries(chip.nat)} NAT "
            "entries; packets that the chip forwards do not load the CPU"
        )
    return sentences


def of_device(device: Device, notes: Notes) -> list[Table]:
    """Everything that is published of a device: MikroTik's rates, its IPsec, and others'."""
    rows = device.results()
    plain = [row for row in rows if not devices.is_ipsec(row)]
    tables = []
    if plain:
        title = f"{device.name}: MikroTik's test results"
        tables.append(_rates(title, plain, needs.SIZES, notes))
    if device.ipsec:
        title = f"{device.name}: MikroTik's IPsec results"
        tables.append(_rates(title, device.ipsec, IPSEC_SIZES, notes))
    if device.measurements:
        title = f"{device.name}: what others measured or reported"
        tables.append(others(title, device.measurements, notes))
    return tables


def _rates(
    title: str, rows: Iterable[Result], sizes: Sequence[int], notes: Notes, *, named: bool = False
) -> Table:
    """A row for each configuration and source, a column for each frame size.

    `named`: the rows are of several devices, and begin with theirs.
    """
    groups: dict[tuple[str, str, str, Source], dict[int | None, Result]] = {}
    for row in rows:
        group = groups.setdefault((row.code, row.mode, row.configuration, row.source), {})
        group[row.frame_bytes] = row
    shown = []
    for (_, mode, name, source), by_size in groups.items():
        first = next(iter(by_size.values()))
        without = f"{rate(by_size[None])} (size not named)" if None in by_size else ""
        shown.append(
            cells(
                *([_device_cell(first)] if named else ()),
                f"{mode}, {WORDS.get(name, name)}",
                *(rate(by_size.get(size)) for size in sizes),
                "; ".join(filter(None, (first.quality, without, first.note))),
                f"{first.when} {notes.mark(source)}",
            )
        )
    header = ("what the router does", *(f"{size} bytes" for size in sizes), "figure", "source")
    return Table(title, (*(["device"] if named else ()), *header), tuple(shown))


def others(title: str, rows: Iterable[Result], notes: Notes, *, named: bool = False) -> Table:
    """A row for each figure that is not MikroTik's."""
    columns: dict[Content, Callable[[Result], Content | Cell]] = {
        **({"device": _device_cell} if named else {}),
        "what the router does": lambda row: row.configuration,
        "frame": lambda row: f"{row.frame_bytes} bytes" if row.frame_bytes else "not named",
        "rate": rate,
        "figure": lambda row: "; ".join(filter(None, (row.quality, row.note))),
        "source": lambda row: f"{row.when} {notes.mark(row.source)}",
    }
    return Table.of(title, rows, columns)


@dataclass(frozen=True)
class Ranked:
    """A device of a ranking, with its rate in each configuration of `ORDER`."""

    device: Device
    rates: tuple[Result | None, ...]


def rankings(size: int = 512) -> dict[str, list[Ranked]]:
    """The devices by the year of their rates, the fastest with 25 filter rules first.

    The newest year first: years are never mixed.
    """
    years = {
        row.when: row.year or 0
        for row in devices.results()
        if row.mode == "Routing" and row.frame_bytes == size and row.configuration in ORDER
    }
    newest_first = sorted(years, key=lambda when: (-years[when], when))
    return {when: _ranking(when, size) for when in newest_first}


def _ranking(when: str, size: int) -> list[Ranked]:
    rows = []
    for device in devices.load():
        by_name = {row.configuration: row for row in device.results("Routing")
                   if (row.when, row.frame_bytes) == (when, size)}  # fmt: skip
        rates = tuple(by_name.get(name) for name in ORDER)
        if any(rates):
            rows.append(Ranked(device, rates))
    return sorted(rows, key=lambda row: -(row.rates[0].mbps or 0 if row.rates[0] else 0))


def published(notes: Notes) -> list[Table]:
    """Everything that is published of every device, by device."""
    rows = devices.results()
    ipsec = [row for row in rows if devices.is_ipsec(row)]
    plain = [row for row in rows if not devices.is_ipsec(row)]
    return [
        _rates("MikroTik's test results", plain, needs.SIZES, notes, named=True),
        _rates("MikroTik's IPsec results", ipsec, IPSEC_SIZES, notes, named=True),
        others("What others measured or reported", devices.measurements(), notes, named=True),
    ]


def _device_cell(row: Result) -> Cell:
    return _named_cell(next(device for device in devices.load() if device.code == row.code))


def _named_cell(device: Device) -> Cell:
    """A device's name, which leads to its page where it has one."""
    links = (page_of(device),) if device.has_figures else ()
    return Cell(device.name, under=device.code if device.code != device.name else "", links=links)


def page_of(device: Device) -> str:
    """The page of a device, from the page of all devices."""
    return f"fast/{device.slug}.html#{device.slug}"


def all_devices() -> Table:
    """Every device with its CPU, and how much is published of it; those with figures first."""
    return Table.of(
        "MikroTik's devices",
        sorted(devices.load(), key=lambda device: not device.has_figures),
        {
            "device": _named_cell,
            "product code": lambda device: device.code,
            "CPU, cores, clock": lambda device: device.cpu_class,
            "ports": lambda device: device.all_ports,
            "figures": lambda device: Cell(
                _extent(device), links=() if device.has_figures else _where(device)
            ),
        },
    )


def _where(device: Device) -> tuple[str, ...]:
    """Where its test results are, and the page of the one device with the same CPU."""
    alike = device.published_relatives
    return (
        *([device.product_page] if device.page else []),
        *([page_of(alike[0])] if len(alike) == 1 else []),
    )


def _extent(device: Device) -> str:
    own = len(device.results()) + len(device.measurements)
    if own:
        return f"{own} figure{'s' if own != 1 else ''}"
    named = [each.name for each in device.published_relatives]
    return f"not in our copies; the same CPU: {', '.join(named)}" if named else "not in our copies"


def _marked(result: Result | None, notes: Notes) -> str:
    if result is None:
        return NOTHING
    return f"{mbit(result)} ({result.when}) {notes.mark(result.source)}"


def _entries(number: int | None) -> str:
    return "not published:" if number is None else grouped(str(number)) if number else "no"


def _speed(megabits: int) -> str:
    return f"{megabits / 1000:g} Gbit/s" if megabits >= 1000 else f"{megabits} Mbit/s"


def _number(value: float) -> str:
    return grouped(f"{value:.7g}")
