"""`ppslab task LAB`: exercises on a live lab, one after the other; `ppslab progress`: those done.

Exit codes of `check`: 0 pass; 1 fail; 2 nothing to check.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import typer
from rich.markdown import Markdown
from rich.rule import Rule
from rich.table import Table

from ppslab.cli.printing import console
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import echo
from ppslab.course.learning import progress_file
from ppslab.course.learning.progress_file import Progress
from ppslab.course.tasks import reading, state
from ppslab.course.tasks.checks import Finding
from ppslab.course.tasks.schema import Task
from ppslab.course.tasks.testbeds import Where
from ppslab.course.tasks.walking import Checked, Walk
from ppslab.model.lab import lab

ACTIONS = ("next", "list", "show", "start", "check", "hint", "solve", "send", "reset", "end")

MARKS = {"pass": "[green]pass[/]", "fail": "[red]fail[/]"}


def task(
    name: str = typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it."),
    action: str = typer.Argument(
        "next",
        metavar="[ACTION]",
        help="next, list, show, start, check, hint, solve, send, reset or end.",
    ),
    which: str | None = typer.Argument(
        None, metavar="[TASK]", help="The task; default: the one that you started last."
    ),
    to: str | None = typer.Option(
        None, "--to", metavar="TASK", help="Bring the lab into the state before this task."
    ),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
) -> None:
    """Work through the tasks of a lab: start, check, hint, solve, reset."""
    if action not in ACTIONS:
        near = did_you_mean(action, ACTIONS)
        raise UsageError(f"no action {action!r}{near}; the actions are {', '.join(ACTIONS)}")
    walk = Walk(reading.load(lab.find(name)), Where(backend, say=_say))
    if to is not None:
        if action not in ("next", "start"):
            raise UsageError(
                f"--to starts at a task: use --to with start or alone, not with {action}"
            )
        _start(walk, to, anew=True)
        return
    acts: dict[str, Callable[[], int | None]] = {
        "next": lambda: _next(walk),
        "list": lambda: _list(walk),
        "show": lambda: _show(walk, walk.task(which)),
        "start": lambda: _start(walk, which),
        "check": lambda: _check(walk.check(which), walk),
        "hint": lambda: _hint(walk, which),
        "solve": lambda: _solve(walk, which),
        "send": lambda: _send(walk, which),
        "reset": lambda: _reset(walk, which),
        "end": lambda: _end(walk),
    }
    code = acts[action]()
    if code:
        raise typer.Exit(code)


def _say(text: str) -> None:
    console.print(text, style="dim", markup=False)


def _list(walk: Walk) -> None:
    """The tasks in their order, and how far the learner has come."""
    tasks = walk.tasks
    shown = Table(title=f"Tasks of {tasks.lab.title}")
    for column in ("task", "title", "minutes", "done"):
        shown.add_column(column)
    for each in tasks.all:
        done = walk.state.done.get(each.name, "")[:10]
        solved = " (solved)" if done and each.name in walk.state.solved else ""
        here = "started" if each.name == walk.state.at and not done else ""
        shown.add_row(each.name, each.title, str(each.minutes), done + solved or here or "-")
    console.print(shown)
    following = walk.next
    console.print(
        f"next: {_command(walk, 'start', following)}" if following else "all tasks are done",
        markup=False,
    )


def _show(walk: Walk, task: Task) -> None:
    number = [each.name for each in walk.tasks.all].index(task.name) + 1
    title = f"{number} of {len(walk.tasks.all)}: {task.title}"
    console.print(Rule(title, align="left"), width=console.prose_width)
    console.print(Markdown(task.whole_text), width=console.prose_width)
    words = walk.tasks.lab.spec
    sit = f"ppslab shell {walk.tasks.lab.name} {words.router}"
    console.print(f"at the router: {sit}", style="dim", markup=False)
    if task.traffic:
        console.print(f"packets: {_command(walk, 'send')}", style="dim", markup=False)
    console.print(f"then: {_command(walk, 'check')}", style="dim", markup=False)


def _send(walk: Walk, name: str | None) -> None:
    console.print(str(walk.send(name)))


def _start(walk: Walk, name: str | None, *, anew: bool = False) -> None:
    task, sentences = walk.start(name, anew=anew)
    for sentence in sentences:
        _say(sentence)
    _show(walk, task)


def _reset(walk: Walk, name: str | None) -> None:
    task, sentences = walk.reset(name)
    for sentence in sentences:
        _say(sentence)
    console.print(f"{task.name} is in its initial state again", markup=False)


def _end(walk: Walk) -> None:
    for sentence in walk.end():
        _say(sentence)
    console.print("ended; your progress is kept")


def _hint(walk: Walk, name: str | None) -> None:
    number, count, hint = walk.hint(name)
    title = f"hint {number} of {count}:" if number else "hint for the failed check:"
    console.print(title, style="dim")
    console.print(Markdown(hint), width=console.prose_width)


def _solve(walk: Walk, name: str | None) -> None:
    """Do it, and show what was done."""
    task = walk.solve(name)
    for place, text in walk.tasks.solution(task):
        console.print(f"on {place}:", style="dim", markup=False)
        console.print(textwrap.indent(text.rstrip(), "  "), markup=False, soft_wrap=True)
    console.print(f"done; look at the solution, then: {_command(walk, 'check')}", markup=False)


def _check(checked: Checked, walk: Walk) -> int:
    for finding in checked.findings:
        _finding(finding)
    if checked.exit_code == 1:
        console.print(f"not solved yet; for a hint: {_command(walk, 'hint')}", markup=False)
        return 1
    following = walk.next
    then = f"next: {_command(walk, 'start', following)}" if following else "all tasks are done"
    console.print(f"{checked.task.title}: done. {then}", markup=False)
    return checked.exit_code


def _finding(finding: Finding) -> None:
    console.print(f"{MARKS[finding.state]}  ", end="")
    console.print(f"{finding.says}: {finding.said}", markup=False, soft_wrap=True)
    if finding.state != "pass" and finding.shown:
        shown = textwrap.indent(finding.shown, "      ")
        console.print(shown, style="dim", markup=False, soft_wrap=True)


def _next(walk: Walk) -> None:
    """Show the open task, on a lab that stands; else start the next, or list what is done."""
    if walk.state.at and walk.state.at not in walk.state.done:
        if walk.stands():
            _show(walk, walk.task(None))
        else:
            _start(walk, walk.state.at)
    elif walk.next:
        _start(walk, None)
    else:
        _list(walk)


def _command(walk: Walk, action: str, task: Task | None = None) -> str:
    return walk.command(action + (f" {task.name}" if task else ""))


def show_progress(
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write {progress_file.NAME} to this file, for import on the site's progress page.",
    ),
) -> None:
    """Show the tasks that you solved and the runs that you made on this machine.

    If the file exists, its entries are kept: for example, an export from the site.
    """
    found = progress_file.collect(state.finished())
    if output is None:
        echo("\n".join(_lines(found)))
        return
    if output.is_dir():
        raise UsageError(f"--output {output}: this is a folder; name a file")
    if output.exists():
        found = progress_file.merged(found, progress_file.load(output))
    progress_file.save(found, output)
    things = f"{plural(len(found.done), 'thing')} done"
    echo(f"{output}: {things}, your own figures of {plural(len(found.figures), 'run')}")


def _lines(progress: Progress) -> list[str]:
    tasks = {name: time for name, time in progress.done.items() if "/task/" in name}
    lines = [f"{plural(len(tasks), 'task')} solved"]
    lines += [f"  {time[:10]}  {name.replace('/task/', ': ')}" for name, time in tasks.items()]
    lines.append(f"{plural(len(progress.figures), 'run')} of your own")
    for figure in progress.figures:
        lines.append(f"  {figure.started[:10]}  {figure.title}")
        lines += [f"    {name}: {value}" for name, value in figure.rows]
    lines.append(
        f"ppslab progress --output {progress_file.NAME} writes a file for the progress page."
    )
    return lines
