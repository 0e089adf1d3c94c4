"""The lab queues."""
