#include "trial.h"

#include "learn.h"
#include "machine/clock.h"
#include "machine/error.h"
#include "machine/system.h"
#include "sending/port.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Threads need some time to start and to be moved to their CPUs. */
#define HEAD_START_NS (5 * NS_PER_MS)

/* More than any sender reaches: only a bound for sequence numbers and rings in max mode. */
#define MAX_RATE 2e7

static uint8_t random_tag(void) {
    uint8_t tag;
    if (getrandom(&tag, 1, 0) != 1)
        tag = (uint8_t)clock_now();
    return tag;
}

static void prepare(struct trial *t, const struct options *o, struct template *templates,
                    const atomic_bool *stop) {
    t->options = o;
    t->sending = (struct sending){.options = o,
                                  .templates = templates,
                                  .turns = turns_make(o->flows, o->flow_count),
                                  .tag = random_tag(),
                                  .stop = stop};
    struct sending *sending = &t->sending;
    uint64_t expected[MAX_PORTS] = {0};
    /* No more than what a veth pair can pass: the reader empties a ring that is too small. */
    double seconds = o->first.duration + o->then.duration;
    uint64_t passes = (uint64_t)(2e6 * system_speed() * seconds) + 1000;
    if (o->count && o->count < passes)
        passes = o->count;
    double most = o->count ? (double)o->count : MAX_RATE * seconds;
    for (int i = 0; i < o->port_count; i++)
        sending->port_index[i] = port_open(o->ports[i].interface, o->size);
    for (int i = 0; i < o->flow_count; i++) {
        template_build(&templates[i], &o->flows[i], o->size);
        sending->counts[i].intended = turns_share(&sending->turns, i, o->count);
        expected[o->flows[i].rx] += turns_share(&sending->turns, i, passes);
    }
    memset(&t->tally, 0, sizeof t->tally);
    t->tally.tag = sending->tag;
    t->tally.flows = o->flows;
    t->tally.flow_count = o->flow_count;
    t->tally.sequence_end = most < LEARNING_SEQUENCE ? (uint64_t)most + 1 : LEARNING_SEQUENCE;
    t->tally.record = o->frames_path ? record_open(o->frames_path, o) : NULL;
    receiver_open(&t->receiver, o, sending->port_index, expected, &t->tally);
    for (unsigned i = 0; i < o->senders; i++)
        sender_open(&t->senders[i], sending, (int)i, (int)o->senders);
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument) {
    int error = pthread_create(thread, NULL, function, argument);
    if (error)
        fail(EXIT_TRIAL, "cannot start a thread: %s", strerror(error));
}

static void send_and_receive(struct trial *t) {
    const struct options *o = t->options;
    struct sending *sending = &t->sending;
    static struct steal after;
    if (o->kthreads_proc)
        kthreads_read(&t->kthreads, o->kthreads_proc);
    atomic_store(&t->receiver.sending, true);
    int64_t watched = clock_now();
    system_steal(&t->steal);
    t->tally.clock_offset = clock_offset();
    sending->epoch = t->tally.epoch = clock_now() + HEAD_START_NS;
    start(&t->receiver.thread, receiver_run, &t->receiver);
    for (unsigned i = 0; i < o->senders; i++)
        start(&t->senders[i].thread, sender_run, &t->senders[i]);
    for (unsigned i = 0; i < o->senders; i++)
        pthread_join(t->senders[i].thread, NULL);
    system_steal(&after);
    t->steal_window_ns = clock_now() - watched;
    for (int i = 0; i < STEAL_CPUS; i++)
        t->steal.ticks[i] = after.ticks[i] - t->steal.ticks[i];
    t->aborted = atomic_load(sending->stop);
    atomic_store(&t->receiver.sending, false);
    /* Once interrupted, only what is already in the rings counts. */
    int64_t drain = t->aborted ? 0 : o->drain_ms * NS_PER_MS;
    clock_sleep_until(clock_now() + drain, sending->stop);
    if (o->kthreads_proc)
        t->kthreads_used = kthreads_rest(&t->kthreads, o->kthreads_proc, sending->stop);
    atomic_store(&t->receiver.finished, true);
    pthread_join(t->receiver.thread, NULL);
    t->clock_step_ns = clock_offset() - t->tally.clock_offset;
}

static void find_trouble(struct trial *t) {
    const struct options *o = t->options;
    if (t->aborted)
        strcpy(t->reason, "interrupted");
    for (int i = 0; i < o->port_count && !t->aborted; i++) {
        const char *trouble = port_trouble(o->ports[i].interface);
        if (!trouble)
            continue;
        t->aborted = true;
        snprintf(t->reason, sizeof t->reason, "%s: %s", o->ports[i].interface, trouble);
    }
    for (unsigned i = 0; i < o->senders && !t->aborted; i++) {
        if (!t->senders[i].dead_interface)
            continue;
        t->aborted = true;
        snprintf(t->reason, sizeof t->reason, "%s: went down during the trial",
                 t->senders[i].dead_interface);
    }
}

void trial_run(struct trial *t, const struct options *o, const atomic_bool *stop) {
    static struct template templates[MAX_FLOWS];
    int64_t started = clock_now();
    for (unsigned i = 0; i < o->senders && o->tx_cpu >= 0; i++)
        system_check_cpu("--tx-cpu", o->tx_cpu + (int)i);
    system_check_cpu("--rx-cpu", o->rx_cpu);
    close(port_socket()); /* without permission nothing else matters */

    prepare(t, o, templates, stop);
    learn(t);
    if (o->learn)
        clock_sleep_until(clock_now() + o->settle_ms * NS_PER_MS, stop);
    send_and_receive(t);
    find_trouble(t);
    receiver_close(&t->receiver);
    for (unsigned i = 0; i < o->senders; i++)
        sender_close(&t->senders[i]);
    for (int i = 0; i < o->flow_count && o->first.rate == 0; i++)
        t->sending.counts[i].intended = t->sending.counts[i].offered;
    if (t->tally.record)
        record_close(t->tally.record, t->tally.epoch, t->sending.counts);
    t->elapsed_seconds = (double)(clock_now() - started) / 1e9;
}

void trial_free(struct trial *t) {
    tally_free(&t->tally);
    turns_free(&t->sending.turns);
}
