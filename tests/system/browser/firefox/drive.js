// Drive a widget from inside its page, and say what it shows: for browsers that the tests speak to
// in JavaScript only.
async (name, changes) => {
  const until = async (what, seconds = 30) => {
    for (const end = Date.now() + 1000 * seconds; !what(); await new Promise((f) => setTimeout(f, 20)))
      if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
  };
  const find = () => document.querySelector(`.ppslab-widget[data-widget="${name}"][data-ready="true"]`);
  await until(find);
  const root = find();
  for (const [control, value] of changes) {
    const before = root.dataset.answered;
    const field = root.querySelector(`[name="${control}"]`);
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
    await until(() => root.dataset.answered !== before);
  }
  return { source: root.dataset.source, values: JSON.parse(root.querySelector(".ppslab-answer").dataset.values) };
}
