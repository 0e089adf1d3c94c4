// The models' Python (models.js) for a page's own script: globalThis.ppslab.python().  It comes when
// it is first asked for, as a script, since a sealed page may fetch nothing.
(() => {
  "use strict";

  const address = document.currentScript.src.replace(/python\.js(\?.*)?$/, "models.js");
  let coming;

  const python = () => {
    coming ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => done(globalThis.ppslab.models);
      script.onerror = () => {
        coming = undefined; // Asked again, it may come.
        failed(new Error(`${address} could not be loaded`));
      };
      document.head.append(script);
    });
    return coming;
  };

  globalThis.ppslab = { ...globalThis.ppslab, python };
})();
