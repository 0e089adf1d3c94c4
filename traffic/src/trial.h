/* One trial, in the phases of RFC 2544 section 23: learn, settle, run, drain. */
#pragma once

#include "machine/kthreads.h"
#include "machine/system.h"
#include "receiving/receiver.h"
#include "sending/sender.h"

struct trial {
    const struct options *options;
    struct sending sending;
    struct sender senders[64];
    struct receiver receiver;
    struct tally tally;
    bool aborted;
    char reason[128]; /* why, when aborted */
    int64_t clock_step_ns;
    double elapsed_seconds;
    struct steal steal; /* while it sent */
    int64_t steal_window_ns;
    struct kthreads kthreads;           /* before it sent */
    struct kthreads_used kthreads_used; /* from then on until they rested */
};

/* Runs the trial until its end or until `*stop` becomes true. */
void trial_run(struct trial *t, const struct options *o, const atomic_bool *stop);
void trial_free(struct trial *t);
