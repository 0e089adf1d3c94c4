"""The answer of `ppslab explain` as one page, and what each reason costs by our records."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from ppslab.analysis import costs
from ppslab.base.errors import PpslabError
from ppslab.presentation.record_tables import router_costs
from ppslab.results import storing
from ppslab.theory.packet_path import rules
from rosexplain import report

MOST_SHOWN = 20_000
"""Lines of an export on a page."""

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:1rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border:1px solid #8886;padding:.3rem .5rem;
text-align:left;vertical-align:top}pre{overflow:auto}mark{background:#fc6}
.yes{color:#176117}.no{color:#a11}.depends,.unknown{color:#7a5200}
@media(prefers-color-scheme:dark){body{background:#181818;color:#eee}mark{background:#850;color:#fff}
.yes{color:#8d8}.no{color:#f99}.depends,.unknown{color:#fc8}}"""


def recorded(lab: str, condition: str, against: str = "") -> dict[str, str] | None:
    """What a packet costs under a condition, or how many times as much as under another.

    `cost` in words, `of`: which measure of which lab, and where it was taken.  None where no record
    has it: no record, no number.
    """
    try:
        path = storing.newest_path(lab)
        return _recorded(path, path.stat().st_mtime_ns, lab, condition, against) if path else None
    except (PpslabError, OSError):
        return None


@lru_cache(maxsize=128)
def _recorded(
    path: Path, changed: int, lab: str, condition: str, against: str
) -> dict[str, str] | None:
    """What the record says that lies at `path` since `changed`."""
    record = storing.load(path)
    size = min(record.frame_sizes)
    # Beside an answer on RouterOS: whose instructions these are.
    on = "on the Linux stand-in" if record.router["name"] == "linux" else "on RouterOS"
    try:
        if against:
            said = f"{on} {costs.ratio(record, condition, against, size)} times"
        else:
            taken = costs.cost(record, condition, size)
            said = f"{on} {router_costs.amount(taken, record.measure)}"
    except costs.NoDataError:
        return None
    beside = f" against {against}" if against else ""
    of = f"{lab}: {condition}{beside}, {size} bytes; {record.provenance().sentence}"
    return {"cost": said, "of": of}


def every_cost() -> dict[str, dict[str, str]]:
    """What the records say of all that an answer may ask, for a page that reads no records."""
    base = rules.plain()
    return _costs([*base["paths"], *(rule["cost"] for rule in base["rules"] if rule["cost"])])


def with_costs(plain: dict[str, Any]) -> dict[str, Any]:
    """The answer with what our records say of each path, reason and note."""
    return report.with_costs(plain, _costs(report.asked_of_records(plain)))


def _costs(asked: Iterable[dict[str, Any]]) -> dict[str, dict[str, str]]:
    known = {}
    for each in asked:
        cost = recorded(each["lab"], each["condition"], each.get("against", ""))
        if cost:
            known[report.cost_key(each)] = cost
    return known


def page(plain: dict[str, Any], answer: report.Answer) -> str:
    """One file of HTML that loads nothing."""
    rows = "".join(_row(each) for each in plain["classes"])
    deciding = report.deciding(plain)
    noted = [(line["file"], line["line"]) for each in plain["notes"] for line in each["lines"]]
    marked = {*deciding, *noted}
    listing = "\n".join(
        f"<mark>{number:5} {escape(text)}</mark>"
        if (file, number) in marked
        else f"{number or '':5} {escape(text)}"
        for file, number, text in answer.listing(MOST_SHOWN, [*marked])
    )
    notes = "".join(f"<li>{_note(each)}</li>" for each in plain["notes"])
    said = "".join(f"<p>{escape(line)}</p>" for line in report.opening(plain))
    packet = _packet(plain["packet"]) if "packet" in plain else ""
    base = plain["rules"]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Which path the packets take</title><style>{STYLE}</style></head><body>"
        f"<h1>Which path the packets take</h1>{packet}{said}"
        "<table><tr><th>packets</th><th>path</th><th>why</th><th>what would change it</th></tr>"
        f"{rows}</table><h2>Worth knowing</h2><ul>{notes or '<li>nothing</li>'}</ul>"
        f"{_listed('The switch chip', report.offload(plain))}"
        f"{_listed('What the router printed', report.evidence(plain))}"
        f"{_listed('Lines that were not read', [report.unread(each) for each in plain['unread']])}"
        f"{_listed('Not in the export, so the default is taken', report.defaults(plain))}"
        f"<h2>The export, secrets struck out</h2><pre>{listing}</pre>"
        f"<p>Rules {escape(base['version'])}, read for RouterOS {escape(base['read_for'])} on "
        f"{escape(base['read'])}. No router has confirmed this.</p></body></html>\n"
    )


def _listed(title: str, lines: list[str]) -> str:
    """A part of the answer as a list; of nothing, the word."""
    made = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h2>{title}</h2><ul>{made or '<li>nothing</li>'}</ul>"


def _packet(packet: dict[str, Any]) -> str:
    head = "".join(f"<th>{column}</th>" for column in report.PACKET)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in report.packet_rows(packet)
    )
    end = "".join(f"<p>{escape(line)}</p>" for line in report.packet_end(packet))
    title = f"The packet {escape(packet['asked'])}"
    return f"<h2>{title}</h2><table><tr>{head}</tr>{rows}</table>{end}"


def _row(each: dict[str, Any]) -> str:
    path = escape(report.paths_in_words(each["paths"], each["answer"])) + _asks(each)
    why = "".join(f"<li>{_reason(reason)}</li>" for reason in each["reasons"])
    change = "".join(
        f"<pre>{escape(chr(10).join(c['commands']))}</pre>"
        f"<b>{escape(report.promised(c))}</b> You lose: {escape(c['loses'])}"
        for c in each["changes"]
    )
    paid = "".join(
        f"<br>{escape(line)}" for line in report.costs_in_words(each["paths"], each["costs"])
    )
    return (
        f'<tr><th>{escape(each["title"])}</th><td class="{each["answer"]}">{path}{paid}</td>'
        f"<td><ul>{why}</ul></td><td>{change}</td></tr>"
    )


def _reason(reason: dict[str, Any]) -> str:
    lines = ", ".join(f"<code>{escape(report.place(line))}</code>" for line in reason["lines"])
    more = f" and {reason['more']} more" if reason["more"] else ""
    cost = reason["cost"]
    times = (
        f" Costs {escape(cost['cost'])} as much as without it ({escape(cost['of'])})."
        if cost
        else ""
    )
    source = f' <a href="{escape(reason["source"])}">{escape(reason["cited"])}</a>'
    return f"{lines}{more} {escape(report.because(reason))}{source}.{times}"


def _note(note: dict[str, Any]) -> str:
    lines = ", ".join(f"<code>{escape(report.place(line))}</code>" for line in note["lines"])
    commands = escape("\n".join(note["commands"]))
    change = f"<pre>{commands}</pre>You lose: {escape(note['loses'])}" if commands else ""
    said = f"{lines} {escape(note['says'])} {escape('; '.join(note['facts']))}."
    return f"{said}{change}{_asks(note)}"


def _asks(each: dict[str, Any]) -> str:
    return "".join(f"<br>Ask: <code>{escape(ask)}</code>" for ask in report.asks(each))
