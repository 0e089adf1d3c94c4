/* Frames: built from a template, patched with a signature, and read back.
 *
 * Signature, the first 18 bytes of the UDP or TCP payload, big endian:
 *   u16 0x5050 | u8 trial tag | u8 flow | u32 sequence | u48 intended ns | u32 lateness ns
 * Both times count from the trial's epoch; lateness = actual - intended, saturating.
 * The rest of the payload is zeros, so the checksum of a frame that was captured only in part
 * can still be verified as far as headers and signature go.
 * A VLAN tag is sent within the frame; of a frame that comes, the kernel has put it beside. */
#pragma once

#include "frames/flow.h"

#include <stddef.h>

enum {
    FCS_SIZE = 4,
    ETHERNET_HEADER = 14,
    VLAN_TAG = 4,
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    UDP_HEADER = 8,
    TCP_HEADER = 20,
    SIGNATURE_SIZE = 18,
    MIN_SIZE = 64, /* frame sizes include the FCS (RFC 2544 section 9) */
    MAX_SIZE = 9216,
    TEMPLATE_SIZE = ETHERNET_HEADER + VLAN_TAG + IPV6_HEADER + TCP_HEADER + SIGNATURE_SIZE,
    CAPTURE_SIZE = 128, /* what the receiver keeps of a frame */
};

#define SIGNATURE_MAGIC 0x5050
#define LEARNING_SEQUENCE 0x80000000u /* sequences from here on are learning frames */
#define MAX_INTENDED_NS ((UINT64_C(1) << 48) - 1)

struct signature {
    uint8_t tag, flow;
    uint32_t sequence;
    uint64_t intended_ns;
    uint32_t lateness_ns;
};

struct template {
    uint8_t bytes[TEMPLATE_SIZE]; /* headers, and zeros where the signature goes */
    unsigned length;              /* frame length without FCS */
    unsigned ip;                  /* offset of the IP header */
    unsigned transport;           /* offset of the ports */
    unsigned payload;             /* offset of the signature */
    uint32_t sum, ip_sum;         /* one's complement sums of the template, not yet folded */
    uint8_t protocol;
    bool ipv6, steps;
    uint32_t src, dst; /* last 32 bits of the addresses */
    uint16_t sport, dport;
    uint32_t sport_count, dport_count, src_count, dst_count;
    uint32_t sport_seed, dport_seed, src_seed, dst_seed;
    uint32_t hold;
};

/* The smallest frame, with FCS, that holds the flow's headers and a signature. */
unsigned frame_min_size(const struct flow *flow);

/* `size` is the frame size with FCS; at least frame_min_size(). */
void template_build(struct template *t, const struct flow *flow, unsigned size);

/* Writes headers and signature: TEMPLATE_SIZE bytes. What follows in `frame` must be zeros.
 * The sequence number also picks the variant of a stepping flow: the next one each `hold` frames,
 * while learning each frame. */
void template_write(const struct template *t, uint8_t *frame, const struct signature *s);

enum frame_verdict {
    FRAME_OURS,      /* whole and signed */
    FRAME_UNRELATED, /* no protocol of ours, or without our magic */
    FRAME_CORRUPT,   /* our magic, but a length or a checksum is wrong */
};

/* Reads `captured` bytes of a frame that was `length` bytes on the wire (without FCS).
 * `checksum_done` is false where the kernel left the UDP checksum to an offload. */
enum frame_verdict frame_parse(const uint8_t *frame, size_t captured, size_t length,
                               bool checksum_done, struct signature *s);
