"""What sets the project up and keeps it: Makefile, scripts, images, workflows, the suite."""
