"""A lab's tasks in a notebook: buttons for start, check, hint, solve and reset, and their answers.

Without a kernel (a page, a recorded run) the same is a list of the tasks and the commands to type.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from ppslab.core.errors import PpslabError
from ppslab.course.notebook.progress import with_fields
from ppslab.course.tasks.checks import Finding
from ppslab.course.tasks.reading import Tasks
from ppslab.course.tasks.schema import Task
from ppslab.course.tasks.testbeds import Where
from ppslab.course.tasks.walking import Checked, Walk

BUTTONS = (
    ("start", "Begin this task: the lab is brought into the state before it"),
    ("check", "Check whether the task is done"),
    ("hint", "The next hint"),
    ("send", "Send the task's packets once"),
    ("solve", "Have it solved for you, and see how"),
    ("reset", "The lab as the task found it"),
)


class TasksPanel:
    """The tasks of a lab, as a notebook shows them; `walk` does what the buttons ask for."""

    def __init__(self, tasks: Tasks, backend: str = "auto") -> None:
        self.tasks = tasks
        self.walk = Walk(tasks, Where(backend))

    def __repr__(self) -> str:
        lines = [f"{self.tasks.lab.title}: {len(self.tasks.all)} tasks"]
        lines += [f"{task.name}: {task.title} ({task.minutes} minutes)" for task in self.tasks.all]
        return "\n".join([*lines, f"Begin: {self.walk.command('start')}"])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(task.name)}</code></td><td>{escape(task.title)}</td>"
            f"<td>{task.minutes}</td></tr>"
            for task in self.tasks.all
        )
        return (
            '<div class="ppslab"><div class="ppslab-scroll" tabindex="0" role="region" '
            f'aria-label="Tasks"><table class="ppslab-table"><caption>Tasks of '
            f"{escape(self.tasks.lab.title)}</caption><thead><tr>"
            '<th scope="col">task</th><th scope="col">what</th><th scope="col">minutes</th>'
            f"</tr></thead><tbody>{rows}</tbody></table></div>"
            f"<p>Begin: <code>{escape(self.walk.command('start'))}</code></p></div>"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """In a live notebook the buttons; elsewhere the list."""
        del include, exclude
        return with_fields(self, self.widget)

    def widget(self) -> Any:
        """The buttons, a choice of tasks, and the place for the answers."""
        from ipywidgets import HTML, Button, Dropdown, HBox, VBox  # noqa: PLC0415

        options = [(f"{n}. {task.title}", task.name) for n, task in enumerate(self.tasks.all, 1)]
        following = self.walk.next or self.tasks.all[0]
        choice = Dropdown(
            options=options,
            value=self.walk.state.at or following.name,
            description="Task",
            layout={"width": "32em"},
        )
        text, said = HTML(), HTML()
        said.add_class("ppslab-task-said")

        def shown(_: object = None) -> None:
            text.value = self.text(self.tasks.task(choice.value))

        def pressed(action: str) -> Callable[[Any], None]:
            def act(button: Any) -> None:
                button.disabled = True
                said.value = f"<p>{escape(action)} ...</p>"
                try:
                    said.value = self.act(action, choice.value)
                finally:
                    button.disabled = False

            return act

        choice.observe(shown, names="value")
        shown()
        buttons = []
        for action, tooltip in BUTTONS:
            button = Button(description=action, tooltip=tooltip, layout={"width": "6em"})
            button.on_click(pressed(action))
            buttons.append(button)
        return VBox([choice, text, HBox(buttons, layout={"flex_flow": "row wrap"}), said])

    def text(self, task: Task) -> str:
        """Text of a task, as HTML."""
        paragraphs = "".join(
            f"<p>{escape(' '.join(part.split()))}</p>" for part in task.whole_text.split("\n\n")
        )
        return f'<div class="ppslab">{paragraphs}</div>'

    def act(self, action: str, name: str) -> str:
        """Do what a button asks for; returns the outcome as HTML, errors included."""
        acts: dict[str, Callable[[], list[str]]] = {
            "start": lambda: self._told(self.walk.start(name)),
            "check": lambda: self._checked(self.walk.check(name)),
            "hint": lambda: [self._hint(name)],
            "send": lambda: [str(self.walk.send(name))],
            "solve": lambda: self._solved(self.walk.solve(name)),
            "reset": lambda: self._told(self.walk.reset(name)),
        }
        try:
            lines = [escape(line) for line in acts[action]()]
        except PpslabError as error:
            lines = [f"<strong>{escape(str(error))}</strong>"]
        return f'<div class="ppslab" aria-live="polite"><p>{"<br>".join(lines)}</p></div>'

    def _told(self, started: tuple[Task, list[str]]) -> list[str]:
        task, told = started
        router = self.tasks.lab.spec.router
        sit = f"At the router: ppslab shell {self.tasks.lab.name} {router}"
        return [f"{task.title}: started.", *told, sit]

    def _checked(self, checked: Checked) -> list[str]:
        lines = [_line(finding) for finding in checked.findings]
        return [*lines, "Not yet." if checked.exit_code == 1 else "Done."]

    def _hint(self, name: str) -> str:
        number, count, hint = self.walk.hint(name)
        return f"Hint {number} of {count}: {hint}" if number else f"On that check: {hint}"

    def _solved(self, task: Task) -> list[str]:
        lines = ["Done:"]
        for node, text in self.tasks.solution(task):
            lines += [f"{node}: {line}" for line in text.splitlines()]
        return lines


def _line(finding: Finding) -> str:
    seen = f" ({finding.shown})" if finding.shown and finding.state != "pass" else ""
    return f"{finding.state}: {finding.says}: {finding.said}{seen}"
