"""What no page's policy lets in, and where pages are."""

from __future__ import annotations

from pathlib import Path

from tests.support.waiting import PATIENCE
from tests.system.browser.network import LAN_ADDRESS
from tests.system.browser.server import SUB_PATH

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
