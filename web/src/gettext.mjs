/** A text in the language of the page: messages.js has it where that is not English. */
export const gettext = (text, values = {}) =>
  (globalThis.ppslab?.messages?.[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
