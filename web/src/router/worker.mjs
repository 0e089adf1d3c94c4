// The router of one page, in a worker of its own: v86 with the state that was saved when the site
// was built, a state that the reader saved, or, where neither fits, a boot from the kernel.
//
// Asked:  {do: "start", base, manifest, emulator, script, onto, run, saved}   {do: "type", text}
//         {do: "ask", id, script}   {do: "count", id, script}   {do: "save", id}   {do: "pause"}   {do: "go"}
// Said:   {kind: "progress", what, part}   {kind: "output", bytes}   {kind: "ready", how, why}
//         {kind: "answer", id, code, output, marks}   {kind: "saved", id, content}   {kind: "failed", text}
import { base64 } from "./base64.mjs";
import { goBy } from "./clock.mjs";
import { V86 } from "v86";

const ANSWER_SECONDS = 20;
const COLD_SECONDS = 600;
// The kernel's own buffer of a serial line takes more; what comes faster than it is read is lost.
const CHUNK = 512;

const say = (kind, more = {}, moved = []) => postMessage({ kind, ...more }, moved);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function fetched(address, bytes, what) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const content = new Uint8Array(bytes);
  let at = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes) throw new Error(`${address} is longer than its build says`);
    content.set(value, at);
    at += value.length;
    say("progress", { what, part: at / bytes });
  }
  if (at !== bytes) throw new Error(`${address} ended after ${at} of ${bytes} bytes`);
  return content.buffer;
}

async function unpacked(content) {
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function packed(content) {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Browsers have digests on HTTPS and on this machine only; elsewhere the length has to do. */
async function isWhole(content, sha256) {
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

class Machine {
  constructor(manifest, wasm, more) {
    this.questions = new Map();
    this.marks = [];
    this.line = "";
    this.shown = "";
    this.emulator = new V86({
      wasm_fn: async (env) => (await WebAssembly.instantiate(wasm, env)).instance.exports,
      memory_size: manifest.memory_mb * 1024 * 1024,
      vga_memory_size: 2 * 1024 * 1024,
      uart1: true,
      autostart: false,
      disable_keyboard: true,
      disable_mouse: true,
      disable_speaker: true,
      ...more,
    });
    this.loaded = new Promise((done) => this.emulator.add_listener("emulator-loaded", done));
    this.waiting = [];
    this.emulator.add_listener("serial0-output-byte", (byte) => this.output(byte));
    this.emulator.add_listener("serial1-output-byte", (byte) => this.answered(byte));
  }

  output(byte) {
    this.shown = (this.shown + String.fromCharCode(byte)).slice(-4000);
    if (!this.waiting.length) queueMicrotask(() => this.flush());
    this.waiting.push(byte);
  }

  flush() {
    if (!this.quiet) say("output", { bytes: Uint8Array.from(this.waiting) });
    this.waiting = [];
  }

  /** NUMBER CODE OUTPUT in base64: images/page-router/serve. */
  answered(byte) {
    if (byte !== 10) {
      this.line += String.fromCharCode(byte);
      return;
    }
    const [number, code, output = ""] = this.line.trim().split(" ");
    this.line = "";
    // mark WHAT PACKETS: a script that is counted has come to this place.
    if (number === "mark") {
      const at = this.emulator.get_instruction_counter();
      this.marks.push({ what: code, packets: Number(output), at });
      return;
    }
    const done = this.questions.get(Number(number));
    if (!done) return;
    this.questions.delete(Number(number));
    done({ code: Number(code), output: utf8(output) });
  }

  async send(line, text) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += CHUNK) {
      this.emulator.serial_send_bytes(line, bytes.subarray(at, at + CHUNK));
      if (at + CHUNK < bytes.length) await pause(4);
    }
  }

  /** Run a script in the router, beside the terminal. */
  ask(number, script) {
    const answer = new Promise((done) => this.questions.set(number, done));
    // One after the other: they share a line, on which the router reads byte by byte.
    this.sending = (this.sending ?? Promise.resolve()).then(async () => {
      const small = new Uint8Array(await packed(script));
      await this.send(1, `${number} ${base64(small)}\n`);
    });
    return answer;
  }

  /** As ask, with the marks that the script set, on a clock that goes by instructions. */
  async count(number, script) {
    this.marks = [];
    goBy(this.emulator.v86.cpu);
    try {
      return { ...(await this.ask(number, script)), marks: this.marks };
    } finally {
      goBy(undefined);
    }
  }

  /** Whether it is alive; `run`: what it does for that, as each question takes half a second. */
  async answers(run) {
    const late = pause(1000 * ANSWER_SECONDS).then(() => {
      throw new Error(`the restored router did not answer in ${ANSWER_SECONDS} s`);
    });
    const answer = await Promise.race([this.ask(0, `${run}echo alive`), late]);
    if (answer.output !== "alive\n") throw new Error("the restored router answered nonsense");
  }
}

function utf8(base64) {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)));
}

async function restored(manifest, wasm, state, run = "") {
  const made = new Machine(manifest, wasm.slice(0), {});
  await made.loaded;
  await made.emulator.restore_state(state);
  await made.emulator.run();
  await made.answers(run);
  return made;
}

async function emulatorOf({ base }) {
  const answer = await fetch(`${base}../v86.wasm.gz`);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return unpacked(await answer.arrayBuffer());
}

async function built({ base, manifest, emulator, run }, loading) {
  if (manifest.v86 !== emulator) {
    throw new Error(`the state was made by v86 ${manifest.v86}, and this page has ${emulator}`);
  }
  const facts = manifest.files[manifest.state];
  const state = await fetched(base + manifest.state, facts.bytes, "loading the router");
  if (!(await isWhole(state, facts.sha256))) {
    throw new Error("the state on this server is not the one that was built with the page");
  }
  say("progress", { what: "starting it" });
  return restored(manifest, await loading, state, run);
}

async function cold({ base, manifest }, wasm) {
  const file = async (name) => ({
    buffer: await fetched(base + name, manifest.files[name].bytes, `loading ${name}`),
  });
  const made = new Machine(manifest, wasm.slice(0), {
    bzimage: await file("vmlinuz"),
    initrd: await file("initramfs.gz"),
    bios: await file("bios.bin"),
    vga_bios: await file("vgabios-stdvga.bin"),
    cmdline: `${manifest.words} ppslab.cold`,
  });
  made.quiet = true;
  await made.loaded;
  await made.emulator.run();
  const began = performance.now();
  for (let seconds = 0; !/READY[\s\S]*lab# /.test(made.shown); ) {
    if (seconds > COLD_SECONDS) throw new Error(`Linux did not boot in ${COLD_SECONDS} s`);
    await pause(200);
    seconds = (performance.now() - began) / 1000;
    // Nobody knows how long it takes here; it took that long where the site was built.
    const part = 1 - Math.exp(-seconds / manifest.boot_seconds);
    say("progress", { what: `booting Linux for ${Math.round(seconds)} s`, part });
  }
  made.flush();
  made.quiet = false;
  return made;
}

let machine;

async function start(told) {
  const loading = emulatorOf(told);
  let how = told.saved ? "saved" : "built";
  let why = "";
  try {
    machine = told.saved
      ? await restored(told.manifest, ...(await Promise.all([loading, unpacked(told.saved)])))
      : await built(told, loading);
  } catch (error) {
    why = error.message ?? String(error);
    how = "cold";
    machine = await cold(told, await loading);
  }
  // The built state has a lab already, which may be this one.
  const wiring = { saved: "", built: told.onto, cold: told.script + told.run }[how];
  if (wiring) {
    say("progress", { what: "wiring the lab" });
    const { code, output } = await machine.ask(1, wiring);
    if (code) throw new Error(`the lab could not be wired: ${output.trim()}`);
  }
  machine.emulator.serial0_send("\n");
  say("ready", { how, why });
}

const does = {
  start,
  type: ({ text }) => machine.send(0, text),
  ask: async ({ id, script }) => say("answer", { id, ...(await machine.ask(id, script)) }),
  count: async ({ id, script }) => say("answer", { id, ...(await machine.count(id, script)) }),
  save: async ({ id }) => {
    const content = await packed(await machine.emulator.save_state());
    say("saved", { id, content }, [content]);
  },
  pause: () => machine?.emulator.stop(),
  go: () => machine?.emulator.run(),
};

onmessage = async ({ data }) => {
  try {
    await does[data.do](data);
  } catch (error) {
    say("failed", { text: error.message ?? String(error) });
  }
};
