// SPDX-License-Identifier: Apache-2.0
// Fast path for routing: what RouterOS's IPv4 and IPv6 fast path does, on Linux.
//
// The program runs where a frame comes in, before the network stack sees it. It asks the kernel's own routing and
// neighbour tables (bpf_fib_lookup), writes the new MAC addresses, counts the hop, and sends the frame out.
// It never meets netfilter, connection tracking or a queue. Whatever is not a plain packet to forward (for the router
// itself, hop limit spent, options, too large, no route, no neighbour yet, multicast) goes up to the stack as if the
// program were not there: RouterOS calls that the slow path.
//
// Two sections from one core:
//   ip link set dev eth1 xdp obj fib_forward.o sec xdp.frags             (or xdpgeneric)
//   tc filter add dev eth1 ingress bpf da obj fib_forward.o sec tc
//
// How many packets took the fast path stands in the program's map fast_packets (bpftool map dump).

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FAMILY_INET  2 // AF_INET and AF_INET6: <sys/socket.h> does not exist for a BPF target
#define FAMILY_INET6 10
#define TO_STACK     0 // not ours: let the stack have it

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} fast_packets SEC(".maps");

// Prepares the frame and returns the interface it leaves by, or TO_STACK.
// `context` is what the kernel handed to the program (xdp_md or __sk_buff): bpf_fib_lookup takes either.
static __always_inline __u32 forward(void *context, __u32 ingress, void *data, void *end) {
    struct bpf_fib_lookup route = {.ifindex = ingress};
    struct ethhdr *ethernet = data;
    struct iphdr *ipv4 = (void *)(ethernet + 1);
    struct ipv6hdr *ipv6 = (void *)(ethernet + 1);
    __u32 zero = 0;

    // Each bound is checked where it is used: the verifier wants to see it.
    if ((void *)(ethernet + 1) > end || ethernet->h_dest[0] & 1)
        return TO_STACK;

    if (ethernet->h_proto == bpf_htons(ETH_P_IP)) {
        if ((void *)(ipv4 + 1) > end || ipv4->ihl != 5 || ipv4->ttl <= 1)
            return TO_STACK;
        route.family = FAMILY_INET;
        route.tos = ipv4->tos;
        route.l4_protocol = ipv4->protocol;
        route.tot_len = bpf_ntohs(ipv4->tot_len); // the lookup says if the next link is too narrow
        route.ipv4_src = ipv4->saddr;
        route.ipv4_dst = ipv4->daddr;
    } else if (ethernet->h_proto == bpf_htons(ETH_P_IPV6)) {
        if ((void *)(ipv6 + 1) > end || ipv6->hop_limit <= 1)
            return TO_STACK;
        route.family = FAMILY_INET6;
        route.flowinfo = *(__be32 *)ipv6 & bpf_htonl(0x0fffffff); // all but the version
        route.l4_protocol = ipv6->nexthdr;
        route.tot_len = sizeof(*ipv6) + bpf_ntohs(ipv6->payload_len);
        __builtin_memcpy(route.ipv6_src, &ipv6->saddr, sizeof(route.ipv6_src));
        __builtin_memcpy(route.ipv6_dst, &ipv6->daddr, sizeof(route.ipv6_dst));
    } else {
        return TO_STACK;
    }

    if (bpf_fib_lookup(context, &route, sizeof(route), 0) != BPF_FIB_LKUP_RET_SUCCESS)
        return TO_STACK;

    if (route.family == FAMILY_INET) {
        // RFC 1624: the TTL is the high byte of its word, so one hop less is 0x0100 more in the checksum,
        // and a carry out of the top comes back in at the bottom.
        __u32 checksum = ipv4->check + bpf_htons(0x0100);
        ipv4->check = checksum + (checksum >= 0xffff);
        ipv4->ttl--;
    } else {
        ipv6->hop_limit--; // IPv6 has no header checksum
    }
    __builtin_memcpy(ethernet->h_dest, route.dmac, ETH_ALEN);
    __builtin_memcpy(ethernet->h_source, route.smac, ETH_ALEN);

    __u64 *packets = bpf_map_lookup_elem(&fast_packets, &zero);
    if (packets)
        ++*packets; // one counter a CPU: no lock, no shared cache line
    return route.ifindex;
}

SEC("xdp.frags")
int fib_forward_xdp(struct xdp_md *frame) {
    __u32 egress = forward(frame, frame->ingress_ifindex, (void *)(long)frame->data, (void *)(long)frame->data_end);
    return egress == TO_STACK ? XDP_PASS : bpf_redirect(egress, 0);
}

SEC("tc")
int fib_forward_tc(struct __sk_buff *frame) {
    __u32 egress;

    // The kernel has classified the frame by now; a frame for another host's MAC address is not ours to route.
    if (frame->pkt_type != 0 /* PACKET_HOST */)
        return TC_ACT_OK;
    egress = forward(frame, frame->ifindex, (void *)(long)frame->data, (void *)(long)frame->data_end);
    return egress == TO_STACK ? TC_ACT_OK : bpf_redirect(egress, 0);
}

char _license[] SEC("license") = "Dual MIT/GPL"; // bpf_fib_lookup is for GPL-compatible programs only
