// The drawing of a packet's path: of which packets, and the files that a reader can post.
import { gettext, make } from "./element.js";

/** Pixels of a saved picture for a unit of its drawing. */
const SCALE = 2;

/** The packets whose path was asked for; a new answer shows them again, where it has them. */
let chosen = "";

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The drawing as a file, whose size a viewer without a page knows. */
function asFile(svg) {
  const [, , width, height] = /viewBox="([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"/.exec(svg).slice(1).map(Number);
  const text = svg.replace("<svg ", `<svg width="${width}" height="${height}" `);
  return { width, height, blob: new Blob([text], { type: "image/svg+xml" }) };
}

async function savePicture(svg) {
  const { width, height, blob } = asFile(svg);
  const address = URL.createObjectURL(blob);
  try {
    const image = Object.assign(new Image(), { src: address });
    await image.decode();
    const canvas = make("canvas", { width: Math.round(width * SCALE), height: Math.round(height * SCALE) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), "path.png");
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The place of the path that is shown among those of an answer. */
export function chosenOf(paths) {
  return Math.max(paths.findIndex(({ label }) => label === chosen), 0);
}

/** Buttons that save a drawing, which `svg()` is. */
export function saving(svg) {
  const drawn = make("button", { type: "button" }, gettext("Save SVG"));
  drawn.addEventListener("click", () => save(asFile(svg()).blob, "path.svg"));
  const picture = make("button", { type: "button" }, gettext("Save PNG"));
  picture.addEventListener("click", () => savePicture(svg()));
  return [drawn, picture];
}

/** The paths of an answer, of which one is shown: lying where there is room for it, else standing.  `shared`: there is a panel. */
export function shownPaths(paths, shared) {
  if (!paths.length) return [];
  const wide = make("div", { class: "explain-path-wide" });
  const narrow = make("div", { class: "explain-path-narrow" });
  const bar = make("div", { class: "explain-path-bar" });
  let path;
  const show = () => {
    path = paths[chosenOf(paths)];
    // Made by rosexplain.drawing, which escapes every text in it.
    wide.innerHTML = path.svg;
    narrow.innerHTML = path.narrow;
  };
  show();
  if (paths.length > 1) {
    const select = make("select", {}, ...paths.map(({ label }) => make("option", { selected: label === path.label }, label)));
    select.addEventListener("change", () => { chosen = select.value; show(); });
    bar.append(make("label", {}, gettext("Packets:"), " ", select));
  }
  // What can be shared is saved there, with its names replaced.
  if (!shared) bar.append(...saving(() => path.svg));
  return [make("figure", { class: "explain-path" }, wide, narrow, bar)];
}
