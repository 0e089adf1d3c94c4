// Which device a name means, as `ppslab fast` reads it (src/ppslab/model/devices): one matcher for
// the front page's figure and for the page of all devices.  tests/model/devices/names.yml holds
// both languages to the same answers.
(() => {
  "use strict";

  const NOISE = /\b(mikrotik|routerboard|router)\b/gi;

  /** A name without case, spaces, hyphens and brackets; ax³ and ax^3 are ax3. */
  const bare = (text) => text.normalize("NFKC").toLowerCase().replace(/[^a-z0-9+&]/g, "");
  const plain = (text) => bare(text.replace(NOISE, " "));

  const words = ({ name, code }) => [bare(name), bare(code)];
  // RouterOS 6 leaves out the RB of a model.
  const exactly = (part, device) => words(device).includes(part) || bare(device.code) === `rb${part}`;
  const beginning = (part, device) =>
    part.length > 2 && words(device).some((word) => word.startsWith(part) || word.startsWith(`rb${part}`));
  const ofSeries = (part, device) => device.name.endsWith(" series")
    && [part, `rb${part}`].some((word) => word.startsWith(bare(device.code)));

  /** The one of several devices of one class that has published results. */
  const one = (near) => {
    if (near.length === 1) return near[0];
    if (new Set(near.map((device) => device.cpu)).size !== 1 || !near[0].cpu) return undefined;
    const published = near.filter((device) => device.published);
    return published.length === 1 ? published[0] : undefined;
  };

  /** {device, exact} where the name means one, {several} where it fits more, {} where it fits none. */
  const find = (text, devices) => {
    const parts = [plain(text), ...text.split(/[()]/).filter((part) => part.trim()).map(bare)];
    for (const part of new Set(parts.filter(Boolean))) {
      for (const fits of [exactly, beginning, ofSeries]) {
        const near = devices.filter((device) => fits(part, device));
        const device = one(near);
        if (device) return { device, exact: fits === exactly };
        if (near.length) return { several: near };
      }
    }
    return {};
  };

  /** The devices of a datalist, as the pages have it. */
  const listed = (datalist) => [...datalist.options].map(({ value, dataset }) => ({
    name: value,
    code: dataset.code,
    cpu: dataset.cpu,
    published: "published" in dataset,
  }));

  globalThis.ppslabDevices = { plain, find, listed };
})();
