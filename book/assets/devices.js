// How fast MikroTik's devices are: the field shows the rows of one device; it stands in the URL.
(() => {
  "use strict";

  // As `ppslab fast` reads a name: no case, spaces, hyphens; ax², ax^2 and ax2 are one.
  const plain = (text) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/\b(mikrotik|routerboard|router)\b/g, "")
      .replace(/[^a-z0-9+&]/g, "");

  const start = (form) => {
    const field = form.elements.device;
    const status = form.querySelector("[role=status]");
    const frames = [...document.querySelectorAll(".ppslab-devices")];
    const rows = frames.flatMap((frame) => [...frame.querySelectorAll("tbody tr")]);
    // A row is found by its device, its product code, and the devices that its CPU names.
    const words = new Map(
      rows.map((row) => [row, [...row.cells].map((cell) => plain(cell.textContent))]),
    );
    const names = new Map(
      rows.map((row) => [row, plain(row.cells[0].querySelector("p").textContent)]),
    );

    const apply = () => {
      const wanted = plain(field.value);
      // A whole name is that device alone: hEX, and not hEX S.
      const whole = wanted && [...names.values()].includes(wanted);
      const found = new Set();
      for (const row of rows) {
        const shown = whole
          ? names.get(row) === wanted
          : words.get(row).some((word) => word.includes(wanted));
        row.hidden = !shown;
        if (shown) {
          found.add(names.get(row));
        }
      }
      for (const frame of frames) {
        frame.hidden = !frame.querySelector("tbody tr:not([hidden])");
      }
      const devices = found.size === 1 ? "1 device" : `${found.size} devices`;
      status.textContent = found.size ? devices : "No device has this name or product code.";
    };

    const write = () => {
      const query = field.value ? `?device=${encodeURIComponent(field.value)}` : "";
      try {
        history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
      } catch {
        // A page opened as a file may not change its address; the field works without.
      }
    };

    const read = () => {
      field.value = new URLSearchParams(location.search).get("device") || "";
      apply();
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      write();
      apply();
    });
    form.addEventListener("reset", () => {
      // The field is empty only after this event.
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
