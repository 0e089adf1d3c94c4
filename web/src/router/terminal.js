// xterm.js, which a page loads when its reader starts the router.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import style from "@xterm/xterm/css/xterm.css";

globalThis.ppslabTerminal = function open(place, typed) {
  const sheet = document.createElement("style");
  sheet.textContent = style;
  document.head.append(sheet);
  const terminal = new Terminal({
    cursorBlink: true,
    fontSize: 14,
    screenReaderMode: true,
    scrollback: 5000,
    theme: { background: "#101820", foreground: "#e8eef4" },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(place);
  fit.fit();
  terminal.onData(typed);
  new ResizeObserver(() => fit.fit()).observe(place);
  return terminal;
};
