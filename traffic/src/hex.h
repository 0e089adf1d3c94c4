/* Frames as lines of hex: what `dump` writes and `parse` reads. */
#pragma once

#include "sending/options.h"

/* Prints the first frames of the flows, in their turns; intended at i/rate when a rate is set. */
void hex_dump(const struct options *o, FILE *out);

/* For each line of hex, one frame without FCS, says what the receiver would read in it. */
void hex_parse(FILE *in, FILE *out);
