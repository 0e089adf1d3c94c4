// What a reader guesses is kept in the browser, and shown beside what was measured.
(() => {
  "use strict";

  const key = (form, field) => `ppslab:${form.dataset.lab}:${field.dataset.guess}`;

  const recall = (name) => {
    try {
      return localStorage.getItem(name) || "";
    } catch {
      return ""; // A page opened as a file may keep nothing; the form works without.
    }
  };

  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // As above.
    }
  };

  const show = (condition, value) => {
    for (const cell of document.querySelectorAll(`.guess-${CSS.escape(condition)}`)) {
      cell.textContent = value || "-";
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form.ppslab-predict")) {
      for (const field of form.querySelectorAll("input[data-guess]")) {
        field.value = field.value || recall(key(form, field));
        show(field.dataset.guess, field.value);
        field.addEventListener("input", () => {
          keep(key(form, field), field.value);
          show(field.dataset.guess, field.value);
        });
      }
    }
  });
})();
