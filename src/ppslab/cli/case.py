"""`ppslab case`: slow routers that answer commands, to find the cause and type the remedy; drills.

Exit codes: 0 answered, right or solved; 1 a wrong cause or a remedy that does not work yet; 2
nothing was answered or judged.
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
from ppslab.course import practice
from ppslab.course.models import cases as models
from ppslab.course.practice import Case, Drill, attempts
from ppslab.course.practice.attempts import Attempt, Solution
from ppslab.model import devices, manual
from rosexplain.base import base

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}
MADE_UP = (
    "The numbers were written for this case; no router printed them. The outputs have the form "
    "that MikroTik's manual and public posts show."
)
FREE = (
    "Abbreviated commands work. A repeated command, and a command without an answer, cost no move."
)
WORDS = (
    "Type a command for the router, such as /export, or one of: cause NUMBER, remedy, hint, "
    "causes, text, solve, quit"
)


def case(
    which: str = typer.Argument(
        "",
        metavar="[N]",
        help="The number of a case, or the name of a drill; default: list all cases.",
    ),
    ask: list[str] = typer.Option(
        [], metavar="COMMAND", help="Ask the router with a command, such as /ip/settings/print."
    ),
    cause: str = typer.Option("", metavar="NUMBER", help="Name the cause by its number or name."),
    remedy: Path | None = typer.Option(
        None, metavar="FILE", help="Apply the RouterOS commands of a file; - reads standard input."
    ),
    hint: bool = typer.Option(False, "--hint", help="Show the next hint, which costs a move."),
    solve: bool = typer.Option(False, "--solve", help="Show the solution."),
    anew: bool = typer.Option(
        False,
        "--anew",
        help="Start again; your first solution and the hints that you read still count.",
    ),
) -> None:
    """Find out why a router is slow: ask the router, name the cause, type the remedy.

    A move is a command that the router answers, a hint, a wrong cause, or a remedy that does not
    work.  The answers are prepared texts, not RouterOS; `explain` checks the router's export with
    your commands added.

    The exit code is 0 if all answers were right, 1 after a wrong cause or remedy, and 2 if there
    was no answer to check.
    """
    if not which:
        _list()
        return
    name, chosen = practice.find(which)
    if isinstance(chosen, Drill):
        if ask or cause or anew:
            raise UsageError("a drill has only --remedy FILE, --hint and --solve")
        if code := _drill(name, chosen, remedy, hint=hint, solve=solve):
            raise typer.Exit(code)
        return
    attempt = _anew(name) if anew else attempts.load(name)
    codes = [_ask(attempt, command) for command in ask]
    if hint:
        codes.append(_hint(attempt))
    if cause:
        codes.append(_cause(attempt, chosen, cause))
    if remedy is not None and not any(codes):
        codes.append(_remedy(attempt, chosen, _read(remedy)))
    if solve:
        codes.append(_solve(attempt, chosen))
    if not codes:
        _show(attempt, chosen)
        if sys.stdin.isatty() and sys.stdout.isatty():
            codes.append(_talk(attempt, chosen))
        else:
            _next(name)
    if code := max(codes, default=0):
        raise typer.Exit(code)


def _read(remedy: Path) -> str:
    return sys.stdin.read() if str(remedy) == "-" else documents.read_text(remedy)


def _drill(name: str, chosen: Drill, remedy: Path | None, *, hint: bool, solve: bool) -> int:
    """Show a drill, its hints or its solutions, or judge commands; nothing is counted or kept."""
    if hint:
        for each in chosen.hints:
            _prose(f"- {each}")
    if solve:
        _solutions(chosen)
        _debrief(chosen)
    if remedy is not None:
        from ppslab.course.practice.properties import properties  # noqa: PLC0415  (a second)

        result = models.judge(practice.plain(chosen), _read(remedy), base(), properties())
        _findings(result)
        if not result["solved"]:
            return 1 if result["counts"] else 2
        _debrief(chosen)
    elif not hint and not solve:
        console.print(Rule(f"{name}: {chosen.title}", align="left"), width=console.prose_width)
        _prose(chosen.question)
        console.print(chosen.export, markup=False, soft_wrap=True)
        console.print(f"Next, type: ppslab case {name} --remedy -", markup=False, soft_wrap=True)
    return 0


def _list() -> None:
    """The cases in their order, and which are solved."""
    shown = Table(title="Slow routers")
    for column in ("case", "problem", "difficulty", "par", "solved"):
        shown.add_column(column)
    following = ""
    for name, each in practice.cases().items():
        attempt = attempts.load(name)
        done = ""
        following = following or ("" if attempt.first else name)
        if attempt.first:
            done = _solved(attempt.first)
        elif attempt.begun:
            done = "begun"
        level = DIFFICULTIES[each.difficulty]
        shown.add_row(name, each.title, level, str(each.par), done or "-")
    console.print(shown)
    then = f"next: ppslab case {following}" if following else "all cases are solved"
    console.print(then, markup=False)
    _say(f"drills: {', '.join(practice.names('drills'))}")


def _solved(first: Solution) -> str:
    aided = "" if first.unaided else ", with help"
    return f"{first.when[:10]}, {plural(first.moves, 'move')}{aided}"


def _anew(name: str) -> Attempt:
    """Start a case again, and name what stays of it."""
    attempt = attempts.begin_anew(name)
    if attempt.earlier:
        _say(f"Started again. Your first solution still counts: {_solved(attempt.earlier)}.")
    return attempt


def _say(text: str) -> None:
    console.print(text, style="dim", markup=False, soft_wrap=True)


def _prose(text: str) -> None:
    console.print(Markdown(text), width=console.prose_width)


def _show(attempt: Attempt, chosen: Case) -> None:
    """The symptom, the causes to choose from, and what was done so far."""
    title = f"{attempt.case}: {chosen.title}"
    console.print(Rule(title, align="left"), width=console.prose_width)
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
    _causes(attempt)
    if attempt.first:
        _say(f"Solved: {_solved(attempt.first)}.")
    if attempt.begun:
        asked = f" Commands so far: {', '.join(attempt.asked)}." if attempt.asked else ""
        named = f" You have named the cause: {attempt.cause}." if attempt.cause else ""
        _say(f"{attempt.score['so_far']}{asked}{named}")


def _causes(attempt: Attempt) -> None:
    console.print("One of these is the cause:")
    for number, each in enumerate(models.causes(attempt.plain), 1):
        console.print(f"  {number}. {each['text']}", markup=False, soft_wrap=True)


def _next(name: str) -> None:
    """Show the next three lines to type."""
    number = int(name.partition("-")[0])
    console.print("Next, type:")
    for line, why in (
        ("--ask /export", "ask the router; each answer costs one move"),
        ("--cause 1", "name the cause by its number"),
        ("--remedy -", "then type the remedy; Ctrl-D ends the input"),
    ):
        typed = f"ppslab case {number} {line}"
        console.print(f"  {typed:<31}{why}", markup=False, soft_wrap=True)
    _say(FREE)


def _ask(attempt: Attempt, command: str) -> int:
    answer = attempt.ask(command)
    console.print(answer["text"], markup=False, soft_wrap=True)
    if answer["command"]:
        _score(attempt)
    return 0 if answer["command"] else 2


def _score(attempt: Attempt) -> None:
    """Show the score so far, after an answer."""
    if not attempt.solved:
        _say(attempt.score["so_far"])


def _hint(attempt: Attempt) -> int:
    hints = practice.case(attempt.case).hints
    if attempt.solved:
        _say("You have solved this case, so its hints are free:")
        for each in hints:
            _prose(f"- {each}")
        return 0
    read = attempt.hints
    number, hint = attempt.hint()
    last = ", which you have read; this is the last hint" if read == number else ""
    _say(f"hint {number} of {len(hints)}{last}:")
    _prose(hint)
    _score(attempt)
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
    _score(attempt)
    return 0 if answer["right"] else 1


def _remedy(attempt: Attempt, chosen: Case, typed: str) -> int:
    """Judge what was typed; the cause has to be named before."""
    if not attempt.cause:
        raise UsageError("name the cause first: --cause NUMBER")
    result = attempt.judge(typed)
    _findings(result)
    if not result["counts"]:
        console.print(
            "The remedy was not checked, so it costs no move. Type the whole remedy again."
        )
        return 2
    if not result["solved"]:
        _score(attempt)
        console.print(
            "Not solved yet. The router is in its old state: type the whole remedy again."
        )
        return 1
    _end(attempt, chosen)
    return 0


def _findings(result: dict[str, Any]) -> None:
    """Show what was refused or changed nothing, and the checks of what was judged."""
    for line, why in result["refused"]:
        console.print("[yellow]refused[/]  ", end="")
        console.print(f"{line.strip()}: {why}.", markup=False, soft_wrap=True)
    for line, why in result["notes"]:
        console.print(f"note  {line.strip()}: {why}.", markup=False, soft_wrap=True)
    for finding in result["findings"] if result["counts"] else []:
        _finding(*finding)


def _finding(says: str, state: str, sentence: str, seen: str) -> None:
    console.print("[green]pass[/]  " if state == "pass" else "[red]fail[/]  ", end="")
    console.print(f"{says}: {sentence}", markup=False, soft_wrap=True)
    if state != "pass" and seen:
        shown = textwrap.indent(seen, "      ")
        console.print(shown, style="dim", markup=False, soft_wrap=True)


def _end(attempt: Attempt, chosen: Case) -> None:
    """The score, and why the remedy works."""
    console.print(f"Solved: {attempt.score['says']}", style="bold", markup=False)
    _debrief(chosen)


def _debrief(chosen: Case | Drill) -> None:
    _prose(chosen.debrief)
    if isinstance(chosen, Case) and chosen.after:
        console.print(chosen.after, markup=False, soft_wrap=True)
    for name in chosen.facts:
        fact = manual.fact(name)
        _say(f"{fact.says} [{fact.cited}]")
    _say(f"read on: book/{chosen.chapter}.md")


def _solve(attempt: Attempt, chosen: Case) -> int:
    """Show the cause and every remedy."""
    attempt.read_solution()
    console.print(f"{chosen.cause.text}.", markup=False, soft_wrap=True)
    _solutions(chosen)
    _debrief(chosen)
    return 0


def _solutions(chosen: Case | Drill) -> None:
    for number, solution in enumerate(chosen.solutions):
        _say("or:" if number else "the remedy:")
        console.print(textwrap.indent(solution.rstrip(), "  "), markup=False, soft_wrap=True)


def _talk(attempt: Attempt, chosen: Case) -> int:
    """Take commands at a terminal until it is solved or left; the exit code of the last one."""
    code = 0
    _say(WORDS)
    _say(FREE)
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
    if word == "remedy":
        if not attempt.cause:
            raise UsageError("name the cause first: cause NUMBER")
        return _remedy(attempt, chosen, _typed())
    if word == "cause" and rest:
        return _cause(attempt, chosen, rest)
    acts: dict[str, Any] = {
        "hint": lambda: _hint(attempt),
        "cause": lambda: _causes(attempt),
        "causes": lambda: _causes(attempt),
        "solve": lambda: _solve(attempt, chosen),
        "text": lambda: _show(attempt, chosen),
    }
    if line in acts:
        return acts[line]() or 0
    return _ask(attempt, line)


def _typed() -> str:
    """RouterOS commands up to an empty line, or the word done."""
    _say("Type RouterOS commands. An empty line or `done` ends them.")
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
