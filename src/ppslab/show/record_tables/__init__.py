"""Records, published numbers and claims as tables.

The notebook, the pages and their figures show these tables and compute nothing themselves.
"""

from ppslab.show.record_tables.published import (
    UNDECIDED,
    Beside,
    beside,
    beside_table,
    claims_table,
    elsewhere_table,
    order_steps,
    orders,
    published_table,
    vendor_rates,
    vendor_ratios,
    vendor_sentence,
)
from ppslab.show.record_tables.router_costs import (
    BASELINES,
    a_a_line,
    amount,
    baseline_line,
    both_measures,
    cost,
    costs,
    ratio,
    throughputs,
)

__all__ = [
    "BASELINES",
    "UNDECIDED",
    "Beside",
    "a_a_line",
    "amount",
    "baseline_line",
    "beside",
    "beside_table",
    "both_measures",
    "claims_table",
    "cost",
    "costs",
    "elsewhere_table",
    "order_steps",
    "orders",
    "published_table",
    "ratio",
    "throughputs",
    "vendor_rates",
    "vendor_ratios",
    "vendor_sentence",
]
