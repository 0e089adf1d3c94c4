// SPDX-License-Identifier: Apache-2.0
// Fast path for bridging: what RouterOS's bridge fast path does, on Linux.
//
// The program runs where a frame enters a bridge port, before the Linux bridge sees it. It learns which port the
// source address lives on, looks the destination up in the same table, and sends the frame out of that port.
// It never meets the bridge code or its filters. What it cannot decide (unknown destination, multicast, broadcast)
// goes on to the Linux bridge, which floods it.
//
// All ports share one table. Either the ports share one ingress block, hence one program with one table:
//   tc qdisc add dev eth1 ingress_block 1 clsact            (and so for each port)
//   tc filter add block 1 bpf da obj bridge_forward.o sec tc
// or each port loads the program, and the table is found again by its name in the BPF file system:
//   ip link set dev eth1 xdp obj bridge_forward.o sec xdp.frags   (or xdpgeneric; and so for each port)
//
// An address leaves the table when the table is full and it was used least recently; it does not grow old by itself
// (RouterOS and the Linux bridge forget after five minutes).
//
// How many packets took the fast path stands in the program's map fast_packets (bpftool map dump).

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define TO_BRIDGE  0           // not decided here: let the Linux bridge have it
#define SAME_PORT  0xffffffffU // the destination is where the frame came from: nothing to forward
#define MULTICAST  1ULL        // the lowest bit of the first byte
#define TABLE_SIZE 1024

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, TABLE_SIZE);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u64);   // MAC address in the low six bytes
    __type(value, __u32); // interface it was last seen on
} bridge_hosts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} fast_packets SEC(".maps");

static __always_inline __u64 address(const __u8 *bytes) {
    __u64 key = 0;
    __builtin_memcpy(&key, bytes, ETH_ALEN);
    return key;
}

// Returns the interface the frame leaves by, TO_BRIDGE or SAME_PORT.
static __always_inline __u32 forward(__u32 ingress, void *data, void *end) {
    struct ethhdr *ethernet = data;
    __u64 source, destination, *packets;
    __u32 *port, zero = 0;

    if ((void *)(ethernet + 1) > end)
        return TO_BRIDGE;
    source = address(ethernet->h_source);
    destination = address(ethernet->h_dest);
    if (source & MULTICAST)
        return TO_BRIDGE;

    // Reading before writing: a write locks the bucket, and almost every frame comes from where the last one did.
    port = bpf_map_lookup_elem(&bridge_hosts, &source);
    if (!port || *port != ingress)
        bpf_map_update_elem(&bridge_hosts, &source, &ingress, BPF_ANY);

    if (destination & MULTICAST)
        return TO_BRIDGE;
    port = bpf_map_lookup_elem(&bridge_hosts, &destination);
    if (!port)
        return TO_BRIDGE;
    if (*port == ingress)
        return SAME_PORT;

    packets = bpf_map_lookup_elem(&fast_packets, &zero);
    if (packets)
        ++*packets; // one counter a CPU: no lock, no shared cache line
    return *port;
}

SEC("xdp.frags")
int bridge_forward_xdp(struct xdp_md *frame) {
    __u32 egress = forward(frame->ingress_ifindex, (void *)(long)frame->data, (void *)(long)frame->data_end);
    if (egress == TO_BRIDGE)
        return XDP_PASS;
    return egress == SAME_PORT ? XDP_DROP : bpf_redirect(egress, 0);
}

SEC("tc")
int bridge_forward_tc(struct __sk_buff *frame) {
    __u32 egress = forward(frame->ifindex, (void *)(long)frame->data, (void *)(long)frame->data_end);
    if (egress == TO_BRIDGE)
        return TC_ACT_OK;
    return egress == SAME_PORT ? TC_ACT_SHOT : bpf_redirect(egress, 0);
}

char _license[] SEC("license") = "Dual MIT/GPL";
