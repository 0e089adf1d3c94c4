// SPDX-License-Identifier: Apache-2.0
// Makes of Linux's gretap what RouterOS sends as EoIP, and back: the eight bytes of the header are as many in both.
//
//   gretap, RFC 2784 and 2890    20 00 65 58   key, 4 bytes
//   EoIP                         20 01 64 00   length of the frame, 2 bytes; tunnel id, 2 bytes, low byte first
//
// So a gretap with key N is EoIP's tunnel N, and its checksums stay right, as GRE here has none and IP's covers the
// outer header only. Wireshark has the type 0x6400 as "MIKROTIK EoIP" (epan/dissectors/packet-gre.c); the rest of the
// layout is that of captures between CHRs (src/ppslab/model/tunnels/eoip_bytes.py).
//
//   tc qdisc add dev eoip1 clsact
//   tc filter add dev eoip1 egress bpf direct-action object-file eoip.o section tunnel
//   tc qdisc add dev eth2 clsact
//   tc filter add dev eth2 egress bpf direct-action object-file eoip.o section out
//   tc filter add dev eth2 ingress bpf direct-action object-file eoip.o section in
//
// A packet that is too large for the path is cut before it reaches eth2, and its first fragment does not say how long
// the frame was. So `tunnel` writes the length into the packet's mark while the frame is whole, and each fragment
// takes the mark along (ip_copy_metadata, net/ipv4/ip_output.c). Marks are this program's alone then.
//
// A keepalive is a header with length 0 and no frame: gretap knows none, so it ends here, counted.
// With IPsec the packet is encrypted before it reaches eth2: this program cannot be used then.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FRAGMENT_OFFSET 0x1fff
#define MORE_FRAGMENTS  0x2000
#define GRETAP          0x20006558U
#define EOIP            0x20016400U

struct header {
    __be32 kind;
    union {
        __be32 key;
        struct {
            __be16 length;
            __u16 id; // low byte first on the wire, whatever the CPU has
        };
    };
};

// What came in: frames, keepalives, and headers that say more bytes than have come.
enum count { FRAMES, KEEPALIVES, TOO_SHORT, COUNTS };

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, COUNTS);
    __type(key, __u32);
    __type(value, __u64);
} eoip_counts SEC(".maps");

static __always_inline void add(__u32 which) {
    __u64 *count = bpf_map_lookup_elem(&eoip_counts, &which);

    if (count)
        __sync_fetch_and_add(count, 1);
}

// Where the GRE header begins, or 0: no IPv4, no GRE, or a fragment that is not the first.
static __always_inline __u32 gre(struct __sk_buff *packet, struct iphdr *ip) {
    if (packet->protocol != bpf_htons(ETH_P_IP) || bpf_skb_load_bytes(packet, ETH_HLEN, ip, sizeof(*ip)))
        return 0;
    if (ip->protocol != IPPROTO_GRE || ip->frag_off & bpf_htons(FRAGMENT_OFFSET))
        return 0;
    return ETH_HLEN + ip->ihl * 4;
}

static __always_inline __u16 swapped(__u16 word) { return word << 8 | word >> 8; }

SEC("tunnel")
int eoip_tunnel(struct __sk_buff *frame) {
    frame->mark = frame->len;
    return TC_ACT_OK;
}

SEC("out")
int eoip_out(struct __sk_buff *packet) {
    struct header header;
    struct iphdr ip;
    __u32 at = gre(packet, &ip), key;

    if (!at || bpf_skb_load_bytes(packet, at, &header, sizeof(header)) || header.kind != bpf_htonl(GRETAP))
        return TC_ACT_OK;
    key = bpf_ntohl(header.key);
    // A key that is no tunnel id, or a length that two bytes do not hold: nobody would understand it.
    if (key > 0xffff || !packet->mark || packet->mark > 0xffff)
        return TC_ACT_SHOT;
    header.kind = bpf_htonl(EOIP);
    header.length = bpf_htons(packet->mark);
    header.id = bpf_htons(swapped(key));
    return bpf_skb_store_bytes(packet, at, &header, sizeof(header), 0) ? TC_ACT_SHOT : TC_ACT_OK;
}

SEC("in")
int eoip_in(struct __sk_buff *packet) {
    struct header header;
    struct iphdr ip;
    __u32 at = gre(packet, &ip), here;

    if (!at || bpf_skb_load_bytes(packet, at, &header, sizeof(header)) || header.kind != bpf_htonl(EOIP))
        return TC_ACT_OK;
    if (!header.length) {
        add(KEEPALIVES);
        return TC_ACT_SHOT;
    }
    here = bpf_ntohs(ip.tot_len) - ip.ihl * 4 - sizeof(header);
    if (!(ip.frag_off & bpf_htons(MORE_FRAGMENTS)) && bpf_ntohs(header.length) > here) {
        add(TOO_SHORT);
        return TC_ACT_SHOT;
    }
    add(FRAMES);
    header.kind = bpf_htonl(GRETAP);
    header.key = bpf_htonl(swapped(bpf_ntohs(header.id)));
    return bpf_skb_store_bytes(packet, at, &header, sizeof(header), 0) ? TC_ACT_SHOT : TC_ACT_OK;
}

char _license[] SEC("license") = "Dual MIT/GPL";
