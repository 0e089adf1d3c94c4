// Test results that a reader pasted from a product page: read by the page's own Python
// (ppslab.course.models.results_table), kept in this browser, and used by every page.
import { shownTable } from "../../src/ppslab/course/widgets/front/answer.js";
import { gettext, make } from "../../src/ppslab/course/widgets/front/element.js";

const KEY = "ppslab-results";
const NEW_ISSUE = "https://github.com/ppslab/ppslab/issues/new";

/** What was kept: product code to {day, rows, table, published}. */
const every = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // A page of a disk may keep nothing.
  }
};
const write = (kept) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // The page still shows what it read.
  }
};
const of = (code) => every()[code];
const published = () =>
  Object.fromEntries(Object.entries(every()).map(([code, kept]) => [code, kept.published]));
globalThis.ppslab = { ...globalThis.ppslab, results: { of, published } };

const start = (form) => {
  const { find, listed } = globalThis.ppslabDevices;
  const { device: field, table: box } = form.elements;
  const known = listed(field.list);
  const facts = { codes: Object.fromEntries(known.map(({ code, name }) => [code, name])) };
  const wrong = form.querySelector("[role=alert]");
  const shown = form.querySelector("[role=status]");

  const refuse = (text) => {
    wrong.textContent = text;
    wrong.hidden = !text;
    if (text) shown.replaceChildren();
  };

  const issue = (code, kept, text) => {
    const words = { template: "test-results.yml", title: `Test results: ${code}`, code, day: kept.day, table: text };
    return `${NEW_ISSUE}?${new URLSearchParams(words)}`;
  };

  const show = (code, kept, tables, text) => {
    const forget = make("button", { type: "button" }, gettext("Forget these"));
    forget.addEventListener("click", () => {
      const left = every();
      delete left[code];
      write(left);
      shown.replaceChildren();
      field.focus();
    });
    const name = facts.codes[code];
    const front = form.dataset.front + `?device=${encodeURIComponent(code)}`;
    shown.replaceChildren(
      make("p", {}, gettext("Kept in this browser for the {name}: the front page's figure and the answers to its exports use it.", { name })),
      ...tables.map(shownTable),
      make("p", { class: "ppslab-results-next" }, make("a", { href: front }, gettext("See its figure")),
        ...(text ? [" ", make("a", { href: issue(code, kept, text), rel: "noopener", target: "_blank" }, gettext("Send it to us"))] : []), " ", forget));
  };

  const take = async () => {
    const text = box.value;
    if (!text.trim()) return;
    refuse("");
    const code = find(field.value, known).device?.code ?? "";
    const day = new Date().toISOString().slice(0, 10);
    let answer;
    try {
      const python = await globalThis.ppslab.python();
      answer = await python.answer("results-table", { text, code, day }, facts);
    } catch (error) {
      console.error(error);
      refuse(error.message);
      return;
    }
    if (answer.problem) {
      refuse(answer.problem.says);
      return;
    }
    field.value = facts.codes[answer.code];
    write({ ...every(), [answer.code]: answer.kept });
    show(answer.code, answer.kept, answer.tables, text);
  };

  const kept = () => {
    const code = find(field.value, known).device?.code;
    const own = code && of(code);
    if (own) show(code, own, [], "");
    else shown.replaceChildren();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take();
  });
  // What is pasted is read at once; what the browser inserts is there only after this event.
  box.addEventListener("paste", () => setTimeout(take));
  field.addEventListener("change", () => (box.value.trim() ? take() : kept()));
  field.value = new URLSearchParams(location.search).get("device") ?? "";
  const details = form.closest("details");
  details.hidden = false;
  if (location.hash === `#${details.id}`) {
    details.open = true;
    details.scrollIntoView();
  }
  kept();
};

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("ppslab-results-form");
  if (form) start(form);
});
