// An answer as a link, as a forum post and as a picture, and the page that such a link opens.
import { copyButton, englishPage, gettext, make } from "./element.js";
import { chosenOf, saving } from "./path.js";

const BEGINS = /^#(?=verdict=|for=)/;

/** A row of the panel: what it is, and the buttons for it. */
function row(title, ...parts) {
  return make("div", { class: "ppslab-share-row", role: "group", "aria-label": title }, make("strong", {}, title), ...parts);
}

/** The text of a post, and for each language of a forum a button that shows it and copies it. */
function shownPosts(posts, href) {
  const shown = make("pre", { class: "ppslab-scroll", tabindex: "0" });
  const whole = ({ text, link }) => `${text}\n\n${link.replace("{link}", () => href)}\n`;
  const buttons = posts.map((post) => {
    const show = () => { shown.textContent = whole(post); return shown; };
    const button = copyButton(gettext("Copy as {name}", { name: post.name }), whole(post), show);
    button.addEventListener("click", show);
    return button;
  });
  shown.textContent = whole(posts[0]);
  return row(gettext("Forum post"), ...buttons, shown);
}

/** The button, and the panel that it opens.  `again(inputs)`: the answer with these changed. */
function shownPanel(answer, again) {
  const href = `${location.href.split(/[?#]/)[0]}#${answer.share.fragment}`;
  const link = make("code", { tabindex: "0" }, href);
  const waits = make("p", { role: "status" }, gettext("Replacing names and addresses."));
  const panel = make("div", { class: "ppslab-share-panel" },
    make("p", {}, gettext("Nothing is sent. The link has the verdict, the rules by name and the path, and no line, name or address of your export.")),
    row(gettext("Link"), copyButton(gettext("Copy link"), href, () => link), link), waits);
  const details = make("details", { class: "ppslab-share" }, make("summary", {}, gettext("Share")), panel);
  let asked = false;
  details.addEventListener("toggle", async () => {
    if (!details.open || asked) return;
    asked = true;
    try {
      const { share, figures } = answer.share.posts.length ? answer : await again({ replace: true });
      const chosen = figures[chosenOf(answer.figures)];
      waits.textContent = gettext("In the post and in the picture, names, public addresses and hardware addresses are replaced.");
      panel.append(shownPosts(share.posts, href), ...(chosen ? [row(gettext("Picture"), ...saving(() => chosen.svg))] : []));
    } catch (error) {
      asked = false;
      console.error(error);
      waits.textContent = gettext("No post was made: {message}. Close this and open it again.", { message: error.message });
    }
  });
  return details;
}

function shownArrival({ chapter, address }) {
  // The site of another language has only some of the chapters.
  const paste = make("button", { type: "button", class: "ppslab-share-paste" }, gettext("Paste your export here"));
  paste.addEventListener("click", () => {
    const field = paste.closest(".ppslab-widget").querySelector(".ppslab-paste");
    field.focus();
    field.scrollIntoView({ block: "center" });
  });
  return make("section", { class: "ppslab-arrived" },
    make("p", {}, gettext("This link shows a type of answer, without the configuration that the answer is about. The answer for your own router may differ.")),
    make("p", {}, gettext("Chapter: "), make("a", { href: englishPage(address) }, chapter)),
    paste);
}

/** What an answer says of links; nothing outside of the site, where no address leads here. */
export function shownShare(answer, again) {
  if (englishPage("") === undefined) return [];
  const { share, shared } = answer;
  return [...(shared ? [shownArrival(shared)] : []), ...(share ? [shownPanel(answer, again)] : [])];
}

/** A control that nobody sees: the answer that the page's address names. */
export function fragment(control, id, put) {
  const arrived = () => (BEGINS.test(location.hash) ? location.hash.slice(1) : "");
  addEventListener("hashchange", () => { if (arrived()) put(arrived()); });
  return { element: make("div", { hidden: true }), show() {}, arrived };
}

/** A control that nobody sees: the test results that the reader pasted, by product code (web/src/results.js). */
export function results() {
  return { element: make("div", { hidden: true }), show() {}, kept: () => globalThis.ppslab.results?.published() ?? {} };
}
