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
    try {
      sessionStorage.setItem("ppslab-dropped", JSON.stringify({ name: file.name, text: await file.text() }));
    } catch {
      // It is too large for the store: that page asks for it again.
    }
    location.assign(link.href);
  });
})();
