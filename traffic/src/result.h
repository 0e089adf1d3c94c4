/* The result of a trial as one JSON object. README.md says what every field means. */
#pragma once

#include "trial.h"

void result_print(const struct trial *t, FILE *out);
