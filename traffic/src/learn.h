/* Learning frames, before the trial (RFC 2544 section 23): each flow's first, then the replies. */
#pragma once

#include "trial.h"

/* Sends `--learn` frames of each flow, and of one that is replied to at least one of each of its
 * connections, there and back; TCP opens those with its handshake. Nothing where --learn is 0. */
void learn(struct trial *t);
