// The slide of the class's guesses: what the hall's board shows now, while this slide is open.
// Opened from a folder, or from a server without a board, the slide keeps saying that there is none.
"use strict";

(() => {
  const EVERY_MS = 2_000;
  const { shown, counted } = globalThis.ppslabHall;
  const places = [...document.querySelectorAll(".ppslab-hall-slide [data-chapter]")];
  if (!places.length || !location.protocol.startsWith("http")) return;

  const say = (place, ...children) => {
    place.parentElement.classList.add("is-served");
    place.replaceChildren(...children);
    globalThis.Reveal?.layout(); // Else the slide stays as high as it was when it was empty.
  };

  const show = (place, told) => {
    const chapter = place.dataset.chapter;
    if (!told.question) {
      say(place, make("p", {}, "The board shows no question yet."));
    } else if (told.question.name.split("/")[0] === chapter) {
      say(place, make("p", { className: "ppslab-question" }, `${told.question.title}: ${counted(told)}`), ...shown(told));
    } else {
      say(place, make("p", {}, `The board shows a question of another chapter: ${told.question.title}.`));
    }
  };

  // The speaker's window holds this deck twice more, in frames: only what is seen asks the board.
  const isOpen = (place) => place.closest("section").classList.contains("present") && !document.hidden;

  let served = true;
  const poll = async () => {
    const place = places.find(isOpen);
    if (place) {
      try {
        const answer = await fetch("/workshop/api/projector", { signal: AbortSignal.timeout(15_000) });
        if (answer.status === 401 || answer.status === 403) {
          const join = make("a", { href: "/workshop/pages/join" }, "Join");
          say(place, make("p", {}, join, " with the instructor's or the projector's code."));
        } else if (answer.ok) {
          show(place, await answer.json());
        } else {
          served = answer.status !== 404; // a server of files, with no board
        }
      } catch {
        // What is shown stays; the board comes back.
      }
    }
    if (served) setTimeout(poll, EVERY_MS);
  };
  poll();
})();
