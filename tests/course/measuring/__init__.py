"""What the chapter on measuring shows, and the directive that shows it."""
