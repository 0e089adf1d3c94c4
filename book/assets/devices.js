// How fast MikroTik's devices are: one field shows the rows of a device, the other the devices that
// forward as much as is needed; both stand in the URL.
(() => {
  "use strict";
  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const { plain, find, listed } = globalThis.ppslabDevices;

  /** The Mbit/s of a cell; NaN where nothing was published. */
  const rate = (cell) => Number(cell.dataset.mbps);

  const start = (form) => {
    const { device: field, need: wanted } = form.elements;
    const status = form.querySelector("[role=status]");
    const known = listed(field.list);
    const frames = [...document.querySelectorAll(".ppslab-devices")];
    // One table for each year: rates of two years are in no ranking.
    const rankings = [...document.querySelectorAll(".ppslab-ranking tbody")].map((body) => [body, [...body.rows]]);
    const ranked = rankings.flatMap(([, own]) => own);
    const rows = frames.flatMap((frame) => [...frame.querySelectorAll("tbody tr")]);
    // A row is found by its device, its product code, and the devices that its CPU names.
    const words = new Map(
      rows.map((row) => [row, [...row.cells].map((cell) => plain(cell.textContent))]),
    );
    const names = new Map(
      rows.map((row) => [row, plain(row.cells[0].querySelector("p").textContent)]),
    );

    /** Leave the rows of a device: a whole name is that device alone, hEX and not hEX S. */
    const search = () => {
      const { device, exact } = find(field.value, known);
      const whole = exact && plain(device.name);
      const typed = plain(field.value);
      const found = new Set();
      for (const row of rows) {
        row.hidden = whole
          ? names.get(row) !== whole
          : !words.get(row).some((word) => word.includes(typed));
        if (!row.hidden) found.add(names.get(row));
      }
      if (found.size === 0) return gettext("No device has this name or product code.");
      return found.size === 1 ? gettext("1 device") : gettext("{number} devices", { number: found.size });
    };

    /** Leave what is fast enough with 25 filter rules, the device that is just enough first. */
    const choose = (least) => {
      const names = new Set();
      for (const row of rows) row.hidden = true;
      for (const [body, own] of rankings) {
        const enough = own
          .filter((row) => rate(row.cells[1]) >= least)
          .sort((one, other) => rate(one.cells[1]) - rate(other.cells[1]));
        for (const row of enough) {
          row.hidden = false;
          names.add(row.cells[0].textContent);
        }
        body.append(...enough, ...own.filter((row) => row.hidden));
      }
      const measured = new Set(ranked.filter((row) => rate(row.cells[1]) >= 0).map((row) => row.cells[0].textContent)).size;
      const values = { number: names.size, least, rest: known.length - measured };
      return [
        names.size === 1
          ? gettext("1 device forwards {least} Mbit/s with 25 filter rules, in packets of 512 bytes, all ports together.", values)
          : gettext("{number} devices forward {least} Mbit/s with 25 filter rules, in packets of 512 bytes, all ports together.", values),
        gettext("In each year's table the one that is just enough comes first. A symmetrical line counts twice."),
        gettext("Of {rest} devices this figure is not in our copies.", values),
      ].join(" ");
    };

    const apply = () => {
      for (const [body, own] of rankings) body.append(...own);
      const least = Number(wanted.value);
      status.textContent = least > 0 ? choose(least) : search();
      for (const frame of frames) frame.hidden = !frame.querySelector("tbody tr:not([hidden])");
    };

    const write = () => {
      const query = new URLSearchParams();
      for (const input of [field, wanted]) if (input.value) query.set(input.name, input.value);
      const text = query.toString();
      try {
        history.replaceState(null, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
      } catch {
        // A page opened as a file may not change its address; the fields work without.
      }
    };

    const read = () => {
      const query = new URLSearchParams(location.search);
      for (const input of [field, wanted]) input.value = query.get(input.name) || "";
      apply();
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", ({ target }) => {
      // Each field asks a question of its own.
      for (const other of [field, wanted]) if (other !== target) other.value = "";
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
    addEventListener("popstate", read);
    form.hidden = false;
    read();
  };

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("ppslab-devices-filter");
    if (form) {
      start(form);
    }
  });
})();
