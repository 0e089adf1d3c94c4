#include "receiving/receiver.h"

#include "machine/clock.h"
#include "machine/error.h"
#include "machine/system.h"
#include "sending/port.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BLOCK_SIZE = 64 << 10,
    BLOCK_TIMEOUT_MS = 10, /* an unfinished block is handed over, however few frames are in it */
    SLEEP_MS = 20,
    /* Between two looks at a ring that is half full, and how much of it is read at one look: the
     * sender waits for it where both have one CPU, at most some tenths of a millisecond. */
    CROWDED_SLEEP_MS = 1,
    CROWDED_BLOCKS = 8,
    LAST_BLOCK_MS = 2000,
    /* At low rates every timeout takes a block. Eight lasted 80 ms: a reader that was kept
     * waiting for its CPU came too late. */
    SPARE_BLOCKS = 64,
    RING_LIMIT_MB = 256,
};

/* Our protocols over IPv4 or IPv6, first fragments included; keeps CAPTURE_SIZE bytes. */
static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 2),
    BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 23),
    BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, 5),
    BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROTOCOL_UDP, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROTOCOL_TCP, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, PROTOCOL_FIRST_TEST, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, CAPTURE_SIZE),
    BPF_STMT(BPF_RET | BPF_K, 0),
};

static void set(int fd, int level, int name, const void *value, socklen_t size, const char *what) {
    if (setsockopt(fd, level, name, value, size) < 0)
        fail(errno == ENOPROTOOPT || errno == EPERM ? EXIT_CANNOT : EXIT_TRIAL, "%s: %s", what,
             strerror(errno));
}

static void ring_open(struct ring *ring, int ifindex, const char *interface, size_t blocks) {
    int version = TPACKET_V3, one = 1;
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    struct tpacket_req3 request = {
        .tp_block_size = BLOCK_SIZE,
        .tp_frame_size = 1 << 11,
        .tp_retire_blk_tov = BLOCK_TIMEOUT_MS,
    };
    struct packet_mreq promiscuous = {.mr_ifindex = ifindex, .mr_type = PACKET_MR_PROMISC};
    ring->socket = port_socket();
    set(ring->socket, SOL_PACKET, PACKET_VERSION, &version, sizeof version, "PACKET_VERSION");
    set(ring->socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program, "SO_ATTACH_FILTER");
    set(ring->socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one,
        "PACKET_IGNORE_OUTGOING (needs Linux 4.20)");
    for (;; blocks /= 2) {
        request.tp_block_nr = (unsigned)blocks;
        request.tp_frame_nr = (unsigned)(blocks * (BLOCK_SIZE / request.tp_frame_size));
        if (setsockopt(ring->socket, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) == 0)
            break;
        if (errno != ENOMEM || blocks <= 2)
            fail(EXIT_TRIAL, "%s: receive ring: %s", interface, strerror(errno));
    }
    ring->block_count = blocks;
    ring->map =
        mmap(NULL, blocks * BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ring->socket, 0);
    if (ring->map == MAP_FAILED)
        fail(EXIT_TRIAL, "%s: receive ring: %s", interface, strerror(errno));
    /* The frames are addressed to test hosts that no kernel owns. */
    set(ring->socket, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous,
        "PACKET_MR_PROMISC");
    port_bind(ring->socket, ifindex, interface, ETH_P_ALL);
}

/* Bytes that one captured frame takes in a ring: af_packet.c, tpacket_rcv(). */
static size_t frame_space(unsigned size) {
    size_t captured = size < CAPTURE_SIZE ? size : CAPTURE_SIZE;
    return (TPACKET_ALIGN(TPACKET3_HDRLEN + 16) - ETHERNET_HEADER + captured + 7) & ~(size_t)7;
}

void receiver_open(struct receiver *r, const struct options *o, const int *ifindex,
                   const uint64_t *expected, struct tally *tally) {
    uint64_t limit = (uint64_t)RING_LIMIT_MB << 20, available = system_memory_available() / 4;
    if (limit > available)
        limit = available;
    if (o->ring_mb)
        limit = (uint64_t)o->ring_mb << 20;
    size_t blocks[MAX_PORTS], total = 0;
    for (int port = 0; port < o->port_count; port++) {
        double bytes = (double)expected[port] * (double)frame_space(o->size) * 1.25;
        blocks[port] =
            SPARE_BLOCKS + (size_t)(bytes < 1e12 ? bytes / BLOCK_SIZE : 1e12 / BLOCK_SIZE);
        total += blocks[port];
    }
    double scale = (double)limit / ((double)total * BLOCK_SIZE);
    if (scale > 1 && !o->ring_mb)
        scale = 1;
    *r = (struct receiver){.tally = tally, .cpu = o->rx_cpu, .ring_count = o->port_count};
    for (int port = 0; port < o->port_count; port++) {
        size_t share = (size_t)((double)blocks[port] * scale);
        r->rings[port].port = port;
        ring_open(&r->rings[port], ifindex[port], o->ports[port].interface, share > 2 ? share : 2);
    }
}

static struct tpacket_block_desc *block_at(const struct ring *ring, size_t index) {
    return (void *)(ring->map + index % ring->block_count * BLOCK_SIZE);
}

static bool block_ready(const struct ring *ring, size_t index) {
    uint32_t *status = &block_at(ring, index)->hdr.bh1.block_status;
    return __atomic_load_n(status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;
}

static void read_block(struct tally *tally, struct ring *ring,
                       const struct tpacket_block_desc *block) {
    const uint8_t *at = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
    ring->frames += block->hdr.bh1.num_pkts;
    for (uint32_t left = block->hdr.bh1.num_pkts; left > 0; left--) {
        const struct tpacket3_hdr *packet = (const void *)at;
        tally_frame(tally, ring->port, at + packet->tp_mac, packet->tp_snaplen, packet->tp_len,
                    !(packet->tp_status & TP_STATUS_CSUMNOTREADY),
                    (int64_t)packet->tp_sec * NS_PER_SECOND + packet->tp_nsec);
        at += packet->tp_next_offset;
    }
}

static void ring_drain(struct tally *tally, struct ring *ring, size_t most) {
    for (size_t i = 0; i < most && block_ready(ring, ring->next); i++) {
        struct tpacket_block_desc *block = block_at(ring, ring->next);
        read_block(tally, ring, block);
        __atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        ring->next = (ring->next + 1) % ring->block_count;
    }
}

/* Reading the statistics clears them. */
static void read_statistics(struct ring *ring) {
    struct tpacket_stats_v3 stats = {0};
    socklen_t size = sizeof stats;
    if (getsockopt(ring->socket, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0)
        fail(EXIT_TRIAL, "PACKET_STATISTICS: %s", strerror(errno));
    ring->captured += stats.tp_packets - stats.tp_drops;
    ring->drops += stats.tp_drops;
}

/* The kernel hands over an unfinished block after BLOCK_TIMEOUT_MS, but its timer runs late on a
 * busy machine: frames once counted as lost because the last block had not come yet. */
static bool all_read(struct receiver *r) {
    bool all = true;
    for (int i = 0; i < r->ring_count; i++) {
        read_statistics(&r->rings[i]);
        all = all && r->rings[i].frames >= r->rings[i].captured;
    }
    return all;
}

void *receiver_run(void *argument) {
    struct receiver *r = argument;
    int64_t give_up = INT64_MAX;
    /* Of the sender's real-time priority, it never got the CPU that a sender spins on: every trial
     * that was longer than the rings lost the rest. Before it is moved there, or it waits too. */
    system_precede();
    system_pin(r->cpu);
    for (;;) {
        bool finished = atomic_load(&r->finished), sending = atomic_load(&r->sending);
        bool crowded = false;
        for (int i = 0; i < r->ring_count; i++) {
            struct ring *ring = &r->rings[i];
            if (!sending) {
                /* At most one round: a flood must not keep us from the other rings, or the end. */
                ring_drain(r->tally, ring, ring->block_count);
            } else if (block_ready(ring, ring->next + ring->block_count / 2)) {
                ring_drain(r->tally, ring, CROWDED_BLOCKS);
                crowded = true;
            }
        }
        if (finished && give_up == INT64_MAX)
            give_up = clock_now() + LAST_BLOCK_MS * NS_PER_MS;
        if (finished && (all_read(r) || clock_now() > give_up))
            return NULL;
        long pause_ms = !sending ? 1 : crowded ? CROWDED_SLEEP_MS : SLEEP_MS;
        struct timespec pause = {.tv_nsec = pause_ms * NS_PER_MS};
        nanosleep(&pause, NULL);
    }
}

void receiver_close(struct receiver *r) {
    for (int i = 0; i < r->ring_count; i++) {
        struct ring *ring = &r->rings[i];
        r->kernel_drops += ring->drops;
        if (ring->captured > ring->frames)
            r->kernel_drops += ring->captured - ring->frames;
        munmap(ring->map, ring->block_count * BLOCK_SIZE);
        close(ring->socket);
    }
}
