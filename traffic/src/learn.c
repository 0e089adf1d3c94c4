#include "learn.h"

#include "machine/clock.h"
#include "sending/port.h"

/* The router must have taken a round before the next one, which comes by another port. */
#define BETWEEN_ROUNDS_NS NS_PER_MS

static struct transmit *transmit_of(struct trial *t, int port) {
    for (unsigned i = 0; i < t->options->senders; i++)
        for (int k = 0; k < t->senders[i].lane_count; k++)
            if (t->senders[i].lanes[k].interface == t->options->ports[port].interface)
                return &t->senders[i].lanes[k].transmit;
    return NULL;
}

static unsigned frames_of(const struct trial *t, const struct flow *flow) {
    unsigned variants = flow->reply ? (unsigned)flow_variants(flow) : 0;
    return variants > t->options->learn ? variants : t->options->learn;
}

static void send(struct trial *t, int index, const struct flow *flow) {
    const struct options *o = t->options;
    unsigned count = frames_of(t, &o->flows[index]);
    struct template template;
    struct transmit own, *transmit = transmit_of(t, flow->tx);
    template_build(&template, flow, o->size);
    if (transmit) {
        sender_learn(&t->sending, index, &template, transmit, count);
        return;
    }
    /* No flow sends from this port. */
    transmit_open(&own, TRANSMIT_MMSG, t->sending.port_index[flow->tx],
                  o->ports[flow->tx].interface, o->size - FCS_SIZE, 1);
    sender_learn(&t->sending, index, &template, &own, count);
    transmit_close(&own);
}

/* All flows' frames before all replies: connection tracking must have seen those first. */
static void send_round(struct trial *t, bool back, bool opening) {
    const struct options *o = t->options;
    bool sent = false;
    for (int i = 0; i < o->flow_count && !atomic_load(t->sending.stop); i++) {
        const struct flow *flow = &o->flows[i];
        if ((back && !flow->reply) || (opening && !(flow->reply && flow->protocol == PROTOCOL_TCP)))
            continue;
        struct flow one = back ? flow_reply(flow) : *flow;
        if (opening)
            one.tcp_flags = back ? TCP_SYN | TCP_ACK : TCP_SYN;
        send(t, i, &one);
        sent = true;
    }
    if (sent)
        clock_sleep_until(clock_now() + BETWEEN_ROUNDS_NS, t->sending.stop);
}

void learn(struct trial *t) {
    if (!t->options->learn)
        return;
    send_round(t, false, true); /* SYN */
    send_round(t, true, true);  /* SYN and ACK */
    send_round(t, false, false);
    send_round(t, true, false);
}
