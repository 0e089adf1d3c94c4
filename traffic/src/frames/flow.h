/* A flow: who sends what to whom, as `--flow key=value,...` says it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { NAME_SIZE = 32, MAX_FLOWS = 256, MAX_PORTS = 16 };

enum { MAX_REPLIED = 65536 }; /* connections of a flow that is replied to */

enum {
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_FIRST_TEST = 253, /* 253 and 254: RFC 3692 section 2.1 */
    PROTOCOL_LAST_TEST = 254,
};

enum { TCP_SYN = 2, TCP_PSH = 8, TCP_ACK = 16 };

struct flow {
    char name[NAME_SIZE];
    char tx_name[NAME_SIZE], rx_name[NAME_SIZE];
    int tx, rx; /* port indexes, filled in by the options once all ports are known */
    uint8_t src_mac[6], dst_mac[6];
    uint16_t vlan; /* the tag's VLAN ID; 0: no tag */
    bool ipv6;
    uint8_t protocol;         /* PROTOCOL_UDP, PROTOCOL_TCP, or one of RFC 3692 with UDP's layout */
    uint8_t ttl;              /* IPv6: the hop limit */
    uint8_t tcp_flags;        /* of a data segment, unless somebody changes them */
    uint8_t src[16], dst[16]; /* IPv4: the first four bytes */
    uint16_t sport, dport;
    /* How many values the field steps through, by one, all fields at once. */
    uint32_t sport_count, dport_count, src_count, dst_count;
    /* Not 0: the field is drawn from those values, as this seed and the frame's number say. */
    uint32_t sport_seed, dport_seed, src_seed, dst_seed;
    uint32_t hold;   /* frames in a row with the same values */
    uint32_t weight; /* turns a round */
    bool reply;      /* learning also sends replies from the rx port */
    uint8_t reply_src_mac[6], reply_dst_mac[6];
    /* Where a router translates addresses: what the replies come from and go to instead. */
    bool reply_src_given, reply_dst_given;
    uint8_t reply_src[16], reply_dst[16];
};

/* Reads one `--flow` argument. Ends the program with a usage message when it is wrong. */
void flow_parse(struct flow *flow, const char *text);

/* Spreads a number over 32 bits: MurmurHash3's 32-bit finalizer (Austin Appleby, public domain). */
static inline uint32_t flow_mix(uint32_t h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* True for 1 to 31 of [A-Za-z0-9_.-]: such a name needs no quoting in JSON, CSV or a shell. */
bool name_valid(const char *name);

/* How many different frames the flow has: its connections, where it steps. */
uint64_t flow_variants(const struct flow *flow);

/* The flow that answers `flow`: addresses and ports swapped, the reply's MAC addresses. */
struct flow flow_reply(const struct flow *flow);
