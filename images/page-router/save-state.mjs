// Boot the router in the page once, and keep the state of the machine: node save-state.mjs JSON
// JSON: emulator (folder of npm's v86), folder (kernel, initramfs, firmware), words, memory_mb,
// script (what stands a lab up), seconds.  Writes folder/state.bin and says on its output how long
// the boot took.  Exit code 1 where the machine does not say READY in time, or the script fails.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

// As web/src/router/worker.mjs sends: what comes faster than it is read is lost.
const CHUNK = 512;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const told = JSON.parse(process.argv[2]);
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
// NUMBER CODE OUTPUT in base64: images/page-router/serve.
const answered = new Promise((done) =>
  machine.add_listener("serial1-output-byte", (byte) => {
    if (byte !== 10) {
      line += String.fromCharCode(byte);
      return;
    }
    const [number, code, output = ""] = line.trim().split(" ");
    line = "";
    if (number === "1") done({ code: Number(code), output: atob(output) });
  }),
);

async function asked(script) {
  const request = Buffer.from(`1 ${zlib.gzipSync(script).toString("base64")}\n`);
  for (let at = 0; at < request.length; at += CHUNK) {
    machine.serial_send_bytes(1, request.subarray(at, at + CHUNK));
    await pause(20);
  }
  return answered;
}

const began = Date.now();
const ready = new Promise((done) =>
  machine.add_listener("serial0-output-byte", (byte) => {
    shown += String.fromCharCode(byte);
    if (/READY[\s\S]*lab# /.test(shown)) done();
  }),
);
const late = new Promise((_, fail) =>
  setTimeout(() => fail(new Error(`no READY in ${told.seconds} s`)), told.seconds * 1000),
);
try {
  await Promise.race([ready, late]);
  const seconds = (Date.now() - began) / 1000;
  if (shown.includes("FAILED")) throw new Error("a module was not loaded");
  const { code, output } = await Promise.race([asked(told.script), late]);
  if (code) throw new Error(`the lab could not be wired: ${output}`);
  await pause(500);
  fs.writeFileSync(path.join(told.folder, "state.bin"), new Uint8Array(await machine.save_state()));
  console.log(JSON.stringify({ boot_seconds: seconds }));
  process.exit(0);
} catch (error) {
  console.error(`${shown}\n${error.message}`);
  process.exit(1);
}
