// "My router only does X Mbit/s", one question at a time.  Every question and cause is a section of
// the page; what was answered is kept in the address's fragment and in this browser, what was pasted
// nowhere.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const KEY = "ppslab-slow";
  const UNKNOWN = "unknown";
  const VERSIONS = ["6", "7"];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const begin = () => {
    const byId = (name) => document.getElementById(`slow-${name}`);
    const parts = ["router", "once", "symptoms", "questions", "causes"].map(byId);
    if (parts.some((part) => !part)) {
      return;
    }
    const [router, once, symptoms, questions, causes] = parts;
    const place = (id) => document.getElementById(`slow-${id}`);
    const sections = [...document.querySelectorAll(".ppslab-question, .ppslab-cause")];
    const data = document.querySelector(".ppslab-dialogue").dataset;
    const { walk, asked, loads, signs, offered } = JSON.parse(data.walk);
    // A question or cause is in a fold, whose summary has its heading; a part of the page is in none.
    const foldOf = (section) => section.closest("details") ?? section;
    const headingOf = (section) => foldOf(section).querySelector("h2, h3");
    const titleOf = (section) => {
      const heading = headingOf(section).cloneNode(true);
      heading.querySelector(".headerlink")?.remove();
      return heading.textContent.trim();
    };
    const titles = new Map(sections.map((section) => [section.id, titleOf(section)]));
    const labelOf = (id, value) => (value === UNKNOWN ? gettext("I don't know")
      : value.split(",").map((name) => asked[id].answers[name]?.label ?? "").filter(Boolean).join(", ") || gettext("nothing of these"));

    // What is known: whether it began, the answers in their order, the router, the reader's number
    // and the first number of the router's version.
    let state = { begun: false, answers: [], router: "", mbit: "", version: "" };
    const read = new Map(); // By question: what an output answered, and its sentence.
    // The models keep them by this very object.
    const facts = JSON.parse(data.facts);
    let all = false;

    // ------------------------------------------------------------------------------------------
    // The walk, as book/slow.yml and learning/slow.py describe it.

    const meets = (wanted, answer) => wanted.replace(/^!/, "").split(",")
      .some((one) => answer.split(",").includes(one)) !== wanted.startsWith("!");

    // By cause, the questions that lead to it; and whether each of them has an answer that does not.
    const leading = new Map();
    for (const [id, question] of Object.entries(asked)) {
      for (const cause of new Set(Object.values(question.answers).map(({ ends, hints }) => ends || hints))) {
        leading.set(cause, [...(leading.get(cause) ?? []), [id, question]]);
      }
    }
    const leadingTo = (cause) => leading.get(cause) ?? [];
    const undecided = (cause, given) => leadingTo(cause).filter(([id]) => (given[id] ?? UNKNOWN) === UNKNOWN);
    const ruledOut = (cause, given) => leadingTo(cause).length > 0 && leadingTo(cause).every(([id, { answers }]) => {
      const answer = answers[given[id]];
      return answer && (answer.ends || answer.hints) !== cause;
    });

    // What explains a full CPU is settled only where one is full.
    const ending = (name, given, settled) => (
      { name, end: true, settled: settled && !(loads.includes(name) && ["idle", UNKNOWN].includes(given.cpu)) });

    const next = (given) => {
      for (const line of walk) {
        if (!Object.entries(line.if ?? {}).every(([name, wanted]) => meets(wanted, given[name] ?? ""))) {
          continue;
        }
        // The line weighs the answers that it names.
        const others = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in (line.if ?? {}))));
        if (line.likely && ruledOut(line.likely, others)) {
          continue;
        }
        if (!line.ask) {
          return ending(line.cause ?? line.likely, given, Boolean(line.cause));
        }
        if (!(line.ask in given)) {
          return { name: line.ask, end: false, settled: false };
        }
        const { ends, hints } = asked[line.ask].answers[given[line.ask]] ?? {};
        if (ends || hints) {
          return ending(ends || hints, given, Boolean(ends));
        }
      }
      return undefined;
    };

    // The causes that the answers speak for beside a likely one, the strongest first.
    const offers = (given, end) => {
      const words = new Set(Object.entries(given)
        .flatMap(([name, value]) => value.split(",").map((word) => `${name}.${word}`)));
      const strength = (cause) => Object.entries(signs[cause])
        .reduce((sum, [sign, points]) => sum + (sign === "prior" || words.has(sign) ? points : 0), 0);
      return Object.keys(signs).filter((cause) => cause !== end && !ruledOut(cause, given))
        .map((cause) => [cause, strength(cause)]).sort(([, a], [, b]) => b - a)
        .slice(0, offered).map(([cause]) => cause);
    };

    const now = () => (state.begun
      ? next({ ...Object.fromEntries(state.answers), figure: figure() }) : { name: "", end: false });

    // ------------------------------------------------------------------------------------------
    // The state as text: #router=RB750Gr3&mbit=300&version=7&answers=slow.all~has.pppoe,vlan~...

    const written = () => {
      const words = new URLSearchParams();
      for (const name of ["router", "mbit", "version"]) {
        if (state[name]) {
          words.set(name, state[name]);
        }
      }
      if (state.begun) {
        words.set("answers", state.answers.map((pair) => pair.join(".")).join("~"));
      }
      return words.toString();
    };

    const answersOf = (text) => text.split("~").map((pair) => pair.split("."))
      .filter(([id, value]) => asked[id] && (value === UNKNOWN || (value ?? "").split(",")
        .every((one) => one in asked[id].answers || (asked[id].many && !one))));

    const parsed = (text) => {
      const words = new URLSearchParams(text);
      return {
        begun: words.has("answers"), answers: answersOf(words.get("answers") ?? ""),
        router: words.get("router") ?? "", mbit: words.get("mbit") ?? "",
        version: VERSIONS.includes(words.get("version")) ? words.get("version") : "",
      };
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

    const chosen = () => items.find((item) => item.dataset.code === state.router);

    // MikroTik's rate of the device with 25 filter rules: of the Test results that the reader pasted
    // (results.js), else of the page's.
    const measured = () => {
      const { mode, configuration, sizes } = JSON.parse(data.figure);
      const rows = (globalThis.ppslab.results?.of(state.router)?.rows ?? [])
        .filter((row) => row[0] === mode && row[1] === configuration);
      const row = sizes.map((bytes) => rows.find((one) => one[2] === bytes)).find(Boolean);
      const { mbit: published, bytes } = chosen()?.dataset ?? {};
      return row ? { mbit: Number(row[4]), bytes: row[2] } : { mbit: Number(published), bytes };
    };

    // The reader's rate in per cent of it; 0: unknown.
    const share = () => {
      const own = Number(state.mbit);
      const { mbit: published } = measured();
      return own && published ? Math.round((100 * own) / published) : 0;
    };

    const figure = () => (share() >= 100 ? "reached" : "");

    const comparison = () => (share()
      ? gettext("Your {own} Mbit/s are {share} % of what MikroTik measured (25 filter rules, {bytes} bytes).", { own: state.mbit, share: share(), bytes: measured().bytes })
      : "");

    const compare = () => {
      const item = chosen();
      verdict.hidden = !item;
      if (item) {
        const published = [...item.cloneNode(true).childNodes];
        const paste = make("a", { href: `fast.html?device=${encodeURIComponent(state.router)}#ppslab-results` }, gettext("Paste its Test results"));
        verdict.replaceChildren(...(published.length ? [make("p", {}, gettext("What MikroTik published:")), ...published] : []),
          make("p", {}, ...(measured().mbit ? [comparison()] : [paste])));
      }
    };

    // What the comparison means, with what is known of the CPU.
    const conclusion = () => {
      if (!share()) {
        return "";
      }
      const { cpu } = Object.fromEntries(state.answers);
      if (figure()) {
        return gettext("This router hardly does more.");
      }
      return ["full", "one-core-full"].includes(cpu)
        ? gettext("The CPU is full at less than that: look for what costs it more than 25 filter rules, such as queues, a VPN, PPPoE or small packets.")
        : gettext("So the CPU is not your limit, unless the packets are small, or queues, a VPN or PPPoE cost it more than 25 filter rules.");
    };

    const choose = () => {
      state.router = choice.value;
      state.mbit = mbit.value;
      compare();
      if (state.begun || state.router || state.mbit) {
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
    const notify = (text) => {
      status.textContent = text;
      status.hidden = !text;
    };

    const field = make("textarea", { spellcheck: false, autocomplete: "off" });
    field.setAttribute("rows", "5");
    const pasted = make("label", {}, gettext("What the router printed"), field);
    let turns = 0;
    let waits;
    field.addEventListener("input", () => {
      clearTimeout(waits);
      waits = setTimeout(take, 200);
    });

    const take = async () => {
      const turn = ++turns;
      const text = field.value;
      if (!text.trim()) {
        return notify("");
      }
      const at = now().name;
      const command = asked[at]?.command ?? "";
      let reading;
      try {
        reading = await (await globalThis.ppslab.python()).answer("slow", { printed: { name: "printed", text }, command }, facts);
      } catch (error) {
        return notify(gettext("This browser could not read it: {message}", { message: error.message }));
      }
      if (turn !== turns) {
        return undefined;
      }
      for (const reply of reading.answers) {
        read.set(reply.question, reply);
      }
      recognise(reading.values);
      const here = read.get(at);
      const before = state.answers.length;
      state.begun ||= reading.answers.length > 0;
      advance();
      const many = state.answers.length - before;
      if (many || at !== now().name) {
        field.value = "";
        keep();
        show(true);
        notify(many
          ? (many === 1 ? gettext("Your output answered one question. {says}", { says: here?.says ?? "" })
            : gettext("Your output answered {many} questions. {says}", { many, says: here?.says ?? "" }))
          : gettext("This page keeps what your output answers, for the questions to come."));
      } else {
        const others = reading.answers.length ? gettext("It answers other questions; this page keeps those answers. ") : "";
        notify(here ? gettext("{says} Which of the answers is it?", { says: here.says }) : `${others}${[...reading.warns, ...(others ? [] : reading.says)].join(" ")}`
          || gettext("Your router is known now."));
      }
      return undefined;
    };

    // The model's name in what was pasted chooses the router.
    const recognise = ({ board, model, version }) => {
      const first = VERSIONS.find((name) => (version ?? "").startsWith(name));
      if (first && first !== state.version) {
        state.version = first;
        keep(true);
        showVersion();
      }
      const plain = (text) => text.toLowerCase().replace(/[^a-z0-9+]/g, "");
      const item = [model, board].filter(Boolean).map(plain).flatMap((name) =>
        items.filter((each) => [each.dataset.name, each.dataset.code].map(plain).includes(name)))[0];
      if (item && !state.router) {
        state.router = choice.value = item.dataset.code;
        compare();
      }
    };

    // The commands of the router's version, or of both where it is unknown.
    const showVersion = () => {
      for (const name of VERSIONS) {
        for (const block of document.querySelectorAll(`.ppslab-version-${name}`)) {
          block.hidden = Boolean(state.version) && name !== state.version;
        }
      }
    };

    const advance = () => {
      for (let at = now(); at.name && !at.end && read.get(at.name)?.answer; at = now()) {
        state.answers.push([at.name, read.get(at.name).answer]);
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
      state.answers.push([now().name, value]);
      advance();
      keep();
      notify("");
      show(true);
    };

    const cut = (count) => {
      for (const [id] of state.answers.slice(count)) {
        read.delete(id); // What was pasted must not answer at once what somebody wants to change.
      }
      state.begun = state.begun && state.answers.length > 0;
      state.answers.length = Math.min(state.answers.length, count);
      keep();
      notify("");
      show(true);
    };

    back.addEventListener("click", () => cut(state.answers.length - 1 < 0 ? 0 : state.answers.length - 1));
    again.addEventListener("click", () => {
      read.clear();
      state = { ...state, begun: false, answers: [] };
      keep();
      notify("");
      show(true);
    });
    list.addEventListener("click", () => {
      all = !all;
      show(false);
    });
    start.addEventListener("click", () => {
      state = { ...state, begun: true, answers: [] };
      advance();
      keep();
      show(true);
    });
    symptoms.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-answers]");
      if (link) {
        event.preventDefault();
        state = { ...state, begun: true, answers: answersOf(link.dataset.answers) };
        advance();
        keep();
        show(true);
      }
    });
    resume.addEventListener("click", () => {
      state = parsed(kept());
      keep();
      show(true);
    });

    const reason = make("p", { className: "ppslab-note" });
    const others = make("ul");
    const beside = make("div", { className: "ppslab-slow" }, make("p", {}, gettext("What would prove it, and what else it can be:")), others);
    bar.append(reason);
    causes.after(beside);

    // Nothing is proven: the likely cause and the next ones, each with the question that shows it.
    const showOthers = ({ name, end, settled }) => {
      beside.hidden = !end || settled || all;
      if (beside.hidden) {
        return;
      }
      const given = Object.fromEntries(state.answers);
      others.replaceChildren(...[name, ...offers(given, name)].filter((cause) => cause in signs).map((cause) => {
        const [, question] = undecided(cause, given)[0] ?? [];
        return make("li", {}, make("a", { href: `#slow-${cause}` }, titles.get(`slow-${cause}`)),
          ...(question ? [`: ${question.asks.replaceAll("`", "")}`] : []),
          ...(question?.command ? [" ", make("code", {}, question.command)] : []));
      }));
    };

    // A button for each answer; where several hold, a box for each and one button.
    const buttonsOf = (id) => {
      const group = make("div", { className: "ppslab-slow-row" });
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", gettext("Your answer"));
      const button = (label, value) => {
        const choose = make("button", { type: "button" }, label);
        choose.addEventListener("click", () => answer(value()));
        group.append(choose);
      };
      const options = Object.entries(asked[id].answers);
      if (asked[id].many) {
        const boxes = options.map(([value, { label }]) => {
          const box = make("input", { type: "checkbox", value });
          group.append(make("label", {}, box, label));
          return box;
        });
        button(gettext("Go on"), () => boxes.filter((box) => box.checked).map((box) => box.value).join(","));
        return group;
      }
      for (const [value, { label }] of options) {
        button(label, () => value);
      }
      button(gettext("I don't know"), () => UNKNOWN);
      return group;
    };

    const showAnswers = () => {
      answered.replaceChildren(...state.answers.map(([id, value], index) => {
        const change = make("button", { type: "button" }, gettext("Change"));
        change.setAttribute("aria-label", gettext("Change the answer to: {question}", { question: titles.get(`slow-${id}`) }));
        change.addEventListener("click", () => cut(index));
        const says = read.get(id)?.answer === value ? ` (${read.get(id).says})` : "";
        return make("li", {}, `${titles.get(`slow-${id}`)}: ${labelOf(id, value)}${says} `, change);
      }));
      given.hidden = !state.answers.length;
      count.textContent = gettext("Your answers ({count})", { count: state.answers.length });
      const number = state.mbit ? `${state.mbit} Mbit/s` : "";
      summary.textContent = [chosen()?.dataset.name, comparison() || number].filter(Boolean).join(": ");
      summary.hidden = !summary.textContent;
    };

    // Show the place where the answers lead; `move`: the reader goes there.
    const show = (move) => {
      const at = now();
      const id = at.name ? `slow-${at.name}` : "";
      const open = Boolean(id) && !all;
      choice.value = state.router;
      mbit.value = state.mbit;
      compare();
      showAnswers();
      showVersion();
      for (const part of [router, once, symptoms]) {
        part.hidden = open;
      }
      questions.hidden = !all && !(open && !at.end);
      causes.hidden = !all && !(open && at.end);
      bar.hidden = !id && !all;
      back.hidden = again.hidden = !id;
      list.textContent = all ? gettext("One question at a time") : gettext("All questions as a list");
      for (const section of sections) {
        foldOf(section).hidden = !all && section.id !== id;
        foldOf(section).open = section.id === id;
        section.querySelector(".ppslab-ask")?.replaceChildren();
        section.querySelector(".ppslab-ways")?.toggleAttribute("hidden", !all);
      }
      for (const part of [questions, causes]) {
        part.querySelector(":scope > h2").hidden = open;
      }
      const last = parsed(kept());
      resume.hidden = Boolean(id) || !last.begun;
      resume.textContent = last.begun ? gettext("Go on where you stopped ({count} answers)", { count: last.answers.length }) : "";
      reason.hidden = !open || !at.end;
      reason.textContent = at.settled ? gettext("This follows from your answers.")
        : gettext("Your answers do not settle it: this is the likeliest of what is left.");
      reason.textContent = [reason.textContent, conclusion()].filter(Boolean).join(" ");
      showOthers(at);
      // One field for outputs: at the question, or where all commands are.
      if (open && !at.end) {
        const number = gettext("Question {number}", { number: state.answers.length + 1 });
        place(at.name).querySelector(".ppslab-ask").replaceChildren(buttonsOf(at.name),
          ...(asked[at.name].command ? [pasted] : []), make("p", { className: "ppslab-under" }, number));
      } else {
        once.append(pasted, status);
      }
      if (open) {
        bar.append(status);
      }
      if (move) {
        const heading = headingOf(id ? document.getElementById(id) : router);
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
        (id ? bar : heading).scrollIntoView({ block: "start", behavior: "instant" });
      }
    };

    // An address: of a state, of a question or cause that somebody names, or of neither.
    const arrive = (move) => {
      const hash = location.hash.slice(1);
      if (hash.includes("=")) {
        const address = parsed(hash);
        state = { ...address, version: address.version || state.version || parsed(kept()).version };
      } else if (titles.has(hash) || hash === questions.id || hash === causes.id) {
        all = true;
      } else if (!hash || parts.some((part) => part.id === hash)) {
        const { router, mbit, version } = hash ? state : parsed(kept());
        state = { begun: false, answers: [], router, mbit, version };
      }
      show(move && !all);
      if (all && hash) {
        const wanted = document.getElementById(hash);
        if (titles.has(hash)) {
          foldOf(wanted).open = true;
        }
        wanted?.scrollIntoView();
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
