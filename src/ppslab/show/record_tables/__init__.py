"""Records, published numbers and claims as tables.

The notebook, the pages and their figures show these tables and compute nothing themselves.
"""

from ppslab.show.record_tables.published import UNDECIDED as UNDECIDED
from ppslab.show.record_tables.published import Beside as Beside
from ppslab.show.record_tables.published import beside as beside
from ppslab.show.record_tables.published import beside_table as beside_table
from ppslab.show.record_tables.published import claims_table as claims_table
from ppslab.show.record_tables.published import order_steps as order_steps
from ppslab.show.record_tables.published import orders as orders
from ppslab.show.record_tables.published import published_table as published_table
from ppslab.show.record_tables.published import vendor_rates as vendor_rates
from ppslab.show.record_tables.published import vendor_ratios as vendor_ratios
from ppslab.show.record_tables.published import vendor_sentence as vendor_sentence
from ppslab.show.record_tables.router_costs import BASELINES as BASELINES
from ppslab.show.record_tables.router_costs import a_a_line as a_a_line
from ppslab.show.record_tables.router_costs import amount as amount
from ppslab.show.record_tables.router_costs import baseline_line as baseline_line
from ppslab.show.record_tables.router_costs import both_measures as both_measures
from ppslab.show.record_tables.router_costs import cost as cost
from ppslab.show.record_tables.router_costs import costs as costs
from ppslab.show.record_tables.router_costs import ratio as ratio
from ppslab.show.record_tables.router_costs import throughputs as throughputs
