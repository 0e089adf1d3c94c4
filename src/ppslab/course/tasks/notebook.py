"""A lab's tasks in a notebook: a list of them, and the command that begins them."""

from __future__ import annotations

from html import escape

from ppslab.course.tasks.reading import Tasks


class TasksPanel:
    """The tasks of a lab, as a notebook shows them."""

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.begin = f"ppslab task {tasks.lab.name} start"

    def __repr__(self) -> str:
        lines = [f"{self.tasks.lab.title}: {len(self.tasks.all)} tasks"]
        lines += [f"{task.name}: {task.title} ({task.minutes} minutes)" for task in self.tasks.all]
        return "\n".join([*lines, f"Begin: {self.begin}"])

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
            f"<p>Begin: <code>{escape(self.begin)}</code></p></div>"
        )
