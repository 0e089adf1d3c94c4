"""The tasks in the page: the same judging and the same way, for nodes in an emulator.

The page holds a `Session` of a plan (ppslab.course.page_tasks) and of the reader's progress.  It
begins an action, does what it is asked, answers, and is asked again, all in JSON:

    {"do": "run", "on", "argv", "input", "env", "counted"}
                                                  [exit code, output, errors]; counted: on a clock
                                                  that goes by instructions
    {"do": "restore"}                             null: the nodes are as they were deployed
    {"do": "save", "state"}                       null: the progress is kept
    {"do": "now"}                                 seconds
    {"do": "wait", "seconds"}                     null
    {"do": "match", "source", "flags", "text"}    whether a RegExp of these is found in the text
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ppslab.course.tasks.engine import chip, judging
from ppslab.course.tasks.engine.judging import MATCH, NOW, RUN, SEND, WAIT, Steps
from ppslab.course.tasks.engine.way import BEGIN, RESTORE, SAVE, SOLVE, Way
from ppslab.model.switch_chip import filling

FIELDS = ("at", "run", "done", "solved", "hints", "failed")
"""Of the progress."""


class FailedError(Exception):
    """An action cannot be done, for the reason that the reader is told."""


class Told:
    """The keys of a dict as attributes."""

    def __init__(self, said: Any) -> None:
        for name in said:
            setattr(self, name, said[name])


class Session:
    """The tasks of a lab in the page, and how far the reader is."""

    def __init__(self, plan: Any, state: Any) -> None:
        self.plan = plan
        kept: Any = {"failed": {}}  # A progress of before checks had hints lacks it.
        kept.update(state)
        self.state: Any = Told(kept)
        self.tasks = {}
        self.expressions: Any = {}
        before = {}
        for task in plan["tasks"]:
            self.tasks[task["name"]] = task
            before[task["name"]] = task["before"]
            for check in task["checks"]:
                self.expressions.update(check["expressions"])
        self.way = Way([task["name"] for task in plan["tasks"]], before, self.state)

    def act(self, action: str, name: str, run: str, when: str) -> Steps:
        """Do what the reader asks for; `run` tells this router from any other, `when`: now."""
        task = self.tasks[name]
        if action in ("start", "reset"):
            told = yield from self._through(self.way.start(name, run, action == "reset"))
            return {"told": told}
        if action == "hint":
            number, hint = self.way.hint(name, task["hints"])
            yield self._save()
            return {"hint": hint, "number": number, "count": len(task["hints"])}
        if self.state.at != name or self.state.run != run:
            raise FailedError("This task was not started on this router: press Start.")
        if action == "check":
            return (yield from self._check(task, when))
        if action == "send":
            yield from self._follow()
            packets, arrived = yield from self._send(task["traffic"])
            return {"packets": packets, "arrived": arrived}
        yield from self._steps(task, action)
        if action == "solve":
            self.way.solved(name)
            yield self._save()
        return {"solution": task["solution"]}

    def _follow(self) -> Steps:
        """Do what a switch chip ahead of the router is set to do by now."""
        if self.plan["chip"] is None:
            return
        try:
            yield from self._through(chip.follow(self.plan["chip"]))
        except (chip.WrongSettingError, chip.RefusedError, filling.TooManyError) as error:
            raise FailedError(str(error)) from None

    def _check(self, task: Any, when: str) -> Steps:
        yield from self._follow()
        checks = [Told(check) for check in task["checks"]]
        try:
            found = yield from self._through(judging.every(checks, False))
        except judging.NoNumberError as error:
            command, said = error.args
            raise FailedError(f"`{command}` printed {said}, which is not a whole number") from None
        result = judging.worst([each[1] for each in found])
        first = self.way.passed(task["name"], result, when)
        self.way.failing(task["name"], judging.hint_of(checks, found))
        yield self._save()
        return {"findings": found, "result": result, "first": first, "next": self.way.next}

    def _through(self, steps: Steps) -> Steps:
        """Ask the page for what the steps ask for."""
        said = None
        while True:
            try:
                request = steps.send(said)
            except StopIteration as end:
                return end.value
            said = yield from self._asked(request)

    def _asked(self, request: Any) -> Steps:
        what = request[0]
        if what in (NOW, SAVE, WAIT, MATCH):
            return (yield self._plain(request))
        if what == RUN:
            check = request[1]
            argv = ["sh", "-c", check.run]
            return (yield self._run({"on": check.on, "argv": argv, "input": "", "env": {}}, False))
        if what == SEND:
            return (yield from self._send(request[1].traffic))
        if what == chip.TELL:
            return (yield self._run(self._told_to_router(request[1], request[2]), False))
        task = self.tasks[request[1]]
        if what != RESTORE:
            return (yield from self._steps(task, {BEGIN: "begin", SOLVE: "solve"}[what]))
        yield {"do": "restore"}
        if self.plan["chip"] is not None:
            # The nodes of the page share their files, and those stay.
            yield self._run(self._told_to_router(chip.FORGET, ""), False)
        condition = task["condition"]
        if condition:
            yield from self._told(self.plan["conditions"][condition], condition)
        return []

    def _plain(self, request: Any) -> Any:
        what = request[0]
        if what == SAVE:
            return self._save()
        if what == WAIT:
            return {"do": "wait", "seconds": request[1]}
        if what == MATCH:
            source, flags = self.expressions[request[1]]
            return {"do": "match", "source": source, "flags": flags, "text": request[2]}
        return {"do": "now"}

    def _send(self, job: Any) -> Steps:
        # However slow the reader's machine is, the router gets its packets at their rate.
        code, output, errors = yield self._run(job, True)
        if code:
            raise FailedError(judging.shortened(errors or output))
        counts = json.loads(output)
        # A wire that is down ends a trial at once, and a check may look for just that.
        return (counts["intended"] or job["packets"], counts["received"])

    def _steps(self, task: Any, what: str) -> Steps:
        yield from self._told(task[what], task["name"] + ", " + what)

    def _told(self, steps: Any, what: str) -> Steps:
        for step in steps:
            code, output, errors = yield self._run(step, False)
            if code:
                said = judging.shortened(errors or output) or f"exit code {code}"
                raise FailedError(f"{what}: {said}")

    def _run(self, step: Any, counted: bool) -> Any:
        asked: Any = {"do": "run", "counted": counted}
        for name in ("on", "argv", "input", "env"):
            asked[name] = step[name]
        return asked

    def _told_to_router(self, argv: Sequence[str], given: str) -> Any:
        return {"on": self.plan["router"], "argv": argv, "input": given, "env": {}}

    def _save(self) -> Any:
        state = {}
        for name in FIELDS:
            state[name] = getattr(self.state, name)
        return {"do": "save", "state": state}


class Talk:
    """A session as the page talks to it: text in, text out."""

    def __init__(self, plan: str, state: str) -> None:
        self.session = Session(json.loads(plan), json.loads(state))
        self.steps: Any = None

    def begin(self, action: str, name: str, run: str, when: str) -> str:
        """Begin an action; the first request, or its end."""
        self.steps = self.session.act(action, name, run, when)
        return self.go("null")

    def go(self, answer: str) -> str:
        """Answer the last request: {"ask": the next one}, {"done": what came of it}, {"failed"}."""
        try:
            return json.dumps({"ask": self.steps.send(json.loads(answer))})
        except StopIteration as end:
            return json.dumps({"done": end.value})
        except FailedError as error:
            return json.dumps({"failed": str(error)})
