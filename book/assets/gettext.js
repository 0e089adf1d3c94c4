// Shows texts in the language of the page: messages.js has them where that is not English.
(globalThis.ppslab ??= {}).gettext = (text, values = {}) =>
  (globalThis.ppslab.messages?.[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
