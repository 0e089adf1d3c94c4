"""What `make test` runs the tests with: a private world, the parts, a second look, one report."""
