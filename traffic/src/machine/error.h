/* How ppstraffic ends when it cannot go on: one message on stderr, one exit code. */
#pragma once

enum exit_code {
    EXIT_DONE = 0,   /* the trial ran and its result is on stdout */
    EXIT_TRIAL = 1,  /* the trial failed or was interrupted */
    EXIT_USAGE = 2,  /* wrong flags or a bad file */
    EXIT_CANNOT = 3, /* this machine cannot: no permission, no AF_PACKET */
};

__attribute__((noreturn, format(printf, 2, 3))) void fail(enum exit_code code, const char *format,
                                                          ...);
