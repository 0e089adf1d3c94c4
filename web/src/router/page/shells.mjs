// Which shell you type in: the one that takes RouterOS commands, or Linux's.
import { gettext } from "../../gettext.mjs";
import { script } from "./beside.mjs";
import { make } from "../making.mjs";

const SHELLS = [["routeros", gettext("RouterOS commands (model, not RouterOS)")], ["linux", gettext("Linux shell")]];
/** Where the tabs of tasks keep what the reader chose (sphinx-design, sync-group "words"). */
const KEY = "sphinx-design-tab-id-words";

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // A browser that keeps nothing: the page begins as if nobody had chosen.
  }
}

function keep(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // As above.
  }
}

export class Shells {
  constructor(router) {
    this.router = router;
    this.place = make("div", { className: "ppslab-router-shells", hidden: true });
  }

  /** Show a button for each; `chosen` is pressed. */
  show(chosen) {
    const button = ([name, text]) => {
      const act = () => this.router.tried(() => {
        keep(name);
        return this.choose(name);
      });
      const made = make("button", { type: "button", onclick: act }, text);
      made.dataset.shell = name;
      made.setAttribute("aria-pressed", String(name === chosen));
      return made;
    };
    this.place.replaceChildren(...SHELLS.map(button));
    this.place.hidden = false;
  }

  /** Begin as the reader chose last; where nobody has, in RouterOS's words if a task has them. */
  async begin() {
    const { told } = this.router;
    this.show("linux");
    const typed = told.tasks?.tasks.some(({ routeros }) => routeros && !routeros.why);
    const chosen = kept() ?? (typed ? "routeros" : "linux");
    if (chosen !== "routeros") return;
    await this.open();
    this.reveal("routeros");
  }

  /** "routeros" or "linux": the words in which the reader types. */
  get words() {
    return this.model ? "routeros" : "linux";
  }

  /** RouterOS's, while it is the one that is shown. */
  get model() {
    return this.routeros?.place.hidden === false ? this.routeros : undefined;
  }

  async choose(name) {
    if (name === "routeros" && !this.routeros) {
      this.router.say(gettext("Loading …"));
      await this.open();
      this.router.say("");
    }
    this.reveal(name);
  }

  /** Load RouterOS's shell once; it is not shown by that. */
  open() {
    this.opening ??= this.opened().catch((error) => {
      this.opening = undefined; // What did not load is asked for anew.
      throw error;
    });
    return this.opening;
  }

  async opened() {
    const { router } = this;
    const { machine } = router;
    if (!globalThis.ppslabRouteros) await script("router-routeros.js");
    const made = await globalThis.ppslabRouteros(router);
    if (router.machine !== machine) throw new Error("The router was stopped meanwhile.");
    made.place.hidden = true;
    router.screen.after(made.place);
    this.routeros = made;
    return made;
  }

  reveal(name) {
    const { router } = this;
    this.show(name);
    router.screen.hidden = name !== "linux";
    if (this.routeros) this.routeros.place.hidden = name === "linux";
    router.tasks?.show();
    if (name === "linux") router.terminal.focus();
    else this.routeros.focus();
  }

  /** What the RouterOS shell knew of a router that was deployed again. */
  forget() {
    this.routeros?.forget();
  }

  end() {
    this.place.hidden = true;
    this.routeros?.place.remove();
    this.routeros = this.opening = undefined;
  }
}
