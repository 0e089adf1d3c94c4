// A terminal in this page, shown to the instructor while the learner agrees, and typed into with a
// second agreement.  seat.js loads it when a terminal opens and lets it poll.  What is agreed is in
// this page alone: it ends with a reload, and with the lesson.
(() => {
  "use strict";

  const MOST_TEXT = 12_000; // As the board takes it (board/screens.py).
  const WATCHED_MS = 2_000;
  const FRESH_MS = 30_000; // After the learner agrees: mostly the instructor waits for it.
  const TYPED_MS = 800; // Until the terminal has answered what was typed.
  const NAMES = { enter: "Enter", tab: "Tab", backspace: "Backspace", escape: "Esc", "ctrl-c": "Ctrl-C", up: "Up", down: "Down", left: "Left", right: "Right" };

  const plain = (text) => text.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\n]/gu, " ").replaceAll(/\p{Cs}/gu, "?").slice(-MOST_TEXT).replace(/^[\udc00-\udfff]/, "");

  /** terminal: {beside, visible(), type({text, key})}; seat: {ask, now, life, make, newId}. */
  globalThis.ppslabShare = (terminal, { ask, now, life, make, newId }) => {
    const see = make("input", { type: "checkbox" });
    const write = make("input", { type: "checkbox", disabled: true });
    const line = make("p", { className: "ppslab-share-line" });
    line.setAttribute("role", "status");
    const banner = make("p", { className: "ppslab-share-banner", hidden: true });
    banner.setAttribute("role", "status");
    const typedHere = make("ul", { className: "ppslab-share-typed" });
    typedHere.setAttribute("aria-live", "polite");
    const place = make("div", { className: "ppslab-share" },
      make("label", {}, see, " Let the instructor see this terminal"),
      make("label", {}, write, " Let the instructor type in it"),
      line, banner, typedHere);
    terminal.beside.after(place);

    let consent; // Of this agreement; undefined: the learner does not agree.
    const ended = new Set(); // Agreements of whose end the board has not heard yet.
    let first, watched, have, sent, typed, justTyped, since;

    const forget = () => { first = true; watched = have = justTyped = false; sent = undefined; typed = 0; };
    forget();

    const show = () => {
      write.disabled = !consent;
      banner.hidden = !watched;
      banner.textContent = write.checked ? "The instructor sees this terminal now, and may type in it." : "The instructor sees this terminal now.";
    };

    const end = (why = "") => {
      if (!consent) return;
      ended.add(consent);
      consent = undefined;
      see.checked = write.checked = false;
      line.textContent = why;
      typedHere.replaceChildren();
      forget();
      show();
    };

    see.addEventListener("change", () => {
      if (see.checked) {
        consent = newId();
        since = performance.now();
        line.textContent = "";
      } else end();
      show();
      now();
    });
    write.addEventListener("change", () => { show(); now(); });

    const type = (keys) => {
      for (const { n, text, key } of keys) {
        // A tab that nobody sees shows nobody what is typed: the board tells that it was not.
        if (n <= typed || !write.checked || document.hidden) continue;
        typed = n;
        justTyped = true;
        terminal.type({ text, key });
        typedHere.append(make("li", {}, "The instructor typed: ", make("code", {}, [text, NAMES[key]].filter(Boolean).join(" "))));
        while (typedHere.children.length > 5) typedHere.firstChild.remove();
      }
    };

    const talk = async () => {
      for (const each of ended) {
        await ask("share", { consent: each, life: life(), see: false });
        ended.delete(each);
      }
      const mine = consent;
      if (!mine) return;
      const screen = watched ? plain(terminal.visible()) : sent;
      const text = watched && (screen !== sent || !have) ? screen : undefined;
      justTyped = false;
      let answer;
      try {
        answer = await ask("share", { consent: mine, life: life(), first, see: true, type: write.checked, typed, text });
      } catch (error) {
        if (error.status === 429) return;
        if (error.status !== 400) throw error;
        end("The board refused this terminal, so the instructor does not see it.");
        return;
      }
      if (consent !== mine) return;
      if (!answer.agreed) {
        end("The instructor no longer sees this terminal: the class is over, or another page of this seat shares its terminal.");
        return;
      }
      first = false;
      have = answer.have;
      if (text !== undefined) sent = text;
      const begins = answer.watched && !watched;
      watched = answer.watched;
      show();
      type(answer.keys);
      if (begins) await talk(); // The banner is there: now the screen goes.
    };

    const close = () => {
      end();
      place.remove();
      now();
    };
    // The request outlives the page; and a page that comes back from the browser's memory agrees to nothing.
    globalThis.addEventListener("pagehide", () => {
      const left = consent;
      end();
      if (left) ask("share", { consent: left, life: life(), see: false }).catch(() => {});
    });
    show();
    const wait = () => {
      if (!consent) return Infinity;
      if (justTyped) return TYPED_MS;
      return watched || performance.now() - since < FRESH_MS ? WATCHED_MS : Infinity;
    };
    return { talk, end, close, wait, watched: () => watched };
  };
})();
