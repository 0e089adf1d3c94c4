// Both shells of a lab's router and its tasks, one after the other, as a reader presses them: for
// Chromium and Firefox alike.  Returns what the page says after each step.
async () => {
  const until = async (what, seconds = 60) => {
    for (const end = Date.now() + 1000 * seconds; !what(); await new Promise((f) => setTimeout(f, 50)))
      if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
  };
  const place = document.querySelector(".ppslab-router");
  const find = (selector) => place.querySelector(selector);
  await until(() => place.router.tasks);
  const steps = {};
  const press = async (step, action) => {
    find(`[data-task=${action}]`).click();
    await until(() => !place.router.tasks.busy);
    steps[step] = find(".ppslab-router-task-said").innerText.trim();
  };
  const shell = async (name, shown) => {
    find(`[data-shell=${name}]`).click();
    await until(() => find(shown) && !find(shown).hidden);
  };
  const type = async (line) => {
    const before = find(".ppslab-routeros-log").innerText.length;
    find(".ppslab-routeros input").value = line;
    find(".ppslab-routeros form").requestSubmit();
    await until(() => !find(".ppslab-routeros").dataset.busy);
    steps[line] = find(".ppslab-routeros-log").innerText.slice(before);
  };
  await shell("routeros", ".ppslab-routeros");
  await press("start", "start");
  // A task that RouterOS's words cannot do is begun for the Linux shell, which comes to the front.
  await shell("routeros", ".ppslab-routeros");
  await type("/ip address print");
  await type("/interface print");
  await type("/ip firewall filter add chain=forward protocol=icmp action=drop");
  await press("check", "check");
  await shell("linux", ".ppslab-router-screen");
  await press("check in Linux", "check");
  await press("reset", "reset");
  return steps;
}
