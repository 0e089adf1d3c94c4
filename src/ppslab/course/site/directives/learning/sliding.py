"""One slider for a guess of cost, with what was measured behind a button beside it."""

from __future__ import annotations

import json
from html import escape
from math import log2

from ppslab.core.text.quantities import Quantity
from ppslab.course.notebook.prediction import HIGHEST, LOWEST, Prediction
from ppslab.judge import costs
from ppslab.model.results import Record

ALL = "All guesses and results"
STEPS = 20
"""Places of the slider from a factor to its double: 3.5 % each."""


def form(asked: Prediction, record: Record) -> str:
    """The slider as HTML; book/assets/slide.js moves it.  What has no valid trial is not asked."""
    size = min(record.frame_sizes)
    known = {each.name: each.title for each in record.conditions}
    results = []
    for name in asked.asked:
        if name not in known:
            continue
        try:
            ratio = costs.ratio(record, name, asked.reference, size)
        except costs.NoDataError:
            continue
        result = {"name": name, "title": known[name], "times": ratio.estimate}
        results.append({**result, "text": str(Quantity.of(ratio))})
    lab = escape(asked.lab.name)
    options = "".join(
        f'<option value="{escape(str(each["name"]))}">{escape(str(each["title"]))}</option>'
        for each in results
    )
    reference = escape(known.get(asked.reference, asked.reference))
    data = escape(json.dumps(results, ensure_ascii=False), quote=True)
    low, high = (round(STEPS * log2(limit)) for limit in (LOWEST, HIGHEST))
    return (
        f'<form class="ppslab ppslab-predict ppslab-slide" data-lab="{lab}" data-steps="{STEPS}" '
        f'data-measured="{data}" data-reference="{reference}" onsubmit="return false">'
        f"<p>Suppose that a packet costs the router 1 under <strong>{reference}</strong>. "
        "What does it cost under the other one?</p>"
        f'<label>Configuration <select name="condition">{options}</select></label>'
        f'<label>Your guess <input type="range" min="{low}" max="{high}" value="0"></label>'
        '<p class="ppslab-slide-said"><strong>1 times as much</strong> '
        '<button type="button" name="reveal">Show what was measured</button> '
        '<button type="button" name="next" hidden>Guess the next one</button></p>'
        '<div class="ppslab-slide-result" role="status"></div></form>'
    )
