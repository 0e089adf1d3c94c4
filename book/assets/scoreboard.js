// The scoreboard: filters by source, chapter, verdict, evidence and text, and the factor within which a
// size agrees; the choice stands in the URL.
(() => {
  "use strict";

  const CHOICES = ["source", "chapter", "verdict", "evidence"];

  const nameOf = (verdict) => verdict.replaceAll(" ", "-");

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
      // A range takes what it can of a number, and its middle of anything else.
      const factor = Number(said.get("factor"));
      form.elements.factor.value = factor || form.elements.factor.defaultValue;
    };

    const write = () => {
      const said = new URLSearchParams();
      for (const name of [...CHOICES, "text"]) {
        if (form.elements[name].value) {
          said.set(name, form.elements[name].value);
        }
      }
      if (form.elements.factor.value !== form.elements.factor.defaultValue) {
        said.set("factor", form.elements.factor.value);
      }
      const query = said.toString();
      try {
        history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}`);
      } catch {
        // A page opened as a file may not change its address; the filters work without.
      }
    };

    // Where the factor decides, a row says from which factor on which verdict holds.
    const judge = () => {
      const factor = Number(form.elements.factor.value);
      form.querySelector("output").textContent = factor.toFixed(2);
      let moved = 0;
      for (const data of document.querySelectorAll(".ppslab-scoreboard .ppslab-by-factor")) {
        const steps = data.value.split("|").map((step) => {
          const space = step.indexOf(" ");
          return [Number(step.slice(0, space)), step.slice(space + 1)];
        });
        const [, verdict] = steps.findLast(([from]) => from <= factor + 1e-9) || steps[0];
        const cell = data.closest("td");
        const shown = cell.querySelector("p");
        shown.dataset.made ||= shown.textContent;
        shown.textContent = verdict;
        moved += verdict !== shown.dataset.made;
        const row = cell.closest("tr");
        for (const element of [row, cell]) {
          for (const name of [...element.classList]) {
            if (name.startsWith("of-verdict-") || name.startsWith("verdict-")) {
              element.classList.remove(name);
            }
          }
        }
        row.classList.add(`of-verdict-${nameOf(verdict)}`);
        cell.classList.add(`verdict-${nameOf(verdict)}`);
      }
      return moved;
    };

    const apply = () => {
      const moved = judge();
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
      const other = moved ? `; the factor changes ${moved} verdicts` : "";
      status.textContent = `${claims} of ${judged} claims, with ${numbers} of ${all} numbers${other}`;
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
