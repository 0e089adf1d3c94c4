"""The Linux router: a condition applied to a node's kernel, and read back."""
