#include "sending/sender.h"

#include "machine/clock.h"
#include "machine/error.h"
#include "machine/system.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        fail(EXIT_TRIAL, "out of memory");
    return memory;
}

static void lane_open(struct lane *lane, const struct sending *shared, int port, int index,
                      int total) {
    const struct options *o = shared->options;
    const struct turns *turns = &shared->turns;
    *lane = (struct lane){.interface = o->ports[port].interface};
    lane->positions = allocate(turns->length, sizeof *lane->positions);
    for (uint32_t turn = 0; turn < turns->length; turn++) {
        int flow = turns->flows[turn];
        if (o->flows[flow].tx == port && flow % total == index)
            lane->positions[lane->turns++] = turn;
    }
    if (lane->turns == 0) {
        free(lane->positions);
        return;
    }
    lane->flow_of = allocate(o->burst, 1);
    transmit_open(&lane->transmit, o->method, shared->port_index[port], lane->interface,
                  o->size - FCS_SIZE, o->burst);
}

void sender_open(struct sender *s, struct sending *shared, int index, int total) {
    const struct options *o = shared->options;
    *s = (struct sender){.shared = shared, .cpu = o->tx_cpu < 0 ? -1 : o->tx_cpu + index};
    for (int port = 0; port < o->port_count; port++) {
        lane_open(&s->lanes[s->lane_count], shared, port, index, total);
        s->lane_count += s->lanes[s->lane_count].turns > 0;
    }
}

void sender_close(struct sender *s) {
    for (int i = 0; i < s->lane_count; i++) {
        struct lane *lane = &s->lanes[i];
        transmit_close(&lane->transmit);
        free(lane->positions);
        free(lane->flow_of);
    }
}

struct batch {
    unsigned frames;
    bool done; /* the lane has nothing left to send, now or later */
    int64_t oldest;
    int64_t next; /* when the frame behind them is due; INT64_MAX: nobody knows */
};

/* Writes the frames that are due at `now` into the lane's slots, without moving the lane on. */
static struct batch lane_prepare(struct lane *lane, struct sending *shared, int64_t now) {
    const struct options *o = shared->options;
    struct batch batch = {.oldest = now, .next = INT64_MAX};
    uint64_t limit = o->count ? o->count : UINT64_MAX;
    uint64_t base = lane->round * shared->turns.length;
    uint32_t offset = lane->offset;
    for (; batch.frames < lane->transmit.burst; batch.frames++) {
        uint64_t index = base + lane->positions[offset];
        if (index >= limit) {
            batch.done = batch.frames == 0;
            break;
        }
        int64_t intended = now;
        if (o->first.rate > 0) {
            intended = shared->epoch + options_due(o, index);
            if (intended > now) {
                batch.next = intended;
                break;
            }
            if (batch.frames == 0)
                batch.oldest = intended;
        }
        uint8_t flow = shared->turns.flows[lane->positions[offset]];
        struct flow_count *count = &shared->counts[flow];
        int64_t lateness = now - intended;
        struct signature signature = {
            .tag = shared->tag,
            .flow = flow,
            .sequence = (uint32_t)count->taken++,
            .intended_ns = (uint64_t)(intended - shared->epoch),
            .lateness_ns = lateness > UINT32_MAX ? UINT32_MAX : (uint32_t)lateness,
        };
        count->offered++;
        const struct template *t = &shared->templates[flow];
        template_write(t, transmit_slot(&lane->transmit, batch.frames), &signature);
        lane->flow_of[batch.frames] = flow;
        if (++offset == lane->turns) {
            offset = 0;
            base += shared->turns.length;
        }
    }
    return batch;
}

/* Moves on behind the frames that were sent and those that are given up. */
static void lane_advance(struct lane *lane, struct sending *shared, unsigned prepared,
                         unsigned sent, unsigned given_up) {
    for (unsigned i = sent; i < prepared; i++) {
        shared->counts[lane->flow_of[i]].offered--;
        if (i >= sent + given_up)
            shared->counts[lane->flow_of[i]].taken--;
    }
    lane->offset += sent + given_up;
    while (lane->offset >= lane->turns) {
        lane->offset -= lane->turns;
        lane->round++;
    }
}

/* One call for one lane. Returns the time after it. */
static int64_t lane_send(struct sender *s, struct lane *lane, struct batch batch, int64_t now) {
    struct transmit_end end = {0};
    unsigned count = transmit_send(&lane->transmit, batch.frames, &end);
    int64_t after = clock_now();
    unsigned given_up =
        count < batch.frames && s->shared->options->first.rate > 0 ? end.refused : 0;
    s->refused += given_up;
    lane_advance(lane, s->shared, batch.frames, count, given_up);
    if (count < batch.frames)
        s->errors++;
    if (count == 0 && (end.error == ENETDOWN || end.error == ENXIO || end.error == ENODEV))
        s->dead_interface = lane->interface;
    if (count == 0)
        return after;
    if (s->offered == 0)
        s->first_send = now;
    s->offered += count;
    s->last_send = after;
    if (now - batch.oldest > s->max_lateness)
        s->max_lateness = now - batch.oldest;
    if (after - now > s->max_stamp_error)
        s->max_stamp_error = after - now;
    s->stamp_error_sum += (double)(after - now) * count;
    return after;
}

void *sender_run(void *argument) {
    struct sender *s = argument;
    struct sending *shared = s->shared;
    const struct options *o = shared->options;
    int64_t end = shared->epoch + (int64_t)((o->first.duration + o->then.duration) * 1e9);
    int64_t grace = o->sleep ? PATIENCE_NS : GRACE_NS;
    int64_t deadline = o->first.rate > 0 ? end + grace : end;
    unsigned failures = 0;
    system_pin(s->cpu);
    int64_t now = clock_now();
    while (now < shared->epoch && !atomic_load(shared->stop)) {
        clock_relax();
        now = clock_now();
    }
    int64_t cpu_before = clock_read(CLOCK_THREAD_CPUTIME_ID);
    for (int open = s->lane_count;
         open > 0 && now < deadline && !atomic_load(shared->stop) && !s->dead_interface;) {
        bool idle = true;
        int64_t next = deadline;
        open = 0;
        for (int i = 0; i < s->lane_count; i++) {
            struct batch batch = lane_prepare(&s->lanes[i], shared, now);
            open += !batch.done;
            if (batch.next < next)
                next = batch.next;
            if (batch.frames == 0)
                continue;
            uint64_t before = s->offered;
            now = lane_send(s, &s->lanes[i], batch, now);
            idle = false;
            failures = s->offered > before ? 0 : failures + 1;
        }
        if (idle) {
            if (o->sleep && open > 0)
                clock_sleep_until(next, shared->stop);
            else
                clock_relax();
            now = clock_now();
        } else if (failures > 64) {
            /* The ring stays full: whoever empties it may be waiting for this CPU. */
            sched_yield();
            now = clock_now();
        }
    }
    s->cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
    return NULL;
}

void sender_learn(const struct sending *shared, int flow, const struct template *template,
                  struct transmit *transmit, unsigned count) {
    int64_t give_up = clock_now() + 100 * NS_PER_MS;
    for (unsigned i = 0; i < count && !atomic_load(shared->stop); i++) {
        struct signature signature = {
            .tag = shared->tag, .flow = (uint8_t)flow, .sequence = LEARNING_SEQUENCE + i};
        struct transmit_end end;
        do
            template_write(template, transmit_slot(transmit, 0), &signature);
        while (transmit_send(transmit, 1, &end) == 0 && clock_now() < give_up &&
               sched_yield() == 0);
    }
}
