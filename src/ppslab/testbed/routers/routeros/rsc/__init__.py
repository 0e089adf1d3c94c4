"""RouterOS scripts (.rsc) as text: checked, and never typed twice."""
