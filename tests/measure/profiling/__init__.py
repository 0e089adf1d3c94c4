"""Samples, stations and flame graphs."""
