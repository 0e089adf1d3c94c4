// One slider for a guess of cost: the guess is kept, and what was measured is drawn below it.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const WIDE = 100; // Per cent of the drawing, for the longer of two bars.

  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  const digits = (value) => String(Number(value.toPrecision(2)));

  // Which of the two is nearer is said in words: the bars only show it.
  const verdict = (guess, times) => {
    const off = Math.max(guess / times, times / guess);
    if (off < 1.1) {
      return gettext("You were within 10 %.");
    }
    const factor = { times: digits(off) };
    return guess > times ? gettext("Your guess was {times} times too high.", factor)
      : gettext("Your guess was {times} times too low.", factor);
  };

  const bar = (name, value, text, longest, kind) =>
    make("div", { className: `ppslab-bar ${kind}` },
      make("span", { className: "ppslab-bar-name" }, name),
      make("span", { className: "ppslab-bar-line" },
        make("span", { className: "ppslab-bar-fill", style: `width:${(WIDE * value) / longest}%` })),
      make("span", {}, text));

  const start = (form) => {
    const { lab, reference, steps } = form.dataset;
    const measured = JSON.parse(form.dataset.measured);
    const { progress } = globalThis.ppslab;
    const slider = form.querySelector("input");
    const select = form.querySelector("select");
    const said = form.querySelector(".ppslab-slide-said strong");
    const result = form.querySelector(".ppslab-slide-result");
    const { reveal, next } = form.elements;
    const nameOf = (condition) => `${lab}/prediction/${condition}`;
    const guess = () => 2 ** (slider.value / steps);

    const say = () => {
      said.textContent = gettext("{digits} times as much", { digits: digits(guess()) });
      slider.setAttribute("aria-valuetext", said.textContent);
    };

    const show = () => {
      const { title, times, text } = measured[select.selectedIndex];
      const longest = Math.max(1, guess(), times);
      result.replaceChildren(
        bar(reference, 1, "1", longest, "is-reference"),
        bar(gettext("You guessed"), guess(), digits(guess()), longest, "is-guess"),
        bar(gettext("Measured: {title}", { title }), times, text, longest, "is-measured"),
        make("p", {}, verdict(guess(), times)));
      next.hidden = false;
    };

    const take = () => {
      const kept = Number(progress.read().answers[nameOf(select.value)]);
      slider.value = kept > 0 ? Math.round(steps * Math.log2(kept)) : 0;
      result.replaceChildren();
      next.hidden = true;
      say();
    };

    slider.addEventListener("input", () => {
      result.replaceChildren();
      say();
    });
    reveal.addEventListener("click", () => {
      const value = digits(guess());
      progress.answer(nameOf(select.value), value);
      for (const cell of document.querySelectorAll(`.guess-${CSS.escape(select.value)}`)) {
        cell.textContent = value;
      }
      document.dispatchEvent(new CustomEvent("ppslab:done", {
        detail: { chapter: lab, kind: "prediction", id: "costs" },
      }));
      show();
    });
    next.addEventListener("click", () => {
      select.selectedIndex = (select.selectedIndex + 1) % select.length;
      take();
      slider.focus();
    });
    select.addEventListener("change", take);
    take();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("form.ppslab-slide").forEach(start);
  });
})();
