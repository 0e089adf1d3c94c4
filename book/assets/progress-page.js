// The pages of progress and certificate: what is done, beside what there is to do.
(() => {
  "use strict";

  const FILE = "ppslab-progress.json";
  const KINDS = {
    read: ["page read", "pages read"],
    prediction: ["prediction", "predictions"],
    quiz: ["question answered", "questions answered"],
    widget: ["widget used", "widgets used"],
    task: ["task solved", "tasks solved"],
    drill: ["drill solved", "drills solved"],
    case: ["slow router repaired", "slow routers repaired"],
  };
  // A task wants a router: a machine of the reader's own, or the one in a page.
  const AT_A_ROUTER = "task";
  const progress = () => globalThis.ppslab.progress;

  const make = (tag, properties = {}, ...children) => {
    const { dataset, ...rest } = properties;
    const made = Object.assign(document.createElement(tag), rest);
    Object.assign(made.dataset, dataset);
    made.append(...children);
    return made;
  };

  const chapters = () => JSON.parse(document.getElementById("ppslab-items").textContent);
  const isDone = (done, chapter, [kind, id]) => done[`${chapter}/${kind}/${id}`];
  const day = (time) =>
    new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });

  /** How many items of a chapter there are, and how many are done, of those that `wanted` takes. */
  const of = (chapter, done, wanted) => {
    const items = chapter.items.filter(wanted);
    return {
      all: items.length,
      done: items.filter((item) => isDone(done, chapter.chapter, item)).length,
    };
  };
  const sum = (parts) => parts.reduce(
    (all, each) => ({ all: all.all + each.all, done: all.done + each.done }), { all: 0, done: 0 },
  );

  /** The slow routers, the course's test: how many were repaired, and how many of them unaided. */
  const ofCases = (done) => {
    const [chapter] = chapters().filter((each) => each.items.some(([kind]) => kind === "case"));
    const names = (chapter?.items ?? []).filter(([kind]) => kind === "case").map(([, name]) => name);
    const repaired = (kind) => names.filter((name) => done[`${chapter.chapter}/${kind}/${name}`]).length;
    return { all: names.length, repaired: repaired("case"), unaided: repaired("unaided"), page: chapter?.page };
  };

  // --- progress ------------------------------------------------------------------------------

  const row = (chapter, done) => {
    const finished = chapter.items.filter((item) => isDone(done, chapter.chapter, item));
    const open = chapter.items.filter((item) => !isDone(done, chapter.chapter, item));
    const read = of(chapter, done, ([kind]) => kind !== AT_A_ROUTER);
    const tasks = of(chapter, done, ([kind]) => kind === AT_A_ROUTER);
    const said =
      `${read.done} of ${read.all}` + (tasks.all ? `, tasks ${tasks.done} of ${tasks.all}` : "");
    const bar = make("progress", { max: read.all, value: read.done });
    bar.setAttribute("aria-label", `${chapter.title}: ${said}`);
    const part = make(
      "li",
      { dataset: { chapter: chapter.chapter } },
      make("a", { href: chapter.page }, chapter.title),
      bar,
      make("span", { className: "ppslab-count" }, said),
    );
    if (open.length > 0 && finished.length > 0) {
      const list = make("ul");
      for (const [kind, , title, page] of open) {
        list.append(make("li", {}, `${KINDS[kind][0]}: `, make("a", { href: page }, title)));
      }
      part.append(make("details", {}, make("summary", {}, "What is left"), list));
    }
    return part;
  };

  const save = () => {
    const text = `${JSON.stringify(progress().read(), null, 2)}\n`;
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = make("a", { href: address, download: FILE });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address));
  };

  const startProgress = (frame) => {
    const list = make("ul", { className: "ppslab-chapters" });
    const total = make("p", { className: "ppslab-total" });
    const test = make("p", { className: "ppslab-test" });
    const status = make("p");
    status.setAttribute("role", "status");
    const show = () => {
      const { done, figures } = progress().read();
      const all = chapters();
      const read = sum(all.map((each) => of(each, done, ([kind]) => kind !== AT_A_ROUTER)));
      const tasks = sum(all.map((each) => of(each, done, ([kind]) => kind === AT_A_ROUTER)));
      total.textContent =
        `${read.done} of ${read.all} done in this browser, ` +
        `and ${tasks.done} of ${tasks.all} tasks at a router` +
        (figures.length ? `; your own figures of ${figures.length} labs.` : ".");
      const cases = ofCases(done);
      test.hidden = !cases.all;
      test.replaceChildren(
        `The course’s test: ${cases.repaired} of ${cases.all} `,
        make("a", { href: cases.page }, "slow routers"),
        ` repaired, ${cases.unaided} of them unaided.`,
      );
      const opened = new Set(
        [...list.querySelectorAll("details[open]")].map((each) => each.parentNode.dataset.chapter),
      );
      list.replaceChildren(...all.map((each) => row(each, done)));
      for (const each of list.children) {
        if (opened.has(each.dataset.chapter) && each.querySelector("details")) {
          each.querySelector("details").open = true;
        }
      }
    };

    const file = make("input", { type: "file", id: "ppslab-import", accept: ".json" });
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      try {
        progress().merge(JSON.parse(await chosen.text()));
        status.textContent = `${chosen.name} was read.`;
      } catch (error) {
        status.textContent = `${chosen.name} was not read. ${error.message}`;
      }
      file.value = "";
    });
    const clear = make("button", { type: "button" }, "Forget all of it");
    clear.addEventListener("click", () => {
      if (clear.dataset.sure) {
        progress().clear();
        status.textContent = "Forgotten.";
        delete clear.dataset.sure;
        clear.textContent = "Forget all of it";
      } else {
        clear.dataset.sure = "asked";
        clear.textContent = "Sure? Press once more to forget all of it";
      }
    });
    const exporting = make("button", { type: "button" }, `Export ${FILE}`);
    exporting.addEventListener("click", save);
    const importing = make("label", { htmlFor: "ppslab-import" }, "Import a file ");
    const tools = make("div", { className: "ppslab-tools" }, exporting, importing, file, clear);
    frame.append(total, test, list, tools, status);
    frame.hidden = false;
    document.addEventListener("ppslab:progress", show);
    addEventListener("storage", show);
    show();
    document.getElementById("ppslab-all-items")?.setAttribute("hidden", "");
  };

  const between = (first, last) => (first === last ? `On ${first}` : `From ${first} to ${last}`);

  // --- certificate ---------------------------------------------------------------------------

  const figureTable = (figure) => {
    const body = make("tbody");
    for (const [name, value] of figure.rows) {
      body.append(make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)));
    }
    return make(
      "figure",
      {},
      make("table", { className: "ppslab-table" }, make("caption", {}, figure.title), body),
      make("figcaption", { className: "ppslab-note" }, figure.provenance),
    );
  };

  const startCertificate = (frame) => {
    const { done, figures, answers } = progress().read();
    const NAME = "certificate/name/reader";
    const name = make("input", { id: "ppslab-name", maxLength: 80, value: answers[NAME] ?? "" });
    const holder = make("p", { className: "ppslab-holder" }, name.value);
    name.addEventListener("input", () => {
      progress().answer(NAME, name.value);
      holder.textContent = name.value;
    });
    const print = make("button", { type: "button" }, "Print");
    print.addEventListener("click", () => globalThis.print());
    const tools = make(
      "p",
      { className: "ppslab-tools" },
      make("label", { htmlFor: "ppslab-name" }, "Your name, as it is to be printed "),
      name,
      print,
    );
    const sheet = make("section", { className: "ppslab-sheet" });
    sheet.append(
      make("p", { className: "ppslab-sheet-title" }, "Packets per second, and why"),
      make("p", {}, "A course of measurements that anyone can run again, worked through by"),
      holder,
    );
    const times = [];
    const body = make("tbody");
    for (const chapter of chapters()) {
      const finished = chapter.items.filter((item) => isDone(done, chapter.chapter, item));
      times.push(...finished.map((item) => isDone(done, chapter.chapter, item)));
      if (finished.length > 0) {
        const parts = Object.entries(KINDS).flatMap(([kind, [one, many]]) => {
          const count = finished.filter((item) => item[0] === kind).length;
          return count ? [`${count} ${count === 1 ? one : many}`] : [];
        });
        const share = `${finished.length} of ${chapter.items.length}`;
        body.append(
          make(
            "tr",
            {},
            make("th", { scope: "row" }, chapter.title),
            make("td", {}, parts.join(", ")),
            make("td", {}, share),
          ),
        );
      }
    }
    if (times.length === 0) {
      sheet.append(make("p", {}, "Nothing is done yet in this browser: begin with any chapter."));
    } else {
      times.sort();
      const head = make("tr");
      for (const text of ["chapter", "done", "of all"]) {
        head.append(make("th", { scope: "col" }, text));
      }
      const caption = make("caption", {}, between(day(times[0]), day(times.at(-1))));
      sheet.append(
        make("table", { className: "ppslab-table" }, caption, make("thead", {}, head), body),
      );
    }
    const cases = ofCases(done);
    if (cases.repaired > 0) {
      sheet.append(
        make(
          "p",
          { className: "ppslab-test" },
          `The course’s test: of ${cases.all} slow routers they found the cause and the remedy of ${cases.repaired}, `,
          make("strong", {}, `${cases.unaided} unaided`),
          ", with no hint and no solution shown.",
        ),
      );
    }
    if (figures.length > 0) {
      sheet.append(make("p", {}, "This learner's own figures:"));
      sheet.append(...figures.map(figureTable));
    } else {
      sheet.append(
        make(
          "p",
          {},
          "No figures of your own are here yet: count a packet at a router in the page, or let ",
          make("code", {}, `ppslab progress --output ${FILE}`),
          " write those of your machine to a file, which the page of progress imports.",
        ),
      );
    }
    sheet.append(
      make(
        "p",
        { className: "ppslab-note" },
        "The holder’s own browser kept this record, and nobody signed it: anyone can measure the figures again.",
      ),
    );
    frame.append(tools, sheet);
    frame.hidden = false;
  };

  const start = () => {
    const shown = {
      "ppslab-progress": startProgress,
      "ppslab-certificate": startCertificate,
    };
    for (const [id, begin] of Object.entries(shown)) {
      const frame = document.getElementById(id);
      if (frame) {
        begin(frame);
      }
    }
  };
  document.addEventListener("DOMContentLoaded", start);
})();
