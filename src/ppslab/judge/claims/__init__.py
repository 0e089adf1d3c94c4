"""The articles' claims, and the verdict of the runs on each of them.

Two words tell what became of a claim: its evidence, and the verdict, whose words are those of the
evidence (`verdicts`).  The strongest evidence decides: a router of the reader's, MikroTik's own
published measurements (`vendor`), its manual, others' measurements of RouterOS (`others`),
arithmetic, and last the Linux stand-in.

A stand-in's verdict rests on the newest three runs together (`deciding`).  The interval that
decides it holds what another stand-in would say (`judging`); how far the same one agrees with
itself is shown apart.  `judge.agreement` says when a size agrees.
"""

from ppslab.judge.claims.claim import Claim as Claim
from ppslab.judge.claims.claim import load as load
from ppslab.judge.claims.claim import titles as titles
from ppslab.judge.claims.judges import MOST_SHOWN as MOST_SHOWN
from ppslab.judge.claims.judges import LittleChange as LittleChange
from ppslab.judge.claims.judges import Order as Order
from ppslab.judge.claims.judges import Ratio as Ratio
from ppslab.judge.claims.judging import judge_all as judge_all
from ppslab.judge.claims.judging import judge_run as judge_run
from ppslab.judge.claims.runs import Runs as Runs
from ppslab.judge.claims.verdicts import ARITHMETIC as ARITHMETIC
from ppslab.judge.claims.verdicts import BY_CONSTRUCTION as BY_CONSTRUCTION
from ppslab.judge.claims.verdicts import CANNOT_TELL as CANNOT_TELL
from ppslab.judge.claims.verdicts import CONFIRMED as CONFIRMED
from ppslab.judge.claims.verdicts import CONSISTENT as CONSISTENT
from ppslab.judge.claims.verdicts import COUNTED as COUNTED
from ppslab.judge.claims.verdicts import DIFFERS as DIFFERS
from ppslab.judge.claims.verdicts import DOCUMENTED as DOCUMENTED
from ppslab.judge.claims.verdicts import DOES_NOT_HOLD as DOES_NOT_HOLD
from ppslab.judge.claims.verdicts import EMULATED as EMULATED
from ppslab.judge.claims.verdicts import EVENTS as EVENTS
from ppslab.judge.claims.verdicts import HOLDS as HOLDS
from ppslab.judge.claims.verdicts import IN_DIRECTION as IN_DIRECTION
from ppslab.judge.claims.verdicts import IN_SIZE as IN_SIZE
from ppslab.judge.claims.verdicts import INCONSISTENT as INCONSISTENT
from ppslab.judge.claims.verdicts import MEASURED as MEASURED
from ppslab.judge.claims.verdicts import NO_VERDICT as NO_VERDICT
from ppslab.judge.claims.verdicts import NOT_TESTABLE as NOT_TESTABLE
from ppslab.judge.claims.verdicts import PUBLISHED as PUBLISHED
from ppslab.judge.claims.verdicts import REFUTED as REFUTED
from ppslab.judge.claims.verdicts import ROUTEROS as ROUTEROS
from ppslab.judge.claims.verdicts import TIMED as TIMED
from ppslab.judge.claims.verdicts import Comparison as Comparison
from ppslab.judge.claims.verdicts import Evidence as Evidence
from ppslab.judge.claims.verdicts import Judged as Judged
from ppslab.judge.claims.verdicts import Verdict as Verdict
from ppslab.judge.claims.verdicts import least_to_greatest as least_to_greatest
from ppslab.judge.claims.verdicts import verdict_of as verdict_of
