"""Cases: a slow router that prints what it is asked, and the judging of what is typed to fix it.

A case is the data of a file of course.practice (`plain` there).  Everything here is a function of a
case and of what the learner did so far, which the page keeps.

A move is a command that the router answers, a wrong cause, a remedy that is not yet one, or a
hint.  A command that was asked before, or that has no answer here, costs nothing.
"""

from __future__ import annotations

from typing import Any

from ppslab.course.models.cases.asking import ask, recorded, spelled
from ppslab.course.models.cases.checks import HARMED, HARMLESS, cause, causes, judge, score

__all__ = ("HARMED", "HARMLESS", "answer", "ask", "cause", "causes", "judge", "recorded", "score",
           "spelled")  # fmt: skip


def answer(inputs: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """For a page: `ask`, `cause`, `judge` or `score` of a case by its name.

    Inputs: `case`, `do`, and `text`, what was typed; for a score its numbers.  Facts: `base`,
    `cases`, `properties`.
    """
    case = facts["cases"].get(inputs["case"])
    if case is None:
        return {"problem": {"input": "case", "says": "There is no such case."}}
    if inputs["do"] == "score":
        return score(case, inputs["asked"], inputs["hints"], inputs["wrong"], inputs["read"])
    if inputs["do"] == "judge":
        return judge(case, inputs["text"], facts["base"], facts.get("properties"))
    if inputs["do"] == "cause":
        try:
            return cause(case, inputs["text"])
        except ValueError as error:
            return {"problem": {"input": "text", "says": str(error)}}
    return ask(case, inputs["text"])
