"""The lab pppoe."""
