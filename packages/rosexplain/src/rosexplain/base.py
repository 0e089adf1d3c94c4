"""The rules, facts, chips and defaults that an answer is decided by, as the package brings them."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")

RULES = Path(__file__).with_name("rules")
"""The files that `rule_files` makes base.json of: in a wheel here, in a checkout two folders up."""
if not RULES.is_dir():
    RULES = RULES.parents[2] / "rules"

LONG = 5000
"""Commands of an export that takes more than a second."""

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks with which a text of Winbox on Windows begins."""


def text_of(data: bytes) -> str:
    """The text of an export's bytes: UTF-16 by its mark, UTF-8, or else Latin-1.

    UnicodeDecodeError where it is no text, as a backup.
    """
    if data[:2] in UTF_16:
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if any(byte < 32 and byte not in b"\t\n\r\f" for byte in data):
            raise
        return data.decode("latin-1")


@lru_cache(maxsize=1)
def base() -> dict[str, Any]:
    """The rule base; who changes it changes it for all."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


@lru_cache(maxsize=1)
def rules() -> dict[str, dict[str, Any]]:
    """The rules of the base by their ids."""
    return {rule["id"]: rule for rule in base()["rules"]}


@contextmanager
def uncollected() -> Iterator[None]:
    """Answer without a look for garbage: almost all is kept, so it only takes time.

    For a command that ends with its answer.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.freeze()  # nor one at its end
            gc.enable()
