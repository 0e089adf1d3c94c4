"""The lab eoip."""
