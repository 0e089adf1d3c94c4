// The class's guesses as bars, and every seat's figure: the projector's page and a slide show them.
// making.js comes before it.
"use strict";

globalThis.ppslabHall = (() => {
  const bars = (rows) => {
    const most = Math.max(1, ...rows.map((each) => each.count));
    return make("ol", { className: "bars" }, ...rows.map((each) => {
      const bar = make("div", { className: "bar" });
      bar.hidden = !each.count;
      bar.style.height = `${(85 * each.count) / most}%`;
      return make("li", {}, String(each.count || ""), bar, make("div", { className: "label" }, make("bdi", {}, each.label)));
    }));
  };

  const figures = (told) => [
    ...told.beside.map((each) => make("p", { className: "beside" }, `${each.source}: ${each.text}`)),
    make("ul", { className: "figures" }, ...told.measured.map((each) => make("li", {}, `${each.seat.replace("-", " ")}: `, make("bdi", {}, each.text)))),
  ];

  // What stands below a question: bars before the measurement, figures and bars after it.
  const guessed = (told) => make("p", { className: "guessed" }, `Guesses of ${count(told.guessed, "seat")} before the measurement:`);
  const shown = (told) => [...(told.phase === "after" ? [...figures(told), guessed(told)] : []), bars(told.bars)];
  const counted = (told) =>
    told.phase === "after" ? `${count(told.measured.length, "seat")} measured` : count(told.guessed, "guess", "guesses");

  return { shown, counted };
})();
