// What a packet costs the router now: instructions, from bursts of two lengths that are routed and,
// for what sending costs, dropped at the router's ingress; and the reader's figures in a table.
import { gettext } from "../../gettext.mjs";
import { make } from "../making.mjs";

const LEAST = 5;
const MOST = 12;
// Of what a packet takes in all: by how much a further round may still move the median.
const HOLDS = 0.005;
const KEPT = 8;
const TAKEN = gettext("The cost could not be counted: a program on the router's port, such as a fast path, "
  + "takes the packets before they can be dropped, so the cost of sending them is unknown.");
/** Between the two numbers nearest to that part of the sorted ones. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const at = part * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

export const median = (numbers) => quantile(numbers, 0.5);

/** Instructions for each further packet, from the two longest bursts of a kind: what starts and
 * ends a burst cancels out.  Each has two marks; the counter has 32 bits and goes round. */
export function slope(marks, what) {
  const bursts = [];
  const own = marks.filter((mark) => mark.what === what);
  for (let at = 0; at + 1 < own.length; at += 2) {
    bursts.push({ packets: own[at].packets, taken: (own[at + 1].at - own[at].at) >>> 0 });
  }
  const [short, long] = bursts.slice(-2);
  if (!long) throw new Error(`The router did not send the bursts that are ${what}.`);
  return (long.taken - short.taken) / (long.packets - short.packets);
}

/** Whether the last round no longer moved the median. */
export function holds(costs, whole) {
  if (costs.length < LEAST) return false;
  return Math.abs(median(costs) - median(costs.slice(0, -1))) <= HOLDS * whole;
}

// Of each figure, as many digits as two presses agree in.
const rounded = (cost) => String(cost >= 1000 ? Math.round(cost / 10) * 10 : Math.round(cost));

export class Costs {
  constructor(router) {
    this.router = router;
    this.told = router.told.count;
    this.key = `ppslab-router-costs:${router.told.lab}`;
    this.table = make("table", { className: "table" });
    const limits = make("p", {}, this.told.limits);
    this.place = make("div", { className: "ppslab-router-costs" }, this.table, limits);
    router.place.append(this.place);
    this.memory = this.kept();
    this.show();
  }

  kept() {
    try {
      const said = JSON.parse(localStorage.getItem(this.key));
      return Array.isArray(said) ? said.filter((each) => Number.isFinite(each?.cost)) : [];
    } catch {
      return []; // A browser that keeps nothing: the figures of this visit are there.
    }
  }

  keep(figure) {
    this.memory = [figure, ...this.memory].slice(0, KEPT);
    try {
      localStorage.setItem(this.key, JSON.stringify(this.memory));
    } catch {
      // As above.
    }
    this.tell();
    this.show(true);
  }

  /** Into the reader's progress, which prints them on the certificate. */
  tell() {
    const { lab } = this.router.told;
    globalThis.ppslab?.progress?.figure({
      lab: `page-${lab}`,
      title: gettext("{lab}: instructions per packet, counted on the router in this page", { lab }),
      started: new Date(this.memory[0].when).toISOString(),
      provenance: gettext("Counted in this browser, with Linux on an emulated PC. The count does not show time."),
      rows: this.memory.map(({ cost, when }) => [new Date(when).toLocaleString(), rounded(cost)]),
    });
  }

  show(now = false) {
    const head = [gettext("time"), gettext("instructions per packet"), gettext("middle half of the rounds"), gettext("arrived")];
    const rows = this.memory.map(({ cost, low, high, rounds, arrived, sent, when, of }, at) => {
      const fresh = now && at === 0;
      return {
        source: fresh ? "now" : "before",
        cells: [
          [fresh ? gettext("now") : gettext("before"), of, new Date(when).toLocaleString()].filter(Boolean).join(", "),
          rounded(cost),
          gettext("{low} to {high}, of {rounds}", { low: rounded(low), high: rounded(high), rounds }),
          arrived === sent ? gettext("all") : gettext("{arrived} of {sent}", { arrived, sent }),
        ],
      };
    });
    const { beside } = this.told;
    if (beside) rows.push({ source: "book", cells: [gettext("value in the book, {of}", { of: beside.of }), beside.cost, "", ""] });
    this.table.replaceChildren(
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", {}, text)))),
      make("tbody", {}, ...rows.map(({ source, cells }) => {
        const row = make("tr", {}, ...cells.map((text) => make("td", {}, text)));
        row.dataset.source = source;
        return row;
      })),
    );
    this.place.hidden = !this.memory.length;
  }

  async run(message) {
    const answer = await this.router.asking(message);
    if (answer.code) throw new Error(`The cost could not be counted: ${answer.output.trim()}`);
    return answer;
  }

  /** Count until the median holds; what to say of it.  `prepared`: what the router was given. */
  async count(prepared) {
    const { up, answer, round, down, packets, flow } = this.told;
    const burst = packets.reduce((sum, some) => sum + some, 0);
    const costs = [];
    let arrived = 0;
    try {
      this.router.say(gettext("Counting packets {flow} …", { flow }));
      await this.run({ do: "ask", script: prepared?.answer ? up + answer : up });
      for (let whole = Infinity; costs.length < MOST && !(costs.length && holds(costs, whole)); ) {
        const { output, marks } = await this.run({ do: "count", script: round });
        const [before, after, end] = output.trim().split("\n").map(Number);
        // A fast path takes every packet; a router that has just started also sends a few of its own.
        if (end - after > burst / 2) throw new Error(TAKEN);
        arrived += after - before;
        whole = slope(marks, "routed");
        costs.push(whole - slope(marks, "dropped"));
        const so = rounded(median(costs));
        this.router.say(gettext("Counting packets {flow}: round {round}, {so} instructions per packet …", { flow, round: costs.length, so }));
      }
    } finally {
      await this.router.asking({ do: "ask", script: down });
    }
    const figure = {
      cost: median(costs),
      low: quantile(costs, 0.25),
      high: quantile(costs, 0.75),
      rounds: costs.length,
      arrived,
      sent: costs.length * burst,
      when: Date.now(),
      of: prepared?.title,
    };
    this.keep(figure);
    const cost = rounded(figure.cost);
    return costs.length < MOST
      ? gettext("A packet costs {cost} instructions now.", { cost })
      : gettext("A packet costs {cost} instructions now, but the rounds differ; count again.", { cost });
  }
}
