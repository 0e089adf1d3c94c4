// Imported before an AMD module: takes what it defines.
export const taken = { before: globalThis.define, factory: null };
globalThis.define = (names, factory) => {
  if (names.join() !== "@jupyter-widgets/base") throw new Error(`an AMD module wants ${names}`);
  taken.factory = factory;
};
