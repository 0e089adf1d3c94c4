// What every part of a widget is made with.

/** An element with attributes and children; text is never read as HTML. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** A text in the language of the page: messages.js has it where that is not English. */
export const gettext = (text, values = {}) =>
  (globalThis.ppslab?.messages?.[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A button that copies a text; where a page may not (http:// in a hall), it selects `instead()`. */
export function copyButton(label, text, instead, attributes = {}) {
  const button = make("button", { type: "button", class: "ppslab-copy", ...attributes }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = gettext("Copied");
    } catch {
      getSelection().selectAllChildren(instead());
      button.textContent = gettext("Selected");
    }
  });
  return button;
}

/** The address of a page that the English site alone has; undefined outside of the site. */
export function englishPage(address) {
  const { lang, dataset } = document.documentElement;
  if (dataset.content_root === undefined) return undefined;
  // The site of another language lies in a folder of the English one.
  return dataset.content_root + (!lang || lang === "en" ? "" : "../") + address;
}
