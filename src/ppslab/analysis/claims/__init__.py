"""What the articles claim, and the verdict of a run on each claim.

Two words tell what became of a claim.  The verdict: reproduced, direction only, contradicted,
inconclusive, not testable here.  The evidence: a RouterOS router, times or counted instructions of
the stand-in, counted events, arithmetic on the published numbers, or what we built in ourselves.

A measured verdict rests on the newest three runs together (`pooling`); the whole 95 % interval
decides it (`deciding`), which is at least as wide as the reference condition's difference from
itself (the A/A interval of the same run).  `agreement.yml` says when a size agrees.
"""

from ppslab.analysis.claims.arithmetic import Equation, LineRate
from ppslab.analysis.claims.judging import MOST_SHOWN, judge_all, judge_run, judge_tcp
from ppslab.analysis.claims.reading import load, titles
from ppslab.analysis.claims.runs import Runs
from ppslab.analysis.claims.schema import (
    AtLeast,
    AtMost,
    Claim,
    ClaimsSpec,
    Costs,
    Judge,
    LittleChange,
    NotTestable,
    Order,
    RateRatio,
    Ratio,
    SizeIndependent,
)
from ppslab.analysis.claims.verdicts import (
    ARITHMETIC,
    BY_CONSTRUCTION,
    CONTRADICTED,
    COUNTED,
    DIRECTION_ONLY,
    EVENTS,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
    ROUTEROS,
    TIMED,
    Evidence,
    Judged,
    Verdict,
)

__all__ = [
    "ARITHMETIC",
    "BY_CONSTRUCTION",
    "CONTRADICTED",
    "COUNTED",
    "DIRECTION_ONLY",
    "EVENTS",
    "INCONCLUSIVE",
    "MOST_SHOWN",
    "NOT_TESTABLE",
    "REPRODUCED",
    "ROUTEROS",
    "TIMED",
    "AtLeast",
    "AtMost",
    "Claim",
    "ClaimsSpec",
    "Costs",
    "Equation",
    "Evidence",
    "Judge",
    "Judged",
    "LineRate",
    "LittleChange",
    "NotTestable",
    "Order",
    "RateRatio",
    "Ratio",
    "Runs",
    "SizeIndependent",
    "Verdict",
    "judge_all",
    "judge_run",
    "judge_tcp",
    "load",
    "titles",
]
