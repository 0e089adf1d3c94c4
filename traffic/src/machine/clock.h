/* Time: nanoseconds of CLOCK_MONOTONIC, and how the kernel's wall-clock stamps map onto them. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND 1000000000LL
#define NS_PER_MS 1000000LL

static inline int64_t clock_read(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

static inline int64_t clock_now(void) {
    return clock_read(CLOCK_MONOTONIC);
}

static inline void clock_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* CLOCK_REALTIME - CLOCK_MONOTONIC in ns, from the tightest of several sandwiched readings.
 * Both clocks are slewed together, so the difference moves only when the wall clock is stepped. */
int64_t clock_offset(void);

/* Sleeps until the CLOCK_MONOTONIC time `until`, or until `*stop` becomes true. */
void clock_sleep_until(int64_t until, const atomic_bool *stop);
