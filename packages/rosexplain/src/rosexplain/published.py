"""MikroTik's own results of a model, in one sentence of the short answer."""

from __future__ import annotations

from typing import Any

from rosexplain.language import N_, gettext

ROUTING = (("25 ip filter rules", N_("with 25 filter rules")),
           ("none (fast path)", N_("on the fast path")))  # fmt: skip
SIZES = (512, 1518, 64)
"""Sizes of frames in the tables, the first that a model has counts."""


def rates_of(published: dict[str, list[dict[str, Any]]], model: str) -> list[dict[str, Any]]:
    """The newest result of each configuration in ROUTING, of one size of frames.

    An export's model may lack the end of the code: the rack's or the country's letters.  Where it
    fits several codes, those with results of their own count first, and all have to have the same.
    """
    short = model.replace("RouterBOARD ", "").replace(" ", "")
    codes: list[str] = []
    for name in (short, "RB" + short) if short else ():  # RouterOS 6 leaves out the RB
        begin = [code for code in published if code[: len(name)] == name]
        codes = codes or ([name] if name in begin else begin)
    codes = [code for code in codes if not _borrowed(published[code])] or codes
    every = [published[code] for code in codes]
    rows = every[0] if every and every.count(every[0]) == len(every) else []
    for size in SIZES:
        sized = [row for row in rows if row["bytes"] == size]
        rates = [[row for row in sized if row["configuration"] == name][:1] for name, _ in ROUTING]
        if any(rates):
            return [row for rate in rates for row in rate]
    return []


def _borrowed(rows: list[dict[str, Any]]) -> str:
    """Return the name of the device whose results these are; empty where they are the model's."""
    return str(rows[0].get("of", "")) if rows else ""


def speed(rates: list[dict[str, Any]] | None) -> str:
    """MikroTik's own results of routing with this model, in one sentence; empty for None."""
    if rates is None:
        return ""
    if not rates:
        return gettext(
            "Speed: not in our copies. Look at the Test results of this model's product page; "
            "paste them on our page of devices, and this answer uses them."
        )
    words = []
    for row in rates:
        where = "".join([gettext(said) for name, said in ROUTING if name == row["configuration"]])
        words.append(_amount(row) + " " + where + " (" + str(row["year"]) + ")")
    text = gettext(
        "MikroTik's tests of this model, {bytes}-byte frames, all ports together: {words}."
    )
    if _borrowed(rates):
        text = gettext(
            "MikroTik's tests of this model are not in our copies; of the {of}, with the same CPU, "
            "cores and clock, {bytes}-byte frames, all ports together: {words}."
        )
    return text.format(of=_borrowed(rates), bytes=str(rates[0]["bytes"]), words="; ".join(words))


def _amount(row: dict[str, Any]) -> str:
    words = []
    if row["mbps"]:
        words.append(_thousands(row["mbps"]) + " Mbit/s")
    if row["kpps"]:
        rate = _thousands(row["kpps"] * 1000)
        words.append(gettext("{rate} packets/s").format(rate=rate))
    return words[0] + (" (" + words[1] + ")" if len(words) > 1 else "")


def _thousands(number: float) -> str:
    digits = str(int(number + 0.5))
    groups = []
    while len(digits) > 3:
        groups.append(digits[-3:])
        digits = digits[:-3]
    return ",".join([digits] + groups[::-1])
