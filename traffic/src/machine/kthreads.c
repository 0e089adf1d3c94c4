#include "machine/kthreads.h"

#include "machine/clock.h"
#include "machine/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    KTHREAD = 0x00200000, /* PF_KTHREAD in the kernel's include/linux/sched.h */
    LOOK_MS = 20,
    RESTING_NS = 200000, /* of 20 ms: what the kernel's housekeeping takes, and looking at it */
    LONGEST_MS = 1000,
};

/* A small file of /proc as text; false where it is gone, as with a thread that has just ended. */
static bool read_text(const char *proc, const char *pid, const char *file, char *text,
                      size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", proc, pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, size - 1);
    close(fd);
    if (got <= 0)
        return false;
    text[got] = 0;
    return true;
}

/* proc(5): the name, in parentheses, may hold anything; the flags are the sixth word behind it. */
static bool is_kernels(const char *proc, const char *pid) {
    char text[1024];
    unsigned flags;
    if (!read_text(proc, pid, "stat", text, sizeof text))
        return false;
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           flags & KTHREAD;
}

/* The first word of schedstat is the time on the CPU in ns (Documentation/scheduler). */
static bool time_of(const char *proc, const char *pid, uint64_t *ns) {
    char text[128];
    return read_text(proc, pid, "schedstat", text, sizeof text) &&
           sscanf(text, "%" SCNu64, ns) == 1;
}

void kthreads_read(struct kthreads *seen, const char *proc) {
    DIR *folder = opendir(proc);
    if (!folder)
        fail(EXIT_CANNOT, "--kernel-threads %s: %s", proc, strerror(errno));
    seen->count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) && seen->count < KTHREADS_MOST;) {
        uint64_t ns;
        int pid = atoi(entry->d_name);
        if (pid <= 0 || !is_kernels(proc, entry->d_name) || !time_of(proc, entry->d_name, &ns))
            continue;
        seen->each[seen->count].pid = pid;
        seen->each[seen->count++].ns = ns;
    }
    closedir(folder);
    if (seen->count == 0)
        fail(EXIT_CANNOT, "--kernel-threads %s: it shows no thread of the kernel's", proc);
}

enum work { COUNTED, WITH_CHORES, CHORES };

/* A worker is called after the queue that it last worked for (kernel/workqueue.c, wq_worker_comm).
 * In this one conntrack looks through all of its table for connections that have ended.  A worker
 * that is bound to no CPU does not work on packets; one that is may have done both. */
static enum work work_of(const char *proc, int pid) {
    char number[16], text[128];
    snprintf(number, sizeof number, "%d", pid);
    if (!read_text(proc, number, "comm", text, sizeof text) ||
        !strstr(text, "events_power_efficient"))
        return COUNTED;
    return strncmp(text, "kworker/u", 9) == 0 ? CHORES : WITH_CHORES;
}

struct kthreads_used kthreads_since(const struct kthreads *before, const char *proc) {
    static struct kthreads now;
    struct kthreads_used used = {0};
    kthreads_read(&now, proc);
    for (unsigned i = 0, k = 0; i < now.count; i++) {
        /* Both are in the order of /proc, which is that of the numbers. */
        while (k < before->count && before->each[k].pid < now.each[i].pid)
            k++;
        bool known = k < before->count && before->each[k].pid == now.each[i].pid;
        uint64_t had = known ? before->each[k].ns : 0;
        /* A number may be given to a new thread. */
        uint64_t grown = now.each[i].ns - (had <= now.each[i].ns ? had : 0);
        enum work work = grown > RESTING_NS ? work_of(proc, now.each[i].pid) : COUNTED;
        if (work != CHORES)
            used.all += grown;
        if (work == WITH_CHORES)
            used.chores += grown;
    }
    return used;
}

struct kthreads_used kthreads_rest(const struct kthreads *before, const char *proc,
                                   const atomic_bool *stop) {
    struct kthreads_used used = kthreads_since(before, proc), last;
    int64_t give_up = clock_now() + LONGEST_MS * NS_PER_MS;
    do {
        last = used;
        clock_sleep_until(clock_now() + LOOK_MS * NS_PER_MS, stop);
        used = kthreads_since(before, proc);
        /* It shrinks where a thread has ended. */
    } while (used.all > last.all + RESTING_NS && clock_now() < give_up && !atomic_load(stop));
    return used;
}
