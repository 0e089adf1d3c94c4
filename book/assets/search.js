// Pages that answer a question first, then sections, then words of configuration: what Sphinx's
// search would cut in two.  On the search page all of it; in every search field the first of it.
(() => {
  "use strict";

  const gettext = (...asked) => globalThis.ppslab.gettext(...asked);

  const MOST = 10;
  const FEW = 6;

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

  // What a reader calls a thing, and what the course calls it.
  const meant = (asked) =>
    asked.flatMap((word) => [word, ...(ppslabKnown.synonyms?.[word] ?? [])]);

  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

  // How well a title fits: words of the query count whole, synonyms half, a question a little more.
  const fitting = ([address, page, title], asked, others) => {
    const inside = wordsOf(`${page} ${title}`);
    const has = (word) => inside.some((each) => each === word || (word.length > 2 && each.startsWith(word)));
    const count = asked.filter(has).length + others.filter(has).length / 2;
    return count && count + (address.startsWith("book/questions.html") ? 0.75 : 0);
  };

  const IDLE = ["a", "an", "and", "are", "do", "does", "how", "i", "in", "is", "it", "my", "of", "on", "the", "to", "what", "why"];

  const sectionsFor = (query) => {
    const asked = wordsOf(query).filter((word) => !IDLE.includes(word));
    const others = meant(asked).filter((word) => !asked.includes(word));
    return ppslabSections
      .map((each) => [fitting(each, asked, others), each])
      .filter(([count]) => count)
      .sort(([one], [two]) => two - one)
      .slice(0, MOST)
      .map(([, [address, page, title, text]]) =>
        [address, page === title ? page : `${page}: ${title}`, text]);
  };

  const uncovered = (query) => {
    const asked = wordsOf(query);
    return (ppslabKnown["not-covered"] ?? [])
      .filter(({ words }) => words.some((word) => asked.includes(word)))
      .map(({ says }) => says);
  };

  // A model is asked for by more than its name: RB5009UG+S+IN is an RB5009.
  const isAsked = (word, asked) =>
    asked.some((each) => each === word || (/[a-z].*\d{3}/.test(word) && each.startsWith(word)));

  // How many words of the query the phrases of a page are about; the longest phrase decides first.
  const aptness = ({ words }, asked) => {
    const met = words.map(wordsOf).filter((phrase) => phrase.every((word) => isAsked(word, asked)));
    return [Math.max(0, ...met.map(({ length }) => length)), new Set(met.flat()).size];
  };

  // Pages that name what is asked for; where they do so alike, the first one in book/pages.yml.
  const answering = (query) => {
    const asked = wordsOf(query);
    return ppslabAnswers
      .map((page) => [...aptness(page, asked), page])
      .filter(([longest]) => longest)
      .sort(([one, a], [two, b]) => two - one || b - a)
      .slice(0, FEW)
      .map(([, , page]) => [page.address, page.title, page.text]);
  };

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const linked = (root, tag) => ([address, title, text]) =>
    make(tag, {}, make("a", { href: root + address, textContent: title }),
      ...(text ? [make("p", { className: "ppslab-excerpt", textContent: text })] : []));

  // One part of the results: a heading over what was found, if anything was.
  const part = (kind, title, ...found) =>
    found.length ? [make("section", { className: kind }, make("h2", { textContent: title }), ...found)] : [];

  const list = (root, found) => (found.length ? [make("ul", {}, ...found.map(linked(root, "li")))] : []);

  const results = (query, root) => {
    const words = find(ppslabWords, query).flatMap((word) => [
      make("dt", {}, make("code", { textContent: word })),
      ...ppslabWords[word].map((place) => linked(root, "dd")(ppslabPlaces[place])),
    ]);
    return [
      ...uncovered(query).map((says) => make("p", { className: "ppslab-uncovered", textContent: says })),
      ...part("ppslab-begin", gettext("Begin here"), ...list(root, answering(query))),
      ...part("ppslab-sections", gettext("Questions and sections"), ...list(root, sectionsFor(query))),
      ...part("ppslab-found", gettext("In configuration and commands"),
        ...(words.length ? [make("dl", {}, ...words)] : [])),
    ];
  };

  // In a search field: the first links while somebody types, below the field.
  const suggest = (input, root) => {
    const form = input.form;
    const box = make("div", { className: "ppslab-suggest", hidden: true });
    form.append(box);
    let loading;
    const load = () =>
      (loading ??= typeof ppslabWords === "undefined"
        ? new Promise((done) => {
            const src = document.querySelector('script[src*="search.js"]').src.replace("search.js", "words.js");
            document.head.append(make("script", { src, onload: done }));
          })
        : Promise.resolve());
    const fill = async () => {
      await load();
      const query = plain(input.value);
      const found = query.length > 1 ? [...answering(query), ...sectionsFor(query)].slice(0, FEW) : [];
      const says = query.length > 1 ? uncovered(query) : [];
      box.replaceChildren(...says.map((text) => make("p", { textContent: text })), ...list(root, found.map(([address, title]) => [address, title])));
      box.hidden = !found.length && !says.length;
    };
    input.addEventListener("focus", load);
    input.addEventListener("input", fill);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        box.hidden = true;
      }
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    const root = document.documentElement.dataset.content_root || "";
    document.querySelectorAll("form.bd-search input[name=q]").forEach((input) => suggest(input, root));
    const query = plain(new URLSearchParams(location.search).get("q") || "");
    const place = document.getElementById("search-results");
    if (query && place && typeof ppslabWords !== "undefined") {
      place.before(...results(query, root));
    }
  });
})();
