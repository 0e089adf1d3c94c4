"""What the articles claim, and the verdict of a run on each claim.

A verdict is one of four: reproduced, contradicted, inconclusive, not testable here.  It is judged
by the whole 95 % interval, and a difference that is smaller than the reference condition's
difference from itself (the A/A interval of the same run) is none.
"""

from ppslab.claims.judging import MOST_SHOWN, judge_all, judge_run, judge_tcp
from ppslab.claims.verdicts import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
    Judged,
    Verdict,
)
from ppslab.claims.words import (
    AtLeast,
    AtMost,
    Claim,
    Costs,
    Document,
    Judge,
    LineRate,
    LittleChange,
    NotTestable,
    Order,
    Ratio,
    SizeIndependent,
    load,
)

__all__ = [
    "CONTRADICTED",
    "INCONCLUSIVE",
    "MOST_SHOWN",
    "NOT_TESTABLE",
    "REPRODUCED",
    "AtLeast",
    "AtMost",
    "Claim",
    "Costs",
    "Document",
    "Judge",
    "Judged",
    "LineRate",
    "LittleChange",
    "NotTestable",
    "Order",
    "Ratio",
    "SizeIndependent",
    "Verdict",
    "judge_all",
    "judge_run",
    "judge_tcp",
    "load",
]
