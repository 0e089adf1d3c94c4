#include "sending/transmit.h"

#include "machine/error.h"

void transmit_open(struct transmit *t, enum transmit_method method, int ifindex,
                   const char *interface, unsigned length, unsigned burst) {
    *t = (struct transmit){.method = TRANSMIT_XDP, .burst = burst, .length = length};
    if (method != TRANSMIT_MMSG) {
        const char *missing = xdp_open(t, ifindex);
        if (!missing)
            return;
        if (method == TRANSMIT_XDP)
            fail(EXIT_CANNOT, "%s: --send xdp: %s", interface, missing);
    }
    t->method = TRANSMIT_MMSG;
    t->burst = burst;
    mmsg_open(t, ifindex, interface);
}

void transmit_close(struct transmit *t) {
    if (t->method == TRANSMIT_XDP)
        xdp_close(t);
    else
        mmsg_close(t);
}

uint8_t *transmit_slot(const struct transmit *t, unsigned index) {
    return t->method == TRANSMIT_XDP ? xdp_slot(t, index) : t->slots + index * t->stride;
}

unsigned transmit_send(struct transmit *t, unsigned count, struct transmit_end *end) {
    return t->method == TRANSMIT_XDP ? xdp_send(t, count, end) : mmsg_send(t, count, end);
}

const char *transmit_name(enum transmit_method method) {
    return method == TRANSMIT_XDP ? "xdp" : method == TRANSMIT_MMSG ? "mmsg" : "auto";
}
