"""Records, published numbers and claims as tables.

The notebook, the pages and their figures show these tables and compute nothing themselves.
"""

from ppslab.presentation.record_tables.both_measures import both_measures
from ppslab.presentation.record_tables.claims_and_verdicts import claims_table
from ppslab.presentation.record_tables.published import (
    Beside,
    beside,
    beside_table,
    published_table,
)
from ppslab.presentation.record_tables.published_orders import (
    BROKEN,
    HOLDS,
    UNDECIDED,
    Step,
    order_steps,
    orders,
)
from ppslab.presentation.record_tables.router_costs import (
    BASELINES,
    a_a_line,
    amount,
    baseline_line,
    cost,
    costs,
    ratio,
)
from ppslab.presentation.record_tables.throughput import throughputs
from ppslab.presentation.record_tables.vendor_ratios import (
    vendor_rates,
    vendor_ratios,
    vendor_sentence,
)

__all__ = [
    "BASELINES",
    "BROKEN",
    "HOLDS",
    "UNDECIDED",
    "Beside",
    "Step",
    "a_a_line",
    "amount",
    "baseline_line",
    "beside",
    "beside_table",
    "both_measures",
    "claims_table",
    "cost",
    "costs",
    "order_steps",
    "orders",
    "published_table",
    "ratio",
    "throughputs",
    "vendor_rates",
    "vendor_ratios",
    "vendor_sentence",
]
