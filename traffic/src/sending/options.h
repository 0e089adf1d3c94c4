/* What the command line asked for. */
#pragma once

#include "frames/flow.h"
#include "sending/transmit.h"

#include <stdbool.h>
#include <stdio.h>

#define PPSTRAFFIC_VERSION "0.1.0"

struct port {
    char name[NAME_SIZE];      /* as the flows call it */
    char interface[NAME_SIZE]; /* as the kernel calls it */
};

/* A paced part of the load. */
struct step {
    double rate;     /* frames a second over all flows; 0: as fast as possible */
    double period;   /* ns from one frame to the next; 0: as fast as possible */
    double duration; /* seconds */
    uint64_t count;  /* frames; 0: no limit (as fast as possible only) */
};

struct options {
    unsigned size;
    struct step first, then; /* the second follows without a pause; no frames: there is none */
    uint64_t count;          /* frames of both; 0: no limit */
    unsigned learn, settle_ms, drain_ms, senders, burst, ring_mb;
    int tx_cpu, rx_cpu; /* -1: not pinned */
    enum transmit_method method;
    bool sleep; /* until a frame is due, where others spin */
    const char *frames_path;
    const char *kthreads_proc; /* where /proc shows the kernel's threads; NULL: not counted */
    struct port ports[MAX_PORTS];
    int port_count;
    struct flow flows[MAX_FLOWS];
    int flow_count;
    uint64_t first_sequence; /* `dump` only */
};

/* When frame `index` of the trial is due, ns since its epoch. Both rates must be numbers. */
static inline int64_t options_due(const struct options *o, uint64_t index) {
    if (index < o->first.count)
        return (int64_t)((double)index * o->first.period);
    return (int64_t)(o->first.duration * 1e9 + (double)(index - o->first.count) * o->then.period);
}

void options_help(FILE *out);

/* Reads the flags of `run` (`dump` when told) from argv[1..]. Ends the program on wrong usage. */
void options_parse(struct options *o, int argc, char **argv, bool dump);
