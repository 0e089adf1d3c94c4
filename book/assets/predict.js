// What a reader guesses is kept in the browser, and shown beside what was measured.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const NOTHING = "-";
  const progress = () => globalThis.ppslab.progress;

  // A form's fields and the places that show them meet by the name of the answer.
  const nameOf = (form, field) => `${form.dataset.lab}/prediction/${field.dataset.guess}`;

  // The cells are named by condition alone, which two labs may share: they are of the page's chapter.
  const fill = (guess, value) => {
    for (const cell of document.querySelectorAll(`.guess-${CSS.escape(guess)}`)) {
      cell.textContent = value || NOTHING;
    }
  };

  const show = (lab, guess, value) => {
    for (const place of document.querySelectorAll("[data-guessed]")) {
      if (place.dataset.guessed === `${lab}/prediction/${guess}`) {
        place.textContent = value || gettext("nothing yet");
      }
    }
  };

  const recall = () => {
    const { answers } = progress().read();
    for (const [name, value] of Object.entries(answers)) {
      const [lab, kind, guess] = name.split("/");
      if (kind === "prediction") {
        show(lab, guess, value);
        if (lab === progress().here().chapter) {
          fill(guess, value);
        }
      }
    }
  };

  const start = (form) => {
    const { lab } = form.dataset;
    const answers = progress().read().answers;
    for (const field of form.querySelectorAll("[data-guess]")) {
      const kept = answers[nameOf(form, field)];
      if (field.type === "radio") {
        field.checked = field.value === kept;
      } else {
        field.value = field.value || kept || "";
        fill(field.dataset.guess, field.value);
      }
      const keep = () => {
        const value = field.type === "radio" && !field.checked ? "" : field.value.trim();
        progress().answer(nameOf(form, field), value);
        fill(field.dataset.guess, value);
        show(lab, field.dataset.guess, value);
        // A choice is a guess that is made: what came out opens below it.
        const answer = form.querySelector(".ppslab-reveal");
        if (value && answer && field.type === "radio") {
          answer.open = true;
        }
        if (value) {
          const detail = { chapter: lab, kind: "prediction", id: form.dataset.prediction || "costs" };
          document.dispatchEvent(new CustomEvent("ppslab:done", { detail }));
        }
      };
      field.addEventListener(field.type === "radio" ? "change" : "input", keep);
    }
    form.addEventListener("submit", (event) => event.preventDefault());
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form.ppslab-predict")) {
      start(form);
    }
    recall();
  });
})();
