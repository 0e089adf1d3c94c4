"""Figures that explain: a pause of the tester, packets in motion, searches."""
