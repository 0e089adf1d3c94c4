// What the router takes of the reader's line, memory and hands, and when the page asks before it loads.
import { gettext } from "../../gettext.mjs";

const SMALL = ["slow-2g", "2g", "3g"];

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** A phone or a tablet: its first pointer is a finger. */
const touched = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Why you might not want it here; "" where nothing speaks against it. */
export function scruple() {
  const line = navigator.connection;
  if (line?.saveData) return gettext("Your browser is set to save data.");
  if (line?.type === "cellular") return gettext("You are on a mobile network.");
  if (SMALL.includes(line?.effectiveType)) return gettext("Your connection is slow.");
  if (touched()) return gettext("You are on a phone or a tablet.");
  return "";
}

/** What it needs here: bytes to load, megabytes of the tab while it runs. */
export function needs(bytes, tab) {
  const memory = gettext("The router is downloaded once ({bytes}), and uses {tab} MB of memory while it runs.", { bytes: megabytes(bytes), tab });
  return touched() ? gettext("{memory} To type in its terminal, you need a keyboard.", { memory }) : memory;
}
