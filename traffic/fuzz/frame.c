/* libFuzzer target: any bytes may arrive on a test port. What the parser accepts must be a frame
 * that our own template could have written. */
#include "frames/frame.h"
#include "frames/checksum.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 3, CHECKSUMS_DONE = 1, FROM_A_FRAME = 2, IPV6 = 4, MEND = 8, TCP = 16, TEST = 32 };

/* A frame of our own, so that the input only has to say what is different in it. */
static void start_from_frame(uint8_t *frame, size_t captured, uint8_t kind) {
    struct flow flow = {.ipv6 = kind & IPV6,
                        .src = {198, 18, 1, 2},
                        .dst = {198, 18, 2, 2},
                        .ttl = 64,
                        .sport = 49184,
                        .dport = 7,
                        .sport_count = 1,
                        .dport_count = 1,
                        .src_count = 1,
                        .dst_count = 1,
                        .protocol = kind & TCP    ? PROTOCOL_TCP
                                    : kind & TEST ? PROTOCOL_FIRST_TEST
                                                  : PROTOCOL_UDP,
                        .tcp_flags = TCP_ACK,
                        .hold = 1};
    if (captured + FCS_SIZE < frame_min_size(&flow))
        return;
    struct signature signature = {1, 2, 3, 4, 5}, read;
    struct template template;
    uint8_t own[MAX_SIZE] = {0};
    template_build(&template, &flow, (unsigned)captured + FCS_SIZE);
    template_write(&template, own, &signature);
    if (frame_parse(own, captured, captured, true, &read) != FRAME_OURS || read.tag != 1 ||
        read.flow != 2 || read.sequence != 3 || read.intended_ns != 4 || read.lateness_ns != 5)
        abort();
    for (size_t i = 0; i < captured; i++)
        frame[i] ^= own[i];
}

/* Random bytes do not have right checksums: put some in, to reach the code behind the checks. */
static void mend(uint8_t *frame, size_t captured) {
    size_t header = ETHERNET_HEADER + (frame[14] & 15u) * 4;
    if (get16(frame + 12) != 0x0800 || header < ETHERNET_HEADER + IPV4_HEADER ||
        header + UDP_HEADER > captured)
        return;
    put16(frame + 24, 0);
    put16(frame + 24, checksum_fold(checksum_add(0, frame + 14, header - ETHERNET_HEADER)));
    put16(frame + header + 6, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEADER)
        return 0;
    size_t captured = size - HEADER, length = captured + (size_t)(data[1] << 8 | data[2]);
    /* An exact allocation, so that reading past `captured` is an error. */
    uint8_t *frame = malloc(captured ? captured : 1);
    if (!frame)
        abort();
    memcpy(frame, data + HEADER, captured);
    if (data[0] & FROM_A_FRAME && captured <= 1024)
        start_from_frame(frame, captured, data[0]);
    if (data[0] & MEND && captured > 40)
        mend(frame, captured);
    struct signature s;
    if (frame_parse(frame, captured, length, data[0] & CHECKSUMS_DONE, &s) == FRAME_OURS &&
        (s.intended_ns > MAX_INTENDED_NS || captured < MIN_SIZE - FCS_SIZE))
        abort();
    free(frame);
    return 0;
}
