// What a reader has done, kept in this browser only: by chapter, with answers and guesses.
// Pages say document.dispatchEvent(new CustomEvent("ppslab:done", {detail: {chapter, kind, id}})).
(() => {
  "use strict";

  const KEY = "ppslab-progress";
  const empty = () => ({ [KEY]: 1, done: {}, answers: {}, figures: [] });
  let memory = empty(); // Where nothing may be kept, as long as the page stands.
  let kept = true;

  const isText = (each) => typeof each === "string";
  const isFigure = (each) =>
    Boolean(each) &&
    [each.lab, each.title, each.started, each.provenance].every(isText) &&
    Array.isArray(each.rows) &&
    each.rows.every((row) => Array.isArray(row) && row.length === 2 && row.every(isText));

  const whole = (said) =>
    Boolean(said) &&
    said[KEY] === 1 &&
    ["done", "answers"].every(
      (part) =>
        said[part] &&
        typeof said[part] === "object" &&
        Object.values(said[part]).every(isText),
    ) &&
    Array.isArray(said.figures) &&
    said.figures.every(isFigure);

  const read = () => {
    if (!kept) {
      return memory; // What is stored is older: there was no room for this.
    }
    try {
      const said = JSON.parse(localStorage.getItem(KEY));
      return whole(said) ? said : memory;
    } catch {
      return memory; // A page opened as a file may keep nothing; the course works without.
    }
  };

  const write = (said) => {
    memory = said;
    try {
      localStorage.setItem(KEY, JSON.stringify(said));
      kept = true;
    } catch {
      kept = false;
      warn();
    }
    document.dispatchEvent(new CustomEvent("ppslab:progress"));
  };

  // Once a page, at its end, where what was done is ticked.
  const warn = () => {
    const article = document.querySelector("article.bd-article");
    if (article && !article.querySelector(".ppslab-unkept")) {
      const said = document.createElement("p");
      said.className = "ppslab-unkept";
      said.setAttribute("role", "status");
      said.textContent =
        "This browser keeps nothing for this page: what you do here is forgotten when you leave it.";
      article.append(said);
    }
  };

  const here = () => {
    const meta = document.querySelector("meta[name=ppslab-chapter]");
    return { chapter: meta?.content ?? "", page: meta?.dataset.page ?? "" };
  };

  const mark = (chapter, kind, id) => {
    const said = read();
    const name = `${chapter}/${kind}/${id}`;
    if (!said.done[name]) {
      said.done[name] = new Date().toISOString();
      write(said);
    }
  };

  const unmark = (chapter, kind, id) => {
    const said = read();
    delete said.done[`${chapter}/${kind}/${id}`];
    write(said);
  };

  const answer = (name, value) => {
    const said = read();
    if (value) {
      said.answers[name] = String(value);
    } else {
      delete said.answers[name];
    }
    write(said);
  };

  // A file from elsewhere: the earlier time of a thing done counts, and what was kept here stays.
  const merge = (said) => {
    if (!whole(said)) {
      throw new Error(`This is no file of ${KEY}: export one, or let ppslab progress write it.`);
    }
    const mine = read();
    for (const [name, when] of Object.entries(said.done)) {
      mine.done[name] = mine.done[name] && mine.done[name] < when ? mine.done[name] : when;
    }
    mine.answers = { ...said.answers, ...mine.answers };
    const newer = new Map(mine.figures.map((each) => [each.lab, each]));
    for (const each of said.figures) {
      if (!newer.has(each.lab) || newer.get(each.lab).started <= each.started) {
        newer.set(each.lab, each);
      }
    }
    mine.figures = [...newer.values()];
    write(mine);
  };

  // A figure of the reader's own, in the place of the one that its lab had.
  const figure = (own) => {
    if (!isFigure(own)) {
      throw new Error("A figure has a lab, a title, a time, a provenance, and rows of two texts.");
    }
    const said = read();
    said.figures = [...said.figures.filter((each) => each.lab !== own.lab), own];
    write(said);
  };

  const clear = () => write(empty());

  globalThis.ppslab = {
    ...globalThis.ppslab,
    progress: { read, mark, unmark, answer, figure, merge, clear, here },
  };

  document.addEventListener("ppslab:done", ({ detail }) => {
    const chapter = detail.chapter || here().chapter;
    if (chapter && detail.kind && detail.id) {
      mark(chapter, detail.kind, detail.id);
    }
  });

  // At the end of every page of a chapter: whether it has been read.
  const addRead = () => {
    const { chapter, page } = here();
    const article = document.querySelector("article.bd-article");
    if (!chapter || !article) {
      return;
    }
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = Boolean(read().done[`${chapter}/read/${page}`]);
    box.addEventListener("change", () =>
      box.checked ? mark(chapter, "read", page) : unmark(chapter, "read", page),
    );
    label.className = "ppslab-read";
    label.append(box, " I have read this page");
    article.append(label);
  };

  // The pages that can be read, as the table of contents beside them has them.
  const pages = () =>
    [...document.querySelectorAll(".bd-sidebar-primary a.reference.internal")].map((link) => {
      const [, folder, rest] = /\/(book|notebooks)\/([^?#]+)\.html$/.exec(link.pathname) ?? [];
      const [chapter, page = "index"] = (rest ?? "").split("/");
      return { link, chapter, name: `${chapter}/read/${folder === "notebooks" ? "notebook" : page}` };
    });

  // A tick at every page that has been read.
  const tick = () => {
    const { done } = read();
    for (const { link, name } of pages()) {
      const ticked = link.querySelector(".ppslab-tick");
      if (done[name] && !ticked) {
        const said = document.createElement("span");
        said.className = "ppslab-tick";
        said.append(" (read)");
        link.append(said);
      } else if (!done[name]) {
        ticked?.remove();
      }
    }
  };

  // On the front page, for who returns: the next unread page of the chapter they were in last.
  const goOn = () => {
    const place = document.querySelector(".ppslab-continue");
    const { done } = read();
    const [last] = Object.entries(done).reduce(
      (newest, each) => (each[1] > newest[1] ? each : newest), ["", ""],
    );
    const chapter = pages().filter((each) => each.chapter && each.chapter === last.split("/")[0]);
    const next = chapter.find((each) => !done[each.name]);
    if (!place || !next) {
      return;
    }
    const title = (each) => each.link.firstChild.textContent.trim();
    const link = document.createElement("a");
    link.href = next.link.href;
    link.append(next === chapter[0] ? title(next) : `${title(chapter[0])}, ${title(next)}`);
    place.replaceChildren("Continue: ", link);
    place.hidden = false;
  };

  document.addEventListener("ppslab:progress", goOn);
  document.addEventListener("ppslab:progress", tick);
  document.addEventListener("DOMContentLoaded", () => {
    addRead();
    tick();
    goOn();
  });
})();
