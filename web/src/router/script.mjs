// A command on a node of the router in the page, as a script for the router's own shell.
import { base64 as letters } from "./base64.mjs";

// A command of seconds takes minutes where the reader's machine is busy.
const STEP_SECONDS = 600;
// The router reads a line of this size faster than its serial line loses any of it.
const PIECE = 65536;
/** Between output and errors, which share a line. */
export const BETWEEN = "\x1e";

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
export const base64 = (text) => letters(new TextEncoder().encode(text));

/** A script for the router: run a command on a node, as the agent of a live lab does; `within`:
 *  a program that runs it there. */
export function scriptOf({ on, argv, input, env }, within = "") {
  // dash, as BusyBox's own shell takes its applets for iproute2's programs.
  const [program, ...rest] = argv[0] === "sh" ? ["/bin/dash", ...argv.slice(1)] : argv;
  const set = Object.entries(env).map(([name, value]) => `export ${quoted(name)}=${quoted(value)}\n`);
  const command = ["timeout", STEP_SECONDS, "ip netns exec", on, within, program, ...rest.map(quoted)].join(" ");
  // A process takes 50 ms: the shell does by itself what it can.
  const given = input && !isLong(input) ? `printf %s ${base64(input)} | base64 -d >/tmp/.input\n` : "";
  return `${set.join("")}${given}${command} <${input ? "/tmp/.input" : "/dev/null"} 2>/tmp/.errors
code=$?
printf '\\036'
[ ! -s /tmp/.errors ] || cat /tmp/.errors
exit $code
`;
}

const isLong = (input) => input.length > PIECE;

/** Scripts that come before that of a step: they put a long input there, whole lines at a time. */
export function beforeOf({ input }) {
  const scripts = [];
  if (!isLong(input)) return scripts;
  for (let at = 0; at < input.length; ) {
    const end = input.indexOf("\n", at + PIECE) + 1 || input.length;
    const piece = input.slice(at, end).replace(/\n$/, "");
    scripts.push(`cat >${at ? ">" : ""}/tmp/.input <<'PPSLAB-PIECE'\n${piece}\nPPSLAB-PIECE\n`);
    at = end;
  }
  return scripts;
}
