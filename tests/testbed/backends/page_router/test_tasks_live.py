"""Tasks in RouterOS's words on this machine's kernel: Linux takes every line, and its answers fit.

A task that FastTrack belongs to needs flowtables, which not every kernel has; in the page all of
them are proved (tests/system/browser/router).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

import pytest

from ppslab.course.tasks.engine import judging, rows
from ppslab.course.tasks.engine.in_page import Told
from ppslab.model.packet_path.on_linux import menu_rows
from ppslab.model.packet_path.on_linux.session import Session
from tests.testbed.backends.page_router.test_tasks import IN_ROUTEROS, Page

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["unshare", "nft", "tc", "ip"])),
        reason="namespaces are root's here",
    ),
]

HAS = {
    "flow add @": "nft add table ip a; nft add flowtable ip a f '{ hook ingress priority 0; "
    "devices = { lo }; }'",
    "fq_codel": "tc qdisc add dev lo root fq_codel",
    "sfq": "tc qdisc add dev lo root sfq",
    " fw classid": "tc qdisc add dev lo root handle 1: htb; tc filter add dev lo parent 1: "
    "protocol ip prio 1 handle 1 fw classid 1:1",
}
"""Words of a script that need a module, and what shows whether it is here."""

DEVICES = """for n in 1 2 3; do
    ip link add eth$n type veth peer name x$n; ip link set eth$n up; ip link set x$n up
done
"""


def done(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["unshare", "--net", "sh", "-ec", script], capture_output=True, text=True, check=False
    )


def states(name: str, task: str) -> list[tuple[str, str, Session]]:
    """What a task comes to before it is done, solved and got wrong: shell lines from the start."""
    page = Page(name)
    (found,) = [each for each in page.plan["tasks"] if each["name"] == task]
    others = {each["name"]: each["routeros"] for each in page.plan["tasks"]}
    side = found["routeros"]
    texts = [side["condition"]]
    texts += [others[each][part] for each in side["before"] for part in ("begin", "solve")]
    session, lines, made = Session(page.ports), [DEVICES], []
    for text in texts:
        lines += session.take(text).script
    for part, wanted in (("begin", "fail"), ("solve", "pass"), ("blunder", "fail")):
        taken = session.take(side[part])
        assert taken.refused == []
        lines += taken.script
        copy = Session(page.ports)
        copy._begin(session.commands)
        made.append((wanted, "\n".join(lines), copy))
    return made


def fits(checks: list[Any], script: str, session: Session) -> str:
    """Whether rows are as the checks want them, with what Linux answers."""
    ports = session.ports()
    asks = [menu_rows.asks(check["menu"], ports) or ":" for check in checks]
    asked = done(script + "\n" + "\n".join(f"echo @@@@; {each}" for each in asks))
    assert asked.returncode == 0, f"{script}\n{asked.stderr}"
    good = True
    for check, said in zip(checks, asked.stdout.split("@@@@\n")[1:], strict=True):
        there = menu_rows.rows(check["menu"], said, session.rows, ports)
        found, _ = judging.play(
            rows.look(Told(check), there, rows.typed_alike),
            lambda ask: re.search(ask[1], ask[2], re.MULTILINE) is not None,
        )
        good = good and (found or bool(check["grows"]))
    return "pass" if good else "fail"


@pytest.mark.parametrize(
    ("name", "task"), [(name, task) for name in IN_ROUTEROS for task in sorted(IN_ROUTEROS[name])]
)
def test_linux_takes_what_a_task_types(name: str, task: str) -> None:
    every = states(name, task)
    for word, tries in HAS.items():
        if any(word in script for _, script, _ in every) and done(tries).returncode:
            pytest.skip(f"this kernel has no {word}")
    page = Page(name)
    (found,) = [each for each in page.plan["tasks"] if each["name"] == task]
    for wanted, script, session in every:
        assert fits(found["routeros"]["checks"], script, session) == wanted
