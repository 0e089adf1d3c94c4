"""RouterOS's /tool/traffic-generator as a tester."""
