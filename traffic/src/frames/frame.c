#include "frames/frame.h"

#include "frames/checksum.h"

#include <string.h>

enum { ETHERTYPE_V4 = 0x0800, ETHERTYPE_VLAN = 0x8100, ETHERTYPE_V6 = 0x86dd };

/* Every data segment of a flow is the same one, sent again: nobody acknowledges, so a sequence that
 * goes on would leave the window, which connection tracking looks at. SYN takes one number. */
enum { TCP_FIRST_BYTE = 1, TCP_WINDOW = 65535 };

static unsigned transport_header(uint8_t protocol) {
    return protocol == PROTOCOL_TCP ? TCP_HEADER : UDP_HEADER;
}

/* Where the checksum is in the transport header. */
static unsigned checksum_at(uint8_t protocol) {
    return protocol == PROTOCOL_TCP ? 16 : 6;
}

static bool known(uint8_t protocol) {
    return protocol == PROTOCOL_UDP || protocol == PROTOCOL_TCP ||
           (protocol >= PROTOCOL_FIRST_TEST && protocol <= PROTOCOL_LAST_TEST);
}

/* Whether the checksum covers the addresses and the length: not where no router knows the protocol,
 * as one that translates addresses could not mend it. */
static bool has_pseudo_header(uint8_t protocol) {
    return protocol < PROTOCOL_FIRST_TEST;
}

static unsigned link_header(const struct flow *flow) {
    return flow->vlan ? ETHERNET_HEADER + VLAN_TAG : ETHERNET_HEADER;
}

unsigned frame_min_size(const struct flow *flow) {
    unsigned needed = link_header(flow) + (flow->ipv6 ? IPV6_HEADER : IPV4_HEADER) +
                      transport_header(flow->protocol) + SIGNATURE_SIZE + FCS_SIZE;
    return needed > MIN_SIZE ? needed : MIN_SIZE;
}

static void write_transport(uint8_t *p, const struct flow *flow, unsigned length) {
    put16(p, flow->sport);
    put16(p + 2, flow->dport);
    if (flow->protocol != PROTOCOL_TCP) {
        put16(p + 4, length);
        return;
    }
    put32(p + 4, flow->tcp_flags & TCP_SYN ? TCP_FIRST_BYTE - 1 : TCP_FIRST_BYTE);
    put32(p + 8, flow->tcp_flags & TCP_ACK ? TCP_FIRST_BYTE : 0);
    p[12] = TCP_HEADER / 4 << 4;
    p[13] = flow->tcp_flags;
    put16(p + 14, TCP_WINDOW);
}

void template_build(struct template *t, const struct flow *flow, unsigned size) {
    unsigned ip_header = flow->ipv6 ? IPV6_HEADER : IPV4_HEADER;
    unsigned address = flow->ipv6 ? 16 : 4;
    unsigned link = link_header(flow);
    *t = (struct template){
        .length = size - FCS_SIZE,
        .ip = link,
        .transport = link + ip_header,
        .payload = link + ip_header + transport_header(flow->protocol),
        .protocol = flow->protocol,
        .ipv6 = flow->ipv6,
        .src = get32(flow->src + address - 4),
        .dst = get32(flow->dst + address - 4),
        .sport = flow->sport,
        .dport = flow->dport,
        .sport_count = flow->sport_count,
        .dport_count = flow->dport_count,
        .src_count = flow->src_count,
        .dst_count = flow->dst_count,
        .sport_seed = flow->sport_seed,
        .dport_seed = flow->dport_seed,
        .src_seed = flow->src_seed,
        .dst_seed = flow->dst_seed,
        .hold = flow->hold,
    };
    t->steps = flow->sport_count > 1 || flow->dport_count > 1 || flow->src_count > 1 ||
               flow->dst_count > 1;
    unsigned ip_length = t->length - link;
    unsigned length = ip_length - ip_header;

    uint8_t *ethernet = t->bytes, *ip = ethernet + link, *transport = ip + ip_header;
    memcpy(ethernet, flow->dst_mac, 6);
    memcpy(ethernet + 6, flow->src_mac, 6);
    if (flow->vlan) {
        put16(ethernet + 12, ETHERTYPE_VLAN);
        put16(ethernet + 14, flow->vlan);
    }
    put16(ip - 2, flow->ipv6 ? ETHERTYPE_V6 : ETHERTYPE_V4);
    uint8_t *addresses;
    if (flow->ipv6) {
        ip[0] = 0x60;
        put16(ip + 4, length);
        ip[6] = flow->protocol;
        ip[7] = flow->ttl;
        addresses = ip + 8;
    } else {
        ip[0] = 0x45;
        put16(ip + 2, ip_length);
        ip[8] = flow->ttl;
        ip[9] = flow->protocol;
        addresses = ip + 12;
    }
    memcpy(addresses, flow->src, address);
    memcpy(addresses + address, flow->dst, address);
    if (!flow->ipv6) {
        t->ip_sum = checksum_add(0, ip, IPV4_HEADER);
        put16(ip + 10, checksum_fold(t->ip_sum));
    }
    write_transport(transport, flow, length);
    /* Pseudo header (RFC 768, RFC 9293, RFC 8200 section 8.1): addresses, protocol, length. */
    t->sum = flow->protocol;
    if (has_pseudo_header(flow->protocol))
        t->sum = checksum_add(t->sum + length, addresses, 2 * address);
    t->sum = checksum_add(t->sum, transport, t->payload - t->transport) + SIGNATURE_MAGIC;
}

/* How far a field is from its first value at a turn: in order, or drawn. */
static uint32_t offset_at(uint32_t turn, uint32_t count, uint32_t seed) {
    if (!seed)
        return turn % count;
    return (uint32_t)((uint64_t)flow_mix(turn * 0x9e3779b9u + seed) * count >> 32);
}

static uint32_t step_fields(const struct template *t, uint8_t *frame, uint32_t turn, uint32_t sum) {
    uint8_t *ip = frame + t->ip, *transport = frame + t->transport;
    uint8_t *src = ip + (t->ipv6 ? 20 : 12), *dst = ip + (t->ipv6 ? 36 : 16);
    uint32_t sport = t->sport + offset_at(turn, t->sport_count, t->sport_seed);
    uint32_t dport = t->dport + offset_at(turn, t->dport_count, t->dport_seed);
    uint32_t from = t->src + offset_at(turn, t->src_count, t->src_seed);
    uint32_t to = t->dst + offset_at(turn, t->dst_count, t->dst_seed);
    put16(transport, sport);
    put16(transport + 2, dport);
    put32(src, from);
    put32(dst, to);
    sum = checksum_replace(sum, (uint32_t)t->sport << 16 | t->dport, sport << 16 | dport);
    if (has_pseudo_header(t->protocol))
        sum = checksum_replace(checksum_replace(sum, t->src, from), t->dst, to);
    if (!t->ipv6) {
        uint32_t ip_sum = checksum_replace(t->ip_sum, t->src, from);
        put16(ip + 10, checksum_fold(checksum_replace(ip_sum, t->dst, to)));
    }
    return sum;
}

void template_write(const struct template *t, uint8_t *frame, const struct signature *s) {
    memcpy(frame, t->bytes, TEMPLATE_SIZE);
    uint8_t *p = frame + t->payload;
    uint32_t tag_flow = (uint32_t)s->tag << 8 | s->flow;
    uint32_t time_high = (uint32_t)(s->intended_ns >> 32) & 0xffff;
    uint32_t time_low = (uint32_t)s->intended_ns;
    put16(p, SIGNATURE_MAGIC);
    put16(p + 2, tag_flow);
    put32(p + 4, s->sequence);
    put16(p + 8, time_high);
    put32(p + 10, time_low);
    put32(p + 14, s->lateness_ns);
    uint32_t sum = t->sum + tag_flow + (s->sequence >> 16) + (s->sequence & 0xffff) + time_high +
                   (time_low >> 16) + (time_low & 0xffff) + (s->lateness_ns >> 16) +
                   (s->lateness_ns & 0xffff);
    if (t->steps) {
        bool learning = s->sequence >= LEARNING_SEQUENCE;
        uint32_t turn = learning ? s->sequence - LEARNING_SEQUENCE : s->sequence / t->hold;
        sum = step_fields(t, frame, turn, sum);
    }
    uint16_t checksum = checksum_fold(sum);
    /* Zero would mean "no checksum" (RFC 768). */
    if (checksum == 0 && t->protocol != PROTOCOL_TCP)
        checksum = 0xffff;
    put16(frame + t->transport + checksum_at(t->protocol), checksum);
}

static bool checksum_wrong(const uint8_t *ip, const uint8_t *transport, size_t captured,
                           unsigned length, bool ipv6, uint8_t protocol) {
    if (protocol != PROTOCOL_TCP && get16(transport + checksum_at(protocol)) == 0)
        return ipv6 || protocol != PROTOCOL_UDP;
    const uint8_t *addresses = ip + (ipv6 ? 8 : 12);
    uint32_t sum = protocol;
    if (has_pseudo_header(protocol))
        sum = checksum_add(sum + length, addresses, ipv6 ? 32 : 8);
    sum = checksum_add(sum, transport, length < captured ? length : captured);
    return checksum_fold(sum) != 0;
}

enum frame_verdict frame_parse(const uint8_t *frame, size_t captured, size_t length,
                               bool checksum_done, struct signature *s) {
    if (captured < ETHERNET_HEADER + IPV4_HEADER || length < captured)
        return FRAME_UNRELATED;
    const uint8_t *ip = frame + ETHERNET_HEADER;
    unsigned type = get16(frame + 12), ip_header;
    bool ipv6 = type == ETHERTYPE_V6;
    if (type == ETHERTYPE_V4) {
        ip_header = (ip[0] & 15u) * 4;
        if (ip[0] >> 4 != 4 || ip_header < IPV4_HEADER || (get16(ip + 6) & 0x1fff) != 0)
            return FRAME_UNRELATED;
    } else if (ipv6) {
        ip_header = IPV6_HEADER;
        if (captured < ETHERNET_HEADER + IPV6_HEADER || ip[0] >> 4 != 6)
            return FRAME_UNRELATED;
    } else {
        return FRAME_UNRELATED;
    }
    uint8_t protocol = ip[ipv6 ? 6 : 9];
    size_t transport_at = (size_t)ETHERNET_HEADER + ip_header;
    if (!known(protocol) || captured < transport_at + transport_header(protocol))
        return FRAME_UNRELATED;
    const uint8_t *transport = ip + ip_header;
    /* No options: we send none, and a router adds none to a segment that is no SYN. */
    if (protocol == PROTOCOL_TCP && transport[12] >> 4 != TCP_HEADER / 4)
        return FRAME_UNRELATED;
    size_t payload = transport_at + transport_header(protocol);
    if (captured < payload + 2 || get16(frame + payload) != SIGNATURE_MAGIC)
        return FRAME_UNRELATED;

    const uint8_t *p = frame + payload;
    unsigned ip_length = ipv6 ? IPV6_HEADER + get16(ip + 4) : get16(ip + 2);
    if (captured < payload + SIGNATURE_SIZE || ETHERNET_HEADER + ip_length > length ||
        ETHERNET_HEADER + ip_length < payload + SIGNATURE_SIZE)
        return FRAME_CORRUPT;
    unsigned transport_length = ip_length - ip_header;
    if (protocol != PROTOCOL_TCP && get16(transport + 4) != transport_length)
        return FRAME_CORRUPT;
    if (!ipv6 && ((get16(ip + 6) & 0x2000) != 0 || checksum_fold(checksum_add(0, ip, ip_header))))
        return FRAME_CORRUPT;
    if (checksum_done &&
        checksum_wrong(ip, transport, captured - transport_at, transport_length, ipv6, protocol))
        return FRAME_CORRUPT;
    *s = (struct signature){
        .tag = p[2],
        .flow = p[3],
        .sequence = get32(p + 4),
        .intended_ns = (uint64_t)get16(p + 8) << 32 | get32(p + 10),
        .lateness_ns = get32(p + 14),
    };
    return FRAME_OURS;
}
