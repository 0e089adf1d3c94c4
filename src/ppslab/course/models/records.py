"""Records: any recorded run as a figure, published numbers, and a run of the reader's own."""

from __future__ import annotations

import json
from typing import Any

from ppslab.core.provenance_line import INTERVAL, sign
from ppslab.core.text.language import gettext
from ppslab.course.models import record_rows
from ppslab.course.models.drawn.drawing import fixed, short, table
from ppslab.course.models.drawn.records import drawn_rows, text_of

TITLE = "Records"

REPORT = "ppslab/report/1"
"""The schema of a reader's own file."""

IN_THE_TABLE = 120

CONTROLS: list[dict[str, Any]] = [
    {
        "kind": "choice",
        "name": "record",
        "label": "Run",
        "value_from": "first",
        "choices_from": "records",
    },
    {
        "kind": "choice",
        "name": "figure",
        "label": "Figure",
        "value": "time",
        "choices": [[name, title] for name, title, _ in record_rows.TITLES],
    },
    {
        "kind": "text",
        "name": "only",
        "label": "Show only rows with these words",
        "value": "",
        "help": "For example: 64 bytes routing. A minus excludes a word: -bridging.",
    },
    {
        "kind": "file",
        "name": "file",
        "label": "Your own run, for comparison",
        "value": None,
        "help": (
            "The output of ppslab report RECORD --json. Your browser reads the file and does not "
            "send it anywhere."
        ),
    },
]


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The chosen figure of the chosen run, filtered, with a second run (widgets.facts.records)."""
    chosen = [run for run in facts["runs"] if run["id"] == inputs["record"]] or facts["runs"][:1]
    if not chosen:
        return _problem(
            "record", gettext("There is no recorded run here. To record one, use ppslab run.")
        )
    run = chosen[0]
    shown = [each for each in run["figures"] if each["id"] == inputs["figure"]]
    says = []
    if not shown:
        shown = run["figures"][:1]
        there = "; ".join([each["title"] for each in run["figures"]])
        says.append(
            gettext(
                "This run has no such figure. It has {there}; the first of these is shown."
            ).format(there=there)
        )
    rows = _only(shown[0]["rows"], inputs["only"])
    if not rows:
        return _problem(
            "only",
            gettext("No row contains all of these words: {only}. Remove some.").format(
                only=inputs["only"]
            ),
        )
    second, theirs = None, None
    if inputs["file"]:
        second, theirs = _read(inputs["file"], run, shown[0])
        if second is None:
            return _problem("file", theirs)
    rows = [_pair(row, second) for row in rows]
    both = [row for row in rows if row["value"] is not None and row["second"] is not None]
    if second is not None:
        says.append(_compared(inputs["file"]["name"], rows, both, shown[0]["unit"]))
    says.append(
        gettext("{title}, {title_2}: {rows} of {rows_2} rows.").format(
            title=run["title"],
            title_2=shown[0]["title"],
            rows=len(rows),
            rows_2=len(shown[0]["rows"]),
        )
    )
    made = [sign(run["provenance"], INTERVAL, [["run", run["title"]]])]
    if theirs:
        made.append(theirs)
    drawn = [row for row in rows if row["value"] is not None or row["second"] is not None]
    return {
        "says": says,
        "made": made,
        "figures": [drawn_rows(shown[0], drawn, second is not None)] if drawn else [],
        "tables": [_table(shown[0], rows, second is not None)],
        "values": {
            "figure": shown[0]["id"],
            "rows": [[row["label"], row["value"], row["second"], row["published"]] for row in rows],
        },
    }


def _only(rows: list[Any], words: str) -> list[Any]:
    filters = words.lower().split()
    return [row for row in rows if all(_fits(row[0].lower(), word) for word in filters)]


def _fits(label: str, word: str) -> bool:
    if word.startswith("-") and len(word) > 1:
        return word[1:] not in label
    return word in label


def _read(file: dict[str, Any], run: dict[str, Any], shown: dict[str, Any]) -> tuple[Any, Any]:
    """The second run's rows of this figure by label, and its sign; or None, and why not."""
    name = file["name"]
    if _last["text"] != file["text"] or _last["run"] != run["id"]:
        # Seconds for a megabyte in a page: once for a file, not for each letter of the filter.
        content = _taken_in(file["text"], run)
        _last.update({"text": file["text"], "run": run["id"], "content": content})
    figures, note = _last["content"]
    if figures is None:
        return None, f"{name} {note}"
    rows = [row for each in figures if each["id"] == shown["id"] for row in each["rows"]]
    if not rows:
        return None, gettext("{name} has no rows for this figure: choose another figure.").format(
            name=name
        )
    return {row[0]: row for row in rows}, note


_last: dict[str, Any] = {"text": None, "run": None, "content": None}
"""The file that was read last, and its figures and provenance."""


def _taken_in(text: str, run: dict[str, Any]) -> tuple[Any, Any]:
    """A report's figures and the sign of its provenance; or None, and why it cannot be compared."""
    report, why_not = _parsed(text)
    if why_not:
        return None, why_not
    try:
        (record,) = report["records"]
        schema = record["schema"]
        if schema != run["schema"] or record["lab"] != run["lab"]:
            what = gettext("a {schema} record of the lab {lab}").format(
                schema=schema, lab=record["lab"]
            )
            return None, gettext(
                "is a record of {what}: choose a run of the same kind and lab above."
            ).format(what=what)
        figures = record_rows.figures_of(report["results"])
        more = [["run", gettext("your file")]]
        if record["state"] != "completed":
            more.append(["state", gettext("this run was aborted")])
        return figures, sign(record["provenance"], INTERVAL, more)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None, gettext(
            "is not the complete report of one record. To create one, use ppslab report RECORD "
            "--json."
        )


def _parsed(text: str) -> tuple[Any, str]:
    """The report in a text; or why there is none."""
    try:
        report = json.loads(text)
    except ValueError:
        return None, gettext(
            "is not JSON: choose a file with the output of ppslab report RECORD --json."
        )
    if not isinstance(report, dict) or "schema" not in report:
        return None, gettext("is not a ppslab report: it has no schema.")
    if report["schema"] != REPORT:
        return (
            None,
            gettext(
                "is a {schema}: choose a file with the output of ppslab report RECORD --json for "
                "it."
            ).format(schema=report["schema"]),
        )
    return report, ""


def _pair(row: list[Any], second: Any) -> dict[str, Any]:
    other = second.get(row[0]) if second else None
    return {
        "label": row[0],
        "value": row[1],
        "ends": [row[2], row[3]],
        "note": row[4],
        "published": row[5] if len(row) > 5 else None,
        "second": other[1] if other else None,
        "second_ends": [other[2], other[3]] if other else [None, None],
    }


def _compared(name: str, rows: list[Any], both: list[Any], unit: str) -> str:
    if not both:
        return gettext("{name} has none of these rows.").format(name=name)
    ratios = [row["second"] / row["value"] for row in both if row["value"] > 0]
    sentence = gettext("{name} has {both} of the {rows} rows").format(
        name=name, both=len(both), rows=len(rows)
    )
    if ratios and unit:
        sentence += (
            gettext(
                "; its values are {ratios} to {ratios_2} times those of this run. Absolute times "
                "and rates from two machines cannot be used to compare routers"
            ).format(ratios=short(min(ratios)), ratios_2=short(max(ratios)))
            if unit != "times"
            else gettext("; its ratios are {ratios} to {ratios_2} times those of this run").format(
                ratios=short(min(ratios)), ratios_2=short(max(ratios))
            )
        )
    return sentence + "."


def _span(ends: list[Any]) -> str:
    if ends[0] is None and ends[1] is None:
        return "-"
    low = "unknown" if ends[0] is None else short(ends[0])
    return low + " to " + (gettext("no bound") if ends[1] is None else short(ends[1]))


def _table(shown: dict[str, Any], rows: list[Any], second: bool) -> dict[str, object]:
    unit = ", " + shown["unit"] if shown["unit"] else ""
    with_published = len([row for row in rows if row["published"] is not None]) > 0
    header = [gettext("row"), "measured" + unit, gettext("interval")]
    if with_published:
        header.append("published" + unit)
    if second:
        header += [
            gettext("the file{unit}").format(unit=unit),
            gettext("its interval"),
            gettext("file over run"),
        ]
    shown_rows = []
    for row in rows[:IN_THE_TABLE]:
        label = row["label"] + (f" ({row['note']})" if row["note"] else "")
        cells = [label, text_of(row["value"]), _span(row["ends"])]
        if with_published:
            cells.append(text_of(row["published"]))
        if second:
            known = row["value"] and row["second"] is not None
            ratio = fixed(row["second"] / row["value"], 2) if known else "-"
            cells += [text_of(row["second"]), _span(row["second_ends"]), ratio]
        shown_rows.append(cells)
    title = shown["title"]
    if len(rows) > IN_THE_TABLE:
        title += gettext(", the first {in_the_table} of {rows} rows").format(
            in_the_table=IN_THE_TABLE, rows=len(rows)
        )
    return table(title, header, shown_rows)


def _problem(control: str, says: str) -> dict[str, Any]:
    return {"problem": {"input": control, "says": says}}
