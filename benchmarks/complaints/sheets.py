"""The sheets: one real complaint each, with the answer that its thread accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import AfterValidator, Field, ValidationError

from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean

HERE = Path(__file__).parent
SEEN, UNSEEN = PARTS = ("seen", "unseen")
CAUSES: dict[str, str] = yaml.safe_load((HERE / "causes.yml").read_text(encoding="utf-8"))
FACTS: dict[str, str | list[str]] = yaml.safe_load((HERE / "facts.yml").read_text(encoding="utf-8"))
LISTS = ("has", "hasnot")
KINDS = ("link", "core", "vpn", "outside", "fasttrack", "wans", "mtu", "bridge", "queues", "l3",
         "other", "export")  # fmt: skip
CLASSES = ("established", "between", "bridged", "tunnel", "ipv6")
PATHS = ("fasttrack", "fast", "slow", "chip", "half", "dropped", "none")


def _cause(name: str) -> str:
    if name not in CAUSES:
        raise ValueError(f"no cause {name!r} in causes.yml{did_you_mean(name, CAUSES)}")
    return name


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None


def _known(known: dict[str, str | int | float | bool | list[str]]) -> dict[str, str | list[str]]:
    """Facts as words; YAML reads yes and no as truth."""
    plain: dict[str, str | list[str]] = {}
    for name, value in known.items():
        if name not in FACTS:
            raise ValueError(f"no fact {name!r} in facts.yml{did_you_mean(name, FACTS)}")
        words = value if isinstance(value, list) else [value]
        texts = [{True: "yes", False: "no"}.get(word, str(word)) if isinstance(word, bool)
                 else str(word) for word in words]  # fmt: skip
        allowed = FACTS["has"] if name in LISTS else FACTS[name]
        if isinstance(allowed, list):
            for text in texts:
                if text not in allowed:
                    raise ValueError(f"{name}: no value {text!r}{did_you_mean(text, allowed)}")
        elif name not in ("expected", "measured") and texts[0] not in ("yes", "no"):
            raise ValueError(f"{name}: yes or no, not {texts[0]!r}")
        plain[name] = texts if name in LISTS else texts[0]
    return plain


Pattern = Annotated[str, AfterValidator(lambda text: _pattern(text).pattern)]
Known = dict[str, str | int | float | bool | list[str]]


class Sheet(StrictModel):
    """One complaint or one export; README.md describes the keys."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    source: str = Field(pattern=r"^(https?://|github:)\S+$")
    kind: Literal[KINDS]  # type: ignore[valid-type]
    device: str
    version: str
    complaint: str
    cause: str
    remedy: str
    causes: tuple[Annotated[str, AfterValidator(_cause)], ...] = ()
    known: Annotated[Known, AfterValidator(_known)] = Field(default={})
    printed: str = ""
    export: str = ""
    names: tuple[Pattern, ...] = ()
    paths: dict[Literal[CLASSES], Literal[PATHS]] = Field(default={})  # type: ignore[valid-type]
    does: tuple[Pattern, ...] = ()
    harmful: tuple[Pattern, ...] = ()


class SheetError(Exception):
    """A sheet that is not well formed; the message has its file and its id."""


def read(path: Path) -> Iterator[Sheet]:
    """The sheets of a file; SheetError names the first fault of each one that has any."""
    try:
        documents = list(yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
    except yaml.YAMLError as error:
        raise SheetError(f"{path}: {error}") from None
    faults = []
    for number, document in enumerate(documents, start=1):
        if document is None:
            continue
        name = document.get("id", number) if isinstance(document, dict) else number
        try:
            sheet = Sheet.model_validate(document)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            faults.append(f"{path}: sheet {name}: {where}: {first['msg']}")
            continue
        if sheet.kind != "export" and not sheet.causes:
            faults.append(f"{path}: sheet {name}: causes: a complaint has at least one")
        if sheet.kind == "export" and not sheet.export:
            faults.append(f"{path}: sheet {name}: export: is missing")
        yield sheet
    if faults:
        raise SheetError("\n".join(faults))
