// The router in the page: what its buttons do.  Nothing is fetched before the first is pressed.
import { gettext } from "../../gettext.mjs";
import { beside, script } from "./beside.mjs";
import { Costs } from "./cost.mjs";
import { asFile, forget, keep, kept, ofFile } from "./kept.mjs";
import { Machine } from "./machine.mjs";
import { make } from "../making.mjs";
import { megabytes, needs, scruple } from "./needs.mjs";
import { Prepared } from "./prepared.mjs";
import style from "./page.css";

const RUN = "/run/ppslab-run";

/** Which router this is: kept in it, so that a saved one is still the same. */
function runScript() {
  const words = crypto.getRandomValues(new Uint32Array(3));
  return `echo ${[...words].map((word) => word.toString(36)).join("")} >${RUN}\n`;
}

class Router {
  constructor(place) {
    this.place = place;
    this.told = JSON.parse(place.querySelector("script").textContent);
    const { manifest } = this.told;
    this.fits = `v86 ${PPSLAB_V86} with ${manifest.memory_mb} MB`;
    this.size = this.told.more_bytes + manifest.files[manifest.state].bytes;
    this.status = make("p", { className: "ppslab-router-status" });
    this.status.setAttribute("role", "status");
    this.bar = make("progress", { max: 1, hidden: true });
    this.bar.setAttribute("aria-label", gettext("Download progress of the router"));
    this.buttons = make("div", { className: "ppslab-router-buttons" });
    this.screen = make("div", { className: "ppslab-router-screen", hidden: true });
    place.append(this.buttons, this.bar, this.status, this.screen);
    if (this.told.count) this.costs = new Costs(this);
    if (this.told.prepared?.length) this.prepared = new Prepared(this);
    document.addEventListener("visibilitychange", () => this.seen());
    this.idle();
  }

  say(text) {
    this.status.textContent = text;
  }

  offer(...buttons) {
    this.buttons.replaceChildren(
      ...buttons.map(([text, name, act]) => {
        const button = make("button", { type: "button", onclick: () => this.tried(act) }, text);
        button.dataset.does = name;
        return button;
      }),
    );
  }

  async tried(act) {
    try {
      await act();
    } catch (error) {
      this.say(error.message ?? String(error));
    }
  }

  /** No router runs. */
  async idle(text = "") {
    const saved = await kept(this.told.lab);
    const choice = [[gettext("Start the router ({size})", { size: megabytes(this.size) }), "start", () => this.asked()]];
    if (saved?.fits === this.fits) {
      const when = new Date(saved.when).toLocaleString();
      choice.unshift([gettext("Continue with your router from {when}", { when }), "continue", () => this.start(saved)]);
      choice.push([gettext("Delete your saved router"), "forget", () => this.forgotten()]);
    } else if (saved) {
      const other = gettext(
        "The router that you saved here was created with {saved}; this page has {fits}, which cannot load the saved router.",
        { saved: saved.fits, fits: this.fits },
      );
      text = `${text} ${other}`;
      choice.push([gettext("Delete your saved router"), "forget", () => this.forgotten()]);
    }
    choice.push([gettext("Open a saved router …"), "open", () => this.opened()]);
    this.offer(...choice);
    this.bar.hidden = true;
    this.say(text.trim());
    this.place.dataset.state = "idle";
  }

  async forgotten() {
    await forget(this.told.lab);
    await this.idle(gettext("Your saved router is deleted."));
  }

  /** Ask first, where loading may cost the reader something. */
  async asked() {
    const why = scruple();
    if (!why) return this.start();
    this.offer(
      [gettext("Load {size}", { size: megabytes(this.size) }), "load", () => this.start()],
      [gettext("Not now"), "not-now", () => this.stop()],
    );
    this.say(`${why} ${needs(this.size, this.told.tab_mb)}`);
  }

  async start(saved) {
    this.began = performance.now();
    this.sized = saved?.sized;
    this.place.dataset.state = "loading";
    this.offer([gettext("Stop"), "stop", () => this.stop(gettext("Stopped."))]);
    this.bar.hidden = false;
    this.say(gettext("Loading …"));
    if (!globalThis.ppslabTerminal) await script("router-terminal.js");
    if (this.told.tasks && !globalThis.ppslabTasks) await script("router-tasks.js");
    this.machine = new Machine(beside("router-worker.mjs"), (message) => this.heard(message));
    this.machine.tell({
      do: "start",
      base: beside("page-router/"),
      emulator: PPSLAB_V86,
      manifest: this.told.manifest,
      script: this.told.script,
      onto: this.told.onto,
      run: runScript(),
      saved: saved?.content,
    });
  }

  heard(data) {
    const { kind } = data;
    if (kind === "progress") {
      const part = data.part === undefined ? "" : `, ${Math.floor(100 * data.part)} %`;
      if (data.part === undefined) this.bar.removeAttribute("value");
      else this.bar.value = data.part;
      this.say(`${data.what[0].toUpperCase()}${data.what.slice(1)}${part} …`);
    } else if (kind === "output") {
      if (this.terminal) this.terminal.write(data.bytes);
    } else if (kind === "ready") this.ready(data);
    else if (kind === "failed") this.stop(gettext("The router failed: {text}", { text: data.text }));
  }

  ready({ how, why }) {
    const seconds = ((performance.now() - this.began) / 1000).toFixed(1);
    this.bar.hidden = true;
    this.screen.hidden = false;
    this.screen.replaceChildren();
    this.untouched = how !== "saved";
    this.terminal = globalThis.ppslabTerminal(this.screen, (text) => {
      this.untouched = false;
      this.machine?.tell({ do: "type", text });
    });
    this.terminal.onResize(() => this.resized());
    this.resized();
    this.terminal.write(this.told.first.join("\r\n") + "\r\n\r\nlab# ");
    // Who pressed a prepared button reads its figure; the page stays where they are.
    if (!this.prepared?.chosen) this.terminal.focus();
    this.running();
    if (this.told.tasks) this.tried(() => this.tasked());
    const ways = {
      built: gettext("The router is running ({seconds} s).", { seconds }),
      saved: gettext("The router continues from the state that you saved ({seconds} s).", { seconds }),
      cold: gettext("The router booted from its kernel ({seconds} s), because {why}.", { seconds, why }),
    };
    this.say(ways[how]);
    this.place.dataset.how = how;
    this.place.dataset.state = "running";
    this.seen();
    this.prepared?.go();
  }

  /** The buttons of a running router. */
  running() {
    const count = [gettext("What does a packet cost now?"), "count", () => this.counted()];
    this.offer(
      ...(this.costs ? [count] : []),
      [gettext("Save"), "save", () => this.save()],
      [gettext("Export"), "export", () => this.exported()],
      [gettext("Start over"), "reset", () => this.reset()],
      [gettext("Stop"), "stop", () => this.stop(gettext("Stopped. Unsaved changes are lost."))],
    );
  }

  async tasked() {
    const { output } = await this.asking({ do: "ask", script: `cat ${RUN}` });
    this.tasks = await globalThis.ppslabTasks(this, output.trim());
    this.screen.before(this.tasks.place);
  }

  /** Deploy the nodes again: the reader's changes go, and their shells end. */
  async anew() {
    const { away, script } = this.told;
    if (this.untouched) {
      this.untouched = false;
      return;
    }
    const { code, output } = await this.asking({ do: "ask", script: away + script });
    if (code) throw new Error(`The lab could not be wired again: ${output.trim()}`);
  }

  async counted(prepared) {
    this.offer([gettext("Stop"), "stop", () => this.stop(gettext("Stopped. Unsaved changes are lost."))]);
    const { machine } = this;
    try {
      this.say(await this.costs.count(prepared));
    } finally {
      if (this.machine === machine) this.running();
    }
  }

  asking(message) {
    return this.machine.ask(message);
  }

  /** A saved router mostly has the size already, and a question takes it half a second. */
  async resized() {
    const size = `rows ${this.terminal.rows} cols ${this.terminal.cols}`;
    if (size === this.sized) return;
    this.sized = undefined; // until it has answered: who drags the size back meanwhile asks anew
    await this.asking({ do: "ask", script: `stty ${size} </dev/ttyS0` });
    this.sized = size;
  }

  async state() {
    this.say(gettext("Saving …"));
    const { content } = await this.asking({ do: "save" });
    return { lab: this.told.lab, fits: this.fits, when: Date.now(), sized: this.sized, content };
  }

  async save() {
    const state = await this.state();
    await keep(state);
    this.say(gettext("Saved in this browser ({size}).", { size: megabytes(state.content.byteLength) }));
  }

  async exported() {
    const state = await this.state();
    const address = URL.createObjectURL(asFile(state));
    make("a", { href: address, download: `${this.told.lab}.ppslab-router` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    this.say(gettext("Exported ({size}).", { size: megabytes(state.content.byteLength) }));
  }

  opened() {
    const choose = make("input", { type: "file", accept: ".ppslab-router" });
    choose.addEventListener("change", () =>
      this.tried(async () => this.start(await ofFile(choose.files[0], this.told.lab, this.fits))),
    );
    choose.click();
  }

  async reset() {
    this.end();
    await this.start();
  }

  stop(text) {
    this.end();
    return this.idle(text);
  }

  end() {
    this.machine?.end();
    this.machine = undefined;
    this.terminal?.dispose();
    this.terminal = undefined;
    this.screen.hidden = true;
    this.tasks?.place.remove();
    this.tasks = undefined;
    this.prepared?.end();
  }

  /** A tab that nobody sees computes nothing. */
  seen() {
    if (this.place.dataset.state !== "running") return;
    this.machine.tell({ do: document.hidden ? "pause" : "go" });
    this.place.dataset.paused = String(document.hidden);
  }
}

function begin() {
  const places = document.querySelectorAll(".ppslab-router");
  if (!places.length) return;
  document.head.append(make("style", { textContent: style }));
  for (const place of places) {
    if (location.protocol === "file:") {
      place.append(make("p", {}, gettext("A page opened from a disk cannot start the router. In this folder, run ")
        + "python3 -m http.server, then open http://127.0.0.1:8000."));
    } else place.router = new Router(place);
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
