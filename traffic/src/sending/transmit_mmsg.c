#include "sending/transmit.h"

#include "frames/frame.h"
#include "machine/error.h"
#include "sending/port.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        fail(EXIT_TRIAL, "out of memory");
    return memory;
}

void mmsg_open(struct transmit *t, int ifindex, const char *interface) {
    int one = 1, buffer = 64 << 20;
    t->socket = port_socket();
    /* Without the bypass every frame takes the qdisc's lock and shows up in packet taps. */
    if (setsockopt(t->socket, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) < 0)
        fail(EXIT_CANNOT, "PACKET_QDISC_BYPASS: %s", strerror(errno));
    /* Frames waiting in the peer's ring are charged to us; the default holds only some hundred. */
    if (setsockopt(t->socket, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer) < 0)
        setsockopt(t->socket, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    port_bind(t->socket, ifindex, interface, 0);

    /* A template is written whole, even into a frame shorter than the longest template. */
    size_t slot = t->length > TEMPLATE_SIZE ? t->length : TEMPLATE_SIZE;
    t->stride = (slot + 63) / 64 * 64;
    t->slots = allocate(t->burst, t->stride);
    t->messages = allocate(t->burst, sizeof *t->messages);
    t->vectors = allocate(t->burst, sizeof *t->vectors);
    memset(t->slots, 0, t->burst * t->stride); /* calloc's pages are not there yet */
    for (unsigned i = 0; i < t->burst; i++) {
        t->vectors[i] = (struct iovec){.iov_base = t->slots + i * t->stride, .iov_len = t->length};
        t->messages[i].msg_hdr.msg_iov = &t->vectors[i];
        t->messages[i].msg_hdr.msg_iovlen = 1;
    }
}

void mmsg_close(struct transmit *t) {
    close(t->socket);
    free(t->slots);
    free(t->messages);
    free(t->vectors);
}

unsigned mmsg_send(struct transmit *t, unsigned count, struct transmit_end *end) {
    int sent = sendmmsg(t->socket, t->messages, count, MSG_DONTWAIT);
    /* After a part was sent the kernel keeps the error to itself; the next call will meet it. */
    end->error = sent < 0 ? errno : EAGAIN;
    /* net_xmit_errno(): the driver, or the queue at the link's other end, dropped it. */
    end->refused = sent < 0 && end->error == ENOBUFS;
    return sent < 0 ? 0 : (unsigned)sent;
}
