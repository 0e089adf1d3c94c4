// The exit ticket of a seat: asked for once, and sent by seat.js, which waits for a board that is away.
"use strict";

const form = document.querySelector("form");

const field = (question) => make("fieldset", { name: question.what },
  make("legend", {}, question.ask),
  ...question.answers.map((each) => make("p", {}, make("label", {},
    make("input", { type: question.several ? "checkbox" : "radio", name: question.what, value: each.letter }),
    ` ${each.says}`))));

const ask = async () => {
  const answer = await fetch("/workshop/api/seat?after=99999999999", { signal: AbortSignal.timeout(15_000) });
  if (answer.status === 401 || answer.status === 403) {
    at("line").replaceChildren("An exit ticket belongs to a seat: ", make("a", { href: "/workshop/pages/join" }, "join first"), ".");
    return;
  }
  const { day, ticket } = await answer.json();
  if (!day.ticket) {
    at("line").textContent = "No exit ticket has been handed out yet.";
    return;
  }
  at("questions").replaceChildren(...ticket.map(field));
  form.hidden = false;
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const detail = {};
  for (const each of at("questions").children) {
    const letters = [...each.querySelectorAll("input:checked")].map((box) => box.value);
    if (letters.length) detail[each.name] = letters.join(" ");
  }
  // An empty one takes back what was written before.
  detail["day/exit/line"] = at("free").value.trim();
  detail["day/exit/name"] = at("name").value.trim();
  document.dispatchEvent(new CustomEvent("ppslab:ticket", { detail }));
  at("line").textContent = "Thank you. You can change your answers and send them again.";
});

ask().catch(() => { at("line").textContent = "The board cannot be reached. Load this page again."; });
