// SPDX-License-Identifier: Apache-2.0
// Spreads packets over CPUs one by one, whatever flow they belong to.
//
// Receive packet steering (Documentation/networking/scaling.rst) chooses the CPU that works on a packet by the packet's
// hash, which the kernel makes of addresses and ports: a flow stays on one CPU, and in order. This program gives every
// packet the next of two hashes in turn. The hash stays with the packet on a virtual cable, so the next node, whose port
// has two CPUs in rps_cpus, gives every second packet to the other CPU: what a router does that encrypts each packet
// on the core that is free.
//
//   tc qdisc add dev eth1 ingress_block 1 clsact
//   tc filter add block 1 ingress bpf direct-action object-file spread.o section tc
//   echo 3 > /sys/class/net/eth2/queues/rx-0/rps_cpus        (on the node behind it)
//
// For tc only: XDP runs before the kernel has a packet that could have a hash.

#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

// The kernel scales a hash of 32 bits to the number of CPUs (reciprocal_scale in get_rps_cpu, net/core/dev.c).
#define FIRST_HALF  0x40000000U
#define SECOND_HALF 0xc0000000U

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} turns SEC(".maps");

SEC("tc")
int spread_tc(struct __sk_buff *frame) {
    __u32 zero = 0;
    __u64 *turn = bpf_map_lookup_elem(&turns, &zero);

    if (turn)
        bpf_set_hash(frame, __sync_fetch_and_add(turn, 1) & 1 ? SECOND_HALF : FIRST_HALF);
    return TC_ACT_OK;
}

char _license[] SEC("license") = "Dual MIT/GPL";
