/* The frames file: every received frame, one fixed-size record each. Little endian.
 *
 *   offset  size
 *        0     8  "PPSFRAME"
 *        8     4  version, 2
 *       12     4  header size: the first record's offset
 *       16     4  record size, 32
 *       20     2  number of ports
 *       22     2  number of flows
 *       24     8  number of records
 *       32     4  frame size as sent, with FCS
 *       36     4  zero
 *       40     8  the trial's epoch, CLOCK_MONOTONIC ns
 *       48     8  rate of the load's first step, frames a second over all flows (IEEE 754 double);
 *                 0: as fast as possible, then there is no schedule
 *       56     8  frames of the first step
 *       64     8  rate of the second step, 0: there is none
 *       72     8  frames of the second step
 *       80    32  name of each port, padded with zeros
 *             56  of each flow: name (32), frames intended (8), frames offered (8), weight (4),
 *                 the ports that it is sent from and received at (1 each), zeros (2)
 *   then the records: struct record_frame. */
#pragma once

#include "sending/options.h"

enum { RECORD_VERSION = 2 };

enum record_flags {
    RECORD_DUPLICATE = 1,
    RECORD_REORDERED = 2,
    RECORD_MISDELIVERED = 4,
    RECORD_FOREIGN = 8,
    RECORD_CORRUPT = 16,
    RECORD_LEARNING = 32,
};

struct record_frame {
    int64_t received_ns;  /* since the epoch, CLOCK_MONOTONIC */
    uint64_t intended_ns; /* since the epoch */
    uint32_t lateness_ns; /* actual - intended send time */
    uint32_t sequence;
    uint32_t length; /* with FCS */
    uint16_t flags;  /* 0: a distinct frame in its place */
    uint8_t flow, port;
};

struct record;
struct flow_count;

/* Starts FILE.partial; ends the program when it cannot be written. */
struct record *record_open(const char *path, const struct options *options);
void record_add(struct record *r, const struct record_frame *frame);
/* Completes the header, syncs, and renames to the final name. */
void record_close(struct record *r, int64_t epoch, const struct flow_count *counts);

/* Prints a frames file as CSV. Ends the program with `path: message` when it is no such file. */
void record_replay(const char *path, FILE *out);
