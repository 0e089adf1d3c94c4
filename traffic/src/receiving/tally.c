#include "receiving/tally.h"

#include "machine/error.h"

#include <stdlib.h>
#include <string.h>

static bool seen_before(struct flow_tally *flow, uint32_t sequence) {
    if (sequence >= flow->seen_bits) {
        uint64_t bits = flow->seen_bits ? flow->seen_bits : 1 << 16;
        while (bits <= sequence)
            bits *= 2;
        uint8_t *grown = realloc(flow->seen, bits / 8);
        if (!grown)
            fail(EXIT_TRIAL, "out of memory");
        memset(grown + flow->seen_bits / 8, 0, (bits - flow->seen_bits) / 8);
        flow->seen = grown;
        flow->seen_bits = bits;
    }
    uint8_t bit = (uint8_t)(1u << (sequence & 7));
    bool before = flow->seen[sequence / 8] & bit;
    flow->seen[sequence / 8] |= bit;
    return before;
}

static unsigned judge(struct tally *t, int port, const struct signature *s, int64_t received) {
    if (s->tag != t->tag) {
        t->foreign++;
        return RECORD_FOREIGN;
    }
    bool learning = s->sequence >= LEARNING_SEQUENCE;
    if (s->flow >= t->flow_count || (!learning && s->sequence >= t->sequence_end)) {
        t->corrupt++;
        return RECORD_CORRUPT;
    }
    if (learning) {
        t->learning++;
        return RECORD_LEARNING;
    }
    if (t->flows[s->flow].rx != port) {
        t->misdelivered++;
        return RECORD_MISDELIVERED;
    }
    struct flow_tally *flow = &t->per_flow[s->flow];
    if (seen_before(flow, s->sequence)) {
        flow->duplicates++;
        return RECORD_DUPLICATE;
    }
    flow->received++;
    int64_t delay = received - (int64_t)s->intended_ns;
    histogram_add(&t->from_intended, delay);
    histogram_add(&t->from_actual, delay - s->lateness_ns);
    if (s->sequence >= flow->next_expected) {
        flow->next_expected = s->sequence + 1;
        return 0;
    }
    flow->reordered++;
    return RECORD_REORDERED;
}

void tally_frame(struct tally *t, int port, const uint8_t *frame, size_t captured, size_t length,
                 bool checksum_done, int64_t wall_ns) {
    struct signature s = {0};
    unsigned flags;
    int64_t received = wall_ns - t->clock_offset - t->epoch;
    switch (frame_parse(frame, captured, length, checksum_done, &s)) {
    case FRAME_UNRELATED:
        t->unrelated++;
        return;
    case FRAME_CORRUPT:
        t->corrupt++;
        flags = RECORD_CORRUPT;
        break;
    default:
        flags = judge(t, port, &s, received);
    }
    if (t->record)
        record_add(t->record, &(struct record_frame){
                                  .received_ns = received,
                                  .intended_ns = s.intended_ns,
                                  .lateness_ns = s.lateness_ns,
                                  .sequence = s.sequence,
                                  .length = (uint32_t)length + FCS_SIZE,
                                  .flags = (uint16_t)flags,
                                  .flow = s.flow,
                                  .port = (uint8_t)port,
                              });
}

void tally_free(struct tally *t) {
    for (int i = 0; i < t->flow_count; i++)
        free(t->per_flow[i].seen);
}
