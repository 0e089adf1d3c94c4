// What the hall sees: the class's guesses before a measurement, every seat's figure after it.
"use strict";

const EVERY_MS = 2_000;
const { shown, counted } = globalThis.ppslabHall;
let failed = 0;
let last = "";

const show = (told) => {
  const main = document.querySelector("main");
  at("title").textContent = told.question?.title ?? told.day.title;
  at("count").textContent = told.day.paused ? "Pause" : "";
  if (!told.question) {
    main.replaceChildren(make("p", {}, "Join at ", make("strong", {}, told.join)));
    return;
  }
  at("count").textContent = counted(told);
  main.replaceChildren(...shown(told));
};

const poll = async () => {
  try {
    const answer = await fetch("/workshop/api/projector", { signal: AbortSignal.timeout(15_000) });
    if (answer.status === 401 || answer.status === 403) location.href = "/workshop/pages/join";
    const text = await answer.text();
    if (answer.ok && text !== last) {
      show(JSON.parse(text));
      last = text;
    }
    failed = 0;
  } catch {
    failed += 1; // What is shown stays.
  }
  setTimeout(poll, EVERY_MS * 2 ** Math.min(failed, 4));
};
poll();
