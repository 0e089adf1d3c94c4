"""`ppslab compare`: two records, or two conditions, side by side."""
