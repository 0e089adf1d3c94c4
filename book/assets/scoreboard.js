// The scoreboard: filters by source, chapter, verdict, evidence and text; the choice stands in the URL.
(() => {
  "use strict";

  const CHOICES = ["source", "chapter", "verdict", "evidence"];

  const start = (form) => {
    const rows = [...document.querySelectorAll(".ppslab-scoreboard tbody tr")];
    const boards = [...document.querySelectorAll("details.ppslab-board")];
    const status = form.querySelector("[role=status]");
    let narrowed = false;

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
        claims += shown && row.classList.contains("ppslab-claim");
        numbers += shown ? row.querySelectorAll("li").length : 0;
      }
      // A filter opens the tables that have what it finds; without one they are as the reader left them.
      const narrow = classes.length > 0 || text !== "";
      for (const board of boards) {
        board.hidden = !board.querySelector("tbody tr:not([hidden])");
        if (narrow || narrowed) {
          board.open = narrow;
        }
      }
      narrowed = narrow;
      const all = document.querySelectorAll(".ppslab-scoreboard li").length;
      const judged = rows.filter((row) => row.classList.contains("ppslab-claim")).length;
      status.textContent = `${claims} of ${judged} claims, with ${numbers} of ${all} numbers`;
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
      for (let folded = target.closest("details"); folded; ) {
        folded.open = true;
        folded = folded.parentElement.closest("details");
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
