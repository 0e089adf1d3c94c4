"""RouterOS commands on a Linux router: what they come to, and what is refused."""
