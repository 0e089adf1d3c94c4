#!/bin/busybox sh
# The guest's first program, run by busybox from the initramfs, and again as the guest's PID 1.
#
# Stage one (`/init`): load what reaches the host's files, lay a writable overlay over them and
# move there. Stage two (`stay`): run the agent, power off when it has ended.
# systemd, and virtme-ng's own init, do much more (udev, logins, fstab, sudoers); under emulation
# each program started costs tens of milliseconds, and a lab needs none of it.
#
# /config, written by initramfs.py, sets:
#   probe    only say that the kernel boots (all that follows is then empty)
#   share    the checkout: seen as it is now, not as it was at boot; read only
#   prefix   the Python environment, cached although it may lie inside of share
#   built    the folder of what make built, kept in memory; it lies inside of share
#   scratch  the one folder that guest and host both write; the same path in both
#   modules  the host's folder with the modules of this kernel
#   run_agent()  the command that serves the channel $port

say() { echo "ppslab: $*" >/dev/kmsg; }

stay() {
    cd /
    export HOME=/root TERM=dumb LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
    export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    export PPSLAB_GUEST=1 PPSLAB_RUNTIME=/run/ppslab
    for channel in /sys/class/virtio-ports/*; do
        [ "$(cat "$channel/name" 2>/dev/null)" = agent ] && port=/dev/${channel##*/}
    done
    export PYTHONPATH=/run/ppslab/agent  # the agent's alone: a node has an environment of its own
    say "starting the agent on $port"
    run_agent </dev/null >/dev/console 2>&1
    say "the agent ended with $?"
    poweroff -f
}

if [ "$1" = stay ]; then
    . /run/ppslab/config
    stay
fi

mount -t proc -o nosuid,noexec,nodev proc /proc
mount -t devtmpfs dev /dev
. /config
if [ -n "$probe" ]; then
    say "the kernel boots"
    poweroff -f
fi
while read -r module; do insmod "/modules/$module" || say "cannot load $module"; done </modules/list

nine=trans=virtio,version=9p2000.L,access=any,msize=512000
mount -t 9p -o "ro,cache=loose,$nine" root /lower || say "cannot mount the host's files"
mount -t tmpfs -o mode=0755 over /over
mkdir /over/upper /over/work
# What a lab starts again and again lies in memory: initramfs.py brought it.
[ ! -d /kept ] || cp -a /kept/. /over/upper/
mount -t overlay -o lowerdir=/lower,upperdir=/over/upper,workdir=/over/work root /newroot ||
    say "cannot lay the overlay"

cd /newroot || poweroff -f
mkdir -p proc sys dev run tmp
mount --move /dev dev
mount --move /proc proc
mount -t sysfs -o nosuid,noexec,nodev sys sys
mkdir -p dev/pts dev/shm dev/net
mknod dev/net/tun c 10 200  # opening it loads the module, but the module would make it
mount -t devpts -o mode=620,ptmxmode=666 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=0755 run run
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t bpf bpf sys/fs/bpf
mount -t debugfs debugfs sys/kernel/debug
mount -t tracefs tracefs sys/kernel/tracing
ln -sf /proc/self/fd dev/fd

# The checkout without a cache: a ruleset edited on the host is the one that the guest loads.
# The Python environment with one: its files do not change under a running lab.
mkdir -p ".$share" ".$scratch"
mount -t 9p -o "ro,cache=none,$nine" share ".$share"
case $prefix/ in "$share"/*) mount --bind "/lower$prefix" ".$prefix" ;; esac
# Without a cache 9p brings the tester's megabyte anew for each trial: 0.2 s under emulation.
[ -z "$built" ] || mount --bind "/over/upper$built" ".$built"
mount -t 9p -o "rw,cache=none,$nine" scratch ".$scratch"
if [ -n "$modules" ]; then
    mkdir -p "lib/modules/$(uname -r)"
    mount --bind "/lower$modules" "lib/modules/$(uname -r)"
fi

ip link set lo up
mkdir -p run/ppslab
cp -r /bin/busybox /init /config /agent run/ppslab/
exec switch_root /newroot /run/ppslab/busybox sh /run/ppslab/init stay
