#include "result.h"

#include "machine/clock.h"

#include <math.h>
#include <stdlib.h>

/* Steps below this are the two offset readings' own uncertainty. */
#define CLOCK_STEP_NOTICED_NS 5000

static void print_delays(FILE *out, const char *name, const char *from, const struct histogram *h) {
    fprintf(out, "  \"%s\": {\"from\": \"%s\", ", name, from);
    if (h->count == 0) {
        fputs("\"min\": null, \"p50\": null, \"p90\": null, \"p99\": null, \"p999\": null, "
              "\"max\": null, \"mean\": null, \"count\": 0},\n",
              out);
        return;
    }
    fprintf(out,
            "\"min\": %lld, \"p50\": %.0f, \"p90\": %.0f, \"p99\": %.0f, \"p999\": %.0f, "
            "\"max\": %lld, \"mean\": %.1f, \"count\": %llu},\n",
            (long long)h->min, histogram_percentile(h, 0.5), histogram_percentile(h, 0.9),
            histogram_percentile(h, 0.99), histogram_percentile(h, 0.999), (long long)h->max,
            h->sum / (double)h->count, (unsigned long long)h->count);
}

static void print_cpu(FILE *out, const char *name, int cpu) {
    if (cpu < 0)
        fprintf(out, "  \"%s\": null,\n", name);
    else
        fprintf(out, "  \"%s\": %d,\n", name, cpu);
}

static void print_flows(const struct trial *t, FILE *out) {
    const struct options *o = t->options;
    fputs("  \"flows\": [", out);
    for (int i = 0; i < o->flow_count; i++) {
        const struct flow_count *sent = &t->sending.counts[i];
        const struct flow_tally *got = &t->tally.per_flow[i];
        fprintf(out,
                "%s\n    {\"name\": \"%s\", \"intended\": %llu, \"offered\": %llu, "
                "\"received\": %llu, \"duplicates\": %llu, \"reordered\": %llu}",
                i ? "," : "", o->flows[i].name, (unsigned long long)sent->intended,
                (unsigned long long)sent->offered, (unsigned long long)got->received,
                (unsigned long long)got->duplicates, (unsigned long long)got->reordered);
    }
    fputs("\n  ],\n", out);
}

struct sums {
    uint64_t intended, offered, received, duplicates, reordered, errors, refused;
    int64_t first, last, cpu_ns, lateness, stamp_error;
    double stamp_error_sum;
};

static struct sums sum_up(const struct trial *t) {
    struct sums s = {.first = INT64_MAX};
    for (int i = 0; i < t->options->flow_count; i++) {
        s.intended += t->sending.counts[i].intended;
        s.offered += t->sending.counts[i].offered;
        s.received += t->tally.per_flow[i].received;
        s.duplicates += t->tally.per_flow[i].duplicates;
        s.reordered += t->tally.per_flow[i].reordered;
    }
    for (unsigned i = 0; i < t->options->senders; i++) {
        const struct sender *sender = &t->senders[i];
        s.errors += sender->errors;
        s.refused += sender->refused;
        s.cpu_ns += sender->cpu_ns;
        s.stamp_error_sum += sender->stamp_error_sum;
        if (sender->max_lateness > s.lateness)
            s.lateness = sender->max_lateness;
        if (sender->max_stamp_error > s.stamp_error)
            s.stamp_error = sender->max_stamp_error;
        if (sender->offered == 0)
            continue;
        if (sender->first_send < s.first)
            s.first = sender->first_send;
        if (sender->last_send > s.last)
            s.last = sender->last_send;
    }
    return s;
}

/* The methods differ in time a frame, so a mixture must not pass for either of them. */
static const char *send_method(const struct trial *t) {
    enum transmit_method method = TRANSMIT_AUTO;
    for (unsigned i = 0; i < t->options->senders; i++)
        for (int k = 0; k < t->senders[i].lane_count; k++) {
            enum transmit_method found = t->senders[i].lanes[k].transmit.method;
            if (method != TRANSMIT_AUTO && method != found)
                return "mixed";
            method = found;
        }
    return transmit_name(method);
}

/* Only CPUs that lost any: few machines lose it on all of theirs. */
static void print_steal(const struct trial *t, FILE *out) {
    const char *before = "";
    fputs("  \"steal_ticks\": {", out);
    for (int cpu = 0; cpu < STEAL_CPUS; cpu++) {
        if (t->steal.ticks[cpu] == 0)
            continue;
        fprintf(out, "%s\"%d\": %llu", before, cpu, t->steal.ticks[cpu]);
        before = ", ";
    }
    fprintf(out, "},\n  \"steal_window_seconds\": %.6f,\n", (double)t->steal_window_ns / 1e9);
}

static void print_number(FILE *out, const char *name, uint64_t value) {
    fprintf(out, "  \"%s\": %llu,\n", name, (unsigned long long)value);
}

void result_print(const struct trial *t, FILE *out) {
    const struct options *o = t->options;
    struct sums s = sum_up(t);
    fprintf(out, "{\n  \"version\": 1,\n  \"program\": \"ppstraffic %s\",\n  \"size\": %u,\n",
            PPSTRAFFIC_VERSION, o->size);
    if (o->first.rate > 0)
        fprintf(out, "  \"intended_rate\": %.12g,\n", o->first.rate);
    else
        fputs("  \"intended_rate\": null,\n", out);
    fprintf(out, "  \"duration\": %.9g,\n", o->first.duration);
    if (o->then.count)
        fprintf(out, "  \"then\": {\"intended_rate\": %.12g, \"duration\": %.9g},\n", o->then.rate,
                o->then.duration);
    fprintf(out, "  \"aborted\": %s,\n", t->aborted ? "true" : "false");
    if (t->aborted)
        fprintf(out, "  \"reason\": \"%s\",\n", t->reason);
    print_number(out, "intended", s.intended);
    print_number(out, "offered", s.offered);
    print_number(out, "received", s.received);
    print_number(out, "duplicates", s.duplicates);
    print_number(out, "reordered", s.reordered);
    print_number(out, "misdelivered", t->tally.misdelivered);
    print_number(out, "foreign", t->tally.foreign);
    print_number(out, "corrupt", t->tally.corrupt);
    print_number(out, "unrelated", t->tally.unrelated);
    print_number(out, "learning_received", t->tally.learning);
    print_number(out, "send_errors", s.errors);
    print_number(out, "refused", s.refused);
    print_number(out, "kernel_drops", t->receiver.kernel_drops);
    fprintf(out, "  \"send_seconds\": %.9f,\n", s.offered ? (double)(s.last - s.first) / 1e9 : 0);
    fprintf(out, "  \"send_cpu_seconds\": %.9f,\n", (double)s.cpu_ns / 1e9);
    if (o->kthreads_proc)
        fprintf(out, "  \"kernel_thread_seconds\": %.9f,\n  \"kernel_chores_seconds\": %.9f,\n",
                (double)t->kthreads_used.all / 1e9, (double)t->kthreads_used.chores / 1e9);
    fprintf(out, "  \"elapsed_seconds\": %.6f,\n", t->elapsed_seconds);
    print_steal(t, out);
    fprintf(out, "  \"max_lateness_ns\": %lld,\n", (long long)s.lateness);
    fprintf(out, "  \"stamp_error_ns\": {\"mean\": %.0f, \"max\": %lld},\n",
            s.offered ? s.stamp_error_sum / (double)s.offered : 0, (long long)s.stamp_error);
    if (llabs(t->clock_step_ns) > CLOCK_STEP_NOTICED_NS)
        fprintf(out, "  \"clock_step_ns\": %lld,\n", (long long)t->clock_step_ns);
    print_delays(out, "delay_ns", "intended", &t->tally.from_intended);
    print_delays(out, "delay_actual_ns", "actual", &t->tally.from_actual);
    print_flows(t, out);
    fprintf(out, "  \"send_method\": \"%s\",\n", send_method(t));
    print_cpu(out, "tx_cpu", o->tx_cpu);
    print_cpu(out, "rx_cpu", o->rx_cpu);
    fputs("  \"clock\": \"CLOCK_MONOTONIC\"\n}\n", out);
}
