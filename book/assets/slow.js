// "My router only does X Mbit/s", one question at a time.  Every question and cause is a section of
// the page; what was answered is kept in the address's fragment and in this browser, what was pasted
// nowhere.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const KEY = "ppslab-slow";
  const NAMES = { yes: gettext("Yes"), no: gettext("No"), unknown: gettext("I don't know") };

  const make = (tag, words = {}, ...below) => {
    const made = Object.assign(document.createElement(tag), words);
    made.append(...below);
    return made;
  };

  const begin = () => {
    const byId = (name) => document.getElementById(`slow-${name}`);
    const parts = ["router", "once", "symptoms", "questions", "causes"].map(byId);
    if (parts.some((part) => !part)) {
      return;
    }
    const [router, once, symptoms, questions, causes] = parts;
    const ask = (id) => document.getElementById(id)?.querySelector(".ppslab-ask");
    const isCause = (id) => document.getElementById(id)?.classList.contains("ppslab-cause");
    const sections = [...document.querySelectorAll(".ppslab-question, .ppslab-cause")];
    const first = sections[0].id;
    // A question or cause is in a fold, whose summary has its heading; a part of the page is in none.
    const foldOf = (section) => section.closest("details") ?? section;
    const headingOf = (section) => foldOf(section).querySelector("h2, h3");
    const titleOf = (section) => {
      const heading = headingOf(section).cloneNode(true);
      heading.querySelector(".headerlink")?.remove();
      return heading.textContent.trim().replace(/^\d+\.\s*/, "");
    };
    const titles = new Map(sections.map((section) => [section.id, titleOf(section)]));

    // What is known: where it began, the answers in their order, the router and the reader's number.
    let state = { begin: "", answers: [], router: "", mbit: "" };
    const read = new Map(); // By question: what an output answered, and its sentence.
    // The models keep them by this very object.
    const facts = { readings: JSON.parse(document.querySelector(".ppslab-readings").dataset.readings) };
    let all = false;

    // ------------------------------------------------------------------------------------------
    // The state as text: #router=RB750Gr3&mbit=300&begin=slow-test&answers=slow-test.yes~...

    const written = () => {
      const words = new URLSearchParams();
      for (const name of ["router", "mbit", "begin"]) {
        if (state[name]) {
          words.set(name, state[name]);
        }
      }
      if (state.answers.length) {
        words.set("answers", state.answers.map((each) => each.join(".")).join("~"));
      }
      return words.toString();
    };

    // Answers count as far as they follow one another, for the questions may have changed since.
    const parsed = (text) => {
      const words = new URLSearchParams(text);
      const wanted = words.get("begin") ?? "";
      const made = {
        begin: titles.has(wanted) ? wanted : "", answers: [],
        router: words.get("router") ?? "", mbit: words.get("mbit") ?? "",
      };
      let at = made.begin;
      for (const each of (words.get("answers") ?? "").split("~")) {
        const [id, answer] = each.split(".");
        if (id !== at || !(answer in NAMES) || !ask(id)) {
          break;
        }
        made.answers.push([id, answer]);
        at = ask(id).getAttribute(`data-to-${answer}`);
      }
      return made;
    };

    const current = () => {
      const [id, answer] = state.answers.at(-1) ?? [];
      return id ? ask(id).getAttribute(`data-to-${answer}`) : state.begin;
    };

    const keep = (replace = false) => {
      const text = written();
      history[replace ? "replaceState" : "pushState"](null, "", `#${text}`);
      try {
        localStorage.setItem(KEY, text);
      } catch {
        // A page opened as a file may keep nothing; the address still has it.
      }
    };

    const kept = () => {
      try {
        return localStorage.getItem(KEY) ?? "";
      } catch {
        return "";
      }
    };

    // ------------------------------------------------------------------------------------------
    // The router and its number.

    const items = [...router.querySelectorAll("li[data-code]")];
    const choice = make("select");
    choice.append(make("option", { value: "" }, gettext("not in this list")));
    choice.append(...items.map((item) => make("option", { value: item.dataset.code }, item.dataset.name)));
    const mbit = make("input", { type: "number", min: "0", inputMode: "decimal", size: 8 });
    const verdict = make("div", { className: "ppslab-note", hidden: true });
    verdict.setAttribute("role", "status");

    const compare = () => {
      const item = items.find((each) => each.dataset.code === state.router);
      verdict.hidden = !item;
      if (!item) {
        return;
      }
      const copy = [...item.cloneNode(true).childNodes];
      const own = Number(state.mbit);
      const base = Number(item.dataset.mbit);
      const share = own && base ? Math.round((100 * own) / base) : 0;
      const text = share
        ? gettext("Your {own} Mbit/s are {share} % of the first of these (25 filter rules, {bytes} bytes).", { own, share, bytes: item.dataset.bytes })
        : "";
      verdict.replaceChildren(make("p", {}, gettext("What MikroTik published:")), ...copy, make("p", {}, text));
    };

    const choose = () => {
      state.router = choice.value;
      state.mbit = mbit.value;
      compare();
      if (state.begin || state.router || state.mbit) {
        keep(true);
      }
    };
    choice.addEventListener("change", choose);
    mbit.addEventListener("input", choose);
    const form = make("div", { className: "ppslab-slow-router" },
      make("label", {}, gettext("Your router"), choice), make("label", {}, gettext("Your number, in Mbit/s"), mbit));
    const frame = make("div", { className: "ppslab-slow" }, form, verdict);
    router.querySelector("h2").after(frame);

    // ------------------------------------------------------------------------------------------
    // What a router printed.

    const status = make("p", { className: "ppslab-note", hidden: true });
    status.setAttribute("role", "status");
    const say = (text) => {
      status.textContent = text;
      status.hidden = !text;
    };

    const field = make("textarea", { spellcheck: false, autocomplete: "off" });
    field.setAttribute("rows", "5");
    const pasted = make("label", {}, gettext("What the router printed"), field);
    let asked = 0;
    let waits;
    field.addEventListener("input", () => {
      clearTimeout(waits);
      waits = setTimeout(take, 200);
    });

    const take = async () => {
      const turn = ++asked;
      const text = field.value;
      if (!text.trim()) {
        return say("");
      }
      const at = current();
      const command = ask(at)?.dataset.command ?? "";
      let found;
      try {
        found = await (await globalThis.ppslab.python()).answer("slow", { printed: { name: "printed", text }, command }, facts);
      } catch (error) {
        return say(gettext("This browser could not read it: {message}", { message: error.message }));
      }
      if (turn !== asked) {
        return undefined;
      }
      for (const each of found.answers) {
        read.set(`slow-${each.question}`, each);
      }
      recognise(found.values);
      const here = read.get(at);
      const before = state.answers.length;
      if (!state.begin && found.answers.length) {
        state.begin = first;
      }
      advance();
      const many = state.answers.length - before;
      if (many || at !== current()) {
        field.value = "";
        keep();
        show(true);
        say(many
          ? (many === 1 ? gettext("Your output answered one question. {says}", { says: here?.says ?? "" })
            : gettext("Your output answered {many} questions. {says}", { many, says: here?.says ?? "" }))
          : gettext("Your output answers other questions, not this one."));
      } else {
        const others = found.answers.length ? gettext("It answers other questions; this page keeps those answers. ") : "";
        say(here ? gettext("{says} Is it Yes or No?", { says: here.says }) : `${others}${[...found.warns, ...(others ? [] : found.says)].join(" ")}`
          || gettext("Your router is known now."));
      }
      return undefined;
    };

    // The model's name in what was pasted chooses the router.
    const recognise = ({ board, model }) => {
      const plain = (text) => text.toLowerCase().replace(/[^a-z0-9+]/g, "");
      const item = [model, board].filter(Boolean).map(plain).flatMap((name) =>
        items.filter((each) => [each.dataset.name, each.dataset.code].map(plain).includes(name)))[0];
      if (item && !state.router) {
        state.router = choice.value = item.dataset.code;
        compare();
      }
    };

    const advance = () => {
      for (;;) {
        const answer = read.get(current())?.answer;
        if (!answer || !ask(current())) {
          return;
        }
        state.answers.push([current(), answer]);
      }
    };

    // ------------------------------------------------------------------------------------------
    // The question that is asked, with what was answered above it.

    // Folded: on a phone twenty answers would push the question off the screen.
    const answered = make("ol");
    const count = make("summary");
    const given = make("details", { className: "ppslab-answered" }, count, answered);
    const summary = make("p", { className: "ppslab-note" });
    const back = make("button", { type: "button" }, gettext("One step back"));
    const again = make("button", { type: "button" }, gettext("Start again"));
    const list = make("button", { type: "button" }, gettext("All questions as a list"));
    const bar = make("div", { className: "ppslab-slow" }, summary, given,
      make("div", { className: "ppslab-slow-row" }, back, again, list));
    questions.before(bar);

    const start = make("button", { type: "button", className: "is-first" }, gettext("Find the cause"));
    const resume = make("button", { type: "button" });
    const entry = make("div", { className: "ppslab-slow ppslab-slow-row" }, start, resume);
    router.querySelector(".ppslab-slow").append(entry);

    const answer = (value) => {
      state.answers.push([current(), value]);
      advance();
      keep();
      say("");
      show(true);
    };

    const cut = (count) => {
      for (const [id] of state.answers.slice(count)) {
        read.delete(id); // What was pasted must not answer at once what somebody wants to change.
      }
      if (!state.answers.length) {
        state.begin = "";
      }
      state.answers.length = Math.min(state.answers.length, count);
      keep();
      say("");
      show(true);
    };

    back.addEventListener("click", () => cut(state.answers.length - 1 < 0 ? 0 : state.answers.length - 1));
    again.addEventListener("click", () => {
      read.clear();
      state = { ...state, begin: "", answers: [] };
      keep();
      say("");
      show(true);
    });
    list.addEventListener("click", () => {
      all = !all;
      show(false);
    });
    start.addEventListener("click", () => {
      state.begin = first;
      state.answers = [];
      advance();
      keep();
      show(true);
    });
    resume.addEventListener("click", () => {
      state = parsed(kept());
      keep();
      show(true);
    });

    const buttons = make("div", { className: "ppslab-slow-row" });
    buttons.setAttribute("role", "group");
    buttons.setAttribute("aria-label", gettext("Your answer"));
    for (const [value, name] of Object.entries(NAMES)) {
      const button = make("button", { type: "button", value }, name);
      button.addEventListener("click", () => answer(value));
      buttons.append(button);
    }
    const because = make("p", { className: "ppslab-note" });

    const tell = () => {
      answered.replaceChildren(...state.answers.map(([id, value], index) => {
        const change = make("button", { type: "button" }, gettext("Change"));
        change.setAttribute("aria-label", gettext("Change the answer to: {question}", { question: titles.get(id) }));
        change.addEventListener("click", () => cut(index));
        const says = read.get(id)?.answer === value ? ` (${read.get(id).says})` : "";
        return make("li", {}, `${titles.get(id)}: ${NAMES[value]}${says} `, change);
      }));
      given.hidden = !state.answers.length;
      count.textContent = gettext("Your answers ({count})", { count: state.answers.length });
      const item = items.find((each) => each.dataset.code === state.router);
      const number = state.mbit ? `${state.mbit} Mbit/s` : "";
      summary.textContent = [item?.dataset.name, number].filter(Boolean).join(", ");
      summary.hidden = !summary.textContent;
    };

    // Show the place where the answers lead; `move`: the reader goes there.
    const show = (move) => {
      const at = current();
      const open = Boolean(at) && !all;
      choice.value = state.router;
      mbit.value = state.mbit;
      compare();
      tell();
      for (const part of [router, once, symptoms]) {
        part.hidden = open;
      }
      questions.hidden = !all && !(open && !isCause(at));
      causes.hidden = !all && !(open && isCause(at));
      bar.hidden = !at && !all;
      back.hidden = again.hidden = !at;
      list.textContent = all ? gettext("One question at a time") : gettext("All questions as a list");
      for (const section of sections) {
        foldOf(section).hidden = !all && section.id !== at;
        foldOf(section).open = section.id === at;
        section.querySelector(".ppslab-ask")?.replaceChildren();
        section.querySelector(".ppslab-ways")?.toggleAttribute("hidden", !all);
      }
      for (const part of [questions, causes]) {
        part.querySelector(":scope > h2").hidden = open;
      }
      const last = parsed(kept());
      resume.hidden = Boolean(at) || !last.begin;
      resume.textContent = last.begin ? gettext("Go on where you stopped ({count} answers)", { count: last.answers.length }) : "";
      // One field for outputs: at the question, or where all commands are.
      const place = open && ask(at) ? ask(at) : null;
      if (place) {
        const [id, value] = state.answers.at(-1) ?? [];
        const why = id && document.getElementById(id).querySelector(`.ppslab-why-${value}`);
        because.textContent = why ? why.textContent : "";
        because.hidden = !why;
        const left = Number(place.dataset.most) - 1;
        const rest = `Question ${state.answers.length + 1}; at most ${left} more.`;
        place.replaceChildren(because, buttons, pasted, make("p", { className: "ppslab-under" }, rest));
      } else {
        once.append(pasted, status);
      }
      if (open) {
        bar.append(status);
      }
      if (move) {
        const heading = headingOf(at ? document.getElementById(at) : router);
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
        (at ? bar : heading).scrollIntoView({ block: "start", behavior: "instant" });
      }
    };

    // An address: of a state, of a question or cause that somebody names, or of neither.
    const arrive = (move) => {
      const hash = location.hash.slice(1);
      if (hash.includes("=")) {
        state = parsed(hash);
      } else if (titles.has(hash)) {
        state = { ...state, begin: hash, answers: [] };
        keep(true);
      } else if (hash === questions.id || hash === causes.id) {
        all = true;
      } else if (!hash || parts.some((part) => part.id === hash)) {
        const { router, mbit } = hash ? state : parsed(kept());
        state = { begin: "", answers: [], router, mbit };
      }
      show(move && !all);
      if (all && hash) {
        const place = document.getElementById(hash);
        if (place && titles.has(hash)) {
          foldOf(place).open = true;
        }
        place?.scrollIntoView();
      }
    };
    addEventListener("popstate", () => arrive(true));
    arrive(false);
  };

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", begin);
  } else {
    begin();
  }
})();
