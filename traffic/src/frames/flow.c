#include "frames/flow.h"

#include "machine/error.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_NAME,
    KEY_TX,
    KEY_RX,
    KEY_SRC_MAC,
    KEY_DST_MAC,
    KEY_SRC,
    KEY_DST,
    KEY_SPORT,
    KEY_DPORT,
    KEY_REQUIRED, /* the keys above must be given */
    KEY_SPORT_COUNT = KEY_REQUIRED,
    KEY_DPORT_COUNT,
    KEY_SRC_COUNT,
    KEY_DST_COUNT,
    KEY_WEIGHT,
    KEY_HOLD,
    KEY_SPORT_RANDOM,
    KEY_DPORT_RANDOM,
    KEY_SRC_RANDOM,
    KEY_DST_RANDOM,
    KEY_PROTOCOL,
    KEY_TTL,
    KEY_VLAN,
    KEY_REPLY_SRC_MAC,
    KEY_REPLY_DST_MAC,
    KEY_REPLY_SRC,
    KEY_REPLY_DST,
    KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
    [KEY_NAME] = "name",
    [KEY_TX] = "tx",
    [KEY_RX] = "rx",
    [KEY_SRC_MAC] = "src-mac",
    [KEY_DST_MAC] = "dst-mac",
    [KEY_SRC] = "src",
    [KEY_DST] = "dst",
    [KEY_SPORT] = "sport",
    [KEY_DPORT] = "dport",
    [KEY_SPORT_COUNT] = "sport-count",
    [KEY_DPORT_COUNT] = "dport-count",
    [KEY_SRC_COUNT] = "src-count",
    [KEY_DST_COUNT] = "dst-count",
    [KEY_WEIGHT] = "weight",
    [KEY_HOLD] = "hold",
    [KEY_SPORT_RANDOM] = "sport-random",
    [KEY_DPORT_RANDOM] = "dport-random",
    [KEY_SRC_RANDOM] = "src-random",
    [KEY_DST_RANDOM] = "dst-random",
    [KEY_PROTOCOL] = "protocol",
    [KEY_TTL] = "ttl",
    [KEY_VLAN] = "vlan",
    [KEY_REPLY_SRC_MAC] = "reply-src-mac",
    [KEY_REPLY_DST_MAC] = "reply-dst-mac",
    [KEY_REPLY_SRC] = "reply-src",
    [KEY_REPLY_DST] = "reply-dst",
};

bool name_valid(const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length >= NAME_SIZE)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
            return false;
    return true;
}

static void parse_name(char *out, const char *key, const char *value) {
    if (!name_valid(value))
        fail(EXIT_USAGE, "--flow: %s=%s: a name is 1 to 31 of A-Z a-z 0-9 _ . -", key, value);
    strcpy(out, value);
}

static void parse_mac(uint8_t mac[6], const char *key, const char *value) {
    unsigned b[6];
    int end = 0;
    if (sscanf(value, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
               &end) != 6 ||
        value[end] != '\0' || strlen(value) > 17)
        fail(EXIT_USAGE, "--flow: %s=%s is no MAC address (such as 02:00:c6:12:01:02)", key, value);
    for (int i = 0; i < 6; i++)
        mac[i] = (uint8_t)b[i];
}

static uint32_t parse_number(const char *key, const char *value, uint32_t low, uint32_t high) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (errno || !isdigit((unsigned char)*value) || *end || number < low || number > high)
        fail(EXIT_USAGE, "--flow: %s=%s is no number from %u to %u", key, value, low, high);
    return (uint32_t)number;
}

static bool parse_address(uint8_t out[16], const char *key, const char *value) {
    if (inet_pton(AF_INET, value, out) == 1)
        return false;
    if (inet_pton(AF_INET6, value, out) == 1)
        return true;
    fail(EXIT_USAGE, "--flow: %s=%s is no IPv4 or IPv6 address", key, value);
}

/* Stepping must not carry out of the address's last 32 bits: the checksum patch covers only those.
 */
static void check_steps(const struct flow *flow, const char *key, const uint8_t *address,
                        uint32_t count) {
    const uint8_t *low = address + (flow->ipv6 ? 12 : 0);
    uint64_t first = (uint64_t)low[0] << 24 | low[1] << 16 | low[2] << 8 | low[3];
    if (first + count - 1 > UINT32_MAX)
        fail(EXIT_USAGE, "--flow %s: %s-count=%u steps past the end of the address", flow->name,
             key, count);
}

static uint8_t parse_protocol(const char *value) {
    uint32_t number = parse_number("protocol", value, 0, 255);
    if (number == PROTOCOL_TCP || number == PROTOCOL_UDP ||
        (number >= PROTOCOL_FIRST_TEST && number <= PROTOCOL_LAST_TEST))
        return (uint8_t)number;
    fail(EXIT_USAGE, "--flow: protocol=%s: 17 (UDP), 6 (TCP), 253 or 254 (RFC 3692)", value);
}

static enum key find_key(const char *text) {
    for (int k = 0; k < KEY_COUNT; k++)
        if (strcmp(key_names[k], text) == 0)
            return (enum key)k;
    char known[KEY_COUNT * NAME_SIZE] = "";
    for (int k = 0; k < KEY_COUNT; k++)
        strcat(strcat(known, k ? " " : ""), key_names[k]);
    fail(EXIT_USAGE, "--flow: unknown key '%s' (known: %s)", text, known);
}

/* The number of a key from 1 to `most`; 1 where it is not given. */
static uint32_t one_or_more(const char *const values[], enum key key, uint32_t most) {
    return values[key] ? parse_number(key_names[key], values[key], 1, most) : 1;
}

/* 0: the field is not random. Fields of one seed must not draw alike, so each has a `field` of its
 * own: a port that follows from the address is no second variable. */
static uint32_t parse_seed(const char *const values[], enum key key, uint32_t field) {
    if (!values[key])
        return 0;
    uint32_t own = flow_mix(parse_number(key_names[key], values[key], 1, UINT32_MAX) * 4 + field);
    return own ? own : 1;
}

static void parse_reply(struct flow *flow, const char *const values[]) {
    if (!values[KEY_REPLY_SRC_MAC] != !values[KEY_REPLY_DST_MAC])
        fail(EXIT_USAGE, "--flow %s: reply-src-mac and reply-dst-mac need each other", flow->name);
    flow->reply = values[KEY_REPLY_SRC_MAC];
    flow->reply_src_given = values[KEY_REPLY_SRC];
    flow->reply_dst_given = values[KEY_REPLY_DST];
    if (!flow->reply && (flow->reply_src_given || flow->reply_dst_given))
        fail(EXIT_USAGE, "--flow %s: reply-src and reply-dst need reply-src-mac and reply-dst-mac",
             flow->name);
    if (!flow->reply)
        return;
    parse_mac(flow->reply_src_mac, "reply-src-mac", values[KEY_REPLY_SRC_MAC]);
    parse_mac(flow->reply_dst_mac, "reply-dst-mac", values[KEY_REPLY_DST_MAC]);
    if ((flow->reply_src_given &&
         parse_address(flow->reply_src, "reply-src", values[KEY_REPLY_SRC]) != flow->ipv6) ||
        (flow->reply_dst_given &&
         parse_address(flow->reply_dst, "reply-dst", values[KEY_REPLY_DST]) != flow->ipv6))
        fail(EXIT_USAGE, "--flow %s: all addresses must be IPv4, or all IPv6", flow->name);
    if (flow->sport_seed || flow->dport_seed || flow->src_seed || flow->dst_seed)
        fail(EXIT_USAGE,
             "--flow %s: random fields have no end, so not every connection can be replied to",
             flow->name);
    if (flow_variants(flow) > MAX_REPLIED)
        fail(EXIT_USAGE, "--flow %s: at most %d connections can be replied to", flow->name,
             MAX_REPLIED);
}

void flow_parse(struct flow *flow, const char *text) {
    *flow = (struct flow){.tx = -1, .rx = -1};
    const char *values[KEY_COUNT] = {0};
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        fail(EXIT_TRIAL, "out of memory");
    for (char *part; (part = strsep(&rest, ","));) {
        char *equals = strchr(part, '=');
        if (!equals)
            fail(EXIT_USAGE, "--flow: '%s' is not key=value", part);
        *equals = '\0';
        enum key key = find_key(part);
        if (values[key])
            fail(EXIT_USAGE, "--flow: %s is given twice", part);
        values[key] = equals + 1;
    }
    for (int k = 0; k < KEY_REQUIRED; k++)
        if (!values[k])
            fail(EXIT_USAGE, "--flow %s: %s= is missing", values[KEY_NAME] ? values[KEY_NAME] : "",
                 key_names[k]);

    parse_name(flow->name, "name", values[KEY_NAME]);
    parse_name(flow->tx_name, "tx", values[KEY_TX]);
    parse_name(flow->rx_name, "rx", values[KEY_RX]);
    parse_mac(flow->src_mac, "src-mac", values[KEY_SRC_MAC]);
    parse_mac(flow->dst_mac, "dst-mac", values[KEY_DST_MAC]);
    flow->ipv6 = parse_address(flow->src, "src", values[KEY_SRC]);
    if (parse_address(flow->dst, "dst", values[KEY_DST]) != flow->ipv6)
        fail(EXIT_USAGE, "--flow %s: src and dst must both be IPv4 or both IPv6", flow->name);
    flow->sport = (uint16_t)parse_number("sport", values[KEY_SPORT], 0, 65535);
    flow->dport = (uint16_t)parse_number("dport", values[KEY_DPORT], 0, 65535);

    flow->sport_count = one_or_more(values, KEY_SPORT_COUNT, 65536);
    flow->dport_count = one_or_more(values, KEY_DPORT_COUNT, 65536);
    flow->src_count = one_or_more(values, KEY_SRC_COUNT, 1u << 24);
    flow->dst_count = one_or_more(values, KEY_DST_COUNT, 1u << 24);
    flow->weight = one_or_more(values, KEY_WEIGHT, 1000);
    flow->hold = one_or_more(values, KEY_HOLD, 1u << 24);
    if (flow->sport + flow->sport_count - 1 > 65535 || flow->dport + flow->dport_count - 1 > 65535)
        fail(EXIT_USAGE, "--flow %s: sport-count or dport-count steps past port 65535", flow->name);
    check_steps(flow, "src", flow->src, flow->src_count);
    check_steps(flow, "dst", flow->dst, flow->dst_count);
    flow->sport_seed = parse_seed(values, KEY_SPORT_RANDOM, 0);
    flow->dport_seed = parse_seed(values, KEY_DPORT_RANDOM, 1);
    flow->src_seed = parse_seed(values, KEY_SRC_RANDOM, 2);
    flow->dst_seed = parse_seed(values, KEY_DST_RANDOM, 3);
    flow->protocol = values[KEY_PROTOCOL] ? parse_protocol(values[KEY_PROTOCOL]) : PROTOCOL_UDP;
    flow->ttl = values[KEY_TTL] ? (uint8_t)parse_number("ttl", values[KEY_TTL], 1, 255) : 64;
    flow->vlan = values[KEY_VLAN] ? (uint16_t)parse_number("vlan", values[KEY_VLAN], 1, 4094) : 0;
    flow->tcp_flags = TCP_PSH | TCP_ACK;
    parse_reply(flow, values);
    if (flow->reply && flow->vlan)
        fail(EXIT_USAGE, "--flow %s: vlan is of the tx port alone, so it cannot be replied to",
             flow->name);
    free(copy);
}

static uint64_t common_multiple(uint64_t a, uint64_t b) {
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

uint64_t flow_variants(const struct flow *flow) {
    const uint32_t counts[] = {flow->sport_count, flow->dport_count, flow->src_count,
                               flow->dst_count};
    uint64_t variants = 1;
    for (int i = 0; i < 4 && variants <= MAX_REPLIED; i++)
        variants = common_multiple(variants, counts[i]);
    return variants;
}

struct flow flow_reply(const struct flow *flow) {
    struct flow reply = *flow;
    reply.tx = flow->rx;
    reply.rx = flow->tx;
    memcpy(reply.src_mac, flow->reply_src_mac, 6);
    memcpy(reply.dst_mac, flow->reply_dst_mac, 6);
    memcpy(reply.src, flow->reply_src_given ? flow->reply_src : flow->dst, 16);
    memcpy(reply.dst, flow->reply_dst_given ? flow->reply_dst : flow->src, 16);
    reply.src_count = flow->reply_src_given ? 1 : flow->dst_count;
    reply.dst_count = flow->reply_dst_given ? 1 : flow->src_count;
    reply.sport = flow->dport;
    reply.dport = flow->sport;
    reply.sport_count = flow->dport_count;
    reply.dport_count = flow->sport_count;
    reply.src_seed = flow->dst_seed;
    reply.dst_seed = flow->src_seed;
    reply.sport_seed = flow->dport_seed;
    reply.dport_seed = flow->sport_seed;
    return reply;
}
