#include "machine/system.h"

#include "machine/clock.h"
#include "machine/error.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void system_pin(int cpu) {
    if (cpu < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) < 0)
        fail(EXIT_TRIAL, "CPU %d: %s", cpu, strerror(errno));
}

void system_precede(void) {
    struct sched_param priority;
    int policy;
    if (pthread_getschedparam(pthread_self(), &policy, &priority) != 0 ||
        (policy != SCHED_FIFO && policy != SCHED_RR) ||
        priority.sched_priority >= sched_get_priority_max(policy))
        return;
    priority.sched_priority++;
    /* Where it is not allowed (RLIMIT_RTPRIO) the thread stays what it is. */
    pthread_setschedparam(pthread_self(), policy, &priority);
}

void system_check_cpu(const char *flag, int cpu) {
    cpu_set_t set;
    if (cpu < 0)
        return;
    if (sched_getaffinity(0, sizeof set, &set) < 0)
        fail(EXIT_TRIAL, "sched_getaffinity: %s", strerror(errno));
    if (!CPU_ISSET(cpu, &set))
        fail(EXIT_USAGE, "%s: this process may not run on CPU %d (there are %ld)", flag, cpu,
             sysconf(_SC_NPROCESSORS_ONLN));
}

void system_steal(struct steal *seen) {
    memset(seen, 0, sizeof *seen);
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return;
    char line[512];
    unsigned long long ticks;
    unsigned cpu;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &ticks) == 2 &&
            cpu < STEAL_CPUS)
            seen->ticks[cpu] = ticks;
    fclose(file);
}

uint64_t system_memory_available(void) {
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    unsigned long long kilobytes = 0;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
            break;
    fclose(file);
    return kilobytes << 10;
}

double system_speed(void) {
    enum { PROBE = 256 << 10, TRIES = 5 };
    const double plain_ns = 100e3; /* 64 page faults and clears, on the slower side */
    int64_t best = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = clock_now();
        char *memory =
            mmap(NULL, PROBE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 1;
        for (int at = 0; at < PROBE; at += 4096)
            ((volatile char *)memory)[at] = 1;
        munmap(memory, PROBE);
        int64_t took = clock_now() - before;
        best = took < best ? took : best;
    }
    double speed = plain_ns / (double)(best > 0 ? best : 1);
    return speed > 1 ? 1 : speed < 0.05 ? 0.05 : speed;
}
