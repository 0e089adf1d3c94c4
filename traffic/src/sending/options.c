#include "sending/options.h"

#include "frames/frame.h"
#include "machine/error.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

void options_help(FILE *out) {
    fputs("ppstraffic sends UDP or TCP frames, receives them again, and says what became of them.\n"
          "\n"
          "  ppstraffic run --size BYTES --rate PPS|max --duration SECONDS\n"
          "                 --port NAME=INTERFACE... --flow KEY=VALUE,...\n"
          "  ppstraffic replay FILE          a frames file as CSV\n"
          "  ppstraffic dump --size BYTES --count N --flow ...   frames as hex, one a line\n"
          "  ppstraffic parse                hex from stdin, what the receiver reads in it\n"
          "  ppstraffic --version | --help\n"
          "\n"
          "Load\n"
          "  --size BYTES        frame size with FCS, 64 to 9216 (IPv6 from 84, TCP 76 and 96,\n"
          "                      4 more with a VLAN tag)\n"
          "  --rate PPS|max      frames a second over all flows, or as fast as possible\n"
          "  --duration SECONDS  how long to send\n"
          "  --count FRAMES      how many frames to send, instead of or below --duration\n"
          "  --then PPS:SECONDS  a second load, without a pause after the first\n"
          "  --port NAME=IFACE   a test port; flows call it NAME\n"
          "  --flow KEY=VALUE,.. name tx rx src-mac dst-mac src dst sport dport\n"
          "                      [sport-count src-count dst-count: the field steps through N "
          "values]\n"
          "                      [sport-random src-random ...=SEED: it is drawn from them]\n"
          "                      [hold: frames in a row with the same values]\n"
          "                      [weight: turns a round] [reply-src-mac reply-dst-mac: learning\n"
          "                      also sends the reversed flow from rx, once a connection]\n"
          "                      [reply-src reply-dst: its addresses, behind translation]\n"
          "                      [protocol: 17 (UDP), 6 (TCP), 253 or 254] [ttl: 1 to 255 (64)]\n"
          "                      [vlan: 1 to 4094; without: no tag]\n"
          "Trial (RFC 2544 section 23)\n"
          "  --learn N           frames a flow before the trial, not counted (0)\n"
          "  --settle MS         wait after learning (50)\n"
          "  --drain MS          wait after the last frame (200)\n"
          "  --frames FILE       write a record of every received frame\n"
          "Machine\n"
          "  --tx-cpu N          CPU of the first sender; further senders take the next ones\n"
          "  --rx-cpu N          CPU of the receiver\n"
          "  --senders N         sending threads, which share out the flows (1)\n"
          "  --burst N           most frames a system call, 1 to 1024 (32)\n"
          "  --send METHOD       xdp, mmsg, or auto: xdp where it can be had (auto)\n"
          "  --ring-mb N         receive ring over all ports (as the trial needs, at most 256)\n"
          "  --sleep             sleep until a frame is due, do not spin: later, but a CPU for "
          "others\n"
          "  --kernel-threads PROC   wait until the kernel's threads rest and say what they used;\n"
          "                      PROC is the machine's own /proc, which shows them\n"
          "\n"
          "The result is one JSON object on stdout. Exit: 0 done, 1 the trial failed,\n"
          "2 wrong usage, 3 this machine cannot (no permission, no packet sockets).\n",
          out);
}

static double number(const char *flag, const char *text, double low, double high) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(value) || value < low || value > high)
        fail(EXIT_USAGE, "--%s %s: a number from %.10g to %.10g is needed", flag, text, low, high);
    return value;
}

static uint64_t whole(const char *flag, const char *text, double low, double high) {
    double value = number(flag, text, low, high);
    if (value != floor(value))
        fail(EXIT_USAGE, "--%s %s: a whole number is needed", flag, text);
    return (uint64_t)value;
}

static void add_port(struct options *o, const char *text) {
    const char *equals = strchr(text, '=');
    struct port port = {0};
    if (!equals || equals - text >= NAME_SIZE)
        fail(EXIT_USAGE, "--port %s: write it as NAME=INTERFACE, such as p1=eth1", text);
    memcpy(port.name, text, (size_t)(equals - text));
    if (!name_valid(port.name) || !*(equals + 1) || strlen(equals + 1) > 15)
        fail(EXIT_USAGE, "--port %s: write it as NAME=INTERFACE, such as p1=eth1", text);
    strcpy(port.interface, equals + 1);
    if (o->port_count == MAX_PORTS)
        fail(EXIT_USAGE, "--port: at most %d ports", MAX_PORTS);
    for (int i = 0; i < o->port_count; i++)
        if (!strcmp(o->ports[i].name, port.name) || !strcmp(o->ports[i].interface, port.interface))
            fail(EXIT_USAGE, "--port %s: the name or the interface is already taken", text);
    o->ports[o->port_count++] = port;
}

static void add_flow(struct options *o, const char *text) {
    if (o->flow_count == MAX_FLOWS)
        fail(EXIT_USAGE, "--flow: at most %d flows", MAX_FLOWS);
    struct flow *flow = &o->flows[o->flow_count];
    flow_parse(flow, text);
    for (int i = 0; i < o->flow_count; i++)
        if (!strcmp(o->flows[i].name, flow->name))
            fail(EXIT_USAGE, "--flow: the name '%s' is given twice", flow->name);
    o->flow_count++;
}

static int port_index(const struct options *o, const struct flow *flow, const char *name) {
    for (int i = 0; i < o->port_count; i++)
        if (!strcmp(o->ports[i].name, name))
            return i;
    fail(EXIT_USAGE, "--flow %s: no --port is called '%s'", flow->name, name);
}

static enum transmit_method parse_method(const char *text) {
    for (int method = TRANSMIT_AUTO; method <= TRANSMIT_MMSG; method++)
        if (!strcmp(transmit_name((enum transmit_method)method), text))
            return (enum transmit_method)method;
    fail(EXIT_USAGE, "--send %s: xdp, mmsg or auto", text);
}

static struct step parse_then(const char *text) {
    const char *colon = strchr(text, ':');
    char rate[32] = {0};
    if (!colon || colon == text || colon - text >= (int)sizeof rate)
        fail(EXIT_USAGE, "--then %s: write it as PPS:SECONDS, such as 5000:1.5", text);
    memcpy(rate, text, (size_t)(colon - text));
    return (struct step){.rate = number("then", rate, 0.001, 1e9),
                         .duration = number("then", colon + 1, 1e-6, 86400)};
}

/* A step of a set rate ends where its last frame's turn ends, which may be a part of a frame off
 * what was asked for. */
static void fit(struct step *step) {
    double frames = round(step->rate * step->duration);
    if (frames > 0 && (step->count == 0 || (double)step->count > frames))
        step->count = (uint64_t)frames;
    else if (step->count == 0)
        step->count = 1;
    step->duration = (double)step->count / step->rate;
    step->period = 1e9 / step->rate;
}

static void check_load(struct options *o, bool rate_given, bool then_given) {
    struct step *first = &o->first;
    if (!rate_given)
        fail(EXIT_USAGE, "--rate is missing: frames a second, or max");
    if (first->duration == 0 && first->count == 0)
        fail(EXIT_USAGE, "--duration (seconds) or --count (frames) is missing");
    if (then_given && first->rate == 0)
        fail(EXIT_USAGE, "--then: needs a --rate in frames a second, not max");
    if (first->duration == 0)
        /* Even if nothing can be sent, the program must end. */
        first->duration = first->rate > 0 ? (double)first->count / first->rate : 60;
    if (first->rate > 0)
        fit(first);
    if (then_given)
        fit(&o->then);
    o->count = first->count + o->then.count;
    if (o->count >= LEARNING_SEQUENCE)
        fail(EXIT_USAGE, "%llu frames are too many for one trial: at most %u",
             (unsigned long long)o->count, LEARNING_SEQUENCE - 1);
}

static void check_flows(struct options *o, bool dump) {
    if (o->size == 0)
        fail(EXIT_USAGE, "--size is missing: the frame size with FCS, 64 to 9216");
    if (o->flow_count == 0)
        fail(EXIT_USAGE, "--flow is missing: what is to be sent?");
    for (int i = 0; i < o->flow_count; i++) {
        struct flow *flow = &o->flows[i];
        if (o->size < frame_min_size(flow))
            fail(EXIT_USAGE, "--size %u: flow %s: Ethernet, %s, %s and the signature need %u",
                 o->size, flow->name, flow->ipv6 ? "IPv6" : "IPv4",
                 flow->protocol == PROTOCOL_TCP ? "TCP" : "UDP", frame_min_size(flow));
        if (dump)
            continue;
        flow->tx = port_index(o, flow, flow->tx_name);
        flow->rx = port_index(o, flow, flow->rx_name);
        if (flow->tx == flow->rx)
            fail(EXIT_USAGE, "--flow %s: sends and receives at the same port", flow->name);
    }
}

static const struct option flags[] = {
    {"size", 1, NULL, 's'},           {"rate", 1, NULL, 'r'},    {"duration", 1, NULL, 'd'},
    {"count", 1, NULL, 'c'},          {"port", 1, NULL, 'p'},    {"flow", 1, NULL, 'f'},
    {"learn", 1, NULL, 'l'},          {"settle", 1, NULL, 'w'},  {"drain", 1, NULL, 'D'},
    {"tx-cpu", 1, NULL, 't'},         {"rx-cpu", 1, NULL, 'x'},  {"senders", 1, NULL, 'n'},
    {"burst", 1, NULL, 'b'},          {"ring-mb", 1, NULL, 'm'}, {"frames", 1, NULL, 'o'},
    {"first", 1, NULL, 'q'},          {"send", 1, NULL, 'e'},    {"then", 1, NULL, 'T'},
    {"kernel-threads", 1, NULL, 'k'}, {"sleep", 0, NULL, 'z'},   {NULL, 0, NULL, 0},
};

void options_parse(struct options *o, int argc, char **argv, bool dump) {
    *o = (struct options){
        .settle_ms = 50, .drain_ms = 200, .senders = 1, .burst = 32, .tx_cpu = -1, .rx_cpu = -1};
    bool rate_given = false, then_given = false;
    int flag, index = 0;
    opterr = 0;
    while ((flag = getopt_long(argc, argv, ":", flags, &index)) != -1) {
        const char *name = flags[index].name, *text = optarg;
        switch (flag) {
        case 's':
            o->size = (unsigned)whole(name, text, MIN_SIZE, MAX_SIZE);
            break;
        case 'r':
            rate_given = true;
            o->first.rate = strcmp(text, "max") ? number(name, text, 0.001, 1e9) : 0;
            break;
        case 'd':
            o->first.duration = number(name, text, 1e-6, 86400);
            break;
        case 'T':
            then_given = true;
            o->then = parse_then(text);
            break;
        case 'c':
            o->first.count = whole(name, text, 1, LEARNING_SEQUENCE - 1);
            break;
        case 'p':
            add_port(o, text);
            break;
        case 'f':
            add_flow(o, text);
            break;
        case 'l':
            o->learn = (unsigned)whole(name, text, 0, 1e6);
            break;
        case 'w':
            o->settle_ms = (unsigned)whole(name, text, 0, 60000);
            break;
        case 'D':
            o->drain_ms = (unsigned)whole(name, text, 0, 60000);
            break;
        case 't':
            o->tx_cpu = (int)whole(name, text, 0, CPU_SETSIZE - 1);
            break;
        case 'x':
            o->rx_cpu = (int)whole(name, text, 0, CPU_SETSIZE - 1);
            break;
        case 'n':
            o->senders = (unsigned)whole(name, text, 1, 64);
            break;
        case 'b':
            o->burst = (unsigned)whole(name, text, 1, 1024);
            break;
        case 'm':
            o->ring_mb = (unsigned)whole(name, text, 1, 4096);
            break;
        case 'o':
            o->frames_path = text;
            break;
        case 'k':
            o->kthreads_proc = text;
            break;
        case 'z':
            o->sleep = true;
            break;
        case 'e':
            o->method = parse_method(text);
            break;
        case 'q':
            o->first_sequence = whole(name, text, 0, UINT32_MAX);
            break;
        case ':':
            fail(EXIT_USAGE, "%s needs a value", argv[optind - 1]);
        default:
            fail(EXIT_USAGE, "unknown flag '%s'", argv[optind - 1]);
        }
    }
    if (optind < argc)
        fail(EXIT_USAGE, "'%s' is too much: every value follows a --flag", argv[optind]);
    if (dump)
        o->count = o->first.count ? o->first.count : 1;
    else
        check_load(o, rate_given, then_given);
    check_flows(o, dump);
}
