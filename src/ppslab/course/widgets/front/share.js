// Links to answers, without the text that was asked about, and the page that such a link opens.
import { copyButton, gettext, make } from "./element.js";

const BEGINS = "#for=";

/** Copies a link, or shows its address as its text, to be copied by hand. */
function copyLink(link) {
  const selected = () => { link.textContent = link.href; return link; };
  return copyButton(gettext("Copy link"), link.href, selected,
    { "aria-label": gettext("Copy link: {link}", { link: link.textContent }) });
}

function shownLinks(links) {
  const page = location.href.split(/[?#]/)[0];
  const rows = links.map(({ says, fragment: named }) => {
    const link = make("a", { href: `${page}#${named}` }, says);
    return make("li", {}, link, copyLink(link));
  });
  return make("section", { class: "ppslab-share" },
    make("p", { class: "ppslab-share-title" }, gettext("Send an answer")),
    make("p", {}, gettext("The link contains only the type of the answer, and no part of your export: no line, name or address.")),
    make("ul", {}, ...rows));
}

function shownArrival({ chapter, address }, root) {
  // The site of another language lies in a folder of the English one, and has some of the chapters.
  const { lang } = document.documentElement;
  const english = !lang || lang === "en" ? "" : "../";
  const paste = make("button", { type: "button", class: "ppslab-share-paste" }, gettext("Paste your export here"));
  paste.addEventListener("click", () => {
    const field = paste.closest(".ppslab-widget").querySelector(".ppslab-paste");
    field.focus();
    field.scrollIntoView({ block: "center" });
  });
  return make("section", { class: "ppslab-share" },
    make("p", {}, gettext("This link shows a type of answer, without the configuration that the answer is about. The answer for your own router may differ.")),
    make("p", {}, gettext("Chapter: "), make("a", { href: root + english + address }, chapter)),
    paste);
}

/** What an answer says of links; nothing outside of the site, where no address leads here. */
export function shownShare({ share, shared }) {
  const root = document.documentElement.dataset.content_root;
  if (root === undefined) return [];
  return [...(shared ? [shownArrival(shared, root)] : []), ...(share?.length ? [shownLinks(share)] : [])];
}

/** A control that nobody sees: the answer that the page's address names. */
export function fragment(control, id, put) {
  const arrived = () => (location.hash.startsWith(BEGINS) ? location.hash.slice(1) : "");
  addEventListener("hashchange", () => { if (arrived()) put(arrived()); });
  return { element: make("div", { hidden: true }), show() {}, arrived };
}
