"""How fast this machine's browser computes, beside the machine for which limits in seconds hold."""

from __future__ import annotations

from typing import Any

REFERENCE_SECONDS = 0.30
"""What `WORK` took, the quickest of three, on the machine of which the limits were said."""

WORK = """() => {
  const quickest = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    const seen = new Map();
    for (let i = 0; i < 4000000; i++) seen.set((i * 2654435761) % 65536, `${i}`);
    quickest.push((performance.now() - began) / 1000);
  }
  return Math.min(...quickest);
}"""


def slower(page: Any) -> float:
    """How many times as long as there the same work takes here, now; 1 where it takes no longer."""
    return max(1.0, float(page.evaluate(WORK)) / REFERENCE_SECONDS)
