"""What learners show of their terminals: agreement, bounds, its end; over HTTP, and in the page."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from pydantic import ValidationError

from ppslab_class import afterwards
from ppslab_class.board import Board, messages, screens
from ppslab_class.board.screens import BusyError, NotAgreedError, Screens, Sharing, Typing
from tests.course.models.both import NODE
from tests.ppslab_class.class_room import CONTENT, NOON, ClassRoom, batch, event

ROOT = Path(__file__).resolve().parents[2]
ONE, TWO = "agreement-1", "agreement-2"
SECRET = "a-word-that-only-the-screen-has"


def says(consent: str = ONE, **words: Any) -> Sharing:
    return Sharing(consent=consent, **{"see": True, **words})


def act(board: Board, **words: Any) -> None:
    board.act(messages.ACT.validate_python(words), NOON)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shown(clock: Clock) -> Screens:
    return Screens(clock)


def typed(text: str = "ls", key: str = "enter", seat: str = "seat-01") -> Typing:
    return Typing.model_validate({"seat": seat, "text": text, "key": key})


# --- the agreement --------------------------------------------------------------------------


def test_without_an_agreement_nobody_sees_and_nobody_types(shown: Screens) -> None:
    with pytest.raises(NotAgreedError):
        shown.watch("seat-01")
    shown.hear("seat-01", says(first=True))
    with pytest.raises(NotAgreedError):
        shown.type(typed())
    assert (shown.agreed("seat-01"), shown.agreed("seat-02")) == ("see", "")
    shown.hear("seat-01", says(type=True))
    assert shown.agreed("seat-01") == "type"
    assert shown.type(typed()) == 1


def test_the_end_of_an_agreement_takes_all_with_it(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.watch("seat-01")
    shown.hear("seat-01", says(type=True, text=SECRET))
    shown.type(typed(SECRET))
    shown.hear("seat-01", says(see=False))
    assert SECRET not in repr(vars(shown))
    # A request that was under way comes after the end.
    assert not shown.hear("seat-01", says(type=True)).agreed
    assert shown.agreed("seat-01") == ""
    assert shown.hear("seat-01", says(TWO, first=True)).keys == ()


def test_who_takes_back_the_right_to_type_gets_nothing_typed(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed())
    assert shown.hear("seat-01", says(type=False)).keys == ()
    assert shown.hear("seat-01", says(type=True)).keys == ()
    assert shown.watch("seat-01").lost == 1


def test_the_page_that_agreed_last_shows_the_seat(shown: Screens) -> None:
    shown.hear("seat-01", says(ONE, first=True))
    assert not shown.hear("seat-01", says(TWO)).agreed, "it did not agree just now"
    assert shown.hear("seat-01", says(TWO, first=True)).agreed
    assert not shown.hear("seat-01", says(ONE)).agreed
    shown.hear("seat-01", says(ONE, see=False))
    assert shown.agreed("seat-01") == "see", "another page's end ends nothing"


def test_a_page_that_says_nothing_agrees_to_nothing(shown: Screens, clock: Clock) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    clock.now += screens.SILENT_SECONDS + 1
    assert shown.agreed("seat-01") == ""
    with pytest.raises(NotAgreedError):
        shown.type(typed())
    assert shown.hear("seat-01", says(type=True)).agreed, "a minute without Wi-Fi ends nothing"


# --- typing -----------------------------------------------------------------------------------


def test_what_is_typed_comes_until_the_page_confirms_it(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed("ls"))
    assert shown.hear("seat-01", says(type=True)).watched, "who types looks"
    shown.type(typed("", "ctrl-c"))
    for _ in range(2):  # the answer was lost in the air
        answer = shown.hear("seat-01", says(type=True, typed=0))
        assert [(each.n, each.text, each.key) for each in answer.keys] == [
            (1, "ls", "enter"), (2, "", "ctrl-c")
        ]  # fmt: skip
    shown.hear("seat-02", says(first=True, type=True))
    assert shown.hear("seat-02", says(type=True)).keys == (), "what is typed at another seat"
    assert [each.n for each in shown.hear("seat-01", says(type=True, typed=1)).keys] == [2]
    assert shown.watch("seat-01").waiting == 1
    assert shown.hear("seat-01", says(type=True, typed=2)).keys == ()
    again = Screens(shown.clock)  # the server was started again
    again.hear("seat-01", says(type=True, typed=2))
    assert again.type(typed()) == 3, "the page would take a number that it knows for typed already"


def test_what_waited_too_long_is_not_typed(shown: Screens, clock: Clock) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    shown.type(typed())
    clock.now += screens.KEYS_SECONDS + 1
    assert shown.hear("seat-01", says(type=True)).keys == ()
    assert (shown.watch("seat-01").waiting, shown.watch("seat-01").lost) == (0, 1)


def test_no_more_waits_than_is_bounded(shown: Screens) -> None:
    shown.hear("seat-01", says(first=True, type=True))
    for _ in range(screens.MOST_WAITING):
        shown.type(typed())
    with pytest.raises(BusyError, match="seat-01"):
        shown.type(typed())


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "\x1b[2J"},
        {"text": "ls\n"},
        {"text": "x" * (screens.MOST_KEYS + 1)},
        {"key": "ctrl-d"},
        {"text": "", "key": ""},
        {"seat": "../x"},
        {"more": 1},
    ],
)
def test_only_printable_text_and_the_named_keys_are_typed(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Typing.model_validate({"seat": "seat-01", "text": "ls", "key": "enter", **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "x" * (screens.MOST_TEXT + 1)},
        {"text": "\x1b]0;title\x07"},
        {"text": "\x9b2J"},
        {"consent": "short"},
        {"typed": -1},
        {"seat": "seat-02"},
    ],
)
def test_a_screen_is_bounded_text(wrong: dict[str, Any]) -> None:
    fine = {"consent": ONE, "see": True, "text": "lab# ls\n\u2502 caf\u00e9"}
    assert Sharing.model_validate(fine).text == fine["text"]
    with pytest.raises(ValidationError):
        Sharing.model_validate({**fine, **wrong})


def test_reset_leaving_a_new_code_and_the_end_of_the_day_end_it(tmp_path: Path) -> None:
    board = Board(tmp_path)
    codes = board.set_up(1, "A day", None)
    life = 0

    def agree(consent: str) -> bool:
        return board.share("seat-01", says(consent, life=life, first=True)).agreed

    assert agree("agreement-a")
    act(board, do="reset", seat="seat-01")
    assert board.screens.agreed("seat-01") == ""
    assert not agree("agreement-b"), "the page of who sat there before"
    life = 1
    assert agree("agreement-c")
    _, token = board.join(codes["seat-01"], NOON)
    board.leave(token)
    assert board.screens.agreed("seat-01") == ""
    assert agree("agreement-d")
    board.new_code("seat-01")
    assert board.screens.agreed("seat-01") == ""
    assert agree("agreement-e")
    act(board, do="end", on=True)
    assert board.screens.agreed("seat-01") == ""
    assert not agree("agreement-f")
    act(board, do="end", on=False)
    assert not board.share("seat-01", says("agreement-e", life=1)).agreed, "the lesson had ended"
    board.close()


# --- over HTTP ---------------------------------------------------------------------------------


@pytest.fixture
def teacher(room: ClassRoom) -> httpx.Client:
    return room.client("instructor")


def share(client: httpx.Client, **words: Any) -> Any:
    told = {"consent": ONE, "see": True, **words}
    answer = client.post("/workshop/api/share", json=told)
    assert answer.status_code == 200, answer.text
    return answer.json()


def watch(client: httpx.Client, seat: str = "seat-01") -> httpx.Response:
    return client.get(f"/workshop/api/watch?seat={seat}")


def keys(client: httpx.Client, **words: Any) -> httpx.Response:
    told = {"seat": "seat-01", "text": SECRET, "key": "enter", **words}
    return client.post("/workshop/api/keys", json=told)


def test_the_instructor_sees_and_types_while_the_learner_agrees(
    room: ClassRoom, teacher: httpx.Client
) -> None:
    learner = room.client("seat-01")

    def offered() -> str:
        rows = teacher.get("/workshop/api/class").json()["seats"]
        return next(str(row["terminal"]) for row in rows if row["name"] == "seat-01")

    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("", 403, 403)
    share(learner, first=True)
    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("see", 200, 403)
    assert share(learner, text="lab# ")["watched"]
    assert watch(teacher).json()["text"] == "lab# "
    share(learner, type=True)
    for wrong in ({"text": "\x1b[2J"}, {"text": "x" * 500}, {"key": "ctrl-d"}):
        assert keys(teacher, **wrong).status_code == 400
    assert (offered(), keys(teacher).json()) == ("type", {"n": 1})
    assert share(learner, type=True)["keys"] == [{"n": 1, "text": SECRET, "key": "enter"}]
    share(learner, see=False)
    assert (offered(), watch(teacher).status_code, keys(teacher).status_code) == ("", 403, 403)


def test_a_seat_that_shows_too_often_waits(room: ClassRoom) -> None:
    learner = room.client("seat-01")
    told = {"consent": ONE, "see": True, "text": "x" * screens.MOST_TEXT}
    states = [
        learner.post("/workshop/api/share", json=told).status_code
        for _ in range(int(room.hall.shares.size) + 10)
    ]
    assert states[0] == 200 and 429 in states
    share(room.client("seat-02"))
    large = {**told, "text": "x" * (screens.MOST_TEXT + 1)}
    assert room.client("seat-03").post("/workshop/api/share", json=large).status_code == 400


def test_an_instructor_who_types_too_much_waits(room: ClassRoom, teacher: httpx.Client) -> None:
    share(room.client("seat-01"), first=True, type=True)
    states = [keys(teacher).status_code for _ in range(screens.MOST_WAITING + 10)]
    assert states[: screens.MOST_WAITING] == [200] * screens.MOST_WAITING and states[-1] == 429


def test_nothing_of_a_terminal_is_on_the_disk_or_in_the_report(
    room: ClassRoom, teacher: httpx.Client, tmp_path: Path
) -> None:
    learner = room.client("seat-01")
    learner.post("/workshop/api/events", json=batch(event("one", "at", "book/x")))
    share(learner, first=True, type=True)
    watch(teacher)
    share(learner, type=True, text=SECRET)
    assert SECRET in watch(teacher).text
    keys(teacher)
    assert SECRET in str(share(learner, type=True))
    board = Board(tmp_path)
    made = tmp_path / "afterwards"
    made.mkdir()
    assert afterwards.zips(board, made)
    report = afterwards.tasks_table(board, CONTENT).plain()
    board.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "board.sqlite" for path in files)
    held = [report.encode(), *(path.read_bytes() for path in files)]
    for path in files:
        if path.suffix == ".zip":
            with ZipFile(path) as packed:
                held += [packed.read(name) for name in packed.namelist()]
    for word in (SECRET, ONE):
        assert not any(word.encode() in each for each in held)


# --- in the page, by Node ----------------------------------------------------------------------

SHELLS = r"""
import { type, visible } from "SCRIPT";
const told = [];
globalThis.KeyboardEvent = class {
  constructor(kind, { key }) { Object.assign(this, { kind, key }); }
};
const lines = ["scrolled away", "lab# ls   ", "caf\u00e9", "lab# ", "", ""];
const lineAt = (at) => lines[at] === undefined ? undefined
  : { translateToString: (trim) => trim ? lines[at].trimEnd() : lines[at] };
const terminal = {
  rows: 5,
  modes: { applicationCursorKeysMode: false },
  buffer: { active: { viewportY: 1, getLine: lineAt } },
  input: (text) => told.push(text),
};
const input = {
  value: "/ip ",
  form: { requestSubmit: () => told.push(`entered ${input.value}`) },
  dispatchEvent: ({ kind, key }) => told.push(`${kind} ${key}`),
};
const log = { innerText: `${"y".repeat(5000)}\nthe end` };
const prompt = { textContent: "[lab] > " };
const shells = { model: undefined };
const router = { terminal, shells };
const linux = visible(router);
for (const key of ["enter", "", "ctrl-c", "up"]) type(router, { text: key ? "" : "ls", key });
terminal.modes.applicationCursorKeysMode = true;
type(router, { text: "", key: "left" });
type({ terminal, shells }, { text: "x", key: "tab" });
const there = told.splice(0);
shells.model = { log, prompt, input };
const model = visible(router);
type(router, { text: "rout", key: "backspace" });
type(router, { text: "te", key: "enter" });
type(router, { text: "", key: "up" });
type(router, { text: "", key: "ctrl-c" });
console.log(JSON.stringify({ linux, there, model, line: told, left: input.value }));
"""

SHARE = r"""
class Element {
  constructor() { Object.assign(this, { heard: {}, children: [] }); }
  addEventListener(kind, does) { this.heard[kind] = does; }
  setAttribute() {}
  append(...more) { this.children.push(...more); }
  replaceChildren() { this.children = []; }
  after() {}
  remove() {}
}
globalThis.document = { hidden: false };
let leave;
globalThis.addEventListener = (kind, does) => { leave = does; };
await import("SCRIPT");

const made = {};
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(new Element(), properties, { children });
  (made[properties.className ?? tag] ??= []).push(element);
  return element;
};
const posts = [];
let answers = [];
let screen = "lab# ";
const typed = [];
const ask = async (name, { consent, life, ...body }) => {
  posts.push({ ...body, banner: !banner.hidden });
  const answer = answers.shift() ?? {};
  if (answer.status) throw Object.assign(new Error("refused"), answer);
  return { agreed: true, watched: false, have: false, keys: [], ...answer };
};
let count = 0;
const newId = () => `consent-${count += 1}`;
const type = ({ text, key }) => typed.push(text + key);
const share = globalThis.ppslabShare({ beside: new Element(), visible: () => screen, type },
  { ask, now: () => {}, life: () => 0, make, newId });
const [see, write] = made.input;
const banner = made["ppslab-share-banner"][0];
const line = made["ppslab-share-line"][0];
const tick = (box, on) => { box.checked = on; box.heard.change(); };
const told = {};
const failures = [];
/** Poll until these answers are used up; what was posted meanwhile. */
const poll = async (name, ...next) => {
  answers = next;
  const before = posts.length;
  const failed = () => failures.push(name);
  for (let turn = 0; answers.length || !turn; turn += 1) await share.talk().catch(failed);
  told[name] = posts.slice(before);
};
const W = { watched: true };
const H = { watched: true, have: true };
const keys = (n) => ({ ...H, keys: [{ n, text: `ls${n}`, key: "enter" }] });
await poll("nobody agreed");
tick(see, true);
await poll("nobody looks", {});
await poll("somebody looks", W, H);
await poll("the same again", H);
screen = "a\u0000b\ud800c\r\nd";
await poll("changed", H);
await poll("the server was started again", W, H);
await poll("not allowed", keys(1));
tick(write, true);
await poll("allowed, and told twice", keys(2), keys(2));
document.hidden = true;
await poll("in the background", keys(3));
document.hidden = false;
await poll("nobody looks any more", {}, {});
await poll("too often", { status: 429 });
await poll("a dead network", { status: 503 });
tick(see, false);
await poll("taken back, in a dead network", { status: 500 });
await poll("taken back", {});
await poll("for good");
tick(see, true);
await poll("another page shows its own", { agreed: false });
const state = [see.checked, write.checked, write.disabled, banner.hidden];
const why = line.textContent;
await poll("then", {});
tick(see, true);
await poll("a screen that the board does not take", { status: 400 }, {});
const ended = !see.checked;
tick(see, true);
const before = posts.length;
leave();
told.left = posts.slice(before);
console.log(JSON.stringify({ told, typed, failures, state, why, ended, ticked: see.checked }));
"""


def asked(script: str, file: str) -> dict[str, Any]:
    script = script.replace("SCRIPT", str(ROOT / file))
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def test_a_screen_goes_only_while_it_is_agreed_watched_and_new() -> None:
    out = asked(SHARE, "packages/ppslab-class/src/ppslab_class/pages/share.js")
    told = out["told"]

    def texts(name: str) -> list[str | None]:
        return [each.get("text") for each in told[name]]

    assert told["nobody agreed"] == []
    assert texts("nobody looks") == [None] and told["nobody looks"][0]["first"]
    assert texts("somebody looks") == [None, "lab# "]
    assert [each["banner"] for each in told["somebody looks"]] == [False, True], "first the banner"
    assert texts("the same again") == [None]
    assert texts("changed") == ["a b?c\nd"]
    assert texts("the server was started again") == [None, "a b?c\nd"]
    assert out["typed"] == ["ls2enter"], "once, when it was allowed, and not in the background"
    assert texts("nobody looks any more") == [None, None]
    assert told["too often"][0]["typed"] == 2
    assert out["failures"] == ["a dead network", "taken back, in a dead network"]
    assert [each["see"] for each in told["taken back, in a dead network"]] == [False]
    assert [each["see"] for each in told["taken back"]] == [False], "until the board has heard it"
    assert told["for good"] == []
    assert told["another page shows its own"][0]["first"], "each agreement is a new one"
    assert not told["another page shows its own"][0]["type"]
    assert out["state"] == [False, False, True, True] and "no longer sees" in out["why"]
    assert [each["see"] for each in told["then"]] == [False]
    assert out["ended"], "else it would be sent again and again"
    assert [each["see"] for each in told["left"]] == [False], "who leaves the page ends it"
    assert not out["ticked"]


def test_the_shell_that_is_shown_is_seen_and_typed_into() -> None:
    told = asked(SHELLS, "web/src/router/page/shown.mjs")
    assert told["linux"] == "lab# ls\ncaf\u00e9\nlab#"
    assert told["there"] == ["\r", "ls", "\x03", "\x1b[A", "\x1bOD", "x\t"]
    assert told["model"].endswith("y\nthe end\n[lab] > /ip ") and len(told["model"]) < 5000
    assert told["line"] == ["entered /ip route", "keydown ArrowUp"] and told["left"] == ""
