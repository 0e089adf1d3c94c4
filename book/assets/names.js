// Names for what the theme leaves without one: screen readers read them, and WCAG 2.2 asks for them
// (2.5.3 label in name, 4.1.2 name, role, value; 2.1.1 keyboard).
function name() {
  const { gettext } = globalThis.ppslab;
  // It shows "Search Ctrl+K" and was called "Search": who speaks to the page says what is shown.
  for (const button of document.querySelectorAll("button.search-button-field")) {
    button.removeAttribute("aria-label");
  }
  for (const toggle of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const page = toggle.closest("li")?.querySelector("a")?.textContent.trim();
    toggle.setAttribute("aria-label", page ? gettext("Pages of {page}", { page }) : gettext("Pages"));
  }
  for (const frame of document.querySelectorAll(".pst-scrollable-table-container")) {
    const caption = frame.querySelector("caption")?.textContent.trim();
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", caption || gettext("Table"));
  }
  for (const letter of document.querySelectorAll(".genindex-jumpbox a")) {
    if (!letter.textContent.trim()) letter.setAttribute("aria-label", gettext("Other characters"));
  }
}
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", name);
else name();
