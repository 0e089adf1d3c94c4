// Filters of the scoreboard: by source, chapter, verdict and text; the choice stands in the URL.
(() => {
  "use strict";

  const CHOICES = ["source", "chapter", "verdict"];

  const start = (form) => {
    const rows = [...document.querySelectorAll(".ppslab-scoreboard tbody tr")];
    const status = form.querySelector("[role=status]");

    // An address may come from anywhere: what the form does not have chooses nothing.
    const read = () => {
      const said = new URLSearchParams(location.search);
      for (const name of CHOICES) {
        const wanted = said.get(name) || "";
        const field = form.elements[name];
        field.value = [...field.options].some((each) => each.value === wanted) ? wanted : "";
      }
      form.elements.text.value = said.get("text") || "";
    };

    const write = () => {
      const said = new URLSearchParams();
      for (const name of [...CHOICES, "text"]) {
        if (form.elements[name].value) {
          said.set(name, form.elements[name].value);
        }
      }
      const query = said.toString();
      try {
        history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}`);
      } catch {
        // A page opened as a file may not change its address; the filters work without.
      }
    };

    const apply = () => {
      const text = form.elements.text.value.trim().toLowerCase();
      const classes = CHOICES.filter((name) => form.elements[name].value).map(
        (name) => `of-${name}-${form.elements[name].value}`,
      );
      let claims = 0;
      let numbers = 0;
      for (const row of rows) {
        const shown =
          classes.every((each) => row.classList.contains(each)) &&
          row.textContent.toLowerCase().includes(text);
        row.hidden = !shown;
        claims += shown;
        numbers += shown ? row.querySelectorAll("li").length : 0;
      }
      for (const frame of document.querySelectorAll(".ppslab-scoreboard")) {
        frame.hidden = !frame.querySelector("tbody tr:not([hidden])");
      }
      const all = document.querySelectorAll(".ppslab-scoreboard li").length;
      status.textContent = `${claims} of ${rows.length} claims, with ${numbers} of ${all} numbers`;
    };

    // A link to a number leads to it, whatever is filtered and folded.
    const reveal = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const row = target && target.closest(".ppslab-scoreboard tr");
      if (!row) {
        return;
      }
      if (row.hidden) {
        form.reset();
        apply();
      }
      const folded = target.closest("details");
      if (folded) {
        folded.open = true;
      }
      target.scrollIntoView();
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      write();
      apply();
    });
    form.addEventListener("reset", () => {
      // The fields are empty only after this event.
      setTimeout(() => {
        write();
        apply();
      });
    });
    addEventListener("hashchange", reveal);
    addEventListener("popstate", () => {
      read();
      apply();
    });
    form.hidden = false;
    read();
    apply();
    reveal();
  };

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("ppslab-filters");
    if (form) {
      start(form);
    }
  });
})();
