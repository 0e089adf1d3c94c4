/* libFuzzer target: any bytes may arrive on a test port. What the parser accepts must be a frame
 * that our own template could have written. */
#include "frame.h"
#include "checksum.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Random bytes do not have right checksums: one bit of the input asks for them to be mended, so
 * that the code behind the checks is reached too. */
static void mend(uint8_t *frame, size_t size) {
    size_t header = ETHERNET_HEADER + (frame[14] & 15u) * 4;
    if (size < ETHERNET_HEADER + IPV4_HEADER || get16(frame + 12) != 0x0800 || header > size)
        return;
    put16(frame + 24, 0);
    put16(frame + 24, checksum_fold(checksum_add(0, frame + 14, header - ETHERNET_HEADER)));
    if (size >= header + UDP_HEADER)
        put16(frame + header + 6, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    /* An exact allocation, so that reading past `captured` is an error. */
    size_t captured = size - 3, length = captured + (size_t)(data[1] << 8 | data[2]);
    uint8_t *frame = malloc(captured ? captured : 1);
    if (!frame)
        abort();
    memcpy(frame, data + 3, captured);
    if (data[0] & 1 && captured > 40)
        mend(frame, captured);
    struct signature s;
    if (frame_parse(frame, captured, length, data[0] & 2, &s) == FRAME_OURS) {
        if (s.intended_ns > MAX_INTENDED_NS || captured < MIN_SIZE - FCS_SIZE)
            abort();
    }
    free(frame);
    return 0;
}
