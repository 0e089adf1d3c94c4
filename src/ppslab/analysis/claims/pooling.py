"""The newest runs of a lab taken together: one question from what each of them says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ppslab.analysis.claims.deciding import Band, Difference, Question, Size, Steps
from ppslab.theory.statistics.pooling import pooled, pooled_ratio

FULL = 3
"""So many runs a verdict rests on, the newest ones; where there are fewer, it says so."""


def together(asked: Sequence[Question]) -> Question:
    """The same question of several runs, newest first, with their pooled interval."""
    newest = asked[0]
    if len(asked) == 1:
        return newest
    if isinstance(newest, Steps):
        all_steps = [cast(Steps, each).steps for each in asked]
        ratios = [pooled_ratio([step[0] for step in run]) for run in zip(*all_steps, strict=True)]
        texts = [text for _, text in newest.steps]
        return replace(newest, steps=tuple(zip(ratios, texts, strict=True)))
    intervals = [cast(Size | Band | Difference, each).found for each in asked]
    if isinstance(newest, Size) or (isinstance(newest, Band) and newest.of_ratio):
        return replace(newest, found=pooled_ratio(intervals))
    found_one = pooled(intervals)
    if isinstance(newest, Band):
        found_one = replace(found_one, low=max(0.0, found_one.low))
    return replace(newest, found=found_one)


def as_it_repeats(question: Question, repeats: float) -> Question:
    """The question, no ratio of which is nearer to a bound than runs are to one another.

    `repeats`: the factor that they differ by; the interval of many rounds shrinks to less.
    """
    if isinstance(question, Steps):
        steps = tuple((found.as_wide_as(repeats), text) for found, text in question.steps)
        return replace(question, steps=steps)
    if isinstance(question, Size) or (isinstance(question, Band) and question.of_ratio):
        return replace(question, found=question.found.as_wide_as(repeats))
    return question
