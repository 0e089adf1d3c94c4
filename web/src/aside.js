// Models in a worker: the page's side (Aside), and the worker's (serve).
//
// The worker is a blob, since only such a one has the policy of its page: what it reads cannot leave.

/** Milliseconds that an answer may still take when another is asked for, before its worker is ended. */
const PATIENCE = 500;

export class Aside {
  /** `code`: what the worker runs; `here`: answers without a worker. */
  constructor(code, here) {
    Object.assign(this, { code, here });
  }

  /** The model's answer.  Of several that are asked for at once, the last alone comes. */
  answer(name, inputs, facts, hears) {
    return new Promise((done, failed) => {
      this.next = { name, inputs, facts, hears, done, failed };
      this.go();
    });
  }

  go() {
    if (!this.next) return;
    if (this.broken) this.alone();
    else if (!this.worker) this.begin();
    else if (!this.ready) return;
    else if (!this.now) this.send();
    else this.patience ??= setTimeout(() => { this.end(); this.go(); }, PATIENCE);
  }

  begin() {
    // In an old browser there is none.
    const broken = () => { this.end(); this.broken = true; this.go(); };
    try {
      this.worker = new Worker(URL.createObjectURL(new Blob([this.code], { type: "text/javascript" })));
    } catch {
      return broken();
    }
    this.keys = new Map();
    this.worker.onerror = (event) => {
      event.preventDefault();
      broken();
    };
    this.worker.onmessage = ({ data: { kind, content } }) => {
      if (kind === "broken") return broken();
      if (kind === "step") return this.now.hears?.(...content);
      if (kind === "ready") this.ready = true;
      if (kind === "answer") this.now.done(content);
      if (kind === "failed") this.now.failed(new Error(content));
      clearTimeout(this.patience);
      this.now = this.patience = undefined;
      this.go();
    };
    this.worker.postMessage({ messages: globalThis.ppslab?.messages });
  }

  send() {
    this.now = this.next;
    this.next = undefined;
    const { name, inputs, facts } = this.now;
    const known = this.keys.has(facts);
    if (!known) this.keys.set(facts, this.keys.size);
    this.worker.postMessage({ name, inputs, key: this.keys.get(facts), facts: known ? undefined : facts });
  }

  async alone() {
    const { name, inputs, facts, hears, done, failed } = this.next;
    this.next = undefined;
    hears?.();
    await new Promise((drawn) => setTimeout(drawn, 50));
    this.here(name, inputs, facts).then(done, failed);
  }

  end() {
    clearTimeout(this.patience);
    this.worker?.terminate();
    this.worker = this.ready = this.now = this.patience = undefined;
  }

  /** End what runs: MicroPython cannot be interrupted.  The next answer has a new worker. */
  stop() {
    const asked = [this.now, this.next];
    this.end();
    this.next = undefined;
    for (const one of asked) one?.failed(new Error("stopped"));
  }
}

/** In the worker: answer the page's messages by what `start(hears)` starts. */
export function serve(start) {
  const known = new Map();
  const say = (kind, content) => postMessage({ kind, content });
  let python;
  onmessage = async ({ data }) => {
    if ("messages" in data) {
      (globalThis.ppslab ??= {}).messages = data.messages;
      try {
        python = await start((...step) => say("step", step));
        say("ready");
      } catch {
        say("broken");
      }
      return;
    }
    const { name, inputs, key, facts } = data;
    if (facts) known.set(key, facts);
    try {
      say("answer", python.answer(name, inputs, known.get(key)));
    } catch (error) {
      say("failed", error.message);
    }
  };
}
