// Configurations for RouterOS, for Linux, or for both: the reader chooses, on any page for all.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const KEY = "ppslab-side";
  const SIDES = { routeros: "RouterOS", both: gettext("Both"), linux: "Linux" };
  const root = document.documentElement;

  const kept = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // A page opened as a file may keep nothing; the choice holds for the page.
    }
  };

  const choose = (side, buttons = []) => {
    root.dataset.side = side;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.value === side));
    }
  };

  choose(kept() in SIDES ? kept() : "both");

  document.addEventListener("DOMContentLoaded", () => {
    const first = document.querySelector(".ppslab-side");
    if (!first) {
      return;
    }
    const row = document.createElement("div");
    row.className = "ppslab-sides";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", gettext("Show configurations for"));
    const buttons = Object.entries(SIDES).map(([side, text]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.value = side;
      button.append(text);
      button.addEventListener("click", () => {
        choose(side, buttons);
        try {
          localStorage.setItem(KEY, side);
        } catch {
          // As above.
        }
      });
      return button;
    });
    row.append(...buttons);
    first.before(row);
    choose(root.dataset.side, buttons);
  });
})();
