"""Our searches against the code in the appendices of the MLRsearch document.

`classification` and `conditional_throughput` hold, word for word, the two listings of
draft-ietf-bmwg-mlrsearch-15 (RFC 9971), appendices "Load Classification Code" and "Conditional
Throughput Code", by M. Konstantynowicz and V. Polak:
https://github.com/FDio/csit/blob/master/docs/ietf/draft-ietf-bmwg-mlrsearch-15.md

Code Components of IETF documents are under the Revised BSD License (Trust Legal Provisions 4):

Copyright (c) 2025 IETF Trust and the persons identified as authors of the code.
All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted
provided that the following conditions are met:

- Redistributions of source code must retain the above copyright notice, this list of conditions
  and the following disclaimer.
- Redistributions in binary form must reproduce the above copyright notice, this list of conditions
  and the following disclaimer in the documentation and/or other materials provided with the
  distribution.
- Neither the name of Internet Society, IETF or IETF Trust, nor the names of specific contributors,
  may be used to endorse or promote products derived from this software without specific prior
  written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR
IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER
IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF
THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Trial:
    duration: float
    loss_ratio: float

    @property
    def effect_duration(self) -> float:
        return self.duration


@dataclass(frozen=True)
class Goal:
    final: float
    duration_sum: float
    loss: float
    exceed: float


def sums(trials: Sequence[Trial], goal: Goal) -> tuple[float, float, float, float]:
    """The sums that both listings expect: full-length low and high loss, short low and high."""

    def of(*, full: bool, high: bool) -> float:
        return sum(
            trial.effect_duration
            for trial in trials
            if (trial.duration >= goal.final) == full and (trial.loss_ratio > goal.loss) == high
        )

    return (
        of(full=True, high=False),
        of(full=True, high=True),
        of(full=False, high=False),
        of(full=False, high=True),
    )


def classification(trials: Sequence[Trial], goal: Goal) -> tuple[bool, bool]:
    """Appendix A: whether the load is a lower bound, optimistically and pessimistically."""
    goal_duration_s, goal_exceed_ratio = goal.duration_sum, goal.exceed
    (
        full_length_low_loss_s,
        full_length_high_loss_s,
        short_low_loss_s,
        short_high_loss_s,
    ) = sums(trials, goal)
    # <CODE BEGINS>
    exceed_coefficient = goal_exceed_ratio / (1.0 - goal_exceed_ratio)
    balancing_s = short_low_loss_s * exceed_coefficient
    positive_excess_s = max(0.0, short_high_loss_s - balancing_s)
    effect_high_loss_s = full_length_high_loss_s + positive_excess_s
    effect_full_length_s = full_length_low_loss_s + effect_high_loss_s
    effect_whole_s = max(effect_full_length_s, goal_duration_s)
    quantile_duration_s = effect_whole_s * goal_exceed_ratio
    pessimistic_high_loss_s = effect_whole_s - full_length_low_loss_s
    pessimistic_is_lower = pessimistic_high_loss_s <= quantile_duration_s
    optimistic_is_lower = effect_high_loss_s <= quantile_duration_s
    # <CODE ENDS>
    return optimistic_is_lower, pessimistic_is_lower


def conditional_throughput(trials: Sequence[Trial], goal: Goal, intended_load: float) -> float:
    """Appendix B."""
    goal_duration_s, goal_exceed_ratio = goal.duration_sum, goal.exceed
    full_length_low_loss_s, full_length_high_loss_s, *_ = sums(trials, goal)
    full_length_trials = sorted(
        (trial for trial in trials if trial.duration >= goal.final), key=lambda t: t.loss_ratio
    )
    # <CODE BEGINS>
    full_length_s = full_length_low_loss_s + full_length_high_loss_s
    whole_s = max(goal_duration_s, full_length_s)
    remaining = whole_s * (1.0 - goal_exceed_ratio)
    quantile_loss_ratio = None
    for trial in full_length_trials:
        if quantile_loss_ratio is None or remaining > 0.0:
            quantile_loss_ratio = trial.loss_ratio
            remaining -= trial.effect_duration
        else:
            break
    else:
        if remaining > 0.0:
            quantile_loss_ratio = 1.0
    conditional_throughput = intended_load * (1.0 - quantile_loss_ratio)
    # <CODE ENDS>
    return conditional_throughput
