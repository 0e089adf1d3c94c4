"""One QEMU process: its command line, its start, its end, and whether KVM truly boots a guest."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ppslab.core import measures
from ppslab.core.errors import CannotHereError
from ppslab.model.lab.machine import Machine, Plugged
from ppslab.testbed.backends.capabilities import tools
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel, Progress, uncompressed
from ppslab.testbed.backends.capabilities.tools import KvmAnswer
from ppslab.testbed.backends.vm import machine as vm_machine
from ppslab.testbed.backends.vm.initramfs import initramfs

Emulation = Literal["tcg", "kvm"]
#: A guest that has not said "the kernel boots" by then hangs; on KVM that works it takes about 1 s.
KVM_TIME_LIMIT = 20.0
#: A kernel that runs at all prints within this time; one that hangs in early boot never does.
KVM_FIRST_WORD = 8.0
#: What stops a start waits no longer for it than this; a start that comes later ends at once.
START_SECONDS = 10.0


@dataclass(frozen=True)
class Guest:
    """The parts of one guest.

    `console`: the file that its serial console goes to; `log`: what QEMU itself says;
    `shares`: (9p tag, host folder, writable); `channel`: the agent's socket;
    `machine`: built to order, with its cards in their slots, None for one plain socket;
    `counted`: emulated, on one CPU, with a clock that its instructions drive.
    """

    kernel: GuestKernel
    emulation: Emulation
    console: Path
    log: Path
    cpus: int = 2
    memory_mb: int = 2048
    shares: tuple[tuple[str, Path, bool], ...] = ()
    channel: Path | None = None
    machine: Machine | None = None
    plugged: tuple[Plugged, ...] = ()
    counted: bool = False


def qemu_version() -> str:
    """QEMU's version, such as "7.2.22"; CannotHereError where the vm backend cannot start it."""
    found = tools.qemu()
    if not found.present:
        raise CannotHereError(f"the vm backend needs QEMU: {found.detail}", found.remedy)
    return found.detail


def command_line(guest: Guest, initrd: Path, wires: Sequence[vm_machine.End] = ()) -> list[str]:
    """QEMU's arguments for a guest; `wires`: an end for each of its cards."""
    image = guest.kernel.image
    # Without notests, the first ESP tunnel waits 5 s for the ciphers' self-tests.
    words = "console=ttyS0 panic=-1 net.ifnames=0 ipv6.autoconf=0 cryptomgr.notests"
    # Housekeeping, as conntrack's search of its table, gets threads of its own: among those that
    # also encrypt for WireGuard nobody could tell what it took.  No program here lives long enough
    # to win by large pages, and the thread that looks for them takes 10 ms at a time.
    words += " workqueue.power_efficient=1 transparent_hugepage=never"
    # A guest without a channel only shows whether it boots: get its messages early.
    words += " loglevel=5" if guest.channel else " loglevel=7 earlyprintk=serial,ttyS0,115200"
    argv = [tools.QEMU, "-name", "ppslab", "-nodefaults", "-no-user-config", "-display", "none"]
    if guest.emulation == "kvm":
        argv += ["-accel", "kvm", "-cpu", "host"]
    else:
        # Emulation: with fast string operations (erms, fsrm) the kernel copies and clears byte by
        # byte, each a step of the emulator's and an instruction counted; without them by eights,
        # which makes a guest boot and run a third quicker.  Five-level page tables only add a level
        # to each look-up; mitigations guard a CPU that is not there; the time stamp counter is the
        # host's, so it is reliable, and without that word Linux reads a far slower clock for every
        # packet. Unpacking itself takes an xz-compressed kernel 3 s of the 7 s to the first answer,
        # so the host does that once.
        # norandmaps: the emulator knows translated code by its address, so where libraries lie
        # elsewhere in every process, it translates them anew for each program that is started.
        threads = "single" if guest.counted else "multi"
        argv += ["-accel", f"tcg,thread={threads}", "-cpu", "max,la57=off,erms=off,fsrm=off"]
        if guest.counted:
            # sleep=on: while the guest idles its clock goes as the host's does.  Without that it
            # leaps to the next timer, and every time-out of the kernel's is over at once.
            argv += ["-icount", f"shift={measures.SHIFT},sleep=on"]
        image = uncompressed(guest.kernel)
        words += " mitigations=off tsc=reliable clocksource=tsc no_timer_check norandmaps"
    argv += ["-machine", "q35,usb=off,vmport=off,hpet=off", "-no-reboot"]
    smp = vm_machine.smp(guest.machine) if guest.machine else str(guest.cpus)
    argv += ["-smp", smp, "-m", f"{guest.memory_mb}M"]
    argv += ["-kernel", str(image), "-initrd", str(initrd), "-append", words]
    argv += ["-serial", f"file:{guest.console}", "-device", "virtio-rng-pci"]
    for tag, folder, writable in guest.shares:
        access = "" if writable else ",readonly=on"
        argv += [
            "-fsdev",
            f"local,id={tag},path={_value(folder)},security_model=none,multidevs=remap{access}",
        ]
        argv += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
    if guest.channel is not None:
        argv += [
            "-chardev",
            f"socket,id=agent,path={_value(guest.channel)},server=on,wait=off",
        ]
        argv += ["-device", "virtio-serial-pci"]
        argv += ["-device", "virtserialport,chardev=agent,name=agent"]
    if guest.machine:  # last: a device without a bus takes the newest, where only slots fit
        argv += vm_machine.arguments(guest.machine, guest.plugged, wires)
    return argv


class Qemu:
    """A running QEMU.  Ends with its owner: the kernel kills it (prctl(2), PR_SET_PDEATHSIG),
    also when the owner was killed with kill -9.
    """

    def __init__(self, guest: Guest, initrd: bytes, image: Path) -> None:
        """`image`: the file to write the initramfs to, which QEMU reads at its start only."""
        self.guest = guest
        guest.console.unlink(missing_ok=True)
        image.write_bytes(initrd)
        self._wires = vm_machine.wires(guest.plugged)
        arguments = command_line(guest, image, self._wires)
        self._argv = ["setpriv", "--pdeathsig", "KILL", "--", *arguments]
        self._started = threading.Event()
        self._unwanted = False
        self._process: subprocess.Popen[bytes] | None = None
        self._error: OSError | None = None
        # PDEATHSIG follows the thread that forked, not the process: a notebook or a progress bar
        # may well start a guest in a thread that ends. This thread ends with QEMU only.
        keeper = threading.Thread(target=self._keep, name="ppslab-qemu", daemon=True)
        try:
            keeper.start()
            self._started.wait()
        except BaseException:
            # Ctrl-C while it starts: nobody else knows of it, and its files would be left.  If
            # it came before there was a thread, nobody says that QEMU started.
            self._unwanted = True
            self._started.wait(START_SECONDS)
            self.kill()
            raise
        if self._error is not None:
            raise CannotHereError(f"cannot start QEMU: {self._error}", "") from self._error

    def _keep(self) -> None:
        try:
            with self.guest.log.open("wb") as log:
                # A session of its own: Ctrl-C in the terminal is for ppslab, which then stops QEMU.
                self._process = subprocess.Popen(
                    self._argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    pass_fds=[each for wire in self._wires for each in wire.files],
                )
        except OSError as error:
            self._error = error
            return
        finally:
            for wire in self._wires:
                wire.close()
            self._started.set()
        if self._unwanted:
            self._process.kill()
        self._process.wait()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def kill(self) -> None:
        """Stop QEMU at once and wait until it is gone. The guest keeps nothing worth a shutdown."""
        if self._process is not None:
            self._process.kill()  # it may end, and be waited for, at this very moment
        self.wait(10)

    def wait(self, seconds: float) -> bool:
        """Return whether QEMU ended within `seconds`."""
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.01)
        return not self.alive()

    def ending(self) -> str:
        """In which way QEMU ended: what its exit code says."""
        code = self._process.returncode if self._process is not None else None
        if code is None:
            return "QEMU still runs"
        if code < 0:
            name = signal.Signals(-code).name
            short = "; is the machine short of memory?" if -code == signal.SIGKILL else ""
            return f"QEMU was killed by {name}{short}"
        return f"QEMU's exit code is {code}" if code else "it reset or powered off"

    def last_words(self, lines: int = 15) -> str:
        """QEMU's own complaints, then the tail of the guest's console."""
        said = [_text(self.guest.log), _text(self.guest.console)]
        tail = "\n".join(text for text in said if text.strip()).splitlines()[-lines:]
        return "\n".join(f"    {line.rstrip()}" for line in tail) or "    (nothing)"

    def complaint(self) -> str:
        """The first line in which QEMU itself says what is wrong."""
        said = _text(self.guest.log).splitlines()
        wrong = [line for line in said if "warning" not in line]
        return (wrong or ["no message"])[0].removeprefix(f"{tools.QEMU}: ")


def kvm_boots(kernel: GuestKernel, progress: Progress = lambda _: None) -> KvmAnswer:
    """Return whether this kernel boots under KVM here, found by booting it once a boot of the host.

    /dev/kvm that opens and makes a VM proves nothing: under some clouds' nested virtualisation
    QEMU then aborts, or the kernel hangs in early boot.
    """
    openable = tools.kvm_openable()
    if not openable.boots:
        return openable
    known = tools.recall(kernel)
    if known is not None:
        return known
    progress(f"trying whether KVM boots a guest (once, at most {KVM_TIME_LIMIT:.0f} s)")
    answer = _try_kvm(kernel)
    tools.remember(kernel, answer)
    return answer


def _try_kvm(kernel: GuestKernel) -> KvmAnswer:
    with tempfile.TemporaryDirectory(prefix="ppslab-kvm-") as folder:
        place = Path(folder)
        guest = Guest(kernel, "kvm", place / "console", place / "log", cpus=1, memory_mb=512)
        qemu = Qemu(guest, initramfs(kernel, {"probe": "yes"}, []), place / "image")
        start = time.monotonic()
        try:
            while (spent := time.monotonic() - start) < KVM_TIME_LIMIT:
                said = _text(guest.console)
                if "ppslab: the kernel boots" in said:
                    return KvmAnswer(True, f"a guest booted in {spent:.1f} s")
                if not qemu.alive():
                    return KvmAnswer(False, f"/dev/kvm opens, but QEMU ended: {qemu.complaint()}")
                if "Linux version" not in said and spent > KVM_FIRST_WORD:
                    break
                time.sleep(0.05)
            return KvmAnswer(False, f"/dev/kvm opens, but the kernel hung for {spent:.0f} s")
        finally:
            qemu.kill()


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _value(path: Path | str) -> str:
    """A path in an option of QEMU, where a comma ends a value unless it stands twice."""
    return str(path).replace(",", ",,")
