/* Which flow sends frame i of the trial: round robin by weight, spread evenly over the round. */
#pragma once

#include "frames/flow.h"

struct turns {
    uint8_t *flows; /* flow of each turn of a round */
    uint32_t length;
};

/* Weights 2 and 1 make the round a b a. Ends the program when out of memory. */
struct turns turns_make(const struct flow *flows, int count);
void turns_free(struct turns *turns);

/* How many of the trial's first `frames` frames belong to `flow`. */
uint64_t turns_share(const struct turns *turns, int flow, uint64_t frames);
