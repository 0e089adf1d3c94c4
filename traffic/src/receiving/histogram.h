/* Delays: a log-linear histogram. Memory does not grow with the trial.
 *
 * Up to 2048 ns every nanosecond has its own bucket; above, every power of two is cut into 1024
 * buckets and a percentile is the middle of its bucket: at most 0.05 % off.
 * Minimum, maximum and mean are exact. */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BITS = 11, HISTOGRAM_OCTAVES = 38 };
#define HISTOGRAM_BUCKETS ((1 << HISTOGRAM_BITS) + (HISTOGRAM_OCTAVES << (HISTOGRAM_BITS - 1)))

struct histogram {
    uint64_t count;
    int64_t min, max;
    double sum;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* A negative delay (the wall clock was stepped) is kept in min and mean, and counts as 0 else. */
void histogram_add(struct histogram *h, int64_t ns);

/* The smallest delay that at least `share` (0 to 1) of the frames did not exceed, in ns. */
double histogram_percentile(const struct histogram *h, double share);
