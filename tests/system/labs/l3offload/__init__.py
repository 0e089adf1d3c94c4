"""The lab l3offload."""
