// Two devices side by side: book/fast/compare.html#rb5009ug-s-in/rb4011igs-rm.  The page's own Python
// (ppslab.course.models.compare_devices) answers; the fragment names the devices.
import { shownTable } from "../../src/ppslab/course/widgets/front/answer.js";
import { gettext, make } from "../../src/ppslab/course/widgets/front/element.js";

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
      status.textContent = gettext('No figure of "{name}" is in our copies, or the name fits several devices.', { name: lacks[0].value });
      return;
    }
    if (!chosen.one || !chosen.other) return;
    const turn = ++asked;
    try {
      const python = await globalThis.ppslab.python();
      const answer = await python.answer("compare-devices", chosen, facts);
      if (turn !== asked) return;
      shown.replaceChildren(...answer.says.map((text) => make("p", {}, make("strong", {}, text))), ...answer.tables.map(shownTable),
        ...(answer.rest.rows.length ? [make("details", { open: answer.tables.length < 2 }, make("summary", {}, answer.rest.title), shownTable(answer.rest))] : []));
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
