"""What records say: costs, goodput, counters, claims, the scoreboard."""
