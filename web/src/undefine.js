// Imported after it: whose `define` it was has it back.
import { taken } from "./define.js";
globalThis.define = taken.before;
