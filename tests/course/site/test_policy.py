"""The Content-Security-Policy of a page: its place, its hashes, and what the build refuses."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.course.site import policy
from ppslab.course.site.directives.frame import finish

FRAME = """<!DOCTYPE html>
<html lang="en"><head>
  <meta charset="utf-8">
  <script>theme()</script>
</head><body>
<button onclick="window.print()">Print</button>{article}
<script src="theme.js"></script><script type="application/json">{{"data": "<b>"}}</script>
</body></html>
"""


def hashed(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_what_a_browser_would_run_is_found_and_data_is_not() -> None:
    found = policy.Inline(FRAME.format(article="<svg><a ONLOAD='x &amp;&amp; y'/></svg>"))
    assert found.scripts == ["theme()"]
    assert found.handlers == ["window.print()", "x && y"]


def test_the_policy_stands_after_the_encoding_and_before_all_else_and_only_once() -> None:
    page = FRAME.format(article="")
    made = policy.with_policy(policy.with_policy(page, "old"), "new")
    assert made == page.replace(
        '<meta charset="utf-8">',
        '<meta charset="utf-8">\n    <meta http-equiv="Content-Security-Policy" content="new">',
    )


def test_handlers_are_hashed_as_such_and_nothing_is_unsafe_without_need() -> None:
    said = policy.policy(policy.PAGES, ["one", "one"], ["two"])
    scripts = next(part for part in said.split("; ") if part.startswith("script-src"))
    assert scripts == (
        f"script-src 'self' blob: 'wasm-unsafe-eval' {hashed('one')} "
        f"'unsafe-hashes' {hashed('two')}"
    )
    assert "'unsafe-hashes'" not in policy.policy(policy.PAGES, ["one"])


@pytest.fixture
def app(tmp_path: Path) -> Any:
    (tmp_path / "book").mkdir()
    (tmp_path / "search.html").write_text(FRAME.format(article=""), encoding="utf-8")
    return SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(name="html"))


@pytest.mark.parametrize("article", ["<script>bad()</script>", '<img src="x" onerror="bad()">'])
def test_what_came_with_a_page_s_content_has_no_hash_and_fails_the_build(
    app: Any, monkeypatch: pytest.MonkeyPatch, article: str
) -> None:
    said: list[str] = []
    warning = SimpleNamespace(warning=lambda text, *words, **_: said.append(text % words))
    monkeypatch.setattr(finish, "logger", warning)
    page = app.outdir / "book/page.html"
    page.write_text(FRAME.format(article=article), encoding="utf-8")
    finish.guard(app, None)
    (warning,) = said
    assert "book/page.html" in warning and "bad()" in warning
    text = page.read_text(encoding="utf-8")
    assert hashed("theme()") in text
    assert hashed("window.print()") in text
    assert hashed("bad()") not in text


def test_a_page_of_the_frame_s_scripts_alone_is_no_news_and_is_written_once(
    app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finish, "logger", None)
    page = app.outdir / "book/page.html"
    page.write_text(FRAME.format(article="<p>Text</p>"), encoding="utf-8")
    finish.guard(app, None)
    before = page.stat().st_mtime_ns
    finish.guard(app, None)
    assert page.stat().st_mtime_ns == before
