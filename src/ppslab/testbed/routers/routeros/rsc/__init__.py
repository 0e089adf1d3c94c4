"""RouterOS scripts (.rsc) as text: checked, laid out one way, and never typed twice."""
