// A card's code becomes a seat of this browser.
"use strict";

const form = document.querySelector("form");
const error = document.querySelector(".error");
const NEXT = { learner: "/", instructor: "/workshop/pages/board", projector: "/workshop/pages/projector" };

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  error.textContent = "";
  try {
    const answer = await fetch("/workshop/api/join", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: document.querySelector("#code").value }),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    if (told.role === "learner") {
      const { seat, life, title } = told;
      localStorage.setItem("ppslab-workshop", JSON.stringify({ seat, life, title }));
    }
    location.href = NEXT[told.role];
  } catch (failure) {
    error.textContent = failure.message;
  }
});
