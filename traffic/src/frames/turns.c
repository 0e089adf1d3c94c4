#include "frames/turns.h"

#include "machine/error.h"

#include <stdlib.h>

static uint32_t gcd(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct turns turns_make(const struct flow *flows, int count) {
    struct turns turns = {0};
    uint32_t divisor = 0;
    for (int i = 0; i < count; i++) {
        divisor = gcd(flows[i].weight, divisor);
        turns.length += flows[i].weight;
    }
    turns.length /= divisor;
    turns.flows = malloc(turns.length);
    int64_t credit[MAX_FLOWS] = {0};
    if (!turns.flows)
        fail(EXIT_TRIAL, "out of memory");
    /* Every flow earns its weight a turn; the richest sends and pays a round's worth. */
    for (uint32_t turn = 0; turn < turns.length; turn++) {
        int richest = 0;
        for (int i = 0; i < count; i++) {
            credit[i] += flows[i].weight / divisor;
            if (credit[i] > credit[richest])
                richest = i;
        }
        credit[richest] -= turns.length;
        turns.flows[turn] = (uint8_t)richest;
    }
    return turns;
}

void turns_free(struct turns *turns) {
    free(turns->flows);
}

uint64_t turns_share(const struct turns *turns, int flow, uint64_t frames) {
    uint64_t in_round = 0, in_rest = 0, rest = frames % turns->length;
    for (uint32_t turn = 0; turn < turns->length; turn++)
        if (turns->flows[turn] == flow) {
            in_round++;
            in_rest += turn < rest;
        }
    return frames / turns->length * in_round + in_rest;
}
