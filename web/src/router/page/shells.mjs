// Which shell you type in: Linux's, or the one that takes RouterOS commands.
import { script } from "./beside.mjs";
import { make } from "../making.mjs";

const SHELLS = [["linux", "Linux shell"], ["routeros", "RouterOS commands (model, not RouterOS)"]];

export class Shells {
  constructor(router) {
    this.router = router;
    this.place = make("div", { className: "ppslab-router-shells", hidden: true });
  }

  /** Show a button for each; `chosen` is pressed. */
  show(chosen) {
    const button = ([name, text]) => {
      const act = () => this.router.tried(() => this.choose(name));
      const made = make("button", { type: "button", onclick: act }, text);
      made.dataset.shell = name;
      made.setAttribute("aria-pressed", String(name === chosen));
      return made;
    };
    this.place.replaceChildren(...SHELLS.map(button));
    this.place.hidden = false;
  }

  /** RouterOS's, while it is the one that is shown. */
  get model() {
    return this.routeros?.place.hidden === false ? this.routeros : undefined;
  }

  async choose(name) {
    const { router } = this;
    if (name === "routeros" && !this.routeros) {
      if (!globalThis.ppslabRouteros) {
        router.say("Loading …");
        await script("router-routeros.js");
      }
      this.routeros = await globalThis.ppslabRouteros(router);
      router.screen.after(this.routeros.place);
      router.say("");
    }
    this.show(name);
    router.screen.hidden = name !== "linux";
    if (this.routeros) this.routeros.place.hidden = name === "linux";
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
    this.routeros = undefined;
  }
}
