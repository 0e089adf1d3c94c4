// The emulator's clock.  It is the browser's, but while packets are counted an instruction takes one
// nanosecond: then how often the guest's timer ticks, and with it what is counted, does not depend
// on how fast the reader's machine is.  Import this before v86, which takes the clock as it loads.
const NANOSECOND = 1e-6;
const real = performance.now.bind(performance);

let cpu;
let instructions = 0;
let seen = 0;
let ahead = 0;
let time = 0;

function now() {
  if (!cpu) return real() + ahead;
  const wall = real();
  const count = cpu.instruction_counter[0];
  const done = (count - instructions) >>> 0;
  if (done) time += done * NANOSECOND;
  // A guest that waits executes nothing; it must not wait for ever.
  else if (cpu.in_hlt[0]) time += wall - seen;
  instructions = count;
  seen = wall;
  return time;
}

/** Let the clock go by the instructions of this v86's CPU; undefined: by the browser's again. */
export function goBy(counted) {
  time = now();
  ahead = time - real();
  instructions = counted?.instruction_counter[0] ?? 0;
  seen = real();
  cpu = counted;
}

performance.now = now;
