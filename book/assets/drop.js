// An export that is dropped on the front page, or pasted anywhere but into a field for something else,
// is explained on the page that does that: it waits for it in this tab's own store, and goes from there when that page takes it
// (widgets/front/widget.js).  Its model stays in this page's address, for who comes back.
(() => {
  "use strict";

  const link = document.querySelector(".ppslab-entry .ppslab-first a");
  const place = document.querySelector(".ppslab-entry");
  const field = place?.querySelector("textarea");
  if (!link) {
    return;
  }
  const hand = (name, size, text) => {
    const model = /^#\s*model\s*=\s*(\S.*?)\s*$/m.exec(text ?? "")?.[1];
    try {
      if (model) {
        history.replaceState(null, "", `?device=${encodeURIComponent(model)}`);
      }
    } catch {
      // A page of a disk has no address to change.
    }
    sessionStorage.setItem("ppslab-dropped", JSON.stringify({ name, size, text }));
    location.assign(link.href);
  };
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
    try {
      hand(name, size, await file.text());
    } catch {
      // A folder, or too large for the store: that page says so.
      hand(name, size);
    }
  });
  addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    const typing = event.target !== field
      && event.target.closest?.("input:not([list]), textarea, [contenteditable], .ppslab-router");
    // One line is no export: a name for the field, or something for a terminal.
    if (typing || !/^\s*(#.*RouterOS|\/[a-z])/m.test(text) || !text.trim().includes("\n")) {
      return;
    }
    event.preventDefault();
    hand("pasted.rsc", text.length, text);
  });
  // What was typed, or pasted in parts.
  link.addEventListener("click", (event) => {
    const text = field?.value ?? "";
    if (text.trim()) {
      event.preventDefault();
      hand("pasted.rsc", text.length, text);
    }
  });
})();
