/* What the kernel's own threads use of the CPUs: part of a router's work runs in them. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { KTHREADS_MOST = 4096 };

/* CPU time that each thread has had so far. */
struct kthreads {
    unsigned count;
    struct {
        int pid;
        uint64_t ns;
    } each[KTHREADS_MOST];
};

/* Reads them in `proc`, the /proc of the machine's first PID namespace: no other shows them.
 * Ends the program where it does not show any. */
void kthreads_read(struct kthreads *seen, const char *proc);

/* CPU time in ns, without that of threads that did nothing but the kernel's housekeeping. */
struct kthreads_used {
    uint64_t all;
    uint64_t chores; /* of those among them whose last work was housekeeping */
};

/* What they have used since `before`. */
struct kthreads_used kthreads_since(const struct kthreads *before, const char *proc);

/* The same, once they rest; waits a second at most. */
struct kthreads_used kthreads_rest(const struct kthreads *before, const char *proc,
                                   const atomic_bool *stop);
