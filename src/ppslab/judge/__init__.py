"""Answers of records: costs, goodput, counters, claims, the scoreboard."""
