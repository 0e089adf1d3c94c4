// Words of configuration first: what Sphinx's search would cut in two, with the sections they are in.
(() => {
  "use strict";

  const MOST = 10;

  // A page opened as a file may fetch no other, of which Sphinx's search would show a part.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  const plain = (text) => text.toLowerCase().replaceAll("/", " ").trim().split(/\s+/).join(" ");

  // 0 the word itself, 1 its beginning, 2 a part of it; 3 all of its words are asked for; else no.
  const nearness = (word, query) => {
    if (word === query) {
      return 0;
    }
    if (word.startsWith(query)) {
      return 1;
    }
    if (query.length > 2 && word.includes(query)) {
      return 2;
    }
    const asked = query.split(" ");
    return asked.length > 1 && word.split(" ").every((each) => asked.includes(each)) ? 3 : null;
  };

  const find = (words, query) =>
    Object.keys(words)
      .map((word) => [nearness(word, query), word])
      .filter(([near]) => near !== null)
      .sort(([a, one], [b, two]) => a - b || one.length - two.length || one.localeCompare(two))
      .map(([, word]) => word)
      // A menu's verbs stand in the same sections as the menu.
      .filter((word, place, all) => !all.slice(0, place).some((each) => word.startsWith(`${each} `)))
      .slice(0, MOST);

  const show = (found, words, root) => {
    const part = document.createElement("section");
    part.className = "ppslab-found";
    const title = document.createElement("h2");
    title.textContent = "In configuration and commands";
    const list = document.createElement("dl");
    for (const word of found) {
      const term = document.createElement("dt");
      term.append(Object.assign(document.createElement("code"), { textContent: word }));
      list.append(term);
      for (const [address, text] of words[word]) {
        const place = document.createElement("dd");
        const link = Object.assign(document.createElement("a"), { textContent: text });
        link.href = root + address;
        place.append(link);
        list.append(place);
      }
    }
    part.append(title, list);
    document.getElementById("search-results").before(part);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const query = plain(new URLSearchParams(location.search).get("q") || "");
    const results = document.getElementById("search-results");
    if (!query || !results || typeof ppslabWords === "undefined") {
      return;
    }
    const found = find(ppslabWords, query);
    if (found.length) {
      show(found, ppslabWords, document.documentElement.dataset.content_root || "");
    }
  });
})();
