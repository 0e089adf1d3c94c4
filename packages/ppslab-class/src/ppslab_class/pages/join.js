// A card's code becomes a seat of this browser; who has one already is told so, and can leave.
"use strict";

const form = document.querySelector("form");
const error = document.querySelector(".error");
const heading = document.querySelector("h1");
const inside = document.querySelector("#in");
const KEY = "ppslab-workshop"; // Of seat.js.
const TO_JOIN = heading.textContent;
const NEXT = {
  learner: ["/", "To the course"],
  instructor: ["/workshop/pages/board", "To the board"],
  projector: ["/workshop/pages/projector", "To the projector's page"],
};

const ask = async (name, body) => {
  const words = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`/workshop/api/${name}`, { ...words, cache: "no-store" });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
};

const keep = ({ role, seat, life, title }) => {
  if (role === "learner") localStorage.setItem(KEY, JSON.stringify({ seat, life, title }));
};

const show = (told) => {
  const { seat, role, title } = told;
  form.hidden = Boolean(seat);
  inside.hidden = !seat;
  document.querySelector("#without").hidden = Boolean(seat);
  heading.textContent = seat ? "You have joined" : TO_JOIN;
  document.title = seat ? "Your seat in the workshop" : TO_JOIN;
  // What is told of a learner is told of nobody else.
  for (const each of document.querySelectorAll(".learner")) each.hidden = Boolean(seat) && role !== "learner";
  if (!seat) return;
  const as = role === "learner" ? seat.replace("-", " ") : `the ${role}`;
  document.querySelector("#who").textContent = `This browser has joined “${title || "the workshop"}” as ${as}.`;
  const [address, text] = NEXT[role];
  Object.assign(document.querySelector("#on"), { href: address, textContent: text });
  // Its pages tell the board of a seat only where they find it here.
  if (!localStorage.getItem(KEY)) keep(told);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  error.textContent = "";
  try {
    const told = await ask("join", { code: document.querySelector("#code").value });
    keep(told);
    location.href = NEXT[told.role][0];
  } catch (failure) {
    error.textContent = failure.message;
  }
});

document.querySelector("#leave").addEventListener("click", async () => {
  document.querySelector("#refused").textContent = "";
  try {
    await ask("leave", {});
    localStorage.removeItem(KEY);
    show({ seat: null });
    document.querySelector("#code").focus();
  } catch (failure) {
    document.querySelector("#refused").textContent = failure.message;
  }
});

// Without an answer there is the form, which says what is wrong when it is sent.
ask("join").then(show).catch(() => {});
