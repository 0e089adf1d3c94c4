"""What the read-back compares, and what it must not."""

from __future__ import annotations

import json

from ppslab.testbed.routers.linux.read_back import plain_rules

NAMED = {"family": "inet", "name": "accepted", "table": "filter", "handle": 2}


def listing(packets: int, name: str = "accepted") -> str:
    """Nft's answer for one named counter."""
    counter = {**NAMED, "name": name, "packets": packets, "bytes": 64 * packets}
    return json.dumps({"nftables": [{"metainfo": {"version": "1"}}, {"counter": counter}]})


def test_what_a_named_counter_has_counted_is_no_difference() -> None:
    assert plain_rules(listing(0)) == plain_rules(listing(4437))
    assert plain_rules(listing(0)) != plain_rules(listing(0, "other"))


def test_a_rule_that_matches_on_a_length_in_bytes_keeps_it() -> None:
    def limit(size: int) -> str:
        rule = {"family": "ip", "table": "t", "expr": [{"limit": {"rate": size, "bytes": size}}]}
        return json.dumps({"nftables": [{"rule": rule}]})

    assert plain_rules(limit(1)) != plain_rules(limit(2))
