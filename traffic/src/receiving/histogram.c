#include "receiving/histogram.h"

#include <math.h>

static unsigned bucket_of(uint64_t ns) {
    if (ns >> HISTOGRAM_BITS == 0)
        return (unsigned)ns;
    unsigned octave = 63 - (unsigned)__builtin_clzll(ns) - HISTOGRAM_BITS; /* from 0 */
    if (octave >= HISTOGRAM_OCTAVES)
        return HISTOGRAM_BUCKETS - 1;
    unsigned within = (unsigned)(ns >> (octave + 1)) & ((1u << (HISTOGRAM_BITS - 1)) - 1);
    return (1u << HISTOGRAM_BITS) + (octave << (HISTOGRAM_BITS - 1)) + within;
}

static double bucket_middle(unsigned bucket) {
    if (bucket < 1u << HISTOGRAM_BITS)
        return bucket;
    unsigned above = bucket - (1u << HISTOGRAM_BITS);
    unsigned octave = above >> (HISTOGRAM_BITS - 1);
    unsigned within = above & ((1u << (HISTOGRAM_BITS - 1)) - 1);
    double width = ldexp(1, (int)octave + 1);
    return ldexp(1, HISTOGRAM_BITS + (int)octave) + (within + 0.5) * width - 0.5;
}

void histogram_add(struct histogram *h, int64_t ns) {
    if (h->count == 0 || ns < h->min)
        h->min = ns;
    if (h->count == 0 || ns > h->max)
        h->max = ns;
    h->count++;
    h->sum += (double)ns;
    h->buckets[bucket_of(ns < 0 ? 0 : (uint64_t)ns)]++;
}

double histogram_percentile(const struct histogram *h, double share) {
    uint64_t rank = (uint64_t)ceil(share * (double)h->count), seen = 0;
    if (rank == 0)
        rank = 1;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen >= rank) {
            double middle = bucket_middle(i);
            return middle < (double)h->min   ? (double)h->min
                   : middle > (double)h->max ? (double)h->max
                                             : middle;
        }
    }
    return (double)h->max;
}
