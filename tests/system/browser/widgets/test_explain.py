"""An export dropped on the page: answered there, without a network, and its secrets nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.system.browser.visits import COVERED, until

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
FASTTRACKED = HOME.replace(HOME.splitlines(keepends=True)[ACCEPTED - 1], "")

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


SLOW = HOME.replace("action=fasttrack-connection ", "action=accept ")
COLOUR = """() => {
  const style = getComputedStyle(document.querySelector(".ppslab-verdict strong"));
  return [style.backgroundColor, getComputedStyle(
    document.querySelector(".ppslab-verdict strong"), "::before").content];
}"""


def test_a_page_opened_from_a_folder_answers(visit: Any, site_folder: Path) -> None:
    """With a worker or without one."""
    seen = visit(f"{site_folder.as_uri()}/{PAGE}")
    seen.page.evaluate(PASTE, HOME)
    until(seen.page, SHOWS, f"because of line {ACCEPTED}:")
    assert seen.wrong == []


def test_the_field_is_worked_by_keyboard_alone_and_keeps_nothing(alive: Any) -> None:
    """Letters are no exports: typing ends where the field is left."""
    alive.page.get_by_role("button", name="Change").press("Enter")
    field = alive.page.get_by_label("Your export, or paste it here")
    answers = alive.page.locator("main .ppslab-widget").first
    before = answers.get_attribute("data-answered")
    field.focus()
    alive.page.keyboard.type(HOME)
    assert field.input_value() == HOME
    assert answers.get_attribute("data-answered") == before
    alive.page.keyboard.press("Tab")
    until(alive.page, SHOWS, "7.16.1")
    assert "password=" in shown(alive)
    field.focus()
    alive.page.keyboard.press("Control+Z")
    assert field.input_value() == "", "undone, it is back"
    assert SECRET not in alive.page.evaluate(KEPT)
    assert alive.wrong == []


FOCUSED = "document.activeElement.name || document.activeElement.textContent"


PLACE = "document.querySelector('.ppslab-listing').scrollTop"


AXE = """async () => (await axe.run(document.querySelector("main .ppslab-widget"),
  {resultTypes: ["violations"]})).violations.map(one => `${one.id}: ${one.nodes[0].html}`)"""


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


REFUSED = [
    ("all.rsc", "add list=l1 x", 1_600_000, "all.rsc has 20.8 MB; this page reads at most 4"),
    ("a.backup", "\x88\xac\x00\x01", 9, "a.backup is not a text file."),
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


MARKED = "add action=fasttrack-connection"
"""A line of the export that is shown below what to do."""


def test_a_person_gets_from_the_front_page_to_the_remedy_and_its_chapter(
    visit: Any, site: str, tmp_path: Path
) -> None:
    """In three clicks."""
    page = visit(f"{site}/index.html").page
    page.locator("main").get_by_role("link", name="Which path do my packets take?").first.click()
    export = tmp_path / "mine.rsc"
    export.write_text(HOME, encoding="utf-8")
    page.get_by_label("Your export", exact=True).set_input_files(export)
    until(page, SHOWS, "LAN to WAN: FastTrack instead of slow path")
    said = page.locator("main").inner_text()
    assert said.index("instead of slow path") < said.index(MARKED), "what to do, then the export"
    page.locator("summary", has_text="Every kind of packet, with the sources").click()
    said = page.locator("main").inner_text()
    rule = "[find where chain=forward action={} !dynamic]"
    moved = f"move {rule.format('fasttrack-connection')} destination={rule.format('accept')}"
    assert f"/ip/firewall/filter/{moved}" in said
    assert "FastTrack (fast)" in said
    page.locator("main section li a[href='fasttrack/index.html']").last.click()
    page.wait_for_url("**/fasttrack/index.html")


SECRETS = ("sesame", "wg1", "joe", "198.18", "ether", "export.rsc", "serial", "203.0.113")
PUBLIC = HOME.replace("198.18.1.1/24", "203.0.113.1/24")


def opened(seen: Any) -> Any:
    """The panel of the answer, with its post."""
    panel = seen.page.locator(".ppslab-share")
    panel.locator("summary").click()
    panel.get_by_role("button", name="Copy as Markdown").wait_for()
    return panel


@pytest.mark.parametrize("page", [PAGE, "book/paste.html"])
def test_a_link_to_an_answer_holds_nothing_of_the_export_and_shows_the_answer_again(
    visit: Any, site: str, page: str
) -> None:
    mine = visit(f"{site}/{page}")
    mine.page.evaluate(PASTE, HOME)
    until(mine.page, SHOWS, "7.16.1")
    before = len(mine.asked)
    panel = opened(mine)
    address = panel.locator("code").inner_text()
    assert len(address) <= 1500
    assert [one for one in SECRETS if one in address] == []
    # What its link is, the page itself stays: nothing was asked of any server.
    assert len(mine.asked) == before and "#" not in mine.page.url
    theirs = visit(address)
    until(theirs.page, SHOWS, "RouterOS 7.16.1 on RB5009")
    assert theirs.page.locator(".ppslab-verdict").get_attribute("data-verdict") == "slow"
    assert theirs.page.locator(".explain-path svg").count() == 2
    # Who opens it is led to the chapter, and to the field.
    chapter = theirs.page.locator(".ppslab-arrived a").first
    assert visit(chapter.evaluate("a => a.href")).wrong == []
    theirs.page.get_by_role("button", name="Paste your export here").click()
    field = theirs.page.get_by_label("Your export, or paste it here")
    assert field.evaluate("field => field === document.activeElement")
    theirs.page.evaluate(PASTE, HOME.replace("7.16.1", "7.17"))
    until(theirs.page, SHOWS, "RouterOS 7.17")
    assert mine.wrong == theirs.wrong == []


def test_a_post_and_a_picture_show_no_name_and_no_public_address(alive: Any) -> None:
    page = alive.page
    page.evaluate(PASTE, PUBLIC)
    until(page, SHOWS, "7.16.1")
    panel = opened(alive)
    for name, mark in (("BBCode", "[b]Slow"), ("Markdown", "**Slow")):
        panel.get_by_role("button", name=f"Copy as {name}").click()
        post = panel.locator("pre").inner_text()
        assert mark in post and "#verdict=slow&" in post
        assert [one for one in SECRETS if one in post.replace("ether1", "")] == []
    with page.expect_download() as downloaded:
        panel.get_by_role("button", name="Save SVG").click()
    picture = Path(downloaded.value.path()).read_text(encoding="utf-8")
    assert picture.startswith("<svg") and "203.0.113" not in picture and "wg1" not in picture
    assert alive.wrong == []


@pytest.mark.parametrize("width", [390, 1280])
def test_an_answer_can_be_read_in_every_theme_and_is_not_told_by_colour_alone(
    alive: Any, node_modules: Path, width: int
) -> None:
    page, looks = alive.page, []
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate((node_modules / "axe-core/axe.min.js").read_text(encoding="utf-8"))
    for export, word in ((FASTTRACKED, "Fast"), (SLOW, "Slow")):
        page.evaluate(PASTE, export)
        page.locator(".ppslab-verdict strong", has_text=word).wait_for()
        looks.append(page.evaluate(COLOUR))
        if export == SLOW:
            opened(alive)
        for theme in ("light", "dark"):
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            assert page.evaluate(AXE) == [], (word, theme)
        page.evaluate("document.documentElement.dataset.theme = 'light'")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".ppslab-commands .ppslab-copy").count()
    assert page.evaluate(COVERED) == []
    fast, slow = looks
    assert fast[0] != slow[0] and fast[1] != slow[1]
    assert alive.wrong == []
