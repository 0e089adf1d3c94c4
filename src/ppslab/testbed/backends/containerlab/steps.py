"""The commands that deploy a topology under containerlab, and remove it.

What the backend runs and what `--dry-run` prints is this: `up` and `down`.  Each step is one
command that a reader can type; some are repeated until their answer is the wanted one.

Commands and JSON: https://containerlab.dev/cmd/deploy/, /cmd/inspect/, /cmd/destroy/ (0.79).
What only containerlab's source says is marked with the file.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppslab.core import paths
from ppslab.model.lab.topology import ROUTEROS, Topology

# A CHR that is emulated boots in half a minute (30 s were reported), its first start in minutes.
BOOT_SECONDS = 600.0
DEPLOY_SECONDS = 600.0
SHORT_SECONDS = 60.0
DESTROY_SECONDS = 120.0

HEALTH = "/usr/lib/ppslab/health"
"""In our own images: whether all that a node needs is there.  Docker asks every 30 s only."""

OUR_IMAGES = ("ppslab/", "vrnetlab/")
"""In no registry: they are built here."""

CREDENTIALS = {"USERNAME": "admin", "PASSWORD": "admin"}
"""Those that containerlab's kind gives every CHR (/manual/kinds/vr-ros/): no secret, and never a
router's own."""

# What backends.links does by system calls in the embedded backends: no frame of several, none
# without its checksum.  What ethtool(8) shows as [fixed] cannot be turned.
_OFFLOADS_OFF = (
    'for port in "$@"; do '
    'ethtool -K "$port" rx off tx off tso off gso off gro off '
    '$(ethtool -k "$port" | sed -En '
    "'s/^\\s*(tx-checksum-[a-z0-9-]*|[a-z0-9_-]*-segmentation|tx-gso-[a-z0-9-]*|"
    "rx-gro[a-z0-9-]*|rx-udp-gro-forwarding): on$/\\1 off/p'); done"
)


@dataclass(frozen=True)
class Step:
    """One command, and what it is for.

    `wanted`: says what is still missing in the command's output, or nothing; where it is given, the
    command is repeated every second until it ends well and nothing is missing, for `seconds` at
    most.
    """

    said: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = SHORT_SECONDS
    wanted: Callable[[str], str] | None = None

    @property
    def line(self) -> str:
        """The command as one types it in a shell."""
        words = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        return " ".join([*words, shlex.join(self.command)])


def up(topology: Topology, run: str) -> Iterator[Step]:
    """All that the backend does to stand `topology` up as `run`.

    A management address is known only when a node has it: here its place holds the name of the
    node's container, which containerlab writes into /etc/hosts.
    """
    plain = described(topology)
    yield from standing_up(plain, run)
    yield from after_deploy(plain, run)
    for node in routers(plain):
        yield answering(plain, node, container(run, node))


def down(topology: Topology, run: str) -> Iterator[Step]:
    """All that it does to take it down again."""
    return taking_down(described(topology), run)


def described(topology: Topology) -> dict[str, Any]:
    """The topology as JSON, with what the containerlab backend knows of it beside."""
    plain = topology.plain()
    plain["file"] = str(topology.path.resolve())
    for name in topology.nodes:
        plain["nodes"][name]["marker"] = _marker(topology, name)
        plain["nodes"][name]["ports"] = topology.interfaces(name)
    return plain


def _marker(topology: Topology, node: str) -> str:
    """The identity that a router's start file gives it at its end; empty where it gives none."""
    start = topology.nodes[node].foreign.get("startup-config")
    if not isinstance(start, str):
        return ""
    file = topology.path.parent / start
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return ""  # containerlab says so itself
    found = re.findall(r"^/system[ /]identity[ /]set name=\"?([^\s\"]+)\"?\s*$", text, re.M)
    return str(found[-1]) if found else ""


def container(run: str, node: str) -> str:
    """A node's container: containerlab's /manual/topo-def-file/#prefix."""
    return f"clab-{run}-{node}"


def routers(plain: Mapping[str, Any]) -> list[str]:
    return [name for name, node in plain["nodes"].items() if node["kind"] == ROUTEROS]


def copied(plain: Mapping[str, Any], run: str) -> Path:
    """The run's own copy of the topology file; beside it, for paths in it are relative."""
    return Path(plain["file"]).parent / f".{run}.yml"


def folder(run: str) -> Path:
    """Return the folder into which containerlab puts the run's files."""
    return paths.cache_dir() / "containerlab" / run


def standing_up(plain: Mapping[str, Any], run: str) -> Iterator[Step]:
    ours = sorted(
        {n["image"] for n in plain["nodes"].values() if (n["image"] or "").startswith(OUR_IMAGES)}
    )
    if ours:
        yield Step(
            "check that this machine has the images",
            ("docker", "image", "inspect", "--format", "{{.Id}}", *ours),
        )
    copy = copied(plain, run)
    yield Step(
        "give the lab a name of this run's own; containerlab destroys by the name in the file",
        ("sed", "-n", "-e", f"s/^name:.*/name: {run}/", "-e", f"w {copy}", plain["file"]),
    )
    where = _where(run)
    yield Step("a folder for containerlab's own files", ("mkdir", "-p", where["CLAB_LABDIR_BASE"]))
    yield Step(
        "start the lab",
        ("containerlab", "deploy", "--topo", str(copy), "--format", "json"),
        env=where,
        seconds=DEPLOY_SECONDS,
    )
    yield inspecting(plain, run)


def inspecting(plain: Mapping[str, Any], run: str) -> Step:
    """Every node runs, and every router is healthy."""
    names = {container(run, name): name for name in plain["nodes"]}
    healthy = {container(run, name) for name in routers(plain)}
    return Step(
        "repeat until every node is running and every router is healthy",
        ("containerlab", "inspect", "--topo", str(copied(plain, run)), "--format", "json"),
        env=_where(run),
        seconds=BOOT_SECONDS,
        wanted=lambda said: all_run(said, run, names, healthy),
    )


def after_deploy(plain: Mapping[str, Any], run: str) -> Iterator[Step]:
    """Steps that give a node the settings that it has in the embedded backends."""
    for name, node in plain["nodes"].items():
        if node["kind"] != "linux":
            continue
        target = container(run, name)
        # A router with a default route there would send out what no other route takes.
        yield Step(
            f"take {name} off the management network, so that no frame leaves the lab",
            in_node(target, ["ip", "link", "set", "dev", "eth0", "down"]),
        )
        if (node["image"] or "").startswith("ppslab/"):
            yield Step(
                f"repeat until {name} has all that a node needs",
                in_node(target, [HEALTH]),
                wanted=lambda _: "",
            )
        if node["sysctls"]:
            # containerlab turns IPv6 on in every Linux node (nodes/linux/linux.go), and Docker
            # sets what is under `all` and `default` in no fixed order: the last one counts.
            settings = [f"{key}={value}" for key, value in node["sysctls"].items()]
            yield Step(
                f"set {name}'s sysctls once more, as containerlab turns IPv6 on everywhere",
                in_node(target, ["sysctl", "-q", "-w", *settings]),
            )
        if node["ports"]:
            yield Step(
                f"turn off the offloads that merge frames at {name}'s ports",
                in_node(target, ["sh", "-ec", _OFFLOADS_OFF, "sh", *node["ports"]]),
            )


def answering(plain: Mapping[str, Any], node: str, host: str) -> Step:
    """A router's REST gives the name that stands at the end of its start file, twice in turn.

    Healthy does not mean imported: vrnetlab is so as soon as it has sent the file (its launch.py).
    The identity is the node's name until then, and after a boot REST may answer wrong once.
    """
    marker = plain["nodes"][node]["marker"]
    what = f"answers as {marker}" if marker else "answers"
    env = {**CREDENTIALS, **plain["nodes"][node]["env"]}
    return Step(
        f"repeat until {node} {what}, twice in succession",
        (
            *("curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "5"),
            *("--user", f"{env['USERNAME']}:{env['PASSWORD']}"),
            f"http://{host}/rest/system/identity",
        ),
        seconds=BOOT_SECONDS,
        wanted=answered_twice(marker),
    )


def taking_down(plain: Mapping[str, Any], run: str) -> Iterator[Step]:
    """The run's containers, and then its files.

    Without --cleanup: where containerlab finds no container it removes the first lab folder that
    it meets beside the topology file, whosever that is (core/destroy.go, destroyLabDirs).
    """
    copy = copied(plain, run)
    yield Step(
        "take the lab down",
        ("containerlab", "destroy", "--topo", str(copy)),
        env=_where(run),
        seconds=DESTROY_SECONDS,
    )
    yield Step("remove its files", ("rm", "-rf", str(copy), str(folder(run))))


def in_node(
    target: str,
    argv: list[str],
    *,
    env: Mapping[str, str] | None = None,
    output_file: str | None = None,
    terminal: bool = False,
) -> tuple[str, ...]:
    """The command that runs `argv` in a container, with its stdin."""
    if output_file:
        argv = ["sh", "-c", 'exec "$@" >"$0"', output_file, *argv]
    told = [word for name, value in (env or {}).items() for word in ("--env", f"{name}={value}")]
    return ("docker", "exec", "-it" if terminal else "-i", *told, target, *argv)


def _where(run: str) -> dict[str, str]:
    return {"CLAB_LABDIR_BASE": str(folder(run)), "CLAB_VERSION_CHECK": "disable"}


# --- whether answers show that all is ready -----------------------------------------------------
#
# The JSON of `containerlab inspect` is that of https://containerlab.dev/cmd/inspect/ (0.79):
# `{"LAB": [{"name", "kind", "image", "state", "status", "ipv4_address", ...}]}`.


def inspected(said: str, run: str) -> dict[str, dict[str, Any]]:
    """A lab's containers by name, out of `containerlab inspect --format json`; ValueError."""
    data = json.loads(said or "{}")
    rows = data.get(run, []) if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ValueError("not what containerlab's documentation shows")
    return {str(row["name"]): row for row in rows if isinstance(row, dict) and "name" in row}


def all_run(said: str, run: str, nodes: Mapping[str, str], healthy: Set[str]) -> str:
    """Say what is missing until every container of `nodes` runs, and those in `healthy` are so."""
    try:
        there = inspected(said, run)
    except ValueError as error:
        return f"containerlab inspect: {error}"
    for container, node in nodes.items():
        row = there.get(container)
        if row is None:
            return f"node {node}: no container {container}"
        state, status = str(row.get("state", "")), str(row.get("status", ""))
        if state != "running":
            return f"node {node}: {state or 'no state'}"
        if container in healthy and status != "healthy":
            return f"node {node}: {status or 'not healthy'}"
    return ""


def addresses(said: str, run: str) -> dict[str, str]:
    """Management addresses by container, IPv4; without those that have none."""
    rows = inspected(said, run).items()
    found = {name: str(row.get("ipv4_address")).partition("/")[0] for name, row in rows}
    return {name: it for name, it in found.items() if re.fullmatch(r"[\d.]+", it)}  # not "N/A"


def failed_execs(log: str) -> list[str]:
    """The lines of a deploy's log that say which command of the file failed."""
    # exec/exec.go: a command of a file's `exec` that failed is logged, and the deploy goes on.
    return [line.strip() for line in log.splitlines() if "Failed to execute command" in line]


def answered_twice(marker: str) -> Callable[[str], str]:
    """Tells what is missing until a router's identity was right twice in a row.

    `/rest/system/identity` is a singleton with `name`, as MikroTik's manual of REST has them
    [INF: no recording of this very menu].
    """
    times = 0

    def missing(said: str) -> str:
        nonlocal times
        try:
            data = json.loads(said)
            name = data.get("name") if isinstance(data, dict) else None
        except ValueError:
            name = None
        if name is None or (marker and name != marker):
            times = 0
            return f"it says {said.strip()[:200] or 'nothing'}"
        times += 1
        return "" if times > 1 else "right once; again"

    return missing


_OURS = ("PATH", "HOME", "USER", "SUDO_USER")
_THEIRS = ("DOCKER_", "CLAB_", "XDG_")


def told() -> dict[str, str]:
    """The environment of docker and containerlab: where their engine is, and who asks.

    Nothing else, so that no secret of this program's gets to them.
    """
    return {k: v for k, v in os.environ.items() if k in _OURS or k.startswith(_THEIRS)}


def take_down(plain: Mapping[str, Any], run: str) -> str:
    """Destroy a run's containers and remove its files; what went wrong, or nothing.

    What containerlab leaves is removed by its label, so that nothing stays whatever state it is in.
    """
    copy = copied(plain, run)
    down, files = taking_down(plain, run)
    if copy.exists():
        command(down.command, down.env, DESTROY_SECONDS)
    listed = command(_listing(run, "{{.ID}}"))
    if listed.returncode:
        return listed.stderr.strip() or "docker does not answer"
    left = listed.stdout.split()
    if left:
        removed = command(("docker", "rm", "--force", "--volumes", *left), seconds=DESTROY_SECONDS)
        if removed.returncode:
            return removed.stderr.strip()
    command(files.command)
    if copy.exists() or folder(run).exists():
        return f"cannot remove {copy} and {folder(run)}"
    return ""


def sweep(note: Path) -> None:
    """Take down what a note of the registry says; kept for the next time where that fails."""
    try:
        told = json.loads(note.read_text())
        plain, run = {"file": str(told["file"])}, str(told["run"])
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError):
        note.unlink(missing_ok=True)
        return
    if not take_down(plain, run):
        note.unlink(missing_ok=True)


def keep_logs(run: str, into: Path, deploy: str) -> None:
    """The log of each container of a run, in a file of its name; `deploy`: containerlab's log."""
    into.mkdir(parents=True, exist_ok=True)
    (into / "containerlab.log").write_text(deploy)
    for name in command(_listing(run, "{{.Names}}")).stdout.split():
        logs = command(("docker", "logs", "--tail", "1000", name))
        (into / f"{name}.log").write_text(logs.stdout + logs.stderr)
        (into / f"{name}.json").write_text(command(("docker", "inspect", name)).stdout)


def _listing(run: str, format: str) -> tuple[str, ...]:
    label = f"label=containerlab={run}"
    return ("docker", "ps", "--all", "--no-trunc", "--filter", label, "--format", format)


def command(
    argv: tuple[str, ...], env: Mapping[str, str] | None = None, seconds: float = SHORT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command of this machine; 127 where it is missing, 124 where it is too slow."""
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            env={**told(), **(env or {})},
            start_new_session=True,
        )
    except FileNotFoundError:
        return subprocess.CompletedProcess(argv, 127, "", f"{argv[0]} is not here")
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(argv, 124, "", str(error))
