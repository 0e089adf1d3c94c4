"""The lab fasttrack."""
