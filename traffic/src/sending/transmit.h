/* How frames get into the kernel: one transmitter for each test port and sending thread.
 *
 * XDP: an AF_XDP socket in copy mode. No XDP program, no driver support needed; the kernel copies
 *   each frame from our memory into a packet buffer and hands it to the driver.
 * MMSG: an AF_PACKET socket, sendmmsg(2), past the qdisc.
 * Both end in the kernel's __dev_direct_xmit() with the same kind of packet buffer (net/xdp/xsk.c,
 * net/packet/af_packet.c); XDP is spared the message headers and takes a third less time a frame.
 * PACKET_TX_RING was slower than either: its buffers point at ring pages, frame by frame. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum transmit_method { TRANSMIT_AUTO, TRANSMIT_XDP, TRANSMIT_MMSG };

struct transmit {
    enum transmit_method method;
    int socket;
    unsigned burst; /* most frames a call */
    unsigned length;
    size_t stride;
    uint8_t *slots;
    /* MMSG */
    struct mmsghdr *messages;
    struct iovec *vectors;
    /* XDP: rings shared with the kernel */
    uint8_t *tx_map, *completion_map;
    size_t tx_size, completion_size;
    uint32_t *tx_producer, *tx_consumer, *completion_producer, *completion_consumer;
    uint32_t seen;   /* the kernel's consumer index as of the last call */
    uint32_t hidden; /* frames consumed and dropped that this index does not show yet */
};

/* Opens a transmitter for frames of `length` bytes (without FCS). AUTO takes XDP where it can be
 * had and the frames fit a page. Ends the program when the method asked for cannot be had. */
void transmit_open(struct transmit *t, enum transmit_method method, int ifindex,
                   const char *interface, unsigned length, unsigned burst);
void transmit_close(struct transmit *t);

/* Where to write the `index`-th frame of the next call; zeros behind what was written before. */
uint8_t *transmit_slot(const struct transmit *t, unsigned index);

/* How a call ended that did not send all of its frames. */
struct transmit_end {
    int error;
    unsigned refused; /* 1: the first frame not sent was taken and dropped, else it is still here */
};

/* Sends the first `count` frames, in order. Returns how many were sent; when fewer, *end says why,
 * and the next call must begin with the first one that was not. */
unsigned transmit_send(struct transmit *t, unsigned count, struct transmit_end *end);

const char *transmit_name(enum transmit_method method);

/* The two methods. xdp_open() returns NULL, or what is missing here. */
void mmsg_open(struct transmit *t, int ifindex, const char *interface);
void mmsg_close(struct transmit *t);
unsigned mmsg_send(struct transmit *t, unsigned count, struct transmit_end *end);
const char *xdp_open(struct transmit *t, int ifindex);
void xdp_close(struct transmit *t);
unsigned xdp_send(struct transmit *t, unsigned count, struct transmit_end *end);
uint8_t *xdp_slot(const struct transmit *t, unsigned index);
