/* What the machine did to the trial, and where the threads run. */
#pragma once

#include <stdint.h>

/* Pins the calling thread to one CPU; -1 leaves it free. Ends the program when there is none. */
void system_pin(int cpu);

/* A thread of real-time priority gets the next higher one, and with it the CPU before the others
 * of this process; a thread of none keeps what it has. */
void system_precede(void);

/* Ends the program with a usage message when this process may not run on `cpu`. */
void system_check_cpu(const char *flag, int cpu);

#define STEAL_CPUS 1024

/* What the hypervisor has taken so far, by CPU, in ticks of USER_HZ: 10 ms (proc(5), /proc/stat).
 */
struct steal {
    unsigned long long ticks[STEAL_CPUS];
};

void system_steal(struct steal *seen);

/* Bytes that could be allocated without swapping. */
uint64_t system_memory_available(void);

/* How fast this machine touches fresh memory, as a share of a plain computer's speed, 0.05 to 1.
 * Under emulation it is some hundredths: there, large buffers cost more time than they save. */
double system_speed(void);
