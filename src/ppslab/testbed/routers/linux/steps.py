"""Shell lines that make of a Linux node what a condition says, and that take it away again.

The router puts the lines of a condition into one script, which `run` gives to a shell of the node.
Under emulation a process takes 80 ms, so what one program can take in one batch is one.

Programs that run while a condition stands are started, waited for and stopped:
Each is marked by a variable of its environment, which its children inherit: a server of sessions
starts a process for each of them, in sessions of their own, which no process group holds.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ppslab.core.errors import BackendError
from ppslab.model.lab.conditions import BpfMode, LinuxSpec, Program
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.linux import steering
from ppslab.testbed.routers.linux.deployed import BRIDGE, Standing

# At the router's ingress, before the stack: what remains is the sender's own cost.
_DROP = """table netdev baseline {{
  chain ingress {{
    type filter hook ingress devices = {{ {devices} }} priority 0; policy drop;
  }}
}}
"""

_BRIDGES = re.compile(r"^link add (?:name |dev )?(\S+) type bridge\b", re.MULTILINE)

_XDP_WORDS = ("xdpdrv", "xdpgeneric")

_PORTS_FORWARD = """\
for port in /sys/class/net/*/brport; do
    n=0
    while [ $n -lt 40 ] &&
        read -r link 2>/dev/null <"${port%brport}carrier" && [ "$link" = 1 ] &&
        read -r state 2>/dev/null <"$port/state" && [ "$state" != 3 ]; do
        sleep 0.05
        n=$((n + 1))
    done
done"""
"""Waits until each bridge port that has a carrier forwards (3), two seconds a port at most.

A bridge is told of a carrier up to a second after it came (net/core/link_watch.c, HZ), and drops
what arrives at that port until then.
"""

_OF = "ppslab: of "

_BATCH_LINE = re.compile(rf"\A(.*?)(?:\s*Command failed -(:\d+))?\s*{_OF}(.+)\Z", re.DOTALL)
"""A program's message on a batch's line (iproute2, lib/utils.c, do_batch), and feed() below it.

Of an argument that it does not take it says no line: it ends in the middle (lib/utils.c, invarg).
"""

_FLUSH = "flush ruleset\n"

_STDIN_LINE = re.compile(r"^/dev/stdin:(\d+)(?=:)", re.MULTILINE)
"""The place of a mistake in nft's message (nftables, src/erec.c: FILE:LINE:COLUMNS: Error: ...)."""


@dataclass(frozen=True)
class RuleFiles:
    """Files of rules that nft loads as one text, so that either all of them stand or none.

    `files`: what messages call each, and its text.
    """

    files: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, lab: Lab, files: Sequence[str]) -> RuleFiles:
        """Those that a condition names, as labs/NAME/FILE."""
        return cls(tuple((shown(lab, file), lab.text(file)) for file in files))

    def load(self) -> str:
        """A shell line that loads them in the place of all that stand there."""
        # A file whose last line does not end keeps it for itself.
        return rules("".join(f"{text.rstrip()}\n" for _, text in self.files))

    def named(self, said: str) -> str:
        """Put the file and its line into a program's message, for the lines that it read."""
        places = [
            f"{file}:{number}"
            for file, text in self.files
            for number, _ in enumerate(text.rstrip().split("\n"), start=1)
        ]
        above = _FLUSH.count("\n")

        def place(found: re.Match[str]) -> str:
            number = int(found[1]) - above
            # Below the last line is the end of the text, at which nft misses a brace.
            return places[min(number, len(places)) - 1] if places and number > 0 else found[0]

        return _of_batch(_STDIN_LINE.sub(place, said))


def shown(lab: Lab, file: str) -> str:
    """Return the name of a lab's file in messages: labs/NAME/FILE."""
    return str((lab.folder / file).relative_to(lab.folder.parents[1]))


def _of_batch(said: str) -> str:
    """Put the file of a batch into the message of ip, tc or bridge on one of its lines."""
    return _BATCH_LINE.sub(lambda found: f"{found[3]}{found[2] or ''}: {found[1]}", said)


def sysctls(values: Mapping[str, str]) -> list[str]:
    """Set the kernel's settings, by key."""
    return [f"sysctl -q -w '{key}={value}'" for key, value in values.items()]


def links(lab: Lab, spec: LinuxSpec, ports: Sequence[str]) -> list[str]:
    """Links and their queues, VLANs, routes and the bridge of the ports."""
    lines = steering.give(spec.port_queues)
    lines += [line for file in spec.ip for line in batch(lab.text(file), shown(lab, file))]
    lines += [feed("bridge -batch -", lab.text(file), shown(lab, file)) for file in spec.vlans]
    lines += [feed("ip -batch -", steering.routes_of(lab.folder / file)) for file in spec.routes]
    if spec.bridge:
        made = [f"link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0"]
        made += [f"link set dev {port} master {BRIDGE}" for port in ports]
        lines += batch("\n".join([*made, f"link set dev {BRIDGE} up"]))
    if spec.bridge or any(_BRIDGES.search(lab.text(file)) for file in spec.ip):
        lines.append(_PORTS_FORWARD)
    return lines


def batch(text: str, file: str = "") -> list[str]:
    """Let `ip` do what the text of a file says; a bridge keeps the address that it is made with.

    A bridge that takes another one, as from its first port, forgets a station, and with the first
    that it forgets the kernel shrinks its table from 64 buckets to 8 (lib/rhashtable.c,
    automatic_shrinking); giving it one with `link add` does the same.  There, under a hash that
    every bridge draws anew, two of three stations share a bucket in a third of all bridges, and a
    frame costs 33 instructions more.  Told the address that it has, it takes no other.
    """
    made = list(_BRIDGES.finditer(text))
    if not made:
        return [feed("ip -batch -", text, file)]
    end = text.find("\n", made[-1].end()) + 1 or len(text)
    names = " ".join(found[1] for found in made)
    keep = 'set -- $(ip -br link show dev "$b"); ip link set dev "$b" address "$3"'
    # Of what follows `ip` names the line in the whole text where something is wrong.
    rest = "\n" * text[:end].count("\n") + text[end:]
    return [
        feed("ip -batch -", text[:end], file),
        f"for b in {names}; do {keep}; done",
        *([feed("ip -batch -", rest, file)] if rest.strip() else []),
    ]


def rules(text: str) -> str:
    """Load the rules in the place of all that stand there."""
    return feed("nft -f -", f"{_FLUSH}{text}")


def drop(ports: Sequence[str]) -> str:
    """The rules that drop every frame at the ports' ingress."""
    return rules(_DROP.format(devices=", ".join(ports)))


def queues(lab: Lab, spec: LinuxSpec, objects: Path) -> list[str]:
    """Queues and filters; a file that names a compiled BPF program finds it by its name alone."""
    there = f"( cd {shlex.quote(str(objects))} && tc -batch - )"
    texts = {shown(lab, file): lab.text(file) for file in spec.tc}
    return [
        feed(there if "object-file" in text else "tc -batch -", text, file)
        for file, text in texts.items()
    ]


def attach(
    spec: LinuxSpec,
    ports: Sequence[str],
    objects: Path,
    mode: BpfMode,
    *,
    rules: Sequence[str] = (),
) -> list[str]:
    """Attach the condition's BPF program, `objects`/NAME.o, to its ports.

    `rules`: tc filters, as `tc -batch` reads them, that stand ahead of the program.
    """
    path = shlex.quote(str(objects / f"{spec.bpf}.o"))
    ports = spec.bpf_ports or ports
    if mode == "tc":
        # One shared block, one program, one map: a bridge must know all of its ports.
        blocks = [f"tc qdisc add dev {p} ingress_block 1 clsact" for p in ports]
        load = f"tc filter add block 1 ingress bpf direct-action object-file {path} section tc"
        # Filters without a preference are asked after all that have one.
        ahead = [feed("tc -batch -", text) for text in rules]
        return [*blocks, load, *ahead]
    word = "xdpgeneric" if mode == "xdp-generic" else "xdpdrv"
    return [f"ip link set dev {p} {word} object {path} section xdp.frags" for p in ports]


def take_away(standing: Standing, ports: Sequence[str]) -> str:
    """Take away the bridge, the BPF programs, the queues and the ports' own that stand there.

    A batch runs on where something was not there: the read-back says whether all is gone.
    """
    lines = ""
    made, queues = [], []
    if standing.bridge:
        made.append(f"link del {BRIDGE}")
    if standing.bpf:
        made += [f"link set dev {p} {w} off" for p in ports for w in _XDP_WORDS]
        queues += [f"qdisc del dev {port} clsact" for port in ports]
    if standing.queues:
        # A file of tc may add a clsact of its own, for what leaves a port.
        kinds = ("root",) if standing.bpf else ("root", "clsact")
        queues += [f"qdisc del dev {port} {kind}" for port in ports for kind in kinds]
    if made:
        lines += feed("ip -force -batch - 2>/dev/null || :", "\n".join(made))
    if queues:
        lines += feed("tc -force -batch - 2>/dev/null || :", "\n".join(queues))
    # After the queues of tc, as `mq` has one for each of the port's.
    lines += steering.take(standing.port_queues)
    if standing.bpf:
        lines += steering.FORGET
    if standing.routes:
        lines += steering.FORGET_ROUTES
    return lines


def listing(texts: Sequence[str], ports: Sequence[str]) -> str:
    """Load rules into a namespace where there is nothing, and list them.

    Nothing but links of the ports' names: a flowtable names its devices.
    """
    script = ""
    if any(word in text for text in texts for word in ("flowtable", "netdev")):
        script += "".join(f"ip link add {p} type veth peer name x{p}\n" for p in ports)
    script += "".join(feed("nft -f -", text) for text in texts)
    return script + "nft -j -s list ruleset\n"


def feed(command: str, text: str, file: str = "") -> str:
    """A shell line that gives `text` to `command`, and says which `file` it is of if it fails."""
    program, bar, rest = command.partition(" 2>")
    if file:
        rest = f" || {{ echo {shlex.quote(f'{_OF}{file}')} >&2; exit 1; }}"
    return f"{program} <<'PPSLAB'{bar}{rest}\n{text.rstrip()}\nPPSLAB\n"


# --- programs -------------------------------------------------------------------------------------


PROGRAM_MARK = "PPSLAB_PROGRAM"

PROGRAM_LOG = "/run/ppslab-program-{number}.log"
"""In the node's own /run; its end stands in the message where a program does not get ready."""

_LOG_LINES = 12

_MARKED = f"grep -lsz '^{PROGRAM_MARK}=' /proc/[0-9]*/environ | cut -d/ -f3 || :;"

STOP_PROGRAMS = f"""marked() {{ {_MARKED} }}
left=$(marked)
if [ -n "$left" ]; then
  kill $left 2>/dev/null || :
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=$(marked); [ -n "$left" ] || break; sleep 0.1
  done
  [ -z "$left" ] || kill -9 $left 2>/dev/null || :
fi
"""
"""Shell lines: ask all marked processes to end, and after two seconds make them."""


def start_programs(programs: Sequence[Program]) -> str:
    """Shell lines that start the programs one after the other, each when the one before is ready.

    They fail where a program is not ready in its time, with the end of what it said.
    """
    return "".join(_start_program(number, program) for number, program in enumerate(programs))


def _start_program(number: int, program: Program) -> str:
    log = PROGRAM_LOG.format(number=number)
    tries = max(1, round(program.seconds / 0.1))
    ready, run = shlex.quote(program.ready), shlex.quote(program.run)
    what = shlex.quote(f"not ready after {program.seconds:g} s: {program.run}")
    return (
        f"{PROGRAM_MARK}={number} setsid sh -c {run} </dev/null >{log} 2>&1 &\n"
        f"try=0\nuntil sh -c {ready} >/dev/null 2>&1; do\n"
        f"  try=$((try + 1))\n  if [ $try -gt {tries} ]; then\n"
        f"    tail -n {_LOG_LINES} {log} >&2; echo {what} >&2; exit 1\n  fi\n  sleep 0.1\ndone\n"
    )


# --- running the lines ----------------------------------------------------------------------------


def run(node: Node, script: str, what: str, named: Callable[[str], str] = str) -> str:
    """Run the script and return its output; BackendError with the node's words where a line fails.

    what: the condition or the step that the script is for, for the message.
    named: gives those words the places in files of what the node has read from a pipe.
    """
    answer = node.run(["sh", "-e"], input=script, check=False)
    if answer.returncode != 0:
        reason = answer.stderr.strip() or f"exit code {answer.returncode}"
        raise BackendError(f"router {node.name}: {what}: {named(reason)}")
    return answer.stdout


Actor = TypeVar("Actor")
Answer = TypeVar("Answer")


def at_once(actors: Sequence[Actor], act: Callable[[Actor], Answer]) -> Sequence[Answer]:
    """Return the results of `act` in the actors' order; raise the first error of one of them."""
    if not actors:
        return ()
    with ThreadPoolExecutor(max_workers=len(actors)) as pool:
        return list(pool.map(act, actors))
