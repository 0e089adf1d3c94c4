// A model's answer as the page shows it.
import { copyButton, englishPage, gettext, make } from "./element.js";
import { shownListing } from "./listing.js";
import { shownPaths } from "./path.js";
import { shownShare } from "./share.js";

/** Copies the commands before it. */
function copier(text) {
  const button = copyButton(gettext("Copy"), text, () => button.previousSibling);
  return button;
}

/** A table; `copies`: its rows begin with commands that can be copied; `folds`: its title unfolds it;
 * `pages`: the address of the page about what each row begins with, or "". */
export function shownTable({ folds, ...table }) {
  if (folds) return shownFolded([table.title, [table]]);
  const { title, header, rows, copies, pages } = table;
  // A row that is about no line has no header.
  const cells = (row, page) => row.map((text, index) => {
    if (index || text === "") return make("td", {}, text);
    const href = page && englishPage(page);
    if (href) return make("th", { scope: "row" }, make("a", { href }, text));
    return make("th", { scope: "row" },
      ...(copies && text.startsWith("/") ? [make("span", {}, text), copier(text)] : [text]));
  });
  return make("div", { class: "ppslab-scroll", tabindex: "0", role: "region", "aria-label": title },
    make("table", { class: "ppslab-table" },
      make("caption", {}, title),
      make("thead", {}, make("tr", {}, ...header.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.map((row, index) => make("tr", {}, ...cells(row, pages?.[index]))))));
}

function shownFigure({ title, svg }) {
  const figure = make("figure", { class: "ppslab-drawing" });
  // Made by ppslab.course.models.drawing, which escapes every text in it.
  figure.innerHTML = svg;
  figure.append(make("figcaption", {}, title));
  return figure;
}

/** What made the numbers: badges that unfold, as ppslab.core.provenance.html writes them. */
function shownMade({ badges, parts }) {
  const marks = badges.map(([kind, label]) =>
    make("span", { class: `ppslab-origin ppslab-origin-${kind}` }, label));
  const lists = parts.map((part) => make("dl", {}, ...part.map(([term, words]) =>
    make("div", {}, make("dt", {}, term), make("dd", {}, words)))));
  return make("details", { class: "ppslab-made" }, make("summary", {}, ...marks), ...lists);
}

/** Commands with a button that copies them; any other text as it is. */
function shownUndo(text) {
  return text.startsWith("/") ? [make("code", {}, text), copier(text)] : [text];
}

/** Things to do: what each gains, its commands, what is lost with it, and how to undo it. */
function shownToDo({ safe, things }) {
  if (!things.length) return [];
  const shown = things.map(({ gain, commands, words }) => make("li", {},
    make("p", {}, gain),
    make("div", { class: "ppslab-commands" }, make("pre", {}, commands.join("\n")),
      copier(commands.join("\n"))),
    make("dl", {}, ...words.map(([term, text]) =>
      make("div", {}, make("dt", {}, term), make("dd", {}, ...shownUndo(text)))))));
  return [make("section", { class: "ppslab-to-do", "aria-label": gettext("What to do") },
    make("ol", {}, ...shown), make("p", { class: "ppslab-safe" }, safe))];
}

/** Tables behind a summary that unfolds them. */
function shownFolded([title, tables]) {
  return make("details", { class: "ppslab-folded" }, make("summary", {}, title), ...tables.map(shownTable));
}

const quoted = ({ quotes }) => (quotes ? [make("pre", { class: "ppslab-quotes" }, quotes)] : []);

/** The sentences of an answer; with a verdict they are one block with its word and its colour. */
export function shownSays({ says = [], verdict, ...answer }) {
  const sentences = says.map((text) => make("p", {}, text));
  if (!verdict) return sentences;
  const [kind, word] = verdict;
  return [make("div", { class: "ppslab-verdict", "data-verdict": kind }, make("strong", {}, word), ...sentences, ...quoted(answer))];
}

/** What an answer says below its sentences, and the text that it is about beside that.
 *
 * `change(inputs)` asks for another answer, `again(inputs)` is one that is not shown. */
export function shownAnswer(answer, change, again) {
  const paths = shownPaths((answer.figures ?? []).filter(({ narrow }) => narrow), Boolean(answer.share));
  const below = [
    ...(answer.verdict ? [] : quoted(answer)),
    ...(answer.because ? [make("p", {}, answer.because)] : []),
    ...(answer.warnings ?? []).map((text) => make("p", {}, text)),
    ...(answer.to_do ? shownToDo(answer.to_do) : []),
    ...(answer.more ?? []).map((text) => make("p", {}, text)),
    ...(answer.warns ?? []).map((text) => make("p", { class: "ppslab-warns" }, text)),
    ...(answer.figures ?? []).filter(({ narrow }) => !narrow).map(shownFigure),
    ...(answer.tables ?? []).filter(({ below }) => !below).map(shownTable),
    ...shownShare(answer, again),
  ];
  return [
    ...paths,
    ...(answer.listing?.length ? [make("div", { class: "ppslab-beside" }, make("div", {}, ...below), shownListing(answer, change))] : below),
    ...(answer.folded?.[1].length ? [shownFolded(answer.folded)] : []),
    ...(answer.made ?? []).map(shownMade),
  ];
}
