// An export that is dropped on the front page is explained on the page that does that: it waits for
// it in this tab's own store, and goes from there when that page takes it (widgets/front/widget.js).
(() => {
  "use strict";

  const link = document.querySelector(".ppslab-entry .ppslab-first a");
  const place = document.querySelector(".ppslab-entry");
  if (!link) {
    return;
  }
  const files = (event) => event.dataTransfer.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (files(event)) {
      event.preventDefault();
      place.classList.add("ppslab-over");
    }
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) {
      place.classList.remove("ppslab-over");
    }
  });
  addEventListener("drop", async (event) => {
    if (!files(event)) {
      return;
    }
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    const { name, size } = file;
    const keep = (text) => sessionStorage.setItem("ppslab-dropped", JSON.stringify({ name, size, text }));
    try {
      keep(await file.text());
    } catch {
      // A folder, or too large for the store: that page says so.
      keep();
    }
    location.assign(link.href);
  });
})();
