#include "receiving/record.h"

#include "machine/error.h"
#include "sending/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records gather in memory; the file is touched once in a million frames. */
enum { BUFFERED = 1 << 20 };

struct record {
    const char *path;
    char *partial;
    FILE *file;
    const struct options *options;
    uint64_t count;
    size_t buffered;
    struct record_frame *buffer;
};

struct header {
    char magic[8];
    uint32_t version, header_size, record_size;
    uint16_t ports, flows;
    uint64_t records;
    uint32_t frame_size, zero;
    int64_t epoch;
    double rate;
    uint64_t count;
    double then_rate;
    uint64_t then_count;
};

struct flow_header {
    char name[NAME_SIZE];
    uint64_t intended, offered;
    uint32_t weight;
    uint8_t tx, rx, zero[2];
};

_Static_assert(sizeof(struct header) == 80 && sizeof(struct flow_header) == 56 &&
                   sizeof(struct record_frame) == 32,
               "the file format has no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structs are written as they are");

static size_t header_size(int ports, int flows) {
    return sizeof(struct header) + (size_t)ports * NAME_SIZE +
           (size_t)flows * sizeof(struct flow_header);
}

static void write_all(struct record *r, const void *data, size_t size) {
    if (size && fwrite(data, size, 1, r->file) != 1) {
        int error = errno;
        unlink(r->partial);
        fail(EXIT_TRIAL, "%s: %s", r->path, strerror(error));
    }
}

static void write_header(struct record *r, int64_t epoch, const struct flow_count *counts) {
    const struct options *o = r->options;
    struct header header = {
        .magic = "PPSFRAME",
        .version = RECORD_VERSION,
        .header_size = (uint32_t)header_size(o->port_count, o->flow_count),
        .record_size = sizeof(struct record_frame),
        .ports = (uint16_t)o->port_count,
        .flows = (uint16_t)o->flow_count,
        .records = r->count,
        .frame_size = o->size,
        .epoch = epoch,
        .rate = o->first.rate,
        .count = o->first.count,
        .then_rate = o->then.rate,
        .then_count = o->then.count,
    };
    write_all(r, &header, sizeof header);
    for (int i = 0; i < o->port_count; i++)
        write_all(r, o->ports[i].name, NAME_SIZE);
    for (int i = 0; i < o->flow_count; i++) {
        struct flow_header flow = {.weight = o->flows[i].weight,
                                   .tx = (uint8_t)o->flows[i].tx,
                                   .rx = (uint8_t)o->flows[i].rx};
        memcpy(flow.name, o->flows[i].name, NAME_SIZE);
        if (counts) {
            flow.intended = counts[i].intended;
            flow.offered = counts[i].offered;
        }
        write_all(r, &flow, sizeof flow);
    }
}

struct record *record_open(const char *path, const struct options *options) {
    struct record *r = calloc(1, sizeof *r);
    if (!r || asprintf(&r->partial, "%s.partial", path) < 0 ||
        !(r->buffer = malloc(BUFFERED * sizeof *r->buffer)))
        fail(EXIT_TRIAL, "out of memory");
    r->path = path;
    r->options = options;
    r->file = fopen(r->partial, "we");
    if (!r->file)
        fail(EXIT_USAGE, "--frames %s: %s", path, strerror(errno));
    /* Pages that are first touched while frames arrive would cost a fault each. */
    memset(r->buffer, 0, BUFFERED * sizeof *r->buffer);
    write_header(r, 0, NULL);
    return r;
}

static void flush(struct record *r) {
    write_all(r, r->buffer, r->buffered * sizeof *r->buffer);
    r->buffered = 0;
}

void record_add(struct record *r, const struct record_frame *frame) {
    r->buffer[r->buffered++] = *frame;
    r->count++;
    if (r->buffered == BUFFERED)
        flush(r);
}

void record_close(struct record *r, int64_t epoch, const struct flow_count *counts) {
    flush(r);
    if (fseek(r->file, 0, SEEK_SET) < 0)
        fail(EXIT_TRIAL, "%s: %s", r->path, strerror(errno));
    write_header(r, epoch, counts);
    if (fflush(r->file) || fsync(fileno(r->file)) || fclose(r->file) || rename(r->partial, r->path))
        fail(EXIT_TRIAL, "%s: %s", r->path, strerror(errno));
    free(r->partial);
    free(r->buffer);
    free(r);
}

static void read_all(const char *path, FILE *file, void *out, size_t size) {
    if (fread(out, size, 1, file) != 1)
        fail(EXIT_USAGE, "%s: the file ends too early", path);
}

static void print_frame(FILE *out, const struct record_frame *f, const char *flow,
                        const char *port) {
    static const char *const names[] = {"duplicate", "reordered", "misdelivered",
                                        "foreign",   "corrupt",   "learning"};
    const char *verdict = "received";
    for (int bit = 0; bit < 6; bit++)
        if (f->flags & 1 << bit)
            verdict = names[bit];
    fprintf(out, "%s,%s,%u,%llu,%llu,%lld,%u,%s\n", flow, port, f->sequence,
            (unsigned long long)f->intended_ns,
            (unsigned long long)(f->intended_ns + f->lateness_ns), (long long)f->received_ns,
            f->length, verdict);
}

void record_replay(const char *path, FILE *out) {
    FILE *file = fopen(path, "re");
    struct header header;
    if (!file)
        fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
    read_all(path, file, &header, sizeof header);
    if (memcmp(header.magic, "PPSFRAME", 8) != 0)
        fail(EXIT_USAGE, "%s: no frames file of ppstraffic", path);
    if (header.version != RECORD_VERSION || header.record_size != sizeof(struct record_frame) ||
        header.ports > MAX_PORTS || header.flows > MAX_FLOWS ||
        header.header_size != header_size(header.ports, header.flows))
        fail(EXIT_USAGE, "%s: version %u of the format; this program reads version %d", path,
             header.version, RECORD_VERSION);
    char ports[MAX_PORTS][NAME_SIZE];
    struct flow_header flows[MAX_FLOWS];
    for (int i = 0; i < header.ports; i++)
        read_all(path, file, ports[i], NAME_SIZE);
    for (int i = 0; i < header.flows; i++)
        read_all(path, file, &flows[i], sizeof flows[i]);
    fputs("flow,port,sequence,intended_ns,actual_ns,received_ns,size,verdict\n", out);
    for (uint64_t i = 0; i < header.records; i++) {
        struct record_frame frame;
        read_all(path, file, &frame, sizeof frame);
        bool known =
            frame.flow < header.flows && !(frame.flags & (RECORD_FOREIGN | RECORD_CORRUPT));
        char flow[NAME_SIZE + 1] = {0}, port[NAME_SIZE + 1] = {0};
        if (known)
            memcpy(flow, flows[frame.flow].name, NAME_SIZE);
        if (frame.port < header.ports)
            memcpy(port, ports[frame.port], NAME_SIZE);
        print_frame(out, &frame, flow, port);
    }
    fclose(file);
}
