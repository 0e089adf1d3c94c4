"""What a seat of the box runs: JupyterLab, or for the one that attacks, what waits to be told.

`seat.py NAME` makes one attack by what it reads (JSON) and says of each try what came of it, a line
each: [what, "got"], or [what, why not].  It needs nothing but Python, for it is also run by users
who cannot read more.
"""
# It asks the kernel for one thing at a time, so that the error is that of the one.
# ruff: noqa: PTH101, PTH108, PTH116, PTH123, PTH208

from __future__ import annotations

import ctypes
import errno
import http.server
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

Facts = dict[str, Any]
Attack = Callable[[Facts], None]
ATTACKS: dict[str, Attack] = {}
C = ctypes.CDLL(None, use_errno=True)


def attack(made: Attack) -> Attack:
    ATTACKS[made.__name__.replace("_", "-")] = made
    return made


def tell(what: str, came: str) -> None:
    print(json.dumps([what, came]), flush=True)


def tried(what: str, act: Callable[[], Any]) -> None:
    """Try it: got, if no error came of it, and it says nothing against."""
    try:
        refused = act()
    except urllib.error.HTTPError as error:
        tell(what, f"HTTP {error.code}")
    except subprocess.CalledProcessError as error:
        said = error.stderr.lower()
        refused = any(word in said for word in (b"denied", b"authentication", b"not connected"))
        tell(what, "refused" if refused else f"exit {error.returncode}")
    except ValueError:
        tell(what, "not allowed")  # Python's word for a hard limit
    except OSError as error:
        kind = error.reason if isinstance(error, urllib.error.URLError) else error
        name = getattr(kind, "errno", None)
        tell(what, errno.errorcode.get(name, type(kind).__name__))
    else:
        tell(what, refused if isinstance(refused, str) else "got")


def call(name: str, *words: Any) -> None:
    """A function of libc that says -1 where it failed."""
    if getattr(C, name)(*words) == -1:
        raise OSError(ctypes.get_errno(), name)


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def put(path: str, text: str) -> None:
    """Write at once: a file that is closed later says nothing of an error."""
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def ask(
    url: str,
    token: str = "",
    method: str = "GET",
    body: Any = None,
    kind: str = "token",
    origin: str = "",
) -> str | None:
    """An HTTP request; what says nothing but that there is nothing is no gain."""
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(url, data, method=method)
    asked.add_header("Content-Type", "application/json")
    if token:
        asked.add_header("Authorization", f"{kind} {token}")
    if origin:
        asked.add_header("Origin", origin)
    with urllib.request.urlopen(asked, timeout=10) as answer:
        text = answer.read(100_000).strip()
        if "/login" in answer.url:
            return "login"
        return "nothing" if text in (b"", b"{}", b"[]") and method == "GET" else None


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)


@attack
def files(f: Facts) -> None:
    home, pid = f["home"], f["pid"]
    tried("read its notes", lambda: read(f"{home}/notes.txt"))
    tried("write beside them", lambda: open(f"{home}/more.txt", "w").close())
    tried("list its home", lambda: os.listdir(home))
    tried("set its rights", lambda: os.chmod(home, 0o700))
    tried("by its own root", lambda: read(f"/proc/{pid}/root{home}/notes.txt"))
    tried("by its folder", lambda: os.listdir(f"/proc/{pid}/cwd"))
    tried("by its files", lambda: os.listdir(f"/proc/{pid}/fd"))
    tried("its unit's environment", lambda: os.listdir(f"/run/private/ppslab-{f['neighbour']}"))


@attack
def secrets(f: Facts) -> None:
    for name in f["kept"]:
        tried(name, lambda name=name: read(f"{f['folder']}/{name}"))
    tried("list the day", lambda: os.listdir(f["folder"]))
    tried("the hub's environment", lambda: read(f"/proc/{f['hub_pid']}/environ"))
    for image in f["images"]:
        tried("a disk's image", lambda image=image: read(image))


@attack
def command_lines(f: Facts) -> None:
    """Read what every process was started with; as root, also what its environment holds."""
    own, found = os.getuid(), set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for kind in ("cmdline", "environ"):
            try:
                if own and os.stat(f"/proc/{pid}").st_uid == own:
                    continue
                with open(f"/proc/{pid}/{kind}", errors="replace") as file:
                    text = file.read()
            except OSError:
                continue
            found |= {name for name, secret in f["secrets"].items() if secret in text}
    for name in f["secrets"]:
        tell(name, "got" if name in found else "in none")


@attack
def signals(f: Facts) -> None:
    for who in ("pid", "hub_pid", "board_pid", "first_pid"):
        pid = f[who]
        tried(f"signal {who}", lambda pid=pid: os.kill(pid, signal.SIGCONT))
        tried(f"slow {who}", lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 1))
        cpus = os.sched_getaffinity(0)
        tried(f"move {who}", lambda pid=pid, cpus=cpus: os.sched_setaffinity(pid, cpus))


@attack
def memory_of_others(f: Facts) -> None:
    pid = f["pid"]

    def attach() -> None:
        attach, detach = 16, 17
        call("ptrace", attach, pid, None, None)
        os.waitpid(pid, 0x40000000)  # __WALL
        call("ptrace", detach, pid, None, None)

    def vm_read() -> None:
        with open(f"/proc/{pid}/maps") as maps:
            start = int(maps.readline().split("-")[0], 16)
        words = ctypes.c_void_p * 2
        here = ctypes.create_string_buffer(16)
        local, remote = words(ctypes.addressof(here), 16), words(start, 16)
        call("process_vm_readv", pid, local, 1, remote, 1, 0)

    tried("ptrace", attach)
    tried("read its memory", vm_read)
    for name in ("environ", "maps", "mem", "stack", "syscall"):
        tried(name, lambda name=name: os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY)))
    tried("write its memory", lambda: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR)))
    tried("take its file", lambda: os.close(_taken(pid)))


def _taken(pid: int) -> int:
    opened = os.pidfd_open(pid)
    found: int = C.syscall(438, opened, 0, 0)  # pidfd_getfd
    os.close(opened)
    if found == -1:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    return found


@attack
def namespaces_of_others(f: Facts) -> None:
    for who in ("pid", "first_pid"):
        for kind in ("mnt", "pid", "user", "net"):
            path = f"/proc/{f[who]}/ns/{kind}"
            tried(f"{kind} of {who}", lambda path=path: os.close(os.open(path, os.O_RDONLY)))


@attack
def ports(f: Facts) -> None:
    for port in f["ports"]:
        for host in ("127.0.0.1", "0.0.0.0"):

            def bind(port: int = port, host: str = host) -> None:
                with socket.socket() as mine:
                    mine.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    mine.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                    mine.bind((host, port))
                    mine.listen()

            tried(f"listen at {host}", bind)


@attack
def jupyter(f: Facts) -> None:
    """The neighbour's JupyterLab, with the token that was given."""
    base = f["lab"]
    for shown in (f["token"], ""):
        who = "with a token" if shown else "without"
        for path in ("contents/notes.txt", "terminals", "kernels", "sessions"):
            tried(f"{path} {who}", lambda path=path, shown=shown: ask(f"{base}api/{path}", shown))
        tried(f"a terminal {who}", lambda shown=shown: ask(f"{base}api/terminals", shown, "POST"))


@attack
def hub(f: Facts) -> None:
    seat = f["neighbour"]
    for method, path, body in (
        ("GET", f"users/{seat}", None),
        ("GET", f"users/{seat}/tokens", None),
        ("POST", f"users/{seat}/tokens", {}),
        ("PATCH", f"users/{seat}", {"admin": True}),
        ("POST", f"users/{seat}/server", {}),
        *((("DELETE", f"users/{seat}/server", None),) if not f["own"] else ()),
        ("POST", f"users/{seat}/activity", {"last_activity": "2026-11-23T00:00:00Z"}),
        ("POST", "users/thief", {}),
        ("POST", "shutdown", {}),
        ("GET", "proxy", None),
        ("GET", "services", None),
        ("GET", "groups", None),
        ("GET", "users", None),
    ):

        def does(method: str = method, path: str = path, body: Any = body) -> str | None:
            url = f"{f['hub']}/hub/api/{path}"
            if path == "users":  # everybody sees a list: of oneself
                asked = urllib.request.Request(
                    url, headers={"Authorization": f"token {f['token']}"}
                )
                with urllib.request.urlopen(asked, timeout=10) as answer:
                    return None if seat in answer.read().decode() else "itself alone"
            return ask(url, f["token"], method, body)

        tried(f"{method} {path}", does)


@attack
def board(f: Facts) -> None:
    token = f["board_token"]

    def does(
        base: str, name: str, method: str = "GET", body: Any = None
    ) -> Callable[[], str | None]:
        url = f"{base}/workshop/api/{name}"
        return lambda: ask(url, token, method, body, "Bearer", base)

    act = {"do": "message", "seats": [], "text": "all go home"}
    staff = f["staff"]
    tried("see the class", does(staff, "class"))
    tried("speak to all", does(staff, "act", "POST", act))
    tried("see the projector", does(staff, "projector"))
    if "forged" in f:
        tried("tell as another seat", does(f["board"], "events", "POST", f["forged"]))


@attack
def machine(f: Facts) -> None:
    """The machine's files, devices and settings: as oneself, then as root of a namespace."""
    _machine(f, "")
    facts = json.dumps(f)
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--cgroup", "--pid",
         "--fork", sys.executable, __file__, "machine-as-root"],
        input=facts, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        tell("a namespace of one's own", f"none: {done.stderr.strip()[-80:]}")
    sys.stdout.write(done.stdout)


@attack
def machine_as_root(f: Facts) -> None:
    _machine(f, " as root")


def _machine(f: Facts, who: str) -> None:
    def write(path: str) -> Callable[[], None]:
        def does() -> None:
            with open(path) as file:
                put(path, file.read())

        return does

    def remount() -> None:
        call("mount", b"none", b"/", None, 32 | 4096, None)  # MS_REMOUNT | MS_BIND
        open("/etc/ppslab-was-here", "w").close()

    def device() -> None:
        at = f"{os.environ.get('HOME', '/tmp')}/device"
        os.mknod(at, 0o600 | 0o060000, f["disk"])
        try:
            read(at)
        finally:
            os.unlink(at)

    tried(f"the passwords{who}", lambda: read("/etc/shadow"))
    tried(f"a file in /etc{who}", write("/etc/hosts"))
    tried(f"a new one in /usr{who}", lambda: open("/usr/bin/ppslab-was-here", "w").close())
    tried(f"all writable again{who}", remount)
    tried(f"the disk as a device{who}", device)
    tried(f"a setting of the kernel{who}", write("/proc/sys/kernel/core_pattern"))
    tried(f"the kernel's keys{who}", lambda: put("/proc/sysrq-trigger", "h"))
    tried(f"the cover of the day{who}", lambda: call("umount2", f["folder"].encode(), 0))
    tried(
        f"the first process's mounts{who}", lambda: os.close(os.open("/proc/1/root/etc/shadow", 0))
    )
    tried(f"a loop device{who}", lambda: os.close(os.open("/dev/loop-control", os.O_RDWR)))


@attack
def privileges(f: Facts) -> None:
    def setuid() -> str | None:
        asked = subprocess.run([f["setuid"], "-u"], capture_output=True, text=True, check=True)
        return None if asked.stdout.strip() == "0" else "still oneself"

    def mine() -> None:
        path = f"{os.environ.get('HOME', '/tmp')}/mine"
        try:
            with open(path, "wb") as file:
                file.write(b"#!/bin/sh\n")
            os.chmod(path, 0o4755)
        finally:
            os.unlink(path)

    tried("a setuid program", setuid)
    tried("become root", lambda: os.setuid(0))
    tried("make one", mine)
    tried("sudo", lambda: run("sudo", "-n", "true"))
    tried("a raw socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300).close())
    tried("an address", lambda: run("ip", "address", "add", "198.18.9.9/32", "dev", "lo"))
    tried("the firewall", lambda: run("nft", "list", "ruleset"))


@attack
def systemd(f: Facts) -> None:
    unit = f"ppslab-{f['neighbour']}.service"
    tried("a setting", lambda: run("systemctl", "set-property", "--runtime", unit, "CPUWeight=99"))
    tried("a signal", lambda: run("systemctl", "kill", "--signal=CONT", unit))
    tried("a unit", lambda: run("/usr/bin/systemd-run", "--no-block", "true"))


@attack
def own_limits(f: Facts) -> None:
    for path, value in f["limits"].items():

        def write(path: str = path, value: str = value) -> None:
            with open(path) as file:  # root keeps the limit as it is
                put(path, value if os.getuid() else file.read())

        tried(path.rsplit("/", 1)[1], write)
    hard = resource.RLIM_INFINITY
    tried("larger files", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard)))
    tried("be served first", lambda: os.nice(-5))
    tried("be killed last", lambda: put("/proc/self/oom_score_adj", "-1000"))


@attack
def memory(f: Facts) -> None:
    """Take memory without end; whoever has more than the limit has got it."""
    wanted, held = f["memory_mib"] * 3 // 2, []
    for _ in range(wanted // 16):
        held.append(bytearray(os.urandom(4096)) * 4096)
    tell("memory", "got")


@attack
def forks(f: Facts) -> None:
    wanted, children = f["tasks"] * 3 // 2, []
    try:
        for _ in range(wanted):
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            children.append(child)
        tell("processes", "got")
    except OSError as error:
        time.sleep(1)  # as many as it could have, for a while
        tell(f"{len(children)} processes", errno.errorcode[error.errno or 0])
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@attack
def processors(f: Facts) -> None:
    """Compute on more processors than a seat has, for some seconds."""
    until, children = time.monotonic() + 3, []
    for _ in range(2 * (os.cpu_count() or 1) + 4):
        child = os.fork()
        if child == 0:
            while time.monotonic() < until:
                pass
            os._exit(0)
        children.append(child)
    used = 0.0
    for child in children:
        used += os.wait4(child, 0)[2].ru_utime
    share = used / 3
    said = "got" if share > f["cpus"] * 1.2 else "within the quota"
    tell(f"{share:.1f} CPUs of {f['cpus']:g}", said)


@attack
def disk(f: Facts) -> None:
    """Fill every file system that lets one write, with files, until it is full."""
    with open("/proc/self/mountinfo") as told:
        mounts = [line.split() for line in told]
    places: dict[int, str] = {}
    for words in mounts:
        at, kind = words[4], words[words.index("-") + 1]
        if kind in ("proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue"):
            continue
        if "rw" not in words[5].split(",") or at.startswith("/proc/"):
            continue
        said = ["find", at, "-xdev", "-type", "d", "-writable", "-print", "-quit"]
        found = subprocess.run(said, capture_output=True, text=True, check=False).stdout.strip()
        if found:
            places.setdefault(os.stat(found).st_dev, found)
    block = os.urandom(2**20) * 4
    taken: dict[str, int] = {}
    written: list[str] = []
    for place in places.values():
        number = taken[place] = 0
        try:
            most = f["sizes"].get(place, f["disk_mib"])
            while taken[place] < most * 2**20 * 3 // 2:
                path = f"{place}/full-{number}"
                with open(path, "wb", buffering=0) as file:
                    written.append(path)
                    taken[place] += file.write(block)
                number += 1
            reached = ""
        except OSError as error:
            reached = errno.errorcode[error.errno or 0]
        own = taken[place] <= most * 2**20
        tell(f"{taken[place] >> 20} MiB in {place}", reached if reached and own else "got")
    time.sleep(0.5)
    for path in written:
        os.unlink(path)


@attack
def connections(f: Facts) -> None:
    """Hold as many connections to hub and board as one has files for."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (f["connections"] * 2 + 100,) * 2)
    held, refused = [], ""
    for port in f["servers"]:
        try:
            for _ in range(f["connections"]):
                made = socket.create_connection(("127.0.0.1", port), timeout=5)
                held.append(made)
                if len(held) % 2:
                    made.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        except OSError as error:
            refused = type(error).__name__
    time.sleep(3)
    tell(f"{len(held)} connections", refused or "held")


@attack
def hall(f: Facts) -> None:
    """Speak with the hall's network."""
    near = (f["hall"], f["hall_port"])
    tried("TCP", lambda: socket.create_connection(near, timeout=1).close())

    def udp() -> str | None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mine:
            mine.settimeout(1)
            mine.sendto(b"x", near)
            mine.recvfrom(10)
        return None

    tried("UDP", udp)


@attack
def reached(f: Facts) -> None:
    """Listen at all addresses, as a guest's forwarded port may; got, if the hall comes in."""
    with socket.create_server(("0.0.0.0", f["guest_port"])) as mine:
        mine.settimeout(3)

        def come() -> None:
            mine.accept()[0].close()

        tried("be reached from the hall", come)


def wait() -> None:
    """The seat that attacks: one attack a request."""
    url = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def do_POST(self) -> None:
            told = self.rfile.read(int(self.headers["Content-Length"]))
            done = subprocess.run(
                [sys.executable, __file__, self.path.rsplit("/", 1)[1]],
                input=told, capture_output=True, check=False,
            )  # fmt: skip
            said = {"said": done.stdout.decode(), "state": done.returncode}
            said["fault"] = done.stderr.decode()[-2000:]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *words: Any) -> None:
            pass

    http.server.HTTPServer((url.hostname or "", url.port or 0), Answer).serve_forever()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        if os.environ["JUPYTERHUB_USER"] == "seat-01":
            wait()
        lab = [sys.executable, "-m", "jupyterhub.singleuser", *sys.argv[2:]]
        os.execv(sys.executable, lab)
    ATTACKS[sys.argv[1]](json.load(sys.stdin))
