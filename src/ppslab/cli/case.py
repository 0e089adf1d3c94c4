"""`ppslab case`: slow routers that print what you ask, to find the cause and type the remedy.

Exit codes: 0 answered, right or solved; 1 a wrong cause or a remedy that is none yet; 2 nothing
was answered or judged.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import typer
from rich.markdown import Markdown
from rich.rule import Rule
from rich.table import Table

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.course import cases, own_seat
from ppslab.course.cases import Case, attempts
from ppslab.course.cases.attempts import Attempt
from ppslab.model import devices, manual

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}
MADE_UP = (
    "This case is made up: no router printed its outputs. Their shape is that of MikroTik's "
    "manual and of public posts."
)
WORDS = (
    "Ask the router, such as /system/resource/print. Besides: hint, causes, cause NAME, remedy, "
    "solve, text, quit"
)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("case")(case)


def case(
    which: str = typer.Argument("", metavar="[N]", help="The case; default: list them."),
    ask: list[str] = typer.Option(
        [], metavar="COMMAND", help="Ask the router one thing: /ip/settings/print."
    ),
    cause: str = typer.Option("", metavar="NAME", help="Name the cause."),
    remedy: Path | None = typer.Option(
        None, metavar="FILE", help="RouterOS commands that mend it; - reads standard input."
    ),
    hint: bool = typer.Option(False, "--hint", help="Read the next hint, which is a move."),
    solve: bool = typer.Option(False, "--solve", help="Read the solution."),
    anew: bool = typer.Option(
        False, "--anew", help="Begin anew; a hint that you read still counts."
    ),
) -> None:
    """Find out why a router is slow: ask it, name the cause, type the remedy.

    Each command that the router answers is a move, and so are a hint, a wrong cause and a remedy
    that does not mend it.  RouterOS itself is not there: what it would print was written down, and
    `explain` judges the router's export with your commands behind it.

    Exits with 0 if all is answered and right, with 1 for a wrong cause or remedy, with 2 if there
    was nothing to answer or to judge.
    """
    if not which:
        _list()
        return
    name, chosen = cases.find(which)
    attempt = attempts.begin_anew(name) if anew else attempts.load(name)
    codes = [_ask(attempt, command) for command in ask]
    if hint:
        codes.append(_hint(attempt))
    if cause:
        codes.append(_cause(attempt, chosen, cause))
    if remedy is not None and not any(codes):
        typed = sys.stdin.read() if str(remedy) == "-" else documents.read_text(remedy)
        codes.append(_remedy(attempt, chosen, typed))
    if solve:
        codes.append(_solve(attempt, chosen))
    if not codes:
        _show(name, chosen)
        if sys.stdin.isatty() and sys.stdout.isatty():
            codes.append(_talk(attempt, chosen))
    if code := max(codes, default=0):
        raise typer.Exit(code)


def _list() -> None:
    """The cases in their order, and which are solved."""
    shown = Table(title="Slow routers")
    for column in ("case", "what", "difficulty", "par", "solved"):
        shown.add_column(column)
    following = ""
    for name, each in cases.every():
        attempt = attempts.load(name)
        done = ""
        following = following or ("" if attempt.solved else name)
        if attempt.solved:
            moves = attempt.score["moves"]
            aided = "" if attempt.unaided else ", aided"
            done = f"{attempt.solved[:10]}, {plural(moves, 'move')}{aided}"
        elif attempt.begun:
            done = "begun"
        level = DIFFICULTIES[each.difficulty]
        shown.add_row(name, each.title, level, str(each.par), done or "-")
    console.print(shown)
    then = f"next: ppslab case {following}" if following else "all cases are solved"
    console.print(then, markup=False)


def _say(text: str) -> None:
    console.print(text, style="dim", markup=False, soft_wrap=True)


def _prose(text: str) -> None:
    console.print(Markdown(text), width=console.prose_width)


def _show(name: str, chosen: Case) -> None:
    """The symptom, and what there is to choose from."""
    console.print(Rule(f"{name}: {chosen.title}", align="left"), width=console.prose_width)
    device = devices.find(chosen.device)
    code = f" ({device.code})" if device.code != device.name else ""
    for word, value in (
        ("router", f"{device.name}{code}"),
        ("ordered", chosen.ordered),
        ("measured", chosen.measured),
        ("difficulty", f"{DIFFICULTIES[chosen.difficulty]}; par is {plural(chosen.par, 'move')}"),
    ):
        console.print(f"{word + ':':<12}{value}", markup=False, soft_wrap=True)
    _prose(chosen.symptom)
    if not chosen.confirmed:
        _say(MADE_UP)
    _causes(chosen)


def _causes(chosen: Case) -> None:
    console.print("One of these is the cause:")
    # In a file the right one may come first.
    for each in sorted(chosen.causes, key=lambda one: one.text):
        console.print(f"  {each.name}: {each.text}", markup=False, soft_wrap=True)


def _ask(attempt: Attempt, command: str) -> int:
    answer = attempt.ask(command)
    console.print(answer["text"], markup=False, soft_wrap=True)
    return 0 if answer["command"] else 2


def _hint(attempt: Attempt) -> int:
    number, hint = attempt.hint()
    _say(f"hint {number} of {len(cases.load(attempt.case).hints)}:")
    _prose(hint)
    _tell(attempt, "hint")
    return 0


def _cause(attempt: Attempt, chosen: Case, name: str) -> int:
    try:
        answer = attempt.name_cause(name)
    except ValueError as error:
        known = [each.name for each in chosen.causes]
        raise UsageError(f"{error}{did_you_mean(name, known)}") from None
    state = "[green]yes[/]" if answer["right"] else "[red]no[/]"
    console.print(f"{state}  ", end="")
    console.print(answer["says"], markup=False, soft_wrap=True)
    return 0 if answer["right"] else 1


def _remedy(attempt: Attempt, chosen: Case, typed: str) -> int:
    """Judge what was typed; the cause has to be named before."""
    if not attempt.cause:
        raise UsageError("name the cause first: --cause NAME")
    result = attempt.judge(typed)
    for line, why in result["refused"]:
        console.print("[yellow]refused[/]  ", end="")
        console.print(f"{line.strip()}: {why}.", markup=False, soft_wrap=True)
    for line, why in result["notes"]:
        console.print(f"note  {line.strip()}: {why}.", markup=False, soft_wrap=True)
    if not result["counts"]:
        console.print("Nothing was judged, so it is no move. Type the whole remedy again.")
        return 2
    for finding in result["findings"]:
        _finding(*finding)
    if not result["solved"]:
        _tell(attempt, "tried", "fail")
        console.print("Not yet. The router is as it was before; type the whole remedy again.")
        return 1
    _tell(attempt, "tried", f"pass {attempt.score['moves']}")
    _end(attempt, chosen)
    return 0


def _finding(says: str, state: str, sentence: str, seen: str) -> None:
    console.print("[green]pass[/]  " if state == "pass" else "[red]fail[/]  ", end="")
    console.print(f"{says}: {sentence}", markup=False, soft_wrap=True)
    if state != "pass" and seen:
        shown = textwrap.indent(seen, "      ")
        console.print(shown, style="dim", markup=False, soft_wrap=True)


def _end(attempt: Attempt, chosen: Case) -> None:
    """The score, and why it was so."""
    console.print(f"Solved: {attempt.score['says']}", style="bold", markup=False)
    _debrief(chosen)


def _debrief(chosen: Case) -> None:
    _prose(chosen.debrief)
    if chosen.after:
        console.print(chosen.after, markup=False, soft_wrap=True)
    for name in chosen.facts:
        fact = manual.fact(name)
        _say(f"{fact.says} [{fact.cited}]")
    _say(f"read on: book/{chosen.chapter}.md")


def _solve(attempt: Attempt, chosen: Case) -> int:
    """Show the cause and every remedy."""
    attempt.read_solution()
    _tell(attempt, "solved")
    console.print(f"{chosen.cause.text}.", markup=False, soft_wrap=True)
    for number, solution in enumerate(chosen.solutions):
        _say("or:" if number else "the remedy:")
        console.print(textwrap.indent(solution.rstrip(), "  "), markup=False, soft_wrap=True)
    _debrief(chosen)
    return 0


def _tell(attempt: Attempt, kind: own_seat.Kind, value: str = "") -> None:
    """Tell the board of a workshop, if this machine has joined one, and say what it says."""
    for heard in own_seat.tell(kind, f"cases/task/{attempt.case}", value):
        console.print(f"the instructor says: {heard}", style="bold", markup=False)


def _talk(attempt: Attempt, chosen: Case) -> int:
    """Take commands at a terminal until it is solved or left; the exit code of the last one."""
    code = 0
    _say(WORDS)
    while True:
        line = _input(f"[admin@{attempt.case.partition('-')[2]}] > ").strip()
        word, _, rest = line.partition(" ")
        if word == "quit":
            return code
        if not line or word == "help":
            _say(WORDS)
            continue
        try:
            code = _one(attempt, chosen, word, rest.strip(), line)
        except UsageError as error:
            _say(str(error))
            continue
        if word == "remedy" and code == 0:
            return 0


def _one(attempt: Attempt, chosen: Case, word: str, rest: str, line: str) -> int:
    """Do what one line says."""
    if word == "remedy":
        if not attempt.cause:
            raise UsageError("name the cause first: cause NAME")
        return _remedy(attempt, chosen, _typed())
    if word == "cause" and rest:
        return _cause(attempt, chosen, rest)
    acts: dict[str, Any] = {
        "hint": lambda: _hint(attempt),
        "cause": lambda: _causes(chosen),
        "causes": lambda: _causes(chosen),
        "solve": lambda: _solve(attempt, chosen),
        "text": lambda: _show(attempt.case, chosen),
    }
    if line in acts:
        return acts[line]() or 0
    return _ask(attempt, line)


def _typed() -> str:
    """RouterOS commands up to an empty line, or one that says done."""
    _say("RouterOS commands; an empty line or `done` ends them")
    lines: list[str] = []
    while True:
        line = _input("... ", end="")
        if line.strip() in ("", "done"):
            return "\n".join(lines)
        lines.append(line)


def _input(prompt: str, end: str = "quit") -> str:
    """A line; `end` where the learner ends the input."""
    try:
        return console.input(prompt, markup=False)
    except (EOFError, KeyboardInterrupt):
        console.print()
        return end
