#include "machine/clock.h"

int64_t clock_offset(void) {
    int64_t best = INT64_MAX, offset = 0;
    for (int i = 0; i < 32; i++) {
        int64_t before = clock_now();
        int64_t wall = clock_read(CLOCK_REALTIME);
        int64_t after = clock_now();
        if (after - before < best) {
            best = after - before;
            offset = wall - (before + (after - before) / 2);
        }
    }
    return offset;
}

void clock_sleep_until(int64_t until, const atomic_bool *stop) {
    while (!atomic_load(stop)) {
        int64_t left = until - clock_now();
        if (left <= 0)
            return;
        /* A signal may land between the test of *stop and the sleep: never sleep for long. */
        if (left > 20 * NS_PER_MS)
            left = 20 * NS_PER_MS;
        struct timespec t = {.tv_sec = 0, .tv_nsec = left};
        nanosleep(&t, NULL);
    }
}
