// The controls above an answer, folded into one bar.
import { gettext, make } from "./element.js";

/** A bar for `form`: what the answer is about, and buttons that unfold the form and lead to `further`. */
export function foldingBar(form, further) {
  const name = make("strong"), about = make("span");
  const change = make("button", { type: "button", "aria-controls": form.id }, gettext("Change"));
  const options = make("button", { type: "button" }, gettext("Options"));
  const element = make("div", { class: "ppslab-asked", role: "group", "aria-label": gettext("What this answer is about"), hidden: true },
    make("p", {}, name, " ", about), change, options);
  const fold = (folded) => {
    form.hidden = folded;
    change.setAttribute("aria-expanded", String(!folded));
  };
  fold(false);
  change.addEventListener("click", () => fold(!form.hidden));
  options.addEventListener("click", () => {
    further.scrollIntoView();
    further.querySelector("input, select, textarea").focus({ preventScroll: true });
  });
  return {
    element,
    fold,
    /** `called` is a file's name; without what the answer is about there is no bar. */
    show(called, router = "") {
      name.textContent = called || gettext("pasted");
      about.textContent = router;
      element.hidden = !router;
      if (!router) fold(false);
    },
  };
}
