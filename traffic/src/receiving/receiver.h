/* The receiver: a memory-mapped TPACKET_V3 ring on every test port, read by one thread.
 *
 * While frames are being sent the thread sleeps and leaves them in the rings unless one is half
 * full, so that on a small machine it does not compete with sender and router. */
#pragma once

#include "receiving/tally.h"

#include <pthread.h>
#include <stdatomic.h>

struct ring {
    int socket, port;
    uint8_t *map;
    size_t block_count, next;
    uint64_t captured, drops; /* by the kernel's count: put into the ring, did not fit */
    uint64_t frames;          /* read from the ring */
};

struct receiver {
    struct ring rings[MAX_PORTS];
    int ring_count;
    struct tally *tally;
    int cpu;
    atomic_bool sending;  /* leave the frames in the rings */
    atomic_bool finished; /* read what has arrived, then end */
    pthread_t thread;
    uint64_t kernel_drops;
};

/* Opens and starts the rings of all ports. `expected[port]` frames size them. */
void receiver_open(struct receiver *r, const struct options *o, const int *ifindex,
                   const uint64_t *expected, struct tally *tally);
void *receiver_run(void *argument);

/* Stops counting. The thread must have ended. */
void receiver_close(struct receiver *r);
