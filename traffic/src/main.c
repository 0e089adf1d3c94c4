/* ppstraffic: sends frames, receives them again, and says what became of them. */
#include "hex.h"
#include "machine/error.h"
#include "receiving/record.h"
#include "result.h"
#include "sending/options.h"
#include "trial.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* Set by a signal, read by every thread. */
static atomic_bool stop;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may take no lock");

static void on_signal(int number) {
    (void)number;
    stop = true;
}

static int run(int argc, char **argv) {
    static struct options options;
    static struct trial trial;
    struct sigaction action = {.sa_handler = on_signal};
    options_parse(&options, argc, argv, false);
    /* No SA_RESTART: a sleep must end at once. */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    trial_run(&trial, &options, &stop);
    result_print(&trial, stdout);
    if (fflush(stdout) != 0)
        fail(EXIT_TRIAL, "the result could not be written");
    if (trial.aborted)
        fail(EXIT_TRIAL, "the trial failed: %s", trial.reason);
    trial_free(&trial);
    return EXIT_DONE;
}

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    if (!strcmp(command, "run"))
        return run(argc - 1, argv + 1);
    if (!strcmp(command, "--help") || !strcmp(command, "-h") || !strcmp(command, "help")) {
        options_help(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(command, "--version")) {
        puts("ppstraffic " PPSTRAFFIC_VERSION);
        return EXIT_DONE;
    }
    if (!strcmp(command, "dump")) {
        static struct options options;
        options_parse(&options, argc - 1, argv + 1, true);
        hex_dump(&options, stdout);
        return EXIT_DONE;
    }
    if (!strcmp(command, "parse") && argc == 2) {
        hex_parse(stdin, stdout);
        return EXIT_DONE;
    }
    if (!strcmp(command, "replay")) {
        if (argc != 3)
            fail(EXIT_USAGE, "replay needs one frames file");
        record_replay(argv[2], stdout);
        return EXIT_DONE;
    }
    if (argc < 2)
        fail(EXIT_USAGE, "a command is missing: run, replay, dump or parse");
    fail(EXIT_USAGE, "unknown command '%s'", command);
}
