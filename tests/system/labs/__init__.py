"""The labs: what holds for each, and a folder for what a lab's own data and packets must do."""
