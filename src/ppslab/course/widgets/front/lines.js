// `line 12` in the sentences of an answer: a link to that line of the text that it is about.
import { gettext, make } from "./element.js";
import { bringTo, listingIn } from "./listing.js";

/** Where a number of a line is no sentence's, or cannot be a link. */
const SKIPPED = "pre, svg, a, button, option, .ppslab-switched";

/** Makes `line 12` in the texts of an answer a link to that line of its listing; the first such line. */
export function linkLines(shown, ...texts) {
  const [before, after] = gettext("line {number}").split("{number}").map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\d])${before}(\\d+)(?!\\d)${after}`, "gu");
  const lines = new Map([...(listingIn(shown)?.children ?? [])].map((line) => [line.dataset.number, line]));
  let first;
  for (const text of texts) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest(SKIPPED)) nodes.push(walker.currentNode);
    }
    for (const node of nodes) {
      let end = 0;
      const parts = [];
      for (const match of node.data.matchAll(pattern)) {
        const line = lines.get(match[1]);
        if (!line) continue;
        first ??= line;
        parts.push(node.data.slice(end, match.index), linkTo(line, match[0]));
        end = match.index + match[0].length;
      }
      if (parts.length) node.replaceWith(...parts, node.data.slice(end));
    }
  }
  return first;
}

/** A link that lights its line, and goes there in the listing and, where that is out of sight, in the page. */
function linkTo(line, text) {
  line.id ||= `ppslab-line-${line.dataset.number}`;
  const link = make("a", { href: `#${line.id}` }, text);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const listing = line.parentElement;
    listing.querySelector(".ppslab-lit")?.classList.remove("ppslab-lit");
    line.classList.add("ppslab-lit");
    bringTo(listing, line);
    (line.querySelector("input") ?? listing).focus({ preventScroll: true });
    line.scrollIntoView({ block: "nearest" });
  });
  return link;
}
