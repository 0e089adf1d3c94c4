"""An export dropped on the page: answered there, without a network, and its secrets nowhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.system.browser.pace import slower
from tests.system.browser.visits import until

pytestmark = pytest.mark.browser

PAGE = "book/explain.html"
SECRET = "sesame-4711"
HOME = f"""\
# 2026-11-20 10:00:00 by RouterOS 7.16.1
# model = RB5009UG+S+
# serial number = {SECRET}-serial
/interface list
add name=WAN
/interface wireguard
add name=wg1 private-key="{SECRET}-key="
/interface list member
add interface=ether1 list=WAN
/ip address
add address=198.18.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=fasttrack-connection chain=forward connection-state=established,related
/ip firewall nat
add action=masquerade chain=srcnat out-interface-list=WAN
/ppp secret
add name=joe password="{SECRET}-password"
"""
ACCEPTED = HOME.splitlines().index(
    "add action=accept chain=forward connection-state=established,related"
) + 1  # fmt: skip
LONG = HOME + "/ip firewall address-list\n" + "".join(
    f"add address=198.18.{number // 250}.{number % 250} list=l{number % 7}\n"
    for number in range(5000)
)  # fmt: skip
SECONDS = 2.0

PASTE = """text => {
  const field = document.querySelector("main textarea");
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  field.focus();
  field.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""
SHOWS = "text => document.querySelector('main').innerText.includes(text)"
KEPT = """() => [
  document.documentElement.outerHTML,
  document.documentElement.innerText,
  JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie,
  location.href, document.title,
  ...[...document.querySelectorAll("input, textarea")].map((field) => field.value),
].join("\\n")"""


@pytest.fixture
def alive(visit: Any, site: str) -> Any:
    """The page, with a model that has answered once, and cut off from every network since."""
    seen = visit(f"{site}/{PAGE}")
    seen.page.get_by_role("button", name="A home router").click()
    until(seen.page, SHOWS, "LAN to WAN")
    seen.page.context.set_offline(True)
    return seen


def shown(seen: Any) -> str:
    return str(seen.page.locator("main").inner_text())


def test_it_names_the_line_that_decides_without_a_network(alive: Any) -> None:
    alive.page.evaluate(PASTE, HOME)
    until(alive.page, SHOWS, "7.16.1")
    assert "slow path" in shown(alive)
    assert f"because of line {ACCEPTED}:" in shown(alive)
    alive.page.get_by_label("What if these lines were gone?").fill(str(ACCEPTED))
    alive.page.keyboard.press("Tab")
    until(alive.page, SHOWS, "LAN to WAN: FastTrack, fast")
    assert alive.wrong == []


def test_a_secret_is_nowhere(alive: Any) -> None:
    alive.page.evaluate(PASTE, HOME)
    until(alive.page, SHOWS, "7.16.1")
    assert SECRET in HOME and "password=" in shown(alive)
    assert SECRET not in alive.page.evaluate(KEPT)


@pytest.mark.parametrize("way", ["typed", "pasted"])
def test_the_field_is_worked_by_keyboard_alone_and_keeps_nothing(alive: Any, way: str) -> None:
    """Letters are no exports: typing ends where the field is left, Ctrl+V hands over at once."""
    field = alive.page.get_by_label("Your export, or paste it here")
    answers = alive.page.locator("main .ppslab-widget").first
    before = answers.get_attribute("data-answered")
    field.focus()
    alive.page.keyboard.type(HOME)
    assert field.input_value() == HOME
    assert answers.get_attribute("data-answered") == before
    if way == "typed":
        alive.page.keyboard.press("Tab")
    else:
        for keys in ("Control+A", "Control+X", "Control+V"):
            alive.page.keyboard.press(keys)
    until(alive.page, SHOWS, "7.16.1")
    if way == "typed":  # What readers cut themselves, they may bring back.
        field.focus()
        alive.page.keyboard.press("Control+Z")
        assert field.input_value() == "", "undone, it is back"
    assert SECRET not in alive.page.evaluate(KEPT)
    assert alive.wrong == []


SAID = "with all lines: slow path (not fast)"
BACK = "text => !document.querySelector('main').innerText.includes(text)"
AXE = """async () => (await axe.run(document.querySelector("main .ppslab-widget"),
  {resultTypes: ["violations"]})).violations.map(one => `${one.id}: ${one.nodes[0].html}`)"""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_line_is_switched_off_at_its_place_by_keyboard_and_what_changed_is_said(
    alive: Any, node_modules: Path, width: int
) -> None:
    page = alive.page
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(PASTE, HOME)
    until(page, SHOWS, "7.16.1")
    switch = page.get_by_role("checkbox", name=f"Line {ACCEPTED} is there")
    # The site scrolls smoothly; where the switch is must not change by that.
    switch.evaluate("box => box.scrollIntoView({block: 'center', behavior: 'instant'})")
    switch.focus()
    before = switch.bounding_box()
    page.keyboard.press("Space")
    until(page, SHOWS, SAID)
    assert not switch.is_checked()
    # The reader is where they were, with the answer in sight and the switch not below it.
    assert page.evaluate("document.activeElement.dataset.line") == str(ACCEPTED)
    assert abs(switch.bounding_box()["y"] - before["y"]) < 2
    said = page.locator(".ppslab-all-back").bounding_box()
    assert before["y"] + before["height"] <= said["y"]
    assert said["y"] + said["height"] <= 900
    assert page.get_by_label("What if these lines were gone?").input_value() == str(ACCEPTED)
    page.evaluate((node_modules / "axe-core/axe.min.js").read_text(encoding="utf-8"))
    assert page.evaluate(AXE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="All lines back").press("Enter")
    until(page, BACK, SAID)
    assert switch.is_checked()
    assert SECRET not in page.evaluate(KEPT)
    assert alive.wrong == []


def test_switches_thrown_faster_than_the_answer_all_count(alive: Any) -> None:
    alive.page.evaluate(PASTE, HOME)
    until(alive.page, SHOWS, "7.16.1")
    lines = (ACCEPTED, ACCEPTED + 1)
    alive.page.evaluate(
        "lines => lines.forEach(n => document.querySelector(`[data-line='${n}']`).click())", lines
    )
    until(alive.page, SHOWS, f"Without line {lines[0]}, line {lines[1]}")


def test_another_export_begins_with_all_its_lines(alive: Any) -> None:
    alive.page.evaluate(PASTE, HOME)
    until(alive.page, SHOWS, "7.16.1")
    alive.page.get_by_role("checkbox", name=f"Line {ACCEPTED} is there").uncheck()
    until(alive.page, SHOWS, SAID)
    alive.page.evaluate(PASTE, HOME.replace("7.16.1", "7.17"))
    until(alive.page, SHOWS, "7.17")
    assert SAID not in shown(alive)
    assert alive.page.get_by_label("What if these lines were gone?").input_value() == ""


@pytest.mark.timed(why="a reader waits for the answer to a long export by the clock")
def test_five_thousand_lines_take_two_seconds(alive: Any) -> None:
    times = slower(alive.page)
    began = time.monotonic()
    alive.page.evaluate(PASTE, LONG)
    until(alive.page, SHOWS, "7.16.1")
    assert time.monotonic() - began < SECONDS * times


DROP = """([name, text, most]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text.repeat(most ?? 1)], name));
  document.body.dispatchEvent(
    new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""
SEEN = """text => [...document.querySelectorAll("main p")].some((p) => {
  const { top, bottom } = p.getBoundingClientRect();
  return p.innerText.includes(text) && top >= 0 && bottom <= innerHeight;
})"""
"""Whether a paragraph with this text is on the screen, whole."""


@pytest.mark.parametrize(("width", "motion"), [(390, "reduce"), (1280, "no-preference")])
@pytest.mark.parametrize("way", ["dropped on the front page", "dropped", "pasted", "example"])
def test_the_answer_to_an_export_comes_into_view(
    visit: Any, site: str, way: str, motion: str, width: int
) -> None:
    front = way == "dropped on the front page"
    seen = visit(f"{site}/{'index.html' if front else PAGE}", width=width)
    page = seen.page
    page.emulate_media(reduced_motion=motion)
    if way == "example":
        page.get_by_role("button", name="A home router").click()
    else:
        page.evaluate(*((PASTE, HOME) if way == "pasted" else (DROP, ["home.rsc", HOME])))
    if front:
        page.wait_for_url(f"**/{PAGE}")
    until(page, SEEN, "LAN to WAN: ")
    # Tab goes on from there, and not from the field that is above the screen now.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.ppslab-answer') !== null")
    assert seen.wrong == []


def test_who_has_gone_to_another_field_stays_there(alive: Any) -> None:
    """An answer to what was typed comes when its field is left, and the reader with it."""
    page = alive.page
    page.get_by_label("Your export, or paste it here").focus()
    page.keyboard.insert_text("/ip settings set allow-fast-path=no")
    page.get_by_label("One packet, rule by rule").click()
    before = page.evaluate("scrollY")
    until(page, SHOWS, "version unknown")
    assert page.evaluate("document.activeElement.name") == "packet"
    assert page.evaluate("scrollY") == before


LARGE = ("all.rsc", "add list=l1 x", 1_600_000, "all.rsc has 20.8 MB; this page reads at most 4")
BACKUP = ("a.backup", "\x88\xac\x00\x01", 9, "a.backup is not a text file.")
REFUSED = [
    LARGE,
    BACKUP,
    ("offer.pdf", "%PDF-1.4\n\ufffd", 1, "offer.pdf is not a text file."),
    ("mine.rsc", "", 1, "mine.rsc is empty."),
    ("letter.txt", "Dear all", 1, "No RouterOS command found"),
]


def test_a_file_that_is_no_export_is_refused_in_a_sentence(alive: Any) -> None:
    for name, text, most, why in REFUSED:
        alive.page.evaluate(PASTE, HOME)
        until(alive.page, SHOWS, "7.16.1")
        assert why not in shown(alive)
        alive.page.evaluate(DROP, [name, text, most])
        until(alive.page, SEEN, why)
        assert "7.16.1" not in shown(alive)
    assert alive.wrong == []


AT_ONCE = """arguments => new MutationObserver((_, observer) => {
  observer.disconnect();
  setTimeout(() => (%s)(arguments), 20);
}).observe(document.querySelector("main .ppslab-widget"), { attributeFilter: ["data-answered"] })"""
"""Drops a file while the page still scrolls to the answer to another."""


def test_a_refusal_stays_in_view_though_the_page_was_scrolling_to_an_answer(alive: Any) -> None:
    page = alive.page
    scrolled = "new Promise(over => setTimeout(over, 1500))"
    page.evaluate(scrolled)
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    page.evaluate(AT_ONCE % DROP, list(LARGE[:3]))
    page.evaluate(PASTE, HOME)
    until(page, SHOWS, LARGE[3])
    page.evaluate(scrolled)
    assert page.evaluate(SEEN, LARGE[3])
    assert alive.wrong == []


@pytest.mark.parametrize(("name", "text", "most", "why"), [LARGE, BACKUP])
def test_what_the_front_page_cannot_hand_over_is_refused_too(
    visit: Any, site: str, name: str, text: str, most: int, why: str
) -> None:
    seen = visit(f"{site}/index.html")
    seen.page.evaluate(DROP, [name, text, most])
    seen.page.wait_for_url(f"**/{PAGE}")
    until(seen.page, SEEN, why)
    assert seen.wrong == []


def test_a_command_is_copied(alive: Any) -> None:
    alive.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    alive.page.get_by_role("button", name="An accept rule before the FastTrack rule").click()
    copy = alive.page.get_by_role("button", name="Copy", exact=True).first
    command = copy.locator("xpath=preceding-sibling::pre").inner_text()
    copy.click()
    alive.page.get_by_role("button", name="Copied").wait_for()
    assert alive.page.evaluate("navigator.clipboard.readText()") == command


def test_the_page_may_ask_nobody(visit: Any, site: str, site_folder: Path) -> None:
    policy = (site_folder / PAGE).read_text(encoding="utf-8")
    assert "connect-src blob:;" in policy
    seen = visit(f"{site}/{PAGE}")
    asked = seen.page.evaluate("fetch(location.href).then(() => 'answered', () => 'refused')")
    assert asked == "refused"


MARKED = "add action=fasttrack-connection"
"""A line of the export that is shown below what to do."""
CLICKS = 4
"""Front page, example or file, chapter: and one to spare."""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("way", ["example", "file"])
def test_a_person_gets_from_the_front_page_to_the_remedy_and_its_chapter(
    visit: Any, site: str, tmp_path: Path, width: int, way: str
) -> None:
    seen = visit(f"{site}/index.html")
    page = seen.page
    page.set_viewport_size({"width": width, "height": 900})
    clicks = 1
    page.locator("main").get_by_role("link", name="Which path do my packets take?").first.click()
    if way == "example":
        page.get_by_role("button", name="An accept rule before the FastTrack rule").click()
    else:
        export = tmp_path / "mine.rsc"
        export.write_text(HOME, encoding="utf-8")
        page.get_by_label("Your export", exact=True).set_input_files(export)
    clicks += 1
    until(page, SHOWS, "LAN to WAN: FastTrack instead of slow path")
    said = shown(seen)
    assert said.index("instead of slow path") < said.index(MARKED), "what to do, then the export"
    page.locator("summary", has_text="Every kind of packet, with the sources").click()
    said = shown(seen)
    rule = "[find where chain=forward action={} !dynamic]"
    moved = f"move {rule.format('fasttrack-connection')} destination={rule.format('accept')}"
    assert f"/ip/firewall/filter/{moved}" in said
    assert "FastTrack (fast)" in said
    # Nothing is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("main section li a[href='fasttrack/index.html']").last.click()
    clicks += 1
    page.wait_for_url("**/fasttrack/index.html")
    assert clicks <= CLICKS


SHARED = ".ppslab-share li a"


@pytest.mark.parametrize("page", [PAGE, "book/paste.html"])
def test_a_link_to_an_answer_holds_nothing_of_the_export_and_shows_the_answer_again(
    visit: Any, site: str, page: str
) -> None:
    mine = visit(f"{site}/{page}")
    mine.page.evaluate(PASTE, HOME)
    until(mine.page, SHOWS, "7.16.1")
    links = mine.page.locator(SHARED)
    addresses = links.evaluate_all("all => all.map(a => a.href)")
    secrets = ("sesame", "wg1", "joe", "198.18", "ether", "WAN", "export.rsc", "serial")
    assert len(addresses) > 3
    assert [one for one in secrets if one in "".join(addresses)] == []
    said = links.nth(0).inner_text()
    theirs = visit(addresses[0])
    until(theirs.page, SHOWS, said)
    assert "RouterOS 7.16.1 on RB5009" in shown(theirs)
    until(theirs.page, SEEN, said)
    # Who opens it is led to the chapter, and to the field.
    chapter = theirs.page.locator(".ppslab-share a").first
    assert visit(chapter.evaluate("a => a.href")).wrong == []
    theirs.page.get_by_role("button", name="Paste your export here").click()
    field = theirs.page.get_by_label("Your export, or paste it here")
    assert field.evaluate("field => field === document.activeElement")
    theirs.page.evaluate(PASTE, HOME.replace("7.16.1", "7.17"))
    until(theirs.page, SHOWS, "RouterOS 7.17")
    assert mine.wrong == theirs.wrong == []


def test_a_link_with_strange_words_shows_the_page_as_it_is(visit: Any, site: str) -> None:
    seen = visit(f"{site}/{PAGE}#for=<img src=x onerror=alert(1)>&answer=no&path=slow")
    until(seen.page, SHOWS, "Drop or paste an export here")
    assert seen.page.locator(".ppslab-share").count() == 0
    assert seen.wrong == []
