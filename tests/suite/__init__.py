"""What `make test` runs the tests with: a private world, the parts, a second opinion, one ending.

`python -m tests.suite` is its command; CONTRIBUTING.md and tests/README.md say what for.
"""
