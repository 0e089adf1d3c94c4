// anywidget comes as an AMD module, which wants require.js: its one call of `define` is taken here.
import { taken } from "./define.js";
import "anywidget";
import "./undefine.js";

/** Makes anywidget's classes with what `@jupyter-widgets/base` exports. */
export default (base) => taken.factory(base);
