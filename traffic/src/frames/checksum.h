/* The Internet checksum (RFC 1071), as a running sum of big-endian 16-bit words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Adds `length` bytes; an odd last byte counts as the high half of a word. */
static inline uint32_t checksum_add(uint32_t sum, const uint8_t *bytes, size_t length) {
    for (; length > 1; bytes += 2, length -= 2)
        sum += (uint32_t)bytes[0] << 8 | bytes[1];
    return length ? sum + ((uint32_t)bytes[0] << 8) : sum;
}

/* Adds the change of one 32-bit field: RFC 1624, equation 3, without the final fold. */
static inline uint32_t checksum_replace(uint32_t sum, uint32_t from, uint32_t to) {
    return sum + (~from >> 16) + (~from & 0xffff) + (to >> 16) + (to & 0xffff);
}

static inline uint16_t checksum_fold(uint32_t sum) {
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return (uint16_t)~sum;
}

static inline void put16(uint8_t *p, uint32_t v) {
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void put32(uint8_t *p, uint32_t v) {
    put16(p, v >> 16);
    put16(p + 2, v);
}

static inline uint16_t get16(const uint8_t *p) {
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get32(const uint8_t *p) {
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}
