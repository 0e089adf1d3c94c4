#include "hex.h"

#include "frames/frame.h"
#include "frames/turns.h"
#include "machine/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void hex_dump(const struct options *o, FILE *out) {
    static struct template templates[MAX_FLOWS];
    uint64_t sent[MAX_FLOWS] = {0};
    struct turns turns = turns_make(o->flows, o->flow_count);
    uint8_t frame[MAX_SIZE + TEMPLATE_SIZE] = {0};
    for (int i = 0; i < o->flow_count; i++)
        template_build(&templates[i], &o->flows[i], o->size);
    for (uint64_t i = 0; i < o->count; i++) {
        uint8_t flow = turns.flows[i % turns.length];
        struct signature s = {
            .tag = 0x2a,
            .flow = flow,
            .sequence = (uint32_t)(o->first_sequence + sent[flow]++),
            .intended_ns = o->first.rate > 0
                               ? (uint64_t)((double)i * 1e9 / o->first.rate) & MAX_INTENDED_NS
                               : 0,
            .lateness_ns = (uint32_t)(i * 2654435761u),
        };
        template_write(&templates[flow], frame, &s);
        for (unsigned k = 0; k < templates[flow].length; k++)
            fprintf(out, "%02x", frame[k]);
        fputc('\n', out);
    }
    turns_free(&turns);
}

static int digit(int c) {
    return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

static size_t decode(const char *line, uint8_t *frame, size_t limit, int number) {
    size_t length = 0;
    for (; isxdigit((unsigned char)line[0]) && isxdigit((unsigned char)line[1]); line += 2) {
        if (length == limit)
            fail(EXIT_USAGE, "stdin:%d: longer than %zu bytes", number, limit);
        frame[length++] =
            (uint8_t)(digit((unsigned char)line[0]) << 4 | digit((unsigned char)line[1]));
    }
    if (line[strspn(line, " \t\r\n")] != '\0')
        fail(EXIT_USAGE, "stdin:%d: not an even number of hex digits", number);
    return length;
}

void hex_parse(FILE *in, FILE *out) {
    static const char *const verdicts[] = {"ours", "unrelated", "corrupt"};
    char *line = NULL;
    size_t space = 0;
    uint8_t frame[MAX_SIZE];
    for (int number = 1; getline(&line, &space, in) > 0; number++) {
        size_t length = decode(line, frame, sizeof frame, number);
        size_t captured = length < CAPTURE_SIZE ? length : CAPTURE_SIZE;
        struct signature s = {0};
        enum frame_verdict verdict = frame_parse(frame, captured, length, true, &s);
        fprintf(out,
                "{\"verdict\": \"%s\", \"tag\": %u, \"flow\": %u, \"sequence\": %u, "
                "\"intended_ns\": %llu, \"lateness_ns\": %u}\n",
                verdicts[verdict], s.tag, s.flow, s.sequence, (unsigned long long)s.intended_ns,
                s.lateness_ns);
    }
    free(line);
}
