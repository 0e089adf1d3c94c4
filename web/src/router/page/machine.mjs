// The emulated machine: a worker that runs it, and what is asked of it.

/** The numbers below are the worker's: it asks its machine too. */
const FIRST = 11;

export class Machine {
  /** `hears`: told each message that answers no question; a worker that breaks has failed. */
  constructor(address, hears) {
    this.waiting = new Map();
    this.next = FIRST;
    this.worker = new Worker(address, { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (this.ended) return;
      const answers = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.kind === "answer" || data.kind === "saved") answers?.(data);
      else hears(data);
    };
    this.worker.onerror = ({ message }) => this.ended || hears({ kind: "failed", text: message });
  }

  tell(message) {
    this.worker.postMessage(message);
  }

  ask(message) {
    const id = this.next++;
    const answer = new Promise((done) => this.waiting.set(id, done));
    this.tell({ ...message, id });
    return answer;
  }

  end() {
    this.ended = true;
    this.worker.terminate();
  }
}
