/* AF_XDP in copy mode, for sending only: Documentation/networking/af_xdp.rst, net/xdp/xsk.c.
 *
 * Every position of the transmit ring owns one chunk of memory and a descriptor that never
 * changes. The kernel reads descriptors and frames only inside sendto(), so a frame that it would
 * not take can be written anew, with a new time, in its place. */
#include "sending/transmit.h"

#include "frames/frame.h"
#include "machine/clock.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TX_ENTRIES = 64,
    CHUNK = 4096,
    KERNEL_BATCH = 32, /* xsk.c, TX_BATCH_SIZE: what one sendto() takes */
    /* One entry is taken for every frame on its way, until the router drops or orphans it. */
    COMPLETION_ENTRIES = 1 << 16,
    BUSY_MS = 1000, /* the kernel frees a closed socket's queue some time after the close */
};

static int set_ring(int fd, int name, int entries) {
    return setsockopt(fd, SOL_XDP, name, &entries, sizeof entries);
}

static int map_rings(struct transmit *t) {
    struct xdp_mmap_offsets at;
    socklen_t size = sizeof at;
    if (getsockopt(t->socket, SOL_XDP, XDP_MMAP_OFFSETS, &at, &size) < 0 || size != sizeof at)
        return -1;
    t->tx_size = at.tx.desc + TX_ENTRIES * sizeof(struct xdp_desc);
    t->completion_size = at.cr.desc + COMPLETION_ENTRIES * sizeof(uint64_t);
    t->tx_map = mmap(NULL, t->tx_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, t->socket,
                     XDP_PGOFF_TX_RING);
    t->completion_map = mmap(NULL, t->completion_size, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_POPULATE, t->socket, XDP_UMEM_PGOFF_COMPLETION_RING);
    if (t->tx_map == MAP_FAILED || t->completion_map == MAP_FAILED)
        return -1;
    t->tx_producer = (void *)(t->tx_map + at.tx.producer);
    t->tx_consumer = (void *)(t->tx_map + at.tx.consumer);
    t->completion_producer = (void *)(t->completion_map + at.cr.producer);
    t->completion_consumer = (void *)(t->completion_map + at.cr.consumer);
    struct xdp_desc *descriptors = (void *)(t->tx_map + at.tx.desc);
    for (unsigned i = 0; i < TX_ENTRIES; i++)
        descriptors[i] = (struct xdp_desc){.addr = (uint64_t)i * CHUNK, .len = t->length};
    return 0;
}

static int bind_queue(int fd, int ifindex) {
    struct sockaddr_xdp address = {
        .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY, .sxdp_ifindex = (uint32_t)ifindex};
    int64_t give_up = clock_now() + BUSY_MS * NS_PER_MS;
    while (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno != EBUSY || clock_now() > give_up)
            return -1;
        usleep(1000);
    }
    return 0;
}

const char *xdp_open(struct transmit *t, int ifindex) {
    if (t->length > CHUNK)
        return "frames do not fit into a page";
    t->socket = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (t->socket < 0)
        return strerror(errno);
    if (t->burst > KERNEL_BATCH)
        t->burst = KERNEL_BATCH;
    t->stride = CHUNK;
    t->slots = mmap(NULL, (size_t)TX_ENTRIES * CHUNK, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    struct xdp_umem_reg memory = {
        .addr = (uintptr_t)t->slots, .len = (uint64_t)TX_ENTRIES * CHUNK, .chunk_size = CHUNK};
    int buffer = 64 << 20;
    if (setsockopt(t->socket, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer) < 0)
        setsockopt(t->socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    if (t->slots == MAP_FAILED ||
        setsockopt(t->socket, SOL_XDP, XDP_UMEM_REG, &memory, sizeof memory) < 0 ||
        set_ring(t->socket, XDP_UMEM_FILL_RING, TX_ENTRIES) < 0 ||
        set_ring(t->socket, XDP_UMEM_COMPLETION_RING, COMPLETION_ENTRIES) < 0 ||
        set_ring(t->socket, XDP_TX_RING, TX_ENTRIES) < 0 || map_rings(t) < 0 ||
        bind_queue(t->socket, ifindex) < 0) {
        const char *missing = strerror(errno);
        xdp_close(t);
        return missing;
    }
    return NULL;
}

void xdp_close(struct transmit *t) {
    close(t->socket);
    if (t->tx_map && t->tx_map != MAP_FAILED)
        munmap(t->tx_map, t->tx_size);
    if (t->completion_map && t->completion_map != MAP_FAILED)
        munmap(t->completion_map, t->completion_size);
    if (t->slots != MAP_FAILED)
        munmap(t->slots, (size_t)TX_ENTRIES * CHUNK);
}

uint8_t *xdp_slot(const struct transmit *t, unsigned index) {
    return t->slots + (size_t)((t->seen + t->hidden + index) % TX_ENTRIES) * CHUNK;
}

unsigned xdp_send(struct transmit *t, unsigned count, struct transmit_end *end) {
    /* Addresses that come back need no book-keeping: memory is copied from only inside the call. */
    uint32_t completed = __atomic_load_n(t->completion_producer, __ATOMIC_ACQUIRE);
    __atomic_store_n(t->completion_consumer, completed, __ATOMIC_RELEASE);
    __atomic_store_n(t->tx_producer, t->seen + t->hidden + count, __ATOMIC_RELEASE);
    int result = sendto(t->socket, NULL, 0, MSG_DONTWAIT, NULL, 0);
    end->error = result < 0 ? errno : EAGAIN;
    /* EBUSY: the driver dropped the last frame that was taken (no carrier, a full queue at the
     * other end); it was not sent. The index is written back only by a call that sent something. */
    unsigned dropped = result < 0 && end->error == EBUSY;
    end->refused = dropped;
    uint32_t consumer = __atomic_load_n(t->tx_consumer, __ATOMIC_ACQUIRE);
    uint32_t moved = consumer - t->seen;
    if (moved == 0) {
        t->hidden += dropped;
        return 0;
    }
    unsigned sent = moved - t->hidden - dropped;
    t->seen = consumer;
    t->hidden = 0;
    return sent;
}
