// Cases are asked, explained and repaired; drills are short, and only repaired.  What the router
// prints, what a remedy does and what it scores is Python's answer (course/models/cases); this is its
// shell.  What was done is kept as an answer of the reader's progress: cases/case/NAME.
(() => {
  "use strict";

  const root = document.getElementById("ppslab-cases");
  if (!root) {
    return;
  }
  const KIND = root.dataset.kind; // case or drill
  const DRILLS = KIND === "drill";
  const CHAPTER = document.querySelector("meta[name=ppslab-chapter]").content;
  const EMPTY = { asked: [], named: [], hints: 0, failed: 0, typed: "", remedy: "", aided: false, shown: false };

  const progress = () => globalThis.ppslab.progress;
  const make = (tag, words = {}, ...below) => {
    const { dataset, role, ...rest } = words;
    const made = Object.assign(document.createElement(tag), rest);
    Object.assign(made.dataset, dataset);
    if (role) {
      made.setAttribute("role", role);
    }
    made.append(...below);
    return made;
  };
  const button = (text, act, words = {}) => {
    const made = make("button", { type: "button", ...words }, text);
    made.addEventListener("click", act);
    return made;
  };
  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);
  // A number of things, in the words of the page's language.
  const counts = {
    check: (number) => (number === 1 ? gettext("1 check") : gettext("{number} checks", { number })),
    command: (number) => (number === 1 ? gettext("1 command") : gettext("{number} commands", { number })),
    line: (number) => (number === 1 ? gettext("1 line") : gettext("{number} lines", { number })),
    move: (number) => (number === 1 ? gettext("1 move") : gettext("{number} moves", { number })),
  };
  // `code` in a sentence of a case.
  const rich = (text) => text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
  const paragraphs = (text) => text.trim().split(/\n\s*\n/).map((each) => make("p", {}, ...rich(each)));

  // ----------------------------------------------------------------------------------------------
  // What was done of a case: kept, exported and imported with the progress, so it may be anything.

  const nameOf = (name) => `${CHAPTER}/${KIND}/${name}`;
  const load = (name) => {
    let kept;
    try {
      kept = JSON.parse(progress().read().answers[nameOf(name)] ?? "{}");
    } catch {
      kept = {};
    }
    const state = { ...EMPTY };
    for (const [key, none] of Object.entries(EMPTY)) {
      const value = kept?.[key];
      if (Array.isArray(none)) {
        state[key] = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
      } else if (typeof value === typeof none) {
        state[key] = value;
      }
    }
    return state;
  };
  const begun = (state) => state.asked.length + state.named.length + state.hints + state.failed > 0 || state.shown;

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  };

  // ----------------------------------------------------------------------------------------------
  // One case.

  // `13` of 13-evening, as a terminal and old links name a case; a drill has its name alone.
  const numberOf = (item) => (DRILLS ? item.id : String(parseInt(item.id, 10)));
  const titled = (item) => `${DRILLS ? "" : `${numberOf(item)}. `}${item.querySelector("a").textContent}`;

  // `data`: the unpacked facts; `leave`: back to the list; `next`: the case after this, or none.
  const play = (item, data, next) => {
    const name = item.dataset.case;
    const number = numberOf(item);
    const spec = data.cases[name];
    let state = load(name);
    let cause; // The right one's sentence, once it is named.
    let solved = false; // By the remedy that was applied last.
    let commands = 0; // Of that remedy.
    let over = false; // Solved, or the solution was shown: what is done now counts and is kept no more.

    const model = async (what) => {
      const python = await globalThis.ppslab.python();
      const answer = await python.answer("cases", { case: name, ...what }, data);
      if (answer.problem) {
        throw new Error(answer.problem.says);
      }
      return answer;
    };
    const keep = () => progress().answer(nameOf(name), JSON.stringify(state));
    // The board of a class hears of a case or a drill as of a task.
    const tell = (kind, value = "") =>
      document.dispatchEvent(new CustomEvent("ppslab:task", { detail: { chapter: CHAPTER, id: name, kind, value } }));

    const status = make("p", { className: "ppslab-case-status", role: "status" });
    const say = (text) => {
      status.textContent = text;
    };
    // Nothing is done twice, and what fails says so.
    let busy = false;
    const act = (what) => async (event) => {
      event?.preventDefault();
      if (busy) {
        return;
      }
      busy = true;
      try {
        await what();
      } catch (error) {
        say(gettext("This browser could not answer: {message}.", { message: error.message }));
      } finally {
        busy = false;
      }
    };

    // --- asking ---------------------------------------------------------------------------------

    const outputs = make("div", { className: "ppslab-case-outputs" });
    const printed = (command, text, open) => {
      const shape = spec.outputs.find((each) => each.command === command)?.shape;
      const block = make("pre", { tabIndex: 0 }, text);
      const part = make("details", { open, dataset: { command } },
        make("summary", {}, make("code", {}, command)), block);
      if (shape) {
        const whose = { manual: gettext("as the manual prints it"), post: gettext("as a public post prints it"), router: gettext("as a router printed it") };
        part.append(make("p", { className: "ppslab-under" }, gettext("Its layout:"), " ",
          make("a", { href: shape.page }, whose[shape.from] ?? gettext("ours, with the names of this page")), "."));
      }
      for (const each of outputs.querySelectorAll("details[open]")) {
        each.open = each.open && !open;
      }
      outputs.prepend(part);
      return part;
    };
    const ask = async (command) => {
      const answer = await model({ do: "ask", text: command });
      if (!answer.command) {
        refused.textContent = answer.text;
        refused.hidden = false;
        return say(gettext("No answer, so no move."));
      }
      refused.hidden = true;
      const known = [...outputs.children].find((each) => each.dataset.command === answer.command);
      if (known) {
        outputs.prepend(known);
        known.open = true;
        say(gettext("You asked {command} before: no move.", { command: answer.command }));
      } else {
        printed(answer.command, answer.text, true);
        say(gettext("{command} printed {lines}.", { command: answer.command, lines: counts.line(answer.text.split("\n").length) }));
        if (!over) {
          state.asked.push(answer.command);
          keep();
        }
      }
      await tally();
    };
    const field = make("input", { type: "text", spellcheck: false, autocomplete: "off", autocapitalize: "none", enterKeyHint: "go" });
    field.setAttribute("autocorrect", "off");
    field.setAttribute("aria-label", gettext("A command that prints"));
    const refused = make("p", { className: "ppslab-case-refused", role: "alert", hidden: true });
    const asking = make("form", { className: "ppslab-case-ask" },
      make("label", {}, make("code", {}, "[admin@MikroTik] >"), field),
      make("button", { type: "submit" }, gettext("Ask")));
    asking.addEventListener("submit", act(async () => {
      await ask(field.value);
      field.select();
    }));
    const commons = make("div", { className: "ppslab-case-commons", role: "group" },
      ...data.common.map((command) => button(command, act(() => ask(command)))));
    commons.setAttribute("aria-label", gettext("Commands that are often asked"));

    // --- the cause ------------------------------------------------------------------------------

    const choices = [...(spec.causes ?? [])].sort((one, other) => (one.text < other.text ? -1 : 1));
    const options = new Map(choices.map(({ name: value, text }, at) => {
      const id = `case-${number}-${value}`;
      const input = make("input", { type: "radio", name: "cause", id, value });
      return [value, make("div", { className: "ppslab-answer-choice" }, input, make("label", { htmlFor: id }, `${at + 1}. `, ...rich(text)))];
    }));
    const namer = make("button", { type: "submit" }, gettext("This is the cause"));
    const causes = make("form", {}, make("fieldset", {}, ...options.values()), namer);
    causes.querySelector("fieldset").setAttribute("aria-label", gettext("Causes"));
    const showCause = async (value) => {
      const { right, says } = await model({ do: "cause", text: value });
      const option = options.get(value);
      option.classList.add(right ? "is-right" : "is-wrong");
      option.querySelector("input").disabled = true;
      option.append(make("p", { className: "ppslab-because" }, ...rich(right ? gettext("Yes, this is the cause.") : gettext("No. {why}", { why: says }))));
      if (right) {
        cause = says;
        namer.hidden = true;
        for (const each of options.values()) {
          each.querySelector("input").disabled = true;
        }
      }
      return right;
    };
    causes.addEventListener("submit", act(async () => {
      const value = causes.elements.cause.value;
      if (!value || state.named.includes(value)) {
        return say(gettext("Choose a cause that you have not named yet."));
      }
      const right = await showCause(value);
      if (!over) {
        state.named.push(value);
        keep();
      }
      say(right ? gettext("Yes, this is the cause.") : gettext("This is not the cause. It costs one move; read the evidence against it."));
      await tally();
    }));

    // --- the remedy -----------------------------------------------------------------------------

    const remedy = make("textarea", { rows: 5, spellcheck: false, autocomplete: "off", autocapitalize: "none", value: state.typed });
    remedy.setAttribute("autocorrect", "off");
    let waits;
    remedy.addEventListener("input", () => {
      clearTimeout(waits);
      waits = setTimeout(() => {
        state.typed = remedy.value;
        keep();
      }, 300);
    });
    const findings = make("ul", { className: "ppslab-case-findings" });
    const judge = async (typed) => {
      const answer = await model({ do: "judge", text: typed });
      if (!over) {
        solved = answer.solved && !state.shown;
        commands = answer.commands;
      }
      findings.replaceChildren(
        ...answer.refused.map(([line, why]) => make("li", { className: "is-wrong" }, make("strong", {}, gettext("Not applied:")), " ", make("code", {}, line), `: ${why}.`)),
        ...answer.notes.map(([line, why]) => make("li", {}, make("code", {}, line), `: ${why}.`)),
        ...answer.findings.map(([looks, verdict, says, seen]) => make("li", { className: verdict === "pass" ? "is-right" : "is-wrong" },
          make("strong", {}, verdict === "pass" ? gettext("Passes:") : gettext("Not true yet:")), ` ${looks}. `, ...rich(says),
          seen ? make("span", { className: "ppslab-under" }, make("code", {}, seen)) : "")),
      );
      return answer;
    };
    const applying = make("form", { className: "ppslab-case-remedy" },
      make("label", {}, make("span", {}, gettext("RouterOS commands, applied to the router as it was at the beginning")), remedy),
      make("button", { type: "submit" }, gettext("Apply and check")), findings);
    applying.addEventListener("submit", act(async () => {
      clearTimeout(waits);
      state.typed = remedy.value;
      say(gettext("The router is being checked …"));
      const answer = await judge(remedy.value);
      if (!over) {
        state.remedy = remedy.value;
        if (answer.counts && !answer.solved) {
          state.failed += 1;
          tell("tried", "fail");
        }
        keep();
      }
      const good = answer.findings.filter(([, each]) => each === "pass").length;
      const values = { good, checks: counts.check(answer.findings.length) };
      const none = DRILLS ? gettext("Nothing was checked.") : gettext("Nothing was checked, so it costs no move.");
      const passed = good === 1 ? gettext("1 of {checks} passes.", values) : gettext("{good} of {checks} pass.", values);
      say([
        answer.counts ? passed : none,
        answer.refused.length ? gettext("{lines} of yours could not be applied.", { lines: counts.line(answer.refused.length) }) : "",
        answer.solved && !cause && !DRILLS ? gettext("Now name the cause.") : "",
      ].filter(Boolean).join(" "));
      await tally();
    }));

    // --- help -----------------------------------------------------------------------------------

    const hints = make("ol", { className: "ppslab-case-hints" });
    const hint = button(DRILLS ? gettext("Show a hint") : gettext("Show a hint (one move)"), act(async () => {
      state.hints += 1;
      state.aided = true;
      keep();
      tell("hint");
      await tally();
      hints.lastChild.scrollIntoView({ block: "nearest" });
      say(gettext("Hint: {hint}", { hint: spec.hints[state.hints - 1] }));
    }));
    const give = button(gettext("Give up and show a solution"), act(async () => {
      if (!give.dataset.sure && !DRILLS) {
        give.dataset.sure = "asked";
        give.textContent = gettext("Press again to give up: the case will not count as unaided");
        return;
      }
      state.shown = state.aided = true;
      keep();
      tell("solved");
      await tally();
      ending.querySelector("h3").focus();
    }));
    const again = button(gettext("Start again"), () => {
      clearTimeout(waits);
      // Who has seen a hint or a solution has seen it.
      state = { ...EMPTY, asked: [], named: [], aided: state.aided };
      keep();
      const fresh = play(item, data, next);
      frame.replaceWith(fresh.frame);
      fresh.begin();
      fresh.heading.focus();
    });

    // --- the end --------------------------------------------------------------------------------

    const ending = make("section", { className: "ppslab-case-end", hidden: true });
    const share = (moves) => {
      const which = DRILLS ? gettext('drill "{title}"', { title: titled(item) }) : gettext("case {number}", { number });
      const score = DRILLS ? counts.command(moves) : counts.move(moves);
      const line = [which, score, gettext("par {par}", { par: spec.par }), ...(state.aided ? [gettext("with help")] : [])].join(", ");
      const copy = button(gettext("Copy this line"), async () => {
        try {
          await navigator.clipboard.writeText(`ppslab: ${line}, ${location.href}`);
          say(gettext("Copied. Paste it wherever you like."));
        } catch {
          say(gettext("This browser does not let the page copy. Mark the line and copy it."));
        }
      });
      return make("p", { className: "ppslab-case-share" }, make("code", {}, line), copy);
    };
    const end = (done, score) => {
      const { manual, chapter: [address, title] } = data.told[name];
      const right = choices.find((each) => !each.but);
      const solutions = make("details", { open: !done }, make("summary", {}, spec.solutions.length > 1 ? gettext("Remedies that work") : gettext("A remedy that works")),
        ...spec.solutions.map((each) => make("pre", { tabIndex: 0 }, each.trim())));
      const parts = [
        make("h3", { tabIndex: -1 }, done ? gettext("Solved") : gettext("A solution")),
        ...(done ? [share(DRILLS ? commands : score.moves)] : []),
        ...(DRILLS ? [] : [make("p", {}, done ? [score.says, state.aided && !state.hints ? gettext("You had help in an earlier attempt, so it does not count as solved unaided.") : ""].join(" ").trim() : gettext("The cause: {cause}.", { cause: right.text }))]),
        solutions,
        ...paragraphs(spec.debrief),
      ];
      parts.push(
        make("ul", { className: "ppslab-manual" }, ...manual.map(([says, cited, source]) => make("li", {},
          make("p", {}, says), make("p", { className: "ppslab-under" }, source.startsWith("https:") ? make("a", { href: source }, cited) : cited)))),
        make("p", {}, make("strong", {}, gettext("Read on:")), " ", make("a", { href: address }, title)),
      );
      if (next) {
        parts.push(make("p", {}, make("strong", {}, gettext("Next:")), " ", make("a", { href: `#${next.id}` }, titled(next))));
      }
      ending.replaceChildren(...parts);
    };

    const moves = make("p", { className: "ppslab-case-moves" });
    // Everything that follows from the state: moves, hints, the end.
    const tally = async () => {
      const wrong = state.named.filter((each) => choices.find((one) => one.name === each)?.but).length + state.failed;
      const score = DRILLS ? { so_far: gettext("Hints: {hints} of {all}.", { hints: state.hints, all: spec.hints.length }) }
        : await model({ do: "score", asked: state.asked.length, hints: state.hints, wrong, read: state.shown });
      const done = (DRILLS || Boolean(cause)) && solved;
      moves.textContent = state.aided && !DRILLS ? `${score.so_far} ${gettext("With help.")}` : score.so_far;
      hints.replaceChildren(...spec.hints.slice(0, state.hints).map((each) => make("li", {}, ...rich(each))));
      hint.hidden = done || state.shown || state.hints >= spec.hints.length;
      give.hidden = done || state.shown;
      again.hidden = !begun(state);
      over = done || state.shown;
      if (done && !state.shown && !progress().read().done[nameOf(name)]) {
        tell("tried", DRILLS ? "pass" : `pass ${score.moves}`);
      }
      if (done && !state.shown) {
        progress().mark(CHAPTER, KIND, name);
        const first = `${CHAPTER}/moves/${name}`;
        if (!DRILLS && !progress().read().answers[first]) {
          progress().answer(first, score.moves);
        }
        if (!DRILLS && !state.aided) {
          progress().mark(CHAPTER, "unaided", name);
        }
      }
      if (over && ending.hidden) {
        end(done && !state.shown, score);
        ending.hidden = false;
        if (ready) {
          ending.querySelector("h3").focus();
        }
      }
    };

    const heading = make(DRILLS ? "h3" : "h2", { tabIndex: -1 }, titled(item));
    const section = (title, ...below) => make("section", {}, make(DRILLS ? "h4" : "h3", {}, title), ...below);
    const known = DRILLS
      ? [section(gettext("The router's configuration"), make("pre", { className: "ppslab-case-export", tabIndex: 0 }, spec.export.trim()))]
      : [item.querySelector("dl").cloneNode(true), section(gettext("Ask the router"), asking, commons, refused, outputs), section(gettext("Name the cause"), causes)];
    const frame = make("div", { className: "ppslab-case" },
      make("p", {}, make("a", { href: `#${KIND}s` }, DRILLS ? gettext("All drills") : gettext("All cases"))), heading,
      item.querySelector(".ppslab-symptom").cloneNode(true), ...known,
      section(gettext("Type the remedy"), applying),
      // In sight wherever the reader is in the case.
      make("div", { className: "ppslab-case-bar" }, moves, status),
      make("section", { className: "ppslab-case-help" }, hints, make("div", { className: "ppslab-case-row" }, hint, give, again)),
      ending);

    // A case that was left: all that was done is asked again, of the same Python.
    let ready = false;
    const begin = act(async () => {
      say(gettext("The router is starting …"));
      await globalThis.ppslab.python(); // From here on no network is needed.
      const { asked, named } = state;
      state.asked = [];
      for (const command of asked) {
        const answer = await model({ do: "ask", text: command });
        if (answer.command && !state.asked.includes(answer.command)) {
          state.asked.push(answer.command);
          printed(answer.command, answer.text, command === asked.at(-1));
        }
      }
      state.named = [];
      for (const value of named.filter((each) => options.has(each))) {
        state.named.push(value);
        await showCause(value);
      }
      if (state.remedy) {
        await judge(state.remedy);
      }
      await tally();
      say("");
      ready = true;
    });
    return { frame, heading, begin };
  };

  // ----------------------------------------------------------------------------------------------
  // The list, and which case the address names.

  const start = async () => {
    const list = root.querySelector(".ppslab-cases-list");
    const entries = [...list.querySelectorAll("li[data-case]")];
    const total = make("p", { className: "ppslab-case-total" });
    const place = make("div");
    list.before(total);
    list.after(place);
    root.classList.add("is-live");

    const tick = () => {
      const { done, answers } = progress().read();
      const of = (kind) => entries.filter((each) => done[`${CHAPTER}/${kind}/${each.dataset.case}`]).length;
      total.textContent = DRILLS
        ? gettext("Solved: {solved} of {all}.", { solved: of(KIND), all: entries.length })
        : gettext("Solved: {solved} of {all}, {unaided} of them unaided.", { solved: of(KIND), all: entries.length, unaided: of("unaided") });
      for (const item of entries) {
        const name = item.dataset.case;
        const first = answers[`${CHAPTER}/moves/${name}`];
        let says = begun(load(name)) ? gettext("begun") : "";
        if (done[nameOf(name)]) {
          const alone = done[`${CHAPTER}/unaided/${name}`] ? gettext("solved unaided") : gettext("solved with help");
          says = [DRILLS ? gettext("solved") : alone, ...(first ? [counts.move(Number(first))] : [])].join(", ");
        }
        const mark = item.querySelector(".ppslab-case-mark") ?? make("span", { className: "ppslab-case-mark" });
        mark.textContent = says;
        item.querySelector("a").after(mark);
      }
    };

    let data;
    const chosen = () => {
      const hash = location.hash.slice(1);
      return entries.findIndex((each) => hash === each.id || hash === numberOf(each));
    };
    const show = async (move) => {
      const at = chosen();
      list.hidden = total.hidden = at >= 0;
      place.replaceChildren();
      tick();
      if (at < 0) {
        return;
      }
      try {
        data ??= await unpack(document.getElementById("ppslab-cases-data").textContent);
      } catch {
        place.append(make("p", { role: "alert" }, gettext("This browser cannot unpack it.")));
        return;
      }
      if (chosen() !== at) {
        return; // Another one was chosen meanwhile.
      }
      const { frame, heading, begin } = play(entries[at], data, entries[at + 1]);
      place.replaceChildren(frame);
      heading.focus({ preventScroll: !move });
      heading.scrollIntoView({ block: "start" });
      await begin();
    };
    addEventListener("hashchange", () => show(true));
    document.addEventListener("ppslab:progress", tick);
    await show(false);
  };

  // Deferred scripts run before this event, and progress.js is one of those that come later.
  if (document.readyState === "complete") {
    start();
  } else {
    document.addEventListener("DOMContentLoaded", start);
  }
})();
