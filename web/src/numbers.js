// Large numbers in what a cell shows, as base/text/typed_numbers.py writes them on every page.
const TYPED = /(?<![\w.,:/-])\d{1,3}([ ,\u00a0])\d{3}(?:\1\d{3})*(?!\w|,\d)/g;
const CODE = "script, style, pre, code, textarea, option";

function grouped(typed) {
  const digits = typed.replace(/[ ,\u00a0]/g, "");
  return digits.length > 4 ? digits.replace(/\B(?=(?:\d{3})+$)/g, "\u202f") : digits;
}

/** The texts of an element; what is code stays as it is typed. */
export function regroup(element) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (text.parentElement.closest(CODE)) continue;
    const said = text.data.replace(TYPED, grouped);
    if (said !== text.data) text.data = said;
  }
}
