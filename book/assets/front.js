// The front page's figure: what MikroTik published of one device, drawn from the page's own data.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const NS = "http://www.w3.org/2000/svg";
  const root = document.querySelector(".ppslab-rates");
  if (!root) return;
  const data = JSON.parse(root.querySelector("script").textContent);
  const field = root.querySelector("input[list]");
  const choices = root.querySelector(".ppslab-rates-does");
  const years = root.querySelector(".ppslab-rates-years");
  const says = root.querySelector(".ppslab-rates-says");
  const bars = root.querySelector(".ppslab-rates-bars");
  const notes = root.querySelector(".ppslab-rates-notes");
  // What the reader pasted (results.js) comes before what we have.
  const withOwn = (device) => {
    const own = globalThis.ppslab.results?.of(device.code)?.table;
    return own ? { ...device, same: "", tables: [own, ...device.tables] } : device;
  };
  const byCode = new Map(data.devices.map((device) => [device.code, withOwn(device)]));
  let device = byCode.get(data.begin);
  let chosen = false;
  let does = data.does;
  let table;

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // --- which device -----------------------------------------------------------------------------

  const { plain, find: match, listed } = globalThis.ppslabDevices;
  const names = listed(root.querySelector("datalist"));

  /** The device of that name, product code or model in an export; undefined where there is none.
   * `loose`: the beginning of one is enough. */
  const find = (text, loose) => {
    const { device: named, exact } = match(text, names);
    return named && (exact || loose) ? byCode.get(named.code) : undefined;
  };

  const asked = () => {
    const hash = new URLSearchParams(location.hash.slice(1)).get("device");
    return hash ?? new URLSearchParams(location.search).get("device");
  };

  const keep = () => {
    try {
      history.replaceState(null, "", `?device=${encodeURIComponent(device.code)}`);
    } catch {
      // A page of a disk has no address to change.
    }
  };

  // --- the figure -------------------------------------------------------------------------------

  const cited = new Map();

  /** The number of a source, as a link to its note under the figure. */
  const note = ({ source, detail }) => {
    if (source === "") return "";
    const title = `${data.sources[source].text}; ${detail}`;
    cited.set(source, [...(cited.get(source) ?? []), detail]);
    const number = [...cited.keys()].indexOf(source) + 1;
    const link = make("a", { href: `#ppslab-cited-${number}`, title }, `[${number}]`);
    link.setAttribute("aria-label", gettext("Source {source}: {title}", { source: number, title }));
    return make("sup", {}, link);
  };

  const rect = (part, name) => {
    const drawn = document.createElementNS(NS, "rect");
    drawn.setAttribute("class", name);
    drawn.setAttribute("width", "100");
    drawn.setAttribute("height", "10");
    // A width that is a style is animated by the style sheet.
    drawn.style.transform = `scaleX(${part})`;
    return drawn;
  };

  const rows = new Map();

  /** A row for each frame size; one that is there already changes, so that its bar moves. */
  const row = (size) => {
    if (!rows.has(size)) {
      const svg = document.createElementNS(NS, "svg");
      for (const [name, value] of [["viewBox", "0 0 100 10"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) {
        svg.setAttribute(name, value);
      }
      svg.append(rect(0, "ppslab-rates-most"), rect(0, "ppslab-rates-bar"));
      const made = make("li", {}, make("span", {}, gettext("{size} bytes", { size })), svg, make("span", { className: "ppslab-rates-value" }));
      made.dataset.size = size;
      rows.set(size, made);
    }
    return rows.get(size);
  };

  /** A figure of a cell; with FastTrack the two that it is between. */
  const upTo = (cell, free, name) => does === FASTTRACK
    ? gettext("{least} to {most}", { least: cell[name], most: free[name] }) : cell[name];

  /** Put a cell into its row; `free`: what the Fast Path has at the same size. */
  const fill = (made, cell, free, most) => {
    const [ghost, bar] = made.querySelectorAll("rect");
    // Two documents are two measurements: only what one of them has is compared.
    ghost.style.transform = `scaleX(${free?.source === cell.source ? free.kpps / most : 0})`;
    bar.style.transform = `scaleX(${cell.kpps / most})`;
    made.lastChild.replaceChildren(make("strong", {}, upTo(cell, free, "rate")), gettext(" packets/s "),
      make("span", {}, upTo(cell, free, "bits")), note(cell));
    return made;
  };

  const FASTTRACK = "fasttrack";

  /** The rows of a choice; with FastTrack those with 25 rules, if the Fast Path's are there too. */
  const ratesOf = (each, key) => {
    const { rules, "fast-path": free } = each?.rates ?? {};
    if (key !== FASTTRACK) return each?.rates[key];
    const both = Object.entries(rules ?? {}).filter(([size]) => free?.[size]);
    return both.length ? Object.fromEntries(both) : undefined;
  };

  /** What a year has of what is asked: that, or the first that it has. */
  const known = (each) => (ratesOf(each, does) ? does : data.settings.find(({ key }) => ratesOf(each, key)).key);

  const draw = () => {
    cited.clear();
    const shown = device.same ? byCode.get(device.same) : device;
    const tables = shown.tables;
    // The newest year that has what is asked; a year's own button changes the question instead.
    if (!tables.includes(table) || !ratesOf(table, does)) {
      table = tables.find((each) => ratesOf(each, does)) ?? tables[0];
      if (table) does = known(table);
    }
    const rates = ratesOf(table, does) ?? {};
    const free = table?.rates[data.settings[0].key] ?? {};
    const most = table?.most ?? 1;
    const sizes = Object.keys(rates);
    const made = sizes.map((size) => fill(row(size), rates[size], free[size], most));
    // A row that stays where it is goes on from where its bar was.
    if (made.length !== bars.children.length || made.some((each, at) => each !== bars.children[at])) {
      bars.replaceChildren(...made);
    }
    bars.hidden = !sizes.length;
    choices.hidden = !table;
    for (const input of choices.querySelectorAll("input")) {
      input.disabled = !tables.some((each) => ratesOf(each, input.value));
      input.checked = input.value === does && !input.disabled;
    }
    years.replaceChildren(make("span", {}, gettext("Published")), ...tables.map((each) => {
      const button = make("button", { type: "button", onclick: () => { table = each; does = known(each); draw(); } }, each.year);
      button.setAttribute("aria-pressed", String(each === table));
      return button;
    }));
    years.hidden = tables.length < 2;
    says.replaceChildren(...sentence(shown, rates));
    notes.replaceChildren(...also(shown), ...[...cited].map(([source, details], at) => cite(source, details, at + 1)));
    field.value = device.name;
    for (const link of document.querySelectorAll(".ppslab-entry a[href]")) {
      const page = link.pathname.split("/").pop();
      if (page === "fast.html") link.search = `?device=${encodeURIComponent(device.code)}`;
    }
    root.dataset.device = device.code;
    root.dataset.does = sizes.length ? does : "";
    root.dataset.year = table?.year ?? "";
  };

  const cite = (source, details, number) => {
    const { text, href, copy } = data.sources[source];
    const kept = copy ? gettext("; copy: {copy}", { copy }) : "";
    return make("p", { id: `ppslab-cited-${number}` }, `[${number}] `,
      href ? make("a", { href }, text) : text, `: ${[...new Set(details)].join("; ")}${kept}`);
  };

  const sentence = (shown, rates) => {
    const { name, cpu } = device;
    if (!table) {
      const rest = device.also.length ? gettext(" Here: what others measured or reported.") : "";
      return [make("strong", {}, name), cpu ? ` (${cpu})` : "", ...elsewhere(device), rest];
    }
    const size = rates["512"] ? "512" : Object.keys(rates)[0];
    const cell = rates[size];
    const { words } = data.settings.find(({ key }) => key === does);
    const whose = device.same
      ? [make("strong", {}, name), ...elsewhere(device), gettext(" Same CPU as the {name} ({cpu}); that device's numbers: ", { name: shown.name, cpu })]
      : [];
    const free = table.rates["fast-path"]?.[size];
    const between = does === FASTTRACK
      ? gettext(" MikroTik publishes no such test: it lies between 25 rules without FastTrack and the Fast Path.") : "";
    const share = cell.share && does !== FASTTRACK ? gettext(", {share} of its Fast Path", { share: cell.share }) : "";
    return [...whose, make("strong", {}, `${shown.name} ${words}: `),
      make("b", { className: "ppslab-rates-big" }, upTo(cell, free, "bits")),
      gettext(" in packets of {size} bytes{share}. {by}.", { size, share, by: table.by }), between,
      large(rates), ...since(shown, size)];
  };

  /** Where the test results are that we have no copy of, and where they can be pasted. */
  const elsewhere = ({ code, page }) => [
    gettext(". Not in our copies: look at "), make("a", { href: page }, gettext("its Test results at MikroTik")),
    gettext(", and "), make("a", { href: `book/fast.html?device=${encodeURIComponent(code)}#ppslab-results` }, gettext("paste them here")), ".",
  ];

  const LARGE = 1518;

  /** The same in large packets: published, or as many packets of that size. */
  const large = (rates) => {
    const cell = rates[LARGE];
    if (cell) return gettext(" In packets of {size} bytes: {bits}.", { size: LARGE, bits: upTo(cell, table.rates["fast-path"]?.[LARGE], "bits") });
    const one = Object.values(rates)[0];
    if (does !== "rules" && does !== "queues") return "";
    const gigabits = (one.kpps * LARGE * 8) / 1e6;
    return gettext(" As many packets of {size} bytes are {gigabits} Gbit/s (calculated, if the ports carry it).", { size: LARGE, gigabits: gigabits.toPrecision(2) });
  };

  const ends = ({ year }) => Number(year.match(/\d{4}/)?.[0] ?? 0);

  /** The newest figure of the same, where the year that is shown has an older one. */
  const since = (shown, size) => {
    const later = does === FASTTRACK ? []
      : shown.tables.filter((each) => ends(each) > ends(table) && each.rates[does]?.[size]);
    if (!later.length) return [];
    const newest = later.reduce((one, other) => (ends(other) > ends(one) ? other : one));
    const cell = newest.rates[does][size];
    return [make("span", {}, gettext(" Newest figure, {year}: ", { year: newest.year }), cell.bits, note(cell))];
  };

  /** What is in none of the bars; what is not MikroTik's under a heading of its own. */
  const also = (shown) => {
    const told = (each) => make("p", {}, `${each.text} `, note(each));
    const others = shown.also.filter((each) => each.others);
    const heading = make("p", {}, make("strong", {}, gettext("What others measured or reported")));
    return [...shown.also.filter((each) => !each.others).map(told),
      ...(others.length ? [heading, ...others.map(told)] : [])];
  };

  /** The figure of a variant in few words: with 25 rules if there is one. */
  const brief = ({ tables: [first], also: [other] }) => {
    const key = first && (first.rates.rules ? "rules" : Object.keys(first.rates)[0]);
    const size = key && (first.rates[key]["512"] ? "512" : Object.keys(first.rates[key])[0]);
    if (!key) return other ? other.text : gettext("not in our copies");
    const { words } = data.settings.find((each) => each.key === key);
    return `${first.rates[key][size].bits} ${words} (${first.year})`;
  };

  const variant = ({ code }) => {
    const one = byCode.get(code);
    const button = make("button", { type: "button" }, one.name);
    button.addEventListener("click", () => {
      choose(one);
      keep();
      field.focus();
    });
    return make("li", {}, button, `: ${brief(one)}`);
  };

  const unknown = ({ several }) => several
    ? make("span", {}, gettext(": one of these:"), make("ul", { className: "ppslab-rates-variants" }, ...several.map(variant)))
    : gettext(": no device of that name in MikroTik's list. Its product code stands on its label, and in line “# model =” of its export.");

  // --- what the reader does ---------------------------------------------------------------------

  const choose = (found) => {
    if (!found || found === device) return;
    device = found;
    table = undefined;
    does = data.does;
    chosen = true;
    draw();
  };

  // The theme takes a link's fragment for a selector while the page loads, so it comes with the click.
  // "slow" asks about the reader's own router, so it gets none that nobody chose.
  for (const kind of ["click", "auxclick"]) {
    document.addEventListener(kind, ({ target }) => {
      const link = target.closest(".ppslab-entry a[href]");
      if (!chosen || !device || !link?.pathname.endsWith("/slow.html")) return;
      link.hash = `router=${encodeURIComponent(device.code)}`;
    }, true);
  }
  field.addEventListener("focus", () => field.select());
  field.addEventListener("input", ({ inputType }) => {
    const found = find(field.value);
    // Whoever types "hEX S" passes by "hEX": only what is picked from the list holds at once.
    const picked = inputType === undefined || inputType === "insertReplacementText";
    const typed = plain(field.value);
    const longer = names.some(({ name, code }) =>
      [name, code].some((word) => plain(word) !== typed && plain(word).startsWith(typed)));
    if (found && (picked || !longer)) {
      choose(found);
      keep();
    }
  });
  field.addEventListener("change", () => {
    const found = find(field.value, true);
    if (found) {
      choose(found);
      keep();
      field.value = device.name;
    } else {
      says.replaceChildren(make("strong", {}, field.value), unknown(match(field.value, names)));
      // No figure of the device before it may stand under another's name.
      for (const part of [bars, years, notes]) part.replaceChildren();
      choices.hidden = true;
      device = undefined;
    }
  });
  root.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    field.dispatchEvent(new Event("change"));
  });
  choices.addEventListener("change", ({ target }) => {
    does = target.value;
    draw();
  });
  const follow = () => choose(find(asked() ?? "", true));
  addEventListener("hashchange", follow);
  addEventListener("pageshow", (event) => event.persisted && follow());

  follow();
  draw();
  root.hidden = false;
  root.dataset.ready = "true";
})();
