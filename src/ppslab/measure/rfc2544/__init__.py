"""The RFC 2544 suite: the tests of section 26, on any lab and condition."""
