"""Reading exports, and what a router printed."""
