// A text that an answer shows line by line, and the switches at its lines.
import { gettext, make } from "./element.js";

/** A text line by line: lines that decide are marked, lines taken as gone are struck out. */
export function shownListing({ listing, switches }, change) {
  const able = new Set(switches?.lines);
  const shown = listing.map(([number, text, mark]) => {
    const box = able.has(number) ? make("input", { type: "checkbox", checked: mark !== "gone", "data-line": number,
      "aria-label": gettext("Line {number} is there: {text}", { number, text }) }) : undefined;
    const line = `${String(number).padStart(5)} ${text}`;
    return make("span", { class: "ppslab-line", "data-number": number },
      make(box ? "label" : "span", {}, box), make({ gone: "del", decides: "mark" }[mark] ?? "span", {}, line), "\n");
  });
  const text = make("pre", { class: "ppslab-scroll ppslab-listing", tabindex: "0", role: "region",
    "aria-label": gettext("The text, line by line") }, ...shown);
  if (!switches) return text;
  // By the boxes, not by the answer: a reader may be faster than that.
  text.addEventListener("change", () => change({
    [switches.input]: [...text.querySelectorAll("input:not(:checked)")].map(({ dataset }) => dataset.line).join(" ") }));
  const gone = listing.some(([, , mark]) => mark === "gone");
  return make("div", { class: "ppslab-switched" }, text, allBack(switches, gone, change));
}

/** What is different without the lines that are taken as gone, and the button that brings them back. */
function allBack({ input, says }, gone, change) {
  const button = make("button", { type: "button", disabled: !gone }, gettext("All lines back"));
  button.addEventListener("click", () => change({ [input]: "" }));
  const said = says.length ? says : [gettext("Switch a line off to see the answer without it.")];
  return make("div", { class: "ppslab-all-back" }, make("div", {}, ...said.map((text) => make("p", {}, text))), button);
}

/** Pixels of a listing above the line that it is scrolled to. */
const ABOVE = 90;

/** Scrolls the listing alone, not the page. */
export function bringTo(listing, line) {
  listing.scrollTop += line.getBoundingClientRect().top - listing.getBoundingClientRect().top - ABOVE;
}

export const listingIn = (shown) => shown.querySelector(".ppslab-listing");

/** Scrolls to the line that an answer names first, or to the first that is marked. */
export function showFirst(shown, named) {
  const line = named ?? listingIn(shown)?.querySelector("mark");
  if (line) bringTo(listingIn(shown), line);
}

/** Where a reader is in a listing, and at its switches: brings them back there in the next answer, if it has one. */
export function placeOf(shown) {
  const old = listingIn(shown);
  if (!old) return () => false;
  const { scrollLeft: left, scrollTop: top } = old;
  const at = document.activeElement;
  const inside = Boolean(at.closest(".ppslab-switched")) && shown.contains(at);
  const same = () => shown.querySelector(`[data-line="${at.dataset.line}"]`) ?? listingIn(shown);
  const height = same().getBoundingClientRect().top;
  return () => {
    const listing = listingIn(shown);
    if (!listing) return false;
    Object.assign(listing, { scrollLeft: left, scrollTop: top });
    if (!inside) return true;
    same().focus({ preventScroll: true });
    // At once: a site that scrolls smoothly would show the reader another place first.
    scrollBy({ top: same().getBoundingClientRect().top - height, behavior: "instant" });
    return true;
  };
}
