/* A flow: who sends what to whom, as `--flow key=value,...` says it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { NAME_SIZE = 32, MAX_FLOWS = 256, MAX_PORTS = 16 };

struct flow {
    char name[NAME_SIZE];
    char tx_name[NAME_SIZE], rx_name[NAME_SIZE];
    int tx, rx; /* port indexes, filled in by the options once all ports are known */
    uint8_t src_mac[6], dst_mac[6];
    bool ipv6;
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

/* The flow that answers `flow`: addresses and ports swapped, the reply's MAC addresses. */
struct flow flow_reply(const struct flow *flow);
