"""The published numbers of a lab: `published.csv`, one row a number, as the source printed it."""

from __future__ import annotations

from dataclasses import dataclass

from ppslab import documents
from ppslab.errors import did_you_mean
from ppslab.lab import Lab

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
)


@dataclass(frozen=True)
class Published:
    """One published number.

    `condition` is the lab's condition that it belongs to, empty where there is none;
    `frame_size` in bytes with the frame check sequence, None where the source names none;
    `value` in `unit`; `printed` is the string exactly as the source prints it.
    """

    id: str
    source: str
    document: str
    hardware: str
    version: str
    mode: str
    condition: str
    frame_size: int | None
    quantity: str
    value: float
    unit: str
    printed: str
    where: str
    note: str

    @property
    def shown(self) -> str:
        """As printed, with the unit behind it where the print has none."""
        has_unit = any(letter.isalpha() for letter in self.printed)
        return self.printed if has_unit else f"{self.printed} {self.unit}"


def load(lab: Lab) -> dict[str, Published]:
    """The published numbers of a lab by id; FileError with the line where a row is wrong."""
    path = lab.folder / "published.csv"
    numbers: dict[str, Published] = {}
    for row in documents.read_csv(path, COLUMNS):
        words = {column: row[column] for column in COLUMNS if column not in ("value", "frame_size")}
        try:
            value = float(row["value"])
            size = int(row["frame_size"]) if row["frame_size"] else None
        except ValueError as error:
            raise row.error(f"value and frame_size are numbers: {error}") from None
        condition = words["condition"]
        if condition and condition not in lab.conditions:
            near = did_you_mean(condition, lab.conditions)
            raise row.error(f"no condition {condition!r} in the lab{near}")
        if words["id"] in numbers:
            raise row.error(f"id {words['id']!r} stands here twice")
        numbers[words["id"]] = Published(**words, value=value, frame_size=size)
    return numbers
