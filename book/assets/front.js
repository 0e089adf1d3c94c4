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
  const byCode = new Map(data.devices.map((device) => [device.code, device]));
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
    const title = `${data.sources[source].text}; ${detail}`;
    cited.set(source, [...(cited.get(source) ?? []), detail]);
    const link = make("a", { href: `#ppslab-cited-${source + 1}`, title }, `[${source + 1}]`);
    link.setAttribute("aria-label", gettext("Source {source}: {title}", { source: source + 1, title }));
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

  /** Put a cell into its row; `free`: what the Fast Path has at the same size. */
  const fill = (made, cell, free, most) => {
    const [ghost, bar] = made.querySelectorAll("rect");
    // Two documents are two measurements: only what one of them has is compared.
    ghost.style.transform = `scaleX(${free?.source === cell.source ? free.kpps / most : 0})`;
    bar.style.transform = `scaleX(${cell.kpps / most})`;
    made.lastChild.replaceChildren(make("strong", {}, cell.rate), gettext(" packets/s "),
      make("span", {}, cell.bits), note(cell));
    return made;
  };

  const draw = () => {
    cited.clear();
    const shown = device.same ? byCode.get(device.same) : device;
    const tables = shown.tables;
    if (!tables.includes(table)) table = tables[0];
    if (table && !table.rates[does]) does = data.settings.find(({ key }) => table.rates[key]).key;
    const rates = table?.rates[does] ?? {};
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
      input.disabled = !table?.rates[input.value];
      input.checked = input.value === does && !input.disabled;
    }
    years.replaceChildren(make("span", {}, gettext("Published")), ...tables.map((each) => {
      const button = make("button", { type: "button", onclick: () => { table = each; draw(); } }, each.year);
      button.setAttribute("aria-pressed", String(each === table));
      return button;
    }));
    years.hidden = tables.length < 2;
    says.replaceChildren(...sentence(shown, rates));
    notes.replaceChildren(...also(shown), ...[...cited].map(([number, details]) => cite(number, details)));
    field.value = device.name;
    for (const link of document.querySelectorAll(".ppslab-entry a[href]")) {
      const page = link.pathname.split("/").pop();
      if (page === "fast.html") link.search = `?device=${encodeURIComponent(device.code)}`;
      // "slow" asks about the reader's own router, so it gets none that nobody chose.
      if (page === "slow.html" && chosen) link.hash = `router=${encodeURIComponent(device.code)}`;
    }
    root.dataset.device = device.code;
    root.dataset.does = sizes.length ? does : "";
    root.dataset.year = table?.year ?? "";
  };

  const cite = (number, details) => {
    const { text, href } = data.sources[number];
    return make("p", { id: `ppslab-cited-${number + 1}` }, `[${number + 1}] `,
      href ? make("a", { href }, text) : text, `: ${[...new Set(details)].join("; ")}`);
  };

  const sentence = (shown, rates) => {
    const { name, cpu } = device;
    if (!table && device.also.length) {
      return [make("strong", {}, name), gettext(" ({cpu}): MikroTik published none of these that we could find. What there is:", { cpu })];
    }
    if (!table) {
      return [make("strong", {}, name), gettext(" ({cpu}): no results published that we could find, nor of another device with this CPU.", { cpu })];
    }
    const size = rates["512"] ? "512" : Object.keys(rates)[0];
    const cell = rates[size];
    const { words } = data.settings.find(({ key }) => key === does);
    const whose = device.same
      ? [make("strong", {}, name), gettext(": no results published that we could find. Same CPU as the {name} ({cpu}); that device's numbers: ", { name: shown.name, cpu })]
      : [];
    const share = cell.share ? gettext(", {share} of its Fast Path", { share: cell.share }) : "";
    return [...whose, make("strong", {}, `${shown.name} ${words}: `),
      make("b", { className: "ppslab-rates-big" }, cell.bits),
      gettext(" in packets of {size} bytes{share}. {by}.", { size, share, by: table.by }), ...since(shown, size)];
  };

  const ends = ({ year }) => Number(year.match(/\d{4}/)?.[0] ?? 0);

  /** The newest figure of the same, where the year that is shown has an older one. */
  const since = (shown, size) => {
    const later = shown.tables.filter((each) => ends(each) > ends(table) && each.rates[does]?.[size]);
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

  const unknown = ({ several }) => several
    ? gettext(": one of several devices, so say which: {names}.", { names: several.map(({ name, code }) => `${name} (${code})`).join(", ") })
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
