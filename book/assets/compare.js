// Two devices side by side: book/fast/compare.html#rb5009ug-s-in/rb4011igs-rm.  The page's own Python
// (ppslab.course.models.compare_devices) answers; the fragment names the devices.
(() => {
  "use strict";

  const make = (tag, words = {}, ...below) => {
    const made = Object.assign(document.createElement(tag), words);
    made.append(...below);
    return made;
  };

  const tableOf = ({ title, header, rows }) => {
    const table = make("table", { className: "ppslab-table" }, make("caption", {}, title),
      make("thead", {}, make("tr", {}, ...header.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.map(([first, ...rest]) => make("tr", {},
        make("th", { scope: "row" }, first), ...rest.map((text) => make("td", {}, text))))));
    const frame = make("div", { className: "ppslab-scroll", tabIndex: 0 }, table);
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", title);
    return frame;
  };

  const start = (form) => {
    const { find, listed } = globalThis.ppslabDevices;
    const { one, other } = form.elements;
    const facts = JSON.parse(form.querySelector("script").textContent);
    const slugs = Object.fromEntries(Object.entries(facts.devices).map(([slug, { code }]) => [code, slug]));
    const known = listed(one.list);
    const status = form.querySelector("[role=status]");
    const shown = document.getElementById("ppslab-compared");
    let asked = 0;

    const slugOf = (field) => slugs[find(field.value, known).device?.code] ?? "";

    const compare = async () => {
      const chosen = { one: slugOf(one), other: slugOf(other) };
      status.textContent = "";
      shown.replaceChildren();
      const lacks = [one, other].filter((field) => field.value && !chosen[field.name]);
      if (lacks.length) {
        status.textContent = `No figure of "${lacks[0].value}" is in our copies, or the name fits several devices.`;
        return;
      }
      if (!chosen.one || !chosen.other) return;
      const turn = ++asked;
      try {
        const python = await globalThis.ppslab.python();
        const answer = await python.answer("compare-devices", chosen, facts);
        if (turn !== asked) return;
        shown.replaceChildren(...answer.says.map((text) => make("p", {}, make("strong", {}, text))), ...answer.tables.map(tableOf),
          ...(answer.rest.rows.length ? [make("details", { open: answer.tables.length < 2 }, make("summary", {}, answer.rest.title), tableOf(answer.rest))] : []));
      } catch (error) {
        console.error(error);
        status.textContent = error.message;
      }
    };

    const read = () => {
      const [first = "", second = ""] = decodeURIComponent(location.hash.slice(1)).split("/");
      for (const [field, slug] of [[one, first], [other, second]]) field.value = facts.devices[slug]?.name ?? slug;
      compare();
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", () => {
      try {
        history.replaceState(null, "", `#${slugOf(one)}/${slugOf(other)}`);
      } catch {
        // A page opened as a file may not change its address; the fields work without.
      }
      compare();
    });
    addEventListener("hashchange", read);
    read();
  };

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("ppslab-compare");
    if (form) start(form);
  });
})();
