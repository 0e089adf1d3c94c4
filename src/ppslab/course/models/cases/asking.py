"""The outputs of a case's router, however a command is spelled."""

from __future__ import annotations

from typing import Any

from rosexplain import menu_words
from rosexplain.language import N_, either, gettext
from rosexplain.menu_words import CHANGES
from rosexplain.parse import parsed
from rosexplain.printed import of_prompt

IDLE_WORDS = ("without-paging", "once", "terse", "compact", "hide-sensitive", "show-sensitive")
"""Words of a command that leave its output as it was recorded."""
ASKING = ("print", "export", "profile", "monitor", "monitor-traffic", "ping", "torch")
"""Verbs of commands that only look."""
LOOSE = ("count", "interval", "duration", "freeze-frame-interval")
"""Values that make a command run longer or more often, with the same output."""

HELP = N_(
    "A command is a menu and a word: print and export look, as in /ip/firewall/filter/print; add, "
    "set, remove, enable, disable and move change. [find comment=x] selects items, and "
    "place-before= puts a new one before another. See the page RouterOS in five minutes"
)


def asks_for_help(words: list[str]) -> bool:
    """Return True for `help`, `?`, and a command whose last word is one of them."""
    return words[-1:] in (["help"], ["?"])


def ask(case: dict[str, Any], command: str) -> dict[str, Any]:
    """The router's answer, `text`, and the `command` in full, empty where it is no move.

    Words may be shortened as in RouterOS's terminal, as long as one command alone is meant.
    """
    words = spelled(command)
    if not words:
        return _no_move(
            gettext("Type a command that prints something, such as /system/resource/print.")
        )
    if asks_for_help(words):
        return _no_move(gettext(HELP) + ". " + _there(_menus(case)))
    answers = {"/export": case["export"]}
    for output in case["outputs"]:
        answers[output["command"]] = output["prints"]
    exact = [name for name in recorded(case) if spelled(name) == words]
    short = [name for name in recorded(case) if _shortened(words, spelled(name))]
    if exact or len(short) == 1:
        name = (exact or short)[0]
        return {"text": answers[name].rstrip("\n"), "command": name}
    covering = [name for name in recorded(case)[1:] if _covers(words, spelled(name), answers[name])]
    if covering:
        head = gettext("(Recorded as {command})").format(command=covering[0]) + "\n"
        return {"text": head + answers[covering[0]].rstrip("\n"), "command": covering[0]}
    if words[-1] == "export" and len(words) > 1 and not short:
        return _section(case, words[:-1])
    return _no_move(_unanswered(case, words, short))


def recorded(case: dict[str, Any]) -> list[str]:
    """The commands that the router of a case answers."""
    return ["/export"] + [output["command"] for output in case["outputs"]]


def spelled(command: str) -> list[str]:
    """The words of a command, however it is spelled: `/ip settings print`, `/ip/settings/print`.

    A prompt in front is no part of it, and words that change nothing are left out.
    """
    line = command.strip(" \t")
    line = of_prompt(line) or line
    line = line[5:] if line.startswith("/tool/ping") or line.startswith("/tool ping") else line
    words: list[str] = []
    arguments = False
    for token in line.split():
        arguments = arguments or "=" in token
        pieces = [token] if arguments else token.split("/")
        words += [piece for piece in pieces if piece and piece not in IDLE_WORDS]
    return words


def _no_move(text: str) -> dict[str, Any]:
    return {"text": text, "command": ""}


def _shortened(words: list[str], full: list[str]) -> bool:
    """Return True if each word begins the one at its place."""
    if len(words) != len(full):
        return False
    return all(full[at].startswith(words[at]) for at in range(len(words)))


def _covers(words: list[str], full: list[str], prints: str) -> bool:
    """Return True if a recorded output answers a command typed in other words.

    For `print where`, all rows answer for some, and some for all; a count of rows does not.
    """
    path, verb = menu_of(full)
    head = len(path) + 1
    if not verb or len(words) < head or not _shortened(words[:head], full[:head]):
        return False
    mine, theirs = _Words(words[head:]), _Words(full[head:])
    if verb == "print":
        return _covers_rows(mine, theirs, '="' in prints)
    if mine.where or theirs.where:
        return False
    if verb in ("monitor", "monitor-traffic"):
        one, other = mine.items(), theirs.items()
        return not one or all(item in other for item in one) or all(item in one for item in other)
    same = sorted(mine.plain) == sorted(theirs.plain)
    return same and (verb == "profile" or (verb == "ping" and mine.values == theirs.values))


def _covers_rows(mine: _Words, theirs: _Words, detail: bool) -> bool:
    """`detail`: the recorded output has the form of print detail."""
    if detail:
        mine.plain, theirs.plain = _without(mine.plain), _without(theirs.plain)
    if sorted(mine.plain) != sorted(theirs.plain) or mine.values != theirs.values:
        return False
    same = mine.where == theirs.where
    return same or ("count-only" not in mine.plain and not (mine.where and theirs.where))


def _without(words: list[str]) -> list[str]:
    return [word for word in words if word != "detail"]


class _Words:
    """The words after a verb: `plain` ones, `values` by name, and the condition after where."""

    def __init__(self, words: list[str]) -> None:
        self.plain: list[str] = []
        self.values: dict[str, str] = {}
        self.where: list[str] = []
        depth = 0
        for at, word in enumerate(words):
            if word == "where" and not depth:
                self.where = [each.replace('"', "") for each in words[at + 1 :]]
                break
            name, equals, value = word.partition("=")
            inside = depth
            depth += word.count("[") - word.count("]")
            if inside or word[0] == "[":
                self.plain += ["[find]"] if not inside else []
            elif name in ("address", "interface", "numbers") and equals:
                self.plain.append(value)
            elif equals and name not in LOOSE:
                self.values[name] = value
            elif not equals:
                self.plain.append(word)

    def items(self) -> list[str]:
        """The ports that are named; none: all of them."""
        items = [item for word in self.plain for item in word.split(",")]
        return [] if "[find]" in items else items


def _section(case: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """`/ip/firewall/export`: the lines of the export in a menu and in those below it."""
    menu = "/" + "/".join(path)
    export = parsed(case["export"], "export")
    lines: list[str] = []
    last = ""
    for command in export.commands:
        if command.menu != menu and not command.menu.startswith(menu + "/"):
            continue
        if command.menu != last:
            lines.append(command.menu.replace("/", " ").replace(" ", "/", 1))
            last = command.menu
        lines.append(export.texts[command.number])
    if not lines:
        return _no_move(_unanswered(case, path + ["export"]))
    return {"text": "\n".join(lines), "command": menu + "/export"}


def _unanswered(case: dict[str, Any], words: list[str], short: list[str] | None = None) -> str:
    """Return the reason for no answer, and the menus that have one; deciding values stay unnamed.

    `short`: the commands that these words are short for, if there are several.
    """
    if short:
        forms = either(_forms(short))
        return gettext("This is short for {forms}.").format(forms=forms)
    if any(word in CHANGES for word in words):
        return gettext("This changes the router. Name the cause first, then type the remedy.")
    menus = _menus(case)
    there = _there(menus)
    path, verb = menu_of(words)
    if not verb and path != words:
        return "bad command name " + words[len(path)] + ". " + there
    if not verb:
        menu = "/" + "/".join(path)
        here = [one for one in menus if one == menu or one.startswith(menu + "/")]
        what = (
            gettext("{menu} is a menu: add print to it.")
            if here
            else gettext("{menu} is a menu that was not recorded for this case.")
        )
        return what.format(menu=menu) + " " + there
    near = [name for name in recorded(case) if menu_of(spelled(name)) == (path, verb)]
    if near:
        return gettext(
            "Not recorded in this form, so it costs no move. Recorded instead: {forms}"
        ).format(forms=gettext(" and ").join(_forms(near)))
    command = "/" + "/".join(path + [verb])
    return (
        gettext("The answer to {command} was not recorded, so it costs no move.").format(
            command=command
        )
        + " "
        + there
    )


def _menus(case: dict[str, Any]) -> list[str]:
    """The menus that have an answer, with the verb where it is not print."""
    menus: list[str] = []
    for name in recorded(case):
        path, verb = menu_of(spelled(name))
        menu = "/" + "/".join(path + ([] if verb == "print" else [verb]))
        if verb and menu not in menus:
            menus.append(menu)
    return menus


def _there(menus: list[str]) -> str:
    return gettext("Recorded here: {menus}.").format(menus=", ".join(menus))


def _forms(names: list[str]) -> list[str]:
    """Commands without what they name and select, each once."""
    forms: list[str] = []
    for name in names:
        words = spelled(name)
        path, verb = menu_of(words)
        rest = _Words(words[len(path) + 1 :])
        form = "/" + "/".join(path + [verb])
        if verb == "print":
            form = " ".join([form] + rest.plain + (["where …"] if rest.where else []))
        elif rest.plain or rest.values:
            form += " …"
        if form not in forms:
            forms.append(form)
    return forms


def menu_of(words: list[str]) -> tuple[list[str], str]:
    """The menu of a command and its verb; no verb where the words end or are not known before."""
    path: list[str] = []
    for word in words:
        kind = menu_words.kind(path, word)
        if word in ASKING or (kind == menu_words.COMMAND and word not in CHANGES):
            return path, word
        if kind != menu_words.MENU:
            break
        path.append(word)
    return path, ""
