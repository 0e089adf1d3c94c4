#include "sender.h"

#include "clock.h"
#include "error.h"
#include "port.h"
#include "system.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sender_socket(int ifindex, const char *interface) {
    int one = 1, buffer = 64 << 20;
    int fd = port_socket();
    /* Without the bypass every frame takes the qdisc's lock and shows up in packet taps. */
    if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) < 0)
        fail(EXIT_CANNOT, "PACKET_QDISC_BYPASS: %s", strerror(errno));
    /* Frames waiting in the peer's ring are charged to us; the default holds only some hundred. */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer) < 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    port_bind(fd, ifindex, interface, 0);
    return fd;
}

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
    lane->socket = sender_socket(shared->port_index[port], lane->interface);
    /* A template is written whole, even into a frame shorter than the longest template. */
    size_t slot = o->size > TEMPLATE_SIZE ? o->size : TEMPLATE_SIZE;
    lane->stride = (slot + 63) / 64 * 64;
    lane->slots = allocate(o->burst, lane->stride);
    lane->messages = allocate(o->burst, sizeof *lane->messages);
    lane->vectors = allocate(o->burst, sizeof *lane->vectors);
    lane->flow_of = allocate(o->burst, 1);
    for (unsigned i = 0; i < o->burst; i++) {
        uint8_t *frame = lane->slots + i * lane->stride;
        memset(frame, 0, lane->stride); /* calloc's pages are not there yet */
        lane->vectors[i] = (struct iovec){.iov_base = frame, .iov_len = o->size - FCS_SIZE};
        lane->messages[i].msg_hdr.msg_iov = &lane->vectors[i];
        lane->messages[i].msg_hdr.msg_iovlen = 1;
    }
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
        close(lane->socket);
        free(lane->positions);
        free(lane->slots);
        free(lane->messages);
        free(lane->vectors);
        free(lane->flow_of);
    }
}

struct batch {
    unsigned frames;
    bool done; /* the lane has nothing left to send, now or later */
    int64_t oldest;
};

/* Writes the frames that are due at `now` into the lane's slots, without moving the lane on. */
static struct batch lane_prepare(struct lane *lane, struct sending *shared, int64_t now) {
    const struct options *o = shared->options;
    struct batch batch = {.oldest = now};
    uint64_t limit = o->count ? o->count : UINT64_MAX;
    double period = o->rate > 0 ? 1e9 / o->rate : 0;
    uint64_t base = lane->round * shared->turns.length;
    uint32_t offset = lane->offset;
    for (; batch.frames < o->burst; batch.frames++) {
        uint64_t index = base + lane->positions[offset];
        if (index >= limit) {
            batch.done = batch.frames == 0;
            break;
        }
        int64_t intended = now;
        if (period > 0) {
            intended = shared->epoch + (int64_t)((double)index * period);
            if (intended > now)
                break;
            if (batch.frames == 0)
                batch.oldest = intended;
        }
        uint8_t flow = shared->turns.flows[lane->positions[offset]];
        struct flow_count *count = &shared->counts[flow];
        int64_t lateness = now - intended;
        struct signature signature = {
            .tag = shared->tag,
            .flow = flow,
            .sequence = (uint32_t)count->offered++,
            .intended_ns = (uint64_t)(intended - shared->epoch),
            .lateness_ns = lateness > UINT32_MAX ? UINT32_MAX : (uint32_t)lateness,
        };
        const struct template *t = &shared->templates[flow];
        template_write(t, lane->slots + batch.frames * lane->stride, &signature);
        lane->flow_of[batch.frames] = flow;
        if (++offset == lane->turns) {
            offset = 0;
            base += shared->turns.length;
        }
    }
    return batch;
}

static void lane_advance(struct lane *lane, struct sending *shared, unsigned prepared,
                         unsigned sent) {
    for (unsigned i = sent; i < prepared; i++)
        shared->counts[lane->flow_of[i]].offered--;
    lane->offset += sent;
    while (lane->offset >= lane->turns) {
        lane->offset -= lane->turns;
        lane->round++;
    }
}

/* One call for one lane. Returns the time after it. */
static int64_t lane_send(struct sender *s, struct lane *lane, struct batch batch, int64_t now) {
    int sent = sendmmsg(lane->socket, lane->messages, batch.frames, MSG_DONTWAIT);
    int error = sent < 0 ? errno : 0;
    int64_t after = clock_now();
    unsigned count = sent < 0 ? 0 : (unsigned)sent;
    lane_advance(lane, s->shared, batch.frames, count);
    if (count < batch.frames)
        s->errors++;
    if (error == ENETDOWN || error == ENXIO || error == ENODEV)
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
    int64_t end = shared->epoch + (int64_t)(o->duration * 1e9);
    int64_t deadline = o->rate > 0 ? end + GRACE_NS : end;
    unsigned failures = 0;
    system_pin(s->cpu);
    int64_t cpu_before = clock_read(CLOCK_THREAD_CPUTIME_ID);
    int64_t now = clock_now();
    while (now < shared->epoch && !*shared->stop) {
        clock_relax();
        now = clock_now();
    }
    for (int open = s->lane_count;
         open > 0 && now < deadline && !*shared->stop && !s->dead_interface;) {
        bool idle = true;
        open = 0;
        for (int i = 0; i < s->lane_count; i++) {
            struct batch batch = lane_prepare(&s->lanes[i], shared, now);
            open += !batch.done;
            if (batch.frames == 0)
                continue;
            uint64_t before = s->offered;
            now = lane_send(s, &s->lanes[i], batch, now);
            idle = false;
            failures = s->offered > before ? 0 : failures + 1;
        }
        if (idle) {
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

void sender_learn(const struct sending *shared, int flow, const struct template *t, int socket,
                  unsigned count) {
    uint8_t frame[MAX_SIZE + TEMPLATE_SIZE] = {0};
    int64_t give_up = clock_now() + 100 * NS_PER_MS;
    for (unsigned i = 0; i < count && !*shared->stop; i++) {
        struct signature signature = {
            .tag = shared->tag, .flow = (uint8_t)flow, .sequence = LEARNING_SEQUENCE + i};
        template_write(t, frame, &signature);
        while (send(socket, frame, t->length, MSG_DONTWAIT) < 0 && clock_now() < give_up)
            sched_yield();
    }
}
