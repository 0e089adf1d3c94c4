"""tasks.yml: what is wrong with it is told with its line, in words that help."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.core.errors import FileError, UsageError
from ppslab.course.tasks import reading
from ppslab.course.tasks.checks import Finding, findings, verdict
from ppslab.course.tasks.engine import judging
from ppslab.course.tasks.schema import LinuxCheck
from ppslab.model.lab import lab

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = (ROOT / "labs/_template/tasks.yml").read_text(encoding="utf-8")


def tasks_with(folder: Path, text: str) -> reading.Tasks:
    copy = folder / "labs/mylab"
    shutil.copytree(ROOT / "labs/_template", copy)
    (copy / "tasks.yml").write_text(text, encoding="utf-8")
    return reading.load(lab.load(copy))


def test_a_lab_without_tasks_says_so(tmp_path: Path) -> None:
    copy = tmp_path / "labs/mylab"
    shutil.copytree(ROOT / "labs/_template", copy)
    (copy / "tasks.yml").unlink()
    with pytest.raises(UsageError, match="mylab"):
        reading.load(lab.load(copy))


def test_a_check_that_sends_needs_traffic(tmp_path: Path) -> None:
    lines = [line for line in TEMPLATE.splitlines() if "traffic: {" not in line]
    with pytest.raises(FileError, match="`traffic`"):
        tasks_with(tmp_path, "\n".join(lines))


def test_what_stands_before_a_task_begins_at_the_last_condition(tmp_path: Path) -> None:
    one = TEMPLATE[TEMPLATE.index("  - name: count-packets") :]
    more = "".join(
        one.replace("name: count-packets", f"name: {name}", 1).replace(
            "    minutes: 4", f"    minutes: 4\n{begin}", 1
        )
        for name, begin in (("two", ""), ("three", "    begin: one-rule\n"), ("four", ""))
    )
    tasks = tasks_with(tmp_path, TEMPLATE + more)
    befores = [[each.name for each in tasks.before(task)] for task in tasks.all]
    assert befores == [[], ["count-packets"], [], ["three"]]
    conditions = [tasks.condition(task) for task in tasks.all]
    assert conditions == ["plain", "plain", "one-rule", "one-rule"]
    assert tasks.needs == {"nft"}
    with pytest.raises(UsageError, match=r"'fore'.*four"):
        tasks.task("fore")


def check_with(**words: object) -> LinuxCheck:
    plain = {"says": "What is looked at", "pass": "It is as wanted.", "run": "true"}
    return LinuxCheck.model_validate({**plain, **words})


def found_of(check: LinuxCheck, look: Callable[[], tuple[bool, str]]) -> Finding:
    """What a check comes to; `look`: whether its command succeeds, and what that prints."""

    def run(_: LinuxCheck) -> tuple[int, str, str]:
        good, seen = look()
        return int(not good), seen, ""

    (found,) = findings([check], {judging.RUN: run})
    return found


def test_one_check_that_fails_is_a_task_that_fails() -> None:
    good = found_of(check_with(fail="It is not as wanted."), lambda: (True, "what"))
    bad = found_of(check_with(fail="It is not as wanted."), lambda: (False, "what"))
    assert (good.said, bad.said) == ("It is as wanted.", "It is not as wanted.")
    assert verdict([good, bad, good]) == "fail"
    assert verdict([good]) == "pass"


def test_what_may_come_true_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ppslab.course.tasks.engine.judging.PAUSE", 0.01)
    looks = iter([False, False, True])
    late = check_with(fail="It is not as wanted.", within=5.0)
    assert found_of(late, lambda: (next(looks), "")).state == "pass"
    at_once = check_with(fail="It is not as wanted.")
    assert found_of(at_once, lambda: (False, "")).state == "fail"


def test_shares_of_what_was_sent() -> None:
    assert [judging.of_share("all", n, 200) for n in (189, 190, 200)] == [False, True, True]
    assert [judging.of_share("none", n, 200) for n in (0, 10, 11)] == [True, True, False]
    assert [judging.of_share("some", n, 200) for n in (0, 1)] == [False, True]
    assert not judging.of_share("all", 0, 0)


def test_only_what_nearly_came_is_sent_again() -> None:
    def counts(*numbers: int) -> tuple[int, int]:
        left = list(numbers)

        def once() -> judging.Steps:
            return ((yield judging.SEND), 200)

        result = judging.play(judging.send_until("all", once), lambda _: left.pop(0))
        return result[0], len(numbers) - len(left)

    assert counts(200) == (200, 1)
    assert counts(150, 199) == (199, 2)
    assert counts(150, 150, 150, 200) == (150, 3), "so often at most"
    assert counts(20, 200) == (20, 1), "what hardly comes does not come"
