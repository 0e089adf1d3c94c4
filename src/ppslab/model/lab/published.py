"""The published numbers of a lab: `published.csv`, one row a number, as the source printed it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.grouping import grouped
from ppslab.core.text.typed_numbers import regrouped
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.published_value import Value, parse

COLUMNS = (
    "id",
    "source",
    "document",
    "hardware",
    "version",
    "mode",
    "condition",
    "frame_size",
    "quantity",
    "value",
    "unit",
    "printed",
    "where",
    "note",
    "needs",
)


@dataclass(frozen=True)
class Published:
    """One published number.

    `condition` is the lab's condition that it belongs to, empty where there is none;
    `frame_size` in bytes with the frame check sequence, None where the source names none;
    `said` in `unit`: a number, a bound or a range; `printed` is the string exactly as the source
    prints it.  `line` says that the source prints no number: what its ports carry.  `needs`: why
    nothing here can test it, and what could, where no claim judges it.
    """

    id: str
    """The number's name, by which claims and pages point to it."""
    source: str
    """Who published it."""
    document: str
    """Address or title of the document."""
    hardware: str
    """The router that was measured."""
    version: str
    """Its software's version."""
    mode: str
    """How the router was configured, in the source's words."""
    condition: str
    frame_size: int | None
    quantity: str
    """What was measured."""
    said: Value
    unit: str
    """The unit of `said`."""
    printed: str
    where: str
    """The page, table or figure of the document."""
    note: str
    """What a reader should know of it."""
    needs: str = ""
    """What nothing here can test it without; empty where nothing is missing."""
    line: bool = False

    @property
    def value(self) -> float:
        """The number; UsageError where the source gives a bound or a range."""
        if not self.said.exact:
            raise UsageError(f"published {self.id}: {self.printed} is not one number")
        return self.said.low

    @property
    def shown(self) -> str:
        """As printed, thousands apart as everywhere, with the unit where the print has none."""
        # The k of 600k is no unit.
        has_unit = any(letter.isalpha() for letter in re.sub(r"(?<=\d)[kMG]\b", "", self.printed))
        text = self.printed if has_unit else f"{self.printed} {self.unit}"
        return regrouped(re.sub(r"(?<![\w.,])\d{5,}", lambda digits: grouped(digits[0]), text))


def load(lab: Lab) -> dict[str, Published]:
    """The published numbers of a lab by id; FileError with the line where a row is wrong."""
    path = lab.folder / "published.csv"
    numbers: dict[str, Published] = {}
    for row in documents.read_csv(path, COLUMNS):
        texts = {column: row[column] for column in COLUMNS if column not in ("value", "frame_size")}
        try:
            size = int(row["frame_size"]) if row["frame_size"] else None
        except ValueError:
            raise row.error(f"frame_size is a number, not {row['frame_size']!r}") from None
        try:
            value = parse(row["value"], row["unit"], size, lab.spec.port_speed)
        except ValueError as error:
            raise row.error(str(error)) from None
        condition = texts["condition"]
        if condition and condition not in lab.conditions:
            near = did_you_mean(condition, lab.conditions)
            raise row.error(f"no condition {condition!r} in the lab{near}")
        if texts["id"] in numbers:
            raise row.error(f"id {texts['id']!r} appears twice")
        numbers[texts["id"]] = Published(
            **texts, said=value, frame_size=size, line=row["value"].startswith("line")
        )
    return numbers
