"""The articles' claims, and the verdict of the runs on each of them.

Two words tell what became of a claim: its evidence, and the verdict, whose words are those of the
evidence (`verdicts`).  The strongest evidence decides: a router of the reader's, MikroTik's own
published measurements (`vendor`), its manual, others' measurements of RouterOS (`others`),
arithmetic, and last the Linux stand-in.

A stand-in's verdict rests on the newest three runs together (`deciding`).  The interval that
decides it holds what another stand-in would say (`judging`); how far the same one agrees with
itself is shown apart.  `agreement.yml` says when a size agrees.
"""

from ppslab.judge.claims.arithmetic import Equation
from ppslab.judge.claims.claim import Claim, load, titles
from ppslab.judge.claims.judges import (
    MOST_SHOWN,
    LittleChange,
    NotTestable,
    Order,
    Ratio,
)
from ppslab.judge.claims.judging import judge_all, judge_run, judge_tcp
from ppslab.judge.claims.runs import Runs
from ppslab.judge.claims.verdicts import (
    ARITHMETIC,
    BY_CONSTRUCTION,
    CANNOT_TELL,
    CONFIRMED,
    CONSISTENT,
    COUNTED,
    DIFFERS,
    DOCUMENTED,
    DOES_NOT_HOLD,
    EMULATED,
    EVENTS,
    HOLDS,
    IN_DIRECTION,
    IN_SIZE,
    INCONSISTENT,
    MEASURED,
    NO_VERDICT,
    NOT_TESTABLE,
    PUBLISHED,
    REFUTED,
    ROUTEROS,
    TIMED,
    Comparison,
    Evidence,
    Judged,
    Verdict,
    least_to_greatest,
    verdict_of,
)

__all__ = [
    "ARITHMETIC",
    "BY_CONSTRUCTION",
    "CANNOT_TELL",
    "CONFIRMED",
    "CONSISTENT",
    "COUNTED",
    "DIFFERS",
    "DOCUMENTED",
    "DOES_NOT_HOLD",
    "EMULATED",
    "EVENTS",
    "HOLDS",
    "INCONSISTENT",
    "IN_DIRECTION",
    "IN_SIZE",
    "MEASURED",
    "MOST_SHOWN",
    "NOT_TESTABLE",
    "NO_VERDICT",
    "PUBLISHED",
    "REFUTED",
    "ROUTEROS",
    "TIMED",
    "Claim",
    "Comparison",
    "Equation",
    "Evidence",
    "Judged",
    "LittleChange",
    "NotTestable",
    "Order",
    "Ratio",
    "Runs",
    "Verdict",
    "judge_all",
    "judge_run",
    "judge_tcp",
    "least_to_greatest",
    "load",
    "titles",
    "verdict_of",
]
