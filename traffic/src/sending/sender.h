/* The sender: open-loop pacing over one lane for each test port.
 *
 * Frame i of the trial is intended at epoch + options_due(i). A lane sends whatever is due, at most
 * `burst` frames a system call; when late it catches up. A frame that the link took and dropped
 * is lost and is not sent again: a wire does not ask twice, and who asks twice turns a router's
 * full queue into a slow tester. Its sequence number is gone with it: a number is a place in the
 * schedule, and the receiver can tell when what was lost was due. At the highest rate there is no
 * schedule to keep; it is repeated. The clock is read once a call, just before it: a frame leaves
 * at most the call's duration after its stamp. */
#pragma once

#include "frames/frame.h"
#include "frames/turns.h"
#include "sending/options.h"
#include "sending/transmit.h"

#include <pthread.h>
#include <stdatomic.h>

#define GRACE_NS 10000000 /* frames not sent this long after the trial's end count as unsent */
#define PATIENCE_NS NS_PER_SECOND /* of a sender that sleeps: it asks which arrive, not when */

struct lane {
    struct transmit transmit;
    const char *interface;
    uint32_t *positions; /* this lane's turns in a round */
    uint32_t turns;
    uint32_t offset;  /* next turn */
    uint64_t round;   /* rounds completed */
    uint8_t *flow_of; /* flow of each prepared frame */
};

struct flow_count {
    uint64_t intended, offered;
    uint64_t taken; /* turns that were sent or given up: the next frame's sequence number */
};

/* What the senders share; read-only for them but for the counts of their own flows. */
struct sending {
    const struct options *options;
    const struct template *templates;
    struct turns turns;
    int port_index[MAX_PORTS]; /* the kernel's interface indexes */
    struct flow_count counts[MAX_FLOWS];
    uint8_t tag;
    int64_t epoch;
    const atomic_bool *stop;
};

struct sender {
    struct sending *shared;
    int cpu;
    pthread_t thread;
    struct lane lanes[MAX_PORTS];
    int lane_count;
    /* results */
    uint64_t offered, errors, refused;
    int64_t first_send, last_send; /* start of the first call, end of the last that sent */
    int64_t cpu_ns, max_lateness;
    int64_t max_stamp_error;    /* longest call: the bound on actual minus stamped time */
    double stamp_error_sum;     /* the same, summed over frames */
    const char *dead_interface; /* a port that stopped working, or NULL */
};

/* Prepares lanes for the flows that thread `index` of `total` sends. */
void sender_open(struct sender *s, struct sending *shared, int index, int total);
void sender_close(struct sender *s);

/* Sends the trial; to be called in its own thread. `argument` is the struct sender. */
void *sender_run(void *argument);

/* Sends `count` learning frames of `flow`, retrying for at most 100 ms. */
void sender_learn(const struct sending *shared, int flow, const struct template *template,
                  struct transmit *transmit, unsigned count);
