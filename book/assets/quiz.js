// A quiz: choose, check, and read why; what was answered rightly counts as done.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const start = (form) => {
    const right = form.dataset.right.split(" ");
    const status = form.querySelector("[role=status]");
    // The point of an earlier chapter counts there, not in the chapter that asks about it again.
    const chapter = form.dataset.chapter || globalThis.ppslab.progress.here().chapter;
    const name = `${chapter}/quiz/${form.dataset.question}`;
    const fields = [...form.querySelectorAll("input")];
    const again = form.closest(".ppslab-again") !== null;

    const button = document.createElement("button");
    button.type = "submit";
    button.textContent = gettext("Check");
    form.insertBefore(button, status);

    const forget = () => {
      for (const each of form.querySelectorAll(".ppslab-because")) {
        each.remove();
      }
      for (const each of form.querySelectorAll(".ppslab-answer-choice")) {
        each.classList.remove("is-right", "is-wrong");
      }
    };

    // The explanation of an answer, copied to where the answer stands.
    const explain = (field) => {
      const place = field.closest(".ppslab-answer-choice");
      const said = document.createElement("p");
      const words = form.querySelector(`dd[data-answer="${field.value}"]`).cloneNode(true);
      said.className = "ppslab-because";
      said.append(...words.childNodes);
      place.append(said);
      place.classList.add(right.includes(field.value) ? "is-right" : "is-wrong");
    };

    const check = () => {
      forget();
      const chosen = fields.filter((field) => field.checked);
      if (chosen.length === 0) {
        status.textContent = gettext("Choose an answer first.");
        return;
      }
      chosen.forEach(explain);
      const values = chosen.map((field) => field.value);
      if (!again) { // Its letters are not those of the quiz.
        globalThis.ppslab.progress.answer(name, values.join(" "));
      }
      const wrong = values.filter((value) => !right.includes(value)).length;
      if (wrong === 0 && values.length === right.length) {
        status.textContent = gettext("Right.");
        const detail = { chapter, kind: "quiz", id: form.dataset.question };
        document.dispatchEvent(new CustomEvent("ppslab:done", { detail }));
      } else if (wrong === 0) {
        status.textContent = gettext("Right so far: {count} of {all}.", { count: values.length, all: right.length });
      } else {
        status.textContent = gettext("Not yet: read why, and choose again.");
      }
    };

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      check();
    });
    if (again) {
      return;
    }
    const kept = (globalThis.ppslab.progress.read().answers[name] ?? "").split(" ");
    for (const field of fields) {
      field.checked = kept.includes(field.value);
    }
    if (globalThis.ppslab.progress.read().done[name] && fields.some((field) => field.checked)) {
      check();
    }
  };

  const startAll = () => {
    for (const form of document.querySelectorAll("form.ppslab-quiz")) {
      start(form);
    }
  };
  // Deferred scripts run before this event; one that comes late has missed it.
  if (document.readyState === "loading" || document.readyState === "interactive") {
    document.addEventListener("DOMContentLoaded", startAll);
  } else {
    startAll();
  }
})();
