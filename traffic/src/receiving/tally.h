/* What became of the frames: distinct, duplicate, reordered, foreign, corrupt, misdelivered. */
#pragma once

#include "frames/frame.h"
#include "receiving/histogram.h"
#include "receiving/record.h"

struct flow_tally {
    uint8_t *seen; /* one bit a sequence number */
    uint64_t seen_bits;
    uint32_t next_expected; /* RFC 4737 section 3.3 */
    uint64_t received, duplicates, reordered;
};

struct tally {
    uint8_t tag;
    int64_t epoch;         /* CLOCK_MONOTONIC ns */
    int64_t clock_offset;  /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
    uint64_t sequence_end; /* no flow can have sent this sequence number or a higher one */
    const struct flow *flows;
    int flow_count;
    struct record *record; /* NULL: frames are counted and forgotten */
    struct flow_tally per_flow[MAX_FLOWS];
    uint64_t foreign, corrupt, misdelivered, unrelated, learning;
    struct histogram from_intended, from_actual;
};

/* One received frame. `wall_ns` is the kernel's CLOCK_REALTIME stamp.
 * A frame is judged in this order: unrelated (not UDP, no magic), corrupt (lengths, checksums, a
 * flow or sequence number that was never sent), foreign (another trial's tag), learning,
 * misdelivered (not at its flow's rx port), duplicate, received. Only the last has delays. */
void tally_frame(struct tally *t, int port, const uint8_t *frame, size_t captured, size_t length,
                 bool checksum_done, int64_t wall_ns);
void tally_free(struct tally *t);
