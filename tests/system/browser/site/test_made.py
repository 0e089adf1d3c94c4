"""What made a number is one small sign, which opens without a script, by keyboard and on paper."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.browser.pages import with_widgets

pytestmark = pytest.mark.browser

SIGN = "details.ppslab-made"
MARK = "a.ppslab-made-at"
"""In the caption of what a sign above it is of."""
MEASURED = "book/fastpath/measured.html"
FACTS = 8
"""At least so many are behind a sign: router, kernel, interval and others."""


def test_the_sign_opens_by_keyboard_where_no_script_runs(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{site}/{MEASURED}")
        sign = page.locator(SIGN).first
        facts = sign.locator("dd").first
        assert not facts.is_visible()
        sign.locator("summary").focus()
        page.keyboard.press("Enter")
        assert facts.is_visible()
        assert sign.locator("dt").count() >= FACTS
        page.keyboard.press("Space")
        assert not facts.is_visible()
    finally:
        context.close()


def test_a_mark_opens_the_sign_of_its_run_where_no_script_runs(browser: Any, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{site}/{MEASURED}")
        facts = page.locator(SIGN).first.locator("dd").first
        assert not facts.is_visible()
        page.locator(MARK).first.focus()
        page.keyboard.press("Enter")
        facts.wait_for(state="visible")
    finally:
        context.close()


def test_on_paper_every_sign_is_open(visit: Any, site: str) -> None:
    page = visit(f"{site}/{MEASURED}").page
    page.emulate_media(media="print")
    facts = page.locator(f"{SIGN} dd")
    assert facts.count() > FACTS
    assert all(each.is_visible() for each in facts.all())


def test_figures_tables_and_widgets_have_the_same_sign(visit: Any, site: str) -> None:
    page = visit(f"{site}/{MEASURED}").page
    for owner in ("figure.ppslab-figure", ".ppslab-scroll:has(table.ppslab-table)"):
        signed = f"{owner} {SIGN}, {owner} {MARK}, {owner} ~ {SIGN}"
        assert page.locator(signed).count() > 0, owner
    page.goto(f"{site}/{with_widgets()['nanoseconds']}")
    widget = page.locator("[data-widget='nanoseconds'][data-ready]")
    widget.wait_for()
    sign = widget.locator(SIGN).first
    sign.locator("summary").click()
    assert sign.locator("dt").count() >= FACTS
