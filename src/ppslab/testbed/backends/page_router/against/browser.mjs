// Count conditions under v86, as the page does: node browser.mjs JSON
// JSON: emulator (folder of npm's v86), clock (web/src/router/clock.mjs), folder (of the built
// router), words, memory_mb, rounds, asked (name, before, round, after).  For each condition one
// line of JSON: name, rounds (each with its marks and its output).  Exit code 1 where a script fails.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const CHUNK = 512;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const told = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
// Before v86, which takes the clock as it loads.
const { goBy } = await import(told.clock);
const { V86 } = await import(path.join(told.emulator, "build/libv86.mjs"));
const file = (name) => ({ url: path.join(told.folder, name) });

const machine = new V86({
  wasm_path: path.join(told.emulator, "build/v86.wasm"),
  bios: file("bios.bin"),
  vga_bios: file("vgabios-stdvga.bin"),
  bzimage: file("vmlinuz"),
  initrd: file("initramfs.gz"),
  cmdline: told.words,
  memory_size: told.memory_mb * 1024 * 1024,
  vga_memory_size: 2 * 1024 * 1024,
  uart1: true,
  autostart: true,
  disable_keyboard: true,
  disable_mouse: true,
  disable_speaker: true,
});
let shown = "";
let line = "";
let marks = [];
let answered;
const ready = new Promise((done) =>
  machine.add_listener("serial0-output-byte", (byte) => {
    shown += String.fromCharCode(byte);
    if (/READY[\s\S]*lab# /.test(shown)) done();
  }),
);
machine.add_listener("serial1-output-byte", (byte) => {
  if (byte !== 10) {
    line += String.fromCharCode(byte);
    return;
  }
  const [first, second, third = ""] = line.trim().split(" ");
  line = "";
  if (first === "mark") marks.push([second, Number(third), machine.get_instruction_counter(), 0]);
  else answered?.({ code: Number(second), output: atob(third) });
});

let number = 0;
async function asked(script) {
  const answer = new Promise((done) => (answered = done));
  const request = Buffer.from(`${++number} ${zlib.gzipSync(script).toString("base64")}\n`);
  for (let at = 0; at < request.length; at += CHUNK) {
    machine.serial_send_bytes(1, request.subarray(at, at + CHUNK));
    await pause(20);
  }
  const { code, output } = await answer;
  if (code) throw new Error(`a script failed (${code}): ${output}\n${script}`);
  return output;
}

/** The counter has 32 bits and goes round: as if it did not. */
function straightened(found) {
  let [before, turns] = [0, 0];
  return found.map(([what, packets, at, steps]) => {
    const now = at >>> 0;
    if (now < before) turns += 2 ** 32;
    before = now;
    return [what, packets, turns + now, steps];
  });
}

try {
  await ready;
  if (shown.includes("FAILED")) throw new Error("a module was not loaded");
  for (const { name, before, round, after } of told.asked) {
    for (const script of before) await asked(script);
    const rounds = [];
    for (let turn = 0; turn < told.rounds; turn++) {
      marks = [];
      goBy(machine.v86.cpu);
      const output = await asked(round);
      goBy(undefined);
      rounds.push({ marks: straightened(marks), output });
    }
    await asked(after);
    console.log(JSON.stringify({ name, rounds }));
  }
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
