// A seat of a workshop: tells the board what is done here, and shows what the instructor says.
// The board's server puts this script into every page.  Without a seat in this browser, that is
// before somebody typed a code at /workshop, it asks and tells nobody anything.
(() => {
  "use strict";

  const KEY = "ppslab-workshop";
  const API = "/workshop/api/";
  const VISIBLE_MS = 5_000;
  const HIDDEN_MS = 30_000;
  const MOST_MS = 60_000;
  const AT_ONCE = 100;

  const load = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY));
    } catch {
      return null;
    }
  };
  if (!load()?.seat) return;

  // Other tabs of the seat keep the same: read, change, write, without a pause between.
  const change = (how) => {
    const kept = { sent: {}, queue: [], heard: 0, said: [], ...load() };
    how(kept);
    localStorage.setItem(KEY, JSON.stringify(kept));
    return kept;
  };

  // A page that takes a reader's configuration may ask nobody: it waits for the next page.
  const rule = document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content ?? "";
  const sealed = !/connect-src [^;]*'self'/.test(`${rule || "connect-src 'self'"};`);

  const newId = () =>
    [...crypto.getRandomValues(new Uint8Array(12))].map((one) => one.toString(16).padStart(2, "0")).join("");
  const WHAT = /^[\w./+-]{1,160}$/;

  const put = (kept, kind, what, value = "", at = new Date().toISOString()) => {
    if (WHAT.test(what)) kept.queue.push({ id: newId(), kind, what, value: String(value).slice(0, 120), at });
  };
  const tell = (...event) => {
    change((kept) => put(kept, ...event));
    soon();
  };

  // --- what is told ---------------------------------------------------------------------------

  const page = location.pathname.replace(/^\/|index\.html$|\.html$/g, "") || "index";

  const collect = () => {
    const { done, answers } = globalThis.ppslab.progress.read();
    change((kept) => {
      for (const [what, when] of Object.entries(done)) {
        if (kept.sent[what] === undefined) {
          kept.sent[what] = "";
          put(kept, "done", what, "", Number.isNaN(Date.parse(when)) ? undefined : new Date(when).toISOString());
        }
      }
      const before = Object.keys(kept.sent).filter((name) => name.startsWith("guess ")).map((name) => name.slice(6));
      const guessed = Object.keys(answers).filter((what) => what.split("/")[1] === "prediction");
      for (const what of new Set([...before, ...guessed])) {
        const name = `guess ${what}`;
        if ((kept.sent[name] ?? "") !== (answers[what] ?? "")) {
          kept.sent[name] = answers[what] ?? "";
          put(kept, "guess", what, answers[what] ?? "");
        }
      }
    });
    soon();
  };

  let typing;
  document.addEventListener("ppslab:progress", () => {
    clearTimeout(typing);
    typing = setTimeout(collect, 2_000);
  });
  // Of a task: {chapter, id, kind: "tried" | "hint" | "solved", value: "pass" | "fail"},
  // of a case the chapter is cases, and it passes with its moves: "pass 5".
  document.addEventListener("ppslab:task", ({ detail }) => {
    if (["tried", "hint", "solved"].includes(detail?.kind)) {
      tell(detail.kind, `${detail.chapter}/task/${detail.id}`, detail.value ?? "");
    }
  });

  // --- the line -------------------------------------------------------------------------------

  let day = null;
  let asked = false;
  let failed = 0;
  let out = false;
  let timer;
  const again = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(talk, wait * (0.8 + 0.4 * Math.random()));
  };
  const soon = () => !sealed && !out && failed === 0 && again(1_000);

  const ask = async (name, body) => {
    const words = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(API + name, { ...words, keepalive: Boolean(body), cache: "no-store", signal: AbortSignal.timeout(15_000) });
    if (!answer.ok) throw Object.assign(new Error(answer.statusText), { status: answer.status });
    return answer.json();
  };

  const send = async () => {
    const kept = change(() => {});
    const events = kept.queue.slice(0, AT_ONCE);
    if (!events.length) return;
    try {
      await ask("events", { now: new Date().toISOString(), life: kept.life ?? 0, events });
    } catch (error) {
      // What the board can never take would hold up all that comes after it.
      if (error.status !== 400 && error.status !== 413) throw error;
    }
    const gone = new Set(events.map((each) => each.id));
    change((now) => { now.queue = now.queue.filter((each) => !gone.has(each.id)); });
    await send();
  };

  const hear = async () => {
    const told = await ask(`seat?after=${change(() => {}).heard}`);
    if (told.life !== (load().life ?? 0)) anew(told.life);
    day = told.day;
    asked = told.asked;
    change((kept) => {
      const fresh = told.messages.filter((each) => each.n > kept.heard);
      kept.said = [...kept.said, ...fresh].slice(-20);
      kept.heard = Math.max(kept.heard, ...told.messages.map((each) => each.n));
      if (fresh.length) kept.unread = true;
    });
  };

  // Another person sits here now: what was done before is put aside, not thrown away.
  const anew = (life) => {
    const progress = globalThis.ppslab?.progress;
    if (!progress) return; // On the next page of the course.
    localStorage.setItem(`ppslab-progress-${new Date().toISOString()}`, JSON.stringify(progress.read()));
    change((kept) => Object.assign(kept, { life, queue: [], sent: {}, said: [] }));
    progress.clear();
  };

  async function talk() {
    clearTimeout(timer);
    if (!load()?.seat) return;
    try {
      await send();
      await hear();
      failed = 0;
    } catch (error) {
      failed += 1;
      out = error.status === 401 || error.status === 403;
    }
    show();
    const wait = document.hidden ? HIDDEN_MS : VISIBLE_MS;
    if (!out) again(Math.min(MOST_MS, wait * 2 ** Math.min(failed, 5)));
  }

  document.addEventListener("visibilitychange", () => !document.hidden && !sealed && !out && talk());
  globalThis.addEventListener("online", () => !sealed && !out && talk());

  // --- what is shown --------------------------------------------------------------------------

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (text, act) => make("button", { type: "button", onclick: act }, text);
  const short = (path) => path.replace(/^\/(book\/)?|(\/index)?\.html$/g, "").replaceAll("/", ": ");
  const link = (address, text) => make("a", { href: address, rel: "noopener" }, text);

  const bar = make("p", { className: "ppslab-hall-bar", hidden: true });
  bar.setAttribute("role", "status");
  const name = make("summary");
  const stage = make("p");
  const said = make("ul");
  said.setAttribute("aria-live", "polite");
  const line = make("p", { className: "ppslab-hall-line" });
  const help = button("", () => {
    asked = !asked;
    tell("help", page, asked ? "asked" : "withdrawn");
    show();
  });
  const question = make("span");
  const figure = make("input", { type: "text", maxLength: 60, autocomplete: "off" });
  const measured = make("form", { hidden: true }, make("label", {}, question, figure), make("button", {}, "Show this figure to the class"));
  measured.addEventListener("submit", (event) => {
    event.preventDefault();
    if (figure.value.trim()) tell("measured", measured.dataset.what, figure.value.trim());
  });
  const leave = button("Leave the workshop", async () => {
    await ask("leave", {}).catch(() => {});
    localStorage.removeItem(KEY);
    location.reload();
  });
  const box = make("details", { className: "ppslab-hall" }, name, make("div", {}, stage, said, measured, help, line, leave));
  box.addEventListener("toggle", () => {
    if (box.open) change((kept) => { kept.unread = false; });
    show();
  });

  function show() {
    const kept = load();
    if (!kept?.seat) return;
    name.textContent = kept.seat.replace("-", " ") + (kept.unread && !box.open ? ": a message" : asked ? ": you asked for help" : "");
    box.classList.toggle("is-new", Boolean(kept.unread) && !box.open);
    help.textContent = asked ? "I no longer need help" : "Ask for help";
    const waits = kept.queue.length;
    line.textContent = out
      ? "The board no longer knows this seat. "
      : failed ? `The board cannot be reached. Keep working: ${waits === 1 ? "1 event waits" : `${waits} events wait`} to be sent.` : "";
    if (out) line.append(link("/workshop/pages/join", "Type the code again"));
    said.replaceChildren(...(kept.said ?? []).map((each) =>
      make("li", {}, each.text, ...(each.link ? [" ", link(each.link, each.link)] : []))).reverse());
    bar.hidden = !day?.paused && !day?.over;
    bar.textContent = day?.over ? "The workshop is over. Thank you." : "Pause: look to the front.";
    const here = day?.page && new URL(day.page, location.origin);
    stage.replaceChildren(...(here && here.pathname !== location.pathname ? ["The class is here: ", link(day.page, short(here.pathname))] : []));
    measured.hidden = !(day?.shown && day.phase === "after");
    measured.dataset.what = day?.shown ?? "";
    question.textContent = `${day?.question || day?.shown}: which figure did this seat measure? `;
  }

  const begin = () => {
    document.head.append(make("link", { rel: "stylesheet", href: "/workshop/pages/seat.css" }));
    document.body.append(bar, box);
    if (globalThis.ppslab?.progress) collect();
    change((kept) => put(kept, "at", page));
    show();
    if (!sealed) talk();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
