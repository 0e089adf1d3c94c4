#include "machine/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(enum exit_code code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("ppstraffic: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (code == EXIT_USAGE)
        fputs("Try 'ppstraffic --help'.\n", stderr);
    exit(code);
}
