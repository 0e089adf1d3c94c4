// The page's side of the worker: cells to run, and a manager whose widgets have Python behind them.

let serial = 0;

export class Kernel {
  /** `worker`, `python`: addresses; `told`: what to load; `says`: called with how far it is. */
  constructor({ worker, python, told, manager, says }) {
    this.comms = new Map();
    this.waiting = new Map();
    this.queue = Promise.resolve();
    this.says = says;
    this.turn = Promise.resolve();
    this.ready = new Promise((done, failed) => Object.assign(this, { began: done, failed }));
    this.worker = new Worker(worker, { type: "module" });
    this.worker.onerror = (event) => this.failed(new Error(event.message || "the worker did not load"));
    // In order: a widget's view must not be asked for before its comm is open.
    this.worker.onmessage = ({ data }) => {
      this.queue = this.queue
        .then(() => this.receive(data.kind, JSON.parse(data.content), data))
        .catch((error) => console.error("Python in the page:", error));
    };
    this.manager = manager(this);
    this.worker.postMessage({ kind: "start", base: python, told });
  }

  post(kind, content, waiting = {}, buffers = []) {
    const id = `page-${++serial}`;
    this.waiting.set(id, waiting);
    this.worker.postMessage({ kind, id, content, buffers });
    return id;
  }

  /** Run a cell; `shown(kind, content)` gets what it shows, in order. */
  run(code, shown) {
    return new Promise((done, failed) => this.post("run", { code }, { done, failed, shown }));
  }

  /** End it, whatever runs: a page has no other way to interrupt Python. */
  stop() {
    this.worker.terminate();
    const stopped = new Error("stopped");
    this.failed(stopped);
    for (const { failed } of this.waiting.values()) failed?.(stopped);
    this.waiting.clear();
  }

  comm(id, target = "jupyter.widget") {
    const kernel = this;
    const comm = {
      comm_id: id,
      target_name: target,
      on_msg(heard) { comm.heard = heard; },
      on_close() {},
      open: () => "",
      close: () => kernel.post("comm_close", { comm_id: id, data: {} }),
      send(data, callbacks, metadata, buffers) {
        const bytes = (buffers ?? []).map((one) => (ArrayBuffer.isView(one) ? one : new Uint8Array(one)));
        return kernel.post("comm_msg", { comm_id: id, data, metadata: metadata ?? {} }, { callbacks }, bytes);
      },
    };
    this.comms.set(id, comm);
    return comm;
  }

  /** The Output widget that has taken over what this message shows, if there is one. */
  async outputOf(parent) {
    if (!parent) return undefined;
    for (const model of await Promise.all(Object.values(this.manager._models ?? {}))) {
      if (model.get("_model_name") === "OutputModel" && model.get("msg_id") === parent) return model;
    }
    return undefined;
  }

  async receive(kind, content, { parent, buffers }) {
    const message = {
      content,
      metadata: content?.metadata,
      buffers: (buffers ?? []).map((one) => new DataView(one.buffer, one.byteOffset, one.byteLength)),
    };
    switch (kind) {
      case "status": return this.says(content);
      case "ready": return this.began();
      case "fatal":
        this.failed(new Error(content));
        return this.waiting.get(parent)?.failed?.(new Error(content));
      case "comm_open":
        return this.manager.handle_comm_open(this.comm(content.comm_id, content.target_name), message);
      case "comm_msg": return this.comms.get(content.comm_id)?.heard?.(message);
      case "comm_close": return void this.comms.delete(content.comm_id);
      case "idle": {
        const { callbacks, done } = this.waiting.get(parent) ?? {};
        this.waiting.delete(parent);
        callbacks?.iopub?.status?.({ content: { execution_state: "idle" } });
        return done?.();
      }
    }
    const output = await this.outputOf(parent);
    if (!output) return this.waiting.get(parent)?.shown?.(kind, content);
    if (kind === "clear_output") return output.clear_output(content.wait);
    const count = kind === "execute_result" ? { execution_count: null } : {};
    return void output.outputs.add({ output_type: kind, ...content, ...count });
  }
}

/** A manager for the kernel's widgets: html-manager's, with comms that reach Python. */
export function managerOf({ HTMLManager, loader }) {
  return (kernel) => {
    class LiveManager extends HTMLManager {
      async _create_comm(target, id, data, metadata, buffers) {
        const comm = kernel.comm(id, target);
        const content = { comm_id: id, target_name: target, data, metadata: metadata ?? {} };
        kernel.post("comm_open", content, {}, buffers);
        return comm;
      }

      async _get_comm_info() {
        return {};
      }
    }
    return new LiveManager({ loader });
  };
}
