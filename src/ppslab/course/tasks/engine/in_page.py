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
    {"do": "type", "text"}                        sentences: why RouterOS commands were refused
    {"do": "rows", "menu"}                        the rows of a menu, as RouterOS's model has it

A task is begun in Linux's words or in RouterOS's, those of the shell that the reader types in, and
is checked in the words in which it was begun.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ppslab.course.tasks.engine import chip, judging, rows
from ppslab.course.tasks.engine.judging import MATCH, NOW, RUN, SEND, WAIT, Steps
from ppslab.course.tasks.engine.rows import ROWS
from ppslab.course.tasks.engine.way import BEGIN, RESTORE, SAVE, SOLVE, Way
from ppslab.model.switch_chip import filling

FIELDS = ("at", "run", "words", "done", "solved", "hints", "failed")
"""Of the progress."""

LINUX, ROUTEROS = "linux", "routeros"


class FailedError(Exception):
    """An action cannot be done, for the reason that the reader is told."""


class Told:
    """What a dict says, as attributes."""

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
        ways: Any = {LINUX: ([], {}), ROUTEROS: ([], {})}
        for task in plan["tasks"]:
            name = task["name"]
            self.tasks[name] = task
            for words in ways:
                side = self._side(task, words)
                if side is None:
                    continue
                names, before = ways[words]
                names.append(name)
                before[name] = side["before"]
                for check in side["checks"]:
                    self.expressions.update(check["expressions"])
        self.ways = {}
        for words in ways:
            self.ways[words] = Way(ways[words][0], ways[words][1], self.state)

    @property
    def way(self) -> Way:
        """The tasks in the words in which the last one was begun."""
        return self.ways[self.state.words]

    def _side(self, task: Any, words: str) -> Any:
        """A task in some words; None where it cannot be done in them."""
        if words == LINUX:
            return task
        side = task.get(ROUTEROS)
        return side if side and "why" not in side else None

    def _begun(self, task: Any) -> Any:
        """A task in the words in which the last one was begun."""
        return self._side(task, self.state.words) or task

    def act(self, action: str, name: str, run: str, when: str, words: str = LINUX) -> Steps:
        """Do what the reader asks for; `run` tells this router from any other, `when`: now.

        `words`: those of the shell that the reader types in.
        """
        task = self.tasks[name]
        if action in ("start", "reset"):
            return (yield from self._start(task, run, words, action == "reset"))
        if action == "hint":
            side = self._side(task, words) or task
            number, hint = self.way.hint(name, side["hints"])
            yield self._save()
            return {"hint": hint, "number": number, "count": len(side["hints"])}
        if self.state.at != name or self.state.run != run:
            raise FailedError("This task was not started on this router: press Start.")
        if action == "check":
            return (yield from self._check(task, when))
        return (yield from self._does(task, action))

    def _start(self, task: Any, run: str, words: str, anew: bool) -> Steps:
        """Begin a task in the reader's words, or in Linux's where it has no others."""
        name = task["name"]
        if anew and self.state.at == name and self.state.run == run:
            words = self.state.words
        if self._side(task, words) is None:
            words = LINUX
        anew = anew or words != self.state.words
        self.state.words = words
        told = yield from self._through(self.way.start(name, run, anew))
        why = task.get(ROUTEROS, {}).get("why", "")
        return {"told": told, "words": words, "why": why}

    def _does(self, task: Any, action: str) -> Steps:
        if action == "send":
            yield from self._follow()
            packets, arrived = yield from self._send(task["traffic"])
            return {"packets": packets, "arrived": arrived}
        yield from self._steps(task, action)
        if action == "solve":
            self.way.solved(task["name"])
            yield self._save()
        return {"solution": self._begun(task)["solution"]}

    def _follow(self) -> Steps:
        """Where a switch chip stands ahead of the router: do what its settings say by now."""
        if self.plan["chip"] is None:
            return
        try:
            yield from self._through(chip.follow(self.plan["chip"]))
        except (chip.WrongSettingError, chip.RefusedError, filling.TooManyError) as error:
            raise FailedError(str(error)) from None

    def _check(self, task: Any, when: str) -> Steps:
        yield from self._follow()
        checks = [Told(check) for check in self._begun(task)["checks"]]
        one = judging.linux if self.state.words == LINUX else _routeros
        try:
            found = yield from self._through(judging.every(checks, one, False))
        except judging.NoNumberError as error:
            command, said = error.args
            raise FailedError(f"`{command}` printed {said}, which is not a whole number") from None
        except ValueError as error:
            raise FailedError(str(error)) from None
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

    def _asked(self, request: Any) -> Steps:  # noqa: PLR0911  (a way out for each kind)
        what = request[0]
        if what in (NOW, SAVE, WAIT, MATCH):
            return (yield self._plain(request))
        if what == RUN:
            check = request[1]
            argv = ["sh", "-c", check.run]
            return (yield self._run({"on": check.on, "argv": argv, "input": "", "env": {}}, False))
        if what == SEND:
            return (yield from self._send(request[1].traffic))
        if what == ROWS:
            return (yield {"do": "rows", "menu": request[1].menu})
        if what == chip.TELL:
            return (yield self._run(self._told_to_router(request[1], request[2]), False))
        task = self.tasks[request[1]]
        if what != RESTORE:
            return (yield from self._steps(task, {BEGIN: "begin", SOLVE: "solve"}[what]))
        yield {"do": "restore"}
        if self.plan["chip"] is not None:
            # The nodes of the page share their files, and those stay.
            yield self._run(self._told_to_router(chip.FORGET, ""), False)
        condition = self._begun(task)["condition"]
        if self.state.words == ROUTEROS:
            yield from self._type(condition, task["name"])
        elif condition:
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
        if self.state.words == ROUTEROS:
            yield from self._type(self._begun(task)[what], task["name"] + ", " + what)
        else:
            yield from self._told(task[what], task["name"] + ", " + what)

    def _type(self, text: str, what: str) -> Steps:
        if text.strip("/ \n"):
            for why in (yield {"do": "type", "text": text}):
                raise FailedError(what + ": " + why)

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


def _routeros(check: Any, patient: bool) -> Steps:
    """The finding of a check of RouterOS's rows."""

    def once() -> Steps:
        before = yield from _total(check)
        packets, _ = yield (SEND, check)
        return ((yield from _total(check)) - before, packets)

    def look() -> Steps:
        if check.grows:
            return (yield from judging.grown(check, once))
        there = yield (ROWS, check)
        return (yield from rows.look(check, there, rows.typed_alike))

    return (yield from judging.examine(check, look, patient))


def _total(check: Any) -> Steps:
    there = yield (ROWS, check)
    return (yield from rows.total(check, there, rows.typed_alike))


class Talk:
    """A session as the page talks to it: text in, text out."""

    def __init__(self, plan: str, state: str) -> None:
        self.session = Session(json.loads(plan), json.loads(state))
        self.steps: Any = None

    def begin(self, action: str, name: str, run: str, when: str, words: str = LINUX) -> str:
        """Begin an action; the first request, or its end."""
        self.steps = self.session.act(action, name, run, when, words)
        return self.go("null")

    def go(self, answer: str) -> str:
        """Answer the last request: {"ask": the next one}, {"done": what came of it}, {"failed"}."""
        try:
            return json.dumps({"ask": self.steps.send(json.loads(answer))})
        except StopIteration as end:
            return json.dumps({"done": end.value})
        except FailedError as error:
            return json.dumps({"failed": str(error)})
