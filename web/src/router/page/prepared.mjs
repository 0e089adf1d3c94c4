// Buttons that give the router what a lab measures, and the counted figure that they move.
import { gettext } from "../../gettext.mjs";
import { make } from "../making.mjs";

const SPACE = "\u202f";
const grouped = (digits) => digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, SPACE) : digits;
const NS = "http://www.w3.org/2000/svg";

/** A bar as long as its part of the longest. */
function bar(part) {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const drawn = document.createElementNS(NS, "rect");
  drawn.setAttribute("width", String(100 * part));
  drawn.setAttribute("height", "10");
  svg.append(drawn);
  return svg;
}

export class Prepared {
  constructor(router) {
    this.router = router;
    [this.base, ...this.others] = router.told.prepared;
    this.figures = new Map();
    this.buttons = make("div", { className: "ppslab-router-buttons" });
    this.buttons.setAttribute("role", "group");
    this.buttons.setAttribute("aria-label", gettext("Give the router more work"));
    for (const each of this.others) {
      const press = () => this.router.tried(() => this.press(each));
      const button = make("button", { type: "button", onclick: press }, each.title);
      button.dataset.prepared = each.title;
      button.setAttribute("aria-pressed", "false");
      this.buttons.append(button);
    }
    this.list = make("ul", { className: "ppslab-router-bars", hidden: true });
    this.list.setAttribute("aria-label", gettext("Instructions per packet, counted in this page"));
    this.place = make("div", { className: "ppslab-router-prepared" }, this.buttons, this.list);
    router.place.prepend(this.place);
  }

  /** Count it: now, where the router runs; else as soon as it does. */
  async press(each) {
    this.chosen = each;
    const { state } = this.router.place.dataset;
    if (state === "running") await this.go();
    else if (state !== "loading") await this.router.asked();
  }

  async go() {
    const { chosen, router } = this;
    if (!chosen || this.busy) return;
    this.busy = true;
    this.mark();
    try {
      if (!this.figures.has(this.base)) await this.count(this.base);
      await this.count(chosen);
    } catch (error) {
      router.say(error.message ?? String(error));
    } finally {
      this.busy = false;
      this.mark();
    }
  }

  /** Wire the lab again, give the router the condition, and count a packet. */
  async count(each) {
    const { router } = this;
    const { machine } = router;
    router.say(gettext("{title}: the router is being set up …", { title: each.title }));
    await router.anew();
    await router.costs.run({ do: "ask", script: each.script });
    await router.counted(each);
    // A router that was stopped meanwhile is another one now.
    if (router.machine !== machine) return;
    this.figures.set(each, router.costs.memory[0].cost);
    this.show();
  }

  mark() {
    for (const button of this.buttons.children) {
      button.disabled = Boolean(this.busy);
      const own = button.dataset.prepared === this.chosen?.title;
      button.setAttribute("aria-pressed", String(own));
    }
  }

  show() {
    const most = Math.max(...this.figures.values());
    const rows = [...this.figures].map(([each, cost]) => make("li", {},
      make("span", {}, each.title), bar(cost / most),
      make("strong", {}, `${grouped(String(Math.round(cost / 10) * 10))} instructions`)));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
  }

  /** The figures stay: they are counted; the router that is gone does nothing more. */
  end() {
    this.chosen = undefined;
    this.busy = false;
    this.mark();
  }
}
