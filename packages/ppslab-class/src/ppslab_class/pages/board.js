// The instructor's page: every seat, task by task, and what can be done to the class.
"use strict";

const EVERY_MS = 3_000;
const AWAY_MS = 120_000;

let told = null;
let failed = 0;
const chosen = new Set();

const ask = async (name, body) => {
  const words = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`/workshop/api/${name}`, { ...words, signal: AbortSignal.timeout(15_000) });
  if (answer.status === 401) location.href = "/workshop/pages/join";
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error), { status: answer.status });
  return said;
};

const act = async (body) => {
  document.querySelector(".error").textContent = "";
  try {
    await ask("act", body);
    await poll();
  } catch (error) {
    document.querySelector(".error").textContent = error.message;
  }
};

const since = (time) => {
  const minutes = Math.floor((Date.parse(told.now) - Date.parse(time)) / 60_000);
  return minutes < 1 ? "now" : `${minutes} min ago`;
};

// A name is a chapter's or a task's; where the course has no title for it, the name is all there is.
const titleOf = (name) => told.chapters.find((each) => each.name === name)?.title ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
const taskOf = (name) => told.chapters.flatMap((each) => each.tasks).find((each) => each.name === name)?.title ?? name;
const placeOf = (page) => {
  const [first, ...rest] = page.split("/").filter((part) => part !== "index");
  if (!first) return page ? "front page" : "-";
  if (!rest.length) return titleOf(first);
  const [chapter, ...parts] = rest;
  return [titleOf(chapter), ...(first === "notebooks" ? ["notebook"] : []), ...parts].join(": ");
};
const STUCK = { tries: "failed tries", time: "twice the planned minutes" };

const cell = (task) => {
  if (!task) return make("td", {}, "");
  const parts = [];
  if (task.done) parts.push(task.moves ? `done in ${count(task.moves, "move")}` : "done");
  if (task.fails) parts.push(count(task.fails, "failed try", "failed tries"));
  if (task.hints) parts.push(count(task.hints, "hint"));
  if (task.solved) parts.push("solution read");
  return make("td", { className: task.done ? "done" : "open" }, parts.join(", ") || "begun");
};

const row = (seat, tasks) => {
  const quiet = !seat.last || Date.parse(told.now) - Date.parse(seat.last) > AWAY_MS;
  const line = make("tr", { className: seat.help ? "help" : seat.stuck ? "stuck" : quiet ? "away" : "" });
  const box = make("input", { type: "checkbox", checked: chosen.has(seat.name) });
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(seat.name);
    else chosen.delete(seat.name);
    names();
  });
  const state = [];
  if (seat.help) state.push(`asks for help, ${since(seat.help)}`);
  if (seat.stuck) state.push(`stuck at "${taskOf(seat.stuck.task)}" (${STUCK[seat.stuck.why]})`);
  const does = make("td");
  if (seat.help) does.append(make("button", { type: "button", onclick: () => act({ do: "helped", seat: seat.name }) }, "Helped"));
  does.append(make("button", {
    type: "button",
    onclick: () => confirm(`Reset ${seat.name} for another person?`) && act({ do: "reset", seat: seat.name }),
  }, "Reset"));
  line.append(
    make("th", { scope: "row" }, make("label", {}, box, ` ${seat.name}`)),
    make("td", {}, placeOf(seat.page)),
    make("td", {}, seat.last ? since(seat.last) : "not joined yet"),
    make("td", { className: "state" }, state.join("; ")),
    does,
    make("td", { className: "far" }, `${count(seat.read, "page")}, ${count(seat.quiz, "question")}`),
    ...tasks.map((task) => cell(seat.tasks[task.name])),
  );
  return line;
};

const names = () => {
  at("to").textContent = chosen.size
    ? `To ${[...chosen].sort().join(", ")}.`
    : "To all seats. To send it to some seats only, choose these seats in the table.";
};

const choice = (select, rows, text) => {
  const value = select.value;
  const wanted = rows.map((each) => each.name).join(" ") + rows.map(text).join(" ");
  if (select.dataset.of === wanted) return;
  select.dataset.of = wanted;
  select.replaceChildren(...rows.map((each) => make("option", { value: each.name }, text(each))));
  if (rows.some((each) => each.name === value)) select.value = value;
};

// Until the instructor chooses, a list shows what the class is at.
const follow = (select, value) => {
  if (!select.dataset.chosen && [...select.options].some((each) => each.value === value)) select.value = value;
};
const chapterHere = () => {
  const pages = told.day.page ? [told.day.page] : told.seats.map((seat) => seat.page);
  const seen = new Map();
  for (const page of pages) {
    const name = page.replace(/^\//, "").split("/")[1];
    if (told.chapters.some((each) => each.name === name)) seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  return [...seen].sort((one, other) => other[1] - one[1])[0]?.[0];
};

const show = () => {
  const { day, seats, chapters } = told;
  at("title").textContent = day.title;
  choice(at("chapter"), chapters, (each) => each.title);
  follow(at("chapter"), chapterHere());
  const own = (each) => chapterOf(each.name) === at("chapter").value;
  const questions = [...told.questions.filter(own), ...told.questions.filter((each) => !own(each))];
  choice(at("question"), questions, (each) => `${each.title} (${count(each.guesses, "guess", "guesses")})`);
  follow(at("question"), day.shown || questions[0]?.name);
  const tasks = chapters.find((each) => each.name === at("chapter").value)?.tasks ?? [];
  const heads = ["seat", "page", "last report", "state", "", "progress"].map((text) => make("th", { scope: "col" }, text));
  const titles = tasks.map((task) => make("th", { scope: "col", className: "task" }, `${task.title} (${task.par ? `par ${task.par}` : `${task.minutes} min`})`));
  document.querySelector("thead").replaceChildren(make("tr", {}, ...heads, ...titles));
  const order = (seat) => (seat.help ? 0 : seat.stuck ? 1 : 2);
  const sorted = [...seats].sort((one, other) => order(one) - order(other));
  const focused = document.activeElement?.closest("tbody");
  if (!focused) document.querySelector("tbody").replaceChildren(...sorted.map((seat) => row(seat, tasks)));
  const here = seats.filter((seat) => seat.last).length;
  at("line").textContent = `${here} of ${seats.length} seats have joined${day.paused ? "; paused" : ""}${day.over ? "; over" : ""}`;
  document.querySelector("#day button[value=pause]").textContent = day.paused ? "Continue" : "Pause";
  document.querySelector("#day button[value=end]").textContent = day.over ? "Reopen the day" : "End the day";
  if (document.activeElement !== at("page") && !at("page").dataset.typed) at("page").value = day.page;
};

const chapterOf = (what) => what.split("/")[0];

const poll = async () => {
  try {
    told = await ask("class");
    failed = 0;
    show();
  } catch (error) {
    failed += 1;
    at("line").textContent = `The server cannot be reached (${error.message}). Seats keep working, and report when the server is back.`;
  }
};

const forever = async () => {
  await poll();
  setTimeout(forever, EVERY_MS * 2 ** Math.min(failed, 3));
};

const on = (id, does) => at(id).addEventListener("submit", (event) => {
  event.preventDefault();
  does(event.submitter?.value ?? "");
});
on("message", async () => {
  await act({ do: "message", seats: [...chosen], text: at("text").value, link: at("link").value });
  if (!document.querySelector(".error").textContent) at("message").reset();
});
on("stage", () => act({ do: "stage", page: at("page").value }));
on("show", (phase) => act({ do: "show", what: phase ? at("question").value : "", phase: phase || "before" }));
on("day", (what) => ({
  pause: () => act({ do: "pause", on: !told.day.paused }),
  end: () => confirm(told.day.over ? "Open the day again for every seat?" : "End the day for every seat?") && act({ do: "end", on: !told.day.over }),
})[what]?.());
at("chapter").addEventListener("change", () => { at("chapter").dataset.chosen = "yes"; show(); });
at("question").addEventListener("change", () => { at("question").dataset.chosen = "yes"; });
at("page").addEventListener("input", () => { at("page").dataset.typed = "yes"; });
forever();
