"""Every page has a Content-Security-Policy, lives with it, and runs nothing that came otherwise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE
from tests.system.browser.conftest import toc_pages
from tests.system.browser.network import LAN_ADDRESS
from tests.system.browser.server import SUB_PATH

pytestmark = pytest.mark.browser

WHERE = ("a server", "a LAN, under a sub-path", "files")
ALL = ["address", "frame", "handler", "other", "script"]

# What would come with a record, were it not escaped: a script, a handler, and a script's address.
# It ends when each has run or was refused; the frame's script is refused in a document of its own,
# before that is loaded.
INJECT = f"""async () => {{
  const refused = [];
  document.addEventListener("securitypolicyviolation", e =>
    e.effectiveDirective.startsWith("script-src") && refused.push(e.effectiveDirective));
  const over = (element, ...events) => new Promise(done =>
    events.forEach(event => element.addEventListener(event, done)));
  globalThis.ran = [];
  const script = document.createElement("script");
  script.textContent = "globalThis.ran.push('script')";
  document.body.append(script);
  const place = document.createElement("div");
  document.body.append(place);
  place.innerHTML = `<img src="data:," onerror="globalThis.ran.push('handler')">`
    + `<a href="javascript:void globalThis.ran.push('address')">here</a>`
    + `<iframe srcdoc="<script>parent.ran.push('frame')<\\/script>"></iframe>`;
  const ends = [over(place.querySelector("img"), "error"),
                over(place.querySelector("iframe"), "load")];
  place.querySelector("a").click();
  const other = document.createElement("script");
  other.src = "data:text/javascript,globalThis.ran.push('other')";
  ends.push(over(other, "load", "error"));
  document.body.append(other);
  await Promise.all(ends);
  const here = () => refused.length + globalThis.ran.filter(each => each !== "frame").length;
  for (const end = performance.now() + {1000 * PATIENCE}; here() < {len(ALL) - 1};) {{
    if (performance.now() > end) throw new Error(`${{refused}} refused, ${{globalThis.ran}} ran`);
    await new Promise(done => setTimeout(done, 20));
  }}
  return globalThis.ran.sort();
}}"""


def addresses(site: str, folder: Path) -> dict[str, str]:
    return {
        "a server": site,
        "a LAN, under a sub-path": site.replace("127.0.0.1", LAN_ADDRESS) + SUB_PATH,
        "files": folder.as_uri(),
    }


# Before any script of a page: what the page's policy refused.
LISTEN = """globalThis.refused = [];
document.addEventListener("securitypolicyviolation", e =>
  refused.push([e.effectiveDirective, e.blockedURI, e.sample, e.sourceFile].join(" ")));"""

# What is loaded has run all its scripts, which are deferred; what was refused them is told by the
# time that the page is drawn anew.
DRAWN = """() => document.fonts.ready.then(() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))"""


def test_every_page_has_a_policy_first_of_all(site_folder: Path) -> None:
    """Sphinx's pages, ours, reports and JupyterLite's; before what it must rule."""
    found = sorted(site_folder.rglob("*.html"))
    assert len(found) > len(toc_pages())
    for page in found:
        text = page.read_text(encoding="utf-8")
        head = text[: text.index('<meta http-equiv="Content-Security-Policy"')]
        assert not re.search(r"<(script|style|link|body)\b", head), page
        assert text.encode().find(b"charset=") < 1024, "the encoding is where browsers look for it"
        said = re.findall(r'"Content-Security-Policy" content="([^"]*)"', text)
        assert len(said) == 1, page
        assert re.match("default-src '(none|self)';", said[0]), page
        assert not re.search(r"https?:|\*|\bfile:", said[0]), "no other host"
        scripts = re.search("script-src [^;]*", said[0])
        assert scripts is None or "'unsafe-inline'" not in scripts[0], page
        inside = page.relative_to(site_folder).parts[0]
        assert ("'unsafe-eval'" in said[0]) == (inside == "lite"), page


def of_each_kind(folder: Path, pages: list[str]) -> list[str]:
    """Two pages of each kind, by how deep they lie and what they load, and all with a widget.

    What a page has in itself is the same wherever the site lies; what it loads comes from there.
    """
    kinds: dict[object, list[str]] = {}
    for path in pages:
        text = (folder / path.partition("?")[0]).read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|iframe)\b[^>]*\bsrc="(?:\.\./)*([^"#?]*)', text)
        own = path if "ppslab-widget" in text else ""
        kinds.setdefault((path.count("/"), frozenset(loaded), own), []).append(path)
    return [path for alike in kinds.values() for path in alike[:2]]


# Whole pages of each kind come from the server in test_site.py, which takes a refusal for a fault.
@pytest.mark.parametrize("where", [pytest.param(WHERE[0], marks=pytest.mark.weekly), *WHERE[1:]])
def test_no_page_asks_for_what_its_policy_refuses(
    visit: Any, site: str, site_folder: Path, where: str
) -> None:
    page = visit("about:blank").page
    page.add_init_script(LISTEN)
    refused = {}
    every = [*toc_pages(), "search.html?q=fasttrack", "genindex.html"]
    pages = of_each_kind(site_folder, every)
    assert 10 < len(pages) < len(every) / 2, "some of each kind"
    for path in pages:
        page.goto(f"{addresses(site, site_folder)[where]}/{path}", wait_until="load")
        page.evaluate(DRAWN)
        if asked := page.evaluate("refused"):
            refused[path] = asked
    assert refused == {}


@pytest.mark.parametrize("where", WHERE)
def test_what_a_page_was_not_built_with_does_not_run(
    visit: Any, site: str, site_folder: Path, where: str
) -> None:
    seen = visit(f"{addresses(site, site_folder)[where]}/book/claims.html")
    assert seen.page.evaluate(INJECT) == []
    told = " ".join(seen.wrong)
    assert told.count("Content Security Policy") >= len(ALL)


def test_a_page_without_a_policy_would_run_it(
    visit: Any, site_folder: Path, tmp_path: Path
) -> None:
    """The same page but for that tag: what stops it above is the policy."""
    text = (site_folder / "book/claims.html").read_text(encoding="utf-8")
    bare, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert count == 1
    (tmp_path / "bare.html").write_text(bare, encoding="utf-8")
    assert visit(f"{tmp_path.as_uri()}/bare.html").page.evaluate(INJECT) == ALL
