// SPDX-License-Identifier: Apache-2.0
// L3 hardware offload: what a switch chip's routing does ahead of RouterOS's CPU, on Linux.
//
// A switch chip knows nothing of the kernel's routing table. It has tables of its own, of a fixed size, which the
// system fills, and what it finds there it forwards by itself. Here the tables are BPF maps, filled from outside
// (ppslab.testbed.routers.linux.bpf_maps) as RouterOS fills the chip's: longest prefixes first, until the table is full.
// What the tables do not answer goes up to the stack as if the program were not there: the CPU routes it.
//
//   l3_ipv4, l3_ipv6  prefix to what happens to it and, of a route, to its next hops; the sizes are the 98DX3236's
//   l3_hops           next hop to port, MAC addresses and MTU
//   l3_settings       what the chip does with a packet that it may not forward (icmp-reply-on-error)
//   l3_packets        how many packets the chip forwarded, dropped and gave to the CPU
//   l3_hop_packets    how many of a prefix with several next hops (ECMP) each of them got
//
// Two sections from one core, as in fib_forward.bpf.c. All ports share the tables: they are found again by name.

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

// The 98DX3236 of the CRS326-24G-2S+: 13312 IPv4 prefixes, or 3328 of IPv6, in one memory. The kernel holds each table
// to its size; that both together fit is held by who fills them.
#define IPV4_ROUTES 13312
#define IPV6_ROUTES 3328
#define NEXT_HOPS   4096

enum action { TO_CPU, FORWARD, BLACKHOLE };
enum counted { FORWARDED, BLACKHOLED, EXPIRED, FOR_CPU, COUNTERS };
enum setting { ICMP_BY_CPU, SETTINGS }; // 1: errors (TTL, MTU) go to the CPU; 0: they are dropped in silence

struct ipv4_key {
    __u32 length;
    __u8 address[4];
};

struct ipv6_key {
    __u32 length;
    __u8 address[16];
};

struct route {
    __u32 action;
    __u32 first; // of its next hops in l3_hops
    __u32 count; // of its next hops; more than one: ECMP
};

struct hop {
    __u32 port; // the interface that it is behind
    __u32 mtu;
    __u8 to[ETH_ALEN];
    __u8 from[ETH_ALEN];
};

struct {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(max_entries, IPV4_ROUTES);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, struct ipv4_key);
    __type(value, struct route);
} l3_ipv4 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(max_entries, IPV6_ROUTES);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, struct ipv6_key);
    __type(value, struct route);
} l3_ipv6 SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NEXT_HOPS);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u32);
    __type(value, struct hop);
} l3_hops SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, SETTINGS);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u32);
    __type(value, __u32);
} l3_settings SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, COUNTERS);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u32);
    __type(value, __u64);
} l3_packets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, NEXT_HOPS);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u32);
    __type(value, __u64);
} l3_hop_packets SEC(".maps");

#define PASS 0           // to the stack
#define DROP 0xffffffffU // neither forwarded nor shown to the stack

static __always_inline void count(void *map, __u32 which) {
    __u64 *packets = bpf_map_lookup_elem(map, &which);
    if (packets)
        ++*packets; // one counter a CPU: no lock, no shared cache line
}

static __always_inline __u32 to_cpu(void) {
    count(&l3_packets, FOR_CPU);
    return PASS;
}

// A packet that the chip may not forward: it cannot write the ICMP error itself.
static __always_inline __u32 refuse(void) {
    __u32 which = ICMP_BY_CPU;
    __u32 *icmp = bpf_map_lookup_elem(&l3_settings, &which);
    if (icmp && *icmp)
        return to_cpu();
    count(&l3_packets, EXPIRED);
    return DROP;
}

static __always_inline __u32 mix(__u32 value, __u32 word) {
    value = (value ^ word) * 0x9e3779b1U; // 2^32 over the golden ratio
    return value ^ (value >> 15);
}

// Spreads over next hops by addresses and ports: the packets of one connection stay on one way.
// Returns one of `ways`.
static __always_inline __u32 spread(void *header, bool is_ipv4, void *end, __u32 ways) {
    struct iphdr *ipv4 = header;
    struct ipv6hdr *ipv6 = header;
    __u32 value = 0, *ports;

    if (is_ipv4 && (void *)(ipv4 + 1) <= end) {
        value = mix(mix(0, ipv4->saddr), ipv4->daddr);
        ports = (void *)(ipv4 + 1);
    } else if (!is_ipv4 && (void *)(ipv6 + 1) <= end) {
        for (int i = 0; i < 4; i++)
            value = mix(mix(value, ipv6->saddr.s6_addr32[i]), ipv6->daddr.s6_addr32[i]);
        ports = (void *)(ipv6 + 1);
    } else {
        return 0;
    }
    if ((void *)(ports + 1) <= end)
        value = mix(value, *ports);
    return value % ways;
}

static __always_inline __u32 forward(void *data, void *end) {
    struct ethhdr *ethernet = data;
    struct iphdr *ipv4 = (void *)(ethernet + 1);
    struct ipv6hdr *ipv6 = (void *)(ethernet + 1);
    struct route *route;
    struct hop *hop;
    __u32 length, way;
    bool is_ipv4;
    __u8 lives;

    // Each bound is checked where it is used: the verifier wants to see it.
    if ((void *)(ethernet + 1) > end || ethernet->h_dest[0] & 1)
        return PASS;
    // Looked at once: what is read again after a lookup could be another value, as far as the verifier knows.
    is_ipv4 = ethernet->h_proto == bpf_htons(ETH_P_IP);
    if (is_ipv4) {
        struct ipv4_key key = {.length = 32};
        if ((void *)(ipv4 + 1) > end || ipv4->ihl != 5)
            return to_cpu();
        __builtin_memcpy(key.address, &ipv4->daddr, sizeof(key.address));
        route = bpf_map_lookup_elem(&l3_ipv4, &key);
        lives = ipv4->ttl;
        length = bpf_ntohs(ipv4->tot_len);
    } else if (ethernet->h_proto == bpf_htons(ETH_P_IPV6)) {
        struct ipv6_key key = {.length = 128};
        if ((void *)(ipv6 + 1) > end)
            return to_cpu();
        __builtin_memcpy(key.address, &ipv6->daddr, sizeof(key.address));
        route = bpf_map_lookup_elem(&l3_ipv6, &key);
        lives = ipv6->hop_limit;
        length = sizeof(*ipv6) + bpf_ntohs(ipv6->payload_len);
    } else {
        return PASS;
    }

    if (!route || route->action == TO_CPU)
        return to_cpu();
    if (route->action == BLACKHOLE) {
        count(&l3_packets, BLACKHOLED);
        return DROP;
    }
    if (lives <= 1)
        return refuse();
    way = route->first;
    if (route->count > 1) {
        way += spread(ipv4, is_ipv4, end, route->count);
        count(&l3_hop_packets, way);
    }
    hop = bpf_map_lookup_elem(&l3_hops, &way);
    if (!hop || !hop->port)
        return to_cpu();
    if (length > hop->mtu)
        return refuse();

    if (is_ipv4) {
        // RFC 1624: the TTL is the high byte of its word, so one hop less is 0x0100 more in the checksum,
        // and a carry out of the top comes back in at the bottom.
        __u32 checksum = ipv4->check + bpf_htons(0x0100);
        ipv4->check = checksum + (checksum >= 0xffff);
        ipv4->ttl--;
    } else {
        ipv6->hop_limit--; // IPv6 has no header checksum
    }
    __builtin_memcpy(ethernet->h_dest, hop->to, ETH_ALEN);
    __builtin_memcpy(ethernet->h_source, hop->from, ETH_ALEN);
    count(&l3_packets, FORWARDED);
    return hop->port;
}

SEC("xdp.frags")
int l3_offload_xdp(struct xdp_md *frame) {
    __u32 egress = forward((void *)(long)frame->data, (void *)(long)frame->data_end);
    if (egress == PASS)
        return XDP_PASS;
    return egress == DROP ? XDP_DROP : bpf_redirect(egress, 0);
}

SEC("tc")
int l3_offload_tc(struct __sk_buff *frame) {
    __u32 egress;

    // The kernel has classified the frame by now; a frame for another host's MAC address is not ours to route.
    if (frame->pkt_type != 0 /* PACKET_HOST */)
        return TC_ACT_OK;
    egress = forward((void *)(long)frame->data, (void *)(long)frame->data_end);
    if (egress == PASS)
        return TC_ACT_OK;
    return egress == DROP ? TC_ACT_SHOT : bpf_redirect(egress, 0);
}

char _license[] SEC("license") = "Dual MIT/GPL";
